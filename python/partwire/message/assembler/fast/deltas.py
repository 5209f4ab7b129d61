"""The frequent deltas without what is rare on them, and a decoder that tells when it came.

To look on every delta for ids of message and turn and for opaque data costs a tenth of
assembling. These types cannot hold the ids: a line with any member that is not named here fails
to decode, and the batch is decoded into the generated structs instead. Opaque data is counted
where it is decoded, so that nobody has to look for it in a batch that has none.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from ....contract.current.message import (
    DoneDelta,
    ErrorDelta,
    JsonObject,
    Opaque,
    RunId,
    Seq,
    StartDelta,
    TextDelta,
    TextDeltaPayload,
    ThinkingDelta,
    ThinkingDeltaPayload,
    Timestamp,
    ToolCallArgsDelta,
    ToolCallArgsDeltaPayload,
    ToolCallEndDelta,
    ToolCallId,
    ToolCallStartDelta,
    UsageDelta,
)

__all__ = ["BARE", "BareArgs", "decode_bare_lines", "full_delta"]


class _Marked:
    """Opaque data that came in a bare delta."""

    __slots__ = ("opaque",)
    count: ClassVar[int] = 0  # how often any came: what decodes between two readings may be others

    def __init__(self, opaque: Opaque) -> None:
        self.opaque = opaque


def _mark(kind: type, value: Any) -> Any:
    """Return opaque data as what is looked for, and count it; raises ValidationError."""
    _Marked.count += 1
    return kind(msgspec.convert(value, Opaque))


# Members stand in the order of the wire: what comes in order is decoded faster.


class BareTextPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a bare delta."""

    full: ClassVar[type] = TextDeltaPayload
    text_delta: str = field(name="textDelta")
    opaque: _Marked | UnsetType = UNSET


class BareThinkingPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a bare delta."""

    full: ClassVar[type] = ThinkingDeltaPayload
    text_delta: str = field(name="textDelta")
    opaque: _Marked | UnsetType = UNSET


class BareArgsPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a bare delta."""

    full: ClassVar[type] = ToolCallArgsDeltaPayload
    tool_call_id: ToolCallId = field(name="toolCallId")
    args_text_delta: str = field(name="argsTextDelta")
    opaque: _Marked | UnsetType = UNSET


class BareText(
    Struct,
    frozen=True,
    gc=False,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="kind",
    tag="text",
):
    """A TextDelta without ids."""

    full: ClassVar[type] = TextDelta
    run_id: RunId = field(name="runId")
    seq: Seq
    payload: BareTextPayload
    timestamp: Timestamp
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)


class BareThinking(
    Struct,
    frozen=True,
    gc=False,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="kind",
    tag="thinking",
):
    """A ThinkingDelta without ids."""

    full: ClassVar[type] = ThinkingDelta
    run_id: RunId = field(name="runId")
    seq: Seq
    payload: BareThinkingPayload
    timestamp: Timestamp
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)


class BareArgs(
    Struct,
    frozen=True,
    gc=False,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="kind",
    tag="tool_call_args",
):
    """A ToolCallArgsDelta without ids."""

    full: ClassVar[type] = ToolCallArgsDelta
    run_id: RunId = field(name="runId")
    seq: Seq
    payload: BareArgsPayload
    timestamp: Timestamp
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)


BARE: Final[dict[Any, type]] = {each.full: each for each in (BareText, BareThinking, BareArgs)}
"""The bare type by the generated one."""

_Batched = (
    BareText
    | BareThinking
    | BareArgs
    | StartDelta
    | ToolCallStartDelta
    | ToolCallEndDelta
    | UsageDelta
    | DoneDelta
    | ErrorDelta
)
_BARE_TYPES: Final = frozenset(BARE.values())

_decode_lines = msgspec.json.Decoder(_Batched, dec_hook=_mark).decode_lines


def decode_bare_lines(text: bytes | memoryview) -> tuple[list[Any], bool]:
    """Return the deltas of JSON Lines, and whether any of them may have opaque data.

    Raises ValidationError for any that is wrong, and for a frequent one that has an id.
    """
    before = _Marked.count
    deltas: list[Any] = _decode_lines(text)
    return deltas, _Marked.count != before


def full_delta(delta: Any) -> Any:
    """Return a bare delta as the generated struct; anything else as it is."""
    if type(delta) not in _BARE_TYPES:
        return delta
    payload = delta.payload
    members = {name: getattr(payload, name) for name in payload.__struct_fields__}
    if isinstance(payload.opaque, _Marked):
        members["opaque"] = payload.opaque.opaque
    return delta.full(
        run_id=delta.run_id,
        seq=delta.seq,
        payload=payload.full(**members),
        timestamp=delta.timestamp,
        provider_raw=delta.provider_raw,
    )
