"""What partwire writes for LangChain, as its own library loads it and writes it again."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.load import dumpd, load
from langchain_core.messages import AnyMessage, BaseMessage, messages_from_dict, messages_to_dict
from pydantic import TypeAdapter

from partwire import formats
from tests.formats.histories import histories
from tests.formats.laws import read_given
from tests.formats.written import drawn_histories, plain

Json = dict[str, Any]


class Envelope(NamedTuple):
    """How the library loads stored messages, and stores them."""

    loaded: Callable[[Any], Any]
    stored: Callable[[Any], Any]


ANY: Final[TypeAdapter[Any]] = TypeAdapter(list[AnyMessage])
ENVELOPES: Final = {
    "messages_to_dict": Envelope(messages_from_dict, messages_to_dict),
    "dumpd": Envelope(
        lambda rows: [load(row, allowed_objects="core") for row in rows],
        lambda messages: [dumpd(message) for message in messages],
    ),
    "model_dump": Envelope(
        ANY.validate_python,
        lambda messages: [message.model_dump(mode="json") for message in messages],
    ),
}
# What the library writes in another way than it was written.
NAMED: Final = {
    "nothing": "dumpd leaves out null, and what is empty",
    "pieces": "of a chunk the library makes the calls anew of their pieces, which get a type",
}
_OF_PIECES: Final = ("tool_calls", "invalid_tool_calls", "tool_call_chunks")

pytestmark = pytest.mark.filterwarnings("ignore:The function `load` is in beta")


@pytest.mark.parametrize("extensions", [False, True])
@pytest.mark.parametrize("version", ENVELOPES)
def test_stored_messages_are_loaded_and_stored_the_same(version: str, extensions: bool) -> None:
    for messages in histories().values():
        _comes_back(messages, version, extensions=extensions)


@given(drawn_histories, st.sampled_from(sorted(ENVELOPES)), st.booleans())
@settings(max_examples=40)
def test_drawn_messages_are_loaded_and_stored_the_same(
    messages: Any, version: str, extensions: bool
) -> None:
    _comes_back(plain(messages), version, extensions=extensions)


def _comes_back(messages: list[Json], version: str, *, extensions: bool) -> None:
    written = formats.write("langchain", messages, version=version, extensions=extensions).document
    loaded = ENVELOPES[version].loaded(written)
    stored = ENVELOPES[version].stored(loaded)
    assert _normal(stored) == _normal(written)
    has_pieces = any("tool_call_chunks" in json.dumps(row) for row in written)
    back, ours = (plain(read_given("langchain", each).messages) for each in (stored, written))
    assert has_pieces or back == ours
    for message, row in zip(loaded, written, strict=True):
        data = {"messages_to_dict": row.get("data"), "dumpd": row.get("kwargs")}.get(version) or row
        _says_the_same(message, data)


def _says_the_same(message: BaseMessage, data: Json) -> None:
    """Check what programs ask a message for: its text, its calls, what they answer."""
    content = data["content"]
    blocks = [content] if isinstance(content, str) else content
    texts = [each if isinstance(each, str) else each.get("text") for each in blocks]
    kinds = ["text" if isinstance(each, str) else each.get("type") for each in blocks]
    text = "".join(t for t, kind in zip(texts, kinds, strict=True) if kind == "text" and t)
    assert str(message.text) == text
    for name in () if "tool_call_chunks" in data else ("tool_calls", "invalid_tool_calls"):
        mine = [(call["id"], call["name"], call["args"]) for call in getattr(message, name, [])]
        assert mine == [(call["id"], call["name"], call["args"]) for call in data.get(name, [])]
    if data["type"] == "tool":
        assert (message.tool_call_id, message.status) == (data["tool_call_id"], data["status"])  # type: ignore[attr-defined]


def _normal(value: Any) -> Any:
    """Return a value without what is named above; numbers as JSON has them."""
    return _kept(json.loads(json.dumps(value)))


def _kept(value: Any) -> Any:
    if isinstance(value, dict):
        left_out = _OF_PIECES if value.get("type") == "AIMessageChunk" else ()
        kept = {name: _kept(member) for name, member in value.items() if name not in left_out}
        return {name: member for name, member in kept.items() if member not in (None, {}, [])}
    return [_kept(item) for item in value] if isinstance(value, list) else value
