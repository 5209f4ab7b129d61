/** The canonical form of a JSON value, RFC 8785: equal values are equal bytes in every language. */

import { throwAny, WriteError } from "../errors.js";
import { valueFindings } from "./documents.js";
import { isObject } from "./values.js";

/**
 * Returns the canonical JSON text of a value: members in the order of their names' UTF-16 code
 * units, numbers as ECMAScript writes them. Throws WriteError for what is not a JSON value:
 * `document/not-finite`, `document/lone-surrogate`, `document/too-deep` or `shape/type`.
 * Source: RFC 8785, section 3.2.
 */
export function canonical(value: unknown): string {
  throwAny(valueFindings(value), WriteError);
  return written(value);
}

function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  // Array.sort compares strings by UTF-16 code units, as the RFC asks.
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${written(value[name])}`);
  return `{${members.join(",")}}`;
}
