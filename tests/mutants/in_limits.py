"""Assemblers that are wrong about limits."""

from __future__ import annotations

from typing import Any

from tests.mutants.assembler import Assembler, Json
from tests.mutants.mutant import fails

# --- limits -----------------------------------------------------------------------------------


def without(*names: str) -> Any:
    """Return a method that does not hold these limits."""

    def check_limit(self: Assembler, name: str, size: int) -> None:
        if name not in names:
            Assembler.check_limit(self, name, size)

    return check_limit


@fails("PRF-06")
class TextWithoutEnd(Assembler):
    """Text grows until memory is full."""

    check_limit = without("text_bytes")


@fails("PRF-06")
class ArgumentsWithoutEnd(Assembler):
    """Arguments grow until memory is full."""

    check_limit = without("arguments_bytes")


@fails("PRF-06")
class CallsWithoutEnd(Assembler):
    """Any number of parts and calls is kept."""

    check_limit = without("parts", "tool_calls")


@fails("PRF-08")
class StateWithoutEnd(Assembler):
    """What a provider wants back grows until memory is full."""

    check_limit = without("opaque_bytes")


@fails("PRF-09")
class DepthWithoutEnd(Assembler):
    """Arguments nested without end overflow the stack of whoever walks them."""

    check_limit = without("arguments_depth", "opaque_depth")


@fails("PRF-06")
class LimitsAreOneLess(Assembler):
    """What is as large as the limit is refused."""

    def check_limit(self, name: str, size: int) -> None:
        super().check_limit(name, size + 1)


@fails("PRF-06")
class BytesAreCharacters(Assembler):
    """Limits count characters, and each language draws the line elsewhere."""

    def take_text(self, kind: str, text: str, opaque: Json | None) -> None:
        bound = self.limits["text_bytes"]
        total = sum(len(each.get("text", "")) for each in self.slots) + len(text)
        self.limits["text_bytes"] = bound * 4 if total <= bound else 0
        try:
            super().take_text(kind, text, opaque)
        finally:
            self.limits["text_bytes"] = bound


@fails("EVO-09")
class IdsAreUtf16(Assembler):
    """The length of an id counts UTF-16 code units, as one language does."""

    def id_length(self, text: str) -> int:
        return len(text.encode("utf-16-le")) // 2


@fails("PRF-06")
class ReplacedStateCountsOn(Assembler):
    """What a call's later state took the place of is counted for ever."""

    def check_opaque(self, opaque: Json | None, call: Json | None) -> None:
        super().check_opaque(opaque, None)
