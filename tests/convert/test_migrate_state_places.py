"""Migrations: provider state that came when its part was over goes to where v0.1 has it."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from partwire import validate
from partwire.convert import downgrade

Json = dict[str, Any]

AT = "2026-01-02T03:04:05Z"


def item(kind: str, offset: int | None = None, end: int = 0) -> Json:
    place = {} if offset is None else {"partOffset": offset}
    return {"kind": kind, "data": {"type": kind}, "start": 0, "end": end, **place}


def part(kind: str, text: str, *items: Json, provider: str = "openai-responses") -> Json:
    payload: Json = {"text": text}
    if items:
        payload["opaque"] = {"provider": provider, "data": {"items": list(items)}}
    return {"kind": kind, "payload": payload}


def down(*parts: Json) -> tuple[list[tuple[str, str]], Json, list[tuple[str, str]]]:
    """Return kinds and texts, ``meta.opaque.parts`` and the losses of a message as v0.1 has it."""
    message = {"runId": "r", "role": "assistant", "timestamp": AT, "parts": list(parts)}
    made = downgrade(message, "v0.1", "message.Message")
    said = [(each["kind"], each["payload"].get("text", "")) for each in made.value["parts"]]
    kept = made.value.get("meta", {}).get("opaque", {}).get("parts", {})
    return said, kept, [(loss.code, loss.pointer) for loss in made.losses]


THOUGHT = part("thinking", "Hm.")


def test_late_state_goes_back_to_its_part() -> None:
    answer = part("text", "Four.", item("message", end=5), item("reasoning", -1, 3))
    assert down(THOUGHT, answer) == (
        [("thinking", "Hm."), ("text", "Four.")],
        {"0": [item("reasoning", end=3)], "1": [item("message", end=5)]},
        [("opaque-moved", "/parts/0"), ("opaque-moved", "/parts/1")],
    )


def test_an_offset_written_with_a_fraction_is_one() -> None:
    """What JSON has for a number does not depend on who wrote it: 1.0 is 1."""
    late = item("reasoning", end=3) | {"partOffset": -1.0, "start": 0.0, "end": 3.0}
    answer = part("text", "Four.", item("message", end=5), late)
    said, kept, _ = down(THOUGHT, answer)
    assert said == [("thinking", "Hm."), ("text", "Four.")]
    assert kept == {"0": [item("reasoning", end=3)], "1": [item("message", end=5)]}


def test_a_part_of_late_state_alone_is_left_out() -> None:
    tail = part("text", "", item("reasoning", -2, 3))
    assert down(THOUGHT, part("text", "Four."), tail)[:2] == (
        [("thinking", "Hm."), ("text", "Four.")],
        {"0": [item("reasoning", end=3)]},
    )


def test_a_part_that_is_left_out_moves_no_pointer() -> None:
    image = {"kind": "image", "payload": {"mimeType": "image/png", "url": "https://a.example/"}}
    losses = down(THOUGHT, part("text", "", item("reasoning", -1, 3)), image)[2]
    assert ("assistant-part", "/parts/2") in losses


def test_state_behind_the_last_part_stands_behind_it() -> None:
    answer = part("text", "Four.", item("message", end=5), item("web_search_call", 1))
    said, kept, _ = down(answer)
    assert said == [("text", "Four.")]
    assert kept == {"0": [item("message", end=5)], "1": [item("web_search_call")]}


def test_state_that_is_early_goes_before_what_the_part_has() -> None:
    first = part("text", "One.", item("early", 1))
    assert down(first, part("thinking", "Hm.", item("own")))[1] == {
        "1": [item("early"), item("own")]
    }


@pytest.mark.parametrize("offset", [-1, 1, 7])
def test_state_stays_where_no_part_can_have_it(offset: int) -> None:
    """Before the first part, in an image, and far behind the last one."""
    image = {"kind": "file_ref", "payload": {"path": "a"}}
    answer = part("text", "One.", item("message", offset))
    given = {"runId": "r", "role": "assistant", "timestamp": AT}
    parts = [answer, image, part("thinking", "Hm.")]
    made = downgrade({**given, "parts": parts}, "v0.1", "message.Message")
    assert made.value["meta"]["opaque"]["parts"] == {"0": [item("message", offset)]}


def test_state_does_not_go_to_a_part_of_another_provider() -> None:
    foreign = part("thinking", "Hm.", item("signature"), provider="anthropic-messages")
    answer = part("text", "One.", item("message", -1))
    losses = down(foreign, answer)[2]
    assert losses == [("opaque-provider", "/parts/1/payload/opaque")]


def calls_of(count: int) -> int:
    """Return how many calls it takes to go down with parts that state alone keeps apart."""
    items = [{"kind": "state", "start": 0, "end": 1}]
    payload = {"text": "a", "opaque": {"provider": "x", "data": {"items": items}}}
    head = {"runId": "r", "role": "assistant", "timestamp": "2026-01-02T03:04:05Z"}
    message = {**head, "parts": [{"kind": "text", "payload": payload}] * count}
    made = 0

    def profile(_frame: object, event: str, _arg: object) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    previous: Any = sys.getprofile()
    sys.setprofile(profile)
    try:
        value = downgrade(message, "v0.1", "message.Message").value
    finally:
        sys.setprofile(previous)
    assert value["parts"] == [{"kind": "text", "payload": {"text": "a" * count}}]
    placed = value["meta"]["opaque"]["parts"]["0"]
    assert [(each["start"], each["end"]) for each in placed] == [(n, n + 1) for n in range(count)]
    return made


def test_the_steps_taken_grow_as_the_parts_do() -> None:
    calls_of(10)
    assert calls_of(400) <= 2.1 * calls_of(200)


def test_only_an_assistant_has_a_part_for_state_behind_the_last() -> None:
    """A user's message with a thinking part would not be valid."""
    first = part("text", "", item("signature"), provider="anthropic-messages")
    parts = [first, part("text", "", item("signature", 1))]
    message = {"runId": "r", "role": "user", "timestamp": AT, "parts": parts}
    made = downgrade(message, "v0.1", "message.Message").value
    assert {each["kind"] for each in made["parts"]} == {"text"}
    assert validate(made, "message.Message", version="v0.1") == []
