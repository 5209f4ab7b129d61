/** Words of the UI message stream, and how it is framed as server-sent events. */

export { sse, sseData } from "../core/sse.js";

export const DONE = "[DONE]";

/** The headers of a response that is a UI message stream. */
export const HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  connection: "keep-alive",
  "x-vercel-ai-ui-message-stream": "v1",
  "x-accel-buffering": "no",
};

/** Why the SDK says that the model stopped, where a message has another word for it. */
export const REASONS: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["tool-calls", "tool_calls"],
  ["content-filter", "content_filter"],
  ["other", "unknown"],
]);

/** The SDK's words for ours; all others are `other`. */
export const OUR_REASONS: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["stop", "stop"],
  ["length", "length"],
  ["tool_calls", "tool-calls"],
  ["content_filter", "content-filter"],
  ["refusal", "content-filter"],
  ["error", "error"],
]);

/** Returns the event that ends the stream. */
export function sseEnd(): string {
  return `data: ${DONE}\n\n`;
}
