"""The tool state machine as a table, with JSON values for states."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from tests.mutants.json_text import Refused
from tests.mutants.reader import Reader, severities

Json = dict[str, Any]

NEXT: Final = {
    "pending": ["running", "awaiting_approval"],
    "awaiting_approval": ["running", "denied"],
    "running": ["completed", "error"],
    "completed": [],
    "error": [],
    "denied": [],
}
NEW: Final = ("awaiting_approval", "denied")
MEMBERS: Final = {
    "running": {"title", "metadata"},
    "completed": {"output", "title", "metadata", "attachments"},
    "error": {"error", "metadata"},
    "pending": {"input", "raw"},
    "awaiting_approval": {"approval", "metadata"},
    "denied": {"approval", "error", "metadata"},
}


TIMES: Final = ("start", "end", "compacted")
NEEDED: Final = {
    "running": {"start"},
    "completed": {"output", "end"},
    "error": {"error", "end"},
    "pending": {"input", "raw"},
    "awaiting_approval": {"approval"},
    "denied": {"approval"},
}
TAKEN: Final = {
    "running": MEMBERS["running"] | {"start", "approval"},
    "completed": MEMBERS["completed"] | {"end", "empty_output", "tool"},
    "error": MEMBERS["error"] | {"end"},
    "pending": MEMBERS["pending"],
    "awaiting_approval": MEMBERS["awaiting_approval"],
    "denied": MEMBERS["denied"],
}


class Unmoved(Refused):
    """A move that the machine refuses, with the details of its error."""

    def __init__(self, rule: str, pointer: str, before: str, to: str, allowed: list[str]) -> None:
        super().__init__((rule, pointer))
        self.details = {
            "currentStatus": before,
            "attemptedStatus": to,
            "validTransitions": allowed,
        }


class States:
    """The table and what each move does; nothing is kept, nothing is changed in place."""

    allowed: ClassVar[Json] = NEXT
    changeable: ClassVar[Json] = {
        "running": {"title", "metadata"},
        "awaiting_approval": {"metadata"},
    }

    def __init__(self, version: str) -> None:
        self.reader = Reader("session.ToolState", version)
        self.knows_approvals = version not in ("v0.1", "v0.2")

    def expire(self, state: Json, now: int, timeout_ms: int, error: str | None = None) -> Json:
        """Make an error of a running state that is as old as the timeout; 0 ends any."""
        if not all(type(each) is int and each >= 0 for each in (now, timeout_ms)):
            raise Refused(("usage/invalid-argument", ""))
        if state["status"] != "running" or not self.is_due(state["time"]["start"], now, timeout_ms):
            return state
        words = error or f"Timed out after {timeout_ms} ms"
        return self.move(state, "error", {"error": words, "end": max(now, state["time"]["start"])})

    def is_due(self, start: int, now: int, timeout_ms: int) -> bool:
        return timeout_ms == 0 or now - start >= timeout_ms

    def fail_pending(self, state: Json, error: str, now: int) -> Json:
        """Walk a call that never ran through running; one that runs has begun already."""
        failed = {"error": error, "end": now}
        if state["status"] == "error":
            return self.move(state, "error", failed)
        if state["status"] == "running":
            raise self.refused("session/state-changed", "/time", "running", "running")
        return self.move(self.move(state, "running", {"start": now}), "error", failed)

    def move(self, state: Json, to: str, fields: Json) -> Json:
        """Return the state that follows; ``state`` itself where nothing changes."""
        before = state["status"]
        if to != before and to not in self.allowed[before]:
            raise self.refused("session/invalid-transition", "/status", before, to)
        given = {name for name, value in fields.items() if value is not None}
        if given - TAKEN[to]:
            raise Refused(("usage/invalid-argument", ""))
        self.check(state)
        if to != before and NEEDED[to] - given:
            raise Refused(("usage/invalid-argument", ""))
        after = self.again(state, fields) if to == before else self.entered(state, to, fields)
        self.check(after)
        if to != before:
            self.check_approval(state, after)
            return after
        changed = self.changed(state, after)
        for name in sorted(changed):
            if name not in self.changeable.get(before, ()):
                raise self.refused("session/state-changed", f"/{name}", before, to)
        return after if changed else state

    def check(self, state: Json) -> None:
        found = self.reader.findings(state)
        if errors := [place for place in found if severities()[place[0]] == "error"]:
            raise Refused(*errors)

    def refused(self, rule: str, pointer: str, before: str, to: str) -> Unmoved:
        known = (each for each in self.allowed[before] if self.knows_approvals or each not in NEW)
        return Unmoved(rule, pointer, before, to, list(known))

    def check_approval(self, before: Json, after: Json) -> None:
        """Let a call run on a yes to its own question alone, and be denied on anything else."""
        was, to = before["status"], after["status"]
        if self.is_answered_for_another(before, after):
            raise self.refused("session/state-changed", "/approval", was, was)
        if "approval" not in after or to not in ("running", "denied"):
            return
        if (to == "running") != self.is_yes(after["approval"]):
            raise self.refused("session/invalid-transition", "/approval/decision", was, to)

    def is_answered_for_another(self, before: Json, after: Json) -> bool:
        if before["status"] != "awaiting_approval":
            return False
        return bool(before["approval"]["id"] != after["approval"]["id"])

    def is_yes(self, approval: Json) -> bool:
        return approval.get("decision") == "approved"

    def changed(self, before: Json, after: Json) -> set[str]:
        """Return the members that differ, as JSON values: true is not 1."""
        names = before.keys() | after.keys()
        return {name for name in names if not same(before.get(name), after.get(name))}

    def entered(self, state: Json, to: str, fields: Json) -> Json:
        """Return a new state of another status."""
        after = {"status": to, "input": state["input"]}
        if to in NEW:
            after |= {"raw": state["raw"]} if to == "awaiting_approval" else {}
        else:
            after["time"] = self.times(state, fields)
        after |= {name: fields[name] for name in MEMBERS[to] if name in fields}
        after |= self.metadata(state, to, fields)
        after |= self.approval(state, fields)
        if to == "completed":
            after["title"] = self.title(state, fields)
            after["output"] = self.output(fields)
        return after

    def times(self, state: Json, fields: Json) -> Json:
        return {
            **{at: time for at, time in state.get("time", {}).items() if at in TIMES},
            **{at: fields[at] for at in ("start", "end") if at in fields},
        }

    def metadata(self, state: Json, to: str, fields: Json) -> Json:
        """Pass metadata on, with given members over those of the same name."""
        if "metadata" in fields or "metadata" in state:
            return {"metadata": {**state.get("metadata", {}), **fields.get("metadata", {})}}
        return {"metadata": {}} if to == "completed" else {}

    def approval(self, state: Json, fields: Json) -> Json:
        """Pass an approval on, with given members over those of the same name, in its time too."""
        if "approval" not in fields:
            return {"approval": state["approval"]} if "approval" in state else {}
        given, before = fields["approval"], state.get("approval", {})
        if not isinstance(given, dict):
            return {"approval": given}
        made = {**before, **given}
        if isinstance(given.get("time"), dict):
            made["time"] = {**before.get("time", {}), **given["time"]}
        return {"approval": made}

    def title(self, state: Json, fields: Json) -> str:
        """Return the given title, else the running one, else the tool's name."""
        given = fields["title"] if "title" in fields else state.get("title") or fields.get("tool")
        if not given:
            raise Refused(("session/title-missing", "/title"))
        return str(given)

    def output(self, fields: Json) -> str:
        """Return the output; an empty one may get a placeholder, which has to be asked for."""
        wanted = fields.get("empty_output") == "placeholder"
        return "(no output)" if fields["output"] == "" and wanted else str(fields["output"])

    def again(self, state: Json, fields: Json) -> Json:
        """Return the state with what is given, for comparison."""
        after = {**state, **{n: fields[n] for n in MEMBERS[state["status"]] if n in fields}}
        if "metadata" in fields:
            after |= self.metadata(state, state["status"], fields)
        after |= self.approval(state, fields)
        if "output" in fields:
            after["output"] = self.output(fields)
        if "time" in state:
            after["time"] = self.times(state, fields)
        return after


def same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are the same; true is not a number."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other and isinstance(one, bool) == isinstance(other, bool)
