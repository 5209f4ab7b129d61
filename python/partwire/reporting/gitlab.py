"""GitLab's Code Quality report: one array of issues."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from .form import Form, Totals
from .items import STDIN, Item
from .json_form import json_text
from .text import finding_sentence

__all__ = ["GitLab"]

_SEVERITIES: Final = {"error": "major", "warning": "minor", "info": "info"}


class GitLab(Form):
    """One issue per finding; no two have one fingerprint, since GitLab shows only one of such.

    What sets findings of one fingerprint apart is the line, and beyond that their order. That
    takes some hundred bytes of memory per finding, where other formats take none.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._seen: set[int] = set()
        self._again: Counter[int] = Counter()

    def item(self, item: Item) -> None:
        """Write the issue, on its own line."""
        finding = item.finding
        place = self.head.in_checkout(item.place) or STDIN
        joint = ",\n " if self._seen else "[\n "
        issue = {
            "description": finding_sentence(finding, item.rows),
            "check_name": finding.rule,
            "fingerprint": self._unique(item),
            "severity": _SEVERITIES[finding.severity],
            "location": {"path": place, "lines": {"begin": item.spot.line or 1}},
        }
        self.write(joint + json_text(issue))

    def _unique(self, item: Item) -> str:
        # The fingerprint of what a command reports once, such as a change of schemas, has no need
        # of a line: it stays where lines move.
        told = item.fingerprint if item.given else f"{item.fingerprint}:{item.finding.line}"
        key = _number(told)
        if key in self._seen:
            self._again[key] += 1
            told += f":{self._again[key]}"
        self._seen.add(_number(told))
        return hashlib.sha256(told.encode()).hexdigest()[:32]

    def end(self, totals: Totals, details: Mapping[str, Any] | None) -> None:
        """Close the array."""
        self.write("\n]\n" if self._seen else "[]\n")


def _number(told: str) -> int:
    return int.from_bytes(hashlib.sha256(told.encode()).digest()[:7], "big")
