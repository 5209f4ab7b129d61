"""Deltas that are not of this version, and structs that no reader lets pass."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from partwire import MessageAssembler, PartwireError, StreamProtocolError, to_wire
from partwire.contract.current.message import TextDelta, TextDeltaPayload
from partwire.reading.tolerant import Unknown
from tests.message.delta_streams import CALL, PAYLOADS, THEN, delta, fed, refused, struct, text


def test_unknown_kinds_count_and_are_ignored() -> None:
    assembler = fed("start", ("text", "a"))
    for seq in (2, 3):
        assembler.consume(struct(delta("citation", seq, {"url": "x"})))
    assert refused(assembler, delta("text", 3, PAYLOADS["text"])).rule.endswith("not-increasing")
    assert [(each.rule, each.severity) for each in assembler.findings] == [
        ("stream/unknown-delta-kind", "warning")
    ]
    assembler.consume(struct(delta("done", 4, PAYLOADS["done"])))
    assert [to_wire(part) for part in assembler.build_final_message().parts] == [text("a")]


@pytest.mark.parametrize(
    ("document", "rule"),
    [
        ({"kind": "x", "runId": "run_1"}, "stream/invalid-delta"),
        ({"kind": "x", "runId": "run_1", "seq": "1"}, "stream/invalid-delta"),
        ({"kind": "x", "runId": "run_1", "seq": 2**53}, "stream/invalid-delta"),
        ({"kind": "x", "runId": "run_2", "seq": 1}, "stream/run-id-mismatch"),
        ({"kind": "x", "runId": "run_1", "seq": 0}, "stream/seq-not-increasing"),
    ],
)
def test_unknown_kinds_keep_the_order(document: dict[str, Any], rule: str) -> None:
    with pytest.raises(StreamProtocolError) as caught:
        fed("start").consume(Unknown("kind", "x", document))
    assert caught.value.rule == rule


@pytest.mark.parametrize(
    "made", [None, 1, "text", {"kind": "text"}, TextDeltaPayload(text_delta="")]
)
def test_what_is_no_delta(made: Any) -> None:
    assembler = fed("start")
    with pytest.raises(StreamProtocolError) as caught:
        assembler.consume(made)
    assert caught.value.rule == "stream/invalid-delta"


@pytest.mark.parametrize("before", [[], [("text", "x")]], ids=["new", "hot"])
@pytest.mark.parametrize(
    ("seq", "payload", "pointer"),
    [
        (9, None, "/payload"),
        (9, TextDeltaPayload(text_delta=7), "/payload/textDelta"),  # type: ignore[arg-type]
        ("9", TextDeltaPayload(text_delta="a"), "/seq"),
        (None, TextDeltaPayload(text_delta="a"), "/seq"),
    ],
)
def test_structs_with_wrong_members(
    seq: Any, payload: Any, pointer: str, before: list[Any]
) -> None:
    """msgspec does not check what Python code puts into a struct."""
    assembler = fed("start", *before)
    made = TextDelta(run_id="run_1", seq=seq, payload=payload, timestamp=THEN)
    with pytest.raises(StreamProtocolError) as caught:
        assembler.consume(made)
    assert (caught.value.rule, caught.value.findings[0].pointer) == (
        "stream/invalid-delta",
        pointer,
    )
    assert assembler.last_seq == len(before)


def changed(each: dict[str, Any], pointer: str, value: Any) -> Any:
    """Return a delta as struct with a member that its type does not allow."""
    made = struct(each)
    *above, name = (re.sub("([A-Z])", r"_\1", part).lower() for part in pointer[1:].split("/"))
    if not above:
        return msgspec.structs.replace(made, **{name: value})
    payload = msgspec.structs.replace(made.payload, **{name: value})
    return msgspec.structs.replace(made, payload=payload)


LONG = "x" * 513


@pytest.mark.parametrize(
    ("kind", "pointer", "values", "rule"),
    [
        ("start", "/runId", ["", 7, None, "a\ud800"], "stream/invalid-delta"),
        ("start", "/payload/modelId", [7, "\ud800"], "stream/invalid-delta"),
        ("start", "/payload/requestId", [None, "\udfff"], "stream/invalid-delta"),
        ("tool_call_start", "/payload/toolCallId", ["", 7, [], "é\ud800"], "stream/invalid-delta"),
        ("tool_call_start", "/payload/toolName", ["", None, "\ud800"], "stream/invalid-delta"),
        ("tool_call_args", "/payload/argsTextDelta", [7, None], "stream/invalid-delta"),
        ("tool_call_args", "/payload/toolCallId", [7, [], None], "stream/unknown-tool-call"),
        ("tool_call_end", "/payload/toolCallId", [7, [], None], "stream/unknown-tool-call"),
        ("done", "/payload/finishReason", ["", 7, "\ud800"], "stream/invalid-delta"),
        ("error", "/payload/errorCode", ["", 7], "stream/invalid-delta"),
        ("start", "/runId", [LONG], "stream/limit-exceeded"),
        ("start", "/payload/requestId", [LONG], "stream/limit-exceeded"),
        ("tool_call_start", "/payload/toolCallId", [LONG, "é" * 513], "stream/limit-exceeded"),
    ],
)
def test_members_that_go_into_the_message(
    kind: str, pointer: str, values: list[Any], rule: str
) -> None:
    """Checked here as well: a struct made in Python may hold anything."""
    rows: dict[str, list[Any]] = {"start": [], "tool_call_args": ["start", CALL]}
    rows["tool_call_end"] = rows["tool_call_args"]
    for value in values:
        assembler = fed(*rows.get(kind, ["start"]))
        with pytest.raises(StreamProtocolError) as caught:
            assembler.consume(changed(delta(kind, 9, PAYLOADS[kind]), pointer, value))
        assert (caught.value.rule, caught.value.findings[0].pointer) == (rule, pointer)
        assert assembler.last_seq == len(rows.get(kind, ["start"])) - 1


def test_names_need_not_be_ascii_or_short() -> None:
    start = delta("start", 0, {"modelId": "", "requestId": "é" * 512}, runId="日本")
    assembler = MessageAssembler("日本")
    assembler.consume(struct(start))
    body = {"toolCallId": "é" * 512, "toolName": "werkzeug🔧"}
    assembler.consume(struct(delta("tool_call_start", 1, body, runId="日本")))
    assert list(assembler.tool_calls) == ["é" * 512]


def test_lone_surrogates_do_not_reach_a_message() -> None:
    """Only a delta made in Python can bring one; its halves may still meet."""
    assembler = fed("start")
    made = TextDelta(
        run_id="run_1", seq=1, payload=TextDeltaPayload(text_delta="a\ud83d"), timestamp=THEN
    )
    assembler.consume(made)
    assembler.consume(struct(delta("done", 2, PAYLOADS["done"])))
    with pytest.raises(PartwireError) as caught:
        assembler.build_final_message()
    assert (caught.value.rule, caught.value.findings[0].actual) == (
        *("document/lone-surrogate", "U+D83D alone"),
    )
