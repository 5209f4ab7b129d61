"""Runs of frequent deltas at once; every other delta goes through the rules."""
