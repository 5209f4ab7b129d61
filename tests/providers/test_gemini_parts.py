"""The Gemini adapter: signatures and other state of parts, and function calls."""

from __future__ import annotations

from typing import Any

import pytest

from partwire.providers import OpaqueItem
from partwire.tables import finish_reasons
from tests.providers.gemini_events import SIG, STOP, call, event, piece, raw_args, run
from tests.providers.provider_streams import ODD, broken_copies

# --- provider state ------------------------------------------------------------------------------


def test_a_signature_says_which_text_it_signs() -> None:
    """BLK-06, BLK-07: signed text in the middle of a part, signed thinking, signed nothing."""
    ran = run(
        event({"text": "ab", "thought": True}, {"text": "c", "thought": True, **SIG}),
        event({"text": "x"}, {"text": "yz", "thoughtSignature": "Mg==", "partMetadata": {"n": 1}}),
        event({"text": "w"}, {"text": "", "thoughtSignature": "Mw=="}),
        event({"thoughtSignature": "NA=="}),
        STOP,
    )
    assert [part["payload"]["text"] for part in ran.parts] == ["abc", "xyzw"]
    assert ran.adapter.opaque == [
        OpaqueItem("thoughtSignature", "c2ln", 0, 2, 3),
        OpaqueItem("thoughtSignature", "Mg==", 1, 1, 3),
        OpaqueItem("partMetadata", {"n": 1}, 1, 1, 3),
        OpaqueItem("part", {"text": "", "thoughtSignature": "Mw=="}, 1, 4, 4),
        OpaqueItem("part", {"thoughtSignature": "NA=="}, 1, 4, 4),
    ]
    assert ran.rules == []


def test_a_range_begins_where_its_own_kind_does() -> None:
    ran = run(
        event({"text": "abc", "thought": True}, {"text": "d", **SIG}),
        event(call(name="f", id="i"), {"text": "ef", "thought": True, "thoughtSignature": "Mg=="}),
        STOP,
    )
    assert ran.adapter.opaque == [
        OpaqueItem("thoughtSignature", "c2ln", 1, 0, 1),
        OpaqueItem("thoughtSignature", "Mg==", 3, 0, 2),
    ]


@pytest.mark.parametrize("thought", [False, None, "yes", 1])
def test_only_what_is_marked_is_a_thought(thought: object) -> None:
    ran = run(event({"text": "a", "thought": thought}), STOP)
    assert [part["kind"] for part in ran.parts] == ["text"]


def test_a_signature_stays_with_its_call() -> None:
    """BLK-09: on a whole call, on the first piece, and on the empty last one."""
    ran = run(
        event({**call(name="a", args={}, id="i"), **SIG}),
        event({**call(name="b", willContinue=True), "thoughtSignature": "Mg=="}),
        event({**call(), "thoughtSignature": "Mw=="}),
        event({**call(), "thoughtSignature": "NA=="}),
        STOP,
    )
    assert [part["payload"]["toolName"] for part in ran.parts] == ["a", "b"]
    assert ran.adapter.opaque == [
        OpaqueItem("thoughtSignature", "c2ln", 0),
        OpaqueItem("thoughtSignature", "Mg==", 1),
        OpaqueItem("thoughtSignature", "Mw==", 1),
        OpaqueItem("thoughtSignature", "NA==", 1),
    ]


def test_the_message_carries_it_all() -> None:
    ran = run(event({**call(name="f", args={"a": 1}), **SIG}), event({"text": "t", **SIG}), STOP)
    item = {"kind": "thoughtSignature", "data": "c2ln"}
    assert [part["payload"]["opaque"] for part in ran.whole] == [
        {"provider": "gemini", "data": {"items": [item], "toolCallId": None}},
        {"provider": "gemini", "data": {"items": [{**item, "start": 0, "end": 1}]}},
    ]


def test_every_published_part_is_read_or_kept() -> None:
    """Each member that the official client's type names, alone in a part."""
    types = pytest.importorskip("google.genai.types")
    named = [field.alias for field in types.Part.model_fields.values()]
    assert len(named) >= 15
    written = {"executableCode", "toolCall"}
    broken = {"text", "functionCall", "inlineData", "fileData"}
    for member in named:
        ran = run(event({member: {"x": 1}}), STOP)
        assert [part["kind"] for part in ran.parts] == ["server_tool_call"] * (member in written)
        due = "part" if member not in broken else member
        kept = [(item.kind, item.data) for item in ran.adapter.opaque]
        assert kept == ([] if member == "thought" else [(due, {member: {"x": 1}})]), member


def test_what_belongs_to_the_answer_is_kept_once() -> None:
    state = {"citationMetadata": {"c": 1}, "urlContextMetadata": {"u": 1}}
    ran = run(
        event({"text": "a"}, **state, groundingMetadata={"g": 1}),
        event({"text": "b"}, **state, groundingMetadata={"g": 2}),
        event(finishReason="CONTINUATION", finishMessage="more", continuationToken="dG9r"),
    )
    assert [(item.kind, item.data, item.start) for item in ran.adapter.opaque] == [
        ("citationMetadata", {"c": 1}, 1),
        ("groundingMetadata", {"g": 1}, 1),
        ("urlContextMetadata", {"u": 1}, 1),
        ("groundingMetadata", {"g": 2}, 2),
        ("finishMessage", "more", 2),
        ("continuationToken", "dG9r", 2),
    ]
    assert ran.end == {"finishReason": "pause"}


# --- function calls ------------------------------------------------------------------------------


def test_calls_whose_pieces_are_due() -> None:
    """The same name, or none, goes on; another name or id begins another call."""
    ran = run(
        event(call(name="f", willContinue=True, partialArgs=[piece("$.a", numberValue=1)])),
        event({"text": "meanwhile"}),
        event(call(name="f", willContinue=True, partialArgs=[piece("$.b", numberValue=2)])),
        event(call(name="f", id="x", partialArgs=[piece("$.c", numberValue=3)])),
        event(call(name="f", id="y", willContinue=True)),
        event(call(name="f", id="z", partialArgs=[piece("$.d", numberValue=4)])),
        event(call()),
        STOP,
    )
    assert raw_args(ran) == ['{"a":1,"b":2,"c":3}', "", '{"d":4}']
    assert ran.rules == ["adapter/minted-id", "adapter/block-order"]
    assert ran.adapter.provider_ids == {"call_r1_0": None}


def test_arguments_without_a_call_are_left_out() -> None:
    ran = run(event(call(name="f", id="i", args={})), event(call(args={"a": 1})), STOP)
    assert raw_args(ran) == ["{}"]
    assert ran.rules == ["adapter/unnamed-tool-call"]


def test_pieces_that_are_none_break_the_call() -> None:
    ran = run(
        event(call(name="f", id="i", willContinue=True)),
        event(call(partialArgs={"a": 1}, willContinue=True)),
        event(call()),
        event(call(name="g", id="j", partialArgs=["$.a"])),
        event(call(name="h", id="k", partialArgs=[piece("$.a", numberValue=1), "x"])),
        STOP,
    )
    assert raw_args(ran) == ["{", "{", '{"a":1']
    assert set(ran.rules) == {"adapter/invalid-event"}


@pytest.mark.parametrize("reason", sorted(set(finish_reasons.GEMINI) - {"STOP"}))
def test_arguments_that_no_stop_ended_are_no_json(reason: str) -> None:
    """ARG-11, FIN-21: also where nothing of them has come yet."""
    for pieces in ([], [piece("$.a", stringValue="x")], [piece("$.a.b", boolValue=True)]):
        ran = run(
            event(call(name="f", willContinue=True, partialArgs=pieces)),
            event(finishReason=reason),
        )
        (part,) = ran.parts
        assert part["payload"]["arguments"] == {}
        assert part["payload"]["rawArgsText"].startswith("{")
        assert ran.end["finishReason"] != "stop"


@pytest.mark.parametrize(
    ("args", "text", "rules"),
    [
        ({"a": {}}, '{"a":{}}', []),
        ({}, "{}", []),
        (None, "", []),
        ('{"a":1}', '{"a":1}', ["adapter/invalid-event"]),
        ([1], "[1]", ["adapter/invalid-event"]),
        (7, "7", ["adapter/invalid-event"]),
        ({"id": 2**60, "x": 1.0}, '{"id":1152921504606846976,"x":1.0}', []),
    ],
)
def test_whole_arguments(args: object, text: str, rules: list[str]) -> None:
    """ARG-15, ARG-16, ARG-17."""
    ran = run(event(call(name="f", id="i", args=args)), STOP)
    assert raw_args(ran) == [text]
    assert ran.rules == rules


def test_whole_arguments_beside_pieces() -> None:
    ran = run(
        event(
            call(name="f", id="i", willContinue=True, partialArgs=[piece("$.a", stringValue="x")])
        ),
        event(call(args={"a": "x", "b": [1]})),
        event(call(name="g", id="j", willContinue=True, args={"a": 1})),
        event(call(partialArgs=[piece("$.b", numberValue=2)])),
        event(call(name="h", id="k", willContinue=True, args={})),
        event(call()),
        event(call(name="broken", id="l", willContinue=True, args="text")),
        event(call()),
        STOP,
    )
    assert raw_args(ran) == ['{"a":"x","b":[1]}', '{"b":2,"a":1}', "", "{"]


# --- citations ------------------------------------------------------------------------------------


def test_supports_that_name_a_long_page_again_and_again_are_not_all_written() -> None:
    """What is written stays within the size of what came."""
    page = {"retrievedContext": {"text": "x" * 100_000}}
    supports = [
        {"segment": {"startIndex": at, "endIndex": at + 1}, "groundingChunkIndices": [0]}
        for at in range(1000)
    ]
    metadata = {"groundingChunks": [page], "groundingSupports": supports}
    ran = run(event({"text": "a" * 1000}, groundingMetadata=metadata), STOP)
    assert ran.sent.count("text_citation") == 41


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_odd_grounding_leaves_a_stream(odd: Any) -> None:
    chunks = [{"web": {"uri": "u", "title": "t"}}, {"retrievedContext": {"text": "x"}}]
    supports = [{"segment": {"startIndex": 0, "endIndex": 1}, "groundingChunkIndices": [0, 1]}]
    grounded = event(
        {"text": "a"},
        groundingMetadata={"groundingChunks": chunks, "groundingSupports": supports},
        citationMetadata={"citations": [{"endIndex": 1, "uri": "u"}]},
    )
    for events in broken_copies([grounded], odd):
        run(*events, STOP)
