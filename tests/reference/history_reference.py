"""What has to be found in a history, written down plainly: id by id, with all of it in sight."""

from __future__ import annotations

from typing import NamedTuple

from partwire_testing.conformance.drawn.history_makers import ALLOWED, Json, pointer

__all__ = ["reference"]

CALLS = ("tool_call", "tool_result")


class Event(NamedTuple):
    place: tuple[int, int]
    run: str
    kind: str
    id: str
    turn: int


def reference(history: list[Json], *, ongoing: bool = False) -> list[tuple[str, str]]:
    """Return rules and pointers, sorted by place."""
    found = [
        ((i, j), "role-part-kind", "/kind")
        for i, message in enumerate(history)
        for j, part in enumerate(message["parts"])
        if part["kind"] not in ALLOWED[message["role"]]
    ]
    events, last = events_of(history)
    answers: list[tuple[Event, Event]] = []
    for key in {(event.run, event.id) for event in events}:
        mine = [event for event in events if (event.run, event.id) == key]
        found += [
            (place, rule, "/payload/toolCallId")
            for place, rule in judge(mine, last[key[0]] if ongoing else None, answers)
        ]
    found += [
        (result.place, "result-order", "/payload/toolCallId")
        for call, result in answers
        if any(
            (earlier.run, earlier.turn) == (call.run, call.turn)
            and earlier.place > call.place
            and other.place < result.place
            for earlier, other in answers
        )
    ]
    return [
        (f"history/{rule}", pointer(place, member))
        for place, rule, member in sorted(found, key=lambda row: row[0])
    ]


def events_of(history: list[Json]) -> tuple[list[Event], dict[str, int]]:
    """Return all calls and results with their turns, and the last turn of every run."""
    events: list[Event] = []
    speaker: dict[str, str] = {}
    turn: dict[str, int] = {}
    opened: dict[tuple[str, str], int] = {}
    for i, message in enumerate(history):
        run = message["runId"]
        turn.setdefault(run, 0)
        parts: list[Json] = message["parts"] or [{"kind": ""}]
        for j, part in enumerate(parts):
            kind = part["kind"]
            who = {"tool_call": "assistant", "tool_result": "stray"}.get(kind, message["role"])
            key = (run, part["payload"]["toolCallId"]) if kind in CALLS else (run, "")
            if kind == "tool_result" and opened.pop(key, None) == turn[run]:
                speaker[run] = "tool"
            if who in {"user", "assistant"}:
                turn[run] += who != speaker.get(run)
                speaker[run] = who
            if kind == "tool_call":
                opened.setdefault(key, turn[run])
            if kind in CALLS:
                events.append(Event((i, j), run, kind, key[1], turn[run]))
    return events, turn


def judge(
    events: list[Event], last_turn: int | None, answers: list[tuple[Event, Event]]
) -> list[tuple[tuple[int, int], str]]:
    """Judge all events of one id in one run; note the calls that are answered in their turn."""
    kinds = [event.kind for event in events]
    if "tool_call" not in kinds:
        return [(event.place, "orphan-tool-result") for event in events]
    first = kinds.index("tool_call")
    found = [(event.place, "result-before-call") for event in events[:first]]
    waiting: Event | None = None
    for event in events[first:]:
        if event.kind == "tool_call":
            if event is not events[first]:
                found.append((event.place, "duplicate-tool-call"))
            waiting = waiting or event
        elif waiting is None:
            found.append((event.place, "duplicate-tool-result"))
        else:
            if waiting.turn != event.turn:
                found.append((event.place, "late-tool-result"))
            else:
                answers.append((waiting, event))
            waiting = None
    settled_early = waiting is events[first] and first > 0
    if waiting is not None and not settled_early and waiting.turn != last_turn:
        found.append((waiting.place, "unanswered-tool-call"))
    return found
