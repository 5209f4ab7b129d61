"""Anthropic Messages: its stream, and its requests."""
