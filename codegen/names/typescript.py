"""Public names of the npm package: what its entries export, and the generated types.

Read off the sources, which one formatter has laid out: a declaration begins at the margin, its
members two spaces in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from codegen import model as m

__all__ = ["generated_names", "package_names"]

_STAR: Final = re.compile(r'^export (?:type )?\* from "(.+?)";', re.MULTILINE)
_SPACE: Final = re.compile(r'^export (?:type )?\* as (\w+) from ".+?";', re.MULTILINE)
_LISTED: Final = re.compile(r'^export (?:type )?\{([^}]*)\}(?: from "(.+?)")?;', re.MULTILINE)
_IMPORTED: Final = re.compile(r'^import (?:type )?\{([^}]*)\} from "(.+?)";', re.MULTILINE)
_DECLARED: Final = re.compile(
    r"^export (?:abstract )?(?:async )?(class|function|const|interface|type|enum)\*? (\w+)(.*)",
    re.MULTILINE,
)
_MEMBER: Final = re.compile(
    r'^  (?:(?:readonly|static|async|override|get|set) )*\*?"?([A-Za-z_$][\w$-]*)"?[?!]?[(:<;]'
)
_FIELD_OF_CONSTRUCTOR: Final = re.compile(r"^    (?:override )?readonly (\w+)")
_BASE: Final = re.compile(r" extends (\w+)")
_WITH_MEMBERS: Final = ("class", "interface", "type")


class _Declared(NamedTuple):
    """A declaration at the margin of a file."""

    kind: str
    members: tuple[str, ...]


def generated_names(root: Path, contract: m.Contract) -> dict[str, str]:
    """Return the generated types of one version: ``family.Type``, and fields by wire name."""
    found: dict[str, str] = {}
    for family, path in _generated(root, contract).items():
        for name, each in _exports(path).items():
            found[f"{family}.{name}"] = each.kind
            found |= {f"{family}.{name}.{wire}": f"field {wire}" for wire in each.members}
    return found


def package_names(root: Path, contract: m.Contract) -> dict[str, str]:
    """Return what the package exports: ``partwire.X``, and ``partwire/entry.X`` of other entries.

    But for the generated types of ``contract``, which some entries export as they are.
    """
    package = root / "typescript"
    besides = frozenset(_generated(root, contract).values())
    found: dict[str, str] = {}
    for entry, target in json.loads((package / "package.json").read_bytes())["exports"].items():
        if isinstance(target, dict):
            built = Path(target["default"]).relative_to("dist").with_suffix(".ts")
            prefix = f"partwire{entry.removeprefix('.')}"
            for name, each in _exports(package / "src" / built, besides).items():
                found[f"{prefix}.{name}"] = each.kind
                found |= {f"{prefix}.{name}.{member}": "member" for member in each.members}
    return found


def _generated(root: Path, contract: m.Contract) -> dict[str, Path]:
    """Return family → its generated module."""
    room = (root / "typescript" / "src" / "generated" / contract.module).resolve()
    return {family: room / f"{family}.ts" for family in contract.families}


def _exports(path: Path, besides: frozenset[Path] = frozenset()) -> dict[str, _Declared]:
    """Return what a module exports; ``besides``: modules whose names are reported elsewhere."""
    text = path.read_text("utf-8")
    found: dict[str, _Declared] = {}
    for match in _STAR.finditer(text):
        target = _target(path, match[1])
        if target not in besides:
            found |= _exports(target, besides)
    for match in _SPACE.finditer(text):
        found[match[1]] = _Declared("namespace", ())
    for match in _LISTED.finditer(text):
        inner = _exports(_target(path, match[2])) if match[2] else {}
        for old, new in _listed(match[1]):
            found[new] = inner[old] if match[2] else _inside(path, text, old)
    for match in _DECLARED.finditer(text):
        found[match[2]] = _declared(path, text, match)
    return found


def _target(path: Path, module: str) -> Path:
    return (path.parent / module).resolve().with_suffix(".ts")


def _listed(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name inside and the name outside of each entry of a list in braces."""
    for entry in text.split(","):
        old, _, new = entry.strip().removeprefix("type ").partition(" as ")
        if old:
            yield old, new or old


def _declared(path: Path, text: str, match: re.Match[str]) -> _Declared:
    kind, rest = match[1], match[3]
    if kind not in _WITH_MEMBERS or not rest.endswith("{"):
        return _Declared(kind, ())
    body = text[match.end() : text.find("\n}", match.end())].splitlines()
    members = [found[1] for line in body if (found := _MEMBER.match(line))]
    if kind == "class":
        members += [found[1] for line in body if (found := _FIELD_OF_CONSTRUCTOR.match(line))]
    base = _BASE.search(rest)
    inherited = _inside(path, text, base[1]).members if base else ()
    own = (name for name in members if name != "constructor")
    return _Declared(kind, tuple(dict.fromkeys((*own, *inherited))))


def _inside(path: Path, text: str, name: str) -> _Declared:
    """Return what a name means inside a module: declared there, imported, or the language's own."""
    for match in _DECLARED.finditer(text):
        if match[2] == name:
            return _declared(path, text, match)
    for match in _IMPORTED.finditer(text):
        for old, new in _listed(match[1]):
            if new == name:
                return _exports(_target(path, match[2]))[old]
    return _Declared("class", ())
