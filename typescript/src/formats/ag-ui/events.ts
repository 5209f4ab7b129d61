/** Words of the event stream. */
import { WORDS } from "../../generated/tables/format-signs.js";

/** The headers of a response that is an event stream. */
export const HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  connection: "keep-alive",
  "x-accel-buffering": "no",
};

/** The versions of the protocol that a stream may say it speaks. */
export const VERSIONS: readonly string[] = ["1.0", "1.1"];

/** The types of events that the protocol has. */
const KNOWN = WORDS["ag-ui-events"];

/** The events that messages have no place for. */
const NOWHERE = [
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
] as const satisfies readonly (typeof KNOWN)[number][];

/** The events that say something of messages. */
export type EventType = Exclude<(typeof KNOWN)[number], (typeof NOWHERE)[number]>;

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

/** Tells whether it is the type of an event that the protocol has. */
export function isKnown(type: unknown): boolean {
  return (KNOWN as readonly unknown[]).includes(type);
}

/** Tells whether events of a type say something of messages. */
export function isOfMessages(type: string): type is EventType {
  return isKnown(type) && !(NOWHERE as readonly string[]).includes(type);
}
