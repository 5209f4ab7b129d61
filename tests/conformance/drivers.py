"""What the tests of drivers share: how bad ones are started, and what a good start is."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.differential.toolchains import Language
from tests.fixture_cases import ROOT

__all__ = ["AT", "STARTED", "driver", "importable", "need", "script", "wrong_driver"]

AT = 3
"""The run that a bad driver does badly, of every process."""


@pytest.fixture
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let drivers import what the tests import."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "python"), str(ROOT)]))


def driver(way: str, at: int = AT) -> list[str]:
    """Return the command of a driver that does one thing badly."""
    return [sys.executable, "-m", "tests.conformance.bad_drivers", way, str(at)]


_WRONG = """
import sys
sys.path[:0] = {paths!r}
from partwire_testing.conformance import driver

right = driver.answer

def answer(request):
    answer = right(request)
    given, result = request.get("input", {{}}), answer.get("result", {{}})
    {deed}
    return answer

driver.answer = answer
driver.main()
"""


def wrong_driver(deed: str) -> list[str]:
    """Return the command of partwire's own driver that does ``deed`` to every result."""
    paths = [str(ROOT / "python"), str(ROOT)]
    return [sys.executable, "-c", _WRONG.format(paths=paths, deed=deed)]


def script(tmp_path: Path, text: str) -> list[str]:
    """Return the command of a driver that is written down here."""
    path = tmp_path / "driver.py"
    path.write_text(text)
    return [sys.executable, str(path)]


STARTED: dict[str, Any] = {
    "type": "started",
    "protocol": 1,
    "implementation": {"name": "x"},
    "versions": ["v0.1"],
    "operations": ["transition"],
}


def need(language: Language) -> None:
    """Build a driver. Skip where a tool is missing, or fail, where nothing may be skipped."""
    if (tool := language.missing_tool()) is not None:
        reason = f"{language.name} is left out: {tool} on this machine"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    if (problem := language.missing(build=True)) is not None:
        pytest.fail(f"{language.name}: {problem}")
