"""The steps of one answer: what the assistant said in each, and what came of its calls."""

from __future__ import annotations

import copy
from typing import Any, Final

from ..core.reading import Json, Reading
from .state import OWN

__all__ = ["Steps", "text_like"]


def text_like(kind: str, text: str, opaque: Json | None) -> Json:
    """Return text of the answer or of the reasoning."""
    payload: Json = {"text": text}
    if opaque is not None:
        payload["opaque"] = opaque
    return {"kind": kind, "payload": payload}


_IDS: Final = {
    "tool_call": "toolCallId",
    "server_tool_call": "toolCallId",
    "tool_result": "toolCallId",
    "server_tool_result": "toolCallId",
    "approval_request": "approvalId",
    "approval_response": "approvalId",
}


class Steps:
    """Collects parts step by step; ``is_cut``: the message was stored while it was coming.

    ``old``: calls are those of version 4, behind whose results a new step begins unsaid.
    """

    def __init__(self, reading: Reading) -> None:
        self.is_cut = False
        self.old = False
        self._reading = reading
        self._steps: list[tuple[list[Json], list[Json]]] = [([], [])]
        self._ids: set[tuple[str, str]] = set()
        self._text: Json | None = None  # the last one of the step
        self._open: list[str] = []
        self._joined: list[tuple[Json, list[str]]] = []  # reasoning with its summaries
        self._between: dict[int, list[Json]] = {}  # before the step of this number
        self._coming: list[tuple[Json, str]] = []
        self._waiting: list[tuple[Json, str]] = []  # citations that no text is before

    def next(self) -> None:
        """Begin a step, where the last one has anything."""
        if self._steps[-1] != ([], []):
            self._steps.append(([], []))
            self._ids = set()
            self._text = None

    def say(self, part: Json) -> None:
        """Add what the assistant says."""
        said, came = self._steps[-1]
        if self.old and came and part["kind"] in ("text", "thinking"):
            self.next()
            said, came = self._steps[-1]
        if part["kind"] == "thinking" and said and self._goes_on(said[-1], part):
            return
        if self._is_there(part):
            self.next()
            said = self._steps[-1][0]
        self._keep_id(part)
        said.append(part)
        if part["kind"] != "text":
            return
        self._text = part
        for citation, place in self._waiting:
            part["payload"].setdefault("citations", []).append(citation)
            self._reading.note("part-order", place)
        self._waiting = []

    def answer(self, part: Json) -> None:
        """Add what came of a call: a result, or a decision."""
        if self._is_there(part):
            self.next()
        self._keep_id(part)
        self._steps[-1][1].append(part)

    def cite(self, citation: Json, place: str) -> None:
        """Add a citation to the text before it in the step, else to the next one."""
        text = self._text
        if text is None:
            self._waiting.append((citation, place))
            return
        text["payload"].setdefault("citations", []).append(citation)
        if text is not self._steps[-1][0][-1]:
            self._reading.note("part-order", place)

    def leave_open(self, call_id: str, place: str) -> None:
        """Leave out a call whose arguments were still coming."""
        self._open.append(call_id)
        self.is_cut = True
        self._reading.note("open-call", place)

    def _goes_on(self, before: Json, part: Json) -> bool:
        """Join a summary with those before it of the same reasoning item, as its adapter does."""
        one, other = _reasoning_item(before), _reasoning_item(part)
        if one is None or other is None or _head(one) != _head(other):
            return False
        if not self._joined or self._joined[-1][0] is not before:
            said = before["payload"]
            said["opaque"] = copy.deepcopy(said["opaque"])  # it may be the source's own
            one = _reasoning_item(before)
            self._joined.append((before, [said["text"]]))
        one["data"]["summary"] += other["data"]["summary"]
        self._joined[-1][1].append(part["payload"]["text"])
        return True

    def _is_there(self, part: Json) -> bool:
        """Tell whether the step has a part of this kind and id; a message cannot have two."""
        name = _IDS.get(part["kind"])
        return name is not None and (part["kind"], part["payload"][name]) in self._ids

    def _keep_id(self, part: Json) -> None:
        if (name := _IDS.get(part["kind"])) is not None:
            self._ids.add((part["kind"], part["payload"][name]))

    def still_comes(self, part: Json, place: str) -> None:
        """Note text that was still coming."""
        self.is_cut = True
        self._coming.append((part, place))

    def said(self) -> list[Json]:
        """Return what was said in all steps."""
        return [part for said, _ in self._steps for part in said]

    def interrupt(self, parts: list[Json], message_id: str | None) -> None:
        """Put a message of the user between this step and the next one."""
        self.next()
        at = len(self._steps) - 1
        named = {"messageId": message_id} if message_id else {}
        self._between.setdefault(at, []).append({"role": "user", "parts": parts, **named})

    def end(self) -> None:
        """Join texts, and report the citations that no text followed, and text that came still."""
        for part, texts in self._joined:  # at once: one by one they would take long
            text = "".join(texts)
            part["payload"]["text"] = text
            _reasoning_item(part)["end"] = len(text)
        said = self._steps[-1][0]
        for part, place in self._coming:
            if self._open or not said or part is not said[-1]:
                self._reading.note("foreign-member", place)
        for _, place in self._waiting:
            self._reading.note("foreign-part", place)

    def messages(self, role: str, head: Json) -> list[Json]:
        """Return the messages of the steps; the first one has the members of ``head``."""
        made: list[Json] = []
        first: Json | None = None
        for number, (said, came) in enumerate(self._steps):
            made += self._between.get(number, [])
            if number and not said and not came:
                continue
            if said or not came:
                step = {} if first is None else {"meta": {OWN: {"step": number}}}
                made.append({"role": role, "parts": said, **step})
                first = first or made[-1]
            if came:
                made.append({"role": "tool", "parts": came})
                first = first or made[-1]
        if first is not None:  # there is a first step, whatever is in it
            first |= head
        for each in made if "timestamp" in head else ():
            each["timestamp"] = head["timestamp"]
        if self.is_cut:
            last = next((each for each in reversed(made) if each["role"] == role), made[-1])
            incomplete = {"ending": "truncated", "openToolCallIds": self._open}
            last["meta"] = {**last.get("meta", {}), "incomplete": incomplete}
        return made


def _head(item: Json) -> Json:
    return {name: value for name, value in item["data"].items() if name != "summary"}


def _reasoning_item(part: Json) -> Any:
    """Return the item as an adapter writes it; None for any other state, of whatever form."""
    opaque = part["payload"].get("opaque") if part["kind"] == "thinking" else None
    items = opaque["data"].get("items") if opaque else None
    item = items[0] if isinstance(items, list) and items else None
    if not isinstance(item, dict) or item.get("kind") != "reasoning":
        return None
    data = item.get("data")
    return item if isinstance(data, dict) and isinstance(data.get("summary"), list) else None
