# Generated from schemas/v0.3 (digest bf27134f877246ad) by codegen 1 with datamodel-code-generator 0.89.0.
# Do not edit: change the schemas, then run `python -m codegen`.

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType
from partwire.bindings.struct import Struct


class ContentBlockDeltaChunk(Struct, frozen=True, gc=False, kw_only=True, tag_field="type", tag="content_block_delta"):
    """A content block grows."""

    type: ClassVar[Literal["content_block_delta"]] = "content_block_delta"
    """Says which type of chunk this is."""
    index: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """Number of the content block, counted from 0."""
    delta: str
    """Text to append, verbatim."""


class ContentBlockStartChunk(Struct, frozen=True, gc=False, kw_only=True, tag_field="type", tag="content_block_start"):
    """A content block begins."""

    type: ClassVar[Literal["content_block_start"]] = "content_block_start"
    """Says which type of chunk this is."""
    index: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """Number of the content block, counted from 0."""


class ContentBlockStopChunk(Struct, frozen=True, gc=False, kw_only=True, tag_field="type", tag="content_block_stop"):
    """A content block ends."""

    type: ClassVar[Literal["content_block_stop"]] = "content_block_stop"
    """Says which type of chunk this is."""
    index: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """Number of the content block, counted from 0."""


class ErrorChunk(Struct, frozen=True, gc=False, kw_only=True, tag_field="type", tag="error"):
    """The response failed."""

    type: ClassVar[Literal["error"]] = "error"
    """Says which type of chunk this is."""
    message: str
    """What happened, for people."""


class ImageBlock(Struct, frozen=True, gc=False, kw_only=True, tag_field="type", tag="image"):
    """An image."""

    type: ClassVar[Literal["image"]] = "image"
    """Says which type of block this is."""
    image_type: Annotated[str, Meta(min_length=1)]
    """How data holds the image. An open string."""
    media_type: Annotated[str, Meta(min_length=1)]
    """Media type of the image, such as image/png."""
    data: Annotated[str, Meta(min_length=1)]
    """The image, in the form that image_type names."""


JsonObject: TypeAlias = dict[str, Any]
"""Any JSON object; its members are kept as they are."""


class Message(Struct, frozen=True, kw_only=True):
    """One message of a conversation."""

    role: Role
    content: MessageContent


class MessageStopChunk(Struct, frozen=True, gc=False, kw_only=True, tag_field="type", tag="message_stop"):
    """The response is complete."""

    type: ClassVar[Literal["message_stop"]] = "message_stop"
    """Says which type of chunk this is."""
    usage: TokenUsage


class ModelResponse(Struct, frozen=True, kw_only=True):
    """The whole answer of a model."""

    content: list[ContentBlock]
    """Content blocks, in order."""
    usage: TokenUsage
    model: str | UnsetType = UNSET
    """The model that answered."""
    stop_reason: Annotated[str, Meta(min_length=1)] | UnsetType = UNSET
    """Why the model stopped. An open string."""


Role: TypeAlias = Literal["user", "assistant", "system"]
"""Who speaks. A closed set."""


class TextBlock(Struct, frozen=True, gc=False, kw_only=True, tag_field="type", tag="text"):
    """Plain text of any language."""

    type: ClassVar[Literal["text"]] = "text"
    """Says which type of block this is."""
    text: str
    """The text."""


class TokenUsage(Struct, frozen=True, gc=False, kw_only=True):
    """Tokens of one call."""

    input_tokens: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """Tokens read."""
    output_tokens: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """Tokens written."""
    total_tokens: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = UNSET
    """All tokens, where the provider gives a total."""


class ToolResultBlock(Struct, frozen=True, kw_only=True, tag_field="type", tag="tool_result"):
    """The result of a tool call."""

    type: ClassVar[Literal["tool_result"]] = "tool_result"
    """Says which type of block this is."""
    tool_use_id: Annotated[str, Meta(min_length=1)]
    """The call that this is the result of."""
    content: ToolResultBlockContent
    is_error: bool
    """Whether the tool failed."""


ToolResultContentBlock: TypeAlias = TextBlock | ImageBlock
"""A block that may stand inside a tool result."""


ToolResultBlockContent: TypeAlias = str | list[ToolResultContentBlock]
"""What the tool gave back: text, or text and image blocks in order."""


class ToolUseBlock(Struct, frozen=True, gc=False, kw_only=True, tag_field="type", tag="tool_use"):
    """A call of a tool that the assistant asks for."""

    type: ClassVar[Literal["tool_use"]] = "tool_use"
    """Says which type of block this is."""
    tool_use_id: Annotated[str, Meta(min_length=1)]
    """Identifies the call."""
    tool_name: Annotated[str, Meta(min_length=1)]
    """Name of the tool."""
    parameters: JsonObject
    """The arguments."""


ContentBlock: TypeAlias = TextBlock | ToolUseBlock | ToolResultBlock | ImageBlock
"""A block of content."""


MessageContent: TypeAlias = str | list[ContentBlock]
"""Plain text, or content blocks in order."""


class ToolUseChunk(Struct, frozen=True, gc=False, kw_only=True, tag_field="type", tag="tool_use"):
    """The model asks for a tool call; the arguments come whole."""

    type: ClassVar[Literal["tool_use"]] = "tool_use"
    """Says which type of chunk this is."""
    tool_name: Annotated[str, Meta(min_length=1)]
    """Name of the tool."""
    tool_use_id: Annotated[str, Meta(min_length=1)]
    """Identifies the call."""
    parameters: JsonObject
    """The arguments."""


StreamChunk: TypeAlias = ContentBlockStartChunk | ContentBlockDeltaChunk | ContentBlockStopChunk | ToolUseChunk | MessageStopChunk | ErrorChunk
"""One chunk of a streaming response."""
