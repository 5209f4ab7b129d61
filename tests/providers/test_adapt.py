"""Bytes of a response become its deltas or its message, with the native core and without."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from partwire import UsageError, assemble, to_wire
from partwire.contract.current.message import Author, MessageDelta, TextFormat
from partwire.providers import adapt_bytes
from partwire.providers.adapt import Adapted
from partwire.providers.native_reader import NativeReader
from tests.providers.provider_streams import RUN, fixed_clock
from tests.ways import way

__all__ = ["way"]

CHOICE = b'{"delta":{"content":"Hi"},"finish_reason":"stop"}'
TEXT = b'data: {"id":"q","model":"m","choices":[' + CHOICE + b"]}\n\n"


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
        ("openai-chat", RUN, {"author": {"name": ""}}),
        ("openai-chat", RUN, {"author": {"name": "a" * 513}}),
        ("openai-chat", RUN, {"author": {"name": "\ud800"}}),
        ("openai-chat", RUN, {"author": {"agentPath": []}}),
        ("openai-chat", RUN, {"author": {"agentPath": ["a", 7]}}),
        ("openai-chat", RUN, {"author": {"agentPath": ["a"] * 65}}),
        ("openai-chat", RUN, {"author": {"id": "x"}}),
        ("openai-chat", RUN, {"author": ""}),
        ("openai-chat", RUN, {"format": {"name": ""}}),
        ("openai-chat", RUN, {"format": {"schema": {}}}),
        ("openai-chat", RUN, {"author": "Ada", "version": "v0.2"}),
        ("openai-chat", RUN, {"format": {}, "version": "v0.2"}),
        ("openai-chat", RUN, {"version": "v0.1"}),
        ("openai-chat", RUN, {"version": None}),
    ],
)
def test_wrong_arguments_are_refused(dialect: str, run_id: str, options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        adapt_bytes(dialect, TEXT, run_id, clock=fixed_clock, **options)


@pytest.mark.parametrize(
    "words",
    [
        {"author": {"name": "Ada", "agentPath": ["a", "b"]}, "format": {"name": "recipe"}},
        {"author": Author(name="Ada"), "format": TextFormat(schema_ref="s")},
        {"author": {}, "format": {}},
    ],
)
def test_the_start_says_author_and_form_where_the_version_has_them(words: dict[str, Any]) -> None:
    def start(**options: Any) -> Any:
        deltas = adapt_bytes("openai-chat", TEXT, RUN, clock=fixed_clock, **options)
        return to_wire(next(iter(deltas)))["payload"]

    said = {
        name: value if isinstance(value, dict) else to_wire(value) for name, value in words.items()
    }
    plain = start(version="v0.2")
    assert start(**words) == {**plain, **said}
    assert not plain.keys() & {"author", "format"}


def test_an_author_may_be_a_name() -> None:
    deltas = adapt_bytes("openai-chat", TEXT, RUN, clock=fixed_clock, author="Ada")
    assert to_wire(next(iter(deltas)))["payload"]["author"] == {"name": "Ada"}
