"""A chat service with SSE, SQLite and a tool loop in 70 lines: see README.md."""
