# Generated from schemas/v0.3 (digest 040c9f1755e81252) by codegen 1 with datamodel-code-generator 0.89.0.
# Do not edit: change the schemas, then run `python -m codegen`.

from __future__ import annotations

from typing import Annotated, Literal

from partwire.bindings.model import (
    MISSING,
    AnyJson,
    Model,
    StrictFloat,
    StrictInt,
    complete,
    constant,
)
from pydantic import Field, StrictBool, StrictStr
from typing_extensions import TypeAliasType


class AssistantInfo(Model):
    """Info of an assistant's message."""

    id: Uuid
    """Identifies the message."""
    role: Literal["assistant"] = constant("assistant")
    """Says who speaks."""
    time: MessageTime
    cost: Annotated[StrictFloat, Field(ge=0.0)]
    """Price of the message in US dollars, from the provider's answer."""
    tokens: TokenStats
    agent: Annotated[StrictStr, Field(min_length=1)]
    """Name of the agent that wrote the message."""
    path: MessagePath


class CacheTokenStats(Model):
    """Tokens of the prompt cache."""

    read: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """Tokens read from the cache."""
    write: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """Tokens written to the cache."""


class FileDiff(Model):
    """How one file was changed."""

    file: Annotated[StrictStr, Field(min_length=1)]
    """Path of the file."""
    before: StrictStr
    """Content before the change."""
    after: StrictStr
    """Content after the change."""
    additions: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """Lines added."""
    deletions: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """Lines deleted."""


class FilePart(Model):
    """A file."""

    id: Annotated[StrictStr, Field(min_length=1)]
    """Identifies the part; unique within its message."""
    session_id: Annotated[Uuid, Field(alias="sessionID")]
    """The session that the part belongs to."""
    message_id: Annotated[Uuid, Field(alias="messageID")]
    """The message that the part belongs to."""
    type: Literal["file"] = constant("file")
    """Says which type of part this is."""
    mime: Annotated[StrictStr, Field(min_length=1)]
    """Media type of the file."""
    filename: StrictStr | MISSING = MISSING
    """Name of the file."""
    url: Annotated[StrictStr, Field(min_length=1)]
    """Where the file is to be had."""
    source: FilePartSource | MISSING = MISSING


class FileSource(Model):
    """The file was named by its path."""

    type: Literal["file"] = constant("file")
    """Says which type of source this is."""
    path: Annotated[StrictStr, Field(min_length=1)]
    """Path of the file."""
    text: SourceText


class InvalidStateTransitionDetails(Model):
    """What was attempted, and what is allowed."""

    current_status: Annotated[ToolStatus, Field(alias="currentStatus")]
    attempted_status: Annotated[StrictStr, Field(alias="attemptedStatus")]
    """The status that was asked for."""
    valid_transitions: Annotated[list[StrictStr], Field(alias="validTransitions")]
    """The statuses that may follow the current one."""


class InvalidStateTransitionError(Model):
    """The document that says that a transition is not allowed."""

    name: Literal["InvalidStateTransition"] = constant("InvalidStateTransition")
    """Names the error."""
    message: StrictStr
    """What was attempted, for people."""
    details: InvalidStateTransitionDetails


JsonObject = TypeAliasType("JsonObject", dict[str, AnyJson])
"""Any JSON object; its members are kept as they are."""


class MessagePath(Model):
    """Where the agent worked."""

    cwd: StrictStr
    """The working folder."""
    root: StrictStr
    """The project's root folder."""


class MessageTime(Model):
    """When a message was made and completed."""

    created: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """When the message was made. Milliseconds since the epoch."""
    completed: Annotated[StrictInt | MISSING, Field(ge=0, le=9007199254740991)] = MISSING
    """When the message was complete; absent while it is being written. Milliseconds since the
    epoch.
    """


class ModelRef(Model):
    """Names a model of a provider."""

    provider_id: Annotated[StrictStr, Field(alias="providerID", min_length=1)]
    """The provider."""
    model_id: Annotated[StrictStr, Field(alias="modelID", min_length=1)]
    """The model."""


class ReasoningPart(Model):
    """Reasoning of the model."""

    id: Annotated[StrictStr, Field(min_length=1)]
    """Identifies the part; unique within its message."""
    session_id: Annotated[Uuid, Field(alias="sessionID")]
    """The session that the part belongs to."""
    message_id: Annotated[Uuid, Field(alias="messageID")]
    """The message that the part belongs to."""
    type: Literal["reasoning"] = constant("reasoning")
    """Says which type of part this is."""
    text: StrictStr
    """The reasoning."""
    metadata: JsonObject | MISSING = MISSING
    """Free data of the producer."""
    time: ReasoningTime


class ReasoningTime(Model):
    """When the reasoning was written."""

    start: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """When the reasoning began. Milliseconds since the epoch."""
    end: Annotated[StrictInt | MISSING, Field(ge=0, le=9007199254740991)] = MISSING
    """When the reasoning ended. Milliseconds since the epoch."""


class ResourceSource(Model):
    """The file is a resource of a client."""

    type: Literal["resource"] = constant("resource")
    """Says which type of source this is."""
    client_name: Annotated[StrictStr, Field(alias="clientName", min_length=1)]
    """Name of the client that has the resource."""
    uri: Annotated[StrictStr, Field(min_length=1)]
    """URI of the resource."""
    text: SourceText


class SourcePosition(Model):
    """A position in a text file."""

    line: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """Line, counted from 0."""
    character: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """UTF-16 code unit within the line, counted from 0."""


class SourceRange(Model):
    """A range of a text file."""

    start: SourcePosition
    """Where the range begins."""
    end: SourcePosition
    """Where the range ends, exclusive."""


class SourceText(Model):
    """The place in the prompt that named the file."""

    value: StrictStr
    """The text that named the file."""
    start: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """Where the text begins, in UTF-16 code units of the prompt, counted from 0."""
    end: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """Where the text ends, exclusive, in UTF-16 code units of the prompt."""


class StepFinishPart(Model):
    """A step of the agent loop ends."""

    id: Annotated[StrictStr, Field(min_length=1)]
    """Identifies the part; unique within its message."""
    session_id: Annotated[Uuid, Field(alias="sessionID")]
    """The session that the part belongs to."""
    message_id: Annotated[Uuid, Field(alias="messageID")]
    """The message that the part belongs to."""
    type: Literal["step-finish"] = constant("step-finish")
    """Says which type of part this is."""
    reason: Annotated[StrictStr, Field(min_length=1)]
    """Why the step ended. An open string."""
    snapshot: StrictStr | MISSING = MISSING
    """Identifies the snapshot of the workspace."""
    cost: Annotated[StrictFloat, Field(ge=0.0)]
    """Price of the step in US dollars."""
    tokens: TokenStats


class StepStartPart(Model):
    """A step of the agent loop begins."""

    id: Annotated[StrictStr, Field(min_length=1)]
    """Identifies the part; unique within its message."""
    session_id: Annotated[Uuid, Field(alias="sessionID")]
    """The session that the part belongs to."""
    message_id: Annotated[Uuid, Field(alias="messageID")]
    """The message that the part belongs to."""
    type: Literal["step-start"] = constant("step-start")
    """Says which type of part this is."""
    snapshot: StrictStr | MISSING = MISSING
    """Identifies the snapshot of the workspace."""


class SymbolSource(Model):
    """The file was named by a symbol in it."""

    type: Literal["symbol"] = constant("symbol")
    """Says which type of source this is."""
    path: Annotated[StrictStr, Field(min_length=1)]
    """Path of the file."""
    range: SourceRange
    name: Annotated[StrictStr, Field(min_length=1)]
    """Name of the symbol."""
    kind: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """Kind of the symbol, as the Language Server Protocol numbers them."""
    text: SourceText


FilePartSource = TypeAliasType(
    "FilePartSource",
    Annotated[
        FileSource | SymbolSource | ResourceSource, Field(discriminator="type")
    ],
)
"""Where a file part comes from."""


class TextPart(Model):
    """Text of the user or the model."""

    id: Annotated[StrictStr, Field(min_length=1)]
    """Identifies the part; unique within its message."""
    session_id: Annotated[Uuid, Field(alias="sessionID")]
    """The session that the part belongs to."""
    message_id: Annotated[Uuid, Field(alias="messageID")]
    """The message that the part belongs to."""
    type: Literal["text"] = constant("text")
    """Says which type of part this is."""
    text: StrictStr
    """The text."""
    synthetic: StrictBool | MISSING = MISSING
    """Whether the text was made by the program, not by user or model."""
    ignored: StrictBool | MISSING = MISSING
    """Whether the text is kept from the model."""
    time: TextTime | MISSING = MISSING
    metadata: JsonObject | MISSING = MISSING
    """Free data of the producer."""


class TextTime(Model):
    """When the text was written."""

    start: Annotated[StrictInt | MISSING, Field(ge=0, le=9007199254740991)] = MISSING
    """When the text began. Milliseconds since the epoch."""
    end: Annotated[StrictInt | MISSING, Field(ge=0, le=9007199254740991)] = MISSING
    """When the text ended. Milliseconds since the epoch."""


class TokenStats(Model):
    """Tokens of a step or a message."""

    input: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """Tokens read, without those of the cache."""
    output: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """Tokens written, without those of reasoning; older writers count them in."""
    reasoning: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """Tokens of reasoning."""
    cache: CacheTokenStats
    total: Annotated[StrictInt | MISSING, Field(ge=0, le=9007199254740991)] = MISSING
    """All tokens, as the provider counts them; tells whether output holds those of reasoning."""


class ToolApproval(Model):
    """What a person was asked about the call, and what was decided."""

    id: Annotated[StrictStr, Field(min_length=1)]
    """Identifies the request."""
    reason: StrictStr | MISSING = MISSING
    """Why it was asked."""
    choices: Annotated[list[ToolApprovalChoice] | MISSING, Field(min_length=1)] = MISSING
    """What the person could choose from, if it was more than yes or no."""
    decision: Annotated[StrictStr | MISSING, Field(min_length=1)] = MISSING
    """What was decided. An open string: the call runs if it is approved, and on no other value."""
    choice: Annotated[StrictStr | MISSING, Field(min_length=1)] = MISSING
    """The id of the choice that was taken. It does not say whether the call runs: decision does."""
    note: StrictStr | MISSING = MISSING
    """Why it was decided so; reason of an approval_response."""
    decided_by: Annotated[StrictStr | MISSING, Field(alias="decidedBy")] = MISSING
    """Who decided."""
    arguments: JsonObject | MISSING = MISSING
    """What ran instead of input."""
    time: ToolApprovalTime | MISSING = MISSING


class ToolApprovalChoice(Model):
    """One of several answers that an approval request offers."""

    id: Annotated[StrictStr, Field(min_length=1)]
    """Identifies the choice within its request; the answer names it."""
    label: StrictStr | MISSING = MISSING
    """What to show to the person; without it, the id."""
    decision: Annotated[StrictStr | MISSING, Field(min_length=1)] = MISSING
    """What taking this choice decides. An open string."""


class ToolApprovalTime(Model):
    """When it was asked and decided."""

    requested: Annotated[StrictInt | MISSING, Field(ge=0, le=9007199254740991)] = MISSING
    """When it was asked. Milliseconds since the epoch."""
    decided: Annotated[StrictInt | MISSING, Field(ge=0, le=9007199254740991)] = MISSING
    """When it was decided. Milliseconds since the epoch."""


class ToolCompletedTime(Model):
    """When the execution began and ended, and when its output was compacted."""

    start: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """When the execution began. Milliseconds since the epoch."""
    end: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """When the execution ended. Milliseconds since the epoch."""
    compacted: Annotated[StrictInt | MISSING, Field(ge=0, le=9007199254740991)] = MISSING
    """When the output was dropped to save context. Milliseconds since the epoch."""


class ToolEndTime(Model):
    """When the execution began and ended."""

    start: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """When the execution began. Milliseconds since the epoch."""
    end: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """When the execution ended. Milliseconds since the epoch."""


class ToolPart(Model):
    """A tool call and its state."""

    id: Annotated[StrictStr, Field(min_length=1)]
    """Identifies the part; unique within its message."""
    session_id: Annotated[Uuid, Field(alias="sessionID")]
    """The session that the part belongs to."""
    message_id: Annotated[Uuid, Field(alias="messageID")]
    """The message that the part belongs to."""
    type: Literal["tool"] = constant("tool")
    """Says which type of part this is."""
    call_id: Annotated[StrictStr, Field(alias="callID", min_length=1)]
    """Identifies the tool call."""
    tool: Annotated[StrictStr, Field(min_length=1)]
    """Name of the tool."""
    state: ToolState
    metadata: JsonObject | MISSING = MISSING
    """Free data of the producer."""


Part = TypeAliasType(
    "Part",
    Annotated[
        TextPart | ReasoningPart | ToolPart | StepStartPart | StepFinishPart | FilePart,
        Field(discriminator="type"),
    ],
)
"""A part of a message."""


class ToolStartTime(Model):
    """When the execution began."""

    start: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """When the execution began. Milliseconds since the epoch."""


class ToolStateAwaitingApproval(Model):
    """The call waits until a person has decided."""

    status: Literal["awaiting_approval"] = constant("awaiting_approval")
    """Says which state this is."""
    input: JsonObject
    """The parsed arguments."""
    raw: StrictStr
    """The argument text as the model wrote it."""
    approval: ToolApproval
    metadata: JsonObject | MISSING = MISSING
    """Free data of the producer."""


class ToolStateCompleted(Model):
    """The tool has finished."""

    status: Literal["completed"] = constant("completed")
    """Says which state this is."""
    input: JsonObject
    """The parsed arguments."""
    output: Annotated[StrictStr, Field(min_length=1)]
    """The result; never empty."""
    title: StrictStr
    """What the tool did, for people."""
    metadata: JsonObject
    """Free data of the producer."""
    time: ToolCompletedTime
    attachments: list[FilePart] | MISSING = MISSING
    """Files that belong to the result."""
    approval: ToolApproval | MISSING = MISSING


class ToolStateDenied(Model):
    """The call was not approved, and never runs."""

    status: Literal["denied"] = constant("denied")
    """Says which state this is."""
    input: JsonObject
    """The parsed arguments."""
    approval: ToolApproval
    error: Annotated[StrictStr | MISSING, Field(min_length=1)] = MISSING
    """What the model got instead of a result; never empty."""
    metadata: JsonObject | MISSING = MISSING
    """Free data of the producer."""


class ToolStateError(Model):
    """The tool has failed."""

    status: Literal["error"] = constant("error")
    """Says which state this is."""
    input: JsonObject
    """The parsed arguments."""
    error: Annotated[StrictStr, Field(min_length=1)]
    """What went wrong; never empty."""
    metadata: JsonObject | MISSING = MISSING
    """Free data of the producer."""
    time: ToolEndTime
    approval: ToolApproval | MISSING = MISSING


class ToolStatePending(Model):
    """The call is waiting to be executed."""

    status: Literal["pending"] = constant("pending")
    """Says which state this is."""
    input: JsonObject
    """The parsed arguments."""
    raw: StrictStr
    """The argument text as the model wrote it."""


class ToolStateRunning(Model):
    """The tool is being executed."""

    status: Literal["running"] = constant("running")
    """Says which state this is."""
    input: JsonObject
    """The parsed arguments."""
    title: StrictStr | MISSING = MISSING
    """What the tool is doing, for people."""
    metadata: JsonObject | MISSING = MISSING
    """Free data of the producer."""
    time: ToolStartTime
    approval: ToolApproval | MISSING = MISSING


ToolState = TypeAliasType(
    "ToolState",
    Annotated[
        ToolStatePending | ToolStateAwaitingApproval | ToolStateRunning | ToolStateCompleted | ToolStateError | ToolStateDenied,
        Field(discriminator="status"),
    ],
)
"""State of a tool call."""


ToolStatus = TypeAliasType("ToolStatus", Literal["pending", "awaiting_approval", "running", "completed", "error", "denied"])
"""Name of a tool state."""


ToolSwitches = TypeAliasType("ToolSwitches", dict[str, StrictBool])
"""Tools by name, and whether they are switched on."""


class UserInfo(Model):
    """Info of a user's message."""

    id: Uuid
    """Identifies the message."""
    role: Literal["user"] = constant("user")
    """Says who speaks."""
    time: MessageTime
    summary: UserSummary | MISSING = MISSING
    agent: Annotated[StrictStr, Field(min_length=1)]
    """Name of the agent that the message is for."""
    model: ModelRef
    system: StrictStr | MISSING = MISSING
    """A system prompt for this message."""
    tools: ToolSwitches | MISSING = MISSING
    variant: StrictStr | MISSING = MISSING
    """Variant of the model."""


MessageInfo = TypeAliasType(
    "MessageInfo", Annotated[UserInfo | AssistantInfo, Field(discriminator="role")]
)
"""What is known of a message beside its parts."""


class UserSummary(Model):
    """Summary of what a message led to; made only when the context is compacted."""

    title: StrictStr | MISSING = MISSING
    """One line."""
    body: StrictStr | MISSING = MISSING
    """The summary."""
    diffs: list[FileDiff] | MISSING = MISSING
    """Files that were changed."""


Uuid = TypeAliasType(
    "Uuid",
    Annotated[
        StrictStr,
        Field(
            max_length=36,
            min_length=36,
            pattern="^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$",
        ),
    ],
)
"""A UUID in the text form of RFC 9562: 32 hexadecimal digits of either case in five groups,
without prefix or braces.
"""


class ValidationFinding(Model):
    """One finding."""

    rule: Annotated[StrictStr, Field(min_length=1)]
    """Id of the rule."""
    message: StrictStr
    """What is wrong, for people."""
    pointer: StrictStr
    """JSON Pointer to the place."""
    severity: Literal["error", "warning", "info"]
    """How grave it is."""
    expected: StrictStr | MISSING = MISSING
    """What the rule allows."""
    actual: StrictStr | MISSING = MISSING
    """What is there, at most 80 characters."""


class ValidationResult(Model):
    """What the validation of a part found."""

    valid: StrictBool
    """Whether nothing of severity error was found."""
    findings: list[ValidationFinding]
    """What was found, in document order."""


class WithParts(Model):
    """A message of a session with its parts."""

    info: MessageInfo
    parts: list[Part]
    """The parts, in order."""


complete(globals())
