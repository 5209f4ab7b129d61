"""AI SDK's useChat over any model, and its page: see README.md."""
