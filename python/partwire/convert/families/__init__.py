"""Conversions between families, through messages; what they lose is said as data."""

from partwire.tables.losses import LOSSES

from .blocks import blocks_to_messages, messages_to_blocks
from .context import Context
from .conversion import BridgeError, BridgeResult, losses_for
from .convert import CONVERSIONS, convert, source_types
from .envelope import (
    response_to_tool_result,
    result_to_tool_result,
    tool_result_to_response,
    tool_result_to_result,
)
from .from_session import session_to_messages
from .to_session import messages_to_session

__all__ = [
    "CONVERSIONS",
    "LOSSES",
    "BridgeError",
    "BridgeResult",
    "Context",
    "blocks_to_messages",
    "convert",
    "losses_for",
    "messages_to_blocks",
    "messages_to_session",
    "response_to_tool_result",
    "result_to_tool_result",
    "session_to_messages",
    "source_types",
    "tool_result_to_response",
    "tool_result_to_result",
]
