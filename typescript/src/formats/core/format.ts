/**
 * What a format is, and how a document or a stream of any format is read and written.
 *
 * The entry of a format alone and the registry of all call the same functions; which code a page loads
 * is decided by what it imports.
 */

import { badArgument } from "../../errors.js";
import { type FormatContext, type FormatResult, type Json, Reading } from "./reading.js";
import { sourceOf } from "./source.js";
import type { StreamReader, StreamWriter } from "./streams.js";
import { messagesOf, type Written } from "./writing.js";

/** What can be done with a format. */
export type Does = "read" | "write" | "reader" | "writer";

/** What is said of a format to people and programs. */
export interface Format {
  readonly name: string;
  readonly title: string;
  /** Those that can be written, the default first; empty where there is one form only. */
  readonly versions: readonly string[];
}

/** How a format is written. */
export interface WriteOptions {
  /** The format's version; by default what most people have. */
  readonly version?: string | undefined;
  /** Whether members of ours say what the format has no place for. */
  readonly extensions?: boolean | undefined;
}

/** Reads a document; its messages and losses are in `reading`. */
export type ReadInto = (source: unknown, reading: Reading) => void;
/** Writes messages, which have been checked. */
export type WriteFrom = (messages: Json[], version: string, extensions: boolean) => Written;
/** Makes the reader of one stream. */
export type OpenReader = (reading: Reading) => StreamReader;
/** Makes the writer of one stream. */
export type OpenWriter<W extends StreamWriter = StreamWriter> = (version: string, extensions: boolean) => W;

/** What is done with a format, and how. */
export interface FormatRow extends Format {
  readonly read: ReadInto;
  readonly write?: WriteFrom;
  readonly reader?: OpenReader;
  readonly writer?: OpenWriter;
}

/** Returns the messages of a document. */
export function readDocument(format: Format, read: ReadInto, data: unknown, context: FormatContext): FormatResult {
  const reading = new Reading(format.name, context);
  read(sourceOf(data), reading);
  return reading.finish();
}

/** Returns messages as a document. */
export function writeDocument(format: Format, write: WriteFrom, messages: unknown, options: WriteOptions): Written {
  const version = versionOf(format, options);
  return write(messagesOf(messages), version, options.extensions ?? false);
}

/** Returns a reader of a stream. */
export function openReader(format: Format, open: OpenReader, context: FormatContext): StreamReader {
  return open(new Reading(format.name, context));
}

/** Returns a writer of a stream. */
export function openWriter<W extends StreamWriter>(format: Format, open: OpenWriter<W>, options: WriteOptions): W {
  return open(versionOf(format, options), options.extensions ?? false);
}

/** Returns the version that is written; throws UsageError for one that is not of the format. */
function versionOf({ versions }: Format, { version }: WriteOptions): string {
  if (version === undefined) return versions[0] ?? "";
  if (versions.includes(version)) return version;
  const known = [...versions].sort().join(", ") || "none: the format has no versions";
  throw badArgument("version is wrong", known, version);
}
