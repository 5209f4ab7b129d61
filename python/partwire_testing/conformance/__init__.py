"""The conformance suite: every case of the fixtures, for any program that speaks JSON Lines.

``suites`` finds the cases, ``runs`` says what each asks, ``operations`` answers as partwire does,
and ``judge`` compares. ``docs/conformance.md`` is the protocol.
"""

from partwire.json.canonical import canonical

from .judge import judge
from .operations.table import OPERATIONS, run_operation
from .runs import Run, runs_of
from .suites import NOT_PORTABLE, Case, all_cases, select, suite_names, versions
from .values import Skip

__all__ = [
    "NOT_PORTABLE",
    "OPERATIONS",
    "Case",
    "Run",
    "Skip",
    "all_cases",
    "canonical",
    "judge",
    "run_operation",
    "runs_of",
    "select",
    "suite_names",
    "versions",
]
