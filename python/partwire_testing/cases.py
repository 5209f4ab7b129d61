"""The contract's fixtures as cases for a test of one's own implementation."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from partwire.contract.current import LATEST_VERSION
from partwire.errors import UsageError, bad_argument, clip

from .conformance import Case, Run, all_cases, judge, runs_of, suite_names
from .conformance.equality import difference
from .plain_json import plain

__all__ = ["Expectation", "FixtureCase", "partwire_cases"]

_STREAMS: Final = ("deltas", "chunks", "messages")
_DOCUMENTS: Final = ("document", "input", "reply")
_ABOUT: Final = frozenset(
    (
        *("suite", "name", "purpose", "version", "requirements", "expect", "tags", "provenance"),
        *("written", "snapshots", "progress", "findings", "warnings", "losses"),
        *("repair", "collected", "clock", *_STREAMS, *_DOCUMENTS),
        *(f"{name}_{form}" for name in (*_STREAMS, *_DOCUMENTS) for form in ("text", "file")),
    )
)
"""Members of a case that are not options of the call: what it is, what comes in, what comes out."""


class Expectation(NamedTuple):
    """What has to come out: a value, or an error; both None where the case lists only findings.

    ``value`` is a JSON value, a list for JSON Lines; ``error`` has ``rule`` and, by suite,
    ``pointer``, ``line`` or ``seq``; ``partial`` is what a failed or cut stream has given.
    """

    value: Any = None
    error: Mapping[str, Any] | None = None
    partial: Any = None


@dataclass(frozen=True)
class FixtureCase:
    """One case of the fixtures; what each suite holds is in ``fixtures/README.md``."""

    case: Case

    @property
    def id(self) -> str:
        """Version, suite and name: unique over all cases, and the id of a parametrized test."""
        return self.case.id

    @property
    def __name__(self) -> str:
        """The name by which pytest calls a parameter."""
        return self.case.id

    @property
    def suite(self) -> str:
        """The suite, such as ``streams``."""
        return self.case.suite

    @property
    def name(self) -> str:
        """The name within the suite."""
        return self.case.name

    @property
    def version(self) -> str:
        """The contract version that it is run for."""
        return self.case.version

    @property
    def purpose(self) -> str:
        """The fact that the case shows."""
        said: str = self.case.spec.get("purpose", "")
        return said

    @property
    def tags(self) -> frozenset[str]:
        """The edges that the case is at."""
        return frozenset(self.case.spec.get("tags", ()))

    @property
    def options(self) -> dict[str, Any]:
        """What the call is given beside its input: ``type``, ``mode``, ``run_id``, ``limits`` …"""
        return {name: value for name, value in self.case.spec.items() if name not in _ABOUT}

    @property
    def files(self) -> dict[str, bytes]:
        """The inputs and results of the case as files, by name, and ``case.json``: the options.

        A :class:`partwire.model.ReplayModel` plays a folder of them.
        """
        case = self.case
        told = {"suite": self.suite, "name": self.name, "version": self.version, **self.options}
        found = {f"{name}.jsonl": case.stream(name) for name in _STREAMS if case.has(name)}
        for name in (*_DOCUMENTS, "message", "partial", "value"):
            if file := case.spec.get(f"{name}_file"):
                told[name] = f"{name}{Path(file).suffix}"
                found[told[name]] = case.data(name)
            elif case.has(name):
                found[f"{name}.json"] = case.data(name)
        return {"case.json": json.dumps(told, indent=2).encode(), **found}

    def write(self, folder: Path) -> Path:
        """Write the files of the case into a folder, and return it."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in self.files.items():
            (folder / name).write_bytes(data)
        return folder

    @property
    def input(self) -> Any:
        """What is given to the implementation.

        JSON Lines as a list of lines (bytes, without line ends); a document as its bytes; where
        the suite has no input file, the case's ``options``; schemas as (old, new).
        """
        return _INPUTS[self.suite](self.case)

    @property
    def expectation(self) -> Expectation:
        """What has to come out of it."""
        case = self.case
        if case.result:
            return Expectation(_own(case.expect[case.result]))
        expect = _own(case.expect)
        if not isinstance(expect, dict) or "error" not in expect:
            return Expectation(expect)
        return Expectation(None, expect["error"], expect.get("partial"))

    @property
    def runs(self) -> list[Run]:
        """The operations that the case asks for, each with its input and what is expected.

        They are those of ``docs/conformance.md``.
        """
        return runs_of(self.case)

    def check(self, outcome: Mapping[str, Any], step: str | None = None) -> None:
        """Assert that an outcome is the one that the case expects.

        In the suite ``streams`` an outcome is ``{"message": …}``, or ``{"error": {…}}`` with as
        much of ``rule``, ``line`` and ``seq`` as the implementation reports: that has to be right,
        ``{"error": {}}`` only says that the stream was refused. ``partial`` and ``failure``
        may be beside ``error``. Messages are JSON values, JSON text, structs or models.

        In the other suites it is the result of the operation (``docs/conformance.md``) of the
        step, or of the first one. Raises UsageError ``usage/invalid-argument`` for no such step.
        """
        __tracebackhide__ = True
        if self.suite == "streams" and step is None:
            wrong = _stream_difference(self.case, outcome)
        else:
            wrong = judge(self._run(step), dict(outcome))
        if wrong is not None:
            raise AssertionError(
                f"{self.id}: {self.purpose}\n  {wrong}\n  in fixtures/{self.case.source}"
            )

    def _run(self, step: str | None) -> Run:
        runs = self.runs
        for run in runs:
            if step in (None, run.step):
                return run
        raise _unknown("step", [run.step for run in runs], step)


def partwire_cases(suite: str, version: str = LATEST_VERSION) -> list[FixtureCase]:
    """Return the cases of a suite, own and inherited ones of a contract version.

    For ``@pytest.mark.parametrize("case", partwire_cases("streams"))``; the test ids are the
    cases' own. Raises UsageError ``usage/unknown-version`` or ``usage/invalid-argument`` (suite).
    """
    known = [*suite_names(version)]
    if suite not in known:
        raise _unknown("suite", known, suite)
    return [FixtureCase(case) for case in all_cases(version) if case.suite == suite]


def _unknown(what: str, known: list[str], given: Any) -> UsageError:
    return bad_argument(f"No such {what}", ", ".join(known), given)


# --- inputs ---------------------------------------------------------------------------------------


def _own(value: Any) -> Any:
    """Return a copy, which the caller may change."""
    return json.loads(json.dumps(value))


def _data_of(name: str) -> Callable[[Case], Any]:
    return lambda case: case.data(name)


def _lines_of(name: str) -> Callable[[Case], Any]:
    return lambda case: case.lines(name)


def _options(case: Case) -> Any:
    return FixtureCase(case).options


def _either(case: Case) -> Any:
    """Return what a case has: an input, a stream, or nothing but options."""
    if case.has("input"):
        return case.data("input")
    return case.lines("deltas") if "deltas" in case.spec else _options(case)


_INPUTS: Final[dict[str, Callable[[Case], Any]]] = {
    "documents": _data_of("document"),
    "documents-raw": _data_of("document"),
    "reading": _data_of("input"),
    "streams": _lines_of("deltas"),
    "providers": _data_of("input"),
    "requests": _data_of("input"),
    "chunks": lambda case: case.lines("chunks" if "chunks" in case.spec else "deltas"),
    "bridges": _data_of("input"),
    "histories": _lines_of("messages"),
    "transitions": _options,
    "session-builds": _options,
    "envelopes": _either,
    "migrations": _either,
}


# --- streams --------------------------------------------------------------------------------------


def _stream_difference(case: Case, outcome: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the outcome of a stream, in one line."""
    told = [name for name in ("message", "error") if name in outcome]
    if len(told) != 1:
        return 'the outcome of a stream has one of the members "message" and "error"'
    expect = case.expect
    if "message" in expect:
        if "error" in outcome:
            return f"expected a message, got the error {clip(_text(outcome['error']), 200)}"
        return _place("message", expect["message"], outcome["message"])
    due = dict(expect["error"])
    if "message" in outcome:
        return f"expected an error {_text(due)}, got a message"
    error = outcome["error"]
    if not isinstance(error, Mapping):
        return 'the member "error" is not an object'
    for name, given in error.items():
        if name not in ("rule", "line", "seq", "limit"):
            return f"the error has a member {name}, which nothing is known of"
        if name in due and due[name] != given:
            return f"error {name}: expected {due[name]}, got {given}"
    for name in ("partial", "failure"):
        both = name in outcome and name in expect
        if both and (wrong := _place(name, expect[name], outcome[name])):
            return wrong
    return None


def _place(name: str, expected: Any, actual: Any) -> str | None:
    found = difference(expected, plain(actual))
    return None if found is None else f"{name} {found}"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=repr)
