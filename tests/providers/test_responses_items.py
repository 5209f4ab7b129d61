"""The Responses adapter: the items of events, and what is kept of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from partwire.providers import OpaqueItem
from tests.providers import recordings as recorded
from tests.providers.provider_streams import run_events
from tests.providers.responses_events import (
    API,
    added,
    args,
    begins,
    created,
    done,
    ended,
    finished,
    function,
    made,
    message,
    raw,
    reasoning,
    run,
    summary,
    text,
    texts,
)

# --- which item ----------------------------------------------------------------------------------


def test_a_whole_response_finds_its_items_by_id_by_number_and_by_kind() -> None:
    ran = run(
        created(),
        added(0, "message", id="m1"),
        text(0, "a"),
        added(3, "message", id="tmp"),
        text(3, "b"),
        begins(5, "c1"),
        args(5, "{}"),
        ended(
            message("m1", "a."),
            reasoning("r", "late"),
            function("fc_x", "c1", "n", "{}"),
            message("m2", "b."),
            message("m3", "c."),
        ),
    )
    assert [p["kind"] for p in ran.parts] == ["text", "tool_call", "text", "thinking", "text"]
    assert texts(ran) == "ab" + "." + ".c."
    assert made(ran) == [("c1", "n", {})]


def test_a_whole_response_may_have_another_order() -> None:
    """By id first, whatever the place; by number before the order of arrival."""
    first, second = added(0, "message", id="m1"), added(1, "message", id="m2")
    events = [first, text(0, "a"), second, text(1, "b")]
    by_id = run(created(), *events, ended(message("m2", "b2"), message("m1", "a1")))
    assert (texts(by_id), by_id.rules) == ("ab21", [])
    events = [second, text(1, "b"), first, text(0, "a")]
    by_number = run(created(), *events, ended(message("x1", "a1"), message("x2", "b2")))
    assert (texts(by_number), by_number.rules) == ("ba12", [])


def test_the_index_counts_where_an_id_says_otherwise() -> None:
    """BLK-29."""
    events = [added(0, "message", id="m1"), text(0, "a"), added(1, "message", id="m2")]
    ran = finished(*events, text(1, "b", item_id="m1"), done(1, message("m2", "b")))
    assert (texts(ran), ran.rules) == ("ab", [])


def test_items_of_many_kinds_may_share_an_index() -> None:
    ran = finished(
        added(0, "reasoning", id="r"),
        added(0, "message", id="m"),
        begins(0),
        summary(0, "s"),
        text(0, "a"),
        args(0, "{}"),
    )
    assert [part["kind"] for part in ran.parts] == ["tool_call", "thinking", "text"]
    assert ran.rules == []


def test_items_that_only_ever_end_are_told_apart_on_one_index() -> None:
    first, second = function("f1", "c1", "n", "{}"), function("f2", "c2", "n", "{}")
    ran = finished(done(0, first), done(0, second), done(0, second))
    assert [call_id for call_id, _, _ in made(ran)] == ["c1", "c2"]


def test_many_items_cost_linear_time() -> None:
    """SEC-08: 20,000 items in the response that no event said before."""
    items = [function(f"f{n}", f"c{n}", "n", "{}") for n in range(900)]
    junk = [{"type": "junk", "id": f"j{n}"} for n in range(20_000)]
    ran = run_events(API, [created(), *[done(n, i) for n, i in enumerate(items)], ended(*junk)])
    assert len(ran.adapter.opaque) == 20_900


# --- provider state ------------------------------------------------------------------------------


def _state(*events: Any, **options: Any) -> list[tuple[Any, ...]]:
    ran = run(created(store=True), *events, **options)
    return [(i.kind, i.data.get("id"), i.part, i.start, i.end) for i in ran.adapter.opaque]


def test_items_stand_where_their_text_does() -> None:
    events = (
        done(0, reasoning("r1", "why", encrypted_content="e1")),
        done(1, {"type": "web_search_call", "id": "w1"}),
        done(2, reasoning("r2", "so", encrypted_content="e2")),
        done(3, message("m1", "Hi ")),
        done(4, message("m2", "there")),
        done(5, function("f1", "c1", "n", "{}")),
        done(6, reasoning("r3")),
        done(7, function("f2", "c2", "n", "{}")),
        done(8, {"type": "web_search_call", "id": "w2"}),
        ended(),
    )
    assert _state(*events) == [
        ("reasoning", "r1", 0, 0, 3),
        ("web_search_call", "w1", 1, None, None),
        ("reasoning", "r2", 3, 0, 2),
        ("message", "m1", 4, 0, 3),
        ("message", "m2", 4, 3, 8),
        ("function_call", "f1", 5, None, None),
        ("reasoning", "r3", 6, 0, 0),
        ("function_call", "f2", 6, None, None),
        ("web_search_call", "w2", 7, None, None),
    ]
    assert _state(*events, version="v0.2") == [
        ("reasoning", "r1", 0, 0, 3),
        ("web_search_call", "w1", 0, 3, 3),
        ("reasoning", "r2", 0, 3, 5),
        ("message", "m1", 1, 0, 3),
        ("message", "m2", 1, 3, 8),
        ("function_call", "f1", 2, None, None),
        ("reasoning", "r3", 3, 0, 0),
        ("function_call", "f2", 3, None, None),
        ("web_search_call", "w2", 4, 0, 0),
    ]


def test_a_message_is_kept_without_its_text() -> None:
    note = {"type": "file_citation", "file_id": "f", "index": 3}
    whole = message("m", "Hi.", phase="final_answer")
    whole["content"][0] |= {"annotations": [note], "logprobs": [{"token": "Hi", "logprob": 0}]}
    ran = finished(added(0, "message", id="m"), text(0, "Hi."), done(0, whole))
    head = {"type": "message", "id": "m", "role": "assistant", "status": "completed"}
    assert ran.adapter.opaque == [
        OpaqueItem("message", {**head, "phase": "final_answer"}, 0, 0, 3),
        OpaqueItem("content_part", {"type": "output_text", "annotations": [note]}, 0, 0, 3),
    ]


def test_the_parts_of_a_message_keep_their_places() -> None:
    whole = message("m", "Hi ", "you")
    whole["content"].append({"type": "refusal", "refusal": "No"})
    ran = finished(done(0, message("x", "A")), done(1, whole))
    places = [(i.kind, i.data["type"], i.start, i.end) for i in ran.adapter.opaque]
    assert places == [
        ("message", "message", 0, 1),
        ("message", "message", 1, 9),
        ("content_part", "output_text", 1, 4),
        ("content_part", "output_text", 4, 7),
        ("content_part", "refusal", 7, 9),
    ]


def test_encrypted_reasoning_may_come_with_the_whole_response_only() -> None:
    """BLK-11."""
    last = reasoning("r", encrypted_content="gAAA")
    for first in ({}, {"encrypted_content": None}, {"encrypted_content": ""}):
        ran = run(created(), done(0, reasoning("r", **first)), text(1, "Hi"), ended(last))
        assert [i.data for i in ran.adapter.opaque if i.kind == "reasoning"] == [last]
    kept = run(created(), done(0, last), ended(reasoning("r", encrypted_content="gBBB")))
    assert [item.data for item in kept.adapter.opaque] == [last]


def test_reasoning_waits_for_its_encryption_where_it_may_still_come() -> None:
    """A response that is not stored, or does not say: what its reasoning had may not be all."""
    for members, waits in (({}, True), ({"store": False}, True), ({"store": True}, False)):
        ran = run(
            created(**members),
            done(0, reasoning("r", "why")),
            done(1, function("f", "c", "n", "{}")),
            text(2, "Hi"),
            ended(),
        )
        [thought, call, said] = [part["payload"].get("opaque") for part in ran.whole]
        carrier = said if waits else thought
        [item] = [item for item in carrier["data"]["items"] if item["kind"] == "reasoning"]
        assert item.get("partOffset") == (-2 if waits else None)
        assert (item["start"], item["end"]) == (0, 3)
        assert [item["kind"] for item in call["data"]["items"]] == ["function_call"]


def test_items_that_a_cut_leaves_open_are_not_kept() -> None:
    """HIS-07."""
    found = _state(
        done(0, reasoning("r1", "why")),
        added(1, "reasoning", id="r2", encrypted_content="half"),
        summary(1, "and"),
        begins(2),
    )
    assert found == [("reasoning", "r1", 0, 0, 3)]


def test_items_at_one_place_are_kept_as_they_began() -> None:
    search, reads = ({"type": "mcp_list_tools", "id": name} for name in ("w1", "w2"))
    found = _state(
        added(0, "mcp_list_tools", id="w1"),
        added(1, "mcp_list_tools", id="w2"),
        done(1, reads),
        done(0, search),
        text(2, "a"),
        done(2, message("m", "a")),
        ended(),
    )
    assert [item[1] for item in found] == ["w1", "w2", "m"]


def test_text_between_other_items_is_not_taken_for_theirs() -> None:
    found = _state(
        added(0, "message", id="m1"),
        text(0, "a"),
        begins(1),
        args(1, "{"),
        text(0, "b"),
        args(1, "}"),
        done(1, function("fc_c", "c", "n", "{}")),
        done(0, message("m1", "ab")),
        ended(),
    )
    assert found == [("function_call", "fc_c", 1, None, None), ("message", "m1", 0, 0, 1)]


def test_the_end_of_a_call_inside_a_text_does_not_cut_it() -> None:
    found = _state(
        begins(1),
        args(1, "{}"),
        added(0, "message", id="m1"),
        text(0, "a"),
        done(1, function("fc_c", "c", "n", "{}")),
        text(0, "b"),
        done(0, message("m1", "ab")),
        ended(),
    )
    assert found == [("function_call", "fc_c", 0, None, None), ("message", "m1", 1, 0, 2)]


def test_state_comes_with_the_message() -> None:
    ran = run(
        created(store=True),
        done(0, reasoning("r", "why")),
        done(1, function("f", "", "n", "{}")),
        ended(),
    )
    [thought, call] = [part["payload"]["opaque"] for part in ran.whole]
    assert thought["provider"] == call["provider"] == API
    assert [item["kind"] for item in thought["data"]["items"]] == ["reasoning"]
    item = {"kind": "function_call", "data": function("f", "", "n", "{}")}
    assert call["data"] == {"items": [item], "toolCallId": None}


def test_bookkeeping_is_kept_without_a_word() -> None:
    ran = finished(done(0, {"type": "compaction", "id": "k", "encrypted_content": "e"}))
    assert ran.rules == []
    assert [item.kind for item in ran.adapter.opaque] == ["compaction"]


@pytest.mark.parametrize(
    ("item", "rule"),
    [
        ({"type": "computer_call"}, "unsupported-content"),
        ({"type": "local_shell_call"}, "unsupported-content"),
        ({"type": "apply_patch_call"}, "unsupported-content"),
        ({"type": "mcp_approval_request"}, "unsupported-content"),
        ({"type": "shell_call"}, "unsupported-content"),
        ({"type": "shell_call", "environment": {"type": "local"}}, "unsupported-content"),
        ({"type": "shell_call", "environment": {"type": "container"}}, "server-tool-call"),
        ({"type": "tool_search_call", "execution": "client"}, "unsupported-content"),
        ({"type": "tool_search_call", "execution": "server"}, "server-tool-call"),
        ({"type": "image_generation_call"}, "server-tool-call"),
        ({"type": "mcp_call", "name": "x"}, "server-tool-call"),
        ({"type": "mcp_list_tools"}, "server-tool-call"),
        ({"type": "program"}, "server-tool-call"),
        ({"type": "program_output"}, "server-tool-call"),
        ({"type": "x_search_call"}, "server-tool-call"),
        ({"type": "openrouter:web_search"}, "server-tool-call"),
        ({"type": "hologram"}, "unsupported-content"),
    ],
)
def test_items_of_other_kinds_are_kept_and_told(item: dict[str, Any], rule: str) -> None:
    ran = finished(done(0, item), version="v0.2")
    assert ran.rules == [f"adapter/{rule}"]
    assert ran.adapter.opaque == [OpaqueItem(item["type"], item, 0, 0, 0)]
    assert ran.end == {"finishReason": "stop"}


@pytest.mark.parametrize(
    ("item", "rule"),
    [
        ({"type": "computer_call"}, "unsupported-content"),
        ({"type": "shell_call"}, "unsupported-content"),
        ({"type": "shell_call", "environment": {"type": "local"}}, "unsupported-content"),
        ({"type": "tool_search_call", "execution": "client"}, "unsupported-content"),
        ({"type": "image_generation_call"}, "server-tool-call"),
        ({"type": "mcp_list_tools"}, "server-tool-call"),
        ({"type": "x_search_call"}, "server-tool-call"),
        ({"type": "openrouter:web_search"}, "server-tool-call"),
    ],
)
def test_items_that_are_no_part_are_kept_and_told(item: dict[str, Any], rule: str) -> None:
    ran = finished(done(0, item))
    assert ran.rules == [f"adapter/{rule}"]
    assert ran.adapter.opaque == [OpaqueItem(item["type"], item, 0, 0, 0)]


@pytest.mark.parametrize(
    "item",
    [
        {"type": "shell_call", "environment": {"type": "container"}},
        {"type": "tool_search_call", "execution": "server", "arguments": {}},
        {"type": "mcp_call", "name": "x"},
        {"type": "mcp_call"},
        {"type": "web_search_call", "action": None},
        {"type": "file_search_call", "queries": 7, "results": "x"},
        {"type": "code_interpreter_call", "code": 7, "outputs": 7},
        {"type": "program", "code": None},
    ],
)
def test_calls_of_the_provider_are_calls_whatever_they_lack(item: dict[str, Any]) -> None:
    ran = finished(done(0, item))
    assert ran.parts[0]["kind"] == "server_tool_call"
    assert [kept.data for kept in ran.adapter.opaque] == [item]
    assert ran.end == {"finishReason": "stop"}


def test_raw_reasoning_is_kept_whole() -> None:
    whole = reasoning("r", content=[{"type": "reasoning_text", "text": "why"}])
    ran = finished(added(0, "reasoning", id="r"), raw(0, "why"), done(0, whole))
    assert ran.adapter.opaque == [OpaqueItem("reasoning", whole, 0, 0, 3)]


@pytest.mark.parametrize("name", recorded.ids(API))
def test_every_item_of_a_recording_is_kept(name: str, recordings: Path) -> None:
    """Every item that ended, in order, and the calls that the index tells of among them."""
    recording = recorded.load()[name]
    ran = run_events(API, recording.texts)
    kept = [item for item in ran.adapter.opaque if item.kind != "content_part"]
    wire = [text for text in recording.texts if '"response.output_item.done"' in text]
    assert len(kept) == len(wire)
    ids = {value for item in kept for value in (item.data.get("id"), item.data.get("call_id"))}
    for member in ("serverToolCalls", "clientBuiltinCalls", "toolCalls"):
        assert {call["id"] for call in recording.expected.get(member, ())} <= ids
