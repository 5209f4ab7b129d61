"""There and back over generated documents: nothing differs but what was reported."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from partwire.convert.families.blocks import blocks_to_messages, messages_to_blocks
from partwire.convert.families.conversion import BridgeResult
from partwire.convert.families.envelope import (
    response_to_tool_result,
    result_to_tool_result,
    tool_result_to_response,
    tool_result_to_result,
)
from partwire.convert.families.from_session import session_to_messages
from partwire.convert.families.to_session import messages_to_session
from partwire.reading import unknown_members
from partwire.reading.pipeline import read, validate
from partwire.reading.plain import plain_value
from tests.convert.bridge_histories import history, is_valid, with_state
from tests.convert.bridge_law import differences
from tests.strategies import Documents

COUNT = 500
MORE = 10_000

Bridge = Callable[..., BridgeResult[list[Any]]]

PAIRS: dict[str, tuple[str, Bridge, Bridge, str]] = {
    "message-session": (
        "message.Message",
        messages_to_session,
        session_to_messages,
        "session.WithParts",
    ),
    "session-message": (
        "session.WithParts",
        session_to_messages,
        messages_to_session,
        "message.Message",
    ),
    "session-message, all text": (
        "session.WithParts",
        partial(session_to_messages, keep_ignored=True),
        messages_to_session,
        "message.Message",
    ),
    "message-blocks": ("message.Message", messages_to_blocks, blocks_to_messages, "blocks.Message"),
    "blocks-message": ("blocks.Message", blocks_to_messages, messages_to_blocks, "message.Message"),
    "message-result": (
        "message.ToolResult",
        tool_result_to_result,
        result_to_tool_result,
        "envelope.ToolResult",
    ),
    "result-message": (
        "envelope.ToolResult",
        result_to_tool_result,
        tool_result_to_result,
        "message.ToolResult",
    ),
    "message-response": (
        "message.ToolResult",
        tool_result_to_response,
        response_to_tool_result,
        "envelope.ToolCallResponse",
    ),
    "response-message": (
        "envelope.ToolCallResponse",
        response_to_tool_result,
        tool_result_to_response,
        "message.ToolResult",
    ),
}


def generated(type_name: str, seed: str) -> list[Any]:
    """Return valid documents of one type, as they are read."""
    maker, rng = Documents(seed), random.Random(seed)
    found: list[Any] = []
    wanted = rng.choice((1, 1, 2, 3))
    while len(found) < wanted:
        document = maker.valid(type_name)
        if type_name == "session.WithParts":
            document = with_state(document, rng)
        if is_valid(document, type_name):
            found.append(plain_value(read(document, type_name))[0])
    return found


def law_fault(source: list[Any], there: Bridge, back: Bridge, between: str) -> list[Any]:
    made = there(source)
    documents = [plain_value(each)[0] for each in made.value]
    bad = [validate(each, between) for each in documents if not is_valid(each, between)]
    returned = back(made.value)
    again = [plain_value(each)[0] for each in returned.value]
    return bad or differences(copy.deepcopy(source), again, made.losses)


def put_unknown(value: Any, rng: random.Random) -> None:
    """Put a member that no schema names into some of the objects that ``value`` holds."""
    for each in list(value.values() if isinstance(value, dict) else value):
        if isinstance(each, (dict, list)):
            put_unknown(each, rng)
    if isinstance(value, dict) and rng.random() < 0.3:
        value["not/named"] = True


@pytest.mark.parametrize("pair", PAIRS)
def test_unknown_members_are_reported_and_nothing_else_is_lost(pair: str) -> None:
    type_name, there, back, between = PAIRS[pair]
    seen = 0
    for number in range(COUNT // 10):
        seed = f"unknown {pair} {number}"
        source = history(seed) if pair == "message-session" else generated(type_name, seed)
        put_unknown(source, random.Random(seed))
        if not all(is_valid(each, type_name) for each in source):
            continue
        assert law_fault(source, there, back, between) == [], number
        reported = {loss.pointer for loss in there(source).losses if loss.code == "unknown-member"}
        for at, each in enumerate(source):
            assert {f"/{at}{place}" for place in unknown_members(each, type_name)} <= reported
        seen += bool(reported)
    assert seen > COUNT // 200


def assert_law(pair: str, seeds: range) -> None:
    type_name, there, back, between = PAIRS[pair]
    for number in seeds:
        seed = f"{pair} {number}"
        source = history(seed) if pair == "message-session" else generated(type_name, seed)
        assert law_fault(source, there, back, between) == [], number


@pytest.mark.parametrize("pair", PAIRS)
def test_there_and_back_is_the_original_but_for_what_was_reported(pair: str) -> None:
    assert_law(pair, range(COUNT))


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.usefixtures("untraced")  # what the first ones do not run, the next ones hardly do
def test_the_law_is_kept_by_ten_thousand(
    pair: str, record_property: Callable[[str, object], None]
) -> None:
    assert_law(pair, range(COUNT, MORE))
    record_property("agreement of bridges, there and back", {pair: MORE})
