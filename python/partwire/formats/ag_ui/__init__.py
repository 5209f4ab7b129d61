"""AG-UI: histories, and the event stream of a run.

A reasoning message is part of the answer that follows it: its text is a thinking part there. All
other messages of the protocol are one message each.
"""
