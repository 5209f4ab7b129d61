"""RecordingModel: what it writes, what it hides, and that it plays again."""

from __future__ import annotations

import io
import json
import os
import random
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

from partwire import Finding, PartwireError, StreamFailed, validate
from partwire.model import Model, ModelStream, RecordingModel, ReplayModel
from partwire.model.delta_redaction import DeltaRedactor
from partwire.model.redaction import HIDDEN, redacted, redacted_state, without_keys
from partwire.v0_1.structs.message import (
    Message,
    MessageDelta,
    ModelInfo,
    StartDelta,
    StartDeltaPayload,
    TextDelta,
    TextDeltaPayload,
)
from tests.fixture_cases import ROOT, Case, cases
from tests.provider_streams import NOW, fixed_clock

PROVIDERS = cases("providers")
LONG = ROOT / "fixtures/v0.1/providers/anthropic-messages/long-answer"
TEXT = ROOT / "fixtures/v0.1/providers/openai-chat/text"
CALL = ROOT / "fixtures/v0.1/streams/tool-call/deltas.jsonl"


def user(text: str) -> dict[str, Any]:
    parts = [{"kind": "text", "payload": {"text": text}}]
    return {"runId": "run_9", "role": "user", "timestamp": NOW, "parts": parts}


def run(main: Callable[[], Coroutine[Any, Any, Any]], backend: str = "asyncio") -> Any:
    return anyio.run(main, backend=backend)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def ask(model: Model, text: str = "Hi", **arguments: Any) -> Message:
    async def main() -> Message:
        return await model.stream([user(text)], **arguments).message()

    return run(main)  # type: ignore[no-any-return]


def outcome(model: Model) -> Any:
    async def main() -> Any:
        stream = model.stream([])
        try:
            made = await stream.message()
        except StreamFailed as error:
            return error.error, error.partial, stream.findings
        return made, stream.findings

    return run(main)


def refusal(call: Callable[..., Any], *args: Any, **options: Any) -> str:
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
        return ModelStream(self._deltas(), lambda message: message, list)

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
    payload = StartDeltaPayload(model_id="scripted", request_id="r")
    return StartDelta(run_id="run_1", seq=0, payload=payload, timestamp=NOW)


def text(seq: int, words: str) -> TextDelta:
    payload = TextDeltaPayload(text_delta=words)
    return TextDelta(run_id="run_1", seq=seq, payload=payload, timestamp=NOW)


# --- what is written, and played again ------------------------------------------------------------


@pytest.mark.parametrize("case", PROVIDERS, ids=[case.id for case in PROVIDERS])
def test_what_is_recorded_plays_the_same(case: Case, tmp_path: Path) -> None:
    model = ReplayModel(case.path, clock=fixed_clock, loop=True)
    due = outcome(model)
    path = tmp_path / "r.jsonl"
    with RecordingModel(model, path) as recording:
        assert outcome(recording) == due
    assert outcome(ReplayModel(path, clock=fixed_clock)) == due


def test_every_line_says_what_happened(tmp_path: Path) -> None:
    seconds = iter(range(100))
    path = tmp_path / "r.jsonl"
    metadata = {"sessionId": "s", "runId": "run_9", "traceId": "t"}
    tools = [{"name": "weather", "parameterSchema": {"type": "object"}}]
    model = ReplayModel(LONG, clock=fixed_clock)
    with RecordingModel(
        model, path, clock=fixed_clock, seconds=lambda: next(seconds) / 8
    ) as recording:
        ask(
            recording,
            tool_specs=tools,
            system_prompt="Be brief.",
            tool_choice="auto",
            system_prompt_content=[{"kind": "text", "payload": {"text": "Be."}}],
            request_metadata=metadata,
            temperature=0.5,
        )
    header, request, *lines, end = rows(path)
    assert header == {
        "format": "partwire-recording",
        "formatVersion": 1,
        "contract": "v0.1",
        "model": {"modelId": "replay", "provider": "replay"},
        "recordedAt": NOW,
    }
    assert request == {
        "type": "request",
        "stream": 1,
        "at": NOW,
        "messages": [user("Hi")],
        "toolSpecs": tools,
        "config": {"modelId": "replay", "temperature": 0.5},
        "systemPrompt": "Be brief.",
        "systemPromptContent": [{"kind": "text", "payload": {"text": "Be."}}],
        "toolChoice": "auto",
        "requestMetadata": metadata,
    }
    assert [line["delta"]["seq"] for line in lines] == list(range(len(lines)))
    assert all(validate(line["delta"], "message.MessageDelta") == [] for line in lines)
    assert [line["atMs"] for line in lines[:3]] == [125, 250, 375]
    assert (end["type"], end["how"]) == ("end", "done")
    assert end["meta"]["opaque"]["parts"]["0"][0]["kind"] == "signature"


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
            with anyio.move_on_after(0.05):
                async with recording.stream([]) as stream:
                    async for _ in stream:
                        pass

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


# --- the file -------------------------------------------------------------------------------------


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    before = os.umask(0)
    try:
        RecordingModel(ReplayModel(TEXT), path).close()
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    RecordingModel(ReplayModel(TEXT), path, overwrite=True).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_exists_stays_unless_it_may_go(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text("precious\n")
    assert refusal(RecordingModel, ReplayModel(TEXT), path) == "usage/unwritable-output"
    assert path.read_text() == "precious\n"
    RecordingModel(ReplayModel(TEXT), path, overwrite=True).close()
    assert len(rows(path)) == 1


@pytest.mark.parametrize("file", [None, 5, io.StringIO(), [], object()])
def test_files_that_are_none_are_refused(file: Any) -> None:
    assert refusal(RecordingModel, ReplayModel(TEXT), file) == "usage/invalid-argument"


def test_paths_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "no" / "r.jsonl", "nul\0byte"):
        assert refusal(RecordingModel, ReplayModel(TEXT), path) == "usage/unwritable-output"
    assert refusal(RecordingModel, "no model", tmp_path / "r") == "usage/invalid-argument"


def test_a_binary_file_is_taken_and_stays_open(tmp_path: Path) -> None:
    out = io.BytesIO()
    with RecordingModel(ReplayModel(TEXT), out) as recording:
        ask(recording)
    path = tmp_path / "r.jsonl"
    path.write_bytes(out.getvalue())
    assert ask(ReplayModel(path)).parts


def test_a_line_that_cannot_be_written_ends_the_stream(tmp_path: Path) -> None:
    class Full(io.BytesIO):
        def write(self, data: Any) -> int:
            if self.tell() > 1000:
                raise OSError(28, "No space left on device")
            return super().write(data)

    inner = Scripted("a" * 500, "b" * 500, "c" * 500)
    recording = RecordingModel(inner, Full())
    assert refusal(ask, recording) == "usage/unwritable-output"
    assert inner.closed == 1
    with RecordingModel(ReplayModel(TEXT), tmp_path / "r.jsonl") as closed:
        pass
    assert refusal(ask, closed) == "usage/unwritable-output"


def test_a_file_that_takes_a_few_bytes_at_a_time_gets_all_of_them(tmp_path: Path) -> None:
    class Slow(io.BytesIO):
        def write(self, data: Any) -> int:
            return super().write(bytes(data[:7]))

    out = Slow()
    ask(RecordingModel(ReplayModel(TEXT), out))
    (tmp_path / "r.jsonl").write_bytes(out.getvalue())
    assert ask(ReplayModel(tmp_path / "r.jsonl")).parts


KILLED = """
import sys, anyio
from partwire.model import RecordingModel, ReplayModel
recording = RecordingModel(ReplayModel(sys.argv[1]), sys.argv[2])
async def main():
    count = 0
    async for delta in recording.stream([]):
        count += 1
        if count == 30:
            print("now", flush=True)
            await anyio.sleep_forever()
anyio.run(main)
"""


def test_what_a_killed_process_leaves_plays(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(LONG), str(path)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"now\n"
        process.send_signal(signal.SIGKILL)
    assert len(rows(path)) >= 30
    error, partial, _ = outcome(ReplayModel(path))
    assert error.error_code == "truncated_stream"
    assert partial.parts[0].payload.text.startswith("The user wants")


def test_every_cut_of_a_file_plays_or_is_refused(tmp_path: Path) -> None:
    whole = tmp_path / "whole.jsonl"
    with RecordingModel(ReplayModel([TEXT, CALL], clock=fixed_clock), whole) as recording:
        ask(recording)
        ask(recording)
    data = whole.read_bytes()
    path = tmp_path / "cut.jsonl"
    header = data.index(b"\n")
    played = 0
    refused: set[tuple[str, int]] = set()
    for at in range(header + 1, len(data), 7):
        path.write_bytes(data[:at])
        try:
            model = ReplayModel(path)
        except PartwireError as error:
            refused.add((error.rule, data[:at].count(b"\n")))
        else:
            while model.remaining:
                outcome(model)
                played += 1
    assert played > 100
    assert refused == {("usage/invalid-argument", 1)}  # where no stream has begun


# --- what is hidden -------------------------------------------------------------------------------

ALNUM = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC2dF4hJ6kL8n"
KEYS = {
    "anthropic": f"sk-ant-api03-{ALNUM}-{ALNUM}AA",
    "anthropic-admin": f"sk-ant-admin01-{ALNUM}",
    "openai": f"sk-{ALNUM}",
    "openai-project": f"sk-proj-{ALNUM}_{ALNUM}",
    "openai-service": f"sk-svcacct-{ALNUM}",
    "openrouter": "sk-or-v1-0123456789abcdef0123456789abcdef",
    "google": "AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
    "google-oauth": f"ya29.a0{ALNUM}",
    "google-auth-key": f"AQ.Ab8{ALNUM}",
    "aws-id": "AKIAIOSFODNN7EXAMPLE",
    "aws-session-id": "ASIAIOSFODNN7EXAMPLE",
    "bedrock": f"ABSK{ALNUM}QmVkcm9jaw==",
    "bedrock-short": f"bedrock-api-key-{ALNUM}",
    "xai": f"xai-{ALNUM}",
    "groq": f"gsk_{ALNUM}",
    "huggingface": f"hf_{ALNUM}",
    "github": f"ghp_{ALNUM}",
    "cerebras": f"csk-{ALNUM}",
    "fireworks": f"fw_{ALNUM}",
    "perplexity": f"pplx-{ALNUM}",
    "nvidia": f"nvapi-{ALNUM}",
    "replicate": f"r8_{ALNUM}",
    "masked": "sk-abcd************wxyz",
}
NAMED = {
    "cohere": (f"CO_API_KEY={ALNUM}", ALNUM),
    "mistral": (f'"mistral_api_key": "{ALNUM}"', ALNUM),
    "aws-secret": (f"AWS_SECRET_ACCESS_KEY = {ALNUM}/+x", f"{ALNUM}/+x"),
    "aws-session": (f"aws_session_token: {ALNUM}", ALNUM),
    "azure": (f"api-key: {ALNUM}", ALNUM),
    "bearer": (f"Authorization: Bearer {ALNUM}", ALNUM),
}
SECRETS = {name: (key, key) for name, key in KEYS.items()} | NAMED


@pytest.mark.parametrize("name", SECRETS)
def test_a_key_in_a_text_is_hidden(name: str) -> None:
    said, secret = SECRETS[name]
    for text_ in (said, f"My key: {said}, thanks.", f"({said})", f'{{"a":"\\n{said}"}}'):
        shown = without_keys(text_)
        assert secret not in shown
        assert HIDDEN in shown
    assert without_keys(f"before {said} behind").startswith("before ")
    assert without_keys(f"before {said} behind").endswith(" behind")


@pytest.mark.parametrize(
    "words",
    [
        "co-responsibility",
        "hf_hub_download",
        "sk-learn and scikit-learn",
        "pk_constraint_name",
        "risk-assessment-2026-first-draft",
        "The bearer of good news",
        "api_key=os.environ",
        "ASIAN",
        "a secret key: see below for the first paragraph",
        "0123456789abcdef0123456789abcdef",
        "msg_01XFDUDYJgAACzvnptvVoYEL",
        "chatcmpl-123456789012345678",
        "toolu_01A09q90qw90lq917835lq9",
    ],
)
def test_what_is_no_key_stays(words: str) -> None:
    assert without_keys(words) == words


@pytest.mark.parametrize("name", SECRETS)
def test_a_key_that_is_parted_by_deltas_is_hidden(name: str) -> None:
    said, secret = SECRETS[name]
    text_ = f"Use {said} now, co-workers. Or api_key."
    chance = random.Random(name)
    for size in (1, 2, 3, 5, 11, 0):
        pieces, at = [], 0
        while at < len(text_):
            step = size or chance.randint(1, 20)
            pieces.append(text_[at : at + step])
            at += step
        shown = "".join(redact(pieces))
        assert shown == without_keys(text_)
        assert secret not in shown


def redact(pieces: Sequence[str], kind: str = "text") -> list[str]:
    redactor = DeltaRedactor()
    out = []
    for seq, piece in enumerate(pieces):
        out += redactor.feed({"seq": seq, "delta": delta(kind, piece)})
    out += redactor.close()
    assert [row["seq"] for row in out] == list(range(len(pieces)))
    member = "argsTextDelta" if kind == "tool_call_args" else "textDelta"
    return [row["delta"]["payload"][member] for row in out]


def delta(kind: str, piece: str, call: str = "c1") -> dict[str, Any]:
    if kind == "tool_call_args":
        return {"kind": kind, "payload": {"toolCallId": call, "argsTextDelta": piece}}
    if kind in ("text", "thinking"):
        return {"kind": kind, "payload": {"textDelta": piece}}
    return {"kind": kind, "payload": {"toolCallId": call}}


def test_lines_wait_only_for_what_may_become_a_key() -> None:
    redactor = DeltaRedactor()

    def fed(kind: str, piece: str = "", call: str = "c1") -> int:
        return len(redactor.feed({"delta": delta(kind, piece, call)}))

    assert fed("text", "Hello, you") == 1
    assert fed("text", " s") == 0  # sk-…
    assert fed("text", "o it is") == 2
    assert fed("text", " sk-abc") == 0
    assert fed("tool_call_start") == 2  # the text is over
    assert fed("tool_call_args", '{"k":"sk-abcdef01') == 0
    assert fed("tool_call_start", call="c2") == 0
    assert fed("tool_call_args", '{"k":1}', "c2") == 0
    assert fed("tool_call_args", '23456789"}') == 4
    assert redactor.close() == []


def test_calls_that_alternate_are_told_apart() -> None:
    redactor = DeltaRedactor()
    key = KEYS["openai"]
    out = []
    for at in range(0, len(key), 4):
        for call in ("c1", "c2"):
            out += redactor.feed({"delta": delta("tool_call_args", key[at : at + 4], call)})
    out += redactor.close()
    for call in ("c1", "c2"):
        payloads = [row["delta"]["payload"] for row in out]
        said = "".join(p["argsTextDelta"] for p in payloads if p["toolCallId"] == call)
        assert said == HIDDEN


def test_a_key_without_end_does_not_hold_lines_for_ever() -> None:
    redactor = DeltaRedactor()
    waiting = 0
    for _ in range(5000):
        waiting += 1 - len(redactor.feed({"delta": delta("text", "sk-a1")}))
        assert waiting <= 1000


@pytest.mark.parametrize("words", ["sk-" * 30_000, "api_key=" * 12_000, "bearer " * 14_000])
def test_hostile_texts_take_no_time(words: str) -> None:
    # Quadratic, each of these would take minutes.
    assert len(without_keys(words)) <= len(words)
    redact([words, words])


def test_members_are_hidden_by_their_names() -> None:
    config = {
        "modelId": "m",
        "api_key": "short",
        "aws_secret_access_key": "s",
        "awsSessionToken": "s",
        "x-amz-security-token": "s",
        "extra_headers": {"X-Custom": "anything", "Retry": 3},
        "defaultHeaders": [["A", "b"]],
        "extra_query": {"k": "v"},
        "credentials": ["a", "b"],
        "password": "p",
        "max_tokens": 5,
        "stream": True,
        "nested": {"Authorization": "Basic eDp5"},
        "base_url": "https://host/v1?key=abc&x=1",
    }
    assert redacted(config) == {
        "modelId": "m",
        "api_key": HIDDEN,
        "aws_secret_access_key": HIDDEN,
        "awsSessionToken": HIDDEN,
        "x-amz-security-token": HIDDEN,
        "extra_headers": {"X-Custom": HIDDEN, "Retry": HIDDEN},
        "defaultHeaders": [[HIDDEN, HIDDEN]],
        "extra_query": {"k": HIDDEN},
        "credentials": [HIDDEN, HIDDEN],
        "password": HIDDEN,
        "max_tokens": 5,
        "stream": True,
        "nested": {"Authorization": HIDDEN},
        "base_url": f"https://host/v1?key={HIDDEN}&x=1",
    }


def test_the_state_that_a_provider_wants_back_stays() -> None:
    blob = f"{'Qm9n' * 100}-sk-{ALNUM}-{ALNUM}"
    assert without_keys(blob) != blob
    state = {"signature": blob, "token_count": 3, "text": f"see {KEYS['openai']} there"}
    assert redacted_state(state) == {**state, "text": f"see {HIDDEN} there"}


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
    with RecordingModel(Scripted(*said), path) as recording:

        async def main() -> list[MessageDelta]:
            stream = recording.stream(
                history,
                [{"name": "login", "parameterSchema": schema}],
                f"The key is {key}.",
                request_metadata={"sessionId": "s", "runId": "r", "traceId": "t"},
                api_key=key,
                extra_headers={"x": "swordfish"},
            )
            return [delta async for delta in stream]

        read = run(main)
    assert [each.payload.text_delta for each in read[1:]] == said  # the reader has it all
    data = path.read_text()
    assert data.count(key[4:30]) == data.count(f"{'x' * 300}-{key}") == 1  # in the signature
    assert "swordfish" not in data
    request = rows(path)[1]
    assert request["toolSpecs"][0]["parameterSchema"] == schema
    assert request["messages"][1]["meta"] == {"opaque": opaque, "note": HIDDEN}
    assert request["messages"][1]["parts"][0]["payload"]["arguments"] == {"password": HIDDEN}
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
            return ModelStream(self._deltas(), lambda message: message, lambda: [finding])

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
