"""Our events and the official library's: each reads what the other writes."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Final

import pytest
from cloudevents.core.bindings import http, kafka
from cloudevents.core.formats.json import JSONFormat
from cloudevents.core.v1.event import CloudEvent as Official

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
from partwire.errors import ReadError
from tests.fixture_cases import Case, cases

Json = dict[str, Any]

WRITE: Final = [case for case in cases("cloudevents") if case.spec["call"] == "write"]
FORMAT: Final = JSONFormat()


def named(case: Case) -> str:
    return case.id


def ours(case: Case) -> CloudEvent:
    message = parse(case.spec["type"], case.data("input"))
    return to_cloudevent(message, **case.spec["given"])


def same(found: Any, case: Case, *, typed: bool) -> None:
    """What the library has read is the case; outside JSON, it takes every value as text."""
    expected: Json = case.value("event")
    data = expected.pop("data")
    attributes = {
        name: (value.isoformat() if isinstance(value, datetime) else value)
        for name, value in found.get_attributes().items()
    }
    moments = [datetime.fromisoformat(each["time"]) for each in (attributes, expected)]
    assert moments[0] == moments[1]
    del attributes["time"], expected["time"]
    if not typed:
        expected = {
            name: (str(value).lower() if isinstance(value, bool) else str(value))
            for name, value in expected.items()
        }
    assert attributes == expected
    assert found.get_data() == data


@pytest.mark.parametrize("case", WRITE, ids=named)
def test_the_library_reads_ours(case: Case) -> None:
    event = ours(case)
    same(FORMAT.read(None, to_structured(event)), case, typed=True)
    for content_mode in ("structured", "binary"):
        typed = content_mode == "structured"
        request = to_http(event, content_mode)
        same(http.from_http_event(http.HTTPMessage(*request)), case, typed=typed)
        record = to_kafka(event, content_mode)
        theirs = kafka.KafkaMessage(dict(record.headers), record.key, record.value)
        same(kafka.from_kafka_event(theirs), case, typed=typed)


def official(case: Case) -> Any:
    """The event of a case, made by the library itself."""
    attributes: Json = case.value("event")
    data = attributes.pop("data")
    attributes["time"] = datetime.fromisoformat(attributes["time"])
    return Official(attributes, data)


@pytest.mark.parametrize("case", WRITE, ids=named)
def test_we_read_the_librarys(case: Case) -> None:
    event, expected = official(case), ours(case)
    requests = [http.to_binary_event(event), http.to_structured_event(event)]
    records = [kafka.to_binary_event(event), kafka.to_structured_event(event)]
    read = [from_cloudevent(FORMAT.write(event))]
    read += [from_http(each.headers, each.body) for each in requests]
    read += [from_kafka(each.headers, each.value) for each in records]
    for each in read:
        assert each.message == expected.message
        assert each.attributes.keys() == expected.attributes.keys()
        assert each.attributes["type"] == expected.attributes["type"]
    assert [each.attributes for each in (read[0], read[2], read[4])] == [expected.attributes] * 3
    # The key is the library's own to choose: ours is the same.
    assert {each.key and str(each.key).encode() for each in records} == {to_kafka(expected).key}


@pytest.mark.parametrize("case", WRITE, ids=named)
def test_round_trips_through_the_library_lose_nothing(case: Case) -> None:
    event = ours(case)
    once = http.from_http_event(http.HTTPMessage(*to_http(event, "structured")))
    record = kafka.to_structured_event(once)
    assert from_kafka(record.headers, record.value) == event


def test_headers_are_encoded_as_the_library_encodes_them() -> None:
    for case in WRITE:
        theirs = {
            name.lower(): value
            for name, value in http.to_binary_event(official(case)).headers.items()
        }
        if "ce-replayed" in theirs:
            # A boolean as Python writes it; the specification has small letters.
            theirs["ce-replayed"] = theirs["ce-replayed"].lower()
        assert theirs == to_http(ours(case)).headers, case.id


def test_what_the_library_lets_through_is_refused() -> None:
    """It takes a sequence that is a number, which the extension forbids."""
    case = next(case for case in WRITE if case.id == "write-sequence")
    attributes = case.value("event")
    data = attributes.pop("data")
    attributes |= {"sequence": 42, "time": datetime.fromisoformat(attributes["time"])}
    event = Official(attributes, data)
    with pytest.raises(ReadError) as caught:
        from_cloudevent(FORMAT.write(event))
    assert caught.value.rule == "cloudevents/attribute-type"


def test_the_library_refuses_what_lacks_an_attribute_too() -> None:
    for name in ("id", "source", "type", "specversion"):
        event = json.loads(to_structured(ours(WRITE[0])))
        del event[name]
        text = json.dumps(event).encode()
        with pytest.raises(ReadError):
            from_cloudevent(text)
        if name not in ("specversion", "id"):  # those two it fills in
            with pytest.raises(Exception, match=name):
                FORMAT.read(None, text)
