"""pydantic-ai: histories, as ``ModelMessagesTypeAdapter`` writes them, of 2.x and before.

A request is a message for each role that speaks in it; a response is one message of the assistant.
Members that a message has no place for stand in ``meta["pydantic-ai"]``, and are written again.
"""
