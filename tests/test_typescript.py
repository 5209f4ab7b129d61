"""The TypeScript package: every fixture that it can run, and what is generated for it.

Wants Node 20 and the built package (``make -C typescript build``); visibly skipped without them.
"""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path

import pytest

from codegen.generate import ROOMS
from codegen.load import load_contract, versions
from codegen.write import differences
from partwire.conformance import select
from partwire.conformance.running import Trial, try_driver

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "typescript"
ROOM = "typescript/src/generated"
OPERATIONS = {
    "validate",
    "read",
    "read_tolerant",
    "assemble",
    "transition",
    "check_history",
    "repair_history",
}
WHOLE_SUITES = ("documents", "documents-raw", "reading", "streams", "histories", "transitions")


def _missing() -> str | None:
    if shutil.which("node") is None:
        return "node is not installed"
    if not (PACKAGE / "dist" / "index.js").is_file():
        return "the TypeScript package is not built: make -C typescript build"
    return None


built = pytest.mark.skipif(_missing() is not None, reason=str(_missing()))


@cache
def trial() -> Trial:
    """Return what the driver makes of every fixture."""
    return try_driver(["node", str(PACKAGE / "conformance" / "driver.js")], select())


@built
def test_the_driver_has_its_operations_for_every_version() -> None:
    started = trial().started
    assert started is not None, trial().problem
    assert started.operations == OPERATIONS
    assert list(started.versions) == list(versions(ROOT / "schemas"))


@built
def test_no_fixture_fails() -> None:
    assert trial().restarts == 0
    bad = [each for each in trial().outcomes if each.status not in ("passed", "skipped")]
    assert bad == []
    skipped = [each.run for each in trial().outcomes if each.status == "skipped"]
    assert [run for run in skipped if run.split("/")[1] in WHOLE_SUITES] == []


@built
@pytest.mark.parametrize("version", list(versions(ROOT / "schemas")))
@pytest.mark.parametrize("suite", WHOLE_SUITES)
def test_a_suite_is_run_as_a_whole(version: str, suite: str) -> None:
    counts = trial().counts(version, suite)
    assert counts["passed"] == sum(counts.values()) > 50


@pytest.mark.parametrize("version", list(versions(ROOT / "schemas")))
def test_the_generated_room_is_what_the_schemas_say(version: str) -> None:
    contract = load_contract(ROOT / "schemas", version)
    assert differences(ROOT / ROOM / contract.module, ROOMS[ROOM](contract)) == []


def test_the_lock_files_name_no_registry() -> None:
    for folder in (PACKAGE, PACKAGE / "bench"):
        lock = json.loads((folder / "package-lock.json").read_bytes())
        assert lock["packages"]
        assert not [name for name, entry in lock["packages"].items() if "resolved" in entry]
