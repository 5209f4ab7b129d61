"""Any model as an adapter of content blocks: messages of blocks in, a response or chunks out."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from ..blocks import ChunkCollector, DeltasToChunks, ModelAdapterError, StreamingResponse
from ..contract.clock import now
from ..contract.current import blocks
from ..contract.current.message import DoneDelta, ErrorDelta, MessageDelta, StartDelta, ToolSpec
from ..contract.ids import uuid7
from ..convert import blocks_to_messages
from ..errors import Finding, StreamFailed, bad_argument
from ..losses import Loss
from ..providers import RETRYABLE
from .config import check_callables
from .protocol import Json, Model
from .stream import ModelStream

if TYPE_CHECKING:
    from anyio.abc import TaskGroup, TaskStatus

    from ..blocks import ChunkSender

__all__ = ["BlocksAdapter", "BlocksReport"]

_log: Final = logging.getLogger("partwire.model")
_IN_A_RESPONSE: Final = ("finish-reason", "model-id")  # losses of chunks alone
_UNNAMED: Final = ("", "unknown")


class BlocksReport(NamedTuple):
    """What one request and its answer lost on their way, and what the model found."""

    request: list[Loss]
    """What messages of blocks cannot say; a pointer's first step is the number of the message."""
    response: list[Loss]
    """What blocks cannot say of the answer; a pointer's first step is the number of the delta."""
    findings: list[Finding]
    """The findings of the model's stream."""


class BlocksAdapter:
    """A ModelAdapter over any :class:`.Model`.

    ``tasks``, an anyio task group, runs what feeds a stream, as long as that is read; without it
    there are whole responses only. A stream that is left early stops with its model's next delta;
    cancel the group to stop at once. ``tool_specs`` are the tools of all requests. ``on_end`` gets
    a report of each request when it is over, however it ended; by default it is logged.
    Temperature and the like are the model's own configuration. ``clock`` dates the messages.
    """

    def __init__(
        self,
        model: Model,
        tasks: TaskGroup | None = None,
        *,
        tool_specs: Sequence[ToolSpec | Json] = (),
        on_end: Callable[[BlocksReport], object] | None = None,
        clock: Callable[[], str] = now,
    ) -> None:
        if not isinstance(model, Model):
            raise bad_argument("An adapter of blocks stands over a model", "a Model", model)
        if tasks is not None and not callable(getattr(tasks, "start", None)):
            raise bad_argument("No tasks that can be used", "an anyio task group", tasks)
        check_callables(on_end=on_end or _logged, clock=clock)
        self.model = model
        self._tasks = tasks
        self._tool_specs = tool_specs
        self._on_end = on_end or _logged
        self._clock = clock

    def model_name(self) -> str:
        """Return the id of the model that is asked."""
        return self.model.model_info().model_id

    def supports_streaming(self) -> bool:
        """Return whether there is a task group for streams."""
        return self._tasks is not None

    async def send_message(
        self, messages: Sequence[blocks.Message], system_prompt: str | None, max_tokens: int
    ) -> blocks.ModelResponse:
        """Return the whole response, with the model's name and why it stopped.

        Raises ModelAdapterError where the model fails; what it said until then is ``partial`` of
        the error's ``__cause__``. Raises UsageError or ReadError for arguments that the contract
        refuses.
        """
        answer = self._asked(messages, system_prompt, max_tokens, whole=True)
        collector = ChunkCollector()
        async with aclosing(answer.chunks()) as chunks:
            async for chunk in chunks:
                collector.feed(chunk)
        try:
            response = collector.close()
        except StreamFailed as error:
            raise answer.failure() from error
        return replace(response, **answer.said)

    async def stream_message(
        self, messages: Sequence[blocks.Message], system_prompt: str | None, max_tokens: int
    ) -> StreamingResponse:
        """Return the response as a stream, once its first chunk is there.

        Raises as :meth:`send_message` where the model fails before; later it is an ``error`` chunk.
        Raises UsageError where the adapter has no task group.
        """
        if self._tasks is None:
            raise bad_argument(
                "A stream is fed by a task",
                "BlocksAdapter(model, tasks): an anyio task group",
                None,
            )
        answer = self._asked(messages, system_prompt, max_tokens)
        sender, response = StreamingResponse.channel()
        await self._tasks.start(answer.send, sender)
        return response

    def _asked(
        self, messages: Any, system_prompt: str | None, max_tokens: int, *, whole: bool = False
    ) -> _Answer:
        given = list(messages) if isinstance(messages, Sequence) else messages
        made, losses = blocks_to_messages(given, run_id=uuid7(), timestamp=self._clock())
        stream = self.model.stream(made, self._tool_specs, system_prompt, max_tokens=max_tokens)
        return _Answer(stream, losses, self._on_end, whole)


class _Answer:
    """One answer on its way from deltas to chunks."""

    def __init__(
        self,
        stream: ModelStream,
        request: list[Loss],
        on_end: Callable[[BlocksReport], object],
        whole: bool,
    ) -> None:
        self.said: dict[str, str] = {}  # what a response says, and chunks do not
        self._stream = stream
        self._request = request
        self._on_end = on_end
        self._kept = _IN_A_RESPONSE if whole else ()
        self._converter = DeltasToChunks()
        self._error: ErrorDelta | None = None

    async def chunks(self) -> AsyncGenerator[blocks.StreamChunk, None]:
        """Yield the chunks; the last one is ``message_stop`` or ``error``."""
        try:
            async with self._stream:
                async for delta in self._stream:
                    self._keep(delta)
                    for chunk in self._converter.feed(delta):
                        yield chunk
            for chunk in self._converter.close():
                yield chunk
        finally:
            response = [each for each in self._converter.losses if each.code not in self._kept]
            self._on_end(BlocksReport(self._request, response, self._stream.findings))

    async def send(self, sender: ChunkSender, *, task_status: TaskStatus[None]) -> None:
        """Send the chunks, having started with the first. Raises :meth:`failure` before that."""
        async with aclosing(self.chunks()) as chunks:
            first = await anext(chunks)
            if isinstance(first, blocks.ErrorChunk):
                raise self.failure()
            task_status.started()
            async with sender:
                await sender.send(first)
                async for chunk in chunks:
                    await sender.send(chunk)

    def failure(self) -> ModelAdapterError:
        """Return why there is no response."""
        if self._error is None:
            code, message = "truncated_stream", "The stream stopped before done or error"
            return ModelAdapterError(code, message, retryable=RETRYABLE[code])
        said = self._error.payload
        retryable = said.retryable
        if retryable is UNSET:
            retryable = RETRYABLE.get(said.error_code, False)
        message = said.message or said.error_code
        return ModelAdapterError(said.error_code, message, retryable=retryable)

    def _keep(self, delta: MessageDelta) -> None:
        if isinstance(delta, StartDelta) and delta.payload.model_id not in _UNNAMED:
            self.said["model"] = delta.payload.model_id
        elif isinstance(delta, DoneDelta):
            self.said["stop_reason"] = delta.payload.finish_reason
        elif isinstance(delta, ErrorDelta):
            self._error = delta


def _logged(report: BlocksReport) -> None:
    for where, losses in (("request", report.request), ("response", report.response)):
        for loss in losses:
            level = logging.INFO if loss.severity == "lossy" else logging.DEBUG
            _log.log(level, "%s: %s", where, loss)
    for finding in report.findings:
        level = logging.INFO if finding.severity == "info" else logging.WARNING
        _log.log(level, "%s", finding)
