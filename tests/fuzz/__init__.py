"""Random and mutated input for everything that reads bytes: ``python -m tests.fuzz``."""
