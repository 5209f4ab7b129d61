"""Assemblers that are wrong about order, ends and ids."""

from __future__ import annotations

from tests.mutants.assembler import Assembler, Json
from tests.mutants.in_parts import TextIsCut
from tests.mutants.json_text import Refused
from tests.mutants.mutant import fails
from tests.mutants.sizes import refuse

# --- the end ----------------------------------------------------------------------------------


@fails("SSE-01")
class CutIsDone(Assembler):
    """A stream that just stops is taken for a finished answer."""

    def result(self) -> Json:
        if self.start and not self.end:
            stop = {"kind": "done", "payload": {"finishReason": "stop"}}
            self.end = {**self.start, **stop}
        return super().result()


@fails("SSE-01")
class CutAtTheFirstLineIsEmpty(Assembler):
    """A stream of which nothing came at all is not an error."""

    def result(self) -> Json:
        return super().result() if self.start else {"message": {}}


@fails("HIS-06")
class NothingIsKeptOfAFailure(Assembler):
    """What arrived before an error is thrown away."""

    def result(self) -> Json:
        found = super().result()
        if "partial" in found:
            found["partial"] |= {"parts": []}
        return found


@fails("ORD-01")
class DoneAfterError(Assembler):
    """A stream that failed may still end well."""

    def check_place(self, delta: Json) -> None:
        if self.end.get("kind") != "error" or delta["kind"] != "done":
            super().check_place(delta)


@fails("ORD-01")
class ErrorAfterDone(Assembler):
    """An error behind the end takes the message away again."""

    def check_place(self, delta: Json) -> None:
        if self.end.get("kind") != "done" or delta["kind"] != "error":
            super().check_place(delta)


@fails("FIN-16")
class DoneTwice(Assembler):
    """A second end is passed over, and nobody learns of it."""

    def check_place(self, delta: Json) -> None:
        if delta["kind"] != self.end.get("kind"):
            super().check_place(delta)


@fails("FIN-08")
class UsageAfterDone(Assembler):
    """Usage behind the end still counts."""

    def check_place(self, delta: Json) -> None:
        if not self.end or delta["kind"] != "usage":
            super().check_place(delta)


@fails("ORD-16")
class OpenCallsStayAtAnError(Assembler):
    """A call that was open at the error is in what arrived, as if it could be run."""

    def message(self) -> Json:
        if self.end.get("kind") != "done":
            for call in self.calls.values():
                if call["open"]:
                    self.close_call(call)
        return super().message()


@fails("ORD-02")
class FailureWithoutACode(Assembler):
    """A failure does not say what happened."""

    def result(self) -> Json:
        found = super().result()
        return {**found, "failure": {"errorCode": "unknown"}} if "failure" in found else found


# --- the start --------------------------------------------------------------------------------


@fails("ORD-08")
class SecondAttemptIsAppended(Assembler):
    """A second start goes on with the message of the first one."""

    def check_place(self, delta: Json) -> None:
        if not self.start or self.end or delta["kind"] != "start":
            super().check_place(delta)


@fails("ORD-08")
class StartAfterTheEnd(Assembler):
    """After the end, a new start begins a new message in the same assembler."""

    def check_place(self, delta: Json) -> None:
        if self.end and delta["kind"] == "start":
            self.__init__(self.run_id, self.limits)  # type: ignore[misc]
        super().check_place(delta)


@fails("ORD-05")
class StartIsNotNeeded(Assembler):
    """A reader that comes in the middle takes what it gets for a beginning."""

    def check_place(self, delta: Json) -> None:
        if not self.start and delta["kind"] != "start":
            payload = {"modelId": "", "requestId": ""}
            self.start = {**delta, "kind": "start", "payload": payload}
        super().check_place(delta)


# --- ids --------------------------------------------------------------------------------------


@fails("HIS-19")
class AnyRunWillDo(Assembler):
    """Deltas of another run are taken for one's own."""

    def check_ids(self, delta: Json) -> None:
        super().check_ids({**delta, "runId": self.start["runId"]})


@fails("HIS-19")
class TheGivenRunIsForgotten(Assembler):
    """The run that was asked for is not compared with the one that came."""

    def __init__(self, run_id: str | None, limits: dict[str, int]) -> None:
        super().__init__(None, limits)


@fails("ORD-12")
class AnyMessageIdWillDo(Assembler):
    """A delta of another message is taken."""

    def check_ids(self, delta: Json) -> None:
        super().check_ids(
            type(delta)((name, member) for name, member in delta.items() if name != "messageId")
        )


@fails("ORD-12")
class AnyTurnIdWillDo(Assembler):
    """A delta of another turn is taken."""

    def check_ids(self, delta: Json) -> None:
        super().check_ids(
            type(delta)((name, member) for name, member in delta.items() if name != "turnId")
        )


@fails("ORD-12")
class TheLastMessageIdStands(Assembler):
    """A start without an id gets that of a later delta."""

    def check_ids(self, delta: Json) -> None:
        self.start = {**{n: delta[n] for n in ("messageId",) if n in delta}, **self.start}
        super().check_ids(delta)


@fails("ORD-12")
class IdsAreAskedOfEveryDelta(Assembler):
    """A delta that does not repeat the message's id is refused."""

    def check_ids(self, delta: Json) -> None:
        super().check_ids({"messageId": None, **delta} if "messageId" in self.start else delta)


@fails("ORD-12")
class IdsFoldCase(Assembler):
    """Ids are compared without regard to case."""

    def check_ids(self, delta: Json) -> None:
        names = [name for name in ("runId", "messageId", "turnId") if name in delta]
        if any(delta[n].lower() != str(self.start.get(n)).lower() for n in names):
            super().check_ids(delta)


@fails("ORD-12")
class SeqIsLookedAtFirst(Assembler):
    """Of several rules that a delta breaks, another one is named in each language."""

    def check_ids(self, delta: Json) -> None:
        self.check_seq(delta)
        super().check_ids(delta)


@fails("ORD-12")
class TheTimeIsThatOfTheEnd(Assembler):
    """The message gets the time of its last delta."""

    def message(self) -> Json:
        found = super().message()
        return {**found, "timestamp": (self.end or self.start)["timestamp"]}


# --- seq --------------------------------------------------------------------------------------


@fails("ORD-04")
class TheSameAgainIsAppended(Assembler):
    """A delta that comes again is taken again."""

    def check_seq(self, delta: Json) -> None:
        if delta["seq"] != self.last_seq:
            super().check_seq(delta)


@fails("ORD-05")
class ReplayIsTakenForNew(Assembler):
    """A replay from the beginning is appended to what is there."""

    def check_seq(self, delta: Json) -> None:
        pass


@fails("ORD-04")
class TheSameAgainIsPassedOver(Assembler):
    """A delta whose seq has been is dropped in silence, whatever it says."""

    def consume(self, delta: Json) -> None:
        if not self.start or delta["seq"] > self.last_seq:
            super().consume(delta)


@fails("ORD-11")
class GapsAreRefused(Assembler):
    """A gap stops the stream, though the reader was never promised every kind."""

    def check_seq(self, delta: Json) -> None:
        super().check_seq(delta)
        if self.start and delta["seq"] != self.last_seq + 1:
            refuse("stream/seq-not-increasing")


@fails("ORD-07")
class OneRefusalHidesTheRest(Assembler):
    """After one delta that is refused, every other one is refused too."""

    wrong: Refused | None = None

    def consume(self, delta: Json) -> None:
        if self.wrong is not None:
            raise self.wrong
        try:
            super().consume(delta)
        except Refused as refused:
            self.wrong = refused
            raise


@fails("ORD-20")
class ARefusalTakesItsSeq(Assembler):
    """A delta that was refused counts, and those up to its seq are refused."""

    def check_seq(self, delta: Json) -> None:
        super().check_seq(delta)
        self.last_seq = delta["seq"]


@fails("ORD-21")
class ARefusalLeavesTraces(TextIsCut):
    """A delta that is refused has ended the text before it."""

    def consume(self, delta: Json) -> None:
        try:
            super().consume(delta)
        except Refused:
            self.cut()
            raise


# --- unknown kinds ----------------------------------------------------------------------------


@fails("EVO-01")
class UnknownKindsStopTheStream(Assembler):
    """A kind that is new ends the reading of the stream."""

    def on_unknown(self, delta: Json) -> None:
        refuse("stream/invalid-delta")


@fails("EVO-01")
class UnknownKindsCountForNothing(Assembler):
    """Rules do not hold for deltas of an unknown kind."""

    def consume(self, delta: Json) -> None:
        known = hasattr(self, f"on_{delta['kind']}")
        return super().consume(delta) if known else self.on_unknown(delta)


@fails("EVO-01")
class UnknownKindsAreNotReported(Assembler):
    """A kind that is new is passed over without a word."""

    def on_unknown(self, delta: Json) -> None:
        pass
