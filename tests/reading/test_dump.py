"""Writing: wire-correct or refused, never something in between."""

from __future__ import annotations

import copy
import json
from collections import OrderedDict
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from msgspec import UNSET

from partwire import user
from partwire.contract.current import message, session
from partwire.contract.current.models import message as models
from partwire.errors import Finding, UsageError, WriteError
from partwire.message import MessageAssembler
from partwire.reading.pipeline import (
    Unknown,
    dump,
    read,
    read_value,
    to_wire,
    validate,
    validate_value,
)
from partwire.reading.plain import plain_value
from tests.codegen.schema_walk import expected_value
from tests.reference.schema_reference import same_json
from tests.strategies import PUBLIC_TYPES, documents, python_values
from tests.ways import way

__all__ = ["way"]

WHEN = "2026-01-02T03:04:05Z"
AUDIO = {"z": 1, "kind": "audio", "a": [None, 1.0, {"": "é"}]}


def text_message(**changes: Any) -> message.Message:
    parts = [message.TextPart(payload=message.TextPayload(text="é"))]
    members = {"run_id": "r", "role": "user", "parts": parts, "timestamp": WHEN, **changes}
    return message.Message(**members)


def call(**arguments: Any) -> message.ToolCall:
    return message.ToolCall(tool_call_id="a", tool_name="b", arguments=arguments)


def refused(value: Any, type_name: str | None = None) -> list[Finding]:
    with pytest.raises(WriteError) as caught:
        dump(value, type_name)
    with pytest.raises(WriteError):
        to_wire(value, type_name)
    return list(caught.value.findings)


# --- what is written ------------------------------------------------------------------------------


def test_wire_names_and_nothing_for_absent() -> None:
    assert (
        dump(text_message())
        == (
            '{"runId":"r","role":"user","parts":[{"kind":"text","payload":{"text":"é"}}],'
            f'"timestamp":"{WHEN}"}}'
        ).encode()
    )
    assert text_message().meta is UNSET


def test_to_wire_is_what_dump_writes() -> None:
    value = text_message(meta={"modelId": "m", "x": [1, {"a": None}]})
    assert to_wire(value) == json.loads(dump(value))
    assert to_wire(value)["meta"] == {"modelId": "m", "x": [1, {"a": None}]}


@settings(max_examples=200)
@given(documents(PUBLIC_TYPES))
def test_a_document_is_written_as_it_is_or_refused(made: tuple[str, Any]) -> None:
    type_name, document = made
    before = copy.deepcopy(document)
    errors = [f for f in validate_value(document, type_name) if f.severity == "error"]
    if errors:
        assert refused(document, type_name) == errors
    else:
        written = dump(document, type_name)
        assert same_json(expected_value(document, type_name), json.loads(written))
        again = json.loads(dump(read_value(document, type_name), type_name))
        assert same_json(expected_value(document, type_name), again)
    assert document == before


@settings(max_examples=200)
@given(python_values)
def test_a_free_object_holds_json_or_is_refused(value: Any) -> None:
    """Whether written or refused does not depend on the way that the writer takes."""
    found = refusal_of(call(x=value))
    assert found == refusal_of(call(x=value, y=None)) == refusal_of(call(x=value, y=[1, ""]))
    plain = {"toolCallId": "a", "toolName": "b", "arguments": {"x": value}}
    assert found == refusal_of(plain, "message.ToolCall")


def refusal_of(value: Any, type_name: str | None = None) -> list[tuple[str, str]]:
    try:
        dump(value, type_name)
    except WriteError as error:
        return [(f.rule, f.pointer) for f in error.findings]
    return []


def test_extensible_objects_keep_their_members_and_closed_ones_do_not() -> None:
    meta = {
        "usage": {"inputTokens": 1.0, "outputTokens": 2, "totalTokens": 3, "extra": 1},
        "trace": {"extra": 1.0, "null": None},
        "incomplete": {"ending": "error", "openToolCallIds": [], "extra": 1},
    }
    expected = {
        "usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3},
        "trace": {"extra": 1.0, "null": None},
        "incomplete": {"ending": "error", "openToolCallIds": []},
    }
    document = {**to_wire(text_message()), "meta": meta, "extra": 1}
    for value in (
        text_message(meta=meta),
        read(document, "message.Message"),
        read(json.dumps(document).encode(), "message.Message"),
        models.Message.model_validate(document),
    ):
        written = dump(value)
        assert json.loads(written)["meta"] == expected
        assert b'"inputTokens":1,' in written
        assert b"extra" in written  # inside of trace
        assert "extra" not in json.loads(written)
    assert json.loads(dump(document, "message.Message"))["meta"] == expected
    config = {"modelId": "m", "service_tier": "flex", "maxTokens": 5.0}
    assert to_wire(config, "message.ModelConfig") == {**config, "maxTokens": 5}
    assert dump(config, "message.ModelConfig").endswith(b'"maxTokens":5}')


def test_models() -> None:
    document = {**to_wire(text_message()), "meta": {"x": [1.0, None]}}
    model = models.Message.model_validate(document)
    assert to_wire(model) == document
    model.role = "robot"  # type: ignore[assignment]
    assert [f.pointer for f in refused(model)] == ["/role"]


@pytest.mark.parametrize(
    ("bad", "rule", "pointer"),
    [
        (float("nan"), "document/not-finite", "/meta/x"),
        ("\ud800", "document/lone-surrogate", "/meta/x"),
        (b"a", "shape/type", "/meta/x"),
        ((1,), "shape/type", "/meta/x"),
    ],
)
def test_models_that_hold_no_json(bad: Any, rule: str, pointer: str) -> None:
    """ARG-18: a number that is none is refused, not written as null."""
    model = models.Message.model_validate({**to_wire(text_message()), "meta": {}})
    assert model.meta is not None
    model.meta.x = bad  # type: ignore[union-attr]
    assert [(f.rule, f.pointer) for f in refused(model)] == [(rule, pointer)]


def test_a_model_that_holds_itself() -> None:
    model = models.Message.model_validate(to_wire(text_message()))
    model.parts = [model]  # type: ignore[list-item]
    assert [f.rule for f in refused(model)] == ["document/too-deep"]


def test_a_model_that_cannot_be_written() -> None:
    class Broken:
        def model_dump(self, **options: object) -> None:
            raise ValueError("no serializer")

    (found,) = refused(Broken(), "message.Message")
    assert found.rule == "shape/type"
    assert found.message == "The model cannot be written: no serializer"
    assert found.actual == "a Python Broken"


def test_snapshots() -> None:
    assembler = MessageAssembler()
    start = message.StartDeltaPayload(model_id="m", request_id="q")
    assembler.consume(message.StartDelta(run_id="r", seq=0, payload=start, timestamp=WHEN))
    text = message.TextDeltaPayload(text_delta="a")
    assembler.consume(message.TextDelta(run_id="r", seq=1, payload=text, timestamp=WHEN))
    snapshot = assembler.snapshot()
    assert to_wire(snapshot)["parts"] == [{"kind": "text", "payload": {"text": "a"}}]
    assert dump(snapshot, "message.Message") == dump(snapshot)


def test_lists_and_dicts_may_hold_structs() -> None:
    part = message.TextPart(payload=message.TextPayload(text="a"))
    document = {**to_wire(text_message()), "parts": [part, AUDIO_PART, {**to_wire(part), "x": 1}]}
    with pytest.raises(WriteError):
        dump(document, "message.Message")
    del document["parts"][1]
    assert to_wire(document, "message.Message")["parts"] == [to_wire(part)] * 2
    assert to_wire([part], "message.ToolResultContent") == [to_wire(part)]


AUDIO_PART = Unknown("kind", "video", {"kind": "image"})


def test_types_that_derive_from_json_types() -> None:
    document = OrderedDict(to_wire(text_message()))
    assert json.loads(dump(document, "message.Message")) == document


def test_an_unknown_is_written_back_verbatim() -> None:
    document = {**to_wire(text_message()), "parts": [AUDIO], "x": 1}
    value = read(document, "message.Message", "tolerant")
    assert json.dumps(AUDIO, ensure_ascii=False, separators=(",", ":")).encode() in dump(value)
    assert "x" not in to_wire(value)
    assert dump(value.parts[0]) == dump(value.parts[0], "message.MessagePart")
    assert to_wire(value.parts[0]) == AUDIO


@pytest.mark.parametrize(
    ("bad", "rule"),
    [
        (float("inf"), "document/not-finite"),
        ("\udc00", "document/lone-surrogate"),
        ((), "shape/type"),
    ],
)
def test_an_unknown_that_holds_no_json(bad: Any, rule: str) -> None:
    unknown = Unknown("kind", "audio", {"kind": "audio", "a": bad})
    for value, type_name, pointer in (
        (unknown, None, "/a"),
        (unknown, "message.MessagePart", "/a"),
        (text_message(parts=[unknown]), None, "/parts/0/a"),
    ):
        assert [(f.rule, f.pointer) for f in refused(value, type_name)] == [(rule, pointer)]


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "rule", "pointer"),
    [
        ({"meta": None}, "shape/null", "/meta"),
        ({"run_id": None}, "shape/null", "/runId"),
        ({"run_id": UNSET}, "shape/required", ""),
        ({"run_id": ""}, "shape/min-length", "/runId"),
        ({"run_id": 1}, "shape/type", "/runId"),
        ({"run_id": "\ud83d"}, "document/lone-surrogate", "/runId"),
        ({"role": "robot"}, "shape/enum", "/role"),
        ({"timestamp": "2026-02-30T03:04:05Z"}, "shape/pattern", "/timestamp"),
        ({"timestamp": datetime(2026, 1, 2, tzinfo=UTC)}, "shape/type", "/timestamp"),
        ({"parts": ()}, "shape/type", "/parts"),
        ({"parts": [{"kind": "audio"}]}, "shape/unknown-variant", "/parts/0/kind"),
        ({"parts": [None]}, "shape/null", "/parts/0"),
        ({"parts": [text_message()]}, "shape/required", "/parts/0"),
        ({"role": "tool"}, "message/role-part-kind", "/parts/0/kind"),
        ({"meta": {"x": float("nan")}}, "document/not-finite", "/meta/x"),
        ({"meta": {"x": [Decimal(1)]}}, "shape/type", "/meta/x/0"),
        ({"meta": {1: 2}}, "shape/type", "/meta"),
        ({"meta": {"usage": None}}, "shape/null", "/meta/usage"),
        ({"meta": {"x": 10**400}}, "document/not-finite", "/meta/x"),
        ({"meta": {"x": {1, 2}}}, "shape/type", "/meta/x"),
    ],
)
def test_refused_structs(changes: dict[str, Any], rule: str, pointer: str) -> None:
    assert [(f.rule, f.pointer) for f in refused(text_message(**changes))] == [(rule, pointer)]


@pytest.mark.parametrize("value", [b"{}", (1,), object(), 1, None, [], "a", UNSET, float("nan")])
def test_what_is_no_message(value: Any) -> None:
    (found,) = refused(value, "message.Message")
    assert found.pointer == ""
    assert found.rule in ("shape/type", "shape/null", "document/not-finite")


def test_a_value_that_holds_itself() -> None:
    round_list: list[Any] = []
    round_list += [round_list, round_list]
    for value, type_name in (
        (call(x=round_list), None),
        ([round_list], "message.ToolResultContent"),
        ({"kind": "text", "payload": {"text": round_list}}, "message.MessagePart"),
    ):
        (found,) = refused(value, type_name)
        assert found.rule == "document/too-deep"


def test_as_deep_as_documents_may_be() -> None:
    deep: Any = {}
    for _ in range(509):
        deep = {"a": deep}
    assert to_wire(call(x=deep))["arguments"] == {"x": deep}
    assert to_wire(call(x=deep, y=None))["arguments"] == {"x": deep, "y": None}
    plain = {"toolCallId": "a", "toolName": "b", "arguments": {"x": deep}, "unknown": 1}
    assert to_wire(plain, "message.ToolCall")["arguments"] == {"x": deep}
    assert [f.rule for f in refused(call(x={"a": deep}))] == ["document/too-deep"]


def test_too_deep_for_the_stack_that_is_left() -> None:
    deep: Any = {}
    for _ in range(505):
        deep = {"a": deep}

    def further_down(levels: int) -> bytes:
        return further_down(levels - 1) if levels else dump(call(x=deep))

    with pytest.raises(WriteError) as caught:
        further_down(700)
    assert caught.value.rule == "document/too-deep"


@pytest.mark.parametrize(
    "value", [{}, "auto", 1, None, object(), datetime, Unknown, msgspec.Struct(), int]
)
def test_the_type_of_a_plain_value_has_to_be_named(value: Any) -> None:
    with pytest.raises(UsageError) as caught:
        dump(value)
    assert caught.value.findings[0].rule == "usage/unknown-type"
    assert caught.value.findings[0].expected == "a type such as message.Message"


@pytest.mark.parametrize("value", [[], [user("Hi")], (user("Hi"),)])
def test_the_type_of_a_list_has_to_be_named(value: Any) -> None:
    with pytest.raises(UsageError) as caught:
        dump(value)
    assert caught.value.findings[0].rule == "usage/unknown-type"
    assert caught.value.findings[0].expected == "a type such as list[Message]"


def test_a_struct_as_another_type() -> None:
    payload = message.ToolCallPayload(tool_call_id="a", tool_name="b", arguments={})
    assert dump(payload) == dump(payload, "message.ToolCall")
    assert [f.pointer for f in refused(text_message(), "message.MessagePart")] == [""]
    text = message.TextPart(payload=message.TextPayload(text="a"))
    assert dump(text) == dump(text, "message.MessagePart")


def test_warnings_do_not_stop_a_document() -> None:
    uuid = "6f8414d7-8e69-4d6e-b516-6c2ef3fca8d8"
    part = session.TextPart(
        id="a",
        session_id=uuid,
        message_id=uuid,
        text="a",
        time=session.TextTime(start=2, end=1),
    )
    assert to_wire(part)["time"] == {"start": 2, "end": 1}


def test_an_error_names_every_finding() -> None:
    value = text_message(run_id="", role="robot", parts=[None])
    assert [f.pointer for f in refused(value)] == ["/runId", "/role", "/parts/0"]


class Text(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "not asked"


class Whole(int):
    pass


class Real(float):
    pass


def test_what_is_derived_from_a_json_value_is_written_as_one() -> None:
    meta = {
        Text("a"): [Text("é"), Whole(2), Real(0.5)],
        "b": OrderedDict({Text("c"): {"d": Text("")}}),
    }
    written = {"a": ["é", 2, 0.5], "b": {"c": {"d": ""}}}
    value = text_message(meta=meta, run_id=Text("r"))
    assert validate(value, "message.Message") == []
    assert to_wire(value) == to_wire(text_message(meta=written))
    assert to_wire(meta, "message.MessageMeta") == written
    assert dump(Whole(3), "message.Seq") == b"3"


def test_a_buffer_is_no_json() -> None:
    (finding,) = refused(text_message(run_id=memoryview(b"abcd")[::2]))
    assert (finding.rule, finding.pointer) == ("shape/type", "/runId")


# --- plain values ---------------------------------------------------------------------------------


def test_plain_value_copies_what_is_nested() -> None:
    inner = {"a": [1]}
    made, unknown = plain_value({"x": inner, "a/b": [Unknown("kind", "v", AUDIO)], 1: [AUDIO_PART]})
    assert made == {"x": inner, "a/b": [AUDIO], 1: [{"kind": "image"}]}
    assert made["x"] is not inner
    assert unknown == {"/a~1b/0", "/1/0"}


def test_plain_value_leaves_what_is_no_json() -> None:
    for value in (b"", (1,), {1}, Decimal(1), object, 1.5, message.TextPart):
        assert plain_value(value) == (value, set())
