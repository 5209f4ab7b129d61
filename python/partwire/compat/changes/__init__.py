"""The changes behind a verdict: the differences between two schemas, by rule and place."""
