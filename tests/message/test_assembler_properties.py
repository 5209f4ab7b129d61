"""The assembler against the reference: any stream, any faults, any way in."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire import (
    Limits,
    MessageAssembler,
    StreamProtocolError,
    assemble,
    dump,
    to_wire,
    validate,
)
from partwire.contract.current.message import MessageDelta
from partwire.message.assemble import LineAssembler
from tests.message.delta_streams import KINDS, Reference, delta, lines, stream, struct
from tests.ways import way

__all__ = ["way"]

TIGHT = Limits(
    text_bytes=40,
    arguments_bytes=30,
    tool_calls=2,
    parts=4,
    arguments_depth=3,
    id_chars=8,
    opaque_bytes=90,
    opaque_depth=2,
)
ARGS_A = ("tool_call_args", "a", "{}")
END_A = ("tool_call_end", "a")
LIMITS = st.sampled_from([TIGHT, Limits()])
IDS = st.sampled_from(["a", "b", "c", "a-long-id"])
TEXTS = st.sampled_from(
    ["", "x", "é", "日本", "🌍🌍", "word ", "\n", "y" * 127, "z" * 128, "ü" * 300]
)
PIECES = st.sampled_from(
    [
        *("", " ", "{", "}", "[", "]", '"k":', '"v"', "1", ",", "9007199254740992", "NaN", "\\u"),
        *('{"k":1}', '{"k":[[1]]}', '{"k":[[[1]]]}', "[1]", '{"k":"' + "v" * 200 + '"}', "\ufeff"),
    ]
)


OPAQUE = st.sampled_from(
    [
        {"provider": "p", "data": {}},
        {"provider": "日本", "data": {"é": "🌍", "n": [1, None]}},
        {"provider": "p", "data": {"a": {"b": [[True]]}}},
        {"provider": "p", "data": {"text": "x" * 70}},
    ]
)
# Streams with ids and without; now and then a delta has none, or another.
ID_SETS = st.sampled_from([{}, {"messageId": "m"}, {"messageId": "m", "turnId": "t"}])
SLIPS = st.sampled_from([{}] * 20 + [{"messageId": "other"}, {"turnId": "other"}])


def with_opaque(members: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.one_of(
        *[st.fixed_dictionaries(members)] * 3, st.fixed_dictionaries({**members, "opaque": OPAQUE})
    )


@st.composite
def deltas_of_a_stream(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Return deltas that mostly follow the rules."""
    ids = draw(ID_SETS)
    made = [each | ids for each in stream("start")] if draw(st.integers(0, 9)) else []
    seq = 0
    payloads: dict[str, st.SearchStrategy[dict[str, Any]]] = {
        "start": st.just({"modelId": "m", "requestId": "r"}),
        "text": with_opaque({"textDelta": TEXTS}),
        "thinking": with_opaque({"textDelta": TEXTS}),
        "tool_call_start": with_opaque({"toolCallId": IDS, "toolName": st.just("t")}),
        "tool_call_args": with_opaque({"toolCallId": IDS, "argsTextDelta": PIECES}),
        "tool_call_end": with_opaque({"toolCallId": IDS}),
        "usage": st.fixed_dictionaries(
            {
                "inputTokens": st.integers(0, 9),
                "outputTokens": st.just(1),
                "totalTokens": st.just(2),
            },
            optional={
                "cost": st.sampled_from([0.0, 0.25]),
                "reasoningTokens": st.integers(0, 3),
                "cacheReadTokens": st.integers(0, 3),
                "cacheWriteTokens": st.integers(0, 3),
            },
        ),
        "done": st.fixed_dictionaries(
            {"finishReason": st.just("stop")}, optional={"providerFinishReason": st.just("end")}
        ),
        "error": st.just({"errorCode": "timeout"}),
    }
    common = ["text", "text", "thinking", "tool_call_start", "tool_call_args", "tool_call_args"]
    kinds = st.sampled_from([*common, *common, "tool_call_end", *KINDS])
    for kind in draw(st.lists(kinds, max_size=40)):
        seq += draw(st.sampled_from([1, 1, 1, 1, 1, 1, 0, -1, 2, 2000]))
        run_id = draw(st.sampled_from(["run_1"] * 15 + ["run_2"]))
        own = (ids if draw(st.integers(0, 4)) else {}) | draw(SLIPS)
        made.append(delta(kind, max(seq, 0), draw(payloads[kind]), runId=run_id, **own))
    return made


def wire(value: Any) -> Any:
    return msgspec.to_builtins(value)


def fields(assembler: MessageAssembler) -> dict[str, Any]:
    """Return all that can be seen of an assembler."""
    return {
        "status": assembler.status,
        "run_id": assembler.run_id,
        "last_seq": assembler.last_seq,
        "parts": wire(assembler.parts),
        "calls": {
            call_id: (call.tool_name, call.closed, call.raw_args_text)
            for call_id, call in assembler.tool_calls.items()
        },
        "usage": wire(assembler.usage),
        "error": wire(assembler.error),
    }


def reference_fields(reference: Reference, error: Any) -> dict[str, Any]:
    started = reference.status != "idle"
    return {
        "status": reference.status,
        "run_id": reference.run_id,
        "last_seq": reference.last_seq,
        "parts": reference.message()["parts"] if started else [],
        "calls": {
            call_id: (call["name"], call["part"] is not None, call["text"])
            for call_id, call in reference.calls.items()
        },
        "usage": reference.usage,
        "error": error,
    }


def rule_of(assembler: MessageAssembler, each: Any) -> str | None:
    try:
        assembler.consume(each)
    except StreamProtocolError as error:
        return error.rule
    return None


@given(deltas_of_a_stream(), LIMITS)
def test_every_delta_has_the_effect_that_the_reference_gives_it(
    deltas: list[dict[str, Any]], limits: Limits
) -> None:
    """Refused deltas included: they leave everything as it was."""
    assembler, reference = MessageAssembler(limits=limits), Reference(limits=limits)
    error = None
    for each in deltas:
        expected = reference.consume(each)
        assert rule_of(assembler, struct(each)) == expected
        if expected is None and each["kind"] == "error":
            error = each["payload"]
        assert fields(assembler) == reference_fields(reference, error)
    if reference.status == "done":
        assert wire(assembler.build_final_message()) == reference.message()
        assert validate(assembler.build_final_message(), "message.Message") == []


@given(deltas_of_a_stream(), LIMITS, st.lists(st.integers(0, 2**12), max_size=5), st.booleans())
def test_bytes_in_any_cut_are_as_single_deltas(
    deltas: list[dict[str, Any]], limits: Limits, cuts: list[int], looks: bool
) -> None:
    """All up to the first refused one, which is named with its line; what was read says so."""
    assembler, reference = LineAssembler(limits=limits), Reference(limits=limits)
    rules = [reference.consume(each) for each in deltas[: first_refused(deltas, limits) + 1]]
    buffer = b"".join(line + b"\n" for line in lines(deltas))
    refused: StreamProtocolError | None = None
    begin = 0
    for end in [*sorted(min(cut, len(buffer)) for cut in cuts), len(buffer)]:
        try:
            assembler.feed(buffer[begin:end])
        except StreamProtocolError as error:
            refused = error
            break
        if looks:
            assert assembler.assembler.last_seq <= reference.last_seq
        begin = end
    if refused is None:
        assert rules == [None] * len(rules)
    else:
        assert (refused.rule, refused.findings[0].line) == (rules[-1], len(rules))
    assert fields(assembler.assembler)["parts"] == (
        reference.message()["parts"] if reference.status != "idle" else []
    )
    assert assembler.assembler.last_seq == reference.last_seq


def first_refused(deltas: list[dict[str, Any]], limits: Limits) -> int:
    reference = Reference(limits=limits)
    refused = (at for at, each in enumerate(deltas) if reference.consume(each) is not None)
    return next(refused, len(deltas))


@given(deltas_of_a_stream())
def test_assembling_lines_is_as_consuming_deltas(deltas: list[dict[str, Any]]) -> None:
    """The first refusal is the result, with its line; else the message, or how the stream ends."""
    reference = Reference()
    expected: tuple[str, int | None] | None = None
    for number, each in enumerate(deltas, 1):
        if (rule := reference.consume(each)) is not None:
            expected = (rule, number)
            break
    if expected is None and reference.status in ("idle", "started"):
        expected = ("stream/truncated", None)
    if expected is None and reference.status == "error":
        expected = ("stream/failed", None)
    text = b"\n".join(lines(deltas))
    for source in (text, text + b"\n", lines(deltas), iter(lines(deltas)), iter(deltas)):
        try:
            result: Any = wire(assemble(source))
        except Exception as error:  # noqa: BLE001  # compared below: anything else fails there
            found = getattr(error, "findings", (None,))[0]
            result = (found.rule, found.line) if found else error
        assert result == (expected or reference.message())


@given(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=60),
    st.data(),
    st.sampled_from(["text", "thinking"]),
)
def test_any_cut_of_a_text_gives_the_same_part(text: str, data: st.DataObject, kind: str) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=9)))
    edges = [0, *cuts, len(text)]
    pieces = [text[begin:end] for begin, end in pairwise(edges)]
    whole = assemble(stream("start", (kind, text), "done"))
    cut = assemble(stream("start", *((kind, piece) for piece in pieces), "done"))
    assert wire(cut) == wire(whole)
    assert whole.parts[0].payload.text == text  # type: ignore[union-attr]


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=60), st.booleans())
def test_any_interleaving_of_calls_gives_each_its_own_text(order: list[str], close: bool) -> None:
    ids = sorted(set(order))
    rows: list[Any] = ["start", *(("tool_call_start", call_id, "t") for call_id in ids)]
    rows += [("tool_call_args", call_id, '{"n":[') for call_id in ids]
    rows += [("tool_call_args", call_id, f"{number},") for number, call_id in enumerate(order)]
    for call_id in reversed(ids) if close else ids:
        rows += [("tool_call_args", call_id, "0]}"), ("tool_call_end", call_id)]
    message = assemble(stream(*rows, "done"))
    got = {part.payload.tool_call_id: part.payload.arguments for part in message.parts}  # type: ignore[union-attr]
    assert list(got) == ids
    for call_id in ids:
        expected = [number for number, each in enumerate(order) if each == call_id]
        assert got[call_id] == {"n": [*expected, 0]}


@pytest.mark.parametrize("piece", ["x" * 100, "é日🌍" * 20, "w" * 127, "v" * 5000])
@pytest.mark.parametrize("by", ["consume", "lines"])
@pytest.mark.parametrize("kind", ["text", "arguments"])
def test_a_limit_falls_at_the_exact_delta(piece: str, by: str, kind: str) -> None:
    """Beyond the bytes that are counted piece by piece, and with other calls in between."""
    size = len(piece.encode())
    most = 1_900_000  # text that is counted later first, then each piece
    fits = most // size
    limits = Limits(text_bytes=most, arguments_bytes=most)
    head = stream("start", ("tool_call_start", "a", "t"), ("tool_call_start", "b", "t"))
    encode, decode = msgspec.json.Encoder().encode, msgspec.json.Decoder(MessageDelta).decode
    if kind == "text":
        payload: dict[str, Any] = {"textDelta": piece}
        made = [delta("text", 3 + n, payload) for n in range(fits + 1)]
    else:
        made = []
        for n in range(fits + 1):
            for call_id in ("b", "a") if n < 300 else ("a",):
                body = {"toolCallId": call_id, "argsTextDelta": piece}
                made.append(delta("tool_call_args", 3 + len(made), body))
    reader = LineAssembler(limits=limits)
    encoded = [encode(each) for each in [*head, *made]]

    def feed() -> None:
        for begin in range(0, len(encoded), 50):
            batch = encoded[begin : begin + 50]
            if by == "lines":
                reader.feed(b"".join(line + b"\n" for line in batch))
            else:
                for line in batch:
                    reader.assembler.consume(decode(line))

    with pytest.raises(StreamProtocolError) as caught:
        feed()
    assert caught.value.rule == "stream/limit-exceeded"
    assert caught.value.seq == 2 + len(made)
    assembler = reader.assembler
    assert assembler.last_seq == 1 + len(made)
    if kind == "text":
        assert assembler.parts[0].payload.text == piece * fits  # type: ignore[union-attr]
    else:
        assert assembler.tool_calls["a"].raw_args_text == piece * fits


def test_a_limit_falls_at_the_exact_delta_after_a_refused_end() -> None:
    """The end joins the text to parse it; what it joined was not counted before."""
    most = 60_000
    assembler = MessageAssembler(limits=Limits(arguments_bytes=most))
    for each in stream("start", ("tool_call_start", "a", "t")):
        assembler.consume(struct(each))
    body = {"toolCallId": "a", "argsTextDelta": "[" * 100}
    seq = 2
    for seq in range(2, 202):
        assembler.consume(struct(delta("tool_call_args", seq, body)))
    end = struct(delta("tool_call_end", seq + 1, {"toolCallId": "a"}))
    assert rule_of(assembler, end) == "stream/limit-exceeded"
    made = struct(delta("tool_call_args", seq + 1, body))
    while rule_of(assembler, made) is None:
        seq += 1
        made = msgspec.structs.replace(made, seq=seq + 1)
    assert len(assembler.tool_calls["a"].raw_args_text) == most // 100 * 100


@pytest.mark.parametrize(
    ("rows", "at", "rule"),
    [
        ([("tool_call_args", "a", "{"), END_A, ARGS_A], 2, "stream/tool-call-closed"),
        ([END_A, END_A], 1, "stream/tool-call-closed"),
        ([("tool_call_args", "b", "{")], 0, "stream/unknown-tool-call"),
        ([("text", "x"), ARGS_A, ("tool_call_start", "a", "t")], 2, "stream/duplicate-tool-call"),
        ([END_A, "done", ("tool_call_start", "b", "t")], 2, "stream/after-terminal"),
        ([END_A, "done", ("text", "x")], 2, "stream/after-terminal"),
        ([("error", "timeout"), ARGS_A], 1, "stream/after-terminal"),
        ([("error", "timeout"), END_A], 1, "stream/after-terminal"),
    ],
)
@pytest.mark.parametrize("by", ["consume", "lines"])
def test_the_short_ways_know_what_is_open(rows: list[Any], at: int, rule: str, by: str) -> None:
    deltas = [struct(each) for each in stream("start", ("tool_call_start", "a", "t"), *rows)]
    reader = LineAssembler()

    def feed() -> None:
        if by == "lines":
            reader.feed(
                b"".join(line + b"\n" for line in lines([to_wire(each) for each in deltas]))
            )
        else:
            for each in deltas:
                reader.assembler.consume(each)

    with pytest.raises(StreamProtocolError) as caught:
        feed()
    assert (caught.value.rule, caught.value.seq) == (rule, at + 2)
    assert reader.assembler.last_seq == at + 1


def test_snapshots_can_be_written() -> None:
    assembler = MessageAssembler()
    for each in stream("start", ("text", "a"), ("tool_call_start", "c", "t")):
        assembler.consume(struct(each))
        assert validate(dump(assembler.snapshot()), "message.Message") == []
