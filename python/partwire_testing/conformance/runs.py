"""What a case asks of a driver: one run or several, each with what is expected of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final, NamedTuple

from partwire.convert import VERSIONS

from . import forms
from .forms import Form
from .suites import Case, all_cases, lines_of
from .values import Json, text_of

__all__ = ["SUITES", "Run", "runs_of"]


class Run(NamedTuple):
    """One operation of a case.

    ``step`` distinguishes the runs of a case. ``form`` makes of a result what is compared, and
    ``expected`` is that of the right one.
    """

    case: Case
    step: str
    operation: str
    given: Json
    form: Form
    expected: Any

    @property
    def id(self) -> str:
        """The case and the step: unique over all runs."""
        return f"{self.case.id}#{self.step}"


def runs_of(case: Case) -> list[Run]:
    """Return the runs of a case, in order. Raises KeyError for a suite that is not in SUITES."""
    return list(SUITES[case.suite](case))


def _member(case: Case, *names: str) -> Json:
    return {name: case.spec[name] for name in names if name in case.spec}


def _file(case: Case, name: str) -> Any:
    return text_of(case.data(name))


def _lines(case: Case, name: str) -> list[Any]:
    return [text_of(line) for line in case.lines(name)]


def _places(found: list[Json]) -> list[list[str]]:
    return sorted([each["rule"], each["pointer"]] for each in found)


def _in_order(found: list[Json]) -> list[list[str]]:
    return [[each["rule"], each["pointer"]] for each in found]


# --- documents ----------------------------------------------------------------------------------


def _documents(case: Case) -> Iterator[Run]:
    given = {"type": case.spec["type"], "document": _file(case, "document")}
    if "error" in case.expect:
        error = case.expect["error"]
        wrong = {"first": [error["rule"], error["pointer"]], "pointers": [error["pointer"]]}
        yield Run(case, "validate", "validate", given, forms.invalid_document, wrong)
        return
    warnings = {"findings": _places(case.expect.get("warnings", []))}
    yield Run(case, "validate", "validate", given, forms.valid_document, warnings)
    written = case.spec["written"] if "written" in case.spec else case.value("document")
    read = {"value": written, **warnings}
    yield Run(case, "read", "read", given, forms.read_document, read)


def _raw_documents(case: Case) -> Iterator[Run]:
    given = {"type": case.spec["type"], "document": _file(case, "document")}
    if "valid" in case.expect:
        warnings = {"findings": _places(case.expect.get("warnings", []))}
        written = case.spec["written"] if "written" in case.spec else case.value("document")
        read = {"value": written, **warnings}
        yield Run(case, "validate", "validate", given, forms.valid_document, warnings)
        yield Run(case, "read", "read", given, forms.read_document, read)
        return
    error = case.expect["error"]
    yield Run(case, "validate", "validate", given, forms.first_rule, {"first": error["rule"]})
    refused: Json = {"rule": error["rule"]}
    if "pointer" in error:
        refused["pointers"] = [error["pointer"]]
        yield Run(case, "read", "read", given, forms.refused_at, refused)
    else:
        yield Run(case, "read", "read", given, forms.refused_anywhere, refused)


def _reading(case: Case) -> Iterator[Run]:
    given = {"type": case.spec["type"], "document": _file(case, "input")}
    operation = "read_tolerant" if case.spec["mode"] == "tolerant" else "read"
    if case.result:
        found = _places(case.spec.get("findings", []))
        read = {"value": case.value("value"), "findings": found, **_member(case, "defaults")}
        yield Run(case, operation, operation, given, forms.read_document, read)
        return
    error = {"errors": _places([case.expect["error"]])}
    yield Run(case, operation, operation, given, forms.only_error, error)


# --- streams ------------------------------------------------------------------------------------


def _streams(case: Case) -> Iterator[Run]:
    given = {
        "deltas": _lines(case, "deltas"),
        **_member(case, "mode", "run_id", "limits"),
    }
    given |= {name: True for name in ("snapshots", "progress") if name in case.spec}
    expected = _stream_outcome(case)
    for name in ("snapshots", "progress"):
        if name in case.spec:
            expected[name] = case.spec[name]
    if "line" not in expected.get("error", ()):
        expected["findings"] = _places(case.spec.get("findings", []))
    yield Run(case, "assemble", "assemble", given, forms.stream, expected)
    resumed = case.expect.get("resumed")
    if resumed is not None:
        again = {**given, "drop_refused": True}
        whole = {"message": resumed["message"], "refused": resumed["refused"]}
        for name in ("snapshots", "progress"):
            if name in resumed:
                again[name], whole[name] = True, resumed[name]
        yield Run(case, "resume", "assemble", again, forms.resumed_stream, whole)


def _stream_outcome(case: Case) -> Json:
    return {name: value for name, value in case.expect.items() if name != "resumed"}


def _providers(case: Case) -> Iterator[Run]:
    given = {
        "input": _file(case, "input"),
        **_member(case, "api", "clock", "run_id", "used_tool_call_ids", "keep_raw"),
        **_member(case, "message_id", "turn_id", "author", "format"),
    }
    expected = {"deltas": case.spec["deltas"], "findings": _in_order(case.spec.get("findings", []))}
    yield Run(case, "adapt", "adapt", given, forms.adapted, expected)
    bytewise = {**given, "chunk_bytes": 1}
    yield Run(case, "adapt-bytes", "adapt", bytewise, forms.adapted, expected)
    stream = {"deltas": _lines(case, "deltas")}
    yield Run(case, "assemble", "assemble", stream, forms.stream_end, _stream_outcome(case))


# --- conversions --------------------------------------------------------------------------------


@cache
def _dialects(version: str) -> tuple[str, ...]:
    """Return every dialect that a request of the version is encoded for."""
    asked = [case.expect for case in all_cases(version) if case.suite == "requests"]
    return tuple(sorted({dialect for expect in asked for dialect in expect.get("bodies", ())}))


def _requests(case: Case) -> Iterator[Run]:
    asked = _file(case, "input")
    for dialect in _dialects(case.version):
        given = {"dialect": dialect, "input": asked}
        if "error" in case.expect:
            yield Run(case, dialect, "encode_request", given, forms.first_error, case.expect)
        elif due := case.expect["bodies"].get(dialect):
            expected = {"body": due["body"], "findings": _places(due["findings"])}
            yield Run(case, dialect, "encode_request", given, forms.encoded, expected)


def _chunks(case: Case) -> Iterator[Run]:
    kind = "chunks" if "chunks" in case.spec else "deltas"
    given = {
        "from": kind,
        "lines": _lines(case, kind),
        **_member(case, "mode", "run_id", "model_id", "request_id", "clock", "limits"),
    }
    made = case.result
    losses = [forms.loss_key(loss) for loss in case.spec.get("losses", [])]
    due: Json = {"items": case.expect[made], "losses": losses} if made else case.expect
    yield Run(case, "convert", "convert_stream", given, forms.converted_stream, due)
    if made:
        stream = {"deltas": _lines(case, "deltas"), **_member(case, "limits")}
        if kind == "deltas":
            stream |= _member(case, "mode")
        whole = {"refused": False, "truncated": False}
        form = forms.taken_whole if made == "deltas" else forms.taken
        yield Run(case, "assemble", "assemble", stream, form, whole)
    if made or kind == "chunks":
        yield _collected(case, kind)


def _collected(case: Case, kind: str) -> Run:
    given = {"chunks": _lines(case, "chunks"), **_member(case, "limits")}
    if kind == "chunks":
        given |= _member(case, "mode")
    expected = case.spec["collected"] if case.result else case.expect
    return Run(case, "collect", "collect", given, forms.whole, expected)


def _bridges(case: Case) -> Iterator[Run]:
    given = {
        "document": _file(case, "input"),
        **_member(case, "type", "to", "strict", "accept", "context"),
    }
    if case.result:
        losses = sorted(forms.loss_key(loss) for loss in case.spec.get("losses", []))
        expected = {"value": case.value("value"), "losses": losses}
        yield Run(case, "convert", "convert", given, forms.converted, expected)
    else:
        yield Run(case, "convert", "convert", given, forms.first_error, case.expect)


# --- histories, sessions, envelopes --------------------------------------------------------------


def _histories(case: Case) -> Iterator[Run]:
    given = {"messages": _lines(case, "messages"), **_member(case, "ongoing")}
    found = {"findings": _in_order(case.expect["findings"])}
    yield Run(case, "check", "check_history", given, forms.ordered_findings, found)
    repair = case.spec.get("repair", {"changes": []})
    if "policy" in repair:
        given = {**given, "policy": repair["policy"]}
    if "error" in repair:
        yield Run(case, "repair", "repair_history", given, forms.first_error, repair)
        return
    before = case.lines("messages")
    lines = lines_of(repair["messages"]) if "messages" in repair else before
    form = forms.repaired(before)
    expected = form({"messages": [text_of(line) for line in lines], "changes": repair["changes"]})
    yield Run(case, "repair", "repair_history", given, form, expected)


def _transitions(case: Case) -> Iterator[Run]:
    given = _member(case, "call", "state", "to", "fields")
    form = forms.transition(case.spec["state"])
    yield Run(case, "transition", "transition", given, form, case.expect)


def _session_builds(case: Case) -> Iterator[Run]:
    given = _member(case, "session_id", "info", "compacting", "partial", "steps")
    if case.result:
        found = _places(case.spec.get("warnings", []))
        expected = {"message": case.value("message"), "findings": found}
        yield Run(case, "build", "build_session", given, forms.built, expected)
        return
    error = case.expect["error"]
    refused = {**error, "pointers": [error["pointer"]]}
    yield Run(case, "build", "build_session", given, forms.not_built, refused)


def _envelopes(case: Case) -> Iterator[Run]:
    call = case.spec["call"]
    names = ("call", "type", "reply_type", "mode", "sent", "invocation_ids", "text")
    given = _member(case, *names)
    given |= {name: _file(case, name) for name in ("input", "reply") if case.has(name)}
    if case.result:
        expected = {"value": case.value("value")}
        form = forms.sent
        if call == "parse":
            expected["findings"] = _places(case.spec.get("findings", []))
            form = forms.read_document
    elif "error" in case.expect:
        form, expected = forms.only_error, {"errors": _places([case.expect["error"]])}
    elif "findings" in case.expect:
        form, expected = forms.ordered_findings, {"findings": _in_order(case.expect["findings"])}
    else:
        form, expected = forms.whole, case.expect
    yield Run(case, call, "envelope", given, form, expected)


def _migrations(case: Case) -> Iterator[Run]:
    call = case.spec["call"]
    given = _member(case, "call", "type", "from", "to", "strict", "offers", "supported")
    if call == "deltas":
        given["lines"] = _lines(case, "deltas")
    elif case.has("input"):
        given["document"] = _file(case, "input")
    if call == "negotiate":  # who speaks this version knows no later one
        given.setdefault("supported", list(VERSIONS[: VERSIONS.index(case.version) + 1]))
    if case.result:
        losses = sorted(forms.loss_key(loss) for loss in case.spec.get("losses", []))
        if call == "deltas":
            form = forms.downgraded
            expected = {"items": case.expect["deltas"], "losses": losses}
        else:
            form = forms.converted
            expected = {"value": case.value("value"), "losses": losses}
    elif "error" in case.expect:
        form, expected = forms.first_error, case.expect
    else:
        form, expected = forms.whole, case.expect
    yield Run(case, call, "migrate", given, form, expected)


SUITES: Final[dict[str, Callable[[Case], Iterator[Run]]]] = {
    "documents": _documents,
    "documents-raw": _raw_documents,
    "reading": _reading,
    "streams": _streams,
    "providers": _providers,
    "requests": _requests,
    "chunks": _chunks,
    "bridges": _bridges,
    "histories": _histories,
    "transitions": _transitions,
    "session-builds": _session_builds,
    "envelopes": _envelopes,
    "migrations": _migrations,
}
"""Suite → what its cases ask."""
