"""From a contract to every generated file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from codegen import model as m
from codegen.targets import (
    asyncapi,
    bundles,
    checks,
    models,
    openapi,
    rust,
    structs,
    typescript,
    vocabulary,
)
from codegen.write import banner

TARGETS = (structs, models, checks, bundles, vocabulary)


def generate_files(contract: m.Contract) -> dict[str, str]:
    """Return file name → text for the package of one version."""
    package = f'"""Contract {contract.version}: everything in this package is generated."""\n'
    files = {"__init__.py": banner(contract.version, contract.digest) + package}
    for target in TARGETS:
        files |= target.generate(contract)
    return files


PYTHON = "python/partwire"

ROOMS: Mapping[str, Callable[[m.Contract], dict[str, str]]] = {
    PYTHON: generate_files,
    "typescript/src/generated": typescript.generate,
    "rust/src/generated": rust.generate,
}
"""Folder of a language → what makes the files of one version there, in its own folder."""

INTERFACES = "interfaces"
"""Beside the rooms of the versions in ``PYTHON``: the interface documents."""

DOCUMENTS = (asyncapi, openapi)


def interface_files(schemas: Path) -> dict[str, str]:
    """Return file name → text for the interface documents whose sources are in ``schemas``."""
    files: dict[str, str] = {}
    for target in DOCUMENTS:
        files |= target.generate(schemas)
    return files
