# Generated from schemas/v0.3 (digest 040c9f1755e81252) by codegen 1 with datamodel-code-generator 0.89.0.
# Do not edit: change the schemas, then run `python -m codegen`.

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType, field
from partwire.bindings.struct import Struct


class AssistantInfo(Struct, frozen=True, gc=False, kw_only=True, tag_field="role", tag="assistant"):
    """Info of an assistant's message."""

    id: Uuid
    """Identifies the message."""
    role: ClassVar[Literal["assistant"]] = "assistant"
    """Says who speaks."""
    time: MessageTime
    cost: Annotated[float, Meta(ge=0.0)]
    """Price of the message in US dollars, from the provider's answer."""
    tokens: TokenStats
    agent: Annotated[str, Meta(min_length=1)]
    """Name of the agent that wrote the message."""
    path: MessagePath


class CacheTokenStats(Struct, frozen=True, gc=False, kw_only=True):
    """Tokens of the prompt cache."""

    read: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """Tokens read from the cache."""
    write: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """Tokens written to the cache."""


class FileDiff(Struct, frozen=True, gc=False, kw_only=True):
    """How one file was changed."""

    file: Annotated[str, Meta(min_length=1)]
    """Path of the file."""
    before: str
    """Content before the change."""
    after: str
    """Content after the change."""
    additions: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """Lines added."""
    deletions: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """Lines deleted."""


class FilePart(Struct, frozen=True, kw_only=True, tag_field="type", tag="file"):
    """A file."""

    id: Annotated[str, Meta(min_length=1)]
    """Identifies the part; unique within its message."""
    session_id: Uuid = field(name="sessionID")
    """The session that the part belongs to."""
    message_id: Uuid = field(name="messageID")
    """The message that the part belongs to."""
    type: ClassVar[Literal["file"]] = "file"
    """Says which type of part this is."""
    mime: Annotated[str, Meta(min_length=1)]
    """Media type of the file."""
    url: Annotated[str, Meta(min_length=1)]
    """Where the file is to be had."""
    filename: str | UnsetType = UNSET
    """Name of the file."""
    source: FilePartSource | UnsetType = UNSET


class FileSource(Struct, frozen=True, gc=False, kw_only=True, tag_field="type", tag="file"):
    """The file was named by its path."""

    type: ClassVar[Literal["file"]] = "file"
    """Says which type of source this is."""
    path: Annotated[str, Meta(min_length=1)]
    """Path of the file."""
    text: SourceText


class InvalidStateTransitionDetails(Struct, frozen=True, kw_only=True):
    """What was attempted, and what is allowed."""

    current_status: ToolStatus = field(name="currentStatus")
    attempted_status: str = field(name="attemptedStatus")
    """The status that was asked for."""
    valid_transitions: list[str] = field(name="validTransitions")
    """The statuses that may follow the current one."""


class InvalidStateTransitionError(Struct, frozen=True, kw_only=True):
    """The document that says that a transition is not allowed."""

    name: Literal["InvalidStateTransition"]
    """Names the error."""
    message: str
    """What was attempted, for people."""
    details: InvalidStateTransitionDetails


JsonObject: TypeAlias = dict[str, Any]
"""Any JSON object; its members are kept as they are."""


class MessagePath(Struct, frozen=True, gc=False, kw_only=True):
    """Where the agent worked."""

    cwd: str
    """The working folder."""
    root: str
    """The project's root folder."""


class MessageTime(Struct, frozen=True, gc=False, kw_only=True):
    """When a message was made and completed."""

    created: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """When the message was made. Milliseconds since the epoch."""
    completed: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = UNSET
    """When the message was complete; absent while it is being written. Milliseconds since the
    epoch.
    """


class ModelRef(Struct, frozen=True, gc=False, kw_only=True):
    """Names a model of a provider."""

    provider_id: Annotated[str, Meta(min_length=1)] = field(name="providerID")
    """The provider."""
    model_id: Annotated[str, Meta(min_length=1)] = field(name="modelID")
    """The model."""


class ReasoningPart(Struct, frozen=True, gc=False, kw_only=True, tag_field="type", tag="reasoning"):
    """Reasoning of the model."""

    id: Annotated[str, Meta(min_length=1)]
    """Identifies the part; unique within its message."""
    session_id: Uuid = field(name="sessionID")
    """The session that the part belongs to."""
    message_id: Uuid = field(name="messageID")
    """The message that the part belongs to."""
    type: ClassVar[Literal["reasoning"]] = "reasoning"
    """Says which type of part this is."""
    text: str
    """The reasoning."""
    time: ReasoningTime
    metadata: JsonObject | UnsetType = UNSET
    """Free data of the producer."""


class ReasoningTime(Struct, frozen=True, gc=False, kw_only=True):
    """When the reasoning was written."""

    start: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """When the reasoning began. Milliseconds since the epoch."""
    end: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = UNSET
    """When the reasoning ended. Milliseconds since the epoch."""


class ResourceSource(Struct, frozen=True, gc=False, kw_only=True, tag_field="type", tag="resource"):
    """The file is a resource of a client."""

    type: ClassVar[Literal["resource"]] = "resource"
    """Says which type of source this is."""
    client_name: Annotated[str, Meta(min_length=1)] = field(name="clientName")
    """Name of the client that has the resource."""
    uri: Annotated[str, Meta(min_length=1)]
    """URI of the resource."""
    text: SourceText


class SourcePosition(Struct, frozen=True, gc=False, kw_only=True):
    """A position in a text file."""

    line: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """Line, counted from 0."""
    character: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """UTF-16 code unit within the line, counted from 0."""


class SourceRange(Struct, frozen=True, gc=False, kw_only=True):
    """A range of a text file."""

    start: SourcePosition
    """Where the range begins."""
    end: SourcePosition
    """Where the range ends, exclusive."""


class SourceText(Struct, frozen=True, gc=False, kw_only=True):
    """The place in the prompt that named the file."""

    value: str
    """The text that named the file."""
    start: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """Where the text begins, in UTF-16 code units of the prompt, counted from 0."""
    end: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """Where the text ends, exclusive, in UTF-16 code units of the prompt."""


class StepFinishPart(Struct, frozen=True, gc=False, kw_only=True, tag_field="type", tag="step-finish"):
    """A step of the agent loop ends."""

    id: Annotated[str, Meta(min_length=1)]
    """Identifies the part; unique within its message."""
    session_id: Uuid = field(name="sessionID")
    """The session that the part belongs to."""
    message_id: Uuid = field(name="messageID")
    """The message that the part belongs to."""
    type: ClassVar[Literal["step-finish"]] = "step-finish"
    """Says which type of part this is."""
    reason: Annotated[str, Meta(min_length=1)]
    """Why the step ended. An open string."""
    cost: Annotated[float, Meta(ge=0.0)]
    """Price of the step in US dollars."""
    tokens: TokenStats
    snapshot: str | UnsetType = UNSET
    """Identifies the snapshot of the workspace."""


class StepStartPart(Struct, frozen=True, gc=False, kw_only=True, tag_field="type", tag="step-start"):
    """A step of the agent loop begins."""

    id: Annotated[str, Meta(min_length=1)]
    """Identifies the part; unique within its message."""
    session_id: Uuid = field(name="sessionID")
    """The session that the part belongs to."""
    message_id: Uuid = field(name="messageID")
    """The message that the part belongs to."""
    type: ClassVar[Literal["step-start"]] = "step-start"
    """Says which type of part this is."""
    snapshot: str | UnsetType = UNSET
    """Identifies the snapshot of the workspace."""


class SymbolSource(Struct, frozen=True, gc=False, kw_only=True, tag_field="type", tag="symbol"):
    """The file was named by a symbol in it."""

    type: ClassVar[Literal["symbol"]] = "symbol"
    """Says which type of source this is."""
    path: Annotated[str, Meta(min_length=1)]
    """Path of the file."""
    range: SourceRange
    name: Annotated[str, Meta(min_length=1)]
    """Name of the symbol."""
    kind: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """Kind of the symbol, as the Language Server Protocol numbers them."""
    text: SourceText


FilePartSource: TypeAlias = FileSource | SymbolSource | ResourceSource
"""Where a file part comes from."""


class TextPart(Struct, frozen=True, gc=False, kw_only=True, tag_field="type", tag="text"):
    """Text of the user or the model."""

    id: Annotated[str, Meta(min_length=1)]
    """Identifies the part; unique within its message."""
    session_id: Uuid = field(name="sessionID")
    """The session that the part belongs to."""
    message_id: Uuid = field(name="messageID")
    """The message that the part belongs to."""
    type: ClassVar[Literal["text"]] = "text"
    """Says which type of part this is."""
    text: str
    """The text."""
    synthetic: bool | UnsetType = UNSET
    """Whether the text was made by the program, not by user or model."""
    ignored: bool | UnsetType = UNSET
    """Whether the text is kept from the model."""
    time: TextTime | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET
    """Free data of the producer."""


class TextTime(Struct, frozen=True, gc=False, kw_only=True):
    """When the text was written."""

    start: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = UNSET
    """When the text began. Milliseconds since the epoch."""
    end: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = UNSET
    """When the text ended. Milliseconds since the epoch."""


class TokenStats(Struct, frozen=True, gc=False, kw_only=True):
    """Tokens of a step or a message."""

    input: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """Tokens read, without those of the cache."""
    output: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """Tokens written, without those of reasoning; older writers count them in."""
    reasoning: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """Tokens of reasoning."""
    cache: CacheTokenStats
    total: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = UNSET
    """All tokens, as the provider counts them; tells whether output holds those of reasoning."""


class ToolApproval(Struct, frozen=True, kw_only=True):
    """What a person was asked about the call, and what was decided."""

    id: Annotated[str, Meta(min_length=1)]
    """Identifies the request."""
    reason: str | UnsetType = UNSET
    """Why it was asked."""
    choices: Annotated[list[ToolApprovalChoice], Meta(min_length=1)] | UnsetType = UNSET
    """What the person could choose from, if it was more than yes or no."""
    decision: Annotated[str, Meta(min_length=1)] | UnsetType = UNSET
    """What was decided. An open string: the call runs if it is approved, and on no other value."""
    choice: Annotated[str, Meta(min_length=1)] | UnsetType = UNSET
    """The id of the choice that was taken. It does not say whether the call runs: decision does."""
    note: str | UnsetType = UNSET
    """Why it was decided so; reason of an approval_response."""
    decided_by: str | UnsetType = field(name="decidedBy", default=UNSET)
    """Who decided."""
    arguments: JsonObject | UnsetType = UNSET
    """What ran instead of input."""
    time: ToolApprovalTime | UnsetType = UNSET


class ToolApprovalChoice(Struct, frozen=True, gc=False, kw_only=True):
    """One of several answers that an approval request offers."""

    id: Annotated[str, Meta(min_length=1)]
    """Identifies the choice within its request; the answer names it."""
    label: str | UnsetType = UNSET
    """What to show to the person; without it, the id."""
    decision: Annotated[str, Meta(min_length=1)] | UnsetType = UNSET
    """What taking this choice decides. An open string."""


class ToolApprovalTime(Struct, frozen=True, gc=False, kw_only=True):
    """When it was asked and decided."""

    requested: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = UNSET
    """When it was asked. Milliseconds since the epoch."""
    decided: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = UNSET
    """When it was decided. Milliseconds since the epoch."""


class ToolCompletedTime(Struct, frozen=True, gc=False, kw_only=True):
    """When the execution began and ended, and when its output was compacted."""

    start: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """When the execution began. Milliseconds since the epoch."""
    end: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """When the execution ended. Milliseconds since the epoch."""
    compacted: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = UNSET
    """When the output was dropped to save context. Milliseconds since the epoch."""


class ToolEndTime(Struct, frozen=True, gc=False, kw_only=True):
    """When the execution began and ended."""

    start: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """When the execution began. Milliseconds since the epoch."""
    end: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """When the execution ended. Milliseconds since the epoch."""


class ToolPart(Struct, frozen=True, kw_only=True, tag_field="type", tag="tool"):
    """A tool call and its state."""

    id: Annotated[str, Meta(min_length=1)]
    """Identifies the part; unique within its message."""
    session_id: Uuid = field(name="sessionID")
    """The session that the part belongs to."""
    message_id: Uuid = field(name="messageID")
    """The message that the part belongs to."""
    type: ClassVar[Literal["tool"]] = "tool"
    """Says which type of part this is."""
    call_id: Annotated[str, Meta(min_length=1)] = field(name="callID")
    """Identifies the tool call."""
    tool: Annotated[str, Meta(min_length=1)]
    """Name of the tool."""
    state: ToolState
    metadata: JsonObject | UnsetType = UNSET
    """Free data of the producer."""


Part: TypeAlias = TextPart | ReasoningPart | ToolPart | StepStartPart | StepFinishPart | FilePart
"""A part of a message."""


class ToolStartTime(Struct, frozen=True, gc=False, kw_only=True):
    """When the execution began."""

    start: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """When the execution began. Milliseconds since the epoch."""


class ToolStateAwaitingApproval(Struct, frozen=True, kw_only=True, tag_field="status", tag="awaiting_approval"):
    """The call waits until a person has decided."""

    status: ClassVar[Literal["awaiting_approval"]] = "awaiting_approval"
    """Says which state this is."""
    input: JsonObject
    """The parsed arguments."""
    raw: str
    """The argument text as the model wrote it."""
    approval: ToolApproval
    metadata: JsonObject | UnsetType = UNSET
    """Free data of the producer."""


class ToolStateCompleted(Struct, frozen=True, kw_only=True, tag_field="status", tag="completed"):
    """The tool has finished."""

    status: ClassVar[Literal["completed"]] = "completed"
    """Says which state this is."""
    input: JsonObject
    """The parsed arguments."""
    output: Annotated[str, Meta(min_length=1)]
    """The result; never empty."""
    title: str
    """What the tool did, for people."""
    metadata: JsonObject
    """Free data of the producer."""
    time: ToolCompletedTime
    attachments: list[FilePart] | UnsetType = UNSET
    """Files that belong to the result."""
    approval: ToolApproval | UnsetType = UNSET


class ToolStateDenied(Struct, frozen=True, kw_only=True, tag_field="status", tag="denied"):
    """The call was not approved, and never runs."""

    status: ClassVar[Literal["denied"]] = "denied"
    """Says which state this is."""
    input: JsonObject
    """The parsed arguments."""
    approval: ToolApproval
    error: Annotated[str, Meta(min_length=1)] | UnsetType = UNSET
    """What the model got instead of a result; never empty."""
    metadata: JsonObject | UnsetType = UNSET
    """Free data of the producer."""


class ToolStateError(Struct, frozen=True, kw_only=True, tag_field="status", tag="error"):
    """The tool has failed."""

    status: ClassVar[Literal["error"]] = "error"
    """Says which state this is."""
    input: JsonObject
    """The parsed arguments."""
    error: Annotated[str, Meta(min_length=1)]
    """What went wrong; never empty."""
    time: ToolEndTime
    metadata: JsonObject | UnsetType = UNSET
    """Free data of the producer."""
    approval: ToolApproval | UnsetType = UNSET


class ToolStatePending(Struct, frozen=True, gc=False, kw_only=True, tag_field="status", tag="pending"):
    """The call is waiting to be executed."""

    status: ClassVar[Literal["pending"]] = "pending"
    """Says which state this is."""
    input: JsonObject
    """The parsed arguments."""
    raw: str
    """The argument text as the model wrote it."""


class ToolStateRunning(Struct, frozen=True, kw_only=True, tag_field="status", tag="running"):
    """The tool is being executed."""

    status: ClassVar[Literal["running"]] = "running"
    """Says which state this is."""
    input: JsonObject
    """The parsed arguments."""
    time: ToolStartTime
    title: str | UnsetType = UNSET
    """What the tool is doing, for people."""
    metadata: JsonObject | UnsetType = UNSET
    """Free data of the producer."""
    approval: ToolApproval | UnsetType = UNSET


ToolState: TypeAlias = ToolStatePending | ToolStateAwaitingApproval | ToolStateRunning | ToolStateCompleted | ToolStateError | ToolStateDenied
"""State of a tool call."""


ToolStatus: TypeAlias = Literal["pending", "awaiting_approval", "running", "completed", "error", "denied"]
"""Name of a tool state."""


ToolSwitches: TypeAlias = dict[str, bool]
"""Tools by name, and whether they are switched on."""


class UserInfo(Struct, frozen=True, kw_only=True, tag_field="role", tag="user"):
    """Info of a user's message."""

    id: Uuid
    """Identifies the message."""
    role: ClassVar[Literal["user"]] = "user"
    """Says who speaks."""
    time: MessageTime
    agent: Annotated[str, Meta(min_length=1)]
    """Name of the agent that the message is for."""
    model: ModelRef
    summary: UserSummary | UnsetType = UNSET
    system: str | UnsetType = UNSET
    """A system prompt for this message."""
    tools: ToolSwitches | UnsetType = UNSET
    variant: str | UnsetType = UNSET
    """Variant of the model."""


MessageInfo: TypeAlias = UserInfo | AssistantInfo
"""What is known of a message beside its parts."""


class UserSummary(Struct, frozen=True, kw_only=True):
    """Summary of what a message led to; made only when the context is compacted."""

    title: str | UnsetType = UNSET
    """One line."""
    body: str | UnsetType = UNSET
    """The summary."""
    diffs: list[FileDiff] | UnsetType = UNSET
    """Files that were changed."""


Uuid: TypeAlias = Annotated[str, Meta(max_length=36, min_length=36)]
"""A UUID in the text form of RFC 9562: 32 hexadecimal digits of either case in five groups,
without prefix or braces.
"""


class ValidationFinding(Struct, frozen=True, gc=False, kw_only=True):
    """One finding."""

    rule: Annotated[str, Meta(min_length=1)]
    """Id of the rule."""
    message: str
    """What is wrong, for people."""
    pointer: str
    """JSON Pointer to the place."""
    severity: Literal["error", "warning", "info"]
    """How grave it is."""
    expected: str | UnsetType = UNSET
    """What the rule allows."""
    actual: str | UnsetType = UNSET
    """What is there, at most 80 characters."""


class ValidationResult(Struct, frozen=True, kw_only=True):
    """What the validation of a part found."""

    valid: bool
    """Whether nothing of severity error was found."""
    findings: list[ValidationFinding]
    """What was found, in document order."""


class WithParts(Struct, frozen=True, kw_only=True):
    """A message of a session with its parts."""

    info: MessageInfo
    parts: list[Part]
    """The parts, in order."""
