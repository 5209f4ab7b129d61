/** Providers: raw events, or bytes, of each provider's stream → deltas of the contract, sans-IO. */
export { type Finding, type Severity, UsageError } from "../errors.js";
export type { MessageDelta } from "../generated/v0_2/message.js";
export { type AdapterInit, ProviderAdapter } from "./adapter.js";
export { AnthropicMessagesAdapter } from "./anthropic-messages.js";
export { BedrockConverseAdapter } from "./bedrock-converse.js";
export { ByteAdapter, type Framing } from "./byte-adapter.js";
export { CohereAdapter } from "./cohere-v2.js";
export { type ProviderError, RETRYABLE } from "./error-codes.js";
export { GeminiAdapter } from "./gemini.js";
export type { OpaqueItem } from "./opaque.js";
export { OpenAIChatAdapter } from "./openai-chat.js";
export { OpenAIResponsesAdapter } from "./openai-responses.js";
export { ADAPTERS, type AdapterClass, adaptBytes, adapterFor, openAdapter } from "./registry.js";
