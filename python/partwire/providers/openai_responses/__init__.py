"""OpenAI Responses and its vendors: its stream, and its requests."""
