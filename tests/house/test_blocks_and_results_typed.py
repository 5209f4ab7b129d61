"""What type checkers say of the Python blocks in the documents, and of what the entrances return.

Both checkers run once, side by side, over all blocks and over ``typed_results.py``.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CONTINUED = {"archive-queries"}
"""Pages of which each block goes on with the names of those before it."""
RESULTS = Path(__file__).with_name("typed_results.py")


def blocks() -> Iterator[tuple[str, str]]:
    """Yield the Python blocks: a name for each, and its text, at the lines of its page."""
    for page in PAGES:
        text = page.read_text("utf-8")
        whole = ""
        for found in re.finditer(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            line = text.count("\n", 0, found.start(1))
            if page.stem in CONTINUED:
                whole += "\n" * (line - whole.count("\n")) + found[1]
            else:
                yield f"{page.stem}_{line + 1}".lower(), "\n" * line + found[1]
        if whole:
            yield page.stem.lower(), whole


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each checker says, "" for nothing, of all blocks and of the results."""
    folder = tmp_path_factory.mktemp("blocks")
    for name, text in blocks():
        (folder / f"block_{name}.py").write_text(text, "utf-8")
    (folder / RESULTS.name).write_bytes(RESULTS.read_bytes())
    files = sorted(map(str, folder.glob("*.py")))
    settings = {
        "typeCheckingMode": "standard",
        "pythonVersion": "3.11",
        "include": ["."],
        "extraPaths": [str(ROOT / "python")],
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    python = sys.executable
    pyright = ["basedpyright", "--level", "error", "--pythonpath", python, "-p", str(folder)]
    commands = {
        "mypy": [python, "-m", "mypy", "--strict", "--no-error-summary", *files],
        "pyright": [python, "-m", *pyright],
    }
    running = {
        name: subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        for name, command in commands.items()
    }
    told = {name: process.communicate()[0] for name, process in running.items()}
    return {name: told[name] if process.returncode else "" for name, process in running.items()}


def test_there_are_blocks() -> None:
    names = [name for name, _ in blocks()]
    assert len(names) == len(set(names)) >= 12
    assert sum(name.startswith("readme") for name in names) >= 3


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_blocks_and_results_are_well_typed(checker: str, said: dict[str, str]) -> None:
    assert not said[checker]
