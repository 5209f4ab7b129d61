"""Implementations that are wrong on purpose: the conformance suite has to catch each of them.

``reader``, ``assembler``, ``states`` and ``history`` are a second implementation of the contract,
small, plain and slow, written from ``docs/semantics.md``. Without a bug it passes every run that it
is asked. A mutant is one of its classes with one step done wrong (``in_*.py``), or a line of
partwire's own source that says something else (``edits.py``). Each is an error that a real system
made, by its id in the failure catalogue. ``python -m tests.mutants`` runs them all.
"""
