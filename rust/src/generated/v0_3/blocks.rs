// Generated from schemas/v0.3 (digest bf27134f877246ad) by codegen 1.
// Do not edit: change the schemas, then run `python -m codegen`.

//! The blocks family.

use crate::contract::types::{Contract, Map, Value, choice, closed_enum, object, open_enum, present, rewritten, tagged_union};
use serde::{Deserialize, Serialize};

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks. A closed set.
    #[serde(rename = "role")]
    pub role: Role,
    /// Plain text, or content blocks in order.
    #[serde(rename = "content")]
    pub content: MessageContent,
}
impl Contract for Message {
    const TYPE: &'static str = "blocks.Message";
    const VERSION: crate::Version = crate::Version::V0_3;
}

closed_enum! { 
/// Who speaks. A closed set.
Role { User = "user", Assistant = "assistant", System = "system" } }
impl Contract for Role {
    const TYPE: &'static str = "blocks.Role";
    const VERSION: crate::Version = crate::Version::V0_3;
}

choice! { 
/// Plain text, or content blocks in order.
MessageContent { String(String) = string, Array(Vec<ContentBlock>) = array } }
impl Contract for MessageContent {
    const TYPE: &'static str = "blocks.MessageContent";
    const VERSION: crate::Version = crate::Version::V0_3;
}

tagged_union! { 
/// A block of content.
ContentBlock, "type", { Text(TextBlock) = "text", ToolUse(ToolUseBlock) = "tool_use", ToolResult(ToolResultBlock) = "tool_result", Image(ImageBlock) = "image" } }
impl Contract for ContentBlock {
    const TYPE: &'static str = "blocks.ContentBlock";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Plain text of any language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextBlock {
    /// Says which type of block this is.
    #[serde(rename = "type", default)]
    pub r#type: tags::Text,
    /// The text.
    #[serde(rename = "text")]
    pub text: String,
}
impl TextBlock {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { r#type: tags::Text, text: text.into() }
    }
}
impl Contract for TextBlock {
    const TYPE: &'static str = "blocks.TextBlock";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// A call of a tool that the assistant asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolUseBlock {
    /// Says which type of block this is.
    #[serde(rename = "type", default)]
    pub r#type: tags::ToolUse,
    /// Identifies the call.
    #[serde(rename = "tool_use_id")]
    pub tool_use_id: String,
    /// Name of the tool.
    #[serde(rename = "tool_name")]
    pub tool_name: String,
    /// The arguments.
    #[serde(rename = "parameters")]
    pub parameters: JsonObject,
}
impl ToolUseBlock {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(tool_use_id: impl Into<String>, tool_name: impl Into<String>, parameters: JsonObject) -> Self {
        Self { r#type: tags::ToolUse, tool_use_id: tool_use_id.into(), tool_name: tool_name.into(), parameters }
    }
}
impl Contract for ToolUseBlock {
    const TYPE: &'static str = "blocks.ToolUseBlock";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The result of a tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResultBlock {
    /// Says which type of block this is.
    #[serde(rename = "type", default)]
    pub r#type: tags::ToolResult,
    /// The call that this is the result of.
    #[serde(rename = "tool_use_id")]
    pub tool_use_id: String,
    /// What the tool gave back: text, or text and image blocks in order.
    #[serde(rename = "content")]
    pub content: ToolResultBlockContent,
    /// Whether the tool failed.
    #[serde(rename = "is_error")]
    pub is_error: bool,
}
impl ToolResultBlock {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(tool_use_id: impl Into<String>, content: ToolResultBlockContent, is_error: bool) -> Self {
        Self { r#type: tags::ToolResult, tool_use_id: tool_use_id.into(), content, is_error }
    }
}
impl Contract for ToolResultBlock {
    const TYPE: &'static str = "blocks.ToolResultBlock";
    const VERSION: crate::Version = crate::Version::V0_3;
}

choice! { 
/// What the tool gave back: text, or text and image blocks in order.
ToolResultBlockContent { String(String) = string, Array(Vec<ToolResultContentBlock>) = array } }
impl Contract for ToolResultBlockContent {
    const TYPE: &'static str = "blocks.ToolResultBlockContent";
    const VERSION: crate::Version = crate::Version::V0_3;
}

tagged_union! { 
/// A block that may stand inside a tool result.
ToolResultContentBlock, "type", { Text(TextBlock) = "text", Image(ImageBlock) = "image" } }
impl Contract for ToolResultContentBlock {
    const TYPE: &'static str = "blocks.ToolResultContentBlock";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// An image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImageBlock {
    /// Says which type of block this is.
    #[serde(rename = "type", default)]
    pub r#type: tags::Image,
    /// How data holds the image. An open string.
    #[serde(rename = "image_type")]
    pub image_type: ImageBlockImageType,
    /// Media type of the image, such as image/png.
    #[serde(rename = "media_type")]
    pub media_type: String,
    /// The image, in the form that image_type names.
    #[serde(rename = "data")]
    pub data: String,
}
impl ImageBlock {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(image_type: ImageBlockImageType, media_type: impl Into<String>, data: impl Into<String>) -> Self {
        Self { r#type: tags::Image, image_type, media_type: media_type.into(), data: data.into() }
    }
}
impl Contract for ImageBlock {
    const TYPE: &'static str = "blocks.ImageBlock";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Tokens of one call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Tokens read.
    #[serde(rename = "input_tokens")]
    pub input_tokens: u64,
    /// Tokens written.
    #[serde(rename = "output_tokens")]
    pub output_tokens: u64,
    /// All tokens, where the provider gives a total.
    #[serde(rename = "total_tokens", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub total_tokens: Option<u64>,
}
impl TokenUsage {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self { input_tokens, output_tokens, total_tokens: None }
    }
}
impl Contract for TokenUsage {
    const TYPE: &'static str = "blocks.TokenUsage";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The whole answer of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelResponse {
    /// Content blocks, in order.
    #[serde(rename = "content")]
    pub content: Vec<ContentBlock>,
    /// Tokens of one call.
    #[serde(rename = "usage", deserialize_with = "object")]
    pub usage: TokenUsage,
    /// The model that answered.
    #[serde(rename = "model", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub model: Option<String>,
    /// Why the model stopped. An open string.
    #[serde(rename = "stop_reason", default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub stop_reason: Option<ModelResponseStopReason>,
}
impl ModelResponse {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(content: Vec<ContentBlock>, usage: TokenUsage) -> Self {
        Self { content, usage, model: None, stop_reason: None }
    }
}
impl Contract for ModelResponse {
    const TYPE: &'static str = "blocks.ModelResponse";
    const VERSION: crate::Version = crate::Version::V0_3;
}

tagged_union! { 
/// One chunk of a streaming response.
StreamChunk, "type", { ContentBlockStart(ContentBlockStartChunk) = "content_block_start", ContentBlockDelta(ContentBlockDeltaChunk) = "content_block_delta", ContentBlockStop(ContentBlockStopChunk) = "content_block_stop", ToolUse(ToolUseChunk) = "tool_use", MessageStop(MessageStopChunk) = "message_stop", Error(ErrorChunk) = "error" } }
impl Contract for StreamChunk {
    const TYPE: &'static str = "blocks.StreamChunk";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// A content block begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContentBlockStartChunk {
    /// Says which type of chunk this is.
    #[serde(rename = "type", default)]
    pub r#type: tags::ContentBlockStart,
    /// Number of the content block, counted from 0.
    #[serde(rename = "index")]
    pub index: u64,
}
impl ContentBlockStartChunk {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(index: u64) -> Self {
        Self { r#type: tags::ContentBlockStart, index }
    }
}
impl Contract for ContentBlockStartChunk {
    const TYPE: &'static str = "blocks.ContentBlockStartChunk";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// A content block grows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContentBlockDeltaChunk {
    /// Says which type of chunk this is.
    #[serde(rename = "type", default)]
    pub r#type: tags::ContentBlockDelta,
    /// Number of the content block, counted from 0.
    #[serde(rename = "index")]
    pub index: u64,
    /// Text to append, verbatim.
    #[serde(rename = "delta")]
    pub delta: String,
}
impl ContentBlockDeltaChunk {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(index: u64, delta: impl Into<String>) -> Self {
        Self { r#type: tags::ContentBlockDelta, index, delta: delta.into() }
    }
}
impl Contract for ContentBlockDeltaChunk {
    const TYPE: &'static str = "blocks.ContentBlockDeltaChunk";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// A content block ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContentBlockStopChunk {
    /// Says which type of chunk this is.
    #[serde(rename = "type", default)]
    pub r#type: tags::ContentBlockStop,
    /// Number of the content block, counted from 0.
    #[serde(rename = "index")]
    pub index: u64,
}
impl ContentBlockStopChunk {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(index: u64) -> Self {
        Self { r#type: tags::ContentBlockStop, index }
    }
}
impl Contract for ContentBlockStopChunk {
    const TYPE: &'static str = "blocks.ContentBlockStopChunk";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The model asks for a tool call; the arguments come whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolUseChunk {
    /// Says which type of chunk this is.
    #[serde(rename = "type", default)]
    pub r#type: tags::ToolUse,
    /// Name of the tool.
    #[serde(rename = "tool_name")]
    pub tool_name: String,
    /// Identifies the call.
    #[serde(rename = "tool_use_id")]
    pub tool_use_id: String,
    /// The arguments.
    #[serde(rename = "parameters")]
    pub parameters: JsonObject,
}
impl ToolUseChunk {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(tool_name: impl Into<String>, tool_use_id: impl Into<String>, parameters: JsonObject) -> Self {
        Self { r#type: tags::ToolUse, tool_name: tool_name.into(), tool_use_id: tool_use_id.into(), parameters }
    }
}
impl Contract for ToolUseChunk {
    const TYPE: &'static str = "blocks.ToolUseChunk";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The response is complete.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MessageStopChunk {
    /// Says which type of chunk this is.
    #[serde(rename = "type", default)]
    pub r#type: tags::MessageStop,
    /// Tokens of one call.
    #[serde(rename = "usage", deserialize_with = "object")]
    pub usage: TokenUsage,
}
impl MessageStopChunk {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(usage: TokenUsage) -> Self {
        Self { r#type: tags::MessageStop, usage }
    }
}
impl Contract for MessageStopChunk {
    const TYPE: &'static str = "blocks.MessageStopChunk";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// The response failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorChunk {
    /// Says which type of chunk this is.
    #[serde(rename = "type", default)]
    pub r#type: tags::Error,
    /// What happened, for people.
    #[serde(rename = "message")]
    pub message: String,
}
impl ErrorChunk {
    /// Returns one with the members that it must have.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { r#type: tags::Error, message: message.into() }
    }
}
impl Contract for ErrorChunk {
    const TYPE: &'static str = "blocks.ErrorChunk";
    const VERSION: crate::Version = crate::Version::V0_3;
}

/// Any JSON object; its members are kept as they are.
pub type JsonObject = Map;

open_enum! { 
/// One of the values of `ImageBlockImageType`.
ImageBlockImageType { Base64 = "base64", Url = "url" } }

open_enum! { 
/// One of the values of `ModelResponseStopReason`.
ModelResponseStopReason { Stop = "stop", Length = "length", ToolCalls = "tool_calls", ContentFilter = "content_filter", Refusal = "refusal", Pause = "pause", AwaitingApproval = "awaiting_approval", Error = "error" } }

/// Takes a valid value through its type; the inside of dynamic reading.
pub(crate) fn rewrite(name: &str, value: Value) -> Option<serde_json::Result<Value>> {
    Some(match name {
        "Message" => rewritten::<Message>(value),
        "Role" => rewritten::<Role>(value),
        "MessageContent" => rewritten::<MessageContent>(value),
        "ContentBlock" => rewritten::<ContentBlock>(value),
        "TextBlock" => rewritten::<TextBlock>(value),
        "ToolUseBlock" => rewritten::<ToolUseBlock>(value),
        "ToolResultBlock" => rewritten::<ToolResultBlock>(value),
        "ToolResultBlockContent" => rewritten::<ToolResultBlockContent>(value),
        "ToolResultContentBlock" => rewritten::<ToolResultContentBlock>(value),
        "ImageBlock" => rewritten::<ImageBlock>(value),
        "TokenUsage" => rewritten::<TokenUsage>(value),
        "ModelResponse" => rewritten::<ModelResponse>(value),
        "StreamChunk" => rewritten::<StreamChunk>(value),
        "ContentBlockStartChunk" => rewritten::<ContentBlockStartChunk>(value),
        "ContentBlockDeltaChunk" => rewritten::<ContentBlockDeltaChunk>(value),
        "ContentBlockStopChunk" => rewritten::<ContentBlockStopChunk>(value),
        "ToolUseChunk" => rewritten::<ToolUseChunk>(value),
        "MessageStopChunk" => rewritten::<MessageStopChunk>(value),
        "ErrorChunk" => rewritten::<ErrorChunk>(value),
        "JsonObject" => rewritten::<JsonObject>(value),
        _ => return None,
    })
}

/// Constants: the values that tell variants apart.
pub mod tags {
    use crate::contract::types::tag;

    tag!(ContentBlockDelta, "content_block_delta");
    tag!(ContentBlockStart, "content_block_start");
    tag!(ContentBlockStop, "content_block_stop");
    tag!(Error, "error");
    tag!(Image, "image");
    tag!(MessageStop, "message_stop");
    tag!(Text, "text");
    tag!(ToolResult, "tool_result");
    tag!(ToolUse, "tool_use");
}
