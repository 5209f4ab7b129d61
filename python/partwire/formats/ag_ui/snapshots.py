"""Snapshots of all messages in a stream: which of them have come, and which are new."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..core.parts import call_part
from ..core.reading import Json, Reading
from .lanes import Answer, Lanes, Whole
from .read import Histories, Said

__all__ = ["Snapshots"]


class Snapshots:
    """Reads snapshots: items only grow, so what has come stays, and what is new is added.

    Where a snapshot takes something back or says it in another way, that is a loss.
    """

    def __init__(self, reading: Reading, lanes: Lanes) -> None:
        self._reading = reading
        self._lanes = lanes
        self._said: Counter[tuple[str, str]] = Counter()  # role and text of what has ended
        self._texts: set[str] = set()
        self._counted = 0  # of the items, those that are in the two

    def read(self, messages: list[Any], place: str, *, is_whole: bool) -> None:
        """Read the messages at ``place``; ``is_whole``: there are no others."""
        histories = Histories(self._reading)
        for at, message in self._reading.items(messages, place):
            histories.read(message, at)
        found = histories.finish()
        self._count()
        fresh: list[Said] = []
        taken: Counter[tuple[str, str]] = Counter()
        for said in found:
            has = self._has(said.message, taken)
            if has:
                self._reading.note("duplicate-text", said.place)
            elif has is None:
                self._reading.note("foreign-event", said.place)
            else:
                fresh.append(said)
        if is_whole and self._lacks(found):
            self._reading.note("foreign-event", place)
        for said in fresh:
            self._lanes.add(said.message)

    def _count(self) -> None:
        """Count what has ended since the last snapshot, up to the first item that has not."""
        items = self._lanes.known
        while self._counted < len(items) and _has_ended(items[self._counted]):
            item = items[self._counted]
            role, text = _role_of(item), _text_of(item)
            self._said[role, text] += 1
            if text:
                self._texts.add(text)
            self._counted += 1

    def _lacks(self, found: list[Said]) -> bool:
        """Return whether a snapshot lacks what has come, by id and by text."""
        ids = {said.message.get("messageId") for said in found} & self._lanes.owners.keys()
        texts = {_text_in(said.message) for said in found} & self._texts
        return len(ids) < len(self._lanes.owners) and len(texts) < len(self._texts)

    def _has(self, message: Json, taken: Counter[tuple[str, str]]) -> bool | None:
        """Return whether a message has come; None where it has come with other content."""
        role, text = message["role"], _text_in(message)
        results = _payloads(message, "tool_result")
        if results:
            known = [self._lanes.results.get(each["toolCallId"], self) for each in results]
            if self in known:
                return False
            return known == [each["content"] for each in results] or None
        calls = _payloads(message, "tool_call")
        mine = [call for call in calls if call["toolCallId"] in self._lanes.calls]
        are_same = len(mine) == len(calls) and all(map(self._is_same, calls))
        owners = self._lanes.owners.get(message.get("messageId", ""))
        if owners is not None:
            texts = [_text_of(owner) for owner in owners]
            return (are_same and text in ("".join(texts), *texts)) or None
        if mine:
            return (are_same and (not text or self._take(role, text, taken))) or None
        return not calls and bool(text) and self._take(role, text, taken)

    def _is_same(self, call: Json) -> bool:
        block = self._lanes.calls[call["toolCallId"]]
        known = call_part(block.name, block.tool, "".join(block.texts) or "{}")["payload"]
        return all(call.get(name) == known.get(name) for name in (*known, "rawArgsText"))

    def _take(self, role: str, text: str, taken: Counter[tuple[str, str]]) -> bool:
        """Return whether a text has come that stands for no other message of the snapshot."""
        taken[role, text] += 1
        return taken[role, text] <= self._said[role, text]


def _has_ended(item: Answer | Whole) -> bool:
    if isinstance(item, Whole):
        return item.is_ready
    return all(block.is_over or block.ended for block in item.blocks)


def _role_of(item: Answer | Whole) -> str:
    return "assistant" if isinstance(item, Answer) else str(item.message["role"])


def _text_of(item: Answer | Whole) -> str:
    if isinstance(item, Whole):
        return _text_in(item.message)
    return "".join("".join(block.texts) for block in item.blocks if block.kind == "text")


def _payloads(message: Json, kind: str) -> list[Json]:
    return [part["payload"] for part in message["parts"] if part["kind"] == kind]


def _text_in(message: Json) -> str:
    return "".join(payload["text"] for payload in _payloads(message, "text"))
