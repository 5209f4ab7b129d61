"""What v0.3 has a place for, from a recorded stream on: message, store, other providers, v0.2.

Nothing is lost without a word: the provider's own request says it again, another provider's is
encoded with findings, and a reader of v0.2 gets losses.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

import partwire
from partwire import to_wire
from partwire.convert import downgrade, load, store
from partwire.types import Message
from tests.providers import recordings as recorded
from tests.providers.request_round_trip import sent_back


class Row(NamedTuple):
    """A recording, what its message holds, and what is said of it on the way elsewhere."""

    recording: str
    holds: frozenset[str]
    other: str
    findings: frozenset[str]
    losses: frozenset[str]
    options: dict[str, Any] = {}  # noqa: RUF012 - never changed


def _row(recording: str, holds: str, other: str, findings: str, losses: str, **options: Any) -> Row:
    said = (frozenset(words.split()) for words in (holds, findings, losses))
    held, found, lost = said
    return Row(recording, held, other, found, lost, options)


ROWS: Final = (
    _row(
        "llmanth-web_search-0",
        "citations server_tool_call server_tool_result outcome structured",
        "openai-responses",
        "encode/citation-left-out encode/server-tool-as-text",
        "citation server-tool",
    ),
    _row(
        "rubyllm-fn_cohere_command-a-03-2025_noparams_multiturn-1",
        "citations",
        "anthropic-messages",
        "encode/citation-left-out",
        "citation",
    ),
    _row(
        "pydai-anthropic_mcp_servers_stream-0",
        "server_tool_call server_tool_result outcome",
        "gemini",
        "encode/server-tool-as-text",
        "server-tool",
    ),
    _row(
        "pydai-code_execution_stream-0",
        "server_tool_call server_tool_result outcome",
        "anthropic-messages",
        "encode/server-tool-as-text",
        "server-tool",
    ),
    _row(
        "vercel-openai-shell-container.1",
        "server_tool_call server_tool_result outcome structured",
        "anthropic-messages",
        "encode/server-tool-as-text",
        "server-tool",
    ),
    _row(
        "vercel-openai-mcp-tool-approval.1",
        "server_tool_call approval_request",
        "anthropic-messages",
        "encode/approval-left-out",
        "server-tool approval",
    ),
    _row(
        "firebase-vertex_success-image-invalid-safety-ratings",
        "media",
        "openai-chat",
        "encode/unsupported-part",
        "",
    ),
    _row(
        "vercel-openai-mcp-tool-approval.4",
        "author format",
        "anthropic-messages",
        "encode/author-left-out",
        "author text-format",
        author={"name": "Links", "agentPath": ["planner", "links"]},
        format={"name": "link"},
    ),
)


def _names(value: Any) -> set[str]:
    """Return the names of members and the kinds of parts that ``value`` has anywhere."""
    if isinstance(value, list):
        return set().union(*map(_names, value)) if value else set()
    if not isinstance(value, dict):
        return set()
    kind = value.get("kind")
    own = {*value, kind} if isinstance(kind, str) else set(value)
    return own.union(*map(_names, value.values()))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.recording)
def test_a_recorded_stream_to_the_end(row: Row, recordings: Path) -> None:
    recording = recorded.load()[row.recording]
    message = partwire.assemble(partwire.adapt(recording.dialect, [recording.sse], **row.options))
    wire = to_wire(message)
    assert row.holds <= _names(wire)

    again = load(store(message), Message)
    assert again == message

    own = sent_back(recording.dialect, again)
    assert not {each.rule for each in own.findings} & row.findings - {"encode/author-left-out"}

    other = sent_back(row.other, again)
    assert row.findings <= {each.rule for each in other.findings}

    down = downgrade(message, "v0.2")
    assert row.losses <= {each.code for each in down.losses}
    assert not partwire.validate(to_wire(down.value), "message.Message", "v0.2")
