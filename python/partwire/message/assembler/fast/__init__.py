"""The short way for frequent deltas; all others, and whatever is wrong, go by the rules.

``bare.decode_batch`` and ``shortcut.take_batch`` take lines and deltas by the batch, and
``shortcut.follow`` says which deltas may go the short way at all. With a faster decoder or core
this folder can go: the assembler then takes every delta by its rules.
"""
