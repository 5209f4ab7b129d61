"""Messages of spans, as OpenTelemetry's GenAI conventions have them, are read and written."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

import pytest
from hypothesis import given

from partwire import formats
from partwire.errors import ReadError
from partwire.formats import sniff
from tests.formats import samples
from tests.formats.agreement import Agreement
from tests.formats.hostile import refuses_what_is_not_json
from tests.formats.laws import (
    changed,
    leaf_law,
    leaves,
    losses_are_real,
    read_given,
    survives,
    wire,
)
from tests.formats.oracles import items_of, wanted_items
from tests.formats.otel_genai_documents import DOCUMENTS, answer, call, said, text
from tests.formats.written import comes_back_whole, drawn_histories, parts_come_back, plain

Json = dict[str, Any]

FORMAT = "otel-genai"
SAMPLES = samples.ids(FORMAT)
INSTRUCTIONS, INPUT, OUTPUT = (
    "gen_ai.system_instructions",
    "gen_ai.input.messages",
    "gen_ai.output.messages",
)


def read(document: Any) -> list[Json]:
    return wire(read_given(FORMAT, document))


def lost(document: Any) -> list[tuple[str, str]]:
    found = read_given(FORMAT, document).losses
    return [(loss.code, loss.pointer) for loss in found if loss.severity == "lossy"]


def payloads(message: Json, kind: str) -> list[Json]:
    return [part["payload"] for part in message["parts"] if part["kind"] == kind]


# --- what is read ---------------------------------------------------------------------------------


def test_roles_are_ours_and_results_a_tool_s() -> None:
    assert [each["role"] for each in read(DOCUMENTS["messages"])] == [
        *("system", "system", "user", "assistant", "tool"),
        *("tool", "user", "tool", "tool", "user", "assistant"),
    ]


def test_attributes_are_one_history() -> None:
    made = read(DOCUMENTS["span"])
    assert [each["role"] for each in made] == ["system", "user", "assistant", "assistant"]
    assert [part["payload"]["text"] for part in made[0]["parts"]] == ["Be brief.", "In French."]
    assert lost(DOCUMENTS["span"]) == [
        ("request-member", "/attributes/gen_ai.request.model"),
        ("request-member", "/name"),
    ]


def test_calls_have_text_or_any_value_as_arguments() -> None:
    calls = payloads(read(DOCUMENTS["messages"])[3], "tool_call")
    assert [(each["arguments"], each.get("rawArgsText")) for each in calls] == [
        ({"x": 1}, None),
        ({"y": 2}, None),
        ({}, "no JSON"),
        ({}, "[1]"),
        ({}, None),
    ]
    assert len({each["toolCallId"] for each in calls}) == 5


def test_results_find_their_calls() -> None:
    made = read(DOCUMENTS["messages"])
    calls = [each["toolCallId"] for each in payloads(made[3], "tool_call")]
    results = payloads(made[4], "tool_result")
    assert [each["toolCallId"] for each in results] == [*calls[:4], "z", calls[4]]
    assert [each["content"] for each in results] == [
        {"ok": True},
        '[1,"two"]',
        "null",
        "x",
        "2.5",
        "and a",
    ]


def test_tools_of_a_provider_have_parts_of_their_own() -> None:
    parts = read(DOCUMENTS["server"])[1]["parts"]
    assert [part["kind"] for part in parts] == ["server_tool_call", "server_tool_result"] * 3
    assert parts[0]["payload"]["arguments"] == {"code": "1+1"}
    assert parts[2]["payload"]["arguments"] == {"type": "web", "q": "x"}
    assert parts[3]["payload"]["content"] == "found"
    assert parts[3]["payload"]["toolCallId"] == parts[2]["payload"]["toolCallId"]


def test_reasons_are_ours_or_the_provider_s_own_word() -> None:
    made = read(DOCUMENTS["messages"])
    assert made[3]["meta"]["finishReason"] == "tool_calls"
    assert made[-1]["meta"]["providerFinishReason"] == "end_turn"
    assert made[3]["author"] == {"name": "helper"}


# --- what is not read -----------------------------------------------------------------------------


def test_what_a_message_has_no_place_for_is_named() -> None:
    assert lost(DOCUMENTS["messages"]) == [
        ("foreign-part", "/0/parts/1"),
        ("foreign-member", "/0/parts/1/x"),
        ("foreign-member", "/1/parts/0/odd"),
        ("foreign-member", "/2/odd"),
        ("foreign-part", "/2/parts/6"),
        ("foreign-part", "/2/parts/13"),
        ("foreign-part", "/3/parts/2"),
        ("foreign-part", "/3/parts/9"),
        ("result-null", "/4/parts/2/response"),
        ("foreign-part", "/4/parts/6"),
        ("foreign-message", "/7"),
    ]


@pytest.mark.parametrize(
    ("source", "place"),
    [
        (5, ""),
        ({}, ""),
        ([5], "/0"),
        ([{"parts": []}], "/0/role"),
        ([{"role": "user"}], "/0/parts"),
        ([{"role": "user", "parts": [5]}], "/0/parts/0"),
        ([{"role": "user", "parts": []}, {"type": "text"}], "/1/role"),
        ({INPUT: "secret"}, f"/{INPUT}"),
        ({INPUT: 5}, f"/{INPUT}"),
        ({INSTRUCTIONS: [5]}, f"/{INSTRUCTIONS}/0"),
    ],
)
def test_what_is_not_of_the_format_is_refused(source: Any, place: str) -> None:
    with pytest.raises(ReadError) as caught:
        read(source)
    (finding,) = caught.value.findings
    assert (finding.rule, finding.pointer) == ("format/wrong-shape", place)


# --- laws of reading ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["messages", "server"])
def test_the_format_shows(name: str) -> None:
    assert [found.format for found in sniff(DOCUMENTS[name])] == [FORMAT]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_nothing_is_lost_in_silence(name: str) -> None:
    leaf_law(FORMAT, DOCUMENTS[name])
    losses_are_real(FORMAT, DOCUMENTS[name])


@pytest.mark.parametrize("name", DOCUMENTS)
def test_whatever_stands_in_a_document(name: str) -> None:
    survives(FORMAT, DOCUMENTS[name])


def test_what_is_not_json_is_refused() -> None:
    refuses_what_is_not_json(FORMAT, lambda odd: [said("user", text("x"), y=odd)])


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_of_a_sample_is_lost_in_silence(name: str) -> None:
    leaf_law(FORMAT, samples.load(name).document)


def test_samples_agree_with_others() -> None:
    agreement = Agreement(FORMAT)
    for name in SAMPLES:
        sample = samples.load(name)
        got = items_of(read_given(FORMAT, sample.document).messages)
        expected = {
            "items": [each for each in sample.expected["items"] if not _is_server(each, sample)]
        }
        agreement.sample(name, got, [_as_object(item) for item in wanted_items(expected)])
    agreement.check()


def _is_server(item: Json, sample: samples.Sample) -> bool:
    """Tell whether a part is of a tool of the provider's, which others call by several names."""
    message, part = (int(step) for step in item["at"].split("/")[1::2])
    theirs = sample.document[message]["parts"][part]
    return theirs["type"].startswith("server_tool_call") or "builtin" in theirs


def _as_object(item: Any) -> Any:
    """Return an item whose arguments, where there are none, are an object without members."""
    is_bare = item[1] == "tool_call" and item[4] == "null"
    return (*item[:4], "{}") if is_bare else item


# --- law L2: messages → attributes → messages -----------------------------------------------------


@given(drawn_histories)
def test_drawn_messages_come_back_but_for_what_is_reported(messages: Any) -> None:
    parts_come_back(FORMAT, plain(messages))


@given(drawn_histories)
def test_drawn_messages_come_back_whole_with_extensions(messages: Any) -> None:
    comes_back_whole(FORMAT, plain(messages), version="1.41")


@pytest.mark.parametrize("name", [*DOCUMENTS, *SAMPLES])
def test_histories_come_back(name: str) -> None:
    document = DOCUMENTS[name] if name in DOCUMENTS else samples.load(name).document
    messages = plain(read_given(FORMAT, document).messages)
    written = formats.write(FORMAT, messages)
    back = plain(read_given(FORMAT, written.document).messages)
    assert back == messages
    lossy = {loss.code for loss in written.losses if loss.severity == "lossy"}
    assert lossy <= {"run-id", "timestamp"}
    comes_back_whole(FORMAT, messages, version="1.41")


# --- law L1 ---------------------------------------------------------------------------------------


def _messages_in(document: Any) -> list[Json]:
    """Return the messages of attributes, in order, in a normal form."""
    whole = document if isinstance(document, list) else []
    if isinstance(document, dict):
        parts = document.get(INSTRUCTIONS)
        whole = [{"role": "system", "parts": parts}] if parts else []
        whole = [*whole, *document.get(INPUT, []), *document.get(OUTPUT, [])]
    return [_normal(message) for message in whole]


def _normal(message: Json) -> Json:
    made = {name: value for name, value in message.items() if value not in (None, "")}
    made["parts"] = [_normal_part(part) for part in message["parts"]]
    return made


def _normal_part(part: Json) -> Json:
    kind = part["type"]
    renamed = {"thinking": "reasoning", "binary": "blob", "media_type": "mime_type", "url": "uri"}
    made = {renamed.get(n, n): v for n, v in part.items() if v is not None and n != "modality"}
    made["type"] = "uri" if kind.endswith("-url") else renamed.get(kind, kind)
    if kind == "tool_call":
        made.setdefault("arguments", {})
    if kind == "tool_call_response":
        made.pop("name", None)  # it stands on the call
        made["response"] = made.pop("result", made.get("response", ""))
    if made["type"] in ("text", "blob"):
        made.setdefault("content", "")
    return made


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_come_back(name: str) -> None:
    document = samples.load(name).document
    result = read_given(FORMAT, document)
    assert [loss for loss in result.losses if loss.severity == "lossy"] == []
    written = formats.write(FORMAT, result.messages).document
    assert _messages_in(written) == _messages_in(document)


# --- what is written ------------------------------------------------------------------------------


def _message(role: str, *parts: Json, **members: Any) -> Json:
    head = {"runId": "run_1", "timestamp": "2026-01-02T03:04:05Z"}
    return {**head, "role": role, "parts": list(parts), **members}


def _text(content: str, **members: Any) -> Json:
    return {"kind": "text", "payload": {"text": content, **members}}


_CALL: Final = {"toolCallId": "c1", "toolName": "f", "arguments": {"a": 1}}
_RESULT: Final = {"toolCallId": "c1", "isError": False, "content": "4"}


def test_a_history_is_the_attributes_of_a_span() -> None:
    history = [
        _message("system", _text("Be brief.")),
        _message("user", _text("Go"), author={"name": "ada"}),
        _message(
            "assistant",
            {"kind": "tool_call", "payload": _CALL},
            meta={"finishReason": "tool_calls"},
        ),
        _message("tool", {"kind": "tool_result", "payload": _RESULT}),
        _message("assistant", {"kind": "thinking", "payload": {"text": "Hm."}}, _text("4")),
    ]
    written = formats.write(FORMAT, history)
    assert written.document == {
        INSTRUCTIONS: [text("Be brief.")],
        INPUT: [
            said("user", text("Go"), name="ada"),
            said("assistant", call("c1", "f", {"a": 1}), finish_reason="tool_call"),
            said("tool", answer("c1", "4")),
        ],
        OUTPUT: [
            said("assistant", {"type": "reasoning", "content": "Hm."}, text("4"), finish_reason="")
        ],
    }
    assert {loss.code for loss in written.losses} == {"run-id", "timestamp"}


def test_what_the_format_has_no_place_for_is_reported() -> None:
    failed = {**_RESULT, "isError": True, "outcome": "denied"}
    image = {"mimeType": "image/png", "data": "iVBORw=="}
    history = [
        _message("system", {"kind": "thinking", "payload": {"text": "x"}}),
        _message("user", {"kind": "file_ref", "payload": {"path": "a.md"}}, messageId="m"),
        _message(
            "assistant",
            _text("x", opaque={"provider": "odd", "data": {}}),
            {"kind": "approval_request", "payload": {"approvalId": "a", "toolCallId": "c1"}},
            author={"name": "n", "agentPath": ["n"]},
            meta={"modelId": "m"},
        ),
        _message("tool", {"kind": "tool_result", "payload": failed}),
        _message(
            "tool",
            {
                "kind": "tool_result",
                "payload": {**_RESULT, "content": [{"kind": "image", "payload": image}]},
            },
        ),
    ]
    found = formats.write(FORMAT, history).losses
    assert [
        (loss.code, loss.pointer) for loss in found if loss.code not in ("run-id", "timestamp")
    ] == [
        ("part-left-out", "/0/parts/0"),
        ("message-id", "/1/messageId"),
        ("part-left-out", "/1/parts/0"),
        ("author", "/2/author"),
        ("meta", "/2/meta/modelId"),
        ("opaque", "/2/parts/0/payload/opaque"),
        ("part-left-out", "/2/parts/1"),
        ("part-form", "/3/parts/0/payload/isError"),
        ("result-outcome", "/3/parts/0/payload/outcome"),
        ("part-form", "/4/parts/0/payload/content"),
        ("result-structured", "/4/parts/0/payload/structured"),
    ]


# --- law L8 ---------------------------------------------------------------------------------------

_JUNK: tuple[Any, ...] = (None, 5, "x", [[]], {"kind": []})


@pytest.mark.parametrize("name", DOCUMENTS)
def test_whatever_stands_in_what_messages_keep(name: str) -> None:
    messages = plain(read_given(FORMAT, DOCUMENTS[name]).messages)
    for pointer, _ in leaves(messages):
        for junk in _JUNK if "/meta/" in pointer else ():
            with suppress(ReadError):
                comes_back_whole(FORMAT, changed(messages, pointer, junk), version="1.41")
                formats.write(FORMAT, changed(messages, pointer, junk))
