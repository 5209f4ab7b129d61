/** JSON values and text, as requests need them. */

import { jsonText } from "../../json/compact.js";
import { carryDigits } from "../../json/digits.js";
import { isObject, own, put } from "../../json/values.js";
import { saysAnything, stripped } from "../core/values.js";

/** The members of a JSON object. */
export type Json = Record<string, unknown>;

/** Returns a JSON value with its own objects and arrays: the caller's stay the caller's. */
export function fresh<Value>(value: Value): Value {
  const root: Json = { value };
  const todo: object[] = [root];
  for (let holder = todo.pop(); holder !== undefined; holder = todo.pop()) {
    for (const [name, member] of Object.entries(holder)) {
      if (typeof member !== "object" || member === null) continue;
      const made: object = Array.isArray(member) ? [...member] : { ...member };
      carryDigits(made, member);
      put(holder, name, made);
      todo.push(made);
    }
  }
  return root["value"] as Value;
}

/** Returns a copy without null members, which a request does not have. */
export function withoutNulls(data: Json): Json {
  return fresh(Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null)));
}

/** White space, as a class of a pattern has it: the separators of ASCII and NEL are space, a byte order mark is none. */
export const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const SPACES = new RegExp(`[${SPACE}]+`, "g");

/** Returns text without any white space. */
export const withoutSpace = (text: string): string => text.replace(SPACES, "");

/** Returns whether there is anything but white space in a text. */
export const saysSomething = (text: string): boolean => stripped(text) !== "";

/** Returns a value of a provider's as text, which distinguishes one that is not text from others. */
export function worded(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return jsonText(value);
}

/** Returns a value of a provider's as text, "" where it says nothing. */
export const textIfAny = (value: unknown): string => (saysAnything(value) ? worded(value) : "");

/** Returns what JSON text holds, undefined where it is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Tells whether two JSON values say the same: members have no order, and true is 1, as it is to
 * many a reader.
 */
export function isSame(one: unknown, other: unknown): boolean {
  const todo: [unknown, unknown][] = [[one, other]];
  for (let pair = todo.pop(); pair !== undefined; pair = todo.pop()) {
    const [a, b] = pair;
    if (Array.isArray(a) && Array.isArray(b)) {
      if (a.length !== b.length) return false;
      for (const [index, item] of a.entries()) todo.push([item, b[index]]);
    } else if (isObject(a) && isObject(b)) {
      const names = Object.keys(a);
      if (names.length !== Object.keys(b).length || !names.every((name) => Object.hasOwn(b, name))) return false;
      for (const name of names) todo.push([own(a, name), own(b, name)]);
    } else if (numberOf(a) !== numberOf(b)) {
      return false;
    }
  }
  return true;
}

const numberOf = (value: unknown): unknown => (typeof value === "boolean" ? Number(value) : value);

/** Text whose characters are code points, as state counts them. */
export class Characters {
  readonly length: number;
  readonly #text: string;
  readonly #all: readonly string[] | undefined;

  constructor(text: string) {
    this.#text = text;
    this.#all = /[\ud800-\udfff]/.test(text) ? Array.from(text) : undefined;
    this.length = this.#all?.length ?? text.length;
  }

  /** Returns what is between two places, "" where there is nothing. */
  slice(start: number, end?: number): string {
    return this.#all?.slice(start, end).join("") ?? this.#text.slice(start, end);
  }
}
