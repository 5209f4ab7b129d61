"""What all adapters share: the writer of deltas, findings, errors, usage, kept state, ids."""
