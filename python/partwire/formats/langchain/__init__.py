"""LangChain and LangGraph: stored messages in any of their envelopes, and their event streams."""
