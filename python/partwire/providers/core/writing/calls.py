"""Calls of tools: their ids, arguments and ends."""

from __future__ import annotations

from partwire.contract.current.message import (
    ServerToolCallArgsDelta,
    ServerToolCallEndDelta,
    ServerToolCallStartDelta,
    ToolCallArgsDelta,
    ToolCallArgsDeltaPayload,
    ToolCallEndDelta,
    ToolCallEndDeltaPayload,
    ToolCallStartDelta,
    ToolCallStartDeltaPayload,
)
from partwire.errors import clip

from ..call_ids import CallIds, OpenCall, WaitingCalls
from ..opaque import well_formed
from .stream import StreamInit, as_name
from .text import TextWriter

__all__ = ["CallWriter"]


class CallWriter(TextWriter):
    """Write calls of tools, of ours and of the provider's."""

    def __init__(self, stream: StreamInit) -> None:
        super().__init__(stream)
        self._call_ids = CallIds(stream.run_id, stream.used_tool_call_ids)
        self._open: dict[str, OpenCall] = {}
        self._ended: set[str] = set()  # ids of calls
        self._waiting = WaitingCalls()

    def open_call(self, provider_id: str | None, name: str) -> OpenCall:
        """Start a tool call; its id is the provider's, or a minted one where that cannot stand.

        ``provider_ids`` of the state maps a minted id to the provider's own.
        """
        self.start()
        self._break_part()
        call_id = self._call_ids.take(provider_id, self.request_id)
        if call_id != provider_id:
            self.state.provider_ids[call_id] = provider_id
            self._minted(provider_id)
        self._new_part("tool_call")
        call = self._open[call_id] = OpenCall(call_id, self.part)
        self._add(
            ToolCallStartDelta,
            ToolCallStartDeltaPayload(tool_call_id=call_id, tool_name=well_formed(name)),
        )
        return call

    def open_server_call(self, provider_id: str | None, name: str) -> OpenCall:
        """Start a call of a tool that the provider runs; its id is the provider's, or minted.

        Text, :meth:`args` and :meth:`end_call` go on as with any call. The provider's own id is in
        what is kept with the call.
        """
        self.start()
        self._break_part()
        call_id = self._call_ids.take(provider_id, self.request_id, "srv")
        if call_id != provider_id:
            self._minted(provider_id)
        self._new_part("server_tool_call")
        call = self._open[call_id] = OpenCall(call_id, self.part, server=True)
        self._waiting.add(call_id, "" if call_id == provider_id else as_name(provider_id))
        self._add(
            ServerToolCallStartDelta,
            ToolCallStartDeltaPayload(tool_call_id=call_id, tool_name=well_formed(name)),
        )
        return call

    def _minted(self, provider_id: str | None) -> None:
        self._log.note(
            "adapter/minted-id",
            "The tool call has no id, or one that the run has used; it got a new one",
            expected="an id that is unique in the run",
            actual="no id" if provider_id is None else clip(provider_id),
        )

    def args(self, call: OpenCall, text: str) -> None:
        """Append argument text to an open call; a part of text around it stays open."""
        if call.half or not text.isascii():
            text, call.half = self._whole(call.half + text)
        if text:
            payload = ToolCallArgsDeltaPayload(tool_call_id=call.tool_call_id, args_text_delta=text)
            self._add(ServerToolCallArgsDelta if call.server else ToolCallArgsDelta, payload)

    def end_call(self, call: OpenCall, *, last: bool = False) -> None:
        """End an open call; the ``last`` one of all carries what no other delta can."""
        if call.half:
            call.half = ""
            self._lone()
            self.args(call, "\ufffd")
        if self.collect is not None:
            self.collect()
        call_id = call.tool_call_id
        del self._open[call_id]
        self._ended.add(call_id)
        take = self.state.rest if last else self.state.of_part
        payload = ToolCallEndDeltaPayload(tool_call_id=call_id, opaque=take(call.part, call_id))
        self._add(ServerToolCallEndDelta if call.server else ToolCallEndDelta, payload)

    @property
    def open_calls(self) -> int:
        """How many calls are open."""
        return len(self._open)

    def is_open(self, call: OpenCall) -> bool:
        """Return whether a call has not ended: a result, or a question, ends the call it is of."""
        return self._open.get(call.tool_call_id) is call
