"""The deltas of one answer, and what came with them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from types import TracebackType
from typing import Self

from ..contract.current.message import Message, MessageDelta
from ..errors import Finding, UsageError
from ..message import assemble_async

__all__ = ["ModelStream"]


class ModelStream:
    """An asynchronous iterator of deltas; the last one is ``done`` or ``error``.

    Nothing is sent to the provider before the first delta is asked for, and nothing is left open
    when the last one has come. Close a stream that is not read to its end (``async with`` does,
    ``aclose``), or cancel the task that reads it: the connection is closed with it. One stream is
    read by one task, once; else UsageError ``usage/stream-taken``.
    """

    def __init__(
        self,
        deltas: AsyncGenerator[MessageDelta, None],
        findings: Callable[[], list[Finding]],
    ) -> None:
        self._deltas = deltas
        self._findings = findings
        self._taken = False
        self._reading = False

    @property
    def findings(self) -> list[Finding]:
        """What the request cannot say, then what the answer had that did not fit, in order."""
        return self._findings()

    async def message(self) -> Message:
        """Read to the end, close, and return the message.

        Raises as ``partwire.assemble_async``: StreamFailed where the last delta is ``error``;
        UsageError where the stream has been read or closed, in part or whole.
        """
        if self._taken:
            raise _taken("a stream that is not read yet", "read or closed already")
        async with self:
            return await assemble_async(self)

    async def aclose(self) -> None:
        """Close the stream and its connection; again does nothing."""
        self._check_idle()
        self._taken = True
        await self._deltas.aclose()

    def __aiter__(self) -> Self:
        """Return the stream itself: it is read once."""
        return self

    async def __anext__(self) -> MessageDelta:
        """Return the next delta."""
        self._check_idle()
        self._taken = self._reading = True
        try:
            return await anext(self._deltas)
        finally:
            self._reading = False

    def _check_idle(self) -> None:
        """Raise UsageError where a task waits for the next delta: cancelling it is the way."""
        if self._reading:
            raise _taken("one task, which reads and closes", "another task waits for a delta")

    async def __aenter__(self) -> Self:
        """Return the stream; it is closed at the end of the block."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the stream."""
        await self.aclose()


def _taken(expected: str, actual: str) -> UsageError:
    message = "A model's stream is read by one task, once"
    return UsageError(Finding("usage/stream-taken", message, expected=expected, actual=actual))
