"""One JSON document, as ``schemas/report.schema.json`` describes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from ..errors import printable
from .form import Form, Totals
from .items import Item

__all__ = ["JSON", "json_text"]


# json.dumps makes an encoder for every call that asks for anything special.
_encode: Final = json.JSONEncoder(ensure_ascii=False).encode


def json_text(value: Any) -> str:
    """Return ``value`` as one line of JSON; lone surrogates are spelled out."""
    return printable(_encode(value))


class JSON(Form):
    """Findings one by one, and behind them what the run has come to."""

    _begun = False

    def _begin(self) -> None:
        self._begun = True
        head: dict[str, Any] = {
            "tool": {"name": "partwire", "version": self.head.tool_version},
            "command": self.head.command,
        }
        if self.head.contract is not None:
            head["contract"] = self.head.contract
        self.write(json_text(head)[:-1] + ', "findings": [')

    def item(self, item: Item) -> None:
        """Write the finding, on its own line."""
        joint = ",\n " if self._begun else "\n "
        if not self._begun:
            self._begin()
        told = item.finding.to_wire()
        places = (("line", item.spot.line), ("column", item.spot.column))
        told |= {name: number for name, number in places if number is not None}
        told["fingerprint"] = item.fingerprint
        self.write(joint + json_text(told))

    def end(self, totals: Totals, details: Mapping[str, Any] | None) -> None:
        """Write the rest of the document."""
        if not self._begun:
            self._begin()
        rest: dict[str, Any] = {} if details is None else {"details": details}
        rest |= {
            "sources": totals.sources,
            "documents": totals.documents,
            "errors": totals.errors,
            "warnings": totals.warnings,
            "infos": totals.infos,
            "ignored": totals.ignored,
            "accepted": totals.accepted,
            "unreadable": totals.unreadable,
            "statistics": dict(sorted(totals.statistics.items())),
            "passed": totals.passed,
        }
        close = "\n], " if totals.findings else "], "
        self.write(close + json_text(rest)[1:] + "\n")
