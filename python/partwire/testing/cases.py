"""The contract's fixtures as cases for a test of one's own implementation."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..conformance import Case, Run, all_cases, judge, runs_of, suite_names
from ..conformance.equality import difference
from ..contract.versions import LATEST_VERSION
from ..errors import UsageError, bad_argument, clip
from .plain_json import plain

__all__ = ["Expectation", "FixtureCase", "partwire_cases"]

_ABOUT: Final = frozenset(
    (
        *("suite", "name", "purpose", "version", "requirements", "expect", "tags", "provenance"),
        *("file", "written", "input", "snapshots", "progress", "findings", "warnings", "losses"),
        *("repair", "collected", "reply", "clock"),
    )
)
"""Members of a case that are no options of the call: what it is, what comes in, what comes out."""


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
    """One case of the fixtures; what each suite holds stands in ``fixtures/README.md``."""

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
        """The edges that the case stands at."""
        return frozenset(self.case.spec.get("tags", ()))

    @property
    def options(self) -> dict[str, Any]:
        """What the call is given beside its input: ``type``, ``mode``, ``run_id``, ``limits`` …"""
        return {name: value for name, value in self.case.spec.items() if name not in _ABOUT}

    @property
    def files(self) -> dict[str, Path]:
        """The files of the case, by name."""
        if self.suite == "documents":
            file = self.case.spec["file"]
            return {file: self.case.path / file}
        return {path.name: path for path in sorted(self.case.path.iterdir()) if path.is_file()}

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
        expect = self.case.expect
        if isinstance(expect, str):
            lines = expect.endswith(".jsonl")
            value = self.case.values(expect) if lines else self.case.value(expect)
            return Expectation(value)
        if not isinstance(expect, dict):
            return Expectation(expect)
        if "error" not in expect:
            return Expectation({} | expect)
        partial = expect.get("partial")
        return Expectation(
            None, expect["error"], None if partial is None else self.case.value(partial)
        )

    @property
    def runs(self) -> list[Run]:
        """The operations that the case asks for, each with its input and what is expected.

        They are those of ``docs/conformance.md``.
        """
        return runs_of(self.case)

    def check(self, outcome: Mapping[str, Any], step: str | None = None) -> None:
        """Assert that an outcome is the one that the case expects.

        In the suite ``streams`` an outcome is ``{"message": …}``, or ``{"error": {…}}`` with as
        much of ``rule``, ``line`` and ``seq`` as the implementation tells: what it tells has to be
        right, ``{"error": {}}`` only says that the stream was refused. ``partial`` and ``failure``
        may stand beside ``error``. Messages are JSON values, JSON text, structs or models.

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
                f"{self.id}: {self.purpose}\n  {wrong}\n  files in {self.case.path}"
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


def _file(case: Case) -> Any:
    return case.data(case.spec.get("file") or case.spec.get("input") or "input.json")


def _lines_of(name: str) -> Callable[[Case], Any]:
    return lambda case: case.lines(name)


def _input_lines(case: Case) -> Any:
    return case.lines(case.spec["input"])


def _options(case: Case) -> Any:
    return FixtureCase(case).options


def _migration(case: Case) -> Any:
    if "input" not in case.spec:
        return _options(case)
    return _input_lines(case) if case.spec["call"] == "deltas" else _file(case)


_INPUTS: Final[dict[str, Callable[[Case], Any]]] = {
    "documents": _file,
    "documents-raw": _file,
    "reading": _file,
    "streams": _lines_of("deltas.jsonl"),
    "providers": _file,
    "requests": _file,
    "chunks": _input_lines,
    "bridges": lambda case: case.data("from.json"),
    "histories": _lines_of("messages.jsonl"),
    "transitions": _options,
    "session-builds": _options,
    "envelopes": lambda case: _file(case) if "input" in case.spec else _options(case),
    "migrations": _migration,
}


# --- streams --------------------------------------------------------------------------------------


def _stream_difference(case: Case, outcome: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the outcome of a stream, in one line."""
    told = [name for name in ("message", "error") if name in outcome]
    if len(told) != 1:
        return 'the outcome of a stream has one of the members "message" and "error"'
    expect = case.expect
    if isinstance(expect, str):
        if "error" in outcome:
            return f"expected a message, got the error {clip(_text(outcome['error']), 200)}"
        return _place("message", case.value(expect), outcome["message"])
    due = dict(expect["error"])
    if "message" in outcome:
        return f"expected an error {_text(due)}, got a message"
    error = outcome["error"]
    if not isinstance(error, Mapping):
        return 'the member "error" is no object'
    for name, given in error.items():
        if name not in ("rule", "line", "seq", "limit"):
            return f"the error has a member {name}, which nothing is known of"
        if name in due and due[name] != given:
            return f"error {name}: expected {due[name]}, got {given}"
    for name in ("partial", "failure"):
        if name in outcome and name in expect:
            value = expect[name]
            wrong = _place(name, case.value(value) if name == "partial" else value, outcome[name])
            if wrong:
                return wrong
    return None


def _place(name: str, expected: Any, actual: Any) -> str | None:
    found = difference(expected, plain(actual))
    return None if found is None else f"{name} {found}"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=repr)
