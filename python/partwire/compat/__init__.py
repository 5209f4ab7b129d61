"""Whether a schema change breaks anyone: proved, shown by a witness, or said to be open."""

from .comparing import Budget, Comparison, Direction, Reading, Status, Verdict, compare
from .loading import CompatError, Place, SchemaSet
from .oracle import Failure
from .solving import Open

__all__ = [
    "Budget",
    "Comparison",
    "CompatError",
    "Direction",
    "Failure",
    "Open",
    "Place",
    "Reading",
    "SchemaSet",
    "Status",
    "Verdict",
    "compare",
]
