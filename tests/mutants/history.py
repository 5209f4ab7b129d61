"""The check of a history, with all of it in sight: id by id, run by run."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.mutants.json_text import Place, Refused
from tests.mutants.reader import Kept, Reader, definitions, severities

Json = dict[str, Any]

OWN_RULES = (
    "message/role-part-kind",
    "message/duplicate-approval",
    "message/duplicate-tool-call",
    "message/duplicate-tool-result",
)


CALLS = ("tool_call", "server_tool_call")
RESULTS = ("tool_result", "server_tool_result")
APPROVALS = ("approval_request", "approval_response")


class Event(NamedTuple):
    """A call, a result or an approval: where it is, whose it is, and the turn that it is in."""

    place: tuple[int, int]
    run: str
    kind: str
    id: str
    turn: int
    payload: Json

    @property
    def family(self) -> str:
        """Whether the provider runs the call."""
        return "server" if self.kind.startswith("server") else "client"


LAST = ("history/unapproved-result", "history/outcome-contradicts", "history/orphan-tool-result")
"""What is said last of several things that are said of one part."""


class History:
    """A history of JSON texts, one message each."""

    def __init__(self, version: str, *, ongoing: bool = False) -> None:
        self.reader = Reader("message.Message", version)
        self.ongoing = ongoing
        rules = definitions("message", version)["Message"]["x-rules"]
        self.roles: Json = next(rule["table"] for rule in rules if rule["op"] == "tag-table")
        self.found: list[tuple[tuple[int, int], Place]] = []
        self.answered: list[tuple[Event, Event]] = []
        self.left_open: set[tuple[int, int]] = set()

    def check(self, lines: list[bytes]) -> list[Place]:
        """Return all findings, in the order of messages and parts."""
        messages = [(at, self.read(at, line)) for at, line in enumerate(lines)]
        whole = [(at, message) for at, message in messages if message is not None]
        for at, message in whole:
            for index, part in enumerate(message["parts"]):
                if not isinstance(part, Kept) and part["kind"] not in self.roles[message["role"]]:
                    self.report("role-part-kind", (at, index), "/kind")
        events, last = self.events(whole)
        self.answers: list[tuple[Event, Event]] = []
        used = [event for event in events if event.kind not in APPROVALS]
        self.judge_ids(used)
        for key in dict.fromkeys(self.key(event) for event in used):
            mine = [event for event in used if self.key(event) == key]
            self.judge(mine, last[mine[0].run] if self.ongoing else None)
        self.judge_order()
        self.judge_approvals(events)
        self.judge_outcomes(used)
        self.found.sort(
            key=lambda row: (row[0], LAST.index(row[1][0]) if row[1][0] in LAST else -1)
        )
        return [found for _, found in sorted(self.found, key=lambda row: row[0])]

    def key(self, event: Event) -> tuple[str, str, str]:
        """Return what a call and its result have in common."""
        return event.run, event.id, event.family

    def report(
        self, rule: str, place: tuple[int, int], member: str = "/payload/toolCallId"
    ) -> None:
        self.found.append((place, (f"history/{rule}", f"/{place[0]}/parts/{place[1]}{member}")))

    def read(self, at: int, line: bytes) -> Json | None:
        """Return a message, read tolerantly; None, and what is wrong with it, where it is none."""
        notes: list[Place] = []
        try:
            message: Json | None = self.relaxed(self.reader.parse(line), notes)
            found = [each for each in self.reader.findings(message) if each[0] not in OWN_RULES]
            if any(severities()[rule] == "error" for rule, _ in found):
                raise Refused(*found)
        except Refused as refused:
            message, notes, found = None, [], refused.places
        for rule, pointer in notes + found:
            steps = pointer.split("/")
            part = int(steps[2]) if steps[1:2] == ["parts"] and len(steps) > 2 else -1
            self.found.append(((at, part), (rule, f"/{at}{pointer}")))
        return message

    def relaxed(self, value: Any, notes: list[Place]) -> Any:
        return self.reader.relax(value, self.reader.schema, "", notes)

    # --- who spoke when ---------------------------------------------------------------------------

    def events(self, messages: list[tuple[int, Json]]) -> tuple[list[Event], dict[str, int]]:
        """Return calls and results with their turns, and the last turn of each run."""
        events: list[Event] = []
        speaker: dict[str, str] = {}
        turn: dict[str, int] = {}
        opened: dict[tuple[str, str], int] = {}
        for at, message in messages:
            run = message["runId"]
            turn.setdefault(run, 0)
            parts: list[Json] = message["parts"] or [{"kind": ""}]
            for index, part in enumerate(parts):
                kind = part["kind"]
                is_own = kind in CALLS + RESULTS + APPROVALS and not isinstance(part, Kept)
                key = (run, part["payload"]["toolCallId"]) if is_own else (run, "")
                if kind == "tool_result" and opened.pop(key, None) == turn[run]:
                    speaker[run] = "tool"
                who = self.speaker(kind, message["role"])
                if self.begins_turn(who, speaker.get(run)):
                    turn[run] += 1
                if who in ("user", "assistant"):
                    speaker[run] = who
                if kind == "tool_call":
                    opened.setdefault(key, turn[run])
                if is_own:
                    place = (at, index)
                    events.append(Event(place, run, kind, key[1], turn[run], part["payload"]))
        return events, turn

    def speaker(self, kind: str, role: str) -> str:
        """Return who speaks with a part; nobody with approvals and results of the provider."""
        if kind in CALLS:
            return "assistant"
        if kind == "tool_result":
            return "tool"
        return "nobody" if kind in (*APPROVALS, *RESULTS) else role

    def begins_turn(self, who: str | None, before: str | None) -> bool:
        """Return whether somebody else speaks: the user, or the assistant after user or tool."""
        return who in ("user", "assistant") and who != before

    # --- one id -----------------------------------------------------------------------------------

    def judge(self, events: list[Event], last_turn: int | None) -> None:
        """Report what is wrong with the calls and results of one id."""
        kinds = ["call" if event.kind in CALLS else "result" for event in events]
        if "call" not in kinds:
            for event in events:
                self.report("orphan-tool-result", event.place)
            return
        first = kinds.index("call")
        for event in events[:first]:
            self.report("result-before-call", event.place)
        waiting = self.walk(events[first:])
        if waiting is not None:
            self.left_open.add(waiting.place)
        if waiting is None or (waiting is events[first] and first > 0):
            return
        if waiting.turn != last_turn:
            self.report(self.unanswered(waiting), waiting.place)

    def unanswered(self, call: Event) -> str:
        return "unanswered-server-call" if call.family == "server" else "unanswered-tool-call"

    def walk(self, events: list[Event]) -> Event | None:
        """Walk from the first call on, and return the call that still waits."""
        waiting: Event | None = None
        for event in events:
            if event.kind in CALLS:
                waiting = waiting or event
            elif waiting is None:
                self.report("duplicate-tool-result", event.place)
            else:
                if self.is_late(waiting, event):
                    self.late(event)
                else:
                    self.answers.append((waiting, event))
                self.judge_answer(waiting, event)
                waiting = None
        return waiting

    def is_late(self, call: Event, result: Event) -> bool:
        """Return whether the run went on before a result; the provider's are never late."""
        return call.family == "client" and call.turn != result.turn

    # --- ids of both kinds, outcomes, approvals ---------------------------------------------------

    def judge_ids(self, events: list[Event]) -> None:
        """Report calls whose id a call of either kind has before them."""
        seen: set[tuple[str, str]] = set()
        for event in events:
            if event.kind in CALLS:
                if (event.run, event.id) in seen:
                    self.report("duplicate-tool-call", event.place)
                seen.add((event.run, event.id))

    def judge_outcomes(self, events: list[Event]) -> None:
        for event in events:
            if event.kind in RESULTS and self.contradicts(event.payload):
                self.report("outcome-contradicts", event.place, "/payload/outcome")

    def contradicts(self, payload: Json) -> bool:
        """Return whether an outcome says another thing than isError."""
        outcome = payload.get("outcome")
        if payload["isError"]:
            return outcome == "success"
        return outcome in ("error", "denied", "interrupted", "timeout")

    def judge_answer(self, call: Event, result: Event) -> None:
        """Note a result that answers a call; what approvals it lacks is judged later."""
        self.answered.append((call, result))

    def judge_approvals(self, events: list[Event]) -> None:
        """Report requests and answers that do not fit, and results that came without a yes."""
        requests: dict[tuple[str, str], Event] = {}
        answers: dict[tuple[str, str], Event] = {}
        for event in events:
            if event.kind in APPROVALS:
                self.judge_approval(event, events, requests, answers)
        for call, result in self.answered:
            asked = [key for key, each in requests.items() if self.asks(each, call, result, events)]
            open_ = [key for key in asked if not self.is_approved(answers.get(key), result)]
            if open_ and result.payload.get("outcome") not in ("denied", "interrupted"):
                self.report("unapproved-result", result.place)

    def judge_approval(
        self,
        event: Event,
        events: list[Event],
        requests: dict[tuple[str, str], Event],
        answers: dict[tuple[str, str], Event],
    ) -> None:
        key = (event.run, event.payload["approvalId"])
        if event.kind == "approval_request":
            if key in requests:
                self.report("duplicate-approval", event.place, "/payload/approvalId")
            elif not any(self.is_call_before(each, event) for each in events):
                self.report("orphan-approval", event.place)
            else:
                requests[key] = event
        elif key in answers:
            self.report("duplicate-approval", event.place, "/payload/approvalId")
        elif key not in requests:
            self.report("orphan-approval", event.place, "/payload/approvalId")
        elif requests[key].id != event.id:
            self.report("orphan-approval", event.place)
        else:
            answers[key] = event
            self.judge_words(requests[key].payload, event)

    def judge_words(self, request: Json, answer: Event) -> None:
        """Report a decision that is not known, and a choice that was not offered."""
        if answer.payload["decision"] not in ("approved", "denied"):
            self.report("unknown-decision", answer.place, "/payload/decision")
        choice = answer.payload.get("choice")
        offered = [each["id"] for each in request.get("choices", ())]
        if choice is not None and choice not in offered:
            self.report("unknown-choice", answer.place, "/payload/choice")

    def is_call_before(self, call: Event, event: Event) -> bool:
        same = (call.run, call.id) == (event.run, event.id)
        return same and call.kind in CALLS and call.place < event.place

    def asks(self, request: Event, call: Event, result: Event, events: list[Event]) -> bool:
        """Return whether a request is about a call, the last one that was open at its place."""
        if (request.run, request.id) != (call.run, call.id):
            return False
        if not call.place < request.place < result.place:
            return False
        others = (one for one, end in self.spans(events) if one.place < request.place < end)
        return max(one for one in others if one.id == call.id and one.run == call.run) is call

    def spans(self, events: list[Event]) -> list[tuple[Event, tuple[int, int]]]:
        """Return the calls that were open, each with the place of its end."""
        ends = {call.place: result.place for call, result in self.answered}
        never = (len(events) + 10**6, 0)
        return [
            (call, ends.get(call.place, never))
            for call in events
            if call.kind in CALLS and (call.place in ends or call.place in self.left_open)
        ]

    def is_approved(self, answer: Event | None, result: Event) -> bool:
        """Return whether a yes is before the result."""
        if answer is None or answer.place > result.place:
            return False
        return bool(answer.payload["decision"] == "approved")

    def judge_order(self) -> None:
        """Report results that are behind one of a later call of their turn."""
        for call, result in self.answers:
            if any(self.is_overtaken(call, result, *other) for other in self.answers):
                self.report("result-order", result.place)

    def is_overtaken(self, call: Event, result: Event, other: Event, answer: Event) -> bool:
        """Return whether a later call of the same turn had its answer before."""
        if "server" in (call.family, other.family):
            return False
        is_same_turn = (other.run, other.turn) == (call.run, call.turn)
        return is_same_turn and other.place > call.place and answer.place < result.place

    def late(self, event: Event) -> None:
        self.report("late-tool-result", event.place)
