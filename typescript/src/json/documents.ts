/**
 * JSON text and JSON values: what every document has to be before a schema looks at it.
 *
 * The rules are those of I-JSON (RFC 7493): UTF-8, well-formed Unicode, finite numbers. They hold
 * for text and for values alike, so that both ways in give the same verdict.
 */

import { clip, errorAt, type Finding, kindOf, ReadError, throwAny } from "../errors.js";
import { MAX_DEPTH, MOST_DIGITS } from "../generated/tables/limits.js";
import { parseExactly } from "./digits.js";
import { escapePointer, isUnicode, mayHide, mayPassDepth, scan } from "./text.js";
import { isObject, type JsonValue } from "./values.js";

// Of more digits no reader of the contract makes an integer.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Tells whether a value is bytes: then it is JSON text. */
export function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array;
}

/** Tells whether what a caller gives as a document is JSON text: bytes, or text that is decoded already. */
export function isJsonText(value: unknown): value is Uint8Array | string {
  return typeof value === "string" || isBytes(value);
}

/** Returns the value of JSON text that is a string; anything else, bytes too, as it is. Throws as {@link decodeJson}. */
export function withoutText(given: unknown): unknown {
  return typeof given === "string" ? decodeJson(given) : given;
}

/** Returns the value of JSON text; anything else as it is. Throws as {@link decodeJson}. */
export function documentOf(given: unknown): unknown {
  return isJsonText(given) ? decodeJson(given) : given;
}

/**
 * Returns the JSON value that `data` holds; of duplicate member names the last wins. `data` is
 * UTF-8, or text that has been decoded already. Throws ReadError: `document/empty`,
 * `document/invalid-utf8`, `document/too-deep`, `document/invalid-json`, `document/lone-surrogate`
 * or `document/not-finite`. Text in which brackets are nested too deep is that before all else, JSON
 * or not: how far a reader sees into it depends on its stack.
 */
export function decodeJson(data: Uint8Array | string): JsonValue {
  const text = typeof data === "string" ? data : decodeText(data);
  if (!isUnicode(text)) throw new ReadError(loneText(text));
  if (mayPassDepth(text, MAX_DEPTH) && scan(text).depth > MAX_DEPTH) throw new ReadError(tooDeep());
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    throw new ReadError(textFinding(text));
  }
  if (!mayHide(text)) return value;
  const seen = scan(text);
  if (seen.digits > MOST_DIGITS) throw new ReadError(beyondDouble());
  const found = valueFindings(value);
  if (seen.refused) throw new ReadError(found[0] ?? invalidJson("Not a value of a document", text));
  throwAny(found, ReadError);
  return seen.unsafe.length > 0 ? parseExactly(text, seen.unsafe) : value;
}

/** Returns the text of bytes; throws ReadError `document/invalid-utf8`. */
export function decodeText(data: Uint8Array): string {
  try {
    return decoder.decode(data);
  } catch {
    throw new ReadError(errorAt("", "document/invalid-utf8", "Not UTF-8", "UTF-8"));
  }
}

/** Says why text is not JSON; NaN and Infinity are numbers here, and not finite. */
function textFinding(text: string): Finding {
  if (/^[\t-\r ]*$/.test(text)) {
    return errorAt("", "document/empty", "There is no JSON value", "a JSON value");
  }
  if (text.startsWith("\ufeff")) return invalidJson("A byte order mark before the JSON text", text);
  if (/NaN|Infinity/.test(text)) {
    try {
      const value = JSON.parse(withoutNames(text));
      if (scan(text).digits > MOST_DIGITS) return beyondDouble();
      const found = valueFindings(value);
      if (found[0] !== undefined) return found[0];
    } catch {
      // It is not JSON for another reason too.
    }
  }
  return invalidJson("Not JSON", text);
}

/** Returns text with NaN and Infinity, outside strings, as a number that is infinite. */
function withoutNames(text: string): string {
  const out: string[] = [];
  let inString = false;
  let from = 0;
  for (let at = 0; at <= text.length; at++) {
    const char = text[at];
    if (inString && char === "\\") at++;
    else if (char === '"' || at >= text.length) {
      const piece = text.slice(from, at);
      const named = /(?<![\w.+-])(?:-?Infinity|NaN)(?![\w.+-])/g;
      out.push(inString ? piece : piece.replace(named, "1e999"));
      from = at;
      inString = !inString;
    }
  }
  return out.join("");
}

function invalidJson(message: string, text: string): Finding {
  return errorAt("", "document/invalid-json", message, "JSON text", clip(text));
}

function loneText(text: string): Finding {
  const message = "A lone surrogate is in the text";
  return errorAt("", "document/lone-surrogate", message, "well-formed Unicode", clip(text));
}

function beyondDouble(): Finding {
  const message = "A number is beyond the largest double";
  return errorAt("", "document/not-finite", message, "a finite number");
}

function tooDeep(): Finding {
  // Without a pointer: it would be longer than all that is said.
  const most = `at most ${MAX_DEPTH} levels`;
  return errorAt("", "document/too-deep", `Nested deeper than ${MAX_DEPTH} levels`, most);
}

/**
 * Returns what keeps a value from being a JSON value; empty if nothing does. `undefined` is not
 * a JSON value: what is absent is not there at all. The walk keeps its own stack, and ends where
 * the nesting is too deep, because a value may hold itself.
 */
export function valueFindings(value: unknown): Finding[] {
  const found: Finding[] = [];
  const stack: [string, unknown, number][] = [["", value, 0]];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const [pointer, node, depth] = top;
    if (typeof node === "string") checkText(node, pointer, found);
    else if (typeof node === "boolean" || node === null) continue;
    else if (typeof node === "number") {
      if (!Number.isFinite(node)) {
        found.push(
          errorAt(pointer, "document/not-finite", "The number is not finite", "a finite number", String(node)),
        );
      }
    } else if (Array.isArray(node) || isObject(node)) {
      if (depth >= MAX_DEPTH) return [tooDeep()];
      pushChildren(node, pointer, depth + 1, stack, found);
    } else {
      const message = `JavaScript's ${kindOf(node)} is not a JSON value`;
      found.push(errorAt(pointer, "shape/type", message, "a JSON value", clip(node)));
    }
  }
  return found;
}

function pushChildren(
  node: readonly unknown[] | Record<string, unknown>,
  pointer: string,
  depth: number,
  stack: [string, unknown, number][],
  found: Finding[],
): void {
  if (Array.isArray(node)) {
    for (let index = node.length - 1; index >= 0; index--) {
      const item: unknown = node[index];
      if (!isHarmless(item)) stack.push([`${pointer}/${index}`, item, depth]);
    }
    return;
  }
  const names = Object.keys(node);
  for (const name of names) {
    if (!isUnicode(name)) checkText(name, `${pointer}/${escapePointer(name)}`, found);
  }
  for (let index = names.length - 1; index >= 0; index--) {
    const name = names[index] as string;
    const member = (node as Record<string, unknown>)[name];
    if (!isHarmless(member)) stack.push([`${pointer}/${escapePointer(name)}`, member, depth]);
  }
}

/** Tells whether a value is a leaf with which nothing is wrong: most are, and need no pointer. */
function isHarmless(value: unknown): boolean {
  switch (typeof value) {
    case "string":
      return isUnicode(value);
    case "number":
      return Number.isFinite(value);
    case "boolean":
      return true;
    default:
      return value === null;
  }
}

function checkText(text: string, pointer: string, found: Finding[]): void {
  if (isUnicode(text)) return;
  const message = "A lone surrogate is in the text";
  found.push(errorAt(pointer, "document/lone-surrogate", message, "well-formed Unicode", clip(text)));
}
