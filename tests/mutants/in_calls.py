"""Assemblers that are wrong about which call a piece belongs to, and where it ends."""

from __future__ import annotations

import json

from tests.mutants.assembler import Assembler, Json
from tests.mutants.mutant import fails
from tests.mutants.states import same

Parsed = tuple[Json, bool, str | None]

# --- which call -------------------------------------------------------------------------------


@fails("TCI-16")
class PiecesGoToTheLastCall(Assembler):
    """Pieces of two calls come by turns, and go to the call that was begun last."""

    def open_call(self, call_id: str) -> Json:
        call = super().open_call(call_id)
        waiting = [each for each in self.calls.values() if each["open"]]
        return waiting[-1] if waiting else call


@fails("TCI-10")
class AllPiecesGoToOneCall(Assembler):
    """All parallel calls say index 0, and become one call with two argument texts."""

    def take_arguments(self, call: Json, text: str) -> None:
        next(iter(self.calls.values()))["raw"] += text


@fails("TCI-06")
class AUsedIdGoesOn(Assembler):
    """A second call of the same id is taken for more of the first one."""

    def on_tool_call_start(self, delta: Json, payload: Json) -> None:
        if payload["toolCallId"] not in self.calls:
            super().on_tool_call_start(delta, payload)


@fails("TCI-12")
class AnIdIsFreeAfterItsEnd(Assembler):
    """An id may be used again once its call has ended."""

    def on_tool_call_start(self, delta: Json, payload: Json) -> None:
        if not self.calls.get(payload["toolCallId"], {"open": True})["open"]:
            del self.calls[payload["toolCallId"]]
        super().on_tool_call_start(delta, payload)


@fails("TCI-18")
class TheLaterCallReplaces(Assembler):
    """Of two calls that share an id, the second takes the place of the first."""

    def on_tool_call_start(self, delta: Json, payload: Json) -> None:
        before = self.calls.pop(payload["toolCallId"], None)
        self.slots = [slot for slot in self.slots if slot is not before]
        super().on_tool_call_start(delta, payload)


@fails("TCI-15")
class ArgumentsBeginACall(Assembler):
    """Arguments that come before the name begin a call without one."""

    def open_call(self, call_id: str) -> Json:
        if call_id not in self.calls:
            slot = {"kind": "tool_call", "id": call_id, "name": "", "raw": "", "open": True}
            self.calls[call_id] = slot
            self.slots.append(slot)
        return super().open_call(call_id)


@fails("ORD-19")
class PiecesOfUnknownCallsAreDropped(Assembler):
    """A piece for something that never began is dropped in silence."""

    def on_tool_call_args(self, delta: Json, payload: Json) -> None:
        if payload["toolCallId"] in self.calls:
            super().on_tool_call_args(delta, payload)


@fails("BLK-27")
class EndsOfUnknownCallsArePassedOver(Assembler):
    """The end of something that never began says nothing."""

    def on_tool_call_end(self, delta: Json, payload: Json) -> None:
        if payload["toolCallId"] in self.calls:
            super().on_tool_call_end(delta, payload)


@fails("BLK-28")
class PiecesAfterTheEndAreDropped(Assembler):
    """A call is said to be over, and what still comes is thrown away."""

    def on_tool_call_args(self, delta: Json, payload: Json) -> None:
        if self.calls.get(payload["toolCallId"], {"open": True})["open"]:
            super().on_tool_call_args(delta, payload)


@fails("FIN-16")
class ACallMayEndTwice(Assembler):
    """The second end of a call is not an error."""

    def on_tool_call_end(self, delta: Json, payload: Json) -> None:
        if self.calls.get(payload["toolCallId"], {"open": True})["open"]:
            super().on_tool_call_end(delta, payload)


@fails("ARG-10")
class DoneClosesWhatIsOpen(Assembler):
    """The token limit cuts the arguments, and the end makes whole calls of what is there."""

    def on_done(self, delta: Json, payload: Json) -> None:
        for call in self.calls.values():
            if call["open"]:
                self.close_call(call)
        super().on_done(delta, payload)


@fails("ARG-25")
class BrokenCallsVanish(Assembler):
    """A call whose arguments are not JSON is left out, and the answer looks finished."""

    def snapshot(self) -> Json:
        kept, self.slots = self.slots, [s for s in self.slots if not s.get("error")]
        try:
            return super().snapshot()
        finally:
            self.slots = kept


@fails("ARG-20")
class EqualCallsAreOne(Assembler):
    """Two calls with the same arguments are taken for one that was sent twice."""

    def snapshot(self) -> Json:
        found = super().snapshot()
        kept: list[Json] = []
        for part in found["parts"]:
            said = {n: m for n, m in part["payload"].items() if n in ("toolName", "arguments")}
            if not (said and any(same(said, {n: k["payload"].get(n) for n in said}) for k in kept)):
                kept.append(part)
        return {**found, "parts": kept}


# --- where the text of arguments ends ---------------------------------------------------------


@fails("ARG-04")
class GrowingPiecesReplace(Assembler):
    """A piece that begins with all arguments so far is taken for all of them."""

    def take_arguments(self, call: Json, text: str) -> None:
        if call["raw"] and text.startswith(call["raw"]):
            call["raw"] = ""
        super().take_arguments(call, text)


@fails("ARG-06")
class APieceThatIsJsonIsTheWhole(Assembler):
    """A piece that is JSON by itself is taken for the whole, and what came before is lost."""

    def take_arguments(self, call: Json, text: str) -> None:
        if self.parse(text)[2] is None and text.strip():
            call["raw"] = ""
        super().take_arguments(call, text)


@fails("ARG-12")
class ValidIsComplete(Assembler):
    """A call takes no more once its text happens to be valid JSON."""

    def take_arguments(self, call: Json, text: str) -> None:
        if not call["raw"] or self.parse(call["raw"])[2] is not None:
            super().take_arguments(call, text)


@fails("ARG-29")
class AClosingBraceEndsTheCall(Assembler):
    """The first closing brace ends the arguments, inside a string too."""

    def parse(self, text: str) -> Parsed:
        return super().parse(text[: text.find("}") + 1] if "}" in text else text)


@fails("ARG-28")
class WhatFollowsIsPassedOver(Assembler):
    """Control tokens behind the arguments are cut off."""

    def parse(self, text: str) -> Parsed:
        try:
            value, _ = json.JSONDecoder().raw_decode(text.strip())
        except ValueError:
            return super().parse(text)
        return super().parse(json.dumps(value))
