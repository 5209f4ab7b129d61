// Generated from schemas/tables/finish-reasons.json. Do not edit: change that, then
// run `python -m codegen`.

/**
 * Finish reasons: what each provider says, and the contract's known value for it.
 *
 * What is in no table becomes unknown, never stop: a reason that nobody knows may be a cut answer.
 */

/** A known value of the contract's finish reasons. */
export type Reason = "stop" | "length" | "tool_calls" | "content_filter" | "refusal" | "pause" | "awaiting_approval" | "error" | "unknown";

/** Anthropic Messages. */
export const ANTHROPIC: ReadonlyMap<string, Reason> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["tool_use", "tool_calls"],
  ["pause_turn", "pause"],
  ["compaction", "pause"],
  ["refusal", "refusal"],
]);

/** Bedrock Converse; the models of vendors behind it may send their own words through. */
export const BEDROCK: ReadonlyMap<string, Reason> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["tool_use", "tool_calls"],
  ["guardrail_intervened", "content_filter"],
  ["content_filtered", "content_filter"],
  ["malformed_model_output", "error"],
  ["malformed_tool_use", "error"],
  ["pause_turn", "pause"],
  ["refusal", "refusal"],
]);

/**
 * OpenAI Chat Completions: OpenAI's five first; the others are what vendors of the same dialect
 * send in that place, in lower case and with "_" for "-".
 */
export const CHAT: ReadonlyMap<string, Reason> = new Map([
  ["stop", "stop"],
  ["length", "length"],
  ["tool_calls", "tool_calls"],
  ["function_call", "tool_calls"],
  ["content_filter", "content_filter"],
  ["stop_sequence", "stop"],
  ["eos", "stop"],
  ["eos_token", "stop"],
  ["end_turn", "stop"],
  ["max_tokens", "length"],
  ["max_output_tokens", "length"],
  ["model_length", "length"],
  ["model_context_window_exceeded", "length"],
  ["tool_use", "tool_calls"],
  ["tool_call", "tool_calls"],
  ["pause_turn", "pause"],
  ["refusal", "refusal"],
  ["content_filtered", "content_filter"],
  ["safety", "content_filter"],
  ["recitation", "content_filter"],
  ["prohibited_content", "content_filter"],
  ["blocklist", "content_filter"],
  ["malformed_function_call", "error"],
  ["sensitive", "content_filter"],
  ["error", "error"],
  ["network_error", "error"],
  ["insufficient_system_resource", "error"],
  ["abort", "error"],
]);

/** Cohere v2. What is missing are failures: a stream that ends for one of them is not an answer. */
export const COHERE: ReadonlyMap<string, Reason> = new Map([
  ["COMPLETE", "stop"],
  ["STOP_SEQUENCE", "stop"],
  ["MAX_TOKENS", "length"],
  ["ERROR_LIMIT", "length"],
  ["TOOL_CALL", "tool_calls"],
]);

/** Gemini. OTHER stands for any other reason; the next request may go on after CONTINUATION. */
export const GEMINI: ReadonlyMap<string, Reason> = new Map([
  ["STOP", "stop"],
  ["MAX_TOKENS", "length"],
  ["CONTINUATION", "pause"],
  ["SAFETY", "content_filter"],
  ["RECITATION", "content_filter"],
  ["BLOCKLIST", "content_filter"],
  ["PROHIBITED_CONTENT", "content_filter"],
  ["SPII", "content_filter"],
  ["MODEL_ARMOR", "content_filter"],
  ["ESCALATION", "content_filter"],
  ["PUP_LIMITED_DISABLED", "content_filter"],
  ["IMAGE_SAFETY", "content_filter"],
  ["IMAGE_PROHIBITED_CONTENT", "content_filter"],
  ["IMAGE_RECITATION", "content_filter"],
  ["LANGUAGE", "error"],
  ["NO_IMAGE", "error"],
  ["IMAGE_OTHER", "error"],
  ["MALFORMED_FUNCTION_CALL", "error"],
  ["MALFORMED_RESPONSE", "error"],
  ["MISSING_THOUGHT_SIGNATURE", "error"],
  ["TOO_MANY_TOOL_CALLS", "error"],
  ["UNEXPECTED_TOOL_CALL", "error"],
  ["OTHER", "unknown"],
]);

/** OpenAI Responses: the status of a response that is complete, or the reason why it is not. */
export const RESPONSES: ReadonlyMap<string, Reason> = new Map([
  ["completed", "stop"],
  ["max_output_tokens", "length"],
  ["max_tokens", "length"],
  ["max_messages", "length"],
  ["content_filter", "content_filter"],
  ["steered", "pause"],
]);
