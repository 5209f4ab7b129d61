"""The assembler: deltas in, message out."""
