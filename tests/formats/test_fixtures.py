"""The fixtures of formats: the same documents are read in every language."""

from __future__ import annotations

from typing import Any

import pytest

from partwire import formats, to_wire
from partwire.errors import ReadError
from tests.fixture_cases import Case, cases

CASES = cases("formats")


def outcome(case: Case) -> Any:
    """Return what a case's document is read as, in the words of ``expect``."""
    context = case.spec["context"]
    data = case.spec["source"] if "source" in case.spec else case.data("source")
    try:
        result = formats.read(
            case.spec["format"],
            data,
            run_id=context.get("runId"),
            timestamp=context.get("timestamp"),
        )
    except ReadError as error:
        (finding,) = error.findings
        return {"error": {"rule": finding.rule, "pointer": finding.pointer}}
    losses = [{"pointer": loss.pointer, "code": loss.code} for loss in result.losses]
    return {"messages": [to_wire(message) for message in result.messages], "losses": losses}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_document_is_read_as_its_case_says(case: Case) -> None:
    assert outcome(case) == case.expect


@pytest.mark.parametrize("case", [case for case in CASES if "source" in case.spec], ids=str)
def test_text_and_value_are_read_alike(case: Case) -> None:
    text = case.data("source").decode()
    as_text = Case(**{**vars(case), "spec": {**case.spec, "source": text}})
    if not isinstance(case.spec["source"], str):
        assert outcome(as_text) == case.expect


def test_every_format_that_has_cases_is_one() -> None:
    named = {case.spec["format"] for case in CASES}
    assert named <= set(formats.FORMATS)
    assert named >= {
        "anthropic-messages",
        "bedrock-converse",
        "cohere-v2",
        "gemini",
        "openai-chat",
        "openai-responses",
    }
