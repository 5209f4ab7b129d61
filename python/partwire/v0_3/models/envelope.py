# Generated from schemas/v0.3 (digest 1c195cd0bc04e7b7) by codegen 1 with datamodel-code-generator 0.89.0.
# Do not edit: change the schemas, then run `python -m codegen`.

from __future__ import annotations

from typing import Annotated, Literal

from partwire.bindings.model import MISSING, AnyJson, Model, StrictFloat, StrictInt, complete
from pydantic import Field, StrictBool, StrictStr
from typing_extensions import TypeAliasType


class Envelope(Model):
    """The fields that every queue message has at its root."""

    message_id: MessageId
    sent_at: SentAt
    trace_id: TraceId | MISSING = MISSING
    schema_version: SchemaVersion
    message_type: MessageType | MISSING = MISSING


class EvaluationRequest(Model):
    """Asks for an evaluation. From the context service to the review model."""

    message_id: MessageId
    sent_at: SentAt
    trace_id: TraceId | MISSING = MISSING
    schema_version: SchemaVersion
    message_type: Literal["EvaluationRequest"] | MISSING = MISSING
    """Says which message this is, for readers who do not know it from the queue."""
    task_id: Uuid
    """The task."""
    task_results: JsonObject
    """The same as was reported."""


class EvaluationResponse(Model):
    """The evaluation of a task. From the review model to the result store and the event queue."""

    message_id: MessageId
    sent_at: SentAt
    trace_id: TraceId | MISSING = MISSING
    schema_version: SchemaVersion
    message_type: Literal["EvaluationResponse"] | MISSING = MISSING
    """Says which message this is, for readers who do not know it from the queue."""
    task_id: Uuid
    """The task."""
    status: Literal["pass", "fail"]
    """Whether the results are good enough."""
    score: Annotated[StrictFloat, Field(ge=0.0, le=100.0)]
    """Score of the results, from 0 to 100."""
    next_action: Literal["retry", "next_slice", "none"]
    """What is to be done next."""


class GetContextRequest(Model):
    """Asks for the prompt of a task. From the agent to the context service."""

    message_id: MessageId
    sent_at: SentAt
    trace_id: TraceId | MISSING = MISSING
    schema_version: SchemaVersion
    message_type: Literal["GetContextRequest"] | MISSING = MISSING
    """Says which message this is, for readers who do not know it from the queue."""
    agent_id: Uuid
    """The agent that asks."""
    task_id: Uuid
    """The task."""
    globals: JsonObject
    """Global variables of the run, by name."""


JsonObject = TypeAliasType("JsonObject", dict[str, AnyJson])
"""Any JSON object; its members are kept as they are."""


MessageType = TypeAliasType("MessageType", Annotated[StrictStr, Field(min_length=1)])
"""Which message this is: the name of its type, for readers who do not know it from the queue."""


class PromptBlocksResponse(Model):
    """The prompt of a task, in blocks of multi-line text or base64. From the context service to
    the agent.
    """

    message_id: MessageId
    sent_at: SentAt
    trace_id: TraceId | MISSING = MISSING
    schema_version: SchemaVersion
    message_type: Literal["PromptBlocksResponse"] | MISSING = MISSING
    """Says which message this is, for readers who do not know it from the queue."""
    system: StrictStr
    """The system prompt."""
    task: StrictStr
    """The task prompt."""
    allowed_tools: StrictStr
    """The allowed tools: a YAML or JSON list, as text."""
    context_data: StrictStr
    """Pieces of knowledge."""
    instruction: StrictStr
    """The final instruction."""


class ReportResultRequest(Model):
    """Reports the results of a task. From the agent to the context service."""

    message_id: MessageId
    sent_at: SentAt
    trace_id: TraceId | MISSING = MISSING
    schema_version: SchemaVersion
    message_type: Literal["ReportResultRequest"] | MISSING = MISSING
    """Says which message this is, for readers who do not know it from the queue."""
    task_id: Uuid
    """The task."""
    tool_results: list[ToolResult]
    """Results of the tools, in the order of their calls."""
    task_results: JsonObject
    """The agent's summary or final output."""


class RetryEvent(Model):
    """A task to be tried again; retry_count has already been raised. From the review model to
    the event queue.
    """

    message_id: MessageId
    sent_at: SentAt
    trace_id: TraceId | MISSING = MISSING
    schema_version: SchemaVersion
    message_type: Literal["RetryEvent"] | MISSING = MISSING
    """Says which message this is, for readers who do not know it from the queue."""
    task_id: Uuid
    """The task."""
    payload: JsonObject
    """What the task is; transparent to the agent."""
    retry_count: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """How often the task has been retried."""
    max_attempts: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """How often the task may be tried."""


SchemaVersion = TypeAliasType(
    "SchemaVersion",
    Annotated[StrictStr, Field(pattern="^v(?:0|[1-9][0-9]{0,5})\\.(?:0|[1-9][0-9]{0,5})$")],
)
"""Version of the contract that the sender wrote by."""


class TaskEvent(Model):
    """A task for an agent. From the event queue to the agent."""

    message_id: MessageId
    sent_at: SentAt
    trace_id: TraceId | MISSING = MISSING
    schema_version: SchemaVersion
    message_type: Literal["TaskEvent"] | MISSING = MISSING
    """Says which message this is, for readers who do not know it from the queue."""
    task_id: Uuid
    """The task."""
    payload: JsonObject
    """What the task is; transparent to the agent."""
    retry_count: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """How often the task has been retried."""
    max_attempts: Annotated[StrictInt, Field(ge=0, le=9007199254740991)]
    """How often the task may be tried."""


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


SentAt = TypeAliasType("SentAt", Timestamp)
"""When the message was sent."""


class ToolCallRequest(Model):
    """Calls a tool. From the agent to a tool. Reserved: not yet used."""

    message_id: MessageId
    sent_at: SentAt
    trace_id: TraceId | MISSING = MISSING
    schema_version: SchemaVersion
    message_type: Literal["ToolCallRequest"] | MISSING = MISSING
    """Says which message this is, for readers who do not know it from the queue."""
    invocation_id: Uuid
    """Identifies the call."""
    tool_name: Annotated[StrictStr, Field(min_length=1)]
    """Name of the tool."""
    tool_version: Annotated[StrictStr, Field(min_length=1)]
    """Version of the tool."""
    args: JsonObject
    """The arguments."""


class ToolCallResponse(Model):
    """Answers a tool call: data on success, error on failure. From a tool to the agent.
    Reserved: not yet used.
    """

    message_id: MessageId
    sent_at: SentAt
    trace_id: TraceId | MISSING = MISSING
    schema_version: SchemaVersion
    message_type: Literal["ToolCallResponse"] | MISSING = MISSING
    """Says which message this is, for readers who do not know it from the queue."""
    invocation_id: Uuid
    """The call that this answers."""
    success: StrictBool
    """Whether the tool succeeded."""
    data: JsonObject | MISSING = MISSING
    """The result, on success."""
    error: ToolError | MISSING = MISSING


class ToolError(Model):
    """Why a tool failed."""

    code: Annotated[StrictStr, Field(min_length=1)]
    """Code of the error."""
    message: StrictStr
    """What happened, for people."""


class ToolResult(Model):
    """The result of one tool call, inside a report; it is not a message by itself."""

    invocation_id: Uuid
    """The call that this is the result of."""
    tool_id: Uuid
    """The tool, by its id in the tool registry."""
    result_type: Annotated[StrictStr, Field(min_length=1)]
    """What data holds. An open string."""
    data: JsonObject
    """The result."""
    created_at: Timestamp
    """When the result was made."""


TraceId = TypeAliasType("TraceId", Annotated[StrictStr, Field(min_length=1)])
"""The trace that the message belongs to."""


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


MessageId = TypeAliasType("MessageId", Uuid)
"""Identifies the message, globally."""


complete(globals())
