/** The one place where a tool call's argument text becomes a value. */

import { MOST_DIGITS } from "../../generated/tables/limits.js";
import { mayHide, mayPassDepth, scan, type TextScan } from "../../json/text.js";
import { isObject, type JsonObject, type JsonValue } from "../../json/values.js";

/** Why the text of arguments is not an object. */
export type ParseError = "invalid_json" | "not_an_object";

interface ParsedArguments {
  readonly value: JsonObject;
  /** Whether the text says more than the value. */
  readonly keepText: boolean;
  /** Why the value is a mere `{}`. */
  readonly error?: ParseError;
}

const BLANK = /^[ \t\n\r]*$/;

/**
 * Parses the whole argument text of one call, once, strictly; undefined if it is nested too deep.
 *
 * Empty or JSON white space only is `{}`. Everything that RFC 8259 refuses is `invalid_json`; so
 * are, since no document may hold them, a lone surrogate and a number beyond a double's range. Of
 * duplicate names the last wins. An integer beyond ±(2^53 - 1), written without fraction and
 * exponent, keeps the text beside the value. Depth counts brackets outside strings, whether or not
 * the text is JSON. Source: semantics, the assembler.
 */
export function parseArguments(text: string, maxDepth: number): ParsedArguments | undefined {
  const hides = mayHide(text);
  const seen = hides || mayPassDepth(text, maxDepth) ? scan(text) : undefined;
  if (seen !== undefined && seen.depth > maxDepth) return undefined;
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return BLANK.test(text) ? { value: {}, keepText: false } : failed("invalid_json");
  }
  if (seen !== undefined && isBeyond(seen, value)) return failed("invalid_json");
  if (!isObject(value)) return failed("not_an_object");
  return { value, keepText: seen !== undefined && holdsUnsafe(text, seen) };
}

/** Returns a new value of a text that {@link parseArguments} found to be an object. */
export function parseAgain(text: string): JsonObject {
  return BLANK.test(text) ? {} : (JSON.parse(text) as JsonObject);
}

function failed(error: ParseError): ParsedArguments {
  return { value: {}, keepText: true, error };
}

function isBeyond(seen: TextScan, value: JsonValue): boolean {
  return seen.refused || seen.digits > MOST_DIGITS || (seen.unsafe.length > 0 && holdsInfinite(value));
}

/**
 * Tells whether an integer that no double holds is in the value: one that a duplicate name has
 * replaced is not. Each is parsed once more as a number that is infinite.
 */
function holdsUnsafe(text: string, seen: TextScan): boolean {
  if (seen.unsafe.length === 0) return false;
  let marked = "";
  let from = 0;
  for (const [begin, end] of seen.unsafe) {
    marked += `${text.slice(from, begin)}1e999`;
    from = end;
  }
  return holdsInfinite(JSON.parse(marked + text.slice(from)) as JsonValue);
}

function holdsInfinite(value: JsonValue): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(holdsInfinite);
}
