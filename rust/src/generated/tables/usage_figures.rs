// Generated from schemas/tables/usage-figures.json. Do not edit: change that, then
// run `python -m codegen`.

//! Usage figures: the members in which providers count tokens.
//!
//! What they mean together, each adapter says.

/// Figures of Anthropic.
pub const ANTHROPIC: &[&str] = &[
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
];

/// Figures in its output_tokens_details.
pub const ANTHROPIC_DETAILS: &[&str] = &["thinking_tokens"];

/// Figures of Bedrock; the last two are in the metrics of an invocation.
pub const BEDROCK: &[&str] = &[
    "inputTokens",
    "outputTokens",
    "totalTokens",
    "cacheReadInputTokens",
    "cacheWriteInputTokens",
    "cacheReadInputTokenCount",
    "cacheWriteInputTokenCount",
];

/// Figures in the tokens of Cohere's usage.
pub const COHERE: &[&str] = &["input_tokens", "output_tokens"];

/// Figures beside them.
pub const COHERE_CACHED: &[&str] = &["cached_tokens"];

/// Figures of Gemini.
pub const GEMINI: &[&str] = &[
    "promptTokenCount",
    "candidatesTokenCount",
    "totalTokenCount",
    "thoughtsTokenCount",
    "toolUsePromptTokenCount",
    "cachedContentTokenCount",
];

/// Figures of OpenAI's dialects.
pub const OPENAI: &[&str] = &[
    "prompt_tokens",
    "completion_tokens",
    "total_tokens",
    "input_tokens",
    "output_tokens",
];

/// Details of them → what vendors count in there; these count before those beside the figures.
pub const OPENAI_DETAILS: &[(&str, &[&str])] = &[
    ("prompt_tokens_details", &[
        "cached_tokens",
        "cache_write_tokens",
        "cache_creation_input_tokens",
    ]),
    ("input_tokens_details", &[
        "cached_tokens",
        "cache_write_tokens",
        "cache_creation_input_tokens",
    ]),
    ("completion_tokens_details", &["reasoning_tokens"]),
    ("output_tokens_details", &["reasoning_tokens"]),
];

/// Beside the figures: how many were read from a cache; the first that is given counts.
pub const OPENAI_CACHE_READ: &[&str] = &[
    "cached_tokens",
    "prompt_cache_hit_tokens",
    "cache_read_input_tokens",
];

/// How many were written to one; the first that is given counts.
pub const OPENAI_CACHE_WRITE: &[&str] = &["cache_write_tokens", "cache_creation_input_tokens"];

/// How many were thought.
pub const OPENAI_REASONING: &[&str] = &["reasoning_tokens"];
