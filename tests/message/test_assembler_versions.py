"""Deltas of every version and form make the same message; and what v0.2 adds, made in Python."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec
import pytest
from pydantic import TypeAdapter, ValidationError

from partwire import (
    DeltaGate,
    Limits,
    MessageAssembler,
    StreamProtocolError,
    assemble,
    assemble_async,
    to_wire,
)
from partwire.contract.current import message as current
from partwire.contract.versions import generated_module
from partwire.reading.tolerant import Unknown
from partwire.v0_1.structs import message as v0_1
from tests.fixture_cases import Case, cases
from tests.message.delta_streams import (
    CALL,
    RUN,
    THEN,
    delta,
    fed,
    lines,
    stream,
    struct,
    text,
)
from tests.ways import way

__all__ = ["way"]

OPAQUE = {"provider": "p", "data": {"items": [{"kind": "signature", "data": "c2ln"}]}}
IDS = {"messageId": "msg_1", "turnId": "turn_1"}
ACCEPTED = tuple(
    case for case in cases("streams") if case.result and case.spec.get("mode", "strict") == "strict"
)
NEWER = tuple(case for case in ACCEPTED if case.spec["version"] != "v0.1")
VERSIONED = tuple(
    (case, version)
    for case in NEWER
    for version in ("v0.2", "v0.3")
    if version >= case.spec["version"]
)
OLD = tuple(case for case in ACCEPTED if case.spec["version"] == "v0.1")


def run_async(items: list[Any], **settings: Any) -> Any:
    async def source() -> AsyncIterator[Any]:
        for item in items:
            yield item

    return asyncio.run(assemble_async(source(), **settings))


def consumed(deltas: list[Any], **settings: Any) -> Any:
    assembler = MessageAssembler(**settings)
    for each in deltas:
        assembler.consume(each)
    return assembler.build_final_message()


def gated(deltas: list[Any], **settings: Any) -> Any:
    gate = DeltaGate(on_gap="pass")
    return consumed([one for each in deltas for one in gate.accept(each).deltas], **settings)


def structs(case: Case, version: str) -> list[Any]:
    deltas: Any = generated_module(version, "structs", "message").MessageDelta
    decode = msgspec.json.Decoder(deltas, strict=False).decode
    return [decode(line) for line in case.lines("deltas") if line.strip()]


def models(case: Case, version: str) -> list[Any]:
    deltas: Any = generated_module(version, "models", "message").MessageDelta
    adapter = TypeAdapter[Any](deltas)
    return [adapter.validate_json(line) for line in case.lines("deltas") if line.strip()]


def values(case: Case, _version: str) -> list[Any]:
    return [json.loads(line) for line in case.lines("deltas") if line.strip()]


WAYS: dict[str, tuple[Callable[..., list[Any]], Callable[..., Any]]] = {
    "structs consumed": (structs, consumed),
    "structs through a gate": (structs, gated),
    "structs assembled": (structs, assemble),
    "structs assembled asynchronously": (structs, run_async),
    "models assembled": (models, assemble),
    "models assembled asynchronously": (models, run_async),
    "values assembled": (values, assemble),
    "values assembled asynchronously": (values, run_async),
}


# Models check a delta as a whole, also what the assembler passes over: no model holds these.
NO_MODELS = {"timestamps-of-any-form", "approval-behind-a-wrong-time-of-its-own"}


@pytest.mark.parametrize(
    ("case", "version"), [pytest.param(*each, id=f"{each[0].id}-{each[1]}") for each in VERSIONED]
)
def test_a_case_has_models_unless_it_says_so(case: Case, version: str) -> None:
    try:
        models(case, version)
    except ValidationError:
        refused = True
    else:
        refused = False
    assert refused is (case.id in NO_MODELS)


@pytest.mark.parametrize(
    ("case", "version", "way"),
    [
        pytest.param(case, version, way, id=f"{case.id}-{version}-{way}")
        for case, version in VERSIONED
        for way in WAYS
        if not (way.startswith("models") and case.id in NO_MODELS)
    ],
)
def test_every_way_makes_the_same(case: Case, version: str, way: str) -> None:
    read, make = WAYS[way]
    settings = {"run_id": case.spec.get("run_id"), "limits": limits_of(case)}
    assert to_wire(make(read(case, version), **settings)) == case.expect[case.result]


@pytest.mark.parametrize("way", WAYS)
def test_deltas_of_v0_1_make_what_they_made(way: str) -> None:
    read, make = WAYS[way]
    assert len(OLD) > 60
    for case in OLD:
        settings = {"run_id": case.spec.get("run_id"), "limits": limits_of(case)}
        assert to_wire(make(read(case, "v0.1"), **settings)) == case.expect[case.result], case.id


def limits_of(case: Case) -> Any:
    return Limits(**case.spec.get("limits", {}))


# --- structs of v0.1 ------------------------------------------------------------------------------


def old_text(seq: Any, payload: Any) -> Any:
    return v0_1.TextDelta(run_id=RUN, seq=seq, payload=payload, timestamp=THEN)


def test_deltas_of_two_versions_may_follow_each_other() -> None:
    assembler = fed("start", ("text", "a"))
    assembler.consume(old_text(2, v0_1.TextDeltaPayload(text_delta="b")))
    assembler.consume(struct(delta("text", 3, {"textDelta": "c"})))
    assert [to_wire(part) for part in assembler.parts] == [text("abc")]


@pytest.mark.parametrize(
    ("seq", "payload", "rule", "pointer"),
    [
        (9, None, "stream/invalid-delta", "/payload"),
        (9, v0_1.TextDeltaPayload(text_delta=7), "stream/invalid-delta", "/payload/textDelta"),  # type: ignore[arg-type]
        (9, v0_1.DoneDeltaPayload(finish_reason="stop"), "stream/invalid-delta", "/payload"),
        ("9", v0_1.TextDeltaPayload(text_delta="a"), "stream/invalid-delta", "/seq"),
        (0, v0_1.TextDeltaPayload(text_delta="a"), "stream/seq-not-increasing", "/seq"),
    ],
)
def test_what_is_wrong_with_a_delta_of_v0_1(
    seq: Any, payload: Any, rule: str, pointer: str
) -> None:
    with pytest.raises(StreamProtocolError) as caught:
        fed("start").consume(old_text(seq, payload))
    assert (caught.value.rule, caught.value.findings[0].pointer) == (rule, pointer)


@pytest.mark.parametrize(
    "made",
    [
        v0_1.TextDeltaPayload(text_delta="a"),
        current.TextPart(payload=current.TextPayload(text="a")),
    ],
)
def test_other_structs_are_no_deltas(made: Any) -> None:
    for take in (fed("start").consume, DeltaGate().accept):
        with pytest.raises(StreamProtocolError) as caught:
            take(made)
        assert caught.value.rule == "stream/invalid-delta"


def test_the_gate_tells_versions_by_what_they_say() -> None:
    """The same delta, read by two versions, is a repeat; one that says more is not."""
    gate = DeltaGate()
    gate.accept(old_text(0, v0_1.TextDeltaPayload(text_delta="a")))
    same, more = (struct(delta("text", 0, {"textDelta": "a"}, **ids)) for ids in ({}, IDS))
    assert gate.accept(same) == ([], [])
    assert [each.rule for each in gate.accept(more).findings] == ["gate/conflicting-repeat"]


@pytest.mark.parametrize("other", [{}, OPAQUE, OPAQUE | {"provider": "q"}])
def test_the_gate_compares_opaque_data(other: dict[str, Any]) -> None:
    gate = DeltaGate()
    gate.accept(struct(delta("text", 0, {"textDelta": "", "opaque": OPAQUE})))
    again = gate.accept(
        struct(delta("text", 0, {"textDelta": ""} | ({"opaque": other} if other else {})))
    )
    rules = [each.rule for each in again.findings]
    assert rules == ([] if other == OPAQUE else ["gate/conflicting-repeat"])


@pytest.mark.parametrize("document", [None, [], "x", 7, {}, {"seq": None}])
def test_the_gate_refuses_an_unknown_that_is_none(document: Any) -> None:
    with pytest.raises(StreamProtocolError) as caught:
        DeltaGate().accept(Unknown("kind", "poem", document))
    assert caught.value.rule == "stream/invalid-delta"


# --- ids ------------------------------------------------------------------------------------------


def test_ids_are_fields_of_assembler_and_snapshot() -> None:
    assembler = MessageAssembler()
    assert (assembler.message_id, assembler.turn_id) == (msgspec.UNSET, msgspec.UNSET)
    assembler.consume(struct(stream("start")[0] | IDS))
    for each in (assembler, assembler.snapshot(), assembler.build_partial()):
        assert (each.message_id, each.turn_id) == ("msg_1", "turn_1")
    assembler.reset()
    assert (assembler.message_id, assembler.turn_id) == (msgspec.UNSET, msgspec.UNSET)


@pytest.mark.parametrize("name", ["message_id", "turn_id"])
@pytest.mark.parametrize("value", ["", None, 7, "\ud800", ["x"]])
def test_an_impossible_id_does_not_start_a_stream(name: str, value: Any) -> None:
    made = msgspec.structs.replace(struct(stream("start")[0]), **{name: value})
    with pytest.raises(StreamProtocolError) as caught:
        MessageAssembler().consume(made)
    wire = {"message_id": "/messageId", "turn_id": "/turnId"}[name]
    found = caught.value.findings[0]
    assert (found.rule, found.pointer) == ("stream/invalid-delta", wire)


def test_what_a_refusal_of_an_id_says() -> None:
    assembler = MessageAssembler()
    assembler.consume(struct(stream("start")[0] | {"turnId": "turn_1"}))
    for ids, expected in (
        ({"messageId": "m"}, ("/messageId", "none, as in the start delta", '"m"')),
        ({"turnId": "t"}, ("/turnId", '"turn_1"', '"t"')),
    ):
        with pytest.raises(StreamProtocolError) as caught:
            assembler.consume(struct(delta("text", 1, {"textDelta": "a"}, **ids)))
        found = caught.value.findings[0]
        assert (found.pointer, found.expected, found.actual) == expected


@pytest.mark.parametrize("at", [1, 3, 700])
@pytest.mark.parametrize("extra", [{"messageId": "m"}, {"turnId": "t"}, {"unknown": 1}], ids=str)
@pytest.mark.parametrize("kind", ["text", "thinking", "tool_call_args"])
def test_a_batch_of_bare_deltas_and_one_that_is_not(
    at: int, extra: dict[str, Any], kind: str
) -> None:
    """Wherever it is, an id is found, and an unknown member is passed over."""
    payload = {"textDelta": "x"} if kind != "tool_call_args" else {"argsTextDelta": " "}
    payload |= {"toolCallId": "a"} if kind == "tool_call_args" else {}
    deltas = stream("start", CALL) + [delta(kind, seq, payload) for seq in range(2, 800)]
    deltas += [delta("tool_call_end", 800, {"toolCallId": "a"}), stream("done")[0] | {"seq": 801}]
    plain = to_wire(assemble(deltas))
    deltas[at + 1] = deltas[at + 1] | extra
    for source in (b"\n".join(lines(deltas)), lines(deltas), iter(deltas)):
        if "unknown" in extra:
            assert to_wire(assemble(source)) == plain
            continue
        with pytest.raises(StreamProtocolError) as caught:
            assemble(source)
        (name,) = extra
        rule = f"stream/{name.removesuffix('Id')}-id-mismatch"
        assert (caught.value.rule, caught.value.seq) == (rule, at + 1)
        assert caught.value.findings[0].line == at + 2
