"""Schemas of the contract in a schema registry: what would change, and publishing it."""

from .client import Credentials, Registered, Registry
from .naming import LEVELS, SUBJECT_FORMAT, Level, Wanted, wanted_subjects
from .planning import Planned, plan
from .publishing import Outcome, publish

__all__ = [
    "LEVELS",
    "SUBJECT_FORMAT",
    "Credentials",
    "Level",
    "Outcome",
    "Planned",
    "Registered",
    "Registry",
    "Wanted",
    "plan",
    "publish",
    "wanted_subjects",
]
