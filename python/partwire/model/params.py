"""Keywords of a call that change the configuration: known names, and one door for all others."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict

from ..errors import Finding, UnknownArgumentError, UsageError, bad_argument, clip

__all__ = ["ConfigParams", "StreamParams", "changes_of"]


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
