/** Two streams, or two readings of one, beside each other: where they part, and what their messages differ in. */

import { type Message, stringify, Unknown } from "partwire";
import { carryDigits } from "../../../src/json/digits.js";
import { escapePointer } from "../../../src/json/text.js";
import { isObject } from "../../../src/json/values.js";
import type { Recording, Step } from "./recording.js";
import { addedBy } from "./tracks.js";
import { kindWords } from "./words.js";

// --- the first difference ------------------------------------------------------------------------

/** Where two streams part: a step of each; undefined on the side that has no more. */
export interface Parting {
  readonly left: number | undefined;
  readonly right: number | undefined;
  /** How many characters of these steps' texts are the same, where both bring text to the same part. */
  readonly same?: number;
}

/** What a step brings to the content of its message, in words that do not depend on how the text was cut. */
interface Piece {
  readonly step: number;
  readonly place: string;
  /** Text that may come in any number of pieces; undefined for what comes whole. */
  readonly text?: string;
  readonly whole?: string;
}

/** Kinds that say nothing of the content: compared elsewhere, or never the same. */
const BESIDE = ["start", "usage", "warning"];

/**
 * Returns where two streams first differ in their content; undefined if they do not. Text counts by its characters:
 * it may be cut differently. Ids and times count if `withIds`.
 */
export function partingOf(left: Recording, right: Recording, withIds = false): Parting | undefined {
  const [ours, theirs] = [piecesOf(left, withIds), piecesOf(right, withIds)];
  let [a, b] = [ours.next().value, theirs.next().value];
  let [usedA, usedB] = [0, 0];
  while (a !== undefined && b !== undefined) {
    if (a.place !== b.place || a.whole !== b.whole) return { left: a.step, right: b.step };
    const [textA, textB] = [a.text ?? "", b.text ?? ""];
    const size = Math.min(textA.length - usedA, textB.length - usedB);
    const same = sameLength(textA, usedA, textB, usedB, size);
    if (same < size) return { left: a.step, right: b.step, same: usedA + same };
    usedA += size;
    usedB += size;
    // A text that is used up is followed by the next piece; of the other one the rest is left.
    if (usedA === textA.length) [a, usedA] = [ours.next().value, 0];
    if (usedB === textB.length) [b, usedB] = [theirs.next().value, 0];
  }
  if (a === undefined && b === undefined) return undefined;
  const same = usedA + usedB;
  return { left: a?.step, right: b?.step, ...(same > 0 ? { same } : {}) };
}

function sameLength(a: string, fromA: number, b: string, fromB: number, size: number): number {
  if (a.startsWith(b.slice(fromB, fromB + size), fromA)) return size;
  let same = 0;
  while (a.charCodeAt(fromA + same) === b.charCodeAt(fromB + same)) same++;
  return same;
}

function* piecesOf(recording: Recording, withIds: boolean): Generator<Piece, undefined> {
  for (const [step, each] of recording.steps.entries()) {
    const piece = pieceOf(recording, each, withIds);
    if (piece !== undefined) yield { step, ...piece };
  }
  return undefined;
}

function pieceOf({ lanes }: Recording, step: Step, withIds: boolean): Omit<Piece, "step"> | undefined {
  const { item, refused, stream, lane } = step;
  if (item === undefined || refused !== undefined || BESIDE.includes(kindWords(step))) return undefined;
  const place = `${stream} ${lanes[lane]?.part ?? ""} ${kindWords(step)}`;
  if (item instanceof Unknown) return { place, whole: comparable(item.document, withIds) };
  if ("role" in item) return { place, whole: comparable(item, withIds) };
  const hasBytes = item.kind === "media_data" && (item.payload.data ?? item.payload.dataDelta) !== undefined;
  const text = hasBytes ? "" : addedBy(item);
  if (text !== "") return { place, text };
  const isEmpty = ["text", "thinking", "tool_call_args", "server_tool_call_args"].includes(item.kind);
  return isEmpty ? undefined : { place, whole: comparable(item.payload, withIds) };
}

// --- counts --------------------------------------------------------------------------------------

export interface KindCount {
  readonly kind: string;
  readonly left: number;
  readonly right: number;
}

/** Returns how many steps of each kind there are on either side, in the order in which the kinds came. */
export function kindCounts(left: Recording, right: Recording): KindCount[] {
  const counts = new Map<string, { left: number; right: number }>();
  for (const [side, { steps }] of [["left", left] as const, ["right", right] as const]) {
    for (const step of steps) {
      const kind = kindWords(step);
      const count = counts.get(kind) ?? { left: 0, right: 0 };
      count[side] += 1;
      counts.set(kind, count);
    }
  }
  return [...counts].map(([kind, count]) => ({ kind, ...count }));
}

// --- the structural difference -------------------------------------------------------------------

/** A place in which two values differ; a side without it has no value. */
export interface Difference {
  readonly pointer: string;
  /** The pointer on the right side, where items have moved. */
  readonly rightPointer: string;
  readonly kind: "added" | "removed" | "changed";
  readonly left?: unknown;
  readonly right?: unknown;
}

/** Members that name something, or say when it was: they differ between any two runs. */
const IDS = ["runId", "messageId", "turnId", "requestId", "toolCallId", "openToolCallIds", "openMediaIds"];
const TIMES = ["timestamp", "completedAt"];
/** Lists whose product of lengths is larger are compared item by item. */
const MOST_PAIRS = 250_000;

/** Returns the places in which two values differ, in the order of the left one; ids and times count if `withIds`. */
export function differences(left: unknown, right: unknown, withIds = false): Difference[] {
  return compared(left, right, "", "", withIds);
}

function compared(left: unknown, right: unknown, at: string, rightAt: string, withIds: boolean): Difference[] {
  if (comparable(left, withIds) === comparable(right, withIds)) return [];
  if (Array.isArray(left) && Array.isArray(right)) return comparedLists(left, right, at, rightAt, withIds);
  if (!isObject(left) || !isObject(right))
    return [{ pointer: at, rightPointer: rightAt, kind: "changed", left, right }];
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return names.flatMap((name): Difference[] => {
    if (!withIds && isLeftOut(name)) return [];
    const [pointer, rightPointer] = [`${at}/${escapePointer(name)}`, `${rightAt}/${escapePointer(name)}`];
    if (!Object.hasOwn(right, name)) return [{ pointer, rightPointer, kind: "removed", left: left[name] }];
    if (!Object.hasOwn(left, name)) return [{ pointer, rightPointer, kind: "added", right: right[name] }];
    return compared(left[name], right[name], pointer, rightPointer, withIds);
  });
}

/** Compares lists by what they have in common; what is between that is compared pair by pair. */
function comparedLists(
  left: readonly unknown[],
  right: readonly unknown[],
  at: string,
  rightAt: string,
  withIds: boolean,
): Difference[] {
  const found: Difference[] = [];
  let [a, b] = [0, 0];
  for (const [nextA, nextB] of [...inCommon(left, right, withIds), [left.length, right.length] as const]) {
    for (; a < nextA || b < nextB; a++, b++) {
      const [pointer, rightPointer] = [`${at}/${a}`, `${rightAt}/${b}`];
      if (a < nextA && b < nextB) found.push(...compared(left[a], right[b], pointer, rightPointer, withIds));
      else if (a < nextA) found.push({ pointer, rightPointer, kind: "removed", left: left[a] });
      else found.push({ pointer, rightPointer, kind: "added", right: right[b] });
    }
    [a, b] = [nextA + 1, nextB + 1];
  }
  return found;
}

/** Returns the places of the longest list of items that both have, in this order. */
function inCommon(left: readonly unknown[], right: readonly unknown[], withIds: boolean): [number, number][] {
  if (left.length * right.length > MOST_PAIRS) return [];
  const [ours, theirs] = [left, right].map((items) => items.map((item) => comparable(item, withIds))) as [
    string[],
    string[],
  ];
  const lengths = ours.map(() => new Array<number>(theirs.length + 1).fill(0));
  lengths.push(new Array<number>(theirs.length + 1).fill(0));
  const lengthAt = (a: number, b: number): number => lengths[a]?.[b] ?? 0;
  for (let a = ours.length - 1; a >= 0; a--) {
    for (let b = theirs.length - 1; b >= 0; b--) {
      const length =
        ours[a] === theirs[b] ? lengthAt(a + 1, b + 1) + 1 : Math.max(lengthAt(a + 1, b), lengthAt(a, b + 1));
      (lengths[a] as number[])[b] = length;
    }
  }
  const places: [number, number][] = [];
  for (let a = 0, b = 0; a < ours.length && b < theirs.length; ) {
    if (ours[a] === theirs[b]) places.push([a++, b++]);
    else if (lengthAt(a + 1, b) >= lengthAt(a, b + 1)) a++;
    else b++;
  }
  return places;
}

function isLeftOut(name: string): boolean {
  return IDS.includes(name) || TIMES.includes(name);
}

/** Returns a text that is the same for values that do not differ: members in one order, ids and times left out. */
function comparable(value: unknown, withIds: boolean): string {
  if (value === undefined) return "";
  return stringify(ordered(value instanceof Unknown ? value.document : value, withIds));
}

function ordered(value: unknown, withIds: boolean): unknown {
  if (!Array.isArray(value) && !isObject(value)) return value;
  const made = Array.isArray(value) ? value.map((item) => ordered(item, withIds)) : orderedMembers(value, withIds);
  carryDigits(made, value);
  return made;
}

function orderedMembers(value: Readonly<Record<string, unknown>>, withIds: boolean): object {
  const names = Object.keys(value).filter((name) => withIds || !isLeftOut(name));
  return Object.fromEntries(names.sort().map((name) => [name, ordered(value[name], withIds)]));
}

/** Returns the messages of a recording, as far as they came. */
export function messagesOf(recording: Recording): Message[] {
  return recording.messages.flatMap(({ message, last }) => message ?? recording.messageAt(last) ?? []);
}
