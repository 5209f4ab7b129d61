"""Findings as annotations of GitHub's workflows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ..errors import Finding
from .form import Form, Totals
from .items import Item, Rows, Spot
from .text import finding_sentence
from .words import clipped, safe_text

__all__ = ["GitHub", "github_annotation"]

_LEVELS: Final = {"error": "error", "warning": "warning", "info": "notice"}
_TITLE_CHARS: Final = 60
_DETAIL: Final = re.compile(r"[:;] ")


def github_annotation(finding: Finding, rows: Rows = (), spot: Spot | None = None) -> str:
    """Return one workflow command; its escapes are those of GitHub's own toolkit.

    The title is what is wrong in a few words; the message has all of it, and the rule.
    """
    line, column = (spot or Spot(finding.line))[:2]
    fields = [
        ("file", finding.source),
        ("line", line),
        ("col", column),
        ("title", clipped(_DETAIL.split(finding.message, maxsplit=1)[0], _TITLE_CHARS)),
    ]
    head = ",".join(
        f"{name}={_escape(str(value)).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in fields
        if value is not None
    )
    message = f"{finding_sentence(finding, rows)} [{finding.rule}]"
    return f"::{_LEVELS[finding.severity]} {head}::{_escape(message)}"


def _escape(text: str) -> str:
    for sign, escape in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        text = text.replace(sign, escape)
    return safe_text(text)


class GitHub(Form):
    """One annotation per finding; GitHub shows the first ten of each level and step."""

    encoded = False

    def item(self, item: Item) -> None:
        """Write the annotation, placed by the path in the repository."""
        place = self.head.in_checkout(item.place)
        finding = item.finding._replace(source=place or item.finding.source)
        self.write(github_annotation(finding, item.rows, item.spot) + "\n")

    def end(self, totals: Totals, details: Mapping[str, Any] | None) -> None:
        """Write nothing."""
