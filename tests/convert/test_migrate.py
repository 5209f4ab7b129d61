"""The calls of migration: what they take, what they refuse, and what they leave alone."""

from __future__ import annotations

import copy
import json
from itertools import pairwise
from typing import Any

import pytest

from partwire import PartwireError, ReadError, Unknown, UsageError
from partwire.contract.current import LATEST_VERSION
from partwire.contract.current import message as structs
from partwire.contract.resources import read_catalog
from partwire.contract.schemas import describe_types
from partwire.convert import (
    MIGRATION_LOSSES,
    VERSIONS,
    DeltaDowngrade,
    MigrationError,
    StoredRecord,
    TextMigrator,
    downgrade,
    load,
    migrate,
    migrate_record,
    negotiate,
    store,
    upgrade_value,
)
from partwire.convert.versions.members import later_members
from partwire.convert.versions.steps import STEPS, path
from partwire.errors import WriteError
from partwire.models import Message as MessageModel
from partwire.reading.pipeline import read, to_wire
from partwire.tables.losses import MEMBER_CODES
from partwire.v0_1.structs import message as v0_1
from partwire.v0_2.structs import message as v0_2
from tests.convert.stored_texts import bare, lifted, message, record
from tests.message.delta_streams import fed

Json = dict[str, Any]


def raised(call: Any, *args: Any, **options: Any) -> PartwireError:
    with pytest.raises(PartwireError) as caught:
        call(*args, **options)
    return caught.value


# --- versions and steps ---------------------------------------------------------------------------


def test_there_is_a_step_to_every_version() -> None:
    assert tuple(read_catalog()) == VERSIONS
    assert VERSIONS[-1] == LATEST_VERSION
    assert [(step.old, step.new) for step in STEPS] == list(pairwise(VERSIONS))


def test_ways_go_step_by_step() -> None:
    assert path("v0.1", "v0.1") == []
    assert [(m.source, m.target) for m in path("v0.1", "v0.2")] == [("v0.1", "v0.2")]
    assert [(m.source, m.target) for m in path("v0.3", "v0.1")] == [
        ("v0.3", "v0.2"),
        ("v0.2", "v0.1"),
    ]


def test_every_later_member_has_its_code() -> None:
    named = {
        member
        for step in STEPS
        for family in {row.type.partition(".")[0] for row in describe_types(step.new)}
        for members in later_members(family, step.new, step.old).values()
        for member in members
    }
    assert named == set(MEMBER_CODES)
    assert set(MEMBER_CODES.values()) <= set(MIGRATION_LOSSES)


# --- what goes in and what comes out --------------------------------------------------------------


def test_what_comes_out_has_the_form_of_what_went_in() -> None:
    value = migrate(message(1), type="message.Message", version="v0.1")
    assert value == (lifted(1), [], LATEST_VERSION)
    text = migrate(bare(message(1)), type="message.Message", version="v0.1")
    assert json.loads(text.value) == lifted(1)
    struct = migrate(read(message(1), "message.Message", "strict", "v0.1"))
    assert isinstance(struct.value, structs.Message)
    model = downgrade(MessageModel.model_validate(lifted(1)))
    assert isinstance(model.value, v0_1.Message)
    for buffer in (bytearray(bare(message(1))), memoryview(bare(message(1)))):
        assert json.loads(migrate(buffer, type="message.Message", version="v0.1").value) == lifted(
            1
        )


def test_a_snapshot_is_a_message() -> None:
    made = downgrade(fed("start", ("text", "Hi")).snapshot()).value
    assert isinstance(made, v0_1.Message)


def test_what_nothing_changes_is_given_back_itself() -> None:
    plain = message(1, state=False)
    assert migrate(plain, type="message.Message", version="v0.1").value is plain
    text = b"  " + bare(plain) + b"\n"
    assert migrate(text, type="message.Message", version="v0.1").value is text
    struct = read(plain, "message.Message")
    assert migrate(struct).value is struct
    assert migrate(lifted(1), "v0.2", "message.Message", "v0.2").value == lifted(1)


def test_what_is_given_is_not_changed() -> None:
    old, new = message(1), {**lifted(1), "turnId": "t"}
    kept = copy.deepcopy((old, new))
    migrate(old, type="message.Message", version="v0.1")
    downgrade(new, type="message.Message")
    assert (old, new) == kept


def test_structs_of_older_versions_become_current_ones() -> None:
    older = read(message(1), "message.Message", "strict", "v0.1")
    made = upgrade_value(older)
    assert isinstance(made, structs.Message)
    assert to_wire(made) == lifted(1)
    assert upgrade_value(made) is made


def test_a_struct_keeps_what_its_version_does_not_know() -> None:
    hologram = {"kind": "hologram", "payload": {"text": ""}}
    media = {"kind": "media", "payload": {"mimeType": "a/b", "source": {"kind": "ref", "ref": "r"}}}
    parts = [hologram, {"kind": "text", "payload": {"text": "Hi"}}, media]
    given = {**message(1, state=False), "role": "user", "parts": parts}
    older = downgrade(read(given, "message.Message", "tolerant"))
    assert [type(part).__name__ for part in older.value.parts] == [
        "Unknown",
        "TextPart",
        "FileRefPart",
    ]
    assert to_wire(older.value)["parts"][0] == hologram
    newer = upgrade_value(read(given, "message.Message", "tolerant", "v0.1"))
    assert isinstance(newer.parts[0], Unknown)
    assert isinstance(newer.parts[2], structs.MediaPart)


def test_a_message_of_an_older_sender_is_taken_as_that() -> None:
    head = {"message_id": "6f8414d7-8e69-4d6e-b516-6c2ef3fca8d8", "sent_at": "2025-07-15T02:03:04Z"}
    document = {**head, "schema_version": "v0.1"}
    struct = read(document, "envelope.Envelope")
    assert to_wire(downgrade(struct).value) == document
    assert type(downgrade(struct).value).__module__ == "partwire.v0_1.structs.envelope"
    assert upgrade_value(struct).schema_version == LATEST_VERSION


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "rule"),
    [
        ((message(1), "v9.9", "message.Message", "v0.1"), "usage/unknown-version"),
        ((message(1), "v0.2", "message.Message", "v9.9"), "usage/unknown-version"),
        ((message(1), None, "message.Message", "v0.1"), "usage/unknown-version"),
        ((message(1), "v0.2", "message.Message", None), "usage/unknown-version"),
        ((message(1), "v0.2", None, "v0.1"), "usage/unknown-type"),
        ((message(1), "v0.2", "message.Letter", "v0.1"), "usage/unknown-type"),
        ((message(1), "v0.2", 7, "v0.1"), "usage/unknown-type"),
        ((b"{", "v0.2", "message.Message", "v0.1"), "document/invalid-json"),
        (({"runId": float("nan")}, "v0.2", "message.Message", "v0.1"), "document/not-finite"),
        ((object(), "v0.2", "message.Message", "v0.1"), "usage/invalid-argument"),
        ((None, "v0.2", "message.Message", "v0.1"), "shape/null"),
        (([], "v0.2", "message.Message", "v0.1"), "shape/type"),
        ((v0_2.TextPayload(text="\ud800"), "v0.1"), "document/lone-surrogate"),
        ((v0_2.TextPayload(text=7), "v0.1"), "shape/type"),  # type: ignore[arg-type]
        ((v0_2.TextPayload(text="x"), "v0.1", "message.ThinkingPayload"), "usage/invalid-argument"),
        ((v0_2.TextPayload(text="x"), "v0.1", None, "v0.1"), "usage/invalid-argument"),
    ],
)
def test_refusals(args: Any, rule: str) -> None:
    assert raised(migrate, *args).rule == rule


def test_strict_names_what_would_be_lost() -> None:
    given = {**lifted(1), "messageId": "m", "turnId": "t"}
    error = raised(downgrade, given, type="message.Message", strict=True)
    assert isinstance(error, MigrationError)
    assert [each.pointer for each in error.findings] == ["/messageId", "/turnId"]
    assert [loss.code for loss in error.losses] == ["message-id", "turn-id"]
    assert downgrade(lifted(1), type="message.Message", strict=True).value == message(1)


def test_downgrading_leads_down() -> None:
    older = read(message(1), "message.Message", "strict", "v0.1")
    error = raised(downgrade, older, "v0.2")
    assert (error.rule, error.findings[0].expected) == ("usage/invalid-argument", "at most v0.1")
    assert downgrade(older, "v0.1").value is older


def test_losses_in_one_document_are_bounded() -> None:
    media = {"kind": "media", "payload": {"mimeType": "a/b", "source": {"kind": "ref", "ref": "r"}}}
    given = {**message(1, state=False), "role": "user", "parts": [media] * 150}
    made = downgrade(given, type="message.Message")
    assert len(made.value["parts"]) == 150
    assert len(made.losses) == 100


# --- deltas ---------------------------------------------------------------------------------------

DELTA: Json = {"runId": "r", "seq": 0, "timestamp": "2026-01-02T03:04:05Z"}


def test_deltas_of_an_unknown_kind_keep_their_content() -> None:
    older = DeltaDowngrade()
    opaque = {"provider": "p", "data": {}}
    state = {**DELTA, "kind": "text", "seq": 1, "payload": {"textDelta": "", "opaque": opaque}}
    assert older.feed(read(state, "message.MessageDelta")) == []
    newer = {**DELTA, "kind": "hologram", "seq": 2, "more": [1]}
    [made] = older.feed(read(newer, "message.MessageDelta", "tolerant"))
    assert isinstance(made, Unknown)
    assert made.document == {**newer, "seq": 1}
    assert [loss.pointer for loss in older.losses] == ["/0/payload/opaque"]


def test_a_refused_delta_changes_nothing() -> None:
    older = DeltaDowngrade()
    assert isinstance(raised(older.feed, {**DELTA, "kind": "text"}), ReadError)
    assert isinstance(raised(older.feed, object()), PartwireError)
    error = {
        **DELTA,
        "kind": "done",
        "payload": {"finishReason": "stop", "providerFinishReason": "x"},
    }
    assert len(older.feed(error)) == 1
    assert older.losses[0].pointer == "/0/payload/providerFinishReason"
    assert isinstance(raised(DeltaDowngrade, "v9.9"), UsageError)


def test_losses_of_a_stream_are_bounded() -> None:
    older = DeltaDowngrade()
    usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2, "reasoningTokens": 1}
    for seq in range(150):
        older.feed({**DELTA, "kind": "usage", "seq": seq, "payload": usage})
    assert len(older.losses) == 100
    assert older.left_out == {"usage-detail": 50}


def test_to_the_current_version_nothing_happens() -> None:
    current = DeltaDowngrade(LATEST_VERSION)
    opaque = {"provider": "p", "data": {}}
    state = {
        **DELTA,
        "kind": "text",
        "messageId": "m",
        "payload": {"textDelta": "", "opaque": opaque},
    }
    assert current.feed(state) == [state]
    assert current.losses == []


# --- records --------------------------------------------------------------------------------------


def test_records_are_written_and_read() -> None:
    struct = read(lifted(1), "message.Message")
    text = store(struct)
    assert json.loads(text) == record(lifted(1), LATEST_VERSION)
    assert load(text) == struct
    assert load(json.loads(text)) == struct
    assert load(StoredRecord("partwire", "v0.1", "message.Message", message(1))) == struct
    assert store(message(1), "message.Message", "v0.1") == bare(record(message(1), "v0.1"))
    older = read(message(1), "message.Message", "strict", "v0.1")
    assert load(store(older)) == struct


def test_a_record_holds_a_valid_document() -> None:
    assert isinstance(raised(store, {"runId": 1}, "message.Message"), WriteError)
    assert isinstance(raised(store, message(1)), UsageError)
    assert raised(store, message(1), "message.Message", "v9.9").rule == "usage/unknown-version"
    assert raised(load, b'{"a": 1').rule == "document/invalid-json"
    assert raised(load, []).rule == "migrate/invalid-record"
    of_list = {**record(message(1), "v0.1"), "version": ["v0.1"]}
    assert raised(load, of_list).rule == "migrate/unknown-version"
    assert (
        raised(migrate_record, record(message(1), "v0.1"), "v9.9").rule == "usage/unknown-version"
    )


def test_strict_records_say_what_they_would_lose() -> None:
    error = raised(
        migrate_record, record({**lifted(1), "turnId": "t"}, "v0.2"), "v0.1", strict=True
    )
    assert isinstance(error, MigrationError)
    assert [each.pointer for each in error.findings] == ["/data/turnId"]
    assert [loss.pointer for loss in error.losses] == ["/data/turnId"]


@pytest.mark.parametrize("spaces", [False, True])
def test_texts_at_rest(spaces: bool) -> None:
    old = json.dumps(record(message(1), "v0.1"), indent=2 if spaces else None).encode()
    up = TextMigrator("v0.2")
    made = up.run(old)
    assert tuple(made) == (bare(record(lifted(1), "v0.2")), [])
    assert up.run(made.text).text is made.text
    back = TextMigrator("v0.1").run(made.text)
    assert json.loads(back.text) == record(message(1), "v0.1")


def test_a_record_whose_members_are_odd_is_read_slowly() -> None:
    text = b'{"contract":"partwire","version":"v0.1","type":"message.\\u004dessage","data":'
    text += bare(message(1)) + b',"contract":"partwire"}'
    assert json.loads(TextMigrator("v0.2").run(text).text) == record(lifted(1), "v0.2")
    for bad in (b"", b"[]", b'{"contract":"partwire"}', text.replace(b"v0.1", b"v0.7")):
        assert isinstance(raised(TextMigrator("v0.2").run, bad), ReadError)


# --- negotiation ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("offers", "supported", "expected"),
    [
        ("v0.1", VERSIONS, "v0.1"),
        (("v0.1", "v0.2"), ("v0.1", "v0.2"), "v0.2"),
        (iter(["v0.2", "v0.1"]), VERSIONS, "v0.2"),
        ("v0.1;q=1.000,v0.2 ; Q=0.999", VERSIONS, "v0.1"),
        ("v0.1;q=0.5,v0.1;q=0.9,v0.2;q=0.8", VERSIONS, "v0.1"),
        ("*", VERSIONS, LATEST_VERSION),
        (", ,v0.1,", VERSIONS, "v0.1"),
        (["v1.9", "v1.10"], ["v1.9", "v1.10"], "v1.10"),
    ],
)
def test_the_best_common_version(offers: Any, supported: Any, expected: str) -> None:
    assert negotiate(offers, supported) == expected


@pytest.mark.parametrize(
    ("offers", "rule"),
    [
        ([], "negotiate/no-common-version"),
        (["v0.1;q=0"], "negotiate/no-common-version"),
        (["0.1"], "negotiate/invalid-offer"),
        (["v0.01"], "negotiate/invalid-offer"),
        (["v0.1;q=2"], "negotiate/invalid-offer"),
        (["v0.1;level=1"], "negotiate/invalid-offer"),
        ([None], "negotiate/invalid-offer"),
        ([""], "negotiate/invalid-offer"),
        (["v0.1\n"], "negotiate/invalid-offer"),
        (["v0.1"] * 1001, "negotiate/invalid-offer"),
    ],
)
def test_offers_that_lead_nowhere(offers: Any, rule: str) -> None:
    assert raised(negotiate, offers).rule == rule


@pytest.mark.parametrize("supported", ["v0.1", ["new"], [None]])
def test_this_side_gives_a_list_of_versions(supported: Any) -> None:
    assert raised(negotiate, "v0.1", supported).rule == "usage/invalid-argument"
    assert raised(negotiate, "v0.1", []).rule == "negotiate/no-common-version"
