"""What comes whole, and media, as values made in Python; and what is read of them on the way."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from msgspec import structs

from partwire import (
    DeltaGate,
    Limits,
    MessageAssembler,
    PartwireError,
    StreamProtocolError,
    to_wire,
)
from partwire.contract.current import message as current
from partwire.message.assembler.condense import condensed
from partwire.message.assembler.lines import read_delta_line
from tests.fixture_cases import Case, cases
from tests.message.delta_streams import CALL, RUN, THEN, delta, fed, stream, struct

NEWER = tuple(case for case in cases("streams") if case.version == "v0.3")
FORMED = delta("start", 0, {"modelId": "m", "requestId": "r", "format": {}})
URL = {"source": {"kind": "url", "url": "https://example.com"}}


def made(kind: Any, seq: int, payload: Any, **members: Any) -> Any:
    """Return a delta that nobody has checked."""
    return kind(run_id=RUN, seq=seq, payload=payload, timestamp=THEN, **members)


def refused(assembler: MessageAssembler, each: Any) -> tuple[str, str]:
    before = msgspec.json.encode(assembler.progress().to_wire())
    with pytest.raises(StreamProtocolError) as caught:
        assembler.consume(each)
    assert msgspec.json.encode(assembler.progress().to_wire()) == before
    return caught.value.rule, caught.value.findings[0].pointer


WRONG: dict[str, tuple[Any, str]] = {
    "a citation that ends before it starts": (
        made(
            current.TextCitationDelta,
            9,
            current.TextCitationDeltaPayload(
                citation=current.Citation(source=current.CitationSource(kind="url"), start=2, end=1)
            ),
        ),
        "/payload/citation/end",
    ),
    "bytes that are not Base64": (
        made(current.MediaDataDelta, 9, current.MediaDataDeltaPayload(media_id="m", data="?")),
        "/payload/data",
    ),
    "a warning without a code": (
        made(current.WarningDelta, 9, current.WarningDeltaPayload(code="")),
        "/payload/code",
    ),
    "a payload of another kind": (
        made(current.WarningDelta, 9, current.MediaStartDeltaPayload(media_id="m", mime_type="x")),
        "/payload",
    ),
    "no payload": (made(current.WarningDelta, 9, None), "/payload"),
    "a result that is not JSON": (
        made(
            current.ServerToolResultDelta,
            9,
            current.ServerToolResult(
                tool_call_id="a", is_error=False, content="", structured=[float("nan")]
            ),
        ),
        "/payload/structured/0",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_made_in_python_is_checked_whole(what: str) -> None:
    each, pointer = WRONG[what]
    assembler = fed("start", ("text", "a"))
    assert refused(assembler, each) == ("stream/invalid-delta", pointer)


def test_a_start_with_an_author_is_checked_whole() -> None:
    payload = current.StartDeltaPayload(
        model_id="m", request_id="r", author=current.Author(agent_path=[])
    )
    with pytest.raises(StreamProtocolError) as caught:
        MessageAssembler().consume(made(current.StartDelta, 0, payload))
    assert caught.value.findings[0].pointer == "/payload/author/agentPath"
    assert caught.value.rule == "stream/invalid-delta"


def test_nothing_is_shared_with_deltas_and_messages() -> None:
    assembler = fed("start", ("text", "a"))
    opaque = current.Opaque(provider="p", data={"a": [1]})
    citation = current.Citation(source=current.CitationSource(kind="url"), opaque=opaque)
    payload = current.TextCitationDeltaPayload(citation=citation)
    assembler.consume(made(current.TextCitationDelta, 2, payload))
    result = current.ServerToolResult(
        tool_call_id="s", is_error=False, content={"b": [1]}, structured=[1]
    )
    assembler.consume(made(current.ServerToolResultDelta, 3, result))
    taken = assembler.snapshot()
    opaque.data["a"].append(2)
    result.structured.append(2)  # type: ignore[union-attr]
    expected = to_wire(taken)
    assert expected["parts"][0]["payload"]["citations"][0]["opaque"]["data"] == {"a": [1]}
    assert expected["parts"][1]["payload"]["structured"] == [1]
    first: Any = assembler.build_partial()
    first.parts[0].payload.citations.clear()
    first.parts[1].payload.content["b"].append(2)
    assert to_wire(assembler.snapshot()) == expected
    assert to_wire(assembler.snapshot()) == to_wire(taken)


def test_calls_of_the_server_are_not_among_those_to_run() -> None:
    assembler = fed("start", CALL)
    assembler.consume(
        struct(delta("server_tool_call_start", 2, {"toolCallId": "s", "toolName": "search"}))
    )
    assert list(assembler.tool_calls) == ["a"]
    seen = [(call.tool_call_id, call.is_server) for call in assembler.progress().open_calls]
    assert seen == [("a", False), ("s", True)]


def test_open_media_stays_as_it_was_when_it_was_read() -> None:
    assembler = fed("start")
    pieces = [
        {"dataDelta": "QQ==", "transcriptDelta": "x"},
        {"data": "QkI="},
        {"dataDelta": "Qw=="},
    ]
    assembler.consume(struct(delta("media_start", 1, {"mediaId": "m", "mimeType": "audio/wav"})))
    seen = [assembler.progress()]
    for seq, piece in enumerate(pieces, 2):
        assembler.consume(struct(delta("media_data", seq, {"mediaId": "m", **piece})))
        seen.append(assembler.progress())
    assembler.consume(struct(delta("media_end", 9, {"mediaId": "m"})))
    shown = [(each.data, each.transcript) for row in seen for each in row.open_media]
    assert shown == [(b"", ""), (b"A", "x"), (b"BB", "x"), (b"BBC", "x")]
    assert "'m'" in repr(seen[0].open_media[0])
    assert assembler.progress().open_media == ()


def test_partial_values_may_be_read_late_and_in_any_order() -> None:
    assembler = MessageAssembler()
    assembler.consume(struct(FORMED))
    seen = []
    for seq, piece in enumerate(['{"a":', '[1,"x', 'y"', "]", "} ", "z"], 1):
        assembler.consume(struct(delta("text", seq, {"textDelta": piece})))
        seen.append(assembler.progress().partial_values[0])
    assert repr(seen[0]) == "PartialValue(0)"
    expected: list[Any] = [{}, {"a": [1, "x"]}, *[{"a": [1, "xy"]}] * 3, msgspec.UNSET]
    for order in (range(6), (3, 1, 5, 0, 4, 2)):
        assert [seen[at].partial_value for at in order] == [expected[at] for at in order]
    assembler.consume(struct(delta("done", 9, {"finishReason": "stop"})))
    assembler.build_final_message()  # joins the text
    again = assembler.progress().partial_values[0]
    assert again.to_wire() == {"partIndex": 0}
    with pytest.raises(TypeError, match="refuses changes"):
        seen[2].partial_value["b"] = 1


def test_a_part_that_this_version_does_not_know_is_written_as_it_came() -> None:
    hologram = {"kind": "hologram", "payload": {"a": [1]}}
    result = {"toolCallId": "s", "isError": False, "content": [hologram]}
    line = json.dumps(delta("server_tool_result", 1, result)).encode()
    (gated,) = DeltaGate().accept(read_delta_line(line, "tolerant")).deltas
    assembler = fed("start")
    assembler.consume(gated)
    wire = assembler.progress().to_wire()
    assert wire["message"]["parts"][0]["payload"]["content"] == [hologram]
    assert to_wire(assembler.snapshot())["parts"][0]["payload"]["content"] == [hologram]


def stepwise(case: Case, stop: int) -> MessageAssembler:
    assembler = MessageAssembler(case.spec.get("run_id"), Limits(**case.spec.get("limits", {})))
    for line in case.lines("deltas")[:stop]:
        try:
            assembler.consume(read_delta_line(line, case.spec.get("mode", "strict")))
        except PartwireError:
            continue
    return assembler


@pytest.mark.parametrize("case", NEWER, ids=lambda case: case.id)
def test_fewer_deltas_say_the_same(case: Case) -> None:
    """As far as a stream has come at each of its deltas, and within the same limits."""
    for stop in range(1, len(case.lines("deltas")) + 1):
        assembler = stepwise(case, stop)
        if assembler.status != "started":
            continue
        again = MessageAssembler(limits=Limits(**case.spec.get("limits", {})))
        deltas = condensed(assembler)
        for each in deltas:
            again.consume(each)
        assert again.progress().to_wire() == assembler.progress().to_wire()
        assert to_wire(again.build_partial()) == to_wire(assembler.build_partial())
        for left in ("_opaque_left", "_payload_left", "_media_left"):
            assert getattr(again, left) == getattr(assembler, left)
        assert again.last_seq == assembler.last_seq
        assert deltas[0].seq >= 0


def test_what_is_held_is_counted() -> None:
    from partwire.message.assembler.condense import held_bytes  # noqa: PLC0415

    assembler = fed("start", ("text", "a"))
    before = held_bytes(assembler)
    assembler.consume(struct(delta("warning", 2, {"code": "x" * 1000})))
    assert held_bytes(assembler) >= before + 1000


def test_older_structs_keep_their_opaque_data() -> None:
    from partwire.v0_2.structs import message as v0_2  # noqa: PLC0415

    opaque = v0_2.Opaque(provider="p", data={"a": 1})
    payload = v0_2.TextDeltaPayload(text_delta="a", opaque=opaque)
    assembler = fed("start")
    assembler.consume(made(v0_2.TextDelta, 1, payload))
    (part,) = to_wire(assembler.snapshot())["parts"]
    assert part["payload"]["opaque"] == {"provider": "p", "data": {"a": 1}}
    assert structs.asdict(opaque)["provider"] == "p"
    assert stream("start")
