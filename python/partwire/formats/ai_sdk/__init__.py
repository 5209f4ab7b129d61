"""Vercel AI SDK: UI messages, model messages, and the UI message stream.

One UI message is a whole answer with its steps: an assistant's message for each step, and a tool
message with what came of its calls. So does the SDK itself, where it makes model messages of it.
"""
