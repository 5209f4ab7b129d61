"""Parts that come whole: questions to a person, and results of tools that the provider ran.

These deltas have been checked whole: they are what the schema says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...contract.current.message import (
    ApprovalRequestDelta,
    ApprovalRequestPart,
    ServerToolResultDelta,
    ServerToolResultPart,
)
from .checks import call_refusal, check_id, used_id

if TYPE_CHECKING:
    from .machine import MessageAssembler

__all__ = ["on_approval_request", "on_server_result"]


def on_approval_request(stream: MessageAssembler, delta: ApprovalRequestDelta, seq: int) -> None:
    """Take a request: a part that came whole."""
    payload = delta.payload
    approval_id, call_id = payload.approval_id, payload.tool_call_id
    check_id("/payload/approvalId", approval_id, seq, stream._limits.id_chars)
    if call_id not in stream._calls:
        raise call_refusal(call_id, None, [], seq)
    stream._check_ended(call_id, seq)
    if approval_id in stream._approvals:
        raise used_id("stream/duplicate-approval", "approvalId", approval_id, seq)
    stream._add_whole(ApprovalRequestPart(payload=payload), seq)
    stream._approvals.add(approval_id)


def on_server_result(stream: MessageAssembler, delta: ServerToolResultDelta, seq: int) -> None:
    """Take a result: a part that came whole."""
    payload = delta.payload
    call_id = payload.tool_call_id
    check_id("/payload/toolCallId", call_id, seq, stream._limits.id_chars)
    stream._check_ended(call_id, seq)
    call = stream._calls.get(call_id)
    if call is not None and not call.is_server:  # the caller's result is in another message
        raise call_refusal(call_id, None, [], seq)
    if call_id in stream._answered:
        raise used_id("stream/duplicate-tool-result", "toolCallId", call_id, seq)
    stream._add_whole(ServerToolResultPart(payload=payload), seq)
    stream._answered.add(call_id)
