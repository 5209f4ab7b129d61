"""Public names of the bindings, by version: what other people's code says when it uses them.

A manifest is a mapping: each name to what it is: ``class``, ``function``, ``parameter``, or
``field`` with its wire name. Names of generated types leave the version out, so that two versions
can be compared. ``schemas/bindings/VERSION/LANGUAGE`` holds one file per room, which codegen
writes: on each line a name, without the room's, and what it is; sorted. For Python, the names of
today are read from the code.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import partwire
from partwire.compat.report import Change, EntryVerdict, Replay
from partwire.compat.verdict import Reading
from partwire.contract.current import LATEST_VERSION
from partwire.contract.versions import families
from partwire.json.pointer import escape_pointer

from ..data import bindings_dir

__all__ = ["LANGUAGES", "compare_bindings", "compare_names", "files_of", "manifest", "python_names"]

Names = dict[str, str]

_KINDS: Final = ("structs", "models", "checks")
_JOINT: Final = {"python": ".", "typescript": "/", "rust": "::"}
"""What is between the names of a room and of the room in it."""
_ROOM: Final = re.compile(r"(?:(?:structs|models|checks)\.)?[^.]+")
_LAST: Final = re.compile(r"(?:\.[^.()\[\]]+|\([^()]*\)|\[[^\[\]]*\]|^[^.()\[\]]*)$")


def compare_bindings(
    old: str, new: str, reading: Reading = "declared", folder: Path | None = None
) -> tuple[list[EntryVerdict], Replay]:
    """Return one breaking verdict per language whose names of ``old`` are not all in ``new``.

    A language without a manifest of both versions is left out. ``folder``: where the manifests
    are, if not in the package.
    """
    verdicts = []
    tried = gone = 0
    for language in LANGUAGES:
        before, after = (manifest(language, version, folder) for version in (old, new))
        if before is None or after is None:
            continue
        changes = compare_names(language, before, after)
        tried += len(before)
        gone += len(changes)
        if changes:
            name = f"bindings {language}"
            verdicts.append(EntryVerdict(name, "breaking", "backward", reading, tuple(changes)))
    return verdicts, Replay("bindings", tried, gone)


def compare_names(language: str, old: Names, new: Names) -> list[Change]:
    """Return the names of ``old`` that are gone, and those that are other ones in ``new``.

    A field is renamed where its class has one of the same wire name. What belongs to a name that
    is gone is not reported again.
    """
    found = []
    gone = {name for name in old if name not in new}
    for name, kind in old.items():
        owner = _owner(name)
        if name not in gone or owner in gone:
            continue
        heir = next(
            (
                other
                for other, what in new.items()
                if kind.startswith("field ")
                and what == kind
                and _owner(other) == owner
                and other not in old
            ),
            None,
        )
        found.append(_change(language, name, kind, heir))
    return found


def _owner(name: str) -> str:
    """Return the name that a field, a parameter or a check belongs to."""
    return name[: -len(_LAST.search(name)[0])]  # type: ignore[index]  # every name has an end


def _change(language: str, name: str, kind: str, heir: str | None) -> Change:
    pointer = f"/{escape_pointer(name)}"
    source = f"bindings/{language}"
    if heir is None:
        words = f"A public name of {language} is gone: {name} ({kind})"
        return Change("compat/bindings-removed", pointer, None, words, (kind,), old_source=source)
    words = f"A public name of {language} is another one: {name} is {heir}"
    return Change(
        "compat/bindings-renamed",
        pointer,
        f"/{escape_pointer(heir)}",
        words,
        (kind, heir),
        old_source=source,
        new_source=source,
    )


def manifest(language: str, version: str, folder: Path | None = None) -> Names | None:
    """Return the public names of a version in a language; None if nobody knows them."""
    if folder is None and version == LATEST_VERSION and language in LIVE:
        return LIVE[language](version)
    place = (folder or bindings_dir()) / version / language
    if not place.is_dir():
        return None
    names: Names = {}
    for path in place.rglob("*.txt"):
        room = _JOINT[language].join(path.relative_to(place).with_suffix("").parts)
        for line in path.read_text("utf-8").splitlines():
            name, _, kind = line.partition(" ")
            names[f"{room}.{name}"] = kind
    return dict(sorted(names.items()))


def files_of(language: str, names: Names) -> dict[str, str]:
    """Return file name → text for the names of a language: one file per room, one line per name."""
    lines: dict[str, list[str]] = {}
    for name, kind in sorted(names.items()):
        room = _ROOM.match(name)[0]  # type: ignore[index]  # every name is in a room
        file = "/".join(room.split(_JOINT[language])) + ".txt"
        lines.setdefault(file, []).append(f"{name[len(room) + 1 :]} {kind}\n")
    return {file: "".join(each) for file, each in lines.items()}


# --- Python ---------------------------------------------------------------------------------------


def python_names(version: str) -> Names:
    """Return the public names of today's Python: generated types of a version, and the package."""
    room = Path(partwire.__path__[0], version.replace(".", "_"))
    names: Names = _module_names(room / "vocabulary.py", "vocabulary")
    for kind in _KINDS:
        for family in families(version):
            names |= _module_names(room / kind / f"{family}.py", f"{kind}.{family}")
    return dict(sorted((names | _package_names()).items()))


def _module_names(path: Path, prefix: str) -> Names:
    """Return what a generated module defines; nothing is imported, since pydantic may be absent."""
    names: Names = {}
    for node in ast.parse(path.read_text("utf-8")).body:
        name = _defined(node)
        if name is None or name.startswith("_"):
            continue
        whole = f"{prefix}.{name}"
        names[whole] = _KIND_OF.get(type(node), "name")
        if isinstance(node, ast.ClassDef):
            names |= {f"{whole}.{field}": f"field {wire}" for field, wire in _fields(node)}
        elif name == "CHECKS" and isinstance(node, ast.AnnAssign):
            keys = node.value.keys if isinstance(node.value, ast.Dict) else []
            names |= {f"{whole}[{ast.literal_eval(key)}]": "check" for key in keys if key}
    return names


def _defined(node: ast.stmt) -> str | None:
    if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
        return node.name
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    return None


_KIND_OF: Final[dict[type[ast.stmt], str]] = {ast.ClassDef: "class", ast.FunctionDef: "function"}


def _fields(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Yield the fields of a generated class with their wire names."""
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            named = [
                part.value.value
                for part in ast.walk(each)
                if isinstance(part, ast.keyword)
                and part.arg in ("name", "alias")
                and isinstance(part.value, ast.Constant)
            ]
            yield each.target.id, str(named[0]) if named else each.target.id


def _package_names() -> Names:
    """Return what ``from partwire import …`` gives: members of classes, parameters of calls."""
    names: Names = {}
    for name in vars(partwire)["__all__"]:
        value = getattr(partwire, name)
        whole = f"partwire.{name}"
        kind = "function" if callable(value) else "name"
        names[whole] = "class" if inspect.isclass(value) else kind
        if inspect.isclass(value):
            names |= {f"{whole}.{member}": "member" for member in _members(value)}
        if callable(value):
            names |= {f"{whole}({parameter})": "parameter" for parameter in _parameters(value)}
    return names


def _members(cls: type) -> Iterator[str]:
    for base in cls.__mro__:
        if base.__module__.split(".")[0] == "partwire":
            yield from (name for name in vars(base) if not name.startswith("_"))


def _parameters(value: Any) -> list[str]:
    try:
        return [name for name in inspect.signature(value).parameters if name != "self"]
    except (TypeError, ValueError):
        return []


LIVE: Final[dict[str, Callable[[str], Names]]] = {"python": python_names}
"""Languages whose names of today are read from the code."""

LANGUAGES: Final = ("python", "typescript", "rust")
