"""Configuration of a model: read, merged, never shared."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Final

from ..errors import Finding, UsageError, bad_argument
from ..reading import read, to_wire

__all__ = ["check_callables", "merged", "read_config"]

_WIRE_NAMES: Final = {
    "model_id": "modelId",
    "max_tokens": "maxTokens",
    "top_p": "topP",
    "stop_sequences": "stopSequences",
    "tool_choice": "toolChoice",
    "cache_config": "cacheConfig",
}


def read_config(config: object) -> dict[str, Any]:
    """Return a ModelConfig as a JSON object of one's own.

    Raises UsageError where it is no object, ReadError where the contract refuses it.
    """
    if not isinstance(config, Mapping):
        config = None if config is None else to_wire(config)
    if not isinstance(config, Mapping):
        raise bad_argument(
            "A model needs a configuration", "a ModelConfig: an object with modelId", config
        )
    read(dict(config), "message.ModelConfig")
    return copy.deepcopy(dict(config))


def merged(config: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``config`` with ``changes``; a change to None takes the member out.

    Members of the contract may be given by their Python names (``max_tokens``) as well; any
    other name is the provider's own. Raises as :func:`read_config`, and UsageError where a
    member is given under both of its names.
    """
    out = dict(config)
    for name, value in changes.items():
        wire = _WIRE_NAMES.get(name, name)
        if wire != name and wire in changes:
            raise UsageError(
                Finding(
                    "usage/invalid-argument",
                    "One member of the configuration is given twice",
                    f"/{wire}",
                    expected=f"{name} or {wire}",
                    actual="both",
                )
            )
        if value is None:
            out.pop(wire, None)
        else:
            out[wire] = value
    return read_config(out)


def check_callables(**given: object) -> None:
    """Raise UsageError for an argument that cannot be called, before a stream stumbles over it."""
    for name, value in given.items():
        if not callable(value):
            raise bad_argument(f"No {name} that can be used", "a callable", value)
