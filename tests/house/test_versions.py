"""Which code names a version of the contract: what is about versions, and ``contract/current``."""

from __future__ import annotations

import importlib
import re
import typing
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

import pytest

from codegen.load import current_version, load_contract
from partwire import models, types
from partwire.contract.current import LATEST_VERSION

ROOT = Path(__file__).resolve().parents[2]
CONTRACT = load_contract(ROOT / "schemas", LATEST_VERSION)

# Folder → what its files are called, how they name the package of a version, and the places that
# may: the packages themselves, what is generated of the catalog, and code about older versions.
NAMING = {
    "python/partwire": (
        "*.py",
        r"\b(?:from|import) .*?[. ]v\d+_\d+\b|\bpartwire\.v\d+_\d+\b",
        (r"v\d+_\d+/", "contract/current/"),
    ),
    "bench": ("*.py", r"\bpartwire\.v\d+_\d+\b|import v\d+_\d+", ()),
    "examples": ("*.py", r"\bpartwire\.v\d+_\d+\b", ()),
    "typescript/src": (
        "*.ts",
        r"(?:generated|compiled)/v\d+_\d+/",
        ("generated/", "compiled/", "contract/current/"),
    ),
    "rust/src": (
        "*.rs",
        r"\b(?:crate|partwire)::(?:\{[^}]*)?v\d+_\d+\b",
        ("generated/", r"contract/(?:current|versions)\.rs"),
    ),
}
# Older versions, where code takes what their readers wrote.
OLDER = {
    "python/partwire/message/gate.py",
    "python/partwire/message/assembler/machine.py",
    "typescript/src/envelope/types.ts",
    "typescript/src/convert/versions/v0-1-to-v0-2.ts",
}


def faults(text: str, pattern: str) -> list[str]:
    """The lines of a file that name the package of a version."""
    return [line.strip() for line in text.splitlines() if re.search(pattern, line)]


@pytest.mark.parametrize("folder", NAMING)
def test_only_one_place_names_the_current_version(folder: str) -> None:
    glob, pattern, allowed = NAMING[folder]
    paths = sorted((ROOT / folder).rglob(glob))
    assert len(paths) > 3
    found = {}
    for path in paths:
        place = path.relative_to(ROOT / folder).as_posix()
        if f"{folder}/{place}" in OLDER or any(re.match(each, place) for each in allowed):
            continue
        if lines := faults(path.read_text("utf-8"), pattern):
            found[f"{folder}/{place}"] = lines
    assert not found


@pytest.mark.parametrize(
    ("folder", "line", "seen"),
    [
        ("python/partwire", "from ...v0_2.structs.message import Message", True),
        ("python/partwire", "    from ..v0_2 import vocabulary", True),
        ("python/partwire", "from partwire.v0_2.structs import session", True),
        ("python/partwire", 'import_module("partwire.v0_2.vocabulary")', True),
        ("python/partwire", "from . import v0_1_to_v0_2", False),
        ("python/partwire", "from ..contract.current import message", False),
        ("bench", "from partwire import v0_2 as package", True),
        ("bench", 'importlib.import_module("partwire.v0_2.models.message")', True),
        ("examples", "from partwire.v0_2.structs.message import Message", True),
        ("examples", "from partwire.types import Message", False),
        ("typescript/src", 'import type { Message } from "../generated/v0_2/message.js";', True),
        ("typescript/src", 'import { message } from "../contract/current/index.js";', False),
        ("rust/src", "use crate::v0_2::message::Message;", True),
        ("rust/src", "use crate::{v0_1, v0_2};", True),
        ("rust/src", "/// use partwire::v0_2::session::ModelRef;", True),
        ("rust/src", "use crate::convert::versions::v0_1_to_v0_2::up;", False),
    ],
)
def test_a_named_version_is_seen(folder: str, line: str, seen: bool) -> None:
    assert bool(faults(f"\n{line}\n", NAMING[folder][1])) is seen


def test_the_current_version_is_the_one_of_the_catalog() -> None:
    assert current_version(ROOT / "schemas") == LATEST_VERSION


# --- partwire.types -------------------------------------------------------------------------------


def clashes(families: Iterable[Iterable[str]]) -> set[str]:
    return {
        name for name, count in Counter(n for each in families for n in each).items() if count > 1
    }


@pytest.mark.parametrize(("module", "kind"), [(types, "structs"), (models, "models")])
def test_every_type_has_a_name_without_a_version(module: ModuleType, kind: str) -> None:
    named: set[str] = set()
    for family in CONTRACT.families.values():
        own = getattr(module, family.name)
        generated = importlib.import_module(f"partwire.{CONTRACT.module}.{kind}.{family.name}")
        for name in family.types:
            assert getattr(own, name) is getattr(generated, name)
            if name not in named:
                assert getattr(module, name) is getattr(generated, name)
        named.update(family.types)
    assert set(vars(module)["__all__"]) == named
    assert {*named, *CONTRACT.families} <= set(dir(module))


def test_names_that_clash_are_those_of_the_first_family() -> None:
    """A clash that is new is to be looked at: is the first family's the one that users mean?"""
    shared = clashes(family.types for family in CONTRACT.families.values())
    same = {"JsonObject", "Timestamp", "Uuid"}
    assert shared - same == {"Message", "MessageId", "Role", "TextPart", "ToolResult"}
    for name in shared - same:
        assert getattr(types, name) is getattr(types.message, name)
    for name in same:
        forms = [getattr(getattr(types, f), name, None) for f in CONTRACT.families]
        assert len({repr(typing.get_args(form) or form) for form in forms if form}) == 1
