"""Archives to measure and test with: made by a seed, with the truth of what has to come of them."""

from .faults import FAULTS
from .make import HARMFUL, HARMLESS, Options, Truth, make_archive
from .outcome import Outcome, outcome_of

__all__ = [
    "FAULTS",
    "HARMFUL",
    "HARMLESS",
    "Options",
    "Outcome",
    "Truth",
    "make_archive",
    "outcome_of",
]
