// Generated from schemas/v0.3 (digest bf5b753bb8d4b184) by codegen 1.
// Do not edit: change the schemas, then run `python -m codegen`.

//! The message family.

use crate::contract::types::{Bounded, Contract, Map, Number, Value, choice, closed_enum, defaulting_enum, object, open_enum, present, present_object, rewritten, tagged_union};
use serde::{Deserialize, Serialize};

/// Any JSON object; its members are kept as they are.
pub type JsonObject = Map;

/// An instant: RFC 3339 date and time with a zone, upper-case T and Z, at most nine fraction
/// digits, a day that the calendar has, no leap second.
pub type Timestamp = String;

/// Binary data as base64: the standard alphabet of RFC 4648 section 4, padded, without line breaks.
pub type Base64 = String;

/// Identifies one run of the agent loop; the same on every message and delta of the run.
pub type RunId = String;

/// Identifies one message; opaque, made by its producer, the same on every delta of a stream.
pub type MessageId = String;

/// Identifies the turn that the message belongs to, such as a request of a user with all that
/// answers it; opaque, made by the producer.
pub type TurnId = String;

/// Identifies one tool call; unique within a run.
pub type ToolCallId = String;

/// Name of the tool, as its specification gives it.
pub type ToolName = String;

open_enum! { 
/// Why the model stopped. An open string: a value that is not known means unknown, never stop.
FinishReason { Stop = "stop", Length = "length", ToolCalls = "tool_calls", ContentFilter = "content_filter", Refusal = "refusal", Pause = "pause", AwaitingApproval = "awaiting_approval", Error = "error" } }
impl Contract for FinishReason {
    const TYPE: &'static str = "message.FinishReason";
    const VERSION: crate::Version = crate::Version::V0_3;
}

open_enum! { 
/// The framework's code of an error. An open string: a value that is not known means unknown.
ErrorCode { Authentication = "authentication", PermissionDenied = "permission_denied", NotFound = "not_found", InvalidRequest = "invalid_request", ContextLengthExceeded = "context_length_exceeded", RateLimited = "rate_limited", QuotaExceeded = "quota_exceeded", Overloaded = "overloaded", Timeout = "timeout", Connection = "connection", ContentFiltered = "content_filtered", ProviderInternal = "provider_internal", TruncatedStream = "truncated_stream", Cancelled = "cancelled" } }
impl Contract for ErrorCode {
    const TYPE: &'static str = "message.ErrorCode";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Tokens and cost of one stream. Figures are cumulative: a later one replaces an earlier one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UsageSummary {
    /// Tokens read, cached ones included.
    #[serde(rename = "inputTokens")]
    pub input_tokens: u64,
    /// Tokens written, reasoning included.
    #[serde(rename = "outputTokens")]
    pub output_tokens: u64,
    /// The provider's total, else the sum.
    #[serde(rename = "totalTokens")]
    pub total_tokens: u64,
    /// Tokens of reasoning; part of outputTokens.
    #[serde(rename = "reasoningTokens", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub reasoning_tokens: Option<u64>,
    /// Tokens read from a cache; part of inputTokens.
    #[serde(rename = "cacheReadTokens", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub cache_read_tokens: Option<u64>,
    /// Tokens written to a cache; part of inputTokens.
    #[serde(rename = "cacheWriteTokens", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub cache_write_tokens: Option<u64>,
    /// Price of the request in US dollars.
    #[serde(rename = "cost", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub cost: Option<f64>,
}
impl UsageSummary {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(input_tokens: u64, output_tokens: u64, total_tokens: u64) -> Self {
        Self { input_tokens, output_tokens, total_tokens, reasoning_tokens: None, cache_read_tokens: None, cache_write_tokens: None, cost: None }
    }
}
impl Contract for UsageSummary {
    const TYPE: &'static str = "message.UsageSummary";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The provider's own word for why the stream ended, as it came.
pub type ProviderFinishReason = String;

/// What a provider wants back unchanged: signatures, encrypted reasoning, its own ids. Only that
/// provider's adapter reads it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opaque {
    /// Whose it is: the provider API, such as anthropic-messages.
    #[serde(rename = "provider")]
    pub provider: String,
    /// The provider's state; nobody else looks into it.
    #[serde(rename = "data")]
    pub data: JsonObject,
}
impl Contract for Opaque {
    const TYPE: &'static str = "message.Opaque";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Name of an agent.
pub type AgentName = String;

/// Who of those that share a role wrote the message: a user by name, or an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Default)]
pub struct Author {
    /// The user or agent, as it is shown.
    #[serde(rename = "name", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub name: Option<String>,
    /// The agent, as the names of all agents that lead to it: the outermost first, its own last.
    #[serde(rename = "agentPath", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub agent_path: Option<Vec<AgentName>>,
}
impl Contract for Author {
    const TYPE: &'static str = "message.Author";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Says that the request asked for JSON here. It does not say that valid JSON came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Default)]
pub struct TextFormat {
    /// The name of the form, as the request had it.
    #[serde(rename = "name", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub name: Option<String>,
    /// Where its JSON Schema can be found, as producer and consumer agreed; partwire does not open
    /// it.
    #[serde(rename = "schemaRef", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub schema_ref: Option<String>,
}
impl Contract for TextFormat {
    const TYPE: &'static str = "message.TextFormat";
    const VERSION: crate::Version = crate::Version::V0_3;
}

open_enum! { 
/// How a call came out; partial: the tool stopped before it was done. An open string: a value that
/// is not known says no more than isError.
Outcome { Success = "success", Error = "error", Denied = "denied", Interrupted = "interrupted", Timeout = "timeout", Partial = "partial" } }
impl Contract for Outcome {
    const TYPE: &'static str = "message.Outcome";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Identifies one request for a person's approval; unique within a run.
pub type ApprovalId = String;

open_enum! { 
/// What was decided. An open string: the call runs if it is approved, and on no other value.
ApprovalDecision { Approved = "approved", Denied = "denied" } }
impl Contract for ApprovalDecision {
    const TYPE: &'static str = "message.ApprovalDecision";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Identifies media while it streams; unique within the stream.
pub type MediaId = String;

tagged_union! { 
/// One change of a message that is being written. A stream opens with start and ends with exactly
/// one done or error.
MessageDelta, "kind", { Start(StartDelta) = "start", Text(TextDelta) = "text", Thinking(ThinkingDelta) = "thinking", ToolCallStart(ToolCallStartDelta) = "tool_call_start", ToolCallArgs(ToolCallArgsDelta) = "tool_call_args", ToolCallEnd(ToolCallEndDelta) = "tool_call_end", TextCitation(TextCitationDelta) = "text_citation", ServerToolCallStart(ServerToolCallStartDelta) = "server_tool_call_start", ServerToolCallArgs(ServerToolCallArgsDelta) = "server_tool_call_args", ServerToolCallEnd(ServerToolCallEndDelta) = "server_tool_call_end", ServerToolResult(ServerToolResultDelta) = "server_tool_result", ApprovalRequest(ApprovalRequestDelta) = "approval_request", MediaStart(MediaStartDelta) = "media_start", MediaData(MediaDataDelta) = "media_data", MediaEnd(MediaEndDelta) = "media_end", Warning(WarningDelta) = "warning", Usage(UsageDelta) = "usage", Done(DoneDelta) = "done", Error(ErrorDelta) = "error" } }
impl Contract for MessageDelta {
    const TYPE: &'static str = "message.MessageDelta";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Number of the delta within its stream; strictly increasing.
pub type Seq = u64;

/// Opens the stream; always the first delta.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartDelta {
    /// Identifies one run of the agent loop; the same on every message and delta of the run.
    #[serde(rename = "runId")]
    pub run_id: RunId,
    /// Identifies one message; opaque, made by its producer, the same on every delta of a stream.
    #[serde(rename = "messageId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_id: Option<MessageId>,
    /// Identifies the turn that the message belongs to, such as a request of a user with all that
    /// answers it; opaque, made by the producer.
    #[serde(rename = "turnId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub turn_id: Option<TurnId>,
    /// Number of the delta within its stream; strictly increasing.
    #[serde(rename = "seq")]
    pub seq: Seq,
    /// Says which kind of delta this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::Start,
    /// Content of a start delta.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: StartDeltaPayload,
    /// When the delta was made.
    #[serde(rename = "timestamp")]
    pub timestamp: Timestamp,
    /// The provider's raw event, for debugging only: nothing may depend on it.
    #[serde(rename = "providerRaw", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub provider_raw: Option<JsonObject>,
}
impl StartDelta {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(run_id: impl Into<String>, seq: Seq, payload: StartDeltaPayload, timestamp: impl Into<String>) -> Self {
        Self { run_id: run_id.into(), message_id: None, turn_id: None, seq, kind: tags::Start, payload, timestamp: timestamp.into(), provider_raw: None }
    }
}
impl Contract for StartDelta {
    const TYPE: &'static str = "message.StartDelta";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Adds text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextDelta {
    /// Identifies one run of the agent loop; the same on every message and delta of the run.
    #[serde(rename = "runId")]
    pub run_id: RunId,
    /// Identifies one message; opaque, made by its producer, the same on every delta of a stream.
    #[serde(rename = "messageId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_id: Option<MessageId>,
    /// Identifies the turn that the message belongs to, such as a request of a user with all that
    /// answers it; opaque, made by the producer.
    #[serde(rename = "turnId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub turn_id: Option<TurnId>,
    /// Number of the delta within its stream; strictly increasing.
    #[serde(rename = "seq")]
    pub seq: Seq,
    /// Says which kind of delta this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::Text,
    /// Content of a text delta.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: TextDeltaPayload,
    /// When the delta was made.
    #[serde(rename = "timestamp")]
    pub timestamp: Timestamp,
    /// The provider's raw event, for debugging only: nothing may depend on it.
    #[serde(rename = "providerRaw", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub provider_raw: Option<JsonObject>,
}
impl TextDelta {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(run_id: impl Into<String>, seq: Seq, payload: TextDeltaPayload, timestamp: impl Into<String>) -> Self {
        Self { run_id: run_id.into(), message_id: None, turn_id: None, seq, kind: tags::Text, payload, timestamp: timestamp.into(), provider_raw: None }
    }
}
impl Contract for TextDelta {
    const TYPE: &'static str = "message.TextDelta";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Adds reasoning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThinkingDelta {
    /// Identifies one run of the agent loop; the same on every message and delta of the run.
    #[serde(rename = "runId")]
    pub run_id: RunId,
    /// Identifies one message; opaque, made by its producer, the same on every delta of a stream.
    #[serde(rename = "messageId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_id: Option<MessageId>,
    /// Identifies the turn that the message belongs to, such as a request of a user with all that
    /// answers it; opaque, made by the producer.
    #[serde(rename = "turnId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub turn_id: Option<TurnId>,
    /// Number of the delta within its stream; strictly increasing.
    #[serde(rename = "seq")]
    pub seq: Seq,
    /// Says which kind of delta this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::Thinking,
    /// Content of a thinking delta.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: ThinkingDeltaPayload,
    /// When the delta was made.
    #[serde(rename = "timestamp")]
    pub timestamp: Timestamp,
    /// The provider's raw event, for debugging only: nothing may depend on it.
    #[serde(rename = "providerRaw", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub provider_raw: Option<JsonObject>,
}
impl ThinkingDelta {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(run_id: impl Into<String>, seq: Seq, payload: ThinkingDeltaPayload, timestamp: impl Into<String>) -> Self {
        Self { run_id: run_id.into(), message_id: None, turn_id: None, seq, kind: tags::Thinking, payload, timestamp: timestamp.into(), provider_raw: None }
    }
}
impl Contract for ThinkingDelta {
    const TYPE: &'static str = "message.ThinkingDelta";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Opens a tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCallStartDelta {
    /// Identifies one run of the agent loop; the same on every message and delta of the run.
    #[serde(rename = "runId")]
    pub run_id: RunId,
    /// Identifies one message; opaque, made by its producer, the same on every delta of a stream.
    #[serde(rename = "messageId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_id: Option<MessageId>,
    /// Identifies the turn that the message belongs to, such as a request of a user with all that
    /// answers it; opaque, made by the producer.
    #[serde(rename = "turnId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub turn_id: Option<TurnId>,
    /// Number of the delta within its stream; strictly increasing.
    #[serde(rename = "seq")]
    pub seq: Seq,
    /// Says which kind of delta this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::ToolCallStart,
    /// Content of a tool_call_start delta.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: ToolCallStartDeltaPayload,
    /// When the delta was made.
    #[serde(rename = "timestamp")]
    pub timestamp: Timestamp,
    /// The provider's raw event, for debugging only: nothing may depend on it.
    #[serde(rename = "providerRaw", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub provider_raw: Option<JsonObject>,
}
impl ToolCallStartDelta {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(run_id: impl Into<String>, seq: Seq, payload: ToolCallStartDeltaPayload, timestamp: impl Into<String>) -> Self {
        Self { run_id: run_id.into(), message_id: None, turn_id: None, seq, kind: tags::ToolCallStart, payload, timestamp: timestamp.into(), provider_raw: None }
    }
}
impl Contract for ToolCallStartDelta {
    const TYPE: &'static str = "message.ToolCallStartDelta";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Adds argument text to an open tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCallArgsDelta {
    /// Identifies one run of the agent loop; the same on every message and delta of the run.
    #[serde(rename = "runId")]
    pub run_id: RunId,
    /// Identifies one message; opaque, made by its producer, the same on every delta of a stream.
    #[serde(rename = "messageId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_id: Option<MessageId>,
    /// Identifies the turn that the message belongs to, such as a request of a user with all that
    /// answers it; opaque, made by the producer.
    #[serde(rename = "turnId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub turn_id: Option<TurnId>,
    /// Number of the delta within its stream; strictly increasing.
    #[serde(rename = "seq")]
    pub seq: Seq,
    /// Says which kind of delta this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::ToolCallArgs,
    /// Content of a tool_call_args delta.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: ToolCallArgsDeltaPayload,
    /// When the delta was made.
    #[serde(rename = "timestamp")]
    pub timestamp: Timestamp,
    /// The provider's raw event, for debugging only: nothing may depend on it.
    #[serde(rename = "providerRaw", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub provider_raw: Option<JsonObject>,
}
impl ToolCallArgsDelta {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(run_id: impl Into<String>, seq: Seq, payload: ToolCallArgsDeltaPayload, timestamp: impl Into<String>) -> Self {
        Self { run_id: run_id.into(), message_id: None, turn_id: None, seq, kind: tags::ToolCallArgs, payload, timestamp: timestamp.into(), provider_raw: None }
    }
}
impl Contract for ToolCallArgsDelta {
    const TYPE: &'static str = "message.ToolCallArgsDelta";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Closes a tool call; its argument text is parsed now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCallEndDelta {
    /// Identifies one run of the agent loop; the same on every message and delta of the run.
    #[serde(rename = "runId")]
    pub run_id: RunId,
    /// Identifies one message; opaque, made by its producer, the same on every delta of a stream.
    #[serde(rename = "messageId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_id: Option<MessageId>,
    /// Identifies the turn that the message belongs to, such as a request of a user with all that
    /// answers it; opaque, made by the producer.
    #[serde(rename = "turnId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub turn_id: Option<TurnId>,
    /// Number of the delta within its stream; strictly increasing.
    #[serde(rename = "seq")]
    pub seq: Seq,
    /// Says which kind of delta this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::ToolCallEnd,
    /// Content of a tool_call_end delta.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: ToolCallEndDeltaPayload,
    /// When the delta was made.
    #[serde(rename = "timestamp")]
    pub timestamp: Timestamp,
    /// The provider's raw event, for debugging only: nothing may depend on it.
    #[serde(rename = "providerRaw", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub provider_raw: Option<JsonObject>,
}
impl ToolCallEndDelta {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(run_id: impl Into<String>, seq: Seq, payload: ToolCallEndDeltaPayload, timestamp: impl Into<String>) -> Self {
        Self { run_id: run_id.into(), message_id: None, turn_id: None, seq, kind: tags::ToolCallEnd, payload, timestamp: timestamp.into(), provider_raw: None }
    }
}
impl Contract for ToolCallEndDelta {
    const TYPE: &'static str = "message.ToolCallEndDelta";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Adds a citation to a text part; it makes no part and ends none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextCitationDelta {
    /// Identifies one run of the agent loop; the same on every message and delta of the run.
    #[serde(rename = "runId")]
    pub run_id: RunId,
    /// Identifies one message; opaque, made by its producer, the same on every delta of a stream.
    #[serde(rename = "messageId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_id: Option<MessageId>,
    /// Identifies the turn that the message belongs to, such as a request of a user with all that
    /// answers it; opaque, made by the producer.
    #[serde(rename = "turnId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub turn_id: Option<TurnId>,
    /// Number of the delta within its stream; strictly increasing.
    #[serde(rename = "seq")]
    pub seq: Seq,
    /// Says which kind of delta this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::TextCitation,
    /// Content of a text_citation delta.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: TextCitationDeltaPayload,
    /// When the delta was made.
    #[serde(rename = "timestamp")]
    pub timestamp: Timestamp,
    /// The provider's raw event, for debugging only: nothing may depend on it.
    #[serde(rename = "providerRaw", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub provider_raw: Option<JsonObject>,
}
impl TextCitationDelta {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(run_id: impl Into<String>, seq: Seq, payload: TextCitationDeltaPayload, timestamp: impl Into<String>) -> Self {
        Self { run_id: run_id.into(), message_id: None, turn_id: None, seq, kind: tags::TextCitation, payload, timestamp: timestamp.into(), provider_raw: None }
    }
}
impl Contract for TextCitationDelta {
    const TYPE: &'static str = "message.TextCitationDelta";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Opens a call of a tool that the provider runs itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerToolCallStartDelta {
    /// Identifies one run of the agent loop; the same on every message and delta of the run.
    #[serde(rename = "runId")]
    pub run_id: RunId,
    /// Identifies one message; opaque, made by its producer, the same on every delta of a stream.
    #[serde(rename = "messageId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_id: Option<MessageId>,
    /// Identifies the turn that the message belongs to, such as a request of a user with all that
    /// answers it; opaque, made by the producer.
    #[serde(rename = "turnId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub turn_id: Option<TurnId>,
    /// Number of the delta within its stream; strictly increasing.
    #[serde(rename = "seq")]
    pub seq: Seq,
    /// Says which kind of delta this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::ServerToolCallStart,
    /// Content of a tool_call_start delta.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: ToolCallStartDeltaPayload,
    /// When the delta was made.
    #[serde(rename = "timestamp")]
    pub timestamp: Timestamp,
    /// The provider's raw event, for debugging only: nothing may depend on it.
    #[serde(rename = "providerRaw", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub provider_raw: Option<JsonObject>,
}
impl ServerToolCallStartDelta {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(run_id: impl Into<String>, seq: Seq, payload: ToolCallStartDeltaPayload, timestamp: impl Into<String>) -> Self {
        Self { run_id: run_id.into(), message_id: None, turn_id: None, seq, kind: tags::ServerToolCallStart, payload, timestamp: timestamp.into(), provider_raw: None }
    }
}
impl Contract for ServerToolCallStartDelta {
    const TYPE: &'static str = "message.ServerToolCallStartDelta";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Adds argument text to an open call of a tool that the provider runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerToolCallArgsDelta {
    /// Identifies one run of the agent loop; the same on every message and delta of the run.
    #[serde(rename = "runId")]
    pub run_id: RunId,
    /// Identifies one message; opaque, made by its producer, the same on every delta of a stream.
    #[serde(rename = "messageId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_id: Option<MessageId>,
    /// Identifies the turn that the message belongs to, such as a request of a user with all that
    /// answers it; opaque, made by the producer.
    #[serde(rename = "turnId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub turn_id: Option<TurnId>,
    /// Number of the delta within its stream; strictly increasing.
    #[serde(rename = "seq")]
    pub seq: Seq,
    /// Says which kind of delta this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::ServerToolCallArgs,
    /// Content of a tool_call_args delta.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: ToolCallArgsDeltaPayload,
    /// When the delta was made.
    #[serde(rename = "timestamp")]
    pub timestamp: Timestamp,
    /// The provider's raw event, for debugging only: nothing may depend on it.
    #[serde(rename = "providerRaw", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub provider_raw: Option<JsonObject>,
}
impl ServerToolCallArgsDelta {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(run_id: impl Into<String>, seq: Seq, payload: ToolCallArgsDeltaPayload, timestamp: impl Into<String>) -> Self {
        Self { run_id: run_id.into(), message_id: None, turn_id: None, seq, kind: tags::ServerToolCallArgs, payload, timestamp: timestamp.into(), provider_raw: None }
    }
}
impl Contract for ServerToolCallArgsDelta {
    const TYPE: &'static str = "message.ServerToolCallArgsDelta";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Closes a call of a tool that the provider runs; its argument text is parsed now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerToolCallEndDelta {
    /// Identifies one run of the agent loop; the same on every message and delta of the run.
    #[serde(rename = "runId")]
    pub run_id: RunId,
    /// Identifies one message; opaque, made by its producer, the same on every delta of a stream.
    #[serde(rename = "messageId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_id: Option<MessageId>,
    /// Identifies the turn that the message belongs to, such as a request of a user with all that
    /// answers it; opaque, made by the producer.
    #[serde(rename = "turnId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub turn_id: Option<TurnId>,
    /// Number of the delta within its stream; strictly increasing.
    #[serde(rename = "seq")]
    pub seq: Seq,
    /// Says which kind of delta this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::ServerToolCallEnd,
    /// Content of a tool_call_end delta.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: ToolCallEndDeltaPayload,
    /// When the delta was made.
    #[serde(rename = "timestamp")]
    pub timestamp: Timestamp,
    /// The provider's raw event, for debugging only: nothing may depend on it.
    #[serde(rename = "providerRaw", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub provider_raw: Option<JsonObject>,
}
impl ServerToolCallEndDelta {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(run_id: impl Into<String>, seq: Seq, payload: ToolCallEndDeltaPayload, timestamp: impl Into<String>) -> Self {
        Self { run_id: run_id.into(), message_id: None, turn_id: None, seq, kind: tags::ServerToolCallEnd, payload, timestamp: timestamp.into(), provider_raw: None }
    }
}
impl Contract for ServerToolCallEndDelta {
    const TYPE: &'static str = "message.ServerToolCallEndDelta";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The whole result of a call that the provider ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerToolResultDelta {
    /// Identifies one run of the agent loop; the same on every message and delta of the run.
    #[serde(rename = "runId")]
    pub run_id: RunId,
    /// Identifies one message; opaque, made by its producer, the same on every delta of a stream.
    #[serde(rename = "messageId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_id: Option<MessageId>,
    /// Identifies the turn that the message belongs to, such as a request of a user with all that
    /// answers it; opaque, made by the producer.
    #[serde(rename = "turnId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub turn_id: Option<TurnId>,
    /// Number of the delta within its stream; strictly increasing.
    #[serde(rename = "seq")]
    pub seq: Seq,
    /// Says which kind of delta this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::ServerToolResult,
    /// The result of a call that the provider ran; content of a server_tool_result part.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: ServerToolResult,
    /// When the delta was made.
    #[serde(rename = "timestamp")]
    pub timestamp: Timestamp,
    /// The provider's raw event, for debugging only: nothing may depend on it.
    #[serde(rename = "providerRaw", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub provider_raw: Option<JsonObject>,
}
impl ServerToolResultDelta {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(run_id: impl Into<String>, seq: Seq, payload: ServerToolResult, timestamp: impl Into<String>) -> Self {
        Self { run_id: run_id.into(), message_id: None, turn_id: None, seq, kind: tags::ServerToolResult, payload, timestamp: timestamp.into(), provider_raw: None }
    }
}
impl Contract for ServerToolResultDelta {
    const TYPE: &'static str = "message.ServerToolResultDelta";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Asks a person whether a call of this stream may run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApprovalRequestDelta {
    /// Identifies one run of the agent loop; the same on every message and delta of the run.
    #[serde(rename = "runId")]
    pub run_id: RunId,
    /// Identifies one message; opaque, made by its producer, the same on every delta of a stream.
    #[serde(rename = "messageId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_id: Option<MessageId>,
    /// Identifies the turn that the message belongs to, such as a request of a user with all that
    /// answers it; opaque, made by the producer.
    #[serde(rename = "turnId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub turn_id: Option<TurnId>,
    /// Number of the delta within its stream; strictly increasing.
    #[serde(rename = "seq")]
    pub seq: Seq,
    /// Says which kind of delta this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::ApprovalRequest,
    /// Content of an approval_request part. What is asked about is in the call.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: ApprovalRequest,
    /// When the delta was made.
    #[serde(rename = "timestamp")]
    pub timestamp: Timestamp,
    /// The provider's raw event, for debugging only: nothing may depend on it.
    #[serde(rename = "providerRaw", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub provider_raw: Option<JsonObject>,
}
impl ApprovalRequestDelta {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(run_id: impl Into<String>, seq: Seq, payload: ApprovalRequest, timestamp: impl Into<String>) -> Self {
        Self { run_id: run_id.into(), message_id: None, turn_id: None, seq, kind: tags::ApprovalRequest, payload, timestamp: timestamp.into(), provider_raw: None }
    }
}
impl Contract for ApprovalRequestDelta {
    const TYPE: &'static str = "message.ApprovalRequestDelta";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Opens media that comes in pieces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MediaStartDelta {
    /// Identifies one run of the agent loop; the same on every message and delta of the run.
    #[serde(rename = "runId")]
    pub run_id: RunId,
    /// Identifies one message; opaque, made by its producer, the same on every delta of a stream.
    #[serde(rename = "messageId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_id: Option<MessageId>,
    /// Identifies the turn that the message belongs to, such as a request of a user with all that
    /// answers it; opaque, made by the producer.
    #[serde(rename = "turnId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub turn_id: Option<TurnId>,
    /// Number of the delta within its stream; strictly increasing.
    #[serde(rename = "seq")]
    pub seq: Seq,
    /// Says which kind of delta this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::MediaStart,
    /// Content of a media_start delta.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: MediaStartDeltaPayload,
    /// When the delta was made.
    #[serde(rename = "timestamp")]
    pub timestamp: Timestamp,
    /// The provider's raw event, for debugging only: nothing may depend on it.
    #[serde(rename = "providerRaw", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub provider_raw: Option<JsonObject>,
}
impl MediaStartDelta {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(run_id: impl Into<String>, seq: Seq, payload: MediaStartDeltaPayload, timestamp: impl Into<String>) -> Self {
        Self { run_id: run_id.into(), message_id: None, turn_id: None, seq, kind: tags::MediaStart, payload, timestamp: timestamp.into(), provider_raw: None }
    }
}
impl Contract for MediaStartDelta {
    const TYPE: &'static str = "message.MediaStartDelta";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Adds bytes or words to open media.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MediaDataDelta {
    /// Identifies one run of the agent loop; the same on every message and delta of the run.
    #[serde(rename = "runId")]
    pub run_id: RunId,
    /// Identifies one message; opaque, made by its producer, the same on every delta of a stream.
    #[serde(rename = "messageId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_id: Option<MessageId>,
    /// Identifies the turn that the message belongs to, such as a request of a user with all that
    /// answers it; opaque, made by the producer.
    #[serde(rename = "turnId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub turn_id: Option<TurnId>,
    /// Number of the delta within its stream; strictly increasing.
    #[serde(rename = "seq")]
    pub seq: Seq,
    /// Says which kind of delta this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::MediaData,
    /// Content of a media_data delta. Each piece is Base64 by itself: bytes are joined, not
    /// letters.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: MediaDataDeltaPayload,
    /// When the delta was made.
    #[serde(rename = "timestamp")]
    pub timestamp: Timestamp,
    /// The provider's raw event, for debugging only: nothing may depend on it.
    #[serde(rename = "providerRaw", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub provider_raw: Option<JsonObject>,
}
impl MediaDataDelta {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(run_id: impl Into<String>, seq: Seq, payload: MediaDataDeltaPayload, timestamp: impl Into<String>) -> Self {
        Self { run_id: run_id.into(), message_id: None, turn_id: None, seq, kind: tags::MediaData, payload, timestamp: timestamp.into(), provider_raw: None }
    }
}
impl Contract for MediaDataDelta {
    const TYPE: &'static str = "message.MediaDataDelta";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Closes media.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MediaEndDelta {
    /// Identifies one run of the agent loop; the same on every message and delta of the run.
    #[serde(rename = "runId")]
    pub run_id: RunId,
    /// Identifies one message; opaque, made by its producer, the same on every delta of a stream.
    #[serde(rename = "messageId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_id: Option<MessageId>,
    /// Identifies the turn that the message belongs to, such as a request of a user with all that
    /// answers it; opaque, made by the producer.
    #[serde(rename = "turnId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub turn_id: Option<TurnId>,
    /// Number of the delta within its stream; strictly increasing.
    #[serde(rename = "seq")]
    pub seq: Seq,
    /// Says which kind of delta this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::MediaEnd,
    /// Content of a media_end delta.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: MediaEndDeltaPayload,
    /// When the delta was made.
    #[serde(rename = "timestamp")]
    pub timestamp: Timestamp,
    /// The provider's raw event, for debugging only: nothing may depend on it.
    #[serde(rename = "providerRaw", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub provider_raw: Option<JsonObject>,
}
impl MediaEndDelta {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(run_id: impl Into<String>, seq: Seq, payload: MediaEndDeltaPayload, timestamp: impl Into<String>) -> Self {
        Self { run_id: run_id.into(), message_id: None, turn_id: None, seq, kind: tags::MediaEnd, payload, timestamp: timestamp.into(), provider_raw: None }
    }
}
impl Contract for MediaEndDelta {
    const TYPE: &'static str = "message.MediaEndDelta";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Reports a warning of the provider; the stream goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WarningDelta {
    /// Identifies one run of the agent loop; the same on every message and delta of the run.
    #[serde(rename = "runId")]
    pub run_id: RunId,
    /// Identifies one message; opaque, made by its producer, the same on every delta of a stream.
    #[serde(rename = "messageId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_id: Option<MessageId>,
    /// Identifies the turn that the message belongs to, such as a request of a user with all that
    /// answers it; opaque, made by the producer.
    #[serde(rename = "turnId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub turn_id: Option<TurnId>,
    /// Number of the delta within its stream; strictly increasing.
    #[serde(rename = "seq")]
    pub seq: Seq,
    /// Says which kind of delta this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::Warning,
    /// Content of a warning delta.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: WarningDeltaPayload,
    /// When the delta was made.
    #[serde(rename = "timestamp")]
    pub timestamp: Timestamp,
    /// The provider's raw event, for debugging only: nothing may depend on it.
    #[serde(rename = "providerRaw", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub provider_raw: Option<JsonObject>,
}
impl WarningDelta {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(run_id: impl Into<String>, seq: Seq, payload: WarningDeltaPayload, timestamp: impl Into<String>) -> Self {
        Self { run_id: run_id.into(), message_id: None, turn_id: None, seq, kind: tags::Warning, payload, timestamp: timestamp.into(), provider_raw: None }
    }
}
impl Contract for WarningDelta {
    const TYPE: &'static str = "message.WarningDelta";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Reports usage so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UsageDelta {
    /// Identifies one run of the agent loop; the same on every message and delta of the run.
    #[serde(rename = "runId")]
    pub run_id: RunId,
    /// Identifies one message; opaque, made by its producer, the same on every delta of a stream.
    #[serde(rename = "messageId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_id: Option<MessageId>,
    /// Identifies the turn that the message belongs to, such as a request of a user with all that
    /// answers it; opaque, made by the producer.
    #[serde(rename = "turnId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub turn_id: Option<TurnId>,
    /// Number of the delta within its stream; strictly increasing.
    #[serde(rename = "seq")]
    pub seq: Seq,
    /// Says which kind of delta this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::Usage,
    /// Tokens and cost of one stream. Figures are cumulative: a later one replaces an earlier one.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: UsageSummary,
    /// When the delta was made.
    #[serde(rename = "timestamp")]
    pub timestamp: Timestamp,
    /// The provider's raw event, for debugging only: nothing may depend on it.
    #[serde(rename = "providerRaw", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub provider_raw: Option<JsonObject>,
}
impl UsageDelta {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(run_id: impl Into<String>, seq: Seq, payload: UsageSummary, timestamp: impl Into<String>) -> Self {
        Self { run_id: run_id.into(), message_id: None, turn_id: None, seq, kind: tags::Usage, payload, timestamp: timestamp.into(), provider_raw: None }
    }
}
impl Contract for UsageDelta {
    const TYPE: &'static str = "message.UsageDelta";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Ends the stream: the message is complete.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DoneDelta {
    /// Identifies one run of the agent loop; the same on every message and delta of the run.
    #[serde(rename = "runId")]
    pub run_id: RunId,
    /// Identifies one message; opaque, made by its producer, the same on every delta of a stream.
    #[serde(rename = "messageId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_id: Option<MessageId>,
    /// Identifies the turn that the message belongs to, such as a request of a user with all that
    /// answers it; opaque, made by the producer.
    #[serde(rename = "turnId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub turn_id: Option<TurnId>,
    /// Number of the delta within its stream; strictly increasing.
    #[serde(rename = "seq")]
    pub seq: Seq,
    /// Says which kind of delta this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::Done,
    /// Content of a done delta.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: DoneDeltaPayload,
    /// When the delta was made.
    #[serde(rename = "timestamp")]
    pub timestamp: Timestamp,
    /// The provider's raw event, for debugging only: nothing may depend on it.
    #[serde(rename = "providerRaw", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub provider_raw: Option<JsonObject>,
}
impl DoneDelta {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(run_id: impl Into<String>, seq: Seq, payload: DoneDeltaPayload, timestamp: impl Into<String>) -> Self {
        Self { run_id: run_id.into(), message_id: None, turn_id: None, seq, kind: tags::Done, payload, timestamp: timestamp.into(), provider_raw: None }
    }
}
impl Contract for DoneDelta {
    const TYPE: &'static str = "message.DoneDelta";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Ends the stream: there is no final message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorDelta {
    /// Identifies one run of the agent loop; the same on every message and delta of the run.
    #[serde(rename = "runId")]
    pub run_id: RunId,
    /// Identifies one message; opaque, made by its producer, the same on every delta of a stream.
    #[serde(rename = "messageId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_id: Option<MessageId>,
    /// Identifies the turn that the message belongs to, such as a request of a user with all that
    /// answers it; opaque, made by the producer.
    #[serde(rename = "turnId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub turn_id: Option<TurnId>,
    /// Number of the delta within its stream; strictly increasing.
    #[serde(rename = "seq")]
    pub seq: Seq,
    /// Says which kind of delta this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::Error,
    /// Content of an error delta.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: ErrorDeltaPayload,
    /// When the delta was made.
    #[serde(rename = "timestamp")]
    pub timestamp: Timestamp,
    /// The provider's raw event, for debugging only: nothing may depend on it.
    #[serde(rename = "providerRaw", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub provider_raw: Option<JsonObject>,
}
impl ErrorDelta {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(run_id: impl Into<String>, seq: Seq, payload: ErrorDeltaPayload, timestamp: impl Into<String>) -> Self {
        Self { run_id: run_id.into(), message_id: None, turn_id: None, seq, kind: tags::Error, payload, timestamp: timestamp.into(), provider_raw: None }
    }
}
impl Contract for ErrorDelta {
    const TYPE: &'static str = "message.ErrorDelta";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Content of a start delta.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartDeltaPayload {
    /// The model that answers.
    #[serde(rename = "modelId")]
    pub model_id: String,
    /// The provider's or the caller's id of the request.
    #[serde(rename = "requestId")]
    pub request_id: String,
    /// Who of those that share a role wrote the message: a user by name, or an agent.
    #[serde(rename = "author", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub author: Option<Author>,
    /// The request asked for JSON: the format of each text part of the stream.
    #[serde(rename = "format", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub format: Option<TextFormat>,
}
impl StartDeltaPayload {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(model_id: impl Into<String>, request_id: impl Into<String>) -> Self {
        Self { model_id: model_id.into(), request_id: request_id.into(), author: None, format: None }
    }
}
impl Contract for StartDeltaPayload {
    const TYPE: &'static str = "message.StartDeltaPayload";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Content of a text delta.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextDeltaPayload {
    /// Text to append, verbatim.
    #[serde(rename = "textDelta")]
    pub text_delta: String,
    /// State of the part that this delta belongs to; it ends that part.
    #[serde(rename = "opaque", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub opaque: Option<Opaque>,
}
impl TextDeltaPayload {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(text_delta: impl Into<String>) -> Self {
        Self { text_delta: text_delta.into(), opaque: None }
    }
}
impl Contract for TextDeltaPayload {
    const TYPE: &'static str = "message.TextDeltaPayload";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Content of a thinking delta.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThinkingDeltaPayload {
    /// Reasoning to append, verbatim.
    #[serde(rename = "textDelta")]
    pub text_delta: String,
    /// State of the part that this delta belongs to; it ends that part.
    #[serde(rename = "opaque", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub opaque: Option<Opaque>,
}
impl ThinkingDeltaPayload {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(text_delta: impl Into<String>) -> Self {
        Self { text_delta: text_delta.into(), opaque: None }
    }
}
impl Contract for ThinkingDeltaPayload {
    const TYPE: &'static str = "message.ThinkingDeltaPayload";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Content of a tool_call_start delta.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCallStartDeltaPayload {
    /// Identifies one tool call; unique within a run.
    #[serde(rename = "toolCallId")]
    pub tool_call_id: ToolCallId,
    /// Name of the tool, as its specification gives it.
    #[serde(rename = "toolName")]
    pub tool_name: ToolName,
    /// State of the call; a later one replaces an earlier one.
    #[serde(rename = "opaque", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub opaque: Option<Opaque>,
}
impl ToolCallStartDeltaPayload {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(tool_call_id: impl Into<String>, tool_name: impl Into<String>) -> Self {
        Self { tool_call_id: tool_call_id.into(), tool_name: tool_name.into(), opaque: None }
    }
}
impl Contract for ToolCallStartDeltaPayload {
    const TYPE: &'static str = "message.ToolCallStartDeltaPayload";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Content of a tool_call_args delta.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCallArgsDeltaPayload {
    /// Identifies one tool call; unique within a run.
    #[serde(rename = "toolCallId")]
    pub tool_call_id: ToolCallId,
    /// Argument text to append, verbatim; the whole is JSON only once the call ends.
    #[serde(rename = "argsTextDelta")]
    pub args_text_delta: String,
    /// State of the call; a later one replaces an earlier one.
    #[serde(rename = "opaque", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub opaque: Option<Opaque>,
}
impl ToolCallArgsDeltaPayload {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(tool_call_id: impl Into<String>, args_text_delta: impl Into<String>) -> Self {
        Self { tool_call_id: tool_call_id.into(), args_text_delta: args_text_delta.into(), opaque: None }
    }
}
impl Contract for ToolCallArgsDeltaPayload {
    const TYPE: &'static str = "message.ToolCallArgsDeltaPayload";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Content of a tool_call_end delta.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCallEndDeltaPayload {
    /// Identifies one tool call; unique within a run.
    #[serde(rename = "toolCallId")]
    pub tool_call_id: ToolCallId,
    /// State of the call; a later one replaces an earlier one.
    #[serde(rename = "opaque", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub opaque: Option<Opaque>,
}
impl ToolCallEndDeltaPayload {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(tool_call_id: impl Into<String>) -> Self {
        Self { tool_call_id: tool_call_id.into(), opaque: None }
    }
}
impl Contract for ToolCallEndDeltaPayload {
    const TYPE: &'static str = "message.ToolCallEndDeltaPayload";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Content of a text_citation delta.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextCitationDeltaPayload {
    /// Says what a stretch of text is based on.
    #[serde(rename = "citation", deserialize_with = "object")]
    pub citation: Citation,
    /// Which text part: its index among the parts that have begun, open calls and media counted;
    /// without it the last text part.
    #[serde(rename = "partIndex", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub part_index: Option<u64>,
}
impl TextCitationDeltaPayload {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(citation: Citation) -> Self {
        Self { citation, part_index: None }
    }
}
impl Contract for TextCitationDeltaPayload {
    const TYPE: &'static str = "message.TextCitationDeltaPayload";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Content of a media_start delta.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MediaStartDeltaPayload {
    /// Identifies media while it streams; unique within the stream.
    #[serde(rename = "mediaId")]
    pub media_id: MediaId,
    /// Media type, such as audio/wav; application/octet-stream where nobody says it.
    #[serde(rename = "mimeType")]
    pub mime_type: String,
    /// Name to show, such as that of a file.
    #[serde(rename = "name", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub name: Option<String>,
    /// State of the media; a later one replaces an earlier one.
    #[serde(rename = "opaque", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub opaque: Option<Opaque>,
}
impl MediaStartDeltaPayload {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(media_id: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self { media_id: media_id.into(), mime_type: mime_type.into(), name: None, opaque: None }
    }
}
impl Contract for MediaStartDeltaPayload {
    const TYPE: &'static str = "message.MediaStartDeltaPayload";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Content of a media_data delta. Each piece is Base64 by itself: bytes are joined, not letters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MediaDataDeltaPayload {
    /// Identifies media while it streams; unique within the stream.
    #[serde(rename = "mediaId")]
    pub media_id: MediaId,
    /// Bytes in place of all before.
    #[serde(rename = "data", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub data: Option<Base64>,
    /// Bytes to append; behind data, where both are there.
    #[serde(rename = "dataDelta", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub data_delta: Option<Base64>,
    /// What is said, to append, verbatim.
    #[serde(rename = "transcriptDelta", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub transcript_delta: Option<String>,
}
impl MediaDataDeltaPayload {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(media_id: impl Into<String>) -> Self {
        Self { media_id: media_id.into(), data: None, data_delta: None, transcript_delta: None }
    }
}
impl Contract for MediaDataDeltaPayload {
    const TYPE: &'static str = "message.MediaDataDeltaPayload";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Content of a media_end delta.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MediaEndDeltaPayload {
    /// Identifies media while it streams; unique within the stream.
    #[serde(rename = "mediaId")]
    pub media_id: MediaId,
    /// Media type, in place of that of the start.
    #[serde(rename = "mimeType", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub mime_type: Option<String>,
    /// Where the media is, in place of the bytes that came.
    #[serde(rename = "source", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub source: Option<MediaSource>,
    /// Size of the media, decoded, in bytes, as the producer says it.
    #[serde(rename = "sizeBytes", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub size_bytes: Option<u64>,
    /// State of the media; a later one replaces an earlier one.
    #[serde(rename = "opaque", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub opaque: Option<Opaque>,
}
impl MediaEndDeltaPayload {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(media_id: impl Into<String>) -> Self {
        Self { media_id: media_id.into(), mime_type: None, source: None, size_bytes: None, opaque: None }
    }
}
impl Contract for MediaEndDeltaPayload {
    const TYPE: &'static str = "message.MediaEndDeltaPayload";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Content of a warning delta.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WarningDeltaPayload {
    /// What happened, to branch on. An open string.
    #[serde(rename = "code")]
    pub code: WarningDeltaPayloadCode,
    /// The same for people, in the provider's words.
    #[serde(rename = "message", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message: Option<String>,
    /// What it is about: a setting, a tool, a part of the request, in the provider's words.
    #[serde(rename = "place", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub place: Option<String>,
}
impl WarningDeltaPayload {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(code: WarningDeltaPayloadCode) -> Self {
        Self { code, message: None, place: None }
    }
}
impl Contract for WarningDeltaPayload {
    const TYPE: &'static str = "message.WarningDeltaPayload";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Content of a done delta.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DoneDeltaPayload {
    /// Why the model stopped. An open string: a value that is not known means unknown, never stop.
    #[serde(rename = "finishReason")]
    pub finish_reason: FinishReason,
    /// The provider's own word for why the stream ended, as it came.
    #[serde(rename = "providerFinishReason", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub provider_finish_reason: Option<ProviderFinishReason>,
}
impl DoneDeltaPayload {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(finish_reason: FinishReason) -> Self {
        Self { finish_reason, provider_finish_reason: None }
    }
}
impl Contract for DoneDeltaPayload {
    const TYPE: &'static str = "message.DoneDeltaPayload";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Content of an error delta.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorDeltaPayload {
    /// The framework's code of an error. An open string: a value that is not known means unknown.
    #[serde(rename = "errorCode")]
    pub error_code: ErrorCode,
    /// What happened, for people.
    #[serde(rename = "message", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message: Option<String>,
    /// Whether the same request may succeed later.
    #[serde(rename = "retryable", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub retryable: Option<bool>,
}
impl ErrorDeltaPayload {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(error_code: ErrorCode) -> Self {
        Self { error_code, message: None, retryable: None }
    }
}
impl Contract for ErrorDeltaPayload {
    const TYPE: &'static str = "message.ErrorDeltaPayload";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// One message of a conversation: what is stored and what is sent to a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Identifies one run of the agent loop; the same on every message and delta of the run.
    #[serde(rename = "runId")]
    pub run_id: RunId,
    /// Identifies one message; opaque, made by its producer, the same on every delta of a stream.
    #[serde(rename = "messageId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub message_id: Option<MessageId>,
    /// Identifies the turn that the message belongs to, such as a request of a user with all that
    /// answers it; opaque, made by the producer.
    #[serde(rename = "turnId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub turn_id: Option<TurnId>,
    /// Who speaks. A closed set.
    #[serde(rename = "role")]
    pub role: Role,
    /// Who of those that share a role wrote the message: a user by name, or an agent.
    #[serde(rename = "author", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub author: Option<Author>,
    /// The content, in the order in which it came; the order never changes.
    #[serde(rename = "parts")]
    pub parts: Vec<MessagePart>,
    /// When the message began.
    #[serde(rename = "timestamp")]
    pub timestamp: Timestamp,
    /// What is not the message's core: usage, trace. Members that are not named here are kept as
    /// they are. Two of these are providerFinishReason, the provider's own word for why the stream
    /// ended, and warnings, an array of the provider's warnings.
    #[serde(rename = "meta", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub meta: Option<MessageMeta>,
}
impl Message {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(run_id: impl Into<String>, role: Role, parts: Vec<MessagePart>, timestamp: impl Into<String>) -> Self {
        Self { run_id: run_id.into(), message_id: None, turn_id: None, role, author: None, parts, timestamp: timestamp.into(), meta: None }
    }
}
impl Contract for Message {
    const TYPE: &'static str = "message.Message";
    const VERSION: crate::Version = crate::Version::V0_3;
}

closed_enum! { 
/// Who speaks. A closed set.
Role { System = "system", User = "user", Assistant = "assistant", Tool = "tool" } }
impl Contract for Role {
    const TYPE: &'static str = "message.Role";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// What is not the message's core: usage, trace. Members that are not named here are kept as they
/// are. Two of these are providerFinishReason, the provider's own word for why the stream ended,
/// and warnings, an array of the provider's warnings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Default)]
pub struct MessageMeta {
    /// The model that wrote the message.
    #[serde(rename = "modelId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub model_id: Option<String>,
    /// The provider's or the caller's id of the request.
    #[serde(rename = "requestId", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub request_id: Option<String>,
    /// Why the model stopped. An open string: a value that is not known means unknown, never stop.
    #[serde(rename = "finishReason", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub finish_reason: Option<FinishReason>,
    /// When the stream ended.
    #[serde(rename = "completedAt", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub completed_at: Option<Timestamp>,
    /// Tokens and cost of one stream. Figures are cumulative: a later one replaces an earlier one.
    #[serde(rename = "usage", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub usage: Option<UsageSummary>,
    /// Tool calls whose argument text was not a JSON object, in the order of their parts.
    #[serde(rename = "toolCallParseErrors", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub tool_call_parse_errors: Option<Vec<ToolCallParseError>>,
    /// Marks a message that was put together from a stream without a done delta.
    #[serde(rename = "incomplete", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub incomplete: Option<Incomplete>,
    /// Members that are not named here.
    #[serde(flatten)]
    pub extra: Map,
}
impl Contract for MessageMeta {
    const TYPE: &'static str = "message.MessageMeta";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Says that the argument text of a tool call could not be used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCallParseError {
    /// Identifies one tool call; unique within a run.
    #[serde(rename = "toolCallId")]
    pub tool_call_id: ToolCallId,
    /// What is wrong: the text is not JSON, or it is JSON but not an object.
    #[serde(rename = "error")]
    pub error: ToolCallParseErrorError,
}
impl Contract for ToolCallParseError {
    const TYPE: &'static str = "message.ToolCallParseError";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Marks a message that was put together from a stream without a done delta.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Incomplete {
    /// How the stream ended: an error delta, the caller's cancellation, or the bytes just stopped.
    #[serde(rename = "ending")]
    pub ending: IncompleteEnding,
    /// Tool calls that had begun and were left out, in the order of their start.
    #[serde(rename = "openToolCallIds")]
    pub open_tool_call_ids: Vec<ToolCallId>,
    /// Media that had begun and was left out, in the order of its start.
    #[serde(rename = "openMediaIds", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub open_media_ids: Option<Vec<MediaId>>,
}
impl Incomplete {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(ending: IncompleteEnding, open_tool_call_ids: Vec<ToolCallId>) -> Self {
        Self { ending, open_tool_call_ids, open_media_ids: None }
    }
}
impl Contract for Incomplete {
    const TYPE: &'static str = "message.Incomplete";
    const VERSION: crate::Version = crate::Version::V0_3;
}

tagged_union! { 
/// A piece of content. The set of kinds is frozen within a version.
MessagePart, "kind", { Text(TextPart) = "text", Thinking(ThinkingPart) = "thinking", ToolCall(ToolCallPart) = "tool_call", ToolResult(ToolResultPart) = "tool_result", Image(ImagePart) = "image", FileRef(FileRefPart) = "file_ref", Media(MediaPart) = "media", ServerToolCall(ServerToolCallPart) = "server_tool_call", ServerToolResult(ServerToolResultPart) = "server_tool_result", ApprovalRequest(ApprovalRequestPart) = "approval_request", ApprovalResponse(ApprovalResponsePart) = "approval_response" } }
impl Contract for MessagePart {
    const TYPE: &'static str = "message.MessagePart";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// A piece of text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextPart {
    /// Says which kind of part this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::Text,
    /// Content of a text part.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: TextPayload,
}
impl TextPart {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(payload: TextPayload) -> Self {
        Self { kind: tags::Text, payload }
    }
}
impl Contract for TextPart {
    const TYPE: &'static str = "message.TextPart";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// A piece of the model's reasoning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThinkingPart {
    /// Says which kind of part this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::Thinking,
    /// Content of a thinking part.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: ThinkingPayload,
}
impl ThinkingPart {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(payload: ThinkingPayload) -> Self {
        Self { kind: tags::Thinking, payload }
    }
}
impl Contract for ThinkingPart {
    const TYPE: &'static str = "message.ThinkingPart";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// A call of a tool that the model asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCallPart {
    /// Says which kind of part this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::ToolCall,
    /// Content of a tool_call part.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: ToolCallPayload,
}
impl ToolCallPart {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(payload: ToolCallPayload) -> Self {
        Self { kind: tags::ToolCall, payload }
    }
}
impl Contract for ToolCallPart {
    const TYPE: &'static str = "message.ToolCallPart";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The result of one tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResultPart {
    /// Says which kind of part this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::ToolResult,
    /// The result of one tool call; content of a tool_result part.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: ToolResult,
}
impl ToolResultPart {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(payload: ToolResult) -> Self {
        Self { kind: tags::ToolResult, payload }
    }
}
impl Contract for ToolResultPart {
    const TYPE: &'static str = "message.ToolResultPart";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// An image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImagePart {
    /// Says which kind of part this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::Image,
    /// Content of an image part: exactly one of data and url.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: ImagePayload,
}
impl ImagePart {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(payload: ImagePayload) -> Self {
        Self { kind: tags::Image, payload }
    }
}
impl Contract for ImagePart {
    const TYPE: &'static str = "message.ImagePart";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// A reference to a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileRefPart {
    /// Says which kind of part this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::FileRef,
    /// Content of a file_ref part.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: FileRefPayload,
}
impl FileRefPart {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(payload: FileRefPayload) -> Self {
        Self { kind: tags::FileRef, payload }
    }
}
impl Contract for FileRefPart {
    const TYPE: &'static str = "message.FileRefPart";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Media of any type: audio, video, a document; also the whole of a large tool result, by
/// reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MediaPart {
    /// Says which kind of part this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::Media,
    /// Content of a media part.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: MediaPayload,
}
impl MediaPart {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(payload: MediaPayload) -> Self {
        Self { kind: tags::Media, payload }
    }
}
impl Contract for MediaPart {
    const TYPE: &'static str = "message.MediaPart";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// A call of a tool that the provider runs itself. The caller does not run it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerToolCallPart {
    /// Says which kind of part this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::ServerToolCall,
    /// Content of a tool_call part.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: ToolCallPayload,
}
impl ServerToolCallPart {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(payload: ToolCallPayload) -> Self {
        Self { kind: tags::ServerToolCall, payload }
    }
}
impl Contract for ServerToolCallPart {
    const TYPE: &'static str = "message.ServerToolCallPart";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The result of a call that the provider ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerToolResultPart {
    /// Says which kind of part this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::ServerToolResult,
    /// The result of a call that the provider ran; content of a server_tool_result part.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: ServerToolResult,
}
impl ServerToolResultPart {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(payload: ServerToolResult) -> Self {
        Self { kind: tags::ServerToolResult, payload }
    }
}
impl Contract for ServerToolResultPart {
    const TYPE: &'static str = "message.ServerToolResultPart";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Asks a person whether a call may run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApprovalRequestPart {
    /// Says which kind of part this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::ApprovalRequest,
    /// Content of an approval_request part. What is asked about is in the call.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: ApprovalRequest,
}
impl ApprovalRequestPart {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(payload: ApprovalRequest) -> Self {
        Self { kind: tags::ApprovalRequest, payload }
    }
}
impl Contract for ApprovalRequestPart {
    const TYPE: &'static str = "message.ApprovalRequestPart";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// A person's answer to an approval request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApprovalResponsePart {
    /// Says which kind of part this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::ApprovalResponse,
    /// Content of an approval_response part.
    #[serde(rename = "payload", deserialize_with = "object")]
    pub payload: ApprovalResponse,
}
impl ApprovalResponsePart {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(payload: ApprovalResponse) -> Self {
        Self { kind: tags::ApprovalResponse, payload }
    }
}
impl Contract for ApprovalResponsePart {
    const TYPE: &'static str = "message.ApprovalResponsePart";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Content of a text part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextPayload {
    /// The text, verbatim.
    #[serde(rename = "text")]
    pub text: String,
    /// What the provider wants back with this part.
    #[serde(rename = "opaque", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub opaque: Option<Opaque>,
    /// What the text is based on, in the order in which the citations came.
    #[serde(rename = "citations", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub citations: Option<Vec<Citation>>,
    /// Says that the request asked for JSON here. It does not say that valid JSON came.
    #[serde(rename = "format", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub format: Option<TextFormat>,
}
impl TextPayload {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), opaque: None, citations: None, format: None }
    }
}
impl Contract for TextPayload {
    const TYPE: &'static str = "message.TextPayload";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Says what a stretch of text is based on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Citation {
    /// Where the stretch begins: code points of the part's text. Without start or end the citation
    /// has no place.
    #[serde(rename = "start", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub start: Option<u64>,
    /// Where it ends: code points, behind the last one; equal to start for a point.
    #[serde(rename = "end", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub end: Option<u64>,
    /// What is cited.
    #[serde(rename = "source", deserialize_with = "object")]
    pub source: CitationSource,
    /// What the source says, verbatim.
    #[serde(rename = "quotedText", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub quoted_text: Option<String>,
    /// The provider's own citation, where its requests take it back.
    #[serde(rename = "opaque", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub opaque: Option<Opaque>,
}
impl Citation {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(source: CitationSource) -> Self {
        Self { start: None, end: None, source, quoted_text: None, opaque: None }
    }
}
impl Contract for Citation {
    const TYPE: &'static str = "message.Citation";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// What is cited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CitationSource {
    /// What kind of source it is. An open string.
    #[serde(rename = "kind")]
    pub kind: CitationSourceKind,
    /// Where the source can be found.
    #[serde(rename = "url", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub url: Option<String>,
    /// Its title, to show.
    #[serde(rename = "title", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub title: Option<String>,
    /// Its id, as the provider gives it: the index of a document in the request, the id of a file,
    /// the name or index of a search result, the id of a tool result or of its call.
    #[serde(rename = "id", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub id: Option<String>,
    /// The place in the source, as the provider counts there.
    #[serde(rename = "locator", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub locator: Option<CitationLocator>,
}
impl CitationSource {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(kind: CitationSourceKind) -> Self {
        Self { kind, url: None, title: None, id: None, locator: None }
    }
}
impl Contract for CitationSource {
    const TYPE: &'static str = "message.CitationSource";
    const VERSION: crate::Version = crate::Version::V0_3;
}

open_enum! { 
/// What kind of source it is. An open string.
CitationSourceKind { Url = "url", Document = "document", File = "file", SearchResult = "search_result", ToolResult = "tool_result", Media = "media" } }
impl Contract for CitationSourceKind {
    const TYPE: &'static str = "message.CitationSourceKind";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The place in the source, as the provider counts there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CitationLocator {
    /// What is counted. An open string.
    #[serde(rename = "unit")]
    pub unit: LocatorUnit,
    /// The first one, in this unit.
    #[serde(rename = "start")]
    pub start: u64,
    /// The end, in this unit; whether it is included depends on the provider.
    #[serde(rename = "end", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub end: Option<u64>,
}
impl CitationLocator {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(unit: LocatorUnit, start: u64) -> Self {
        Self { unit, start, end: None }
    }
}
impl Contract for CitationLocator {
    const TYPE: &'static str = "message.CitationLocator";
    const VERSION: crate::Version = crate::Version::V0_3;
}

open_enum! { 
/// What is counted. An open string.
LocatorUnit { Character = "character", Page = "page", Block = "block", Chunk = "chunk" } }
impl Contract for LocatorUnit {
    const TYPE: &'static str = "message.LocatorUnit";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Content of a thinking part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThinkingPayload {
    /// The reasoning, verbatim.
    #[serde(rename = "text")]
    pub text: String,
    /// What the provider wants back with this part.
    #[serde(rename = "opaque", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub opaque: Option<Opaque>,
}
impl ThinkingPayload {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), opaque: None }
    }
}
impl Contract for ThinkingPayload {
    const TYPE: &'static str = "message.ThinkingPayload";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Content of a tool_call part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCallPayload {
    /// Identifies one tool call; unique within a run.
    #[serde(rename = "toolCallId")]
    pub tool_call_id: ToolCallId,
    /// Name of the tool, as its specification gives it.
    #[serde(rename = "toolName")]
    pub tool_name: ToolName,
    /// The parsed arguments; an empty object where the text is not a JSON object.
    #[serde(rename = "arguments")]
    pub arguments: JsonObject,
    /// The argument text as it came; present only where arguments does not say it all: the text was
    /// not a JSON object, or holds an integer beyond ±(2^53 - 1).
    #[serde(rename = "rawArgsText", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub raw_args_text: Option<String>,
    /// What the provider wants back with this part.
    #[serde(rename = "opaque", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub opaque: Option<Opaque>,
}
impl ToolCallPayload {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(tool_call_id: impl Into<String>, tool_name: impl Into<String>, arguments: JsonObject) -> Self {
        Self { tool_call_id: tool_call_id.into(), tool_name: tool_name.into(), arguments, raw_args_text: None, opaque: None }
    }
}
impl Contract for ToolCallPayload {
    const TYPE: &'static str = "message.ToolCallPayload";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// A tool call apart from a message, as a tool runner gets it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Identifies one tool call; unique within a run.
    #[serde(rename = "toolCallId")]
    pub tool_call_id: ToolCallId,
    /// Name of the tool, as its specification gives it.
    #[serde(rename = "toolName")]
    pub tool_name: ToolName,
    /// The parsed arguments; an empty object where the text is not a JSON object.
    #[serde(rename = "arguments")]
    pub arguments: JsonObject,
}
impl Contract for ToolCall {
    const TYPE: &'static str = "message.ToolCall";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The result of one tool call; content of a tool_result part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call that this is the result of.
    #[serde(rename = "toolCallId")]
    pub tool_call_id: ToolCallId,
    /// Whether the tool failed.
    #[serde(rename = "isError")]
    pub is_error: bool,
    /// What the tool gave back: text, parts, or any JSON object.
    #[serde(rename = "content")]
    pub content: ToolResultContent,
    /// How a call came out; partial: the tool stopped before it was done. An open string: a value
    /// that is not known says no more than isError.
    #[serde(rename = "outcome", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub outcome: Option<Outcome>,
    /// A result as data, for programs: any JSON value but null. No provider gets it.
    #[serde(rename = "structured", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub structured: Option<StructuredValue>,
}
impl ToolResult {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(tool_call_id: impl Into<String>, is_error: bool, content: ToolResultContent) -> Self {
        Self { tool_call_id: tool_call_id.into(), is_error, content, outcome: None, structured: None }
    }
}
impl Contract for ToolResult {
    const TYPE: &'static str = "message.ToolResult";
    const VERSION: crate::Version = crate::Version::V0_3;
}

choice! { 
/// What the tool gave back: text, parts, or any JSON object.
ToolResultContent { String(String) = string, Array(Vec<ToolResultContentPart>) = array, Object(JsonObject) = object } }
impl Contract for ToolResultContent {
    const TYPE: &'static str = "message.ToolResultContent";
    const VERSION: crate::Version = crate::Version::V0_3;
}

tagged_union! { 
/// A part that may stand inside a tool result.
ToolResultContentPart, "kind", { Text(TextPart) = "text", Image(ImagePart) = "image", FileRef(FileRefPart) = "file_ref", Media(MediaPart) = "media" } }
impl Contract for ToolResultContentPart {
    const TYPE: &'static str = "message.ToolResultContentPart";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Content of an image part: exactly one of data and url.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImagePayload {
    /// Media type of the image, such as image/png.
    #[serde(rename = "mimeType")]
    pub mime_type: String,
    /// The image's bytes.
    #[serde(rename = "data", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub data: Option<Base64>,
    /// Where the image is to be had.
    #[serde(rename = "url", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub url: Option<String>,
}
impl ImagePayload {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(mime_type: impl Into<String>) -> Self {
        Self { mime_type: mime_type.into(), data: None, url: None }
    }
}
impl Contract for ImagePayload {
    const TYPE: &'static str = "message.ImagePayload";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Content of a file_ref part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileRefPayload {
    /// Path or name of the file, as producer and consumer agreed.
    #[serde(rename = "path")]
    pub path: String,
    /// Media type of the file.
    #[serde(rename = "mimeType", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub mime_type: Option<String>,
    /// Size in bytes.
    #[serde(rename = "size", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub size: Option<u64>,
}
impl FileRefPayload {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into(), mime_type: None, size: None }
    }
}
impl Contract for FileRefPayload {
    const TYPE: &'static str = "message.FileRefPayload";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Content of a media part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MediaPayload {
    /// Media type, such as audio/wav.
    #[serde(rename = "mimeType")]
    pub mime_type: String,
    /// Where the media is.
    #[serde(rename = "source")]
    pub source: MediaSource,
    /// Name to show, such as that of a file.
    #[serde(rename = "name", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub name: Option<String>,
    /// Size of the media, decoded, in bytes.
    #[serde(rename = "sizeBytes", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub size_bytes: Option<u64>,
    /// SHA-256 of the media, decoded, as 64 lower-case hexadecimal digits.
    #[serde(rename = "sha256", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub sha256: Option<String>,
    /// What is said in it, verbatim.
    #[serde(rename = "transcript", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub transcript: Option<String>,
    /// What the provider wants back with this part.
    #[serde(rename = "opaque", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub opaque: Option<Opaque>,
}
impl MediaPayload {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(mime_type: impl Into<String>, source: MediaSource) -> Self {
        Self { mime_type: mime_type.into(), source, name: None, size_bytes: None, sha256: None, transcript: None, opaque: None }
    }
}
impl Contract for MediaPayload {
    const TYPE: &'static str = "message.MediaPayload";
    const VERSION: crate::Version = crate::Version::V0_3;
}

tagged_union! { 
/// Where the media is.
MediaSource, "kind", { Inline(InlineSource) = "inline", Url(UrlSource) = "url", Ref(RefSource) = "ref" } }
impl Contract for MediaSource {
    const TYPE: &'static str = "message.MediaSource";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The media is in the document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InlineSource {
    /// Says which kind of source this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::Inline,
    /// The media's bytes.
    #[serde(rename = "data")]
    pub data: Base64,
}
impl InlineSource {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(data: impl Into<String>) -> Self {
        Self { kind: tags::Inline, data: data.into() }
    }
}
impl Contract for InlineSource {
    const TYPE: &'static str = "message.InlineSource";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The media is to be had at a URL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UrlSource {
    /// Says which kind of source this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::Url,
    /// Where the media is to be had.
    #[serde(rename = "url")]
    pub url: String,
}
impl UrlSource {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self { kind: tags::Url, url: url.into() }
    }
}
impl Contract for UrlSource {
    const TYPE: &'static str = "message.UrlSource";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The media is kept apart, under a name that producer and consumer agreed on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RefSource {
    /// Says which kind of source this is.
    #[serde(rename = "kind", default)]
    pub kind: tags::Ref,
    /// The name of the media in that store.
    #[serde(rename = "ref")]
    pub r#ref: String,
}
impl RefSource {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(r#ref: impl Into<String>) -> Self {
        Self { kind: tags::Ref, r#ref: r#ref.into() }
    }
}
impl Contract for RefSource {
    const TYPE: &'static str = "message.RefSource";
    const VERSION: crate::Version = crate::Version::V0_3;
}

choice! { 
/// A result as data, for programs: any JSON value but null. No provider gets it.
StructuredValue { Array(Vec<Value>) = array, Boolean(bool) = boolean, Number(Number) = number, Object(JsonObject) = object, String(String) = string } }
impl Contract for StructuredValue {
    const TYPE: &'static str = "message.StructuredValue";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The result of a call that the provider ran; content of a server_tool_result part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerToolResult {
    /// The call that this is the result of; it may be in an earlier message.
    #[serde(rename = "toolCallId")]
    pub tool_call_id: ToolCallId,
    /// Whether the tool failed.
    #[serde(rename = "isError")]
    pub is_error: bool,
    /// What the tool gave back: text, parts, or any JSON object.
    #[serde(rename = "content")]
    pub content: ToolResultContent,
    /// How a call came out; partial: the tool stopped before it was done. An open string: a value
    /// that is not known says no more than isError.
    #[serde(rename = "outcome", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub outcome: Option<Outcome>,
    /// A result as data, for programs: any JSON value but null. No provider gets it.
    #[serde(rename = "structured", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub structured: Option<StructuredValue>,
    /// What the provider wants back with this part.
    #[serde(rename = "opaque", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub opaque: Option<Opaque>,
}
impl ServerToolResult {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(tool_call_id: impl Into<String>, is_error: bool, content: ToolResultContent) -> Self {
        Self { tool_call_id: tool_call_id.into(), is_error, content, outcome: None, structured: None, opaque: None }
    }
}
impl Contract for ServerToolResult {
    const TYPE: &'static str = "message.ServerToolResult";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Content of an approval_request part. What is asked about is in the call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApprovalRequest {
    /// Identifies one request for a person's approval; unique within a run.
    #[serde(rename = "approvalId")]
    pub approval_id: ApprovalId,
    /// The tool_call or server_tool_call that waits.
    #[serde(rename = "toolCallId")]
    pub tool_call_id: ToolCallId,
    /// Why it is asked, for the person who decides.
    #[serde(rename = "reason", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub reason: Option<String>,
    /// What the person can choose from, if it is more than yes or no.
    #[serde(rename = "choices", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub choices: Option<Vec<ApprovalChoice>>,
    /// When it was asked.
    #[serde(rename = "requestedAt", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub requested_at: Option<Timestamp>,
    /// What the provider wants back with this part.
    #[serde(rename = "opaque", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub opaque: Option<Opaque>,
}
impl ApprovalRequest {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(approval_id: impl Into<String>, tool_call_id: impl Into<String>) -> Self {
        Self { approval_id: approval_id.into(), tool_call_id: tool_call_id.into(), reason: None, choices: None, requested_at: None, opaque: None }
    }
}
impl Contract for ApprovalRequest {
    const TYPE: &'static str = "message.ApprovalRequest";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// One of several answers that an approval request offers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApprovalChoice {
    /// Identifies the choice within its request; the answer names it.
    #[serde(rename = "id")]
    pub id: String,
    /// What to show to the person; without it, the id.
    #[serde(rename = "label", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub label: Option<String>,
    /// What taking this choice decides; the answer says it as its decision.
    #[serde(rename = "decision", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub decision: Option<ApprovalDecision>,
}
impl ApprovalChoice {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), label: None, decision: None }
    }
}
impl Contract for ApprovalChoice {
    const TYPE: &'static str = "message.ApprovalChoice";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Content of an approval_response part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApprovalResponse {
    /// The request that this answers.
    #[serde(rename = "approvalId")]
    pub approval_id: ApprovalId,
    /// The call that it is about.
    #[serde(rename = "toolCallId")]
    pub tool_call_id: ToolCallId,
    /// What was decided. An open string: the call runs if it is approved, and on no other value.
    #[serde(rename = "decision")]
    pub decision: ApprovalDecision,
    /// The id of the choice that was taken. It does not say whether the call runs: decision does.
    #[serde(rename = "choice", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub choice: Option<String>,
    /// Why it was decided so.
    #[serde(rename = "reason", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub reason: Option<String>,
    /// Who decided.
    #[serde(rename = "decidedBy", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub decided_by: Option<String>,
    /// When it was decided.
    #[serde(rename = "decidedAt", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub decided_at: Option<Timestamp>,
    /// Run the call with these instead; the call itself stays as the model wrote it.
    #[serde(rename = "arguments", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub arguments: Option<JsonObject>,
}
impl ApprovalResponse {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(approval_id: impl Into<String>, tool_call_id: impl Into<String>, decision: ApprovalDecision) -> Self {
        Self { approval_id: approval_id.into(), tool_call_id: tool_call_id.into(), decision, choice: None, reason: None, decided_by: None, decided_at: None, arguments: None }
    }
}
impl Contract for ApprovalResponse {
    const TYPE: &'static str = "message.ApprovalResponse";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// A tool as the model sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Name of the tool, as its specification gives it.
    #[serde(rename = "name")]
    pub name: ToolName,
    /// What the tool does and when to use it.
    #[serde(rename = "description", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub description: Option<String>,
    /// JSON Schema of the arguments.
    #[serde(rename = "parameterSchema")]
    pub parameter_schema: JsonObject,
    /// Whether the provider shall hold the arguments to the schema.
    #[serde(rename = "strict", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub strict: Option<bool>,
}
impl ToolSpec {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(name: impl Into<String>, parameter_schema: JsonObject) -> Self {
        Self { name: name.into(), description: None, parameter_schema, strict: None }
    }
}
impl Contract for ToolSpec {
    const TYPE: &'static str = "message.ToolSpec";
    const VERSION: crate::Version = crate::Version::V0_3;
}

choice! { 
/// Which tools the model may or must call.
ToolChoice { ToolChoiceMode(ToolChoiceMode) = string, SpecificTool(SpecificTool) = object } }
impl Contract for ToolChoice {
    const TYPE: &'static str = "message.ToolChoice";
    const VERSION: crate::Version = crate::Version::V0_3;
}

closed_enum! { 
/// auto: the model decides; required: at least one call; none: no call.
ToolChoiceMode { Auto = "auto", Required = "required", None = "none" } }
impl Contract for ToolChoiceMode {
    const TYPE: &'static str = "message.ToolChoiceMode";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Exactly this tool must be called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpecificTool {
    /// Name of the tool, as its specification gives it.
    #[serde(rename = "toolName")]
    pub tool_name: ToolName,
}
impl Contract for SpecificTool {
    const TYPE: &'static str = "message.SpecificTool";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// How prompt caching is used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CacheConfig {
    /// auto: the adapter places the cache marks.
    #[serde(rename = "strategy")]
    pub strategy: CacheConfigStrategy,
}
impl Contract for CacheConfig {
    const TYPE: &'static str = "message.CacheConfig";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Configuration of a model. Members that are not named here are the provider's own and are kept as
/// they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelConfig {
    /// The model to call.
    #[serde(rename = "modelId")]
    pub model_id: String,
    /// Sampling temperature.
    #[serde(rename = "temperature", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub temperature: Option<f64>,
    /// Most tokens that the answer may have.
    #[serde(rename = "maxTokens", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub max_tokens: Option<u64>,
    /// Nucleus sampling: the probability mass that is considered.
    #[serde(rename = "topP", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub top_p: Option<f64>,
    /// Texts at which the model stops.
    #[serde(rename = "stopSequences", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub stop_sequences: Option<Vec<StopSequence>>,
    /// Which tools the model may or must call.
    #[serde(rename = "toolChoice", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub tool_choice: Option<ToolChoice>,
    /// How prompt caching is used.
    #[serde(rename = "cacheConfig", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub cache_config: Option<CacheConfig>,
    /// Members that are not named here.
    #[serde(flatten)]
    pub extra: Map,
}
impl ModelConfig {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(model_id: impl Into<String>) -> Self {
        Self { model_id: model_id.into(), temperature: None, max_tokens: None, top_p: None, stop_sequences: None, tool_choice: None, cache_config: None, extra: Map::new() }
    }
}
impl Contract for ModelConfig {
    const TYPE: &'static str = "message.ModelConfig";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// A text at which the model stops.
pub type StopSequence = String;

/// What is known of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelInfo {
    /// The model's name at its provider.
    #[serde(rename = "modelId")]
    pub model_id: String,
    /// The provider's name.
    #[serde(rename = "provider")]
    pub provider: String,
    /// Most tokens of input and output together.
    #[serde(rename = "contextWindowTokens", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub context_window_tokens: Option<u64>,
    /// Most tokens of one answer.
    #[serde(rename = "maxOutputTokens", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub max_output_tokens: Option<u64>,
}
impl ModelInfo {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(model_id: impl Into<String>, provider: impl Into<String>) -> Self {
        Self { model_id: model_id.into(), provider: provider.into(), context_window_tokens: None, max_output_tokens: None }
    }
}
impl Contract for ModelInfo {
    const TYPE: &'static str = "message.ModelInfo";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Ties a request to its session, run and trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequestMetadata {
    /// The session that the request belongs to.
    #[serde(rename = "sessionId")]
    pub session_id: String,
    /// Identifies one run of the agent loop; the same on every message and delta of the run.
    #[serde(rename = "runId")]
    pub run_id: RunId,
    /// The trace that the request belongs to.
    #[serde(rename = "traceId")]
    pub trace_id: String,
}
impl Contract for RequestMetadata {
    const TYPE: &'static str = "message.RequestMetadata";
    const VERSION: crate::Version = crate::Version::V0_3;
}

open_enum! { 
/// One of the values of `WarningDeltaPayloadCode`.
WarningDeltaPayloadCode { UnsupportedSetting = "unsupported_setting", Deprecated = "deprecated", ToolUnavailable = "tool_unavailable", InputTruncated = "input_truncated", Other = "other" } }

defaulting_enum! { 
/// One of the values of `ToolCallParseErrorError`.
ToolCallParseErrorError or InvalidJson { InvalidJson = "invalid_json", NotAnObject = "not_an_object" } }

defaulting_enum! { 
/// One of the values of `IncompleteEnding`.
IncompleteEnding or Truncated { Error = "error", Cancelled = "cancelled", Truncated = "truncated" } }

defaulting_enum! { 
/// One of the values of `CacheConfigStrategy`.
CacheConfigStrategy or Auto { Auto = "auto" } }

/// Takes a valid value through its type; the inside of dynamic reading.
pub(crate) fn rewrite(name: &str, value: Value) -> Option<serde_json::Result<Value>> {
    Some(match name {
        "JsonObject" => rewritten::<JsonObject>(value),
        "Timestamp" => rewritten::<Timestamp>(value),
        "Base64" => rewritten::<Base64>(value),
        "RunId" => rewritten::<RunId>(value),
        "MessageId" => rewritten::<MessageId>(value),
        "TurnId" => rewritten::<TurnId>(value),
        "ToolCallId" => rewritten::<ToolCallId>(value),
        "ToolName" => rewritten::<ToolName>(value),
        "FinishReason" => rewritten::<FinishReason>(value),
        "ErrorCode" => rewritten::<ErrorCode>(value),
        "UsageSummary" => rewritten::<UsageSummary>(value),
        "ProviderFinishReason" => rewritten::<ProviderFinishReason>(value),
        "Opaque" => rewritten::<Opaque>(value),
        "AgentName" => rewritten::<AgentName>(value),
        "Author" => rewritten::<Author>(value),
        "TextFormat" => rewritten::<TextFormat>(value),
        "Outcome" => rewritten::<Outcome>(value),
        "ApprovalId" => rewritten::<ApprovalId>(value),
        "ApprovalDecision" => rewritten::<ApprovalDecision>(value),
        "MediaId" => rewritten::<MediaId>(value),
        "MessageDelta" => rewritten::<MessageDelta>(value),
        "Seq" => rewritten::<Seq>(value),
        "StartDelta" => rewritten::<StartDelta>(value),
        "TextDelta" => rewritten::<TextDelta>(value),
        "ThinkingDelta" => rewritten::<ThinkingDelta>(value),
        "ToolCallStartDelta" => rewritten::<ToolCallStartDelta>(value),
        "ToolCallArgsDelta" => rewritten::<ToolCallArgsDelta>(value),
        "ToolCallEndDelta" => rewritten::<ToolCallEndDelta>(value),
        "TextCitationDelta" => rewritten::<TextCitationDelta>(value),
        "ServerToolCallStartDelta" => rewritten::<ServerToolCallStartDelta>(value),
        "ServerToolCallArgsDelta" => rewritten::<ServerToolCallArgsDelta>(value),
        "ServerToolCallEndDelta" => rewritten::<ServerToolCallEndDelta>(value),
        "ServerToolResultDelta" => rewritten::<ServerToolResultDelta>(value),
        "ApprovalRequestDelta" => rewritten::<ApprovalRequestDelta>(value),
        "MediaStartDelta" => rewritten::<MediaStartDelta>(value),
        "MediaDataDelta" => rewritten::<MediaDataDelta>(value),
        "MediaEndDelta" => rewritten::<MediaEndDelta>(value),
        "WarningDelta" => rewritten::<WarningDelta>(value),
        "UsageDelta" => rewritten::<UsageDelta>(value),
        "DoneDelta" => rewritten::<DoneDelta>(value),
        "ErrorDelta" => rewritten::<ErrorDelta>(value),
        "StartDeltaPayload" => rewritten::<StartDeltaPayload>(value),
        "TextDeltaPayload" => rewritten::<TextDeltaPayload>(value),
        "ThinkingDeltaPayload" => rewritten::<ThinkingDeltaPayload>(value),
        "ToolCallStartDeltaPayload" => rewritten::<ToolCallStartDeltaPayload>(value),
        "ToolCallArgsDeltaPayload" => rewritten::<ToolCallArgsDeltaPayload>(value),
        "ToolCallEndDeltaPayload" => rewritten::<ToolCallEndDeltaPayload>(value),
        "TextCitationDeltaPayload" => rewritten::<TextCitationDeltaPayload>(value),
        "MediaStartDeltaPayload" => rewritten::<MediaStartDeltaPayload>(value),
        "MediaDataDeltaPayload" => rewritten::<MediaDataDeltaPayload>(value),
        "MediaEndDeltaPayload" => rewritten::<MediaEndDeltaPayload>(value),
        "WarningDeltaPayload" => rewritten::<WarningDeltaPayload>(value),
        "DoneDeltaPayload" => rewritten::<DoneDeltaPayload>(value),
        "ErrorDeltaPayload" => rewritten::<ErrorDeltaPayload>(value),
        "Message" => rewritten::<Message>(value),
        "Role" => rewritten::<Role>(value),
        "MessageMeta" => rewritten::<MessageMeta>(value),
        "ToolCallParseError" => rewritten::<ToolCallParseError>(value),
        "Incomplete" => rewritten::<Incomplete>(value),
        "MessagePart" => rewritten::<MessagePart>(value),
        "TextPart" => rewritten::<TextPart>(value),
        "ThinkingPart" => rewritten::<ThinkingPart>(value),
        "ToolCallPart" => rewritten::<ToolCallPart>(value),
        "ToolResultPart" => rewritten::<ToolResultPart>(value),
        "ImagePart" => rewritten::<ImagePart>(value),
        "FileRefPart" => rewritten::<FileRefPart>(value),
        "MediaPart" => rewritten::<MediaPart>(value),
        "ServerToolCallPart" => rewritten::<ServerToolCallPart>(value),
        "ServerToolResultPart" => rewritten::<ServerToolResultPart>(value),
        "ApprovalRequestPart" => rewritten::<ApprovalRequestPart>(value),
        "ApprovalResponsePart" => rewritten::<ApprovalResponsePart>(value),
        "TextPayload" => rewritten::<TextPayload>(value),
        "Citation" => rewritten::<Citation>(value),
        "CitationSource" => rewritten::<CitationSource>(value),
        "CitationSourceKind" => rewritten::<CitationSourceKind>(value),
        "CitationLocator" => rewritten::<CitationLocator>(value),
        "LocatorUnit" => rewritten::<LocatorUnit>(value),
        "ThinkingPayload" => rewritten::<ThinkingPayload>(value),
        "ToolCallPayload" => rewritten::<ToolCallPayload>(value),
        "ToolCall" => rewritten::<ToolCall>(value),
        "ToolResult" => rewritten::<ToolResult>(value),
        "ToolResultContent" => rewritten::<ToolResultContent>(value),
        "ToolResultContentPart" => rewritten::<ToolResultContentPart>(value),
        "ImagePayload" => rewritten::<ImagePayload>(value),
        "FileRefPayload" => rewritten::<FileRefPayload>(value),
        "MediaPayload" => rewritten::<MediaPayload>(value),
        "MediaSource" => rewritten::<MediaSource>(value),
        "InlineSource" => rewritten::<InlineSource>(value),
        "UrlSource" => rewritten::<UrlSource>(value),
        "RefSource" => rewritten::<RefSource>(value),
        "StructuredValue" => rewritten::<StructuredValue>(value),
        "ServerToolResult" => rewritten::<ServerToolResult>(value),
        "ApprovalRequest" => rewritten::<ApprovalRequest>(value),
        "ApprovalChoice" => rewritten::<ApprovalChoice>(value),
        "ApprovalResponse" => rewritten::<ApprovalResponse>(value),
        "ToolSpec" => rewritten::<ToolSpec>(value),
        "ToolChoice" => rewritten::<ToolChoice>(value),
        "ToolChoiceMode" => rewritten::<ToolChoiceMode>(value),
        "SpecificTool" => rewritten::<SpecificTool>(value),
        "CacheConfig" => rewritten::<CacheConfig>(value),
        "ModelConfig" => rewritten::<ModelConfig>(value),
        "StopSequence" => rewritten::<StopSequence>(value),
        "ModelInfo" => rewritten::<ModelInfo>(value),
        "RequestMetadata" => rewritten::<RequestMetadata>(value),
        _ => return None,
    })
}

impl Bounded for MessageDelta {
    fn in_bounds(&self) -> bool {
        match self {
            Self::Start(v) => v.in_bounds(),
            Self::Text(v) => v.in_bounds(),
            Self::Thinking(v) => v.in_bounds(),
            Self::ToolCallStart(v) => v.in_bounds(),
            Self::ToolCallArgs(v) => v.in_bounds(),
            Self::ToolCallEnd(v) => v.in_bounds(),
            Self::TextCitation(v) => v.in_bounds(),
            Self::ServerToolCallStart(v) => v.in_bounds(),
            Self::ServerToolCallArgs(v) => v.in_bounds(),
            Self::ServerToolCallEnd(v) => v.in_bounds(),
            Self::ServerToolResult(v) => v.in_bounds(),
            Self::ApprovalRequest(v) => v.in_bounds(),
            Self::MediaStart(v) => v.in_bounds(),
            Self::MediaData(v) => v.in_bounds(),
            Self::MediaEnd(v) => v.in_bounds(),
            Self::Warning(v) => v.in_bounds(),
            Self::Usage(v) => v.in_bounds(),
            Self::Done(v) => v.in_bounds(),
            Self::Error(v) => v.in_bounds(),
            Self::Unknown(_) => false,
        }
    }
}

impl Bounded for StartDelta {
    fn in_bounds(&self) -> bool {
        !self.run_id.is_empty()
            && self.message_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.turn_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.seq <= 9007199254740991
            && self.payload.in_bounds()
    }
}

impl Bounded for TextDelta {
    fn in_bounds(&self) -> bool {
        !self.run_id.is_empty()
            && self.message_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.turn_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.seq <= 9007199254740991
            && self.payload.in_bounds()
    }
}

impl Bounded for ThinkingDelta {
    fn in_bounds(&self) -> bool {
        !self.run_id.is_empty()
            && self.message_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.turn_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.seq <= 9007199254740991
            && self.payload.in_bounds()
    }
}

impl Bounded for ToolCallStartDelta {
    fn in_bounds(&self) -> bool {
        !self.run_id.is_empty()
            && self.message_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.turn_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.seq <= 9007199254740991
            && self.payload.in_bounds()
    }
}

impl Bounded for ToolCallArgsDelta {
    fn in_bounds(&self) -> bool {
        !self.run_id.is_empty()
            && self.message_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.turn_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.seq <= 9007199254740991
            && self.payload.in_bounds()
    }
}

impl Bounded for ToolCallEndDelta {
    fn in_bounds(&self) -> bool {
        !self.run_id.is_empty()
            && self.message_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.turn_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.seq <= 9007199254740991
            && self.payload.in_bounds()
    }
}

impl Bounded for TextCitationDelta {
    fn in_bounds(&self) -> bool {
        !self.run_id.is_empty()
            && self.message_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.turn_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.seq <= 9007199254740991
            && self.payload.in_bounds()
    }
}

impl Bounded for ServerToolCallStartDelta {
    fn in_bounds(&self) -> bool {
        !self.run_id.is_empty()
            && self.message_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.turn_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.seq <= 9007199254740991
            && self.payload.in_bounds()
    }
}

impl Bounded for ServerToolCallArgsDelta {
    fn in_bounds(&self) -> bool {
        !self.run_id.is_empty()
            && self.message_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.turn_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.seq <= 9007199254740991
            && self.payload.in_bounds()
    }
}

impl Bounded for ServerToolCallEndDelta {
    fn in_bounds(&self) -> bool {
        !self.run_id.is_empty()
            && self.message_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.turn_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.seq <= 9007199254740991
            && self.payload.in_bounds()
    }
}

impl Bounded for ServerToolResultDelta {
    fn in_bounds(&self) -> bool {
        !self.run_id.is_empty()
            && self.message_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.turn_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.seq <= 9007199254740991
            && self.payload.in_bounds()
    }
}

impl Bounded for ApprovalRequestDelta {
    fn in_bounds(&self) -> bool {
        !self.run_id.is_empty()
            && self.message_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.turn_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.seq <= 9007199254740991
            && self.payload.in_bounds()
    }
}

impl Bounded for MediaStartDelta {
    fn in_bounds(&self) -> bool {
        !self.run_id.is_empty()
            && self.message_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.turn_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.seq <= 9007199254740991
            && self.payload.in_bounds()
    }
}

impl Bounded for MediaDataDelta {
    fn in_bounds(&self) -> bool {
        !self.run_id.is_empty()
            && self.message_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.turn_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.seq <= 9007199254740991
            && self.payload.in_bounds()
    }
}

impl Bounded for MediaEndDelta {
    fn in_bounds(&self) -> bool {
        !self.run_id.is_empty()
            && self.message_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.turn_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.seq <= 9007199254740991
            && self.payload.in_bounds()
    }
}

impl Bounded for WarningDelta {
    fn in_bounds(&self) -> bool {
        !self.run_id.is_empty()
            && self.message_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.turn_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.seq <= 9007199254740991
            && self.payload.in_bounds()
    }
}

impl Bounded for UsageDelta {
    fn in_bounds(&self) -> bool {
        !self.run_id.is_empty()
            && self.message_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.turn_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.seq <= 9007199254740991
            && self.payload.in_bounds()
    }
}

impl Bounded for DoneDelta {
    fn in_bounds(&self) -> bool {
        !self.run_id.is_empty()
            && self.message_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.turn_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.seq <= 9007199254740991
            && self.payload.in_bounds()
    }
}

impl Bounded for ErrorDelta {
    fn in_bounds(&self) -> bool {
        !self.run_id.is_empty()
            && self.message_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.turn_id.as_ref().is_none_or(|v| !v.is_empty())
            && self.seq <= 9007199254740991
            && self.payload.in_bounds()
    }
}

impl Bounded for StartDeltaPayload {
    fn in_bounds(&self) -> bool {
        self.author.as_ref().is_none_or(|v| v.in_bounds())
            && self.format.as_ref().is_none_or(|v| v.in_bounds())
    }
}

impl Bounded for TextDeltaPayload {
    fn in_bounds(&self) -> bool {
        self.opaque.as_ref().is_none_or(|v| v.in_bounds())
    }
}

impl Bounded for ThinkingDeltaPayload {
    fn in_bounds(&self) -> bool {
        self.opaque.as_ref().is_none_or(|v| v.in_bounds())
    }
}

impl Bounded for ToolCallStartDeltaPayload {
    fn in_bounds(&self) -> bool {
        !self.tool_call_id.is_empty()
            && !self.tool_name.is_empty()
            && self.opaque.as_ref().is_none_or(|v| v.in_bounds())
    }
}

impl Bounded for ToolCallArgsDeltaPayload {
    fn in_bounds(&self) -> bool {
        !self.tool_call_id.is_empty()
            && self.opaque.as_ref().is_none_or(|v| v.in_bounds())
    }
}

impl Bounded for ToolCallEndDeltaPayload {
    fn in_bounds(&self) -> bool {
        !self.tool_call_id.is_empty()
            && self.opaque.as_ref().is_none_or(|v| v.in_bounds())
    }
}

impl Bounded for TextCitationDeltaPayload {
    fn in_bounds(&self) -> bool {
        self.citation.in_bounds()
            && self.part_index.as_ref().is_none_or(|v| *v <= 9007199254740991)
    }
}

impl Bounded for ServerToolResult {
    fn in_bounds(&self) -> bool {
        !self.tool_call_id.is_empty()
            && false
            && self.outcome.as_ref().is_none_or(|v| !v.is_empty())
            && self.structured.is_none()
            && self.opaque.as_ref().is_none_or(|v| v.in_bounds())
    }
}

impl Bounded for ApprovalRequest {
    fn in_bounds(&self) -> bool {
        !self.approval_id.is_empty()
            && !self.tool_call_id.is_empty()
            && self.choices.is_none()
            && self.opaque.as_ref().is_none_or(|v| v.in_bounds())
    }
}

impl Bounded for MediaStartDeltaPayload {
    fn in_bounds(&self) -> bool {
        !self.media_id.is_empty()
            && !self.mime_type.is_empty()
            && self.name.as_ref().is_none_or(|v| !v.is_empty())
            && self.opaque.as_ref().is_none_or(|v| v.in_bounds())
    }
}

impl Bounded for MediaDataDeltaPayload {
    fn in_bounds(&self) -> bool {
        !self.media_id.is_empty()
    }
}

impl Bounded for MediaEndDeltaPayload {
    fn in_bounds(&self) -> bool {
        !self.media_id.is_empty()
            && self.mime_type.as_ref().is_none_or(|v| !v.is_empty())
            && self.source.as_ref().is_none_or(|v| v.in_bounds())
            && self.size_bytes.as_ref().is_none_or(|v| *v <= 9007199254740991)
            && self.opaque.as_ref().is_none_or(|v| v.in_bounds())
    }
}

impl Bounded for WarningDeltaPayload {
    fn in_bounds(&self) -> bool {
        !self.code.is_empty()
            && self.place.as_ref().is_none_or(|v| !v.is_empty())
    }
}

impl Bounded for UsageSummary {
    fn in_bounds(&self) -> bool {
        self.input_tokens <= 9007199254740991
            && self.output_tokens <= 9007199254740991
            && self.total_tokens <= 9007199254740991
            && self.reasoning_tokens.as_ref().is_none_or(|v| *v <= 9007199254740991)
            && self.cache_read_tokens.as_ref().is_none_or(|v| *v <= 9007199254740991)
            && self.cache_write_tokens.as_ref().is_none_or(|v| *v <= 9007199254740991)
            && self.cost.as_ref().is_none_or(|v| *v >= 0.0)
    }
}

impl Bounded for DoneDeltaPayload {
    fn in_bounds(&self) -> bool {
        !self.finish_reason.is_empty()
            && self.provider_finish_reason.as_ref().is_none_or(|v| !v.is_empty())
    }
}

impl Bounded for ErrorDeltaPayload {
    fn in_bounds(&self) -> bool {
        !self.error_code.is_empty()
    }
}

impl Bounded for Author {
    fn in_bounds(&self) -> bool {
        self.name.as_ref().is_none_or(|v| !v.is_empty())
            && self.agent_path.is_none()
    }
}

impl Bounded for TextFormat {
    fn in_bounds(&self) -> bool {
        self.name.as_ref().is_none_or(|v| !v.is_empty())
            && self.schema_ref.as_ref().is_none_or(|v| !v.is_empty())
    }
}

impl Bounded for Opaque {
    fn in_bounds(&self) -> bool {
        !self.provider.is_empty()
    }
}

impl Bounded for Citation {
    fn in_bounds(&self) -> bool {
        self.start.as_ref().is_none_or(|v| *v <= 9007199254740991)
            && self.end.as_ref().is_none_or(|v| *v <= 9007199254740991)
            && self.source.in_bounds()
            && self.opaque.as_ref().is_none_or(|v| v.in_bounds())
    }
}

impl Bounded for ApprovalChoice {
    fn in_bounds(&self) -> bool {
        !self.id.is_empty()
            && self.decision.as_ref().is_none_or(|v| !v.is_empty())
    }
}

impl Bounded for MediaSource {
    fn in_bounds(&self) -> bool {
        match self {
            Self::Inline(v) => v.in_bounds(),
            Self::Url(v) => v.in_bounds(),
            Self::Ref(v) => v.in_bounds(),
            Self::Unknown(_) => false,
        }
    }
}

impl Bounded for CitationSource {
    fn in_bounds(&self) -> bool {
        !self.kind.is_empty()
            && self.url.as_ref().is_none_or(|v| !v.is_empty())
            && self.id.as_ref().is_none_or(|v| !v.is_empty())
            && self.locator.as_ref().is_none_or(|v| v.in_bounds())
    }
}

impl Bounded for InlineSource {
    fn in_bounds(&self) -> bool {
        true
    }
}

impl Bounded for UrlSource {
    fn in_bounds(&self) -> bool {
        !self.url.is_empty()
    }
}

impl Bounded for RefSource {
    fn in_bounds(&self) -> bool {
        !self.r#ref.is_empty()
    }
}

impl Bounded for CitationLocator {
    fn in_bounds(&self) -> bool {
        !self.unit.is_empty()
            && self.start <= 9007199254740991
            && self.end.as_ref().is_none_or(|v| *v <= 9007199254740991)
    }
}

/// Constants: the values that tell variants apart.
pub mod tags {
    use crate::contract::types::tag;

    tag!(ApprovalRequest, "approval_request");
    tag!(ApprovalResponse, "approval_response");
    tag!(Done, "done");
    tag!(Error, "error");
    tag!(FileRef, "file_ref");
    tag!(Image, "image");
    tag!(Inline, "inline");
    tag!(Media, "media");
    tag!(MediaData, "media_data");
    tag!(MediaEnd, "media_end");
    tag!(MediaStart, "media_start");
    tag!(Ref, "ref");
    tag!(ServerToolCall, "server_tool_call");
    tag!(ServerToolCallArgs, "server_tool_call_args");
    tag!(ServerToolCallEnd, "server_tool_call_end");
    tag!(ServerToolCallStart, "server_tool_call_start");
    tag!(ServerToolResult, "server_tool_result");
    tag!(Start, "start");
    tag!(Text, "text");
    tag!(TextCitation, "text_citation");
    tag!(Thinking, "thinking");
    tag!(ToolCall, "tool_call");
    tag!(ToolCallArgs, "tool_call_args");
    tag!(ToolCallEnd, "tool_call_end");
    tag!(ToolCallStart, "tool_call_start");
    tag!(ToolResult, "tool_result");
    tag!(Url, "url");
    tag!(Usage, "usage");
    tag!(Warning, "warning");
}
