"""What the packages say of themselves alike: their version, and where the project is.

``pyproject.toml`` has the address, ``python -m codegen`` writes it wherever else it is needed.
``python -m codegen.metadata [TAG]`` says what is not ready to be published as ``TAG``.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

__all__ = ["PLACEHOLDER", "addressed", "faults", "main"]

ROOT: Final = Path(__file__).resolve().parent.parent
PLACEHOLDER: Final = "OWNER"
"""Whoever hosts the project, as long as nobody does."""

_TOML: Final = {
    "rust/Cargo.toml": "package",
    "rust/native/Cargo.toml": "package",
    "rust/native/pyproject.toml": "project",
    "packaging/testing/pyproject.toml": "project",
}
"""Path → the table that has the version."""
_FILES: Final = (
    "typescript/package.json",
    "rust/Cargo.toml",
    "rust/native/Cargo.toml",
    "docs/ci.md",
)
_ADDRESS: Final = re.compile(r"https://github\.com/[\w.-]+/partwire\b")
_USED: Final = re.compile(r"(?<=uses: )[\w.-]+/partwire(?=@)")


def addressed(root: Path) -> dict[str, str]:
    """Return path → text of the files that say where the project is, as pyproject.toml says."""
    address = _pyproject(root)["urls"]["Repository"]
    short = address.removeprefix("https://github.com/")
    return {
        name: _USED.sub(short, _ADDRESS.sub(address, (root / name).read_text("utf-8")))
        for name in _FILES
    }


def faults(root: Path, tag: str | None) -> Iterator[str]:
    """Yield what keeps the packages from being published, as ``tag`` if there is one."""
    python = _pyproject(root)
    typescript = json.loads((root / "typescript" / "package.json").read_bytes())
    packages = {"typescript/package.json": typescript}
    for name, table in _TOML.items():
        packages[name] = tomllib.loads((root / name).read_text("utf-8"))[table]
    for name, package in packages.items():
        if package["version"] != python["version"]:
            yield f"{name} has version {package['version']}, pyproject.toml {python['version']}"
    if tag is None:
        return
    if tag != f"v{python['version']}":
        yield f"the tag is {tag}, the packages have version {python['version']}"
    if f"/{PLACEHOLDER}/" in python["urls"]["Repository"]:
        yield f"pyproject.toml does not say who hosts the project: {PLACEHOLDER} is a placeholder"


def _pyproject(root: Path) -> dict[str, dict[str, str]]:
    project: dict[str, dict[str, str]] = tomllib.loads(
        (root / "pyproject.toml").read_text("utf-8")
    )["project"]
    return project


def main(argv: Sequence[str] | None = None) -> int:
    """Return 0 where nothing keeps the packages from being published, else 1."""
    tag, *_ = [*(sys.argv[1:] if argv is None else argv), None]
    found = list(faults(ROOT, tag))
    for each in found:
        print(each, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
