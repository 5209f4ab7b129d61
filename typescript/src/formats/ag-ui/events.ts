/** Words of the event stream. */

/** The headers of a response that is an event stream. */
export const HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  connection: "keep-alive",
  "x-accel-buffering": "no",
};

/** The versions of the protocol that a stream may say it speaks. */
export const VERSIONS: readonly string[] = ["1.0", "1.1"];

/** The events that say something of messages. */
export const EVENTS = [
  "RUN_STARTED",
  "RUN_FINISHED",
  "RUN_ERROR",
  "TEXT_MESSAGE_START",
  "TEXT_MESSAGE_CONTENT",
  "TEXT_MESSAGE_END",
  "TEXT_MESSAGE_CHUNK",
  "TOOL_CALL_START",
  "TOOL_CALL_ARGS",
  "TOOL_CALL_END",
  "TOOL_CALL_CHUNK",
  "TOOL_CALL_RESULT",
  "REASONING_START",
  "REASONING_END",
  "REASONING_MESSAGE_START",
  "REASONING_MESSAGE_CONTENT",
  "REASONING_MESSAGE_END",
  "REASONING_MESSAGE_CHUNK",
  "REASONING_ENCRYPTED_VALUE",
  "THINKING_START",
  "THINKING_END",
  "THINKING_TEXT_MESSAGE_START",
  "THINKING_TEXT_MESSAGE_CONTENT",
  "THINKING_TEXT_MESSAGE_END",
  "MESSAGES_SNAPSHOT",
  "CUSTOM",
] as const;

export type EventType = (typeof EVENTS)[number];

/** The events that messages have no place for. */
export const NOWHERE: readonly string[] = [
  "STATE_SNAPSHOT",
  "STATE_DELTA",
  "ACTIVITY_SNAPSHOT",
  "ACTIVITY_DELTA",
  "STEP_STARTED",
  "STEP_FINISHED",
  "RAW",
  "SUBAGENT_STARTED",
  "SUBAGENT_FINISHED",
  "SUBAGENT_ERROR",
];

/** The events after which a message in chunks goes on; all others end it. */
export const BESIDE_CHUNKS: readonly string[] = [
  "RAW",
  "ACTIVITY_SNAPSHOT",
  "ACTIVITY_DELTA",
  "REASONING_ENCRYPTED_VALUE",
  "SUBAGENT_STARTED",
];

/** The figures of the protocol, and ours. */
export const USAGE: readonly (readonly [theirs: string, ours: string])[] = [
  ["inputTokens", "inputTokens"],
  ["outputTokens", "outputTokens"],
  ["totalTokens", "totalTokens"],
  ["reasoningTokens", "reasoningTokens"],
  ["cachedInputTokens", "cacheReadTokens"],
  ["cacheWriteInputTokens", "cacheWriteTokens"],
];

/** Why a run that asks for approval of a call is interrupted, as far as nobody says it. */
export const APPROVAL = "tool_approval";

/** Tells whether events of a type say something of messages. */
export function isKnown(type: string): type is EventType {
  return (EVENTS as readonly string[]).includes(type);
}
