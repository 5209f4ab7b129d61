"""Messages as pydantic-ai: there and back, and what does not come back is reported."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given

from partwire import formats
from partwire.errors import ReadError
from tests.formats import samples
from tests.formats.laws import changed, leaves, read_given
from tests.formats.pydantic_ai_documents import DOCUMENTS, T1, request, response, returned, user
from tests.formats.written import comes_back_whole, drawn_histories, parts_come_back, plain, without

Json = dict[str, Any]

FORMAT = "pydantic-ai"
SAMPLES = samples.ids(FORMAT)


def document_of(name: str) -> Any:
    return DOCUMENTS[name] if name in DOCUMENTS else samples.load(name).document


def message(role: str, *parts: Json, **members: Any) -> Json:
    return {"runId": "r1", "role": role, "parts": list(parts), "timestamp": T1, **members}


def said(text: str, **members: Any) -> Json:
    return {"kind": "text", "payload": {"text": text, **members}}


# --- law L2: messages → requests and responses → messages -----------------------------------------


@given(drawn_histories)
def test_drawn_messages_come_back_but_for_what_is_reported(messages: Any) -> None:
    parts_come_back(FORMAT, plain(messages))


@given(drawn_histories)
def test_drawn_messages_come_back_whole_with_extensions(messages: Any) -> None:
    comes_back_whole(FORMAT, plain(messages), version="2")


@given(drawn_histories)
def test_messages_without_a_loss_come_back_equal(messages: Any) -> None:
    history = plain(messages)
    written = formats.write(FORMAT, history)
    if not written.losses:
        back = plain(formats.read(FORMAT, written.document).messages)
        assert [_without_step(each) for each in back] == [_without_step(each) for each in history]


def _without_step(each: Json) -> Json:
    """Return a message without the number that it has in its request, which its place says."""
    meta = dict(each.get("meta", {}))
    own = {n: value for n, value in meta.pop(FORMAT, {}).items() if n != "step"}
    meta |= {FORMAT: own} if own else {}
    return {n: value for n, value in each.items() if n != "meta"} | ({"meta": meta} if meta else {})


@pytest.mark.parametrize("name", [*DOCUMENTS, *SAMPLES])
def test_histories_come_back_equal(name: str) -> None:
    messages = plain(read_given(FORMAT, document_of(name)).messages)
    written = formats.write(FORMAT, messages)
    assert [loss for loss in written.losses if loss.severity == "lossy"] == []
    assert plain(formats.read(FORMAT, written.document).messages) == messages
    comes_back_whole(FORMAT, messages, version="2")


# --- law L1: requests and responses → messages → the same -----------------------------------------

_DEFAULTS: Json = {
    "scope": "conversation",
    "force_download": False,
    "state": "complete",
    "outcome": "success",
    "content_file_digests": [],
    "excerpts": [],
}
_COUNTED = {"details", "cost", "usage"}


def _normal(value: Any, name: str = "") -> Any:
    """Return a value without what says nothing: null, defaults, arguments as text."""
    if name == "args" and (value is None or isinstance(value, str)):
        try:
            parsed = json.loads(value or "{}")
        except ValueError:
            return value
        return parsed if isinstance(parsed, dict) else value
    if name == "data":
        return value.replace("+", "-").replace("/", "_")
    if name == "content" and isinstance(value, list) and len(value) == 1:
        return _normal(value[0])  # a user's only text, with or without a list
    if isinstance(value, list):
        return [_normal(each) for each in value if each is not None]
    if not isinstance(value, dict):
        return value
    made = {n: _normal(v, n) for n, v in value.items()}
    made = {
        n: v for n, v in made.items() if v is not None and (n not in _DEFAULTS or v != _DEFAULTS[n])
    }
    if name == "usage":
        made = {n: v for n, v in made.items() if v}
    if made.get("kind") in ("binary", "uploaded-file") or str(made.get("kind")).endswith("-url"):
        made.pop("identifier", None)
    if made.get("part_kind") == "retry-prompt":
        made = _translated(made)
    return {n: v for n, v in made.items() if v != {} or n == "args"}


def _translated(part: Json) -> Json:
    """Return what 2.x makes of a part that 1.x stored."""
    is_text = isinstance(part["content"], str)
    if "tool_name" in part:
        retry = {} if is_text else {"retry": {"cause": "validation_error"}}
        return {**part, "part_kind": "tool-return", "outcome": "retried", **retry}
    cause = "model_retry" if is_text else "validation_error"
    made = {n: v for n, v in part.items() if n != "tool_call_id"}
    return {**made, "part_kind": "retry-feedback", "retry": {"cause": cause}}


@pytest.mark.parametrize("name", [*(n for n in DOCUMENTS if n not in ("old", "one")), *SAMPLES])
def test_requests_and_responses_come_back(name: str) -> None:
    document = document_of(name)
    result = read_given(FORMAT, document)
    written = formats.write(FORMAT, result.messages).document
    null = [loss for loss in result.losses if loss.code == "result-null"]
    source = without(document, [loss for loss in result.losses if loss not in null])
    for loss in null:  # it is read as the text of it
        request, part = (int(step) for step in loss.pointer.split("/")[1:4:2])
        source[request]["parts"][part]["content"] = "null"
    for each in source:
        if each is not None and each.get("run_id") is None:
            each["run_id"] = "run_1"
    assert _normal(written) == _normal(source)


# --- what is written ------------------------------------------------------------------------------


def test_what_stands_between_two_answers_is_one_request() -> None:
    history = [
        message("system", said("Be brief.")),
        message("user", said("Go")),
        message("assistant", {"kind": "tool_call", "payload": _CALL}),
        message("tool", {"kind": "tool_result", "payload": _RESULT}),
        message("user", said("And?")),
    ]
    written = formats.write(FORMAT, history)
    kinds = [[part["part_kind"] for part in each["parts"]] for each in written.document]
    assert kinds == [
        ["system-prompt", "user-prompt"],
        ["tool-call"],
        ["tool-return", "user-prompt"],
    ]
    assert written.document[2] == request(
        returned("c1", "f", "4", outcome="success"), user("And?")
    ) | {"parts": [_bare(returned("c1", "f", "4")), user("And?")]}
    assert written.losses == []


_CALL = {"toolCallId": "c1", "toolName": "f", "arguments": {"a": 1}}
_RESULT = {"toolCallId": "c1", "isError": False, "content": "4"}


def _bare(part: Json) -> Json:
    return {name: value for name, value in part.items() if name != "outcome"}


def test_an_answer_is_a_response() -> None:
    usage = {"inputTokens": 3, "outputTokens": 4, "totalTokens": 7, "reasoningTokens": 1}
    meta = {
        "modelId": "m",
        "requestId": "q",
        "finishReason": "tool_calls",
        "providerFinishReason": "tool_use",
        "usage": usage,
    }
    (written,) = formats.write(FORMAT, [message("assistant", said("x"), meta=meta)]).document
    assert written == response(
        {"part_kind": "text", "content": "x"},
        timestamp=T1,
        model_name="m",
        provider_response_id="q",
        finish_reason="tool_call",
        provider_details={"finish_reason": "tool_use"},
        usage={"input_tokens": 3, "output_tokens": 4, "output_reasoning_tokens": 1},
    )


def test_bytes_have_the_alphabet_for_urls() -> None:
    image = {"kind": "image", "payload": {"mimeType": "image/png", "data": "+/8/"}}
    ((part,),) = (
        each["parts"] for each in formats.write(FORMAT, [message("user", image)]).document
    )
    assert part["content"] == [{"kind": "binary", "data": "-_8_", "media_type": "image/png"}]


def test_what_the_format_has_no_place_for_is_reported() -> None:
    approval = {"approvalId": "a", "toolCallId": "c1"}
    history = [
        message("system"),
        message("user", {"kind": "file_ref", "payload": {"path": "notes.md"}}, messageId="m1"),
        message(
            "assistant",
            said("x", format={}, opaque={"provider": "odd", "data": {}}),
            {"kind": "image", "payload": {"mimeType": "image/png", "url": "https://example.org"}},
            {"kind": "approval_request", "payload": approval},
            author={"name": "n"},
            turnId="t",
            meta={"finishReason": "pause", "completedAt": T1},
        ),
        message("tool", {"kind": "tool_result", "payload": _RESULT}),
    ]
    found = [(loss.code, loss.pointer) for loss in formats.write(FORMAT, history).losses]
    assert found == [
        ("message-form", "/0"),
        ("message-id", "/1/messageId"),
        ("part-left-out", "/1/parts/0"),
        ("author", "/2/author"),
        ("meta", "/2/meta/completedAt"),
        ("meta", "/2/meta/finishReason"),
        ("text-format", "/2/parts/0/payload/format"),
        ("opaque", "/2/parts/0/payload/opaque"),
        ("part-left-out", "/2/parts/1"),
        ("part-left-out", "/2/parts/2"),
        ("turn-id", "/2/turnId"),
        ("tool-name", "/3/parts/0"),
    ]


def test_extensions_are_kept_beside_the_metadata_of_the_application() -> None:
    own = {"pydantic-ai": {"metadata": {"app": 1}}}
    history = [message("user", said("x"), messageId="m1", meta=own)]
    (written,) = formats.write(FORMAT, history, extensions=True).document
    assert written["metadata"].keys() == {"app", "partwire"}
    written["metadata"]["partwire"] = {"messages": {"7": {}}}
    codes = [loss.code for loss in formats.read(FORMAT, [written]).losses]
    assert codes == ["extension-unread"]


# --- law L8 ---------------------------------------------------------------------------------------


_JUNK: tuple[Any, ...] = (None, 5, "x", [[]], {"kind": [], "data": 5})


@pytest.mark.parametrize("name", DOCUMENTS)
def test_whatever_stands_in_what_messages_keep(name: str) -> None:
    messages = plain(read_given(FORMAT, DOCUMENTS[name]).messages)
    for pointer, _ in leaves(messages):
        if "/meta/" not in pointer and "/opaque/" not in pointer:
            continue
        for junk in _JUNK:
            with suppress(ReadError):
                comes_back_whole(FORMAT, changed(messages, pointer, junk), version="2")
                formats.write(FORMAT, changed(messages, pointer, junk))


def test_results_of_any_value_are_written() -> None:
    odd = [{"kind": []}, {"kind": "image-url"}, {"kind": "binary", "data": "x"}]
    result = {"toolCallId": "c1", "isError": False, "content": "x", "structured": odd}
    part = {"kind": "tool_result", "payload": result}
    parts_come_back(FORMAT, [message("tool", part)])
    comes_back_whole(FORMAT, [message("tool", part)], version="2")
