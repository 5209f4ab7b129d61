"""The Converse adapter: blocks, provider state, odd values (the fixtures show the rest)."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from partwire import dump
from partwire.providers import OpaqueItem
from tests.providers.converse_events import (
    START,
    USAGE,
    begin,
    call,
    ends,
    metadata,
    piece,
    reasoning,
    run,
    stop,
    text,
)
from tests.providers.provider_streams import ODD, assembled, broken_copies

# --- text and reasoning --------------------------------------------------------------------------


def test_blocks_need_neither_start_nor_stop_nor_message_start() -> None:
    """BLK-02: text that a call cuts off without a stop is text all the same."""
    ran = run(
        text(0, "a"), call(1), piece(1, toolUse={"input": "{}"}), stop(1), text(2, "b"), ends()
    )
    assert [part["kind"] for part in ran.parts] == ["text", "tool_call", "text"]
    assert ran.rules == []
    same_index = run(START, text(0, "a"), call(0), stop(0), ends("tool_use"))
    assert [part["kind"] for part in same_index.parts] == ["text", "tool_call"]
    assert same_index.rules == ["adapter/block-order"]


def test_an_empty_start_and_empty_text_make_no_part() -> None:
    ran = run(
        START, begin(0), text(0, ""), stop(0), stop(1), begin(2), text(2, "x"), stop(2), ends()
    )
    assert ran.parts == [{"kind": "text", "payload": {"text": "x"}}]
    assert ran.rules == []


def test_text_blocks_in_a_row_are_one_part() -> None:
    """Nova gives every piece of text its own block."""
    events = [event for at in range(50) for event in (text(at, f"{at} "), stop(at))]
    ran = run(START, *events, ends(), metadata())
    assert ran.parts == [{"kind": "text", "payload": {"text": "".join(f"{n} " for n in range(50))}}]
    assert ran.rules == []


def test_signatures_say_which_characters_they_sign() -> None:
    """BLK-04, BLK-06: pieces join; two signed blocks in one part have a range each."""
    ran = run(
        START,
        reasoning(0, text="abc"),
        reasoning(0, signature="c2ln"),
        reasoning(0, signature="MQ=="),
        stop(0),
        reasoning(1, text="de"),
        reasoning(1, signature="c2lnMg=="),
        stop(1),
        text(2, "x"),
        stop(2),
        ends(),
    )
    assert ran.adapter.opaque == [
        OpaqueItem("signature", "c2lnMQ==", 0, 0, 3),
        OpaqueItem("signature", "c2lnMg==", 0, 3, 5),
    ]
    assert [part["kind"] for part in ran.parts] == ["thinking", "text"]


def test_a_signature_alone_keeps_its_place() -> None:
    """BLK-05, BLK-07: reasoning without text, and without a stop."""
    ran = run(START, reasoning(0, text="", signature="c2ln"), text(1, "x"), ends())
    assert ran.adapter.opaque == [OpaqueItem("signature", "c2ln", 0, 0, 0)]
    assert ran.parts == [{"kind": "text", "payload": {"text": "x"}}]
    after = run(START, text(0, "x"), reasoning(1, signature="c2ln"), ends())
    assert after.adapter.opaque == [OpaqueItem("signature", "c2ln", 0, 1, 1)]


def test_redacted_reasoning_is_kept_as_a_block() -> None:
    first, second = b"\x00\x01\x02\xff", b"\x10"
    whole = base64.b64encode(first + second).decode()
    block = {"reasoningContent": {"redactedContent": whole}}
    pieces = [base64.b64encode(data).decode() for data in (first, second)]
    for given in (pieces, [first, second]):
        ran = run(START, *(reasoning(0, redactedContent=p) for p in given), stop(0), ends())
        assert ran.adapter.opaque == [OpaqueItem("redactedContent", block, 0, 0, 0)]
        assert ran.rules == []
    odd = run(START, reasoning(0, redactedContent="?"), reasoning(0, redactedContent="!"), ends())
    assert odd.adapter.opaque[0].data == {"reasoningContent": {"redactedContent": "?!"}}


def test_the_state_of_a_cut_block_is_not_kept() -> None:
    """BLK-04: half a signature signs nothing."""
    ran = run(START, reasoning(0, text="abc"), reasoning(0, signature="c2"))
    assert ran.end["errorCode"] == "truncated_stream"
    assert ran.adapter.opaque == []


def test_citations_cover_the_text_of_their_block() -> None:
    """BLK-24: Claude sends the citation before the text that it is for."""
    source = {
        "location": {"documentPage": {"documentIndex": 0, "start": 1, "end": 2}},
        "title": "a",
    }
    ran = run(
        START,
        text(0, "So: "),
        stop(0),
        piece(1, citation=source),
        text(1, "rain"),
        stop(1),
        text(2, "."),
        ends(),
    )
    place = {"unit": "page", "start": 1, "end": 2}
    cited = {"kind": "document", "id": "0", "title": "a", "locator": place}
    (part,) = ran.parts
    assert part["payload"]["text"] == "So: rain."
    (citation,) = part["payload"]["citations"]
    assert citation.pop("opaque")["data"] == {"items": [{"kind": "citation", "data": source}]}
    assert citation == {"start": 4, "end": 8, "source": cited}
    assert ran.rules == []
    assert ran.kinds.index("text_citation") == ran.kinds.index("text") + 2  # with its block's end


# --- tools, images -------------------------------------------------------------------------------


def test_arguments_come_in_pieces_whole_or_not_at_all() -> None:
    """ARG-01, ARG-03."""
    ran = run(
        START,
        call(0, "a"),
        stop(0),
        call(1, "b"),
        piece(1, toolUse={"input": ""}),
        piece(1, toolUse={"input": '{"x":'}),
        piece(1, toolUse={"input": "1}"}),
        stop(1),
        call(2, "c", type="tool_use"),
        piece(2, toolUse={"input": {"y": "ø"}}),
        stop(2),
        call(3, "d", input={"z": 1}),
        stop(3),
        ends("tool_use"),
        metadata(),
    )
    payloads = [part["payload"] for part in ran.parts]
    assert [p["arguments"] for p in payloads] == [{}, {"x": 1}, {"y": "ø"}, {"z": 1}]
    assert ran.end == {"finishReason": "tool_calls"}
    assert ran.rules == ["adapter/invalid-event"]


def test_ids_are_minted_where_they_are_missing_or_used() -> None:
    """TCI-06."""
    ran = run(START, call(0, ""), stop(0), call(1, "b"), stop(1), call(2, "b"), stop(2), ends())
    ids = [part["payload"]["toolCallId"] for part in ran.parts]
    assert ids == ["call_run_1_0", "b", "call_run_1_2"]
    assert ran.adapter.provider_ids == {"call_run_1_0": None, "call_run_1_2": "b"}


@pytest.mark.parametrize("name", ["do it!", "a" * 100, "поиск"])
def test_names_that_the_provider_would_refuse_stay_as_they_are(name: str) -> None:
    """TCI-20: what the model wrote is the record; the way back is the encoder's."""
    ran = run(START, call(0, name=name), stop(0), ends("tool_use"))
    assert ran.parts[0]["payload"]["toolName"] == name


@pytest.mark.parametrize("name", [None, "", 5])
def test_a_call_without_a_name_is_left_out(name: Any) -> None:
    start = begin(0, toolUse={"toolUseId": "t", "name": name})
    ran = run(START, start, piece(0, toolUse={"input": "{}"}), stop(0), ends("tool_use"))
    assert ran.parts == []
    assert ran.rules == ["adapter/unnamed-tool-call"]
    block = {"toolUse": {"toolUseId": "t", "name": name, "input": {}}}
    assert ran.adapter.opaque == [OpaqueItem("toolUse", block, 0, 0, 0)]


@pytest.mark.parametrize("version", ["v0.2", "v0.3"])
def test_the_providers_own_tools_are_kept_with_their_results(version: str) -> None:
    server = {"toolUseId": "s1", "name": "nova_grounding", "type": "server_tool_use"}
    result = {"toolUseId": "s1", "type": "nova_grounding_result", "status": "success"}
    ran = run(
        START,
        text(0, "Hm. "),
        stop(0),
        begin(1, toolUse=server),
        piece(1, toolUse={"input": '{"q":'}),
        piece(1, toolUse={"input": '"rain"}'}),
        stop(1),
        begin(2, toolResult=result),
        piece(2, toolResult=[{"text": "It "}]),
        piece(2, toolResult=[{"text": "rains."}, {"text": "A lot."}]),
        piece(2, toolResult=[{"json": {"mm": 3}}]),
        stop(2),
        text(3, "Rain."),
        ends(),
        metadata(),
        version=version,
    )
    content = [{"text": "It rains."}, {"text": "A lot."}, {"json": {"mm": 3}}]
    call = {"toolUse": {**server, "input": {"q": "rain"}}}
    answer = {"toolResult": {**result, "content": content}}
    if version == "v0.2":
        assert ran.adapter.opaque == [
            OpaqueItem("toolUse", call, 0, 4, 4),
            OpaqueItem("toolResult", answer, 0, 4, 4),
        ]
        assert ran.parts == [{"kind": "text", "payload": {"text": "Hm. Rain."}}]
        assert ran.rules == ["adapter/server-tool-call"] * 2
        return
    assert ran.adapter.opaque == [
        OpaqueItem("toolUse", call, 1),
        OpaqueItem("toolResult", answer, 2),
    ]
    name, payload = "nova_grounding", ran.parts[2]["payload"]
    assert [part["kind"] for part in ran.parts] == [
        "text",
        "server_tool_call",
        "server_tool_result",
        "text",
    ]
    assert ran.parts[1]["payload"] == {
        "toolCallId": "s1",
        "toolName": name,
        "arguments": {"q": "rain"},
    }
    assert payload["content"] == "It rains.A lot."
    assert payload["structured"] == content
    assert ran.rules == []


@pytest.mark.parametrize(("given", "due"), [("", {}), ('{"q":', '{"q":'), ("[1]", [1])])
def test_the_input_of_a_server_tool_is_kept_as_it_is(given: str, due: Any) -> None:
    server = {"toolUseId": "s1", "name": "n", "type": "server_tool_use"}
    for version in ("v0.2", "v0.3"):
        events = (START, begin(0, toolUse=server), piece(0, toolUse={"input": given}), ends())
        ran = run(*events, version=version)
        assert ran.adapter.opaque[0].data["toolUse"]["input"] == due


def test_images_are_media() -> None:
    first, second = b"\x89PNG", b"\r\n"
    source = {"kind": "inline", "data": base64.b64encode(first + second).decode()}
    for pieces in ([first, second], [base64.b64encode(d).decode() for d in (first, second)]):
        blocks = (piece(0, image={"source": {"bytes": data}}) for data in pieces)
        ran = run(START, begin(0, image={"format": "png"}), *blocks, stop(0), ends())
        (part,) = ran.parts
        assert part == {"kind": "media", "payload": {"mimeType": "image/png", "source": source}}
        assert (ran.adapter.opaque, ran.rules) == ([], [])


def test_images_are_kept_beside_the_message() -> None:
    first, second = b"\x89PNG", b"\r\n"
    whole = base64.b64encode(first + second).decode()
    for pieces in ([first, second], [base64.b64encode(d).decode() for d in (first, second)]):
        ran = run(
            START,
            begin(0, image={"format": "png"}),
            *(piece(0, image={"source": {"bytes": data}}) for data in pieces),
            stop(0),
            ends(),
            version="v0.2",
        )
        block = {"image": {"format": "png", "source": {"bytes": whole}}}
        assert ran.adapter.opaque == [OpaqueItem("image", block, 0, 0, 0)]
        assert ran.rules == ["adapter/unsupported-content"]
    for rest in ({"source": {"s3Location": {"uri": "s3://b/k"}}}, {"error": {"message": "no"}}):
        ran = run(START, begin(0, image={"format": "png"}), piece(0, image=rest), ends())
        assert ran.adapter.opaque[0].data == {"image": {"format": "png", **rest}}


def test_what_is_unknown_is_kept_and_said() -> None:
    ran = run(
        START,
        begin(0, audio={"format": "mp3"}),
        piece(0, audio={"bytes": b"\x00"}),
        stop(0),
        piece(1, SDK_UNKNOWN_MEMBER={"name": "smell"}),
        piece(2, reasoningContent={"mood": "good"}),
        {"contentBlockPause": {"contentBlockIndex": 2}},
        ends(),
    )
    assert ran.rules == [
        "adapter/unsupported-content",
        "adapter/unknown-event",
        "adapter/unknown-event",
        "adapter/unknown-event",
        "adapter/unknown-event",
    ]
    assert [item.data for item in ran.adapter.opaque] == [
        {"audio": {"bytes": "AA=="}},
        {"audio": {"format": "mp3"}},
        {"SDK_UNKNOWN_MEMBER": {"name": "smell"}},
        {"reasoningContent": {"mood": "good"}},
    ]


def test_pieces_without_their_block_are_kept_and_said() -> None:
    deltas: list[dict[str, Any]] = [
        {"toolUse": {"input": "{}"}},
        {"toolResult": [{"text": "x"}]},
        {"image": {}},
    ]
    for delta in deltas:
        ran = run(START, piece(0, **delta), ends())
        assert ran.parts == []
        assert ran.rules == ["adapter/block-order"]
        assert ran.adapter.opaque == [OpaqueItem("unknown", delta, 0, 0, 0)]


def test_blocks_out_of_order_are_said() -> None:
    events = (START, call(0), call(0, "t2"), text(0, "x"), stop(0), stop(0), stop(-3), ends())
    ran = run(*events)
    assert [part["kind"] for part in ran.parts] == ["tool_call", "tool_call", "text"]
    assert set(ran.rules) == {"adapter/block-order"}
    open_call = run(START, call(0), ends("tool_use"))
    assert open_call.kinds == ["start", "tool_call_start", "tool_call_end", "done"]
    assert open_call.rules == ["adapter/block-order"]


def test_a_missing_index_is_that_of_the_last_block() -> None:
    events = [START, call(7), piece(7, toolUse={"input": "{}"}), stop(7), ends("tool_use")]
    for event in events:
        for body in event.values():
            body.pop("contentBlockIndex", None)
    ran = run(*events)
    assert [part["kind"] for part in ran.parts] == ["tool_call"]
    assert ran.kinds[-2:] == ["tool_call_end", "done"]
    assert set(ran.rules) == {"adapter/invalid-event"}


@pytest.mark.parametrize(
    ("event", "place"),
    [
        (begin(0) | {"contentBlockStart": {"contentBlockIndex": 0, "start": 5}}, "Start/start"),
        ({"contentBlockStart": 5}, "Start"),
        ({"contentBlockDelta": {"contentBlockIndex": 0, "delta": 5}}, "Delta/delta"),
        (text(0, 5), "Delta/delta/text"),
        (reasoning(0, text=5), "Delta/delta/reasoningContent/text"),
        (stop(0) | {"contentBlockStop": {}}, "Stop/contentBlockIndex"),
    ],
)
def test_what_has_another_form_is_said_with_its_place(event: Any, place: str) -> None:
    ran = run(START, event, text(1, "x"), ends())
    found = [(finding.rule, finding.pointer) for finding in ran.adapter.findings]
    assert found == [("adapter/invalid-event", f"/1/contentBlock{place}")]
    assert ran.parts == [{"kind": "text", "payload": {"text": "x"}}]


def test_text_may_stand_in_the_start() -> None:
    ran = run(START, begin(0, text="a"), text(0, "b"), stop(0), ends())
    assert ran.parts == [{"kind": "text", "payload": {"text": "ab"}}]


def test_arguments_of_the_start_give_way_to_pieces() -> None:
    whole = call(0, input={"a": 1})
    for pieces in (('{"b":2}',), ("", '{"b":', "2}", "")):
        events = [piece(0, toolUse={"input": each}) for each in pieces]
        ran = run(START, whole, *events, stop(0), ends("tool_use"))
        assert ran.parts[0]["payload"]["arguments"] == {"b": 2}


def test_the_stop_of_another_block_ends_no_text() -> None:
    ran = run(START, reasoning(0, text="ab"), stop(7), reasoning(0, signature="c2ln"), ends())
    assert ran.adapter.opaque == [OpaqueItem("signature", "c2ln", 0, 0, 2)]


# --- anything ------------------------------------------------------------------------------------

FULL = [
    START,
    reasoning(0, text="a", signature="b"),
    reasoning(0, redactedContent="AA=="),
    stop(0),
    piece(1, citation={"title": "t", "sourceContent": [{"text": "x"}]}),
    text(1, "x"),
    stop(1),
    call(2),
    piece(2, toolUse={"input": "{}"}),
    stop(2),
    begin(3, toolUse={"toolUseId": "s", "name": "n", "type": "server_tool_use"}),
    piece(3, toolUse={"input": "{}"}),
    stop(3),
    begin(4, toolResult={"toolUseId": "s", "type": "r"}),
    piece(4, toolResult=[{"text": "a"}, {"json": {"b": 1}}]),
    stop(4),
    begin(5, image={"format": "png"}),
    piece(5, image={"source": {"bytes": "AA=="}}),
    stop(5),
    ends("tool_use", additionalModelResponseFields={"a": 1}),
    {**metadata(), "amazon-bedrock-invocationMetrics": {"inputTokenCount": 1}},
]
WHOLE = [
    {
        "output": {
            "message": {
                "content": [
                    {"text": "a"},
                    {"reasoningContent": {"reasoningText": {"text": "a", "signature": "b"}}},
                    {
                        "citationsContent": {
                            "content": [{"text": "a"}],
                            "citations": [{"title": "b"}],
                        }
                    },
                    {"toolUse": {"toolUseId": "t", "name": "f", "input": {"a": 1}}},
                    {"toolResult": {"toolUseId": "t", "content": [{"text": "a"}]}},
                ]
            }
        },
        "stopReason": "end_turn",
        "usage": USAGE,
    }
]


@pytest.mark.parametrize("odd", [*ODD, b"\x00"], ids=repr)
@pytest.mark.parametrize("events", [FULL, WHOLE], ids=["stream", "body"])
def test_odd_values_anywhere_never_raise(events: list[Any], odd: Any) -> None:
    for broken in broken_copies(events, odd):
        ran = run(*broken, keep_raw=True)
        dump(assembled(ran.deltas))
