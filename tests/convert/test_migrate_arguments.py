"""What the calls of migration do not take: refused in words, with what they do take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec
import pytest

from partwire import PartwireError, ReadError, UsageError
from partwire.contract.current.models import message as models
from partwire.convert import (
    DeltaDowngrade,
    StoredRecord,
    TextMigrator,
    downgrade,
    migrate,
    migrate_record,
    negotiate,
)
from partwire.reading.pipeline import Unknown, read
from partwire.types import TextDelta, TextDeltaPayload
from tests.convert.stored_texts import bare, lifted, message, record

DELTA: Final = {"runId": "r", "timestamp": "2026-01-02T03:04:05Z", "seq": 0}
OTHERS: Final[dict[str, Any]] = {
    "number": 1,
    "bytes": b"x",
    "list": [],
    "full list": [1],
    "object": {},
    "full object": {"a": 1},
    "class": int,
    "anything": object(),
}
"""Values that are neither None nor text; some have no hash, some no truth."""


def refused(call: Callable[..., Any], *args: Any, **options: Any) -> PartwireError:
    with pytest.raises((UsageError, ReadError)) as caught:
        call(*args, **options)
    first = caught.value.findings[0]
    assert first.expected
    assert first.actual or first.rule == "shape/required"  # what is missing has no value
    return caught.value


@pytest.mark.parametrize("offers", [None, 1, 0.5, int], ids=["none", "one", "half", "class"])
def test_offers_and_versions_are_lists(offers: Any) -> None:
    assert refused(negotiate, offers).rule == "usage/invalid-argument"
    assert refused(negotiate, ["v0.1"], offers).rule == "usage/invalid-argument"


def test_the_versions_of_this_side_may_come_one_by_one() -> None:
    supported: Any = iter(["v0.1", "v0.2"])
    assert negotiate(["v0.1"], supported) == "v0.1"


@pytest.mark.parametrize("call", [migrate, downgrade])
@pytest.mark.parametrize("version", ["", None, "v0.1"], ids=["empty", "none", "v0.1"])
@pytest.mark.parametrize("name", OTHERS)
def test_types_are_text(call: Any, version: str | None, name: str) -> None:
    error = refused(call, None, "v0.1", type=OTHERS[name], version=version)
    assert error.rule == "usage/unknown-type"


@pytest.mark.parametrize("version", [None, "v0.1", [1]], ids=["none", "v0.1", "list"])
@pytest.mark.parametrize("name", OTHERS)
def test_texts_of_types_that_are_no_text(version: Any, name: str) -> None:
    assert refused(TextMigrator, "v0.2", OTHERS[name], version).rule.startswith("usage/unknown-")


@pytest.mark.parametrize("name", OTHERS)
def test_texts_of_versions_that_are_no_text(name: str) -> None:
    error = refused(TextMigrator, "v0.2", "message.Message", OTHERS[name])
    assert error.rule == "usage/unknown-version"


def test_no_text_is_no_version() -> None:
    assert refused(TextMigrator, "v0.2", "message.Message", "").rule == "usage/unknown-version"


@pytest.mark.parametrize("args", [(), ("message.Message", "v0.1")], ids=["record", "bare"])
@pytest.mark.parametrize("name", ["none", "text", *(each for each in OTHERS if each != "bytes")])
def test_texts_are_bytes(args: tuple[str, ...], name: str) -> None:
    text = {"none": None, "text": "x", **OTHERS}[name]
    assert refused(TextMigrator("v0.2", *args).run, text).rule == "usage/invalid-argument"


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_texts_may_be_any_bytes(kind: Any) -> None:
    text = bare(record(message(0), "v0.1"))
    assert TextMigrator("v0.2").run(kind(text)) == TextMigrator("v0.2").run(text)


@pytest.mark.parametrize("name", OTHERS)
def test_records_that_were_made_by_hand(name: str) -> None:
    made = StoredRecord("partwire", OTHERS[name], "message.Message", {})
    assert refused(migrate_record, made).rule == "migrate/unknown-version"


# --- deltas ---------------------------------------------------------------------------------------


def no_deltas() -> dict[str, Any]:
    whole = read(lifted(0), "message.Message")
    return {
        **OTHERS,
        "none": None,
        "text": "x",
        "message": whole,
        "older message": read(message(0), "message.Message", version="v0.1"),
        "part": whole.parts[0],
        "model": models.Message.model_validate_json(bare(lifted(0))),
        "unknown of nothing": Unknown("kind", "x", None),  # type: ignore[arg-type]
    }


@pytest.mark.parametrize("to", ["v0.1", "v0.2"])
@pytest.mark.parametrize("name", no_deltas())
def test_what_is_no_delta(to: str, name: str) -> None:
    older = DeltaDowngrade(to)
    refused(older.feed, no_deltas()[name])
    assert older.losses == []
    usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2, "reasoningTokens": 1}
    older.feed({**DELTA, "kind": "usage", "payload": usage})
    assert [loss.pointer for loss in older.losses] == ["/0/payload/reasoningTokens"] * (
        to == "v0.1"
    )


def test_an_empty_delta_without_state_stays() -> None:
    wire = {**DELTA, "kind": "text", "payload": {"textDelta": ""}}
    older = read(wire, "message.MessageDelta", version="v0.1")
    assert DeltaDowngrade().feed(older) == [older]
    assert DeltaDowngrade().feed(read(wire, "message.MessageDelta")) == [older]
    model = models.TextDelta.model_validate_json(msgspec.json.encode(wire))
    assert DeltaDowngrade().feed(model) == [older]


@pytest.mark.parametrize("to", ["v0.1", "v0.2"])
def test_the_time_of_a_delta_that_goes_nowhere_is_not_looked_at(to: str) -> None:
    wire = {
        "runId": "r",
        "seq": 1,
        "kind": "text",
        "payload": {"textDelta": "a"},
        "timestamp": "soon",
    }
    struct = TextDelta(
        run_id="r", seq=1, payload=TextDeltaPayload(text_delta="a"), timestamp="soon"
    )
    assert DeltaDowngrade(to).feed(wire) == [wire]
    (made,) = DeltaDowngrade(to).feed(struct)
    assert (made.timestamp, made.payload.text_delta) == ("soon", "a")
    for kept in ("start", "done", "error"):
        with pytest.raises(ReadError, match="/timestamp"):
            DeltaDowngrade(to).feed({**wire, "kind": kept, "payload": PAYLOADS[kept]})
    with pytest.raises(ReadError):
        DeltaDowngrade(to).feed({**wire, "timestamp": 5})


PAYLOADS = {
    "start": {"modelId": "m", "requestId": "q"},
    "done": {"finishReason": "stop"},
    "error": {"errorCode": "e", "message": "m"},
}
