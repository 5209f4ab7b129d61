"""Assemblers that are wrong about what a provider wants back."""

from __future__ import annotations

from typing import Any

from tests.mutants.assembler import Assembler, Json
from tests.mutants.in_parts import TextIsCut
from tests.mutants.mutant import fails

# --- opaque data ------------------------------------------------------------------------------


@fails("BLK-04")
class SignaturesAreNotStored(Assembler):
    """The signature of thinking is not stored."""

    def take_opaque_of_text(self, slot: Json, opaque: Json) -> None:
        pass


@fails("BLK-05")
class SignedThinkingWithoutTextIsEmpty(Assembler):
    """Thinking without text is dropped as empty, and its signature with it."""

    def take_text(self, kind: str, text: str, opaque: Json | None) -> None:
        super().take_text(kind, text, opaque if text else None)


@fails("BLK-03")
class TextJoinsASignedPart(Assembler):
    """Text behind a signature joins the part that was signed without it."""

    def place_of_text(self, kind: str, text: str, opaque: Json | None) -> Json | None:
        last = self.slots[-1] if self.slots else {"kind": ""}
        joins = text and last["kind"] == kind
        return last if joins else super().place_of_text(kind, text, opaque)


@fails("BLK-07")
class ASignatureBeginsAPart(Assembler):
    """A signature with an empty text gets its own part."""

    def place_of_text(self, kind: str, text: str, opaque: Json | None) -> Json | None:
        alone = opaque is not None and not text
        return None if alone else super().place_of_text(kind, text, opaque)


@fails("BLK-07")
class ALateSignatureFindsNoPart(TextIsCut):
    """A signature behind usage does not find the part that it signs."""

    def on_usage(self, delta: Json, payload: Json) -> None:
        super().on_usage(delta, payload)
        self.cut()

    def place_of_text(self, kind: str, text: str, opaque: Json | None) -> Json | None:
        if text:
            return Assembler.place_of_text(self, kind, text, opaque)
        return super().place_of_text(kind, "late", opaque)


@fails("BLK-07")
class ASignatureFindsAnyPart(Assembler):
    """A signature goes to the last part of its kind, wherever that is."""

    def place_of_text(self, kind: str, text: str, opaque: Json | None) -> Json | None:
        found = super().place_of_text(kind, text, opaque)
        if found is None and not text and opaque is not None:
            fits = [s for s in self.slots if s["kind"] == kind and "opaque" not in s]
            return fits[-1] if fits else None
        return found


@fails("BLK-06")
class TheLastSignatureReplaces(Assembler):
    """Of two signatures of a part, the second takes the place of the first."""

    def place_of_text(self, kind: str, text: str, opaque: Json | None) -> Json | None:
        last = self.slots[-1] if self.slots else {"kind": ""}
        if not text and opaque is not None and last["kind"] == kind:
            return last
        return super().place_of_text(kind, text, opaque)


@fails("BLK-09")
class CallsGoWithoutSignature(Assembler):
    """What came with a call is not kept."""

    def take_opaque_of_call(self, call: Json, payload: Json) -> None:
        pass


@fails("BLK-09")
class OnlyTheStartOfACallIsSigned(Assembler):
    """Of a call, what its end brings is not looked at."""

    def take_opaque_of_call(self, call: Json, payload: Json) -> None:
        if "toolName" in payload:
            super().take_opaque_of_call(call, payload)


@fails("BLK-06")
class TheFirstStateOfACallStands(Assembler):
    """What a call's later deltas bring is not kept, where something is there."""

    def take_opaque_of_call(self, call: Json, payload: Json) -> None:
        if "opaque" not in call:
            super().take_opaque_of_call(call, payload)


@fails("BLK-11")
class StateIsReshaped(Assembler):
    """Members that are null or empty are taken out of what a provider wants back."""

    def part(self, slot: Json) -> Json:
        found = super().part(slot)
        if "opaque" in slot:
            found["payload"]["opaque"] = self.cleaned(slot["opaque"])
        return found

    def cleaned(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.cleaned(each) for each in value]
        if isinstance(value, dict):
            return {n: self.cleaned(m) for n, m in value.items() if m is not None}
        return value


@fails("BLK-13")
class StateHasNoProvider(Assembler):
    """Whose state it is, is overwritten with the first provider of the message."""

    def part(self, slot: Json) -> Json:
        found = super().part(slot)
        if "opaque" in slot:
            first = next(each["opaque"] for each in self.slots if "opaque" in each)
            found["payload"]["opaque"] = {**slot["opaque"], "provider": first["provider"]}
        return found


@fails("BLK-04")
class SnapshotsHaveNoSignature(Assembler):
    """What is stored on the way has no signatures."""

    def snapshot(self) -> Json:
        found = super().snapshot()
        if not self.end:
            for part in found["parts"]:
                part["payload"].pop("opaque", None)
        return found
