/** A response with deltas, as a service sends them to its clients, into an assembler. */
import type { MessageDelta } from "../contract/current/message.js";
import { Unknown } from "../contract/unknown.js";
import { badArgument, PartwireError } from "../errors.js";
import { decodeJson } from "../json/documents.js";
import { isObject, own } from "../json/values.js";
import { JsonLinesDecoder } from "../providers/framing/jsonlines.js";
import { type ByteSource, chunksOf } from "../providers/framing/source.js";
import { SseDecoder } from "../providers/framing/sse.js";
import { isKnownKind, type MessageAssembler } from "./assembler/assembler.js";
import { decodeDelta } from "./assembler/delta-json.js";
import { atLine } from "./assembler/rules.js";

/** How deltas are put into bytes: server-sent events, or JSON Lines. `auto` looks at the first character. */
export type DeltaFraming = "auto" | "sse" | "jsonl";

/** How a response is read. */
export interface ConsumeOptions {
  readonly framing?: DeltaFraming;
  /** `tolerant` passes over deltas of an unknown kind; strict where absent. */
  readonly mode?: "strict" | "tolerant";
}

/** One delta as it came; `whole` says that its end came too. */
interface Item {
  readonly text: Uint8Array | string;
  readonly line: number;
  readonly whole: boolean;
}

/** One chunk, or with undefined the end of the input, → its items. */
type Cut = (chunk: Uint8Array | undefined) => Item[];

const FRAMINGS: readonly DeltaFraming[] = ["auto", "sse", "jsonl"];

/**
 * Feeds `assembler` the deltas of a response, such as `response.body`, and yields each one that it has
 * taken; at the end it closes the assembler. Of server-sent events those of type `message` and
 * `delta` are deltas; others are passed over. Findings carry the line. Throws
 * ReadError for what is not JSON, FramingError for bytes that are not text, StreamProtocolError for a
 * delta that breaks a rule and `stream/truncated` for a response that stops without `done` or
 * `error`, UsageError for options and sources that do not exist.
 */
export async function* consumeStream(
  assembler: MessageAssembler,
  source: ByteSource,
  options: ConsumeOptions = {},
): AsyncGenerator<MessageDelta | Unknown, void, undefined> {
  const { framing = "auto", mode = "strict" } = options;
  if (!FRAMINGS.includes(framing)) throw badArgument("No such framing", FRAMINGS.join(", "), framing);
  if (mode !== "strict" && mode !== "tolerant") throw badArgument("No such mode", "strict or tolerant", mode);
  let cut = framing === "auto" ? undefined : cutter(framing);
  for await (const chunk of chunksOf(source)) {
    if (chunk.length === 0) continue;
    cut ??= cutter(chunk[0] === OPENING_BRACE ? "jsonl" : "sse");
    for (const item of cut(chunk)) yield consumed(assembler, item, mode);
  }
  for (const item of cut?.(undefined) ?? []) {
    if (item.whole || isJson(item.text)) yield consumed(assembler, item, mode);
  }
  assembler.close();
}

const OPENING_BRACE = 0x7b;

function consumed(assembler: MessageAssembler, { text, line }: Item, mode: string): MessageDelta | Unknown {
  try {
    const delta = deltaOf(decodeDelta(text), mode);
    assembler.consume(delta);
    return delta;
  } catch (error) {
    throw error instanceof PartwireError ? atLine(error, line) : error;
  }
}

/** The assembler checks what is in it; an unknown kind it takes as an Unknown alone. */
function deltaOf(value: unknown, mode: string): MessageDelta | Unknown {
  const kind = isObject(value) ? own(value, "kind") : undefined;
  const isUnknown = mode === "tolerant" && typeof kind === "string" && !isKnownKind(kind);
  return isUnknown ? new Unknown("kind", kind, value as Unknown["document"]) : (value as MessageDelta);
}

function isJson(text: Uint8Array | string): boolean {
  try {
    decodeJson(text);
    return true;
  } catch {
    return false;
  }
}

function cutter(framing: "sse" | "jsonl"): Cut {
  if (framing === "jsonl") {
    const decoder = new JsonLinesDecoder();
    return (chunk) => {
      const lines = chunk === undefined ? decoder.close() : decoder.feed(chunk);
      return lines.map(({ data, number, terminated }) => ({ text: data, line: number, whole: terminated }));
    };
  }
  const decoder = new SseDecoder();
  return (chunk) => {
    const events = chunk === undefined ? decoder.close() : decoder.feed(chunk);
    // An event that no blank line ends is none.
    const deltas = events.filter(({ event, terminated }) => terminated && (event === "message" || event === "delta"));
    return deltas.map(({ data, line }) => ({ text: data, line, whole: true }));
  };
}
