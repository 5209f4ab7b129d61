/** The formats, by name: which there are, and what reads each. */

import { badArgument } from "../errors.js";
import { ALIASES } from "../generated/tables/event-dialects.js";
import type { Reading } from "./core/reading.js";
import { readAnthropic } from "./histories/anthropic.js";
import { readChat } from "./histories/openai-chat.js";
import { readResponses } from "./histories/openai-responses.js";

/** A format: its name, and what it is for people. */
export interface Format {
  readonly name: string;
  readonly title: string;
}

/** Reads a document; its messages and losses are in `reading`. */
type Reader = (source: unknown, reading: Reading) => void;

const ALL: readonly (readonly [name: string, read: Reader, title: string])[] = [
  ["anthropic-messages", readAnthropic, "Anthropic Messages: a request, or its messages"],
  ["openai-chat", readChat, "OpenAI chat completions: a request, its messages, or an answer"],
  ["openai-responses", readResponses, "OpenAI Responses: a request, its items, or an answer"],
];

/** Name → format. */
export const FORMATS: ReadonlyMap<string, Format> = /* @__PURE__ */ new Map(
  ALL.map(([name, , title]) => [name, { name, title }]),
);

/** Returns the name of a format, of its name or an alias, and its reader; throws UsageError `usage/unknown-format`. */
export function formatNamed(name: string): readonly [name: string, read: Reader] {
  const known = ALIASES.get(name) ?? name;
  for (const [each, read] of ALL) if (each === known) return [each, read];
  throw badArgument("No such format", [...FORMATS.keys()].join(", "), name, "usage/unknown-format");
}
