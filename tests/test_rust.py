"""The Rust crate: every fixture that it can run, and what is generated for it.

Wants cargo and the built driver (``make -C rust build``); visibly skipped without them.
"""

from __future__ import annotations

import os
import shutil
import tomllib
from functools import cache
from pathlib import Path

import pytest

from codegen.generate import ROOMS
from codegen.load import load_contract, versions
from codegen.write import differences
from partwire.conformance import select
from partwire.conformance.running import Trial, try_driver

ROOT = Path(__file__).resolve().parent.parent
CRATE = ROOT / "rust"
ROOM = "rust/src/generated"
DRIVER = Path(os.environ.get("CARGO_TARGET_DIR", CRATE / "target")) / "release" / "driver"
INDEX = "registry+https://github.com/rust-lang/crates.io-index"
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
    if shutil.which("cargo") is None:
        return "cargo is not installed"
    if not DRIVER.is_file():
        return "the Rust driver is not built: make -C rust build"
    return None


built = pytest.mark.skipif(_missing() is not None, reason=str(_missing()))


@cache
def trial() -> Trial:
    """Return what the driver makes of every fixture."""
    return try_driver([str(DRIVER)], select())


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


def test_the_lock_file_names_the_common_index_alone() -> None:
    lock = tomllib.loads((CRATE / "Cargo.lock").read_text("utf-8"))
    sources = {package.get("source") for package in lock["package"]}
    assert sources == {INDEX, None}


def test_nothing_unsafe_is_allowed() -> None:
    manifest = tomllib.loads((CRATE / "Cargo.toml").read_text("utf-8"))
    assert manifest["lints"]["rust"]["unsafe_code"] == "forbid"
    assert "#![forbid(unsafe_code)]" in (CRATE / "src" / "lib.rs").read_text("utf-8")
