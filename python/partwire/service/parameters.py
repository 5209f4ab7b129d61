"""Query parameters: read strictly, because a misspelt option must not pass for its default."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

from ..errors import clip
from .problems import refuse

__all__ = ["boolean", "choice", "count", "read_query", "required", "text"]

Reader = Callable[[str, str], Any]
_MAX_PARAMETERS: Final = 32
_MAX_SHOWN: Final = 12


def read_query(query: bytes, readers: Mapping[str, Reader]) -> dict[str, Any]:
    """Return the parameters of a query string that are there, read by the reader of each.

    Raises Problem 400 ``service/bad-parameter`` for a name that no reader knows, a name that
    is there twice, and a value that its reader refuses.
    """
    try:
        pairs = parse_qsl(
            query.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(query),
            errors="strict",
            max_num_fields=_MAX_PARAMETERS,
        )
    except (ValueError, UnicodeDecodeError):
        raise refuse(
            "service/bad-parameter",
            "The query string cannot be read",
            expected=f"at most {_MAX_PARAMETERS} parameters name=value in percent-encoded UTF-8",
        ) from None
    given: dict[str, Any] = {}
    for name, value in pairs:
        if name not in readers:
            near = difflib.get_close_matches(name, readers, n=1)
            known = near or sorted(readers)
            expected = " or ".join(known) if known else "no parameter"
            raise _bad("There is no such parameter", name, expected)
        if name in given:
            raise _bad(f"The parameter {name} stands twice", name, "each parameter once")
        given[name] = readers[name](name, value)
    return given


def text(longest: int = 512) -> Reader:
    """Return a reader of a string of 1 to ``longest`` characters."""

    def read(name: str, value: str) -> str:
        if not 0 < len(value) <= longest:
            raise _bad(f"{name} is wrong", value, f"1 to {longest} characters")
        return value

    return read


def choice(*values: str) -> Reader:
    """Return a reader of one of ``values``."""

    def read(name: str, value: str) -> str:
        if value not in values:
            near = difflib.get_close_matches(value, values, n=3)
            shown = near or values[:_MAX_SHOWN]
            more = ", …" if len(shown) < len(values) and not near else ""
            raise _bad(f"{name} is wrong", value, f"one of {', '.join(shown)}{more}")
        return value

    return read


def count(least: int, most: int) -> Reader:
    """Return a reader of an integer in a range."""

    def read(name: str, value: str) -> int:
        digits = value.lstrip("0") or "0"
        good = value.isascii() and value.isdigit() and len(digits) <= len(str(most))
        if not good or not least <= int(digits) <= most:
            raise _bad(f"{name} is wrong", value, f"an integer from {least} to {most}")
        return int(digits)

    return read


def boolean(name: str, value: str) -> bool:
    """Read true or false."""
    if value not in ("true", "false"):
        raise _bad(f"{name} is wrong", value, "true or false")
    return value == "true"


def required(given: Mapping[str, Any], name: str) -> Any:
    """Return a parameter that has to be there; raises Problem 400."""
    if name not in given:
        raise _bad(f"The parameter {name} is missing", None, f"a parameter {name}")
    return given[name]


def _bad(message: str, actual: str | None, expected: str) -> Exception:
    shown = None if actual is None else clip(actual)
    return refuse("service/bad-parameter", message, expected=expected, actual=shown)
