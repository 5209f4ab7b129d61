"""A stream as it grows, part by part: what is finished stays, what is open is drawn again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from ...json.text import decode_json
from ...message.assembler.partial_json import PartialJSON
from .layout import Layout
from .messages import call_text, citation_text, error_text, finish_text, part_entries, usage_text
from .pace import STALL_SECONDS, Pace

__all__ = ["LiveStream", "delta_text"]

_LEAST_ROWS: Final = 4
_MOST_DEPTH: Final = 64
"""Of arguments that are shown while they come."""
_AS_PARTS: Final = frozenset({"server_tool_result", "approval_request"})


def delta_text(delta: Any) -> str:
    """Return the text that a delta adds to what the model has written."""
    payload = delta.payload
    if delta.kind in ("text", "thinking"):
        return str(payload.text_delta)
    if delta.kind in ("tool_call_args", "server_tool_call_args"):
        return str(payload.args_text_delta)
    if delta.kind in ("tool_call_start", "server_tool_call_start"):
        return str(payload.tool_name)
    return ""


class _Item:
    """Something with a label: a text, a call, or what came whole. ``is_open``: more may come."""

    is_open = False

    def __init__(self, label: str, text: str = "") -> None:
        self.label = label
        self.text = text
        self.notes: list[tuple[str, str]] = []
        """What belongs behind it, such as sources."""
        self.goes_on = False
        """Whether lines of it, and its label, have been written."""

    def content(self) -> str:
        return self.text


class _Text(_Item):
    is_open = True


class _Call(_Item):
    is_open = True

    def __init__(self, payload: Any, *, is_server: bool) -> None:
        super().__init__("call")
        self._name, self._id, self._is_server = payload.tool_name, payload.tool_call_id, is_server
        self._partial = PartialJSON(_MOST_DEPTH)
        self._pieces: list[str] = []

    def feed(self, text: str) -> None:
        self._pieces.append(text)
        self._partial.feed(text)

    def content(self) -> str:
        arguments: Any = self._partial.value()
        if not self.is_open and (raw := "".join(self._pieces)):
            try:
                arguments = decode_json(raw.encode("utf-8", "surrogatepass"))
            except Exception:  # noqa: BLE001 - whatever it is, it is shown as it came
                arguments = raw
        told = call_text(self._name, self._id, arguments, is_server=self._is_server)
        return f"{told} …" if self.is_open else told


class _Media(_Item):
    is_open = True

    def __init__(self, payload: Any) -> None:
        super().__init__("media", str(payload.mime_type))
        self._bytes = 0
        self._said = ""

    def feed(self, payload: Any) -> None:
        for data in (payload.data, payload.data_delta):
            self._bytes += len(data) * 3 // 4 if isinstance(data, str) else 0
        if isinstance(payload.transcript_delta, str):
            self._said += payload.transcript_delta

    def content(self) -> str:
        told = f"{self.text}, {self._bytes:,} bytes{' so far' if self.is_open else ''}"
        return f"{told}\n{self._said}" if self._said else told


def _tail(text: str, most: int) -> str:
    """Return the first line of a text, and what fits on a screen of the rest."""
    head, _, rest = text.partition("\n")
    return text if len(text) <= most else f"{head[:most]}\n…{rest[-most:]}"


class LiveStream:
    """Takes deltas; gives the lines that stay, and those that are to be drawn."""

    def __init__(self, *, is_paced: bool = False) -> None:
        self.pace = Pace(is_paced=is_paced)
        self._items: list[_Item] = []
        self._calls: dict[str, _Call] = {}
        self._media: dict[str, _Media] = {}
        self._head: str | None = None
        self._ending: tuple[str, str] | None = None
        self._arrived = time.monotonic()

    def feed(self, delta: Any) -> None:
        """Take the next delta."""
        self._arrived = time.monotonic()
        text = delta_text(delta)
        self.pace.note(delta, text)
        kind, payload = delta.kind, delta.payload
        if kind in ("text", "thinking"):
            self._add_text(kind, text)
        elif kind in ("tool_call_start", "server_tool_call_start"):
            call = _Call(payload, is_server=kind.startswith("server"))
            self._calls[payload.tool_call_id] = call
            self._append(call)
        elif kind in ("tool_call_args", "server_tool_call_args"):
            if (open_call := self._calls.get(payload.tool_call_id)) is not None:
                open_call.feed(text)
        elif kind in ("tool_call_end", "server_tool_call_end"):
            self._close(self._calls.pop(payload.tool_call_id, None))
        else:
            self._feed_rest(kind, payload)

    def _feed_rest(self, kind: str, payload: Any) -> None:
        if kind == "start":
            self._head = " · ".join(
                each for each in ("stream", payload.model_id, payload.request_id) if each
            )
        elif kind == "media_start":
            self._append(media := _Media(payload))
            self._media[payload.media_id] = media
        elif kind == "media_data":
            if (open_media := self._media.get(payload.media_id)) is not None:
                open_media.feed(payload)
        elif kind == "media_end":
            self._close(self._media.pop(payload.media_id, None))
        elif kind == "text_citation":
            self.note("source", citation_text(msgspec.to_builtins(payload.citation)))
        elif kind in _AS_PARTS:
            for label, text in part_entries(
                {"kind": kind, "payload": msgspec.to_builtins(payload)}
            ):
                self._append(_Item(label, text))
        elif kind == "warning":
            told = msgspec.to_builtins(payload)
            self._append(_Item("warning", " ".join(str(each) for each in told.values())))
        elif kind == "done":
            self._ending = "finish", finish_text(msgspec.to_builtins(payload))
        elif kind == "error":
            self._ending = "error", error_text(msgspec.to_builtins(payload))

    def _add_text(self, kind: str, text: str) -> None:
        last = self._items[-1] if self._items else None
        if not (isinstance(last, _Text) and last.label == kind):
            self._append(last := _Text(kind))
        last.text += text

    def _append(self, item: _Item) -> None:
        if self._items and isinstance(self._items[-1], _Text):
            self._items[-1].is_open = False
        self._items.append(item)

    @staticmethod
    def _close(item: _Item | None) -> None:
        if item is not None:
            item.is_open = False

    def note(self, label: str, text: str) -> None:
        """Add what does not end a text, behind it."""
        texts = [each for each in self._items if isinstance(each, _Text)]
        if texts:
            texts[-1].notes.append((label, text))
        else:
            self._append(_Item(label, text))

    # --- lines ------------------------------------------------------------------------------------

    def staying(self, layout: Layout) -> Iterator[str]:
        """Yield lines that will not change any more, and forget them."""
        if self._head is not None:
            yield layout.clipped(self._head, "head")
            self._head = None
        while self._items and not self._items[0].is_open:
            yield from self._finished(self._items.pop(0), layout)
        first = self._items[0] if self._items else None
        if isinstance(first, _Text):
            lines = layout.lines(first.text)
            if len(lines) > 1:
                shown = [each for _, each in lines[:-1]]
                yield from layout.placed(first.label, shown, goes_on=first.goes_on)
                first.text, first.goes_on = lines[-1][0], True

    @staticmethod
    def _finished(item: _Item, layout: Layout) -> Iterator[str]:
        if item.content() or not item.goes_on:
            shown = [each for _, each in layout.lines(item.content())]
            yield from layout.placed(item.label, shown, goes_on=item.goes_on)
        for label, text in item.notes:
            yield from layout.entry(label, text)

    def drawn(self, layout: Layout, rows: int) -> list[str]:
        """Return the lines of what is open, the last of each, and how the stream is going; at most
        ``rows``, but for the least that makes sense.
        """
        each_rows = max(1, (max(rows, _LEAST_ROWS) - 2) // max(1, len(self._items)) - 1)
        lines: list[str] = []
        for item in self._items:
            shown = [text for _, text in layout.lines(_tail(item.content(), rows * layout.width))]
            shown = shown[-each_rows:]
            lines += layout.placed(item.label, shown, goes_on=item.goes_on)
        return [*lines[-(max(rows, _LEAST_ROWS) - 2) :], self._status(layout)]

    def stalled(self) -> float:
        """Return for how many seconds nothing has come; 0 where that is no stall."""
        waited = time.monotonic() - self._arrived
        return waited if waited > STALL_SECONDS and self._ending is None else 0.0

    def _status(self, layout: Layout) -> str:
        words = [self.pace.tokens_text()]
        if waited := self.stalled():
            words.insert(0, f"stalled for {waited:.0f} s")
        elif rate := self.pace.rate_text():
            words.append(rate)
        opened = sum(isinstance(each, _Call) and each.is_open for each in self._items)
        if opened:
            words.append(f"{opened} call{'s' if opened > 1 else ''} open")
        words.append(f"{self.pace.seconds:.1f} s")
        return layout.clipped(" · ".join(words), "warning" if waited else "dim")

    def summary(self, layout: Layout) -> Iterator[str]:
        """Yield what is left, which comes to its end, and what the stream has come to; nothing
        where nothing has come.
        """
        if not self.pace.deltas:
            return
        yield from self.staying(layout)
        for item in self._items:
            yield from self._finished(item, layout)  # what is open is shown as far as it came
        self._items.clear()
        for call_id in self._calls:
            yield from layout.entry("error", f"not closed: {call_id}")
        pace = self.pace
        if pace.usage is not None:
            yield from layout.entry("usage", usage_text(msgspec.to_builtins(pace.usage)))
        label, text = self._ending or ("error", "the stream ended before it was done")
        yield from layout.entry(label, text)
        words = [f"{pace.deltas:,} deltas", f"{pace.seconds:.1f} s"]
        words += [pace.tokens_text() + (" (estimated)" if not pace.tokens()[1] else "")]
        words.append(pace.rate_text() or "speed unknown: no times")
        if pace.stalls:
            longest = f"longest {pace.longest:.1f} s, before seq {pace.longest_seq}"
            words.append(f"{pace.stalls} stall{'s' if pace.stalls > 1 else ''}, {longest}")
        yield from layout.entry("stream", " · ".join(words))
