"""Tool state machines that are wrong."""

from __future__ import annotations

from typing import Any, ClassVar

from tests.mutants.json_text import Refused
from tests.mutants.mutant import fails
from tests.mutants.states import NEXT, Json, States


@fails("TST-03")
class CompletedRunsAgain(States):
    """A call that is over is run again."""

    allowed: ClassVar[Json] = {**NEXT, "completed": ["running"]}


@fails("TST-03")
class ErrorsComeRight(States):
    """A call that failed is completed by a late result."""

    allowed: ClassVar[Json] = {**NEXT, "error": ["completed"]}


@fails("TST-03")
class CompletedFails(States):
    """A call that has its result is cancelled afterwards."""

    allowed: ClassVar[Json] = {**NEXT, "completed": ["error"]}


@fails("TST-03")
class RunningWaitsAgain(States):
    """A call that runs goes back to waiting."""

    allowed: ClassVar[Json] = {**NEXT, "running": ["completed", "error", "pending"]}


@fails("TST-06")
class PendingCompletes(States):
    """A call is completed that never ran."""

    allowed: ClassVar[Json] = {**NEXT, "pending": ["running", "completed"]}


@fails("TST-06")
class PendingFails(States):
    """A call fails that never ran, without having run."""

    allowed: ClassVar[Json] = {**NEXT, "pending": ["running", "error"]}


@fails("EVO-01")
class AnyStatusWillDo(States):
    """A status that nobody knows is reached."""

    def move(self, state: Json, to: str, fields: Json) -> Json:
        return super().move(state, to, fields) if to in NEXT else {**state, "status": to}


@fails("TST-03")
class TheLastResultStands(States):
    """A second result takes the place of the first."""

    def changed(self, before: Json, after: Json) -> set[str]:
        found = super().changed(before, after)
        return found - {"output", "error", "time", "attachments"}


@fails("TST-03")
class TheSameAgainIsRefused(States):
    """A result that is delivered twice is an error the second time."""

    def again(self, state: Json, fields: Json) -> Json:
        if state["status"] in ("completed", "error"):
            raise self.refused("session/invalid-transition", "/status", *[state["status"]] * 2)
        return super().again(state, fields)


@fails("TST-03")
class TheEndIsWrittenAnew(States):
    """The same result delivered again moves the end."""

    def times(self, state: Json, fields: Json) -> Json:
        found = super().times(state, fields)
        return {**found, **state.get("time", {})} if "end" in state.get("time", {}) else found


@fails("EVO-09")
class TrueIsOne(States):
    """Values are compared as the language has it, and true is 1."""

    def changed(self, before: Json, after: Json) -> set[str]:
        return {n for n in before.keys() | after.keys() if before.get(n) != after.get(n)}


@fails("ORD-13")
class StatesChangeInPlace(States):
    """Whoever holds the old state sees the new one."""

    def move(self, state: Json, to: str, fields: Json) -> Json:
        after = super().move(state, to, fields)
        state.update(after)
        return after


@fails("TST-01")
class TheTimeoutIsOneLater(States):
    """A call that is as old as the timeout runs on."""

    def is_due(self, start: int, now: int, timeout_ms: int) -> bool:
        return super().is_due(start, now - 1, timeout_ms)


@fails("TST-01")
class ZeroIsNoTimeout(States):
    """What a crash left running stays running."""

    def is_due(self, start: int, now: int, timeout_ms: int) -> bool:
        return timeout_ms > 0 and super().is_due(start, now, timeout_ms)


@fails("TST-01")
class AClockThatWentBackHoldsCalls(States):
    """What a crash left running stays so while the clock says an earlier time."""

    def is_due(self, start: int, now: int, timeout_ms: int) -> bool:
        return now - start >= timeout_ms


@fails("TST-01")
class TheEndIsBeforeTheStart(States):
    """A clock that went back ends a call before it began."""

    def expire(self, state: Json, now: int, timeout_ms: int, error: str | None = None) -> Json:
        after = super().expire(state, now, timeout_ms, error)
        if after is not state:
            after["time"]["end"] = now
        return after


@fails("TST-02")
class WhatWaitsExpires(States):
    """A call that waits for approval is ended by a restart."""

    def expire(self, state: Json, now: int, timeout_ms: int, error: str | None = None) -> Json:
        if state["status"] == "pending":
            return self.fail_pending(state, error or "Interrupted", now)
        return super().expire(state, now, timeout_ms, error)


@fails("TST-02")
class ADenialEndsWhatRuns(States):
    """A call that runs already is denied."""

    def fail_pending(self, state: Json, error: str, now: int) -> Json:
        if state["status"] == "running":
            return self.move(state, "error", {"error": error, "end": now})
        return super().fail_pending(state, error, now)


@fails("TST-02")
class ADenialTwiceIsRefused(States):
    """The same denial, delivered twice, is an error."""

    def fail_pending(self, state: Json, error: str, now: int) -> Json:
        if state["status"] != "pending":
            raise self.refused("session/invalid-transition", "/status", state["status"], "running")
        return super().fail_pending(state, error, now)


@fails("TST-05")
class EmptyOutputPasses(States):
    """A tool that says nothing has an empty result."""

    def check(self, state: Json) -> None:
        super().check({**state, "output": state["output"] or " "} if "output" in state else state)


@fails("TST-05")
class EmptyOutputIsAlwaysFilled(States):
    """An empty result is filled in without being asked."""

    def output(self, fields: Json) -> str:
        return super().output({**fields, "empty_output": "placeholder"})


@fails("TST-05")
class BlankOutputIsEmpty(States):
    """A result of white space is taken for none."""

    def output(self, fields: Json) -> str:
        return super().output({**fields, "output": fields["output"].strip()})


@fails("HIS-22")
class AFailureIsAResult(States):
    """A tool that failed is stored as one that succeeded."""

    def entered(self, state: Json, to: str, fields: Json) -> Json:
        if to == "error":
            given = {**fields, "output": fields["error"] or "-", "title": "Error"}
            return super().entered(state, "completed", given)
        return super().entered(state, to, fields)


@fails("ARG-22")
class TheResultForgetsItsInput(States):
    """The stored result says that its call had no arguments."""

    def entered(self, state: Json, to: str, fields: Json) -> Json:
        after = super().entered(state, to, fields)
        return {**after, "input": {}} if to in ("completed", "error") else after


@fails("HIS-19")
class MetadataIsReplaced(States):
    """What one writer put into metadata is lost when another writes."""

    def metadata(self, state: Json, to: str, fields: Json) -> Json:
        return super().metadata({} if "metadata" in fields else state, to, fields)


@fails("HIS-19")
class MetadataStaysBehind(States):
    """What a running call said of itself is not passed on to its end."""

    def metadata(self, state: Json, to: str, fields: Json) -> Json:
        return super().metadata({} if to in ("completed", "error") else state, to, fields)


@fails("TST-05")
class AnEmptyTitleIsATitle(States):
    """A completed call may have an empty title."""

    def title(self, state: Json, fields: Json) -> str:
        return "" if fields.get("title") == "" else super().title(state, fields)


@fails("TST-05")
class NoTitleIsEmpty(States):
    """A call that nobody gave a title gets an empty one."""

    def title(self, state: Json, fields: Json) -> str:
        try:
            return super().title(state, fields)
        except Refused:
            return ""


@fails("TST-01")
class ABrokenStateMovesOn(States):
    """What is moved is not looked at before."""

    def check(self, state: Json) -> None:
        if state["status"] != "running":
            super().check({**state, **self._forgiven(state)})

    def _forgiven(self, state: Json) -> Any:
        start = state.get("time", {}).get("start")
        return {"time": {**state["time"], "start": max(start, 0)}} if start is not None else {}


# --- approvals ------------------------------------------------------------------------------------


@fails("TST-06")
class WaitingCallsComplete(States):
    """A call is completed that waits for approval."""

    allowed: ClassVar[Json] = {**NEXT, "awaiting_approval": ["running", "denied", "completed"]}


@fails("TST-03")
class DeniedCallsRun(States):
    """A call that was denied is run all the same."""

    allowed: ClassVar[Json] = {**NEXT, "denied": ["running"]}


@fails("TST-06")
class PendingCallsAreDenied(States):
    """A call is denied that nobody was asked about."""

    allowed: ClassVar[Json] = {**NEXT, "pending": ["running", "awaiting_approval", "denied"]}


@fails("TST-06")
class AnyDecisionIsAYes(States):
    """A call runs on any answer, and on none."""

    def is_yes(self, approval: Json) -> bool:
        return True


@fails("TST-06")
class NobodyIsANo(States):
    """A word that is not known, or none, lets a call run."""

    def is_yes(self, approval: Json) -> bool:
        return approval.get("decision") != "denied"


@fails("TCI-18")
class AnyAnswerIsToAnyQuestion(States):
    """A yes to one question lets another call run."""

    def is_answered_for_another(self, before: Json, after: Json) -> bool:
        return False


@fails("TST-04")
class ApprovalsVanish(States):
    """Who approved a call is forgotten once it runs."""

    def approval(self, state: Json, fields: Json) -> Json:
        return {"approval": fields["approval"]} if "approval" in fields else {}


@fails("TST-04")
class AnswersReplaceTheirQuestion(States):
    """The answer is kept, and what was asked is not."""

    def approval(self, state: Json, fields: Json) -> Json:
        return super().approval({} if "approval" in fields else state, fields)


@fails("TST-04")
class TimesOfAnswersReplaceTheirQuestion(States):
    """When it was decided is kept, and when it was asked is not."""

    def approval(self, state: Json, fields: Json) -> Json:
        made = super().approval(state, fields)
        given = fields.get("approval")
        if isinstance(given, dict) and isinstance(given.get("time"), dict):
            made["approval"]["time"] = given["time"]
        return made


@fails("TST-03")
class WaitingCallsChangeTheirQuestion(States):
    """What is asked about a call changes while somebody thinks about it."""

    changeable: ClassVar[Json] = {
        **States.changeable,
        "awaiting_approval": {"metadata", "approval"},
    }
