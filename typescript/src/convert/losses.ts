/** Losses: what a conversion between families could not carry over, said as data. */

import { MAX_PER_CODE } from "../generated/tables/limits.js";
import type { LossSeverity } from "../generated/tables/losses.js";

export type { LossSeverity };

/**
 * One thing that a conversion changed. `pointer` is an RFC 6901 JSON Pointer into what was
 * converted; a stream counts as the array of its items. `code` is stable and says what was lost,
 * `detail` says it to people. Source: semantics, bridges.
 */
export interface Loss {
  readonly pointer: string;
  readonly code: string;
  readonly severity: LossSeverity;
  readonly detail: string;
}

/** Code → severity and sentence. */
export type LossTable = Readonly<Record<string, readonly [LossSeverity, string]>>;

/**
 * The losses of one conversion, in order, bounded whatever is converted. Of one code the first
 * {@link MAX_PER_CODE} are kept: no code is ever missing.
 */
export class LossLog<Code extends string = string> {
  readonly losses: Loss[] = [];
  /** How many more losses of a code there were than are kept. */
  readonly leftOut = new Map<Code, number>();
  readonly #counts = new Map<Code, number>();
  readonly #table: Readonly<Record<Code, readonly [LossSeverity, string]>>;

  constructor(table: Readonly<Record<Code, readonly [LossSeverity, string]>>) {
    this.#table = table;
  }

  /** Keeps a loss. */
  note(code: Code, pointer = ""): void {
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count > MAX_PER_CODE) {
      this.leftOut.set(code, count - MAX_PER_CODE);
      return;
    }
    const [severity, detail] = this.#table[code];
    this.losses.push({ pointer, code, severity, detail });
  }
}

// --- order ---------------------------------------------------------------------------------------
// Losses in the order of the document that they are about.

/** Returns each loss once, ordered by its place: items by index, members by name. */
export function inOrder(losses: readonly Loss[]): Loss[] {
  const first = new Map<string, [Loss, readonly string[]]>();
  for (const loss of losses) {
    const key = `${loss.code} ${loss.pointer} ${loss.detail}`;
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
