"""A stream as it grows, part by part: what is finished stays, what is open is drawn again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from .growing import Call, Item, Media, Text
from .layout import Layout
from .messages import citation_text, error_text, finish_text, part_entries, usage_text
from .pace import STALL_SECONDS, Pace

__all__ = ["LiveStream", "delta_text"]

_LEAST_ROWS: Final = 4
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


class LiveStream:
    """Takes deltas; gives the lines that stay, and those that are to be drawn."""

    def __init__(self, *, is_paced: bool = False) -> None:
        self.pace = Pace(is_paced=is_paced)
        self._items: list[Item] = []
        self._calls: dict[str, Call] = {}
        self._media: dict[str, Media] = {}
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
            call = Call(payload, is_server=kind.startswith("server"))
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
            self._append(media := Media(payload))
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
                self._append(Item(label, text))
        elif kind == "warning":
            told = msgspec.to_builtins(payload)
            self._append(Item("warning", " ".join(str(each) for each in told.values())))
        elif kind == "done":
            self._ending = "finish", finish_text(msgspec.to_builtins(payload))
        elif kind == "error":
            self._ending = "error", error_text(msgspec.to_builtins(payload))

    def _add_text(self, kind: str, text: str) -> None:
        last = self._items[-1] if self._items else None
        if not (isinstance(last, Text) and last.label == kind):
            self._append(last := Text(kind))
        last.feed(text)

    def _append(self, item: Item) -> None:
        if self._items and isinstance(self._items[-1], Text):
            self._items[-1].is_open = False
        self._items.append(item)

    @staticmethod
    def _close(item: Item | None) -> None:
        if item is not None:
            item.is_open = False

    def note(self, label: str, text: str) -> None:
        """Add what does not end a text, behind it."""
        last = next((each for each in reversed(self._items) if isinstance(each, Text)), None)
        if last is not None:
            last.notes.append((label, text))
        else:
            self._append(Item(label, text))

    # --- lines ------------------------------------------------------------------------------------

    def staying(self, layout: Layout) -> Iterator[str]:
        """Yield lines that will not change any more, and forget them."""
        if self._head is not None:
            yield layout.clipped(self._head, "head")
            self._head = None
        while self._items and not self._items[0].is_open:
            yield from self._finished(self._items.pop(0), layout)
        first = self._items[0] if self._items else None
        if isinstance(first, Text):
            lines = layout.lines(first.content())
            if len(lines) > 1:
                shown = [each for _, each in lines[:-1]]
                yield from layout.placed(first.label, shown, goes_on=first.goes_on)
                first.replace(lines[-1][0])
                first.goes_on = True

    @staticmethod
    def _finished(item: Item, layout: Layout) -> Iterator[str]:
        if (text := item.content()) or not item.goes_on:
            shown = [each for _, each in layout.lines(text)]
            yield from layout.placed(item.label, shown, goes_on=item.goes_on)
        for label, text in item.notes:
            yield from layout.entry(label, text)

    def drawn(self, layout: Layout, rows: int) -> list[str]:
        """Return the lines of what is open, the last of each, and how the stream is going; at most
        ``rows``, but for the least that makes sense.
        """
        items = self._items[-max(rows, _LEAST_ROWS) :]  # each of them takes a row
        each_rows = max(1, (max(rows, _LEAST_ROWS) - 2) // max(1, len(items)) - 1)
        lines: list[str] = []
        for item in items:
            shown = [text for _, text in layout.lines(item.shown(rows * layout.width))]
            if len(shown) > each_rows > 1 and not isinstance(item, Text):
                del shown[1 : 1 - each_rows]  # the first line says what it is
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
        if opened := len(self._calls):
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
