"""A stream of deltas of the current version, for readers of an older one."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec

from partwire.contract.current import LATEST_VERSION
from partwire.contract.resources import bundle
from partwire.errors import ReadError, bad_argument
from partwire.losses import Loss, LossLog
from partwire.reading.plain import plain_value, whole_number
from partwire.reading.tolerant import Unknown
from partwire.tables.losses import KIND_CODES, MIGRATION_LOSSES

from . import v0_1_to_v0_2, v0_2_to_v0_3
from .api import downgrade, type_of
from .steps import VERSIONS, position
from .stream_places import StreamPlaces

__all__ = ["DeltaDowngrade"]

_ONCE = frozenset({"message-id", "turn-id"})
_TIMED = frozenset({"start", "done", "error"})
"""The kinds whose time goes into the message."""
_NO_TIME = ("shape/pattern", "/timestamp")
_ANY_TIME = "1970-01-01T00:00:00Z"


class DeltaDowngrade:
    """Take deltas one by one, and give what an older reader is to get.

    A delta of a kind that the reader does not know goes, and so does for v0.1 one that is there
    for provider state alone (its text is empty); ``seq`` moves up by what went before it, so that
    the stream has no gap that it did not have. A delta that comes again gives the same again. No
    clock, no files; not thread-safe.

    ``losses`` has at most 100 losses of a code, ``left_out`` counts the others; ids of the message
    and turn, which are on every delta, are reported once. A pointer counts the deltas as they
    were fed, as the items of an array.
    """

    def __init__(self, to: str = VERSIONS[0]) -> None:
        """Raise UsageError ``usage/unknown-version``."""
        position(to)
        self.to = to
        self._knows_state = position(to) >= position(v0_1_to_v0_2.NEW)
        self._knows_new = position(to) >= position(v0_2_to_v0_3.NEW)
        self._log = LossLog(MIGRATION_LOSSES)
        self._once: set[str] = set()
        self._dropped: list[int] = []
        self._fed = 0
        # v0.1 has no state at its parts, and what v0.3 has stays as it is.
        self._places = StreamPlaces() if self._knows_state and not self._knows_new else None

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
        ReadError, and UsageError for what is not a delta; nothing has happened then.
        """
        is_json = isinstance(delta, dict)
        if not is_json:
            _check_is_delta(delta)
        if isinstance(delta, Unknown):
            self._fed += 1
            return [self._renumbered(delta)]
        code = None if self._knows_new else KIND_CODES.get(_kind_of(delta, is_json))
        made, losses = _downgraded(delta, self.to if code is None else LATEST_VERSION, is_json)
        for loss in losses:
            if loss.code not in _ONCE or loss.code not in self._once:
                self._once.add(loss.code)
                self._log.note(loss.code, f"/{self._fed}{loss.pointer}")
        if code is not None:
            self._log.note(code, f"/{self._fed}")
        seq = delta["seq"] if is_json else delta.seq
        if self._places is not None:
            made = self._placed(delta, made, is_json, is_left_out=code is not None)
        self._fed += 1
        if code is not None or (not self._knows_state and _is_state_alone(delta, is_json)):
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

    def _placed(self, delta: Any, made: Any, is_json: bool, *, is_left_out: bool) -> Any:
        """Return a delta with its state where it belongs among the parts that the reader gets."""
        kind, seq = _kind_of(delta, is_json), delta["seq"] if is_json else delta.seq
        if self._places is None:
            return made
        if is_left_out:
            self._places.begin(kind, seq)
            return made
        payload = made["payload"] if is_json else made.payload
        members = payload if is_json else msgspec.structs.asdict(payload)
        text = members.get("textDelta" if is_json else "text_delta", "")
        call_id = members.get("toolCallId" if is_json else "tool_call_id")
        opaque = members.get("opaque", msgspec.UNSET)
        given = None if opaque is msgspec.UNSET else opaque["data"] if is_json else opaque.data
        data = self._places.data(kind, seq, text, call_id, given)
        if given is None or data == given:
            return made
        is_lost = data is None or len(data.get("items", ())) < len(given.get("items", ()))
        self._log.note("opaque" if is_lost else "opaque-moved", f"/{self._fed}/payload/opaque")
        return _with_state(made, data)

    def _renumbered(self, delta: Unknown) -> Unknown:
        seq = whole_number(delta.document.get("seq"))
        if seq is None or not (before := bisect_left(self._dropped, seq)):
            return delta
        return Unknown(delta.tag_field, delta.tag, {**delta.document, "seq": seq - before})


def _downgraded(delta: Any, to: str, is_json: bool) -> tuple[Any, list[Loss]]:
    """Return a delta as the version ``to`` has it, and what that loses.

    The form of its time is not looked at where it goes nowhere: no reader of deltas does.
    """
    own = ("message.MessageDelta", LATEST_VERSION) if is_json else (None, None)
    try:
        made, losses, _ = downgrade(delta, to, *own)
    except ReadError as error:
        is_time = [(each.rule, each.pointer) for each in error.findings] == [_NO_TIME]
        if not is_time or _kind_of(delta, is_json) in _TIMED:
            raise
        time = delta["timestamp"] if is_json else delta.timestamp
        made, losses, _ = downgrade(_with_time(delta, _ANY_TIME), to, *own)
        made = _with_time(made, time)
    return made, losses


def _with_time(delta: Any, time: str) -> Any:
    if isinstance(delta, dict):
        return {**delta, "timestamp": time}
    if isinstance(delta, msgspec.Struct):
        return msgspec.structs.replace(delta, timestamp=time)
    return delta.model_copy(update={"timestamp": time})


def _with_state(delta: Any, data: Any) -> Any:
    """Return a delta with other data of its state; without state, where that is None."""
    if isinstance(delta, dict):
        payload = dict(delta["payload"])
        opaque = payload.pop("opaque")
        if data is not None:
            payload["opaque"] = {**opaque, "data": data}
        return {**delta, "payload": payload}
    replace = msgspec.structs.replace
    opaque = delta.payload.opaque
    kept = msgspec.UNSET if data is None else replace(opaque, data=data)
    return replace(delta, payload=replace(delta.payload, opaque=kept))


def _is_state_alone(delta: Any, is_json: bool) -> bool:
    """Tell whether a delta appends nothing and carries provider state."""
    if is_json:
        payload = delta["payload"]
        return "opaque" in payload and payload.get("textDelta", payload.get("argsTextDelta")) == ""
    payload = delta.payload
    if not isinstance(payload, msgspec.Struct):  # a model, which has its own word for absent
        return _is_state_alone(plain_value(delta)[0], True)
    text = getattr(payload, "text_delta", getattr(payload, "args_text_delta", None))
    opaque = getattr(payload, "opaque", msgspec.UNSET)  # v0.1 has no such member
    return text == "" and opaque is not msgspec.UNSET


def _kind_of(delta: Any, is_json: bool) -> str:
    if is_json:
        kind = delta.get("kind")
        return kind if isinstance(kind, str) else ""
    own = type_of(delta)
    return "" if own is None else _kinds(own[1]).get(own[0], "")


@cache
def _kinds(version: str) -> Mapping[str, str]:
    """Return the kinds of deltas by their types."""
    kinds = bundle("message", version)["$defs"]["MessageDelta"]["discriminator"]["mapping"]
    return {f"message.{place.rpartition('/')[2]}": kind for kind, place in kinds.items()}


def _check_is_delta(value: Any) -> None:
    if isinstance(value, Unknown) and isinstance(value.document, dict):
        return
    own = type_of(value)
    if own is None or own[0] not in _kinds(own[1]):
        raise bad_argument(
            "Not a delta", "a delta: a struct such as TextDelta, or its JSON value (a dict)", value
        )
