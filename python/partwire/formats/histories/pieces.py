"""What histories of several dialects have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from ..core.reading import Json, Members, Reading
from .answers import Answers

__all__ = [
    "REASONS",
    "Turns",
    "add_spoken",
    "add_whole",
    "answered",
    "figures",
    "made_id",
    "sole_text",
]

REASONS: Final = ("finishReason", "providerFinishReason")


class Turns:
    """The answers of a history, each held as long as it may go on.

    What an assistant says behind a message with calls is the same answer, as long as nobody says
    something else: the results of all its calls come behind it. ``body`` makes the whole answer of
    its content, ``call`` is the member, or the type, of a block that is a call.
    """

    def __init__(
        self, answers: Answers, reading: Reading, body: Callable[[list[Json]], Json], call: str
    ) -> None:
        self.answers: Final = answers
        self._reading = reading
        self._body = body
        self._call = call
        self._held: dict[str, list[Json]] = {}  # content by its place
        self._id: str | None = None

    def add(self, content: list[Json], place: str, message_id: str | None = None) -> None:
        """Take what an assistant says at ``place``."""
        goes_on = any(self._calls(block) for held in self._held.values() for block in held)
        if not goes_on or (message_id is not None and message_id != self._id):
            self.end()
            self._id = message_id
        self._held[place] = content

    def end(self) -> None:
        """Add the message of the answer that is held: somebody else speaks, or nobody."""
        held, self._held = self._held, {}
        if len(held) == 1:
            ((place, content),) = held.items()
            text = sole_text(content)
            if text is None:
                self.answers.add(self._body(content), place, messageId=self._id)
            else:
                self.answers.add_text(text, messageId=self._id)
        elif held:
            for place, content in held.items():
                if self.answers.is_damaged(self._body(content)):
                    self._reading.note("malformed-part", place)
            whole = [block for content in held.values() for block in content]
            self.answers.add(self._body(whole), None, messageId=self._id)

    def _calls(self, block: Json) -> bool:
        return self._call in block or block.get("type") == self._call


def sole_text(content: Any) -> str | None:
    """Return the text of content that is one text and nothing else; None for anything else."""
    if type(content) is list and len(content) == 1 and type(content[0]) is dict:
        (block,) = content
        if len(block) == 1 or (len(block) == 2 and block.get("type") == "text"):
            content = block.get("text")
    return content if type(content) is str and content else None


def add_spoken(role: str, parts: list[Json], reading: Reading) -> None:
    """Add what a user, or the system, said; results among it are messages of the role tool.

    A message has one result of each call: another one begins a message of its own.
    """
    run: list[Json] = []
    ids: set[str] = set()
    is_tool = False
    for part in parts:
        is_result = part["kind"] == "tool_result"
        call_id = part["payload"]["toolCallId"] if is_result else ""
        if run and (is_result != is_tool or call_id in ids):
            reading.add("tool" if is_tool else role, run)
            run, ids = [], set()
        is_tool = is_result
        run.append(part)
        if is_result:
            ids.add(call_id)
    if run or not parts:
        reading.add("tool" if is_tool else role, run)


def answered(answers: Answers, own: str) -> str:
    """Return the id of the call that a result of the provider's id ``own`` answers."""
    call = answers.calls.of_id(own)
    return own if call is None else call.call_id


def figures(usage: Members, names: tuple[str, ...]) -> Json:
    """Take the counts of these names; what is not a count stays, and is reported."""
    found: Json = {}
    for name in names:
        count = usage.count(name)
        if count is not None:
            found[name] = count
    return found


def add_whole(
    answers: Answers, body: Json, place: str, said: Mapping[str, str], reading: Reading
) -> Json:
    """Add the message of an answer as the provider gave it, and return it.

    ``said`` names what it says of itself: member of the message's meta → its place. What is made up
    for the adapter is taken away again, and what it does not take is reported.
    """
    message = answers.add(body, place, is_whole=True)
    meta = message.pop("meta", None) or {}
    kept = {name: value for name, value in meta.items() if name in said or name not in REASONS}
    if kept:
        message["meta"] = kept
    for name, at in said.items():
        if name not in kept:  # why an answer failed is said by how it ended
            is_said = name in REASONS and "incomplete" in kept
            reading.note("content-form" if is_said else "foreign-member", at)
    return message


def made_id(place: str) -> str:
    """Return an id for a result whose call is not there; its place tells it from others."""
    return f"call_{re.sub('[^A-Za-z0-9]+', '_', place).strip('_')}"
