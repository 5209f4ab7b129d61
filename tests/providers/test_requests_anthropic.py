"""Anthropic requests: the published types, and answers that go back as they came."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from anthropic.types.beta.message_create_params import (
    MessageCreateParamsStreaming as BetaParams,
)
from anthropic.types.message_create_params import MessageCreateParamsStreaming as Params

from partwire.providers.requests import encode_request
from tests.fixture_cases import Case, cases
from tests.providers import recordings as recorded
from tests.providers.request_round_trip import ASKED, CONFIG, answer, provider_texts, sent_back
from tests.providers.request_types import faults, members_of

Json = dict[str, Any]

API: Final = "anthropic-messages"
CASES = [case for case in cases("requests") if API in case.expect.get("bodies", ())]
STREAMS = provider_texts(API)
RECORDINGS = recorded.ids(API)
# The client's types have lost them with the models that refuse them; older models take them.
UNTYPED: Final = frozenset({"temperature", "top_p"})


def published_faults(body: Json, published: Any = Params) -> list[str]:
    """Return what the official client's types refuse, but for members that they lack."""
    names = members_of(published)
    return faults(published, {k: v for k, v in body.items() if k in names})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_bodies_are_what_the_provider_publishes(case: Case) -> None:
    body = case.expect["bodies"][API]["body"]
    assert published_faults(body) == []
    unknown = set(body) - members_of(Params)
    assert unknown <= UNTYPED | set(case.value("input")["config"])


@pytest.mark.parametrize(
    "body",
    [
        {"messages": [{"role": "user", "content": [{"type": "text", "text": 5}]}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "a", "x": 1}]}]},
        {"messages": [{"role": "tool", "content": []}]},
        {"max_tokens": None},
        {"tool_choice": {"type": "required"}},
        {"stream": False},
    ],
)
def test_the_check_sees_what_is_not_published(body: Json) -> None:
    good = {"model": "m", "max_tokens": 1, "messages": [], "stream": True}
    assert published_faults(good) == []
    assert published_faults({**good, **body})


# --- answers go back as they came ----------------------------------------------------------------


def blocks_of(texts: list[str]) -> list[Json]:
    """Return the blocks of a stream as the provider itself would write them, whole."""
    blocks: dict[int, Json] = {}
    for text in texts:
        event = json.loads(text) if text.startswith("{") else {}
        if event.get("type") == "message_start":
            content = event["message"].get("content") or []
            blocks = {index: {**block, "json": ""} for index, block in enumerate(content)}
        elif event.get("type") == "content_block_start":
            blocks[event["index"]] = {**event["content_block"], "json": ""}
        elif event.get("type") == "content_block_delta":
            _add(blocks[event["index"]], event["delta"])
    for block in blocks.values():
        pieces = block.pop("json")
        if pieces:
            block["input"] = _whole(pieces)
    return [blocks[index] for index in sorted(blocks)]


def _whole(pieces: str) -> Any:
    """Return arguments, none where the answer was cut inside them."""
    try:
        return json.loads(pieces)
    except ValueError:
        return {}


def _add(block: Json, delta: Json) -> None:
    if delta["type"] == "input_json_delta":
        block["json"] += delta["partial_json"]
    elif delta["type"] == "citations_delta":
        block["citations"] = [*(block.get("citations") or ()), delta["citation"]]
    else:
        for name in ("text", "thinking", "signature", "content"):
            if name in delta:
                block[name] = (block.get(name) or "") + delta[name]


def due_back(blocks: list[Json]) -> list[Json]:
    """Return the blocks that go back: the same ones, as far as a request takes them.

    White space alone joins the text that it stands beside.
    """
    kept: list[Json] = []
    blank = ""  # that began a text
    called = {block.get("id") for block in blocks}
    for block in map(_as_asked, blocks):
        if block.get("tool_use_id", "") not in called | {""}:  # called in an earlier message
            continue
        if block["type"] != "text":
            blank = ""
        elif block["text"].strip():
            block["text"], blank = blank + block["text"], ""
        else:
            if kept and kept[-1]["type"] == "text":
                kept[-1]["text"] += block["text"]
            else:
                blank += block["text"]
            continue
        if block["type"] == "thinking" and not block.get("signature"):
            continue
        is_plain = block["type"] == "text" and "citations" not in block
        if is_plain and kept and kept[-1]["type"] == "text" and "citations" not in kept[-1]:
            kept[-1]["text"] += block["text"]
        else:
            kept.append(block)
    while kept and kept[-1]["type"] in ("thinking", "redacted_thinking"):
        kept.pop()
    return kept


def _as_asked(block: Json) -> Json:
    """Return a block of a response as one of a request."""
    if block["type"] == "text":
        cited = [
            {k: v for k, v in c.items() if k != "file_id"} for c in block.get("citations") or ()
        ]
        return {"type": "text", "text": block["text"], **({"citations": cited} if cited else {})}
    if block["type"] == "tool_use":
        return {name: v for name, v in block.items() if v not in ({"type": "direct"}, None)}
    return block


def check_round_trip(texts: list[str]) -> Json:
    message = answer(API, texts)
    encoded = sent_back(API, message)
    content = [m["content"] for m in encoded.body["messages"] if m["role"] == "assistant"]
    assert (content[0] if content else []) == due_back(blocks_of(texts))
    rules = {finding.rule for finding in encoded.findings}
    assert rules <= {
        "encode/arguments-lost",
        "encode/dangling-state",
        "encode/response-only-state",
        "encode/thinking-left-out",
        "encode/empty-message",
        "encode/empty-text",
    }
    return encoded.body


@pytest.mark.parametrize(
    "name",
    [
        "thinking-and-signature",
        "thinking-signature-only",
        "server-tool",
        "text",
        "tool-use-twice",
        "tool-use-without-input",
        "pause",
    ],
)
def test_answers_of_the_fixtures_go_back_as_they_came(name: str) -> None:
    """BLK-03, BLK-04, BLK-05, BLK-24: every block, in its place, unchanged."""
    check_round_trip(STREAMS[name])


def test_every_stream_of_the_fixtures_can_go_back() -> None:
    assert len(STREAMS) > 20
    for name, texts in STREAMS.items():
        if name in ("unknown-events-and-blocks", "server-tool"):  # with members left out
            continue
        message = answer(API, texts)
        assert published_faults(sent_back(API, message, ASKED).body, BetaParams) == [], name


@pytest.mark.parametrize("name", RECORDINGS)
def test_recorded_answers_go_back_as_they_came(name: str, recordings: Path) -> None:
    recording = recorded.load()[name]
    if recording.expected["error"] or "second message_start" in recording.entry["quirks"]:
        message = answer(API, recording.texts)
        assert published_faults(sent_back(API, message, ASKED).body, BetaParams) == []
        return
    body = check_round_trip(recording.texts)
    assert published_faults(body, BetaParams) == []


# --- what fixtures do not show -------------------------------------------------------------------


def assistant(*parts: Json, state: Json | None = None) -> Json:
    made = {**ASKED, "role": "assistant", "parts": list(parts)}
    if state is not None:
        made["meta"] = {"opaque": {"dialect": API, "parts": state}}
    return made


def text(value: str) -> Json:
    return {"kind": "text", "payload": {"text": value}}


def thinking(value: str) -> Json:
    return {"kind": "thinking", "payload": {"text": value}}


def test_a_container_is_sent_only_while_its_answer_goes_on() -> None:
    """Another may have expired; one that the configuration names wins."""
    state = {"1": [{"kind": "container", "data": {"id": "c1"}, "start": 0, "end": 0}]}
    message = assistant(text("a"), state=state)
    assert sent_back(API, message).body["container"] == "c1"
    later = sent_back(API, message, ASKED)
    assert "container" not in later.body
    assert [f.rule for f in later.findings] == ["encode/response-only-state"]
    named = encode_request(API, [ASKED, message], config={**CONFIG, "container": "c2"})
    assert (named.body["container"], named.findings) == ("c2", [])
    state["1"][0]["data"] = "c1"
    assert [f.rule for f in sent_back(API, message).findings] == ["encode/malformed-state"]


def test_two_signatures_on_one_stretch_sign_nothing() -> None:
    """A signature belongs to one block: which of two it is, nobody can say."""
    items = [{"kind": "signature", "data": s, "start": 0, "end": 2} for s in ("QQ==", "Qg==")]
    encoded = sent_back(API, assistant(thinking("Hm"), text("a"), state={"0": items}))
    assert encoded.body["messages"][1]["content"] == [{"type": "text", "text": "a"}]
    rules = [finding.rule for finding in encoded.findings]
    assert rules == ["encode/malformed-state", "encode/thinking-left-out"]


def test_stretches_that_overlap_are_one_and_what_is_inside_comes_behind() -> None:
    redacted = {"type": "redacted_thinking", "data": "AA=="}
    items = [
        {"kind": "citation", "data": {"n": 1}, "start": 1, "end": 3},
        {"kind": "citation", "data": {"n": 2}, "start": 2, "end": 4},
        {"kind": "redacted_thinking", "data": redacted, "start": 2, "end": 2},
    ]
    encoded = sent_back(API, assistant(text("abcde"), state={"0": items}))
    assert encoded.body["messages"][1]["content"] == [
        {"type": "text", "text": "a"},
        {"type": "text", "text": "bcd", "citations": [{"n": 1}, {"n": 2}]},
        redacted,
        {"type": "text", "text": "e"},
    ]


def test_an_item_without_a_place_covers_its_part() -> None:
    state = {"0": [{"kind": "signature", "data": "QQ=="}], "1": [{"kind": "other", "data": 1}]}
    encoded = sent_back(API, assistant(thinking("Hm"), text("a"), state=state))
    assert encoded.body["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "Hm", "signature": "QQ=="},
        {"type": "text", "text": "a"},
    ]
    assert [finding.rule for finding in encoded.findings] == ["encode/response-only-state"]


def test_a_server_tool_without_whole_input_is_left_out() -> None:
    call = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": '{"q'}
    state = {"0": [{"kind": "server_tool_use", "data": call, "start": 1, "end": 1}]}
    encoded = sent_back(API, assistant(text("a"), state=state))
    assert encoded.body["messages"][1]["content"] == [{"type": "text", "text": "a"}]
    assert [finding.rule for finding in encoded.findings] == ["encode/malformed-state"]


def test_a_result_of_a_server_tool_without_its_call_is_left_out() -> None:
    result = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
    state = {"0": [{"kind": "web_search_tool_result", "data": result, "start": 0, "end": 0}]}
    encoded = sent_back(API, assistant(text("a"), state=state))
    assert encoded.body["messages"][1]["content"] == [{"type": "text", "text": "a"}]
    assert [finding.rule for finding in encoded.findings] == ["encode/dangling-state"]


def test_a_server_tool_may_wait_only_where_its_answer_goes_on() -> None:
    """A paused answer goes on at once; behind a question, nothing will answer the call."""
    call = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    state = {"0": [{"kind": "server_tool_use", "data": call, "start": 1, "end": 1}]}
    paused = assistant(text("a"), state=state)
    said = [{"type": "text", "text": "a"}]
    assert sent_back(API, paused).body["messages"][1]["content"] == [*said, call]
    encoded = sent_back(API, paused, ASKED)
    assert encoded.body["messages"][1]["content"] == said
    assert [finding.rule for finding in encoded.findings] == ["encode/dangling-state"]


def test_the_cache_is_marked_behind_the_last_block_that_there_is() -> None:
    config = {**CONFIG, "cacheConfig": {"strategy": "auto"}}
    assert encode_request(API, [], config=config).body["messages"] == []
    redacted = {"kind": "redacted_thinking", "data": {"type": "redacted_thinking", "data": "AA=="}}
    state = {"1": [{**redacted, "start": 0, "end": 0}]}
    body = encode_request(API, [ASKED, assistant(text("a"), state=state)], config=config).body
    [block] = body["messages"][1]["content"]
    assert block == {"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}


@pytest.mark.parametrize(
    ("path", "mime_type", "source"),
    [
        ("data:,a%20b", None, {"type": "text", "media_type": "text/plain", "data": "a b"}),
        ("data:;base64,YQ==", None, {"type": "text", "media_type": "text/plain", "data": "a"}),
        (
            "data:text/plain;base64,YQ==",
            "Application/PDF; v=1",
            {"type": "base64", "media_type": "application/pdf", "data": "YQ=="},
        ),
        (
            "DATA:Application/PDF;BASE64,YQ%3D%3D",
            None,
            {"type": "base64", "media_type": "application/pdf", "data": "YQ=="},
        ),
        ("HTTPS://example.com/a", None, {"type": "url", "url": "HTTPS://example.com/a"}),
    ],
)
def test_where_a_files_bytes_are(path: str, mime_type: str | None, source: Json) -> None:
    """What the part says of its type counts before what the URL says."""
    payload = {"path": path, **({} if mime_type is None else {"mimeType": mime_type})}
    asked = {**ASKED, "parts": [{"kind": "file_ref", "payload": payload}]}
    [block] = encode_request(API, [asked], config=CONFIG).body["messages"][0]["content"]
    assert block == {"type": "document", "source": source}


@pytest.mark.parametrize(
    ("path", "mime_type"),
    [
        ("data:text/plain;base64,/w==", None),  # no UTF-8
        ("data:application/pdf;base64,YQ=", None),
        ("data:application/pdf;base64,Y Q = =!", None),
        ("data:application/zip;base64,YQ==", None),
        ("http://", "application/pdf"),
        ("https://example.com/a.docx", "application/msword"),
        ("file_short", None),
    ],
)
def test_files_that_no_block_can_say(path: str, mime_type: str | None) -> None:
    payload = {"path": path, **({} if mime_type is None else {"mimeType": mime_type})}
    asked = {**ASKED, "parts": [{"kind": "file_ref", "payload": payload}]}
    encoded = encode_request(API, [asked], config=CONFIG)
    rules = [finding.rule for finding in encoded.findings]
    assert rules == ["encode/unsupported-part", "encode/empty-message"]
