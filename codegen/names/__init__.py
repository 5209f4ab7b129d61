"""Public names of the bindings in every language: what a release promises beside the schemas.

``python -m codegen`` writes ``schemas/bindings/VERSION/LANGUAGE/`` for the version that the code
speaks; the files of earlier versions stay as they were. ``partwire compat`` compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from codegen import model as m
from codegen.names import rust, typescript
from partwire.conformance.bindings import files_of, python_names
from partwire.contract.current import LATEST_VERSION

__all__ = ["newest_manifests"]

Names = dict[str, str]

_LANGUAGES: Final[Mapping[str, Callable[[Path, m.Contract], Names]]] = {
    "python": lambda _, contract: python_names(contract.version),
    "typescript": lambda root, contract: {
        **typescript.generated_names(root, contract),
        **typescript.package_names(root, contract),
    },
    "rust": lambda root, contract: {
        **rust.generated_names(root, contract),
        **rust.package_names(root),
    },
}


def newest_manifests(root: Path, contracts: Sequence[m.Contract]) -> tuple[str, dict[str, str]]:
    """Return the version that the code below ``root`` speaks, and file name → text of its names."""
    newest = next(each for each in contracts if each.version == LATEST_VERSION)
    return newest.version, {
        f"{language}/{file}": text
        for language, names_of in _LANGUAGES.items()
        for file, text in files_of(language, names_of(root, newest)).items()
    }
