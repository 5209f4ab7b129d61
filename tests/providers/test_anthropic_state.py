"""The Anthropic adapter: what the next request needs back."""

from __future__ import annotations

from typing import Any

import pytest

from partwire.providers import OpaqueItem
from tests.providers.anthropic_events import begin, ends, piece, run, start, stop, text

# --- provider state ------------------------------------------------------------------------------


def test_signatures_say_which_characters_they_sign() -> None:
    """BLK-03, BLK-06: two signed blocks in one part, each with its own range."""
    ran = run(
        start(),
        begin(0, "thinking", thinking="", signature=""),
        piece(0, "thinking_delta", thinking="abc"),
        piece(0, "signature_delta", signature="c2ln"),
        piece(0, "signature_delta", signature="MQ=="),
        stop(0),
        begin(1, "thinking", thinking="d"),
        piece(1, "thinking_delta", thinking="e"),
        piece(1, "signature_delta", signature="Mg=="),
        stop(1),
        begin(2, "tool_use", id="t", name="f", input={}),
        stop(2),
        begin(3, "thinking", thinking=""),
        piece(3, "thinking_delta", thinking="f"),
        piece(3, "signature_delta", signature="Mw=="),
        stop(3),
        *ends("tool_use"),
    )
    assert [part["kind"] for part in ran.parts] == ["thinking", "tool_call", "thinking"]
    assert ran.adapter.opaque == [
        OpaqueItem("signature", "c2lnMQ==", 0, 0, 3),
        OpaqueItem("signature", "Mg==", 0, 3, 5),
        OpaqueItem("signature", "Mw==", 2, 0, 1),
    ]


def test_signed_thinking_without_text_stands_between_the_parts() -> None:
    """BLK-05."""
    ran = run(
        start(),
        begin(0, "text", text="a"),
        stop(0),
        begin(1, "thinking", thinking=""),
        piece(1, "signature_delta", signature="cw=="),
        stop(1),
        begin(2, "redacted_thinking", data="ZW5j"),
        stop(2),
        *ends(),
    )
    assert ran.adapter.opaque == [
        OpaqueItem("signature", "cw==", 0, 1, 1),
        OpaqueItem("redacted_thinking", {"type": "redacted_thinking", "data": "ZW5j"}, 0, 1, 1),
    ]


@pytest.mark.parametrize("version", ["v0.2", "v0.3"])
def test_citations_cover_their_block(version: str) -> None:
    """BLK-24: citations may come before the text that they are about."""
    ran = run(
        start(),
        begin(0, "text", text="Well. "),
        stop(0),
        begin(1, "text", text="", citations=[{"n": 1}]),
        piece(1, "citations_delta", citation={"n": 2}),
        text(1, "Rain."),
        stop(1),
        *ends(),
        version=version,
    )
    (part,) = ran.parts
    assert part["payload"]["text"] == "Well. Rain."
    place = (6, 11) if version == "v0.2" else ()
    assert ran.adapter.opaque == [
        OpaqueItem("citation", {"n": 1}, 0, *place),
        OpaqueItem("citation", {"n": 2}, 0, *place),
    ]
    citations = part["payload"].get("citations", [])
    assert [(each["start"], each["end"]) for each in citations] == [(6, 11)] * (2 - len(place))


@pytest.mark.parametrize("version", ["v0.2", "v0.3"])
def test_server_blocks_and_compaction_are_kept_as_the_whole_format_has_them(version: str) -> None:
    ran = run(
        start(container={"id": "c"}),
        begin(0, "compaction", content=None),
        piece(0, "compaction_delta", content="Sum", encrypted_content="eA=="),
        piece(0, "compaction_delta", content="mary"),
        stop(0),
        begin(1, "server_tool_use", id="s", name="web", input={}),
        piece(1, "input_json_delta", partial_json='{"q"'),
        piece(1, "input_json_delta", partial_json=":1}"),
        stop(1),
        begin(2, "mcp_tool_use", id="m", name="ask", input={}),
        piece(2, "input_json_delta", partial_json='{"q'),
        stop(2),
        *ends("compaction"),
        version=version,
    )
    assert [(item.kind, item.data) for item in ran.adapter.opaque] == [
        ("container", {"id": "c"}),
        ("compaction", {"type": "compaction", "content": "Summary", "encrypted_content": "eA=="}),
        (
            "server_tool_use",
            {"type": "server_tool_use", "id": "s", "name": "web", "input": {"q": 1}},
        ),
        ("mcp_tool_use", {"type": "mcp_tool_use", "id": "m", "name": "ask", "input": '{"q'}),
    ]
    is_old = version == "v0.2"
    assert [part["kind"] for part in ran.parts] == ([] if is_old else ["server_tool_call"] * 2)
    assert ran.end == {"finishReason": "pause"}
    assert ran.rules == (["adapter/server-tool-call"] * 2 if is_old else [])


def test_stop_details_are_kept() -> None:
    """FIN-20."""
    delta = {"stop_reason": "stop_sequence", "stop_sequence": "##", "stop_details": {"a": 1}}
    ran = run(start(), {"type": "message_delta", "delta": delta}, {"type": "message_stop"})
    assert ran.adapter.finish_reason == "stop_sequence"
    kept = [(item.kind, item.data) for item in ran.adapter.opaque]
    assert kept == [("stop_sequence", "##"), ("stop_details", {"a": 1})]


@pytest.mark.parametrize(
    ("members", "kept"),
    [
        ({"caller": {"type": "direct"}}, []),
        ({"caller": {"type": "direct"}, "toolset_name": None}, []),
        (
            {"caller": {"type": "code_execution_20250825", "tool_id": "srv_1"}},
            [{"caller": {"type": "code_execution_20250825", "tool_id": "srv_1"}}],
        ),
    ],
)
def test_who_calls_a_tool_is_kept_unless_it_is_the_model(members: Any, kept: list[Any]) -> None:
    tool = {"id": "t", "name": "f", "input": {}, **members}
    ran = run(start(), begin(0, "tool_use", **tool), stop(0), *ends("tool_use"))
    assert ran.adapter.opaque == [OpaqueItem("call", data, 0) for data in kept]
