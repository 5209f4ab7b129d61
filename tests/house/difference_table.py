"""Write docs/differences.md: where our rules differ on purpose from how others count.

``python -m tests.house.difference_table`` writes it; tests/house/test_differences.py compares.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.differences import DIALECTS

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "differences.md"
_HEAD: Final = """\
# Where the adapters differ on purpose

Recorded streams come with the result that other people's accumulators and scripts agree on. Ours
gives the same, field by field, except for the rules below; tests apply each of them to the
recordings that it concerns, and anything else that differs fails. Written by
`python -m tests.house.difference_table` from `tests/differences`.
"""


def page() -> str:
    """Return the whole page."""
    blocks = [_HEAD]
    for name, dialect in sorted(DIALECTS.items()):
        lines = [f"## {name}", ""]
        rules: dict[str, tuple[str, list[str]]] = {}
        for row in dialect.differences:
            rules.setdefault(row.rule, (row.reason, []))[1].append(row.field)
        if not rules:
            lines.append("None.")
        else:
            lines += ["| rule | fields | reason |", "| --- | --- | --- |"]
        for rule, (reason, fields) in rules.items():
            lines.append(f"| `{rule}` | {', '.join(fields)} | {reason} |")
        blocks.append("\n".join([*lines, ""]))
    return "\n".join(blocks)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
