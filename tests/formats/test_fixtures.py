"""The fixtures of formats: the same documents are read in every language."""

from __future__ import annotations

from typing import Any

import pytest

from partwire import formats, to_wire
from partwire.errors import ReadError
from partwire.losses import Loss
from tests.fixture_cases import Case, cases

CASES = [case for case in cases("formats") if "format" in case.spec]


def outcome(case: Case) -> Any:
    """Return what a case's document or stream is read or written as, in the words of ``expect``."""
    try:
        made, losses = _made(case)
    except ReadError as error:
        (finding,) = error.findings
        return {"error": {"rule": finding.rule, "pointer": finding.pointer}}
    return made | {"losses": [{"pointer": loss.pointer, "code": loss.code} for loss in losses]}


def _made(case: Case) -> tuple[dict[str, Any], list[Loss]]:
    spec = case.spec
    name, context = spec["format"], spec["context"]
    read = {"run_id": context.get("runId"), "timestamp": context.get("timestamp")}
    written = {"version": spec.get("version"), "extensions": spec.get("extensions", False)}
    if "messages" in spec:
        document = formats.write(name, spec["messages"], **written)
        return {"document": document.document}, document.losses
    if "events" in spec:
        reader = formats.reader(name, **read)
        return {"items": [to_wire(item) for item in _fed(reader, spec["events"])]}, reader.losses
    if "items" in spec:
        writer = formats.writer(name, **written)
        return {"events": _fed(writer, spec["items"])}, writer.losses
    data = spec["source"] if "source" in spec else case.data("source")
    result = formats.read(name, data, **read)
    return {"messages": [to_wire(message) for message in result.messages]}, result.losses


def _fed(stream: Any, given: list[Any]) -> list[Any]:
    made = [each for one in given for each in stream.feed(one)]
    return [*made, *stream.finish()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_it_is_read_or_written_as_its_case_says(case: Case) -> None:
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
