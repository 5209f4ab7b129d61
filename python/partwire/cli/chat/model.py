"""``--model KIND:…``: the model that a conversation is held with."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ...errors import bad_argument

if TYPE_CHECKING:
    from ...model import Model

__all__ = ["open_chat_model"]


def open_chat_model(name: str, dialect: str | None, timing: str | None) -> Model:
    """Return the model that is named as for :func:`partwire.model.open_model`.

    ``dialect`` and ``timing`` are for replays; by default one on a terminal takes its time.
    Raises UsageError, ``usage/missing-extra`` where the provider's client is not installed.
    """
    from ...model import open_model  # noqa: PLC0415 - as late as it can be

    if name.startswith("replay:"):
        if timing is None:
            timing = "real" if sys.stdout.isatty() else "none"
        return open_model(name, dialect=dialect, timing=_timing(timing))
    if dialect is not None or timing is not None:
        raise bad_argument("--from and --timing are for replays", "replay:FILE", name)
    return open_model(name)


def _timing(text: str) -> Any:
    """Return the timing as ReplayModel takes it, which refuses what is none."""
    if text in ("none", "real"):
        return text
    try:
        return float(text)
    except ValueError:
        raise bad_argument("No such timing", "real, none, or a factor from 0", text) from None
