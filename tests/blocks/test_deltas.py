"""Deltas to chunks: laws over delta streams with every kind of delta, and hostile deltas."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from partwire import Limits, MessageAssembler, StreamProtocolError, to_wire, validate
from partwire.blocks import ChunkCollector, DeltasToChunks
from partwire.contract.current.blocks import (
    ContentBlockStartChunk,
    ErrorChunk,
    MessageStopChunk,
    TextBlock,
)
from partwire.contract.current.message import (
    DoneDelta,
    DoneDeltaPayload,
    ErrorDelta,
    ErrorDeltaPayload,
    StartDelta,
    StartDeltaPayload,
    TextDelta,
    TextDeltaPayload,
    ThinkingDelta,
    ThinkingDeltaPayload,
    ThinkingPart,
    ToolCallArgsDelta,
    ToolCallArgsDeltaPayload,
    ToolCallEndDelta,
    ToolCallEndDeltaPayload,
    ToolCallStartDelta,
    ToolCallStartDeltaPayload,
    UsageDelta,
    UsageSummary,
)
from partwire.reading.pipeline import Unknown
from tests.blocks.chunk_streams import AT, codes, content_of, joined, plainly, to_chunks, to_deltas
from tests.message.delta_streams import stream, struct

STATE = {"provider": "example", "data": {}}


@st.composite
def delta_rows(draw: st.DrawFn) -> list[Any]:
    """Draw the rows of a delta stream whose calls are open at once, with every kind of delta."""
    rows: list[Any] = ["start"]
    opened: list[str] = []
    texts = st.sampled_from(["", "a", "b", "世"])
    for number in range(draw(st.integers(0, 14))):
        step = draw(
            st.sampled_from(["text", "thinking", "call", "args", "end", "usage", "unknown"])
        )
        if step in ("text", "thinking"):
            state = draw(st.sampled_from([None, None, STATE]))
            rows.append((step, draw(texts), *([state] if state else [])))
        elif step == "call":
            opened.append(f"call_{number}")
            rows.append(("tool_call_start", opened[-1], "f"))
        elif step == "usage":
            rows.append(("usage", 1, number, 1 + number))
        elif step == "unknown":
            rows.append("unknown")
        elif opened:
            call_id = draw(st.sampled_from(opened))
            if step == "args":
                rows.append(("tool_call_args", call_id, draw(st.sampled_from(["{}", " ", "[1]"]))))
            else:
                opened.remove(call_id)
                rows.append(("tool_call_end", call_id))
    ending = draw(st.sampled_from(["done", "error", "cut"]))
    if ending == "done":
        rows += [("tool_call_end", call_id) for call_id in opened] + ["done"]
    elif ending == "error":
        rows.append(("error", "timeout", "Slow."))
    return rows


def deltas_of(rows: list[Any]) -> list[Any]:
    documents = stream(*[("text", "") if row == "unknown" else row for row in rows])
    for row, document in zip(rows, documents, strict=True):
        if row == "unknown":
            document |= {"kind": "citation", "payload": {"url": "https://example.com"}}
    return [struct(document) for document in documents]


@given(delta_rows())
@settings(max_examples=400)
def test_chunks_are_the_parts_of_the_message(rows: list[Any]) -> None:
    deltas = deltas_of(rows)
    made, converter = to_chunks(deltas)
    assembler = MessageAssembler()
    for each in deltas:
        assembler.consume(each)
    done = assembler.status == "done"
    message = assembler.build_final_message() if done else assembler.build_partial()
    collector = ChunkCollector()
    for chunk_made in made:
        collector.feed(chunk_made)
        assert validate(chunk_made, "blocks.StreamChunk") == []
    # A part of state alone is not a block.
    assert plainly(collector.content()) == [each for each in plainly(message.parts) if each != ""]
    assert isinstance(made[-1], MessageStopChunk) is done
    # The index of a block is its place.
    starts = [each.index for each in made if isinstance(each, ContentBlockStartChunk)]
    texts = [n for n, each in enumerate(collector.content()) if isinstance(each, TextBlock)]
    assert starts == texts
    thoughts = [part for part in message.parts if isinstance(part, ThinkingPart)]
    assert codes(converter).count("thinking") == len(
        [each for each in thoughts if each.payload.text]
    )
    states = [row for row in rows if isinstance(row, tuple) and row[-1] == STATE]
    assert codes(converter).count("opaque") == len(states)
    assert codes(converter).count("unknown-delta") == rows.count("unknown")
    errors = message.meta.get("toolCallParseErrors", []) if message.meta is not UNSET else []
    assert codes(converter).count("arguments-text") == len(errors)


@given(delta_rows())
def test_deltas_come_back_as_the_same_text_and_calls(rows: list[Any]) -> None:
    made, _ = to_chunks(deltas_of(rows))
    again, _ = to_chunks(to_deltas(made)[0])
    assert joined(content_of(again)) == joined(content_of(made))


@given(delta_rows(), st.data())
def test_a_refused_delta_changes_nothing_in_chunks(rows: list[Any], data: st.DataObject) -> None:
    deltas = deltas_of(rows)
    at = data.draw(st.integers(0, len(deltas)))
    converter = DeltasToChunks()
    out: list[Any] = []
    for number, each in enumerate([*deltas[:at], deltas[0], *deltas[at:]]):
        if number == at and at > 0:
            with pytest.raises(StreamProtocolError):
                converter.feed(each)
        elif not (number == at + 1 and at == 0):
            out += converter.feed(each)
    assert out + converter.close() == to_chunks(deltas)[0]


@pytest.mark.parametrize(
    ("delta", "rule"),
    [
        (
            TextDelta(
                run_id="run_1", seq=1, payload=TextDeltaPayload(text_delta="\ud800"), timestamp=AT
            ),
            "document/lone-surrogate",
        ),
        (
            TextDelta(run_id="run_1", seq=1, payload=None, timestamp=AT),  # type: ignore[arg-type]
            "stream/invalid-delta",
        ),
        (
            TextDelta(
                run_id="run_1",
                seq=1,
                payload=TextDeltaPayload(text_delta=7),  # type: ignore[arg-type]
                timestamp=AT,
            ),
            "stream/invalid-delta",
        ),
        (
            UsageDelta(
                run_id="run_1",
                seq=1,
                payload=UsageSummary(input_tokens=-1, output_tokens=0, total_tokens=0),
                timestamp=AT,
            ),
            "stream/invalid-delta",
        ),
        (
            ErrorDelta(
                run_id="run_1",
                seq=1,
                payload=ErrorDeltaPayload(error_code="x", message="\udc00"),
                timestamp=AT,
            ),
            "stream/invalid-delta",
        ),
        (Unknown("kind", "poem", None), "stream/invalid-delta"),  # type: ignore[arg-type]
        (Unknown("kind", [], {"runId": "run_1", "seq": 1}), "stream/invalid-delta"),  # type: ignore[arg-type]
        (Unknown("kind", "text", {"runId": "run_1", "seq": 1}), "stream/invalid-delta"),
        (Unknown("kind", "start", {"runId": "run_1", "seq": 1}), "stream/invalid-delta"),
        (Unknown("kind", "poem", {"runId": [], "seq": 1}), "stream/run-id-mismatch"),
        (Unknown("kind", "poem", {"runId": "run_1", "seq": {}}), "stream/invalid-delta"),
        (Unknown("kind", "poem", {"runId": "run_1", "seq": 0}), "stream/seq-not-increasing"),
        (
            ToolCallEndDelta(
                run_id="run_1",
                seq=1,
                payload=ToolCallEndDeltaPayload(tool_call_id="b"),
                timestamp=AT,
            ),
            "stream/unknown-tool-call",
        ),
        ({"kind": "text"}, "stream/invalid-delta"),
        (None, "stream/invalid-delta"),
    ],
)
def test_deltas_that_no_reader_lets_pass_are_refused(delta: Any, rule: str) -> None:
    converter = DeltasToChunks()
    converter.feed(struct(stream("start")[0]))
    with pytest.raises(StreamProtocolError) as caught:
        converter.feed(delta)
    assert caught.value.rule == rule
    assert [to_wire(each)["type"] for each in converter.close()] == ["error"]


def test_nothing_follows_a_closed_delta_stream() -> None:
    converter = DeltasToChunks()
    assert len(converter.close()) == 1
    with pytest.raises(StreamProtocolError) as caught:
        converter.feed(struct(stream("start")[0]))
    assert caught.value.rule == "stream/after-terminal"
    assert converter.close() == []


def test_cost_that_was_reported_once_is_missed() -> None:
    rows: list[Any] = ["start", ("usage", 1, 2, 3, 0.5), ("usage", 1, 3, 4), "done"]
    made, converter = to_chunks([struct(each) for each in stream(*rows)])
    assert to_wire(made[-1])["usage"] == {"input_tokens": 1, "output_tokens": 3, "total_tokens": 4}
    assert [loss.pointer for loss in converter.losses if loss.code == "cost"] == ["/2/payload/cost"]


def test_run_and_limits_are_the_assemblers() -> None:
    with pytest.raises(StreamProtocolError) as caught:
        DeltasToChunks("run_2").feed(struct(stream("start")[0]))
    assert caught.value.rule == "stream/run-id-mismatch"
    rows: list[Any] = ["start", ("tool_call_start", "a", "f"), ("tool_call_args", "a", '{"x":[1]}')]
    converter = DeltasToChunks(limits=Limits(arguments_depth=1))
    for each in stream(*rows):
        converter.feed(struct(each))
    with pytest.raises(StreamProtocolError) as caught:
        converter.feed(struct(stream(("tool_call_end", "a"), first=3)[0]))
    assert caught.value.rule == "stream/limit-exceeded"


def test_usage_of_a_stream_that_is_cut_is_missed() -> None:
    rows: list[Any] = ["start", ("usage", 1, 2, 3, 0.5), ("text", "x"), ("usage", 1, 3, 4)]
    made, converter = to_chunks([struct(each) for each in stream(*rows)])
    assert made[-1] == ErrorChunk(message="The stream stopped before done or error")
    assert [loss.pointer for loss in converter.losses if loss.code == "usage"] == ["/3/payload"]


def test_a_call_costs_the_same_however_many_came_before(monkeypatch: pytest.MonkeyPatch) -> None:
    def views(_assembler: MessageAssembler) -> Any:
        raise AssertionError("a view of every call, for the sake of one")

    monkeypatch.setattr(MessageAssembler, "tool_calls", property(views))
    rows: list[Any] = ["start"]
    for number in range(50):
        name = f"call_{number}"
        rows += [("tool_call_start", name, "f"), ("tool_call_end", name)]
    made, _ = to_chunks([struct(each) for each in stream(*rows, "done")])
    assert len(made) == 51


VALUES: list[Any] = [
    None, True, False, -1, 0, 2, 2**53, 10**400, 1.0, float("nan"), "", "run_1", "a", "b", "\ud800",
    "x" * 600, "世", b"x", [], {}, {"a": 1}, (1,), {1}, UNSET, TextDelta,
    TextDeltaPayload(text_delta="x"),
]  # fmt: skip
HOSTILE = st.sampled_from(VALUES)
KINDS: list[tuple[Any, Any, tuple[str, ...], tuple[Any, ...]]] = [
    (StartDelta, StartDeltaPayload, ("model_id", "request_id"), ("m", "r")),
    (TextDelta, TextDeltaPayload, ("text_delta",), ("x",)),
    (ThinkingDelta, ThinkingDeltaPayload, ("text_delta",), ("x",)),
    (ToolCallStartDelta, ToolCallStartDeltaPayload, ("tool_call_id", "tool_name"), ("a", "f")),
    (ToolCallArgsDelta, ToolCallArgsDeltaPayload, ("tool_call_id", "args_text_delta"), ("a", "{}")),
    (ToolCallEndDelta, ToolCallEndDeltaPayload, ("tool_call_id",), ("a",)),
    (UsageDelta, UsageSummary, ("input_tokens", "output_tokens", "total_tokens"), (1, 2, 3)),
    (DoneDelta, DoneDeltaPayload, ("finish_reason",), ("stop",)),
    (ErrorDelta, ErrorDeltaPayload, ("error_code",), ("timeout",)),
]


@st.composite
def hostile_deltas(draw: st.DrawFn) -> list[Any]:
    """Draw deltas made in Python, in any order, most of them with a value that is wrong."""
    made: list[Any] = [struct(stream("start")[0])]
    for seq in range(1, draw(st.integers(1, 12))):
        if draw(st.integers(0, 9)) == 0:
            document = draw(HOSTILE | st.just({"runId": "run_1", "seq": seq}))
            made.append(Unknown("kind", draw(HOSTILE | st.just("poem")), document))
            continue
        kind, payload_kind, names, values = draw(st.sampled_from(KINDS))
        body: Any = dict(zip(names, values, strict=True))
        spoiled = draw(st.sampled_from(["", "", "member", "payload", "head"]))
        if spoiled == "member":
            body[draw(st.sampled_from(payload_kind.__struct_fields__))] = draw(HOSTILE)
        payload = draw(HOSTILE) if spoiled == "payload" else payload_kind(**body)
        head = {"run_id": "run_1", "seq": seq, "payload": payload, "timestamp": AT}
        if spoiled == "head":
            head[draw(st.sampled_from(["run_id", "seq", "timestamp", "provider_raw"]))] = draw(
                HOSTILE
            )
        made.append(kind(**head))
    return [draw(HOSTILE) if draw(st.integers(0, 19)) == 0 else each for each in made]


@given(hostile_deltas())
@settings(max_examples=600)
def test_hostile_deltas_are_taken_or_refused(deltas: list[Any]) -> None:
    converter, collector = DeltasToChunks(), ChunkCollector()
    taken: list[Any] = []
    made: list[Any] = []
    for each in deltas:
        with suppress(StreamProtocolError):
            made += converter.feed(each)
            taken.append(each)
    made += converter.close()
    for each in made:
        assert validate(each, "blocks.StreamChunk") == []
        collector.feed(each)
    # What was refused has left nothing behind, and nothing of what was taken is missing.
    again, _ = to_chunks(taken)
    assert again == made
    texts = [each.payload.text_delta for each in taken if isinstance(each, TextDelta)]
    assert "".join(each for each in content_of(made) if isinstance(each, str)) == "".join(texts)
