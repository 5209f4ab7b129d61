"""The pieces of the writer, each on the one before: stream, text, calls, whole parts, media."""
