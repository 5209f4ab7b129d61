/**
 * Formats of others: histories that people have stored, read as messages of the contract, and written.
 *
 *     const { messages, losses } = read("openai-chat", await response.text(), { runId: "run_1" });
 *
 * Sans-IO and pure. What a format says and a message cannot is a loss, never silence: readers take what
 * they know from an object, and whatever is left in it is reported.
 *
 * Each format that is written has an entry of its own, `partwire/formats/<name>`, for pages that want no other.
 */
import { openReader, openWriter, readDocument, type WriteOptions, writeDocument } from "./core/format.js";
import type { FormatContext, FormatResult } from "./core/reading.js";
import type { StreamReader, StreamWriter } from "./core/streams.js";
import type { Written } from "./core/writing.js";
import { formatNamed, functionOf } from "./registry.js";

export type { Message } from "../contract/current/message.js";
export type { Loss, LossSeverity } from "../convert/losses.js";
export { type Finding, PartwireError, ReadError, type Severity, StreamProtocolError, UsageError } from "../errors.js";
export type { FormatLossCode } from "../generated/tables/losses.js";
export { StreamFailed } from "../message/assembler/assembler.js";
export { Branch } from "./core/branches.js";
export type { Does, Format, WriteOptions } from "./core/format.js";
export type { RunItem } from "./core/items.js";
export type { FormatContext, FormatResult } from "./core/reading.js";
export { RunAssembler } from "./core/runs.js";
export type { StreamReader, StreamWriter } from "./core/streams.js";
export type { Written } from "./core/writing.js";

export { FORMATS, type KnownFormat } from "./registry.js";
export { type Sniffed, sniff, sniffEvents } from "./signs.js";

/**
 * Returns the messages of a document of `format`, and what they do not say of it. `data` is JSON text (a string
 * or bytes) or a value; it is never changed, and bytes in a value are read as Base64. What the source
 * does not say of run and time is what `context` says; without it they are made up, and reported.
 *
 * Pointers of the losses lead into `data`. Throws UsageError `usage/unknown-format` and
 * `usage/invalid-argument`, and ReadError for what is not JSON (`document/…`) or not of the format
 * (`format/wrong-shape`).
 */
export function read(format: string, data: unknown, context: FormatContext = {}): FormatResult {
  const chosen = formatNamed(format);
  return readDocument(chosen, chosen.read, data, context);
}

/**
 * Returns messages as a document of `format`, and what it does not say of them. With `extensions` members
 * of ours say what the format has no place for, and {@link read} reads them back.
 *
 * Pointers lead into `messages`. Throws UsageError `usage/unknown-format`, and `usage/invalid-argument` for
 * a format that is only read; ReadError for what is not a message.
 */
export function write(format: string, messages: unknown, options: WriteOptions = {}): Written {
  const chosen = formatNamed(format);
  return writeDocument(chosen, functionOf(chosen, "write"), messages, options);
}

/**
 * Returns a reader of an event stream of `format`: events in, deltas and messages out. `context` is as in
 * {@link read}. Throws UsageError `usage/unknown-format` and `usage/invalid-argument`.
 */
export function reader(format: string, context: FormatContext = {}): StreamReader {
  const chosen = formatNamed(format);
  return openReader(chosen, functionOf(chosen, "reader"), context);
}

/**
 * Returns a writer of an event stream of `format`: deltas and messages in, events out. The options, and the
 * errors, are those of {@link write}.
 */
export function writer(format: string, options: WriteOptions = {}): StreamWriter {
  const chosen = formatNamed(format);
  return openWriter(chosen, functionOf(chosen, "writer"), options);
}
