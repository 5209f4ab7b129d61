"""Model Context Protocol: results of tools, and the messages of sampling and of prompts.

Streams are not in it: a result comes whole.
"""
