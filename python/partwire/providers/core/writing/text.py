"""Text and thinking: where a part of it begins and ends, and halves of characters."""

from __future__ import annotations

from typing import Any, Final

from msgspec import UNSET, UnsetType

from partwire.contract.current.message import (
    MessageDelta,
    Opaque,
    TextDelta,
    TextDeltaPayload,
    ThinkingDelta,
    ThinkingDeltaPayload,
)

from ..opaque import well_formed
from .stream import StreamInit, StreamWriter, TextKind

__all__ = ["TextWriter"]


_TEXT: Final[dict[TextKind, tuple[type[MessageDelta], Any]]] = {
    "text": (TextDelta, TextDeltaPayload),
    "thinking": (ThinkingDelta, ThinkingDeltaPayload),
}


class TextWriter(StreamWriter):
    """Write text and thinking, in whole characters."""

    def __init__(self, stream: StreamInit) -> None:
        super().__init__(stream)
        self._text = {
            kind: (self._deltas[delta], payload) for kind, (delta, payload) in _TEXT.items()
        }
        self._half = ""  # of a character of text or thinking; deltas of calls may come between
        self._half_kind: TextKind = "text"
        self._text_parts: set[int] = set()
        self._last_text = -1

    def write(self, kind: TextKind, text: str) -> None:
        """Append text of the answer, or of the reasoning; "" neither makes a part nor ends one."""
        if self.kind != kind and text:
            self._begin(kind)
        if self._half or not text.isascii():
            text, self._half = self._whole(self._half + text)
        if text:
            # As _add does it: most deltas are made here.
            self.chars += len(text)
            delta, payload = self._text[kind]
            seq = self._seq
            self._seq = seq + 1
            self.out.append(
                delta(
                    run_id=self._run_id,
                    seq=seq,
                    payload=payload(text_delta=text),
                    timestamp=self._time or self._clock(),
                )
            )
            self._time = None

    def _begin(self, kind: TextKind) -> None:
        self.start()
        if self._half and self._half_kind != kind:
            self._drop_half()
        if self.kind is not None:
            self._leave()
        self._report_usage()
        self.kind = self._half_kind = kind
        self._new_part(kind)
        if kind == "text":
            self._text_parts.add(self.part)
            self._last_text = self.part

    def _new_part(self, kind: str) -> None:
        self.part += 1
        self.chars = 0
        self.wrote.add(kind)

    def _break_part(self) -> None:
        if self._half:
            self._drop_half()
        if self.kind is not None:
            self._leave()
        self._report_usage()

    def _leave(self) -> None:
        """End the text, or thinking, that is being written."""
        if self.collect is not None:
            self.collect()
        self._seal(self.state.of_part(self.part) if self.state else UNSET)

    def _seal(self, opaque: Opaque | UnsetType) -> None:
        """End the part with what the provider wants back with it."""
        kind, self.kind = self.kind, None
        if kind is not None and opaque is not UNSET:
            # Made for the sake of the delta that follows, and at the same instant.
            delta, payload = _TEXT[kind]
            self._add(delta, payload(text_delta="", opaque=opaque))
            self._time = self.out[-1].timestamp

    def flush_half(self) -> None:
        """Write a half character of text that is held back, for who counts its characters now."""
        if self._half and self._half_kind == "text":
            self._drop_half()

    def _drop_half(self) -> None:
        """Give up waiting for the other half of a character of text, or of thinking."""
        self._half = ""
        self._lone()
        self.write(self._half_kind, "\ufffd")

    def _whole(self, text: str) -> tuple[str, str]:
        """Return ``text`` without surrogates, and the half at its end that may yet be joined."""
        half = ""
        if "\ud800" <= text[-1:] <= "\udbff":
            text, half = text[:-1], text[-1]
        try:
            text.encode()
        except UnicodeEncodeError:
            whole = well_formed(text)
            if whole.count("\ufffd") > text.count("\ufffd"):
                self._lone()
            text = whole
        return text, half

    def _lone(self) -> None:
        self._log.note(
            "adapter/lone-surrogate",
            "Half a character came without its other half and became U+FFFD",
            expected="well-formed Unicode",
        )
