/**
 * AG-UI alone: what `partwire/formats` does by the name `ag-ui`, for pages and services that want no other format.
 *
 *     import * as agUi from "partwire/formats/ag-ui";
 *     const { messages } = agUi.read(await request.text());
 *     return new Response(agUi.body(adapt("openai-chat", answer.body)), { headers: agUi.HEADERS });
 */
import { openReader, openWriter, readDocument, type WriteOptions, writeDocument } from "../core/format.js";
import type { FormatContext, FormatResult } from "../core/reading.js";
import type { StreamReader } from "../core/streams.js";
import type { Written } from "../core/writing.js";
import { AG_UI } from "./format.js";
import { readAgUi } from "./read.js";
import { agUiReader } from "./stream-read.js";
import { type AgUiWriter, agUiWriter } from "./stream-write.js";
import { writeAgUi } from "./write.js";

export type { Message } from "../../contract/current/message.js";
export type { Loss, LossSeverity } from "../../convert/losses.js";
export {
  type Finding,
  PartwireError,
  ReadError,
  type Severity,
  StreamProtocolError,
  UsageError,
} from "../../errors.js";
export type { FormatLossCode } from "../../generated/tables/losses.js";
export { StreamFailed } from "../../message/assembler/assembler.js";
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
export type { AgUiWriter } from "./stream-write.js";

/** Returns the messages of a list of them, the input of a run, a snapshot, or events, as `read` of `partwire/formats`. */
export function read(data: unknown, context: FormatContext = {}): FormatResult {
  return readDocument(AG_UI, readAgUi, data, context);
}

/** Returns messages as those of a run's input of version 1.0 or 1.1, as `write` of `partwire/formats`. */
export function write(messages: unknown, options: WriteOptions = {}): Written {
  return writeDocument(AG_UI, writeAgUi, messages, options);
}

/** Returns a reader of one event stream, as `reader` of `partwire/formats`. */
export function reader(context: FormatContext = {}): StreamReader {
  return openReader(AG_UI, agUiReader, context);
}

/** Returns a writer of one event stream, as `writer` of `partwire/formats`; its `threadId` is the client's. */
export function writer(options: WriteOptions = {}): AgUiWriter {
  return openWriter(AG_UI, agUiWriter, options);
}
