/** What adapters ask of JSON values and of text. */
import { codePoints, isUnicode } from "../../json/text.js";

/** The members of a JSON object. */
export type Members = Record<string, unknown>;

/** Returns a member; undefined where it is null or absent, which are one to every adapter. */
export function member(holder: Members, name: string): unknown {
  const value = Object.hasOwn(holder, name) ? holder[name] : undefined;
  return value === null ? undefined : value;
}

/** Tells whether a value says anything: null, false, 0, and what is empty do not. */
export function saysAnything(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return Boolean(value) || Number.isNaN(value);
  if (Array.isArray(value)) return value.length > 0;
  return Object.keys(value).length > 0;
}

/** Returns a member that says anything, else undefined. */
export function saidMember(holder: Members, name: string): unknown {
  const value = member(holder, name);
  return saysAnything(value) ? value : undefined;
}

/** Returns the first `count` characters of `text`. */
export function firstCharacters(text: string, count: number): string {
  if (text.length <= count || codePoints(text) <= count) return text;
  let at = 0;
  for (let index = 0; index < count; index++) at += (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
  return text.slice(0, at);
}

/** Returns `text` with lone halves of characters as U+FFFD. */
export function wellFormed(text: string): string {
  return isUnicode(text) ? text : text.replace(/[\ud800-\udfff]/gu, "\ufffd");
}

// Unlike trim: the separators of ASCII and NEL are space, a byte order mark is none.
const BLANK = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const LEADING = new RegExp(`^${BLANK}+`);
const IS_BLANK = new RegExp(BLANK);

/** Returns `text` without white space before it. */
export function withoutIndent(text: string): string {
  return text.replace(LEADING, "");
}

/** Returns `text` without white space around it. */
export function stripped(text: string): string {
  let end = text.length;
  while (end > 0 && IS_BLANK.test(text[end - 1] as string)) end--;
  return withoutIndent(text.slice(0, end));
}

const ALL_BLANKS = new RegExp(BLANK, "g");

/** Returns `text` without any white space. */
export function withoutBlanks(text: string): string {
  return text.replace(ALL_BLANKS, "");
}
