"""The keyed fold: from the lines of many mixed streams to a message of each."""
