"""The TypeScript package: a page for each entry, made of the doc comments in its source.

The source is laid out by its formatter: a declaration begins at the margin of its block, its doc
comment is right before it. Types of the contract have pages of their own, and are left out.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from codegen.site.api_pages import Entry, Language, Module, NotDeclared

__all__ = ["LANGUAGE", "Declared", "Source", "modules"]

LANGUAGE: Final = Language(
    "TypeScript", "typescript", "ts", '`import type { message } from "partwire"`'
)
_TYPES: Final = ("contract/current/", "generated/v")
"""Files with the types of the contract."""
_DECLARATION: Final = re.compile(
    r"^export (?:declare )?(?:abstract )?(?:async )?"
    r"(?P<kind>function\*?|class|interface|type|const|enum) (?P<name>\w+)",
    re.MULTILINE,
)
_NAMES: Final = re.compile(r'^export (?:type )?\{([^}]*)\} from "([^"]+)";', re.MULTILINE)
_PASSED_ON: Final = re.compile(r"^export (?:type )?\{([^}]*)\};", re.MULTILINE)
_IMPORTS: Final = re.compile(r'^import (?:type )?\{([^}]*)\} from "([^"]+)";', re.MULTILINE)
_ALL: Final = re.compile(r'^export (?:type )?\* from "([^"]+)";', re.MULTILINE)
_MEMBER: Final = re.compile(
    r"^  (?!private\b|protected\b|#|constructor\b|override constructor\b|\[|[/*}])"
    r"(?:(?:static|readonly|async|abstract|override|declare|get|set) |\*)*"
    r"(?P<name>(?!(?:static|readonly|async|get|set)\b(?! *[(:?]))\w+)[?!]?(?=[(:<; =]|$)"
)
_END: Final = re.compile(r"(?:\{|;|=>|=)$")


@dataclass(frozen=True, slots=True)
class Declared:
    """A declaration: its kind, its lines, and the doc comment before it."""

    kind: str
    said: str
    words: str
    block: tuple[str, ...]


@dataclass
class Source:
    """The source of the package below a folder, read file by file."""

    folder: Path
    _texts: dict[str, str] = field(default_factory=dict)

    @cached_property
    def entries(self) -> dict[str, str]:
        """Return what is imported, such as ``partwire/stream`` → its file."""
        exports = json.loads((self.folder.parent / "package.json").read_bytes())["exports"]
        found = {
            posixpath.normpath(f"partwire/{name}"): way["types"]
            for name, way in exports.items()
            if isinstance(way, dict)
        }
        return {
            name: path.removeprefix("./dist/").replace(".d.ts", ".ts")
            for name, path in found.items()
        }

    def text(self, file: str) -> str:
        """Return the text of a file, whose path is below the folder."""
        if file not in self._texts:
            self._texts[file] = (self.folder / file).read_text("utf-8")
        return self._texts[file]

    def names(self, file: str) -> dict[str, tuple[str, str]]:
        """Return the public names of a file, each with the file and the name of its declaration."""
        text = self.text(file)
        found: dict[str, tuple[str, str]] = {}
        for origin in _ALL.findall(text):  # what is named by itself goes before
            found |= self.names(_resolved(file, origin))
        found |= {each["name"]: (file, each["name"]) for each in _DECLARATION.finditer(text)}
        for names, origin in _NAMES.findall(text):
            found |= {outer: (_resolved(file, origin), inner) for inner, outer in _renamed(names)}
        imported = {
            outer: (_resolved(file, origin), inner)
            for names, origin in _IMPORTS.findall(text)
            for inner, outer in _renamed(names)
        }
        for names in _PASSED_ON.findall(text):
            found |= {outer: imported[inner] for inner, outer in _renamed(names)}
        return dict(sorted(found.items()))

    def declared(self, file: str, name: str) -> Declared | None:
        """Return the declaration of a name; None for a type of the contract.

        Raises NotDeclared where there is none.
        """
        for each in _DECLARATION.finditer(self.text(file)):
            if each["name"] == name:
                is_type = each["kind"] in ("interface", "type") and file.startswith(_TYPES)
                return None if is_type else _declared(self.text(file), each)
        if name in self.names(file):
            return self.declared(*self.names(file)[name])
        if file.startswith(_TYPES):  # a family of types as a whole
            return None
        raise NotDeclared(f"typescript/src/{file}: {name} is not found")


def _renamed(names: str) -> Iterator[tuple[str, str]]:
    """Yield the names of a list in braces: as they are called there, and here."""
    for name in filter(None, (each.strip() for each in names.split(","))):
        inner, _, alias = name.removeprefix("type ").partition(" as ")
        yield inner, alias or inner


def _resolved(file: str, origin: str) -> str:
    path = posixpath.normpath(posixpath.join(posixpath.dirname(file), origin))
    return path.removesuffix(".js") + ".ts"


def _declared(text: str, found: re.Match[str]) -> Declared:
    lines = text.split("\n")
    number = text.count("\n", 0, found.start())
    said = _until_its_end(lines, number, found["kind"])
    # An overloaded function has a declaration for each way to call it.
    more = [
        _until_its_end(lines, text.count("\n", 0, each.start()), each["kind"])
        for each in _DECLARATION.finditer(text, found.end())
        if each["name"] == found["name"] and each["kind"].startswith("function")
    ]
    if more:  # the last one is the implementation
        said = "\n".join([said, *more[:-1]])
    has_members = found["kind"] in ("class", "interface") and not said.endswith("{}")
    block = tuple(_block(lines, number)) if has_members else ()
    return Declared(found["kind"], said, _words(lines, number), block)


def _until_its_end(lines: list[str], number: int, kind: str) -> str:
    """Return a declaration up to its block; of a type all of it, of a constant up to its value."""
    said: list[str] = []
    for line in lines[number:]:
        said.append(line)
        depth = sum(map("\n".join(said).count, "([")) - sum(map("\n".join(said).count, ")]"))
        is_type = kind == "type"
        if depth == 0 and (line.endswith((";", "{}")) or (not is_type and _END.search(line))):
            break
        if kind == "const" and " = " in said[0] and depth == 0:
            break
    text = "\n".join(said)
    if kind == "const":
        arrow = re.match(r".*? = (?:async )?\(.*?(?= =>)", text, re.DOTALL)
        text = arrow[0] if arrow else text.partition(" = ")[0]
    return re.sub(r"\s*(?:\{|=>|=|;)$", "", text) if kind != "type" else text


def _words(lines: list[str], number: int) -> str:
    """Return the doc comment that ends right before a line."""
    before = number - 1
    while before >= 0 and lines[before].strip().startswith(("// biome", "// @ts")):
        before -= 1
    if before < 0 or not lines[before].rstrip().endswith("*/"):
        return ""
    first = before
    while first >= 0 and "/**" not in lines[first]:
        if "/*" in lines[first]:
            return ""
        first -= 1
    return _comment(lines[first : before + 1])


def _comment(lines: list[str]) -> str:
    text = "\n".join(lines).strip().removeprefix("/**").removesuffix("*/")
    bare = [re.sub(r"^\s*\* ?", "", line) for line in text.split("\n")]
    said = "\n".join([bare[0].strip(), *bare[1:]]).strip()
    return re.sub(r"\{@link ([^}]+)\}", r"`\1`", said)


def _block(lines: list[str], number: int) -> Iterator[str]:
    for line in lines[number + 1 :]:
        if line.startswith("}"):
            return
        yield line


def modules(root: Path) -> list[Module]:
    """Return the entries of the package below ``root``.

    Raises NotDeclared for a name whose declaration is not found.
    """
    source = Source(root / "typescript" / "src")
    found = []
    for name, file in sorted(source.entries.items()):
        public = ((each, source.declared(*place)) for each, place in source.names(file).items())
        entries = tuple(_entry(each, declared) for each, declared in public if declared)
        words = re.match(r"\s*(/\*\*.*?\*/)", source.text(file), re.DOTALL)
        about = _comment(words[1].split("\n")) if words else ""
        found.append(Module(name, f'import {{ … }} from "{name}";', about, entries))
    return found


def _entry(name: str, declared: Declared) -> Entry:
    members: dict[str, Entry] = {}
    lines = list(declared.block)
    for number, line in enumerate(lines):
        found = _MEMBER.match(line)
        if found is None:
            continue
        said = _member(lines, number)
        words = _words(lines, number)
        shown = f"{name}.{found['name']}"
        before = members.get(shown)
        if before:  # an overload, or what sets it
            said, words = f"{before.declaration}\n{said}", before.words or words
        members[shown] = Entry(shown, said, words)
    return Entry(name, declared.said, declared.words, tuple(members.values()))


def _member(lines: list[str], number: int) -> str:
    said: list[str] = []
    for line in lines[number:]:
        said.append(line.removeprefix("  "))
        text = "\n".join(said)
        depth = sum(map(text.count, "([")) - sum(map(text.count, ")]"))
        if depth == 0 and re.search(r"[{;]$", line):
            break
    text = "\n".join(said)
    text = re.sub(r"\s*(?:\{|;)$", "", text)
    return text.partition(" = ")[0] if "(" not in text.partition(" = ")[0] else text
