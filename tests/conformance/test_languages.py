"""The same contract in other languages: each is built, checked by its own tools, and has to pass
the conformance suite.

What a language needs stands in its folder. Where a toolchain is missing its tests are skipped, and
say so; with CI set nothing may be missing.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

from codegen.generate import ROOMS
from codegen.load import load_contract
from codegen.write import differences
from partwire.conformance import OPERATIONS, select
from partwire.conformance.runner import try_driver
from partwire.conformance.runs import SUITES
from partwire.contract.resources import read_catalog

ROOT = Path(__file__).resolve().parents[2]


class Language(NamedTuple):
    """One implementation: its folder, the tools that it is built with, and its driver."""

    folder: str
    tools: dict[str, tuple[int, ...]]
    """Command → the least version."""
    driver: tuple[str | Path, ...]
    room: str = ""
    """Where what is generated stands."""


TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "rust" / "target"))
LANGUAGES = (
    Language(
        "typescript",
        {"node": (20,), "npm": (10,)},
        ("node", ROOT / "typescript" / "conformance" / "driver.js"),
        "typescript/src/generated",
    ),
    Language(
        "rust",
        {"cargo": (1, 88)},
        (TARGET / "release" / "examples" / "driver",),
        "rust/src/generated",
    ),
)
IDS = [each.folder for each in LANGUAGES]


def version_of(tool: str) -> tuple[int, ...]:
    """Return the version of a command; empty where there is none."""
    if shutil.which(tool) is None:
        return ()
    said = subprocess.run([tool, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"\d+(?:\.\d+)*", said)
    return tuple(map(int, found.group().split("."))) if found else ()


def need_tools(language: Language) -> None:
    """Skip where a tool is missing or too old; fail where nothing may be skipped."""
    missing = [
        f"{tool} >= {'.'.join(map(str, least))}"
        for tool, least in language.tools.items()
        if version_of(tool) < least
    ]
    if missing:
        reason = f"{language.folder} is left out: no {', no '.join(missing)} on this machine"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)


def make(folder: str, target: str) -> None:
    """Run a target of the language's Makefile; what it printed is the failure."""
    # The outer make's flags and pytest's own variables are nothing to the inner one.
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    run = subprocess.run(
        ["make", "-C", folder, target],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=840,
        check=False,
    )
    assert run.returncode == 0, f"make -C {folder} {target}:\n{run.stdout[-8000:]}"


# One worker builds, checks and asks a language: two builds at once would tread on each other.
GROUPED = [pytest.param(each, marks=pytest.mark.xdist_group(each.folder)) for each in LANGUAGES]


@pytest.mark.slow
@pytest.mark.parametrize("language", GROUPED, ids=IDS)
def test_style_types_and_unit_tests(language: Language) -> None:
    need_tools(language)
    make(language.folder, "check")


@pytest.mark.slow
@pytest.mark.parametrize("language", GROUPED, ids=IDS)
def test_conformance(language: Language, record_property: Callable[[str, object], None]) -> None:
    """Every suite as a whole, in every version: no run fails, is skipped or has no answer."""
    need_tools(language)
    make(language.folder, "build")
    trial = try_driver([str(each) for each in language.driver], select())
    assert trial.started is not None, trial.problem
    assert trial.started.operations == set(OPERATIONS)
    assert list(trial.started.versions) == list(read_catalog())
    assert trial.restarts == 0
    record_property(f"conformance of {language.folder}", dict(trial.counts()))
    assert [each for each in trial.outcomes if each.status != "passed"] == []
    asked = {(version, suite) for version, suite in product(read_catalog(), SUITES)}
    seen = {each for each in asked if trial.counts(*each)["passed"] > 20}
    assert asked - seen == {("v0.1", "migrations")}  # there was nothing to migrate from


@pytest.mark.parametrize("version", list(read_catalog()))
@pytest.mark.parametrize("language", LANGUAGES, ids=IDS)
def test_the_generated_room_is_what_the_schemas_say(language: Language, version: str) -> None:
    contract = load_contract(ROOT / "schemas", version)
    made = ROOMS[language.room](contract)
    assert differences(ROOT / language.room / contract.module, made) == []


def test_a_missing_tool_is_said_and_fails_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    """A silent skip would leave a language out for ever."""
    nothing = Language("nothing", {"no-such-tool": (1, 2)}, ())
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no no-such-tool >= 1"):
        need_tools(nothing)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="nothing is left out"):
        need_tools(nothing)


def test_a_tool_that_is_too_old_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    git = version_of("git")
    assert git > (1,)
    need_tools(Language("git", {"git": git}, ()))
    with pytest.raises(pytest.skip.Exception):
        need_tools(Language("git", {"git": (git[0] + 1,)}, ()))
