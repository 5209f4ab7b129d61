"""The drivers that are on this machine, and why the others are not."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
from typing import Final, NamedTuple

from partwire_testing.conformance.respondent import Driver
from tests.fixture_cases import ROOT

__all__ = ["LANGUAGES", "QUICK", "Language", "command_of", "make", "start", "version_of"]

_BUILD_SECONDS: Final = 840
_TARGET: Final = os.environ.get("CARGO_TARGET_DIR", "rust/target")


class Language(NamedTuple):
    """An implementation: what its driver is made with, and how it is started."""

    name: str
    """Of its folder, too."""
    tools: dict[str, tuple[int, ...]]
    """Command → the least version."""
    target: str
    """Of its Makefile; empty where nothing is to be built."""
    built: str
    """The file that has to be there afterwards."""
    command: tuple[str, ...]

    def missing_tool(self) -> str | None:
        """Return the first tool that is missing or too old."""
        for tool, least in self.tools.items():
            if version_of(tool) < least:
                return f"no {tool} >= {'.'.join(map(str, least))}"
        return None

    def missing(self, *, build: bool) -> str | None:
        """Return why the driver cannot be asked, after building it where that is wanted."""
        if (tool := self.missing_tool()) is not None:
            return tool
        if build and self.target:
            done = make(self.name, self.target)
            if done.returncode != 0:
                return f"not built: {done.stdout.strip()[-300:]}"
        if not (ROOT / self.built).exists():
            return f"not built: make -C {self.name} {self.target}"
        return None


def version_of(tool: str) -> tuple[int, ...]:
    """Return the version of a command; empty where there is none."""
    if shutil.which(tool) is None:
        return ()
    said = subprocess.run([tool, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"\d+(?:\.\d+)*", said)
    return tuple(map(int, found.group().split("."))) if found else ()


def make(folder: str, target: str) -> subprocess.CompletedProcess[str]:
    """Run a target of a language's Makefile; of two workers, the second one waits for the first."""
    # The outer make's flags are nothing to the inner one.
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    (ROOT / ".cache").mkdir(exist_ok=True)
    with (ROOT / ".cache" / f"{folder}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        return subprocess.run(
            ["make", "-C", folder, target],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_BUILD_SECONDS,
            check=False,
        )


_RUST: Final = Language(
    "rust",
    {"cargo": (1, 88)},
    "build",
    f"{_TARGET}/release/examples/driver",
    (f"{_TARGET}/release/examples/driver",),
)
LANGUAGES: Final = (
    Language(
        "python",
        {},
        "",
        "python/partwire_testing/conformance/driver.py",
        (sys.executable, "-m", "partwire_testing.conformance.driver"),
    ),
    Language(
        "typescript",
        {"node": (20,), "npm": (10,)},
        "build",
        "typescript/dist/index.js",
        ("node", "typescript/conformance/driver.js"),
    ),
    _RUST,
)
"""All that take part, the first as the one to compare with."""

_RUST_QUICK: Final = f"{_TARGET}/debug/examples/driver"
QUICK: Final = (
    *LANGUAGES[:2],
    _RUST._replace(target="quick", built=_RUST_QUICK, command=(_RUST_QUICK,)),
)
"""The same, but for drivers that take long to optimise: what the unit tests are built of."""


def command_of(language: Language) -> list[str]:
    """Return the command of a driver, for any working folder."""
    return [str(ROOT / each) if "/" in each else each for each in language.command]


def start(language: Language) -> Driver:
    """Start the driver of a language; raises DriverGone."""
    return Driver.start(language.name, command_of(language))
