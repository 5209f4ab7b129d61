"""Chat completions of OpenAI and of many others: the stream, and the requests."""
