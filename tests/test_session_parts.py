"""Factories, type guards and validation of a session's parts."""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Callable
from types import MappingProxyType
from typing import Any, assert_never, assert_type

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from partwire.errors import PartwireError, UsageError
from partwire.reading import Unknown, dump, read, validate
from partwire.session import (
    MissingRequiredField,
    PartValidationError,
    create_completed,
    create_file_part,
    create_pending,
    create_reasoning_part,
    create_step_finish_part,
    create_step_start_part,
    create_text_part,
    create_tool_part,
    get_required,
    is_file_part,
    is_reasoning_part,
    is_step_finish_part,
    is_step_start_part,
    is_text_part,
    is_tool_part,
    require_part,
    validate_part,
    visible_to_model,
)
from partwire.v0_1.models import session as models
from partwire.v0_1.structs import message
from partwire.v0_1.structs.session import (
    CacheTokenStats,
    FilePart,
    FileSource,
    Part,
    ReasoningPart,
    ReasoningTime,
    SourceText,
    StepFinishPart,
    StepStartPart,
    TextPart,
    TextTime,
    TokenStats,
    ToolPart,
)
from tests.fixture_cases import Document, documents

SESSION = "0197c6f0-5a00-7000-8000-000000000001"
MESSAGE = "0197c6f0-5a00-7000-8000-000000000002"
TOKENS = TokenStats(input=1, output=2, reasoning=3, cache=CacheTokenStats(read=4, write=5))
SOURCE = FileSource(path="a.md", text=SourceText(value="@a.md", start=0, end=5))

TEXT = create_text_part(SESSION, MESSAGE, "hi")
REASONING = create_reasoning_part(SESSION, MESSAGE, "hm", start=5)
TOOL = create_tool_part(SESSION, MESSAGE, "call_1", "weather", create_pending({}, ""))
STEP_START = create_step_start_part(SESSION, MESSAGE)
STEP_FINISH = create_step_finish_part(SESSION, MESSAGE, "stop", 0.5, TOKENS)
FILE = create_file_part(SESSION, MESSAGE, "text/plain", "file:///a")
SIX: tuple[Part, ...] = (TEXT, REASONING, TOOL, STEP_START, STEP_FINISH, FILE)


# --- factories ----------------------------------------------------------------------------------


@pytest.mark.parametrize("part", SIX, ids=lambda part: part.type)
def test_every_factory_makes_a_valid_part_with_an_id_of_its_own(part: Part) -> None:
    assert validate(dump(part), "session.Part") == []
    assert uuid.UUID(part.id).version == 7
    assert (part.session_id, part.message_id) == (SESSION, MESSAGE)
    assert len({each.id for each in SIX}) == 6


def test_what_is_not_given_is_absent() -> None:
    assert json.loads(dump(replace(TEXT, id="prt_1"))) == {
        "id": "prt_1",
        "sessionID": SESSION,
        "messageID": MESSAGE,
        "type": "text",
        "text": "hi",
    }
    assert REASONING.time == ReasoningTime(start=5)
    assert (STEP_START.snapshot, STEP_FINISH.snapshot) == (UNSET, UNSET)
    assert (FILE.filename, FILE.source, TOOL.metadata) == (UNSET, UNSET, UNSET)


def test_all_that_is_given_arrives() -> None:
    ids = iter(f"prt_{n}" for n in range(9))
    make_id: Callable[[], str] = lambda: next(ids)  # noqa: E731
    note = {"a": [1]}
    assert create_text_part(
        SESSION,
        MESSAGE,
        "x",
        synthetic=True,
        ignored=False,
        time=TextTime(end=6),
        metadata=note,
        make_id=make_id,
    ) == TextPart(
        id="prt_0",
        session_id=SESSION,
        message_id=MESSAGE,
        text="x",
        synthetic=True,
        ignored=False,
        time=TextTime(end=6),
        metadata={"a": [1]},
    )
    reasoning = create_reasoning_part(
        SESSION, MESSAGE, "x", start=1, end=2, metadata=note, make_id=make_id
    )
    assert (reasoning.id, reasoning.time.end, reasoning.metadata) == ("prt_1", 2, note)
    tool = create_tool_part(SESSION, MESSAGE, "c", "t", TOOL.state, metadata=note, make_id=make_id)
    assert (tool.id, tool.call_id, tool.tool, tool.metadata) == ("prt_2", "c", "t", note)
    start = create_step_start_part(SESSION, MESSAGE, snapshot="s", make_id=make_id)
    assert (start.id, start.snapshot) == ("prt_3", "s")
    finish = create_step_finish_part(
        SESSION, MESSAGE, "stop", 1, TOKENS, snapshot="s", make_id=make_id
    )
    assert (finish.id, finish.tokens, finish.cost, finish.snapshot) == ("prt_4", TOKENS, 1, "s")
    file = create_file_part(
        SESSION, MESSAGE, "a/b", "u", filename="f", source=SOURCE, make_id=make_id
    )
    assert (file.id, file.filename, file.source) == ("prt_5", "f", SOURCE)
    note["a"].append(2)
    assert (reasoning.metadata, tool.metadata) == ({"a": [1]}, {"a": [1]})


def test_any_mapping_is_taken_as_metadata() -> None:
    note = MappingProxyType({"a": 1})
    made: list[TextPart | ReasoningPart | ToolPart] = [
        create_text_part(SESSION, MESSAGE, "x", metadata=note),
        create_reasoning_part(SESSION, MESSAGE, "x", start=1, metadata=note),
        create_tool_part(SESSION, MESSAGE, "c", "t", TOOL.state, metadata=note),
    ]
    assert [each.metadata for each in made] == [{"a": 1}] * 3


ANY: Any = "no uuid"


@pytest.mark.parametrize(
    ("call", "pointer"),
    [
        (lambda: create_text_part("", MESSAGE, "x"), "/sessionID"),
        (lambda: create_text_part(SESSION, ANY, "x"), "/messageID"),
        (lambda: create_text_part(SESSION, MESSAGE, "x", make_id=str), "/id"),
        (lambda: create_text_part(SESSION, MESSAGE, 5), "/text"),  # type: ignore[arg-type]
        (lambda: create_text_part(SESSION, MESSAGE, "x", metadata=ANY), "/metadata"),
        (lambda: create_reasoning_part(SESSION, MESSAGE, "x", start=-1), "/time/start"),
        (lambda: create_tool_part(SESSION, MESSAGE, "", "t", TOOL.state), "/callID"),
        (lambda: create_tool_part(SESSION, MESSAGE, "c", "t", ANY), "/state"),
        (lambda: create_step_finish_part(SESSION, MESSAGE, "", 0, TOKENS), "/reason"),
        (lambda: create_step_finish_part(SESSION, MESSAGE, "stop", -1, TOKENS), "/cost"),
        (lambda: create_file_part(SESSION, MESSAGE, "", "u"), "/mime"),
    ],
)
def test_factories_refuse_what_is_not_valid(call: Callable[[], object], pointer: str) -> None:
    with pytest.raises(PartValidationError) as caught:
        call()
    assert {finding.pointer for finding in caught.value.findings} == {pointer}


# --- type guards: checked by mypy and pyright with the tests, and run here -----------------------

GUARDS: dict[str, Callable[[object], bool]] = {
    "text": is_text_part,
    "reasoning": is_reasoning_part,
    "tool": is_tool_part,
    "step-start": is_step_start_part,
    "step-finish": is_step_finish_part,
    "file": is_file_part,
}


def told(part: Part) -> str:
    if is_text_part(part):
        assert_type(part, TextPart)
        return part.text
    assert_type(part, ReasoningPart | ToolPart | StepStartPart | StepFinishPart | FilePart)
    if is_reasoning_part(part):
        assert_type(part, ReasoningPart)
        return part.text
    if is_tool_part(part):
        assert_type(part, ToolPart)
        return part.call_id
    if is_step_start_part(part):
        assert_type(part, StepStartPart)
        return "start"
    if is_step_finish_part(part):
        assert_type(part, StepFinishPart)
        return part.reason
    if is_file_part(part):
        assert_type(part, FilePart)
        return part.mime
    assert_never(part)


def test_guards_tell_the_parts_apart() -> None:
    assert [told(part) for part in SIX] == ["hi", "hm", "call_1", "start", "stop", "text/plain"]
    for part in SIX:
        assert [name for name, guard in GUARDS.items() if guard(part)] == [part.type]


@pytest.mark.parametrize(
    "value",
    [
        None,
        {"type": "text"},
        TextPart,
        Unknown("type", "text", {}),
        message.TextPart(payload=message.TextPayload(text="x")),
    ],
)
def test_guards_know_nothing_else(value: object) -> None:
    assert not any(guard(value) for guard in GUARDS.values())


def test_ignored_text_is_kept_from_the_model() -> None:
    hidden = replace(TEXT, ignored=True)
    shown = replace(TEXT, ignored=False)
    newer = Unknown("type", "poem", {"type": "poem", "ignored": True})
    assert visible_to_model([hidden, *SIX, shown, hidden, newer]) == [*SIX, shown, newer]
    assert_type(visible_to_model([TEXT]), list[TextPart])
    assert visible_to_model([]) == []


# --- validation ---------------------------------------------------------------------------------

PARTS = tuple(each for each in documents() if each.type == "session.Part")


def verdict(found: Any) -> list[tuple[str, str, str]]:
    return [(each.rule, each.pointer, each.severity) for each in found]


@pytest.mark.parametrize("document", PARTS, ids=[each.id for each in PARTS])
@pytest.mark.parametrize("form", ["text", "value", "struct", "model"])
def test_parts_are_validated_in_every_form(document: Document, form: str) -> None:
    part: Any = document.data
    if form != "text":
        part = json.loads(document.data)
    if form in ("struct", "model") and not document.valid:
        return
    if form == "struct":
        part = read(document.data, "session.Part")
    if form == "model":
        part = getattr(models, type(read(document.data, "session.Part")).__name__)(**part)
    result = validate_part(part)
    assert result.valid is document.valid
    expected = validate(document.data, "session.Part")
    assert verdict(result.findings) == verdict(expected)
    assert validate(dump(result), "session.ValidationResult") == []
    if document.valid:
        assert require_part(part) is part


@pytest.mark.parametrize(
    "value",
    [None, 5, "text", b"", b"\xff", b"{", [], {}, {1: 2}, object(), float("nan"), {"type": []},
     TextPart, UNSET, Unknown("type", "poem", {"type": "poem"}), {"x": {1, 2}}, uuid.uuid4(),
     {"type": "tool", "state": {"attachments": [5, None, {"sessionID": 5}]}},
     {"type": "tool", "state": {"attachments": 7}}, {"type": "tool", "state": 3}],
)  # fmt: skip
@pytest.mark.parametrize("profile", ["uuid", "opaque"])
def test_whatever_is_no_part_is_said_and_not_raised(value: Any, profile: Any) -> None:
    result = validate_part(value, id_profile=profile)
    assert not result.valid
    assert validate(dump(result), "session.ValidationResult") == []


JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["type", "text", "state", "id", "sessionID", "attachments"])
            | st.text(max_size=3),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_validation_never_raises(value: Any) -> None:
    for profile in ("uuid", "opaque"):
        result = validate_part(value, id_profile=profile)
        assert result.valid is all(each.severity != "error" for each in result.findings)
        assert json.loads(dump(result))["valid"] is result.valid


def test_a_message_of_another_family_is_no_part() -> None:
    foreign = message.TextPart(payload=message.TextPayload(text="x"))
    assert [each.rule for each in validate_part(foreign).findings] == ["shape/required"]


def test_a_placeholder_is_reported() -> None:
    state = create_completed({}, "", "t", {}, 1, 2, empty_output="placeholder")
    result = validate_part(replace(TOOL, state=state))
    assert result.valid
    assert verdict(result.findings) == [("session/placeholder-output", "/state/output", "warning")]
    assert require_part(replace(TOOL, state=state)).state is state


# --- opaque ids ---------------------------------------------------------------------------------


def test_opaque_ids_are_any_text_but_none() -> None:
    inner = replace(FILE, session_id="ses_1", message_id="msg_2")
    state = replace(
        create_completed({}, "x", "t", {}, 1, 2), attachments=[inner, replace(inner, mime="")]
    )
    part = replace(TOOL, session_id="ses_1", message_id=" ", state=state)
    before = repr(part)
    assert verdict(validate_part(part, id_profile="opaque").findings) == [
        ("shape/min-length", "/state/attachments/1/mime", "error")
    ]
    assert repr(part) == before
    assert {each.pointer for each in validate_part(part).findings} == {
        "/sessionID",
        "/messageID",
        "/state/attachments/0/sessionID",
        "/state/attachments/0/messageID",
        "/state/attachments/1/sessionID",
        "/state/attachments/1/messageID",
        "/state/attachments/1/mime",
    }


def test_an_empty_opaque_id_is_refused() -> None:
    result = validate_part(replace(TEXT, session_id=""), id_profile="opaque")
    assert verdict(result.findings) == [("shape/min-length", "/sessionID", "error")]
    assert result.findings[0].expected == "at least 1"


@pytest.mark.parametrize(
    ("given_id", "rule"), [(5, "shape/type"), ("\ud800", "document/lone-surrogate")]
)
def test_an_opaque_id_is_a_string_all_the_same(given_id: Any, rule: str) -> None:
    result = validate_part(replace(TEXT, message_id=given_id), id_profile="opaque")
    assert verdict(result.findings) == [(rule, "/messageID", "error")]


def test_relations_are_looked_at_with_opaque_ids_too() -> None:
    part = replace(REASONING, session_id="ses_1", time=ReasoningTime(start=7, end=5))
    result = validate_part(part, id_profile="opaque")
    assert result.valid
    assert verdict(result.findings) == [("session/time-order", "/time/end", "warning")]


def test_another_profile_is_a_mistake_of_the_call() -> None:
    with pytest.raises(UsageError) as caught:
        validate_part(TEXT, id_profile="any")  # type: ignore[arg-type]
    assert caught.value.rule == "usage/invalid-argument"


# --- policies -----------------------------------------------------------------------------------

SECRET = "hunter2-secret"


def test_a_broken_part_is_logged_and_raised(caplog: pytest.LogCaptureFixture) -> None:
    part = replace(TOOL, id="prt_1", tool="", metadata={SECRET: 1.5}, session_id="ses\n1")
    with (
        caplog.at_level(logging.DEBUG, "partwire.session"),
        pytest.raises(PartValidationError) as caught,
    ):
        require_part(part)
    assert isinstance(caught.value, PartwireError)
    assert {each.pointer for each in caught.value.findings} == {"/sessionID", "/tool"}
    assert [(each.levelno, each.getMessage()) for each in caplog.records] == [
        (
            logging.ERROR,
            (
                "Not valid: shape/min-length at /sessionID, shape/pattern at /sessionID,"
                f' shape/min-length at /tool, part "prt_1", message "{MESSAGE}",'
                ' session "ses\\n1", call "call_1"'
            ),
        )
    ]


def test_a_log_record_is_short(caplog: pytest.LogCaptureFixture) -> None:
    part: Any = {"type": "tool", "id": "x" * 500, "metadata": {SECRET: {n: n for n in range(50)}}}
    with caplog.at_level(logging.ERROR, "partwire.session"), pytest.raises(PartValidationError):
        require_part(part)
    assert SECRET not in caplog.text
    assert len(caplog.records[0].getMessage()) < 600
    assert "40 more" in caplog.text


@pytest.mark.parametrize(
    ("part", "field", "expected"),
    [
        (TEXT, "text", "hi"),
        (TEXT, "session_id", SESSION),
        (TEXT, "sessionID", SESSION),
        (TEXT, "type", "text"),
        (TOOL, "callID", "call_1"),
        ({"sessionID": "ses_1"}, "sessionID", "ses_1"),
        ({"ignored": False}, "ignored", False),
        ({"text": ""}, "text", ""),
        (Unknown("type", "poem", {"type": "poem", "lines": 3}), "lines", 3),
    ],
)
def test_a_field_that_is_there(
    part: Any, field: str, expected: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, "partwire.session"):
        assert get_required(part, field) == expected
    assert caplog.records == []


@pytest.mark.parametrize(
    ("part", "field"),
    [
        (FILE, "filename"),
        (TEXT, "state"),
        (TEXT, "__class__"),
        ({"text": None}, "text"),
        ({}, "sessionID"),
        (Unknown("type", "poem", {}), "lines"),
        (5, "real"),
        (None, "text"),
    ],
)
def test_a_field_that_is_missing_is_logged(
    part: Any, field: str, caplog: pytest.LogCaptureFixture
) -> None:
    reported: list[MissingRequiredField] = []
    with caplog.at_level(logging.DEBUG, "partwire.session"):
        assert get_required(part, field) is None
        assert get_required(part, field, report=reported.append) is None
    assert [each.levelno for each in caplog.records] == [logging.WARNING] * 2
    assert f'Missing "{field}": session/missing-field' in caplog.text
    assert [(each.field, each.rule) for each in reported] == [(field, "session/missing-field")]


def test_the_report_of_a_missing_field_may_raise_it() -> None:
    def refuse(error: MissingRequiredField) -> None:
        raise error

    with pytest.raises(MissingRequiredField) as caught:
        get_required(FILE, "filename", report=refuse)
    assert isinstance(caught.value, PartwireError)
    assert isinstance(caught.value, LookupError)


def test_a_log_of_a_missing_field_names_the_part(caplog: pytest.LogCaptureFixture) -> None:
    part = replace(FILE, id="prt_7", url=SECRET)
    with caplog.at_level(logging.WARNING, "partwire.session"):
        get_required(part, "filename")
    assert 'part "prt_7"' in caplog.text
    assert SECRET not in caplog.text
