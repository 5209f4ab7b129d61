"""Messages as UI messages.

An answer with its steps is one UI message: assistants' messages and what came of their calls. What
the format does not say is not guessed: each UI message is read back, and what differs is reported,
or kept in ``metadata.partwire``.
"""

from __future__ import annotations

from typing import Any

from partwire.losses import in_order

from ..core.compared import Losses, compare
from ..core.extension import PARTWIRE, changes
from ..core.reading import Json
from ..core.writing import Written
from .groups import Group, grouped
from .parts import UiParts
from .read import read_back
from .state import OWN

__all__ = ["ui_message", "write"]


def write(messages: list[Json], version: str, *, extensions: bool = False) -> Written:
    """Return the UI messages of a history, and what they do not say of it."""
    losses = Losses()
    document: list[Json] = []
    for group in grouped(messages):
        made = ui_message(group, version, losses, extensions=extensions)
        if made is not None:
            document.append(made)
    return Written(document, in_order(losses.found))


def ui_message(group: Group, version: str, losses: Losses, *, extensions: bool) -> Json | None:
    """Return the UI message of a group; None where it would say nothing."""
    writer = UiParts(version)
    has_steps = group.has_steps
    for number, message in enumerate(group.messages):
        writer.add(number, message, has_steps=has_steps)
    first = group.messages[0]
    made: Json = {"id": first.get("messageId", ""), "role": group.role}
    metadata = _metadata(first)
    if metadata:
        made["metadata"] = metadata
    made["parts"] = writer.parts or [{"type": "step-start"}]  # one at least is wanted
    back = read_back(made)
    if extensions:
        made["metadata"] = {**metadata, PARTWIRE: changes(group.messages, back)}
        return made
    if group.is_orphan:
        losses.note("message-form", f"/{group.numbers[0]}")
        return None
    of_numbers = dict(zip(group.numbers, group.messages, strict=True))
    compare(of_numbers, back, losses, own=OWN, left_out=writer.left_out, cut=writer.cut)
    return made


def _metadata(message: Json) -> Json:
    own: Any = message.get("meta", {}).get(OWN)
    metadata = own.get("metadata") if isinstance(own, dict) else None
    return metadata if isinstance(metadata, dict) else {}
