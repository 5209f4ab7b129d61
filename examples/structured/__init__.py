"""Structured output of any model: see README.md."""
