"""The operation migrate: documents, deltas and records of other versions, and negotiation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from partwire.convert import VERSIONS, DeltaDowngrade, migrate, migrate_record, negotiate
from partwire.errors import PartwireError
from partwire.json.text import decode_json
from partwire.reading.pipeline import read, to_wire

from ..values import BadInput, Json, bytes_of, lines_of, losses_of, refusal_of

__all__ = ["migrate_call"]


def migrate_call(given: Json, version: str) -> Json:  # noqa: ARG001 (the input names its versions)
    """Return what a call of the migrate room gives, or its refusal."""
    call = _CALLS.get(given["call"])
    if call is None:
        raise BadInput(f"no such call: {given['call']}")
    try:
        return call(given)
    except PartwireError as error:
        return refusal_of(error)


def _migrate(given: Json) -> Json:
    text = bytes_of(given["document"])
    made = migrate(
        text, given["to"], given["type"], given.get("from"), strict=given.get("strict", False)
    )
    return {"value": decode_json(made.value), "losses": losses_of(made.losses)}


def _deltas(given: Json) -> Json:
    older = DeltaDowngrade(given["to"])
    items: list[Any] = []
    for line in lines_of(given["lines"]):
        delta = read(line, "message.MessageDelta", "tolerant", given["from"])
        items += map(to_wire, older.feed(delta))
    return {"items": items, "losses": losses_of(older.losses)}


def _record(given: Json) -> Json:
    record = decode_json(bytes_of(given["document"]))
    made = migrate_record(record, given["to"], strict=given.get("strict", False))
    return {"value": msgspec.structs.asdict(made.value), "losses": losses_of(made.losses)}


def _negotiate(given: Json) -> Json:
    return {"version": negotiate(given["offers"], given.get("supported", VERSIONS))}


_CALLS: Final[dict[str, Callable[[Json], Json]]] = {
    "migrate": _migrate,
    "deltas": _deltas,
    "record": _record,
    "negotiate": _negotiate,
}
