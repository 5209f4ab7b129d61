"""Archives to measure and test with: made by a seed, with the truth of what has to come of them."""

from .faults import FAULTS
from .make import Options, Truth, make_archive
from .outcome import Outcome, outcome_of

__all__ = ["FAULTS", "Options", "Outcome", "Truth", "make_archive", "outcome_of"]
