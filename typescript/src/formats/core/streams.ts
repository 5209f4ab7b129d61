/** What a reader and a writer of an event stream look like, whatever the format. */

import type { Loss } from "../../convert/losses.js";
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

/** Writes a stream: deltas and whole messages in, events out. */
export interface StreamWriter {
  /** What the events do not say of the items; pointers begin with an item's number. */
  readonly losses: readonly Loss[];
  /** Takes an item: a delta, or a whole message. */
  feed(item: unknown): Json[];
  /** Says that no more comes. */
  finish(): Json[];
}
