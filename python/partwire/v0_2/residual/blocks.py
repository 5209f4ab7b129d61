# Generated from schemas/v0.2 (digest cbcc0a3edd7beaf7) by codegen 1 with datamodel-code-generator 0.89.0.
# Do not edit: change the schemas, then run `python -m codegen`.

"""What the typed decode of the blocks family leaves unchecked.

``RESIDUAL[name](value)`` is True where nothing is found, False where the checks have
to look; None: nothing is left to check. The value is decoded as ``DECODED_AS[name]``
or, where there is none, as the struct of that name.

``TEXTS[name]``: for the types where all that is left to check is that these texts
match as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from msgspec import Struct

from partwire.v0_2.structs import blocks as structs

Test: TypeAlias = Callable[[Any], bool]


def _text_block__alone(v: Any) -> bool:
    return type(v) is structs.TextBlock


def _tool_use_block__alone(v: Any) -> bool:
    return type(v) is structs.ToolUseBlock


def _tool_result_block__alone(v: Any) -> bool:
    return type(v) is structs.ToolResultBlock


def _image_block__alone(v: Any) -> bool:
    return type(v) is structs.ImageBlock


def _content_block_start_chunk__alone(v: Any) -> bool:
    return type(v) is structs.ContentBlockStartChunk


def _content_block_delta_chunk__alone(v: Any) -> bool:
    return type(v) is structs.ContentBlockDeltaChunk


def _content_block_stop_chunk__alone(v: Any) -> bool:
    return type(v) is structs.ContentBlockStopChunk


def _tool_use_chunk__alone(v: Any) -> bool:
    return type(v) is structs.ToolUseChunk


def _message_stop_chunk__alone(v: Any) -> bool:
    return type(v) is structs.MessageStopChunk


def _error_chunk__alone(v: Any) -> bool:
    return type(v) is structs.ErrorChunk


class _OtherType(Struct, frozen=True, tag_field="type", tag=""):
    """Makes msgspec ask for the tag; the tag of no variant."""


DECODED_AS: Final[Mapping[str, Any]] = {
    "TextBlock": structs.TextBlock | _OtherType,
    "ToolUseBlock": structs.ToolUseBlock | _OtherType,
    "ToolResultBlock": structs.ToolResultBlock | _OtherType,
    "ImageBlock": structs.ImageBlock | _OtherType,
    "ContentBlockStartChunk": structs.ContentBlockStartChunk | _OtherType,
    "ContentBlockDeltaChunk": structs.ContentBlockDeltaChunk | _OtherType,
    "ContentBlockStopChunk": structs.ContentBlockStopChunk | _OtherType,
    "ToolUseChunk": structs.ToolUseChunk | _OtherType,
    "MessageStopChunk": structs.MessageStopChunk | _OtherType,
    "ErrorChunk": structs.ErrorChunk | _OtherType,
}
RESIDUAL: Final[Mapping[str, Test | None]] = {
    "Message": None,
    "Role": None,
    "MessageContent": None,
    "ContentBlock": None,
    "TextBlock": _text_block__alone,
    "ToolUseBlock": _tool_use_block__alone,
    "ToolResultBlock": _tool_result_block__alone,
    "ToolResultBlockContent": None,
    "ToolResultContentBlock": None,
    "ImageBlock": _image_block__alone,
    "TokenUsage": None,
    "ModelResponse": None,
    "StreamChunk": None,
    "ContentBlockStartChunk": _content_block_start_chunk__alone,
    "ContentBlockDeltaChunk": _content_block_delta_chunk__alone,
    "ContentBlockStopChunk": _content_block_stop_chunk__alone,
    "ToolUseChunk": _tool_use_chunk__alone,
    "MessageStopChunk": _message_stop_chunk__alone,
    "ErrorChunk": _error_chunk__alone,
    "JsonObject": None,
}
TEXTS: Final[Mapping[str, Mapping[str, re.Pattern[str]]]] = {
    "Message": {},
    "ContentBlock": {},
    "ToolResultContentBlock": {},
    "TokenUsage": {},
    "ModelResponse": {},
    "StreamChunk": {},
}
