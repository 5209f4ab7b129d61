"""The sample service: its own tests, run as a user runs them.

They are written with the pytest plugin. The TypeScript client needs Node.js: without it its tests
are skipped, visibly; with CI set they fail.
"""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from examples.service import __main__ as sample
from partwire.contract.current.message import Message
from tests.differential.toolchains import make, version_of

ROOT = Path(__file__).resolve().parents[2]
SERVICE = ROOT / "examples" / "service"


@pytest.mark.slow
def test_the_sample_service_passes_its_own_tests() -> None:
    if version_of("node") and version_of("npm"):
        run = make("typescript", "build")
        assert run.returncode == 0, run.stdout[-8000:]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "examples/service", "-q", "-p", "no:cacheprovider"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-8000:] + run.stderr[-2000:]
    passed = re.search(r"(\d+) passed", run.stdout)
    assert passed is not None
    assert int(passed[1]) > 250
    if skipped := re.findall(r"^SKIPPED .*$", run.stdout, re.MULTILINE):
        pytest.skip("; ".join(skipped))


def test_the_readme_names_every_file() -> None:
    readme = (SERVICE / "README.md").read_text("utf-8")
    named = set(re.findall(r"^\| `([^`]+)` \|", readme, re.MULTILINE))
    files = {path.name for path in SERVICE.glob("*.py")} - {"__init__.py", "__main__.py"}
    assert named - {"client/ask.ts", "golden/"} == files - {"conftest.py"}
    assert all((SERVICE / name).exists() for name in named)


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> tuple[str, int]:
    """The sample's address, where nobody listens yet."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setattr(sample, "ADDRESS", ("127.0.0.1", port))
    return ("127.0.0.1", port)


def test_who_asks_waits_for_a_service_that_is_starting(
    address: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The README starts the service and asks it in the next line."""
    asked = []

    def answer(url: str, question: Message, _on_text: Callable[[str], object]) -> Message:
        asked.append(url)
        return question

    # It listens as soon as somebody has waited for it.
    pauses: list[socket.socket] = []
    monkeypatch.setattr("time.sleep", lambda _seconds: pauses.append(socket.create_server(address)))
    monkeypatch.setattr(sample, "PATIENCE", 60.0)
    monkeypatch.setattr("examples.service.consumer.ask", answer)
    sample.ask("Well?")
    for each in pauses:
        each.close()
    assert asked == [f"http://127.0.0.1:{address[1]}"]
    assert len(pauses) == 1


def test_who_asks_nobody_is_told_so(
    address: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample, "PATIENCE", 0.0)
    with pytest.raises(SystemExit, match=f"^127.0.0.1:{address[1]}: .*examples.service serve$"):
        sample.ask("Well?")
