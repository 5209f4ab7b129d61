"""One thing that every driver is asked."""

from __future__ import annotations

from typing import NamedTuple

from ..values import Json

__all__ = ["Json", "Request"]


class Request(NamedTuple):
    """An operation of the conformance protocol with its input; ``given`` is never changed."""

    operation: str
    version: str
    given: Json
