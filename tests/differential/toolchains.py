"""The drivers that are on this machine, and why the others are not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import Final, NamedTuple

from partwire.conformance.respondent import Driver
from tests.fixture_cases import ROOT

__all__ = ["LANGUAGES", "Language", "Missing", "start"]

_BUILD_SECONDS: Final = 840
_TARGET: Final = os.environ.get("CARGO_TARGET_DIR", "rust/target")


class Missing(Exception):
    """A driver that cannot take part; its one argument says why."""


class Language(NamedTuple):
    """How a driver is built and started: tools that it wants, a file that has to be there."""

    name: str
    tools: tuple[str, ...]
    source: str
    built: str
    build: tuple[str, ...]
    command: tuple[str, ...]

    def missing(self, *, build: bool) -> str | None:
        """Return why the driver cannot be asked, after building it where that is wanted."""
        for tool in self.tools:
            if shutil.which(tool) is None:
                return f"no {tool}"
        if not (ROOT / self.source).exists():
            return f"no {self.source}"
        if build and self.build:
            # The outer make's flags are nothing to the inner one.
            environment = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFL"))}
            done = subprocess.run(
                self.build,
                cwd=ROOT,
                env=environment,
                capture_output=True,
                timeout=_BUILD_SECONDS,
                check=False,
            )
            if done.returncode != 0:
                words = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
                return f"not built: {words[-300:]}"
        if not (ROOT / self.built).exists():
            return f"not built: {' '.join(self.build)}"
        return None


LANGUAGES: Final = (
    Language(
        "python",
        (),
        "python/partwire/conformance/driver.py",
        "python/partwire/conformance/driver.py",
        (),
        (sys.executable, "-m", "partwire.conformance.driver"),
    ),
    Language(
        "typescript",
        ("node",),
        "typescript/conformance/driver.js",
        "typescript/dist/index.js",
        ("make", "-C", "typescript", "build"),
        ("node", "typescript/conformance/driver.js"),
    ),
    Language(
        "rust",
        ("cargo",),
        "rust/Cargo.toml",
        f"{_TARGET}/release/examples/driver",
        ("make", "-C", "rust", "build"),
        (f"{_TARGET}/release/examples/driver",),
    ),
)
"""All that take part, the first as the one to compare with."""


def start(language: Language) -> Driver:
    """Start the driver of a language; raises DriverGone."""
    command = [str(ROOT / each) if "/" in each else each for each in language.command]
    return Driver.start(language.name, command)
