"""ReplayModel: what it plays, in which order and time, and what it refuses."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import anyio
import pytest
import trio

from partwire import PartwireError, StreamFailed, assemble_async, read, to_wire
from partwire.contract.current import LATEST_VERSION
from partwire.contract.current.message import Message, MessageDelta, RequestMetadata
from partwire.convert import DeltaDowngrade, downgrade
from partwire.model import Model, ReplayModel
from partwire.providers import ADAPTERS
from partwire_testing import FixtureCase
from tests.fixture_cases import Case, case_file, case_of, cases
from tests.providers.provider_streams import NOW, check_stream, fixed_clock, step_clock
from tests.providers.recordings import ids, load

PROVIDERS = cases("providers")
# Their deltas have new ids already, which the input alone does not ask for.
UNUSED = [case for case in PROVIDERS if "used_tool_call_ids" not in case.spec]
TEXT = case_file("v0.1/providers/openai-chat/text", "input")
CALL = case_file("v0.1/streams/tool-call", "deltas")
HEADER = b'{"format":"partwire-recording","formatVersion":2,"contract":"v0.2"}\n'
REQUEST = b'{"type":"request","stream":1,"messages":[],"toolSpecs":[],"config":{"modelId":"m"}}\n'
USER = {
    "runId": "run_9",
    "role": "user",
    "timestamp": NOW,
    "parts": [{"kind": "text", "payload": {"text": "Hi"}}],
}


@pytest.fixture(autouse=True)
def _in_root(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)


def run(main: Callable[[], Coroutine[Any, Any, Any]], backend: str = "asyncio") -> Any:
    return anyio.run(main, backend=backend)


def deltas(model: Model, **arguments: Any) -> list[MessageDelta]:
    async def main() -> list[MessageDelta]:
        async with model.stream([USER], **arguments) as stream:
            return [delta async for delta in stream]

    return run(main)  # type: ignore[no-any-return]


def message(model: Model, messages: Any = (USER,), **arguments: Any) -> Message:
    async def main() -> Message:
        return await model.stream(list(messages), **arguments).message()

    return run(main)  # type: ignore[no-any-return]


def recorded(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def served(value: Any, version: str) -> Any:
    """Return what a reader of ``version`` gets of a message."""
    return to_wire(value if version == LATEST_VERSION else downgrade(value, version).value)


def as_read_by(version: str, made: list[MessageDelta]) -> list[Any]:
    """Return what a reader of ``version`` gets of a stream."""
    if version != "v0.1":  # they are written as that version
        return [to_wire(each) for each in made]
    down = DeltaDowngrade(version)
    return [to_wire(each) for delta in made for each in down.feed(delta)]


def refusal(call: Callable[..., Any], *args: Any, **options: Any) -> tuple[str, str, int | None]:
    """Return rule, pointer and line of what a call raises; anything but ours fails the test."""
    try:
        call(*args, **options)
    except PartwireError as error:
        found = error.findings[0]
        return found.rule, found.pointer, found.line
    return "", "", None


# --- what is played -------------------------------------------------------------------------------


@pytest.mark.parametrize("case", PROVIDERS, ids=[case.id for case in PROVIDERS])
def test_a_provider_case_plays_its_deltas(case: Case, tmp_path: Path) -> None:
    spec = case.spec
    if spec.get("used_tool_call_ids") or spec.get("keep_raw"):
        used = [
            {"kind": "tool_call", "payload": {"toolCallId": id_, "toolName": "t", "arguments": {}}}
            for id_ in spec.get("used_tool_call_ids", ())
        ]
        history = [{**USER, "role": "assistant", "parts": used, "runId": spec["run_id"]}]
    else:
        history = []
    model = ReplayModel(FixtureCase(case).write(tmp_path), clock=step_clock(**spec["clock"]))

    async def main() -> list[MessageDelta]:
        names = ("message_id", "turn_id", "author", "format")
        ids: dict[str, Any] = {name: spec.get(name) for name in names}
        async with model.stream(history, **ids) as stream:
            return [delta async for delta in stream]

    due = case.spec["deltas"]
    assert as_read_by(case.spec["version"], run(main)) == [
        {name: value for name, value in each.items() if name != "providerRaw"} for each in due
    ]


@pytest.mark.parametrize("case", UNUSED, ids=[case.id for case in UNUSED])
def test_the_deltas_of_a_case_make_the_same_message_as_its_input(
    case: Case, tmp_path: Path
) -> None:
    def outcome(source: Path) -> Any:
        try:
            made = message(ReplayModel(source, clock=fixed_clock), [])
        except StreamFailed as error:
            made = error.partial
        wire = served(made, case.spec["version"])
        left_out = ("opaque", "providerFinishReason") if case.spec["version"] == "v0.1" else ()
        meta = {name: value for name, value in wire["meta"].items() if name not in left_out}
        return wire["parts"], meta

    folder = FixtureCase(case).write(tmp_path)
    assert outcome(folder / "deltas.jsonl") == outcome(folder)


@pytest.mark.parametrize("case", PROVIDERS, ids=[case.id for case in PROVIDERS])
def test_the_dialect_of_a_file_alone_is_found_or_asked_for(case: Case, tmp_path: Path) -> None:
    alone = tmp_path / Path(case.spec["input_file"]).name
    alone.write_bytes(case.data("input"))
    rule = refusal(ReplayModel, alone)[0]
    assert rule in ("", "usage/unknown-dialect")
    dialect = case.spec["api"] if rule else None
    found = deltas(ReplayModel(alone, dialect=dialect, clock=fixed_clock))
    assert found[-1].kind in ("done", "error")
    check_stream(found)


@pytest.mark.parametrize("name", ids(*ADAPTERS))
def test_recordings_tell_their_dialect(name: str, recordings: Path) -> None:
    recording = load()[name]
    path = recordings / recording.entry["file"]
    played = deltas(ReplayModel(path, clock=fixed_clock))
    named = deltas(ReplayModel(path, dialect=recording.dialect, clock=fixed_clock))
    assert played == named


def test_deltas_play_in_another_run_and_at_another_time() -> None:
    metadata = RequestMetadata(session_id="s", run_id="run_9", trace_id="t")
    played = deltas(ReplayModel(CALL, clock=fixed_clock), request_metadata=metadata)
    assert [to_wire(each) for each in played] == [
        {**each, "runId": "run_9", "timestamp": NOW} for each in recorded(CALL)
    ]


def test_without_metadata_the_run_of_the_last_message_is_played(tmp_path: Path) -> None:
    folder = FixtureCase(case_of("v0.1/providers/openai-chat/text")).write(tmp_path)
    other = {**USER, "runId": "another"}
    for source in (CALL, folder, TEXT):
        for last in (USER, read(USER, "message.Message")):
            assert message(ReplayModel(source), [other, last]).run_id == "run_9"


def test_without_messages_the_recorded_run_is_played(tmp_path: Path) -> None:
    folder = FixtureCase(case_of("v0.1/providers/openai-chat/text")).write(tmp_path)
    for source in (CALL, folder, folder / "input.sse"):
        assert message(ReplayModel(source), []).run_id == "run_1"
    assert message(ReplayModel(TEXT), []).run_id == "replay"


def test_the_model_is_one() -> None:
    model = ReplayModel(TEXT)
    assert isinstance(model, Model)
    assert to_wire(model.model_info()) == {"modelId": "replay", "provider": "replay"}
    assert ReplayModel(CALL).get_config() == {"modelId": "model-1"}
    model.update_config(model_id="other", max_tokens=5)
    config = model.get_config()
    config["modelId"] = "changed"
    assert model.get_config() == {"modelId": "other", "maxTokens": 5}


# --- which is played ------------------------------------------------------------------------------


def test_sources_play_in_order_and_then_end() -> None:
    model = ReplayModel([TEXT, CALL])
    assert model.remaining == 2
    assert [part.kind for part in message(model).parts] == ["text"]
    assert message(model).parts[-1].kind == "tool_call"
    assert model.remaining == 0
    assert refusal(model.stream, [USER])[0] == "usage/replay-ended"
    model.rewind()
    assert [part.kind for part in message(model).parts] == ["text"]


def test_a_loop_begins_anew() -> None:
    model = ReplayModel([TEXT, CALL], loop=True)
    assert [message(model).parts[-1].kind for _ in range(4)] == ["text", "tool_call"] * 2
    assert model.remaining is None


def test_a_refused_call_plays_nothing() -> None:
    model = ReplayModel([TEXT, CALL])
    assert refusal(model.stream, [{"role": "user"}])[0] == "shape/required"
    assert model.remaining == 2


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        ({"messages": "Hi"}, "usage/invalid-argument"),
        ({"messages": [{**USER, "role": "king"}]}, "shape/enum"),
        ({"tool_specs": [{"name": "t"}]}, "shape/required"),
        ({"system_prompt": 3}, "usage/invalid-argument"),
        ({"tool_choice": "perhaps"}, "shape/variant"),
        ({"temperature": -1}, "shape/minimum"),
        ({"max_tokens": 5, "maxTokens": 6}, "usage/invalid-argument"),
        ({"request_metadata": {"runId": "r"}}, "shape/required"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else None,
)
def test_requests_are_held_to_the_contract(arguments: dict[str, Any], rule: str) -> None:
    given = {"messages": [USER], **arguments}
    found = refusal(ReplayModel(TEXT).stream, given.pop("messages"), **given)[0]
    assert found == rule or (rule == "shape/variant" and found.startswith("shape/"))


# --- ids and ends ---------------------------------------------------------------------------------


def test_a_cut_stream_ends_as_truncated(tmp_path: Path) -> None:
    lines = CALL.read_bytes().splitlines(keepends=True)
    path = tmp_path / "d.jsonl"
    path.write_bytes(b"".join(lines[:-2]))
    played = deltas(ReplayModel(path))
    check_stream(played)
    assert to_wire(played[-1])["payload"]["errorCode"] == "truncated_stream"
    assert played[-1].seq == len(lines) - 2


def test_what_stands_behind_the_end_is_not_played_but_said(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    lines = CALL.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines, lines[0]]))
    model = ReplayModel(path)

    async def main() -> tuple[int, list[str]]:
        stream = model.stream([])
        count = len([delta async for delta in stream])
        return count, [finding.rule for finding in stream.findings]

    assert run(main) == (len(lines), ["adapter/after-end"])


# --- time -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("timing", "pauses"),
    [("none", {0.0}), ("real", {0.0, 1.0}), (0.5, {0.0, 0.5}), (3, {0.0, 3.0}), (0, {0.0})],
)
def test_pauses_are_those_of_the_recording_times_the_factor(
    timing: Any, pauses: set[float]
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    played = deltas(ReplayModel(CALL, timing=timing, sleep=sleep))
    assert len(slept) == len(played)
    assert set(slept) == pauses
    assert slept[0] == 0.0


def test_a_pause_is_one() -> None:
    async def main() -> float:
        loop = asyncio.get_running_loop()
        begin = loop.time()
        await ReplayModel(CALL, timing=0.01).stream([]).message()
        return loop.time() - begin

    assert run(main) >= 0.01 * (len(recorded(CALL)) - 1) * 0.9


@pytest.mark.parametrize(
    "timing", ["slow", "", None, True, -1, float("nan"), float("inf"), 10**400, [1]]
)
def test_other_timings_are_refused(timing: Any) -> None:
    assert refusal(ReplayModel, CALL, timing=timing)[0] == "usage/invalid-argument"


# --- many at once ---------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_hundred_streams_at_once_give_a_hundred_messages(backend: str) -> None:
    model = ReplayModel(
        [TEXT, CALL, case_file("v0.1/providers/anthropic-messages/long-answer", "input")], loop=True
    )
    due = [message(model).parts for _ in range(3)]
    order: list[int] = []
    made: dict[int, Message] = {}

    async def one(number: int) -> None:
        metadata = {"sessionId": "s", "runId": f"run_{number}", "traceId": "t"}
        stream = model.stream([USER], request_metadata=metadata)

        async def seen() -> AsyncIterator[MessageDelta]:
            async for delta in stream:
                order.append(number)
                yield delta

        made[number] = await assemble_async(seen())

    async def main() -> None:
        async with anyio.create_task_group() as group:
            for number in range(99):
                group.start_soon(one, number)

    run(main, backend)
    assert {number: each.run_id for number, each in made.items()} == {
        number: f"run_{number}" for number in range(99)
    }
    kinds = sorted(str(each.parts) for each in made.values())
    assert kinds == sorted(str(parts) for parts in due for _ in range(33))
    # They really run at once: nobody is finished before everybody has begun.
    assert len(set(order[:99])) == 99


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_cancelling_one_leaves_the_others_alone(backend: str) -> None:
    model = ReplayModel(CALL, loop=True, timing=0.002)
    made: list[Message] = []

    async def one() -> None:
        made.append(await model.stream([]).message())

    async def main() -> bool:
        scope = anyio.CancelScope(deadline=anyio.current_time() + 0.001)
        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(one)
            with scope:
                await ReplayModel(CALL, timing="real").stream([]).message()
        return scope.cancelled_caught

    assert run(main, backend) is True
    assert len(made) == 5


def test_it_plays_without_anyio_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anyio", None)
    model = ReplayModel(TEXT, loop=True)

    async def main() -> Message:
        return await model.stream([]).message()

    assert asyncio.run(main()).parts


def test_another_event_loop_without_anyio_is_told_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "anyio", None)

    async def main() -> str:
        try:
            await ReplayModel(TEXT).stream([]).message()
        except PartwireError as error:
            return error.rule
        return ""

    assert trio.run(main) == "usage/missing-extra"
