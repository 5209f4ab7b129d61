"""The pytest plugin of partwire. It costs nothing before a test asks for something of it.

A module of its own beside the package: pytest imports plugins at start, before coverage begins to
measure, and for every project of the environment. So nothing of partwire is imported here but
inside of a fixture that is used.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from partwire_testing import FixtureCase, ReplayFactory
    from partwire_testing.golden import GoldenFactory, GoldenRun

_WIRE = "partwire_golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("partwire")
    group.addoption(
        "--golden-update",
        action="store_true",
        help="write golden files (fixture golden) instead of comparing with them; "
        "refused where CI is set",
    )
    group.addoption(
        "--golden-update-in-ci", action="store_true", help="--golden-update, also where CI is set"
    )


def pytest_configure(config: pytest.Config) -> None:
    anywhere = config.getoption("golden_update_in_ci")
    update = bool(config.getoption("golden_update") or anywhere)
    if update and not anywhere and os.environ.get("CI"):
        raise pytest.UsageError(
            "--golden-update: CI is set, and what CI writes nobody has looked at; "
            "--golden-update-in-ci does it all the same"
        )
    watch = config.stash[_WATCH] = _Watch(update=update)
    config.pluginmanager.register(watch, "partwire-golden")


# --- fixtures -------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def partwire_cases() -> Callable[..., list[FixtureCase]]:
    """``partwire_cases(suite, version=…)``: the cases of the contract's fixtures."""
    from partwire_testing import partwire_cases as cases  # noqa: PLC0415 - not before it is used

    return cases


@pytest.fixture(scope="session")
def assert_conforms() -> Callable[..., None]:
    """``assert_conforms(value, type, version=…)``: the value is a valid document."""
    from partwire_testing import assert_conforms as conforms  # noqa: PLC0415

    return conforms


@pytest.fixture(scope="session")
def assert_compatible() -> Callable[..., None]:
    """``assert_compatible(old, new, direction=…)``: a schema change breaks nobody."""
    from partwire_testing import assert_compatible as compatible  # noqa: PLC0415

    return compatible


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> GoldenFactory:
    """``golden(name).check(value)``: the value is what the golden file holds."""
    from partwire_testing.golden import GoldenFactory, GoldenRun  # noqa: PLC0415

    watch = request.config.stash[_WATCH]
    if watch.run is None:
        watch.run = GoldenRun(update=watch.update)
    return GoldenFactory(request.path, watch.run)


@pytest.fixture
def replay_model(request: pytest.FixtureRequest) -> Iterator[ReplayFactory]:
    """``replay_model(source)``: a model that answers from a file beside the test."""
    from partwire_testing import ReplayFactory  # noqa: PLC0415

    factory = ReplayFactory(request.path.parent)
    yield factory
    factory.finish()


# --- golden files that nobody asks for ------------------------------------------------------------


class _Watch:
    """Knows of a run what is needed to say at its end which golden files nobody asks for.

    Under xdist the workers know which files were asked for, and the controller which tests have
    passed: each worker tells it at its own end.
    """

    def __init__(self, *, update: bool) -> None:
        self.update = update
        self.run: GoldenRun | None = None
        self._deselected: set[str] = set()
        self._not_passed: set[str] = set()
        self._told: list[dict[str, Any]] = []
        self._lost = False
        self._lines: list[str] = []

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self._deselected.update(str(item.path) for item in items)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome != "passed":
            self._not_passed.add(report.nodeid)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        told = getattr(node, "workeroutput", {}).get(_WIRE)
        if told is not None:
            self._told.append(told)
        self._lost = self._lost or bool(error)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.run is not None:
            self._told.append({**self.run.to_wire(), "modules": self._modules(session)})
        workeroutput = getattr(session.config, "workeroutput", None)
        if workeroutput is not None:
            workeroutput[_WIRE] = self._told[0] if self._told else None
        elif self._told:
            self._judge(session)

    def _modules(self, session: pytest.Session) -> dict[str, list[str]]:
        """Return the tests of each module that was taken whole."""
        root = session.config.invocation_params.dir
        parts = {
            str((root / arg.split("::")[0]).resolve()) for arg in session.config.args if "::" in arg
        }
        found: dict[str, list[str]] = {}
        for item in session.items:
            module = str(item.path)
            if module not in self._deselected and str(item.path.resolve()) not in parts:
                found.setdefault(module, []).append(item.nodeid)
        return found

    def _judge(self, session: pytest.Session) -> None:
        from partwire_testing.golden import unused_files  # noqa: PLC0415 - golden files are used

        used: dict[str, set[str]] = {}
        written: set[str] = set()
        complete: set[str] = set()
        for told in self._told:
            for module, names in told["used"].items():
                used.setdefault(module, set()).update(names)
            written.update(told["written"])
            for module, tests in told["modules"].items():
                if not self._not_passed.intersection(tests):
                    complete.add(module)
        self._lines += [f"written: {_shown(path)}" for path in sorted(written)]
        if session.shouldstop or session.shouldfail or session.exitstatus > 1 or self._lost:
            return
        if unused := unused_files(used, complete):
            self._lines += [f"unused, delete it: {_shown(path)}" for path in unused]
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._lines:
            terminalreporter.section("golden files")
            for line in self._lines:
                terminalreporter.line(line)


_WATCH = pytest.StashKey[_Watch]()


def _shown(path: str | Path) -> str:
    """Return a path as people type it here."""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except ValueError:
        return str(path)
