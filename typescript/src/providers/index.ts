/** Providers: raw events, or bytes, of each provider's stream → deltas of the contract, sans-IO. */
export { type Finding, type Severity, UsageError } from "../errors.js";
export type { MessageDelta } from "../generated/v0_2/message.js";
export { AnthropicMessagesAdapter } from "./anthropic/stream.js";
export { BedrockConverseAdapter } from "./bedrock/stream.js";
export { CohereAdapter } from "./cohere/stream.js";
export { type AdapterInit, ProviderAdapter } from "./core/adapter.js";
export { ByteAdapter, type Framing } from "./core/byte-adapter.js";
export { type ProviderError, RETRYABLE } from "./core/errors.js";
export type { OpaqueItem } from "./core/kept-state.js";
export { GeminiAdapter } from "./gemini/stream.js";
export { OpenAIChatAdapter } from "./openai_chat/stream.js";
export { OpenAIResponsesAdapter } from "./openai_responses/stream.js";
export { ADAPTERS, type AdapterClass, adaptBytes, adapterFor, openAdapter } from "./registry.js";
