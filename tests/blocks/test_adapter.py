"""What an adapter is to type checkers and to callers, and its error.

``make types`` reads this file: both checkers have to accept the adapters, and mypy --strict, which
refuses an ignore that is not needed, has to refuse what is none.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence

import anyio
import pytest

from partwire.blocks import ModelAdapter, ModelAdapterError, StreamingResponse, collect
from partwire.contract.current.blocks import (
    ContentBlockDeltaChunk,
    ContentBlockStartChunk,
    ContentBlockStopChunk,
    Message,
    MessageStopChunk,
    ModelResponse,
    StreamChunk,
    TextBlock,
    TokenUsage,
)

QUESTION = Message(role="user", content="Say it")


class Echo:
    """An adapter: it has the methods, and no base class."""

    def __init__(self, tasks: anyio.abc.TaskGroup, busy: bool = False) -> None:
        self._tasks = tasks
        self._busy = busy

    async def send_message(
        self, messages: Sequence[Message], system_prompt: str | None, max_tokens: int
    ) -> ModelResponse:
        if self._busy:
            raise ModelAdapterError("overloaded", "Busy.", retryable=True)
        return await collect(await self.stream_message(messages, system_prompt, max_tokens))

    async def stream_message(
        self, messages: Sequence[Message], system_prompt: str | None, max_tokens: int
    ) -> StreamingResponse:
        sender, stream = StreamingResponse.channel(2)
        words = f"{system_prompt}: {messages[-1].content}".split()[:max_tokens]

        async def produce() -> None:
            async with sender:
                for each in self._chunks(words):
                    await sender.send(each)

        self._tasks.start_soon(produce)
        return stream

    def _chunks(self, words: list[str]) -> list[StreamChunk]:
        deltas: list[StreamChunk] = [
            ContentBlockDeltaChunk(index=0, delta=f"{word} ") for word in words
        ]
        usage = TokenUsage(input_tokens=1, output_tokens=len(words))
        return [
            ContentBlockStartChunk(index=0),
            *deltas,
            ContentBlockStopChunk(index=0),
            MessageStopChunk(usage=usage),
        ]

    def model_name(self) -> str:
        return "echo-1"

    def supports_streaming(self) -> bool:
        return True


class Mute:
    """No adapter: streams are missing."""

    async def send_message(
        self, messages: Sequence[Message], system_prompt: str | None, max_tokens: int
    ) -> ModelResponse:
        raise NotImplementedError

    def model_name(self) -> str:
        return "mute-1"

    def supports_streaming(self) -> bool:
        return False


class Hasty(Echo):
    """No adapter: its answer is not awaited."""

    def send_message(  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        self, messages: Sequence[Message], system_prompt: str | None, max_tokens: int
    ) -> ModelResponse:
        raise NotImplementedError


async def ask(adapter: ModelAdapter) -> tuple[ModelResponse, ModelResponse]:
    """Use an adapter, whichever class it is of."""
    whole = await adapter.send_message([QUESTION], "Echo", 2)
    if adapter.supports_streaming():
        async with await adapter.stream_message([QUESTION], None, 9) as stream:
            return whole, await collect(stream)
    return whole, whole


def type_checked(tasks: anyio.abc.TaskGroup) -> list[ModelAdapter]:
    """Never called: what checkers have to say of each."""
    return [
        Echo(tasks),
        Mute(),  # type: ignore[list-item]  # pyright: ignore[reportReturnType]
        Hasty(tasks),  # type: ignore[list-item]  # pyright: ignore[reportReturnType]
    ]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_any_class_with_the_methods_is_an_adapter(backend: str) -> None:
    responses: list[ModelResponse] = []

    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            adapter = Echo(tasks)
            assert adapter.model_name() == "echo-1"
            responses.extend(await ask(adapter))

    anyio.run(main, backend=backend)
    whole, streamed = responses
    assert whole.content == [TextBlock(text="Echo: Say ")]
    assert streamed.content == [TextBlock(text="None: Say it ")]
    assert streamed.usage == TokenUsage(input_tokens=1, output_tokens=3)


def test_an_adapter_says_why_there_is_no_response() -> None:
    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            await ask(Echo(tasks, busy=True))

    with pytest.raises(ExceptionGroup) as caught:
        anyio.run(main)
    assert caught.group_contains(ModelAdapterError, match="Busy")


def test_an_adapters_error_is_a_finding_with_a_code() -> None:
    error = ModelAdapterError("timeout", "No answer in 30 s", retryable=True)
    assert (error.error_code, error.message, error.retryable) == (
        "timeout",
        "No answer in 30 s",
        True,
    )
    assert error.rule == "blocks/adapter-failed"
    said = "No answer in 30 s; expected a response; actual timeout [blocks/adapter-failed]"
    assert str(error) == said
    assert error.findings[0].actual == "timeout"
    assert ModelAdapterError("timeout", "").retryable is False


def test_an_adapters_error_goes_to_other_processes() -> None:
    error = ModelAdapterError("timeout", "No answer", retryable=True)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is ModelAdapterError
    assert again.findings == error.findings
    assert (again.error_code, again.message, again.retryable) == ("timeout", "No answer", True)
