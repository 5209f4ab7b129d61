//! Requests: the contract's messages, tools and configuration → a provider's request body.
//!
//! Sans-IO and pure. Which encoder writes which dialect is one row per provider API.

use crate::errors::Error;
use crate::providers::anthropic::request::AnthropicMessages;
use crate::providers::bedrock::request::BedrockConverse;
use crate::providers::cohere::request::Cohere;
use crate::providers::core::sniff::row_of_dialect;
use crate::providers::gemini::request::Gemini;
use crate::providers::openai_chat::request::OpenAiChat;
use crate::providers::openai_responses::request::OpenAiResponses;
use crate::providers::request_core::calls_and_results::WIDE_INTEGER;
use crate::providers::request_core::encoder::{Encoder, encoded};
use crate::providers::request_core::inputs::read_request;
use crate::providers::request_core::notes::Notes;

pub use crate::providers::request_core::encoder::{EncodedRequest, EncodedText};
pub use crate::providers::request_core::inputs::RequestInput;

const ENCODERS: &[(&str, &dyn Encoder)] = &[
    ("anthropic-messages", &AnthropicMessages),
    ("bedrock-converse", &BedrockConverse),
    ("cohere-v2", &Cohere),
    ("gemini", &Gemini),
    ("openai-chat", &OpenAiChat),
    ("openai-responses", &OpenAiResponses),
];

/// Every dialect that there is an encoder of.
pub fn dialects() -> impl Iterator<Item = &'static str> {
    ENCODERS.iter().map(|(name, _)| *name)
}

/// Returns the body of a streaming request to a provider, and what it cannot say as it was.
///
/// What is given is read tolerantly. Its `tool_choice` wins over the config's, its
/// `system_prompt_content` over its `system_prompt`. Members of the config that the contract does
/// not name go into the body as they are. Pointers of the findings lead into
/// `{messages, toolSpecs, systemPrompt, systemPromptContent, toolChoice, config}`.
///
/// Fails with [`Error::Usage`] `usage/unknown-dialect` and `usage/invalid-argument`, and with
/// [`Error::Read`] for what the contract refuses.
///
/// ```
/// use partwire::providers::requests::{RequestInput, encode_request};
/// use partwire::json;
///
/// # fn main() -> Result<(), partwire::Error> {
/// let asked = RequestInput::from_value(&json!({
///     "messages": [{
///         "runId": "run_1",
///         "role": "user",
///         "parts": [{"kind": "text", "payload": {"text": "Hello"}}],
///         "timestamp": "2026-01-02T03:04:05Z",
///     }],
///     "systemPrompt": "Be brief.",
///     "config": {"modelId": "model-1", "maxTokens": 100},
/// }));
/// let encoded = encode_request("openai-chat", &asked)?;
/// assert_eq!(encoded.body["messages"][1], json!({"role": "user", "content": "Hello"}));
/// assert!(encoded.findings.is_empty());
/// # Ok(())
/// # }
/// ```
pub fn encode_request(dialect: &str, asked: &RequestInput) -> Result<EncodedRequest, Error> {
    encode(dialect, asked, &Notes::default())
}

/// Returns the body of [`encode_request`] as JSON text, for callers that send bytes.
///
/// It has every integer of the arguments as the model wrote it: what `encode/wide-integer` says of
/// the body does not hold for it, and is not a finding here.
pub fn encode_request_text(dialect: &str, asked: &RequestInput) -> Result<EncodedText, Error> {
    let notes = Notes::for_text(asked.unused_mark());
    let EncodedRequest { body, mut findings } = encode(dialect, asked, &notes)?;
    findings.retain(|each| each.rule != WIDE_INTEGER);
    Ok(EncodedText { text: notes.written(body), findings })
}

fn encode(dialect: &str, asked: &RequestInput, notes: &Notes) -> Result<EncodedRequest, Error> {
    let (name, encoder) = row_of_dialect(ENCODERS, dialect)?;
    let request = read_request(asked, notes)?;
    Ok(encoded(name, encoder, &request, notes))
}
