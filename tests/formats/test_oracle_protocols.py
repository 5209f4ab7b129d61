"""What partwire writes for MCP and A2A, as the types of their own libraries take it."""

from __future__ import annotations

from typing import Any, Final

import mcp_types as mcp
import pytest
from a2a.types import Message as A2AMessage
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from partwire import formats
from tests.formats.histories import histories
from tests.formats.oracles import missing
from tests.formats.written import drawn_histories, plain

Json = dict[str, Any]

# What the libraries have no place for.
NAMED: Final = {
    "model": "of several messages each may say its model, and why it stopped",
    "resource": "of messages with resources the library knows prompts alone, with one block each",
    "deep": "the library of A2A takes no data that is nested deeper than 100",
}
_OF_ANSWERS: Final = ("/model", "/stopReason")
_MESSAGES: Final = TypeAdapter(list[mcp.SamplingMessage])
_BLOCK: Final[TypeAdapter[Any]] = TypeAdapter(mcp.ContentBlock)
_VERSIONS: Final = formats.FORMATS["mcp"].versions


@pytest.mark.parametrize("extensions", [False, True])
@pytest.mark.parametrize("version", _VERSIONS)
def test_documents_of_mcp_are_those_of_its_library(version: str, extensions: bool) -> None:
    for name, messages in histories().items():
        assert _of_mcp(messages, version, extensions=extensions) == [], name


@given(drawn_histories, st.sampled_from(_VERSIONS), st.booleans())
@settings(max_examples=40, phases=[Phase.generate])
def test_drawn_documents_of_mcp(messages: Any, version: str, extensions: bool) -> None:
    assert _of_mcp(plain(messages), version, extensions=extensions) == []


def _of_mcp(messages: list[Json], version: str, *, extensions: bool) -> list[Any]:
    """Return the places of what is written that are not in what the library reads."""
    written = formats.write("mcp", messages, version=version, extensions=extensions).document
    if "messages" not in written:
        kind: Any = mcp.CreateMessageResultWithTools if "role" in written else mcp.CallToolResult
        return missing(written, _dumped(kind.model_validate(written)))
    resources = [each for each in written["messages"] if _has_resource(each)]
    for message in resources:
        for block in message["content"] if isinstance(message["content"], list) else ():
            if block["type"] not in ("tool_use", "tool_result"):
                _BLOCK.validate_python(block)
    known = [each for each in written["messages"] if each not in resources]
    read = [_dumped(each) for each in _MESSAGES.validate_python(known)]
    return [each for each in missing(known, read) if not each[0].endswith(_OF_ANSWERS)]


def _has_resource(message: Json) -> bool:
    content = message["content"]
    blocks = content if isinstance(content, list) else [content]
    return any(block["type"].startswith("resource") for block in blocks)


def _dumped(read: Any) -> Json:
    written: Json = read.model_dump(mode="json", by_alias=True, exclude_none=True)
    return written


def test_the_check_sees_what_is_not_of_mcp() -> None:
    with pytest.raises(ValidationError):
        _MESSAGES.validate_python([{"role": "user", "content": {"type": "text"}}])


@pytest.mark.parametrize("extensions", [False, True])
def test_messages_of_a2a_are_those_of_its_library(extensions: bool) -> None:
    for name, messages in histories().items():
        assert _of_a2a(messages, extensions=extensions) == [], name


@given(drawn_histories, st.booleans())
@settings(max_examples=40, phases=[Phase.generate])
def test_drawn_messages_of_a2a(messages: Any, extensions: bool) -> None:
    assert _of_a2a(plain(messages), extensions=extensions) == []


def _of_a2a(messages: list[Json], *, extensions: bool) -> list[Any]:
    written = formats.write("a2a", messages, version="1.0", extensions=extensions).document
    read = []
    for message in written:
        try:
            read.append(MessageToDict(ParseDict(message, A2AMessage())))
        except ParseError as error:
            return [] if "too deep" in str(error) else [str(error)]
    return missing(written, read)


def test_the_check_sees_what_is_not_of_a2a() -> None:
    with pytest.raises(ParseError):
        ParseDict({"role": "ROLE_USER", "kind": "message"}, A2AMessage())
