"""Oddities of real streams that no other test shows; docs/quirks.md lists them all."""

from __future__ import annotations

from typing import Any

import pytest

from partwire.providers import OpaqueItem
from tests.chat_chunks import call, calls, chunk, finished, made, run, usage
from tests.provider_streams import Ran, run_events

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
    """Filters, moderation and metrics come before, between, after the finish, after the usage."""
    odd = {"id": "c1", "model": "gpt-1", "object": "chat.completion.chunk", **members}
    figures = usage(prompt_tokens=3, completion_tokens=2, total_tokens=5)
    texts = [chunk({"content": "a"}), odd, chunk({"content": "b"})]
    ran = run(odd, *texts, odd, chunk(None, "stop"), odd, figures, odd, "[DONE]")
    assert _text(ran) == [("text", "ab")]
    assert (ran.end, ran.usage["totalTokens"]) == ({"finishReason": "stop"}, 5)
    assert ran.rules == []


def test_a_closing_object_of_another_type_ends_the_answer() -> None:
    """Perplexity: the finish reason stands in ``chat.completion.done``, beside a whole message."""
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


def test_executed_tools_that_come_again_with_their_output_are_kept_twice() -> None:
    """Groq: first the call, then the same entry with what came of it. None is a call of ours."""
    entry = {"index": 0, "type": "search", "arguments": "{}"}
    again = {**entry, "output": "rain"}
    ran = finished(
        chunk({"executed_tools": [entry]}),
        chunk({"executed_tools": [again]}),
        chunk({"content": "Rain."}),
    )
    assert _text(ran) == [("text", "Rain.")]
    kept = [item.data for item in ran.adapter.opaque]
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
    block = {"type": f"{tool}_tool_result", "tool_use_id": "s", "content": [{"type": "x", "n": 1}]}
    ran = _claude({"type": "text", "text": "a"}, block, {"type": "text", "text": "b"})
    assert _text(ran) == [("text", "ab")]
    assert [item.data for item in ran.adapter.opaque] == [block]
    assert ran.adapter.opaque[0][2:] == (0, 1, 1)


def test_a_block_that_says_which_model_went_on_is_kept() -> None:
    """A block of a type that has no text: kept where it stood, and said."""
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
