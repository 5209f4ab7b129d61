"""The chat adapter: what the fixtures cannot say (provider state, odd types, rare shapes)."""

from __future__ import annotations

from typing import Any

import pytest

from partwire import validate
from partwire.providers import OpaqueItem
from tests.providers.chat_chunks import call, chunk, finished, run, usage
from tests.providers.provider_streams import ODD, assembled, broken_copies

# --- content -------------------------------------------------------------------------------------


def test_reasoning_details_count_where_they_stand_alone() -> None:
    details = [
        {"type": "reasoning.summary", "summary": "S"},
        {"type": "reasoning.text", "text": "T", "signature": "c2ln"},
        {"type": "reasoning.encrypted", "data": "ZW5j"},
        "odd",
    ]
    ran = finished(chunk({"reasoning_details": details}), chunk({"reasoning_details": 5}))
    assert ran.parts == [{"kind": "thinking", "payload": {"text": "ST"}}]
    assert ran.adapter.opaque == [
        OpaqueItem("reasoning_member", "reasoning_details", 0, 2, 2),
        OpaqueItem("reasoning_details", details[:3], 0, 2, 2),
    ]
    assert ran.rules == ["adapter/invalid-event"] * 2


def test_encrypted_reasoning_without_text_is_kept_for_the_answer() -> None:
    detail = {"type": "reasoning.encrypted", "data": "ZW5j"}
    ran = finished(chunk({"content": "a"}), chunk({"reasoning_details": [detail]}))
    assert ran.adapter.opaque == [OpaqueItem("reasoning_details", [detail], 0, 1, 1)]


def test_reasoning_details_in_pieces_are_kept_as_the_wholes_that_they_make() -> None:
    """BLK-12: they go back as they would have come at once."""
    pieces: list[dict[str, Any]] = [
        {"type": "reasoning.text", "text": "Let ", "index": 0, "format": "f", "signature": None},
        {"type": "reasoning.text", "text": "me", "index": 0, "format": "f"},
        {"type": "reasoning.text", "signature": "c2ln", "index": 0, "format": "f"},
        {"type": "reasoning.text", "text": "more", "index": 1},
        {"type": "reasoning.text", "text": "!"},
        {"type": "reasoning.text", "signature": "MQ==", "index": 1},
        {"type": "reasoning.text", "text": "unnumbered, and after a signature"},
        {"type": "reasoning.summary", "summary": "S", "index": 3},
        {"type": "reasoning.encrypted", "data": "QQ==", "id": "rs_1", "index": 4},
        {"type": "reasoning.encrypted", "data": "Qg==", "id": "rs_1", "index": 4},
    ]
    ran = finished(*(chunk({"reasoning": "x", "reasoning_details": [piece]}) for piece in pieces))
    assert {item.kind: item.data for item in ran.adapter.opaque} == {
        "reasoning_member": "reasoning",
        "reasoning_details": [
            {
                "type": "reasoning.text",
                "text": "Let me",
                "index": 0,
                "format": "f",
                "signature": "c2ln",
            },
            {"type": "reasoning.text", "text": "more!", "index": 1, "signature": "MQ=="},
            {"type": "reasoning.text", "text": "unnumbered, and after a signature"},
            {"type": "reasoning.summary", "summary": "S", "index": 3},
            {"type": "reasoning.encrypted", "data": "QQ==", "id": "rs_1", "index": 4},
            {"type": "reasoning.encrypted", "data": "Qg==", "id": "rs_1", "index": 4},
        ],
    }


@pytest.mark.parametrize("member", ["reasoning_content", "reasoning"])
def test_the_member_that_reasoning_came_in_is_kept(member: str) -> None:
    """BLK-12: a vendor wants its reasoning back, and under its own name."""
    ran = finished(chunk({member: "a"}), chunk({"content": "b"}))
    assert ran.adapter.opaque == [OpaqueItem("reasoning_member", member, 1, 1, 1)]


def test_where_a_refusal_stands_is_kept() -> None:
    ran = finished(
        chunk({"content": "Hm. "}), chunk({"refusal": "I "}), chunk({"refusal": "won't"})
    )
    assert ran.adapter.opaque == [OpaqueItem("refusal", True, 0, 4, 11)]
    ran = finished(chunk({"reasoning": "r"}), chunk({"refusal": "No"}))
    assert ran.adapter.opaque[0] == OpaqueItem("refusal", True, 1, 0, 2)


def test_what_google_wants_back_with_a_call_is_kept() -> None:
    """BLK-09."""
    extra = {"google": {"thought_signature": "QQ=="}}
    call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}}
    ran = finished(
        chunk({"content": "a", "extra_content": extra}),
        chunk({"tool_calls": [{**call, "extra_content": extra}]}),
    )
    assert ran.adapter.opaque == [
        OpaqueItem("extra_content", extra, 0, 1, 1),
        OpaqueItem("extra_content", extra, 1),
    ]


def test_reasoning_of_another_type_gives_way_to_the_other_field() -> None:
    ran = finished(chunk({"reasoning_content": {"a": 1}, "reasoning": "r"}))
    assert ran.parts == [{"kind": "thinking", "payload": {"text": "r"}}]
    assert ran.rules == ["adapter/invalid-event"]


def test_content_parts_of_every_kind() -> None:
    content = [
        "plain ",
        {"type": "text", "text": "text "},
        {"type": "refusal", "refusal": "no"},
        {"type": "thinking", "thinking": "why", "signature": "cw=="},
        {"type": "thinking", "thinking": [{"type": "text", "text": "!"}, {"type": "odd"}, 5, None]},
        {"type": "reference", "reference_ids": [1]},
        {"type": "text", "text": None},
        7,
    ]
    ran = finished(chunk({"content": content}), chunk({"content": {"a": 1}}))
    assert ran.parts == [
        {"kind": "text", "payload": {"text": "plain text no"}},
        {"kind": "thinking", "payload": {"text": "why!"}},
    ]
    assert ran.end == {"finishReason": "refusal"}
    kinds = [item.kind for item in ran.adapter.opaque]
    assert kinds == ["signature", "content_part", "content_part", "reasoning_member"]
    assert ran.rules.count("adapter/unsupported-content") == 2
    assert ran.rules.count("adapter/invalid-event") == 4


def test_a_refusal_does_not_hide_another_finish_reason() -> None:
    ran = run(chunk({"refusal": "I"}), chunk(None, "length"), "[DONE]")
    assert ran.end == {"finishReason": "length"}
    assert run(chunk({"refusal": 5}), chunk(None, "stop")).end == {"finishReason": "stop"}


def test_messages_so_far_are_taken_apart() -> None:
    def so_far(content: Any, **message: Any) -> dict[str, Any]:
        choice = {"index": 0, "message": {"content": content, **message}, "finish_reason": None}
        return {"id": "c1", "model": "m", "choices": [choice]}

    ran = run(
        so_far("Ber", reasoning="a"),
        so_far("Bergen", reasoning="ab"),
        so_far("Bergen", tool_calls=[call(0, "t", "f", "{}")]),
        so_far("Oslo"),
        chunk(None, "stop"),
    )
    text = "".join(p["payload"]["text"] for p in ran.parts if p["kind"] == "text")
    thinking = "".join(p["payload"]["text"] for p in ran.parts if p["kind"] == "thinking")
    assert (text, thinking) == ("Bergen", "ab")
    assert ran.rules == ["adapter/whole-body", "adapter/invalid-event"]
    assert "tool_call" in [part["kind"] for part in ran.parts]


def test_a_closing_message_adds_only_what_no_delta_said() -> None:
    message = {"content": "Hi", "reasoning": "r", "tool_calls": [call(0, "t", "f", "{}")]}
    closing = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    ran = run(chunk({"reasoning": "r"}), closing)
    assert [part["kind"] for part in ran.parts] == ["thinking", "text", "tool_call"]
    assert run(chunk({"content": "Hi"}), {"choices": [{"message": 5}]}).rules == [
        "adapter/invalid-event"
    ]


def test_a_role_alone_makes_no_part_and_an_empty_answer_is_one() -> None:
    """BLK-15."""
    assert finished(chunk({"role": "assistant", "content": ""})).parts == []


def test_citations_of_the_answer_are_kept_once() -> None:
    ran = finished(
        chunk({"content": "a"}, citations=["x"]), chunk({"content": "b"}, search_results=[1])
    )
    assert ran.adapter.opaque == [
        OpaqueItem("citations", ["x"], 0, 2, 2),
        OpaqueItem("search_results", [1], 0, 2, 2),
    ]


# --- names, choices and usage --------------------------------------------------------------------


def test_the_first_names_count() -> None:
    """ORD-12; Azure: no names in the first chunk, another id later."""
    ran = finished(
        {"id": "", "model": "", "choices": []},
        chunk({"content": "a"}, id="one"),
        chunk({"content": "b"}, id="two"),
    )
    assert (ran.adapter.model_id, ran.adapter.request_id) == ("gpt-1", "one")
    assert ran.start["requestId"] == "one"


def test_content_does_not_wait_for_names() -> None:
    ran = finished({"choices": [{"delta": {"content": "a"}}], "model": "m"})
    assert ran.start["modelId"] == "m"
    assert ran.start["requestId"] == "unknown"


def test_long_names_are_cut() -> None:
    assert finished(chunk(model="m" * 600)).start["modelId"] == "m" * 512
    assert len(finished(chunk(id="i" * 600)).start["requestId"]) == 512


def test_choices_without_index_count_by_place() -> None:
    first, second = ({"delta": {"content": text}} for text in "ab")
    ran = finished({"choices": [first, second, "odd"]})
    assert ran.parts[0]["payload"]["text"] == "a"
    assert set(ran.rules) == {"adapter/other-choice", "adapter/invalid-event"}


def test_a_choice_number_of_another_type_counts_by_place() -> None:
    ran = finished({"choices": [{"index": "zero", "delta": {"content": "a"}}]})
    assert ran.parts[0]["payload"]["text"] == "a"
    assert ran.rules == ["adapter/invalid-event"]


@pytest.mark.parametrize(
    ("figures", "due"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 2}, (3, 2, 5)),
        ({"prompt_tokens": 3, "total_tokens": 5}, (3, 2, 5)),
        ({"completion_tokens": 2, "total_tokens": 5}, (3, 2, 5)),
        ({"input_tokens": 3, "output_tokens": 2}, (3, 2, 5)),
        ({"prompt_tokens": 3.0, "completion_tokens": 2}, (3, 2, 5)),
        ({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, (0, 0, 0)),
        ({"prompt_tokens": 9, "total_tokens": 5}, None),
        ({"prompt_tokens": "3", "completion_tokens": 2}, None),
        ({"prompt_tokens": -3, "completion_tokens": 2}, None),
        ({"prompt_tokens": True, "completion_tokens": 2}, None),
        ({"prompt_tokens": 2**60, "completion_tokens": 2}, None),
        ({"prompt_tokens": float("nan"), "completion_tokens": 2}, None),
        ({"prompt_tokens": None}, None),
    ],
)
def test_figures(figures: dict[str, Any], due: tuple[int, int, int] | None) -> None:
    """FIN-10."""
    found = finished(usage(**figures)).usage
    assert (found and tuple(found.values())) == due


def test_reasoning_beside_the_figures_is_told_where_it_can_be_part_of_them() -> None:
    """It never counts as output of its own: nothing says whether it is apart."""
    for total, reasoning, due in ((12, 2, 2), (14, 2, None), (12, 9, None), (12, 0, 0)):
        usage = {"prompt_tokens": 8, "completion_tokens": 4, "total_tokens": total}
        ran = run(chunk({"content": "a"}, "stop", usage={**usage, "reasoning_tokens": reasoning}))
        assert ran.counted.get("reasoningTokens") == due
        assert ran.usage == {"inputTokens": 8, "outputTokens": 4, "totalTokens": total}


def test_cached_and_reasoning_tokens_count_once() -> None:
    def summed(prompt: int, completion: int, total: int | None, cached: int, thought: int) -> Any:
        figures = {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": total,
            "prompt_tokens_details": {"cached_tokens": cached},
            "completion_tokens_details": {"reasoning_tokens": thought},
        }
        return tuple(finished(usage(**figures)).usage.values())

    assert summed(10, 8, 18, 6, 5) == (10, 8, 18)  # OpenAI: both are parts of the whole
    assert summed(12, 1, 303, 11, 290) == (12, 291, 303)  # xAI: the total says so
    assert summed(12, 300, 602, 0, 290) == (12, 590, 602)
    assert summed(12, 1, None, 0, 290) == (12, 291, 303)  # a part larger than the whole
    assert summed(7, 8, 15, 161, 0) == (168, 8, 15)


def test_usage_may_stand_in_the_choice() -> None:
    """Moonshot."""
    figures = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    choice = {"index": 0, "delta": {}, "finish_reason": "stop", "usage": figures}
    assert tuple(run({"choices": [choice]}).usage.values()) == (3, 2, 5)


def test_a_later_figure_replaces_an_earlier_one_and_nothing_erases_it() -> None:
    """FIN-08, FIN-09."""
    ran = finished(
        usage(prompt_tokens=3, completion_tokens=1, prompt_tokens_details=None),
        usage(completion_tokens=2, prompt_tokens=None, completion_tokens_details=[]),
        chunk(usage={}),
        chunk(usage="odd"),
    )
    assert tuple(ran.usage.values()) == (3, 2, 5)
    assert ran.rules == ["adapter/invalid-event"] * 2


@pytest.mark.parametrize(
    ("cost", "due"),
    [(0.25, 0.25), ({"total_cost": 0.5}, 0.5), (0, 0), (-1, None), (True, None), ("1", None)],
)
def test_cost(cost: Any, due: float | None) -> None:
    figures = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2, "cost": cost}
    assert finished(usage(**figures)).usage.get("cost") == due


# --- types ---------------------------------------------------------------------------------------

GOOD = [
    chunk(
        {
            "role": "assistant",
            "content": "a",
            "reasoning": "r",
            "reasoning_details": [
                {"type": "reasoning.text", "text": "r", "index": 0},
                {"type": "reasoning.text", "text": "r", "index": 0, "signature": "c2ln"},
            ],
            "refusal": "n",
            "tool_calls": [{**call(0, "a", "f", "{}"), "extra_content": {"google": 1}}],
            "function_call": {"name": "g", "arguments": "{}"},
            "executed_tools": [{"type": "search"}],
            "annotations": [{}],
            "images": [{}],
        },
        x_groq={"usage": {"prompt_tokens": 1, "completion_tokens": 1}, "error": None},
        citations=["x"],
        error=None,
    ),
    chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "t"}]}]}),
    {"choices": [{"index": 0, "message": {"content": "m", "tool_calls": []}}]},
    usage(
        prompt_tokens=1,
        completion_tokens=1,
        total_tokens=2,
        cost={"total_cost": 1},
        prompt_tokens_details={"cached_tokens": 1},
    ),
    chunk(None, "stop"),
]


@pytest.mark.parametrize("odd", ODD)
def test_no_type_at_any_place_breaks_the_stream(odd: Any) -> None:
    for events in broken_copies(GOOD, odd):
        ran = run(*events)  # check_stream holds inside
        assert ran.kinds[-1] in ("done", "error")
        assert validate(assembled(ran.deltas), "message.Message") == []


def test_the_text_of_a_plain_completion_is_not_lost() -> None:
    def piece(text: str, **members: Any) -> dict[str, Any]:
        choice = {"text": text, "index": 0, "finish_reason": None, **members}
        return {"object": "text_completion", "choices": [choice]}

    beside = {**piece("no")["choices"][0], "delta": {"content": "!"}}
    ran = run(piece("Ber"), piece("gen"), {"choices": [beside]}, piece("", finish_reason="stop"))
    assert ran.parts == [{"kind": "text", "payload": {"text": "Bergen!"}}]
    assert ran.end == {"finishReason": "stop"}
    assert ran.rules == ["adapter/invalid-event"]
