/** Which dialect an event speaks, as far as one event alone tells. */
import type { Members } from "./values.js";

// Types that two dialects share (`error`, `ping`) say nothing.
const TYPES: ReadonlyMap<string, string> = new Map([
  ...[
    "message",
    "message_start",
    "message_delta",
    "message_stop",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
  ].map((type) => [type, "anthropic-messages"] as const),
  ...[
    "message-start",
    "message-end",
    "content-start",
    "content-delta",
    "content-end",
    "tool-plan-delta",
    "tool-call-start",
    "tool-call-delta",
    "tool-call-end",
    "citation-start",
    "citation-end",
  ].map((type) => [type, "cohere-v2"] as const),
]);
// Members that only one dialect has; all events of it have one, or its first ones do.
const MEMBERS: readonly (readonly [string, string])[] = [
  ["choices", "openai-chat"],
  ["candidates", "gemini"],
  ["promptFeedback", "gemini"],
  ["usageMetadata", "gemini"],
  ["messageStart", "bedrock-converse"],
  ["messageStop", "bedrock-converse"],
  ["contentBlockStart", "bedrock-converse"],
  ["contentBlockDelta", "bedrock-converse"],
  ["contentBlockStop", "bedrock-converse"],
  ["generation_id", "cohere-v1"],
];

/** Returns the dialect of an event, and the place in it that tells; undefined if nothing does. */
export function dialectOf(event: Members): readonly [dialect: string, place: string] | undefined {
  const { type, object } = event;
  if (typeof type === "string") {
    const dialect = TYPES.get(type);
    if (dialect !== undefined) return [dialect, "/type"];
    if (type.startsWith("response.")) return ["openai-responses", "/type"];
  }
  // Others name their events so too; this one is the first of each stream.
  if (event["event_type"] === "stream-start") return ["cohere-v1", "/event_type"];
  if (object === "response") return ["openai-responses", "/object"];
  if (typeof object === "string" && object.startsWith("chat.completion")) return ["openai-chat", "/object"];
  const found = MEMBERS.find(([name]) => Object.hasOwn(event, name));
  return found === undefined ? undefined : [found[1], `/${found[0]}`];
}
