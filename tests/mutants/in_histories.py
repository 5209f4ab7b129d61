"""Checks of histories that are wrong."""

from __future__ import annotations

import itertools
from typing import Any

from tests.mutants.history import Event, History, Json
from tests.mutants.json_text import Place
from tests.mutants.mutant import fails


class Silent(History):
    """Checks that pass over some rules."""

    passed_over: tuple[str, ...] = ()

    def report(
        self, rule: str, place: tuple[int, int], member: str = "/payload/toolCallId"
    ) -> None:
        if rule not in self.passed_over:
            super().report(rule, place, member)


@fails("HIS-01")
class UnansweredCallsPass(Silent):
    """A call without a result stays in the history, and every later request is refused."""

    passed_over = ("unanswered-tool-call",)


@fails("HIS-02")
class OrphansPass(Silent):
    """A result whose call was trimmed away stays."""

    passed_over = ("orphan-tool-result",)


@fails("HIS-03")
class MixedMessagesPass(Silent):
    """Results inside messages of other roles are not seen."""

    passed_over = ("role-part-kind",)


@fails("HIS-03")
class ResultsBeforeCallsPass(Silent):
    """A result may be before its call."""

    passed_over = ("result-before-call",)


@fails("HIS-04")
class SecondResultsPass(Silent):
    """A call may have two results."""

    passed_over = ("duplicate-tool-result",)


@fails("TCI-06")
class SecondCallsPass(Silent):
    """A call may use the id of an earlier one."""

    passed_over = ("duplicate-tool-call",)


@fails("TST-06")
class LateResultsPass(Silent):
    """The run goes on before a result is there, and nobody learns of it."""

    passed_over = ("late-tool-result",)


@fails("TCI-09")
class ResultsInAnotherOrderPass(Silent):
    """Results of parallel calls come in another order than the calls, and nobody learns of it."""

    passed_over = ("result-order",)


@fails("TCI-09")
class OnlyNeighboursAreCompared(History):
    """A result is held against the one before it alone."""

    def judge_order(self) -> None:
        answers = sorted(self.answers, key=lambda pair: pair[1].place)
        for before, (call, result) in itertools.pairwise(answers):
            if self.is_overtaken(call, result, *before):
                self.report("result-order", result.place)


@fails("TCI-09")
class TheOrderIsThatOfTheRun(History):
    """Results of another turn count as those of the same one."""

    def is_overtaken(self, call: Event, result: Event, other: Event, answer: Event) -> bool:
        turn = other._replace(run=call.run, turn=call.turn)
        return super().is_overtaken(call, result, turn, answer)


@fails("HIS-03")
class OnlyTheHeadIsLookedAt(History):
    """Orphans are looked for at the head of the history, and not in the middle."""

    def report(
        self, rule: str, place: tuple[int, int], member: str = "/payload/toolCallId"
    ) -> None:
        if rule != "orphan-tool-result" or place[0] == 0:
            super().report(rule, place, member)


@fails("HIS-03")
class OnlyTheFirstPartIsLookedAt(History):
    """Of a message only the first part is looked at."""

    def report(
        self, rule: str, place: tuple[int, int], member: str = "/payload/toolCallId"
    ) -> None:
        if place[1] == 0:
            super().report(rule, place, member)


@fails("HIS-19")
class RunsAreOne(History):
    """Ids of one run answer calls of another."""

    def key(self, event: Event) -> tuple[str, str, str]:
        return "", event.id, event.family


@fails("HIS-19")
class RunsShareTheirTurns(History):
    """Runs that interleave end each other's turns."""

    def events(self, messages: list[tuple[int, Json]]) -> tuple[list[Event], dict[str, int]]:
        one = [(at, {**message, "runId": ""}) for at, message in messages]
        events, last = super().events(one)
        runs = {at: message["runId"] for at, message in messages}
        told = [event._replace(run=runs[event.place[0]]) for event in events]
        return told, dict.fromkeys(runs.values(), last.get("", 0))


@fails("TCI-07")
class AnAnsweredIdIsAnsweredForEver(History):
    """An id that is used again counts as answered."""

    def walk(self, events: list[Event]) -> Event | None:
        waiting = super().walk(events)
        answered = any(event.kind == "tool_result" for event in events)
        return None if answered else waiting


@fails("TCI-18")
class OneResultAnswersAll(History):
    """The result of a call that was sent twice is given twice."""

    def walk(self, events: list[Event]) -> Event | None:
        calls = sum(event.kind == "tool_call" for event in events)
        results = 0
        kept = []
        for event in events:
            results += event.kind == "tool_result"
            if event.kind == "tool_call" or results <= 1 or results > calls:
                kept.append(event)
        return super().walk(kept)


@fails("HIS-10")
class UnreadableMessagesAreDropped(History):
    """A message that cannot be read is left out without a word."""

    def read(self, at: int, line: bytes) -> Json | None:
        before = len(self.found)
        message = super().read(at, line)
        if message is None:
            del self.found[before:]
        return message


@fails("HIS-18")
class ATornTailIsForgotten(History):
    """The last line, which a crash cut, is passed over."""

    def check(self, lines: list[bytes]) -> list[Place]:
        whole = lines[:-1] if lines and not lines[-1].rstrip().endswith(b"}") else lines
        return super().check(whole)


@fails("HIS-08")
class HistoriesAreReadStrictly(History):
    """What an older or a newer version wrote does not load."""

    def relaxed(self, value: Any, notes: list[Place]) -> Any:
        return value


@fails("HIS-13")
class EmptyMessagesAreRefused(History):
    """A message without parts does not load."""

    def read(self, at: int, line: bytes) -> Json | None:
        message = super().read(at, line)
        if message is None or message["parts"]:
            return message
        self.found.append(((at, -1), ("shape/min-items", f"/{at}/parts")))
        return None


@fails("HIS-07")
class InterruptedMessagesAreRefused(History):
    """A message that says it is not whole is a defect."""

    def read(self, at: int, line: bytes) -> Json | None:
        message = super().read(at, line)
        if message is not None and "incomplete" in message.get("meta", {}):
            self.found.append(((at, -1), ("history/unanswered-tool-call", f"/{at}")))
        return message


@fails("HIS-07")
class OpenCallsOfACutAreCalls(History):
    """Calls that a cut left out are waited for."""

    def read(self, at: int, line: bytes) -> Json | None:
        message = super().read(at, line)
        incomplete = (message or {}).get("meta", {}).get("incomplete", {})
        calls = [
            {"kind": "tool_call", "payload": {"toolCallId": each, "toolName": "", "arguments": {}}}
            for each in incomplete.get("openToolCallIds", ())
        ]
        return None if message is None else {**message, "parts": message["parts"] + calls}


@fails("TST-02")
class WaitingCallsAreDefects(History):
    """Calls of a run that goes on are reported while they wait."""

    def judge(self, events: list[Event], last_turn: int | None) -> None:
        super().judge(events, None)


@fails("TST-01")
class OngoingForgivesAll(History):
    """While a run goes on, no call of any turn has to have a result."""

    def judge(self, events: list[Event], last_turn: int | None) -> None:
        ongoing = {e.turn for e in events}.pop() if last_turn is not None and events else None
        super().judge(events, ongoing)


@fails("TST-06")
class EveryMessageIsATurn(History):
    """Results that do not follow their call at once are late."""

    def begins_turn(self, who: str | None, before: str | None) -> bool:
        return who in ("user", "assistant")


@fails("TST-06")
class SystemMessagesEndTurns(History):
    """A system message between a call and its result makes the result late."""

    def begins_turn(self, who: str | None, before: str | None) -> bool:
        return who == "system" or super().begins_turn(who, before)


@fails("TST-04")
class ResultsInWrongRolesDoNotCount(History):
    """A result that the user's message holds answers no call."""

    def events(self, messages: list[tuple[int, Json]]) -> tuple[list[Event], dict[str, int]]:
        own = [
            (at, message)
            if message["role"] == "tool"
            else (
                at,
                {**message, "parts": [p for p in message["parts"] if p["kind"] != "tool_result"]},
            )
            for at, message in messages
        ]
        return super().events(own)


# --- approvals, outcomes, calls of the provider ---------------------------------------------------


@fails("TCI-18")
class OrphanedApprovalsPass(Silent):
    """An answer without its question may let a call run."""

    passed_over = ("orphan-approval",)


@fails("TCI-18")
class SecondApprovalsPass(Silent):
    """A request may be answered by a no, and then by a yes."""

    passed_over = ("duplicate-approval",)


@fails("TST-06")
class UnapprovedResultsPass(Silent):
    """A tool ran that nobody had approved, and nobody learns of it."""

    passed_over = ("unapproved-result",)


@fails("TST-04")
class ContradictionsPass(Silent):
    """A result is a failure to some readers, and a success to others."""

    passed_over = ("outcome-contradicts",)


@fails("HIS-01")
class UnansweredServerCallsPass(Silent):
    """A call of the provider without result is left out of requests, and nobody learns of it."""

    passed_over = ("unanswered-server-call",)


@fails("HIS-01")
class ServerCallsWantTheirResult(History):
    """A call that the provider has not answered yet is a defect."""

    def unanswered(self, call: Event) -> str:
        return "unanswered-tool-call"


@fails("TST-06")
class ResultsOfTheProviderAreLate(History):
    """A result that comes after a pause of the provider counts as late."""

    def is_late(self, call: Event, result: Event) -> bool:
        return call.turn != result.turn


@fails("TCI-18")
class AnyResultAnswersAnyCall(History):
    """A result of the provider answers a call of the caller, which is never run."""

    def key(self, event: Event) -> tuple[str, str, str]:
        return event.run, event.id, ""


@fails("TCI-06")
class KindsHaveIdsOfTheirOwn(History):
    """A call of the provider may have the id of one of the caller."""

    def judge_ids(self, events: list[Event]) -> None:
        for family in ("client", "server"):
            super().judge_ids([event for event in events if event.family == family])


@fails("TST-06")
class ApprovalsEndTurns(History):
    """Each yes of a user makes the result late that it asks for."""

    def speaker(self, kind: str, role: str) -> str:
        return role if kind.startswith("approval") else super().speaker(kind, role)


@fails("TST-06")
class ResultsOfTheProviderSpeak(History):
    """A result of the provider begins a turn, as a word of the assistant does."""

    def speaker(self, kind: str, role: str) -> str:
        return role if kind == "server_tool_result" else super().speaker(kind, role)


@fails("TST-06")
class AnyAnswerIsAYes(History):
    """A call runs on any decision."""

    def is_approved(self, answer: Event | None, result: Event) -> bool:
        return answer is not None and answer.place < result.place


@fails("TST-06")
class ALateYesWillDo(History):
    """A call may run before the yes."""

    def is_approved(self, answer: Event | None, result: Event) -> bool:
        return answer is not None and answer.payload["decision"] == "approved"


@fails("TCI-18")
class RequestsMayComeBeforeTheirCall(History):
    """A question is asked about a call that has not been made."""

    def is_call_before(self, call: Event, event: Event) -> bool:
        later = event._replace(place=(event.place[0], event.place[1] + 9))
        return super().is_call_before(call, later)


@fails("TST-04")
class AnUnknownOutcomeIsAFailure(History):
    """A finer word of a newer peer for a success reads as a failure."""

    def contradicts(self, payload: Json) -> bool:
        outcome = payload.get("outcome", "success")
        return bool((outcome in ("success", "partial")) == payload["isError"])
