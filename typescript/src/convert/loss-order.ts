/** Losses in the order of the document that they are about. */
import type { Loss } from "./losses.js";

/** Returns each loss once, ordered by its place: items by index, members by name. */
export function inOrder(losses: readonly Loss[]): Loss[] {
  const first = new Map<string, [Loss, readonly string[]]>();
  for (const loss of losses) {
    const key = `${loss.code} ${loss.pointer}`;
    if (!first.has(key)) first.set(key, [loss, loss.pointer.split("/").slice(1)]);
  }
  return [...first.values()].sort(([, one], [, other]) => byPlace(one, other)).map(([loss]) => loss);
}

/** Returns pointers in the order of the document: items by index, members by name. */
export function inPlaceOrder(pointers: Iterable<string>): string[] {
  const keyed = [...pointers].map((pointer) => [pointer, pointer.split("/").slice(1)] as const);
  return keyed.sort(([, one], [, other]) => byPlace(one, other)).map(([pointer]) => pointer);
}

function byPlace(one: readonly string[], other: readonly string[]): number {
  for (const [at, token] of one.entries()) {
    const against = other[at];
    if (against === undefined) return 1;
    const order = token === against ? 0 : byToken(token, against);
    if (order !== 0) return order;
  }
  return one.length - other.length;
}

function byToken(one: string, other: string): number {
  const isIndex = /^[0-9]+$/;
  if (!isIndex.test(one) || !isIndex.test(other)) {
    if (isIndex.test(one)) return -1;
    return isIndex.test(other) ? 1 : byCodePoint(one, other);
  }
  // Names of a document may be numbers of any size.
  const [a, b] = [one.replace(/^0+/, ""), other.replace(/^0+/, "")];
  return a.length - b.length || byCodePoint(a, b);
}

/** Compares texts by code points; JavaScript's own order is that of UTF-16 units. */
function byCodePoint(one: string, other: string): number {
  const least = Math.min(one.length, other.length);
  for (let at = 0; at < least; at++) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a !== b) return rank(a) - rank(b);
  }
  return one.length - other.length;
}

/** Halves of surrogate pairs stand for what comes behind all other units. */
const rank = (unit: number): number => ((unit & 0xf800) === 0xd800 ? unit + 0x10000 : unit);
