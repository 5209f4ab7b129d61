/**
 * AG-UI alone: histories read and written, and the event stream of a run, for pages that want no other format.
 *
 *     const stream = reader({ timestamp: new Date().toISOString() });
 *     const run = new RunAssembler();
 *     for await (const event of events) run.feedAll(stream.feed(event));
 *     run.feedAll(stream.finish());
 *
 * The functions are those of `partwire/formats` without the name of the format.
 */
import { openReader, openWriter, readDocument, type WriteOptions, writeDocument } from "../core/format.js";
import type { FormatContext, FormatResult } from "../core/reading.js";
import type { StreamReader } from "../core/streams.js";
import type { Written } from "../core/writing.js";
import { AG_UI } from "./format.js";
import { readAgUi } from "./read.js";
import { agUiReader } from "./stream-read.js";
import { type AgUiStreamWriter, agUiWriter } from "./stream-write.js";
import { writeAgUi } from "./write.js";

export type { Message } from "../../contract/current/message.js";
export type { Loss, LossSeverity } from "../../convert/losses.js";
export { type Finding, PartwireError, ReadError, type Severity, UsageError } from "../../errors.js";
export type { FormatLossCode } from "../../generated/tables/losses.js";
export type { Items } from "../core/body.js";
export type { WriteOptions } from "../core/format.js";
export type { RunItem } from "../core/items.js";
export type { FormatContext, FormatResult } from "../core/reading.js";
export { RunAssembler } from "../core/runs.js";
export { sse } from "../core/sse.js";
export type { StreamReader, StreamWriter } from "../core/streams.js";
export type { Written } from "../core/writing.js";
export { type BodyOptions, body } from "./body.js";
export { HEADERS } from "./events.js";
export type { AgUiStreamWriter } from "./stream-write.js";

/** Returns the messages of a list of messages, one message, the input of a run, a snapshot, or events. */
export function read(data: unknown, context: FormatContext = {}): FormatResult {
  return readDocument(AG_UI, readAgUi, data, context);
}

/** Returns messages as those of a run's input, and what they do not say of ours. */
export function write(messages: unknown, options: WriteOptions = {}): Written {
  return writeDocument(AG_UI, writeAgUi, messages, options);
}

/** Returns a reader of an event stream: events in, deltas and messages out. */
export function reader(context: FormatContext = {}): StreamReader {
  return openReader(AG_UI, agUiReader, context);
}

/** Returns a writer of an event stream: deltas and messages in, events out; `threadId` is the client's. */
export function writer(options: WriteOptions = {}): AgUiStreamWriter {
  return openWriter(AG_UI, agUiWriter, options);
}
