/** The formats, by name: which there are, and what reads and writes each. */

import { badArgument } from "../errors.js";
import { ALIASES } from "../generated/tables/event-dialects.js";
import { AG_UI } from "./ag-ui/format.js";
import { readAgUi } from "./ag-ui/read.js";
import { agUiReader } from "./ag-ui/stream-read.js";
import { agUiWriter } from "./ag-ui/stream-write.js";
import { writeAgUi } from "./ag-ui/write.js";
import { AI_SDK } from "./ai-sdk/format.js";
import { readAiSdk } from "./ai-sdk/read.js";
import { openUiReader } from "./ai-sdk/stream-read.js";
import { openUiWriter } from "./ai-sdk/stream-write.js";
import { writeAiSdk } from "./ai-sdk/write.js";
import type { Does, Format, FormatRow } from "./core/format.js";
import { readAnthropic } from "./histories/anthropic.js";
import { readChat } from "./histories/openai-chat.js";
import { readResponses } from "./histories/openai-responses.js";

const ALL: readonly FormatRow[] = [
  { ...AG_UI, read: readAgUi, write: writeAgUi, reader: agUiReader, writer: agUiWriter },
  { ...AI_SDK, read: readAiSdk, write: writeAiSdk, reader: openUiReader, writer: openUiWriter },
  {
    name: "anthropic-messages",
    title: "Anthropic Messages: a request, or its messages",
    versions: [],
    read: readAnthropic,
  },
  {
    name: "openai-chat",
    title: "OpenAI chat completions: a request, its messages, or an answer",
    versions: [],
    read: readChat,
  },
  {
    name: "openai-responses",
    title: "OpenAI Responses: a request, its items, or an answer",
    versions: [],
    read: readResponses,
  },
];

const DOES: readonly Does[] = ["read", "write", "reader", "writer"];

/** A format, and which functions take it. */
export interface KnownFormat extends Format {
  readonly does: readonly Does[];
}

/** Name → format. */
export const FORMATS: ReadonlyMap<string, KnownFormat> = /* @__PURE__ */ new Map(
  ALL.map((row) => {
    const { name, title, versions } = row;
    return [name, { name, title, versions, does: DOES.filter((each) => row[each] !== undefined) }];
  }),
);

const CANNOT: Readonly<Record<Does, string>> = {
  read: "is not read",
  write: "is only read, and not written",
  reader: "has no streams that are read",
  writer: "has no streams that are written",
};

/** Returns the format of a name or an alias; throws UsageError `usage/unknown-format`. */
export function formatNamed(name: string): FormatRow {
  const known = ALIASES.get(name) ?? name;
  const found = ALL.find((each) => each.name === known);
  if (found !== undefined) return found;
  throw badArgument("No such format", [...FORMATS.keys()].join(", "), name, "usage/unknown-format");
}

/** Returns what does it for a format; throws UsageError, with the formats that can, where nothing does. */
export function functionOf<D extends Does>(format: FormatRow, does: D): NonNullable<FormatRow[D]> {
  const found = format[does];
  if (found !== undefined) return found;
  const which = ALL.filter((each) => each[does] !== undefined).map(({ name }) => name);
  throw badArgument(`The format ${format.name} ${CANNOT[does]}`, which.join(", "), format.name);
}
