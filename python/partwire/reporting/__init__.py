"""Reports: findings of one run as text, JSON, annotations, SARIF or JUnit, and their baseline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .baseline import Accepted, Baseline, read_baseline
from .form import Form, Head, Totals
from .items import Item, fingerprint_of, place_of
from .json_form import JSON
from .run import Report
from .text import GitHub, Text

__all__ = [
    "FORMS",
    "Accepted",
    "Baseline",
    "Form",
    "Head",
    "Item",
    "Report",
    "Totals",
    "fingerprint_of",
    "place_of",
    "read_baseline",
]

FORMS: Final[Mapping[str, type[Form]]] = {
    "text": Text,
    "json": JSON,
    "github": GitHub,
}
"""Every output format by its name."""
