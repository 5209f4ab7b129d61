"""JSON text as the contract has it: what is refused, by which rule, and where."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, Final, NoReturn

from partwire.json.pointer import escape_pointer

Place = tuple[str, str]
"""Rule and JSON Pointer."""

SPACE: Final = " \t\n\r"
_DEEPEST: Final = 512
_MOST_DIGITS: Final = 4300
_INFINITE: Final = 2**1024 - 2**970  # the least integer that rounds to infinity


class Refused(Exception):
    """What the contract refuses: the rules and places, the first one first."""

    def __init__(self, *places: Place) -> None:
        super().__init__(*places)
        self.places = list(places)


class Huge(float):
    """An integer beyond the largest double."""


class JSONText:
    """Strict reading of JSON text."""

    digits = 0
    """Of the longest integer; one that is too long is refused without its place."""

    replaced_is_broken = False
    """Whether a member that a later one replaces holds what no document may hold."""

    def parse(self, data: bytes) -> Any:
        """Return the value of a text; raise Refused with the one rule that it breaks."""
        text = self.decode(data)
        if not text.strip(SPACE):
            raise Refused(("document/empty", ""))
        self.digits = 0
        self.replaced_is_broken = False
        value = self.loads(text)
        self.check_depth(text)
        if self.digits > _MOST_DIGITS:
            raise Refused(("document/not-finite", ""))
        if self.replaced_is_broken:
            raise Refused(("document/invalid-json", ""))
        wrong = next(self.wrong_values(value, ""), None)
        if wrong is not None:
            raise Refused(wrong)
        return value

    def decode(self, data: bytes) -> str:
        """Return the text of the bytes."""
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            raise Refused(("document/invalid-utf8", "")) from None

    def check_depth(self, text: str) -> None:
        """Refuse brackets nested too deep."""
        if depth_of(text) > _DEEPEST:
            raise Refused(("document/too-deep", ""))

    def loads(self, text: str) -> Any:
        """Return the value of a text, which may hold what is not finite."""
        try:
            return json.loads(
                text,
                parse_constant=self.constant,
                parse_int=self.integer,
                object_pairs_hook=self.last_of_each,
            )
        except (ValueError, RecursionError):
            self.check_depth(text)
            raise Refused(("document/invalid-json", "")) from None

    def last_of_each(self, pairs: list[tuple[str, Any]]) -> Any:
        """Return an object, and look at what it does not keep."""
        kept: dict[str, Any] = {}
        for name, value in pairs:
            if name in kept:
                self.replaced_is_broken = self.replaced_is_broken or self.is_broken(kept[name])
            kept[name] = value
        return kept

    def is_broken(self, value: Any) -> bool:
        """Return whether a replaced value is not text of a document; its integers may be huge."""
        if isinstance(value, dict):
            return any(not is_unicode(name) for name in value) or any(
                map(self.is_broken, value.values())
            )
        if isinstance(value, list):
            return any(map(self.is_broken, value))
        if isinstance(value, float):
            return not math.isfinite(value) and not isinstance(value, Huge)
        return isinstance(value, str) and not is_unicode(value)

    def constant(self, name: str) -> Any:
        """Return what stands for NaN and the infinities, which are found in the value."""
        return math.nan

    def integer(self, digits: str) -> Any:
        """Return an integer; one that overflows a double is as infinite as 1e400."""
        self.digits = max(self.digits, len(digits.removeprefix("-")))
        if self.digits > _MOST_DIGITS:
            return math.inf
        value = int(digits)
        return Huge("inf") if abs(value) >= _INFINITE else value

    def wrong_values(self, value: Any, pointer: str) -> Iterator[Place]:
        """Yield what no document may hold, in its order."""
        if isinstance(value, float) and not math.isfinite(value):
            yield "document/not-finite", pointer
        elif isinstance(value, str) and not is_unicode(value):
            yield "document/lone-surrogate", pointer
        elif isinstance(value, list):
            for at, item in enumerate(value):
                yield from self.wrong_values(item, f"{pointer}/{at}")
        elif isinstance(value, dict):
            for name, member in value.items():
                shown = name.encode("utf-8", "backslashreplace").decode()
                place = f"{pointer}/{escape_pointer(shown)}"
                if not is_unicode(name):
                    yield "document/lone-surrogate", place
                yield from self.wrong_values(member, place)


def is_unicode(text: str) -> bool:
    """Return whether a string has surrogates in pairs only (in Python: none)."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def depth_of(text: str) -> int:
    """Return how deep brackets outside strings are nested, whether or not the text is JSON."""
    depth = deepest = 0
    inside = escaped = False
    for char in text:
        if inside:
            inside = escaped or char != '"'
            escaped = not escaped and char == "\\"
        elif char == '"':
            inside = True
        elif char in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "}]":
            depth -= 1
    return deepest


def refuse_constant(name: str) -> NoReturn:
    """Refuse NaN and the infinities while parsing."""
    raise ValueError(name)
