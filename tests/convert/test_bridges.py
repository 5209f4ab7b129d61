"""Bridges between documents: every case, what they refuse, and what they are given."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from partwire import PartwireError, ReadError, Unknown, read, to_wire
from partwire.contract.current.models import message as models
from partwire.contract.times import LAST_MS, instant_of, text_of
from partwire.convert import LOSSES, BridgeError, convert, losses_for, messages_to_session
from partwire.types import session
from partwire_testing.conformance.values import served
from tests.convert.bridge_law import differences
from tests.fixture_cases import Case, cases

Json = dict[str, Any]

CASES = cases("bridges")
UUID = "0197c6f0-5a00-7000-8000-000000000001"
TEXT: Json = {"kind": "text", "payload": {"text": "Hi"}}
MESSAGE: Json = {
    "runId": "run_1",
    "role": "user",
    "parts": [TEXT],
    "timestamp": "2026-01-02T03:04:05Z",
}


def outcome(case: Case) -> Json:
    """Return what the conversion of a case gives, as its version has it, like its expectation."""
    spec = case.spec
    context = dict(spec.get("context", {}))
    if "ids" in context:
        context["make_id"] = iter(context.pop("ids")).__next__
    options = {name: spec[name] for name in ("strict", "accept") if name in spec}
    try:
        result = convert(case.value("input"), spec["to"], type=spec["type"], **options, **context)
    except PartwireError as error:
        return {"error": {"rule": error.rule, "pointer": error.findings[0].pointer}}
    many = isinstance(result.value, list)
    made = [served(each, spec["version"]) for each in (result.value if many else [result.value])]
    value = made if many else made[0]
    losses = [
        {name: member for name, member in loss.to_wire().items() if name != "detail"}
        for loss in losses_for(result.losses, spec["version"])
    ]
    return {"value": value, "losses": in_order(losses)}


def in_order(losses: list[Json]) -> list[Json]:
    return sorted(losses, key=lambda loss: (loss["pointer"], loss["code"]))


@pytest.mark.parametrize("case", CASES, ids=[f"{each.spec['version']}/{each.id}" for each in CASES])
def test_cases(case: Case) -> None:
    if case.result:
        losses = in_order(case.spec.get("losses", []))
        expected = {"value": case.value("value"), "losses": losses}
    else:
        expected = case.expect
    assert outcome(case) == expected


def test_every_loss_has_a_case() -> None:
    shown = {
        (loss["code"], loss["severity"]) for case in CASES for loss in case.spec.get("losses", ())
    }
    assert shown == {(code, severity) for code, (severity, _) in LOSSES.items()}


def test_structs_and_models_and_text_convert_alike() -> None:
    struct = read(MESSAGE, "message.Message")
    model = models.Message.model_validate(MESSAGE)
    text = json.dumps(MESSAGE).encode()
    found = [
        convert(struct, "blocks"),
        convert(model, "blocks"),
        convert(text, "blocks", type="message.Message"),
        convert([struct], "blocks"),
    ]
    assert [to_wire(each.value[0]) for each in found] == [{"role": "user", "content": "Hi"}] * 4
    assert [loss.pointer for loss in found[0].losses] == ["/runId", "/timestamp"]
    assert [loss.pointer for loss in found[3].losses] == ["/0/runId", "/0/timestamp"]


def test_an_unknown_part_of_a_struct_is_reported() -> None:
    newer = {**MESSAGE, "parts": [TEXT, {"kind": "hologram", "payload": {}}, TEXT]}
    struct = read(newer, "message.Message", "tolerant")
    assert isinstance(struct.parts[1], Unknown)
    result = convert(struct, "blocks")
    assert to_wire(result.value[0])["content"] == [{"type": "text", "text": "Hi"}] * 2
    assert ("/parts/1", "unknown-variant") in [(each.pointer, each.code) for each in result.losses]
    with pytest.raises(BridgeError) as caught:
        convert(struct, "blocks", strict=True, accept={"run-id", "timestamp"})
    assert [each.pointer for each in caught.value.findings] == ["/parts/1"]
    assert caught.value.losses == result.losses


def test_pointers_behind_an_unknown_part_are_those_of_the_source() -> None:
    parts = [{"kind": "hologram", "payload": {}}, {"kind": "file_ref", "payload": {"path": "a"}}]
    result = convert({**MESSAGE, "parts": parts}, "blocks", type="message.Message")
    assert ("/parts/1", "file-ref") in [(each.pointer, each.code) for each in result.losses]


def test_a_session_of_a_newer_role_is_reported() -> None:
    source = {"info": {"role": "auditor"}, "parts": []}
    result = convert([source], "message", type="session.WithParts")
    assert (result.value, [tuple(loss)[:2] for loss in result.losses]) == (
        [],
        [("/0", "unknown-variant")],
    )


def test_what_is_invalid_is_refused_at_its_place() -> None:
    with pytest.raises(ReadError) as caught:
        convert([MESSAGE, {**MESSAGE, "runId": ""}], "session", type="message.Message")
    assert [(each.rule, each.pointer) for each in caught.value.findings] == [
        ("shape/min-length", "/1/runId")
    ]
    with pytest.raises(ReadError) as caught:
        convert({**MESSAGE, "runId": ""}, "session", type="message.Message")
    assert [each.pointer for each in caught.value.findings] == ["/runId"]


def test_a_value_without_end_is_refused_as_every_invalid_one() -> None:
    endless: dict[str, Any] = {}
    endless["endless"] = endless
    for value in (endless, {**MESSAGE, "parts": [endless]}, {**MESSAGE, "meta": endless}):
        with pytest.raises(ReadError) as caught:
            convert([MESSAGE, value], "blocks", type="message.Message")
        assert caught.value.rule == "document/too-deep"
        assert caught.value.findings[0].pointer[:2] == "/1"


def test_a_result_that_would_be_too_deep_is_refused() -> None:
    deep: Any = {}
    for _ in range(507):
        deep = {"a": deep}
    part = {"id": "prt_1", "sessionID": UUID, "messageID": UUID, "type": "text", "text": "Hi"}
    info = {"id": UUID, "role": "user", "time": {"created": 1}, "agent": "a"}
    source = {
        "info": {**info, "model": {"providerID": "p", "modelID": "m"}},
        "parts": [{**part, "metadata": deep}],
    }
    with pytest.raises(BridgeError) as caught:
        convert(source, "message", type="session.WithParts")
    assert caught.value.rule == "bridge/unsupported"


ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)


@pytest.mark.parametrize("value", [None, [], MESSAGE, [MESSAGE], ENDLESS], ids=repr)
def test_a_plain_value_needs_its_type(value: Any) -> None:
    with pytest.raises(BridgeError, match="does not say its type: give type=") as caught:
        convert(value, "blocks")
    assert caught.value.findings[0].expected == "type=message.Message"


@pytest.mark.parametrize(
    ("type_name", "to", "words", "expected"),
    [
        (None, "telegram", "No bridge leads to this", "session or message or blocks or envelope"),
        ("message.Letter", "blocks", "no bridge from message.Letter", "message.Message"),
        ("blocks.Message", "session", "from blocks.Message to session", "message.Message"),
    ],
)
def test_a_bridge_that_does_not_exist_is_refused(
    type_name: str | None, to: str, words: str, expected: str
) -> None:
    with pytest.raises(BridgeError, match=words) as caught:
        convert(MESSAGE, to, type=type_name)
    assert (caught.value.rule, caught.value.findings[0].expected) == (
        "bridge/unsupported",
        expected,
    )


def test_ids_are_made_once_each_and_the_same_without_a_maker() -> None:
    source = [read(MESSAGE, "message.Message")] * 2
    first, second = (messages_to_session(source).value for _ in range(2))
    assert first == second
    assert first[0].info.id != first[1].info.id


@pytest.mark.parametrize(
    "record", ["abc", {}, {"info": {}, "parts": []}, {"info": 1, "parts": [1]}]
)
def test_a_session_in_meta_that_is_no_record_is_left_out(record: Any) -> None:
    source = {**MESSAGE, "meta": {"session": record}}
    result = convert(source, "session", type="message.Message")
    assert ("/meta/session", "record-misfit") in [each[:2] for each in result.losses]


def test_an_edited_message_no_longer_fits_its_record() -> None:
    first = convert([MESSAGE], "session", type="message.Message").value
    (stored,) = convert(first, "message").value
    edited = to_wire(stored)
    assert convert(edited, "session", type="message.Message").value == first
    edited["parts"][0]["payload"]["text"] = "Bye"
    again = convert(edited, "session", type="message.Message").value
    (part,) = again[0].parts
    assert isinstance(part, session.TextPart)
    assert (part.text, again[0].info) == ("Bye", first[0].info)
    edited["timestamp"] = "2026-01-02T03:04:06Z"
    codes = [loss.code for loss in convert(edited, "session", type="message.Message").losses]
    assert "record-misfit" in codes


def test_the_envelope_is_the_callers() -> None:
    result = {"toolCallId": "x" * 36, "isError": False, "content": "4"}
    head = {"message_id": UUID, "timestamp": MESSAGE["timestamp"], "trace_id": "trace"}
    target = "envelope.ToolCallResponse"
    made = convert(result, target, type="message.ToolResult", **head).value
    assert (made.message_id, made.sent_at, made.trace_id) == tuple(head.values())
    assert (
        made.invocation_id == convert(result, target, type="message.ToolResult").value.invocation_id
    )


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ({"code": "tool_error", "message": "no"}, "result-content"),
        ({"code": "e", "message": ""}, ""),
    ],
)
def test_an_error_object_is_the_error(content: Json, code: str) -> None:
    result = {"toolCallId": UUID, "isError": True, "content": content}
    made = convert(result, "envelope.ToolCallResponse", type="message.ToolResult")
    assert to_wire(made.value)["error"] == content
    assert [loss.code for loss in made.losses if loss.severity == "lossy"] == [code] * bool(code)


def test_an_object_that_only_looks_like_parts_stays_one() -> None:
    data = {"content": [{"kind": "text", "payload": {}}]}
    source = {"toolCallId": UUID, "isError": False, "content": data}
    made = convert(source, "envelope", type="message.ToolResult")
    assert made.value.data == data
    assert convert(made.value, "message").value.content == data


def test_an_image_without_a_byte_is_no_block() -> None:
    image = {"kind": "image", "payload": {"mimeType": "image/png", "data": ""}}
    result = convert({**MESSAGE, "parts": [image]}, "blocks", type="message.Message")
    assert ("/parts/0", "image-type") in [(each.pointer, each.code) for each in result.losses]


def test_losses_at_members_of_any_name_are_in_order() -> None:
    """Digits of other scripts are not an index, and a name may have more than int() takes."""
    meta = dict.fromkeys(["²", "10", "9", "1" * 5000, "٣", "a"], 1)
    result = convert({**MESSAGE, "meta": meta}, "session", type="message.Message")
    names = [loss.pointer.removeprefix("/meta/") for loss in result.losses]
    assert [name for name in names if name in meta] == ["9", "10", "1" * 5000, "a", "²", "٣"]


def test_one_does_not_say_that_blocks_are_joined() -> None:
    payload = {"toolCallId": "c", "isError": False, "content": [TEXT]}
    results: Json = {
        **MESSAGE,
        "role": "tool",
        "parts": [{"kind": "tool_result", "payload": payload}],
    }
    for joined, count in ((True, 1), (1, 2)):
        said = {**results, "meta": {"blocks": {"joined": joined}}}
        assert len(convert([MESSAGE, said], "blocks", type="message.Message").value) == count


# --- times ----------------------------------------------------------------------------------------


def test_times_agree_with_the_calendar_of_the_standard_library() -> None:
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    for days in range(0, 2_932_896, 97):
        ms = days * 86_400_000 + days * 7919 % 86_400_000
        text = text_of(ms)
        assert datetime.fromisoformat(text) == epoch + timedelta(milliseconds=ms)
        assert instant_of(text) == (ms, True, True)
    assert text_of(LAST_MS) == "9999-12-31T23:59:59.999Z"


@pytest.mark.parametrize(
    ("text", "ms", "exact"),
    [
        ("0000-01-01T00:00:00Z", -62_167_219_200_000, True),
        ("2024-02-29T23:59:59.123456789+08:00", 1_709_222_399_123, False),
        ("1970-01-01T00:00:00.12-00:30", 1_800_120, True),
        ("1970-01-01T00:00:01.20Z", 1_200, True),
        ("1970-01-01T00:00:01.200Z", 1_200, True),
        ("1970-01-01T00:00:01.000Z", 1_000, True),
        ("1970-01-01T00:00:01.0Z", 1_000, True),
        ("1970-01-01T00:00:01Z", 1_000, True),
        ("1970-01-01T00:00:01+00:00", 1_000, True),
        ("1970-01-01T00:00:01.2001Z", 1_200, False),
    ],
)
def test_timestamps_are_instants(text: str, ms: int, exact: bool) -> None:
    is_usual = ms >= 0 and text == text_of(ms)
    found = instant_of(text)
    assert found[:2] == (ms, exact)
    assert found.usual is (is_usual or ms < 0)


# --- the law's own test ---------------------------------------------------------------------------


def test_the_law_sees_what_was_not_reported() -> None:
    source = {**MESSAGE, "parts": [TEXT, TEXT]}
    losses = convert([source], "blocks", type="message.Message").losses
    returned = {**source, "runId": "other", "timestamp": "other"}
    assert differences([dict(source)], [dict(returned)], losses) == []
    assert differences([dict(source)], [{**returned, "parts": [TEXT]}], losses) != []
    assert differences([dict(source)], [{**returned, "role": "system"}], losses) != []
