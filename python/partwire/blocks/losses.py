"""What chunks and deltas cannot say in each other's words: code → severity and sentence."""

from __future__ import annotations

from typing import Final

from ..losses import LossSeverity

__all__ = ["CHUNK_LOSSES", "DELTA_LOSSES"]

CHUNK_LOSSES: Final[dict[str, tuple[LossSeverity, str]]] = {
    "block-boundary": ("lossy", "Text of adjacent blocks becomes one part"),
    "unknown-chunk": ("lossy", "A chunk of an unknown type is left out"),
    "unknown-member": ("lossy", "A member that its version does not name is left out"),
    "no-error-code": ("invented", "An error chunk names no code: unknown, not retryable"),
    "no-finish-reason": ("invented", "message_stop names no finish reason: unknown"),
    "no-model-id": ("invented", "Chunks name no model: unknown"),
    "no-request-id": ("invented", "Chunks name no request: unknown"),
    "no-total-tokens": ("invented", "Usage has no total: the sum of input and output"),
    "truncated": ("invented", "The stream stops without its end: an error of our own ends it"),
    "block-end": ("info", "That the last block was closed before the error has no delta"),
    "block-index": ("info", "The block's index is not its place in the content"),
    "empty-block": ("info", "A block without text becomes no part"),
    "empty-delta": ("info", "An empty piece of text becomes no delta"),
    "held-back": ("info", "What came while a block before it was open comes after that block"),
}
"""Chunks → deltas."""

DELTA_LOSSES: Final[dict[str, tuple[LossSeverity, str]]] = {
    "arguments-text": ("lossy", "Argument text that is no JSON object becomes empty parameters"),
    "cost": ("lossy", "Usage of chunks has no cost"),
    "error-code": ("lossy", "An error chunk has neither code nor retryable"),
    "finish-reason": ("lossy", "message_stop has no finish reason"),
    "message-id": ("lossy", "Chunks have no id of the message"),
    "model-id": ("lossy", "Chunks name no model"),
    "opaque": ("lossy", "Chunks have no place for what a provider wants back"),
    "open-tool-call": ("lossy", "A tool call without its end becomes no chunk"),
    "provider-finish-reason": ("lossy", "message_stop has no finish reason of the provider"),
    "request-id": ("lossy", "Chunks name no request"),
    "run-id": ("lossy", "Chunks name no run"),
    "thinking": ("lossy", "Reasoning has no chunk"),
    "timestamp": ("lossy", "Chunks have no time"),
    "token-counts": ("lossy", "Usage of chunks does not tell tokens of this kind apart"),
    "turn-id": ("lossy", "Chunks name no turn"),
    "unknown-delta": ("lossy", "A delta of an unknown kind is left out"),
    "unknown-member": ("lossy", "A member that its version does not name is left out"),
    "usage": ("lossy", "An error chunk has no usage"),
    "no-error-message": ("invented", "The error has no message: its code stands there"),
    "no-usage": ("invented", "The stream reports no usage: zero tokens"),
    "truncated": ("invented", "The stream stops without its end: an error of our own ends it"),
    "held-back": ("info", "What came while a call before it was open comes after that call"),
    "provider-raw": ("info", "Raw events, for debugging only, have no chunk"),
}
"""Deltas → chunks."""
