"""The names that other people's code rests on: listed, explained, changed only on purpose."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import partwire
from partwire import native_core

ROOT = Path(partwire.__path__[0])
LISTING = Path(__file__).with_name("public_api.txt")
NAMES: list[str] = vars(partwire)["__all__"]
UPDATE = "python -m tests.house.test_public_api > tests/house/public_api.txt"


def hand_written() -> Iterator[ModuleType]:
    """Every importable module of the package, but for generated ones and the command line."""
    yield partwire
    for info in pkgutil.walk_packages(partwire.__path__, "partwire."):
        rooms = info.name.split(".")[1:]
        if rooms[0].startswith("v0_") or rooms[0] in {
            "cli",
            "__main__",
            "_data",
            "types",
            "models",
        }:
            continue
        if rooms[:2] == ["contract", "current"]:
            continue
        yield importlib.import_module(info.name)


def listing() -> str:
    """One line per public name of the package, with its signature, and per member of a class."""
    lines = []
    for name in NAMES:
        value = getattr(partwire, name)
        # Whether there is a native core depends on the machine, what the name may hold does not.
        declared = native_core.__annotations__.get(name)
        lines.append(f"partwire.{name}" + (f": {declared}" if declared else signature(value)))
        if inspect.isclass(value):
            lines += [f"  .{line}" for line in members(value)]
    return "\n".join(lines) + "\n"


def signature(value: Any) -> str:
    if inspect.isclass(value):
        bases = ", ".join(base.__name__ for base in value.__bases__)
        return f"({bases})"
    if not callable(value):
        return f": {type(value).__name__}"
    # A function that is a default is named, not placed in memory.
    return re.sub(r"<function (\w+) at 0x[0-9a-f]+>", r"\1", str(inspect.signature(value)))


def members(cls: type) -> Iterator[str]:
    own = [base for base in cls.__mro__ if base.__module__.split(".")[0] == "partwire"]
    found = {name: value for base in reversed(own) for name, value in vars(base).items()}
    for name in sorted(found):
        value = found[name]
        if name == "__init__" and inspect.isfunction(value):
            yield f"__init__{inspect.signature(value)}"
        elif not name.startswith("_"):
            inner = getattr(value, "__func__", value)
            yield name + (str(inspect.signature(inner)) if inspect.isfunction(inner) else "")


def test_the_public_names_are_the_listed_ones() -> None:
    expected = LISTING.read_text(encoding="utf-8") if LISTING.is_file() else ""
    assert listing() == expected, f"the public names changed; if that is meant: {UPDATE}"


FACES = [
    "",
    ".archive",
    ".archive.columns",
    ".archive.spark",
    ".build",
    ".contract",
    ".convert",
    ".formats",
    ".message",
    ".model",
    ".providers",
    ".reading",
]
"""Packages by hand whose names are imported when they are asked for."""


@pytest.mark.parametrize("name", [*FACES, "_testing"])
def test_a_public_name_is_that_of_its_home(name: str) -> None:
    """Type checkers read the imports, and programs the table: they say the same."""
    face: Any = importlib.import_module(f"partwire{name}")
    imported = {
        alias.name: "." * (node.level - 1) + (node.module or "")
        for node in ast.walk(ast.parse(inspect.getsource(face)))
        if isinstance(node, ast.ImportFrom) and node.level and node.module != "lazy"
        for alias in node.names
    }
    homes = {each: home for home, names in face._HOMES.items() for each in names}
    # What a type's name gives is said for type checkers alone, where each name has its result.
    typed = {each for each, home in imported.items() if home.endswith("contract.current.entrances")}
    imported |= {each: homes[each] for each in typed}
    imported.pop("__version__", None)  # not waited for
    assert imported == homes
    assert {*imported} == {*face.__all__}
    assert {*imported} <= {*dir(face)}
    for each, home in imported.items():
        module = importlib.import_module(f".{home}", face.__name__)
        assert getattr(face, each) is getattr(module, each)


def test_every_face_is_tried() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in ROOT.rglob("__init__.py")}
    attached = [
        path.parent.relative_to(ROOT).parts
        for path, text in texts.items()
        if "attach(" in text and not text.startswith("# Generated")
    ]
    assert sorted("".join(f".{part}" for part in parts) for parts in attached) == FACES


def test_a_name_that_is_not_there_is_refused() -> None:
    assert {"message", "convert", "__version__"} <= {*dir(partwire)}
    with pytest.raises(AttributeError, match="no attribute 'asemble'"):
        _ = partwire.asemble  # type: ignore[attr-defined]


def test_rooms_are_imported_when_they_are_asked_for() -> None:
    code = (
        "import sys, partwire; begun = 'partwire.message' in sys.modules; partwire.message.assemble"
        "; partwire.DeltaGate; print(begun, 'partwire.convert.versions' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"


def test_every_module_says_what_is_public() -> None:
    faults = []
    modules = list(hand_written())
    for module in modules:
        declared = getattr(module, "__all__", None)
        if declared is None:
            if own := own_names(module):
                faults.append(f"{module.__name__} has no __all__, but {', '.join(own)}")
            continue
        missing = [name for name in declared if not hasattr(module, name)]
        if missing or len(set(declared)) < len(declared):
            faults.append(f"{module.__name__}.__all__: missing {missing}, or twice the same")
    assert len(modules) > 5
    assert not faults, "\n" + "\n".join(faults)


def own_names(module: ModuleType) -> list[str]:
    """Public functions and classes that the module itself defines."""
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (inspect.isclass(value) or inspect.isfunction(value))
        and value.__module__ == module.__name__
    ]


def test_what_is_public_is_explained() -> None:
    unexplained = []
    for module in hand_written():
        if not module.__doc__:
            unexplained.append(module.__name__)
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name, None)
            if not inspect.isclass(value) and not inspect.isfunction(value):
                continue
            unexplained += [
                f"{module.__name__}.{place}" for place in places_without_words(name, value)
            ]
    assert not unexplained, "\n" + "\n".join(unexplained)


def places_without_words(name: str, value: Any) -> Iterator[str]:
    if not (value.__doc__ or "").strip():
        yield name
    if inspect.isclass(value) and value.__module__.startswith("partwire"):
        for member, function in vars(value).items():
            inner = getattr(function, "fget", function)
            inner = getattr(inner, "__func__", inner)
            # What a base class has too is explained there.
            overrides = any(hasattr(base, member) for base in value.__mro__[1:])
            words = inspect.getdoc(inner) or overrides
            if inspect.isfunction(inner) and not member.startswith("_") and not words:
                yield f"{name}.{member}"


if __name__ == "__main__":
    sys.stdout.write(listing())
