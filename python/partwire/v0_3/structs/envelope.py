# Generated from schemas/v0.3 (digest 1c195cd0bc04e7b7) by codegen 1 with datamodel-code-generator 0.89.0.
# Do not edit: change the schemas, then run `python -m codegen`.

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType
from partwire.bindings.struct import Struct


class Envelope(Struct, frozen=True, gc=False, kw_only=True):
    """The fields that every queue message has at its root."""

    message_id: MessageId
    sent_at: SentAt
    schema_version: SchemaVersion
    trace_id: TraceId | UnsetType = UNSET
    message_type: MessageType | UnsetType = UNSET


class EvaluationRequest(Struct, frozen=True, gc=False, kw_only=True):
    """Asks for an evaluation. From the context service to the review model."""

    message_id: MessageId
    sent_at: SentAt
    schema_version: SchemaVersion
    task_id: Uuid
    """The task."""
    task_results: JsonObject
    """The same as was reported."""
    trace_id: TraceId | UnsetType = UNSET
    message_type: Literal["EvaluationRequest"] | UnsetType = UNSET
    """Says which message this is, for readers who do not know it from the queue."""


class EvaluationResponse(Struct, frozen=True, gc=False, kw_only=True):
    """The evaluation of a task. From the review model to the result store and the event queue."""

    message_id: MessageId
    sent_at: SentAt
    schema_version: SchemaVersion
    task_id: Uuid
    """The task."""
    status: Literal["pass", "fail"]
    """Whether the results are good enough."""
    score: Annotated[float, Meta(ge=0.0, le=100.0)]
    """Score of the results, from 0 to 100."""
    next_action: Literal["retry", "next_slice", "none"]
    """What is to be done next."""
    trace_id: TraceId | UnsetType = UNSET
    message_type: Literal["EvaluationResponse"] | UnsetType = UNSET
    """Says which message this is, for readers who do not know it from the queue."""


class GetContextRequest(Struct, frozen=True, gc=False, kw_only=True):
    """Asks for the prompt of a task. From the agent to the context service."""

    message_id: MessageId
    sent_at: SentAt
    schema_version: SchemaVersion
    agent_id: Uuid
    """The agent that asks."""
    task_id: Uuid
    """The task."""
    globals: JsonObject
    """Global variables of the run, by name."""
    trace_id: TraceId | UnsetType = UNSET
    message_type: Literal["GetContextRequest"] | UnsetType = UNSET
    """Says which message this is, for readers who do not know it from the queue."""


JsonObject: TypeAlias = dict[str, Any]
"""Any JSON object; its members are kept as they are."""


MessageType: TypeAlias = Annotated[str, Meta(min_length=1)]
"""Which message this is: the name of its type, for readers who do not know it from the queue."""


class PromptBlocksResponse(Struct, frozen=True, gc=False, kw_only=True):
    """The prompt of a task, in blocks of multi-line text or base64. From the context service to
    the agent.
    """

    message_id: MessageId
    sent_at: SentAt
    schema_version: SchemaVersion
    system: str
    """The system prompt."""
    task: str
    """The task prompt."""
    allowed_tools: str
    """The allowed tools: a YAML or JSON list, as text."""
    context_data: str
    """Pieces of knowledge."""
    instruction: str
    """The final instruction."""
    trace_id: TraceId | UnsetType = UNSET
    message_type: Literal["PromptBlocksResponse"] | UnsetType = UNSET
    """Says which message this is, for readers who do not know it from the queue."""


class ReportResultRequest(Struct, frozen=True, kw_only=True):
    """Reports the results of a task. From the agent to the context service."""

    message_id: MessageId
    sent_at: SentAt
    schema_version: SchemaVersion
    task_id: Uuid
    """The task."""
    tool_results: list[ToolResult]
    """Results of the tools, in the order of their calls."""
    task_results: JsonObject
    """The agent's summary or final output."""
    trace_id: TraceId | UnsetType = UNSET
    message_type: Literal["ReportResultRequest"] | UnsetType = UNSET
    """Says which message this is, for readers who do not know it from the queue."""


class RetryEvent(Struct, frozen=True, gc=False, kw_only=True):
    """A task to be tried again; retry_count has already been raised. From the review model to
    the event queue.
    """

    message_id: MessageId
    sent_at: SentAt
    schema_version: SchemaVersion
    task_id: Uuid
    """The task."""
    payload: JsonObject
    """What the task is; transparent to the agent."""
    retry_count: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """How often the task has been retried."""
    max_attempts: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """How often the task may be tried."""
    trace_id: TraceId | UnsetType = UNSET
    message_type: Literal["RetryEvent"] | UnsetType = UNSET
    """Says which message this is, for readers who do not know it from the queue."""


SchemaVersion: TypeAlias = str
"""Version of the contract that the sender wrote by."""


class TaskEvent(Struct, frozen=True, gc=False, kw_only=True):
    """A task for an agent. From the event queue to the agent."""

    message_id: MessageId
    sent_at: SentAt
    schema_version: SchemaVersion
    task_id: Uuid
    """The task."""
    payload: JsonObject
    """What the task is; transparent to the agent."""
    retry_count: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """How often the task has been retried."""
    max_attempts: Annotated[int, Meta(ge=0, le=9007199254740991)]
    """How often the task may be tried."""
    trace_id: TraceId | UnsetType = UNSET
    message_type: Literal["TaskEvent"] | UnsetType = UNSET
    """Says which message this is, for readers who do not know it from the queue."""


Timestamp: TypeAlias = str
"""An instant: RFC 3339 date and time with a zone, upper-case T and Z, at most nine fraction
digits, a day that the calendar has, no leap second.
"""


SentAt: TypeAlias = Timestamp
"""When the message was sent."""


class ToolCallRequest(Struct, frozen=True, gc=False, kw_only=True):
    """Calls a tool. From the agent to a tool. Reserved: not yet used."""

    message_id: MessageId
    sent_at: SentAt
    schema_version: SchemaVersion
    invocation_id: Uuid
    """Identifies the call."""
    tool_name: Annotated[str, Meta(min_length=1)]
    """Name of the tool."""
    tool_version: Annotated[str, Meta(min_length=1)]
    """Version of the tool."""
    args: JsonObject
    """The arguments."""
    trace_id: TraceId | UnsetType = UNSET
    message_type: Literal["ToolCallRequest"] | UnsetType = UNSET
    """Says which message this is, for readers who do not know it from the queue."""


class ToolCallResponse(Struct, frozen=True, gc=False, kw_only=True):
    """Answers a tool call: data on success, error on failure. From a tool to the agent.
    Reserved: not yet used.
    """

    message_id: MessageId
    sent_at: SentAt
    schema_version: SchemaVersion
    invocation_id: Uuid
    """The call that this answers."""
    success: bool
    """Whether the tool succeeded."""
    trace_id: TraceId | UnsetType = UNSET
    message_type: Literal["ToolCallResponse"] | UnsetType = UNSET
    """Says which message this is, for readers who do not know it from the queue."""
    data: JsonObject | UnsetType = UNSET
    """The result, on success."""
    error: ToolError | UnsetType = UNSET


class ToolError(Struct, frozen=True, gc=False, kw_only=True):
    """Why a tool failed."""

    code: Annotated[str, Meta(min_length=1)]
    """Code of the error."""
    message: str
    """What happened, for people."""


class ToolResult(Struct, frozen=True, gc=False, kw_only=True):
    """The result of one tool call, inside a report; it is not a message by itself."""

    invocation_id: Uuid
    """The call that this is the result of."""
    tool_id: Uuid
    """The tool, by its id in the tool registry."""
    result_type: Annotated[str, Meta(min_length=1)]
    """What data holds. An open string."""
    data: JsonObject
    """The result."""
    created_at: Timestamp
    """When the result was made."""


TraceId: TypeAlias = Annotated[str, Meta(min_length=1)]
"""The trace that the message belongs to."""


Uuid: TypeAlias = Annotated[str, Meta(max_length=36, min_length=36)]
"""A UUID in the text form of RFC 9562: 32 hexadecimal digits of either case in five groups,
without prefix or braces.
"""


MessageId: TypeAlias = Uuid
"""Identifies the message, globally."""
