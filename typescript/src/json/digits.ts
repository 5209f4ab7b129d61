/**
 * What JSON text says and a value does not: the digits of integers that no number of JavaScript holds.
 * They are kept under a symbol, beside the member, and a copy by spreading takes them along; where an
 * object is written as somebody else wrote it, its whole text is kept. `structuredClone` and
 * `JSON.stringify` do not know these symbols. Values stay plain numbers, and {@link stringify} writes
 * them as they came.
 */

import { mayHide, scan } from "./text.js";
import { type JsonObject, type JsonValue, own, put } from "./values.js";

const DIGITS = Symbol.for("partwire.digits");

/** Member or index → the number that is there, and the digits that were read. */
type Digits = Record<string, { readonly taken: number; readonly text: string }>;
const TEXT = Symbol.for("partwire.text");

/** The text that an object was read from, and what `JSON.stringify` makes of the object. */
interface Text {
  readonly text: string;
  readonly plain: string;
}

type Holder = { [DIGITS]?: Digits; [TEXT]?: Text };

/** Whether anything was kept: most programs never see such an integer, and pay nothing. */
let isUsed = false;

/** Parses JSON text of which `unsafe` are the integers beyond ±(2^53 - 1), by begin and end. */
export function parseExactly(text: string, unsafe: readonly (readonly [number, number])[]): JsonValue {
  const mark = markBeside(text);
  let marked = "";
  let from = 0;
  for (const [begin, end] of unsafe) {
    marked += `${text.slice(from, begin)}"${mark}${text.slice(begin, end)}"`;
    from = end;
  }
  return JSON.parse(marked + text.slice(from), function (this: object, name: string, value: unknown) {
    if (typeof value !== "string" || !value.startsWith(mark)) return value;
    const digits = value.slice(mark.length);
    const taken = Number(digits);
    if (String(BigInt(taken)) !== digits) keep(this, name, taken, digits);
    return taken;
  }) as JsonValue;
}

/** Parses JSON text that was found to be acceptable. */
export function parseJson(text: string): JsonValue {
  const unsafe = mayHide(text) ? scan(text).unsafe : [];
  return unsafe.length > 0 ? parseExactly(text, unsafe) : (JSON.parse(text) as JsonValue);
}

/** Returns `value`, a JSON value, as compact JSON text, with the digits that were read. */
export function stringify(value: unknown): string {
  const plain = JSON.stringify(value);
  if (!isUsed) return plain;
  const mark = markBeside(plain);
  const kept: string[] = [];
  const marked = JSON.stringify(value, function (this: object, name: string, member: unknown) {
    const text = digitsOf(this, name) ?? textOf(member);
    return text === undefined ? member : `${mark}${kept.push(text) - 1}`;
  });
  if (kept.length === 0) return plain;
  return marked.replaceAll(new RegExp(`"${mark}([0-9]+)"`, "g"), (_, index) => kept[Number(index)] as string);
}

/** Keeps the text that an object was read from; a copy of the object does not have it. */
export function keepText(value: object, text: string): void {
  isUsed = true;
  const kept: Text = { text, plain: JSON.stringify(value) };
  Object.defineProperty(value, TEXT, { value: kept, configurable: true });
}

/** Takes the digits of `source` over to `made`, which has members of it. */
export function carryDigits(made: object, source: object): void {
  const digits = isUsed ? (source as Holder)[DIGITS] : undefined;
  if (digits !== undefined) (made as Holder)[DIGITS] = digits;
}

/** Returns a copy of a JSON value, with the digits that were read: what its text from {@link stringify} would say. */
export function copyJson(value: JsonValue): JsonValue {
  if (typeof value === "number") return value + 0; // text has no -0
  if (typeof value !== "object" || value === null) return value;
  const text = isUsed ? textOf(value) : undefined;
  if (text !== undefined) return parseJson(text);
  const made: JsonValue[] | JsonObject = Array.isArray(value) ? value.map(copyJson) : {};
  if (!Array.isArray(value)) for (const name of Object.keys(value)) put(made, name, copyJson(value[name] as JsonValue));
  carryDigits(made, value);
  return made;
}

function keep(holder: object, name: string, taken: number, text: string): void {
  isUsed = true;
  const digits = ((holder as Holder)[DIGITS] ??= Object.create(null) as Digits);
  digits[name] = { taken, text };
}

/** Returns the digits of a member, unless it has been set to something else since. */
export function digitsOf(holder: object, name: string): string | undefined {
  const kept = isUsed ? (holder as Holder)[DIGITS]?.[name] : undefined;
  return kept !== undefined && own(holder, name) === kept.taken ? kept.text : undefined;
}

/** Returns the text that is kept of an object, unless the object has changed since. */
function textOf(value: unknown): string | undefined {
  const kept = typeof value === "object" && value !== null ? (value as Holder)[TEXT] : undefined;
  return kept !== undefined && JSON.stringify(value) === kept.plain ? kept.text : undefined;
}

/** Returns what is not in `text`. */
function markBeside(text: string): string {
  let mark = "digits:";
  while (text.includes(mark)) mark += ":";
  return mark;
}
