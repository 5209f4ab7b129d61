"""Histories of messages: their defects, and the repairs."""
