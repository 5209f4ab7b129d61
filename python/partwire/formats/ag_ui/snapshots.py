"""Snapshots of all messages in a stream: which of them have come, and which are new."""

from __future__ import annotations

from typing import Any

from ..core.parts import call_part
from ..core.reading import Json, Reading
from .lanes import Answer, Lanes, Whole, arguments_in, text_of
from .read import Histories, Said

__all__ = ["Snapshots"]


class _Known:
    """What has come of a stream: texts by id and by themselves, calls and results by id."""

    def __init__(self, items: list[Answer | Whole]) -> None:
        self.texts: dict[str, list[str]] = {}  # by id
        self.said: dict[tuple[str, str], int] = {}  # role and text, how often
        self.calls: dict[str, Any] = {}
        self.results: dict[str, Any] = {}
        self.ids: set[str] = set()
        for item in items:
            if isinstance(item, Answer):
                self._add_answer(item)
            else:
                self._add(item.message)

    def _add_answer(self, answer: Answer) -> None:
        text = text_of(answer, "text")
        for each in {answer.message_id, answer.answer_id} - {None, ""}:
            self._add_text(str(each), "assistant", text)
        self.said["assistant", text] = self.said.get(("assistant", text), 0) + 1
        for call_id, (name, arguments) in arguments_in(answer).items():
            self.calls[call_id] = _call(call_part(call_id, name, arguments or "{}"))

    def _add(self, message: Json) -> None:
        texts: list[str] = []
        for part in message["parts"]:
            kind, payload = part["kind"], part["payload"]
            if kind == "text":
                texts.append(payload["text"])
            elif kind == "tool_call":
                self.calls[payload["toolCallId"]] = _call(part)
            elif kind == "tool_result":
                self.results[payload["toolCallId"]] = payload["content"]
        text, role = "".join(texts), message["role"]
        if "messageId" in message:
            self._add_text(message["messageId"], role, text)
        self.said[role, text] = self.said.get((role, text), 0) + 1

    def _add_text(self, message_id: str, role: str, text: str) -> None:
        self.ids.add(message_id)
        self.texts.setdefault(message_id, []).append(text)

    def has(self, message: Json) -> bool | None:
        """Return whether a message has come; None where it has come with other content."""
        parts, role = message["parts"], message["role"]
        text = "".join(part["payload"]["text"] for part in parts if part["kind"] == "text")
        calls = {p["payload"]["toolCallId"]: _call(p) for p in parts if p["kind"] == "tool_call"}
        results = {
            part["payload"]["toolCallId"]: part["payload"]["content"]
            for part in parts
            if part["kind"] == "tool_result"
        }
        message_id = message.get("messageId")
        if results:
            if not results.keys() <= self.results.keys():
                return False
            return all(self.results[call] == said for call, said in results.items()) or None
        if message_id in self.ids:
            is_same = text in ("".join(self.texts[message_id]), *self.texts[message_id])
            return (is_same and calls.items() <= self.calls.items()) or None
        if calls.keys() & self.calls.keys():
            is_same = calls.items() <= self.calls.items()
            return (is_same and (not text or self._take(role, text))) or None
        return not calls and any(p["kind"] == "text" for p in parts) and self._take(role, text)

    def _take(self, role: str, text: str) -> bool:
        """Return whether a text has come that stands for no other message of the snapshot."""
        count = self.said.get((role, text), 0)
        if count:
            self.said[role, text] = count - 1
        return count > 0


def _call(part: Json) -> Any:
    payload = part["payload"]
    return payload["toolName"], payload["arguments"], payload.get("rawArgsText")


class Snapshots:
    """Reads snapshots: items only grow, so what has come stays, and what is new is added.

    Where a snapshot takes something back or says it in another way, that is a loss.
    """

    def __init__(self, reading: Reading, lanes: Lanes) -> None:
        self._reading = reading
        self._lanes = lanes

    def read(self, messages: list[Any], place: str, *, is_whole: bool) -> None:
        """Read the messages at ``place``; ``is_whole``: there are no others."""
        histories = Histories(self._reading)
        for at, message in self._reading.items(messages, place):
            histories.read(message, at)
        found = histories.finish()
        known = _Known(self._lanes.known)
        fresh: list[Said] = []
        for said in found:
            has = known.has(said.message)
            if has:
                self._reading.note("duplicate-text", said.place)
            elif has is None:
                self._reading.note("foreign-event", said.place)
            else:
                fresh.append(said)
        ids = {said.message.get("messageId") for said in found}
        if is_whole and known.ids - ids and not _are_said(known, found):
            self._reading.note("foreign-event", place)
        for said in fresh:
            self._lanes.add(said.message)


def _are_said(known: _Known, found: list[Said]) -> bool:
    """Return whether the texts that have come are all in a snapshot, under whatever ids."""
    texts = {
        part["payload"]["text"]
        for said in found
        for part in said.message["parts"]
        if part["kind"] == "text"
    }
    return all(text in texts or not text for each in known.texts.values() for text in each)
