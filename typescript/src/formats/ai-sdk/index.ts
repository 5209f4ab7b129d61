/**
 * The Vercel AI SDK alone: what `partwire/formats` does by the name `ai-sdk`, for pages and services that want no
 * other format.
 *
 *     import * as aiSdk from "partwire/formats/ai-sdk";
 *     const { messages } = aiSdk.read(await response.text(), { runId: "run_1" });
 */
import { openReader, openWriter, readDocument, type WriteOptions, writeDocument } from "../core/format.js";
import type { FormatContext, FormatResult } from "../core/reading.js";
import type { StreamReader, StreamWriter } from "../core/streams.js";
import type { Written } from "../core/writing.js";
import { AI_SDK } from "./format.js";
import { readAiSdk } from "./read.js";
import { openUiReader } from "./stream-read.js";
import { openUiWriter } from "./stream-write.js";
import { writeAiSdk } from "./write.js";

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
export type { StreamReader, StreamWriter } from "../core/streams.js";
export type { Written } from "../core/writing.js";
export { type BodyOptions, body } from "./body.js";
export { HEADERS, sse, sseEnd } from "./chunks.js";

/** Returns the messages of UI messages, model messages, or the body of a chat's request, as `read` of `partwire/formats`. */
export function read(data: unknown, context: FormatContext = {}): FormatResult {
  return readDocument(AI_SDK, readAiSdk, data, context);
}

/** Returns messages as UI messages of version 5, 6 or 7, as `write` of `partwire/formats`. */
export function write(messages: unknown, options: WriteOptions = {}): Written {
  return writeDocument(AI_SDK, writeAiSdk, messages, options);
}

/** Returns a reader of one UI message stream, as `reader` of `partwire/formats`. */
export function reader(context: FormatContext = {}): StreamReader {
  return openReader(AI_SDK, openUiReader, context);
}

/** Returns a writer of one UI message stream, as `writer` of `partwire/formats`. */
export function writer(options: WriteOptions = {}): StreamWriter {
  return openWriter(AI_SDK, openUiWriter, options);
}
