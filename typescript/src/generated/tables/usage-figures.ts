// Generated from schemas/tables/usage-figures.json. Do not edit: change that, then
// run `python -m codegen`.

/**
 * Usage figures: the members in which providers count tokens.
 *
 * What they mean together, each adapter says.
 */

/** Figures of Anthropic. */
export const ANTHROPIC: ReadonlyArray<string> = [
  "input_tokens",
  "output_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
];

/** Figures in its output_tokens_details. */
export const ANTHROPIC_DETAILS: ReadonlyArray<string> = ["thinking_tokens"];

/** Figures of Bedrock; the last two are in the metrics of an invocation. */
export const BEDROCK: ReadonlyArray<string> = [
  "inputTokens",
  "outputTokens",
  "totalTokens",
  "cacheReadInputTokens",
  "cacheWriteInputTokens",
  "cacheReadInputTokenCount",
  "cacheWriteInputTokenCount",
];

/** Figures in the tokens of Cohere's usage. */
export const COHERE: ReadonlyArray<string> = ["input_tokens", "output_tokens"];

/** Figures beside them. */
export const COHERE_CACHED: ReadonlyArray<string> = ["cached_tokens"];

/** Figures of Gemini. */
export const GEMINI: ReadonlyArray<string> = [
  "promptTokenCount",
  "candidatesTokenCount",
  "totalTokenCount",
  "thoughtsTokenCount",
  "toolUsePromptTokenCount",
  "cachedContentTokenCount",
];

/** Figures of OpenAI's dialects. */
export const OPENAI: ReadonlyArray<string> = [
  "prompt_tokens",
  "completion_tokens",
  "total_tokens",
  "input_tokens",
  "output_tokens",
];

/** Details of them → what vendors count in there; these count before those beside the figures. */
export const OPENAI_DETAILS: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["prompt_tokens_details", [
    "cached_tokens",
    "cache_write_tokens",
    "cache_creation_input_tokens",
  ]],
  ["input_tokens_details", ["cached_tokens", "cache_write_tokens", "cache_creation_input_tokens"]],
  ["completion_tokens_details", ["reasoning_tokens"]],
  ["output_tokens_details", ["reasoning_tokens"]],
]);

/** Beside the figures: how many were read from a cache; the first that is given counts. */
export const OPENAI_CACHE_READ: ReadonlyArray<string> = [
  "cached_tokens",
  "prompt_cache_hit_tokens",
  "cache_read_input_tokens",
];

/** How many were written to one; the first that is given counts. */
export const OPENAI_CACHE_WRITE: ReadonlyArray<string> = [
  "cache_write_tokens",
  "cache_creation_input_tokens",
];

/** How many were thought. */
export const OPENAI_REASONING: ReadonlyArray<string> = ["reasoning_tokens"];
