/**
 * How JSON text wrote what a parsed value no longer shows: `1.0` or `1`, the digits of an
 * integer beyond 2^53, and the order of members whose names are integers. It is beside the
 * values, which stay plain JSON; of values that no text was parsed for nothing is known.
 */

import { isUnicode } from "../../json/text.js";
import { isObject } from "../../json/values.js";

/** What one object or array does not tell itself. */
interface Spelling {
  /** Names of the members as they came. */
  readonly names?: readonly string[];
  /** Name or index → how the number there is written. */
  readonly numbers?: ReadonlyMap<string, string>;
}

const spellings = new WeakMap<object, Spelling>();

/** Remembers how the members of an object or array are written. */
export function spell(holder: object, spelling: Spelling): void {
  spellings.set(holder, spelling);
}

/** Returns `made`, whose members are in `sources` in the same spelling. */
export function spelledAs<Made extends object>(made: Made, ...sources: readonly object[]): Made {
  const numbers = new Map<string, string>();
  for (const source of sources) {
    if (numbers.size > 0) for (const name of Object.keys(source)) numbers.delete(name);
    for (const [name, text] of spellings.get(source)?.numbers ?? []) numbers.set(name, text);
  }
  if (numbers.size > 0) spellings.set(made, { numbers });
  return made;
}

/** Returns `made`, a copy of what `source` has, in the same spelling; `rename` makes its names of theirs. */
export function spelledLike<Made extends object>(
  made: Made,
  source: object,
  rename: (name: string) => string = (name) => name,
): Made {
  const { names, numbers } = spellings.get(source) ?? {};
  const theirs = [...(numbers ?? [])].map(([name, text]) => [rename(name), text] as const);
  if (names !== undefined || theirs.length > 0) {
    spellings.set(made, {
      ...(names === undefined
        ? {}
        : { names: [...new Set(names.map(rename))].filter((name) => Object.hasOwn(made, name)) }),
      ...(theirs.length > 0 ? { numbers: new Map(theirs) } : {}),
    });
  }
  return made;
}

/** Returns the names of the members of an object, in the order in which they came. */
export function memberNames(holder: object): readonly string[] {
  return spellings.get(holder)?.names ?? Object.keys(holder);
}

const isWhole = (text: string): boolean => /^-?[0-9]+$/.test(text);

/** Returns a member that is an integer, and written as one; undefined if it is anything else. */
export function integerAt(holder: object, name: string): number | undefined {
  const value = Object.hasOwn(holder, name) ? (holder as Record<string, unknown>)[name] : undefined;
  if (typeof value !== "number" || !Number.isInteger(value)) return undefined;
  const text = spellings.get(holder)?.numbers?.get(name);
  return text === undefined || isWhole(text) ? value + 0 : undefined;
}

/** Returns the digits of a member that is an integer, undefined if it is anything else. */
export function digitsAt(holder: object, name: string): string | undefined {
  const value = integerAt(holder, name);
  if (value === undefined) return undefined;
  return spellings.get(holder)?.numbers?.get(name) ?? String(value);
}

/**
 * Returns the JSON text of a value that came in place of text, as it was written; undefined if it
 * has none. Text that holds half a character spells out all that is not ASCII.
 */
export function asJsonText(value: unknown): string | undefined {
  return textOf(value, undefined);
}

/** Returns the JSON text of a member that came in place of text, as {@link asJsonText} does. */
export function jsonTextAt(holder: Record<string, unknown>, name: string): string | undefined {
  return textOf(holder[name], spellings.get(holder)?.numbers?.get(name));
}

function textOf(value: unknown, spelled: string | undefined): string | undefined {
  const out: string[] = [];
  try {
    write(value, spelled, out);
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return undefined;
    throw error;
  }
  const text = out.join("");
  return isUnicode(text) ? text : text.replace(/[\u007f-\uffff]/g, escapeOf);
}

/** Returns a number as it was written, which is the member or item of this name. */
export function numberTextAt(holder: object, name: string, value: number): string {
  return spelledNumber(value, spellings.get(holder)?.numbers?.get(name));
}

function spelledNumber(value: number, spelled: string | undefined): string {
  return spelled !== undefined && isWhole(spelled) ? spelled : numberText(value, spelled !== undefined);
}

function escapeOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

const MAX_DEPTH = 990;

function write(value: unknown, spelled: string | undefined, out: string[], depth = 0): void {
  if (depth > MAX_DEPTH) throw new RangeError("nested too deep");
  if (typeof value === "string") {
    out.push(quoted(value));
  } else if (typeof value === "number") {
    out.push(spelledNumber(value, spelled));
  } else if (Array.isArray(value)) {
    const numbers = spellings.get(value)?.numbers;
    out.push("[");
    for (const [index, item] of value.entries()) {
      if (index > 0) out.push(",");
      write(item, numbers?.get(String(index)), out, depth + 1);
    }
    out.push("]");
  } else if (isObject(value)) {
    writeMembers(value, out, depth);
  } else if (value === null || typeof value === "boolean") {
    out.push(String(value));
  } else {
    throw new TypeError("no JSON value");
  }
}

function writeMembers(value: Record<string, unknown>, out: string[], depth: number): void {
  const spelling = spellings.get(value);
  let next = "{";
  for (const name of spelling?.names ?? Object.keys(value)) {
    out.push(next, quoted(name), ":");
    write(value[name], spelling?.numbers?.get(name), out, depth + 1);
    next = ",";
  }
  out.push(next === "{" ? "{}" : "}");
}

/** Returns a JSON string; halves of characters stay what they are. */
export function quoted(text: string): string {
  const json = JSON.stringify(text);
  return isUnicode(text) ? json : json.replace(/\\u(d[89a-f][0-9a-f]{2})|\\./g, unescaped);
}

function unescaped(written: string, half: string | undefined): string {
  return half === undefined ? written : String.fromCharCode(parseInt(half, 16));
}

/** Returns a number in the shortest digits, with a fraction or exponent if it is not an integer. */
function numberText(value: number, isFraction: boolean): string {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) && !isFraction) return Number.isSafeInteger(value) ? `${value + 0}` : `${BigInt(value)}`;
  const [digits, exponent] = value.toExponential().split("e") as [string, string];
  const power = Number(exponent);
  if (power < -4 || power >= 16) return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  const text = Object.is(value, -0) ? "-0" : String(value);
  return Number.isInteger(value) ? `${text}.0` : text;
}
