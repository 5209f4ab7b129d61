"""docs/rules.md from schemas/rules: every rule, where `partwire explain` and reports link to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

__all__ = ["FILE", "page"]

FILE: Final = "rules.md"

_INTRO: Final = """\
# Rules

<!-- Generated from schemas/rules. Do not edit: change these, then run `python -m codegen`. -->

Every finding names one of these rules. `partwire rules` lists them, `partwire explain RULE` adds a
bad and a good example. A rule's address is this page with the rule behind `#`.
"""


def page(root: Path) -> str:
    """Return the page of the project below ``root``."""
    rooms = sorted((root / "schemas" / "rules").glob("*.json"))
    sections = [_section(room.stem, json.loads(room.read_bytes())["rules"]) for room in rooms]
    return "\n".join([_INTRO, *sections])


def _section(room: str, rules: Mapping[str, Mapping[str, Any]]) -> str:
    return "\n".join([f"## {room}", "", *(line for row in rules.items() for line in _rule(*row))])


def _rule(name: str, row: Mapping[str, Any]) -> Iterator[str]:
    yield f'### <a id="{name}"></a>{name}'
    yield ""
    yield f"**{row['severity']}** · {row['summary']} {row['reason']}"
    yield ""
    yield f"{row['zh']['summary']}{row['zh']['reason']}"
    yield ""
