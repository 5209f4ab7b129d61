"""Configuration of a model: read, merged, never shared."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from ..errors import bad_argument
from ..reading import read, to_wire

__all__ = ["check_callables", "merged", "read_config"]


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
    """Return ``config`` with ``changes``, by wire names; a change to None takes the member out.

    Raises as :func:`read_config`.
    """
    both = {**config, **changes}
    return read_config({name: value for name, value in both.items() if value is not None})


def check_callables(**given: object) -> None:
    """Raise UsageError for an argument that cannot be called, before a stream stumbles over it."""
    for name, value in given.items():
        if not callable(value):
            raise bad_argument(f"No {name} that can be used", "a callable", value)
