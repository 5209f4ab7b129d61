"""Gemini, of Google AI and of Vertex AI: its stream, and its requests."""
