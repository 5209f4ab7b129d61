"""Tool calls of chat completion chunks: which piece belongs to which call.

The published rule: ``index`` tells the calls apart, id and name come with the first piece only.
What vendors make of it, and how it is read here (null, ``""`` and absent are one):

- No index: the id tells; with neither, a piece with a name opens a call and one without
  continues the last.
- A new id on a taken index is a new call; both stay open, the older one is found by its id. A
  new id without a name is the same call: some servers make up an id per chunk.
- A known id belongs to its call whatever the index, unless it comes with another name, or with
  a name at a new index: then it is another call, and gets an id of its own.
- Name before arguments, after them, or never: a call starts once its name is known; what came
  before is held back. One that never gets a name is left out, with a finding.
- A name may come in pieces, too: until a call has arguments, another name on its index in a later
  chunk goes on with the first one, or is all of it if it begins with the first one. So a call
  starts once it has arguments, or something else comes.
- Arguments as growing wholes instead of pieces are taken apart (see ``arguments.py``).

No call ends before the stream does: the format has no mark for it, and arguments that happen to
be valid JSON may still go on.
"""

from __future__ import annotations

from typing import Any, Final

from partwire.errors import clip

from ..core.findings import FindingLog
from ..core.raw_events import as_json_text, decode_event
from ..core.writer import DeltaWriter, OpenCall

__all__ = ["ArgumentPieces", "ChatToolCalls"]


# --- argument text --------------------------------------------------------------------------------

_OPEN: Final = 0
"""No text yet."""
_ONE: Final = 1
"""One piece, written."""
_HELD: Final = 2
"""One piece written, and others, each of which begins with all before it, held back."""
_PLAIN: Final = 3
_CUMULATIVE: Final = 4


class ArgumentPieces:
    """The argument text of one call; :meth:`add` returns what may be written."""

    __slots__ = ("_growths", "_held", "_state", "_whole")

    def __init__(self) -> None:
        self._state = _OPEN
        self._whole = ""  # first piece, then, if cumulative, all that has been written
        self._held: list[str] = []
        self._growths = 0

    @property
    def plain(self) -> bool:
        """Whether pieces are pieces, for certain: they may be written as they come."""
        return self._state == _PLAIN

    @property
    def cumulative(self) -> bool:
        """Whether each chunk repeats all before it, for certain."""
        return self._state == _CUMULATIVE

    def add(self, text: str) -> list[str]:
        """Take the text of one chunk, not empty; return what may be written of it, in order."""
        if self._state == _PLAIN:
            return [text]
        if self._state == _OPEN:
            # Only text that opens an object can be told apart later.
            self._state = _ONE if text.lstrip()[:1] == "{" else _PLAIN
            self._whole = text
            return [text]
        if self._state == _CUMULATIVE:
            return self._grow(text)
        before = self._held[-1] if self._held else self._whole
        if not text.startswith(before):
            return self._give_up(text)
        self._held.append(text)
        self._state = _HELD
        self._growths += len(text) > len(before)
        if self._growths == 2:
            self._state = _CUMULATIVE
            self._held = []
            return self._grow(text)
        return []

    def rest(self) -> tuple[list[str], bool]:
        """Return what is still held back now that the text has ended, and if it was cumulative."""
        held, self._held = self._held, []
        if not held:
            return [], False
        self._state = _PLAIN
        # As pieces an object would begin with a part of one: the two readings cannot both be JSON.
        if type(decode_event(held[-1])) is dict:
            tail = held[-1][len(self._whole) :]
            return [tail] if tail else [], True
        return held, False

    def _grow(self, text: str) -> list[str]:
        if not text.startswith(self._whole):
            if self._whole.startswith(text):
                return []  # an older whole again
            return self._give_up(text)
        tail = text[len(self._whole) :]
        self._whole = text
        return [tail] if tail else []

    def _give_up(self, text: str) -> list[str]:
        held, self._held = self._held, []
        self._state = _PLAIN
        self._whole = ""
        return [*held, text]


# --- calls ----------------------------------------------------------------------------------------

_PLACE: Final = "/choices/0/delta/tool_calls"


class _Call:
    """One call as far as it is known."""

    __slots__ = ("call", "chunk", "extra", "held", "name", "named_at", "pieces", "provider_id")

    def __init__(self, provider_id: str | None, name: str | None) -> None:
        self.provider_id = provider_id
        self.name = name
        self.named_at = -1  # number of the chunk that brought the name, or its first piece
        self.call: OpenCall | None = None
        self.held: list[str] = []  # arguments that came before the call could start
        self.pieces = ArgumentPieces()
        self.chunk = -1  # number of the chunk that brought its last piece
        self.extra: Any = None  # what Google's own endpoint wants back with the call


class ChatToolCalls:
    """The tool calls of one stream."""

    def __init__(self, writer: DeltaWriter, log: FindingLog) -> None:
        self._writer = writer
        self._log = log
        self._calls: list[_Call] = []
        self._by_index: dict[int | str, _Call] = {}
        self._by_id: dict[str, _Call] = {}
        self._last: _Call | None = None
        self._collided: _Call | None = None  # opened on the index of another call
        self.waiting: _Call | None = None  # has a name that may go on

    def read(self, entries: object) -> None:
        """Read the ``tool_calls`` of one chunk."""
        if type(entries) is dict:
            self._invalid("", "an array", entries)
            entries = [entries]
        if type(entries) is not list:
            self._invalid("", "an array", entries)
            return
        for number, entry in enumerate(entries):
            if type(entry) is dict:
                self._read_entry(entry)
            else:
                self._invalid(f"/{number}", "an object", entry)

    def read_legacy(self, function: object) -> None:
        """Read a ``function_call``: the one call of the older format, without an id."""
        if type(function) is not dict:
            self._invalid("", "an object", function)
            return
        name = self._text(function, "name")
        call = self._by_index.get("function_call")
        if call is None:
            call = self._by_index["function_call"] = self._new(None, name)
        self._add(call, name, function.get("arguments"))

    def settle(self) -> None:
        """Start the call that is waiting: no more of its name comes."""
        call, self.waiting = self.waiting, None
        if call is None or call.name is None:
            return
        event, self._log.event = self._log.event, call.named_at
        call.call = self._writer.open_call(call.provider_id, call.name)
        self._log.event = event
        for held in call.held:
            self._write(call.call, call.pieces, held)
        call.held.clear()

    def finish(self) -> None:
        """Write what is held back; say which calls never got a name."""
        self.settle()
        for call in self._calls:
            if call.call is None:
                self._log.note(
                    "adapter/unnamed-tool-call",
                    "A tool call without a name cannot be called; it is left out of the message",
                    _PLACE,
                    expected="the tool's name",
                    actual=clip(call.provider_id),
                )
                data = {"id": call.provider_id, "arguments": "".join(call.held)}
                self._writer.keep("unnamed_tool_call", data)
            else:
                if call.extra:
                    self._writer.keep_with(call.call, "extra_content", call.extra)
                pieces, cumulative = call.pieces.rest()
                if cumulative:
                    self._note_cumulative()
                for piece in pieces:
                    self._writer.args(call.call, piece)

    # --- one piece -------------------------------------------------------------------------------

    def _read_entry(self, entry: dict[str, Any]) -> None:
        function = entry.get("function")
        if type(function) is not dict:
            custom = entry.get("custom")
            if type(custom) is dict:
                self._log.note(
                    "adapter/unsupported-content",
                    "The input of a custom tool is text, not JSON; it stands as raw arguments",
                    _PLACE,
                )
                function = {"name": custom.get("name"), "arguments": custom.get("input")}
            else:
                if function is not None:
                    self._invalid("/function", "an object", function)
                function = entry  # some servers leave the layer out
        provider_id = self._text(entry, "id")
        name = self._text(function, "name")
        index = self._index(entry.get("index"))
        call = self._find(index, provider_id, name)
        if call is None:
            call = self._new(provider_id, name)
            if index in self._by_index:
                self._collided = call
        if index is not None:
            self._by_index[index] = call
        if provider_id is not None:
            call.provider_id = call.provider_id or provider_id
            self._by_id[call.provider_id] = call
        call.extra = entry.get("extra_content") or call.extra
        self._add(call, name, function.get("arguments"))

    def _find(self, index: int | None, provider_id: str | None, name: str | None) -> _Call | None:
        """Return the call that a piece continues, None if it opens one."""
        at_index = None if index is None else self._by_index.get(index)
        known = None if provider_id is None else self._by_id.get(provider_id)
        if at_index is not None and at_index.provider_id == provider_id:
            known = at_index  # of two calls with one id, the one at this index
        if known is not None and provider_id is not None:
            return None if self._is_another(known, at_index, index, name) else known
        if at_index is not None:
            return self._at_index(at_index, provider_id, name)
        if index is not None and provider_id is None and name is None and self._last is not None:
            # The head of a call on a taken index, its arguments on the next one.
            return self._collided if self._collided is self._last else None
        if index is None and provider_id is None and name is None:
            return self._last
        return None

    def _is_another(
        self, known: _Call, at_index: _Call | None, index: int | None, name: str | None
    ) -> bool:
        if name is None:
            return False
        if known.name is not None and name != known.name:
            return known is not at_index or not self._takes_more(known)
        if index is None:
            return known.chunk == self._log.event  # twice in one chunk
        return at_index is not known and bool(known.name)

    def _at_index(self, call: _Call, provider_id: str | None, name: str | None) -> _Call | None:
        if provider_id is not None and call.provider_id is not None:
            if name is not None:
                return None
            self._mismatch("id", call.provider_id, provider_id)
        elif name is not None and call.name is not None and name != call.name:
            return call if self._takes_more(call) else None
        return call

    def _takes_more(self, call: _Call) -> bool:
        """Return whether another name goes on with that of a call: it may be a piece."""
        return call is self.waiting and call.chunk != self._log.event

    def _new(self, provider_id: str | None, name: str | None) -> _Call:
        call = _Call(provider_id, name)
        self._calls.append(call)
        return call

    def _add(self, call: _Call, name: str | None, arguments: object) -> None:
        if call is not self.waiting:
            self.settle()
        if name is not None and call.call is None:
            self._take_name(call, name)
        self._last = call
        call.chunk = self._log.event
        text = arguments
        if text is not None and not isinstance(text, str):
            text = self._object_text(text)
        if text or call.held:
            self.settle()
        if not text:
            return
        if call.call is None:
            call.held.append(text)
        elif call.pieces.plain:
            self._writer.args(call.call, text)
        else:
            self._write(call.call, call.pieces, text)

    def _take_name(self, call: _Call, name: str) -> None:
        before = call.name or ""
        if call is not self.waiting:
            self.waiting, call.named_at = call, self._log.event
            call.name = name
        elif name != before:
            call.name = name if name.startswith(before) else before + name

    def _write(self, call: OpenCall, pieces: ArgumentPieces, text: str) -> None:
        was = pieces.cumulative
        for piece in pieces.add(text):
            self._writer.args(call, piece)
        if pieces.cumulative and not was:
            self._note_cumulative()

    # --- members ---------------------------------------------------------------------------------

    def _index(self, value: object) -> int | None:
        if type(value) is int or value is None:
            return value
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
            return int(value)
        self._invalid("/index", "the call's number", value)
        return None

    def _text(self, value: dict[str, Any], key: str) -> str | None:
        text = value.get(key)
        if text is None or isinstance(text, str):
            return text or None
        self._invalid(f"/{key}", "a string", text)
        return None

    def _object_text(self, value: object) -> str | None:
        """Return the text of arguments that came as a value; whole, so never cumulative."""
        self._invalid("/function/arguments", "JSON text in a string", value)
        return as_json_text(value)

    # --- findings --------------------------------------------------------------------------------

    def _invalid(self, place: str, expected: str, actual: object) -> None:
        self._log.note(
            "adapter/invalid-event",
            "A tool call does not have the form that the provider publishes",
            _PLACE + place,
            expected=expected,
            actual=clip(actual),
        )

    def _mismatch(self, what: str, expected: str, actual: str) -> None:
        self._log.note(
            "adapter/tool-call-mismatch",
            f"A piece of a tool call has another {what} than its first piece; the first one counts",
            f"{_PLACE}/{what}",
            expected=clip(expected),
            actual=clip(actual),
        )

    def _note_cumulative(self) -> None:
        self._log.note(
            "adapter/cumulative-arguments",
            "The arguments come as growing wholes, not as pieces; each whole is taken apart",
            f"{_PLACE}/function/arguments",
            expected="pieces",
        )
