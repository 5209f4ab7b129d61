"""Messages as messages of A2A: a list, as in the history of a task."""

from __future__ import annotations

from typing import Final

from partwire.losses import in_order

from ..core.compared import Losses
from ..core.each import Each, Piece
from ..core.extension import PARTWIRE
from ..core.kept import kept_by
from ..core.reading import Json
from ..core.writing import Written
from .parts import FIRST, OWN, written_part
from .read import read_back

__all__ = ["write"]

_ROLES: Final = {"user": "ROLE_USER", "assistant": "ROLE_AGENT"}
_OLD_ROLES: Final = {"user": "user", "assistant": "agent"}
_KEPT: Final = ("contextId", "taskId", "referenceTaskIds", "extensions", "metadata")


def write(messages: list[Json], version: str, *, extensions: bool = False) -> Written:
    """Return messages of A2A, and what they do not say; system and tools have none there."""
    losses = Losses()
    each = Each(
        OWN,
        lambda message: _piece(message, version),
        read_back,
        _extend,
        lambda: _head("assistant", version) | {"parts": []},
    )
    document = each.write(dict(enumerate(messages)), losses, extensions=extensions)
    return Written(document, in_order(losses.found))


def _head(role: str, version: str) -> Json:
    if version == FIRST:
        return {"kind": "message", "role": _OLD_ROLES[role]}
    return {"role": _ROLES[role]}


def _extend(message: Json, extension: Json) -> None:
    metadata = message.get("metadata")
    kept = metadata if isinstance(metadata, dict) else {}
    message["metadata"] = {**kept, PARTWIRE: extension}


def _piece(message: Json, version: str) -> Piece:
    role = message["role"]
    if role not in _ROLES:
        return Piece(None)
    parts = [written_part(part["kind"], part["payload"], version) for part in message["parts"]]
    said = [part for part in parts if part is not None]
    if parts and not said:
        return Piece(None)
    made = _head(role, version)
    if "messageId" in message:
        made["messageId"] = message["messageId"]
    own = kept_by(message, OWN)
    for name in _KEPT:
        if own.get(name) is not None:
            made[name] = own[name]
    left_out = (at for at, part in enumerate(parts) if part is None)
    return Piece({**made, "parts": said}, frozenset(left_out))
