"""Agent2Agent: messages, and what tasks hold of them. It has no calls, no thinking and no usage."""
