//! Which adapter speaks which dialect: one row per provider API.

use crate::errors::Error;
use crate::providers::anthropic::stream::AnthropicMessages;
use crate::providers::bedrock::stream::BedrockConverse;
use crate::providers::cohere::stream::Cohere;
use crate::providers::core::adapter::{AdapterOptions, ProviderAdapter};
use crate::providers::core::dialect::Dialect;
use crate::providers::core::sniff::row_of_dialect;
use crate::providers::gemini::stream::Gemini;
use crate::providers::openai_chat::stream::OpenAiChat;
use crate::providers::openai_responses::stream::OpenAiResponses;

type Row = (&'static str, fn() -> Box<dyn Dialect>);

const ADAPTERS: &[Row] = &[
    ("anthropic-messages", || Box::new(AnthropicMessages::default())),
    ("bedrock-converse", || Box::new(BedrockConverse::default())),
    ("cohere-v2", || Box::new(Cohere::default())),
    ("gemini", || Box::new(Gemini::default())),
    ("openai-chat", || Box::new(OpenAiChat::default())),
    ("openai-responses", || Box::new(OpenAiResponses::default())),
];

/// Every dialect that there is an adapter of.
pub fn dialects() -> impl Iterator<Item = &'static str> {
    ADAPTERS.iter().map(|(name, _)| *name)
}

/// Returns a new adapter for one stream of `dialect`.
///
/// Aliases such as `anthropic` are taken too. `clock` gives the timestamp of each delta: RFC 3339, in UTC. Fails with [`Error::Usage`]
/// `usage/unknown-dialect`, or `usage/invalid-argument` for an id that is none.
///
/// ```
/// use partwire::providers::{AdapterOptions, open_adapter};
///
/// # fn main() -> Result<(), partwire::Error> {
/// let clock = || "2026-01-02T03:04:05Z".to_owned();
/// let mut adapter = open_adapter("openai-chat", "run_1", clock, AdapterOptions::default())?;
/// let chunk = r#"{"id":"q","model":"m","choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}"#;
/// let mut deltas = adapter.feed_text(chunk, "");
/// deltas.extend(adapter.close());
/// assert_eq!(deltas.len(), 3); // start, text, done
/// # Ok(())
/// # }
/// ```
pub fn open_adapter(
    dialect: &str,
    run_id: &str,
    clock: impl FnMut() -> String + Send + 'static,
    options: AdapterOptions,
) -> Result<ProviderAdapter, Error> {
    let (_, make) = row_of_dialect(ADAPTERS, dialect)?;
    ProviderAdapter::new(make(), run_id, Box::new(clock), options)
}
