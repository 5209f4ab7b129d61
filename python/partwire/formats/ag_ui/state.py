"""Provider state: ``encryptedValue``, and ``opaque`` of a part.

State of a provider that an adapter of ours wrote goes whole into an encrypted value, as JSON text:
nobody but its producer reads one. What other producers wrote stays whole in ``opaque``.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from partwire.errors import PartwireError
from partwire.json.text import decode_json, json_text

from ..core.reading import Json, Members
from ..core.source import is_nested

__all__ = [
    "MOST_LEVELS",
    "OURS",
    "OWN",
    "Kept",
    "derived_id",
    "is_derived",
    "kept_of",
    "state_of",
    "stem_of",
    "take_state",
    "text_of",
]

OWN: Final = "ag-ui"
OURS: Final = "partwire.opaque"
"""The type of an encrypted value that is ours; 1.0 has no types."""

MOST_LEVELS: Final = 100
"""How deep state may be nested: an assembler takes a little more."""

_VALUE: Final = "encryptedValue"
_TYPE: Final = "encryptedValueType"
_SUFFIX: Final = "-reasoning"


class Kept(NamedTuple):
    """What an entity of the protocol says of its state: the value, its type, and other members."""

    value: str | None = None
    type: str | None = None
    own: Json = {}  # noqa: RUF012 - never changed


_NOTHING: Final = Kept()


def take_state(members: Members, **own: Any) -> Kept:
    """Take the encrypted value of an entity, with members of ``own`` that are not None."""
    if not own and members.lacks(_VALUE):
        return _NOTHING
    value = members.text(_VALUE)
    kind = members.text(_TYPE) if value is not None else None
    return Kept(value, kind, {name: said for name, said in own.items() if said is not None})


def state_of(kept: Kept) -> Json | None:
    """Return the opaque data of a part; None where there is nothing to keep."""
    if kept.value is None:
        return {"provider": OWN, "data": dict(kept.own)} if kept.own else None
    ours = _ours(kept.value) if kept.type in (None, OURS) else None
    if ours is not None:
        return ours if not kept.own else _joined(ours, kept.own)
    data: Json = {**kept.own, _VALUE: kept.value}
    if kept.type is None:
        return {"provider": OWN, "data": data}
    owner = kept.type.partition(".")[0]
    return {"provider": owner or OWN, "data": {**data, _TYPE: kept.type}}


def kept_of(opaque: Any) -> Kept:
    """Return what an entity says for opaque data, whoever wrote it."""
    if not isinstance(opaque, dict):
        return Kept()
    provider, data = opaque["provider"], opaque["data"]
    value, kind = data.get(_VALUE), data.get(_TYPE)
    if isinstance(value, str) and _is_owner(provider, kind):
        own = {name: said for name, said in data.items() if name not in (_VALUE, _TYPE)}
        return Kept(value, kind, own)
    if provider == OWN and _VALUE not in data:
        return Kept(
            own={name: said for name, said in data.items() if name != _STATE}, **_rest(data)
        )
    return Kept(text_of(opaque), OURS)


def text_of(opaque: Json) -> str:
    """Return opaque data as the text by which it is known again."""
    return json_text({name: opaque[name] for name in ("provider", "data")})


def _is_owner(provider: str, kind: Any) -> bool:
    if kind is None:
        return provider == OWN
    return isinstance(kind, str) and kind != OURS and provider == (kind.partition(".")[0] or OWN)


# --- state of a provider beside members of the protocol -------------------------------------------

_STATE: Final = "state"
"""Where opaque data of ours keeps that of a provider beside members of the protocol."""


def _joined(ours: Json, own: Json) -> Json:
    return {"provider": OWN, "data": {**own, _STATE: ours}}


def _rest(data: Json) -> dict[str, Any]:
    state: Any = data.get(_STATE)
    return {"value": text_of(state), "type": OURS} if _is_opaque(state) else {}


def _ours(value: str) -> Json | None:
    if not value.startswith('{"provider":'):
        return None
    try:
        found = decode_json(value.encode())
    except (PartwireError, UnicodeEncodeError):
        return None
    return found if _is_opaque(found) and not is_nested(found, MOST_LEVELS) else None


def _is_opaque(value: Any) -> bool:
    if not isinstance(value, dict) or value.keys() != {"provider", "data"}:
        return False
    provider = value["provider"]
    return isinstance(provider, str) and provider != "" and isinstance(value["data"], dict)


# --- ids of reasoning -----------------------------------------------------------------------------


def derived_id(message_id: str, number: int) -> str:
    """Return the id of a message's reasoning, the first of which has number 1."""
    return f"{message_id}{_SUFFIX}" if number == 1 else f"{message_id}{_SUFFIX}-{number}"


def stem_of(reasoning_id: str) -> str:
    """Return the id of the message that an id of reasoning was derived of, else the id itself."""
    stem, suffix, number = reasoning_id.rpartition(_SUFFIX)
    if not suffix or not stem or (number and not (number[0] == "-" and number[1:].isdecimal())):
        return reasoning_id
    return stem


def is_derived(reasoning_id: str, message_id: str | None, number: int) -> bool:
    """Return whether an id says nothing that the message's own does not."""
    return message_id is not None and reasoning_id == derived_id(message_id, number)
