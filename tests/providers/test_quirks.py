"""Oddities of real streams that no other test shows; docs/quirks.md lists them all."""

from __future__ import annotations

from typing import Any

import pytest

from partwire.providers import OpaqueItem
from tests.providers.chat_chunks import call, calls, chunk, finished, made, run, usage
from tests.providers.provider_streams import Ran, run_events

CLAUDE = "anthropic-messages"

# --- openai-chat ---------------------------------------------------------------------------------


def _text(ran: Ran) -> list[Any]:
    return [(part["kind"], part["payload"].get("text")) for part in ran.parts]


@pytest.mark.parametrize(
    "delta",
    [
        {"role": "assistant"},
        {"role": None},
        {"tool_calls": None},
        {"tool_calls": []},
        {"function_call": None},
        {"refusal": None},
        {"audio": None},
        {"name": None},
        {"reasoning": None, "reasoning_content": None, "reasoning_details": []},
        {"annotations": []},
    ],
    ids=str,
)
def test_members_that_say_nothing_in_every_delta(delta: dict[str, Any]) -> None:
    ran = finished(*[chunk({"content": word, **delta}) for word in ("Ber", "gen")])
    assert _text(ran) == [("text", "Bergen")]
    assert ran.rules == []
    assert ran.adapter.opaque == []


@pytest.mark.parametrize(
    "members",
    [
        {"obfuscation": "x7Kd"},
        {"system_fingerprint": None, "service_tier": "default"},
        {"object": None},
        {"object": ""},
        {"provider": "Vendor", "time_info": {"total_time": 0.1}},
        {"p": "abcdef"},
    ],
    ids=str,
)
def test_members_beside_the_choices_that_change_nothing(members: dict[str, Any]) -> None:
    """Padding, tiers, empty types: the text is whole, and nothing is a surprise."""
    ran = finished(*[chunk({"content": word}, **members) for word in ("Ber", "gen")])
    assert _text(ran) == [("text", "Bergen")]
    assert ran.rules == []


@pytest.mark.parametrize(
    "members",
    [
        {"native_finish_reason": "STOP"},
        {"content_filter_results": {"hate": {"filtered": False}}},
        {"content_filter_offsets": {"end_offset": 9}},
        {"logprobs": None},
        {"matched_stop": 7},
        {"stop_reason": None},
    ],
    ids=str,
)
def test_members_of_the_choice_that_change_nothing(members: dict[str, Any]) -> None:
    first, last = chunk({"content": "a"}), chunk({"content": "b"}, "length")
    for event in (first, last):
        event["choices"][0].update(members)
    ran = run(first, last, "[DONE]")
    assert _text(ran) == [("text", "ab")]
    assert ran.end == {"finishReason": "length"}
    assert ran.rules == []


@pytest.mark.parametrize("members", [{}, {"choices": None}, {"choices": []}], ids=str)
def test_events_without_choices_may_come_anywhere(members: dict[str, Any]) -> None:
    """FIN-02: filters, moderation and metrics may come anywhere, behind the usage as well."""
    odd = {"id": "c1", "model": "gpt-1", "object": "chat.completion.chunk", **members}
    figures = usage(prompt_tokens=3, completion_tokens=2, total_tokens=5)
    texts = [chunk({"content": "a"}), odd, chunk({"content": "b"})]
    ran = run(odd, *texts, odd, chunk(None, "stop"), odd, figures, odd, "[DONE]")
    assert _text(ran) == [("text", "ab")]
    assert (ran.end, ran.usage["totalTokens"]) == ({"finishReason": "stop"}, 5)
    assert ran.rules == []


def test_a_closing_object_of_another_type_ends_the_answer() -> None:
    """Perplexity: the finish reason is in ``chat.completion.done``, beside a whole message."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": "Bergen"},
        "delta": {"role": "assistant", "content": ""},
        "finish_reason": "stop",
    }
    done = {"id": "c1", "model": "s", "object": "chat.completion.done", "choices": [choice]}
    ran = run(chunk({"content": "Ber"}), chunk({"content": "gen"}), done)
    assert _text(ran) == [("text", "Bergen")]
    assert ran.end == {"finishReason": "stop"}
    assert ran.rules == []


def test_executed_tools_that_come_again_with_their_output_are_one_call() -> None:
    """Groq: first the call, then the same entry with what came of it. None is a call of ours."""
    entry = {"index": 0, "type": "search", "arguments": "{}"}
    again = {**entry, "output": "rain"}
    chunks = (
        chunk({"executed_tools": [entry]}),
        chunk({"executed_tools": [again]}),
        chunk({"content": "Rain."}),
    )
    ran = finished(*chunks)
    assert [part["kind"] for part in ran.parts] == [
        "server_tool_call",
        "server_tool_result",
        "text",
    ]
    assert ran.adapter.opaque == []
    older = finished(*chunks, version="v0.2")
    assert _text(older) == [("text", "Rain.")]
    kept = [item.data for item in older.adapter.opaque]
    assert entry in kept
    assert again in kept


def test_calls_whose_first_delta_has_all_beside_the_finish_reason() -> None:
    """Mistral, Ollama: one chunk with text, a whole call without a type, finish and usage."""
    event = calls({"id": "a", "function": {"name": "f", "arguments": '{"x":1}'}})
    event["choices"][0]["finish_reason"] = "tool_calls"
    event["usage"] = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    ran = run(event, "[DONE]")
    assert made(ran) == [("a", "f", {"x": 1})]
    assert ran.end == {"finishReason": "tool_calls"}
    assert ran.usage["totalTokens"] == 5


def test_a_first_index_of_one_is_a_first_call() -> None:
    """Anthropic's endpoint for the chat dialect numbers calls by its content blocks."""
    ran = finished(
        chunk({"content": "I look."}),
        calls(call(1, "a", "f", "")),
        calls(call(1, None, None, '{"x":1}')),
    )
    assert [part["kind"] for part in ran.parts] == ["text", "tool_call"]
    assert ran.parts[1]["payload"]["arguments"] == {"x": 1}
    assert ran.rules == []


# --- anthropic-messages --------------------------------------------------------------------------


def _claude(*blocks: dict[str, Any], last: dict[str, Any] | None = None) -> Ran:
    events: list[Any] = [{"type": "message_start", "message": {"id": "m", "model": "x"}}]
    for index, block in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events.append({"type": "content_block_stop", "index": index})
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, **(last or {})}
    return run_events(CLAUDE, [*events, end, {"type": "message_stop"}])


@pytest.mark.parametrize(
    "tool",
    [
        "web_search",
        "web_fetch",
        "mcp",
        "code_execution",
        "bash_code_execution",
        "text_editor_code_execution",
        "tool_search",
        "advisor",
        "not_yet_published",
    ],
)
def test_results_of_server_tools_come_whole_and_are_kept(tool: str) -> None:
    kind = f"{tool}_tool_result"
    block = {"type": kind, "tool_use_id": "s", "content": [{"type": "x", "n": 1}]}
    ran = _claude({"type": "text", "text": "a"}, block, {"type": "text", "text": "b"})
    kinds = [part["kind"] for part in ran.parts]
    assert kinds == ["text", "server_tool_result", "text"]
    assert ran.adapter.opaque == [OpaqueItem(kind, block, 1)]
    assert ran.rules == []


def test_a_block_that_says_which_model_went_on_is_kept() -> None:
    """A block of a type that has no text: kept where it was, and said."""
    block = {"type": "fallback", "from": {"model": "x"}, "to": {"model": "y"}}
    ran = _claude({"type": "text", "text": "a"}, block, {"type": "text", "text": "b"})
    assert _text(ran) == [("text", "ab")]
    assert OpaqueItem("fallback", block, 0, 1, 1) in ran.adapter.opaque


def test_usage_by_iterations_does_not_count_twice() -> None:
    """The outer figures are the answer's; those of the iterations are not added to them."""
    steps = [{"type": "message", "input_tokens": 90, "output_tokens": 9}] * 2
    figures = {"input_tokens": 4, "output_tokens": 3, "iterations": steps}
    ran = _claude({"type": "text", "text": "a"}, last={"usage": figures})
    assert ran.usage == {"inputTokens": 4, "outputTokens": 3, "totalTokens": 7}


# --- openai-responses ----------------------------------------------------------------------------

RESPONSES = "openai-responses"


def _response(*events: dict[str, Any]) -> Ran:
    first = {"type": "response.created", "response": {"id": "r", "model": "x"}}
    last = {"type": "response.completed", "response": {"id": "r", "status": "completed"}}
    return run_events(RESPONSES, [first, *events, last])


def _piece(text: str, **members: Any) -> dict[str, Any]:
    place = {"item_id": "msg", "output_index": 0, "content_index": 0}
    return {"type": "response.output_text.delta", **place, "delta": text, **members}


@pytest.mark.parametrize(
    "numbers",
    [(None, None), (1, 2), (7, 9), (4, 4), (9, 3)],
    ids=["none", "from 1", "gap", "repeat", "falling"],
)
def test_sequence_numbers_and_padding_change_nothing(numbers: tuple[int | None, ...]) -> None:
    pieces = [
        _piece(word, obfuscation="q8", **({} if number is None else {"sequence_number": number}))
        for word, number in zip(("Ber", "gen"), numbers, strict=True)
    ]
    item = {"type": "message", "id": "msg", "role": "assistant", "content": []}
    ran = _response(
        {"type": "response.output_item.added", "output_index": 0, "item": item}, *pieces
    )
    assert _text(ran) == [("text", "Bergen")]
    assert ran.rules == []


@pytest.mark.parametrize("members", [{}, {"logprobs": []}, {"logprobs": None}], ids=str)
def test_text_needs_neither_its_item_nor_its_part_nor_logprobs(members: dict[str, Any]) -> None:
    assert _text(_response(_piece("a", **members))) == [("text", "a")]


def test_a_call_whose_call_id_changes_is_one_call() -> None:
    item = {"type": "function_call", "id": "fc", "name": "f", "arguments": "", "call_id": "one"}
    ended = {**item, "call_id": "two", "arguments": '{"x":1}'}
    ran = _response(
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": ended},
    )
    assert [part["payload"]["arguments"] for part in ran.parts] == [{"x": 1}]


@pytest.mark.parametrize(
    "item",
    [
        {"type": "shell_call_output", "call_id": "c", "output": [{"stdout": "1"}]},
        {"type": "tool_search_output", "call_id": None, "execution": "server", "tools": []},
        {"type": "program_output", "id": "p", "call_id": "c", "output": "1"},
        {"type": "not_yet_published", "id": "n", "content": "?"},
    ],
    ids=lambda item: str(item["type"]),
)
def test_outputs_of_the_providers_tools_are_kept(item: dict[str, Any]) -> None:
    ran = _response(
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {**_piece("Rain."), "output_index": 1},
    )
    assert [part for part in _text(ran) if part[0] == "text"] == [("text", "Rain.")]
    assert item in [kept.data for kept in ran.adapter.opaque]


TOOL_EVENTS = [
    f"response.{name}"
    for tool, steps in {
        "apply_patch_call_operation_diff": ("delta", "done"),
        "code_interpreter_call": ("in_progress", "interpreting", "completed"),
        "file_search_call": ("in_progress", "searching", "completed"),
        "image_generation_call": ("in_progress", "generating", "partial_image", "completed"),
        "mcp_call": ("in_progress", "completed", "failed"),
        "mcp_list_tools": ("in_progress", "completed", "failed"),
        "reasoning_part": ("added", "done"),
        "shell_call_command": ("added", "delta", "done"),
        "shell_call_output_content": ("delta", "done"),
        "web_search_call": ("in_progress", "searching", "completed"),
    }.items()
    for name in [f"{tool}.{step}" for step in steps]
]


@pytest.mark.parametrize("kind", ["response.queued", *TOOL_EVENTS])
def test_events_of_tools_write_nothing_and_surprise_nobody(kind: str) -> None:
    event = {"type": kind, "output_index": 0, "item_id": "i", "delta": "not for you"}
    ran = _response({**_piece("a"), "output_index": 1}, event, {**_piece("b"), "output_index": 1})
    assert _text(ran) == [("text", "ab")]
    assert "adapter/unknown-event" not in ran.rules


# --- gemini, bedrock-converse --------------------------------------------------------------------


@pytest.mark.parametrize("content", [{}, {"role": "model"}, None, {"parts": []}], ids=str)
def test_a_candidate_of_gemini_may_have_nothing_to_say(content: Any) -> None:
    def event(body: Any, **more: Any) -> dict[str, Any]:
        return {"candidates": [{"content": body, **more}], "modelVersion": "g", "responseId": "r"}

    said = [event({"parts": [{"text": word}]}) for word in ("Ber", "gen")]
    ran = run_events(
        "gemini",
        [event(content), said[0], event(content), said[1], event(content, finishReason="STOP")],
    )
    assert _text(ran) == [("text", "Bergen")]
    assert ran.end == {"finishReason": "stop"}
    assert ran.rules == []


def test_padding_of_bedrock_says_nothing() -> None:
    events = [
        {"messageStart": {"role": "assistant", "p": "abc"}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Hi"}, "p": "abcdef"}},
        {"contentBlockStop": {"contentBlockIndex": 0, "p": "a"}},
        {"messageStop": {"stopReason": "end_turn", "p": "abcdefg"}},
    ]
    ran = run_events("bedrock-converse", events)
    assert _text(ran) == [("text", "Hi")]
    assert ran.rules == []


@pytest.mark.parametrize("kind", [{}, {"type": "tool_use"}, {"type": None}], ids=str)
def test_a_call_of_bedrock_may_say_that_it_is_one(kind: dict[str, Any]) -> None:
    """``server_tool_use`` alone is the provider's own."""
    start = {"toolUse": {"toolUseId": "t", "name": "f", **kind}}
    events = [
        {"contentBlockStart": {"contentBlockIndex": 3, "start": start}},
        {"contentBlockDelta": {"contentBlockIndex": 3, "delta": {"toolUse": {"input": "{}"}}}},
        {"contentBlockStop": {"contentBlockIndex": 3}},
        {"messageStop": {"stopReason": "tool_use"}},
    ]
    ran = run_events("bedrock-converse", events)
    assert made(ran) == [("t", "f", {})]
    assert ran.adapter.opaque == []
