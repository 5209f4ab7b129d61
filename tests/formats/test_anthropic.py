"""Histories of Anthropic Messages: messages, requests and answers."""

from __future__ import annotations

from typing import Any

import pytest

from partwire.errors import ReadError
from partwire.formats import sniff
from partwire.reading.pipeline import to_wire
from tests.formats import samples
from tests.formats.agreement import Agreement
from tests.formats.encoded import Json, joined, sent_back
from tests.formats.hostile import refuses_what_is_not_json
from tests.formats.laws import leaf_law, losses_are_real, read_given, survives
from tests.formats.oracles import items_of, wanted_items

FORMAT = "anthropic-messages"
SAMPLES = samples.ids(FORMAT)
PNG = "iVBORw0KGgo="
FILE = "file_0123456789"


def read(document: Any) -> list[Json]:
    return [to_wire(message) for message in read_given(FORMAT, document).messages]


def lost(document: Any) -> list[tuple[str, str]]:
    """Return what is lost: code and place."""
    losses = read_given(FORMAT, document).losses
    return [(loss.code, loss.pointer) for loss in losses if loss.code != "given"]


def user(*content: Any) -> Json:
    return {"role": "user", "content": list(content)}


def assistant(*content: Any, **members: Any) -> Json:
    return {"role": "assistant", "content": list(content), **members}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def call(call_id: str, name: str = "f", **members: Any) -> Json:
    return {"type": "tool_use", "id": call_id, "name": name, "input": {}, **members}


def result(call_id: str, content: Any, **members: Any) -> Json:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **members}


def image(**source: Any) -> Json:
    return {"type": "image", "source": source}


def document(title: str | None = None, **source: Any) -> Json:
    named = {"title": title} if title else {}
    return {"type": "document", "source": source, **named}


# --- what is read ---------------------------------------------------------------------------------


def test_a_request_has_a_system_message_and_messages() -> None:
    body = {"model": "m", "system": "Be brief.", "messages": [user(text("Hi"))], "max_tokens": 1}
    assert [(m["role"], m["parts"][0]["payload"]["text"]) for m in read(body)] == [
        ("system", "Be brief."),
        ("user", "Hi"),
    ]
    assert lost(body) == [("request-member", "/max_tokens"), ("request-member", "/model")]


@pytest.mark.parametrize(
    "source",
    [
        {"messages": [user(text("Hi"))]},
        {"messages": [user(text("Hi"))], "system": []},
        [user(text("Hi"))],
        user(text("Hi")),
        [{"role": "user", "content": "Hi"}],
    ],
)
def test_whatever_people_store_is_read(source: Any) -> None:
    (message,) = read(source)
    assert (message["role"], message["parts"]) == (
        "user",
        [{"kind": "text", "payload": {"text": "Hi"}}],
    )
    assert lost(source) == []


@pytest.mark.parametrize(
    "block",
    [
        image(type="base64", media_type="image/png", data=PNG),
        image(type="url", url="https://example.org/a.png"),
        image(type="file", file_id=FILE),
        document("T", type="base64", media_type="application/pdf", data=PNG),
        document(type="base64", media_type="application/pdf", data=PNG),
        document("T", type="text", media_type="text/plain", data="words"),
        document("T", type="url", url="https://example.org/a"),
        document(type="file", file_id=FILE),
        document("T", type="file", file_id=FILE),
    ],
)
def test_media_goes_back_from_users_and_from_results(block: Json) -> None:
    messages = [user(block), assistant(call("a")), user(result("a", [block]))]
    assert sent_back(FORMAT, messages)["messages"] == messages
    assert {code for code, _ in lost(messages)} <= {"mime-invented"}


def test_lists_of_blocks_are_their_texts_and_images() -> None:
    inner = [text("a"), image(type="base64", media_type="image/png", data=PNG)]
    blocks = [
        document("T", type="content", content=inner),
        document(type="content", content="b"),
        {"type": "search_result", "source": "s", "title": "t", "content": [text("c")]},
    ]
    for messages in ([user(*blocks)], [user(result("x", blocks))]):
        parts = read(messages)[0]["parts"]
        if parts[0]["kind"] == "tool_result":
            parts = parts[0]["payload"]["content"]
        assert [part["payload"].get("text") for part in parts] == ["a", None, "b", "c"]
    assert lost([user(*blocks)]) == [
        ("content-form", "/0/content/0/source/content"),
        ("foreign-member", "/0/content/0/title"),
        ("content-form", "/0/content/1/source/content"),
        ("content-form", "/0/content/2/content"),
        ("foreign-member", "/0/content/2/source"),
        ("foreign-member", "/0/content/2/title"),
    ]


def test_ids_that_are_used_again_are_told_apart() -> None:
    messages = [
        assistant(call("a"), id="msg_1"),
        user(result("a", "1")),
        assistant(call("a"), id="msg_1"),
        user(result("a", "2"), result("a", "3")),
    ]
    read_messages = read(messages)
    ids = [message["parts"][0]["payload"]["toolCallId"] for message in read_messages]
    assert ids == ["a", "a", ids[2], ids[2], ids[2]]
    assert ids[2] != "a"
    assert [message.get("messageId") for message in read_messages][::2] == ["msg_1", "msg_1", None]


def test_an_answer_goes_on_behind_its_calls() -> None:
    results = user(result("a", "1"), result("b", "2"))
    apart = [assistant(call("a")), assistant(call("b")), results]
    assert [message["role"] for message in read(apart)] == ["assistant", "tool"]
    assert sent_back(FORMAT, apart)["messages"] == [assistant(call("a"), call("b")), results]
    same = [assistant(call("a"), id="msg_1"), assistant(call("b"), id="msg_1"), results]
    assert [message.get("messageId") for message in read(same)] == ["msg_1", None]
    others = [assistant(call("a"), id="msg_1"), assistant(call("b"), id="msg_2"), results]
    assert [message.get("messageId") for message in read(others)] == ["msg_1", "msg_2", None]
    texts = [assistant(text("a")), assistant(text("b"))]
    assert len(read(texts)) == 2


def test_what_an_assistant_said_goes_back_as_it_came() -> None:
    cited = {
        "type": "char_location",
        "cited_text": "c",
        "document_index": 0,
        "document_title": None,
        "start_char_index": 0,
        "end_char_index": 1,
    }
    messages = [
        assistant(
            {"type": "thinking", "thinking": "Hm.", "signature": "s"},
            {"type": "redacted_thinking", "data": "d"},
            {**text("So"), "citations": [cited]},
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"q": 1}},
            {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
            call("a", input={"x": 1}, caller={"type": "code", "tool_id": "s1"}),
        ),
        user(result("a", "x", is_error=True)),
    ]
    assert sent_back(FORMAT, messages)["messages"] == messages
    assert lost(messages) == []


def test_an_answer_says_its_model_its_usage_and_why_it_ended() -> None:
    answer = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "model-1",
        "content": [text("Hi")],
        "stop_reason": "max_tokens",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 2, "cache_read_input_tokens": 3, "tier": "x"},
    }
    (message,) = read(answer)
    assert message["messageId"] == "msg_1"
    assert message["meta"] == {
        "modelId": "model-1",
        "finishReason": "length",
        "providerFinishReason": "max_tokens",
        "usage": {"inputTokens": 4, "outputTokens": 2, "totalTokens": 6, "cacheReadTokens": 3},
    }
    assert lost(answer) == [("foreign-member", "/usage/tier")]
    assert "meta" not in read([assistant(text("Hi"))])[0]


# --- what is not read -----------------------------------------------------------------------------


def test_what_a_message_has_no_place_for_is_named() -> None:
    body = {
        "system": [text("s"), image(type="url", url="https://example.org")],
        "messages": [
            user({**text("a"), "cache_control": {"type": "ephemeral"}}, call("x"), {"type": 5}),
            {"role": "system", "content": [text("b"), {"type": "tool_addition"}]},
            {"role": "critic", "content": "x"},
            assistant({**text("c"), "cache_control": {"type": "ephemeral"}}),
            assistant({"type": "tool_use", "id": "x", "input": {}}),
            user(result("x", [result("y", "z"), {"type": "tool_reference"}], is_error="yes")),
            user({"type": "tool_result", "content": "x"}, {"type": "container_upload"}),
        ],
    }
    assert lost(body) == [
        ("foreign-member", "/messages/0/content/0/cache_control"),
        ("foreign-part", "/messages/0/content/1"),
        ("foreign-part", "/messages/0/content/2"),
        ("foreign-part", "/messages/1/content/1"),
        ("foreign-message", "/messages/2"),
        ("foreign-member", "/messages/3/content/0/cache_control"),
        ("malformed-part", "/messages/4/content"),
        ("foreign-part", "/messages/5/content/0/content/0"),
        ("foreign-part", "/messages/5/content/0/content/1"),
        ("foreign-member", "/messages/5/content/0/is_error"),
        ("foreign-part", "/messages/6/content/0"),
        ("foreign-part", "/messages/6/content/1"),
        ("foreign-part", "/system/1"),
    ]


def test_results_in_results_have_an_end() -> None:
    block = result("a", "x")
    for _ in range(200):
        block = result("a", [block])
    assert lost([user(block)]) == [("foreign-part", "/0/content/0/content/0")]


@pytest.mark.parametrize(
    ("source", "place"),
    [
        (5, ""),
        ({}, "/role"),
        ([5], "/0"),
        ([{"role": 5, "content": []}], "/0/role"),
        ([{"role": "user"}], "/0/content"),
        ([user(5)], "/0/content/0"),
        ([assistant(5)], "/0/content/0"),
        ({"messages": 5}, "/messages"),
        ({"messages": [], "system": 5}, "/system"),
    ],
)
def test_what_is_not_of_the_format_is_refused(source: Any, place: str) -> None:
    with pytest.raises(ReadError) as caught:
        read(source)
    (finding,) = caught.value.findings
    assert (finding.rule, finding.pointer) == ("format/wrong-shape", place)


# --- laws -----------------------------------------------------------------------------------------

DOCUMENTS: dict[str, Any] = {
    "spoken": {
        "model": "m",
        "system": [{**text("s"), "cache_control": {"type": "ephemeral"}}, {"type": "odd"}],
        "messages": [
            user(
                {**text("a"), "citations": None, "cache_control": {"type": "ephemeral"}},
                {**image(type="base64", media_type="image/png", data=PNG), "q": 1},
                image(type="url", url="https://example.org/a"),
                image(type="file", file_id=FILE),
                {**document("T", type="base64", media_type="application/pdf", data=PNG), "x": 1},
                document("U", type="text", media_type="text/plain", data="words"),
                document("V", type="url", url="https://example.org/a"),
                document("W", type="file", file_id=FILE),
                document("X", type="content", content=[text("x"), {"type": "odd"}]),
                document("Y", type="content", content="str"),
                {"type": "search_result", "source": "s", "title": "t", "content": [text("r")]},
                {"type": "odd", "x": [1]},
            ),
            assistant(call("a"), call("b", caller={"type": "direct"})),
            user(
                result("a", "r", is_error=False),
                result("b", [text("x"), document("Z", type="odd", y=1)], is_error="yes"),
                {"type": "tool_result", "tool_use_id": "b", "content": None, "z": 1},
                text("b"),
            ),
            {"role": "system", "content": [text("mid"), {"type": "tool_addition", "tool": {}}]},
            {"role": "critic", "content": "x"},
        ],
    },
    "answer": assistant(
        {
            **text("words"),
            "citations": [{"type": "web_search_result_location", "url": "https://e.org"}],
            "cache_control": {"type": "ephemeral"},
        },
        {"type": "thinking", "thinking": "th", "signature": "sg", "x": 1},
        {"type": "redacted_thinking", "data": "d"},
        call("c", input={"a": [1, {}]}, cache_control={"type": "e"}),
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"q": 1}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"x": 1}]},
        result("z", "odd"),
        {"type": "odd", "x": [1]},
        id="msg_1",
        type="message",
        model="m",
        stop_reason="tool_use",
        stop_sequence=None,
        usage={
            "input_tokens": 1,
            "output_tokens": 2,
            "cache_creation": {"e": 1},
            "output_tokens_details": {"thinking_tokens": 1, "z": 1},
        },
        container={"id": "c"},
        other={"a": 1},
    ),
    "no usage": assistant(text("x"), usage={"cache_read_input_tokens": 1}),
}


@pytest.mark.parametrize("name", ["spoken", "answer"])
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
    refuses_what_is_not_json(FORMAT, lambda odd: [user({**text("x"), "y": odd})])


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_of_a_sample_is_lost_in_silence(name: str) -> None:
    leaf_law(FORMAT, samples.load(name).document)


def test_samples_agree_with_others() -> None:
    agreement = Agreement(FORMAT)
    for name in SAMPLES:
        sample = samples.load(name)
        got = items_of(read_given(FORMAT, sample.document).messages)
        agreement.sample(name, got, wanted_items(sample.expected))
    agreement.check()


# What a loss names, and the encoder therefore does not write.
LEFT_OUT = ("container_upload", "tool_addition")


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_go_back_as_they_came(name: str) -> None:
    source = samples.load(name).document
    ours, theirs = (
        joined([each for each in body["messages"] if each["role"] != "system"], "content", normal)
        for body in (sent_back(FORMAT, source), source)
    )
    assert ours == theirs


def normal(block: Json) -> Json | None:
    """Return a block as encoders write it: no cache marks, no mark of success."""
    if block["type"] in LEFT_OUT:
        return None
    block.pop("cache_control", None)
    if block.get("caller") == {"type": "direct"}:
        del block["caller"]
    if block["type"] == "tool_result":
        if block.get("is_error") is False:
            del block["is_error"]
        if isinstance(block.get("content"), list):
            block["content"] = [each for item in block["content"] if (each := normal(item))]
        if not block.get("content"):
            block.pop("content", None)
    return block
