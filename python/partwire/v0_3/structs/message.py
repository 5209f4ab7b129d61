# Generated from schemas/v0.3 (digest bf5b753bb8d4b184) by codegen 1 with datamodel-code-generator 0.89.0.
# Do not edit: change the schemas, then run `python -m codegen`.

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType, field
from partwire.bindings.struct import Struct, ToolSpecStruct

AgentName: TypeAlias = Annotated[str, Meta(min_length=1)]
"""Name of an agent."""


class ApprovalChoice(Struct, frozen=True, gc=False, kw_only=True):
    """One of several answers that an approval request offers."""

    id: Annotated[str, Meta(min_length=1)]
    """Identifies the choice within its request; the answer names it."""
    label: str | UnsetType = UNSET
    """What to show to the person; without it, the id."""
    decision: ApprovalDecision | UnsetType = UNSET
    """What taking this choice decides; the answer says it as its decision."""


ApprovalDecision: TypeAlias = Annotated[str, Meta(min_length=1)]
"""What was decided. An open string: the call runs if it is approved, and on no other value."""


ApprovalId: TypeAlias = Annotated[str, Meta(min_length=1)]
"""Identifies one request for a person's approval; unique within a run."""


class ApprovalRequest(Struct, frozen=True, kw_only=True):
    """Content of an approval_request part. What is asked about is in the call."""

    approval_id: ApprovalId = field(name="approvalId")
    tool_call_id: ToolCallId = field(name="toolCallId")
    """The tool_call or server_tool_call that waits."""
    reason: str | UnsetType = UNSET
    """Why it is asked, for the person who decides."""
    choices: Annotated[list[ApprovalChoice], Meta(min_length=1)] | UnsetType = UNSET
    """What the person can choose from, if it is more than yes or no."""
    requested_at: Timestamp | UnsetType = field(name="requestedAt", default=UNSET)
    """When it was asked."""
    opaque: Opaque | UnsetType = UNSET
    """What the provider wants back with this part."""


class ApprovalRequestDelta(Struct, frozen=True, kw_only=True, tag_field="kind", tag="approval_request"):
    """Asks a person whether a call of this stream may run."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["approval_request"]] = "approval_request"
    """Says which kind of delta this is."""
    payload: ApprovalRequest
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ApprovalRequestPart(Struct, frozen=True, kw_only=True, tag_field="kind", tag="approval_request"):
    """Asks a person whether a call may run."""

    kind: ClassVar[Literal["approval_request"]] = "approval_request"
    """Says which kind of part this is."""
    payload: ApprovalRequest


class ApprovalResponse(Struct, frozen=True, gc=False, kw_only=True):
    """Content of an approval_response part."""

    approval_id: ApprovalId = field(name="approvalId")
    """The request that this answers."""
    tool_call_id: ToolCallId = field(name="toolCallId")
    """The call that it is about."""
    decision: ApprovalDecision
    choice: Annotated[str, Meta(min_length=1)] | UnsetType = UNSET
    """The id of the choice that was taken. It does not say whether the call runs: decision does."""
    reason: str | UnsetType = UNSET
    """Why it was decided so."""
    decided_by: str | UnsetType = field(name="decidedBy", default=UNSET)
    """Who decided."""
    decided_at: Timestamp | UnsetType = field(name="decidedAt", default=UNSET)
    """When it was decided."""
    arguments: JsonObject | UnsetType = UNSET
    """Run the call with these instead; the call itself stays as the model wrote it."""


class ApprovalResponsePart(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="approval_response"):
    """A person's answer to an approval request."""

    kind: ClassVar[Literal["approval_response"]] = "approval_response"
    """Says which kind of part this is."""
    payload: ApprovalResponse


class Author(Struct, frozen=True, kw_only=True):
    """Who of those that share a role wrote the message: a user by name, or an agent."""

    name: Annotated[str, Meta(min_length=1)] | UnsetType = UNSET
    """The user or agent, as it is shown."""
    agent_path: Annotated[list[AgentName], Meta(min_length=1)] | UnsetType = field(
        name="agentPath", default=UNSET
    )
    """The agent, as the names of all agents that lead to it: the outermost first, its own last."""


Base64: TypeAlias = str
"""Binary data as base64: the standard alphabet of RFC 4648 section 4, padded, without line
breaks.
"""


class CacheConfig(Struct, frozen=True, gc=False, kw_only=True):
    """How prompt caching is used."""

    strategy: Literal["auto"]
    """auto: the adapter places the cache marks."""


class Citation(Struct, frozen=True, gc=False, kw_only=True):
    """Says what a stretch of text is based on."""

    source: CitationSource
    start: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = UNSET
    """Where the stretch begins: code points of the part's text. Without start or end the
    citation has no place.
    """
    end: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = UNSET
    """Where it ends: code points, behind the last one; equal to start for a point."""
    quoted_text: str | UnsetType = field(name="quotedText", default=UNSET)
    """What the source says, verbatim."""
    opaque: Opaque | UnsetType = UNSET
    """The provider's own citation, where its requests take it back."""


class CitationLocator(Struct, frozen=True, gc=False, kw_only=True):
    """The place in the source, as the provider counts there."""

    unit: LocatorUnit
    start: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """The first one, in this unit."""
    end: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = UNSET
    """The end, in this unit; whether it is included depends on the provider."""


class CitationSource(Struct, frozen=True, gc=False, kw_only=True):
    """What is cited."""

    kind: CitationSourceKind
    url: Annotated[str, Meta(min_length=1)] | UnsetType = UNSET
    """Where the source can be found."""
    title: str | UnsetType = UNSET
    """Its title, to show."""
    id: Annotated[str, Meta(min_length=1)] | UnsetType = UNSET
    """Its id, as the provider gives it: the index of a document in the request, the id of a
    file, the name or index of a search result, the id of a tool result or of its call.
    """
    locator: CitationLocator | UnsetType = UNSET


CitationSourceKind: TypeAlias = Annotated[str, Meta(min_length=1)]
"""What kind of source it is. An open string."""


class DoneDelta(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="done"):
    """Ends the stream: the message is complete."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["done"]] = "done"
    """Says which kind of delta this is."""
    payload: DoneDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class DoneDeltaPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a done delta."""

    finish_reason: FinishReason = field(name="finishReason")
    provider_finish_reason: ProviderFinishReason | UnsetType = field(
        name="providerFinishReason", default=UNSET
    )


ErrorCode: TypeAlias = Annotated[str, Meta(min_length=1)]
"""The framework's code of an error. An open string: a value that is not known means unknown."""


class ErrorDelta(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="error"):
    """Ends the stream: there is no final message."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["error"]] = "error"
    """Says which kind of delta this is."""
    payload: ErrorDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ErrorDeltaPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of an error delta."""

    error_code: ErrorCode = field(name="errorCode")
    message: str | UnsetType = UNSET
    """What happened, for people."""
    retryable: bool | UnsetType = UNSET
    """Whether the same request may succeed later."""


class FileRefPart(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="file_ref"):
    """A reference to a file."""

    kind: ClassVar[Literal["file_ref"]] = "file_ref"
    """Says which kind of part this is."""
    payload: FileRefPayload


class FileRefPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a file_ref part."""

    path: Annotated[str, Meta(min_length=1)]
    """Path or name of the file, as producer and consumer agreed."""
    mime_type: Annotated[str, Meta(min_length=1)] | UnsetType = field(
        name="mimeType", default=UNSET
    )
    """Media type of the file."""
    size: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = UNSET
    """Size in bytes."""


FinishReason: TypeAlias = Annotated[str, Meta(min_length=1)]
"""Why the model stopped. An open string: a value that is not known means unknown, never stop."""


class ImagePart(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="image"):
    """An image."""

    kind: ClassVar[Literal["image"]] = "image"
    """Says which kind of part this is."""
    payload: ImagePayload


class ImagePayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of an image part: exactly one of data and url."""

    mime_type: Annotated[str, Meta(min_length=1)] = field(name="mimeType")
    """Media type of the image, such as image/png."""
    data: Base64 | UnsetType = UNSET
    """The image's bytes."""
    url: Annotated[str, Meta(min_length=1)] | UnsetType = UNSET
    """Where the image is to be had."""


class Incomplete(Struct, frozen=True, kw_only=True):
    """Marks a message that was put together from a stream without a done delta."""

    ending: Literal["error", "cancelled", "truncated"]
    """How the stream ended: an error delta, the caller's cancellation, or the bytes just
    stopped.
    """
    open_tool_call_ids: list[ToolCallId] = field(name="openToolCallIds")
    """Tool calls that had begun and were left out, in the order of their start."""
    open_media_ids: list[MediaId] | UnsetType = field(name="openMediaIds", default=UNSET)
    """Media that had begun and was left out, in the order of its start."""


class InlineSource(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="inline"):
    """The media is in the document."""

    kind: ClassVar[Literal["inline"]] = "inline"
    """Says which kind of source this is."""
    data: Base64
    """The media's bytes."""


JsonObject: TypeAlias = dict[str, Any]
"""Any JSON object; its members are kept as they are."""


LocatorUnit: TypeAlias = Annotated[str, Meta(min_length=1)]
"""What is counted. An open string."""


class MediaDataDelta(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="media_data"):
    """Adds bytes or words to open media."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["media_data"]] = "media_data"
    """Says which kind of delta this is."""
    payload: MediaDataDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class MediaDataDeltaPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a media_data delta. Each piece is Base64 by itself: bytes are joined, not
    letters.
    """

    media_id: MediaId = field(name="mediaId")
    data: Base64 | UnsetType = UNSET
    """Bytes in place of all before."""
    data_delta: Base64 | UnsetType = field(name="dataDelta", default=UNSET)
    """Bytes to append; behind data, where both are there."""
    transcript_delta: str | UnsetType = field(name="transcriptDelta", default=UNSET)
    """What is said, to append, verbatim."""


class MediaEndDelta(Struct, frozen=True, kw_only=True, tag_field="kind", tag="media_end"):
    """Closes media."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["media_end"]] = "media_end"
    """Says which kind of delta this is."""
    payload: MediaEndDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class MediaEndDeltaPayload(Struct, frozen=True, kw_only=True):
    """Content of a media_end delta."""

    media_id: MediaId = field(name="mediaId")
    mime_type: Annotated[str, Meta(min_length=1)] | UnsetType = field(
        name="mimeType", default=UNSET
    )
    """Media type, in place of that of the start."""
    source: MediaSource | UnsetType = UNSET
    """Where the media is, in place of the bytes that came."""
    size_bytes: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = field(
        name="sizeBytes", default=UNSET
    )
    """Size of the media, decoded, in bytes, as the producer says it."""
    opaque: Opaque | UnsetType = UNSET
    """State of the media; a later one replaces an earlier one."""


MediaId: TypeAlias = Annotated[str, Meta(min_length=1)]
"""Identifies media while it streams; unique within the stream."""


class MediaPart(Struct, frozen=True, kw_only=True, tag_field="kind", tag="media"):
    """Media of any type: audio, video, a document; also the whole of a large tool result, by
    reference.
    """

    kind: ClassVar[Literal["media"]] = "media"
    """Says which kind of part this is."""
    payload: MediaPayload


class MediaPayload(Struct, frozen=True, kw_only=True):
    """Content of a media part."""

    mime_type: Annotated[str, Meta(min_length=1)] = field(name="mimeType")
    """Media type, such as audio/wav."""
    source: MediaSource
    name: Annotated[str, Meta(min_length=1)] | UnsetType = UNSET
    """Name to show, such as that of a file."""
    size_bytes: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = field(
        name="sizeBytes", default=UNSET
    )
    """Size of the media, decoded, in bytes."""
    sha256: Annotated[str, Meta(max_length=64, min_length=64)] | UnsetType = UNSET
    """SHA-256 of the media, decoded, as 64 lower-case hexadecimal digits."""
    transcript: str | UnsetType = UNSET
    """What is said in it, verbatim."""
    opaque: Opaque | UnsetType = UNSET
    """What the provider wants back with this part."""


class MediaStartDelta(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="media_start"):
    """Opens media that comes in pieces."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["media_start"]] = "media_start"
    """Says which kind of delta this is."""
    payload: MediaStartDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class MediaStartDeltaPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a media_start delta."""

    media_id: MediaId = field(name="mediaId")
    mime_type: Annotated[str, Meta(min_length=1)] = field(name="mimeType")
    """Media type, such as audio/wav; application/octet-stream where nobody says it."""
    name: Annotated[str, Meta(min_length=1)] | UnsetType = UNSET
    """Name to show, such as that of a file."""
    opaque: Opaque | UnsetType = UNSET
    """State of the media; a later one replaces an earlier one."""


class Message(Struct, frozen=True, kw_only=True):
    """One message of a conversation: what is stored and what is sent to a model."""

    run_id: RunId = field(name="runId")
    role: Role
    parts: list[MessagePart]
    """The content, in the order in which it came; the order never changes."""
    timestamp: Timestamp
    """When the message began."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    author: Author | UnsetType = UNSET
    meta: MessageMeta | UnsetType = UNSET


MessageId: TypeAlias = Annotated[str, Meta(min_length=1)]
"""Identifies one message; opaque, made by its producer, the same on every delta of a stream."""


MessageMeta: TypeAlias = dict[str, Any]
"""What is not the message's core: usage, trace. Members that are not named here are kept as they
are. Two of these are providerFinishReason, the provider's own word for why the stream ended,
and warnings, an array of the provider's warnings.
"""


ModelConfig: TypeAlias = dict[str, Any]
"""Configuration of a model. Members that are not named here are the provider's own and are kept
as they are.
"""


class ModelInfo(Struct, frozen=True, gc=False, kw_only=True):
    """What is known of a model."""

    model_id: Annotated[str, Meta(min_length=1)] = field(name="modelId")
    """The model's name at its provider."""
    provider: Annotated[str, Meta(min_length=1)]
    """The provider's name."""
    context_window_tokens: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = field(
        name="contextWindowTokens", default=UNSET
    )
    """Most tokens of input and output together."""
    max_output_tokens: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = field(
        name="maxOutputTokens", default=UNSET
    )
    """Most tokens of one answer."""


class Opaque(Struct, frozen=True, gc=False, kw_only=True):
    """What a provider wants back unchanged: signatures, encrypted reasoning, its own ids. Only
    that provider's adapter reads it.
    """

    provider: Annotated[str, Meta(min_length=1)]
    """Whose it is: the provider API, such as anthropic-messages."""
    data: JsonObject
    """The provider's state; nobody else looks into it."""


Outcome: TypeAlias = Annotated[str, Meta(min_length=1)]
"""How a call came out; partial: the tool stopped before it was done. An open string: a value
that is not known says no more than isError.
"""


ProviderFinishReason: TypeAlias = Annotated[str, Meta(min_length=1)]
"""The provider's own word for why the stream ended, as it came."""


class RefSource(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="ref"):
    """The media is kept apart, under a name that producer and consumer agreed on."""

    kind: ClassVar[Literal["ref"]] = "ref"
    """Says which kind of source this is."""
    ref: Annotated[str, Meta(min_length=1)]
    """The name of the media in that store."""


class RequestMetadata(Struct, frozen=True, gc=False, kw_only=True):
    """Ties a request to its session, run and trace."""

    session_id: Annotated[str, Meta(min_length=1)] = field(name="sessionId")
    """The session that the request belongs to."""
    run_id: RunId = field(name="runId")
    trace_id: Annotated[str, Meta(min_length=1)] = field(name="traceId")
    """The trace that the request belongs to."""


Role: TypeAlias = Literal["system", "user", "assistant", "tool"]
"""Who speaks. A closed set."""


RunId: TypeAlias = Annotated[str, Meta(min_length=1)]
"""Identifies one run of the agent loop; the same on every message and delta of the run."""


Seq: TypeAlias = Annotated[int, Meta(ge=0, le=9007199254740991)]
"""Number of the delta within its stream; strictly increasing."""


class ServerToolCallArgsDelta(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="server_tool_call_args"):
    """Adds argument text to an open call of a tool that the provider runs."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["server_tool_call_args"]] = "server_tool_call_args"
    """Says which kind of delta this is."""
    payload: ToolCallArgsDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ServerToolCallEndDelta(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="server_tool_call_end"):
    """Closes a call of a tool that the provider runs; its argument text is parsed now."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["server_tool_call_end"]] = "server_tool_call_end"
    """Says which kind of delta this is."""
    payload: ToolCallEndDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ServerToolCallPart(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="server_tool_call"):
    """A call of a tool that the provider runs itself. The caller does not run it."""

    kind: ClassVar[Literal["server_tool_call"]] = "server_tool_call"
    """Says which kind of part this is."""
    payload: ToolCallPayload


class ServerToolCallStartDelta(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="server_tool_call_start"):
    """Opens a call of a tool that the provider runs itself."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["server_tool_call_start"]] = "server_tool_call_start"
    """Says which kind of delta this is."""
    payload: ToolCallStartDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ServerToolResult(Struct, frozen=True, kw_only=True):
    """The result of a call that the provider ran; content of a server_tool_result part."""

    tool_call_id: ToolCallId = field(name="toolCallId")
    """The call that this is the result of; it may be in an earlier message."""
    is_error: bool = field(name="isError")
    """Whether the tool failed."""
    content: ToolResultContent
    outcome: Outcome | UnsetType = UNSET
    structured: StructuredValue | UnsetType = UNSET
    opaque: Opaque | UnsetType = UNSET
    """What the provider wants back with this part."""


class ServerToolResultDelta(Struct, frozen=True, kw_only=True, tag_field="kind", tag="server_tool_result"):
    """The whole result of a call that the provider ran."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["server_tool_result"]] = "server_tool_result"
    """Says which kind of delta this is."""
    payload: ServerToolResult
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ServerToolResultPart(Struct, frozen=True, kw_only=True, tag_field="kind", tag="server_tool_result"):
    """The result of a call that the provider ran."""

    kind: ClassVar[Literal["server_tool_result"]] = "server_tool_result"
    """Says which kind of part this is."""
    payload: ServerToolResult


class SpecificTool(Struct, frozen=True, gc=False, kw_only=True):
    """Exactly this tool must be called."""

    tool_name: ToolName = field(name="toolName")


class StartDelta(Struct, frozen=True, kw_only=True, tag_field="kind", tag="start"):
    """Opens the stream; always the first delta."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["start"]] = "start"
    """Says which kind of delta this is."""
    payload: StartDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class StartDeltaPayload(Struct, frozen=True, kw_only=True):
    """Content of a start delta."""

    model_id: str = field(name="modelId")
    """The model that answers."""
    request_id: str = field(name="requestId")
    """The provider's or the caller's id of the request."""
    author: Author | UnsetType = UNSET
    format: TextFormat | UnsetType = UNSET
    """The request asked for JSON: the format of each text part of the stream."""


StopSequence: TypeAlias = Annotated[str, Meta(min_length=1)]
"""A text at which the model stops."""


StructuredValue: TypeAlias = list[object] | bool | int | float | JsonObject | str
"""A result as data, for programs: any JSON value but null. No provider gets it."""


class TextCitationDelta(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="text_citation"):
    """Adds a citation to a text part; it makes no part and ends none."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["text_citation"]] = "text_citation"
    """Says which kind of delta this is."""
    payload: TextCitationDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class TextCitationDeltaPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a text_citation delta."""

    citation: Citation
    part_index: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = field(
        name="partIndex", default=UNSET
    )
    """Which text part: its index among the parts that have begun, open calls and media counted;
    without it the last text part.
    """


class TextDelta(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="text"):
    """Adds text."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["text"]] = "text"
    """Says which kind of delta this is."""
    payload: TextDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class TextDeltaPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a text delta."""

    text_delta: str = field(name="textDelta")
    """Text to append, verbatim."""
    opaque: Opaque | UnsetType = UNSET
    """State of the part that this delta belongs to; it ends that part."""


class TextFormat(Struct, frozen=True, gc=False, kw_only=True):
    """Says that the request asked for JSON here. It does not say that valid JSON came."""

    name: Annotated[str, Meta(min_length=1)] | UnsetType = UNSET
    """The name of the form, as the request had it."""
    schema_ref: Annotated[str, Meta(min_length=1)] | UnsetType = field(
        name="schemaRef", default=UNSET
    )
    """Where its JSON Schema can be found, as producer and consumer agreed; partwire does not
    open it.
    """


class TextPart(Struct, frozen=True, kw_only=True, tag_field="kind", tag="text"):
    """A piece of text."""

    kind: ClassVar[Literal["text"]] = "text"
    """Says which kind of part this is."""
    payload: TextPayload


class TextPayload(Struct, frozen=True, kw_only=True):
    """Content of a text part."""

    text: str
    """The text, verbatim."""
    opaque: Opaque | UnsetType = UNSET
    """What the provider wants back with this part."""
    citations: list[Citation] | UnsetType = UNSET
    """What the text is based on, in the order in which the citations came."""
    format: TextFormat | UnsetType = UNSET


class ThinkingDelta(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="thinking"):
    """Adds reasoning."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["thinking"]] = "thinking"
    """Says which kind of delta this is."""
    payload: ThinkingDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ThinkingDeltaPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a thinking delta."""

    text_delta: str = field(name="textDelta")
    """Reasoning to append, verbatim."""
    opaque: Opaque | UnsetType = UNSET
    """State of the part that this delta belongs to; it ends that part."""


class ThinkingPart(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="thinking"):
    """A piece of the model's reasoning."""

    kind: ClassVar[Literal["thinking"]] = "thinking"
    """Says which kind of part this is."""
    payload: ThinkingPayload


class ThinkingPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a thinking part."""

    text: str
    """The reasoning, verbatim."""
    opaque: Opaque | UnsetType = UNSET
    """What the provider wants back with this part."""


Timestamp: TypeAlias = str
"""An instant: RFC 3339 date and time with a zone, upper-case T and Z, at most nine fraction
digits, a day that the calendar has, no leap second.
"""


class ToolCall(Struct, frozen=True, gc=False, kw_only=True):
    """A tool call apart from a message, as a tool runner gets it."""

    tool_call_id: ToolCallId = field(name="toolCallId")
    tool_name: ToolName = field(name="toolName")
    arguments: JsonObject
    """The parsed arguments; an empty object where the text is not a JSON object."""


class ToolCallArgsDelta(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="tool_call_args"):
    """Adds argument text to an open tool call."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["tool_call_args"]] = "tool_call_args"
    """Says which kind of delta this is."""
    payload: ToolCallArgsDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ToolCallArgsDeltaPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a tool_call_args delta."""

    tool_call_id: ToolCallId = field(name="toolCallId")
    args_text_delta: str = field(name="argsTextDelta")
    """Argument text to append, verbatim; the whole is JSON only once the call ends."""
    opaque: Opaque | UnsetType = UNSET
    """State of the call; a later one replaces an earlier one."""


class ToolCallEndDelta(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="tool_call_end"):
    """Closes a tool call; its argument text is parsed now."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["tool_call_end"]] = "tool_call_end"
    """Says which kind of delta this is."""
    payload: ToolCallEndDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ToolCallEndDeltaPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a tool_call_end delta."""

    tool_call_id: ToolCallId = field(name="toolCallId")
    opaque: Opaque | UnsetType = UNSET
    """State of the call; a later one replaces an earlier one."""


ToolCallId: TypeAlias = Annotated[str, Meta(min_length=1)]
"""Identifies one tool call; unique within a run."""


class ToolCallParseError(Struct, frozen=True, gc=False, kw_only=True):
    """Says that the argument text of a tool call could not be used."""

    tool_call_id: ToolCallId = field(name="toolCallId")
    error: Literal["invalid_json", "not_an_object"]
    """What is wrong: the text is not JSON, or it is JSON but not an object."""


class ToolCallPart(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="tool_call"):
    """A call of a tool that the model asks for."""

    kind: ClassVar[Literal["tool_call"]] = "tool_call"
    """Says which kind of part this is."""
    payload: ToolCallPayload


class ToolCallPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a tool_call part."""

    tool_call_id: ToolCallId = field(name="toolCallId")
    tool_name: ToolName = field(name="toolName")
    arguments: JsonObject
    """The parsed arguments; an empty object where the text is not a JSON object."""
    raw_args_text: str | UnsetType = field(name="rawArgsText", default=UNSET)
    """The argument text as it came; present only where arguments does not say it all: the text
    was not a JSON object, or holds an integer beyond ±(2^53 - 1).
    """
    opaque: Opaque | UnsetType = UNSET
    """What the provider wants back with this part."""


class ToolCallStartDelta(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="tool_call_start"):
    """Opens a tool call."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["tool_call_start"]] = "tool_call_start"
    """Says which kind of delta this is."""
    payload: ToolCallStartDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ToolCallStartDeltaPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a tool_call_start delta."""

    tool_call_id: ToolCallId = field(name="toolCallId")
    tool_name: ToolName = field(name="toolName")
    opaque: Opaque | UnsetType = UNSET
    """State of the call; a later one replaces an earlier one."""


ToolChoiceMode: TypeAlias = Literal["auto", "required", "none"]
"""auto: the model decides; required: at least one call; none: no call."""


ToolChoice: TypeAlias = ToolChoiceMode | SpecificTool
"""Which tools the model may or must call."""


ToolName: TypeAlias = Annotated[str, Meta(min_length=1)]
"""Name of the tool, as its specification gives it."""


class ToolResult(Struct, frozen=True, kw_only=True):
    """The result of one tool call; content of a tool_result part."""

    tool_call_id: ToolCallId = field(name="toolCallId")
    """The call that this is the result of."""
    is_error: bool = field(name="isError")
    """Whether the tool failed."""
    content: ToolResultContent
    outcome: Outcome | UnsetType = UNSET
    structured: StructuredValue | UnsetType = UNSET


ToolResultContentPart: TypeAlias = TextPart | ImagePart | FileRefPart | MediaPart
"""A part that may stand inside a tool result."""


ToolResultContent: TypeAlias = str | list[ToolResultContentPart] | JsonObject
"""What the tool gave back: text, parts, or any JSON object."""


class ToolResultPart(Struct, frozen=True, kw_only=True, tag_field="kind", tag="tool_result"):
    """The result of one tool call."""

    kind: ClassVar[Literal["tool_result"]] = "tool_result"
    """Says which kind of part this is."""
    payload: ToolResult


MessagePart: TypeAlias = TextPart | ThinkingPart | ToolCallPart | ToolResultPart | ImagePart | FileRefPart | MediaPart | ServerToolCallPart | ServerToolResultPart | ApprovalRequestPart | ApprovalResponsePart
"""A piece of content. The set of kinds is frozen within a version."""


class ToolSpec(ToolSpecStruct, frozen=True, gc=False, kw_only=True):
    """A tool as the model sees it."""

    name: ToolName
    parameter_schema: JsonObject = field(name="parameterSchema")
    """JSON Schema of the arguments."""
    description: str | UnsetType = UNSET
    """What the tool does and when to use it."""
    strict: bool | UnsetType = UNSET
    """Whether the provider shall hold the arguments to the schema."""


TurnId: TypeAlias = Annotated[str, Meta(min_length=1)]
"""Identifies the turn that the message belongs to, such as a request of a user with all that
answers it; opaque, made by the producer.
"""


class UrlSource(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="url"):
    """The media is to be had at a URL."""

    kind: ClassVar[Literal["url"]] = "url"
    """Says which kind of source this is."""
    url: Annotated[str, Meta(min_length=1)]
    """Where the media is to be had."""


MediaSource: TypeAlias = InlineSource | UrlSource | RefSource
"""Where the media is."""


class UsageDelta(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="usage"):
    """Reports usage so far."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["usage"]] = "usage"
    """Says which kind of delta this is."""
    payload: UsageSummary
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class UsageSummary(Struct, frozen=True, gc=False, kw_only=True):
    """Tokens and cost of one stream. Figures are cumulative: a later one replaces an earlier
    one.
    """

    input_tokens: Annotated[int, Meta(ge=0, le=9007199254740991)] = field(name="inputTokens")
    """Tokens read, cached ones included."""
    output_tokens: Annotated[int, Meta(ge=0, le=9007199254740991)] = field(name="outputTokens")
    """Tokens written, reasoning included."""
    total_tokens: Annotated[int, Meta(ge=0, le=9007199254740991)] = field(name="totalTokens")
    """The provider's total, else the sum."""
    reasoning_tokens: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = field(
        name="reasoningTokens", default=UNSET
    )
    """Tokens of reasoning; part of outputTokens."""
    cache_read_tokens: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = field(
        name="cacheReadTokens", default=UNSET
    )
    """Tokens read from a cache; part of inputTokens."""
    cache_write_tokens: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = field(
        name="cacheWriteTokens", default=UNSET
    )
    """Tokens written to a cache; part of inputTokens."""
    cost: Annotated[float, Meta(ge=0.0)] | UnsetType = UNSET
    """Price of the request in US dollars."""


class WarningDelta(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="warning"):
    """Reports a warning of the provider; the stream goes on."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["warning"]] = "warning"
    """Says which kind of delta this is."""
    payload: WarningDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


MessageDelta: TypeAlias = StartDelta | TextDelta | ThinkingDelta | ToolCallStartDelta | ToolCallArgsDelta | ToolCallEndDelta | TextCitationDelta | ServerToolCallStartDelta | ServerToolCallArgsDelta | ServerToolCallEndDelta | ServerToolResultDelta | ApprovalRequestDelta | MediaStartDelta | MediaDataDelta | MediaEndDelta | WarningDelta | UsageDelta | DoneDelta | ErrorDelta
"""One change of a message that is being written. A stream opens with start and ends with exactly
one done or error.
"""


class WarningDeltaPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a warning delta."""

    code: Annotated[str, Meta(min_length=1)]
    """What happened, to branch on. An open string."""
    message: str | UnsetType = UNSET
    """The same for people, in the provider's words."""
    place: Annotated[str, Meta(min_length=1)] | UnsetType = UNSET
    """What it is about: a setting, a tool, a part of the request, in the provider's words."""
