"""docs/requirements.md from docs/requirements.json: every requirement, and where it is met."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

__all__ = ["FILE", "case_path", "page"]

FILE: Final = "requirements.md"

_INTRO: Final = """\
# Requirements

<!-- Generated from requirements.json. Do not edit: change that, then run `python -m codegen`. -->

Every requirement of the source documents, with the schema and the code that meet it, and tests
that fail when it is broken (`room: name` is `test_name` in `test_room.py`; the others are golden
cases), or a note that says why there are none. S000: messages and deltas. S001: model and
assembler. S002: sessions. S003: content blocks. S004: envelopes. C: the design card. `[T]` type,
`[R]` rule, `[M]` method, `[E]` error policy, `[A]` acceptance, `[D]` decision, `[Q]` open
question, `[N]` not in scope, `[B]` boundary. `tests/house/test_requirements.py` refuses a row that
leads to nothing.
"""


def page(root: Path) -> str:
    """Return the page of the project below ``root``."""
    told = json.loads((root / "docs" / "requirements.json").read_bytes())
    return "\n".join([_INTRO, *(_section(root, each) for each in told["documents"])])


def case_path(root: Path, case: str) -> str:
    """Return the path of what holds the golden case ``v0.1/suite/…/name``."""
    *folders, name = ("fixtures", *case.split("/"))
    while folders:
        folder = "/".join(folders)
        for path in (f"{folder}/{name}{end}" for end in (".json", ".zip", "")):
            if (root / path).exists():
                return path
        *folders, name = folders
    return "fixtures"


def _section(root: Path, document: Mapping[str, Any]) -> str:
    head = ("no.", "requirement", "status", "schema", "code", "test", "note")
    rows = [_cells(root, row) for row in document["rows"]]
    lines = [f"| {' | '.join(each)} |" for each in (head, ("---",) * len(head), *rows)]
    return "\n".join([f"## {document['key']} — {document['title']}", "", *lines, ""])


def _cells(root: Path, row: Mapping[str, Any]) -> Sequence[str]:
    return (
        f'<a id="{row["number"]}"></a>{row["number"]}',
        row["requirement"].replace("|", "\\|"),
        row["status"],
        _links((_label(each), each) for each in row.get("schemas", ())),
        _links((_label(each), each) for each in row.get("code", ())),
        _links(_tests(root, row)),
        row.get("note", "").replace("|", "\\|"),
    )


def _tests(root: Path, row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for each in row.get("tests", ()):
        path, _, name = each.partition("::")
        room = Path(path).stem.removeprefix("test_")
        yield f"{room}: {name.removeprefix('test_')}", path
    for case in row.get("cases", ()):
        yield case, case_path(root, case)


def _label(path: str) -> str:
    for start in ("python/partwire/", "schemas/"):
        path = path.removeprefix(start)
    return path.removesuffix(".schema.json")


def _links(links: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"[{label}](../{path})" for label, path in links)
