"""Messages as UI messages.

An answer with its steps is one UI message: assistants' messages and what came of their calls. What
the format does not say is not guessed: each UI message is read back, and what differs is reported,
or kept in ``metadata.partwire``.
"""

from __future__ import annotations

from partwire.losses import in_order

from ..core.compared import Losses, compare
from ..core.extension import PARTWIRE, changes
from ..core.ids import Ids, given_ids
from ..core.kept import kept_by
from ..core.reading import Json
from ..core.writing import Written
from .groups import Group, grouped
from .parts import UiParts
from .read import read_back
from .state import OWN

__all__ = ["write"]


def write(messages: list[Json], version: str, *, extensions: bool = False) -> Written:
    """Return the UI messages of a history, and what they do not say of it."""
    losses = Losses()
    document: list[Json] = []
    ids = Ids(given_ids(messages))
    for group in grouped(messages):
        made = _ui_message(group, version, ids, losses, extensions=extensions)
        if made is not None:
            document.append(made)
    return Written(document, in_order(losses.found))


def _ui_message(
    group: Group, version: str, ids: Ids, losses: Losses, *, extensions: bool
) -> Json | None:
    """Return the UI message of a group; None where it would say nothing."""
    writer = UiParts(version)
    has_steps = group.has_steps
    for number, message in enumerate(group.messages):
        writer.add(number, message, has_steps=has_steps)
    first = group.messages[0]
    made: Json = {"id": ids.of(first), "role": group.role}
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
    metadata = kept_by(message, OWN).get("metadata")
    return metadata if isinstance(metadata, dict) else {}
