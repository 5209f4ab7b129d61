"""Every fixture against the code that it is for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec
import pytest
from pydantic import TypeAdapter

from partwire import MessageAssembler, assemble, assemble_async
from partwire.contract.versions import generated_module, parse_type
from partwire.errors import Finding, PartwireError, StreamFailed, StreamProtocolError
from partwire.message import Limits
from partwire.message.assembler.lines import read_delta_line
from partwire.reading.pipeline import (
    Mode,
    dump,
    read,
    read_with_findings,
    to_wire,
    validate,
    validate_value,
)
from partwire_testing.conformance.operations.documents import read_tolerantly
from tests.fixture_cases import Case, Document, cases, documents
from tests.ways import way

__all__ = ["way"]

Json = dict[str, Any]
Outcome = dict[str, Any]

STREAMS = cases("streams")
RAW = cases("documents-raw")
READING = cases("reading")


def ids(items: tuple[Case, ...] | tuple[Document, ...]) -> list[str]:
    return [item.id for item in items]


# --- documents ----------------------------------------------------------------------------------


def places(findings: list[Any]) -> list[tuple[str, str]]:
    return [(finding.rule, finding.pointer) for finding in findings]


@pytest.mark.parametrize("document", documents(), ids=ids(documents()))
@pytest.mark.parametrize("parsed", [False, True], ids=["text", "value"])
def test_document(document: Document, parsed: bool) -> None:
    of = document.type, document.version
    found = (
        validate_value(json.loads(document.data), *of) if parsed else validate(document.data, *of)
    )
    if document.valid:
        assert places(found) == document.findings
        assert {finding.severity for finding in found} <= {"warning"}
    else:
        assert places(found)[:1] == document.findings
        assert {finding.pointer for finding in found} == {document.findings[0][1]}
        assert {finding.severity for finding in found} == {"error"}


VALID = tuple(document for document in documents() if document.valid)


@pytest.mark.parametrize("document", VALID, ids=ids(VALID))
def test_valid_document_is_written_as_it_was_read(document: Document) -> None:
    value = read(document.data, document.type, version=document.version)
    assert json.loads(dump(value, document.type, document.version)) == document.written


@pytest.mark.parametrize("document", VALID, ids=ids(VALID))
def test_valid_document_passes_the_models(document: Document) -> None:
    family, name, version = parse_type(document.type, document.version)
    adapter = TypeAdapter[Any](getattr(generated_module(version, "models", family), name))
    value = adapter.validate_json(document.data)
    assert json.loads(adapter.dump_json(value)) == document.written


def read_outcome(case: Case, name: str, mode: Mode) -> Outcome:
    kind, version = case.spec["type"], case.spec["version"]
    try:
        value, findings = read_with_findings(case.data(name), kind, mode, version)
        written = to_wire(value, kind, version)
    except PartwireError as error:
        found = [each for each in error.findings if each.severity == "error"]
        return {"error": places(found)}
    return {"value": written, "findings": sorted(places(findings))}


def safe_defaults(case: Case) -> Json:
    """Return what enum values that are not known are taken for, by pointer."""
    given = {"type": case.spec["type"], "document": case.data("input").decode()}
    defaults: Json = read_tolerantly(given, case.spec["version"]).get("defaults", {})
    return defaults


def expected_places(found: list[Json]) -> list[tuple[str, str]]:
    return sorted((each["rule"], each["pointer"]) for each in found)


@pytest.mark.parametrize("case", RAW, ids=ids(RAW))
def test_raw_document(case: Case) -> None:
    outcome = read_outcome(case, "document", "strict")
    if "valid" in case.expect:
        written = case.spec["written"] if "written" in case.spec else case.value("document")
        warnings = expected_places(case.expect.get("warnings", []))
        assert outcome == {"value": written, "findings": warnings}
        return
    error = case.expect["error"]
    assert [rule for rule, _ in outcome.get("error", [])][:1] == [error["rule"]]
    if "pointer" in error:
        assert {pointer for _, pointer in outcome["error"]} == {error["pointer"]}


@pytest.mark.parametrize("case", RAW, ids=ids(RAW))
def test_raw_document_has_the_same_verdict_unread(case: Case) -> None:
    found = validate(case.data("document"), case.spec["type"], case.spec["version"])
    wanted = [] if "valid" in case.expect else [case.expect["error"]["rule"]]
    assert [finding.rule for finding in found][:1] == wanted


@pytest.mark.parametrize("case", READING, ids=ids(READING))
def test_reading(case: Case) -> None:
    outcome = read_outcome(case, "input", case.spec["mode"])
    if case.result:
        findings = expected_places(case.spec.get("findings", []))
        assert outcome == {"value": case.expect[case.result], "findings": findings}
        assert safe_defaults(case) == case.spec.get("defaults", {})
    else:
        error = case.expect["error"]
        assert outcome == {"error": [(error["rule"], error["pointer"])]}


# --- streams ------------------------------------------------------------------------------------


def delta_of(line: bytes, mode: Any) -> Any:
    """Return the delta on a line, as services read it: typed, and with care where that fails."""
    return read_delta_line(line, mode)


def new_assembler(case: Case) -> MessageAssembler:
    return MessageAssembler(case.spec.get("run_id"), limits_of(case))


def limits_of(case: Case) -> Limits:
    return Limits(**case.spec.get("limits", {}))


def refused(case: Case, error: PartwireError, line: int | None) -> Outcome:
    """Return a refusal as data, in the form of ``expect``."""
    finding = error.findings[0]
    outcome: Outcome = {"rule": finding.rule}
    if isinstance(error, StreamProtocolError) and error.seq is not None:
        outcome["seq"] = error.seq
    if line is not None:
        outcome["line"] = line
    if finding.rule == "stream/limit-exceeded":
        outcome["limit"] = (finding.expected or "").rpartition("(")[2].rstrip(")")
    return {"error": outcome}


def ending(assembler: MessageAssembler) -> Outcome:
    """Close the assembler and return what can be read from it."""
    try:
        assembler.close()
        return {"message": to_wire(assembler.build_final_message())}
    except StreamFailed as error:
        return {
            "error": {"rule": error.rule},
            "failure": msgspec.to_builtins(error.error),
            "partial": to_wire(error.partial),
        }
    except StreamProtocolError as error:
        outcome: Outcome = {"error": {"rule": error.rule}}
        if assembler.status != "idle":
            outcome["partial"] = to_wire(assembler.build_partial())
        return outcome


def by_consume(case: Case, assembler: MessageAssembler | None = None) -> Outcome:
    assembler = assembler or new_assembler(case)
    for number, line in enumerate(case.lines("deltas"), 1):
        try:
            assembler.consume(delta_of(line, case.spec.get("mode", "strict")))
        except PartwireError as error:
            return refused(case, error, number)
    return ending(assembler)


def by_assemble(case: Case, run: Callable[..., Any], deltas: Any) -> Outcome:
    settings = {"run_id": case.spec.get("run_id"), "limits": limits_of(case)}
    try:
        message = run(deltas, **settings, mode=case.spec.get("mode", "strict"))
    except StreamFailed as error:
        return {
            "error": {"rule": error.rule},
            "failure": msgspec.to_builtins(error.error),
            "partial": to_wire(error.partial),
        }
    except PartwireError as error:
        return refused(case, error, error.findings[0].line)
    return {"message": to_wire(message)}


def run_async(deltas: list[bytes], **settings: Any) -> Any:
    async def stream() -> AsyncIterator[bytes]:
        for line in deltas:
            yield line

    return asyncio.run(assemble_async(stream(), **settings))


ROUTES: dict[str, Callable[[Case], Outcome]] = {
    "consume": by_consume,
    "buffer": lambda case: by_assemble(case, assemble, case.stream("deltas")),
    "lines": lambda case: by_assemble(case, assemble, case.lines("deltas")),
    "async": lambda case: by_assemble(case, run_async, case.lines("deltas")),
}


def expected_outcome(case: Case) -> Outcome:
    return {name: value for name, value in case.expect.items() if name != "resumed"}


WAYS = [
    pytest.param(case, route, id=f"{case.spec['name']}-{route}")
    for case in STREAMS
    for route in ROUTES
]


@pytest.mark.parametrize(("case", "route"), WAYS)
def test_stream(case: Case, route: str) -> None:
    expected = expected_outcome(case)
    if route != "consume" and expected.get("error") == {"rule": "stream/truncated"}:
        expected.pop("partial", None)  # the short forms raise, and have no assembler to show it
    assert ROUTES[route](case) == expected


WITH_SNAPSHOTS = tuple(case for case in STREAMS if "snapshots" in case.spec)


@pytest.mark.parametrize("case", WITH_SNAPSHOTS, ids=ids(WITH_SNAPSHOTS))
def test_snapshots(case: Case) -> None:
    expected = case.spec["snapshots"]
    assembler = new_assembler(case)
    taken = []
    at_once = []
    for line in case.lines("deltas"):
        assembler.consume(delta_of(line, case.spec.get("mode", "strict")))
        at_once.append(to_wire(assembler.snapshot()))
        taken.append(assembler.snapshot())
    assert at_once == expected
    # Read late, when the stream is long over: a snapshot never changes.
    assert [to_wire(snapshot) for snapshot in taken] == expected


WITH_PROGRESS = tuple(case for case in STREAMS if "progress" in case.spec)


@pytest.mark.parametrize("case", WITH_PROGRESS, ids=ids(WITH_PROGRESS))
def test_progress(case: Case) -> None:
    expected = case.spec["progress"]
    assembler = new_assembler(case)
    shown = []
    for line in case.lines("deltas"):
        assembler.consume(delta_of(line, case.spec.get("mode", "strict")))
        shown.append(progress_of(assembler))
    assert shown == expected


def progress_of(assembler: MessageAssembler) -> Json:
    wire = assembler.progress().to_wire()
    return {name: value for name, value in wire.items() if name != "message"}


RESUMED = tuple(case for case in STREAMS if "resumed" in case.expect)


@pytest.mark.parametrize("case", RESUMED, ids=ids(RESUMED))
def test_refused_deltas_may_be_dropped(case: Case) -> None:
    assembler, resumed = new_assembler(case), case.expect["resumed"]
    dropped = []
    seen: Json = {"snapshots": [], "progress": []}
    for line in case.lines("deltas"):
        try:
            assembler.consume(delta_of(line, case.spec.get("mode", "strict")))
        except StreamProtocolError as error:
            dropped.append({"rule": error.rule, "seq": error.seq})
        if assembler.status != "idle":
            seen["snapshots"].append(to_wire(assembler.snapshot()))
            seen["progress"].append(progress_of(assembler))
    assert dropped == resumed["refused"]
    assert ending(assembler) == {"message": resumed["message"]}
    for name in seen.keys() & resumed.keys():
        assert seen[name] == resumed[name]


def state_of(assembler: MessageAssembler) -> Json:
    """Return all that can be read from an assembler."""
    state = {
        "status": assembler.status,
        "run_id": assembler.run_id,
        "last_seq": assembler.last_seq,
        "error": msgspec.to_builtins(assembler.error),
        "findings": places(assembler.findings),
    }
    if assembler.status != "idle":
        state |= {"snapshot": to_wire(assembler.snapshot()), "progress": progress_of(assembler)}
    return state


def consume_what_is_taken(assembler: MessageAssembler, case: Case) -> list[tuple[Json, Json]]:
    """Give an assembler all deltas, and return its state before and after each refusal."""
    around = []
    for line in case.lines("deltas"):
        try:
            delta = delta_of(line, case.spec.get("mode", "strict"))
        except PartwireError:
            continue
        before = state_of(assembler)
        try:
            assembler.consume(delta)
        except StreamProtocolError:
            around.append((before, state_of(assembler)))
    return around


REFUSED = tuple(case for case in STREAMS if not case.result and "seq" in case.expect["error"])


@pytest.mark.parametrize("case", REFUSED, ids=ids(REFUSED))
def test_a_refused_delta_changes_nothing(case: Case) -> None:
    around = consume_what_is_taken(new_assembler(case), case)
    assert around
    assert [after for _, after in around] == [before for before, _ in around]


@pytest.mark.parametrize("case", STREAMS, ids=ids(STREAMS))
def test_a_stream_after_reset_is_as_the_first(case: Case) -> None:
    assembler = new_assembler(case)
    fresh = state_of(assembler)
    consume_what_is_taken(assembler, case)
    assembler.reset()
    assert state_of(assembler) == fresh
    assert by_consume(case, assembler) == expected_outcome(case)


UNREFUSED = tuple(case for case in STREAMS if case.result or "line" not in case.expect["error"])


@pytest.mark.parametrize("case", UNREFUSED, ids=ids(UNREFUSED))
def test_findings_of_streams(case: Case) -> None:
    assembler = new_assembler(case)
    for line in case.lines("deltas"):
        assembler.consume(delta_of(line, case.spec.get("mode", "strict")))
    assert sorted(places(assembler.findings)) == expected_places(case.spec.get("findings", []))


def test_final_messages_are_valid_documents() -> None:
    def found_in(case: Case, message: Any) -> list[Finding]:
        # What is read tolerantly keeps the parts of results that a newer version has.
        passed = {"shape/unknown-variant"} if case.spec.get("mode") == "tolerant" else set()
        found = validate(message, "message.Message", case.spec["version"])
        return [each for each in found if each.rule not in passed]

    wrong = {
        case.id: places(found)
        for case in STREAMS
        for expect in (case.expect, case.expect.get("resumed", {}))
        for name in ("message", "partial")
        if name in expect and (found := found_in(case, expect[name]))
    }
    assert wrong == {}
