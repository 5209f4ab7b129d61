"""Responses read by the native core: the deltas and the message are those of the adapters.

Each fixture and each recording, in chunks of every size that a network or a file has; with fuzz,
``tests/fuzz/providers.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from partwire import UsageError, assemble, to_wire
from partwire.contract.current.message import MessageDelta
from partwire.providers import ADAPTERS, ByteAdapter, adapt_bytes, open_adapter
from partwire.providers.adapt import Adapted
from partwire.providers.native_reader import NativeReader
from tests.fixture_cases import Case, cases
from tests.fuzz import providers as fuzz
from tests.fuzz.providers import outcome
from tests.fuzz.runner import main
from tests.providers import recordings as recorded
from tests.providers.provider_streams import RUN, fixed_clock, step_clock
from tests.ways import way

__all__ = ["way"]

SIZES = (1, 7, 200, 64 * 1024)
CHOICE = b'{"delta":{"content":"Hi"},"finish_reason":"stop"}'
TEXT = b'data: {"id":"q","model":"m","choices":[' + CHOICE + b"]}\n\n"


def in_chunks(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def check(
    dialect: str, data: bytes, clock: Callable[[], Callable[[], str]], **options: Any
) -> None:
    adapter = open_adapter(dialect, RUN, clock=clock(), **options)
    reader = ByteAdapter(adapter)
    due = reader.feed(data) + reader.close()
    message = outcome(partial(assemble, due))
    for size in SIZES if len(data) < 20_000 else SIZES[2:]:
        chunks = in_chunks(data, size)
        assert list(adapt_bytes(dialect, chunks, RUN, clock=clock(), **options)) == due, size
        source = adapt_bytes(dialect, chunks, RUN, clock=clock(), **options)
        assert outcome(partial(assemble, source)) == message, size


@pytest.mark.parametrize("case", cases("providers"), ids=lambda case: f"{case.version}/{case.name}")
def test_a_fixture(case: Case) -> None:
    spec = case.spec
    options = {
        "used_tool_call_ids": frozenset(spec.get("used_tool_call_ids", ())),
        "keep_raw": spec.get("keep_raw", False),
        "message_id": spec.get("message_id"),
        "turn_id": spec.get("turn_id"),
    }
    check(spec["api"], case.data("input"), lambda: step_clock(**spec["clock"]), **options)


@pytest.mark.parametrize("name", recorded.ids(*ADAPTERS))
def test_a_recording(name: str, recordings: Path) -> None:
    recording = recorded.load()[name]
    for data in filter(None, (recording.sse, recording.raw_sse)):
        check(recording.dialect, data, lambda: fixed_clock)
        check(recording.dialect, data, lambda: fixed_clock, keep_raw=True)


@pytest.mark.parametrize("cases", [200, pytest.param(3_000, marks=pytest.mark.slow)])
def test_any_bytes(cases: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([fuzz.TARGET], ["--n", str(cases)]) == 0, capsys.readouterr().out


def test_the_native_core_reads(way: str) -> None:
    """Nothing else here would fail if it never did."""
    source = adapt_bytes("openai-chat", TEXT, RUN, clock=fixed_clock)
    assert isinstance(source, Adapted)
    assert isinstance(source._reader, NativeReader) is (way == "native")
    (part,) = assemble(source).parts
    assert to_wire(part)["payload"] == {"text": "Hi"}
    if isinstance(source._reader, NativeReader):
        assert source._reader.message_text() is not None  # no delta was made


def test_deltas_that_were_asked_for_are_all_there_is() -> None:
    source = adapt_bytes("openai-chat", TEXT, RUN, clock=fixed_clock)
    first = next(source)
    assert first.kind == "start"
    rest: list[MessageDelta] = list(source)
    assert len(assemble([first, *rest]).parts) == 1
    assert list(source) == []


def test_chunks_are_bytes_of_any_kind(way: str) -> None:
    chunks: list[Any] = [TEXT[:9], bytearray(TEXT[9:40]), b"", memoryview(TEXT)[40:70], TEXT[70:]]
    assert len(list(adapt_bytes("openai-chat", chunks, RUN, clock=fixed_clock))) == 3
    (part,) = assemble(adapt_bytes("openai-chat", chunks, RUN, clock=fixed_clock)).parts
    assert to_wire(part)["payload"] == {"text": "Hi"}


@pytest.mark.parametrize("wrong", [None, "data: {}", 7])
def test_a_chunk_that_is_not_bytes_is_refused_when_it_comes(way: str, wrong: Any) -> None:
    chunks: list[Any] = [TEXT, wrong]
    deltas = adapt_bytes("openai-chat", chunks, RUN, clock=fixed_clock)
    assert next(deltas).kind == "start"
    with pytest.raises(UsageError, match="Not what a response comes in"):
        list(deltas)
    with pytest.raises(UsageError, match="Not what a response comes in"):
        assemble(adapt_bytes("openai-chat", chunks, RUN, clock=fixed_clock))


def test_what_the_callers_clock_raises_is_raised() -> None:
    def broken() -> str:
        raise LookupError("no time")

    with pytest.raises(LookupError, match="no time"):
        list(adapt_bytes("openai-chat", TEXT, RUN, clock=broken))


def test_what_the_network_raises_is_raised() -> None:
    def chunks() -> Iterator[bytes]:
        yield TEXT[:50]
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError, match="gone"):
        assemble(adapt_bytes("openai-chat", chunks(), RUN, clock=fixed_clock))


@pytest.mark.parametrize(
    ("dialect", "run_id", "options"),
    [
        ("openai-chatt", RUN, {}),
        ("openai-chat", "", {}),
        ("openai-chat", RUN, {"message_id": ""}),
        ("openai-chat", RUN, {"turn_id": "\ud800"}),
        ("openai-chat", RUN, {"framing": "json"}),
    ],
)
def test_wrong_arguments_are_refused(dialect: str, run_id: str, options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        adapt_bytes(dialect, TEXT, run_id, clock=fixed_clock, **options)
