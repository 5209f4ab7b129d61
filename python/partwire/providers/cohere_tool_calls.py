"""Tool calls of a Cohere message: begun, continued and ended by their index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from partwire.errors import clip

from .delta_writer import DeltaWriter, OpenCall
from .findings import FindingLog
from .raw_events import as_json_text

__all__ = ["CohereToolCalls"]

_PLACE: Final = "/delta/message/tool_calls"


class _Call:
    """One call that has begun; it starts for the reader once its name is known."""

    __slots__ = ("call", "held", "provider_id")

    def __init__(self, provider_id: str) -> None:
        self.provider_id = provider_id
        self.call: OpenCall | None = None
        self.held: list[str] = []  # arguments that came before the name


class CohereToolCalls:
    """The tool calls of one message. ``before_call`` is called before one starts."""

    def __init__(
        self, writer: DeltaWriter, log: FindingLog, before_call: Callable[[], None]
    ) -> None:
        self._writer = writer
        self._log = log
        self._before_call = before_call
        self._open: dict[int, _Call] = {}
        self._last_index = -1

    def __len__(self) -> int:
        """How many are open."""
        return len(self._open)

    def __contains__(self, index: int) -> bool:
        """Whether the call with this index is open."""
        return index in self._open

    def start(self, index: object, entry: object, place: str = _PLACE) -> None:
        """Read one ``tool-call-start``, or a call of a whole message, at ``place``.

        Its arguments are empty in a stream and whole in a message.
        """
        if type(index) is not int:
            self._log.invalid("/index", "the call's number", index)
            index = self._last_index + 1
        entry = self._object(entry, place)
        if entry is None:
            return
        if index in self._open:
            # Some servers give every call the index 0: what begins is always another call.
            self._note_order("A tool call begins on the index of one that is open", index)
            self.end(index)
        self._last_index = index
        call = self._open[index] = _Call(self._log.string(entry.get("id"), f"{place}/id"))
        self._read_function(call, entry, place)

    def piece(self, index: object, entry: object) -> None:
        """Read one ``tool-call-delta``."""
        if type(index) is not int:
            self._log.invalid("/index", "the call's number", index)
            index = self._last_index
        call = self._open.get(index)
        entry = self._object(entry, _PLACE)
        if entry is None:
            return
        if call is not None:
            self._read_function(call, entry, _PLACE)
        else:
            self._note_order("A piece belongs to a tool call that is not open", index)
            self._writer.keep("unknown", entry)

    def end(self, index: object) -> None:
        """Read one ``tool-call-end``."""
        if type(index) is not int:
            self._log.invalid("/index", "the call's number", index)
            index = self._last_index
        call = self._open.pop(index, None)
        if call is None:
            self._note_order("A tool call ends that is not open", index)
        elif call.call is not None:
            self._writer.end_call(call.call)
        else:
            self._leave_out(call)

    def finish(self) -> None:
        """Say which open calls never got a name; the others are the writer's to end."""
        for call in self._open.values():
            if call.call is None:
                self._leave_out(call)
        self._open.clear()

    def _object(self, entry: object, place: str) -> dict[str, Any] | None:
        """Return the call that an event is about; whole messages have them in an array."""
        if type(entry) is dict:
            return entry
        self._log.invalid(place, "an object", entry)
        if type(entry) is list and len(entry) == 1 and type(entry[0]) is dict:
            return entry[0]
        return None

    def _read_function(self, call: _Call, entry: dict[str, Any], place: str) -> None:
        function = entry.get("function")
        if type(function) is not dict:
            self._log.invalid(f"{place}/function", "an object", function)
            return
        name = function.get("name")
        if name and call.call is None:
            name = self._log.string(name, f"{place}/function/name")
            if name:
                self._before_call()
                call.call = self._writer.open_call(call.provider_id or None, name)
                for held in call.held:
                    self._writer.args(call.call, held)
                call.held.clear()
        arguments = function.get("arguments")
        if arguments is None:
            return
        if not isinstance(arguments, str):
            self._log.invalid(f"{place}/function/arguments", "a string", arguments)
            arguments = as_json_text(arguments) or ""
        if call.call is None:
            call.held.append(arguments)
        else:
            self._writer.args(call.call, arguments)

    def _leave_out(self, call: _Call) -> None:
        self._log.note(
            "adapter/unnamed-tool-call",
            "A tool call without a name cannot be called; it is left out of the message",
            f"{_PLACE}/function/name",
            expected="the tool's name",
            actual=clip(call.provider_id),
        )
        data = {"id": call.provider_id, "arguments": "".join(call.held)}
        self._writer.keep("unnamed_tool_call", data)

    def _note_order(self, message: str, index: object) -> None:
        self._log.note("adapter/block-order", message, "/index", actual=clip(index))
