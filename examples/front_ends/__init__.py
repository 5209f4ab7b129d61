"""AI SDK's useChat and AG-UI's client over any model, and their pages: see README.md."""
