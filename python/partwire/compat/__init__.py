"""Whether a schema change breaks anyone: proved, shown by a witness, or said to be open."""

from .logic.oracle import Failure
from .logic.solver import Open
from .sources.schemas import CompatError, Place, SchemaSet
from .verdict import Budget, Comparison, Direction, Reading, Status, Verdict, compare

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
