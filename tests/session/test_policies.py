"""What is raised, logged and reported of a session's errors, and that no payload is."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from partwire.contract.current.models import session as models
from partwire.errors import PartwireError, UsageError
from partwire.reading.pipeline import Unknown
from partwire.session import (
    EMPTY_OUTPUT_PLACEHOLDER,
    MissingRequiredField,
    PartValidationError,
    WithPartsBuilder,
    create_completed,
    create_error,
    create_pending,
    get_required,
    require_part,
    running_to_completed,
    transition,
)
from partwire.session.errors import known_place
from tests.session.values import COMPLETED, FILE, MESSAGE, RUNNING, SESSION, TEXT, TOOL, raised

# --- what is logged -----------------------------------------------------------------------------

SECRET = "hunter2-secret"


@pytest.mark.parametrize(
    ("call", "level", "said"),
    [
        (
            lambda: transition(COMPLETED, "running", start=1),
            logging.ERROR,
            'Refused: completed to "running": session/invalid-transition at /status',
        ),
        (
            lambda: running_to_completed(COMPLETED, SECRET, 7),
            logging.ERROR,
            'Refused: completed to "completed": session/state-changed at /output',
        ),
        (
            lambda: transition(RUNNING, SECRET),
            logging.ERROR,
            "Refused: running to an unknown status: session/invalid-transition at /status",
        ),
        (
            lambda: create_pending({}, {SECRET: {"id": float("inf")}}),  # type: ignore[arg-type]
            logging.ERROR,
            "Not valid: document/not-finite at /raw",
        ),
        (
            lambda: require_part({"type": "step-start", SECRET: 1.0, "metadata": {SECRET: {1}}}),
            logging.ERROR,
            "Not valid: shape/type at /metadata",
        ),
        (
            lambda: WithPartsBuilder(
                {"id": MESSAGE, "tools": {SECRET: float("nan")}}, SESSION
            ).build(),
            logging.ERROR,
            (
                "Not valid: document/not-finite at /info/tools,"
                f' message "{MESSAGE}", session "{SESSION}"'
            ),
        ),
        (
            lambda: get_required({"id": "prt_1"}, SECRET),
            logging.WARNING,
            'Missing a field: session/missing-field at the whole, part "prt_1"',
        ),
        (
            lambda: create_pending({SECRET: {"deeper": float("inf")}}, SECRET),
            logging.ERROR,
            "Not valid: document/not-finite at /input",
        ),
        (
            lambda: create_error({"x": SECRET}, "", 1, 2, metadata={"y": SECRET}),
            logging.ERROR,
            "Not valid: shape/min-length at /error",
        ),
        (
            lambda: create_completed({}, SECRET, "", {}, 1, 2),
            logging.ERROR,
            "Not valid: session/title-missing at /title",
        ),
        (
            lambda: create_completed({"a": SECRET}, "", "t", {}, 1, 2, empty_output="placeholder"),
            logging.WARNING,
            "Filled in: session/placeholder-output at /output",
        ),
    ],
)
def test_logs_name_rules_and_places_and_no_payload(
    call: Callable[[], object], level: int, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, "partwire.session"):
        try:
            call()
        except PartwireError:
            assert level == logging.ERROR
    assert [(each.levelno, each.getMessage()) for each in caplog.records] == [(level, said)]
    assert SECRET not in caplog.text


def test_a_placeholder_is_no_payload() -> None:
    done = create_completed({}, "", "t", {}, 1, 2, empty_output="placeholder")
    assert done.output == EMPTY_OUTPUT_PLACEHOLDER == "(no output)"


def test_nothing_is_logged_where_nobody_listens(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.CRITICAL, "partwire.session"):
        raised(lambda: create_error({}, "", 1, 2))
    assert caplog.records == []


# --- policies -----------------------------------------------------------------------------------


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
    named = f'"{field}"' if field in ("filename", "state", "text", "sessionID") else "a field"
    assert f"Missing {named}: session/missing-field" in caplog.text
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


@pytest.mark.parametrize(
    ("pointer", "place"),
    [
        ("", "the whole"),
        ("/x", "the whole"),
        ("/status", "/status"),
        ("/info/role", "/info/role"),
        ("/info/tools/shell", "/info/tools"),
        ("/parts/12/state/attachments/3/source/text/value",) * 2,
        ("/parts/12/state/input/city", "/parts/12/state/input"),
        ("/parts/id", "/parts"),
        ("/parts/²/id", "/parts"),
        ("/parts/12/12", "/parts/12"),
        ("/state/0/raw", "/state"),
        ("/text/text", "/text"),
        ("/raw/4111", "/raw"),
        ("/session_id", "the whole"),
    ],
)
def test_places_are_named_as_far_as_the_contract_names_them(pointer: str, place: str) -> None:
    assert known_place(pointer) == place


@pytest.mark.parametrize("field", [5, None, b"text", [], {}, ("text",)])
def test_a_field_has_a_name(field: Any) -> None:
    for part in (TEXT, {"text": "x"}, Unknown("type", "poem", {}), None):
        with pytest.raises(UsageError) as caught:
            get_required(part, field)
        assert caught.value.rule == "usage/invalid-argument"


def test_fields_of_a_model_are_found(caplog: pytest.LogCaptureFixture) -> None:
    ids = {"sessionID": SESSION, "messageID": MESSAGE}
    model = models.TextPart.model_validate({"id": "prt_1", "type": "text", "text": "hi", **ids})
    with caplog.at_level(logging.DEBUG, "partwire.session"):
        assert get_required(model, "sessionID") == get_required(model, "session_id") == SESSION
        assert get_required(model, "text") == "hi"
        assert caplog.records == []
        for field in ("metadata", "model_fields", "__class__"):
            assert get_required(model, field) is None
        assert get_required(models.TextPart.model_construct(text=object()), "id") is None
    assert [each.levelno for each in caplog.records] == [logging.WARNING] * 4
