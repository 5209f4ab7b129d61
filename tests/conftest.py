"""What all tests share: where things are, and how Hypothesis behaves."""

from __future__ import annotations

import gc
import json
import os
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.house.coverage_data import drop_torn
from tests.tracing import without_tracing

ROOT = Path(__file__).resolve().parent.parent
TORN = pytest.StashKey[int]()

# What whoever runs the tests wants of a terminal, or of git in a hook, concerns no program here.
for name in ("COLUMNS", "LINES", "GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "PARTWIRE_FORMAT"):
    os.environ.pop(name, None)

# The JVMs of Spark live for seconds: with the compiler that is soon done, and one thread for the
# heap, they take half of the time.
os.environ.setdefault(
    "JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData"
)

# A slow machine is not a failure: no deadlines. In CI the same examples at every run, so that a
# red run says something about the change and not about the day.
settings.register_profile("dev", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("dev"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(scope="module", autouse=True)
def leavings() -> Iterator[None]:
    """What a file of tests leaves open fails there, not in the next test that collects garbage."""
    yield
    gc.collect()
    gc.freeze()  # the next collection need not walk over all this again


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def recordings() -> Path:
    """The folder of recorded provider streams; where it is missing, the test is skipped.

    It is not a part of the project: PARTWIRE_RECORDINGS names it, or it is beside the checkout.
    """
    named = os.environ.get("PARTWIRE_RECORDINGS")
    folder = Path(named) if named else ROOT.parent / "shared" / "recordings"
    if not (folder / "index.json").is_file():
        if named:
            pytest.fail(f"PARTWIRE_RECORDINGS={named} holds no index.json")
        pytest.skip("no recordings: set PARTWIRE_RECORDINGS, or put them at ../shared/recordings")
    return folder


@pytest.fixture(scope="session")
def catalogue() -> list[dict[str, Any]]:
    """Failures that were seen elsewhere; where the catalogue is missing, the test is skipped.

    It is not a part of the project: PARTWIRE_FAILURES names its folder, or that is beside the
    checkout.
    """
    named = os.environ.get("PARTWIRE_FAILURES")
    folder = Path(named) if named else ROOT.parent / "shared" / "failures"
    file = folder / "catalogue.json"
    if not file.is_file():
        if named:
            pytest.fail(f"PARTWIRE_FAILURES={named} holds no catalogue.json")
        pytest.skip("no catalogue: set PARTWIRE_FAILURES, or put it at ../shared/failures")
    entries: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))["entries"]
    return entries


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder of a test that writes files by short names; in no repository."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    return tmp_path


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take long: at the end no worker waits for another's one."""
    early = {item.path for item in items if item.get_closest_marker("early")}
    items.sort(key=lambda item: item.path not in early)


@pytest.fixture
def untraced() -> Iterator[None]:
    """No coverage meanwhile: nothing of the package is run that other tests do not run.

    Measuring makes the package three times as slow, which is much where the same lines are run
    over and over again.
    """
    with without_tracing():
        yield


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, object, object]:
    """Behind the last test, and before pytest-cov combines what every process has measured."""
    result = yield
    data_file = os.environ.get("COVERAGE_FILE")
    if data_file and not hasattr(session.config, "workerinput"):
        session.config.stash[TORN] = len(drop_torn(Path(data_file)))
    return result


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Show what tests counted: properties whose value is a dict of numbers, summed by name."""
    if torn := config.stash.get(TORN, 0):
        terminalreporter.write_line(f"coverage: without {torn} processes that were killed")
    sums: dict[str, Counter[str]] = {}
    for reports in terminalreporter.stats.values():
        for name, value in (
            p for r in reports if getattr(r, "when", "") == "call" for p in r.user_properties
        ):
            if isinstance(value, dict):
                sums.setdefault(name, Counter()).update(value)
    for name, counts in sorted(sums.items()):
        text = ", ".join(f"{count:,} {what}" for what, count in counts.items())
        terminalreporter.write_line(f"{name}: {text}")
