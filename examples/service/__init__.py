"""A service that answers with a stream of deltas, and what talks to it. See README.md."""
