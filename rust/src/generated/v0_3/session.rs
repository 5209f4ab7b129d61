// Generated from schemas/v0.3 (digest 040c9f1755e81252) by codegen 1.
// Do not edit: change the schemas, then run `python -m codegen`.

//! The session family.

use crate::contract::types::{Contract, Map, Value, closed_enum, defaulting_enum, object, open_enum, present, present_object, rewritten, tagged_union};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Any JSON object; its members are kept as they are.
pub type JsonObject = Map;

/// A UUID in the text form of RFC 9562: 32 hexadecimal digits of either case in five groups,
/// without prefix or braces.
pub type Uuid = String;

tagged_union! { 
/// A part of a message.
Part, "type", { Text(TextPart) = "text", Reasoning(ReasoningPart) = "reasoning", Tool(ToolPart) = "tool", StepStart(StepStartPart) = "step-start", StepFinish(StepFinishPart) = "step-finish", File(FilePart) = "file" } }
impl Contract for Part {
    const TYPE: &'static str = "session.Part";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Text of the user or the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextPart {
    /// Identifies the part; unique within its message.
    #[serde(rename = "id")]
    pub id: String,
    /// The session that the part belongs to.
    #[serde(rename = "sessionID")]
    pub session_id: Uuid,
    /// The message that the part belongs to.
    #[serde(rename = "messageID")]
    pub message_id: Uuid,
    /// Says which type of part this is.
    #[serde(rename = "type", default)]
    pub r#type: tags::Text,
    /// The text.
    #[serde(rename = "text")]
    pub text: String,
    /// Whether the text was made by the program, not by user or model.
    #[serde(rename = "synthetic", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub synthetic: Option<bool>,
    /// Whether the text is kept from the model.
    #[serde(rename = "ignored", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub ignored: Option<bool>,
    /// When the text was written.
    #[serde(rename = "time", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub time: Option<TextTime>,
    /// Free data of the producer.
    #[serde(rename = "metadata", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub metadata: Option<JsonObject>,
}
impl TextPart {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(id: impl Into<String>, session_id: impl Into<String>, message_id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { id: id.into(), session_id: session_id.into(), message_id: message_id.into(), r#type: tags::Text, text: text.into(), synthetic: None, ignored: None, time: None, metadata: None }
    }
}
impl Contract for TextPart {
    const TYPE: &'static str = "session.TextPart";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Reasoning of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReasoningPart {
    /// Identifies the part; unique within its message.
    #[serde(rename = "id")]
    pub id: String,
    /// The session that the part belongs to.
    #[serde(rename = "sessionID")]
    pub session_id: Uuid,
    /// The message that the part belongs to.
    #[serde(rename = "messageID")]
    pub message_id: Uuid,
    /// Says which type of part this is.
    #[serde(rename = "type", default)]
    pub r#type: tags::Reasoning,
    /// The reasoning.
    #[serde(rename = "text")]
    pub text: String,
    /// Free data of the producer.
    #[serde(rename = "metadata", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub metadata: Option<JsonObject>,
    /// When the reasoning was written.
    #[serde(rename = "time", deserialize_with = "object")]
    pub time: ReasoningTime,
}
impl ReasoningPart {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(id: impl Into<String>, session_id: impl Into<String>, message_id: impl Into<String>, text: impl Into<String>, time: ReasoningTime) -> Self {
        Self { id: id.into(), session_id: session_id.into(), message_id: message_id.into(), r#type: tags::Reasoning, text: text.into(), metadata: None, time }
    }
}
impl Contract for ReasoningPart {
    const TYPE: &'static str = "session.ReasoningPart";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// A tool call and its state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolPart {
    /// Identifies the part; unique within its message.
    #[serde(rename = "id")]
    pub id: String,
    /// The session that the part belongs to.
    #[serde(rename = "sessionID")]
    pub session_id: Uuid,
    /// The message that the part belongs to.
    #[serde(rename = "messageID")]
    pub message_id: Uuid,
    /// Says which type of part this is.
    #[serde(rename = "type", default)]
    pub r#type: tags::Tool,
    /// Identifies the tool call.
    #[serde(rename = "callID")]
    pub call_id: String,
    /// Name of the tool.
    #[serde(rename = "tool")]
    pub tool: String,
    /// State of a tool call.
    #[serde(rename = "state")]
    pub state: ToolState,
    /// Free data of the producer.
    #[serde(rename = "metadata", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub metadata: Option<JsonObject>,
}
impl ToolPart {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(id: impl Into<String>, session_id: impl Into<String>, message_id: impl Into<String>, call_id: impl Into<String>, tool: impl Into<String>, state: ToolState) -> Self {
        Self { id: id.into(), session_id: session_id.into(), message_id: message_id.into(), r#type: tags::Tool, call_id: call_id.into(), tool: tool.into(), state, metadata: None }
    }
}
impl Contract for ToolPart {
    const TYPE: &'static str = "session.ToolPart";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// A step of the agent loop begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepStartPart {
    /// Identifies the part; unique within its message.
    #[serde(rename = "id")]
    pub id: String,
    /// The session that the part belongs to.
    #[serde(rename = "sessionID")]
    pub session_id: Uuid,
    /// The message that the part belongs to.
    #[serde(rename = "messageID")]
    pub message_id: Uuid,
    /// Says which type of part this is.
    #[serde(rename = "type", default)]
    pub r#type: tags::StepStart,
    /// Identifies the snapshot of the workspace.
    #[serde(rename = "snapshot", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub snapshot: Option<String>,
}
impl StepStartPart {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(id: impl Into<String>, session_id: impl Into<String>, message_id: impl Into<String>) -> Self {
        Self { id: id.into(), session_id: session_id.into(), message_id: message_id.into(), r#type: tags::StepStart, snapshot: None }
    }
}
impl Contract for StepStartPart {
    const TYPE: &'static str = "session.StepStartPart";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// A step of the agent loop ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepFinishPart {
    /// Identifies the part; unique within its message.
    #[serde(rename = "id")]
    pub id: String,
    /// The session that the part belongs to.
    #[serde(rename = "sessionID")]
    pub session_id: Uuid,
    /// The message that the part belongs to.
    #[serde(rename = "messageID")]
    pub message_id: Uuid,
    /// Says which type of part this is.
    #[serde(rename = "type", default)]
    pub r#type: tags::StepFinish,
    /// Why the step ended. An open string.
    #[serde(rename = "reason")]
    pub reason: StepFinishPartReason,
    /// Identifies the snapshot of the workspace.
    #[serde(rename = "snapshot", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub snapshot: Option<String>,
    /// Price of the step in US dollars.
    #[serde(rename = "cost")]
    pub cost: f64,
    /// Tokens of a step or a message.
    #[serde(rename = "tokens", deserialize_with = "object")]
    pub tokens: TokenStats,
}
impl StepFinishPart {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(id: impl Into<String>, session_id: impl Into<String>, message_id: impl Into<String>, reason: StepFinishPartReason, cost: f64, tokens: TokenStats) -> Self {
        Self { id: id.into(), session_id: session_id.into(), message_id: message_id.into(), r#type: tags::StepFinish, reason, snapshot: None, cost, tokens }
    }
}
impl Contract for StepFinishPart {
    const TYPE: &'static str = "session.StepFinishPart";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// A file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FilePart {
    /// Identifies the part; unique within its message.
    #[serde(rename = "id")]
    pub id: String,
    /// The session that the part belongs to.
    #[serde(rename = "sessionID")]
    pub session_id: Uuid,
    /// The message that the part belongs to.
    #[serde(rename = "messageID")]
    pub message_id: Uuid,
    /// Says which type of part this is.
    #[serde(rename = "type", default)]
    pub r#type: tags::File,
    /// Media type of the file.
    #[serde(rename = "mime")]
    pub mime: String,
    /// Name of the file.
    #[serde(rename = "filename", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub filename: Option<String>,
    /// Where the file is to be had.
    #[serde(rename = "url")]
    pub url: String,
    /// Where a file part comes from.
    #[serde(rename = "source", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub source: Option<FilePartSource>,
}
impl FilePart {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(id: impl Into<String>, session_id: impl Into<String>, message_id: impl Into<String>, mime: impl Into<String>, url: impl Into<String>) -> Self {
        Self { id: id.into(), session_id: session_id.into(), message_id: message_id.into(), r#type: tags::File, mime: mime.into(), filename: None, url: url.into(), source: None }
    }
}
impl Contract for FilePart {
    const TYPE: &'static str = "session.FilePart";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// When the text was written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Default)]
pub struct TextTime {
    /// When the text began. Milliseconds since the epoch.
    #[serde(rename = "start", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub start: Option<u64>,
    /// When the text ended. Milliseconds since the epoch.
    #[serde(rename = "end", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub end: Option<u64>,
}
impl Contract for TextTime {
    const TYPE: &'static str = "session.TextTime";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// When the reasoning was written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReasoningTime {
    /// When the reasoning began. Milliseconds since the epoch.
    #[serde(rename = "start")]
    pub start: u64,
    /// When the reasoning ended. Milliseconds since the epoch.
    #[serde(rename = "end", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub end: Option<u64>,
}
impl ReasoningTime {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(start: u64) -> Self {
        Self { start, end: None }
    }
}
impl Contract for ReasoningTime {
    const TYPE: &'static str = "session.ReasoningTime";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Tokens of a step or a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TokenStats {
    /// Tokens read, without those of the cache.
    #[serde(rename = "input")]
    pub input: u64,
    /// Tokens written, without those of reasoning; older writers count them in.
    #[serde(rename = "output")]
    pub output: u64,
    /// Tokens of reasoning.
    #[serde(rename = "reasoning")]
    pub reasoning: u64,
    /// Tokens of the prompt cache.
    #[serde(rename = "cache", deserialize_with = "object")]
    pub cache: CacheTokenStats,
    /// All tokens, as the provider counts them; tells whether output holds those of reasoning.
    #[serde(rename = "total", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub total: Option<u64>,
}
impl TokenStats {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(input: u64, output: u64, reasoning: u64, cache: CacheTokenStats) -> Self {
        Self { input, output, reasoning, cache, total: None }
    }
}
impl Contract for TokenStats {
    const TYPE: &'static str = "session.TokenStats";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Tokens of the prompt cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CacheTokenStats {
    /// Tokens read from the cache.
    #[serde(rename = "read")]
    pub read: u64,
    /// Tokens written to the cache.
    #[serde(rename = "write")]
    pub write: u64,
}
impl Contract for CacheTokenStats {
    const TYPE: &'static str = "session.CacheTokenStats";
    const VERSION: crate::Version = crate::Version::V0_3;
}

tagged_union! { 
/// Where a file part comes from.
FilePartSource, "type", { File(FileSource) = "file", Symbol(SymbolSource) = "symbol", Resource(ResourceSource) = "resource" } }
impl Contract for FilePartSource {
    const TYPE: &'static str = "session.FilePartSource";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The file was named by its path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileSource {
    /// Says which type of source this is.
    #[serde(rename = "type", default)]
    pub r#type: tags::File,
    /// Path of the file.
    #[serde(rename = "path")]
    pub path: String,
    /// The place in the prompt that named the file.
    #[serde(rename = "text", deserialize_with = "object")]
    pub text: SourceText,
}
impl FileSource {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(path: impl Into<String>, text: SourceText) -> Self {
        Self { r#type: tags::File, path: path.into(), text }
    }
}
impl Contract for FileSource {
    const TYPE: &'static str = "session.FileSource";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The file was named by a symbol in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SymbolSource {
    /// Says which type of source this is.
    #[serde(rename = "type", default)]
    pub r#type: tags::Symbol,
    /// Path of the file.
    #[serde(rename = "path")]
    pub path: String,
    /// A range of a text file.
    #[serde(rename = "range", deserialize_with = "object")]
    pub range: SourceRange,
    /// Name of the symbol.
    #[serde(rename = "name")]
    pub name: String,
    /// Kind of the symbol, as the Language Server Protocol numbers them.
    #[serde(rename = "kind")]
    pub kind: u64,
    /// The place in the prompt that named the file.
    #[serde(rename = "text", deserialize_with = "object")]
    pub text: SourceText,
}
impl SymbolSource {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(path: impl Into<String>, range: SourceRange, name: impl Into<String>, kind: u64, text: SourceText) -> Self {
        Self { r#type: tags::Symbol, path: path.into(), range, name: name.into(), kind, text }
    }
}
impl Contract for SymbolSource {
    const TYPE: &'static str = "session.SymbolSource";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The file is a resource of a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResourceSource {
    /// Says which type of source this is.
    #[serde(rename = "type", default)]
    pub r#type: tags::Resource,
    /// Name of the client that has the resource.
    #[serde(rename = "clientName")]
    pub client_name: String,
    /// URI of the resource.
    #[serde(rename = "uri")]
    pub uri: String,
    /// The place in the prompt that named the file.
    #[serde(rename = "text", deserialize_with = "object")]
    pub text: SourceText,
}
impl ResourceSource {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(client_name: impl Into<String>, uri: impl Into<String>, text: SourceText) -> Self {
        Self { r#type: tags::Resource, client_name: client_name.into(), uri: uri.into(), text }
    }
}
impl Contract for ResourceSource {
    const TYPE: &'static str = "session.ResourceSource";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The place in the prompt that named the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceText {
    /// The text that named the file.
    #[serde(rename = "value")]
    pub value: String,
    /// Where the text begins, in UTF-16 code units of the prompt, counted from 0.
    #[serde(rename = "start")]
    pub start: u64,
    /// Where the text ends, exclusive, in UTF-16 code units of the prompt.
    #[serde(rename = "end")]
    pub end: u64,
}
impl Contract for SourceText {
    const TYPE: &'static str = "session.SourceText";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// A range of a text file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceRange {
    /// Where the range begins.
    #[serde(rename = "start", deserialize_with = "object")]
    pub start: SourcePosition,
    /// Where the range ends, exclusive.
    #[serde(rename = "end", deserialize_with = "object")]
    pub end: SourcePosition,
}
impl Contract for SourceRange {
    const TYPE: &'static str = "session.SourceRange";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// A position in a text file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourcePosition {
    /// Line, counted from 0.
    #[serde(rename = "line")]
    pub line: u64,
    /// UTF-16 code unit within the line, counted from 0.
    #[serde(rename = "character")]
    pub character: u64,
}
impl Contract for SourcePosition {
    const TYPE: &'static str = "session.SourcePosition";
    const VERSION: crate::Version = crate::Version::V0_3;
}

tagged_union! { 
/// State of a tool call.
ToolState, "status", { Pending(ToolStatePending) = "pending", AwaitingApproval(ToolStateAwaitingApproval) = "awaiting_approval", Running(ToolStateRunning) = "running", Completed(ToolStateCompleted) = "completed", Error(ToolStateError) = "error", Denied(ToolStateDenied) = "denied" } }
impl Contract for ToolState {
    const TYPE: &'static str = "session.ToolState";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The call is waiting to be executed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolStatePending {
    /// Says which state this is.
    #[serde(rename = "status", default)]
    pub status: tags::Pending,
    /// The parsed arguments.
    #[serde(rename = "input")]
    pub input: JsonObject,
    /// The argument text as the model wrote it.
    #[serde(rename = "raw")]
    pub raw: String,
}
impl ToolStatePending {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(input: JsonObject, raw: impl Into<String>) -> Self {
        Self { status: tags::Pending, input, raw: raw.into() }
    }
}
impl Contract for ToolStatePending {
    const TYPE: &'static str = "session.ToolStatePending";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The call waits until a person has decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolStateAwaitingApproval {
    /// Says which state this is.
    #[serde(rename = "status", default)]
    pub status: tags::AwaitingApproval,
    /// The parsed arguments.
    #[serde(rename = "input")]
    pub input: JsonObject,
    /// The argument text as the model wrote it.
    #[serde(rename = "raw")]
    pub raw: String,
    /// What a person was asked about the call, and what was decided.
    #[serde(rename = "approval", deserialize_with = "object")]
    pub approval: ToolApproval,
    /// Free data of the producer.
    #[serde(rename = "metadata", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub metadata: Option<JsonObject>,
}
impl ToolStateAwaitingApproval {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(input: JsonObject, raw: impl Into<String>, approval: ToolApproval) -> Self {
        Self { status: tags::AwaitingApproval, input, raw: raw.into(), approval, metadata: None }
    }
}
impl Contract for ToolStateAwaitingApproval {
    const TYPE: &'static str = "session.ToolStateAwaitingApproval";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The tool is being executed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolStateRunning {
    /// Says which state this is.
    #[serde(rename = "status", default)]
    pub status: tags::Running,
    /// The parsed arguments.
    #[serde(rename = "input")]
    pub input: JsonObject,
    /// What the tool is doing, for people.
    #[serde(rename = "title", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub title: Option<String>,
    /// Free data of the producer.
    #[serde(rename = "metadata", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub metadata: Option<JsonObject>,
    /// When the execution began.
    #[serde(rename = "time", deserialize_with = "object")]
    pub time: ToolStartTime,
    /// What a person was asked about the call, and what was decided.
    #[serde(rename = "approval", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub approval: Option<ToolApproval>,
}
impl ToolStateRunning {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(input: JsonObject, time: ToolStartTime) -> Self {
        Self { status: tags::Running, input, title: None, metadata: None, time, approval: None }
    }
}
impl Contract for ToolStateRunning {
    const TYPE: &'static str = "session.ToolStateRunning";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The tool has finished.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolStateCompleted {
    /// Says which state this is.
    #[serde(rename = "status", default)]
    pub status: tags::Completed,
    /// The parsed arguments.
    #[serde(rename = "input")]
    pub input: JsonObject,
    /// The result; never empty.
    #[serde(rename = "output")]
    pub output: String,
    /// What the tool did, for people.
    #[serde(rename = "title")]
    pub title: String,
    /// Free data of the producer.
    #[serde(rename = "metadata")]
    pub metadata: JsonObject,
    /// When the execution began and ended, and when its output was compacted.
    #[serde(rename = "time", deserialize_with = "object")]
    pub time: ToolCompletedTime,
    /// Files that belong to the result.
    #[serde(rename = "attachments", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub attachments: Option<Vec<FilePart>>,
    /// What a person was asked about the call, and what was decided.
    #[serde(rename = "approval", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub approval: Option<ToolApproval>,
}
impl ToolStateCompleted {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(input: JsonObject, output: impl Into<String>, title: impl Into<String>, metadata: JsonObject, time: ToolCompletedTime) -> Self {
        Self { status: tags::Completed, input, output: output.into(), title: title.into(), metadata, time, attachments: None, approval: None }
    }
}
impl Contract for ToolStateCompleted {
    const TYPE: &'static str = "session.ToolStateCompleted";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The tool has failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolStateError {
    /// Says which state this is.
    #[serde(rename = "status", default)]
    pub status: tags::Error,
    /// The parsed arguments.
    #[serde(rename = "input")]
    pub input: JsonObject,
    /// What went wrong; never empty.
    #[serde(rename = "error")]
    pub error: String,
    /// Free data of the producer.
    #[serde(rename = "metadata", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub metadata: Option<JsonObject>,
    /// When the execution began and ended.
    #[serde(rename = "time", deserialize_with = "object")]
    pub time: ToolEndTime,
    /// What a person was asked about the call, and what was decided.
    #[serde(rename = "approval", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub approval: Option<ToolApproval>,
}
impl ToolStateError {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(input: JsonObject, error: impl Into<String>, time: ToolEndTime) -> Self {
        Self { status: tags::Error, input, error: error.into(), metadata: None, time, approval: None }
    }
}
impl Contract for ToolStateError {
    const TYPE: &'static str = "session.ToolStateError";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The call was not approved, and never runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolStateDenied {
    /// Says which state this is.
    #[serde(rename = "status", default)]
    pub status: tags::Denied,
    /// The parsed arguments.
    #[serde(rename = "input")]
    pub input: JsonObject,
    /// What a person was asked about the call, and what was decided.
    #[serde(rename = "approval", deserialize_with = "object")]
    pub approval: ToolApproval,
    /// What the model got instead of a result; never empty.
    #[serde(rename = "error", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub error: Option<String>,
    /// Free data of the producer.
    #[serde(rename = "metadata", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub metadata: Option<JsonObject>,
}
impl ToolStateDenied {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(input: JsonObject, approval: ToolApproval) -> Self {
        Self { status: tags::Denied, input, approval, error: None, metadata: None }
    }
}
impl Contract for ToolStateDenied {
    const TYPE: &'static str = "session.ToolStateDenied";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// What a person was asked about the call, and what was decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolApproval {
    /// Identifies the request.
    #[serde(rename = "id")]
    pub id: String,
    /// Why it was asked.
    #[serde(rename = "reason", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub reason: Option<String>,
    /// What the person could choose from, if it was more than yes or no.
    #[serde(rename = "choices", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub choices: Option<Vec<ToolApprovalChoice>>,
    /// What was decided. An open string: the call runs if it is approved, and on no other value.
    #[serde(rename = "decision", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub decision: Option<ToolApprovalDecision>,
    /// The id of the choice that was taken. It does not say whether the call runs: decision does.
    #[serde(rename = "choice", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub choice: Option<String>,
    /// Why it was decided so; reason of an approval_response.
    #[serde(rename = "note", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub note: Option<String>,
    /// Who decided.
    #[serde(rename = "decidedBy", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub decided_by: Option<String>,
    /// What ran instead of input.
    #[serde(rename = "arguments", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub arguments: Option<JsonObject>,
    /// When it was asked and decided.
    #[serde(rename = "time", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub time: Option<ToolApprovalTime>,
}
impl ToolApproval {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), reason: None, choices: None, decision: None, choice: None, note: None, decided_by: None, arguments: None, time: None }
    }
}
impl Contract for ToolApproval {
    const TYPE: &'static str = "session.ToolApproval";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// One of several answers that an approval request offers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolApprovalChoice {
    /// Identifies the choice within its request; the answer names it.
    #[serde(rename = "id")]
    pub id: String,
    /// What to show to the person; without it, the id.
    #[serde(rename = "label", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub label: Option<String>,
    /// What taking this choice decides. An open string.
    #[serde(rename = "decision", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub decision: Option<ToolApprovalChoiceDecision>,
}
impl ToolApprovalChoice {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), label: None, decision: None }
    }
}
impl Contract for ToolApprovalChoice {
    const TYPE: &'static str = "session.ToolApprovalChoice";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// When it was asked and decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Default)]
pub struct ToolApprovalTime {
    /// When it was asked. Milliseconds since the epoch.
    #[serde(rename = "requested", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub requested: Option<u64>,
    /// When it was decided. Milliseconds since the epoch.
    #[serde(rename = "decided", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub decided: Option<u64>,
}
impl Contract for ToolApprovalTime {
    const TYPE: &'static str = "session.ToolApprovalTime";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// When the execution began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolStartTime {
    /// When the execution began. Milliseconds since the epoch.
    #[serde(rename = "start")]
    pub start: u64,
}
impl Contract for ToolStartTime {
    const TYPE: &'static str = "session.ToolStartTime";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// When the execution began and ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolEndTime {
    /// When the execution began. Milliseconds since the epoch.
    #[serde(rename = "start")]
    pub start: u64,
    /// When the execution ended. Milliseconds since the epoch.
    #[serde(rename = "end")]
    pub end: u64,
}
impl Contract for ToolEndTime {
    const TYPE: &'static str = "session.ToolEndTime";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// When the execution began and ended, and when its output was compacted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCompletedTime {
    /// When the execution began. Milliseconds since the epoch.
    #[serde(rename = "start")]
    pub start: u64,
    /// When the execution ended. Milliseconds since the epoch.
    #[serde(rename = "end")]
    pub end: u64,
    /// When the output was dropped to save context. Milliseconds since the epoch.
    #[serde(rename = "compacted", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub compacted: Option<u64>,
}
impl ToolCompletedTime {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(start: u64, end: u64) -> Self {
        Self { start, end, compacted: None }
    }
}
impl Contract for ToolCompletedTime {
    const TYPE: &'static str = "session.ToolCompletedTime";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The document that says that a transition is not allowed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InvalidStateTransitionError {
    /// Names the error.
    #[serde(rename = "name", default)]
    pub name: tags::InvalidStateTransition,
    /// What was attempted, for people.
    #[serde(rename = "message")]
    pub message: String,
    /// What was attempted, and what is allowed.
    #[serde(rename = "details", deserialize_with = "object")]
    pub details: InvalidStateTransitionDetails,
}
impl InvalidStateTransitionError {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(message: impl Into<String>, details: InvalidStateTransitionDetails) -> Self {
        Self { name: tags::InvalidStateTransition, message: message.into(), details }
    }
}
impl Contract for InvalidStateTransitionError {
    const TYPE: &'static str = "session.InvalidStateTransitionError";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// What was attempted, and what is allowed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InvalidStateTransitionDetails {
    /// Name of a tool state.
    #[serde(rename = "currentStatus")]
    pub current_status: ToolStatus,
    /// The status that was asked for.
    #[serde(rename = "attemptedStatus")]
    pub attempted_status: String,
    /// The statuses that may follow the current one.
    #[serde(rename = "validTransitions")]
    pub valid_transitions: Vec<String>,
}
impl Contract for InvalidStateTransitionDetails {
    const TYPE: &'static str = "session.InvalidStateTransitionDetails";
    const VERSION: crate::Version = crate::Version::V0_3;
}

closed_enum! { 
/// Name of a tool state.
ToolStatus { Pending = "pending", AwaitingApproval = "awaiting_approval", Running = "running", Completed = "completed", Error = "error", Denied = "denied" } }
impl Contract for ToolStatus {
    const TYPE: &'static str = "session.ToolStatus";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// A message of a session with its parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WithParts {
    /// What is known of a message beside its parts.
    #[serde(rename = "info")]
    pub info: MessageInfo,
    /// The parts, in order.
    #[serde(rename = "parts")]
    pub parts: Vec<Part>,
}
impl Contract for WithParts {
    const TYPE: &'static str = "session.WithParts";
    const VERSION: crate::Version = crate::Version::V0_3;
}

tagged_union! { 
/// What is known of a message beside its parts.
MessageInfo, "role", { User(UserInfo) = "user", Assistant(AssistantInfo) = "assistant" } }
impl Contract for MessageInfo {
    const TYPE: &'static str = "session.MessageInfo";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Info of a user's message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UserInfo {
    /// Identifies the message.
    #[serde(rename = "id")]
    pub id: Uuid,
    /// Says who speaks.
    #[serde(rename = "role", default)]
    pub role: tags::User,
    /// When a message was made and completed.
    #[serde(rename = "time", deserialize_with = "object")]
    pub time: MessageTime,
    /// Summary of what a message led to; made only when the context is compacted.
    #[serde(rename = "summary", default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    pub summary: Option<UserSummary>,
    /// Name of the agent that the message is for.
    #[serde(rename = "agent")]
    pub agent: String,
    /// Names a model of a provider.
    #[serde(rename = "model", deserialize_with = "object")]
    pub model: ModelRef,
    /// A system prompt for this message.
    #[serde(rename = "system", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub system: Option<String>,
    /// Tools by name, and whether they are switched on.
    #[serde(rename = "tools", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub tools: Option<ToolSwitches>,
    /// Variant of the model.
    #[serde(rename = "variant", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub variant: Option<String>,
}
impl UserInfo {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(id: impl Into<String>, time: MessageTime, agent: impl Into<String>, model: ModelRef) -> Self {
        Self { id: id.into(), role: tags::User, time, summary: None, agent: agent.into(), model, system: None, tools: None, variant: None }
    }
}
impl Contract for UserInfo {
    const TYPE: &'static str = "session.UserInfo";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Info of an assistant's message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssistantInfo {
    /// Identifies the message.
    #[serde(rename = "id")]
    pub id: Uuid,
    /// Says who speaks.
    #[serde(rename = "role", default)]
    pub role: tags::Assistant,
    /// When a message was made and completed.
    #[serde(rename = "time", deserialize_with = "object")]
    pub time: MessageTime,
    /// Price of the message in US dollars, from the provider's answer.
    #[serde(rename = "cost")]
    pub cost: f64,
    /// Tokens of a step or a message.
    #[serde(rename = "tokens", deserialize_with = "object")]
    pub tokens: TokenStats,
    /// Name of the agent that wrote the message.
    #[serde(rename = "agent")]
    pub agent: String,
    /// Where the agent worked.
    #[serde(rename = "path", deserialize_with = "object")]
    pub path: MessagePath,
}
impl AssistantInfo {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(id: impl Into<String>, time: MessageTime, cost: f64, tokens: TokenStats, agent: impl Into<String>, path: MessagePath) -> Self {
        Self { id: id.into(), role: tags::Assistant, time, cost, tokens, agent: agent.into(), path }
    }
}
impl Contract for AssistantInfo {
    const TYPE: &'static str = "session.AssistantInfo";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// When a message was made and completed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MessageTime {
    /// When the message was made. Milliseconds since the epoch.
    #[serde(rename = "created")]
    pub created: u64,
    /// When the message was complete; absent while it is being written. Milliseconds since the
    /// epoch.
    #[serde(rename = "completed", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub completed: Option<u64>,
}
impl MessageTime {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(created: u64) -> Self {
        Self { created, completed: None }
    }
}
impl Contract for MessageTime {
    const TYPE: &'static str = "session.MessageTime";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Summary of what a message led to; made only when the context is compacted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Default)]
pub struct UserSummary {
    /// One line.
    #[serde(rename = "title", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub title: Option<String>,
    /// The summary.
    #[serde(rename = "body", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub body: Option<String>,
    /// Files that were changed.
    #[serde(rename = "diffs", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub diffs: Option<Vec<FileDiff>>,
}
impl Contract for UserSummary {
    const TYPE: &'static str = "session.UserSummary";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// How one file was changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileDiff {
    /// Path of the file.
    #[serde(rename = "file")]
    pub file: String,
    /// Content before the change.
    #[serde(rename = "before")]
    pub before: String,
    /// Content after the change.
    #[serde(rename = "after")]
    pub after: String,
    /// Lines added.
    #[serde(rename = "additions")]
    pub additions: u64,
    /// Lines deleted.
    #[serde(rename = "deletions")]
    pub deletions: u64,
}
impl Contract for FileDiff {
    const TYPE: &'static str = "session.FileDiff";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Names a model of a provider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelRef {
    /// The provider.
    #[serde(rename = "providerID")]
    pub provider_id: String,
    /// The model.
    #[serde(rename = "modelID")]
    pub model_id: String,
}
impl Contract for ModelRef {
    const TYPE: &'static str = "session.ModelRef";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Where the agent worked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MessagePath {
    /// The working folder.
    #[serde(rename = "cwd")]
    pub cwd: String,
    /// The project's root folder.
    #[serde(rename = "root")]
    pub root: String,
}
impl Contract for MessagePath {
    const TYPE: &'static str = "session.MessagePath";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Tools by name, and whether they are switched on.
pub type ToolSwitches = BTreeMap<String, bool>;

/// What the validation of a part found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValidationResult {
    /// Whether nothing of severity error was found.
    #[serde(rename = "valid")]
    pub valid: bool,
    /// What was found, in document order.
    #[serde(rename = "findings")]
    pub findings: Vec<ValidationFinding>,
}
impl Contract for ValidationResult {
    const TYPE: &'static str = "session.ValidationResult";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValidationFinding {
    /// Id of the rule.
    #[serde(rename = "rule")]
    pub rule: String,
    /// What is wrong, for people.
    #[serde(rename = "message")]
    pub message: String,
    /// JSON Pointer to the place.
    #[serde(rename = "pointer")]
    pub pointer: String,
    /// How grave it is.
    #[serde(rename = "severity")]
    pub severity: ValidationFindingSeverity,
    /// What the rule allows.
    #[serde(rename = "expected", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub expected: Option<String>,
    /// What is there, at most 80 characters.
    #[serde(rename = "actual", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub actual: Option<String>,
}
impl ValidationFinding {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(rule: impl Into<String>, message: impl Into<String>, pointer: impl Into<String>, severity: ValidationFindingSeverity) -> Self {
        Self { rule: rule.into(), message: message.into(), pointer: pointer.into(), severity, expected: None, actual: None }
    }
}
impl Contract for ValidationFinding {
    const TYPE: &'static str = "session.ValidationFinding";
    const VERSION: crate::Version = crate::Version::V0_3;
}

open_enum! { 
/// One of the values of `StepFinishPartReason`.
StepFinishPartReason { Stop = "stop", Length = "length", ToolCalls = "tool-calls", ContentFilter = "content-filter", Error = "error", Other = "other" } }

open_enum! { 
/// One of the values of `ToolApprovalDecision`.
ToolApprovalDecision { Approved = "approved", Denied = "denied" } }

open_enum! { 
/// One of the values of `ToolApprovalChoiceDecision`.
ToolApprovalChoiceDecision { Approved = "approved", Denied = "denied" } }

defaulting_enum! { 
/// One of the values of `ValidationFindingSeverity`.
ValidationFindingSeverity or Error { Error = "error", Warning = "warning", Info = "info" } }

/// Takes a valid value through its type; the inside of dynamic reading.
pub(crate) fn rewrite(name: &str, value: Value) -> Option<serde_json::Result<Value>> {
    Some(match name {
        "JsonObject" => rewritten::<JsonObject>(value),
        "Uuid" => rewritten::<Uuid>(value),
        "Part" => rewritten::<Part>(value),
        "TextPart" => rewritten::<TextPart>(value),
        "ReasoningPart" => rewritten::<ReasoningPart>(value),
        "ToolPart" => rewritten::<ToolPart>(value),
        "StepStartPart" => rewritten::<StepStartPart>(value),
        "StepFinishPart" => rewritten::<StepFinishPart>(value),
        "FilePart" => rewritten::<FilePart>(value),
        "TextTime" => rewritten::<TextTime>(value),
        "ReasoningTime" => rewritten::<ReasoningTime>(value),
        "TokenStats" => rewritten::<TokenStats>(value),
        "CacheTokenStats" => rewritten::<CacheTokenStats>(value),
        "FilePartSource" => rewritten::<FilePartSource>(value),
        "FileSource" => rewritten::<FileSource>(value),
        "SymbolSource" => rewritten::<SymbolSource>(value),
        "ResourceSource" => rewritten::<ResourceSource>(value),
        "SourceText" => rewritten::<SourceText>(value),
        "SourceRange" => rewritten::<SourceRange>(value),
        "SourcePosition" => rewritten::<SourcePosition>(value),
        "ToolState" => rewritten::<ToolState>(value),
        "ToolStatePending" => rewritten::<ToolStatePending>(value),
        "ToolStateAwaitingApproval" => rewritten::<ToolStateAwaitingApproval>(value),
        "ToolStateRunning" => rewritten::<ToolStateRunning>(value),
        "ToolStateCompleted" => rewritten::<ToolStateCompleted>(value),
        "ToolStateError" => rewritten::<ToolStateError>(value),
        "ToolStateDenied" => rewritten::<ToolStateDenied>(value),
        "ToolApproval" => rewritten::<ToolApproval>(value),
        "ToolApprovalChoice" => rewritten::<ToolApprovalChoice>(value),
        "ToolApprovalTime" => rewritten::<ToolApprovalTime>(value),
        "ToolStartTime" => rewritten::<ToolStartTime>(value),
        "ToolEndTime" => rewritten::<ToolEndTime>(value),
        "ToolCompletedTime" => rewritten::<ToolCompletedTime>(value),
        "InvalidStateTransitionError" => rewritten::<InvalidStateTransitionError>(value),
        "InvalidStateTransitionDetails" => rewritten::<InvalidStateTransitionDetails>(value),
        "ToolStatus" => rewritten::<ToolStatus>(value),
        "WithParts" => rewritten::<WithParts>(value),
        "MessageInfo" => rewritten::<MessageInfo>(value),
        "UserInfo" => rewritten::<UserInfo>(value),
        "AssistantInfo" => rewritten::<AssistantInfo>(value),
        "MessageTime" => rewritten::<MessageTime>(value),
        "UserSummary" => rewritten::<UserSummary>(value),
        "FileDiff" => rewritten::<FileDiff>(value),
        "ModelRef" => rewritten::<ModelRef>(value),
        "MessagePath" => rewritten::<MessagePath>(value),
        "ToolSwitches" => rewritten::<ToolSwitches>(value),
        "ValidationResult" => rewritten::<ValidationResult>(value),
        "ValidationFinding" => rewritten::<ValidationFinding>(value),
        _ => return None,
    })
}

/// Constants: the values that tell variants apart.
pub mod tags {
    use crate::contract::types::tag;

    tag!(InvalidStateTransition, "InvalidStateTransition");
    tag!(Assistant, "assistant");
    tag!(AwaitingApproval, "awaiting_approval");
    tag!(Completed, "completed");
    tag!(Denied, "denied");
    tag!(Error, "error");
    tag!(File, "file");
    tag!(Pending, "pending");
    tag!(Reasoning, "reasoning");
    tag!(Resource, "resource");
    tag!(Running, "running");
    tag!(StepFinish, "step-finish");
    tag!(StepStart, "step-start");
    tag!(Symbol, "symbol");
    tag!(Text, "text");
    tag!(Tool, "tool");
    tag!(User, "user");
}
