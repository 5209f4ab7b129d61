"""The short way for frequent deltas; all others, and whatever is wrong, go by the rules.

``decode_batch`` and ``take_batch`` take lines and deltas by the batch; :class:`.shortcut.Shortcut`
says which deltas may go the short way at all. With a faster decoder or core this folder can go:
the assembler then takes every delta by its rules.
"""
