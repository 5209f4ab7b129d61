"""Assemblers that are wrong about text, thinking and the order of parts."""

from __future__ import annotations

from typing import Any

from tests.mutants.assembler import Assembler, Json
from tests.mutants.mutant import fails

# --- text and order ---------------------------------------------------------------------------


class TextIsCut(Assembler):
    """What makes no part ends one nevertheless: text that comes next begins another."""

    ended: Json | None = None

    def cut(self) -> None:
        self.ended = self.slots[-1] if self.slots else None

    def place_of_text(self, kind: str, text: str, opaque: Json | None) -> Json | None:
        found = super().place_of_text(kind, text, opaque)
        return None if text and found is not None and found is self.ended else found


@fails("ORD-10")
class TextStandsFirst(Assembler):
    """Text and calls have a buffer each, and all text is before all calls."""

    def snapshot(self) -> Json:
        found = super().snapshot()
        return {**found, "parts": sorted(found["parts"], key=lambda p: p["kind"] == "tool_call")}


@fails("BLK-03")
class ThinkingStandsFirst(Assembler):
    """Thinking between calls moves to the front."""

    def snapshot(self) -> Json:
        found = super().snapshot()
        return {**found, "parts": sorted(found["parts"], key=lambda p: p["kind"] != "thinking")}


@fails("ORD-10")
class CallsStandWhereTheyEnd(Assembler):
    """A call changes its place with what came while it was open."""

    def close_call(self, call: Json) -> None:
        super().close_call(call)
        self.slots.sort(key=lambda slot: slot is call)


@fails("BLK-20")
class OnePartForEachKind(Assembler):
    """Text behind a call joins the text before it."""

    def place_of_text(self, kind: str, text: str, opaque: Json | None) -> Json | None:
        return next((slot for slot in self.slots if slot["kind"] == kind), None)


@fails("ORD-10")
class UsageCutsText(TextIsCut):
    """Text behind usage is another part."""

    def on_usage(self, delta: Json, payload: Json) -> None:
        super().on_usage(delta, payload)
        self.cut()


@fails("ORD-10")
class ArgumentsCutText(TextIsCut):
    """Text behind arguments of a call that was open before it is another part."""

    def take_arguments(self, call: Json, text: str) -> None:
        super().take_arguments(call, text)
        self.cut()


@fails("ORD-10")
class EndsOfCallsCutText(TextIsCut):
    """Text behind the end of a call that was open before it is another part."""

    def close_call(self, call: Json) -> None:
        super().close_call(call)
        self.cut()


@fails("BLK-19")
class EmptyTextCutsTheOtherKind(TextIsCut):
    """An empty piece of thinking ends the text before it, and the other way round."""

    def take_text(self, kind: str, text: str, opaque: Json | None) -> None:
        super().take_text(kind, text, opaque)
        if not text and self.slots and self.slots[-1]["kind"] != kind:
            self.cut()


@fails("EVO-01")
class UnknownKindsCutText(TextIsCut):
    """Text behind a delta of an unknown kind is another part."""

    def on_unknown(self, delta: Json) -> None:
        super().on_unknown(delta)
        self.cut()


@fails("BLK-03")
class UsageOpensAPartAgain(Assembler):
    """Once usage has come, text joins a part that opaque data has ended."""

    def place_of_text(self, kind: str, text: str, opaque: Json | None) -> Json | None:
        last = self.slots[-1] if self.slots else {"kind": ""}
        joins = self.usage and last["kind"] == kind and text
        return last if joins else super().place_of_text(kind, text, opaque)


@fails("BLK-02")
class ACallDropsTheTextBeforeIt(Assembler):
    """Text is lost when a call begins before the text was ended."""

    def on_tool_call_start(self, delta: Json, payload: Json) -> None:
        before = self.slots[-1] if self.slots else {"kind": "tool_call"}
        super().on_tool_call_start(delta, payload)
        if before["kind"] != "tool_call":
            self.slots.remove(before)


@fails("BLK-18")
class ThinkingIsText(Assembler):
    """Thinking is written into the answer."""

    def take_text(self, kind: str, text: str, opaque: Json | None) -> None:
        super().take_text("text", text, opaque)


@fails("BLK-17")
class TagsAreThinking(Assembler):
    """Text that begins with a tag is taken for thinking."""

    def take_text(self, kind: str, text: str, opaque: Json | None) -> None:
        super().take_text("thinking" if "<think>" in text else kind, text, opaque)


@fails("BLK-19")
class EmptyTextBeginsAPart(Assembler):
    """An empty first piece makes its own part."""

    def take_text(self, kind: str, text: str, opaque: Json | None) -> None:
        if not text and opaque is None and self.place_of_text(kind, text, opaque) is None:
            self.slots.append({"kind": kind, "text": ""})
        super().take_text(kind, text, opaque)


@fails("BLK-19")
class TextBehindAnEmptyPieceIsLost(Assembler):
    """The first piece of text is empty, and the part never begins."""

    deaf = False

    def take_text(self, kind: str, text: str, opaque: Json | None) -> None:
        self.deaf = self.deaf or (not text and opaque is None and not self.slots)
        super().take_text(kind, "" if self.deaf else text, opaque)


@fails("BLK-15")
class AnEmptyAnswerIsFilled(Assembler):
    """An answer without parts gets an empty text."""

    def message(self) -> Json:
        found = super().message()
        filler = [{"kind": "text", "payload": {"text": ""}}]
        return {**found, "parts": found["parts"] or filler}


@fails("BLK-16")
class WhiteSpaceIsNoText(Assembler):
    """A text of white space alone is thrown away."""

    def snapshot(self) -> Json:
        found = super().snapshot()
        kept = [
            p
            for p in found["parts"]
            if p["payload"].get("text", "x").strip() or "opaque" in p["payload"]
        ]
        return {**found, "parts": kept}


@fails("BLK-16")
class TextIsTrimmed(Assembler):
    """White space at the ends of a text is cut off."""

    def part(self, slot: Json) -> Json:
        found = super().part(slot)
        if "text" in found["payload"]:
            found["payload"]["text"] = found["payload"]["text"].strip()
        return found


@fails("HIS-14")
class NulIsDropped(Assembler):
    """The store takes no U+0000, so the assembler takes it out."""

    def take_text(self, kind: str, text: str, opaque: Json | None) -> None:
        super().take_text(kind, text.replace("\0", ""), opaque)


@fails("ORD-18")
class TheLastPieceReplacesAll(Assembler):
    """A piece takes the place of the text before it."""

    def take_text(self, kind: str, text: str, opaque: Json | None) -> None:
        slot = self.place_of_text(kind, text, opaque)
        if slot is not None and text:
            slot["text"] = ""
        super().take_text(kind, text, opaque)


@fails("ORD-13")
class SnapshotsAreAlive(Assembler):
    """A snapshot changes after it was taken."""

    def snapshot(self) -> Json:
        self.alive: Json = getattr(self, "alive", {})
        self.alive.update(super().snapshot())
        return self.alive

    def message(self) -> Json:
        return dict(super().message())


@fails("ARG-12")
class OpenCallsInSnapshots(Assembler):
    """A snapshot shows open calls as if they were whole."""

    def snapshot(self) -> Json:
        seen = [{**slot, **self.closed(slot)} if slot.get("open") else slot for slot in self.slots]
        kept, self.slots = self.slots, seen
        try:
            return super().snapshot()
        finally:
            self.slots = kept

    def closed(self, slot: Json) -> Json:
        return {"open": False, "arguments": self.preview(slot["raw"]), "keep": False, "error": None}


@fails("SEC-05")
class RawEventsAreKept(Assembler):
    """The provider's raw event, headers and all, is stored with the message."""

    raw: Any = None

    def consume(self, delta: Json) -> None:
        super().consume(delta)
        self.raw = delta.get("providerRaw", self.raw)

    def message(self) -> Json:
        found = super().message()
        found["meta"] |= {} if self.raw is None else {"providerRaw": self.raw}
        return found
