/**
 * Formats of others: histories that people have stored, read as messages of the contract.
 *
 *     const { messages, losses } = read("openai-chat", await response.text(), { runId: "run_1" });
 *
 * Sans-IO and pure. What a format says and a message cannot is a loss, never silence: readers take what
 * they know from an object, and whatever is left in it is reported.
 */
import { type FormatContext, type FormatResult, Reading } from "./core/reading.js";
import { sourceOf } from "./core/source.js";
import { formatNamed } from "./registry.js";

export type { Message } from "../contract/current/message.js";
export type { Loss, LossSeverity } from "../convert/losses.js";
export { type Finding, PartwireError, ReadError, type Severity, UsageError } from "../errors.js";
export type { FormatLossCode } from "../generated/tables/losses.js";
export { Branch } from "./core/branches.js";
export type { RunItem } from "./core/items.js";
export type { FormatContext, FormatResult } from "./core/reading.js";
export { RunAssembler } from "./core/runs.js";
export type { StreamReader, StreamWriter } from "./core/streams.js";

export { FORMATS, type Format } from "./registry.js";

/**
 * Returns the messages of a document of `format`, and what they do not say. `data` is JSON text (a string
 * or bytes) or a value; it is never changed, and bytes in a value are read as Base64. What the source
 * does not say of run and time is what `context` says; without it they are made up, and reported.
 *
 * Pointers of the losses lead into `data`. Throws UsageError `usage/unknown-format` and
 * `usage/invalid-argument`, and ReadError for what is not JSON (`document/…`) or not of the format
 * (`format/wrong-shape`).
 */
export function read(format: string, data: unknown, context: FormatContext = {}): FormatResult {
  const [name, readInto] = formatNamed(format);
  const reading = new Reading(name, context);
  readInto(sourceOf(data), reading);
  return reading.finish();
}
