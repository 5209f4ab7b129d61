"""Credentials in streams of deltas: a key may begin in one delta and end in another.

Lines are given out in order, each as soon as it is certain that no key of its text can go on in
the next delta: with hardly a delay, since few texts end in what may become a key.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Final

from .credentials import HIDDEN, KEY_BEGUN, key_spans, redacted, redacted_state

__all__ = ["DeltaRedactor"]

_TEXT_MEMBER: Final = {
    "text": "textDelta",
    "thinking": "textDelta",
    "tool_call_args": "argsTextDelta",
    "server_tool_call_args": "argsTextDelta",
    "media_data": "transcriptDelta",
}
# What ends a text that goes on beside others, and the member that names it.
_ENDS: Final = {
    "tool_call_args": ("tool_call_end", "toolCallId"),
    "server_tool_call_args": ("server_tool_call_end", "toolCallId"),
    "media_data": ("media_end", "mediaId"),
}
_PARTS_NOTHING: Final = frozenset({"usage", "warning", "text_citation"})
_WHOLE_MEMBERS: Final = ("message", "place", "reason", "content", "structured")
_CONTEXT_CHARS: Final = 128  # what may be before a key and name it
_LOOK_CHARS: Final = 16_384  # no key is longer
_MAX_HELD_LINES: Final = 960  # the key of a certificate, token by token
_Channel = tuple[str, str]


class _Line:
    __slots__ = ("begin", "channel", "end", "row")

    def __init__(self, row: dict[str, Any], channel: _Channel | None) -> None:
        self.row = row
        self.channel = channel
        self.begin = self.end = 0


class _Text:
    """One text that deltas add to; positions count its characters from its beginning."""

    __slots__ = ("base", "hidden", "known", "tail")

    def __init__(self) -> None:
        self.base = 0  # the position of tail[0]
        self.tail = ""  # what is held, and some context before it
        self.known = 0  # what is before this position is settled
        self.hidden: list[tuple[int, int]] = []

    def add(self, text: str) -> tuple[int, int]:
        begin = self.base + len(self.tail)
        self.tail += text
        begun = KEY_BEGUN.search(self.tail, max(0, len(self.tail) - _LOOK_CHARS))
        open_at = begun.start(begun.lastgroup or 0) if begun else len(self.tail)
        self._settle(self.base + open_at)
        return begin, begin + len(text)

    def settle(self) -> None:
        self._settle(self.base + len(self.tail))

    def _settle(self, until: int) -> None:
        for begin, end in key_spans(self.tail):
            span = (self.base + begin, self.base + end)
            if span[0] < until and self.known < span[1]:
                self.hidden.append((max(span[0], self.known), span[1]))
                until = max(until, span[1])
        self.known = max(self.known, until)
        cut = self.known - _CONTEXT_CHARS - self.base
        if cut > 0:
            self.tail = self.tail[cut:]
            self.base += cut

    def shown(self, text: str, begin: int) -> str:
        """Return the settled ``text`` at ``begin`` without keys; one is marked where it begins."""
        end = begin + len(text)
        for key_begin, key_end in reversed(self.hidden):
            if key_begin < end and begin < key_end:
                at, upto = max(key_begin - begin, 0), min(key_end, end) - begin
                mark = HIDDEN if key_begin >= begin else ""
                text = text[:at] + mark + text[upto:]
        self.hidden = [span for span in self.hidden if span[1] > end]
        return text


class DeltaRedactor:
    """Takes rows that hold a delta as ``delta``; gives them back in order, without keys."""

    def __init__(self) -> None:
        self._lines: deque[_Line] = deque()
        self._texts: dict[_Channel, _Text] = {}

    def feed(self, row: dict[str, Any]) -> list[dict[str, Any]]:
        """Take the next row, which may be changed; return the rows that are settled now."""
        delta = row["delta"]
        kind, payload = delta["kind"], delta["payload"]
        if "providerRaw" in delta:
            delta["providerRaw"] = redacted(delta["providerRaw"])
        if "opaque" in payload:
            payload["opaque"] = redacted_state(payload["opaque"])
        member = _TEXT_MEMBER.get(kind)
        if member is not None and member not in payload:  # bytes alone
            member = None
        self._end_texts(kind, payload)
        if member is None:
            for name in _WHOLE_MEMBERS:
                if name in payload:
                    payload[name] = redacted(payload[name])
            if isinstance(citation := payload.get("citation"), dict):
                state = citation.pop("opaque", None)
                kept = {} if state is None else {"opaque": redacted_state(state)}
                payload["citation"] = redacted(citation) | kept
            self._lines.append(_Line(row, None))
        else:
            channel = (kind, payload.get(_ENDS[kind][1], "") if kind in _ENDS else "")
            line = _Line(row, channel)
            text = self._texts.setdefault(channel, _Text())
            line.begin, line.end = text.add(payload[member])
            self._lines.append(line)
        if len(self._lines) > _MAX_HELD_LINES:
            self._settle_all()
        return self._settled()

    def close(self) -> list[dict[str, Any]]:
        """Return the rows that are left."""
        self._settle_all()
        return self._settled()

    def _end_texts(self, kind: str, payload: dict[str, Any]) -> None:
        """Settle the texts that this delta ends: usage, warnings and citations end none."""
        if kind in _PARTS_NOTHING:
            return
        for channel, text in self._texts.items():
            if channel[0] in _ENDS:
                end, name = _ENDS[channel[0]]
                ends = kind == end and payload.get(name) == channel[1]
            else:
                ends = kind != channel[0]
            if ends or kind in ("done", "error"):
                text.settle()

    def _settle_all(self) -> None:
        for text in self._texts.values():
            text.settle()

    def _settled(self) -> list[dict[str, Any]]:
        out = []
        while self._lines:
            line = self._lines[0]
            if line.channel is not None:
                text = self._texts[line.channel]
                if text.known < line.end:
                    break
                payload = line.row["delta"]["payload"]
                member = _TEXT_MEMBER[line.channel[0]]
                payload[member] = text.shown(payload[member], line.begin)
            out.append(self._lines.popleft().row)
        return out
