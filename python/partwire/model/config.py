"""Configuration of a model: read, merged, never shared."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict

from ..errors import Finding, UnknownArgumentError, UsageError, bad_argument, clip
from ..providers.request_core.inputs import fresh
from ..reading.pipeline import read, to_wire

__all__ = ["ConfigParams", "StreamParams", "changes_of", "check_callables", "merged", "read_config"]


# --- keywords of a call ---------------------------------------------------------------------------


class StreamParams(TypedDict, total=False):
    """Members of the configuration for one call, by either name; None takes one out.

    ``extra`` is the door for the provider's own members: they go into the request as they are.
    """

    model_id: str
    modelId: str
    temperature: float | None
    max_tokens: int | None
    maxTokens: int | None
    top_p: float | None
    topP: float | None
    stop_sequences: Sequence[str] | None
    stopSequences: Sequence[str] | None
    cache_config: Mapping[str, Any] | None
    cacheConfig: Mapping[str, Any] | None
    extra: Mapping[str, Any] | None


class ConfigParams(StreamParams, total=False):
    """Members of a model's configuration."""

    tool_choice: str | Mapping[str, Any] | None
    toolChoice: str | Mapping[str, Any] | None


_OF_STREAM: Final = (
    *("messages", "tool_specs", "system_prompt", "tool_choice", "system_prompt_content"),
    *("invocation_state", "request_metadata", "message_id", "turn_id"),
    *("author", "format"),
)
_WIRE_NAMES: Final = {
    "model_id": "modelId",
    "temperature": "temperature",
    "max_tokens": "maxTokens",
    "top_p": "topP",
    "stop_sequences": "stopSequences",
    "tool_choice": "toolChoice",
    "cache_config": "cacheConfig",
}


def changes_of(params: Mapping[str, Any], kind: Any) -> dict[str, Any]:
    """Return what the keywords of ``kind``, one of the classes above, change, by wire names.

    Raises UnknownArgumentError with the nearest name, and UsageError where a member is given twice,
    under both of its names or in ``extra``.
    """
    known = sorted(kind.__optional_keys__)
    changes: dict[str, Any] = {}
    for name, value in params.items():
        if name not in known:
            raise _unknown(name, [*known, *(_OF_STREAM if kind is StreamParams else ())])
        wire = _WIRE_NAMES.get(name, name)
        if wire in changes:
            message = "One member of the configuration is given twice"
            raise _misused(message, f"/{wire}", "one of its names", "both")
        if name != "extra":
            changes[wire] = value
    return {**changes, **_extra(params.get("extra"))}


def _extra(extra: Any) -> Mapping[str, Any]:
    if extra is None:
        return {}
    if not isinstance(extra, Mapping) or not all(isinstance(name, str) for name in extra):
        raise bad_argument("No such extra", "an object: the provider's members by name", extra)
    for name, wire in _WIRE_NAMES.items():
        if wire in extra or name in extra:
            message = "A member of the contract is not the provider's own"
            raise _misused(message, "/extra", f"the keyword {name}", clip(name))
    return extra


def _misused(message: str, pointer: str, expected: str, actual: str) -> UsageError:
    rule = "usage/invalid-argument"
    return UsageError(Finding(rule, message, pointer, expected=expected, actual=actual))


def _unknown(name: str, known: Sequence[str]) -> UnknownArgumentError:
    by_letters = {_letters(each): each for each in known}
    near = difflib.get_close_matches(_letters(name), list(by_letters), n=1, cutoff=0.7)
    expected = f"{by_letters[near[0]]}, or " if near else ""
    return UnknownArgumentError(
        Finding(
            "usage/invalid-argument",
            f"There is no parameter {name}",
            expected=f"{expected}extra={{{name!r}: …}} for a member of the provider's own",
            actual=clip(name),
        )
    )


def _letters(name: str) -> str:
    return name.replace("_", "").lower()


# --- configuration --------------------------------------------------------------------------------

_TYPE: Final = "message.ModelConfig"


def read_config(config: object, *defaults: object) -> dict[str, Any]:
    """Return a ModelConfig as a JSON object that is shared with nobody.

    What it does not say is taken from the first of ``defaults`` that does, objects member by
    member; None is not a default. Raises UsageError where one of them is not an object, ReadError
    where the contract refuses it.
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
