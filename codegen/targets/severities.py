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
_ROOMS: Final = ("adapter", "encode")
"""The rooms whose severities TypeScript and Rust look up; others name theirs where they find."""


def files(severities: Mapping[str, str]) -> dict[str, str]:
    """Return path → text for the tables of all languages."""
    rooms = {
        room: {rule: severities[rule] for rule in sorted(severities) if rule.startswith(f"{room}/")}
        for room in _ROOMS
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
        lines += ["", f"/** The severities of the rules `{room}/…`. */"]
        lines += [f"export const {room.upper()} = {{"]
        lines += [f'  "{rule}": "{severity}",' for rule, severity in severities.items()]
        lines += ["} as const;"]
    return "\n".join([*lines, ""])


def _rust(rooms: Mapping[str, Mapping[str, str]]) -> str:
    lines = [f"// {_EDIT}", "", "use crate::errors::Severity;"]
    for room, severities in rooms.items():
        lines += ["", f"/// Returns the severity of a rule `{room}/…`."]
        lines += [f"pub(crate) fn {room}(rule: &str) -> Severity {{", "    match rule {"]
        for severity in ("info", "warning"):
            rules = [f'"{rule}"' for rule, each in severities.items() if each == severity]
            head, *others = rules
            lines += [f"        {head}", *(f"        | {rule}" for rule in others)]
            lines[-1] += f" => Severity::{severity.capitalize()},"
        lines += ["        _ => Severity::Error,", "    }", "}"]
    return "\n".join([*lines, ""])
