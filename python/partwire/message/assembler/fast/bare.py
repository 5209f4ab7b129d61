"""Lines of deltas decoded by the batch, the frequent ones without what is rare on them.

To look at every delta for ids of message and turn and for opaque data costs a tenth of
assembling. The bare types cannot hold them: a line with any member that is not named here fails to
decode, and its batch is decoded into the generated structs instead.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, NamedTuple

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from ....contract.current.message import (
    DoneDelta,
    ErrorDelta,
    JsonObject,
    MessageDelta,
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

__all__ = ["BARE_TEXT", "BareArgs", "Batch", "decode_batch", "full_delta"]


# Members are in the order of the wire: what comes in order is decoded faster.


class BareTextPayload(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """Content of a bare text or thinking delta."""

    text_delta: str = field(name="textDelta")


class BareArgsPayload(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """Content of a bare delta of arguments."""

    tool_call_id: ToolCallId = field(name="toolCallId")
    args_text_delta: str = field(name="argsTextDelta")


class BareText(
    Struct,
    frozen=True,
    gc=False,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="kind",
    tag="text",
):
    """A TextDelta without ids and opaque data."""

    full: ClassVar[tuple[type, type]] = TextDelta, TextDeltaPayload
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
    """A ThinkingDelta without ids and opaque data."""

    full: ClassVar[tuple[type, type]] = ThinkingDelta, ThinkingDeltaPayload
    run_id: RunId = field(name="runId")
    seq: Seq
    payload: BareTextPayload
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
    """A ToolCallArgsDelta without ids and opaque data."""

    full: ClassVar[tuple[type, type]] = ToolCallArgsDelta, ToolCallArgsDeltaPayload
    run_id: RunId = field(name="runId")
    seq: Seq
    payload: BareArgsPayload
    timestamp: Timestamp
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)


BARE_TEXT: Final[dict[Any, type]] = {TextDelta: BareText, ThinkingDelta: BareThinking}
"""The bare type by the generated one."""

_BARE = frozenset({BareText, BareThinking, BareArgs})
_OTHERS = StartDelta | ToolCallStartDelta | ToolCallEndDelta | UsageDelta | DoneDelta | ErrorDelta

_decode_bare = msgspec.json.Decoder(BareText | BareThinking | BareArgs | _OTHERS).decode_lines
_decode_full = msgspec.json.Decoder(MessageDelta).decode_lines


class Batch(NamedTuple):
    """The deltas of some lines, and whether the frequent ones are of the bare types."""

    deltas: list[Any]
    bare: bool


def decode_batch(text: bytes | memoryview) -> Batch | None:
    """Return the deltas of JSON Lines, or None if any line is wrong."""
    try:
        return Batch(_decode_bare(text), bare=True)
    except (ValueError, RecursionError):
        pass  # an id, opaque data, or a line that is wrong
    try:
        return Batch(_decode_full(text), bare=False)
    except (ValueError, RecursionError):
        return None


def full_delta(delta: Any) -> Any:
    """Return a bare delta as the generated struct; anything else as it is."""
    if type(delta) not in _BARE:
        return delta
    kind, payload_kind = delta.full
    payload = delta.payload
    return kind(
        run_id=delta.run_id,
        seq=delta.seq,
        payload=payload_kind(
            **{name: getattr(payload, name) for name in payload.__struct_fields__}
        ),
        timestamp=delta.timestamp,
        provider_raw=delta.provider_raw,
    )
