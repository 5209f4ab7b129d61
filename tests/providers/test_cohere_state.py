"""The Cohere adapter: the provider's state, kept with its place (plans, citations, blocks)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from partwire.providers import OpaqueItem
from tests.providers import recordings as recorded
from tests.providers.cohere_events import (
    API,
    START,
    THINKING,
    begin,
    block,
    call_start,
    call_stop,
    cite,
    ends,
    event,
    piece,
    plan,
    run,
    stop,
)
from tests.providers.provider_streams import run_events


def test_the_plan_is_kept_whole_before_the_calls() -> None:
    """FIN-22: neither text nor thinking, and the next request repeats it."""
    ran = run(
        START,
        *block(0, "Hm.", "thinking"),
        plan("I "),
        plan("will."),
        call_start(0),
        call_stop(0),
        ends("TOOL_CALL"),
    )
    assert [part["kind"] for part in ran.parts] == ["thinking", "tool_call"]
    assert ran.adapter.opaque == [
        OpaqueItem("thinking", THINKING, 0, 0, 3),
        OpaqueItem("tool_plan", "I will.", 0, 3, 3),
    ]


def test_a_plan_in_two_places_is_two_items() -> None:
    ran = run(
        START, plan("One."), call_start(0), call_stop(0), plan("Two."), call_start(1, "u"), ends()
    )
    assert ran.adapter.opaque == [
        OpaqueItem("tool_plan", "One.", 0, 0, 0),
        OpaqueItem("tool_plan", "Two.", 1, 0, 0),
    ]


def test_blocks_that_become_one_part_are_told_apart() -> None:
    """BLK-03: each goes back as the block that it was; a sole text needs no mark."""
    ran = run(
        START, *block(0, "a", "thinking"), *block(1, "b", "thinking"), begin(2, "thinking"), stop(2)
    )
    assert ran.parts == [{"kind": "thinking", "payload": {"text": "ab"}}]
    assert ran.adapter.opaque == [
        OpaqueItem("thinking", THINKING, 0, 0, 1),
        OpaqueItem("thinking", THINKING, 0, 1, 2),
    ]
    assert run(START, *block(0, "a"), ends()).adapter.opaque == []


def test_thinking_that_never_ends_is_marked_too() -> None:
    for last in ([], [ends("MAX_TOKENS")], [ends("ERROR")]):
        ran = run(START, begin(0, "thinking"), piece(0, "ab", "thinking"), *last)
        assert ran.adapter.opaque == [OpaqueItem("thinking", THINKING, 0, 0, 2)]


@pytest.mark.parametrize("last", [[], [ends("ERROR")], [ends()]])
def test_a_plan_without_calls_is_kept_however_the_stream_ends(last: list[Any]) -> None:
    """FIN-22."""
    ran = run(START, plan("I will."), *last)
    assert ran.adapter.opaque == [OpaqueItem("tool_plan", "I will.", 0, 0, 0)]


def test_the_message_carries_the_plan_and_the_ids() -> None:
    ran = run(START, plan("I will."), call_start(0, ""), call_stop(0), ends("TOOL_CALL"))
    plan_item = {"kind": "tool_plan", "data": "I will.", "start": 0, "end": 0}
    assert [part["payload"]["opaque"] for part in ran.whole] == [
        {"provider": API, "data": {"items": [plan_item], "toolCallId": None}}
    ]


def test_citations_say_which_characters_they_are_about() -> None:
    """BLK-24: during the text, or after all of it; offsets count from the block's beginning."""
    first = {"start": 0, "end": 3, "text": "Low", "type": "TEXT_CONTENT"}
    late = {"start": 0, "end": 3, "text": "Six", "content_index": 2, "type": "TEXT_CONTENT"}
    thought = {"start": 1, "end": 2, "content_index": 0, "type": "THINKING_CONTENT"}
    ran = run(
        START,
        *block(0, "abc", "thinking"),
        begin(1),
        piece(1, "Low."),
        cite(**first),
        stop(1),
        *block(2, "Six."),
        cite(**late),
        cite(**thought),
        ends(),
    )
    assert [part["payload"]["text"] for part in ran.parts] == ["abc", "Low.Six."]
    assert ran.adapter.opaque == [
        OpaqueItem("thinking", THINKING, 0, 0, 3),
        OpaqueItem("citation", first, 1, 0, 3),
        OpaqueItem("text", {"type": "text"}, 1, 4, 8),
        OpaqueItem("citation", late, 1, 4, 7),
        OpaqueItem("citation", thought, 0, 1, 2),
    ]


@pytest.mark.parametrize(
    ("citation", "covers"),
    [
        ({}, (1, 0, 4)),
        ({"start": 2, "end": 99}, (1, 2, 4)),
        ({"start": 4, "end": 9}, (1, 0, 4)),
        ({"start": -2, "end": 2}, (1, 0, 4)),
        ({"start": 3, "end": 3}, (1, 0, 4)),
        ({"start": "0", "end": 2}, (1, 0, 4)),
        ({"content_index": 0, "start": 0, "end": 1}, (0, 0, 1)),
        ({"type": "THINKING_CONTENT", "start": 0, "end": 1}, (0, 0, 1)),
        ({"content_index": 7, "start": 0, "end": 1}, (1, 4, 4)),
        ({"content_index": "1", "start": 0, "end": 1}, (1, 0, 1)),
    ],
)
def test_offsets_that_do_not_fit_cover_the_block(
    citation: dict[str, Any], covers: tuple[int, int, int]
) -> None:
    ran = run(START, *block(0, "Hm.", "thinking"), *block(1, "Six."), cite(**citation), ends())
    assert ran.adapter.opaque[1:] == [OpaqueItem("citation", citation, *covers)]


def test_citations_of_the_plan_follow_it() -> None:
    about = {"start": 0, "end": 1, "text": "I", "type": "PLAN"}
    ran = run(START, plan("I "), cite(**about), plan("will."), call_start(0), ends("TOOL_CALL"))
    assert [(item.kind, item.data) for item in ran.adapter.opaque] == [
        ("tool_plan", "I will."),
        ("citation", about),
    ]


def test_a_citation_before_all_text_stands_there() -> None:
    ran = run(START, begin(0), cite(start=0, end=1), piece(0, "Six."), ends())
    assert ran.adapter.opaque == [OpaqueItem("citation", {"start": 0, "end": 1}, 0, 0, 0)]


def test_citations_after_a_call_still_find_their_text() -> None:
    ran = run(
        START, begin(0), piece(0, "Six."), call_start(0), call_stop(0), cite(start=0, end=3), ends()
    )
    assert ran.adapter.opaque == [OpaqueItem("citation", {"start": 0, "end": 3}, 0, 0, 3)]


def test_text_after_a_call_is_cited_where_it_stands() -> None:
    ran = run(
        START,
        begin(0),
        piece(0, "Six."),
        call_start(0),
        call_stop(0),
        piece(0, "Or so."),
        stop(0),
        cite(start=0, end=2, content_index=0),
        ends(),
    )
    assert [part["kind"] for part in ran.parts] == ["text", "tool_call", "text"]
    assert ran.adapter.opaque == [
        OpaqueItem("citation", {"start": 0, "end": 2, "content_index": 0}, 2, 0, 2)
    ]
    assert ran.rules == ["adapter/block-order"]


def test_content_of_an_unknown_kind_is_kept_beside_and_none_is_nothing() -> None:
    ran = run(
        START, begin(0), piece(0, "a", "sound"), event("content-delta", 0, content={}), ends()
    )
    assert ran.parts == []
    assert ran.adapter.opaque == [OpaqueItem("content", {"sound": "a"}, 0, 0, 0)]
    assert ran.rules == ["adapter/unsupported-content"]


def test_a_citation_of_text_in_two_parts_stands_without_a_range() -> None:
    ran = run(
        START,
        begin(0),
        begin(1, "thinking"),
        piece(0, "a"),
        piece(1, "b", "thinking"),
        piece(0, "c"),
        stop(0),
        cite(start=0, end=1, content_index=0),
        ends(),
    )
    assert [part["kind"] for part in ran.parts] == ["text", "thinking", "text"]
    assert [(item.part, item.start, item.end) for item in ran.adapter.opaque] == [(2, 1, 1)]


@pytest.mark.parametrize("name", recorded.ids(API))
def test_citations_of_the_recordings_are_found_in_the_text(name: str, recordings: Path) -> None:
    recording = recorded.load()[name]
    ran = run_events(API, recording.texts)
    cited = [
        (part["payload"]["text"][citation["start"] : citation["end"]], citation["source"]["id"])
        for part in ran.whole
        for citation in part["payload"].get("citations", ())
    ]
    events = [json.loads(text) for text in recording.texts]
    given = [e["delta"]["message"]["citations"] for e in events if e["type"] == "citation-start"]
    assert cited == [(each["text"], from_["id"]) for each in given for from_ in each["sources"]]
    assert len(given) == recording.expected.get("citations", 0)
