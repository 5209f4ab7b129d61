"""Cohere requests: what users and tools say, tools, and the configuration."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers.cohere_requests import (
    ASK,
    CLOCK,
    CONFIG,
    PNG,
    TIDES,
    Json,
    call,
    item,
    kept,
    message,
    part,
    result,
    rules,
    sent,
    text,
)

# --- what users and tools say --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "is_error", "due"),
    [
        ([text("a"), text("b")], False, [{"type": "text", "text": t} for t in ("a", "b")]),
        ([], False, [{"type": "text", "text": ""}]),
        ({"a": [1]}, False, '{"a":[1]}'),
        ({"a": 1}, True, [{"type": "text", "text": 'Error: {"a":1}'}]),
        (
            [text("gone"), text("b")],
            True,
            [{"type": "text", "text": t} for t in ("Error: gone", "b")],
        ),
        ([], True, [{"type": "text", "text": "Error: "}]),
        ("done", False, [{"type": "text", "text": "done"}]),
    ],
)
def test_results(content: Any, is_error: bool, due: Any) -> None:
    """HIS-22: a failure reads as one."""
    encoded = sent(
        ASK,
        message("assistant", call("a")),
        message("tool", result("a", content, is_error=is_error)),
    )
    expected = {"role": "tool", "tool_call_id": "a", "content": due}
    assert encoded.body["messages"][2] == expected
    assert encoded.findings == []


def test_results_are_text_alone() -> None:
    image = part("image", mimeType="image/png", data=PNG)
    encoded = sent(
        ASK, message("assistant", call("a")), message("tool", result("a", [text("x"), image]))
    )
    assert encoded.body["messages"][2]["content"] == [{"type": "text", "text": "x"}]
    place = "/messages/2/parts/0/payload/content/1"
    assert rules(encoded) == [("encode/unsupported-part", place)]


def test_images_are_sent_by_url_or_inline() -> None:
    encoded = sent(
        message(
            "user",
            text("What is this?"),
            part("image", mimeType="image/png", data=PNG),
            part("image", mimeType="image/jpeg", url="https://example.com/a.jpg"),
            part("file_ref", path="https://example.com/b.png", mimeType="image/png"),
            part("file_ref", path="/tmp/c.pdf", mimeType="application/pdf"),
            part("file_ref", path="https://example.com/d"),
            part("image", mimeType="image/tiff", data=PNG),
        )
    )
    assert encoded.body["messages"][0]["content"] == [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
        {"type": "image_url", "image_url": {"url": "https://example.com/a.jpg"}},
        {"type": "image_url", "image_url": {"url": "https://example.com/b.png"}},
    ]
    assert rules(encoded) == [
        ("encode/unsupported-part", "/messages/0/parts/4"),
        ("encode/unsupported-part", "/messages/0/parts/5"),
        ("encode/unsupported-part", "/messages/0/parts/6"),
    ]


def test_system_messages_stay_where_they_are() -> None:
    parts = [{"kind": "text", "payload": {"text": each}} for each in ("One.", "Two.")]
    encoded = sent(
        message("system", text("A")), ASK, message("system", text("B"), text("C")),
        system_prompt_content=parts,
    )  # fmt: skip
    assert [(each["role"], each["content"]) for each in encoded.body["messages"]] == [
        ("system", "One."),
        ("system", "Two."),
        ("system", "A"),
        ("user", "When is low water?"),
        ("system", [{"type": "text", "text": "B"}, {"type": "text", "text": "C"}]),
    ]


def test_what_is_empty_is_left_out() -> None:
    """BLK-14: a plan alone is not a message either."""
    opaque = kept({"0": [item("tool_plan", "I will", 0, 0)]})
    alone = message("assistant", opaque=opaque)
    encoded = sent(ASK, alone, message("user"), message("assistant", text("")))
    assert [each["role"] for each in encoded.body["messages"]] == ["user"]
    assert rules(encoded) == [
        ("encode/empty-message", "/messages/1"),
        ("encode/empty-message", "/messages/2"),
        ("encode/empty-message", "/messages/3"),
    ]


# --- tools and configuration ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "tools", "due", "found"),
    [
        ("auto", [TIDES], None, []),
        ("none", [TIDES], "NONE", []),
        ("required", [TIDES, CLOCK], "REQUIRED", []),
        ({"type": "tool", "toolName": "tides"}, [TIDES], "REQUIRED", []),
        ({"type": "tool", "toolName": "tides"}, [TIDES, CLOCK], None, ["/toolChoice"]),
        ({"type": "tool", "toolName": "wind"}, [TIDES], None, ["/toolChoice"]),
        ("required", [], None, ["/toolChoice"]),
        ("none", [], None, []),
    ],
)
def test_tool_choice(choice: Any, tools: list[Json], due: str | None, found: list[str]) -> None:
    encoded = sent(ASK, tools=tools, tool_choice=choice)
    assert encoded.body.get("tool_choice") == due
    assert rules(encoded) == [("encode/unsupported-config", place) for place in found]


def test_a_tool_beside_those_of_an_extension_is_not_the_only_one() -> None:
    choice = {"type": "tool", "toolName": "tides"}
    extra = {"type": "function", "function": {"name": "x", "parameters": {}}}
    encoded = sent(ASK, tools=[TIDES], tool_choice=choice, config={**CONFIG, "tools": [extra]})
    assert "tool_choice" not in encoded.body
    assert [tool["function"]["name"] for tool in encoded.body["tools"]] == ["tides", "x"]
    assert rules(encoded) == [("encode/unsupported-config", "/toolChoice")]


def test_strictness_is_for_all_tools_or_none() -> None:
    strict = {**TIDES, "strict": True}
    assert sent(ASK, tools=[strict]).body["strict_tools"] is True
    assert "strict_tools" not in sent(ASK, tools=[TIDES, {**CLOCK, "strict": False}]).body
    encoded = sent(ASK, tools=[CLOCK, strict])
    assert "strict_tools" not in encoded.body
    assert rules(encoded) == [("encode/unsupported-config", "/toolSpecs/1/strict")]


@pytest.mark.parametrize(
    ("config", "members", "found"),
    [
        ({"topP": 1}, {}, ["/config/topP"]),
        ({"topP": 0}, {}, ["/config/topP"]),
        ({"topP": 0.99, "temperature": 1}, {"p": 0.99, "temperature": 1}, []),
        ({"temperature": 1.01}, {}, ["/config/temperature"]),
        (
            {"stopSequences": ["a", "b", "c", "d", "e", "f"]},
            {"stop_sequences": ["a", "b", "c", "d", "e"]},
            ["/config/stopSequences/5"],
        ),
        ({"cacheConfig": {"strategy": "auto"}}, {}, []),
        ({"safety_mode": "STRICT", "k": 3}, {"safety_mode": "STRICT", "k": 3}, []),
    ],
)
def test_configuration(config: Json, members: Json, found: list[str]) -> None:
    encoded = sent(ASK, config={**CONFIG, **config})
    base = {"model", "messages", "stream"}
    assert {k: v for k, v in encoded.body.items() if k not in base} == members
    assert rules(encoded) == [("encode/unsupported-config", place) for place in found]
