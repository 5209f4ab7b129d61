/** What the calls of this entry take: anything else is refused before it is looked into. */
import { badArgument } from "../errors.js";
import { isObject, own } from "../json/values.js";
import { membersOf } from "./types.js";

/** The members that calls compare: what they have to be, and how that is said. */
const isText = (value: unknown): boolean => typeof value === "string";
const COMPARED: readonly (readonly [string, string, (value: unknown) => boolean])[] = [
  ["message_id", "text", isText],
  ["task_id", "text", isText],
  ["invocation_id", "text", isText],
  ["trace_id", "text, or nothing", (value) => value === undefined || isText(value)],
  ["retry_count", "an integer", Number.isInteger],
  ["max_attempts", "an integer", Number.isInteger],
];

/** Throws UsageError `usage/invalid-argument` unless a value is text. */
export function requireText(name: string, value: unknown, expected = "text"): void {
  if (typeof value !== "string") throw badArgument(`${name} is wrong`, expected, value);
}

/** Throws UsageError `usage/invalid-argument` for what is not an object, or has no ids or counts. */
export function requireMembers(name: string, value: unknown, type: string): void {
  if (!isObject(value)) throw badArgument(`${name} is wrong`, `a ${type}`, value);
  const members = membersOf(type).map(([member]) => member);
  for (const [member, expected, isRight] of COMPARED) {
    const given = own(value, member);
    if (members.includes(member) && !isRight(given)) throw badArgument(`${name}.${member} is wrong`, expected, given);
  }
}

// --- white space ---------------------------------------------------------------------------------

/** What counts as white space in texts of people: the same in every language, unlike `\s`. */
export const SPACES = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;
