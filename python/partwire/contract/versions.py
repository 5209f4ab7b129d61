"""Which types a contract version has, and the generated code that belongs to each."""

from __future__ import annotations

import importlib
import re
from functools import cache, lru_cache
from types import ModuleType
from typing import Any, Final, NamedTuple

from ..errors import UsageError, bad_argument, clip
from .current import FAMILIES, LATEST_VERSION

__all__ = [
    "Room",
    "TypeName",
    "generated_class",
    "generated_module",
    "is_model",
    "is_model_class",
    "parse_type",
    "room_of",
    "struct_wanted",
    "type_of",
    "type_of_class",
]

_PACKAGE: Final = __name__.partition(".")[0]
_ROOM: Final = re.compile(rf"{_PACKAGE}\.(v\d+_\d+)\.(structs|models)\.(\w+)")


class TypeName(NamedTuple):
    """A type of one version, as in ``message.Message``."""

    family: str
    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.family}.{self.name}"


def families(version: str) -> tuple[str, ...]:
    """Return the families of ``version``; raises UsageError ``usage/unknown-version``."""
    if version not in tuple(FAMILIES):  # it may be anything, hashable or not
        raise bad_argument(
            "No such contract version", ", ".join(FAMILIES), version, "usage/unknown-version"
        )
    return FAMILIES[version]


@cache
def generated_module(version: str, kind: str, family: str) -> ModuleType:
    """Return the generated module, such as ``checks.message`` of a version."""
    return importlib.import_module(f"{_PACKAGE}.{version.replace('.', '_')}.{kind}.{family}")


class Room(NamedTuple):
    """What a generated module holds: ``structs`` or ``models`` of a family of a version."""

    version: str
    kind: str
    family: str


def room_of(kind: type) -> Room | None:
    """Return what the module of a class holds; None for a class that is not generated."""
    return _room(kind.__module__)


@cache  # asked for every struct of a stream; modules are few
def _room(module: str) -> Room | None:
    found = _ROOM.fullmatch(module)
    return Room(found[1].replace("_", "."), found[2], found[3]) if found else None


def generated_class(value: Any) -> type | None:
    """Return the generated class of a struct or model, or the one that its class is derived from.

    None for anything else.
    """
    for kind in value.__class__.__mro__:
        if room_of(kind) is not None:
            found: type = kind
            return found
    return None


def type_of(value: Any) -> TypeName | None:
    """Return the type of a struct or model; None for anything else."""
    return type_of_class(value.__class__)


@lru_cache(maxsize=1024)
def type_of_class(kind: type) -> TypeName | None:
    """Return the type of a generated class, or of one that is derived from it; None for others."""
    for each in kind.__mro__:
        room = room_of(each)
        if room is not None:
            return TypeName(room.family, each.__name__, room.version)
    return None


def is_model(value: Any) -> bool:
    """Tell whether a value is a pydantic model of the contract."""
    return is_model_class(value.__class__)


def is_model_class(kind: type[Any]) -> bool:
    """Tell whether a class is a pydantic model of the contract, or derived from one."""
    rooms = (room_of(each) for each in kind.__mro__)
    return any(room is not None and room.kind == "models" for room in rooms)


def struct_wanted(expected: str, value: Any) -> str:
    """Return ``expected``, with the way to it where ``value`` is a model."""
    if is_model(value):
        return f"{expected} as struct: partwire.to_struct() makes one of a model"
    return expected


def parse_type(text: str | type[Any], version: str | None = None) -> TypeName:
    """Return the type that ``text`` names, such as ``message.Message``, or that a class is of.

    A name is of ``version``, or of the current one. A class of :mod:`partwire.types`,
    :mod:`partwire.models` or a certain version is of its own; a class may be derived from a model.
    Raises UsageError ``usage/unknown-version`` or ``usage/unknown-type``, with the nearest names,
    and ``usage/invalid-argument`` for a class of another version than ``version``.
    """
    if isinstance(text, type):
        return _type_of_class(text, version)
    version = LATEST_VERSION if version is None else version
    try:
        return _parse_type(text, version)
    except (AttributeError, TypeError, ValueError):  # no string, no hash, a buffer without one
        if {text.__class__, version.__class__} == {str}:
            raise
        families(version)
        raise _unknown_type(text, version, []) from None


def _type_of_class(kind: type[Any], version: str | None) -> TypeName:
    for each in kind.__mro__:
        room = room_of(each)
        if room is None or (room.kind == "structs" and each is not kind):
            continue
        if version not in (None, room.version):
            message = f"The class is of another version than {clip(version)}"
            raise bad_argument(message, room.version, version)
        return TypeName(room.family, each.__name__, room.version)
    raise _unknown_type(kind, version or LATEST_VERSION, [])


@cache
def _parse_type(text: str, version: str) -> TypeName:
    family, dot, name = text.partition(".")
    known_families = families(version)
    if dot and family in known_families:
        types = generated_module(version, "checks", family).CHECKS
        if name in types:
            return TypeName(family, name, version)
    candidates = [
        f"{known}.{each}"
        for known in known_families
        for each in generated_module(version, "checks", known).CHECKS
    ]
    same_name = [each for each in candidates if each.partition(".")[2] == (name or text)]
    import difflib  # noqa: PLC0415  # for what is misspelt alone

    near = same_name or difflib.get_close_matches(text, candidates, n=3)
    if not same_name and not dot:
        names = [each.partition(".")[2] for each in candidates]
        close = difflib.get_close_matches(text, names, n=1)
        near = [each for each in candidates if each.partition(".")[2] in close] or near
    raise _unknown_type(text, version, near)


def _unknown_type(text: Any, version: str, near: list[str]) -> UsageError:
    expected = " or ".join(near) or "a type such as message.Message; `partwire schema list` has all"
    if not isinstance(text, str):
        expected = "a class of partwire.types or partwire.models, or a name such as message.Message"
    if isinstance(text, type):
        text = f"{text.__module__}.{text.__qualname__}"
    return bad_argument(f"No such type in {version}", expected, text, "usage/unknown-type")
