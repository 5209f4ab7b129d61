// Generated from schemas/v0.3 (digest 1c195cd0bc04e7b7) by codegen 1.
// Do not edit: change the schemas, then run `python -m codegen`.

//! The envelope family.

use crate::contract::types::{Contract, Map, Value, defaulting_enum, open_enum, present, present_object, rewritten};
use serde::{Deserialize, Serialize};

/// Any JSON object; its members are kept as they are.
pub type JsonObject = Map;

/// An instant: RFC 3339 date and time with a zone, upper-case T and Z, at most nine fraction
/// digits, a day that the calendar has, no leap second.
pub type Timestamp = String;

/// A UUID in the text form of RFC 9562: 32 hexadecimal digits of either case in five groups,
/// without prefix or braces.
pub type Uuid = String;

/// Asks for the prompt of a task. From the agent to the context service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GetContextRequest {
    /// Identifies the message, globally.
    #[serde(rename = "message_id")]
    pub message_id: MessageId,
    /// When the message was sent.
    #[serde(rename = "sent_at")]
    pub sent_at: SentAt,
    /// The trace that the message belongs to.
    #[serde(rename = "trace_id", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub trace_id: Option<TraceId>,
    /// Version of the contract that the sender wrote by.
    #[serde(rename = "schema_version")]
    pub schema_version: SchemaVersion,
    /// Says which message this is, for readers who do not know it from the queue.
    #[serde(rename = "message_type", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_type: Option<tags::GetContextRequest>,
    /// The agent that asks.
    #[serde(rename = "agent_id")]
    pub agent_id: Uuid,
    /// The task.
    #[serde(rename = "task_id")]
    pub task_id: Uuid,
    /// Global variables of the run, by name.
    #[serde(rename = "globals")]
    pub globals: JsonObject,
}
impl GetContextRequest {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(message_id: impl Into<String>, sent_at: impl Into<String>, schema_version: impl Into<String>, agent_id: impl Into<String>, task_id: impl Into<String>, globals: JsonObject) -> Self {
        Self { message_id: message_id.into(), sent_at: sent_at.into(), trace_id: None, schema_version: schema_version.into(), message_type: None, agent_id: agent_id.into(), task_id: task_id.into(), globals }
    }
}
impl Contract for GetContextRequest {
    const TYPE: &'static str = "envelope.GetContextRequest";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The prompt of a task, in blocks of multi-line text or base64. From the context service to the
/// agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PromptBlocksResponse {
    /// Identifies the message, globally.
    #[serde(rename = "message_id")]
    pub message_id: MessageId,
    /// When the message was sent.
    #[serde(rename = "sent_at")]
    pub sent_at: SentAt,
    /// The trace that the message belongs to.
    #[serde(rename = "trace_id", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub trace_id: Option<TraceId>,
    /// Version of the contract that the sender wrote by.
    #[serde(rename = "schema_version")]
    pub schema_version: SchemaVersion,
    /// Says which message this is, for readers who do not know it from the queue.
    #[serde(rename = "message_type", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_type: Option<tags::PromptBlocksResponse>,
    /// The system prompt.
    #[serde(rename = "system")]
    pub system: String,
    /// The task prompt.
    #[serde(rename = "task")]
    pub task: String,
    /// The allowed tools: a YAML or JSON list, as text.
    #[serde(rename = "allowed_tools")]
    pub allowed_tools: String,
    /// Pieces of knowledge.
    #[serde(rename = "context_data")]
    pub context_data: String,
    /// The final instruction.
    #[serde(rename = "instruction")]
    pub instruction: String,
}
impl PromptBlocksResponse {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(message_id: impl Into<String>, sent_at: impl Into<String>, schema_version: impl Into<String>, system: impl Into<String>, task: impl Into<String>, allowed_tools: impl Into<String>, context_data: impl Into<String>, instruction: impl Into<String>) -> Self {
        Self { message_id: message_id.into(), sent_at: sent_at.into(), trace_id: None, schema_version: schema_version.into(), message_type: None, system: system.into(), task: task.into(), allowed_tools: allowed_tools.into(), context_data: context_data.into(), instruction: instruction.into() }
    }
}
impl Contract for PromptBlocksResponse {
    const TYPE: &'static str = "envelope.PromptBlocksResponse";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Reports the results of a task. From the agent to the context service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportResultRequest {
    /// Identifies the message, globally.
    #[serde(rename = "message_id")]
    pub message_id: MessageId,
    /// When the message was sent.
    #[serde(rename = "sent_at")]
    pub sent_at: SentAt,
    /// The trace that the message belongs to.
    #[serde(rename = "trace_id", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub trace_id: Option<TraceId>,
    /// Version of the contract that the sender wrote by.
    #[serde(rename = "schema_version")]
    pub schema_version: SchemaVersion,
    /// Says which message this is, for readers who do not know it from the queue.
    #[serde(rename = "message_type", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_type: Option<tags::ReportResultRequest>,
    /// The task.
    #[serde(rename = "task_id")]
    pub task_id: Uuid,
    /// Results of the tools, in the order of their calls.
    #[serde(rename = "tool_results")]
    pub tool_results: Vec<ToolResult>,
    /// The agent's summary or final output.
    #[serde(rename = "task_results")]
    pub task_results: JsonObject,
}
impl ReportResultRequest {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(message_id: impl Into<String>, sent_at: impl Into<String>, schema_version: impl Into<String>, task_id: impl Into<String>, tool_results: Vec<ToolResult>, task_results: JsonObject) -> Self {
        Self { message_id: message_id.into(), sent_at: sent_at.into(), trace_id: None, schema_version: schema_version.into(), message_type: None, task_id: task_id.into(), tool_results, task_results }
    }
}
impl Contract for ReportResultRequest {
    const TYPE: &'static str = "envelope.ReportResultRequest";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The fields that every queue message has at its root.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// Identifies the message, globally.
    #[serde(rename = "message_id")]
    pub message_id: MessageId,
    /// When the message was sent.
    #[serde(rename = "sent_at")]
    pub sent_at: SentAt,
    /// The trace that the message belongs to.
    #[serde(rename = "trace_id", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub trace_id: Option<TraceId>,
    /// Version of the contract that the sender wrote by.
    #[serde(rename = "schema_version")]
    pub schema_version: SchemaVersion,
    /// Which message this is: the name of its type, for readers who do not know it from the queue.
    #[serde(rename = "message_type", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_type: Option<MessageType>,
}
impl Envelope {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(message_id: impl Into<String>, sent_at: impl Into<String>, schema_version: impl Into<String>) -> Self {
        Self { message_id: message_id.into(), sent_at: sent_at.into(), trace_id: None, schema_version: schema_version.into(), message_type: None }
    }
}
impl Contract for Envelope {
    const TYPE: &'static str = "envelope.Envelope";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Identifies the message, globally.
pub type MessageId = Uuid;

/// When the message was sent.
pub type SentAt = Timestamp;

/// The trace that the message belongs to.
pub type TraceId = String;

/// Version of the contract that the sender wrote by.
pub type SchemaVersion = String;

/// Which message this is: the name of its type, for readers who do not know it from the queue.
pub type MessageType = String;

/// Asks for an evaluation. From the context service to the review model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvaluationRequest {
    /// Identifies the message, globally.
    #[serde(rename = "message_id")]
    pub message_id: MessageId,
    /// When the message was sent.
    #[serde(rename = "sent_at")]
    pub sent_at: SentAt,
    /// The trace that the message belongs to.
    #[serde(rename = "trace_id", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub trace_id: Option<TraceId>,
    /// Version of the contract that the sender wrote by.
    #[serde(rename = "schema_version")]
    pub schema_version: SchemaVersion,
    /// Says which message this is, for readers who do not know it from the queue.
    #[serde(rename = "message_type", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_type: Option<tags::EvaluationRequest>,
    /// The task.
    #[serde(rename = "task_id")]
    pub task_id: Uuid,
    /// The same as was reported.
    #[serde(rename = "task_results")]
    pub task_results: JsonObject,
}
impl EvaluationRequest {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(message_id: impl Into<String>, sent_at: impl Into<String>, schema_version: impl Into<String>, task_id: impl Into<String>, task_results: JsonObject) -> Self {
        Self { message_id: message_id.into(), sent_at: sent_at.into(), trace_id: None, schema_version: schema_version.into(), message_type: None, task_id: task_id.into(), task_results }
    }
}
impl Contract for EvaluationRequest {
    const TYPE: &'static str = "envelope.EvaluationRequest";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The evaluation of a task. From the review model to the result store and the event queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvaluationResponse {
    /// Identifies the message, globally.
    #[serde(rename = "message_id")]
    pub message_id: MessageId,
    /// When the message was sent.
    #[serde(rename = "sent_at")]
    pub sent_at: SentAt,
    /// The trace that the message belongs to.
    #[serde(rename = "trace_id", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub trace_id: Option<TraceId>,
    /// Version of the contract that the sender wrote by.
    #[serde(rename = "schema_version")]
    pub schema_version: SchemaVersion,
    /// Says which message this is, for readers who do not know it from the queue.
    #[serde(rename = "message_type", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_type: Option<tags::EvaluationResponse>,
    /// The task.
    #[serde(rename = "task_id")]
    pub task_id: Uuid,
    /// Whether the results are good enough.
    #[serde(rename = "status")]
    pub status: EvaluationResponseStatus,
    /// Score of the results, from 0 to 100.
    #[serde(rename = "score")]
    pub score: f64,
    /// What is to be done next.
    #[serde(rename = "next_action")]
    pub next_action: EvaluationResponseNextAction,
}
impl EvaluationResponse {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(message_id: impl Into<String>, sent_at: impl Into<String>, schema_version: impl Into<String>, task_id: impl Into<String>, status: EvaluationResponseStatus, score: f64, next_action: EvaluationResponseNextAction) -> Self {
        Self { message_id: message_id.into(), sent_at: sent_at.into(), trace_id: None, schema_version: schema_version.into(), message_type: None, task_id: task_id.into(), status, score, next_action }
    }
}
impl Contract for EvaluationResponse {
    const TYPE: &'static str = "envelope.EvaluationResponse";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// A task for an agent. From the event queue to the agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskEvent {
    /// Identifies the message, globally.
    #[serde(rename = "message_id")]
    pub message_id: MessageId,
    /// When the message was sent.
    #[serde(rename = "sent_at")]
    pub sent_at: SentAt,
    /// The trace that the message belongs to.
    #[serde(rename = "trace_id", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub trace_id: Option<TraceId>,
    /// Version of the contract that the sender wrote by.
    #[serde(rename = "schema_version")]
    pub schema_version: SchemaVersion,
    /// Says which message this is, for readers who do not know it from the queue.
    #[serde(rename = "message_type", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_type: Option<tags::TaskEvent>,
    /// The task.
    #[serde(rename = "task_id")]
    pub task_id: Uuid,
    /// What the task is; transparent to the agent.
    #[serde(rename = "payload")]
    pub payload: JsonObject,
    /// How often the task has been retried.
    #[serde(rename = "retry_count")]
    pub retry_count: u64,
    /// How often the task may be tried.
    #[serde(rename = "max_attempts")]
    pub max_attempts: u64,
}
impl TaskEvent {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(message_id: impl Into<String>, sent_at: impl Into<String>, schema_version: impl Into<String>, task_id: impl Into<String>, payload: JsonObject, retry_count: u64, max_attempts: u64) -> Self {
        Self { message_id: message_id.into(), sent_at: sent_at.into(), trace_id: None, schema_version: schema_version.into(), message_type: None, task_id: task_id.into(), payload, retry_count, max_attempts }
    }
}
impl Contract for TaskEvent {
    const TYPE: &'static str = "envelope.TaskEvent";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// A task to be tried again; retry_count has already been raised. From the review model to the
/// event queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RetryEvent {
    /// Identifies the message, globally.
    #[serde(rename = "message_id")]
    pub message_id: MessageId,
    /// When the message was sent.
    #[serde(rename = "sent_at")]
    pub sent_at: SentAt,
    /// The trace that the message belongs to.
    #[serde(rename = "trace_id", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub trace_id: Option<TraceId>,
    /// Version of the contract that the sender wrote by.
    #[serde(rename = "schema_version")]
    pub schema_version: SchemaVersion,
    /// Says which message this is, for readers who do not know it from the queue.
    #[serde(rename = "message_type", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_type: Option<tags::RetryEvent>,
    /// The task.
    #[serde(rename = "task_id")]
    pub task_id: Uuid,
    /// What the task is; transparent to the agent.
    #[serde(rename = "payload")]
    pub payload: JsonObject,
    /// How often the task has been retried.
    #[serde(rename = "retry_count")]
    pub retry_count: u64,
    /// How often the task may be tried.
    #[serde(rename = "max_attempts")]
    pub max_attempts: u64,
}
impl RetryEvent {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(message_id: impl Into<String>, sent_at: impl Into<String>, schema_version: impl Into<String>, task_id: impl Into<String>, payload: JsonObject, retry_count: u64, max_attempts: u64) -> Self {
        Self { message_id: message_id.into(), sent_at: sent_at.into(), trace_id: None, schema_version: schema_version.into(), message_type: None, task_id: task_id.into(), payload, retry_count, max_attempts }
    }
}
impl Contract for RetryEvent {
    const TYPE: &'static str = "envelope.RetryEvent";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The result of one tool call, inside a report; it is not a message by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call that this is the result of.
    #[serde(rename = "invocation_id")]
    pub invocation_id: Uuid,
    /// The tool, by its id in the tool registry.
    #[serde(rename = "tool_id")]
    pub tool_id: Uuid,
    /// What data holds. An open string.
    #[serde(rename = "result_type")]
    pub result_type: ToolResultResultType,
    /// The result.
    #[serde(rename = "data")]
    pub data: JsonObject,
    /// When the result was made.
    #[serde(rename = "created_at")]
    pub created_at: Timestamp,
}
impl Contract for ToolResult {
    const TYPE: &'static str = "envelope.ToolResult";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Calls a tool. From the agent to a tool. Reserved: not yet used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCallRequest {
    /// Identifies the message, globally.
    #[serde(rename = "message_id")]
    pub message_id: MessageId,
    /// When the message was sent.
    #[serde(rename = "sent_at")]
    pub sent_at: SentAt,
    /// The trace that the message belongs to.
    #[serde(rename = "trace_id", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub trace_id: Option<TraceId>,
    /// Version of the contract that the sender wrote by.
    #[serde(rename = "schema_version")]
    pub schema_version: SchemaVersion,
    /// Says which message this is, for readers who do not know it from the queue.
    #[serde(rename = "message_type", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_type: Option<tags::ToolCallRequest>,
    /// Identifies the call.
    #[serde(rename = "invocation_id")]
    pub invocation_id: Uuid,
    /// Name of the tool.
    #[serde(rename = "tool_name")]
    pub tool_name: String,
    /// Version of the tool.
    #[serde(rename = "tool_version")]
    pub tool_version: String,
    /// The arguments.
    #[serde(rename = "args")]
    pub args: JsonObject,
}
impl ToolCallRequest {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(message_id: impl Into<String>, sent_at: impl Into<String>, schema_version: impl Into<String>, invocation_id: impl Into<String>, tool_name: impl Into<String>, tool_version: impl Into<String>, args: JsonObject) -> Self {
        Self { message_id: message_id.into(), sent_at: sent_at.into(), trace_id: None, schema_version: schema_version.into(), message_type: None, invocation_id: invocation_id.into(), tool_name: tool_name.into(), tool_version: tool_version.into(), args }
    }
}
impl Contract for ToolCallRequest {
    const TYPE: &'static str = "envelope.ToolCallRequest";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Answers a tool call: data on success, error on failure. From a tool to the agent. Reserved: not
/// yet used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCallResponse {
    /// Identifies the message, globally.
    #[serde(rename = "message_id")]
    pub message_id: MessageId,
    /// When the message was sent.
    #[serde(rename = "sent_at")]
    pub sent_at: SentAt,
    /// The trace that the message belongs to.
    #[serde(rename = "trace_id", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub trace_id: Option<TraceId>,
    /// Version of the contract that the sender wrote by.
    #[serde(rename = "schema_version")]
    pub schema_version: SchemaVersion,
    /// Says which message this is, for readers who do not know it from the queue.
    #[serde(rename = "message_type", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_type: Option<tags::ToolCallResponse>,
    /// The call that this answers.
    #[serde(rename = "invocation_id")]
    pub invocation_id: Uuid,
    /// Whether the tool succeeded.
    #[serde(rename = "success")]
    pub success: bool,
    /// The result, on success.
    #[serde(rename = "data", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub data: Option<JsonObject>,
    /// Why a tool failed.
    #[serde(rename = "error", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub error: Option<ToolError>,
}
impl ToolCallResponse {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(message_id: impl Into<String>, sent_at: impl Into<String>, schema_version: impl Into<String>, invocation_id: impl Into<String>, success: bool) -> Self {
        Self { message_id: message_id.into(), sent_at: sent_at.into(), trace_id: None, schema_version: schema_version.into(), message_type: None, invocation_id: invocation_id.into(), success, data: None, error: None }
    }
}
impl Contract for ToolCallResponse {
    const TYPE: &'static str = "envelope.ToolCallResponse";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Why a tool failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolError {
    /// Code of the error.
    #[serde(rename = "code")]
    pub code: String,
    /// What happened, for people.
    #[serde(rename = "message")]
    pub message: String,
}
impl Contract for ToolError {
    const TYPE: &'static str = "envelope.ToolError";
    const VERSION: crate::Version = crate::Version::V0_3;
}

defaulting_enum! { 
/// One of the values of `EvaluationResponseStatus`.
EvaluationResponseStatus or Fail { Pass = "pass", Fail = "fail" } }

defaulting_enum! { 
/// One of the values of `EvaluationResponseNextAction`.
EvaluationResponseNextAction or None { Retry = "retry", NextSlice = "next_slice", None = "none" } }

open_enum! { 
/// One of the values of `ToolResultResultType`.
ToolResultResultType { ToolResult = "tool_result" } }

/// Takes a valid value through its type; the inside of dynamic reading.
pub(crate) fn rewrite(name: &str, value: Value) -> Option<serde_json::Result<Value>> {
    Some(match name {
        "JsonObject" => rewritten::<JsonObject>(value),
        "Timestamp" => rewritten::<Timestamp>(value),
        "Uuid" => rewritten::<Uuid>(value),
        "GetContextRequest" => rewritten::<GetContextRequest>(value),
        "PromptBlocksResponse" => rewritten::<PromptBlocksResponse>(value),
        "ReportResultRequest" => rewritten::<ReportResultRequest>(value),
        "Envelope" => rewritten::<Envelope>(value),
        "MessageId" => rewritten::<MessageId>(value),
        "SentAt" => rewritten::<SentAt>(value),
        "TraceId" => rewritten::<TraceId>(value),
        "SchemaVersion" => rewritten::<SchemaVersion>(value),
        "MessageType" => rewritten::<MessageType>(value),
        "EvaluationRequest" => rewritten::<EvaluationRequest>(value),
        "EvaluationResponse" => rewritten::<EvaluationResponse>(value),
        "TaskEvent" => rewritten::<TaskEvent>(value),
        "RetryEvent" => rewritten::<RetryEvent>(value),
        "ToolResult" => rewritten::<ToolResult>(value),
        "ToolCallRequest" => rewritten::<ToolCallRequest>(value),
        "ToolCallResponse" => rewritten::<ToolCallResponse>(value),
        "ToolError" => rewritten::<ToolError>(value),
        _ => return None,
    })
}

/// Constants: the values that tell variants apart.
pub mod tags {
    use crate::contract::types::tag;

    tag!(EvaluationRequest, "EvaluationRequest");
    tag!(EvaluationResponse, "EvaluationResponse");
    tag!(GetContextRequest, "GetContextRequest");
    tag!(PromptBlocksResponse, "PromptBlocksResponse");
    tag!(ReportResultRequest, "ReportResultRequest");
    tag!(RetryEvent, "RetryEvent");
    tag!(TaskEvent, "TaskEvent");
    tag!(ToolCallRequest, "ToolCallRequest");
    tag!(ToolCallResponse, "ToolCallResponse");
}
