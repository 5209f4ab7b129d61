/** What is read: JSON text, or a value of JavaScript's as a JSON value, bounded in depth. */

import { ReadError, throwAny } from "../../errors.js";
import { decodeJson, isJsonText, valueFindings } from "../../json/documents.js";
import { isObject } from "../../json/values.js";
import { asBase64 } from "../../providers/bedrock/blocks.js";
import { plainValue } from "../../reading/checks.js";

/** Returns JSON text or a value as a JSON value; bytes in a value are Base64. Throws ReadError. */
export function sourceOf(given: unknown): unknown {
  if (isJsonText(given)) return decodeJson(given);
  const value = asBase64(plainValue(given));
  throwAny(valueFindings(value), ReadError);
  return value;
}

/** Tells whether a JSON value has arrays and objects nested deeper than `levels`. */
export function isNested(value: unknown, levels: number): boolean {
  let row = [value].filter(isHolder);
  for (let level = 0; level < levels && row.length > 0; level++) {
    row = row.flatMap((holder) => Object.values(holder).filter(isHolder));
  }
  return row.length > 0;
}

const isHolder = (value: unknown): value is object => Array.isArray(value) || isObject(value);
