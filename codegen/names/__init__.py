"""Public names of the bindings in every language: what a release promises beside the schemas.

``python -m codegen`` writes ``schemas/bindings/VERSION/LANGUAGE/`` for the version that the code
speaks; the files of earlier versions stay as they were. ``partwire compat`` compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from codegen import model as m
from codegen.names import rust, typescript
from partwire_testing.conformance.bindings import files_of, python_names

__all__ = ["current_manifests"]

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


def current_manifests(root: Path, contract: m.Contract) -> dict[str, str]:
    """Return file name → text of the names of ``contract``, the version that the code speaks."""
    return {
        f"{language}/{file}": text
        for language, names_of in _LANGUAGES.items()
        for file, text in files_of(language, names_of(root, contract)).items()
    }
