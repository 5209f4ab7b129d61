"""Assemblers that name the wrong one of two rules."""

from __future__ import annotations

from tests.mutants.assembler import Assembler, Json
from tests.mutants.json_text import Refused
from tests.mutants.mutant import fails
from tests.mutants.sizes import nesting


@fails("ORD-07")
class IdsComeBeforeTheEnd(Assembler):
    """Behind the end, a delta of another run is named as that."""

    def check_place(self, delta: Json) -> None:
        if self.end:
            self.check_ids(delta)
        super().check_place(delta)


@fails("ORD-20")
class TheSeqComesBeforeTheEnd(Assembler):
    """Behind the end, a seq that falls is named as that."""

    def check_place(self, delta: Json) -> None:
        if self.end:
            self.check_seq(delta)
        super().check_place(delta)


@fails("ORD-07")
class TheRunComesBeforeTheStart(Assembler):
    """What comes before the start is held against the given run."""

    def check_place(self, delta: Json) -> None:
        if not self.start and self.run_id is not None:
            self.check_run(delta)
        super().check_place(delta)

    def check_run(self, delta: Json) -> None:
        if delta["runId"] != self.run_id:
            raise Refused(("stream/run-id-mismatch", ""))


@fails("ORD-07")
class TheSeqComesLast(Assembler):
    """The content of a delta is looked at before its seq."""

    def consume(self, delta: Json) -> None:
        last = self.last_seq
        self.last_seq = -1
        try:
            self.check_place(delta)
            if delta["kind"] == "tool_call_end":
                self.open_call(delta["payload"]["toolCallId"])
        finally:
            self.last_seq = last
        super().consume(delta)


@fails("BLK-09")
class OpaqueComesBeforeTheCall(Assembler):
    """Opaque data is held against its limits before anybody knows whose it is."""

    def open_call(self, call_id: str) -> Json:
        if self.given is not None:
            self.check_opaque(self.given, None)
        return super().open_call(call_id)

    given: Json | None = None

    def on_tool_call_end(self, delta: Json, payload: Json) -> None:
        self.given = payload.get("opaque")
        super().on_tool_call_end(delta, payload)


@fails("ORD-12")
class TheTimeComesBeforeTheCalls(Assembler):
    """The time of done is looked at before the calls that are open."""

    def on_done(self, delta: Json, payload: Json) -> None:
        self.check_time(delta)
        super().on_done(delta, payload)


@fails("BLK-11")
class DepthComesBeforeBytes(Assembler):
    """Opaque data is looked at to its ground before anything is counted."""

    def check_opaque(self, opaque: Json | None, call: Json | None) -> None:
        if opaque is not None:
            self.check_limit("opaque_depth", nesting(opaque["data"]))
        super().check_opaque(opaque, call)


@fails("BLK-11")
class BytesComeBeforeDepth(Assembler):
    """All of opaque data is counted before anybody looks how deep it is."""

    def check_opaque(self, opaque: Json | None, call: Json | None) -> None:
        depth = self.limits["opaque_depth"]
        self.limits["opaque_depth"] = 500
        try:
            super().check_opaque(opaque, call)
        finally:
            self.limits["opaque_depth"] = depth
        super().check_opaque(opaque, call)


@fails("BLK-11")
class OpaqueDataIsItsDataAlone(Assembler):
    """The name of the provider is not counted."""

    def weight(self, opaque: Json) -> int:
        return super().weight({**opaque, "provider": ""}) - 8


@fails("EVO-09")
class NamesOfToolsAreIds(Assembler):
    """The name of a tool is held against the limit of ids."""

    def on_tool_call_start(self, delta: Json, payload: Json) -> None:
        self.check_limit("id_chars", self.id_length(payload["toolName"]))
        super().on_tool_call_start(delta, payload)
