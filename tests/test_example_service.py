"""The sample service: its own tests, run as a user runs them.

They are written with the pytest plugin. The TypeScript client needs Node.js: without it its tests
are skipped, visibly; with CI set they fail.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_languages import make, version_of

ROOT = Path(__file__).resolve().parent.parent
SERVICE = ROOT / "examples" / "service"


# Beside the TypeScript package's own tests: two builds at once would tread on each other.
@pytest.mark.slow
@pytest.mark.xdist_group("typescript")
def test_the_sample_service_passes_its_own_tests() -> None:
    if version_of("node") and version_of("npm"):
        make("typescript", "build")
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
