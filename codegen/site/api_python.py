"""The Python package: a page for each module that programs import from, made of its docstrings.

It is read by griffe, which imports nothing: what an extra brings need not be there. Types of the
contract have pages of their own, and are left out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, cast

import griffe

from codegen.site.api_pages import Entry, Language, Module

__all__ = ["LANGUAGE", "MODULES", "modules", "names_of", "read_package"]

LANGUAGE: Final = Language(
    "Python", "python", "python", "`partwire.types`, and `partwire.models` for pydantic"
)
MODULES: Final = (
    "partwire",
    "partwire.build",
    "partwire.reading",
    "partwire.message",
    "partwire.providers",
    "partwire.providers.framing",
    "partwire.model",
    "partwire.formats",
    "partwire.formats.ai_sdk.chunks",
    "partwire.formats.ag_ui.events",
    "partwire.formats.mcp.results",
    "partwire.convert",
    "partwire.session",
    "partwire.blocks",
    "partwire.envelope",
    "partwire.envelope.cloudevents",
    "partwire.contract",
    "partwire.errors",
    "partwire.losses",
    "partwire.compat",
    "partwire.registry",
    "partwire.archive",
    "partwire.archive.columns",
    "partwire.archive.spark",
    "partwire.service",
    "partwire_testing",
    "partwire_testing.strategies",
)
"""What has a page, in the order of the index."""

_LINE: Final = 88


def read_package(root: Path) -> griffe.ModulesCollection:
    """Return both Python packages of the checkout, as griffe reads them."""
    loader = griffe.GriffeLoader(search_paths=[root / "python"], allow_inspection=False)
    for name in ("partwire", "partwire_testing"):
        loader.load(name)
    loader.resolve_aliases(implicit=True, external=False)
    return loader.modules_collection


def modules(root: Path) -> list[Module]:
    """Return the public modules of the packages below ``root``, in the order of the index."""
    package = read_package(root)
    return [
        Module(
            name,
            f"import {name}",
            _words(package[name]),
            tuple(_entry(each, thing) for each, thing in names_of(package, name).items()),
        )
        for name in MODULES
    ]


def names_of(package: griffe.ModulesCollection, module: str) -> dict[str, griffe.Object]:
    """Return the public names of a module, in order, each with what it is where it is defined."""
    homes = _homes(package, module)
    names = homes or [str(name) for name in package[module].exports or ()]
    return {name: _defined(package, f"{module}.{name}") for name in sorted(names)}


def _homes(package: griffe.ModulesCollection, module: str) -> dict[str, str]:
    """Return name → module of what is imported when it is asked for: the table ``_HOMES``."""
    face = package[module]
    if "_HOMES" not in face.members:
        return {}
    homes = ast.literal_eval(str(face["_HOMES"].value))
    return {name: _absolute(module, home) for home, names in homes.items() for name in names}


def _absolute(module: str, home: str) -> str:
    """Return the module that ``import_module("." + home, module)`` imports."""
    outwards = len(home) - len(home.lstrip("."))
    parts = module.split(".")
    return ".".join([*parts[: len(parts) - outwards], home.lstrip(".")])


def _defined(package: griffe.ModulesCollection, path: str) -> griffe.Object:
    """Follow imports, and the tables of names that are imported late, to a definition."""
    module, _, name = path.rpartition(".")
    home = _homes(package, module).get(name)
    if home is not None:
        return _defined(package, f"{home}.{name}")
    found = package[path]
    if isinstance(found, griffe.Alias):
        return _defined(package, found.target_path)
    return cast("griffe.Object", found)


def _words(thing: griffe.Object | griffe.Alias) -> str:
    return thing.docstring.value if thing.docstring else ""


def _entry(name: str, thing: griffe.Object) -> Entry:
    """Return what a public name is."""
    if isinstance(thing, griffe.Class):
        members = (_member(each, f"{name}.{each.name}") for each in _members(thing))
        return Entry(name, _class_line(name, thing), _words(thing), tuple(members))
    return _member(thing, name)


def _member(thing: griffe.Object, name: str) -> Entry:
    said = ""
    if isinstance(thing, griffe.Function):
        said = "\n".join(map(_signature, thing.overloads or [thing]))
    elif isinstance(thing, griffe.Attribute):
        value = str(thing.value) if thing.value is not None else ""
        is_short = bool(value) and "\n" not in value and len(value) <= _LINE
        in_class = isinstance(thing.parent, griffe.Class)
        said = thing.name + (f": {thing.annotation}" if thing.annotation else "")
        said += f" = {value}" if is_short and not in_class else ""
    return Entry(name, said, _words(thing))


def _signature(function: griffe.Function) -> str:
    said = str(function.signature())
    before = "async def " if "async" in function.labels else "def "
    if len(said) <= _LINE:
        return before + said
    return before + _broken(said)


def _broken(signature: str) -> str:
    """Return a signature with a line for each parameter."""
    name, _, rest = signature.partition("(")
    depth, start, parts = 0, 0, []
    for index, char in enumerate(rest):
        if char in "([{":
            depth += 1
        elif char in ")]}":
            if depth == 0:
                parts.append(rest[start:index])
                lines = "".join(f"    {part.strip()},\n" for part in parts if part.strip())
                return f"{name}(\n{lines}){rest[index + 1 :]}"
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(rest[start:index])
            start = index + 1
    return signature


def _class_line(name: str, thing: griffe.Class) -> str:
    bases = ", ".join(str(base) for base in thing.bases if not str(base).startswith("_"))
    init = thing.all_members.get("__init__")
    line = f"class {name}({bases})" if bases else f"class {name}"
    if isinstance(init, griffe.Function) and len(init.parameters) > 1:
        said = str(init.signature()).replace("__init__(", f"{name}(").partition(" -> ")[0]
        return f"{line}\n\n{said if len(said) <= _LINE else _broken(said)}"
    return line


def _members(thing: griffe.Class) -> Sequence[griffe.Object]:
    """Return the public members, those of private bases among them, in the order of the source."""
    found = []
    for name, member in thing.all_members.items():
        defined = _itself(member)
        is_inherited = defined.parent is not None and defined.parent.path != thing.path
        if name.startswith("_") or (is_inherited and not _is_private(defined)):
            continue
        if isinstance(defined, griffe.Function) or (
            isinstance(defined, griffe.Attribute) and _words(defined)
        ):
            found.append(defined)
    return found


def _itself(thing: griffe.Object | griffe.Alias) -> griffe.Object:
    """Return what an import leads to."""
    return thing.final_target if isinstance(thing, griffe.Alias) else thing


def _is_private(thing: griffe.Object | griffe.Alias) -> bool:
    parent = thing.parent
    return parent is not None and re.match(r"_[a-zA-Z]", parent.name) is not None
