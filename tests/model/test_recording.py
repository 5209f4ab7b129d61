"""RecordingModel: what it writes, what it hides, and that it plays again."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from partwire import Finding, validate
from partwire.contract.current import LATEST_VERSION
from partwire.contract.current.message import MessageDelta, StartDelta, StartDeltaPayload
from partwire.model import Model, ModelStream, RecordingModel, ReplayModel
from partwire.model.credentials import HIDDEN
from partwire_testing import FixtureCase
from tests.fixture_cases import Case, case_file, cases
from tests.model.recordings import (
    CALL,
    LONG,
    TEXT,
    Scripted,
    ask,
    outcome,
    refusal,
    rows,
    run,
    start,
    user,
)
from tests.model.test_redaction import KEYS
from tests.providers.provider_streams import NOW, fixed_clock

PROVIDERS = cases("providers")


# --- what is written, and played again ------------------------------------------------------------


@pytest.mark.parametrize("case", PROVIDERS, ids=[case.id for case in PROVIDERS])
def test_what_is_recorded_plays_the_same(case: Case, tmp_path: Path) -> None:
    folder = FixtureCase(case).write(tmp_path / "case")
    model = ReplayModel(folder, clock=fixed_clock, loop=True)
    due = outcome(model)
    path = tmp_path / "r.jsonl"
    with RecordingModel(model, path) as recording:
        assert outcome(recording) == due
    assert outcome(ReplayModel(path, clock=fixed_clock)) == due


def test_what_stands_behind_the_end_is_told_before_the_last_delta(tmp_path: Path) -> None:
    """Many readers stop at the last delta, and what is found later is in no recording."""
    behind = tmp_path / "deltas.jsonl"
    lines = CALL.read_bytes().splitlines()
    behind.write_bytes(b"\n".join([*lines, lines[-1]]))
    bare = case_file("v0.2/providers/openai-chat/error-bare-behind-the-end", "input")

    async def main(source: Path) -> list[str]:
        stream = ReplayModel(source, clock=fixed_clock).stream([])
        async for delta in stream:
            if delta.kind == "done":
                return [finding.rule for finding in stream.findings]
        return []

    for source in (behind, bare):
        assert run(partial(main, source)) == ["adapter/after-end"]


ASKING: dict[str, Any] = {
    "tool_specs": [{"name": "weather", "parameterSchema": {"type": "object"}}],
    "system_prompt": "Be brief.",
    "tool_choice": "auto",
    "system_prompt_content": [{"kind": "text", "payload": {"text": "Be."}}],
    "request_metadata": {"sessionId": "s", "runId": "run_9", "traceId": "t"},
    "temperature": 0.5,
}


def test_every_line_says_what_happened(tmp_path: Path) -> None:
    seconds = iter(range(100))
    path = tmp_path / "r.jsonl"
    model = ReplayModel(LONG, clock=fixed_clock)
    with RecordingModel(
        model, path, clock=fixed_clock, seconds=lambda: next(seconds) / 8
    ) as recording:
        ask(recording, **ASKING)
    header, request, *lines, end = rows(path)
    assert header == {
        "format": "partwire-recording",
        "formatVersion": 2,
        "contract": LATEST_VERSION,
        "model": {"modelId": "replay", "provider": "replay"},
        "recordedAt": NOW,
    }
    assert request == {
        "type": "request",
        "stream": 1,
        "at": NOW,
        "messages": [user("Hi")],
        "toolSpecs": ASKING["tool_specs"],
        "config": {"modelId": "replay", "temperature": 0.5},
        "systemPrompt": "Be brief.",
        "systemPromptContent": [{"kind": "text", "payload": {"text": "Be."}}],
        "toolChoice": "auto",
        "requestMetadata": ASKING["request_metadata"],
    }
    assert [line["delta"]["seq"] for line in lines] == list(range(len(lines)))
    assert all(validate(line["delta"], "message.MessageDelta") == [] for line in lines)
    assert [line["atMs"] for line in lines[:3]] == [125, 250, 375]
    assert (end["type"], end["how"]) == ("end", "done")
    assert "meta" not in end
    [opaque] = [line["delta"]["payload"]["opaque"] for line in lines if _carries(line)]
    assert opaque["data"]["items"][0]["kind"] == "signature"


def test_ids_of_message_and_turn_are_passed_on_and_recorded(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with RecordingModel(ReplayModel(TEXT, clock=fixed_clock), path) as recording:
        made = ask(recording, message_id="m", turn_id="t")
    assert (made.message_id, made.turn_id) == ("m", "t")
    lines = [row["delta"] for row in rows(path) if row.get("type") == "delta"]
    assert {(line["messageId"], line["turnId"]) for line in lines} == {("m", "t")}


def _carries(line: dict[str, Any]) -> bool:
    return "opaque" in line["delta"]["payload"]


def test_a_recorded_stream_keeps_its_times(tmp_path: Path) -> None:
    ticks = iter([0.0, 0.5, 0.75, 0.75, 2.0, 2.0, 2.0, 2.0])
    path = tmp_path / "r.jsonl"
    with RecordingModel(ReplayModel(TEXT), path, seconds=lambda: next(ticks)) as recording:
        ask(recording)
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    ask(ReplayModel(path, timing="real", sleep=sleep))
    assert slept == [0.5, 0.25, 0.0, 1.25, 0.0]


def test_the_request_is_as_it_was_when_it_was_made(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with RecordingModel(ReplayModel(TEXT), path) as recording:
        messages = [user("first")]

        async def main() -> None:
            stream = recording.stream(messages)
            messages.append(user("second"))
            recording.update_config(model_id="later")
            await stream.message()

        run(main)
    request = rows(path)[1]
    assert request["messages"] == [user("first")]
    assert request["config"] == {"modelId": "replay"}
    assert ReplayModel(path).requests[0]["messages"] == [user("first")]  # type: ignore[index]


def test_it_is_the_model_that_it_wraps(tmp_path: Path) -> None:
    inner = ReplayModel(TEXT)
    with RecordingModel(inner, tmp_path / "r.jsonl") as recording:
        assert isinstance(recording, Model)
        recording.update_config(model_id="other")
        assert recording.get_config() == inner.get_config() == {"modelId": "other"}
        assert recording.model_info() == inner.model_info()
        assert refusal(recording.stream, [{}]) == "shape/required"
    assert len(rows(tmp_path / "r.jsonl")) == 1


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_streams_at_once_are_told_apart(backend: str, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    model = ReplayModel([LONG, TEXT, CALL], loop=True)
    due = {str(ask(model).parts) for _ in range(3)}
    with RecordingModel(model, path) as recording:

        async def one() -> None:
            await recording.stream([]).message()

        async def main() -> None:
            async with anyio.create_task_group() as group:
                for _ in range(30):
                    group.start_soon(one)

        run(main, backend)
    order = [row["stream"] for row in rows(path)[1:]]
    assert sorted(set(order)) == list(range(1, 31))
    assert order != sorted(order)
    played = ReplayModel(path)
    assert {str(ask(played).parts) for _ in range(30)} == due


def test_threads_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with RecordingModel(ReplayModel(LONG, loop=True), path) as recording:
        threads = [threading.Thread(target=ask, args=(recording,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    played = ReplayModel(path)
    assert len({str(ask(played).parts) for _ in range(8)}) == 1


# --- how a stream ends ----------------------------------------------------------------------------


def test_a_stream_that_is_closed_early_says_so(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    inner = Scripted("a", "b", "c")
    with RecordingModel(inner, path) as recording:

        async def main() -> None:
            async with recording.stream([]) as stream:
                await anext(stream)
                await anext(stream)

        run(main)
    assert inner.closed == 1
    assert [row.get("how") for row in rows(path)][-1] == "closed"
    error, partial, _ = outcome(ReplayModel(path))
    assert (error.error_code, partial.parts[0].payload.text) == ("cancelled", "a")


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_stream_that_is_cancelled_says_so(backend: str, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    inner = Scripted("a", None)
    with RecordingModel(inner, path) as recording:

        async def main() -> None:
            with anyio.CancelScope() as scope:
                async with recording.stream([]) as stream:
                    async for delta in stream:
                        if delta.kind == "text":
                            scope.cancel()

        run(main, backend)
    assert inner.closed == 1
    assert rows(path)[-1]["how"] == "cancelled"
    assert outcome(ReplayModel(path))[0].error_code == "cancelled"


def test_an_exception_goes_on_and_is_told_without_its_keys(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    failure = RuntimeError("refused: sk-proj-abcdef0123456789")
    with RecordingModel(Scripted("a", failure), path) as recording:

        async def main() -> None:
            async for _ in recording.stream([]):
                pass

        with pytest.raises(RuntimeError) as raised:
            run(main)
        assert raised.value is failure
    end = rows(path)[-1]
    assert (end["how"], end["error"]) == ("raised", f"RuntimeError: refused: {HIDDEN}")
    assert outcome(ReplayModel(path))[0].error_code == "unknown"


def test_a_stream_that_just_stops_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with RecordingModel(Scripted("a"), path) as recording:
        assert refusal(ask, recording) == "stream/truncated"
    assert rows(path)[-1]["how"] == "cut"
    assert outcome(ReplayModel(path))[0].error_code == "truncated_stream"


def test_a_stream_that_is_never_read_is_not_recorded(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with RecordingModel(ReplayModel(TEXT), path) as recording:

        async def main() -> None:
            await recording.stream([]).aclose()

        run(main)
    assert len(rows(path)) == 1


def test_the_end_is_written_with_the_last_delta(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with RecordingModel(ReplayModel(TEXT), path) as recording:

        async def main() -> str:
            stream = recording.stream([])
            async for delta in stream:
                if delta.kind == "done":  # the reader neither goes on nor closes
                    return str(rows(path)[-1]["how"])
            return ""

        assert run(main) == "done"
    assert [row["type"] for row in rows(path)[1:]].count("end") == 1


# --- what is hidden -------------------------------------------------------------------------------


def test_no_key_of_a_request_or_an_answer_reaches_the_file(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    key = KEYS["anthropic"]
    said = [f"I see {key[:9]}", key[9:30], f"{key[30:]} there."]
    schema = {"type": "object", "properties": {"password": {"type": "string"}, "headers": {}}}
    call = {"toolCallId": "c1", "toolName": "login", "arguments": {"password": "swordfish"}}
    history = [
        user(f"Use {key}"),
        {**user(""), "role": "assistant", "parts": [{"kind": "tool_call", "payload": call}]},
    ]
    opaque = {"dialect": "d", "parts": {"0": [{"kind": "signature", "data": f"{'x' * 300}-{key}"}]}}
    history[1]["meta"] = {"opaque": opaque, "note": key}
    signed = {"provider": "d", "data": {"items": [{"kind": "s", "data": f"{'y' * 300}-{key}"}]}}
    call["opaque"] = signed
    with RecordingModel(Scripted(*said), path) as recording:

        async def main() -> list[MessageDelta]:
            stream = recording.stream(
                history,
                [{"name": "login", "parameterSchema": schema}],
                f"The key is {key}.",
                request_metadata={"sessionId": "s", "runId": "r", "traceId": "t"},
                extra={"api_key": key, "extra_headers": {"x": "swordfish"}},
            )
            return [delta async for delta in stream]

        read = run(main)
    assert [each.payload.text_delta for each in read[1:]] == said  # the reader has it all
    data = path.read_text()
    assert data.count(key[4:30]) == 2  # in the signatures
    assert data.count(f"{'x' * 300}-{key}") == data.count(f"{'y' * 300}-{key}") == 1
    assert "swordfish" not in data
    request = rows(path)[1]
    assert request["toolSpecs"][0]["parameterSchema"] == schema
    assert request["messages"][1]["meta"] == {"opaque": opaque, "note": HIDDEN}
    payload = request["messages"][1]["parts"][0]["payload"]
    assert (payload["arguments"], payload["opaque"]) == ({"password": HIDDEN}, signed)
    partial = outcome(ReplayModel(path))[1]
    assert partial.parts[0].payload.text == f"I see {HIDDEN} there."


def test_raw_events_are_left_out_unless_they_are_asked_for(tmp_path: Path) -> None:
    raw = {"events": [{"api_key": "x", "text": KEYS["groq"]}]}

    class Raw(Scripted):
        async def _deltas(self) -> AsyncGenerator[MessageDelta, None]:
            payload = StartDeltaPayload(model_id="m", request_id="r")
            yield StartDelta(
                run_id="run_1", seq=0, payload=payload, timestamp=NOW, provider_raw=raw
            )

    for keep in (False, True):
        path = tmp_path / f"{keep}.jsonl"
        with RecordingModel(Raw(), path, keep_raw=keep) as recording:
            refusal(ask, recording)
        kept = rows(path)[2]["delta"].get("providerRaw")
        assert kept == ({"events": [{"api_key": HIDDEN, "text": HIDDEN}]} if keep else None)


def test_findings_are_recorded_and_played(tmp_path: Path) -> None:
    finding = Finding("adapter/minted-id", "New id", "/0", "info", "a", "b")

    class Noting(Scripted):
        def stream(self, messages: Sequence[Any], *args: Any, **params: Any) -> ModelStream:
            return ModelStream(self._deltas(), lambda: [finding])

    path = tmp_path / "r.jsonl"
    with RecordingModel(Noting("a"), path) as recording:
        refusal(ask, recording)
    assert outcome(ReplayModel(path))[-1] == [finding]


def test_deltas_that_break_the_protocol_are_recorded_as_they_are(tmp_path: Path) -> None:
    class Twice(Scripted):
        async def _deltas(self) -> AsyncGenerator[MessageDelta, None]:
            yield start()
            yield start()

    path = tmp_path / "r.jsonl"
    with RecordingModel(Twice(), path) as recording:
        assert refusal(ask, recording).startswith("stream/")
    assert [row["type"] for row in rows(path)[1:]] == ["request", "delta", "delta", "end"]
