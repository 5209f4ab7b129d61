"""What an assistant said, stored: read by the adapter of its dialect, as the answer that it was."""

from __future__ import annotations

from collections.abc import Set
from typing import Any, Final

import msgspec

from partwire.contract.current.message import Message, MessageDelta
from partwire.errors import ReadError, StreamFailed, StreamProtocolError
from partwire.message.assembler.limits import Limits
from partwire.message.assembler.machine import MessageAssembler
from partwire.providers.core.adapter import ProviderAdapter
from partwire.providers.core.call_ids import UsedIds
from partwire.providers.registry import open_adapter

from ...tables.limits import MAX_LIMIT_DEPTH
from ..core.calls import Calls, OpenCall
from ..core.parts import text_part
from ..core.reading import Json, Reading
from ..core.source import is_nested

__all__ = ["MOST_LEVELS", "Answers"]

_PARTS_LOST: Final = frozenset(
    {"adapter/invalid-event", "adapter/unnamed-tool-call", "adapter/tool-call-mismatch"}
)
"""Findings of an adapter behind which something of the answer is not in the message."""

MOST_LEVELS: Final = 64
"""Adapters keep state that is nested no deeper."""

_MADE: Final = ("completedAt", "toolCallParseErrors")
"""What an assembler says of a stream, and a document does not."""

_MANY: Final = 2**53 - 1
# The document is in memory already: only its depth has a limit.
_LIMITS: Final = Limits(
    **{
        name: MAX_LIMIT_DEPTH if name.endswith("_depth") else _MANY
        for name in Limits.__struct_fields__
    }
)


class Answers:
    """The answers of one history: ids of calls are unique among all of them."""

    def __init__(
        self,
        dialect: str,
        reading: Reading,
        *,
        calls: Calls | None = None,
        used: UsedIds | None = None,
    ) -> None:
        # A history with answers of several dialects has its calls and their ids in common.
        self.calls: Final = Calls() if calls is None else calls
        self._dialect = dialect
        self._reading = reading
        self._used = UsedIds() if used is None else used
        self._number = 0
        self.was_damaged = False  # something of the last answer is not in its message

    def add(self, body: Json, place: str | None, *, is_whole: bool = False, **members: Any) -> Json:
        """Add the message of a whole answer that stands at ``place``, and return it.

        Without a place the caller says itself where something of it is lost, if ``was_damaged``.
        ``is_whole``: the document has the answer as the provider gave it, so that what it says of
        itself, such as its usage, is the message's.
        """
        self._number += 1
        try:
            adapter, deltas = self._feed(body, self._used, is_whole=is_whole)
            said = _assembled(deltas)
        except StreamProtocolError as error:  # arguments that are text are nested too deep
            findings = [each._replace(pointer=place or "", line=None) for each in error.findings]
            raise ReadError(*findings) from None
        message = msgspec.to_builtins(said)
        for part in message["parts"]:
            if part["kind"] in {"tool_call", "server_tool_call"}:
                call_id = part["payload"]["toolCallId"]
                self._used.add(call_id)
                if part["kind"] == "tool_call":
                    own = adapter.provider_ids.get(call_id, call_id)
                    self.calls.add(OpenCall(call_id, part["payload"]["toolName"], own))
        self.was_damaged = _is_damaged(adapter)
        if place is not None and (self.was_damaged or is_nested(body, MOST_LEVELS)):
            self._reading.note("malformed-part", place)
        if is_whole:
            members["meta"] = _meta(message["meta"], adapter)
        return self._reading.add("assistant", message["parts"], **members)

    def add_text(self, text: str, **members: Any) -> Json:
        """Add the message of an answer that is one text, and return it: what :meth:`add` makes.

        Most answers are: this takes a tenth of the time.
        """
        self._number += 1
        self.was_damaged = False
        return self._reading.add("assistant", [text_part(text)], **members)

    def is_damaged(self, body: Json) -> bool:
        """Return whether something of an answer would not be in its message."""
        if is_nested(body, MOST_LEVELS):
            return True
        return _is_damaged(self._feed(body, frozenset(), is_whole=False)[0])

    def _feed(
        self, body: Json, used: Set[str], *, is_whole: bool
    ) -> tuple[ProviderAdapter, list[MessageDelta]]:
        reading = self._reading
        adapter = open_adapter(
            self._dialect,
            reading.run_id,
            clock=lambda: reading.timestamp,
            used_tool_call_ids=used,
        )
        request_id = "" if is_whole else f"{reading.run_id}.{self._number}"
        deltas = adapter.identify(request_id=request_id)
        deltas += adapter.feed(body)
        return adapter, deltas + adapter.close()


def _is_damaged(adapter: ProviderAdapter) -> bool:
    return any(each.rule in _PARTS_LOST for each in adapter.findings)


def _assembled(deltas: list[MessageDelta]) -> Message:
    """Return the message of deltas; of an answer that failed, what there is of it."""
    stream = MessageAssembler(limits=_LIMITS)
    for delta in deltas:
        stream.consume(delta)
    try:
        return stream.build_final_message()
    except StreamFailed as error:
        partial: Message = error.partial
        return partial


def _meta(meta: Json, adapter: ProviderAdapter) -> Json | None:
    """Return what an answer says of itself, without what stands in for what it does not say."""
    made = {*_MADE, *([] if adapter.model_id else ["modelId"])}
    made |= set() if adapter.request_id else {"requestId"}
    return {name: value for name, value in meta.items() if name not in made} or None
