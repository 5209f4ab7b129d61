"""The native core counts what the code in Python counts."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire.archive.statistics.counting import Counting, Measured
from partwire.archive.statistics.native import native_counting
from partwire.archive.statistics.tally import Tally
from partwire.contract.versions import parse_type
from partwire.native_core import core
from partwire.reading.pipeline import Binding

from .conversations import conversations
from .test_statistics import EVENT, HOSTILE, SESSION, delta

pytestmark = pytest.mark.skipif(
    not hasattr(core(), "Counting"), reason="the native core is not installed"
)

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def objects(value: Any) -> Iterator[Any]:
    """Yield all objects in a JSON value."""
    if isinstance(value, dict):
        yield value
    for inner in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from objects(inner)


def fixtures(type_name: str) -> list[bytes]:
    binding = Binding.of(type_name)
    found = (
        json.dumps(each, ensure_ascii=False).encode("utf-8", "replace")
        for path in sorted(FIXTURES.rglob("*.json"))
        for each in objects(json.loads(path.read_text("utf-8")))
        if {"role", "kind", "info", "message_type"} & each.keys()
    )
    return [text for text in dict.fromkeys(found) if binding.is_clean(text)]


def both(type_name: str, texts: list[bytes]) -> tuple[bytes, bytes, int]:
    """Return the tallies of both ways, and how many documents the native one counts."""
    measured = Measured.of(parse_type(type_name, None))
    native, plain, rest = native_counting(measured), Counting(measured), Counting(measured)
    assert native is not None
    valid = [text for text in texts if Binding.of(type_name).is_clean(text)]
    for at, text in enumerate(valid):
        plain.take(at, text, json.loads(text))
    half = len(valid) // 2
    left = [*native.take(valid[:half], 0), *(half + at for at in native.take(valid[half:], half))]
    for at in left:
        rest.take(at, valid[at], json.loads(valid[at]))
    tallies = [Tally(measured.tables) for _ in range(2)]
    tallies[0].add(plain.take_out())
    tallies[1].add(native.take_out())
    tallies[1].add(rest.take_out())
    assert native.rows == 0
    return tallies[0].to_json(), tallies[1].to_json(), len(valid) - len(left)


@pytest.mark.parametrize(
    "type_name",
    ["message.Message", "message.MessageDelta", "session.WithParts", "envelope.TaskEvent"],
)
def test_fixtures(type_name: str) -> None:
    texts = fixtures(type_name)
    plain, native, counted = both(type_name, texts)
    assert plain == native
    assert counted > 0.9 * len(texts) > 0


def test_messages() -> None:
    lines = [json.dumps(each).encode() for each in conversations(300)]
    random.Random(2).shuffle(lines)
    plain, native, counted = both("message.Message", lines + HOSTILE)
    assert plain == native
    assert counted >= len(lines)


def test_many_things_are_sampled_alike() -> None:
    lines = [
        delta(0, "start", {"modelId": "m", "requestId": "q"}, at % 60, runId=f"r{at}")
        for at in range(9000)
    ]
    plain, native, _ = both("message.MessageDelta", lines)
    assert plain == native
    measured = Measured.of(parse_type("message.MessageDelta", None))
    assert not Tally.of_json(measured.tables, native).samples["streams"].is_exact


_NAMES = st.sampled_from(["region", "modelId", "a/b~", "\u00e9", "x" * 200, "kind", '"', "\n"])
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 1 << 60) | st.text(max_size=4) | st.floats(0, 9),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_NAMES, inner, max_size=2),
    max_leaves=4,
)
_TIMES = st.sampled_from(
    ["1969-12-31T23:59:59Z", "2024-02-29T23:59:59.987654321-08:00", "9999-12-31T23:59:59-12:00"]
) | st.datetimes().map(lambda at: f"{max(at.year, 1900):04}-{at.isoformat()[5:19]}+05:30")


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, bytes]:
    """Return a document with members that nobody declared, odd times, texts and forms."""
    kind = draw(st.integers(0, 2))
    more = draw(st.dictionaries(_NAMES, _VALUES, max_size=2))
    times = draw(st.lists(_TIMES, min_size=2, max_size=2))
    text = draw(st.text(max_size=3) | st.text('é\\"/\n', min_size=126, max_size=130))
    if kind == 0:
        value: Any = {
            "runId": text or "r",
            "role": "assistant",
            "timestamp": times[0],
            "parts": [
                {
                    "payload": {
                        "toolCallId": text or "c",
                        "toolName": text or "t",
                        "arguments": more,
                    },
                    "kind": "tool_call",
                    **more,
                }
            ],
            "meta": {
                "modelId": text,
                "finishReason": text or "stop",
                "completedAt": times[1],
                "usage": {
                    "inputTokens": draw(st.integers(0, (1 << 53) - 1)),
                    "outputTokens": 0,
                    "totalTokens": 0,
                    "cost": draw(st.floats(0, 1e12) | st.integers(0, 9)),
                },
                **more,
            },
        }
        name = "message.Message"
    elif kind == 1:
        value = json.loads(delta(1, "text", {"textDelta": text}, 1)) | {"timestamp": times[0]}
        value = value | {each: more[each] for each in more if each != "kind"}
        name = "message.MessageDelta"
    else:
        value, name = draw(
            st.sampled_from([(SESSION, "session.WithParts"), (EVENT, "envelope.TaskEvent")])
        )
        value = value | {each: more[each] for each in more if each not in value}
    data = json.dumps(
        value, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 1]))
    )
    return name, data.replace("\n", "\r").encode("utf-8", "replace")


@given(documents())
def test_any_document(given: tuple[str, bytes]) -> None:
    name, text = given
    plain, native, _ = both(name, [text])
    assert plain == native
