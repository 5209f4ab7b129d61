"""How each rule of a release is hit: by a call, since no fixture is a repository."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from codegen import release_compat
from partwire.compat import Budget
from partwire.compat.comparison import check
from tests.codegen.release_repository import FILE, Repository, copied, first_released

__all__ = ["RELEASE_HITS"]

SCHEMA = f"schemas/v0.1/{FILE}"


def shown(change: Callable[[Repository], Any], version: str = "v0.2") -> set[str]:
    """Return the rules that a release shows, after a change of the repository."""
    with TemporaryDirectory() as folder:
        repository = copied(first_released(), Path(folder) / "repository")
        change(repository)
        told = repository.release(version, "--check").err
    return set(re.findall(r"\[(release/[a-z-]+)\]$", told, re.MULTILINE))


def unproven() -> set[str]:
    spent = partial(check, budget=Budget(steps=0, seconds=0, documents=0))
    with patch.object(release_compat, "check", spent):
        return shown(lambda r: r.add("v0.2", lambda defs: defs["Name"].pop("minLength")))


RELEASE_HITS: dict[str, Callable[[], set[str]]] = {
    "release/breaking": lambda: shown(
        lambda r: r.add("v0.2", lambda defs: defs["Colour"]["enum"].pop())
    ),
    "release/changelog": lambda: shown(lambda r: r.remove("CHANGELOG.md")),
    "release/digest-mismatch": lambda: shown(lambda r: r.remove("schemas/v0.1.sha256")),
    "release/families-differ": lambda: shown(
        lambda r: (r.root / "schemas" / "v0.2" / "more").mkdir()
    ),
    "release/file-name": lambda: shown(lambda r: r.write("fixtures/v0.2/a b", "")),
    "release/frozen-added": lambda: shown(lambda r: r.write("fixtures/v0.1/b", "")),
    "release/frozen-changed": lambda: shown(lambda r: r.write(SCHEMA, "{}")),
    "release/frozen-missing": lambda: shown(lambda r: r.remove(SCHEMA)),
    "release/invalid-catalog": lambda: shown(lambda r: r.write("schemas/catalog.json", "[]")),
    "release/lint-failed": lambda: shown(lambda r: r.write(f"schemas/v0.2/{FILE}", "{}")),
    "release/no-fixtures": lambda: shown(lambda r: r.remove("fixtures/v0.2")),
    "release/stale-code": lambda: shown(lambda r: r.remove("python/partwire/v0_2/vocabulary.py")),
    "release/unknown-version": lambda: shown(lambda _: None, "v9.9"),
    "release/unproven": unproven,
    "release/version-order": lambda: shown(lambda r: r.add("v0.0"), "v0.0"),
}
"""Rule id → what finds it."""
