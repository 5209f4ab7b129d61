"""Reports: findings of one run as text, JSON, annotations, SARIF or JUnit, and their baseline."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from .baseline import Accepted, Baseline, read_baseline
from .form import Form, Head, Totals
from .items import Item, Spot, fingerprint_of, place_of
from .run import Report

__all__ = [
    "FORMATS",
    "Accepted",
    "Baseline",
    "Form",
    "Head",
    "Item",
    "Report",
    "Spot",
    "Totals",
    "fingerprint_of",
    "form_of",
    "place_of",
    "read_baseline",
]

_FORMS: Final = {
    "text": ("text", "Text"),
    "json": ("json_form", "JSON"),
    "github": ("github", "GitHub"),
    "gitlab": ("gitlab", "GitLab"),
    "sarif": ("sarif", "SARIF"),
    "junit": ("junit", "JUnit"),
}

FORMATS: Final = tuple(_FORMS)
"""The name of every output format."""


def form_of(name: str) -> type[Form]:
    """Return the class of an output format, imported when it is asked for."""
    module, member = _FORMS[name]
    form: type[Form] = getattr(import_module(f".{module}", __package__), member)
    return form
