"""Any model as an adapter of content blocks: whole responses, streams, failures and losses."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

from partwire import ReadError, StreamFailed, StreamProtocolError, UsageError, to_wire
from partwire.blocks import ModelAdapter, ModelAdapterError, collect
from partwire.contract.current.blocks import (
    ErrorChunk,
    Message,
    TextBlock,
    TokenUsage,
    ToolResultBlock,
    ToolUseBlock,
)
from partwire.model import BlocksAdapter, BlocksReport, ReplayModel
from tests.fixture_cases import ROOT
from tests.message.delta_streams import stream as deltas_from
from tests.model.recordings import Scripted
from tests.providers.provider_streams import fixed_clock

QUESTION = Message(role="user", content="Say it")
USAGE = ("usage", 3, 4, 7)
ANSWER = ("start", ("text", "Hel"), ("text", "lo"), USAGE, "done")
BACKENDS = pytest.mark.parametrize("backend", ["asyncio", "trio"])
Play = Callable[..., ReplayModel]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Return a model that answers with deltas, given as rows of ``delta_streams.stream``."""

    def made(*rows: Any) -> ReplayModel:
        path = tmp_path / "deltas.jsonl"
        path.write_text("\n".join(json.dumps(each) for each in deltas_from(*rows)))
        return ReplayModel(path, clock=fixed_clock, loop=True)

    return made


def run(main: Callable[..., Awaitable[Any]], backend: str = "asyncio") -> Any:
    """Run ``main(tasks)`` in a task group, and raise what it raises."""

    async def whole() -> Any:
        async with anyio.create_task_group() as tasks:
            return await main(tasks)

    try:
        return anyio.run(whole, backend=backend)
    except ExceptionGroup as group:
        [error] = group.exceptions
        raise error from error.__cause__


def whole(adapter: ModelAdapter, messages: Sequence[Any] = (QUESTION,), *rest: Any) -> Any:
    """Return the whole response."""

    given: tuple[Any, ...] = rest or (None, 9)

    async def main(_: Any) -> Any:
        return await adapter.send_message(messages, *given)

    return run(main)


def codes(losses: Any) -> set[str]:
    return {each.code for each in losses}


@BACKENDS
def test_a_model_answers_whole_and_as_a_stream(play: Play, backend: str) -> None:
    async def main(tasks: Any) -> Any:
        adapter: ModelAdapter = BlocksAdapter(play(*ANSWER), tasks)
        assert adapter.model_name() == "model-1"
        assert adapter.supports_streaming()
        response = await adapter.send_message([QUESTION], "Be brief.", 9)
        async with await adapter.stream_message([QUESTION], None, 9) as stream:
            return response, await collect(stream)

    response, streamed = run(main, backend)
    assert response.content == streamed.content == [TextBlock(text="Hello")]
    usage = TokenUsage(input_tokens=3, output_tokens=4, total_tokens=7)
    assert response.usage == streamed.usage == usage
    assert (response.model, response.stop_reason) == ("model-1", "stop")


def test_the_chunks_are_those_of_the_deltas(play: Play) -> None:
    async def main(tasks: Any) -> list[Any]:
        stream = await BlocksAdapter(play(*ANSWER), tasks).stream_message([QUESTION], None, 9)
        return [to_wire(chunk) async for chunk in stream]

    kinds = [(chunk["type"], chunk.get("delta")) for chunk in run(main)]
    assert kinds == [
        ("content_block_start", None),
        ("content_block_delta", "Hel"),
        ("content_block_delta", "lo"),
        ("content_block_stop", None),
        ("message_stop", None),
    ]


class Asked(Scripted):
    """Keeps what it is asked."""

    asked: tuple[Any, ...] = ()

    def stream(self, *args: Any, **params: Any) -> Any:
        self.asked = args, params
        return super().stream(*args, **params)


def test_the_model_is_asked_in_messages(play: Play) -> None:
    call = ToolUseBlock(tool_use_id="a", tool_name="f", parameters={"x": 1})
    result = ToolResultBlock(tool_use_id="a", content="ok", is_error=True)
    history = [
        QUESTION,
        Message(role="assistant", content=[call]),
        Message(role="user", content=[result, TextBlock(text="Go on")]),
    ]
    model = Asked()
    tools = [{"name": "f", "parameterSchema": {"type": "object"}}]
    adapter = BlocksAdapter(model, tool_specs=tools, clock=fixed_clock)
    with pytest.raises(ModelAdapterError):  # it says nothing at all
        whole(adapter, history, "Be brief.", 7)
    (messages, specs, prompt), params = model.asked
    assert (specs, prompt, params) == (tools, "Be brief.", {"max_tokens": 7})
    wire = [to_wire(each) for each in messages]
    assert [each["role"] for each in wire] == ["user", "assistant", "tool", "user"]
    assert wire[2]["parts"][0]["payload"] == {"toolCallId": "a", "content": "ok", "isError": True}
    assert len({each["runId"] for each in wire}) == 1


def test_a_tool_call_is_a_block(play: Play) -> None:
    call = (("tool_call_start", "a", "f"), ("tool_call_args", "a", '{"x":1}'))
    response = whole(
        BlocksAdapter(play("start", *call, ("tool_call_end", "a"), ("done", "tool_call")))
    )
    assert response.content == [ToolUseBlock(tool_use_id="a", tool_name="f", parameters={"x": 1})]
    assert response.stop_reason == "tool_call"


# --- what is lost ---------------------------------------------------------------------------------


def test_losses_and_findings_of_each_request_are_reported(play: Play) -> None:
    reports: list[BlocksReport] = []
    model = play("start", ("thinking", "Hm"), *ANSWER[1:], "done")
    source = Message(role="system", content=[TextBlock(text="a"), image()])

    async def main(tasks: Any) -> None:
        adapter = BlocksAdapter(model, tasks, on_end=reports.append)
        await adapter.send_message([QUESTION, source], None, 9)
        async with await adapter.stream_message([QUESTION], None, 9) as stream:
            await collect(stream)

    run(main)
    sent, streamed = reports
    assert [(each.code, each.pointer) for each in sent.request if each.severity == "lossy"] == [
        ("block-role", "/1/content/1")
    ]
    lossy = codes(sent.response)
    assert {"thinking", "run-id"} <= lossy
    assert codes(streamed.response) - lossy == {"model-id", "finish-reason"}
    assert [each.rule for each in sent.findings] == ["adapter/after-end"]
    assert streamed.request == [each for each in sent.request if each.pointer.startswith("/0/")]


def image() -> Any:
    return {"type": "image", "image_type": "url", "media_type": "image/png", "data": "https://x/y"}


def test_what_is_lost_is_logged(play: Play, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "partwire.model")
    whole(BlocksAdapter(play("start", ("thinking", "Hm"), *ANSWER[1:], "done")))
    assert "response: Reasoning has no chunk at /1 [lossy: thinking]" in caplog.messages
    assert any("adapter/after-end" in each for each in caplog.messages)
    assert not any("message_stop has no finish reason" in each for each in caplog.messages)


# --- failures -------------------------------------------------------------------------------------

BUSY = ("error", "overloaded", "Busy", True)


@BACKENDS
def test_a_model_that_fails_at_once_raises(play: Play, backend: str) -> None:
    async def main(tasks: Any) -> None:
        adapter = BlocksAdapter(play("start", BUSY), tasks)
        for ask in (adapter.send_message, adapter.stream_message):
            with pytest.raises(ModelAdapterError, match="Busy") as caught:
                await ask([QUESTION], None, 9)
            assert (caught.value.error_code, caught.value.retryable) == ("overloaded", True)

    run(main, backend)


@BACKENDS
def test_a_failure_behind_the_beginning_comes_through_the_stream(play: Play, backend: str) -> None:
    async def main(tasks: Any) -> list[Any]:
        adapter = BlocksAdapter(play("start", ("text", "Hel"), BUSY), tasks)
        with pytest.raises(ModelAdapterError, match="Busy") as caught:
            await adapter.send_message([QUESTION], None, 9)
        cause = caught.value.__cause__
        assert isinstance(cause, StreamFailed)
        assert cause.partial == Message(role="assistant", content=[TextBlock(text="Hel")])
        stream = await adapter.stream_message([QUESTION], None, 9)
        return [chunk async for chunk in stream]

    assert run(main, backend)[-1] == ErrorChunk(message="Busy")


@BACKENDS
def test_what_a_model_raises_reaches_the_reader(backend: str) -> None:
    async def main(tasks: Any) -> None:
        early = BlocksAdapter(Scripted(ValueError("odd")), tasks)
        for ask in (early.send_message, early.stream_message):
            with pytest.raises(ValueError, match="odd"):
                await ask([QUESTION], None, 9)
        late = BlocksAdapter(Scripted("Hel", ValueError("odd")), tasks)
        stream = await late.stream_message([QUESTION], None, 9)
        with pytest.raises(ModelAdapterError, match="odd") as caught:
            _ = [chunk async for chunk in stream]
        assert isinstance(caught.value.__cause__, ValueError)

    run(main, backend)


@BACKENDS
def test_a_model_that_stops_before_its_end_is_truncated(backend: str) -> None:
    async def main(tasks: Any) -> Any:
        adapter = BlocksAdapter(Scripted("Hel"), tasks)
        with pytest.raises(ModelAdapterError) as caught:
            await adapter.send_message([QUESTION], None, 9)
        assert caught.value.error_code == "truncated_stream"
        return [chunk async for chunk in await adapter.stream_message([QUESTION], None, 9)]

    assert isinstance(run(main, backend)[-1], ErrorChunk)


@BACKENDS
def test_who_leaves_a_stream_stops_its_model(backend: str) -> None:
    model, reports = Scripted(*["word "] * 100), list[BlocksReport]()

    async def main(tasks: Any) -> None:
        adapter = BlocksAdapter(model, tasks, on_end=reports.append)
        async with await adapter.stream_message([QUESTION], None, 9) as stream:
            await anext(stream)

    run(main, backend)
    assert model.closed == 1
    assert len(reports) == 1


@BACKENDS
def test_a_cancelled_request_closes_its_model(backend: str) -> None:
    model = Scripted(None)  # waits for ever

    async def main(tasks: Any) -> None:
        adapter = BlocksAdapter(model, tasks)
        for ask in (adapter.send_message, adapter.stream_message):
            with anyio.move_on_after(0.02) as scope:
                await ask([QUESTION], None, 9)
            assert scope.cancelled_caught

    run(main, backend)
    assert model.closed == 2


# --- arguments ------------------------------------------------------------------------------------


def test_arguments_that_cannot_be_used_are_refused(play: Play) -> None:
    wrong: list[tuple[Any, Any, dict[str, Any]]] = [
        (None, None, {}),
        (play(*ANSWER), 7, {}),
        (play(*ANSWER), None, {"clock": 7}),
        (play(*ANSWER), None, {"on_end": 7}),
    ]
    for model, tasks, options in wrong:
        with pytest.raises(UsageError):
            BlocksAdapter(model, tasks, **options)
    adapter = BlocksAdapter(play(*ANSWER))
    assert not adapter.supports_streaming()

    async def main(_: Any) -> None:
        with pytest.raises(UsageError, match="task"):
            await adapter.stream_message([QUESTION], None, 9)

    run(main)


@pytest.mark.parametrize("messages", ["x", 7, None, [7], [{"role": "tool"}]], ids=repr)
def test_messages_that_are_none_are_refused(play: Play, messages: Any) -> None:
    with pytest.raises((ReadError, UsageError)):
        whole(BlocksAdapter(play(*ANSWER)), messages)


def test_a_bound_that_is_none_is_refused(play: Play) -> None:
    for bound in (-1, "9", 1.5):
        with pytest.raises((ReadError, UsageError)):
            whole(BlocksAdapter(play(*ANSWER)), [QUESTION], None, bound)


def test_deltas_that_break_the_rules_of_streams_are_refused() -> None:
    class Stubborn(Scripted):
        def stream(self, *args: Any, **params: Any) -> Any:
            made: Any = super().stream(*args, **params)
            made._deltas = self._twice()
            return made

        async def _twice(self) -> Any:
            async for delta in self._deltas():
                yield delta
                yield delta

    with pytest.raises(StreamProtocolError, match="stream/"):
        whole(BlocksAdapter(Stubborn("a")))


def test_the_guide_shows_what_runs(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    """The example of docs/model.md, with another model."""
    text = (ROOT / "docs" / "model.md").read_text("utf-8")
    example = next(
        each for each in text.split("```python\n") if "BlocksAdapter(" in each.split("```")[0]
    )
    names: dict[str, Any] = {}
    exec(example.split("```")[0], names)
    anyio.run(names["main"], play(*ANSWER))
    assert capsys.readouterr().out == "Hello"
