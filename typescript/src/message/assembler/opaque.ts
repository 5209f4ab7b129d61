/** What a provider wants back with a part: checked, counted and kept as JSON text. */

import type { Opaque } from "../../generated/v0_2/message.js";
import { parseJson, stringify } from "../../json/digits.js";
import { isUnicode, utf8Length } from "../../json/text.js";
import { isObject, own } from "../../json/values.js";
import { invalidDelta, limitExceeded, nameAt } from "./delta-checks.js";
import type { Limits } from "./limits.js";

const POINTER = "/payload/opaque";
const VALUE_BYTES = 8;

/** An opaque member as it is kept: since when, its JSON text, and what it counts. */
export interface Packed {
  readonly seq: number;
  readonly text: string;
  readonly size: number;
}

/** Returns a new value of what is kept. */
export function unpacked(packed: Packed): Opaque {
  return parseJson(packed.text) as unknown as Opaque;
}

/**
 * Returns `opaque` as it is kept; `left` is how much may still come. Its size is that of its
 * strings and names in UTF-8, and 8 bytes for each value: the same in every language, however it
 * writes numbers. Throws StreamProtocolError `stream/limit-exceeded`, and `stream/invalid-delta`
 * for what no reader lets pass.
 */
export function packOpaque(opaque: unknown, left: number, limits: Limits, seq: number): Packed {
  if (!isObject(opaque)) throw invalidDelta(POINTER, "an object", opaque, seq);
  const provider = nameAt(`${POINTER}/provider`, own(opaque, "provider"), seq);
  const data = own(opaque, "data");
  if (!isObject(data)) throw invalidDelta(`${POINTER}/data`, "a JSON object", data, seq);
  let size = utf8Length(provider) + 2 * VALUE_BYTES;
  let level: unknown[] = [data];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limits.opaqueDepth) throw limitExceeded("opaqueDepth", limits.opaqueDepth, seq, POINTER);
    const below: unknown[] = [];
    for (const container of level) {
      size += sizeInside(container as object, below, seq);
      if (size > left) throw limitExceeded("opaqueBytes", limits.opaqueBytes, seq, POINTER);
    }
    level = below;
  }
  return { seq, text: stringify({ provider, data }), size };
}

/** Returns the bytes of what stands right in a container; adds what is nested to `below`. */
function sizeInside(container: object, below: unknown[], seq: number): number {
  const members: unknown[] = Array.isArray(container) ? container : Object.values(container);
  let size = VALUE_BYTES * members.length;
  const count = (text: string): void => {
    if (!isUnicode(text)) throw noJson(text, seq);
    size += utf8Length(text);
  };
  if (!Array.isArray(container)) Object.keys(container).forEach(count);
  for (const member of members) {
    if (typeof member === "string") count(member);
    else if (Array.isArray(member) || isObject(member)) below.push(member);
    else if (!(member === null || typeof member === "boolean" || Number.isFinite(member))) throw noJson(member, seq);
  }
  return size;
}

function noJson(value: unknown, seq: number): Error {
  return invalidDelta(`${POINTER}/data`, "a JSON value", value, seq);
}
