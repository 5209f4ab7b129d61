"""What writing a document gives."""

from __future__ import annotations

from typing import Any, NamedTuple

from partwire.losses import Loss

__all__ = ["Written"]


class Written(NamedTuple):
    """A document as JSON value, and what it does not say of the messages, by their places."""

    document: Any
    losses: list[Loss]
