"""Bedrock Converse: its stream, and its requests."""
