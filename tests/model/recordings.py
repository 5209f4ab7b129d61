"""What the tests of recordings share: a scripted model, and ways to run and read one."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import anyio

from partwire import PartwireError, StreamFailed
from partwire.contract.current.message import (
    Message,
    MessageDelta,
    ModelInfo,
    StartDelta,
    StartDeltaPayload,
    TextDelta,
    TextDeltaPayload,
)
from partwire.model import Model, ModelStream
from tests.fixture_cases import case_file
from tests.providers.provider_streams import NOW

LONG = case_file("v0.1/providers/anthropic-messages/long-answer", "input")
TEXT = case_file("v0.1/providers/openai-chat/text", "input")
CALL = case_file("v0.1/streams/tool-call", "deltas")


def user(text: str) -> dict[str, Any]:
    """Return a message of the user."""
    parts = [{"kind": "text", "payload": {"text": text}}]
    return {"runId": "run_9", "role": "user", "timestamp": NOW, "parts": parts}


def run(main: Callable[[], Coroutine[Any, Any, Any]], backend: str = "asyncio") -> Any:
    """Run a coroutine function under an event loop."""
    return anyio.run(main, backend=backend)


def rows(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a recording."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def ask(model: Model, text: str = "Hi", **arguments: Any) -> Message:
    """Return the answer of a model."""

    async def main() -> Message:
        return await model.stream([user(text)], **arguments).message()

    return run(main)  # type: ignore[no-any-return]


def outcome(model: Model) -> Any:
    """Return what a stream gives: its message, or error and partial message; and its findings."""

    async def main() -> Any:
        stream = model.stream([])
        try:
            made = await stream.message()
        except StreamFailed as error:
            return error.error, error.partial, stream.findings
        return made, stream.findings

    return run(main)


def refusal(call: Callable[..., Any], *args: Any, **options: Any) -> str:
    """Return the rule of what a call raises; anything but ours fails the test."""
    try:
        call(*args, **options)
    except PartwireError as error:
        return error.rule
    return ""


class Scripted:
    """A model that says what it is told to, and raises or waits where it is told to."""

    def __init__(self, *script: Any) -> None:
        self.script = script
        self.closed = 0

    def update_config(self, **model_config: Any) -> None:
        pass

    def get_config(self) -> dict[str, Any]:
        return {"modelId": "scripted"}

    def model_info(self) -> ModelInfo:
        return ModelInfo(model_id="scripted", provider="test")

    def stream(self, messages: Sequence[Any], *args: Any, **params: Any) -> ModelStream:
        return ModelStream(self._deltas(), list)

    async def _deltas(self) -> AsyncGenerator[MessageDelta, None]:
        try:
            yield start()
            for seq, step in enumerate(self.script, 1):
                if isinstance(step, BaseException):
                    raise step
                if isinstance(step, str):
                    yield text(seq, step)
                else:
                    await anyio.sleep_forever()
        finally:
            self.closed += 1


def start() -> StartDelta:
    """Return the first delta."""
    payload = StartDeltaPayload(model_id="scripted", request_id="r")
    return StartDelta(run_id="run_1", seq=0, payload=payload, timestamp=NOW)


def text(seq: int, words: str) -> TextDelta:
    """Return a delta of text."""
    payload = TextDeltaPayload(text_delta=words)
    return TextDelta(run_id="run_1", seq=seq, payload=payload, timestamp=NOW)
