"""Reading out while the stream runs: what is shown, and that it never changes."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given

from partwire import MessageAssembler, StreamProtocolError, dump, to_wire
from partwire.contract.current.message import TextDelta, TextDeltaPayload
from partwire.message import Progress, Snapshot
from partwire.message.assembler import text as text_buffer
from partwire.message.assembler.snapshot import OpenCall
from tests.message.delta_streams import (
    CALL,
    THEN,
    Reference,
    call,
    delta,
    fed,
    stream,
    struct,
    text,
)
from tests.message.test_assembler_properties import deltas_of_a_stream

OTHER = ("tool_call_start", "b", "tool")


def shown(assembler: MessageAssembler) -> Any:
    return to_wire(assembler.snapshot())


def test_it_has_the_attributes_of_a_message() -> None:
    snapshot = fed("start", ("text", "a")).snapshot()
    assert (snapshot.run_id, snapshot.role) == ("run_1", "assistant")
    assert snapshot.timestamp == "2026-01-02T03:04:05Z"
    assert [to_wire(part) for part in snapshot.parts] == [text("a")]
    assert snapshot.meta == {"modelId": "model-1", "requestId": "req_1"}
    assert snapshot.to_message() is snapshot.to_message()
    assert dump(snapshot) == dump(snapshot.to_message())
    assert repr(snapshot) == "Snapshot(run_id='run_1', seq=1)"


def test_equality_is_that_of_content() -> None:
    assembler = fed("start", ("text", "a"))
    one, two = assembler.snapshot(), assembler.snapshot()
    assert one == two
    assert one == two.to_message()
    assert one != fed("start", ("text", "b")).snapshot()
    assert one != "a"
    with pytest.raises(TypeError):
        hash(one)


def test_no_usage_and_no_open_calls() -> None:
    """ARG-11, ARG-12, S001-84: valid or not, an open call is not shown."""
    assembler = fed("start", ("usage", 1, 2, 3), CALL, ("tool_call_args", "a", '{"n":1}'), OTHER)
    assert shown(assembler)["parts"] == []
    assembler.consume(struct(delta("tool_call_end", 5, {"toolCallId": "b"})))
    assert shown(assembler)["parts"] == [call("b", {})]
    assembler.consume(struct(delta("tool_call_end", 6, {"toolCallId": "a"})))
    assert shown(assembler)["parts"] == [call("a", {"n": 1}), call("b", {})]
    assert set(shown(assembler)["meta"]) == {"modelId", "requestId"}


def test_a_failed_parse_is_shown_in_the_snapshot() -> None:
    assembler = fed("start", CALL, ("tool_call_args", "a", "{"), ("tool_call_end", "a"))
    errors = [{"toolCallId": "a", "error": "invalid_json"}]
    assert assembler.snapshot().meta["toolCallParseErrors"] == errors


@given(deltas_of_a_stream())
def test_a_snapshot_never_changes(deltas: list[dict[str, Any]]) -> None:
    """ORD-13: read at once or at the end, after a reset too, it is what the reference says."""
    assembler, reference = MessageAssembler(), Reference()
    taken: list[tuple[Progress, dict[str, Any]]] = []
    for each in deltas:
        if reference.consume(each) is None:
            assembler.consume(struct(each))
        if reference.status != "idle":
            expected = copy.deepcopy(reference.message())
            for member in ("finishReason", "providerFinishReason", "completedAt", "usage"):
                expected["meta"].pop(member, None)
            progress = assembler.progress()
            taken.append((progress, expected))
            if len(taken) % 3 == 0:
                assert to_wire(progress.snapshot) == expected
    assembler.reset()
    for progress, expected in taken:
        assert to_wire(progress.snapshot) == expected


def test_what_was_read_belongs_to_the_reader() -> None:
    """ORD-13: arguments are never shared."""
    assembler = fed("start", CALL, ("tool_call_args", "a", '{"n":[1]}'), ("tool_call_end", "a"))
    for _ in range(2):
        snapshot = assembler.snapshot()
        snapshot.parts[0].payload.arguments["n"].append(2)  # type: ignore[index, union-attr]
        snapshot.parts.clear()
        snapshot.meta["modelId"] = "other"
    assembler.consume(struct(delta("done", 4, {"finishReason": "stop"})))
    for _ in range(2):
        message = assembler.build_final_message()
        assert to_wire(message)["parts"] == [call("a", {"n": [1]})]
        assert message.meta["modelId"] == "model-1"  # type: ignore[index]
        message.parts[0].payload.arguments["n"].append(2)  # type: ignore[index, union-attr]


@pytest.mark.parametrize("kind", ["text", "thinking"])
def test_reading_costs_the_assembler_nothing(kind: str) -> None:
    """A message built while text is still coming does not freeze the part."""
    assembler = fed("start", (kind, "a"))
    first = assembler.build_partial(), assembler.snapshot(), assembler.parts
    assembler.consume(struct(delta(kind, 2, {"textDelta": "b"})))
    second = assembler.build_partial(), assembler.snapshot(), assembler.parts
    for found, expected in ((first, "a"), (second, "ab")):
        message, snapshot, parts = found
        for each in (message.parts, snapshot.parts, parts):
            assert [to_wire(part)["payload"]["text"] for part in each] == [expected]


def test_taking_a_snapshot_reads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """PRF-02, PRF-05: a snapshot or progress after every delta joins and copies nothing."""
    assembler = fed("start", CALL, ("tool_call_args", "a", '{"t":"'), ("text", "a"))
    touched: list[str] = []
    for name in ("marked_text", "read_slots", "Preview"):
        monkeypatch.setattr(f"partwire.message.assembler.snapshot.{name}", touched.append)
    for seq in range(4, 3000):
        assembler.consume(struct(delta("text", seq, {"textDelta": "word "})))
        assembler.snapshot()
        assembler.progress()
    assert touched == []
    assert isinstance(assembler.snapshot(), Snapshot)


def test_progress_shows_what_the_snapshot_leaves_out() -> None:
    assembler = fed("start", ("text", "x"), CALL, OTHER, ("usage", 1, 2, 3))
    assembler.consume(struct(delta("tool_call_args", 5, {"toolCallId": "b", "argsTextDelta": "{"})))
    body = {"toolCallId": "a", "argsTextDelta": '{"city":"Os'}
    assembler.consume(struct(delta("tool_call_args", 6, body)))
    assert assembler.progress().to_wire() == {
        "message": shown(assembler),
        "openCalls": [
            {
                "toolCallId": "a",
                "toolName": "tool",
                "rawArgsText": '{"city":"Os',
                "partialArguments": {"city": "Os"},
            },
            {"toolCallId": "b", "toolName": "tool", "rawArgsText": "{", "partialArguments": {}},
        ],
        "usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3},
    }
    assert "usage" not in fed("start").progress().to_wire()
    assert repr(assembler.progress().open_calls[0]) == "OpenCall('a', 'tool')"


def test_progress_at_the_end_has_no_open_calls_and_a_preview_never_leaks() -> None:
    """ARG-13."""
    assembler = fed("start", CALL, ("tool_call_args", "a", '{"file":"b","body":"the beg'))
    before = assembler.progress().open_calls
    assert before[0].partial_arguments == {"file": "b", "body": "the beg"}
    assembler.consume(struct(delta("tool_call_end", 3, {"toolCallId": "a"})))
    assert assembler.progress().open_calls == ()
    raw = '{"file":"b","body":"the beg'
    assert shown(assembler)["parts"] == [call("a", {}, rawArgsText=raw)]
    assert before[0].partial_arguments == {"file": "b", "body": "the beg"}


@pytest.mark.parametrize("order", ["as taken", "backwards", "at once"])
@pytest.mark.parametrize("uncounted", [0, 10, 1024])
@pytest.mark.parametrize("last_word", ["x", "x" * 200])
def test_partial_arguments_are_those_of_their_moment(
    order: str, uncounted: int, last_word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However late they are read, and wherever the pieces have been joined since."""
    monkeypatch.setattr(text_buffer, "_MOST_UNCOUNTED", uncounted)
    monkeypatch.setattr(text_buffer, "_MANY", 3)
    assembler = fed("start", CALL)
    pieces = ['{"a":[', *(f"{number}," for number in range(40)), '0],"b":"', *"word" * 9, last_word]
    pieces += ['"}']
    taken: list[tuple[str, OpenCall]] = []
    for seq, piece in enumerate(pieces, 2):
        body = {"toolCallId": "a", "argsTextDelta": piece}
        assembler.consume(struct(delta("tool_call_args", seq, body)))
        (open_call,) = assembler.progress().open_calls
        taken.append(("".join(pieces[: seq - 1]), open_call))
        if order == "at once":
            check_open_call(*taken[-1])
    for raw, open_call in reversed(taken) if order == "backwards" else taken:
        check_open_call(raw, open_call)
    last = taken[-1][1].partial_arguments
    assert last == {"a": [*range(40), 0], "b": "word" * 9 + last_word}
    with pytest.raises(TypeError):
        last["a"].append(1)


def check_open_call(raw: str, open_call: OpenCall) -> None:
    """Compare with what shows of a number list and a string, read off the raw text."""
    numbers, _, words = raw.partition(',"b":"')
    expected: dict[str, Any] = {}
    items = [int(each) for each in numbers[len('{"a":[') :].replace("]", ",").split(",")[:-1]]
    expected["a"] = items
    if words or raw.endswith(',"b":"'):
        expected["b"] = words.removesuffix('"}')
    assert open_call.raw_args_text == raw
    assert open_call.partial_arguments == expected
    assert open_call.partial_arguments is open_call.partial_arguments


def test_tool_calls_are_views_of_their_moment() -> None:
    assembler = fed("start", CALL, ("tool_call_args", "a", "{"))
    before = assembler.tool_calls["a"]
    assembler.consume(struct(delta("tool_call_args", 3, {"toolCallId": "a", "argsTextDelta": "}"})))
    assembler.consume(struct(delta("tool_call_end", 4, {"toolCallId": "a"})))
    after = assembler.tool_calls["a"]
    assert (before.tool_call_id, before.tool_name) == ("a", "tool")
    assert (before.closed, before.raw_args_text) == (False, "{")
    assert (after.closed, after.raw_args_text) == (True, "{}")
    assert repr(before) == "ToolCallBuffer('a', 'tool', open)"
    assert repr(after) == "ToolCallBuffer('a', 'tool', closed)"


def test_a_lone_surrogate_is_reported_when_it_is_read() -> None:
    assembler = fed("start")
    payload = TextDeltaPayload(text_delta="\udc00")
    assembler.consume(TextDelta(run_id="run_1", seq=1, payload=payload, timestamp=THEN))
    snapshot = assembler.snapshot()
    with pytest.raises(StreamProtocolError) as caught:
        _ = snapshot.parts
    assert caught.value.rule == "document/lone-surrogate"


def test_snapshots_of_a_reset_assembler_stay() -> None:
    assembler = fed("start", ("text", "a"), CALL, ("tool_call_args", "a", '{"x":1'))
    progress = assembler.progress()
    assembler.reset()
    for each in stream("start", ("text", "b")):
        assembler.consume(struct(each))
    assert to_wire(progress.snapshot)["parts"] == [text("a")]
    assert progress.open_calls[0].raw_args_text == '{"x":1'
