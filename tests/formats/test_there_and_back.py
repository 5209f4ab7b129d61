"""Histories that are drawn, there and back: what the reader takes, the encoder writes again."""

from __future__ import annotations

import copy
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partwire.errors import PartwireError
from partwire.providers.requests import encode_request
from tests.formats.encoded import Json, joined, sent_back
from tests.formats.laws import read_given
from tests.providers.request_round_trip import ASKED, CONFIG, answer, provider_texts

PNG: Final = "iVBORw0KGgo="

# Words, and not white space alone, which some providers do not take; values that doubles hold.
words = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=6)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | words,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(words, inner, max_size=2),
    max_leaves=4,
)
objects = st.dictionaries(words, values, max_size=3)
names = st.sampled_from(["f", "g", "look_up"])


class Turn(NamedTuple):
    """One turn: what the user says, what the assistant says, and its calls with their results."""

    asked: list[str]
    said: list[Json]
    calls: list[tuple[str, Json, str]]


def said(kinds: tuple[str, ...]) -> Any:
    return st.builds(lambda kind, text: {"kind": kind, "text": text}, st.sampled_from(kinds), words)


def turns(*kinds: str) -> Any:
    calls = st.lists(st.tuples(names, objects, words), max_size=3)
    asked = st.lists(words, min_size=1, max_size=2)
    turn = st.builds(Turn, asked, st.lists(said(kinds), min_size=1, max_size=3), calls)
    return st.lists(turn, min_size=1, max_size=3)


def check(format: str, body: Json, member: str, content: str) -> None:  # noqa: A002
    before = copy.deepcopy(body)
    losses = {loss.code for loss in read_given(format, body).losses}
    assert losses <= {"given", "call-id-invented"}
    assert body == before
    ours = joined(sent_back(format, body)[member], content, _same)
    assert ours == joined(body[member], content, _same)


def _same(block: Json) -> Json | None:
    return block


# --- Gemini ---------------------------------------------------------------------------------------


@given(turns("text", "signed", "thought", "code", "media"), st.booleans(), st.booleans())
@settings(max_examples=80)
def test_gemini(drawn: list[Turn], has_ids: bool, in_one: bool) -> None:
    contents: list[Json] = []
    for number, turn in enumerate(drawn):
        contents.append({"role": "user", "parts": [{"text": text} for text in turn.asked]})
        parts = _unlike([part for each in turn.said for part in _gemini(each, number)])
        results = []
        for at, (name, arguments, output) in enumerate(turn.calls):
            own = {"id": f"{number}-{at}"} if has_ids else {}
            parts.append({"functionCall": {"name": name, "args": arguments, **own}})
            response = {"output": output} if at % 2 else {"error": output}
            results.append({"functionResponse": {"name": name, "response": response, **own}})
        if in_one:
            contents.append({"role": "model", "parts": parts})
        else:  # calls apart, which is the same answer
            contents += ({"role": "model", "parts": [part]} for part in parts)
        if results:
            contents.append({"role": "user", "parts": results})
    check("gemini", {"contents": contents}, "contents", "parts")


def _gemini(each: Json, number: int) -> list[Json]:
    kind, text = each["kind"], each["text"]
    if kind == "code":
        call = {"language": "PYTHON", "code": text}
        result = {"outcome": "OUTCOME_OK", "output": text}
        return [{"executableCode": call}, {"codeExecutionResult": result}]
    if kind == "media":
        return [{"inlineData": {"mimeType": "image/png", "data": PNG}, "thoughtSignature": text}]
    marks = {"thoughtSignature": text} if kind == "signed" else {}
    return [{"text": text, **marks, **({"thought": True} if kind == "thought" else {})}]


def _unlike(blocks: list[Json]) -> list[Json]:
    """Return blocks without texts that follow texts: a message joins them."""
    made: list[Json] = []
    for block in blocks:
        if not made or not (_is_text(made[-1]) and _is_text(block)):
            made.append(block)
    return made


def _is_text(block: Json) -> bool:
    return "text" in block or block.get("type") in ("text", "thinking")


# --- Converse -------------------------------------------------------------------------------------


@given(turns("text", "reasoning", "redacted", "server", "cited"))
@settings(max_examples=80)
def test_bedrock(drawn: list[Turn]) -> None:
    messages: list[Json] = []
    for number, turn in enumerate(drawn):
        messages.append({"role": "user", "content": [{"text": text} for text in turn.asked]})
        blocks = [
            block
            for at, each in enumerate(turn.said)
            for block in _bedrock(each, f"s{number}-{at}")
        ]
        blocks = [*_unlike(blocks), {"text": "So."}] if "text" not in blocks[-1] else blocks
        blocks = _unlike(blocks)
        results = []
        for at, (name, arguments, output) in enumerate(turn.calls):
            own = f"{number}-{at}"
            blocks.append({"toolUse": {"toolUseId": own, "name": name, "input": arguments}})
            content = [{"text": output}] if at % 2 else [{"json": arguments}]
            status = {"status": "error"} if at == 2 else {}
            results.append({"toolResult": {"toolUseId": own, "content": content, **status}})
        messages.append({"role": "assistant", "content": blocks})
        if results:
            messages.append({"role": "user", "content": results})
    check("bedrock-converse", {"messages": messages}, "messages", "content")


def _bedrock(each: Json, own: str) -> list[Json]:
    kind, text = each["kind"], each["text"]
    if kind == "reasoning":
        return [{"reasoningContent": {"reasoningText": {"text": text, "signature": text}}}]
    if kind == "redacted":
        return [{"reasoningContent": {"redactedContent": PNG}}]
    if kind == "server":
        call = {"toolUseId": own, "name": "search", "input": {"q": text}, "type": "server_tool_use"}
        result = {"toolUseId": own, "content": [{"text": text}], "status": "success"}
        return [{"toolUse": call}, {"toolResult": result}]
    if kind == "cited":
        citation = {"title": text, "location": {"web": {"url": "https://example.org"}}}
        return [{"citationsContent": {"content": [{"text": text}], "citations": [citation]}}]
    return [{"text": text}]


# --- Anthropic ------------------------------------------------------------------------------------


@given(turns("text", "thinking", "redacted", "server", "cited"))
@settings(max_examples=80)
def test_anthropic(drawn: list[Turn]) -> None:
    messages: list[Json] = []
    for number, turn in enumerate(drawn):
        asked = [{"type": "text", "text": text} for text in turn.asked]
        messages.append({"role": "user", "content": asked})
        blocks = [
            block
            for at, each in enumerate(turn.said)
            for block in _anthropic(each, f"s{number}-{at}")
        ]
        if blocks[-1]["type"] != "text":
            blocks.append({"type": "text", "text": "So."})
        blocks = _unlike(blocks)
        if blocks[-1]["type"] != "text":
            blocks.append({"type": "redacted_thinking", "data": "x"})
            blocks.append({"type": "text", "text": "So."})
        results = []
        for at, (name, arguments, output) in enumerate(turn.calls):
            own = f"{number}-{at}"
            blocks.append({"type": "tool_use", "id": own, "name": name, "input": arguments})
            failed = {"is_error": True} if at == 2 else {}
            results.append({"type": "tool_result", "tool_use_id": own, "content": output, **failed})
        messages.append({"role": "assistant", "content": blocks})
        if results:
            messages.append({"role": "user", "content": results})
    check("anthropic-messages", {"messages": messages}, "messages", "content")


def _anthropic(each: Json, own: str) -> list[Json]:
    kind, text = each["kind"], each["text"]
    if kind == "thinking":
        return [{"type": "thinking", "thinking": text, "signature": text}]
    if kind == "redacted":
        return [{"type": "redacted_thinking", "data": text}]
    if kind == "server":
        call = {"type": "server_tool_use", "id": own, "name": "web_search", "input": {"q": text}}
        found = {"type": "web_search_result", "url": "https://example.org", "title": text}
        result = {"type": "web_search_tool_result", "tool_use_id": own, "content": [found]}
        return [call, result]
    cited = {"type": "web_search_result_location", "url": "https://example.org", "cited_text": text}
    return [{"type": "text", "text": text, **({"citations": [cited]} if kind == "cited" else {})}]


# --- Cohere ---------------------------------------------------------------------------------------


@given(turns("text", "thinking"), st.booleans())
@settings(max_examples=80)
def test_cohere(drawn: list[Turn], has_plan: bool) -> None:
    messages: list[Json] = []
    for number, turn in enumerate(drawn):
        asked = [{"type": "text", "text": text} for text in turn.asked]
        messages.append({"role": "user", "content": asked})
        content = _unlike([_cohere(each) for each in turn.said])
        answer: Json = {"role": "assistant", "content": content}
        if has_plan:
            answer["tool_plan"] = "Look it up."
        calls = []
        results = []
        for at, (name, arguments, output) in enumerate(turn.calls):
            own = f"{number}-{at}"
            function = {"name": name, "arguments": f'{{"a":{len(arguments)}}}'}
            calls.append({"id": own, "type": "function", "function": function})
            told = [{"type": "text", "text": output}]
            results.append({"role": "tool", "tool_call_id": own, "content": told})
        if calls:
            answer["tool_calls"] = calls
        messages += [answer, *results]
    body = {"messages": messages}
    check("cohere-v2", body, "messages", "content")
    for member in ("tool_plan", "tool_calls", "tool_call_id"):
        ours, theirs = (
            [message.get(member) for message in each["messages"]]
            for each in (sent_back("cohere-v2", body), body)
        )
        assert ours == theirs


def _cohere(each: Json) -> Json:
    return {"type": each["kind"], each["kind"]: each["text"]}


@pytest.mark.parametrize("format", ["gemini", "cohere-v2", "anthropic-messages"])
def test_what_an_encoder_writes_is_read_and_written_again(format: str) -> None:  # noqa: A002
    """Answers of every form that the fixtures have: what they keep of the provider's comes back."""
    for name, texts in provider_texts(format).items():
        try:
            said = answer(format, texts)
        except PartwireError:  # a stream that never began
            continue
        body = encode_request(format, [ASKED, said], config=CONFIG).body
        again = encode_request(format, read_given(format, body).messages, config=CONFIG).body
        assert again == body, name


@pytest.mark.parametrize("format", ["gemini", "bedrock-converse", "anthropic-messages"])
def test_an_empty_history_is_empty(format: str) -> None:  # noqa: A002
    member = "contents" if format == "gemini" else "messages"
    assert read_given(format, {member: []}).messages == []
