"""The Responses adapter: text, refusals and reasoning."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers.responses_events import (
    added,
    args,
    created,
    done,
    ended,
    finished,
    function,
    message,
    raw,
    reasoning,
    response,
    run,
    summary,
    text,
    texts,
)

# --- text ----------------------------------------------------------------------------------------


def test_deltas_without_any_index_belong_to_the_last_item_of_their_kind() -> None:
    ran = finished(
        added(None, "message", id="m"),
        {"type": "response.output_text.delta", "delta": "a"},
        added(None, "function_call", id="f", call_id="c", name="n", arguments=""),
        {"type": "response.function_call_arguments.delta", "delta": "{}"},
    )
    assert [part["kind"] for part in ran.parts] == ["text", "tool_call"]
    assert ran.rules == []


def test_deltas_without_an_index_are_found_by_id() -> None:
    ran = finished(
        added(None, "message", id="m1"),
        added(None, "message", id="m2"),
        text(None, "a", item_id="m1"),
        done(None, message("m1", "ab")),
        done(None, message("m2", "c")),
    )
    assert texts(ran) == "abc"
    assert ran.rules == []


@pytest.mark.parametrize("kind", ["response.content_part.delta", "response.output_text.delta"])
def test_a_delta_may_be_an_object(kind: str) -> None:
    ran = finished({"type": kind, "output_index": 0, "delta": {"type": "text", "text": "a"}})
    assert texts(ran) == "a"


def test_a_part_that_begins_with_text_says_it_once() -> None:
    def part(index: int, value: str) -> dict[str, Any]:
        content = {"type": "output_text", "text": value}
        return {
            "type": "response.content_part.added",
            "output_index": index,
            "content_index": 0,
            "part": content,
        }

    ran = finished(
        added(0, "message", id="m1"),
        part(0, "Be"),
        text(0, "rgen "),
        done(0, message("m1", "Bergen ")),
        added(1, "message", id="m2"),
        part(1, "lies "),
        text(1, "lies "),
        done(1, message("m2", "lies ")),
        added(2, "message", id="m3"),
        part(2, "here"),
        done(2, message("m3", "here")),
    )
    assert texts(ran) == "Bergen lies here"
    assert ran.rules == []


def test_text_that_no_delta_said_comes_from_whichever_event_has_it_first() -> None:
    """BLK-26: five times the same text, written once."""
    whole = message("m", "Hi")
    events = [
        {"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": "Hi"},
        {
            "type": "response.content_part.done",
            "output_index": 0,
            "content_index": 0,
            "part": whole["content"][0],
        },
        done(0, whole),
        ended(whole),
    ]
    for first in range(len(events)):
        ran = run(created(), added(0, "message", id="m"), *events[first:], ended())
        assert texts(ran) == "Hi", first


@pytest.mark.parametrize(
    ("kind", "part", "where"),
    [
        ("content_part", {"type": "output_text", "text": "a"}, "text"),
        ("content_part", {"type": "refusal", "refusal": "a"}, "text"),
        ("reasoning_part", {"type": "reasoning_text", "text": "a"}, "thinking"),
        ("reasoning_summary_part", {"type": "summary_text", "text": "a"}, "thinking"),
    ],
)
def test_what_a_part_begins_with_waits_for_more(kind: str, part: Any, where: str) -> None:
    """An empty delta or the whole text may follow: what is written cannot be taken back."""
    event = {"output_index": 0, "content_index": 0, "summary_index": 0, "part": part}
    ran = finished({**event, "type": f"response.{kind}.added"})
    assert texts(ran, where) == ""
    ran = finished({**event, "type": f"response.{kind}.done"})
    assert texts(ran, where) == "a"


def test_the_text_of_an_item_that_is_done_is_passed_over() -> None:
    whole = {"type": "response.output_text.done", "output_index": 0, "content_index": 0}
    ran = finished(done(0, message("m", "Hi")), {**whole, "text": "Hi there"})
    assert (texts(ran), ran.rules) == ("Hi", [])


@pytest.mark.parametrize(
    "event",
    [
        text(0, 5),
        args(0, 5),
        {"type": "response.output_text.done", "output_index": 0, "text": 5},
        {"type": "response.content_part.added", "output_index": 0, "part": 5},
        {"type": "response.content_part.done", "output_index": 0, "part": {"type": "audio"}},
        {"type": "response.output_item.done", "output_index": 0, "item": {"id": "m"}},
        {"type": "response.completed", "response": response(output={})},
        ended(message("m", content=5)),
        ended({"type": "message", "content": [None]}),
        ended("odd"),
    ],
)
def test_members_of_another_type_are_told(event: dict[str, Any]) -> None:
    begins = added(0, "message", id="m"), added(0, "function_call", id="f", name="n", call_id="c")
    due = {"adapter/invalid-event", "adapter/unsupported-content"}
    assert set(run(created(), *begins, event, ended()).rules) & due
    null = {"type": "response.output_text.done", "output_index": 0, "text": None}
    assert run(created(), *begins, null, ended(message("m", content=None))).rules == []


def test_content_that_is_a_string_is_text() -> None:
    assert texts(finished(done(0, message("m", content="Hi")))) == "Hi"


def test_parts_of_one_message_and_its_refusal_make_one_text() -> None:
    whole = message("m", "a", "b")
    whole["content"].append({"type": "refusal", "refusal": "No."})
    ran = finished(added(0, "message", id="m"), text(0, "a"), text(0, "b", 1), done(0, whole))
    assert ran.parts == [{"kind": "text", "payload": {"text": "abNo."}}]
    assert ran.end == {"finishReason": "refusal"}


def test_a_refusal_gives_way_to_calls_and_to_reasons() -> None:
    refusal = {"type": "response.refusal.delta", "output_index": 0, "delta": "No"}
    call = function("f", "c", "n", "{}")
    assert finished(refusal, done(1, call)).end == {"finishReason": "tool_calls"}
    cut = ended(status="incomplete", incomplete_details={"reason": "max_output_tokens"})
    assert run(created(), refusal, cut).end == {"finishReason": "length"}


def test_content_of_other_types_is_a_finding() -> None:
    audio = {"type": "output_audio", "data": "UklG", "transcript": "Hi"}
    ran = finished(done(0, message("m", content=[audio, 5, {"type": "output_text", "text": 7}])))
    assert ran.rules == [
        "adapter/unsupported-content",
        "adapter/invalid-event",
        "adapter/unsupported-content",
    ]


def test_sound_is_media_and_kept_beside_a_message_of_v0_2() -> None:
    event = {"type": "response.audio.delta", "delta": "UklG"}
    ran = finished(event, version="v0.2")
    assert ran.rules == ["adapter/unsupported-content"]
    assert [item.kind for item in ran.adapter.opaque] == ["audio"]
    assert finished(event).rules == ["adapter/unknown-media-type"]


def test_halves_of_a_character_join_with_the_whole_text() -> None:
    """HIS-17: the last half may come with the final text only."""
    ran = finished(
        added(0, "message", id="m"),
        text(0, "Sun \ud83c"),
        done(0, message("m", "Sun \U0001f31e!")),
    )
    assert texts(ran) == "Sun \U0001f31e!"
    assert ran.rules == []


# --- reasoning -----------------------------------------------------------------------------------


def test_of_summary_and_raw_reasoning_the_first_is_shown() -> None:
    whole = reasoning("r", "S", content=[{"type": "reasoning_text", "text": "raw"}])
    begins = added(0, "reasoning", id="r")
    assert texts(finished(begins, summary(0, "S"), raw(0, "raw"), done(0, whole)), "thinking") == (
        "S"
    )
    assert texts(finished(begins, raw(0, "raw"), summary(0, "S"), done(0, whole)), "thinking") == (
        "raw"
    )
    assert texts(finished(done(0, whole)), "thinking") == "S"
    assert texts(finished(done(0, {**whole, "summary": []})), "thinking") == "raw"


def test_an_empty_summary_does_not_hide_raw_reasoning() -> None:
    ran = finished(added(0, "reasoning", id="r"), summary(0, ""), raw(0, "raw"))
    assert texts(ran, "thinking") == "raw"


@pytest.mark.parametrize(
    "kind",
    [
        "response.reasoning.delta",
        "response.reasoning_summary.delta",
        "response.reasoning_text.delta",
        "response.reasoning_summary_text.delta",
    ],
)
def test_every_name_of_reasoning(kind: str) -> None:
    events = [
        {"type": kind, "output_index": 0, "delta": "w"},
        {"type": kind.replace("delta", "done"), "output_index": 0, "text": "why"},
    ]
    assert texts(finished(*events), "thinking") == "why"


def test_plain_text_parts_are_what_their_event_says() -> None:
    part = {"type": "text", "text": "t"}
    for kind, where in (("reasoning_part", "thinking"), ("content_part", "text")):
        event = {"type": f"response.{kind}.done", "output_index": 0, "content_index": 0}
        assert texts(finished({**event, "part": part}), where) == "t"
