"""A run as a stream reader gives it: deltas of several messages, with whole messages between."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from partwire.contract.current.message import (
    Message,
    StartDelta,
    TextDelta,
    ThinkingDelta,
    ToolCallArgsDelta,
)
from partwire.errors import Finding, ReadError, StreamFailed, StreamProtocolError
from partwire.message.assembler.limits import Limits
from partwire.message.assembler.lines import BLANK, read_item
from partwire.message.assembler.machine import MessageAssembler
from partwire.reading.pipeline import read

from .branches import Branch, Path

__all__ = ["RunAssembler", "RunItem", "item_of"]

RunItem: TypeAlias = Any
"""A delta, a whole message (a struct or a JSON object), or a :class:`Branch`."""


_PIECES: Final = frozenset({TextDelta, ThinkingDelta, ToolCallArgsDelta})


def item_of(item: RunItem) -> Any:
    """Return an item as a struct: a delta, a message, or BLANK for a blank line.

    Raises ReadError for what is neither, such as a Branch: what is written is not taken back.
    """
    if type(item) in _PIECES or isinstance(item, Message):
        return item
    if isinstance(item, Branch):
        found = "A stream that is written does not go back"
        raise ReadError(Finding("shape/type", found, expected="a delta or a message"))
    if isinstance(item, Mapping) and "role" in item:
        made: Message = read(dict(item), Message)
        return made
    return read_item(item, "strict", is_first=False)


class RunAssembler:
    """Makes the history of a run out of its items.

    A message has the place at which its stream began. A stream that ends with ``error``, and one
    that the next one or the end of the run cuts, gives a message with ``meta.incomplete``, never a
    finished one. ``failures`` says why, for streams that ended with ``error``, and ``cuts`` has the
    rest: ``stream/truncated``. Messages that a branch leaves are not there, unless a later one goes
    back to them.
    """

    def __init__(self, *, limits: Limits | None = None) -> None:
        self.failures: list[StreamFailed] = []
        self.cuts: list[StreamProtocolError] = []
        self._limits = limits
        self._messages: list[Message | None] = []
        self._path = Path()
        self._open: MessageAssembler | None = None
        self._place = 0  # of the message whose stream is open

    @property
    def messages(self) -> list[Message]:
        """The messages that are there so far; of an open stream there is none yet."""
        found = map(self._messages.__getitem__, self._path.numbers())
        return [message for message in found if message is not None]

    @property
    def open(self) -> MessageAssembler | None:
        """The assembler of the stream that is open, to show what has come of it."""
        return self._open

    def feed(self, item: RunItem) -> None:
        """Take the next item.

        Raises ReadError for what is neither a delta nor a message, StreamProtocolError for a delta
        that breaks a rule; what came before stays.
        """
        if self._open is not None and type(item) in _PIECES:  # nearly all
            self._open.consume(item)
            return
        if isinstance(item, Branch):
            self._path.branch(item)
            return
        if isinstance(item, Message):
            self._append(item)
            return
        if isinstance(item, Mapping) and "role" in item:
            made: Message = read(dict(item), Message)
            self._append(made)
            return
        delta: Any = read_item(item, "strict", is_first=False)
        if delta is BLANK:
            return
        if self._open is None or isinstance(delta, StartDelta):
            stream = MessageAssembler(limits=self._limits)
            stream.consume(delta)
            self._cut()
            self._open, self._place = stream, len(self._messages)
            self._append(None)
            return
        self._open.consume(delta)
        if self._open.status == "done":
            self._messages[self._place] = self._open.build_final_message()
            self._open = None
        elif self._open.status == "error":
            self._fail(self._open)

    def feed_all(self, items: Iterable[RunItem]) -> RunAssembler:
        """Take several items, and return this assembler."""
        for item in items:
            self.feed(item)
        return self

    def finish(self) -> list[Message]:
        """Say that no more comes, and return the messages."""
        self._cut()
        return self.messages

    def _append(self, message: Message | None) -> None:
        self._messages.append(message)
        self._path.add()

    def _cut(self) -> None:
        if self._open is None:
            return
        try:
            self._open.close()
        except StreamProtocolError as cut:
            self.cuts.append(cut)
        self._messages[self._place] = self._open.build_partial("truncated")
        self._open = None

    def _fail(self, stream: MessageAssembler) -> None:
        try:
            stream.build_final_message()
        except StreamFailed as failure:
            self.failures.append(failure)
            self._messages[self._place] = failure.partial
        self._open = None
