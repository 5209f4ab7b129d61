"""The Rust crate: a page for each public module, made of the doc comments in its source.

rustfmt has laid the source out, so that an item begins at the margin of its block, and its doc
comment is the lines before. What traits add is on the page that rustdoc makes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from codegen.site.api_pages import Entry, Language, Module, NotDeclared

__all__ = ["LANGUAGE", "Source", "modules", "names_of"]

LANGUAGE: Final = Language("Rust", "rust", "rust", "`partwire::types`")
_LEFT_OUT: Final = re.compile(r"v\d+_\d+|types|internal")
"""Modules of types, and the one that is not for others."""
_USE: Final = re.compile(r"^(pub use [^;]+);", re.MULTILINE)
_MODULE: Final = re.compile(r"^pub mod (\w+)", re.MULTILINE)
_ITEM: Final = re.compile(
    r"^(?P<indent> *)pub (?:async |const |unsafe )*"
    r"(?P<kind>struct|enum|trait|fn|type|const|static|union) (?P<name>\w+)",
)
_MACRO: Final = re.compile(r"^macro_rules! (?P<name>\w+)")
_INNER: Final = re.compile(r"^(?:pub(?:\(crate\))? )?mod (?P<name>(?!tests)\w+) \{")
_IMPL: Final = re.compile(r"^impl(?:<.*?>)? (?!.* for )(?:\w+::)*(?P<name>\w+)")
_FIELD: Final = re.compile(r"^    pub (?P<name>\w+): ")
_VARIANT: Final = re.compile(r"^    (?P<name>[A-Z]\w*)(?: \{|\(|,| =)")
_TRAIT_FN: Final = re.compile(r"^    (?:async )?fn (?P<name>\w+)")


@dataclass(slots=True)
class _Item:
    """An item of the source: where it is, and the lines of its declaration and its block."""

    path: tuple[str, ...]
    """Of the module, and its name."""
    kind: str
    declaration: str
    words: str
    block: list[str]


@dataclass(slots=True)
class Source:
    """The source of the crate: its items by name, the blocks ``impl`` of its types, its modules."""

    items: dict[str, list[_Item]] = field(default_factory=dict)
    blocks: dict[str, list[list[str]]] = field(default_factory=dict)
    modules: dict[tuple[str, ...], str] = field(default_factory=dict)
    """Path of a module → its text."""
    hidden: set[str] = field(default_factory=set)
    """Names that rustdoc leaves out."""

    @classmethod
    def read(cls, root: Path) -> Source:
        """Read the crate of the checkout."""
        source = cls()
        folder = root / "rust" / "src"
        for path in sorted(folder.rglob("*.rs")):
            parts = path.relative_to(folder).with_suffix("").parts
            if parts[0] == "generated":
                parts = parts[1:]
            if re.fullmatch(r"v\d+_\d+", parts[0]):
                continue
            module = parts[:-1] if parts[-1] in ("mod", "lib") else parts
            text = path.read_text("utf-8")
            source.modules[module] = text
            source._take(module, text.split("\n"))
        return source

    def _take(self, module: tuple[str, ...], lines: list[str]) -> None:
        for number, line in enumerate(lines):
            found = _ITEM.match(line)
            if found and _is_hidden(lines, number):
                self.hidden.add(found["name"])
                continue
            found = found or _MACRO.match(line)
            if found and not found.groupdict().get("indent"):
                name = found["name"]
                kind = found.groupdict().get("kind", "macro")
                said = _declared(lines, number) if kind != "macro" else f"macro {name}!"
                item = _Item(
                    (*module, name), kind, said, _words(lines, number), _block(lines, number)
                )
                self.items.setdefault(name, []).append(item)
            elif inner := _INNER.match(line):
                block = [each.removeprefix("    ") for each in _block(lines, number)]
                self._take((*module, inner["name"]), block)
            elif of := _IMPL.match(line):
                self.blocks.setdefault(of["name"], []).append(_block(lines, number))


def _declared(lines: list[str], number: int) -> str:
    """Return a declaration, up to its block or its value; of a struct or an enum the line alone."""
    said: list[str] = []
    for line in lines[number:]:
        said.append(line.strip() if not said else line.rstrip())
        if line.rstrip().endswith(("{", ";", "}")) or line.rstrip().endswith(","):
            if line.rstrip().endswith(",") and said[0].count("(") > said[0].count(")"):
                continue
            break
    text = "\n".join(said)
    text = re.sub(r"\s*(?:\{|;|where)\s*$", "", text.removesuffix(",")).rstrip()
    return re.sub(r"^(pub struct [^(]*)\((?!pub).*\)$", r"\1", text)


def _words(lines: list[str], number: int) -> str:
    """Return the doc comment before a line; attributes may be between."""
    found: list[str] = []
    for line in reversed(lines[:number]):
        text = line.strip()
        if text.startswith("///"):
            found.append(text.removeprefix("///").removeprefix(" "))
        elif not text.startswith(("#[", ")]", "#![")) and not text.endswith(")]"):
            break
    return "\n".join(reversed(found))


def _is_hidden(lines: list[str], number: int) -> bool:
    """Whether an item is left out by rustdoc, or there for tests alone."""
    for line in reversed(lines[:number]):
        if not line.strip().startswith(("///", "#[")):
            return False
        if line.strip() in ("#[doc(hidden)]", "#[cfg(doctest)]", "#[cfg(test)]"):
            return True
    return False


def _block(lines: list[str], number: int) -> list[str]:
    """Return the lines within the braces that a line opens."""
    margin = len(lines[number]) - len(lines[number].lstrip())
    found = []
    for line in lines[number + 1 :]:
        if line.startswith(" " * margin + "}") and not line.startswith(" " * (margin + 1)):
            break
        if line and not line.startswith(" ") and margin == 0 and line[0] not in ")w{":
            break
        found.append(line)
    return found


def names_of(source: Source, module: tuple[str, ...]) -> Iterator[tuple[str, _Item]]:
    """Yield the public names of a module, in order: its own, and those of others."""
    text = source.modules[module]
    found: dict[str, _Item] = {}
    for name, items in source.items.items():
        for item in items:
            if item.path == (*module, name) and item.kind != "macro":
                found[name] = item
    for use in _USE.findall(text):
        for path, shown in _used(use):
            if path[0] != "types" and path[-1] not in source.hidden:
                found[shown] = _defined(source, module, path)
    yield from sorted(found.items())


def _used(use: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the paths that a ``pub use`` names, each with the name that it has here."""
    text = " ".join(use.removeprefix("pub use ").split())
    head, brace, names = text.partition("{")
    for name in names.rstrip("}").split(",") if brace else [""]:
        whole, _, alias = (head + name.strip()).partition(" as ")
        if not whole or whole.endswith("::"):
            continue
        path = tuple(part for part in whole.split("::") if part not in ("self", "crate", "super"))
        yield path, alias or path[-1]


def _defined(source: Source, module: tuple[str, ...], path: tuple[str, ...]) -> _Item:
    """Return the item of a path: the one that is nearest to it, if its name is there twice."""
    candidates = source.items.get(path[-1], [])
    if not candidates:  # another module gives it this name
        renamed = re.compile(rf"(\w+) as {path[-1]}\b")
        found = {each[1] for text in source.modules.values() for each in renamed.finditer(text)}
        candidates = [item for name in found for item in source.items.get(name, ())]
    candidates = candidates or list(_by_macros(source, path[-1]))
    if not candidates:
        raise NotDeclared(f"rust/src/{'/'.join(module)}: {'::'.join(path)} is not found")

    def nearness(item: _Item) -> int:
        return len({*path[:-1]} & {*item.path}) * 2 + len({*module} & {*item.path})

    return max(candidates, key=nearness)


def _by_macros(source: Source, name: str) -> Iterator[_Item]:
    """Yield what a macro makes of a row with a doc comment; its declaration is not known."""
    row = re.compile(rf" +{name}\b")
    for module, text in source.modules.items():
        lines = text.split("\n")
        for number, line in enumerate(lines):
            words = _words(lines, number) if row.match(line) else ""
            if words:
                yield _Item((*module, name), "macro", "", words, [])


def modules(root: Path) -> list[Module]:
    """Return the public modules of the crate below ``root``.

    Raises NotDeclared for a name whose item is not found.
    """
    source = Source.read(root)
    return [
        Module(
            "::".join(("partwire", *path)),
            f"use {'::'.join(('partwire', *path))};" if path else "cargo add partwire",
            _shown(_about(source.modules[path])),
            tuple(_entry(source, name, item) for name, item in names_of(source, path)),
        )
        for path in _public(source, ())
    ]


def _public(source: Source, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    yield path
    for name in sorted(_MODULE.findall(source.modules[path])):
        if not _LEFT_OUT.fullmatch(name) and (*path, name) in source.modules:
            yield from _public(source, (*path, name))


def _about(text: str) -> str:
    lines = re.match(r"(?://!.*\n)*", text)
    assert lines is not None
    return "\n".join(
        line.removeprefix("//!").removeprefix(" ") for line in lines.group().splitlines()
    )


def _entry(source: Source, name: str, item: _Item) -> Entry:
    members: list[Entry] = []
    if item.kind in ("struct", "enum", "trait"):
        members += _members(item, name)
    for block in source.blocks.get(item.path[-1], ()):
        for number, line in enumerate(block):
            found = _ITEM.match(line)
            is_own = found and found["indent"] == "    " and found["kind"] in ("fn", "const")
            if found and is_own and not _is_hidden(block, number):
                words = _shown(_words(block, number))
                shown = f"{name}::{found['name']}"
                members.append(Entry(shown, _declared(block, number), words))
    return Entry(name, item.declaration, _shown(item.words), tuple(members))


def _members(item: _Item, name: str) -> Iterator[Entry]:
    pattern = {"struct": _FIELD, "enum": _VARIANT, "trait": _TRAIT_FN}[item.kind]
    for number, line in enumerate(item.block):
        found = pattern.match(line)
        if found and not _is_hidden(item.block, number):
            said = _declared(item.block, number)
            yield Entry(f"{name}::{found['name']}", said, _shown(_words(item.block, number)))


def _shown(words: str) -> str:
    """Return a comment without what is for rustdoc: hidden lines of examples, links to items."""
    lines, is_code = [], False
    for line in words.split("\n"):
        if line.startswith("```"):
            is_code = not is_code
            lines.append("```rust" if is_code else line)
        elif not (is_code and (line == "#" or line.startswith("# "))):
            lines.append(line)
    text = re.sub(r"\[(`[^`]+`)\](?:\([^)]*\))?", r"\1", "\n".join(lines))
    return re.sub(r"\[(\w+)\]\((?:crate|self|super|\w+)::[^)]*\)", r"\1", text)
