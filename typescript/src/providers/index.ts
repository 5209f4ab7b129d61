/** Providers: raw events, or bytes, of each provider's stream → deltas of the contract, sans-IO. */

import type { MessageDelta } from "../contract/current/message.js";
import { AnthropicMessagesAdapter } from "./anthropic/stream.js";
import { BedrockConverseAdapter } from "./bedrock/stream.js";
import { CohereAdapter } from "./cohere/stream.js";
import type { AdapterInit, ProviderAdapter } from "./core/adapter.js";
import { ByteAdapter, type Framing } from "./core/byte-adapter.js";
import { rowOfDialect } from "./core/sniff.js";
import { type ByteSource, chunksOf } from "./framing/source.js";
import { GeminiAdapter } from "./gemini/stream.js";
import { OpenAIChatAdapter } from "./openai_chat/stream.js";
import { OpenAIResponsesAdapter } from "./openai_responses/stream.js";

export type { MessageDelta } from "../contract/current/message.js";
export { type Finding, type Severity, UsageError } from "../errors.js";
export { AnthropicMessagesAdapter } from "./anthropic/stream.js";
export { BedrockConverseAdapter } from "./bedrock/stream.js";
export { CohereAdapter } from "./cohere/stream.js";
export { type AdapterInit, ProviderAdapter } from "./core/adapter.js";
export { ByteAdapter, type Framing } from "./core/byte-adapter.js";
export { type ProviderError, RETRYABLE } from "./core/errors.js";
export type { OpaqueItem } from "./core/kept-state.js";
export type { ByteSource } from "./framing/source.js";
export { GeminiAdapter } from "./gemini/stream.js";
export { OpenAIChatAdapter } from "./openai_chat/stream.js";
export { OpenAIResponsesAdapter } from "./openai_responses/stream.js";

// --- one row per dialect -------------------------------------------------------------------------
// Which adapter speaks which dialect: one row per provider API.

/** Makes the adapter of one stream. */
export type AdapterClass = new (runId: string, init: AdapterInit) => ProviderAdapter;

/** Dialect → adapter. */
export const ADAPTERS: ReadonlyMap<string, AdapterClass> = /* @__PURE__ */ new Map<string, AdapterClass>([
  ["anthropic-messages", AnthropicMessagesAdapter],
  ["bedrock-converse", BedrockConverseAdapter],
  ["cohere-v2", CohereAdapter],
  ["gemini", GeminiAdapter],
  ["openai-chat", OpenAIChatAdapter],
  ["openai-responses", OpenAIResponsesAdapter],
]);

/** Returns the adapter that speaks a dialect, or what an alias stands for. Throws UsageError `usage/unknown-dialect`. */
export function adapterFor(dialect: string): AdapterClass {
  return rowOfDialect(ADAPTERS, dialect);
}

/** Returns a new adapter for one stream of `dialect`. Throws UsageError `usage/unknown-dialect` or `usage/invalid-argument`. */
export function openAdapter(dialect: string, runId: string, init: AdapterInit): ProviderAdapter {
  return new (adapterFor(dialect))(runId, init);
}

/**
 * Yields the deltas of one response; the last one is `done` or `error`. For findings take a
 * {@link ByteAdapter} and read its adapter. Throws what {@link openAdapter} does.
 */
export async function* adaptBytes(
  dialect: string,
  chunks: ByteSource,
  runId: string,
  init: AdapterInit & { readonly framing?: Framing },
): AsyncGenerator<MessageDelta, void, undefined> {
  const reader = new ByteAdapter(openAdapter(dialect, runId, init), init.framing);
  for await (const chunk of chunksOf(chunks)) yield* reader.feed(chunk);
  yield* reader.close();
}
