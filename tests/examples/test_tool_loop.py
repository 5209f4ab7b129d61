"""The example of a tool loop, over streams of every dialect."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from examples.tool_loop import __main__ as command
from examples.tool_loop.loop import Tool, tool_loop
from partwire import StreamFailed, check_history, user
from partwire.model import Model, ReplayModel
from partwire.types import Message, ToolCallPart, ToolResult, ToolResultPart
from tests.examples.dialect_streams import DIALECTS, cut, path_of, replay

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "tool_loop"
TRIP = "replay:examples/streams/trip-calls.sse,examples/streams/trip-answer.sse"

every_dialect = pytest.mark.parametrize("dialect", DIALECTS)


async def weather(city: str) -> str:
    """Tell the weather of a city."""
    return f"Rain in {city}"


async def played(
    model: Model, tools: Sequence[Tool], history: list[Message], **options: Any
) -> list[str]:
    """Run the loop, append its steps to ``history``, return the kinds of the deltas."""
    kinds: list[str] = []
    async with aclosing(tool_loop(model, history, tools, **options)) as items:
        async for item in items:
            if isinstance(item, list):
                history += item
            else:
                kinds.append(item.kind)
    assert asyncio.all_tasks() == {asyncio.current_task()}
    return kinds


def run(model: Model, *tools: Tool, **options: Any) -> tuple[list[Message], list[str]]:
    """Return the whole history and the kinds of all deltas."""
    history = [user("Where does it rain?")]
    kinds = asyncio.run(played(model, tools, history, **options))
    return history, kinds


def results(history: list[Message]) -> list[ToolResult]:
    """Return the results of a history, in its order."""
    parts = [part for message in history for part in message.parts]
    return [part.payload for part in parts if isinstance(part, ToolResultPart)]


def errors(history: list[Message]) -> list[Any]:
    """Return the contents of the results, all of which are errors."""
    assert check_history(history) == []
    assert all(each.is_error for each in results(history))
    return [each.content for each in results(history)]


@every_dialect
def test_calls_are_run_until_none_is_left(dialect: str) -> None:
    history, kinds = run(replay(dialect, "calls", "answer"), Tool(weather))
    assert [message.role for message in history] == ["user", "assistant", "tool", "assistant"]
    assert [(each.content, each.is_error) for each in results(history)] == [
        ("Rain in Oslo", False),
        ("Rain in Rome", False),
    ]
    assert {message.run_id for message in history} == {history[0].run_id}
    assert check_history(history) == []
    assert (kinds.count("start"), kinds.count("done"), kinds[-1]) == (2, 2, "done")
    assert kinds.count("text") >= 2


@every_dialect
def test_calls_of_an_answer_are_run_at_once(dialect: str) -> None:
    both = asyncio.Barrier(2)

    async def meeting(city: str) -> str:
        await both.wait()  # for ever, if the calls were run one after the other
        return city

    history, _ = run(replay(dialect, "calls", "answer"), named(meeting, timeout_s=5))
    assert [each.content for each in results(history)] == ["Oslo", "Rome"]


def named(function: Callable[..., Any], **options: Any) -> Tool:
    """Return a tool under the name that the streams call."""
    function.__name__ = "weather"
    return Tool(function, **options)


@every_dialect
def test_a_slow_tool_is_given_up(dialect: str) -> None:
    cancelled = []

    async def slow(city: str) -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(city)
            raise
        return city

    history, _ = run(replay(dialect, "calls", "answer"), named(slow, timeout_s=0.01))
    assert errors(history) == ["No result within 0.01 s"] * 2
    assert [each.outcome for each in results(history)] == ["timeout"] * 2
    assert cancelled == ["Oslo", "Rome"]


@every_dialect
def test_a_person_may_refuse(dialect: str) -> None:
    asked: list[ToolCallPart] = []

    async def only_rome(call: ToolCallPart) -> bool:
        asked.append(call)
        return call.payload.arguments == {"city": "Rome"}

    tool = Tool(weather, needs_approval=True)
    history, _ = run(replay(dialect, "calls", "answer"), tool, approve=only_rome)
    assert [each.payload.arguments["city"] for each in asked] == ["Oslo", "Rome"]
    assert [each.is_error for each in results(history)] == [True, False]
    assert results(history)[0].content == "A person has refused this call"
    assert check_history(history) == []


def test_without_a_person_what_needs_one_is_refused() -> None:
    tool = Tool(weather, needs_approval=True)
    history, _ = run(replay("openai-chat", "calls", "answer"), tool)
    assert errors(history) == ["A person has refused this call"] * 2
    assert [each.outcome for each in results(history)] == ["denied"] * 2


@every_dialect
def test_an_unknown_tool_is_an_error_result(dialect: str) -> None:
    history, _ = run(replay(dialect, "calls", "answer"))
    assert errors(history) == ["There is no tool weather"] * 2


@every_dialect
def test_a_tool_that_fails_is_an_error_result(dialect: str) -> None:
    async def broken(city: str) -> str:
        raise LookupError(f"no station in {city}")

    history, _ = run(replay(dialect, "calls", "answer"), named(broken))
    assert errors(history) == [f"LookupError: no station in {city}" for city in ("Oslo", "Rome")]


def test_arguments_that_do_not_fit_are_error_results() -> None:
    async def counting(city: int) -> str:
        return str(city)

    history, _ = run(replay("gemini", "calls", "answer"), named(counting))
    assert all("valid integer" in each for each in errors(history))


def test_arguments_that_are_not_json_run_nothing(tmp_path: Path) -> None:
    ran = []

    async def anywhere(city: str = "Bergen") -> str:
        ran.append(city)
        return city

    broken = tmp_path / "calls.sse"
    text = path_of("openai-chat", "calls").read_text()
    broken.write_text(text.replace(r'"{\"', r'"\"'))
    model = ReplayModel([broken, path_of("openai-chat", "answer")])
    history, _ = run(model, named(anywhere))
    assert errors(history) == ["The arguments are not a JSON object"] * 2
    assert ran == []


@every_dialect
def test_a_cut_stream_makes_no_step(dialect: str, tmp_path: Path) -> None:
    history = [user("Where does it rain?")]
    model = ReplayModel(cut(path_of(dialect, "calls"), tmp_path), dialect=dialect)
    with pytest.raises(StreamFailed) as caught:
        asyncio.run(played(model, [Tool(weather)], history))
    assert caught.value.error.error_code == "truncated_stream"
    assert len(history) == 1


@every_dialect
def test_a_cut_answer_leaves_the_steps_before_it(dialect: str, tmp_path: Path) -> None:
    history = [user("Where does it rain?")]
    answer = cut(path_of(dialect, "answer"), tmp_path)
    model = ReplayModel([path_of(dialect, "calls"), answer], dialect=dialect)
    with pytest.raises(StreamFailed):
        asyncio.run(played(model, [Tool(weather)], history))
    assert [message.role for message in history] == ["user", "assistant", "tool"]
    assert check_history(history) == []


@every_dialect
def test_a_cancelled_loop_leaves_no_task(dialect: str) -> None:
    ended = []

    async def main() -> list[Message]:
        running = asyncio.Event()

        async def waiting(city: str) -> str:
            try:
                running.set()
                await asyncio.sleep(60)
            finally:
                ended.append(city)
            return city

        history = [user("Where does it rain?")]
        model = replay(dialect, "calls", "answer")
        loop = asyncio.create_task(played(model, [named(waiting)], history))
        await running.wait()
        loop.cancel()
        with pytest.raises(asyncio.CancelledError):
            await loop
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return history

    assert len(asyncio.run(main())) == 1
    assert set(ended) <= {"Oslo", "Rome"}
    assert ended


def test_a_model_that_never_stops_calling_is_stopped() -> None:
    model = ReplayModel(path_of("cohere-v2", "calls"), loop=True)
    history = [user("Where does it rain?")]
    with pytest.raises(RuntimeError, match="still calls tools in answer 3"):
        asyncio.run(played(model, [Tool(weather)], history, max_answers=3))
    assert len(history) == 7
    assert check_history(history) == []


def test_the_example_is_short() -> None:
    assert len((EXAMPLE / "loop.py").read_text("utf-8").splitlines()) < 100


@pytest.mark.parametrize(
    ("typed", "told"),
    [("y\n", "> toolu_3: A trip to Rome is booked"), ("", "! toolu_3: A person has refused")],
)
def test_the_command_asks(
    typed: str, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("sys.argv", ["tool_loop", TRIP])
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    command.main()
    shown = capsys.readouterr().out
    assert f"python -m examples.tool_loop {TRIP}" in (EXAMPLE / "README.md").read_text("utf-8")
    assert "book_trip({'city': 'Rome'}): run it? [y/N]" in shown
    assert told in shown
    assert shown.endswith("It rains in Oslo, and the sun shines in Rome.\n")
