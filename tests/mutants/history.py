"""The check of a history, with all of it in sight: id by id, run by run."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.mutants.json_text import Place, Refused
from tests.mutants.reader import Kept, Reader, definitions, severities

Json = dict[str, Any]

OWN_RULES = (
    "message/role-part-kind",
    "message/duplicate-tool-call",
    "message/duplicate-tool-result",
)


class Event(NamedTuple):
    """A call or a result: where it is, whose it is, and the turn that it is in."""

    place: tuple[int, int]
    run: str
    kind: str
    id: str
    turn: int


class History:
    """A history of JSON texts, one message each."""

    def __init__(self, version: str, *, ongoing: bool = False) -> None:
        self.reader = Reader("message.Message", version)
        self.ongoing = ongoing
        rules = definitions("message", version)["Message"]["x-rules"]
        self.roles: Json = next(rule["table"] for rule in rules if rule["op"] == "tag-table")
        self.found: list[tuple[tuple[int, int], Place]] = []

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
        for key in dict.fromkeys(self.key(event) for event in events):
            mine = [event for event in events if self.key(event) == key]
            self.judge(mine, last[mine[0].run] if self.ongoing else None)
        self.judge_order()
        return [found for _, found in sorted(self.found, key=lambda row: row[0])]

    def key(self, event: Event) -> tuple[str, str]:
        """Return what a call and its result have in common."""
        return event.run, event.id

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
                is_own = kind in ("tool_call", "tool_result") and not isinstance(part, Kept)
                key = (run, part["payload"]["toolCallId"]) if is_own else (run, "")
                if kind == "tool_result" and opened.pop(key, None) == turn[run]:
                    speaker[run] = "tool"
                who = {"tool_call": "assistant", "tool_result": "tool"}.get(kind, message["role"])
                if self.begins_turn(who, speaker.get(run)):
                    turn[run] += 1
                if who in ("user", "assistant"):
                    speaker[run] = who
                if kind == "tool_call":
                    opened.setdefault(key, turn[run])
                if is_own:
                    events.append(Event((at, index), run, kind, key[1], turn[run]))
        return events, turn

    def begins_turn(self, who: str | None, before: str | None) -> bool:
        """Return whether somebody else speaks: the user, or the assistant after user or tool."""
        return who in ("user", "assistant") and who != before

    # --- one id -----------------------------------------------------------------------------------

    def judge(self, events: list[Event], last_turn: int | None) -> None:
        """Report what is wrong with the calls and results of one id."""
        kinds = [event.kind for event in events]
        if "tool_call" not in kinds:
            for event in events:
                self.report("orphan-tool-result", event.place)
            return
        first = kinds.index("tool_call")
        for event in events[:first]:
            self.report("result-before-call", event.place)
        waiting = self.walk(events[first:])
        if waiting is None or (waiting is events[first] and first > 0):
            return
        if waiting.turn != last_turn:
            self.report("unanswered-tool-call", waiting.place)

    def walk(self, events: list[Event]) -> Event | None:
        """Walk from the first call on, and return the call that still waits."""
        waiting: Event | None = None
        for event in events:
            if event.kind == "tool_call":
                if event is not events[0]:
                    self.report("duplicate-tool-call", event.place)
                waiting = waiting or event
            elif waiting is None:
                self.report("duplicate-tool-result", event.place)
            else:
                if waiting.turn != event.turn:
                    self.late(event)
                else:
                    self.answers.append((waiting, event))
                waiting = None
        return waiting

    def judge_order(self) -> None:
        """Report results that are behind one of a later call of their turn."""
        for call, result in self.answers:
            if any(self.is_overtaken(call, result, *other) for other in self.answers):
                self.report("result-order", result.place)

    def is_overtaken(self, call: Event, result: Event, other: Event, answer: Event) -> bool:
        """Return whether a later call of the same turn had its answer before."""
        is_same_turn = (other.run, other.turn) == (call.run, call.turn)
        return is_same_turn and other.place > call.place and answer.place < result.place

    def late(self, event: Event) -> None:
        self.report("late-tool-result", event.place)
