"""Readers that are wrong about the text of a document."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from tests.mutants.json_text import Place, is_unicode
from tests.mutants.mutant import fails
from tests.mutants.reader import Reader

# --- text -------------------------------------------------------------------------------------


@fails("SSE-10")
class BrokenBytesAreReplaced(Reader):
    """Bytes that are not UTF-8 become replacement characters."""

    def decode(self, data: bytes) -> str:
        return data.decode("utf-8", "replace")


@fails("SSE-15")
class AMarkIsPassedOver(Reader):
    """A byte order mark is not a part of the text here, and an error there."""

    def decode(self, data: bytes) -> str:
        return super().decode(data).removeprefix("\ufeff")


@fails("SSE-11")
class OtherSpacesAreWhite(Reader):
    """What Unicode calls white space may be around a document."""

    def decode(self, data: bytes) -> str:
        return super().decode(data).strip() or " "


@fails("PRF-09")
class NestingWithoutEnd(Reader):
    """A document may be nested until the stack is full."""

    def check_depth(self, text: str) -> None:
        pass


@fails("ARG-18")
class NotANumberIsRead(Reader):
    """NaN and the infinities are values like others."""

    def wrong_values(self, value: Any, pointer: str) -> Iterator[Place]:
        return (place for place in super().wrong_values(value, pointer) if "finite" not in place[0])


@fails("ARG-18")
class NotANumberIsNull(Reader):
    """NaN and the infinities become null."""

    def constant(self, name: str) -> Any:
        return None


@fails("HIS-16")
class HalvesOfPairsPass(Reader):
    """A surrogate without its other half is text like any other."""

    def wrong_values(self, value: Any, pointer: str) -> Iterator[Place]:
        return (place for place in super().wrong_values(value, pointer) if "lone" not in place[0])


@fails("HIS-23")
class HalvesOfPairsInNamesPass(Reader):
    """Only values are looked at for surrogates, and no names."""

    def wrong_values(self, value: Any, pointer: str) -> Iterator[Place]:
        for rule, place in super().wrong_values(value, pointer):
            if rule != "document/lone-surrogate" or "\\ud" not in place:
                yield rule, place


@fails("HIS-14")
class NulIsRefused(Reader):
    """Text with U+0000 is refused, since one store does not take it."""

    def wrong_values(self, value: Any, pointer: str) -> Iterator[Place]:
        yield from super().wrong_values(value, pointer)
        if isinstance(value, str) and is_unicode(value) and "\0" in value:
            yield "document/invalid-json", pointer


@fails("ARG-19")
class DuplicateNamesFirst(Reader):
    """Of duplicate member names the first one wins."""

    def loads(self, text: str) -> Any:
        super().loads(text)

        def first(pairs: list[tuple[str, Any]]) -> Any:
            return dict(reversed(pairs))

        return json.loads(
            text, object_pairs_hook=first, parse_constant=self.constant, parse_int=self.integer
        )


@fails("ARG-17")
class IntegersAreDoubles(Reader):
    """Every number becomes a double on the way through."""

    def integer(self, digits: str) -> Any:
        value = float(digits)
        return int(value) if math.isfinite(value) else value


@fails("ARG-28")
class TextBehindADocument(Reader):
    """What is behind a document is passed over."""

    def loads(self, text: str) -> Any:
        try:
            _, end = json.JSONDecoder().raw_decode(text.lstrip())
        except ValueError:
            end = len(text)
        return super().loads(text.lstrip()[:end])
