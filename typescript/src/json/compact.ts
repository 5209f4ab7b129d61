/** JSON values as compact text, number for number as the other languages write them. */
import { digitsOf } from "./digits.js";
import { isObject } from "./values.js";

/**
 * Returns `value`, a JSON value, as compact JSON text. It is what is inside of other documents,
 * so it has to be the same bytes whichever language wrote it: JavaScript writes fractions of less
 * than 0.0001 in another way, and integers beyond 2^53 have the digits that were read.
 */
export function jsonText(value: unknown): string {
  if (typeof value === "number") return numberText(value);
  if (Array.isArray(value)) return `[${value.map((_, at) => memberText(value, at)).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).map((name) => `${JSON.stringify(name)}:${memberText(value, name)}`);
  return `{${members.join(",")}}`;
}

function memberText(holder: object, name: string | number): string {
  return digitsOf(holder, String(name)) ?? jsonText((holder as Record<string | number, unknown>)[name]);
}

function numberText(value: number): string {
  if (value === 0 || Math.abs(value) >= 0.0001) return String(value);
  return value.toExponential().replace(/-(\d)$/, "-0$1");
}

/** Tells whether two JSON values have the same text: their members are in the same order. */
export function sameText(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => sameText(item, other[index]));
  }
  if (!isObject(one) || !isObject(other)) return one === other;
  const [members, others] = [Object.entries(one), Object.entries(other)];
  return (
    members.length === others.length &&
    members.every(([name, member], index) => name === others[index]?.[0] && sameText(member, others[index]?.[1]))
  );
}
