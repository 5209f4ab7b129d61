"""One file per peer: its own events for the same content, and its own way to the final message.

Every module has ``load() -> Contestant``, which raises ImportError where the package is missing.
"""
