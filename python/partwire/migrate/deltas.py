"""A stream of deltas of the current version, for readers of an older one."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import Any

import msgspec

from partwire.contract import LATEST_VERSION
from partwire.losses import Loss, LossLog
from partwire.tolerant import Unknown

from .api import downgrade
from .losses_table import MIGRATION_LOSSES
from .steps import VERSIONS, position

__all__ = ["DeltaDowngrade"]

_ONCE = frozenset({"message-id", "turn-id"})


class DeltaDowngrade:
    """Take deltas one by one, and give what an older reader is to get.

    A delta that is there for provider state alone (its text is empty) goes; ``seq`` moves up by
    what went before it, so that the stream has no gap that it did not have. A delta that comes
    again gives the same again. No clock, no files; not thread-safe.

    ``losses`` has at most 100 losses of a code, ``left_out`` counts the others; ids of the message
    and turn, which are on every delta, are reported once. A pointer counts the deltas as they
    were fed, as the items of an array.
    """

    def __init__(self, to: str = VERSIONS[0]) -> None:
        """Raise UsageError ``usage/unknown-version``."""
        position(to)
        self.to = to
        self._log = LossLog(MIGRATION_LOSSES)
        self._once: set[str] = set()
        self._dropped: list[int] = []
        self._fed = 0

    @property
    def losses(self) -> list[Loss]:
        """What was lost so far, in order."""
        return self._log.losses

    @property
    def left_out(self) -> Counter[str]:
        """How many losses of each code are not in :attr:`losses`."""
        return self._log.left_out

    def feed(self, delta: Any) -> list[Any]:
        """Return what ``delta`` is for the older reader: one delta, or none.

        ``delta`` is a struct of the current version, and so is what comes out, of the older one;
        or a JSON value. One of an unknown kind, read tolerantly, keeps its content. Raises
        ReadError, and UsageError for what is no delta; nothing has happened then.
        """
        if isinstance(delta, Unknown):
            self._fed += 1
            return [self._renumbered(delta)]
        is_json = isinstance(delta, dict)
        made, losses, _ = downgrade(
            delta,
            self.to,
            "message.MessageDelta" if is_json else None,
            LATEST_VERSION if is_json else None,
        )
        for loss in losses:
            if loss.code not in _ONCE or loss.code not in self._once:
                self._once.add(loss.code)
                self._log.note(loss.code, f"/{self._fed}{loss.pointer}")
        self._fed += 1
        seq = delta["seq"] if is_json else delta.seq
        if self.to != LATEST_VERSION and _is_state_alone(delta, is_json):
            at = bisect_left(self._dropped, seq)
            if self._dropped[at : at + 1] != [seq]:
                self._dropped.insert(at, seq)
            return []
        before = bisect_left(self._dropped, seq)
        if not before:
            return [made]
        if is_json:
            return [{**made, "seq": seq - before}]
        return [msgspec.structs.replace(made, seq=seq - before)]

    def _renumbered(self, delta: Unknown) -> Unknown:
        seq = delta.document.get("seq")
        if type(seq) is not int or not (before := bisect_left(self._dropped, seq)):
            return delta
        return Unknown(delta.tag_field, delta.tag, {**delta.document, "seq": seq - before})


def _is_state_alone(delta: Any, is_json: bool) -> bool:
    """Tell whether a delta appends nothing and carries provider state."""
    if is_json:
        payload = delta["payload"]
        return "opaque" in payload and payload.get("textDelta", payload.get("argsTextDelta")) == ""
    payload = delta.payload
    text = getattr(payload, "text_delta", getattr(payload, "args_text_delta", None))
    return text == "" and payload.opaque is not msgspec.UNSET
