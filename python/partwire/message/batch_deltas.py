"""The frequent deltas without ids of message and turn, for streams that have none.

To look on every delta whether it has such an id costs a tenth of assembling. These types cannot
hold one: a line that has any member that is not named here fails to decode, and the batch is
decoded into the generated structs instead. Decoding itself is not slower.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from ..v0_2.structs.message import (
    DoneDelta,
    ErrorDelta,
    JsonObject,
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
    ToolCallStartDelta,
    UsageDelta,
)

__all__ = ["BARE", "BareArgs", "decode_bare_lines", "full_delta"]


# Members stand in the order of the wire: what comes in order is decoded faster.


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
    payload: TextDeltaPayload
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
    payload: ThinkingDeltaPayload
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
    payload: ToolCallArgsDeltaPayload
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

decode_bare_lines = msgspec.json.Decoder(_Batched).decode_lines
"""Decode JSON Lines; raises ValidationError where a frequent delta has an id."""


def full_delta(delta: Any) -> Any:
    """Return a bare delta as the generated struct; anything else as it is."""
    if type(delta) not in _BARE_TYPES:
        return delta
    return delta.full(
        run_id=delta.run_id,
        seq=delta.seq,
        payload=delta.payload,
        timestamp=delta.timestamp,
        provider_raw=delta.provider_raw,
    )
