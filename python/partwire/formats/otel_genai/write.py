"""Messages as the attributes of a span: system instructions, input messages, output messages.

The first message is the instructions if it is the system's, the last one is the output if it is the
assistant's. What the conventions do not say is not guessed: each message is read back, and what
differs is reported, or kept in ``partwire`` of the message, or of the first part of instructions.
"""

from __future__ import annotations

from typing import Any, Final

from partwire.losses import in_order

from ..core.compared import Losses, compare
from ..core.extension import PARTWIRE, changes
from ..core.kept import kept_by
from ..core.reading import Json
from ..core.writing import Written
from .names import FINISH_REASONS, INPUT, INSTRUCTIONS, OUTPUT, OWN, PARTS, ROLE, ROLES
from .parts_write import part_of
from .read import ReadBack

__all__ = ["write"]

_REASONS: Final = {ours: theirs for theirs, ours in FINISH_REASONS.items()}


def write(messages: list[Json], _version: str, *, extensions: bool = False) -> Written:
    """Return the attributes of a history, and what they do not say of it."""
    writer = _Writer(extensions=extensions)
    for number, message in enumerate(messages):
        writer.add(number, message, is_last=number == len(messages) - 1)
    return Written(writer.document, in_order(writer.losses.found))


class _Writer:
    def __init__(self, *, extensions: bool) -> None:
        self.document: Json = {INPUT: []}
        self.losses = Losses()
        self._extensions = extensions
        self._names: dict[str, str] = {}  # of tools, by the id of the call
        self._back = ReadBack()

    def add(self, number: int, message: Json, *, is_last: bool) -> None:
        """Add a message to the attribute that it belongs to."""
        parts: list[Json] = []
        left_out: set[tuple[int, int]] = set()
        for at in range(len(message[PARTS])):
            made = part_of(message, at, self._names)
            if made is None:
                left_out.add((0, at))
            else:
                parts.append(made)
        role = message["role"]
        is_instructions = (
            not number and role == "system" and bool(parts) and not kept_by(message, OWN)
        )
        written: Any = parts if is_instructions else _message(message, parts, is_output=is_last)
        back = self._back.read(written, instructions=is_instructions)
        if self._extensions:
            holder = written[0] if is_instructions else written
            holder[PARTWIRE] = changes([message], back)
        else:
            compare({number: message}, back, self.losses, own=OWN, left_out=left_out)
        if is_instructions:
            self.document = {INSTRUCTIONS: parts, **self.document}
        elif is_last and role == "assistant":
            self.document[OUTPUT] = [written]
        else:
            self.document[INPUT].append(written)


def _message(message: Json, parts: list[Json], *, is_output: bool) -> Json:
    role = message["role"]
    own = kept_by(message, OWN).get(ROLE)
    is_role = isinstance(own, str) and (role == "tool" or ROLES.get(own) == role) and own in ROLES
    made: Json = {ROLE: own if is_role else role, PARTS: parts}
    if name := message.get("author", {}).get("name"):
        made["name"] = name
    if role == "assistant":
        meta: Any = message.get("meta", {})
        reason = _REASONS.get(meta.get("finishReason"), meta.get("providerFinishReason"))
        if isinstance(reason, str) and reason:
            made["finish_reason"] = reason
        elif is_output:
            made["finish_reason"] = ""  # it has to be there
    return made
