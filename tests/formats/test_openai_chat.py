"""Histories of chat completions, form by form."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire.errors import ReadError
from partwire.providers.requests import encode_request
from tests.formats.laws import read_given, wire


def _read(*messages: Any) -> list[Any]:
    return wire(read_given("openai-chat", list(messages)))


def _parts(message: Any) -> list[Any]:
    (read,) = _read(message)
    return [(part["kind"], part["payload"]) for part in read["parts"]]


def _losses(document: Any) -> list[tuple[str, str]]:
    losses = read_given("openai-chat", document).losses
    return [(loss.pointer, loss.code) for loss in losses if loss.code != "given"]


def _sent(document: Any) -> Any:
    messages = read_given("openai-chat", document).messages
    config = {"provider": "any", "modelId": "m"}
    return encode_request("openai-chat", messages, config=config).body["messages"]


def _call(call_id: str | None = "c1", arguments: Any = '{"a":1}', **members: Any) -> dict[str, Any]:
    function = {"name": "look", "arguments": arguments}
    return {
        **({"id": call_id} if call_id else {}),
        "type": "function",
        "function": function,
        **members,
    }


# --- whose it is ----------------------------------------------------------------------------------


def test_roles_and_authors() -> None:
    messages = _read(
        {"role": "developer", "content": "a"},
        {"role": "user", "content": "b", "name": "ada", "id": "m1"},
        {"role": "assistant", "content": "c", "name": "bot"},
    )
    assert [message["role"] for message in messages] == ["system", "user", "assistant"]
    assert [message.get("author") for message in messages] == [
        None,
        {"name": "ada"},
        {"name": "bot"},
    ]
    assert messages[1]["messageId"] == "m1"


def test_another_role_is_left_out() -> None:
    document = [{"role": "critic", "content": "a"}, {"role": "user", "content": "b"}]
    assert len(_read(*document)) == 1
    assert _losses(document) == [("/0", "foreign-message")]


@pytest.mark.parametrize(
    ("document", "place"),
    [
        (5, ""),
        ([5], "/0"),
        ([{"content": "a"}], "/0/role"),
        ({"messages": {}}, "/messages"),
        ({"choices": []}, "/choices"),
        ({"choices": [{"index": 0}]}, "/choices/0/message"),
    ],
)
def test_what_is_not_of_the_format_is_refused(document: Any, place: str) -> None:
    with pytest.raises(ReadError) as caught:
        read_given("openai-chat", document)
    assert [(each.rule, each.pointer) for each in caught.value.findings] == [
        ("format/wrong-shape", place)
    ]


# --- calls and results ----------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", ['{"a":1}', {"a": 1}])
def test_arguments_are_text_or_an_object(arguments: Any) -> None:
    message = {"role": "assistant", "content": None, "tool_calls": [_call(arguments=arguments)]}
    assert _parts(message) == [
        ("tool_call", {"toolCallId": "c1", "toolName": "look", "arguments": {"a": 1}})
    ]
    assert _losses([message]) == []


def test_arguments_that_are_not_an_object_stand_as_they_are() -> None:
    message = {"role": "assistant", "tool_calls": [_call(arguments="red")]}
    assert _parts(message)[0][1]["rawArgsText"] == "red"


def test_an_id_that_is_used_again_is_that_of_the_last_call() -> None:
    asked = {"role": "assistant", "tool_calls": [_call()]}
    first, one, second, two = _read(
        asked,
        {"role": "tool", "tool_call_id": "c1", "content": "1"},
        asked,
        {"role": "tool", "tool_call_id": "c1", "content": "2"},
    )
    ids = [message["parts"][0]["payload"]["toolCallId"] for message in (first, one, second, two)]
    assert ids[0] == ids[1] == "c1"
    assert ids[2] == ids[3] != "c1"


def test_calls_without_ids_are_answered_in_order() -> None:
    document = [
        {"role": "assistant", "tool_calls": [_call(None), _call(None, '{"a":2}')]},
        {"role": "tool", "content": "1"},
        {"role": "tool", "name": "look", "content": "2"},
        {"role": "tool", "content": "nobody asked"},
    ]
    asked, *results = _read(*document)
    ids = [part["payload"]["toolCallId"] for part in asked["parts"]]
    assert len(set(ids)) == 2
    assert [result["parts"][0]["payload"]["toolCallId"] for result in results] == ids
    assert _losses(document) == [
        ("/0/tool_calls/0", "call-id-invented"),
        ("/0/tool_calls/1", "call-id-invented"),
        ("/1", "call-id-invented"),
        ("/2", "call-id-invented"),
        ("/3", "foreign-message"),
    ]


def test_the_older_form_of_calls() -> None:
    document = [
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "1"},
    ]
    asked, result = _read(*document)
    assert asked["parts"][0]["payload"]["toolName"] == "f"
    assert result["role"] == "tool"
    assert result["parts"][0]["payload"]["toolCallId"] == asked["parts"][0]["payload"]["toolCallId"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a", {"content": "a"}),
        (None, {"content": ""}),
        (
            [{"type": "text", "text": "a"}],
            {"content": [{"kind": "text", "payload": {"text": "a"}}]},
        ),
        ({"a": 1}, {"content": {"a": 1}}),
        (5, {"content": "5", "structured": 5}),
    ],
)
def test_results_of_any_form(content: Any, expected: dict[str, Any]) -> None:
    (read,) = _read({"role": "tool", "tool_call_id": "c1", "content": content})
    assert read["parts"][0]["payload"] == {"toolCallId": "c1", "isError": False, **expected}


def test_the_name_of_a_tool_is_known_by_its_call() -> None:
    asked = {"role": "assistant", "tool_calls": [_call()]}
    said = {"role": "tool", "tool_call_id": "c1", "content": "1", "name": "look"}
    assert _losses([asked, said]) == []
    assert _losses([asked, {**said, "name": "other"}]) == [("/1/name", "foreign-member")]


# --- content --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "kind", "payload"),
    [
        (
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
            "image",
            {"mimeType": "image/png", "data": "iVBORw0KGgo="},
        ),
        (
            {"type": "image_url", "image_url": "https://a.test/b.png"},
            "image",
            {"mimeType": "image/png", "url": "https://a.test/b.png"},
        ),
        (
            {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
            "media",
            {"mimeType": "audio/mpeg", "source": {"kind": "inline", "data": "AAAA"}},
        ),
        (
            {"type": "file", "file": {"file_id": "file-12345678"}},
            "file_ref",
            {"path": "file-12345678"},
        ),
        (
            {"type": "file", "file": {"file_data": "data:text/plain,a%20b", "filename": "a.txt"}},
            "media",
            {
                "mimeType": "text/plain",
                "source": {"kind": "inline", "data": "YSBi"},
                "name": "a.txt",
            },
        ),
        (
            {"type": "video_url", "video_url": {"url": "https://a.test/b.mp4"}},
            "media",
            {"mimeType": "video/mp4", "source": {"kind": "url", "url": "https://a.test/b.mp4"}},
        ),
    ],
)
def test_media(part: Any, kind: str, payload: dict[str, Any]) -> None:
    assert _parts({"role": "user", "content": [part]}) == [(kind, payload)]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,*"}},
        {"type": "image_url", "image_url": {"url": "data:image/png"}},
        {"type": "image_url"},
        {"type": "input_audio", "input_audio": {"data": "AAAA"}},
        {"type": "hologram"},
        5,
    ],
)
def test_a_part_that_cannot_be_read_is_reported(part: Any) -> None:
    document = [{"role": "user", "content": [part, {"type": "text", "text": "a"}]}]
    assert _losses(document) == [("/0/content/0", "foreign-part")]
    assert [p["kind"] for p in _read(*document)[0]["parts"]] == ["text"]


def test_reasoning_of_vendors_goes_back_where_it_came_from() -> None:
    document = [
        {"role": "assistant", "content": "a", "reasoning_content": "r"},
        {"role": "assistant", "content": "a", "reasoning": "r"},
        {
            "role": "assistant",
            "content": "a",
            "reasoning_details": [{"type": "reasoning.text", "text": "r", "signature": "s"}],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "r"}]},
                {"type": "text", "text": "a"},
            ],
        },
    ]
    for message in _read(*document):
        assert [part["payload"]["text"] for part in message["parts"]] == ["r", "a"]
    assert _sent(document) == document
    assert _losses(document) == []


def test_reasoning_that_is_said_twice_is_read_once() -> None:
    message = {"role": "assistant", "content": "a", "reasoning_content": "r", "reasoning": "r"}
    assert [payload["text"] for _, payload in _parts(message)] == ["r", "a"]
    assert _losses([message]) == []
    assert _losses([{**message, "reasoning": "other"}]) == [("/0/reasoning", "foreign-member")]


def test_a_refusal_and_sound_go_back() -> None:
    document = [
        {"role": "assistant", "content": None, "refusal": "No."},
        {"role": "assistant", "content": None, "audio": {"id": "audio_1"}},
    ]
    assert _sent(document) == document


@pytest.mark.parametrize(
    ("start", "end", "lost"),
    [
        (0, 1, []),
        (0, 0, []),
        (0, 9, ["start_index", "end_index"]),
        (3, 2, ["start_index", "end_index"]),
    ],
)
def test_a_citation_has_a_place_in_the_text_or_none(start: int, end: int, lost: list[str]) -> None:
    cited = {"url": "https://a.test", "start_index": start, "end_index": end}
    annotation = {"type": "url_citation", "url_citation": cited}
    document = [{"role": "assistant", "content": "abc", "annotations": [annotation]}]
    (citation,) = _read(*document)[0]["parts"][0]["payload"]["citations"]
    assert ("start" in citation) == (end == 1)
    assert sorted(_losses(document), reverse=True) == [
        (f"/0/annotations/0/url_citation/{name}", "foreign-member") for name in lost
    ]


# --- a whole answer -------------------------------------------------------------------------------


def test_a_completion_says_what_it_is() -> None:
    document = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1767323045,
        "model": "model-1",
        "service_tier": None,
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "logprobs": None,
                "message": {
                    "role": "assistant",
                    "content": "a",
                    "refusal": None,
                    "annotations": [],
                    "audio": None,
                    "function_call": None,
                    "tool_calls": None,
                },
            }
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
    }
    result = read_given("openai-chat", document)
    (message,) = wire(result)
    assert message["timestamp"] == "2026-01-02T03:04:05Z"
    assert message["meta"] == {
        "modelId": "model-1",
        "requestId": "chatcmpl-1",
        "finishReason": "stop",
        "providerFinishReason": "stop",
        "usage": {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5},
    }
    assert [loss.code for loss in result.losses] == ["given"]


def test_an_answer_that_does_not_say_why_it_ended_is_whole() -> None:
    said = {"role": "assistant", "content": "a", "tool_calls": [_call()]}
    (message,) = wire(read_given("openai-chat", {"choices": [{"message": said}]}))
    assert [part["kind"] for part in message["parts"]] == ["text", "tool_call"]
    assert message["meta"] == {"finishReason": "unknown"}


# --- there and back -------------------------------------------------------------------------------

_TEXT = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
_ARGUMENTS = st.dictionaries(_TEXT, st.integers(-9, 9) | _TEXT | st.booleans(), max_size=2)


@st.composite
def _turns(draw: st.DrawFn) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": draw(_TEXT)}]
    for number in range(draw(st.integers(1, 3))):
        messages.append({"role": "user", "content": draw(_TEXT)})
        said: dict[str, Any] = {"role": "assistant", "content": draw(_TEXT)}
        if draw(st.booleans()):
            said[draw(st.sampled_from(["reasoning_content", "reasoning"]))] = draw(_TEXT)
        calls = [
            {
                "id": f"call_{number}_{each}",
                "type": "function",
                "function": {
                    "name": "look",
                    "arguments": json.dumps(
                        draw(_ARGUMENTS), ensure_ascii=False, separators=(",", ":")
                    ),
                },
            }
            for each in range(draw(st.integers(0, 2)))
        ]
        messages.append({**said, **({"tool_calls": calls} if calls else {})})
        messages += (
            {"role": "tool", "tool_call_id": call["id"], "content": draw(_TEXT)} for call in calls
        )
    return messages


@given(_turns())
def test_a_history_goes_there_and_back(document: list[dict[str, Any]]) -> None:
    assert _sent(document) == document
    assert _losses(document) == []


def test_long_histories_take_time_in_proportion() -> None:
    asked = {"role": "assistant", "tool_calls": [_call()]}
    said = {"role": "tool", "tool_call_id": "c1", "content": "1"}
    messages = read_given("openai-chat", [asked, said] * 1500).messages
    ids = {message.parts[0].payload.tool_call_id for message in messages}  # type: ignore[union-attr]
    assert len(ids) == 1500


def test_arguments_that_are_nested_too_deep_are_refused_where_they_stand() -> None:
    document = [{"role": "assistant", "tool_calls": [_call(arguments='{"a":' * 600)]}]
    with pytest.raises(ReadError) as caught:
        read_given("openai-chat", document)
    assert [each.pointer for each in caught.value.findings] == ["/0"]


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        (float("nan"), "document/not-finite"),
        ("\ud800", "document/lone-surrogate"),
        ({1: 2}, "shape/type"),
    ],
)
def test_what_is_not_json_is_refused(value: Any, rule: str) -> None:
    with pytest.raises(ReadError) as caught:
        read_given("openai-chat", [{"role": "user", "content": value}])
    assert rule in {each.rule for each in caught.value.findings}


def test_state_that_is_nested_too_deep_is_reported() -> None:
    deep: Any = []
    for _ in range(100):
        deep = [deep]
    message = {"role": "assistant", "content": "a", "reasoning_details": [{"type": "x", "y": deep}]}
    assert _losses([message]) == [("/0", "malformed-part")]
