# Generated from schemas/v0.3 (digest bf27134f877246ad) by codegen 1 with datamodel-code-generator 0.89.0.
# Do not edit: change the schemas, then run `python -m codegen`.

from __future__ import annotations

from typing import Annotated, Literal

from partwire.bindings.model import MISSING, AnyJson, Model, StrictInt, complete, constant
from pydantic import Field, StrictBool, StrictStr
from typing_extensions import TypeAliasType


class ContentBlockDeltaChunk(Model):
    """A content block grows."""

    type: Literal["content_block_delta"] = constant("content_block_delta")
    """Says which type of chunk this is."""
    index: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """Number of the content block, counted from 0."""
    delta: StrictStr
    """Text to append, verbatim."""


class ContentBlockStartChunk(Model):
    """A content block begins."""

    type: Literal["content_block_start"] = constant("content_block_start")
    """Says which type of chunk this is."""
    index: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """Number of the content block, counted from 0."""


class ContentBlockStopChunk(Model):
    """A content block ends."""

    type: Literal["content_block_stop"] = constant("content_block_stop")
    """Says which type of chunk this is."""
    index: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """Number of the content block, counted from 0."""


class ErrorChunk(Model):
    """The response failed."""

    type: Literal["error"] = constant("error")
    """Says which type of chunk this is."""
    message: StrictStr
    """What happened, for people."""


class ImageBlock(Model):
    """An image."""

    type: Literal["image"] = constant("image")
    """Says which type of block this is."""
    image_type: Annotated[StrictStr, Field(min_length=1)]
    """How data holds the image. An open string."""
    media_type: Annotated[StrictStr, Field(min_length=1)]
    """Media type of the image, such as image/png."""
    data: Annotated[StrictStr, Field(min_length=1)]
    """The image, in the form that image_type names."""


JsonObject = TypeAliasType("JsonObject", dict[str, AnyJson])
"""Any JSON object; its members are kept as they are."""


class Message(Model):
    """One message of a conversation."""

    role: Role
    content: MessageContent


class MessageStopChunk(Model):
    """The response is complete."""

    type: Literal["message_stop"] = constant("message_stop")
    """Says which type of chunk this is."""
    usage: TokenUsage


class ModelResponse(Model):
    """The whole answer of a model."""

    content: list[ContentBlock]
    """Content blocks, in order."""
    usage: TokenUsage
    model: StrictStr | MISSING = MISSING
    """The model that answered."""
    stop_reason: Annotated[StrictStr | MISSING, Field(min_length=1)] = MISSING
    """Why the model stopped. An open string."""


Role = TypeAliasType("Role", Literal["user", "assistant", "system"])
"""Who speaks. A closed set."""


class TextBlock(Model):
    """Plain text of any language."""

    type: Literal["text"] = constant("text")
    """Says which type of block this is."""
    text: StrictStr
    """The text."""


class TokenUsage(Model):
    """Tokens of one call."""

    input_tokens: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """Tokens read."""
    output_tokens: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """Tokens written."""
    total_tokens: Annotated[StrictInt | MISSING, Field(ge=0, le=9007199254740991)] = MISSING
    """All tokens, where the provider gives a total."""


class ToolResultBlock(Model):
    """The result of a tool call."""

    type: Literal["tool_result"] = constant("tool_result")
    """Says which type of block this is."""
    tool_use_id: Annotated[StrictStr, Field(min_length=1)]
    """The call that this is the result of."""
    content: ToolResultBlockContent
    is_error: StrictBool
    """Whether the tool failed."""


ToolResultContentBlock = TypeAliasType(
    "ToolResultContentBlock", Annotated[TextBlock | ImageBlock, Field(discriminator="type")]
)
"""A block that may stand inside a tool result."""


ToolResultBlockContent = TypeAliasType("ToolResultBlockContent", StrictStr | list[ToolResultContentBlock])
"""What the tool gave back: text, or text and image blocks in order."""


class ToolUseBlock(Model):
    """A call of a tool that the assistant asks for."""

    type: Literal["tool_use"] = constant("tool_use")
    """Says which type of block this is."""
    tool_use_id: Annotated[StrictStr, Field(min_length=1)]
    """Identifies the call."""
    tool_name: Annotated[StrictStr, Field(min_length=1)]
    """Name of the tool."""
    parameters: JsonObject
    """The arguments."""


ContentBlock = TypeAliasType(
    "ContentBlock",
    Annotated[
        TextBlock | ToolUseBlock | ToolResultBlock | ImageBlock, Field(discriminator="type")
    ],
)
"""A block of content."""


MessageContent = TypeAliasType("MessageContent", StrictStr | list[ContentBlock])
"""Plain text, or content blocks in order."""


class ToolUseChunk(Model):
    """The model asks for a tool call; the arguments come whole."""

    type: Literal["tool_use"] = constant("tool_use")
    """Says which type of chunk this is."""
    tool_name: Annotated[StrictStr, Field(min_length=1)]
    """Name of the tool."""
    tool_use_id: Annotated[StrictStr, Field(min_length=1)]
    """Identifies the call."""
    parameters: JsonObject
    """The arguments."""


StreamChunk = TypeAliasType(
    "StreamChunk",
    Annotated[
        ContentBlockStartChunk | ContentBlockDeltaChunk | ContentBlockStopChunk | ToolUseChunk | MessageStopChunk | ErrorChunk,
        Field(discriminator="type"),
    ],
)
"""One chunk of a streaming response."""


complete(globals())
