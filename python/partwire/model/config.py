"""Configuration of a model: read, merged, never shared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..errors import bad_argument
from ..reading import read, to_wire
from ..requests.inputs import fresh

__all__ = ["check_callables", "merged", "read_config"]

_TYPE: Final = "message.ModelConfig"


def read_config(config: object, *defaults: object) -> dict[str, Any]:
    """Return a ModelConfig as a JSON object that is shared with nobody.

    What it does not say is taken from the first of ``defaults`` that does, objects member by
    member; None is no default. Raises UsageError where one of them is no object, ReadError where
    the contract refuses it.
    """
    own = _object(config, "A model needs a configuration", "a ModelConfig: an object with modelId")
    for each in defaults:
        if each is not None:
            other = _object(each, "No such defaults", "members of a ModelConfig, as an object")
            for part in (own, other):  # neither has to be whole, but each has to be readable
                read({"modelId": "unknown", **part}, _TYPE)
            own = _joined(own, other)
    read(own, _TYPE)
    return fresh(own)  # type: ignore[no-any-return]


def _object(value: object, message: str, expected: str) -> dict[str, Any]:
    if value is not None and not isinstance(value, Mapping):
        value = to_wire(value)
    if not isinstance(value, Mapping):
        raise bad_argument(message, expected, value)
    return dict(value)


def _joined(own: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """Return ``own`` with what it does not say of ``defaults``."""
    joined = {**defaults, **own}
    todo = [(joined, own, defaults)]
    while todo:  # no recursion: a document may be deeper than Python's stack
        holder, one, other = todo.pop()
        for name in one.keys() & other.keys():
            if isinstance(one[name], dict) and isinstance(other[name], dict):
                holder[name] = {**other[name], **one[name]}
                todo.append((holder[name], one[name], other[name]))
    return joined


def merged(config: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``config`` with ``changes``, by wire names; a change to None takes the member out.

    Raises as :func:`read_config`.
    """
    gone = {name for name, value in changes.items() if value is None}
    both = {**config, **changes}
    return read_config({name: value for name, value in both.items() if name not in gone})


def check_callables(**given: object) -> None:
    """Raise UsageError for an argument that cannot be called, before a stream stumbles over it."""
    for name, value in given.items():
        if not callable(value):
            raise bad_argument(f"No {name} that can be used", "a callable", value)
