"""Assemblers that read the arguments of calls wrongly."""

from __future__ import annotations

import json
import math
from typing import Any

from tests.mutants.assembler import Assembler, Json
from tests.mutants.json_text import JSONText, Refused, refuse_constant
from tests.mutants.mutant import fails
from tests.reference.partial_json_reference import can_become_valid, nesting

Parsed = tuple[Json, bool, str | None]


# --- what the text of arguments is ------------------------------------------------------------


@fails("ARG-01")
class NoTextIsNoJson(Assembler):
    """A call without parameters sends no argument text, and that is an error."""

    def parse(self, text: str) -> Parsed:
        return super().parse(text) if text else ({}, True, "invalid_json")


@fails("ARG-01")
class WhiteSpaceIsNoJson(Assembler):
    """Arguments of white space alone are an error."""

    def parse(self, text: str) -> Parsed:
        return super().parse(text) if text.strip() or not text else ({}, True, "invalid_json")


@fails("ARG-11")
class CutArgumentsAreRepaired(Assembler):
    """Brackets that are missing are put behind arguments that were cut."""

    def parse(self, text: str) -> Parsed:
        closers, inside = nesting(text)
        found = super().parse(text)
        mended = super().parse(text + ('"' if inside else "") + closers)
        return mended if found[2] and not mended[2] else found


@fails("ARG-13")
class TheGuessBecomesFinal(Assembler):
    """The guess that was made for a preview becomes the final value."""

    def parse(self, text: str) -> Parsed:
        found = super().parse(text)
        return (self.preview(text), True, found[2]) if found[2] else found


@fails("ARG-14")
class MalformedIsEmpty(Assembler):
    """Arguments that are not JSON silently become an empty object."""

    def parse(self, text: str) -> Parsed:
        found = super().parse(text)
        return ({}, False, None) if found[2] else found


@fails("ARG-14")
class MalformedLosesItsText(Assembler):
    """Of arguments that are not JSON the text is thrown away."""

    def parse(self, text: str) -> Parsed:
        value, keep, error = super().parse(text)
        return value, keep and not error, error


@fails("ARG-21")
class MalformedIsNotNamed(Assembler):
    """Broken arguments are stored, and nothing says that they are."""

    def parse(self, text: str) -> Parsed:
        return (*super().parse(text)[:2], None)


@fails("ARG-15")
class ListsArePassedOn(Assembler):
    """Arguments that are a list are taken as they are."""

    def parse(self, text: str) -> Parsed:
        found = super().parse(text)
        return (json.loads(text), False, None) if found[2] == "not_an_object" else found


@fails("ARG-15")
class NullIsEmpty(Assembler):
    """Arguments that are null are taken for none."""

    def parse(self, text: str) -> Parsed:
        return super().parse("" if text.strip() == "null" else text)


@fails("ARG-16")
class StringsAreSpread(Assembler):
    """A string is spread into an object, letter by letter."""

    def parse(self, text: str) -> Parsed:
        found = super().parse(text)
        value = json.loads(text) if found[2] == "not_an_object" else None
        spread = {str(at): char for at, char in enumerate(value)} if isinstance(value, str) else {}
        return (spread, False, None) if spread else found


@fails("ARG-09")
class StringsAreParsedAgain(Assembler):
    """A string that holds JSON is taken for what it holds."""

    def parse(self, text: str) -> Parsed:
        value, keep, error = super().parse(text)
        return {name: self.parsed(member) for name, member in value.items()}, keep, error

    def parsed(self, member: Any) -> Any:
        if not isinstance(member, str):
            return member
        try:
            return json.loads(member)
        except ValueError:
            return member


@fails("ARG-09")
class AWholeStringIsParsedAgain(Assembler):
    """Arguments that are a string which holds an object are taken for that object."""

    def parse(self, text: str) -> Parsed:
        found = super().parse(text)
        value = json.loads(text) if found[2] == "not_an_object" else None
        return super().parse(value) if isinstance(value, str) else found


@fails("ARG-17")
class LargeIntegersAreRounded(Assembler):
    """Integers beyond 2^53 are rounded, and another record is changed."""

    def parse(self, text: str) -> Parsed:
        value, keep, error = super().parse(text)
        return self.rounded(value), keep, error

    def rounded(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.rounded(each) for each in value]
        if isinstance(value, dict):
            return {name: self.rounded(each) for name, each in value.items()}
        return int(float(value)) if isinstance(value, int) and abs(value) > 2**53 else value


@fails("ARG-17")
class LargeIntegersLoseTheirText(Assembler):
    """Nothing says that an integer is beyond what others can read."""

    def holds_large(self, value: Any) -> bool:
        return False


@fails("ARG-17")
class OnlyLargeIntegersAtTheTop(Assembler):
    """Integers are looked at in the arguments themselves, and not in what they hold."""

    def holds_large(self, value: Any) -> bool:
        return any(isinstance(each, int) and abs(each) > 2**53 - 1 for each in value.values())


@fails("ARG-17")
class TheLargestIntegerIsLarge(Assembler):
    """The line is drawn at 2^53 - 1 itself."""

    def holds_large(self, value: Any) -> bool:
        return super().holds_large(value) or str(2**53 - 1) in json.dumps(value)


class Loose(Assembler):
    """Assemblers that read arguments with another decoder."""

    def loads(self, text: str) -> Any:
        """Return the value of a text."""
        return json.loads(text, parse_constant=refuse_constant)

    def parse(self, text: str) -> Parsed:
        try:
            value = self.loads(text)
            JSONText().parse(json.dumps(value, ensure_ascii=False).encode())
        except (ValueError, Refused):
            return super().parse(text)
        return (
            (value, self.holds_large(value), None)
            if isinstance(value, dict)
            else super().parse(text)
        )


@fails("ARG-18")
class NotANumberIsANumber(Assembler):
    """NaN and Infinity are read as if they were JSON, and become null."""

    def parse(self, text: str) -> Parsed:
        try:
            value = json.loads(text, parse_constant=lambda _: None)
        except ValueError:
            return super().parse(text)
        return (
            super().parse(json.dumps(value)) if "N" in text or "I" in text else super().parse(text)
        )


@fails("ARG-18")
class OverflowIsTheLargestNumber(Assembler):
    """A number that no double holds becomes the largest one."""

    def parse(self, text: str) -> Parsed:
        try:
            value = json.loads(text, parse_float=self.bounded, parse_constant=refuse_constant)
            return super().parse(json.dumps(value) if "e" in text else text)
        except ValueError:
            return super().parse(text)

    def bounded(self, digits: str) -> float:
        value = float(digits)
        return value if math.isfinite(value) else 1.7976931348623157e308


@fails("ARG-19")
class TheFirstKeyWins(Loose):
    """Of two keys of one name the first one counts."""

    def loads(self, text: str) -> Any:
        def first(pairs: list[tuple[str, Any]]) -> Json:
            return dict(reversed(pairs))

        return json.loads(text, object_pairs_hook=first, parse_constant=refuse_constant)


@fails("ARG-26")
class ControlCharactersPass(Loose):
    """Line breaks and tabs that are unescaped in strings are let through."""

    def loads(self, text: str) -> Any:
        return json.loads(text, strict=False, parse_constant=refuse_constant)


@fails("ARG-14")
class SingleQuotesPass(Loose):
    """Arguments in the notation of a programming language are taken for JSON."""

    def loads(self, text: str) -> Any:
        return json.loads(text.replace("'", '"'), parse_constant=refuse_constant)


@fails("SSE-15")
class AMarkBeforeArgumentsIsCut(Loose):
    """A byte order mark before the arguments is passed over."""

    def loads(self, text: str) -> Any:
        return json.loads(text.removeprefix("\ufeff"), parse_constant=refuse_constant)


@fails("HIS-16")
class LoneSurrogatesAreReplaced(Loose):
    """Half a pair becomes a replacement character, and nobody learns of it."""

    def loads(self, text: str) -> Any:
        value = json.dumps(json.loads(text, parse_constant=refuse_constant), ensure_ascii=False)
        return json.loads(value.encode("utf-8", "replace"))


@fails("SEC-01")
class PrototypeKeysAreDropped(Assembler):
    """Members called __proto__ or constructor are taken out of the arguments."""

    def parse(self, text: str) -> Parsed:
        value, keep, error = super().parse(text)
        kept = {n: m for n, m in value.items() if n not in ("__proto__", "constructor")}
        return kept, keep, error


@fails("ARG-13")
class ThePreviewForgets(Assembler):
    """A preview shows nothing any more once the text broke, though the beginning was certain."""

    def preview(self, text: str) -> Json:
        return super().preview(text) if can_become_valid(text) else {}


@fails("ARG-13")
class ThePreviewShowsHalfNumbers(Assembler):
    """A preview shows a number of which more digits may come."""

    def preview(self, text: str) -> Json:
        closers, inside = nesting(text)
        found = self.parse(text + ('"' if inside else "") + closers)
        return super().preview(text) if found[2] else found[0]
