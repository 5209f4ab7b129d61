# Generated from schemas/v0.3 (digest bf5b753bb8d4b184) by codegen 1 with datamodel-code-generator 0.89.0.
# Do not edit: change the schemas, then run `python -m codegen`.

from __future__ import annotations

from typing import Annotated, Literal

from partwire.bindings.model import (
    MISSING,
    AnyJson,
    AnyNumber,
    Model,
    OpenModel,
    StrictFloat,
    StrictInt,
    ToolSpecModel,
    at_least_one,
    complete,
    constant,
    exactly_one,
)
from pydantic import Field, StrictBool, StrictStr
from typing_extensions import TypeAliasType

AgentName = TypeAliasType("AgentName", Annotated[StrictStr, Field(min_length=1)])
"""Name of an agent."""


class ApprovalChoice(Model):
    """One of several answers that an approval request offers."""

    id: Annotated[StrictStr, Field(min_length=1)]
    """Identifies the choice within its request; the answer names it."""
    label: StrictStr | MISSING = MISSING
    """What to show to the person; without it, the id."""
    decision: ApprovalDecision | MISSING = MISSING
    """What taking this choice decides; the answer says it as its decision."""


ApprovalDecision = TypeAliasType("ApprovalDecision", Annotated[StrictStr, Field(min_length=1)])
"""What was decided. An open string: the call runs if it is approved, and on no other value."""


ApprovalId = TypeAliasType("ApprovalId", Annotated[StrictStr, Field(min_length=1)])
"""Identifies one request for a person's approval; unique within a run."""


class ApprovalRequest(Model):
    """Content of an approval_request part. What is asked about is in the call."""

    approval_id: Annotated[ApprovalId, Field(alias="approvalId")]
    tool_call_id: Annotated[ToolCallId, Field(alias="toolCallId")]
    """The tool_call or server_tool_call that waits."""
    reason: StrictStr | MISSING = MISSING
    """Why it is asked, for the person who decides."""
    choices: Annotated[list[ApprovalChoice] | MISSING, Field(min_length=1)] = MISSING
    """What the person can choose from, if it is more than yes or no."""
    requested_at: Annotated[Timestamp | MISSING, Field(alias="requestedAt")] = MISSING
    """When it was asked."""
    opaque: Opaque | MISSING = MISSING
    """What the provider wants back with this part."""


class ApprovalRequestDelta(Model):
    """Asks a person whether a call of this stream may run."""

    run_id: Annotated[RunId, Field(alias="runId")]
    message_id: Annotated[MessageId | MISSING, Field(alias="messageId")] = MISSING
    turn_id: Annotated[TurnId | MISSING, Field(alias="turnId")] = MISSING
    seq: Seq
    kind: Literal["approval_request"] = constant("approval_request")
    """Says which kind of delta this is."""
    payload: ApprovalRequest
    timestamp: Timestamp
    """When the delta was made."""
    provider_raw: Annotated[JsonObject | MISSING, Field(alias="providerRaw")] = MISSING
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ApprovalRequestPart(Model):
    """Asks a person whether a call may run."""

    kind: Literal["approval_request"] = constant("approval_request")
    """Says which kind of part this is."""
    payload: ApprovalRequest


class ApprovalResponse(Model):
    """Content of an approval_response part."""

    approval_id: Annotated[ApprovalId, Field(alias="approvalId")]
    """The request that this answers."""
    tool_call_id: Annotated[ToolCallId, Field(alias="toolCallId")]
    """The call that it is about."""
    decision: ApprovalDecision
    choice: Annotated[StrictStr | MISSING, Field(min_length=1)] = MISSING
    """The id of the choice that was taken. It does not say whether the call runs: decision does."""
    reason: StrictStr | MISSING = MISSING
    """Why it was decided so."""
    decided_by: Annotated[StrictStr | MISSING, Field(alias="decidedBy")] = MISSING
    """Who decided."""
    decided_at: Annotated[Timestamp | MISSING, Field(alias="decidedAt")] = MISSING
    """When it was decided."""
    arguments: JsonObject | MISSING = MISSING
    """Run the call with these instead; the call itself stays as the model wrote it."""


class ApprovalResponsePart(Model):
    """A person's answer to an approval request."""

    kind: Literal["approval_response"] = constant("approval_response")
    """Says which kind of part this is."""
    payload: ApprovalResponse


class Author(Model):
    """Who of those that share a role wrote the message: a user by name, or an agent."""

    name: Annotated[StrictStr | MISSING, Field(min_length=1)] = MISSING
    """The user or agent, as it is shown."""
    agent_path: Annotated[list[AgentName] | MISSING, Field(alias="agentPath", min_length=1)] = (
        MISSING
    )
    """The agent, as the names of all agents that lead to it: the outermost first, its own last."""

    _at_least_one = at_least_one(name="name", agent_path="agentPath")


Base64 = TypeAliasType(
    "Base64",
    Annotated[
        StrictStr, Field(pattern="^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$")
    ],
)
"""Binary data as base64: the standard alphabet of RFC 4648 section 4, padded, without line
breaks.
"""


class CacheConfig(Model):
    """How prompt caching is used."""

    strategy: Literal["auto"]
    """auto: the adapter places the cache marks."""


class Citation(Model):
    """Says what a stretch of text is based on."""

    start: Annotated[StrictInt | MISSING, Field(ge=0, le=9007199254740991)] = MISSING
    """Where the stretch begins: code points of the part's text. Without start or end the
    citation has no place.
    """
    end: Annotated[StrictInt | MISSING, Field(ge=0, le=9007199254740991)] = MISSING
    """Where it ends: code points, behind the last one; equal to start for a point."""
    source: CitationSource
    quoted_text: Annotated[StrictStr | MISSING, Field(alias="quotedText")] = MISSING
    """What the source says, verbatim."""
    opaque: Opaque | MISSING = MISSING
    """The provider's own citation, where its requests take it back."""


class CitationLocator(Model):
    """The place in the source, as the provider counts there."""

    unit: LocatorUnit
    start: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """The first one, in this unit."""
    end: Annotated[StrictInt | MISSING, Field(ge=0, le=9007199254740991)] = MISSING
    """The end, in this unit; whether it is included depends on the provider."""


class CitationSource(Model):
    """What is cited."""

    kind: CitationSourceKind
    url: Annotated[StrictStr | MISSING, Field(min_length=1)] = MISSING
    """Where the source can be found."""
    title: StrictStr | MISSING = MISSING
    """Its title, to show."""
    id: Annotated[StrictStr | MISSING, Field(min_length=1)] = MISSING
    """Its id, as the provider gives it: the index of a document in the request, the id of a
    file, the name or index of a search result, the id of a tool result or of its call.
    """
    locator: CitationLocator | MISSING = MISSING


CitationSourceKind = TypeAliasType("CitationSourceKind", Annotated[StrictStr, Field(min_length=1)])
"""What kind of source it is. An open string."""


class DoneDelta(Model):
    """Ends the stream: the message is complete."""

    run_id: Annotated[RunId, Field(alias="runId")]
    message_id: Annotated[MessageId | MISSING, Field(alias="messageId")] = MISSING
    turn_id: Annotated[TurnId | MISSING, Field(alias="turnId")] = MISSING
    seq: Seq
    kind: Literal["done"] = constant("done")
    """Says which kind of delta this is."""
    payload: DoneDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    provider_raw: Annotated[JsonObject | MISSING, Field(alias="providerRaw")] = MISSING
    """The provider's raw event, for debugging only: nothing may depend on it."""


class DoneDeltaPayload(Model):
    """Content of a done delta."""

    finish_reason: Annotated[FinishReason, Field(alias="finishReason")]
    provider_finish_reason: Annotated[
        ProviderFinishReason | MISSING, Field(alias="providerFinishReason")
    ] = MISSING


ErrorCode = TypeAliasType("ErrorCode", Annotated[StrictStr, Field(min_length=1)])
"""The framework's code of an error. An open string: a value that is not known means unknown."""


class ErrorDelta(Model):
    """Ends the stream: there is no final message."""

    run_id: Annotated[RunId, Field(alias="runId")]
    message_id: Annotated[MessageId | MISSING, Field(alias="messageId")] = MISSING
    turn_id: Annotated[TurnId | MISSING, Field(alias="turnId")] = MISSING
    seq: Seq
    kind: Literal["error"] = constant("error")
    """Says which kind of delta this is."""
    payload: ErrorDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    provider_raw: Annotated[JsonObject | MISSING, Field(alias="providerRaw")] = MISSING
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ErrorDeltaPayload(Model):
    """Content of an error delta."""

    error_code: Annotated[ErrorCode, Field(alias="errorCode")]
    message: StrictStr | MISSING = MISSING
    """What happened, for people."""
    retryable: StrictBool | MISSING = MISSING
    """Whether the same request may succeed later."""


class FileRefPart(Model):
    """A reference to a file."""

    kind: Literal["file_ref"] = constant("file_ref")
    """Says which kind of part this is."""
    payload: FileRefPayload


class FileRefPayload(Model):
    """Content of a file_ref part."""

    path: Annotated[StrictStr, Field(min_length=1)]
    """Path or name of the file, as producer and consumer agreed."""
    mime_type: Annotated[StrictStr | MISSING, Field(alias="mimeType", min_length=1)] = MISSING
    """Media type of the file."""
    size: Annotated[StrictInt | MISSING, Field(ge=0, le=9007199254740991)] = MISSING
    """Size in bytes."""


FinishReason = TypeAliasType("FinishReason", Annotated[StrictStr, Field(min_length=1)])
"""Why the model stopped. An open string: a value that is not known means unknown, never stop."""


class ImagePart(Model):
    """An image."""

    kind: Literal["image"] = constant("image")
    """Says which kind of part this is."""
    payload: ImagePayload


class ImagePayload(Model):
    """Content of an image part: exactly one of data and url."""

    mime_type: Annotated[StrictStr, Field(alias="mimeType", min_length=1)]
    """Media type of the image, such as image/png."""
    data: Base64 | MISSING = MISSING
    """The image's bytes."""
    url: Annotated[StrictStr | MISSING, Field(min_length=1)] = MISSING
    """Where the image is to be had."""

    _exactly_one_1 = exactly_one(data="data", url="url")


class Incomplete(Model):
    """Marks a message that was put together from a stream without a done delta."""

    ending: Literal["error", "cancelled", "truncated"]
    """How the stream ended: an error delta, the caller's cancellation, or the bytes just
    stopped.
    """
    open_tool_call_ids: Annotated[list[ToolCallId], Field(alias="openToolCallIds")]
    """Tool calls that had begun and were left out, in the order of their start."""
    open_media_ids: Annotated[list[MediaId] | MISSING, Field(alias="openMediaIds")] = MISSING
    """Media that had begun and was left out, in the order of its start."""


class InlineSource(Model):
    """The media is in the document."""

    kind: Literal["inline"] = constant("inline")
    """Says which kind of source this is."""
    data: Base64
    """The media's bytes."""


JsonObject = TypeAliasType("JsonObject", dict[str, AnyJson])
"""Any JSON object; its members are kept as they are."""


LocatorUnit = TypeAliasType("LocatorUnit", Annotated[StrictStr, Field(min_length=1)])
"""What is counted. An open string."""


class MediaDataDelta(Model):
    """Adds bytes or words to open media."""

    run_id: Annotated[RunId, Field(alias="runId")]
    message_id: Annotated[MessageId | MISSING, Field(alias="messageId")] = MISSING
    turn_id: Annotated[TurnId | MISSING, Field(alias="turnId")] = MISSING
    seq: Seq
    kind: Literal["media_data"] = constant("media_data")
    """Says which kind of delta this is."""
    payload: MediaDataDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    provider_raw: Annotated[JsonObject | MISSING, Field(alias="providerRaw")] = MISSING
    """The provider's raw event, for debugging only: nothing may depend on it."""


class MediaDataDeltaPayload(Model):
    """Content of a media_data delta. Each piece is Base64 by itself: bytes are joined, not
    letters.
    """

    media_id: Annotated[MediaId, Field(alias="mediaId")]
    data: Base64 | MISSING = MISSING
    """Bytes in place of all before."""
    data_delta: Annotated[Base64 | MISSING, Field(alias="dataDelta")] = MISSING
    """Bytes to append; behind data, where both are there."""
    transcript_delta: Annotated[StrictStr | MISSING, Field(alias="transcriptDelta")] = MISSING
    """What is said, to append, verbatim."""


class MediaEndDelta(Model):
    """Closes media."""

    run_id: Annotated[RunId, Field(alias="runId")]
    message_id: Annotated[MessageId | MISSING, Field(alias="messageId")] = MISSING
    turn_id: Annotated[TurnId | MISSING, Field(alias="turnId")] = MISSING
    seq: Seq
    kind: Literal["media_end"] = constant("media_end")
    """Says which kind of delta this is."""
    payload: MediaEndDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    provider_raw: Annotated[JsonObject | MISSING, Field(alias="providerRaw")] = MISSING
    """The provider's raw event, for debugging only: nothing may depend on it."""


class MediaEndDeltaPayload(Model):
    """Content of a media_end delta."""

    media_id: Annotated[MediaId, Field(alias="mediaId")]
    mime_type: Annotated[StrictStr | MISSING, Field(alias="mimeType", min_length=1)] = MISSING
    """Media type, in place of that of the start."""
    source: MediaSource | MISSING = MISSING
    """Where the media is, in place of the bytes that came."""
    size_bytes: Annotated[
        StrictInt | MISSING, Field(alias="sizeBytes", ge=0, le=9007199254740991)
    ] = MISSING
    """Size of the media, decoded, in bytes, as the producer says it."""
    opaque: Opaque | MISSING = MISSING
    """State of the media; a later one replaces an earlier one."""


MediaId = TypeAliasType("MediaId", Annotated[StrictStr, Field(min_length=1)])
"""Identifies media while it streams; unique within the stream."""


class MediaPart(Model):
    """Media of any type: audio, video, a document; also the whole of a large tool result, by
    reference.
    """

    kind: Literal["media"] = constant("media")
    """Says which kind of part this is."""
    payload: MediaPayload


class MediaPayload(Model):
    """Content of a media part."""

    mime_type: Annotated[StrictStr, Field(alias="mimeType", min_length=1)]
    """Media type, such as audio/wav."""
    source: MediaSource
    name: Annotated[StrictStr | MISSING, Field(min_length=1)] = MISSING
    """Name to show, such as that of a file."""
    size_bytes: Annotated[
        StrictInt | MISSING, Field(alias="sizeBytes", ge=0, le=9007199254740991)
    ] = MISSING
    """Size of the media, decoded, in bytes."""
    sha256: Annotated[
        StrictStr | MISSING, Field(max_length=64, min_length=64, pattern="^[0-9a-f]{64}$")
    ] = MISSING
    """SHA-256 of the media, decoded, as 64 lower-case hexadecimal digits."""
    transcript: StrictStr | MISSING = MISSING
    """What is said in it, verbatim."""
    opaque: Opaque | MISSING = MISSING
    """What the provider wants back with this part."""


class MediaStartDelta(Model):
    """Opens media that comes in pieces."""

    run_id: Annotated[RunId, Field(alias="runId")]
    message_id: Annotated[MessageId | MISSING, Field(alias="messageId")] = MISSING
    turn_id: Annotated[TurnId | MISSING, Field(alias="turnId")] = MISSING
    seq: Seq
    kind: Literal["media_start"] = constant("media_start")
    """Says which kind of delta this is."""
    payload: MediaStartDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    provider_raw: Annotated[JsonObject | MISSING, Field(alias="providerRaw")] = MISSING
    """The provider's raw event, for debugging only: nothing may depend on it."""


class MediaStartDeltaPayload(Model):
    """Content of a media_start delta."""

    media_id: Annotated[MediaId, Field(alias="mediaId")]
    mime_type: Annotated[StrictStr, Field(alias="mimeType", min_length=1)]
    """Media type, such as audio/wav; application/octet-stream where nobody says it."""
    name: Annotated[StrictStr | MISSING, Field(min_length=1)] = MISSING
    """Name to show, such as that of a file."""
    opaque: Opaque | MISSING = MISSING
    """State of the media; a later one replaces an earlier one."""


class Message(Model):
    """One message of a conversation: what is stored and what is sent to a model."""

    run_id: Annotated[RunId, Field(alias="runId")]
    message_id: Annotated[MessageId | MISSING, Field(alias="messageId")] = MISSING
    turn_id: Annotated[TurnId | MISSING, Field(alias="turnId")] = MISSING
    role: Role
    author: Author | MISSING = MISSING
    parts: list[MessagePart]
    """The content, in the order in which it came; the order never changes."""
    timestamp: Timestamp
    """When the message began."""
    meta: MessageMeta | MISSING = MISSING


MessageId = TypeAliasType("MessageId", Annotated[StrictStr, Field(min_length=1)])
"""Identifies one message; opaque, made by its producer, the same on every delta of a stream."""


class MessageMeta(OpenModel):
    """What is not the message's core: usage, trace. Members that are not named here are kept as
    they are. Two of these are providerFinishReason, the provider's own word for why the
    stream ended, and warnings, an array of the provider's warnings.
    """

    model_id: Annotated[StrictStr | MISSING, Field(alias="modelId")] = MISSING
    """The model that wrote the message."""
    request_id: Annotated[StrictStr | MISSING, Field(alias="requestId")] = MISSING
    """The provider's or the caller's id of the request."""
    finish_reason: Annotated[FinishReason | MISSING, Field(alias="finishReason")] = MISSING
    completed_at: Annotated[Timestamp | MISSING, Field(alias="completedAt")] = MISSING
    """When the stream ended."""
    usage: UsageSummary | MISSING = MISSING
    tool_call_parse_errors: Annotated[
        list[ToolCallParseError] | MISSING, Field(alias="toolCallParseErrors")
    ] = MISSING
    """Tool calls whose argument text was not a JSON object, in the order of their parts."""
    incomplete: Incomplete | MISSING = MISSING


class ModelConfig(OpenModel):
    """Configuration of a model. Members that are not named here are the provider's own and are
    kept as they are.
    """

    model_id: Annotated[StrictStr, Field(alias="modelId", min_length=1)]
    """The model to call."""
    temperature: Annotated[StrictFloat | MISSING, Field(ge=0.0)] = MISSING
    """Sampling temperature."""
    max_tokens: Annotated[
        StrictInt | MISSING, Field(alias="maxTokens", ge=1, le=9007199254740991)
    ] = MISSING
    """Most tokens that the answer may have."""
    top_p: Annotated[StrictFloat | MISSING, Field(alias="topP", ge=0.0, le=1.0)] = MISSING
    """Nucleus sampling: the probability mass that is considered."""
    stop_sequences: Annotated[list[StopSequence] | MISSING, Field(alias="stopSequences")] = MISSING
    """Texts at which the model stops."""
    tool_choice: Annotated[ToolChoice | MISSING, Field(alias="toolChoice")] = MISSING
    cache_config: Annotated[CacheConfig | MISSING, Field(alias="cacheConfig")] = MISSING


class ModelInfo(Model):
    """What is known of a model."""

    model_id: Annotated[StrictStr, Field(alias="modelId", min_length=1)]
    """The model's name at its provider."""
    provider: Annotated[StrictStr, Field(min_length=1)]
    """The provider's name."""
    context_window_tokens: Annotated[
        StrictInt | MISSING, Field(alias="contextWindowTokens", ge=0, le=9007199254740991)
    ] = MISSING
    """Most tokens of input and output together."""
    max_output_tokens: Annotated[
        StrictInt | MISSING, Field(alias="maxOutputTokens", ge=0, le=9007199254740991)
    ] = MISSING
    """Most tokens of one answer."""


class Opaque(Model):
    """What a provider wants back unchanged: signatures, encrypted reasoning, its own ids. Only
    that provider's adapter reads it.
    """

    provider: Annotated[StrictStr, Field(min_length=1)]
    """Whose it is: the provider API, such as anthropic-messages."""
    data: JsonObject
    """The provider's state; nobody else looks into it."""


Outcome = TypeAliasType("Outcome", Annotated[StrictStr, Field(min_length=1)])
"""How a call came out; partial: the tool stopped before it was done. An open string: a value
that is not known says no more than isError.
"""


ProviderFinishReason = TypeAliasType(
    "ProviderFinishReason", Annotated[StrictStr, Field(min_length=1)]
)
"""The provider's own word for why the stream ended, as it came."""


class RefSource(Model):
    """The media is kept apart, under a name that producer and consumer agreed on."""

    kind: Literal["ref"] = constant("ref")
    """Says which kind of source this is."""
    ref: Annotated[StrictStr, Field(min_length=1)]
    """The name of the media in that store."""


class RequestMetadata(Model):
    """Ties a request to its session, run and trace."""

    session_id: Annotated[StrictStr, Field(alias="sessionId", min_length=1)]
    """The session that the request belongs to."""
    run_id: Annotated[RunId, Field(alias="runId")]
    trace_id: Annotated[StrictStr, Field(alias="traceId", min_length=1)]
    """The trace that the request belongs to."""


Role = TypeAliasType("Role", Literal["system", "user", "assistant", "tool"])
"""Who speaks. A closed set."""


RunId = TypeAliasType("RunId", Annotated[StrictStr, Field(min_length=1)])
"""Identifies one run of the agent loop; the same on every message and delta of the run."""


Seq = TypeAliasType("Seq", Annotated[StrictInt, Field(ge=0, le=9007199254740991)])
"""Number of the delta within its stream; strictly increasing."""


class ServerToolCallArgsDelta(Model):
    """Adds argument text to an open call of a tool that the provider runs."""

    run_id: Annotated[RunId, Field(alias="runId")]
    message_id: Annotated[MessageId | MISSING, Field(alias="messageId")] = MISSING
    turn_id: Annotated[TurnId | MISSING, Field(alias="turnId")] = MISSING
    seq: Seq
    kind: Literal["server_tool_call_args"] = constant("server_tool_call_args")
    """Says which kind of delta this is."""
    payload: ToolCallArgsDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    provider_raw: Annotated[JsonObject | MISSING, Field(alias="providerRaw")] = MISSING
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ServerToolCallEndDelta(Model):
    """Closes a call of a tool that the provider runs; its argument text is parsed now."""

    run_id: Annotated[RunId, Field(alias="runId")]
    message_id: Annotated[MessageId | MISSING, Field(alias="messageId")] = MISSING
    turn_id: Annotated[TurnId | MISSING, Field(alias="turnId")] = MISSING
    seq: Seq
    kind: Literal["server_tool_call_end"] = constant("server_tool_call_end")
    """Says which kind of delta this is."""
    payload: ToolCallEndDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    provider_raw: Annotated[JsonObject | MISSING, Field(alias="providerRaw")] = MISSING
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ServerToolCallPart(Model):
    """A call of a tool that the provider runs itself. The caller does not run it."""

    kind: Literal["server_tool_call"] = constant("server_tool_call")
    """Says which kind of part this is."""
    payload: ToolCallPayload


class ServerToolCallStartDelta(Model):
    """Opens a call of a tool that the provider runs itself."""

    run_id: Annotated[RunId, Field(alias="runId")]
    message_id: Annotated[MessageId | MISSING, Field(alias="messageId")] = MISSING
    turn_id: Annotated[TurnId | MISSING, Field(alias="turnId")] = MISSING
    seq: Seq
    kind: Literal["server_tool_call_start"] = constant("server_tool_call_start")
    """Says which kind of delta this is."""
    payload: ToolCallStartDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    provider_raw: Annotated[JsonObject | MISSING, Field(alias="providerRaw")] = MISSING
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ServerToolResult(Model):
    """The result of a call that the provider ran; content of a server_tool_result part."""

    tool_call_id: Annotated[ToolCallId, Field(alias="toolCallId")]
    """The call that this is the result of; it may be in an earlier message."""
    is_error: Annotated[StrictBool, Field(alias="isError")]
    """Whether the tool failed."""
    content: ToolResultContent
    outcome: Outcome | MISSING = MISSING
    structured: StructuredValue | MISSING = MISSING
    opaque: Opaque | MISSING = MISSING
    """What the provider wants back with this part."""


class ServerToolResultDelta(Model):
    """The whole result of a call that the provider ran."""

    run_id: Annotated[RunId, Field(alias="runId")]
    message_id: Annotated[MessageId | MISSING, Field(alias="messageId")] = MISSING
    turn_id: Annotated[TurnId | MISSING, Field(alias="turnId")] = MISSING
    seq: Seq
    kind: Literal["server_tool_result"] = constant("server_tool_result")
    """Says which kind of delta this is."""
    payload: ServerToolResult
    timestamp: Timestamp
    """When the delta was made."""
    provider_raw: Annotated[JsonObject | MISSING, Field(alias="providerRaw")] = MISSING
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ServerToolResultPart(Model):
    """The result of a call that the provider ran."""

    kind: Literal["server_tool_result"] = constant("server_tool_result")
    """Says which kind of part this is."""
    payload: ServerToolResult


class SpecificTool(Model):
    """Exactly this tool must be called."""

    tool_name: Annotated[ToolName, Field(alias="toolName")]


class StartDelta(Model):
    """Opens the stream; always the first delta."""

    run_id: Annotated[RunId, Field(alias="runId")]
    message_id: Annotated[MessageId | MISSING, Field(alias="messageId")] = MISSING
    turn_id: Annotated[TurnId | MISSING, Field(alias="turnId")] = MISSING
    seq: Seq
    kind: Literal["start"] = constant("start")
    """Says which kind of delta this is."""
    payload: StartDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    provider_raw: Annotated[JsonObject | MISSING, Field(alias="providerRaw")] = MISSING
    """The provider's raw event, for debugging only: nothing may depend on it."""


class StartDeltaPayload(Model):
    """Content of a start delta."""

    model_id: Annotated[StrictStr, Field(alias="modelId")]
    """The model that answers."""
    request_id: Annotated[StrictStr, Field(alias="requestId")]
    """The provider's or the caller's id of the request."""
    author: Author | MISSING = MISSING
    format: TextFormat | MISSING = MISSING
    """The request asked for JSON: the format of each text part of the stream."""


StopSequence = TypeAliasType("StopSequence", Annotated[StrictStr, Field(min_length=1)])
"""A text at which the model stops."""


StructuredValue = TypeAliasType("StructuredValue", list[AnyJson] | StrictBool | AnyNumber | JsonObject | StrictStr)
"""A result as data, for programs: any JSON value but null. No provider gets it."""


class TextCitationDelta(Model):
    """Adds a citation to a text part; it makes no part and ends none."""

    run_id: Annotated[RunId, Field(alias="runId")]
    message_id: Annotated[MessageId | MISSING, Field(alias="messageId")] = MISSING
    turn_id: Annotated[TurnId | MISSING, Field(alias="turnId")] = MISSING
    seq: Seq
    kind: Literal["text_citation"] = constant("text_citation")
    """Says which kind of delta this is."""
    payload: TextCitationDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    provider_raw: Annotated[JsonObject | MISSING, Field(alias="providerRaw")] = MISSING
    """The provider's raw event, for debugging only: nothing may depend on it."""


class TextCitationDeltaPayload(Model):
    """Content of a text_citation delta."""

    citation: Citation
    part_index: Annotated[
        StrictInt | MISSING, Field(alias="partIndex", ge=0, le=9007199254740991)
    ] = MISSING
    """Which text part: its index among the parts that have begun, open calls and media counted;
    without it the last text part.
    """


class TextDelta(Model):
    """Adds text."""

    run_id: Annotated[RunId, Field(alias="runId")]
    message_id: Annotated[MessageId | MISSING, Field(alias="messageId")] = MISSING
    turn_id: Annotated[TurnId | MISSING, Field(alias="turnId")] = MISSING
    seq: Seq
    kind: Literal["text"] = constant("text")
    """Says which kind of delta this is."""
    payload: TextDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    provider_raw: Annotated[JsonObject | MISSING, Field(alias="providerRaw")] = MISSING
    """The provider's raw event, for debugging only: nothing may depend on it."""


class TextDeltaPayload(Model):
    """Content of a text delta."""

    text_delta: Annotated[StrictStr, Field(alias="textDelta")]
    """Text to append, verbatim."""
    opaque: Opaque | MISSING = MISSING
    """State of the part that this delta belongs to; it ends that part."""


class TextFormat(Model):
    """Says that the request asked for JSON here. It does not say that valid JSON came."""

    name: Annotated[StrictStr | MISSING, Field(min_length=1)] = MISSING
    """The name of the form, as the request had it."""
    schema_ref: Annotated[StrictStr | MISSING, Field(alias="schemaRef", min_length=1)] = MISSING
    """Where its JSON Schema can be found, as producer and consumer agreed; partwire does not
    open it.
    """


class TextPart(Model):
    """A piece of text."""

    kind: Literal["text"] = constant("text")
    """Says which kind of part this is."""
    payload: TextPayload


class TextPayload(Model):
    """Content of a text part."""

    text: StrictStr
    """The text, verbatim."""
    opaque: Opaque | MISSING = MISSING
    """What the provider wants back with this part."""
    citations: list[Citation] | MISSING = MISSING
    """What the text is based on, in the order in which the citations came."""
    format: TextFormat | MISSING = MISSING


class ThinkingDelta(Model):
    """Adds reasoning."""

    run_id: Annotated[RunId, Field(alias="runId")]
    message_id: Annotated[MessageId | MISSING, Field(alias="messageId")] = MISSING
    turn_id: Annotated[TurnId | MISSING, Field(alias="turnId")] = MISSING
    seq: Seq
    kind: Literal["thinking"] = constant("thinking")
    """Says which kind of delta this is."""
    payload: ThinkingDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    provider_raw: Annotated[JsonObject | MISSING, Field(alias="providerRaw")] = MISSING
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ThinkingDeltaPayload(Model):
    """Content of a thinking delta."""

    text_delta: Annotated[StrictStr, Field(alias="textDelta")]
    """Reasoning to append, verbatim."""
    opaque: Opaque | MISSING = MISSING
    """State of the part that this delta belongs to; it ends that part."""


class ThinkingPart(Model):
    """A piece of the model's reasoning."""

    kind: Literal["thinking"] = constant("thinking")
    """Says which kind of part this is."""
    payload: ThinkingPayload


class ThinkingPayload(Model):
    """Content of a thinking part."""

    text: StrictStr
    """The reasoning, verbatim."""
    opaque: Opaque | MISSING = MISSING
    """What the provider wants back with this part."""


Timestamp = TypeAliasType(
    "Timestamp",
    Annotated[
        StrictStr,
        Field(
            pattern="^(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$"
        ),
    ],
)
"""An instant: RFC 3339 date and time with a zone, upper-case T and Z, at most nine fraction
digits, a day that the calendar has, no leap second.
"""


class ToolCall(Model):
    """A tool call apart from a message, as a tool runner gets it."""

    tool_call_id: Annotated[ToolCallId, Field(alias="toolCallId")]
    tool_name: Annotated[ToolName, Field(alias="toolName")]
    arguments: JsonObject
    """The parsed arguments; an empty object where the text is not a JSON object."""


class ToolCallArgsDelta(Model):
    """Adds argument text to an open tool call."""

    run_id: Annotated[RunId, Field(alias="runId")]
    message_id: Annotated[MessageId | MISSING, Field(alias="messageId")] = MISSING
    turn_id: Annotated[TurnId | MISSING, Field(alias="turnId")] = MISSING
    seq: Seq
    kind: Literal["tool_call_args"] = constant("tool_call_args")
    """Says which kind of delta this is."""
    payload: ToolCallArgsDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    provider_raw: Annotated[JsonObject | MISSING, Field(alias="providerRaw")] = MISSING
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ToolCallArgsDeltaPayload(Model):
    """Content of a tool_call_args delta."""

    tool_call_id: Annotated[ToolCallId, Field(alias="toolCallId")]
    args_text_delta: Annotated[StrictStr, Field(alias="argsTextDelta")]
    """Argument text to append, verbatim; the whole is JSON only once the call ends."""
    opaque: Opaque | MISSING = MISSING
    """State of the call; a later one replaces an earlier one."""


class ToolCallEndDelta(Model):
    """Closes a tool call; its argument text is parsed now."""

    run_id: Annotated[RunId, Field(alias="runId")]
    message_id: Annotated[MessageId | MISSING, Field(alias="messageId")] = MISSING
    turn_id: Annotated[TurnId | MISSING, Field(alias="turnId")] = MISSING
    seq: Seq
    kind: Literal["tool_call_end"] = constant("tool_call_end")
    """Says which kind of delta this is."""
    payload: ToolCallEndDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    provider_raw: Annotated[JsonObject | MISSING, Field(alias="providerRaw")] = MISSING
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ToolCallEndDeltaPayload(Model):
    """Content of a tool_call_end delta."""

    tool_call_id: Annotated[ToolCallId, Field(alias="toolCallId")]
    opaque: Opaque | MISSING = MISSING
    """State of the call; a later one replaces an earlier one."""


ToolCallId = TypeAliasType("ToolCallId", Annotated[StrictStr, Field(min_length=1)])
"""Identifies one tool call; unique within a run."""


class ToolCallParseError(Model):
    """Says that the argument text of a tool call could not be used."""

    tool_call_id: Annotated[ToolCallId, Field(alias="toolCallId")]
    error: Literal["invalid_json", "not_an_object"]
    """What is wrong: the text is not JSON, or it is JSON but not an object."""


class ToolCallPart(Model):
    """A call of a tool that the model asks for."""

    kind: Literal["tool_call"] = constant("tool_call")
    """Says which kind of part this is."""
    payload: ToolCallPayload


class ToolCallPayload(Model):
    """Content of a tool_call part."""

    tool_call_id: Annotated[ToolCallId, Field(alias="toolCallId")]
    tool_name: Annotated[ToolName, Field(alias="toolName")]
    arguments: JsonObject
    """The parsed arguments; an empty object where the text is not a JSON object."""
    raw_args_text: Annotated[StrictStr | MISSING, Field(alias="rawArgsText")] = MISSING
    """The argument text as it came; present only where arguments does not say it all: the text
    was not a JSON object, or holds an integer beyond ±(2^53 - 1).
    """
    opaque: Opaque | MISSING = MISSING
    """What the provider wants back with this part."""


class ToolCallStartDelta(Model):
    """Opens a tool call."""

    run_id: Annotated[RunId, Field(alias="runId")]
    message_id: Annotated[MessageId | MISSING, Field(alias="messageId")] = MISSING
    turn_id: Annotated[TurnId | MISSING, Field(alias="turnId")] = MISSING
    seq: Seq
    kind: Literal["tool_call_start"] = constant("tool_call_start")
    """Says which kind of delta this is."""
    payload: ToolCallStartDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    provider_raw: Annotated[JsonObject | MISSING, Field(alias="providerRaw")] = MISSING
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ToolCallStartDeltaPayload(Model):
    """Content of a tool_call_start delta."""

    tool_call_id: Annotated[ToolCallId, Field(alias="toolCallId")]
    tool_name: Annotated[ToolName, Field(alias="toolName")]
    opaque: Opaque | MISSING = MISSING
    """State of the call; a later one replaces an earlier one."""


ToolChoiceMode = TypeAliasType("ToolChoiceMode", Literal["auto", "required", "none"])
"""auto: the model decides; required: at least one call; none: no call."""


ToolChoice = TypeAliasType("ToolChoice", ToolChoiceMode | SpecificTool)
"""Which tools the model may or must call."""


ToolName = TypeAliasType("ToolName", Annotated[StrictStr, Field(min_length=1)])
"""Name of the tool, as its specification gives it."""


class ToolResult(Model):
    """The result of one tool call; content of a tool_result part."""

    tool_call_id: Annotated[ToolCallId, Field(alias="toolCallId")]
    """The call that this is the result of."""
    is_error: Annotated[StrictBool, Field(alias="isError")]
    """Whether the tool failed."""
    content: ToolResultContent
    outcome: Outcome | MISSING = MISSING
    structured: StructuredValue | MISSING = MISSING


ToolResultContentPart = TypeAliasType(
    "ToolResultContentPart",
    Annotated[
        TextPart | ImagePart | FileRefPart | MediaPart, Field(discriminator="kind")
    ],
)
"""A part that may stand inside a tool result."""


ToolResultContent = TypeAliasType("ToolResultContent", StrictStr | list[ToolResultContentPart] | JsonObject)
"""What the tool gave back: text, parts, or any JSON object."""


class ToolResultPart(Model):
    """The result of one tool call."""

    kind: Literal["tool_result"] = constant("tool_result")
    """Says which kind of part this is."""
    payload: ToolResult


MessagePart = TypeAliasType(
    "MessagePart",
    Annotated[
        TextPart | ThinkingPart | ToolCallPart | ToolResultPart | ImagePart | FileRefPart | MediaPart | ServerToolCallPart | ServerToolResultPart | ApprovalRequestPart | ApprovalResponsePart,
        Field(discriminator="kind"),
    ],
)
"""A piece of content. The set of kinds is frozen within a version."""


class ToolSpec(ToolSpecModel):
    """A tool as the model sees it."""

    name: ToolName
    description: StrictStr | MISSING = MISSING
    """What the tool does and when to use it."""
    parameter_schema: Annotated[JsonObject, Field(alias="parameterSchema")]
    """JSON Schema of the arguments."""
    strict: StrictBool | MISSING = MISSING
    """Whether the provider shall hold the arguments to the schema."""


TurnId = TypeAliasType("TurnId", Annotated[StrictStr, Field(min_length=1)])
"""Identifies the turn that the message belongs to, such as a request of a user with all that
answers it; opaque, made by the producer.
"""


class UrlSource(Model):
    """The media is to be had at a URL."""

    kind: Literal["url"] = constant("url")
    """Says which kind of source this is."""
    url: Annotated[StrictStr, Field(min_length=1)]
    """Where the media is to be had."""


MediaSource = TypeAliasType(
    "MediaSource", Annotated[InlineSource | UrlSource | RefSource, Field(discriminator="kind")]
)
"""Where the media is."""


class UsageDelta(Model):
    """Reports usage so far."""

    run_id: Annotated[RunId, Field(alias="runId")]
    message_id: Annotated[MessageId | MISSING, Field(alias="messageId")] = MISSING
    turn_id: Annotated[TurnId | MISSING, Field(alias="turnId")] = MISSING
    seq: Seq
    kind: Literal["usage"] = constant("usage")
    """Says which kind of delta this is."""
    payload: UsageSummary
    timestamp: Timestamp
    """When the delta was made."""
    provider_raw: Annotated[JsonObject | MISSING, Field(alias="providerRaw")] = MISSING
    """The provider's raw event, for debugging only: nothing may depend on it."""


class UsageSummary(Model):
    """Tokens and cost of one stream. Figures are cumulative: a later one replaces an earlier
    one.
    """

    input_tokens: Annotated[StrictInt, Field(alias="inputTokens", ge=0, le=9007199254740991)]
    """Tokens read, cached ones included."""
    output_tokens: Annotated[StrictInt, Field(alias="outputTokens", ge=0, le=9007199254740991)]
    """Tokens written, reasoning included."""
    total_tokens: Annotated[StrictInt, Field(alias="totalTokens", ge=0, le=9007199254740991)]
    """The provider's total, else the sum."""
    reasoning_tokens: Annotated[
        StrictInt | MISSING, Field(alias="reasoningTokens", ge=0, le=9007199254740991)
    ] = MISSING
    """Tokens of reasoning; part of outputTokens."""
    cache_read_tokens: Annotated[
        StrictInt | MISSING, Field(alias="cacheReadTokens", ge=0, le=9007199254740991)
    ] = MISSING
    """Tokens read from a cache; part of inputTokens."""
    cache_write_tokens: Annotated[
        StrictInt | MISSING, Field(alias="cacheWriteTokens", ge=0, le=9007199254740991)
    ] = MISSING
    """Tokens written to a cache; part of inputTokens."""
    cost: Annotated[StrictFloat | MISSING, Field(ge=0.0)] = MISSING
    """Price of the request in US dollars."""


class WarningDelta(Model):
    """Reports a warning of the provider; the stream goes on."""

    run_id: Annotated[RunId, Field(alias="runId")]
    message_id: Annotated[MessageId | MISSING, Field(alias="messageId")] = MISSING
    turn_id: Annotated[TurnId | MISSING, Field(alias="turnId")] = MISSING
    seq: Seq
    kind: Literal["warning"] = constant("warning")
    """Says which kind of delta this is."""
    payload: WarningDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    provider_raw: Annotated[JsonObject | MISSING, Field(alias="providerRaw")] = MISSING
    """The provider's raw event, for debugging only: nothing may depend on it."""


MessageDelta = TypeAliasType(
    "MessageDelta",
    Annotated[
        StartDelta | TextDelta | ThinkingDelta | ToolCallStartDelta | ToolCallArgsDelta | ToolCallEndDelta | TextCitationDelta | ServerToolCallStartDelta | ServerToolCallArgsDelta | ServerToolCallEndDelta | ServerToolResultDelta | ApprovalRequestDelta | MediaStartDelta | MediaDataDelta | MediaEndDelta | WarningDelta | UsageDelta | DoneDelta | ErrorDelta,
        Field(discriminator="kind"),
    ],
)
"""One change of a message that is being written. A stream opens with start and ends with exactly
one done or error.
"""


class WarningDeltaPayload(Model):
    """Content of a warning delta."""

    code: Annotated[StrictStr, Field(min_length=1)]
    """What happened, to branch on. An open string."""
    message: StrictStr | MISSING = MISSING
    """The same for people, in the provider's words."""
    place: Annotated[StrictStr | MISSING, Field(min_length=1)] = MISSING
    """What it is about: a setting, a tool, a part of the request, in the provider's words."""


complete(globals())
