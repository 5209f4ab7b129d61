// Generated from schemas/tables/event-dialects.json. Do not edit: change that, then
// run `python -m codegen`.

/**
 * Dialects of events: what else they are called, and which one an event speaks, as far as one event
 * alone says it.
 *
 * The first row that an event fits counts.
 */

/**
 * A dialect; there is no adapter for cohere-v1, which is known so that it can be refused by name.
 */
export type Dialect = "anthropic-messages" | "bedrock-converse" | "cohere-v1" | "cohere-v2" | "gemini" | "openai-chat" | "openai-responses";

/**
 * A member of an event that says its dialect: by its value where values or a prefix are given, else
 * by being there.
 */
export interface Sign {
  readonly member: string;
  /** What its text is one of. */
  readonly values: ReadonlyArray<string> | null;
  /** What its text begins with. */
  readonly prefix: string | null;
  readonly dialect: Dialect;
}

/** Another name of a dialect → its name. */
export const ALIASES: ReadonlyMap<string, Dialect> = new Map([
  ["anthropic", "anthropic-messages"],
  ["bedrock", "bedrock-converse"],
  ["cohere", "cohere-v2"],
  ["google", "gemini"],
  ["openai", "openai-chat"],
]);

/** Signs of a dialect, in the order in which they count. */
export const SIGNS: ReadonlyArray<Sign> = [
  {
    member: "type",
    values: [
      "message",
      "message_start",
      "message_delta",
      "message_stop",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
    ],
    prefix: null,
    dialect: "anthropic-messages",
  },
  {
    member: "type",
    values: [
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
    ],
    prefix: null,
    dialect: "cohere-v2",
  },
  { member: "type", values: null, prefix: "response.", dialect: "openai-responses" },
  { member: "event_type", values: ["stream-start"], prefix: null, dialect: "cohere-v1" },
  { member: "object", values: ["response"], prefix: null, dialect: "openai-responses" },
  { member: "object", values: null, prefix: "chat.completion", dialect: "openai-chat" },
  { member: "choices", values: null, prefix: null, dialect: "openai-chat" },
  { member: "candidates", values: null, prefix: null, dialect: "gemini" },
  { member: "promptFeedback", values: null, prefix: null, dialect: "gemini" },
  { member: "usageMetadata", values: null, prefix: null, dialect: "gemini" },
  { member: "messageStart", values: null, prefix: null, dialect: "bedrock-converse" },
  { member: "messageStop", values: null, prefix: null, dialect: "bedrock-converse" },
  { member: "contentBlockStart", values: null, prefix: null, dialect: "bedrock-converse" },
  { member: "contentBlockDelta", values: null, prefix: null, dialect: "bedrock-converse" },
  { member: "contentBlockStop", values: null, prefix: null, dialect: "bedrock-converse" },
  { member: "generation_id", values: null, prefix: null, dialect: "cohere-v1" },
];
