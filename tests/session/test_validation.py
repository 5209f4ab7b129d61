"""Validation of a session's parts, whatever they are."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from partwire.contract.current import message
from partwire.contract.current.models import session as models
from partwire.contract.current.session import ReasoningTime, TextPart
from partwire.errors import UsageError
from partwire.reading.pipeline import Unknown, dump, read, validate
from partwire.session import create_completed, require_part, validate_part
from tests.fixture_cases import Document, documents
from tests.session.values import FILE, REASONING, TEXT, TOOL

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
