"""Tables of what providers say, and what the contract calls it."""
