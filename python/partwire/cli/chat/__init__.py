"""Conversations and growing messages on a terminal."""
