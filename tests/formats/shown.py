"""What the fixtures of formats show: ``python -m tests.formats.shown`` writes it down anew.

A case of a format has one document or stream, which is read or written. ``signs-shown.json`` says
which formats each shows, for every language; what changes in it is to be read like code.
"""

from __future__ import annotations

import json
from typing import Any, Final

from partwire.formats import Sniffed, sniff, sniff_events
from tests.fixture_cases import FIXTURES, Case, cases

__all__ = ["FILE", "shown", "text_of"]

FILE: Final = FIXTURES / "formats" / "signs-shown.json"


def shown() -> dict[str, list[list[str]]]:
    """Return name of a case → formats and places that its document or its events show."""
    found = ((case, _found(case)) for case in cases("formats"))
    return {case.name: list(map(list, each)) for case, each in found if each is not None}


def _found(case: Case) -> list[Sniffed] | None:
    for holder in (case.spec, case.expect):
        if "events" in holder:
            return sniff_events(holder["events"])
        for name in ("source", "document"):
            if name in holder:
                return sniff(holder[name])
    return None


def text_of(rows: dict[str, Any]) -> str:
    """Return the text of the file, with one row a line."""
    lines = [f"          {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items()]
    return "\n".join(
        [
            "{",
            '  "description": "Which formats the documents and events of the other files show.",',
            '  "provenance": "Written by python -m tests.formats.shown, and read.",',
            '  "cases": [',
            "    {",
            '      "name": "signs/shown",',
            '      "purpose": "Signs: What each document and stream of the other files shows",',
            '      "expect": {',
            '        "shown": {',
            ",\n".join(lines),
            "        }",
            "      }",
            "    }",
            "  ]",
            "}",
            "",
        ]
    )


if __name__ == "__main__":
    FILE.write_text(text_of(shown()), "utf-8")
