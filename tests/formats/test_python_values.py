"""Values that only Python has: what is derived from JSON's types is JSON, and nothing raises."""

from __future__ import annotations

import enum
from collections import OrderedDict
from typing import Any

import pytest
from pydantic import BaseModel, computed_field

from partwire import formats
from partwire.errors import ReadError
from tests.formats.laws import read_given, wire


class _Text(str):
    __slots__ = ()


class _Role(str, enum.Enum):  # noqa: UP042 - what libraries have
    user = "user"


class _Level(enum.IntEnum):
    low = 1


class _Number(float):
    __slots__ = ()


class _List(list[Any]):
    pass


def test_what_is_derived_from_json_is_read_as_json() -> None:
    call = {"name": "f", "args": {"level": _Level.low, "cost": _Number(0.5)}, "id": _Text("c1")}
    document = _List(
        [
            OrderedDict(role=_Role.user, content=_Text("Hi")),
            {"type": _Text("ai"), "content": "", "tool_calls": _List([call])},
        ]
    )
    plain = [
        {"role": "user", "content": "Hi"},
        {
            "type": "ai",
            "content": "",
            "tool_calls": [{"name": "f", "args": {"level": 1, "cost": 0.5}, "id": "c1"}],
        },
    ]
    assert wire(read_given("langchain", document)) == wire(read_given("langchain", plain))
    assert read_given("langchain", document).losses == read_given("langchain", plain).losses
    assert type(document[0]["role"]) is _Role  # it is left as it is


def test_events_may_be_derived_too() -> None:
    reader = formats.reader("ai-sdk", run_id="run_1", timestamp="2026-01-02T03:04:05Z")
    run = formats.RunAssembler()
    for event in (
        {"type": _Text("start"), "messageId": _Text("m1")},
        {"type": "text-start", "id": _Text("1")},
        {"type": "text-delta", "id": "1", "delta": _Text("a")},
        {"type": "text-end", "id": "1"},
        {"type": "finish", "finishReason": _Text("stop")},
    ):
        run.feed_all(reader.feed(event))
    run.feed_all(reader.finish())
    assert [message.message_id for message in run.finish()] == ["m1"]
    assert not run.failures


class _Computing(BaseModel):
    @computed_field  # type: ignore[prop-decorator]
    @property
    def role(self) -> str:
        raise KeyError("role")


class _Answering:
    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


@pytest.mark.parametrize("make", [_Computing, _Answering])
def test_objects_that_raise_are_refused(make: type[Any]) -> None:
    odd = make()
    for document in ([odd], [{"role": "user", "content": odd}]):
        with pytest.raises(ReadError):
            read_given("openai-chat", document)
