/** Payloads that come whole, checked by the schema itself, and what they count. */
import { bind } from "../../contract/binding.js";
import { data } from "../../contract/current/message.checks.js";
import { clip, ReadError } from "../../errors.js";
import { VALUE_BYTES } from "../../generated/tables/limits.js";
import { isUnicode, utf8Length } from "../../json/text.js";
import { isObject, own } from "../../json/values.js";
import { plainValue, readAs } from "../../reading/checks.js";
import { invalidDelta, type Json, type Limits, limitExceeded, refusal } from "./rules.js";

// --- the schema's own check ----------------------------------------------------------------------

const CHECKED: ReadonlySet<unknown> = new Set([
  "text_citation",
  "server_tool_result",
  "approval_request",
  "media_start",
  "media_data",
  "media_end",
  "warning",
]);

// The walk alone decides: compiled code would make the assembler far larger, and such deltas are few.
const BINDING = bind("MessageDelta", data);
const ANY_TIME = "2026-01-02T03:04:05Z";

/** Tells whether a delta is one that has to be looked at whole, by the schema itself. */
export function isChecked(delta: unknown): boolean {
  if (!isObject(delta)) return false;
  const kind = own(delta, "kind");
  if (kind !== "start") return CHECKED.has(kind);
  const payload = own(delta, "payload");
  return isObject(payload) && (own(payload, "author") !== undefined || own(payload, "format") !== undefined);
}

/**
 * Returns a delta, in separate values, in which the schema finds nothing wrong; throws
 * StreamProtocolError `stream/invalid-delta`. The form of its time is not looked at.
 */
export function checked(delta: Json): Json {
  const timestamp = own(delta, "timestamp");
  const isText = typeof timestamp === "string";
  try {
    // What tolerant reading lets pass has been read so before.
    const made = readAs(BINDING, isText ? { ...delta, timestamp: ANY_TIME } : delta, "tolerant").value as Json;
    return isText ? { ...made, timestamp } : made;
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    const { message, pointer, expected, actual } = error.findings[0];
    const seq = own(delta, "seq");
    throw refusal("stream/invalid-delta", message, typeof seq === "number" ? seq : undefined, {
      pointer,
      ...(expected === undefined ? {} : { expected }),
      ...(actual === undefined ? {} : { actual: clip(actual) }),
    });
  }
}

// --- sizes ---------------------------------------------------------------------------------------

/** What data may count and how deep it may be: the limits that say so, and what is left of them. */
interface Bounds {
  readonly bytes: "opaqueBytes" | "payloadBytes";
  readonly depth: "opaqueDepth" | "payloadDepth";
  readonly left: number;
  readonly pointer: string;
}

/** Returns what a payload counts without the members `apart`, which have separate limits. */
export function payloadSize(payload: Json, left: number, limits: Limits, seq: number, ...apart: string[]): number {
  const counted = Object.entries(plainValue(payload) as Json).filter(([name]) => !apart.includes(name));
  const bounds: Bounds = { bytes: "payloadBytes", depth: "payloadDepth", left, pointer: "/payload" };
  return sizeOf(Object.fromEntries(counted), bounds, limits, seq, "/payload");
}

/**
 * Returns what a JSON object counts: its strings and names in UTF-8, and 8 bytes for each value; the
 * same in every language, however it writes numbers. Throws StreamProtocolError
 * `stream/limit-exceeded`, and `stream/invalid-delta` for what no reader lets pass.
 */
export function sizeOf(object: object, bounds: Bounds, limits: Limits, seq: number, pointer: string): number {
  let size = VALUE_BYTES;
  let level: unknown[] = [object];
  for (let depth = 1; level.length > 0; depth++) {
    const { bytes, depth: deep, left } = bounds;
    if (depth > limits[deep]) throw limitExceeded(deep, limits[deep], seq, bounds.pointer);
    const below: unknown[] = [];
    for (const container of level) {
      size += sizeInside(container as object, below, seq, pointer);
      if (size > left) throw limitExceeded(bytes, limits[bytes], seq, bounds.pointer);
    }
    level = below;
  }
  return size;
}

/** Returns the bytes of what is directly in a container; adds what is nested to `below`. */
function sizeInside(container: object, below: unknown[], seq: number, pointer: string): number {
  const members: unknown[] = Array.isArray(container) ? container : Object.values(container);
  let size = VALUE_BYTES * members.length;
  const count = (text: string): void => {
    if (!isUnicode(text)) throw noJson(text, seq, pointer);
    size += utf8Length(text);
  };
  if (!Array.isArray(container)) Object.keys(container).forEach(count);
  for (const member of members) {
    if (typeof member === "string") count(member);
    else if (Array.isArray(member) || isObject(member)) below.push(member);
    else if (!(member === null || typeof member === "boolean" || Number.isFinite(member))) {
      throw noJson(member, seq, pointer);
    }
  }
  return size;
}

function noJson(value: unknown, seq: number, pointer: string): Error {
  return invalidDelta(pointer, "a JSON value", value, seq);
}
