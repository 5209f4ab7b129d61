"""Public names of the crate: what ``lib.rs`` exports, and the generated types.

Read off the sources as rustfmt lays them out: an item begins at the margin, its members four spaces
in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from codegen import model as m

__all__ = ["generated_names", "package_names"]

Methods = dict[Path, dict[str, list[str]]]  # room of the crate → type → its public methods

_USE: Final = re.compile(r"^pub use (?:self::)?([\w:]+)::(?:\{([^}]*)\}|(\w+));", re.MULTILINE)
_ITEM: Final = re.compile(
    r"^pub (?:const |async )?(struct|enum|trait|fn|const|type|mod) (\w+)(.*)", re.MULTILINE
)
# Generated modules have their own path.
_MODULE: Final = re.compile(r'(?<!rs"\]\n)^pub mod (\w+);', re.MULTILINE)
_CONST: Final = re.compile(r"^pub const (\w+)", re.MULTILINE)
_IMPL: Final = re.compile(r"^impl(?:<[^{]*?>)? (\w+)(?:<[^{]*?>)? \{$", re.MULTILINE)
_METHOD: Final = re.compile(r"^    pub (?:const |async )?fn (\w+)", re.MULTILINE)
_REQUIRED: Final = re.compile(r"^    (?:async )?fn (\w+)", re.MULTILINE)
_FIELD: Final = re.compile(r"^    pub (\w+):", re.MULTILINE)
_VARIANT: Final = re.compile(r"^    ([A-Z]\w*)(?:,|\(| \{| =)", re.MULTILINE)
_RENAMED: Final = re.compile(
    r'^    #\[serde\(rename = "([^"]+)".*\n(?:    #\[.*\n)*    pub (\w+):', re.MULTILINE
)
_MACRO: Final = re.compile(
    r"^(?:open_enum|closed_enum|defaulting_enum|tagged_union|choice)! \{ *\n(?:///.*\n)*(\w+)(.*)\n?",
    re.MULTILINE,
)
_MADE_VARIANT: Final = re.compile(r"(\w+)(?:\([^=]*\))? = (\"[^\"]*\"|\w+)")


def generated_names(root: Path, contract: m.Contract) -> dict[str, str]:
    """Return the generated types of one version: ``family.Type``, and fields with wire names."""
    room = root / "rust" / "src" / "generated" / contract.module
    found: dict[str, str] = {}
    for family in contract.families:
        text = (room / f"{family}.rs").read_text("utf-8")
        found |= {f"{family}.{name}": kind for name, kind in _generated(text)}
    vocabulary = (room / "vocabulary.rs").read_text("utf-8")
    return found | {f"vocabulary.{name}": "const" for name in _CONST.findall(vocabulary)}


def package_names(root: Path) -> dict[str, str]:
    """Return what the crate exports, with fields, variants and methods: ``partwire.X`` of its root,
    and ``partwire::module.X`` of its public modules; but for the generated types.
    """
    source = root / "rust" / "src"
    methods = {room: _methods(room) for room in source.iterdir()}
    return dict(_module_names(source, (), methods))


def _module_names(
    source: Path, path: tuple[str, ...], methods: Methods
) -> Iterator[tuple[str, str]]:
    """Yield what the module ``path`` exports, and the public modules in it."""
    text = _file(source, path).read_text("utf-8")
    entry = "::".join(("partwire", *path))
    for name, kind in _package(source, path, text, methods):
        yield f"{entry}.{name}", kind
    for module in _MODULE.findall(text):
        yield from _module_names(source, (*path, module), methods)


def _generated(text: str) -> Iterator[tuple[str, str]]:
    """Yield the items of a generated module; fields and variants with what they are on the wire."""
    for match in _ITEM.finditer(text):
        yield match[2], match[1]
        if match[1] == "struct":
            for wire, field in _RENAMED.findall(_body(text, match.end())):
                yield f"{match[2]}.{field}", f"field {wire}"
    for match in _MACRO.finditer(text):
        yield match[1], "enum"
        for variant, wire in _MADE_VARIANT.findall(match[2]):
            yield f"{match[1]}.{variant}", f"variant {wire.strip(chr(34))}"


def _package(
    source: Path, path: tuple[str, ...], text: str, methods: Methods
) -> Iterator[tuple[str, str]]:
    """Yield what a module exports: its own items, and those that it takes from others."""
    listed = [match[2] for match in _ITEM.finditer(text) if match[1] != "mod"]
    for _, group, single in _USE.findall(text):
        listed += [each.strip() for each in (group or single).split(",") if each.strip()]
    for name in listed:
        file, item = _definition(source, path, name)
        yield name, item[1] if item else "item"
        members = _members(file.read_text("utf-8"), item) if item else []
        room = source / file.relative_to(source).parts[0]  # where its methods may be written
        for member in (*members, *methods[room].get(name, ())):
            yield f"{name}.{member}", "member"


def _definition(
    source: Path, path: tuple[str, ...], name: str
) -> tuple[Path, re.Match[str] | None]:
    """Return the file that defines a name of a module, and the item; no item where it is a
    macro's, another crate's or that of a module inside the file.
    """
    file = _file(source, path)
    text = file.read_text("utf-8")
    item = next((each for each in _ITEM.finditer(text) if each[2] == name), None)
    if item is not None:
        return file, item
    for origin, listed, single in _USE.findall(text):
        if name in {each.strip() for each in (listed or single).split(",")}:
            names = tuple(origin.split("::"))
            inner = names[1:] if names[0] == "crate" else (*path, *names)
            if _file(source, inner).exists():
                return _definition(source, inner, name)
    return file, None


def _methods(room: Path) -> dict[str, list[str]]:
    """Return type → its public methods, wherever they are written in a room."""
    found: dict[str, list[str]] = {}
    for path in sorted(room.rglob("*.rs")) if room.is_dir() else [room]:
        text = path.read_text("utf-8")
        for match in _IMPL.finditer(text):
            found.setdefault(match[1], []).extend(_METHOD.findall(_body(text, match.end())))
    return found


def _file(source: Path, path: tuple[str, ...]) -> Path:
    """Return the file of a module."""
    if not path:
        return source / "lib.rs"
    # The crate's module of tables has its own path.
    base = source.joinpath(*(("generated", *path) if path[0] == "tables" else path))
    return base.with_suffix(".rs") if base.with_suffix(".rs").exists() else base / "mod.rs"


def _members(text: str, item: re.Match[str]) -> list[str]:
    """Return the fields of a struct, the variants of an enum, the functions of a trait."""
    found = {"struct": _FIELD, "enum": _VARIANT, "trait": _REQUIRED}.get(item[1])
    if found is None or not item[3].endswith("{"):
        return []
    return found.findall(_body(text, item.end()))


def _body(text: str, start: int) -> str:
    """Return what is between an item's opening brace and the closing one at the margin."""
    if not text[:start].endswith("{"):
        return ""
    return text[start : text.find("\n}", start)]
