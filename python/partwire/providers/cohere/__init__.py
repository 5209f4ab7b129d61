"""Cohere Chat v2: its stream, and its requests."""
