"""The libraries of AI SDK and AG-UI, asked one document after the other.

They are pinned in ``tests/formats/libraries``; one process of Node's answers all that a file of
tests asks.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests.fixture_cases import ROOT
from tests.node_packages import installed, need_node

__all__ = ["Judge", "judge"]

Json = dict[str, Any]

PACKAGE = ROOT / "tests" / "formats" / "libraries"


class Judge:
    """A running ``judge.mjs``, which says what it is asked, and how it answers."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, what: str, **given: Any) -> Json:
        """Return the answer to one question."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"ask": what, **given}) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, f"the judge has ended: {what} {json.dumps(given)[:2000]}"
        found: Json = json.loads(answer)
        return found


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    """The libraries; where Node is missing, the test is skipped."""
    need_node("the libraries of AI SDK and AG-UI are")
    folder = installed(PACKAGE, "judge.mjs")
    command = ["node", "judge.mjs"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=folder, stdin=pipe, stdout=pipe, encoding="utf-8"
    ) as process:
        yield Judge(process)
