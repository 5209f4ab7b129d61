"""Chat requests: the published types, and answers that go back as their vendor sent them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming as Params

from partwire import to_wire
from partwire.providers.requests import encode_request
from tests.fixture_cases import Case, cases
from tests.providers import recordings as recorded
from tests.providers.request_round_trip import ASKED, CONFIG, answer, provider_texts, sent_back
from tests.providers.request_types import faults, members_of

Json = dict[str, Any]

API: Final = "openai-chat"
CASES = [case for case in cases("requests") if API in case.expect.get("bodies", ())]
STREAMS = provider_texts(API)
RECORDINGS = recorded.ids(API)
# What vendors have beside the published members; each goes only where it came from.
OF_VENDORS: Final = frozenset(
    {
        "extra_content",
        "reasoning",
        "reasoning_content",
        "reasoning_details",
        "reasoning_signature",
        "thinking_blocks",
    }
)


def published_faults(body: Json) -> list[str]:
    """Return what the official client's types refuse, but for what is a vendor's own."""
    names = members_of(Params)
    return faults(Params, {k: _published(v, set()) for k, v in body.items() if k in names})


def of_vendors(body: Json) -> set[str]:
    """Return the vendors' members and content parts in the messages of a body."""
    found: set[str] = set()
    _published(body["messages"], found)
    return found


def _published(value: Any, found: set[str]) -> Any:
    """Return ``value`` without members and content parts of vendors; ``found`` names them."""
    if isinstance(value, list):
        kept = [_published(item, found) for item in value if not _is_vendors_part(item, found)]
        return kept or (None if value else [])
    if (isinstance(value, dict) and value.get("role") == "assistant") or _is_call(value):
        found |= OF_VENDORS & set(value)
        return {k: _published(v, found) for k, v in value.items() if k not in OF_VENDORS}
    return value


def _is_call(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "function" and "id" in value


def _is_vendors_part(value: Any, found: set[str]) -> bool:
    kind = value.get("type") if isinstance(value, dict) else None
    if kind in ("thinking", "reference"):
        found.add(kind)
    return kind in ("thinking", "reference")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_bodies_are_what_the_provider_publishes(case: Case) -> None:
    body = case.expect["bodies"][API]["body"]
    assert published_faults(body) == []
    assert bool(of_vendors(body)) == case.id.startswith("chat-")
    unknown = set(body) - members_of(Params)
    assert unknown <= set(case.value("input")["config"])


@pytest.mark.parametrize(
    "body",
    [
        {"messages": [{"role": "user", "content": [{"type": "text", "text": 5}]}]},
        {"messages": [{"role": "user", "content": "a", "reasoning": "b"}]},
        {"messages": [{"role": "assistant", "content": "a", "thoughts": "b"}]},
        {"messages": [{"role": "tool", "content": "a"}]},
        {"max_completion_tokens": "9"},
        {"tool_choice": "any"},
        {"stream": False},
    ],
)
def test_the_check_sees_what_is_not_published(body: Json) -> None:
    good = {"model": "m", "messages": [], "stream": True}
    assert published_faults(good) == []
    assert published_faults({**good, **body})


# --- answers go back as they came ----------------------------------------------------------------


def joined(texts: list[str]) -> Json:
    """Return the members of choice 0's deltas that are text, joined; the others as lists."""
    members: Json = {}
    for text in texts:
        event = json.loads(text) if text.startswith("{") else {}
        for choice in event.get("choices") or ():
            if choice.get("index") not in (0, None):
                continue
            said = choice.get("delta") or choice.get("message") or {}
            for name, value in said.items():
                if isinstance(value, str) and isinstance(members.get(name, ""), str):
                    members[name] = members.get(name, "") + value
                elif isinstance(value, list):
                    members[name] = value  # parts: their text is the index's business
    return members


def said_back(name: str, texts: list[str]) -> Json:
    """Return the assistant's message that goes back, if it is whole."""
    encoded = sent_back(API, answer(API, texts))
    assert published_faults(encoded.body) == []
    said = [each for each in encoded.body["messages"] if each["role"] == "assistant"]
    assert len(said) <= 1, name
    return said[0] if said else {"content": None}


@pytest.mark.parametrize("name", RECORDINGS)
def test_recorded_answers_go_back_as_they_came(name: str, recordings: Path) -> None:
    """BLK-12: text, reasoning under its own name, and calls with the ids of their vendor."""
    texts = recorded.load()[name].texts
    came, said = joined(texts), said_back(name, texts)
    parts: list[Json] = to_wire(answer(API, texts))["parts"]
    words = {
        kind: "".join(part["payload"]["text"] for part in parts if part["kind"] == kind)
        for kind in ("text", "thinking")
    }
    calls = [part["payload"] for part in parts if part["kind"] == "tool_call"]
    if not words["text"] and not calls:  # nothing that can go back
        return
    blocks = said["content"] if isinstance(said["content"], list) else []
    if not blocks:
        assert (said["content"] or "") + said.get("refusal", "") == words["text"]
    member = next((n for n in ("reasoning_content", "reasoning") if came.get(n)), None)
    if member is not None:
        assert said[member] == came[member] == words["thinking"]
    elif words["thinking"]:
        assert said.get("reasoning_details") or _thinking(blocks)
    sent = said.get("tool_calls", [])
    assert [call["function"]["name"] for call in sent] == [call["toolName"] for call in calls]
    for call, due in zip(sent, calls, strict=True):
        arguments = call["function"]["arguments"]
        is_text = "rawArgsText" in due
        assert (arguments if is_text else json.loads(arguments)) == (
            due["rawArgsText"] if is_text else due["arguments"]
        )
        assert call["id"] == due["toolCallId"] or len(call["id"]) <= 40 < len(due["toolCallId"])


def _thinking(content: Any) -> list[Json]:
    parts = content if isinstance(content, list) else []
    return [part for part in parts if part["type"] == "thinking"]


def test_every_stream_of_the_fixtures_can_go_back() -> None:
    assert len(STREAMS) > 20
    for name, texts in STREAMS.items():
        said_back(name, texts)


def test_a_vendors_reasoning_goes_back_through_every_turn() -> None:
    """BLK-12, and the other fields of one thing: an answer read is an answer sent."""

    def chunk(delta: Json, reason: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return json.dumps({"id": "r", "model": "m", "choices": [choice]})

    call = {"index": 0, "id": "c1", "function": {"name": "f", "arguments": '{"a": 1}'}}
    texts = [
        chunk({"role": "assistant", "content": None, "reasoning_content": "First "}),
        chunk({"reasoning_content": "f."}),
        chunk({"content": "I ask."}),
        chunk({"tool_calls": [{**call, "type": "function", "extra_content": {"google": 1}}]}),
        chunk({}, "tool_calls"),
        "[DONE]",
    ]
    result = {"toolCallId": "c1", "isError": False, "content": "1"}
    tool = {**ASKED, "role": "tool", "parts": [{"kind": "tool_result", "payload": result}]}
    final = [chunk({"reasoning_content": "Done."}), chunk({"refusal": "No."}, "stop"), "[DONE]"]
    encoded = sent_back(API, answer(API, texts), tool, answer(API, final))
    assert encoded.findings == []
    assert encoded.body["messages"][1:] == [
        {
            "role": "assistant",
            "content": "I ask.",
            "reasoning_content": "First f.",
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "f", "arguments": '{"a":1}'},
                    "extra_content": {"google": 1},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "1"},
        {"role": "assistant", "content": None, "reasoning_content": "Done.", "refusal": "No."},
    ]


# --- what fixtures do not show -------------------------------------------------------------------


def assistant(*items: tuple[str, Any], text: str = "a") -> Json:
    """Return an answer with state behind its text."""
    state = [{"kind": kind, "data": data, "start": 0, "end": 0} for kind, data in items]
    meta = {"opaque": {"dialect": API, "parts": {"1": state}}}
    part = {"kind": "text", "payload": {"text": text}}
    return {**ASKED, "role": "assistant", "parts": [part], "meta": meta}


@pytest.mark.parametrize(
    ("kind", "data", "members"),
    [
        ("audio", {"id": "audio_1", "data": "AAAA"}, {"audio": {"id": "audio_1"}}),
        ("audio", {"data": "AAAA"}, {}),
        ("reasoning_signature", "c2ln", {"reasoning_signature": "c2ln"}),
        ("extra_content", {"google": 1}, {"extra_content": {"google": 1}}),
    ],
)
def test_members_that_go_back_as_they_are(kind: str, data: Any, members: Json) -> None:
    encoded = sent_back(API, assistant((kind, data)))
    assert encoded.body["messages"][1] == {"role": "assistant", "content": "a", **members}
    assert encoded.findings == []


def test_an_answer_of_audio_alone_goes_back_by_its_id() -> None:
    encoded = sent_back(API, assistant(("audio", {"id": "audio_1"}), text=""))
    said = {"role": "assistant", "content": None, "audio": {"id": "audio_1"}}
    assert encoded.body["messages"][1] == said


def test_thinking_blocks_in_pieces_go_back_as_the_blocks_that_they_make() -> None:
    """LiteLLM streams the blocks of another provider."""
    pieces = [
        [{"type": "thinking", "thinking": "First ", "signature": None}],
        [{"type": "thinking", "thinking": "f.", "signature": ""}],
        [{"type": "thinking", "thinking": "", "signature": "c2ln"}],
        [{"type": "thinking", "thinking": "Another."}],
        [{"type": "redacted_thinking", "data": "AA=="}, {"type": "thinking", "thinking": "b"}],
        ["odd"],
    ]
    encoded = sent_back(API, assistant(*(("thinking_blocks", piece) for piece in pieces)))
    assert encoded.body["messages"][1]["thinking_blocks"] == [
        {"type": "thinking", "thinking": "First f.", "signature": "c2ln"},
        {"type": "thinking", "thinking": "Another."},
        {"type": "redacted_thinking", "data": "AA=="},
        {"type": "thinking", "thinking": "b"},
    ]
    assert [finding.rule for finding in encoded.findings] == ["encode/malformed-state"]


@pytest.mark.parametrize(
    ("kind", "data", "rule"),
    [
        ("reasoning_member", "secrets", "malformed-state"),
        ("reasoning_member", ["reasoning"], "malformed-state"),
        ("reasoning_details", {"type": "reasoning.text"}, "malformed-state"),
        ("thinking_blocks", "odd", "malformed-state"),
        ("content_part", {"text": "no type"}, "malformed-state"),
        ("audio", "AAAA", "malformed-state"),
        ("citations", ["https://example.com"], "response-only-state"),
        ("executed_tool", {"type": "search"}, "response-only-state"),
    ],
)
def test_state_that_does_not_go_back(kind: str, data: Any, rule: str) -> None:
    encoded = sent_back(API, assistant((kind, data)))
    assert encoded.body["messages"][1] == {"role": "assistant", "content": "a"}
    assert [finding.rule for finding in encoded.findings] == [f"encode/{rule}"]


@pytest.mark.parametrize("data", [{"type": "text"}, {"type": "text", "text": 5}])
def test_a_kept_part_that_has_lost_its_text_has_none(data: Json) -> None:
    encoded = sent_back(API, assistant(("content_part", data)))
    assert encoded.body["messages"][1] == {"role": "assistant", "content": "a"}


def test_text_that_was_one_string_is_one_again() -> None:
    """Reasoning between two texts parts the message, not what the vendor sent."""

    def part(kind: str, text: str) -> Json:
        return {"kind": kind, "payload": {"text": text}}

    message = assistant(("reasoning_member", "reasoning"))
    message["parts"] = [part("text", "a "), part("thinking", "hm"), part("text", "b")]
    message["meta"]["opaque"]["parts"] = {"3": message["meta"]["opaque"]["parts"]["1"]}
    said = {"role": "assistant", "content": "a b", "reasoning": "hm"}
    assert sent_back(API, message).body["messages"][1] == said
    del message["meta"]
    parts = [{"type": "text", "text": "a "}, {"type": "text", "text": "b"}]
    assert sent_back(API, message).body["messages"][1]["content"] == parts


def test_system_messages_of_several_parts_are_parts() -> None:
    parts = [{"kind": "text", "payload": {"text": text}} for text in ("a", "b")]
    body = encode_request(API, [{**ASKED, "role": "system", "parts": parts}], config=CONFIG).body
    content = [{"type": "text", "text": text} for text in ("a", "b")]
    assert body["messages"] == [{"role": "system", "content": content}]
    assert published_faults(body) == []
