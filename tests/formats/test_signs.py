"""Which format a document shows: over all samples, and never for a document of the contract."""

from __future__ import annotations

import json
from typing import Any, Final, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire import formats
from partwire.formats import FORMATS, sniff, sniff_events
from partwire.providers.framing import SSEDecoder
from partwire.tables import format_signs as table
from partwire_testing.strategies import documents
from tests.fixture_cases import Case, cases
from tests.formats import samples, shown

OF_NO_READER: Final = ("acp", "harmony", "langfuse-trace")
"""Formats of samples that partwire does not read."""

_NAMES: Final = [
    (own, name) for own in sorted({*FORMATS, *OF_NO_READER}) for name in samples.ids(own)
]

PLAIN: Final = frozenset(
    {"ag-ui", "anthropic-messages", "codex", "finetune", "openai-chat", "openai-responses"}
)
"""Formats of samples that have nothing but roles and texts: several fit, and this one does."""

SILENT: Final = {
    "a2a/docs-specification-110151": "null",
    "gemini-cli/agent-sessions-schema-drift": "a form that is not read",
    "otel-genai/input-openllmetry-test-message-with-none-content-1": "a message without parts",
}
"""Samples that show nothing, and why."""

SAME: Final = {
    "openai-agents": "openai-responses",  # its items are those of Responses, if it adds nothing
    "acp": "mcp",  # its content is that of MCP
}
"""Formats whose samples may show another one, because they are documents of that, too."""


def _values(text: str) -> tuple[Any, bool]:
    """Return a document, and whether it is a list of events or of lines."""
    try:
        return json.loads(text), False
    except ValueError:
        pass
    if text.startswith("data:"):
        events = SSEDecoder(1 << 24).feed(text.encode())
        return [json.loads(each.data) for each in events if each.data != "[DONE]"], True
    values = []
    for line in text.splitlines():
        try:
            values.append(json.loads(line))
        except ValueError:
            continue
    return values, True


@pytest.mark.parametrize(("own", "name"), _NAMES)
def test_a_sample_shows_its_format(own: str, name: str) -> None:
    document, is_lines = _values(samples.load_text(name)[0])
    events = [each.format for each in sniff_events(document)] if is_lines else []
    shown = [each.format for each in sniff(document)]
    if events:
        assert events == [own]
        assert set(shown) <= {own}
    elif len(shown) > 1:
        assert own in PLAIN
        assert own in shown
        assert {each.place for each in sniff(document)} == {""}
    elif not shown:
        assert own in OF_NO_READER or name in SILENT
    else:
        assert shown[0] in (own, SAME.get(own))


@pytest.mark.parametrize("name", samples.ids("openai-agents"))
def test_items_that_show_responses_are_read_the_same(name: str) -> None:
    document = samples.load(name).document
    (found,) = sniff(document)
    read = [
        formats.read(each, document, run_id="r", timestamp="2026-01-02T03:04:05Z")
        for each in (found.format, "openai-agents")
    ]
    assert read[0] == read[1]


EVENTS: Final[dict[str, list[Any]]] = {
    "ag-ui": [
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
        {"type": "STATE_DELTA", "delta": []},
        {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"},
        {"type": "TOOL_CALL_RESULT", "toolCallId": "c", "messageId": "m", "content": "x"},
        {"type": "MESSAGES_SNAPSHOT", "messages": []},
    ],
    "ai-sdk": [
        {"type": "tool-input-start", "toolCallId": "c", "toolName": "f"},
        {"type": "custom", "kind": "a.b"},
        {"type": "text-delta", "id": "1", "delta": "x"},
    ],
    "langchain": [
        ["values", {"messages": []}],
        ["messages", [{"type": "AIMessageChunk", "content": "x"}, {}]],
        {"event": "content-block-delta"},
        {"type": "AIMessageChunk", "content": "x"},
    ],
}


@pytest.mark.parametrize(
    ("name", "number"), [(name, n) for name in EVENTS for n in range(len(EVENTS[name]))]
)
def test_each_event_shows_its_format(name: str, number: int) -> None:
    event = EVENTS[name][number]
    (found,) = sniff_events([None, event])
    assert found.format == name
    assert found.place.startswith("/1/")
    assert {each.format for each in sniff([event])} <= {name}


def test_each_format_with_a_stream_has_events() -> None:
    streamed = {name for name, each in FORMATS.items() if each.can("reader")}
    assert streamed - {name for name, each in FORMATS.items() if each.is_session} == set(EVENTS)


@pytest.mark.parametrize(
    "event", [None, [], ["values"], ["odd", {}], [["values"], {}], {"type": 1}]
)
def test_what_is_not_an_event_shows_nothing(event: Any) -> None:
    assert sniff_events([event]) == []


_CASES: Final = [case for case in cases("formats") if "format" not in case.spec]


@pytest.mark.parametrize(
    "case", [case for case in _CASES if "formats" in case.expect], ids=lambda case: case.id
)
def test_a_case_shows_what_it_says(case: Case) -> None:
    given = case.spec
    found = sniff(given["sniff"]) if "sniff" in given else sniff_events(given["sniff_events"])
    assert list(map(list, found)) == case.expect["formats"]


def test_what_the_other_fixtures_show_is_written_down() -> None:
    assert shown.FILE.read_text("utf-8") == shown.text_of(shown.shown())


def test_each_format_has_cases() -> None:
    found = [each for case in _CASES for each in case.expect.get("formats", ())]
    assert {name for name, place in found if place} == set(FORMATS)


def test_the_table_names_the_formats_and_the_lists_that_there_are() -> None:
    assert set(get_args(table.FormatName)) == set(FORMATS)
    named = {row.events for row in table.FORMATS} | {sign.words for sign in table.SIGNS}
    assert named - {None} == set(table.WORDS)
    sessions = {row.format for row in table.FORMATS if row.is_session}
    assert sessions >= {name for name, each in FORMATS.items() if each.is_session}


def test_only_the_first_entries_and_blocks_are_looked_at() -> None:
    said = {"role": "user", "content": "x"}
    sign: dict[str, Any] = {"functionCall": {}}
    most: list[dict[str, Any]] = [{}] * table.MOST
    assert len(sniff([*most[1:], {"parts": [sign]}])) == 1
    assert sniff([*most, {"parts": [sign]}]) == []
    assert sniff([{"parts": [*most, sign]}, said])[0].place == ""
    ours: Any = {"role": "user"}
    ours["parts"] = [ours]
    assert sniff(ours) == []


@given(st.one_of(*map(documents, ("message.Message", "message.MessageDelta"))))
def test_a_document_of_the_contract_shows_no_format(document: Any) -> None:
    assert sniff(document) == []
    assert sniff([document, document]) == []
    assert sniff_events([document]) == []
    for gone in ("runId", "timestamp"):
        assert sniff({name: each for name, each in document.items() if name != gone}) == []
