/**
 * Requests: the contract's messages, tools and configuration → a provider's request body.
 *
 *     const { body, findings } = encodeRequest("openai-chat", messages, { config, toolSpecs });
 *     await client.chat.completions.create(body); // findings: what could not be said as it was
 *
 * Sans-IO and pure. AWS's JavaScript client wants bytes where JSON has Base64:
 * {@link bedrockArguments}. A new provider is one folder and one row below.
 */
import { stringify } from "../json/digits.js";
import { AnthropicMessagesEncoder } from "./anthropic/request.js";
import { BedrockConverseEncoder } from "./bedrock/request.js";
import { CohereEncoder } from "./cohere/request.js";
import { rowOfDialect } from "./core/sniff.js";
import { GeminiEncoder } from "./gemini/request.js";
import { OpenAIChatEncoder } from "./openai_chat/request.js";
import { OpenAIResponsesEncoder } from "./openai_responses/request.js";
import { WIDE_INTEGER } from "./request_core/calls-and-results.js";
import type { EncodedRequest, EncodedText, RequestEncoder } from "./request_core/encoder.js";
import { type Messages, type Request, type RequestOptions, readRequest } from "./request_core/inputs.js";
import { Notes } from "./request_core/notes.js";

export { bedrockArguments } from "./bedrock/request.js";
export { type EncodedRequest, type EncodedText, RequestEncoder } from "./request_core/encoder.js";
export type { Messages, RequestOptions } from "./request_core/inputs.js";

// --- one row per dialect -------------------------------------------------------------------------
// Which encoder writes which dialect: one row per provider API.

/** Makes the encoder of one request. */
export type EncoderClass = new (request: Request, notes: Notes) => RequestEncoder;

/** Dialect → encoder. */
export const ENCODERS: ReadonlyMap<string, EncoderClass> = /* @__PURE__ */ new Map<string, EncoderClass>([
  ["anthropic-messages", AnthropicMessagesEncoder],
  ["bedrock-converse", BedrockConverseEncoder],
  ["cohere-v2", CohereEncoder],
  ["gemini", GeminiEncoder],
  ["openai-chat", OpenAIChatEncoder],
  ["openai-responses", OpenAIResponsesEncoder],
]);

/**
 * Returns the body of a streaming request to a provider, and what it cannot say as it was.
 *
 * Messages and options are types of the contract or JSON values; they are read tolerantly, and never
 * changed. Pointers of the findings lead into
 * `{messages, toolSpecs, systemPrompt, systemPromptContent, toolChoice, config}`.
 *
 * Throws UsageError `usage/unknown-dialect` and `usage/invalid-argument`, and ReadError for what the
 * contract refuses.
 */
export function encodeRequest(dialect: string, messages: Messages, options: RequestOptions): EncodedRequest {
  const Encoder = rowOfDialect(ENCODERS, dialect);
  const notes = new Notes();
  return new Encoder(readRequest(messages, options, notes), notes).encode();
}

/**
 * Returns the body of {@link encodeRequest} as JSON text, for callers that send bytes. It has every integer
 * of the arguments as the model wrote it: what `encode/wide-integer` says of the body does not hold for
 * it, and is not a finding here.
 */
export function encodeRequestText(dialect: string, messages: Messages, options: RequestOptions): EncodedText {
  const { body, findings } = encodeRequest(dialect, messages, options);
  return { text: stringify(body), findings: findings.filter(({ rule }) => rule !== WIDE_INTEGER) };
}
