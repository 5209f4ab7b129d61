"""Severities of rules as code, for every language: none of them reads the rules' texts for it.

Python has all rules. TypeScript and Rust have those of the rooms that exist there, each room by
itself, so that a bundle holds the rooms that it uses.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["files"]

_EDIT: Final = (
    "Generated from schemas/rules/. Do not edit: change those, then run `python -m codegen`."
)
_NOTED: Final = ("adapter", "encode")
"""Rooms that TypeScript has whole: what is found there comes with any of their rules."""
_OTHERS: Final = ("blocks", "envelope", "history", "read", "session", "stream")
"""Rooms of TypeScript and Rust whose rules are errors, but for some."""


def files(severities: Mapping[str, str]) -> dict[str, str]:
    """Return path → text for the tables of all languages."""
    rooms = {
        room: {
            rule: severity
            for rule, severity in sorted(severities.items())
            if rule.startswith(f"{room}/") and (room in _NOTED or severity != "error")
        }
        for room in sorted((*_NOTED, *_OTHERS))
    }
    return {
        "python/partwire/severities.py": _python(severities),
        "typescript/src/generated/severities.ts": _typescript(rooms),
        "rust/src/generated/severities.rs": _rust(rooms),
    }


def _python(severities: Mapping[str, str]) -> str:
    rows = [f'    "{rule}": "{severity}",' for rule, severity in sorted(severities.items())]
    return "\n".join(
        [
            f"# {_EDIT}",
            "",
            '"""The severity of every rule; no file is read for it."""',
            "",
            "from __future__ import annotations",
            "",
            "from collections.abc import Mapping",
            "from typing import Final, Literal",
            "",
            '__all__ = ["SEVERITIES"]',
            "",
            'SEVERITIES: Final[Mapping[str, Literal["error", "warning", "info"]]] = {',
            *rows,
            "}",
            "",
        ]
    )


def _typescript(rooms: Mapping[str, Mapping[str, str]]) -> str:
    lines = [f"// {_EDIT}"]
    for room, severities in rooms.items():
        which = "" if room in _NOTED else " that are not errors"
        lines += ["", f"/** The severities of the rules `{room}/…`{which}. */"]
        lines += [f"export const {room.upper()} = {{"]
        lines += [f'  "{rule}": "{severity}",' for rule, severity in severities.items()]
        lines += ["} as const;"]
    return "\n".join([*lines, ""])


def _rust(rooms: Mapping[str, Mapping[str, str]]) -> str:
    lines = [f"// {_EDIT}", "", "use crate::contract::severity::Severity;", ""]
    lines += ["/// Returns the severity of a rule.", "pub(crate) fn of(rule: &str) -> Severity {"]
    lines += ["    match rule {"]
    for wanted in ("info", "warning"):
        head, *others = (
            f'"{rule}"'
            for severities in rooms.values()
            for rule, severity in severities.items()
            if severity == wanted
        )
        lines += [f"        {head}", *(f"        | {rule}" for rule in others)]
        lines[-1] += f" => Severity::{wanted.capitalize()},"
    return "\n".join([*lines, "        _ => Severity::Error,", "    }", "}", ""])
