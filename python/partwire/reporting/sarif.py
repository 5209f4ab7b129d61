"""SARIF 2.1.0 (OASIS), as code scanning services read it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from ..contract.resources import read_rules, rule_url
from ..errors import Finding
from .form import Form, Totals
from .items import Item, Spot
from .json_form import json_text
from .text import finding_sentence

__all__ = ["SARIF"]

SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}


class SARIF(Form):
    """One run: its results as they come, and behind them the rules that they speak of.

    SARIF leaves the order of members open, and so nothing waits for the end but the rules.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._rules: dict[str, int] = {}
        self._problems: list[dict[str, Any]] = []
        self._begun = False

    def _begin(self) -> None:
        self._begun = True
        head = {"$schema": SCHEMA, "version": "2.1.0"}
        self.write(f'{json_text(head)[:-1]}, "runs": [{{"results": [')

    def item(self, item: Item) -> None:
        """Write the result, on its own line."""
        joint = ",\n " if self._begun else "\n "
        if not self._begun:
            self._begin()
        finding = item.finding
        place = (
            {}
            if item.place is None
            else {"physicalLocation": self._physical(item.place, item.spot)}
        )
        result = {
            "ruleId": finding.rule,
            "ruleIndex": self._rules.setdefault(finding.rule, len(self._rules)),
            "level": _LEVELS[finding.severity],
            "message": {"text": _plain(finding_sentence(finding, item.rows))},
            "locations": [{**place, **_logical(finding)}],
            "partialFingerprints": {"partwire/v1": item.fingerprint},
            "properties": _properties(item),
        }
        self.write(joint + json_text(result))

    def _physical(self, place: str, spot: Spot) -> dict[str, Any]:
        shown = self.head.in_checkout(place) or place
        region = {"startLine": spot.line or 1}
        if spot.line and spot.column:
            region["startColumn"] = spot.column
        return {"artifactLocation": _artifact(shown), "region": region}

    def problem(self, finding: Finding) -> None:
        """Keep it for the end: a tool's own troubles are not results."""
        told: dict[str, Any] = {
            "level": "error",
            "message": {"text": _plain(finding_sentence(finding))},
            "descriptor": {"id": finding.rule},
        }
        place = self.head.in_checkout(self.head.place_of(finding.source))
        if place is not None:
            told["locations"] = [{"physicalLocation": {"artifactLocation": _artifact(place)}}]
        self._problems.append(told)

    def end(self, totals: Totals, details: Mapping[str, Any] | None) -> None:
        """Write the tool with its rules, and how the run went."""
        if not self._begun:
            self._begin()
        invocation: dict[str, Any] = {"executionSuccessful": not totals.unreadable}
        if self._problems:
            invocation["toolExecutionNotifications"] = self._problems
        rest = {
            "tool": {"driver": self._driver()},
            "columnKind": "unicodeCodePoints",
            "invocations": [invocation],
            "automationDetails": {"id": f"partwire/{self.head.command}/"},
        }
        close = "\n], " if self._rules else "], "
        self.write(close + json_text(rest)[1:] + "]}\n")

    def _driver(self) -> dict[str, Any]:
        known = read_rules()
        version = {"contract": self.head.contract} if self.head.contract else {}
        return {
            "name": "partwire",
            "version": self.head.tool_version,
            "semanticVersion": self.head.tool_version,
            "properties": {"command": self.head.command, **version},
            "rules": [_rule(rule, known.get(rule, {})) for rule in self._rules],
        }


def _artifact(place: str) -> dict[str, str]:
    """Return where a file is: relative to the working folder, or a file URI."""
    uri = quote(_bytes(place), safe="/!$&'()*+,;=@~")
    if place.startswith("/"):
        return {"uri": f"file://{uri}"}
    return {"uri": uri, "uriBaseId": "%SRCROOT%"}


def _bytes(place: str) -> bytes:
    try:
        return os.fsencode(place)
    except UnicodeEncodeError:  # no file has such a name
        return place.encode("utf-8", "backslashreplace")


def _logical(finding: Finding) -> dict[str, Any]:
    return (
        {"logicalLocations": [{"fullyQualifiedName": finding.pointer}]} if finding.pointer else {}
    )


def _properties(item: Item) -> dict[str, Any]:
    finding = item.finding
    told = {"pointer": finding.pointer, "expected": finding.expected, "actual": finding.actual}
    return {
        **{name: value for name, value in told.items() if value is not None},
        **({"rows": dict(item.rows)} if item.rows else {}),
    }


def _rule(rule: str, row: Mapping[str, Any]) -> dict[str, Any]:
    summary = row.get("summary", rule)
    reason = row.get("reason", summary)
    page, told = rule_url(rule), f"{reason}\n\n`partwire explain {rule}` shows examples"
    return {
        "id": rule,
        "shortDescription": {"text": summary},
        "fullDescription": {"text": reason},
        "helpUri": page,
        "help": {"text": f"{told}: {page}", "markdown": f"{told}, and so does [its page]({page})."},
        "defaultConfiguration": {"level": _LEVELS[row.get("severity", "error")]},
        "properties": {"tags": [rule.partition("/")[0]]},
    }


def _plain(text: str) -> str:
    """Return text in which a viewer finds no link: documents are not to place any."""
    return text.replace("[", "\\[").replace("]", "\\]") if "](" in text else text
