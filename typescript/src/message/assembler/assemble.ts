/** The short forms: a whole stream in, its message out. */
import { bindingOf } from "../../contract/catalog.js";
import { LATEST_VERSION } from "../../contract/current/index.js";
import type { Message, MessageDelta } from "../../contract/current/message.js";
import type { Unknown } from "../../contract/unknown.js";
import { badArgument, PartwireError, ReadError, throwAny } from "../../errors.js";
import { isBytes } from "../../json/documents.js";
import { JsonLinesDecoder } from "../../providers/framing/jsonlines.js";
import { type Mode, readValue } from "../../reading/index.js";
import { relax } from "../../reading/tolerance.js";
import { type AssemblerInit, MessageAssembler } from "./assembler.js";
import { decodeDelta } from "./delta-json.js";
import { isChecked } from "./payloads.js";
import { atLine } from "./rules.js";

const TYPE = "message.MessageDelta";
const SPACE = [0x20, 0x09, 0x0d, 0x0a];

/** One delta: a line of JSON Lines (text or bytes), or a JSON object. */
export type DeltaItem = string | Uint8Array | MessageDelta | Unknown;

/** How a stream is assembled: what an assembler is made with, and how its lines are read. */
export interface AssembleOptions extends AssemblerInit {
  /** `tolerant` passes over deltas of an unknown kind; strict where absent. */
  readonly mode?: Mode;
}

/**
 * Returns the message of a whole stream of deltas: JSON Lines in one buffer, or deltas one by one.
 * Findings carry the 1-based number of the line or item. Throws ReadError for a line that is no
 * delta, StreamProtocolError for one that breaks a rule and for a stream that ends without `done`
 * or `error` (`stream/truncated`), StreamFailed for one that ends with `error`, UsageError for a
 * source that is none of these. Source: semantics, the assembler.
 */
export function assemble(deltas: Uint8Array | Iterable<DeltaItem>, options: AssembleOptions = {}): Message {
  const feeder = new Feeder(options);
  if (isBytes(deltas)) {
    const decoder = new JsonLinesDecoder();
    const lines = [...decoder.feed(deltas), ...decoder.close()];
    for (const line of lines) feeder.take(line.data, line.number);
  } else if (typeof deltas === "object" && deltas !== null && Symbol.iterator in deltas) {
    let number = 0;
    for (const item of deltas) feeder.take(item, ++number);
  } else {
    throw badArgument("Not what assembling takes", "bytes of JSON Lines, or an iterable of deltas", deltas);
  }
  return feeder.finish();
}

/** Returns the message of an asynchronous stream; items and errors as {@link assemble}. */
export async function assembleAsync(stream: AsyncIterable<DeltaItem>, options: AssembleOptions = {}): Promise<Message> {
  const feeder = new Feeder(options);
  if (typeof stream !== "object" || stream === null || !(Symbol.asyncIterator in stream)) {
    throw badArgument("Not what assembling takes", "an asynchronous iterable of deltas", stream);
  }
  let number = 0;
  for await (const item of stream) feeder.take(item, ++number);
  return feeder.finish();
}

class Feeder {
  readonly #assembler: MessageAssembler;
  readonly #mode: Mode;

  constructor(options: AssembleOptions) {
    const { mode = "strict" } = options;
    if (mode !== "strict" && mode !== "tolerant") {
      throw badArgument("Not what assembling takes", "the mode strict or tolerant", mode);
    }
    this.#assembler = new MessageAssembler(options);
    this.#mode = mode;
  }

  take(item: DeltaItem, line: number): void {
    try {
      const isText = typeof item === "string" || isBytes(item);
      if (isText && isBlank(item)) return;
      this.#assembler.consume(isText ? readDelta(item, this.#mode) : item);
    } catch (error) {
      throw error instanceof PartwireError ? atLine(error, line) : error;
    }
  }

  finish(): Message {
    this.#assembler.close();
    return this.#assembler.buildFinalMessage();
  }
}

/** Tells whether a line is blank: in lines one by one as in a buffer, it counts and is passed over. */
function isBlank(line: string | Uint8Array): boolean {
  return typeof line === "string" ? /^[ \t\r\n]*$/.test(line) : line.every((byte) => SPACE.includes(byte));
}

/**
 * Returns the delta of one line, as the assembler takes it. A line is a document: what no document
 * may hold is refused in members that nobody knows, too. The form of the timestamp is not looked
 * at: of most deltas it goes nowhere, and the assembler checks the one that it keeps. In `tolerant`
 * mode a delta of an unknown kind is {@link Unknown}. Throws ReadError with all findings.
 */
export function readDelta(
  line: string | Uint8Array,
  mode: Mode = "strict",
  version: string = LATEST_VERSION,
): MessageDelta | Unknown {
  const binding = bindingOf(TYPE, version);
  const value = decodeDelta(line);
  if (!isChecked(value) && binding.verdict?.(value) === true) return value as unknown as MessageDelta;
  try {
    return readValue(value, TYPE, mode, version).value as MessageDelta | Unknown;
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    throwAny(
      error.findings.filter((each) => each.rule !== "shape/pattern" || each.pointer !== "/timestamp"),
      ReadError,
    );
  }
  return (mode === "tolerant" ? relax(binding.data, binding.name, value, []) : value) as MessageDelta;
}
