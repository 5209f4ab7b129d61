"""Whatever comes over a bus is an event or a refusal, and what is written is always read again."""

from __future__ import annotations

import json
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from partwire.envelope import parse
from partwire.envelope.cloudevents import (
    CloudEvent,
    from_cloudevent,
    from_http,
    from_kafka,
    to_cloudevent,
    to_http,
    to_kafka,
    to_structured,
)
from partwire.errors import PartwireError
from tests.fixture_cases import cases

Json = dict[str, Any]

EVENTS: Final[list[Json]] = [
    case.value("event") for case in cases("cloudevents") if case.spec["call"] == "write"
]
NAMES: Final = sorted({name for event in EVENTS for name in event} | {"data_base64", "", "Ä"})

texts = st.text(max_size=20) | st.sampled_from(["1.0", "%", "%zz", '"', "\x00", "\ud800", "0"])
scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


def read_or_refused(read: Any, *arguments: Any) -> CloudEvent | None:
    """Anything else than an event or an error of ours fails the test."""
    try:
        event: CloudEvent = read(*arguments)
    except PartwireError:
        return None
    return event


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(NAMES) | texts, values, max_size=8) | values)
def test_any_value_is_an_event_or_refused(value: Any) -> None:
    read_or_refused(from_cloudevent, value)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(EVENTS), st.sampled_from(NAMES), values, st.booleans())
def test_an_event_with_one_member_changed(event: Json, name: str, value: Any, gone: bool) -> None:
    changed = {key: inner for key, inner in event.items() if not (gone and key == name)}
    if not gone:
        changed[name] = value
    read = read_or_refused(from_cloudevent, changed)
    if read is not None:
        again = from_cloudevent(to_structured(read))
        assert (again.message, again.attributes) == (read.message, read.attributes)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=60) | texts.map(lambda text: text.encode("utf-8", "replace")))
def test_any_bytes(data: bytes) -> None:
    read_or_refused(from_cloudevent, data)
    for media_type in ("application/json", "application/cloudevents+json"):
        read_or_refused(from_http, {"content-type": media_type, "ce-id": "7"}, data)
        read_or_refused(from_kafka, [("content-type", media_type.encode())], data)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(EVENTS),
    st.lists(st.tuples(st.sampled_from(["ce-id", "ce-time", "content-type", "ce-x"]), texts)),
    st.lists(st.tuples(st.sampled_from(["ce_id", "ce_time", "Content-Type"]), st.binary())),
)
def test_any_headers(
    event: Json, http: list[tuple[str, str]], kafka: list[tuple[str, bytes]]
) -> None:
    body = json.dumps(event["data"]).encode()
    mine = {f"ce-{name}": str(value) for name, value in event.items() if name != "data"}
    rows = {**mine, **dict(http)}
    rows.pop("ce-datacontenttype")
    read_or_refused(from_http, rows, body)
    read_or_refused(from_http, [*rows.items(), *http], body)
    read_or_refused(from_kafka, kafka, body)


attributes = st.dictionaries(
    st.text("abcdefghij0123456789", min_size=1, max_size=8).filter(
        lambda name: name not in ("id", "data")
    ),
    st.booleans() | st.integers(-(2**31), 2**31 - 1) | st.text(min_size=1, max_size=20),
    max_size=3,
)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(EVENTS), attributes, st.none() | st.integers(1, 2**31 - 1))
def test_what_is_written_is_read_again(event: Json, more: Json, sequence: int | None) -> None:
    name = event["type"].split(".")[-2]
    message = parse(name, json.dumps(event["data"]).encode())
    try:
        made = to_cloudevent(message, source="/queue", sequence=sequence, extensions=more)
    except PartwireError:
        return  # text that no attribute may hold
    assert from_cloudevent(to_structured(made)) == made
    request, record = to_http(made), to_kafka(made)
    for read in (from_http(*request), from_kafka(record.headers, record.value)):
        assert read.message == message
        for key, value in made.attributes.items():
            as_text = str(value).lower() if isinstance(value, bool) else str(value)
            assert read.attributes[key] == as_text
