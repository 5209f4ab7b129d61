"""Histories of Responses, item by item."""

from __future__ import annotations

from typing import Any

import pytest

from partwire.errors import ReadError
from partwire.providers.requests import encode_request
from tests.formats.laws import read_given, wire


def _read(document: Any) -> list[Any]:
    return wire(read_given("openai-responses", document))


def _losses(document: Any) -> list[tuple[str, str]]:
    losses = read_given("openai-responses", document).losses
    return [(loss.pointer, loss.code) for loss in losses if loss.code != "given"]


def _kinds(document: Any) -> list[tuple[str, list[str]]]:
    return [
        (message["role"], [part["kind"] for part in message["parts"]])
        for message in _read(document)
    ]


def _sent(document: Any) -> Any:
    messages = read_given("openai-responses", document).messages
    config = {"provider": "any", "modelId": "m"}
    return encode_request("openai-responses", messages, config=config).body["input"]


_USER = {"role": "user", "content": "a"}
_REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed"}
_CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "c1",
    "name": "look",
    "arguments": '{"a":1}',
}
_RESULT = {"type": "function_call_output", "call_id": "c1", "output": "b"}


def _message(text: str = "b", **members: Any) -> dict[str, Any]:
    return {
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "id": "msg_1",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
        **members,
    }


def _search(**members: Any) -> dict[str, Any]:
    action = {"type": "search", "query": "q"}
    return {
        "type": "web_search_call",
        "id": "ws_1",
        "status": "completed",
        "action": action,
        **members,
    }


# --- what one message is --------------------------------------------------------------------------


def test_the_items_of_an_answer_are_one_message() -> None:
    document = [_USER, _REASONING, _message(), _CALL, _RESULT, _message("c", id="msg_2")]
    assert _kinds(document) == [
        ("user", ["text"]),
        ("assistant", ["text", "tool_call"]),
        ("tool", ["tool_result"]),
        ("assistant", ["text"]),
    ]
    assert _sent(document) == document
    assert _losses(document) == []


def test_messages_without_id_are_one_each() -> None:
    document = [
        _USER,
        {"role": "assistant", "content": "b"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "c"}]},
    ]
    assert [message["parts"][0]["payload"] for message in _read(document)[1:]] == [
        {"text": "b"},
        {"text": "c"},
    ]


@pytest.mark.parametrize(
    "document",
    [
        {"model": "m", "input": "a"},
        {"model": "m", "input": [_USER]},
        {"model": "m", "input": _USER},
        [_USER],
        _USER,
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]},
    ],
)
def test_what_people_store(document: Any) -> None:
    (message,) = _read(document)
    assert (message["role"], message["parts"]) == (
        "user",
        [{"kind": "text", "payload": {"text": "a"}}],
    )


def test_instructions_stand_first() -> None:
    document = {"instructions": "Be short.", "input": [_USER]}
    assert _kinds(document) == [("system", ["text"]), ("user", ["text"])]
    assert _losses({"instructions": [_USER], "input": []}) == [("/instructions", "request-member")]


@pytest.mark.parametrize(
    ("document", "place"),
    [
        (5, ""),
        ({}, ""),
        ([5], "/0"),
        ([{"content": "a"}], "/0"),
        ([{"type": 5, "role": "user"}], "/0"),
        ([{"type": "message", "content": "a"}], "/0/role"),
        ({"input": 5}, "/input"),
        ({"output": {}}, "/output"),
    ],
)
def test_what_is_not_of_the_format_is_refused(document: Any, place: str) -> None:
    with pytest.raises(ReadError) as caught:
        read_given("openai-responses", document)
    assert [(each.rule, each.pointer) for each in caught.value.findings] == [
        ("format/wrong-shape", place)
    ]


# --- calls and results ----------------------------------------------------------------------------


def test_custom_tools() -> None:
    document = [
        {"type": "custom_tool_call", "call_id": "c1", "name": "paint", "input": "red"},
        {"type": "custom_tool_call_output", "call_id": "c1", "output": "ok"},
    ]
    call, _ = _read(document)
    assert call["parts"][0]["payload"]["rawArgsText"] == "red"
    assert _sent(document) == document
    assert _losses(document) == []


def test_outputs_are_text_or_parts() -> None:
    output = [
        {"type": "input_text", "text": "b"},
        {
            "type": "input_image",
            "image_url": "data:image/png;base64,iVBORw0KGgo=",
            "detail": "auto",
        },
        {"type": "input_file", "file_url": "https://a.test/b.pdf"},
    ]
    document = [_CALL, {**_RESULT, "output": output}]
    content = _read(document)[1]["parts"][0]["payload"]["content"]
    assert [part["kind"] for part in content] == ["text", "image", "media"]
    assert [item["type"] for item in _sent(document)[1]["output"]] == [
        "input_text",
        "input_image",
        "input_file",
    ]


def test_an_id_that_is_used_again_is_that_of_the_last_call() -> None:
    document = [_CALL, _RESULT, {**_CALL, "id": "fc_2"}, _RESULT]
    ids = [message["parts"][0]["payload"]["toolCallId"] for message in _read(document)]
    assert ids[0] == ids[1] == "c1"
    assert ids[2] == ids[3] != "c1"


def test_what_the_call_says_need_not_be_said_again() -> None:
    call = {**_CALL, "caller": {"type": "program", "caller_id": "p"}}
    said = {**_RESULT, "name": "look", "caller": {"type": "program", "caller_id": "p"}}
    assert _losses([call, said]) == []
    assert _losses([call, {**said, "name": "other"}]) == [("/1/name", "foreign-member")]


def test_a_call_without_a_name_is_reported_where_it_stands() -> None:
    document = [_message(), {**_CALL, "name": ""}, {**_CALL, "call_id": "c2"}]
    assert _losses(document) == [("/1", "malformed-part")]


# --- tools of the provider ------------------------------------------------------------------------


def test_tools_of_the_provider_are_calls_with_results() -> None:
    document = [_USER, _REASONING, _search(), _message()]
    assert _kinds(document)[1] == (
        "assistant",
        ["server_tool_call", "server_tool_result", "text"],
    )
    assert _sent(document) == document
    assert _losses(document) == []


def test_approvals() -> None:
    document = [
        _USER,
        {
            "type": "mcp_approval_request",
            "id": "mcpr_1",
            "name": "delete",
            "arguments": '{"id":1}',
            "server_label": "s",
        },
        {
            "type": "mcp_approval_response",
            "approval_request_id": "mcpr_1",
            "approve": False,
            "reason": "No.",
        },
    ]
    _, asked, answered = _read(document)
    assert [part["kind"] for part in asked["parts"]] == ["server_tool_call", "approval_request"]
    assert answered["parts"] == [
        {
            "kind": "approval_response",
            "payload": {
                "approvalId": "mcpr_1",
                "toolCallId": "mcpr_1",
                "decision": "denied",
                "reason": "No.",
            },
        }
    ]
    assert _sent(document) == document
    assert _losses(document) == []


def test_tools_that_the_caller_runs_for_the_provider_stay_in_the_answer() -> None:
    document = [
        _USER,
        {"type": "computer_call", "id": "cu_1", "call_id": "c1", "action": {"type": "wait"}},
        {
            "type": "computer_call_output",
            "call_id": "c1",
            "output": {"type": "computer_screenshot", "file_id": "file-12345678"},
        },
    ]
    assert [role for role, _ in _kinds(document)] == ["user", "assistant"]
    assert _sent(document) == document
    assert _losses(document) == []


@pytest.mark.parametrize(
    "item",
    [
        {"type": "compaction", "id": "cmp_1", "encrypted_content": "sealed"},
        {"type": "item_reference", "id": "msg_9"},
        {"type": "additional_tools", "role": "developer", "tools": []},
        {"type": "vendor:thing", "id": "v_1", "data": [1]},
    ],
)
def test_what_the_provider_keeps_for_itself_goes_back(item: dict[str, Any]) -> None:
    assert _sent([item, _USER]) == [item, _USER]
    assert _losses([item, _USER]) == []


def test_a_reference_needs_no_type() -> None:
    assert _sent([{"id": "msg_9"}, _USER])[0] == {"type": "item_reference", "id": "msg_9"}


def test_annotations_are_citations_and_go_back() -> None:
    annotation = {
        "type": "url_citation",
        "url": "https://a.test",
        "title": "A",
        "start_index": 0,
        "end_index": 1,
    }
    content = [{"type": "output_text", "text": "b", "annotations": [annotation]}]
    document = [_USER, _message(content=content)]
    (cited,) = _read(document)[1]["parts"][0]["payload"]["citations"]
    assert cited["source"] == {"kind": "url", "url": "https://a.test", "title": "A"}
    assert _sent(document) == document


# --- content --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "part",
    [
        {"type": "input_image", "image_url": "data:image/png;base64,*"},
        {"type": "input_image", "detail": "auto"},
        {"type": "input_file"},
        {"type": "input_audio", "input_audio": {}},
        {"type": "hologram"},
        "a",
        None,
    ],
)
def test_a_part_that_cannot_be_read_is_reported(part: Any) -> None:
    document = [{"role": "user", "content": [part, {"type": "input_text", "text": "a"}]}]
    assert _losses(document) == [("/0/content/0", "foreign-part")]


def test_files_by_id_go_back() -> None:
    content = [
        {"type": "input_image", "file_id": "file-12345678", "detail": "auto"},
        {"type": "input_file", "file_id": "file-12345679"},
    ]
    assert _sent([{"role": "user", "content": content}])[0]["content"] == content


# --- a whole response -----------------------------------------------------------------------------


def test_a_response_says_what_it_is() -> None:
    document = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1767323045,
        "status": "completed",
        "model": "model-1",
        "error": None,
        "output": [_REASONING, _message(), _CALL],
        "usage": {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5},
    }
    result = read_given("openai-responses", document)
    (message,) = wire(result)
    assert message["timestamp"] == "2026-01-02T03:04:05Z"
    assert message["meta"] == {
        "modelId": "model-1",
        "requestId": "resp_1",
        "finishReason": "tool_calls",
        "providerFinishReason": "completed",
        "usage": {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5},
    }
    assert _sent(document) == document["output"]
    assert [loss.code for loss in result.losses] == ["given"]


@pytest.mark.parametrize("status", ["failed", "cancelled", "in_progress", "queued", "strange"])
def test_a_response_that_did_not_end_well_keeps_what_it_said(status: str) -> None:
    error = {"code": "server_error", "message": "x"} if status == "failed" else None
    document = {"status": status, "error": error, "output": [_message()]}
    (message,) = _read(document)
    assert message["parts"][0]["payload"]["text"] == "b"
    assert message["meta"].get("finishReason") != "stop"
    if status not in ("failed", "cancelled"):
        assert message["meta"]["providerFinishReason"] == status


# --- the Agents SDK -------------------------------------------------------------------------------


def _session(document: Any) -> list[Any]:
    return wire(read_given("openai-agents", document))


def test_agents_are_authors_and_answers_of_one_agent_each() -> None:
    document = [
        {**_message(), "agent": "scout"},
        {"type": "message_output_item", "agent": {"name": "chief"}, "raw_item": _message("c")},
    ]
    assert [message["author"] for message in _session(document)] == [
        {"agentPath": ["scout"]},
        {"agentPath": ["chief"]},
    ]


def test_what_the_sdk_adds_is_reported_and_does_not_go_to_the_provider() -> None:
    document = [_USER, {**_CALL, "id": "__fake_id__", "provider_data": {"model": "m"}}, _RESULT]
    result = read_given("openai-agents", document)
    assert [(each.pointer, each.code) for each in result.losses][1:] == [
        ("/1/provider_data/model", "foreign-member")
    ]
    config = {"provider": "any", "modelId": "m"}
    sent = encode_request("openai-responses", result.messages, config=config).body["input"]
    assert sent[1] == {name: value for name, value in _CALL.items() if name != "id"}


def test_the_names_of_javascript() -> None:
    document = [
        {"type": "reasoning", "id": "rs_1", "content": [{"type": "input_text", "text": "r"}]},
        {
            "type": "hosted_tool_call",
            "id": "ws_1",
            "name": "web_search_call",
            "status": "completed",
            "providerData": {"type": "web_search_call", "action": {"type": "search", "query": "q"}},
        },
        {"type": "function_call", "callId": "c1", "name": "look", "arguments": '{"a":1}'},
        {
            "type": "function_call_result",
            "callId": "c1",
            "name": "look",
            "status": "completed",
            "output": {"type": "text", "text": "b"},
        },
    ]
    result = read_given("openai-agents", document)
    said, answered = wire(result)
    assert [part["kind"] for part in said["parts"]] == [
        "thinking",
        "server_tool_call",
        "server_tool_result",
        "tool_call",
    ]
    assert answered["parts"][0]["payload"]["content"] == [
        {"kind": "text", "payload": {"text": "b"}}
    ]
    assert [each.code for each in result.losses] == ["given"]


def test_long_histories_take_time_in_proportion() -> None:
    messages = read_given("openai-responses", [_CALL, _RESULT] * 1500).messages
    assert len(messages) == 3000
