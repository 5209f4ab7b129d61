"""Requests: what the system, users and tools say to a model, as messages of each."""

from __future__ import annotations

from typing import Any

from partwire.json.text import json_text

from ..core.calls import Calls
from ..core.parts import text_part
from ..core.reading import Json, Members, Reading
from .names import KEPT, OWN, PARTS, REQUEST, STEP, take_kept
from .responses import file_members, speech_of, time_of
from .results import error_part, result_of

__all__ = ["INSTRUCTIONS", "PART", "SAME", "Requests"]

INSTRUCTIONS = "instructions"
"""Says of a message of the system that it is the instructions of its request."""
SAME = "sameInstructions"
"""Says that a request has the instructions of the one before."""
PART = "part"
"""The members of a part that is the whole message."""


class Requests:
    """Reads the requests of a history; ``calls`` are those that results answer."""

    def __init__(self, reading: Reading, calls: Calls) -> None:
        self._reading = reading
        self._calls = calls
        self._instructions: str | None = None

    def read(self, message: Members, metadata: Json | None, *, is_next: bool) -> list[Json]:
        """Return the messages of a request, which are not added; ``is_next``: behind another."""
        place, parts = message.at(PARTS), message.value(PARTS)
        request = _Messages(self._reading, self._calls)
        for _, part in self._reading.items(parts, place):
            request.read(part)
        own = take_kept(message, REQUEST)
        made = request.messages
        self._instruct(message, made, own)
        time = time_of(message).get("timestamp")
        if metadata is not None:
            own["metadata"] = metadata
        for each in made if time is not None else ():
            each.setdefault("timestamp", time)
        if made and time != made[0].get("timestamp"):
            own["timestamp"] = time
        for number, each in enumerate(made):
            step = {STEP: number} if number or (is_next and not own) else {}
            beside = (own if not number else {}) | _own(each) | step
            if beside:
                each["meta"] = {OWN: beside}
        return made

    def _instruct(self, message: Members, made: list[Json], own: Json) -> None:
        """Add the instructions, behind the results that open a request."""
        said = message.text(INSTRUCTIONS)
        if said is None:
            return
        place = message.at(INSTRUCTIONS)
        if said == self._instructions and made:
            own[SAME] = True
            self._reading.note("duplicate-text", place)
            return
        self._instructions = said
        self._reading.note("role-form", place)
        at = next((n for n, each in enumerate(made) if each["role"] != "tool"), len(made))
        instructed = {"role": "system", "parts": [text_part(said)], "own": {INSTRUCTIONS: True}}
        made.insert(at, instructed)


def _own(message: Json) -> Json:
    """Take what a message keeps itself, and of its parts."""
    own: Json = message.pop("own", {})
    kept: Json = message.pop("kept", {})
    if not kept:
        return own
    for each in kept.values():
        if each.get("timestamp") == message.get("timestamp"):
            each.pop("timestamp", None)
    kept = {number: each for number, each in kept.items() if each}
    return own | ({PARTS: kept} if kept else {})


class _Messages:
    """The messages of one request, as they grow."""

    def __init__(self, reading: Reading, calls: Calls) -> None:
        self.messages: list[Json] = []
        self._reading = reading
        self._calls = calls
        self._answered: set[str] = set()

    def read(self, part: Members) -> None:
        kind = part.text("part_kind") or ""
        is_read = False
        if kind == "system-prompt":
            is_read = self._system(part)
        elif kind == "user-prompt":
            is_read = self._user(part)
        elif kind == "tool-return" or (kind == "retry-prompt" and part.has_text("tool_name")):
            is_read = self._result(kind, part)
        elif kind in ("retry-feedback", "retry-prompt"):
            is_read = self._feedback(kind, part)
        elif kind == "speech" and part.drop("speaker", "user"):
            is_read = self._speech(part)
        if is_read:
            part.close()
        else:
            self._reading.note("foreign-part", part.place)

    def _begin(self, role: str, parts: list[Json], **members: Any) -> None:
        self.messages.append({"role": role, "parts": parts, **members})

    def _append(self, role: str, part: Json, kept: Json, time: Json) -> None:
        """Add a part to the last message, if it is of the role."""
        if not self.messages or self.messages[-1]["role"] != role:
            self._begin(role, [], **time)
        last = self.messages[-1]
        if time and time["timestamp"] != last.get("timestamp"):
            kept |= time
        if kept:
            last.setdefault("kept", {})[str(len(last["parts"]))] = kept
        last["parts"].append(part)

    def _system(self, part: Members) -> bool:
        text = part.text("content")
        if text is None:
            return False
        kept = take_kept(part, KEPT["system-prompt"])
        self._append("system", text_part(text), kept, time_of(part))
        return True

    # --- users -----------------------------------------------------------------------------------

    def _user(self, part: Members) -> bool:
        content, place = part.peek("content"), part.at("content")
        if not isinstance(content, (str, list)):
            return False
        part.value("content")
        items = [content] if isinstance(content, str) else content
        said: list[Json] = []
        kept: Json = {}
        for number, item in enumerate(items):
            at = place if isinstance(content, str) else f"{place}/{number}"
            made = (text_part(item), {}) if isinstance(item, str) else self._item(item, at)
            if made is None:
                self._reading.note("foreign-part", at)
                continue
            if made[1]:
                kept[str(len(said))] = made[1]
            said.append(made[0])
        self._begin("user", said, **time_of(part), **({"kept": kept} if kept else {}))
        return True

    def _item(self, item: Any, place: str) -> tuple[Json, Json] | None:
        """Return the part of an item of content, and what it keeps."""
        if type(item) is not dict or item.get("kind") not in ("text-content", "structured-content"):
            return file_members(item, place, self._reading)
        members = Members(item, place, self._reading)
        kind = members.text("kind") or ""
        text = members.text("content")
        if text is None and kind == "structured-content" and "value" in members:
            text = json_text(members.peek("value"))
        if text is None:
            return None
        kept = {"kind": kind} | take_kept(members, KEPT[kind])
        members.close()
        return text_part(text), kept

    def _speech(self, part: Members) -> bool:
        made = speech_of(part, self._reading)
        if made is None:
            return False
        said, kept = made
        self._begin("user", [said], kept={"0": kept})
        return True

    def _feedback(self, kind: str, part: Members) -> bool:
        """Read what the library says to a model whose answer it could not use."""
        content = part.peek("content")
        if not isinstance(content, (str, list)):
            return False
        part.value("content")
        own: Json = {"part_kind": "retry-feedback"}
        if kind == "retry-prompt":
            cause = "model_retry" if isinstance(content, str) else "validation_error"
            own["retry"] = {"cause": cause}
        elif (retry := part.object("retry")) is not None:
            own["retry"] = retry
        text = content if isinstance(content, str) else json_text(content)
        if text is not content:
            own["content"] = content
        self._begin("user", [text_part(text)], **time_of(part), own={PART: own})
        return True

    # --- results ---------------------------------------------------------------------------------

    def _result(self, kind: str, part: Members) -> bool:
        name, own = part.text("tool_name") or "", part.text("tool_call_id") or None
        call = self._calls.of_id(own) if own else self._calls.of_name(name)
        if not own:
            self._reading.note("call-id-invented", part.place)
        call_id = own or f"call_{len(self._answered)}_{name}"
        call_id = call_id if call is None else call.call_id
        if kind == "tool-return":
            said, kept = result_of(call_id, part, self._reading)
            kept |= take_kept(part, KEPT[kind])
        else:
            content = part.value("content")
            said, kept = error_part(call_id, content), {}
            if isinstance(content, list):
                kept["retry"] = {"cause": "validation_error"}
        if name != ("" if call is None else call.name):
            kept["tool_name"] = name
        time = time_of(part)
        if call_id in self._answered:  # a message has one result of a call
            self._begin("tool", [], **time)
            self._answered.clear()
        self._answered.add(call_id)
        self._append("tool", said, kept, time)
        return True
