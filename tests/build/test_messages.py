"""Builders of messages and parts: what they return is valid, what they refuse says why."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import partwire
from partwire import (
    approval_request,
    approval_response,
    assistant,
    media,
    new_id,
    now,
    server_tool_call,
    server_tool_result,
    system,
    text,
    tool,
    tool_call,
    tool_result,
    user,
)
from partwire.types import (
    Author,
    Citation,
    CitationSource,
    Message,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolCallPayload,
    ToolResult,
    ToolResultPart,
)
from partwire.v0_1.structs import message as older
from partwire_testing import strategies

UUID7 = "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
CALL = ToolCallPart(payload=ToolCallPayload(tool_call_id="c1", tool_name="weather", arguments={}))
TIME = "2026-01-02T03:04:05Z"
ASKED = approval_request(CALL, approval_id="apr_1", reason="It deletes files.", choices=("once",))

Builder = Callable[..., Message]


FLOAT: Any = 0.0
USAGE = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
NAMES = "a name, or an Author: name or agentPath (the names on the way to it), none empty"
FORMS = "a TextFormat: an object, with name and schemaRef where they are known"
loose: Any = partwire
"""The face, to those who have no type checker."""


def of_tool(content: Any, **members: Any) -> Message:
    return tool(content, **{"run_id": "run_1", **members})


BUILDERS: dict[str, Builder] = {
    "user": user,
    "system": system,
    "assistant": assistant,
    "tool": of_tool,
}


def refused(build: Callable[[], Any]) -> partwire.Finding:
    with pytest.raises(partwire.UsageError) as caught:
        build()
    return caught.value.findings[0]


# --- what comes out is valid --------------------------------------------------------------------


@pytest.mark.parametrize("role", ["user", "system", "assistant"])
@given(said=st.text())
def test_any_text_makes_a_valid_message(role: str, said: str) -> None:
    message = BUILDERS[role](said)
    assert partwire.validate(message, "message.Message") == []
    assert [part.payload.text for part in message.parts if isinstance(part, TextPart)] == [said]
    assert message.role == role


@given(
    role=st.sampled_from(sorted(BUILDERS)),
    parts=st.lists(strategies.structs("message.MessagePart"), max_size=4),
)
def test_what_the_contract_refuses_is_refused_with_its_findings(
    role: str, parts: list[Any]
) -> None:
    document = {
        "runId": "run_1",
        "role": role,
        "timestamp": "2026-01-02T03:04:05Z",
        "parts": [partwire.to_wire(part) for part in parts],
    }
    found = partwire.validate(document, "message.Message")
    given = {"run_id": "run_1", "timestamp": "2026-01-02T03:04:05Z"}
    if found:
        with pytest.raises(partwire.UsageError) as caught:
            BUILDERS[role](parts, **given)
        assert list(caught.value.findings) == found
    else:
        assert partwire.to_wire(BUILDERS[role](parts, **given)) == document


@given(content=st.text() | strategies.structs("message.ToolResult").map(lambda each: each.content))
def test_any_content_of_the_contract_makes_a_result(content: Any) -> None:
    part = tool_result(CALL, content, is_error=True)
    assert part.payload.content == content
    assert partwire.validate(part, "message.MessagePart") == []


def test_a_turn_with_tools_is_a_whole_history() -> None:
    question = user("What is the weather in Oslo and Rome?")
    calls = [tool_call("weather", {"city": city}) for city in ("Oslo", "Rome")]
    answer = assistant(["I look it up.", *calls], run_id=question.run_id)
    results = [tool_result(calls[0], "4 °C"), tool_result(calls[1], "timeout", is_error=True)]
    history = [question, answer, tool(results, run_id=answer.run_id)]
    assert partwire.check_history(history) == []
    assert [part.payload.is_error for part in results] == [False, True]


# --- what is made, and what is absent -----------------------------------------------------------


def test_what_is_required_is_made_and_what_is_optional_is_absent() -> None:
    before = datetime.now(UTC) - timedelta(milliseconds=1)
    message = user("hi")
    document = partwire.to_wire(message)
    assert sorted(document) == ["parts", "role", "runId", "timestamp"]
    assert re.fullmatch(f"run_{UUID7}", message.run_id)
    assert before <= datetime.fromisoformat(message.timestamp) <= datetime.now(UTC)
    assert user("hi").run_id != message.run_id


def test_what_is_given_stays() -> None:
    document = {
        "runId": "run_1",
        "messageId": "msg_1",
        "turnId": "turn_1",
        "role": "assistant",
        "parts": [{"kind": "text", "payload": {"text": "a"}}],
        "timestamp": "2026-01-02T03:04:05Z",
        "meta": {"modelId": "m"},
    }
    meta = {"modelId": "m"}
    message = assistant(
        "a",
        run_id="run_1",
        message_id="msg_1",
        turn_id="turn_1",
        timestamp="2026-01-02T03:04:05Z",
        meta=meta,
    )
    meta["modelId"] = "other"
    assert partwire.to_wire(message) == document


def test_ids_sort_and_have_their_prefix() -> None:
    ids = [new_id() for _ in range(3)]
    assert ids == sorted(ids)
    assert re.fullmatch(UUID7, ids[0])
    assert re.fullmatch(f"call_{UUID7}", new_id("call"))
    assert re.fullmatch(f"call_{UUID7}", tool_call("weather").payload.tool_call_id)


def test_the_present_instant_is_in_the_form_of_the_contract() -> None:
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", now())


# --- what is taken ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        "a",
        ["a"],
        ("a",),
        iter(["a"]),
        text("a"),
        [text("a")],
        {"kind": "text", "payload": {"text": "a"}},
        partwire.to_model(text("a")),
        [partwire.to_model(text("a"))],
        older.TextPart(payload=older.TextPayload(text="a")),
    ],
    ids=lambda value: type(value).__name__,
)
def test_texts_and_parts_in_every_form(content: Any) -> None:
    assert user(content).parts == [text("a")]


def test_an_empty_list_has_no_parts() -> None:
    assert user([]).parts == []


@pytest.mark.parametrize(
    "call",
    [
        CALL,
        CALL.payload,
        ToolCall(tool_call_id="c1", tool_name="weather", arguments={}),
        "c1",
        partwire.to_wire(CALL),
        partwire.to_wire(CALL.payload),
        partwire.to_model(CALL),
        partwire.to_model(CALL.payload),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_call_in_every_form(call: Any) -> None:
    assert tool_result(call, "4 °C") == ToolResultPart(
        payload=ToolResult(tool_call_id="c1", is_error=False, content="4 °C")
    )


@pytest.mark.parametrize(
    ("content", "written"),
    [
        ("", ""),
        ({"kind": "text"}, {"kind": "text"}),
        (text("a"), [{"kind": "text", "payload": {"text": "a"}}]),
        (["a"], [{"kind": "text", "payload": {"text": "a"}}]),
        ([], []),
    ],
)
def test_the_content_of_a_result(content: Any, written: Any) -> None:
    assert partwire.to_wire(tool_result(CALL, content))["payload"]["content"] == written


# --- what is refused ----------------------------------------------------------------------------


BAD = "usage/invalid-argument"
WRONG_ROLE = "message/role-part-kind"
REFUSED: list[tuple[Callable[[], Any], str, str, str]] = [
    (lambda: loose.user(5), BAD, "/parts/0", "a text, a part"),
    (lambda: loose.user(["a", b"b"]), BAD, "/parts/1", "a text, a part"),
    (lambda: loose.user(b"a"), BAD, "/parts/0", "a text, a part"),
    (lambda: loose.user(user("a")), "shape/required", "/parts/0", "a member kind"),
    (lambda: user([{"kind": "txt"}]), "shape/unknown-variant", "/parts/0/kind", "text, "),
    (lambda: loose.user(tool_result("c", "a")), WRONG_ROLE, "/parts/0/kind", "text, "),
    (lambda: of_tool("a"), WRONG_ROLE, "/parts/0/kind", "tool_result"),
    (lambda: of_tool(5), BAD, "/parts/0", "a result, or a list"),
    (lambda: user("\ud800"), "document/lone-surrogate", "/parts/0/payload/text", "well-formed"),
    (lambda: user("a", run_id=""), "shape/min-length", "/runId", "at least 1"),
    (lambda: user("a", timestamp="now"), "shape/pattern", "/timestamp", "An instant"),
    (lambda: loose.user("a", meta=["b"]), BAD, "", "a JSON object"),
    (lambda: user("a", meta={"usage": 1}), "shape/type", "/meta/usage", "an object"),
    (lambda: loose.text(5), "shape/type", "/payload/text", "a string"),
    (lambda: tool_call(""), "shape/min-length", "/payload/toolName", "at least 1"),
    (lambda: loose.tool_call("a", "{}"), BAD, "", "a JSON object"),
    (lambda: tool_call("a", {"b": {1}}), "shape/type", "/payload/arguments/b", "a JSON value"),
    (lambda: loose.tool_result("c", 5), BAD, "/payload/content/0", "a JSON object"),
    (lambda: loose.tool_result("c", None), BAD, "/payload/content/0", "a JSON object"),
    (lambda: loose.tool_result("c", [1]), BAD, "/payload/content/0", "a JSON object"),
    (
        lambda: loose.tool_result("c", CALL),
        "shape/unknown-variant",
        "/payload/content/0/kind",
        "text, ",
    ),
    (lambda: loose.tool_result(text("c1"), "a"), BAD, "", "a tool call"),
    (lambda: tool_result({"kind": "text"}, "a"), BAD, "", "a tool call"),
    (lambda: tool_result("", "a"), "shape/min-length", "/payload/toolCallId", "at least 1"),
]


@pytest.mark.parametrize(("build", "rule", "pointer", "expected"), REFUSED)
def test_what_is_refused_says_where_and_what_is_asked_for(
    build: Callable[[], Any], rule: str, pointer: str, expected: str
) -> None:
    finding = refused(build)
    assert (finding.rule, finding.pointer) == (rule, pointer)
    assert (finding.expected or "").startswith(expected)
    assert finding.actual or finding.rule == "shape/required"


def test_results_of_one_call_are_refused_together() -> None:
    finding = refused(lambda: of_tool([tool_result(CALL, "a"), tool_result(CALL, "b")]))
    assert finding.rule == "message/duplicate-tool-result"


# --- authors, approvals, calls of the provider, media ---------------------------------------------


@pytest.mark.parametrize(
    ("author", "expected"),
    [
        ("Ada", {"name": "Ada"}),
        (
            {"name": "Research", "agentPath": ["planner"]},
            {"name": "Research", "agentPath": ["planner"]},
        ),
        (Author(agent=["planner"]), {"agentPath": ["planner"]}),
    ],
)
def test_a_message_has_an_author_where_one_is_given(author: Any, expected: Any) -> None:
    message = user("Hi", author=author)
    assert partwire.to_wire(message)["author"] == expected
    assert isinstance(message.author, Author)
    assert "author" not in partwire.to_wire(user("Hi"))


def test_text_has_citations_and_a_form() -> None:
    citation = {"start": 0, "end": 2, "source": {"kind": "url", "url": "https://example.com"}}
    part = text("Hi", citations=[citation], format={"name": "recipe"})
    assert partwire.to_wire(part)["payload"] == {
        "text": "Hi",
        "citations": [citation],
        "format": {"name": "recipe"},
    }
    payload: Any = part.payload
    assert text("Hi", citations=payload.citations, format=payload.format) == part
    assert partwire.to_wire(text("Hi")) == {"kind": "text", "payload": {"text": "Hi"}}


@pytest.mark.parametrize("outcome", ["error", "denied", "interrupted", "timeout"])
def test_an_outcome_says_whether_the_tool_failed(outcome: str) -> None:
    assert tool_result(CALL, "x", outcome=outcome).payload.is_error is True
    assert tool_result(CALL, "x", outcome=outcome, is_error=False).payload.is_error is False
    assert tool_result(CALL, "x", outcome="partial").payload.is_error is False


@pytest.mark.parametrize("value", [[4, None], False, 0, 4.5, "", {}])
def test_a_result_is_data_as_well(value: Any) -> None:
    payload = partwire.to_wire(tool_result(CALL, "x", structured=value))["payload"]
    assert payload["structured"] == value
    assert "structured" not in partwire.to_wire(tool_result(CALL, "x", structured=None))["payload"]


def test_a_call_of_the_provider_and_its_result_are_the_assistant_s() -> None:
    call = server_tool_call("web_search", {"query": "Oslo"})
    result = server_tool_result(call, "Rain", structured=["Rain"])
    assert call.payload.tool_call_id.startswith("srv_")
    assert result.payload.tool_call_id == call.payload.tool_call_id
    assert partwire.check_history([assistant([call, result, "Rain."])]) == []
    for wrong, other in ((loose.tool_result, call), (loose.server_tool_result, CALL)):
        with pytest.raises(partwire.UsageError, match="call is wrong"):
            wrong(other, "x")


def test_a_call_waits_is_approved_and_answered() -> None:
    call = tool_call("rm", {"path": "/tmp/a"})
    asked = approval_request(call, reason="It deletes files.", choices=["once", "always"])
    answer = approval_response(asked, "approved", choice="once", arguments={"path": "/tmp/b"})
    assert asked.payload.approval_id.startswith("apr_")
    ids = asked.payload.approval_id, call.payload.tool_call_id
    assert (answer.payload.approval_id, answer.payload.tool_call_id) == ids
    question = assistant([call, asked])
    run: dict[str, Any] = {"run_id": question.run_id}
    history = [question, user(answer, **run), tool(tool_result(call, "ok"), **run)]
    assert partwire.check_history(history) == []
    assert tool([answer, tool_result(call, "ok")], **run).parts[0] == answer


@pytest.mark.parametrize("form", [ASKED, ASKED.payload, partwire.to_wire(ASKED)])
def test_an_answer_is_made_of_a_request_in_any_form(form: Any) -> None:
    answer = approval_response(form, "denied", reason="No", decided_by="ada", decided_at=TIME)
    assert partwire.to_wire(answer)["payload"] == {
        "approvalId": "apr_1",
        "toolCallId": CALL.payload.tool_call_id,
        "decision": "denied",
        "reason": "No",
        "decidedBy": "ada",
        "decidedAt": TIME,
    }


@pytest.mark.parametrize("form", ["apr_1", CALL, {}, None, 5])
def test_an_answer_needs_a_request(form: Any) -> None:
    with pytest.raises(partwire.UsageError, match="request is wrong"):
        approval_response(form, "approved")


def test_media_is_in_one_place() -> None:
    assert partwire.to_wire(media("audio/wav", data=b"RIFF", transcript="Hi"))["payload"] == {
        "mimeType": "audio/wav",
        "source": {"kind": "inline", "data": "UklGRg=="},
        "transcript": "Hi",
    }
    assert partwire.to_wire(media("a/b", url="https://example.com", name="n"))["payload"] == {
        "mimeType": "a/b",
        "source": {"kind": "url", "url": "https://example.com"},
        "name": "n",
    }
    for wrong in ({}, {"ref": "r", "url": "u"}, {"data": "text"}, {"ref": ""}):
        with pytest.raises(partwire.UsageError):
            loose.media("a/b", **wrong)


PLACED = {"start": 0, "end": 2, "source": {"kind": "url", "url": "https://example.com"}}


def test_a_whole_number_is_an_integer_however_it_is_written() -> None:
    citation = {**PLACED, "start": 0.0, "end": 2.0}
    struct = Citation(source=CitationSource(kind="url", url="u"), start=FLOAT)
    for each in (citation, struct):
        made: Any = text("Hi", citations=[each]).payload
        assert type(made.citations[0].start) is int
    finding = refused(lambda: text("Hi", citations=[PLACED, {**PLACED, "start": 0.5}]))
    assert (finding.rule, finding.pointer) == ("shape/integer", "/payload/citations/1/start")


MISSPELT = "shape/unknown-member"
UNNAMED: list[tuple[Callable[[], Any], str, str, str | None]] = [
    (
        lambda: text("Hi", citations=[{**PLACED, "quoted_text": "Hi"}]),
        MISSPELT,
        "/payload/citations/0/quoted_text",
        "quotedText",
    ),
    (
        lambda: user([{"kind": "text", "payload": {"text": "a", "citation": []}}]),
        MISSPELT,
        "/parts/0/payload/citation",
        "citations",
    ),
    (lambda: user("a", meta={"usage": {**USAGE, "Cost": 1}}), MISSPELT, "/meta/usage/Cost", "cost"),
    (lambda: user("a", author={"name": "Ada", "nmae": "A"}), BAD, "", NAMES),
    (lambda: user("a", author={}), BAD, "", NAMES),
    (lambda: user("a", author=Author()), BAD, "", NAMES),
    (lambda: text("a", format={"schema_ref": "a"}), BAD, "", FORMS),
    (lambda: partwire.adapt("gemini", b"", author={"nmae": "A"}), BAD, "", NAMES),
    (lambda: partwire.adapt("gemini", b"", author={}), BAD, "", NAMES),
    (lambda: partwire.adapt("gemini", b"", format={"schema_ref": "a"}), BAD, "", FORMS),
]


@pytest.mark.parametrize(("build", "rule", "pointer", "expected"), UNNAMED)
def test_what_would_vanish_is_refused(
    build: Callable[[], Any], rule: str, pointer: str, expected: str | None
) -> None:
    finding = refused(build)
    assert (finding.rule, finding.pointer, finding.expected) == (rule, pointer, expected)


def test_an_author_is_taken_as_a_model_as_well() -> None:
    author: Any = partwire.to_model(Author(name="Ada", agent_path=["a"]))
    assert user("Hi", author=author).author == Author(name="Ada", agent_path=["a"])


def test_media_has_bytes() -> None:
    assert refused(lambda: media("a/b", data=b"")).expected == "one byte at least"
    assert media("a/b", data=memoryview(b"abc")[::2]) == media("a/b", data=b"ac")


class _Odd:
    """Looks like a model, and is one value."""

    def model_dump(self, **_options: Any) -> Any:
        return 5


class _Text(str):
    __slots__ = ()


ODD = st.sampled_from(
    [
        *(None, True, 0, 1.0, 1.5, -0.0, float("nan"), 10**5000, 2**53),
        *("", "x", "\ud800", b"", b"x", _Text("x"), (1,), {1}, {1: 2}, {"\ud800": 1}, range(2)),
        *(object(), ..., str, Author, _Odd(), ValueError(), Author(), Author(name="A"), PLACED),
        *(CALL, CALL.payload, ASKED, text("a"), user("a"), partwire.to_model(CALL)),
        partwire.Unknown("kind", "x", {"kind": "x"}),
    ]
)
ODD_VALUES = st.one_of(
    ODD,
    ODD.map(lambda each: [each]),
    ODD.map(lambda each: {"name": each}),
    ODD.map(lambda each: {"kind": "text", "payload": {"text": each}}),
    ODD.map(lambda each: [{**PLACED, "start": each}]),
    ODD.map(lambda each: {"kind": each, "payload": each}),
    strategies.json_values,
)
TAKEN: list[tuple[Callable[..., Any], dict[str, Any], str]] = [
    (loose.user, {"content": "a"}, "run_id timestamp message_id turn_id author meta"),
    (loose.tool, {"results": [], "run_id": "r"}, ""),
    (loose.text, {"content": "a"}, "citations format"),
    (loose.tool_call, {"tool_name": "a"}, "arguments tool_call_id"),
    (loose.tool_result, {"call": "c", "content": "a"}, "is_error outcome structured"),
    (loose.approval_request, {"call": "c"}, "approval_id reason choices requested_at"),
    (
        loose.approval_response,
        {"request": ASKED, "decision": "approved"},
        "choice reason decided_by decided_at arguments",
    ),
    (loose.media, {"mime_type": "a/b", "data": b"a"}, "name transcript"),
    (loose.media, {"mime_type": "a/b"}, "url ref"),
]
ODD_CALLS = {
    f"{build.__name__} {name}": (build, members, name)
    for build, members, names in TAKEN
    for name in (*members, *names.split())
}


@given(odd=ODD_VALUES)
@pytest.mark.parametrize("name", sorted(ODD_CALLS))
def test_no_builder_raises_anything_but_a_usage_error(name: str, odd: Any) -> None:
    with suppress(partwire.UsageError):
        build, members, member = ODD_CALLS[name]
        made = build(**{**members, member: odd})
        kind = "message.Message" if isinstance(made, Message) else "message.MessagePart"
        assert partwire.validate(made, kind) == []


@pytest.mark.parametrize(
    "call",
    [
        lambda: loose.text("x", citations="x"),
        lambda: loose.text("x", citations=[1]),
        lambda: loose.text("x", citations=[{"source": {"kind": "url"}, "start": 2, "end": 1}]),
        lambda: loose.text("x", format="json"),
        lambda: loose.user("x", author=""),
        lambda: loose.user("x", author=5),
        lambda: loose.tool_result(CALL, "x", outcome=""),
        lambda: loose.tool_result(CALL, "x", outcome=["denied"]),
        lambda: loose.tool_result(CALL, "x", structured=(1,)),
        lambda: loose.approval_request(CALL, choices="once"),
        lambda: loose.approval_response(ASKED, ""),
        lambda: loose.approval_response(ASKED, "approved", arguments=[1]),
    ],
)
def test_what_is_new_in_v0_3_is_checked_as_well(call: Any) -> None:
    with pytest.raises(partwire.UsageError):
        call()
