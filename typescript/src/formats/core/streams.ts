/** What a reader and a writer of an event stream look like, whatever the format. */

import type { Loss } from "../../convert/losses.js";
import { errorAt, StreamProtocolError } from "../../errors.js";
import type { RunItem } from "./items.js";
import type { Json } from "./reading.js";

/** Reads a stream: events in, deltas and whole messages out. */
export interface StreamReader {
  /** What the items do not say of the events; pointers begin with an event's number. */
  readonly losses: readonly Loss[];
  /** Takes an event: JSON text or a JSON value. */
  feed(event: unknown): RunItem[];
  /** Says that no more comes. */
  finish(): RunItem[];
}

/** Returns the error for an item that comes behind the end of a writer's stream. */
export function alreadyDone(): StreamProtocolError {
  const [words, wanted] = ["The stream is finished", "a new writer for each stream"];
  return new StreamProtocolError(errorAt("", "stream/already-done", words, wanted));
}

/** Writes a stream: deltas and whole messages in, events out. */
export interface StreamWriter {
  /** What the events do not say of the items; pointers begin with an item's number. */
  readonly losses: readonly Loss[];
  /** Takes an item: a delta, or a whole message. Throws behind the end: a writer is for one stream. */
  feed(item: unknown): Json[];
  /** Says that no more comes. */
  finish(): Json[];
}
