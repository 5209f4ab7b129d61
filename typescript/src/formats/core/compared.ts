/**
 * What is read back of a document, beside the messages that it was written of.
 *
 * A writer guesses nothing: what differs between the two is what its format does not say, a loss.
 */

import type { FormatLossCode } from "../../generated/tables/losses.js";
import { sameJson } from "../../json/equality.js";
import { escapePointer } from "../../json/text.js";
import { isObject, own } from "../../json/values.js";
import type { Losses } from "./lost.js";
import type { Json } from "./reading.js";

const HEAD: readonly (readonly [name: string, code: FormatLossCode])[] = [
  ["runId", "run-id"],
  ["messageId", "message-id"],
  ["turnId", "turn-id"],
  ["author", "author"],
  ["timestamp", "timestamp"],
];
const PAYLOAD: ReadonlyMap<string, FormatLossCode> = /* @__PURE__ */ new Map<string, FormatLossCode>([
  ["opaque", "opaque"],
  ["citations", "citation"],
  ["format", "text-format"],
  ["outcome", "result-outcome"],
  ["structured", "result-structured"],
  ["rawArgsText", "raw-args-text"],
  ["transcript", "transcript"],
]);
const KEYS = ["toolCallId", "approvalId"];

/** A part of ours: the place of its message among those that are compared, and its own. */
export type PartPlace = readonly [message: number, part: number];

/** How messages were written, for {@link compare}. */
export interface Comparison {
  /** The member of `meta` in which the format's reader keeps what a message has no place for. */
  readonly own: string;
  /** Parts that were not written. */
  readonly leftOut?: readonly PartPlace[];
  /** Parts that were written as several, and as how many. */
  readonly cut?: readonly (readonly [place: PartPlace, count: number])[];
  /** Whether run and time are written, and so what is read back is not made up. */
  readonly heads?: boolean;
}

/** Reports what differs between messages, by their number, and what is read back of them. */
export function compare(
  messages: ReadonlyMap<number, Json>,
  back: readonly Json[],
  losses: Losses,
  how: Comparison,
): void {
  const pairs = paired([...messages.values()], back);
  const goneOf = new Map<number, Set<number>>();
  for (const [of, part] of how.leftOut ?? []) held(goneOf, of, () => new Set()).add(part);
  const piecesOf = new Map<number, Map<number, number>>();
  for (const [[of, part], count] of how.cut ?? []) held(piecesOf, of, () => new Map()).set(part, count);
  let at = 0;
  for (const [number, message] of messages) {
    const place = `/${number}`;
    const other = pairs[at];
    if (other === undefined) {
      losses.note("message-form", place);
      at++;
      continue;
    }
    compareHeads(message, other, place, losses, how);
    const gone = goneOf.get(at) ?? new Set();
    for (const part of gone) losses.note("part-left-out", `${place}/parts/${part}`);
    const isWhole = compareParts(partsOf(message), partsOf(other), gone, piecesOf.get(at), place, losses);
    if (!isWhole) losses.note("message-form", place);
    at++;
  }
}

/**
 * Reports what differs between the messages of a run and what is read back of its events. Pointers begin with
 * the number of the message among those of the run.
 */
export function compareStreams(
  messages: readonly Json[],
  back: readonly Json[],
  losses: Losses,
  how: Pick<Comparison, "own" | "heads">,
): void {
  let next = 0;
  for (const [number, message] of messages.entries()) {
    const place = `/${number}`;
    const other = back[next];
    if (other === undefined || other["role"] !== message["role"]) {
      losses.note("message-form", place);
      continue;
    }
    compareHeads(message, other, place, losses, how);
    const [mine, theirs] = [partsOf(message), partsOf(other)];
    const found = counted(theirs.map(keyOf));
    const gone = new Map<number, string>();
    for (const [at, part] of mine.entries()) {
      const count = found.get(keyOf(part)) ?? 0;
      if (count > 0) found.set(keyOf(part), count - 1);
      else gone.set(at, keyOf(part));
    }
    const apart = new Set<string>();
    const keys = new Set(gone.values());
    for (let rest = back[next + 1]; rest !== undefined && isRest(rest, message, keys); rest = back[next + 1]) {
      for (const part of partsOf(rest)) apart.add(keyOf(part));
      next++;
    }
    for (const [at, key] of gone) if (!apart.has(key)) losses.note("part-left-out", `${place}/parts/${at}`);
    const isWhole = compareParts(mine, theirs, new Set(gone.keys()), undefined, place, losses);
    if (apart.size > 0 || !isWhole) losses.note("message-form", place);
    next++;
  }
}

/** Tells whether a message has results that another one lacks: each came in its own. */
function isRest(other: Json, message: Json, gone: ReadonlySet<string>): boolean {
  const isTool = other["role"] === "tool" && message["role"] === "tool";
  return isTool && partsOf(other).length > 0 && partsOf(other).every((part) => gone.has(keyOf(part)));
}

/**
 * Returns for each message what is read back of it; undefined where that is others, or nothing. Messages of
 * results that are read back as one of them all are others.
 */
function paired(messages: readonly Json[], back: readonly Json[]): readonly (Json | undefined)[] {
  const [roles, theirs] = [messages.map(roleOf), back.map(roleOf)];
  if (isAlike(roles, theirs)) return back;
  const isFurther = roles.map((role, at) => role === "tool" && role === roles[at - 1]);
  const joined = roles.filter((_, at) => isFurther[at] === false);
  if (!isAlike(joined, theirs)) return messages.map(() => undefined);
  const others = back.values();
  return messages.map((_, at) => {
    const other = isFurther[at] === true ? undefined : others.next().value;
    return isFurther[at + 1] === true ? undefined : other;
  });
}

const roleOf = (message: Json): unknown => message["role"];
const partsOf = (message: Json): readonly Json[] => message["parts"] as Json[];
const payloadOf = (part: Json): Json => part["payload"] as Json;

function isAlike(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((each, at) => each === other[at]);
}

/** Returns what a map holds under a key; new where there is nothing. */
function held<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

function counted(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

// --- heads ----------------------------------------------------------------------------------------

function compareHeads(message: Json, back: Json, place: string, losses: Losses, how: Comparison): void {
  for (const [name, code] of HEAD) {
    const isMade = (name === "runId" || name === "timestamp") && how.heads !== true;
    if (!Object.hasOwn(message, name)) continue;
    if (isMade || !sameJson(own(back, name), message[name])) losses.note(code, `${place}/${name}`);
  }
  const isNew = Object.hasOwn(back, "messageId") && !Object.hasOwn(message, "messageId");
  if (isNew) losses.note("message-id", `${place}/messageId`); // one was made up
  const [mine, theirs] = [metaOf(message), metaOf(back)];
  for (const [name, value] of Object.entries(mine)) {
    if (Object.hasOwn(theirs, name) && sameJson(own(theirs, name), value)) continue;
    if (name === how.own && sameJson(ownOf(theirs, name), ownOf(mine, name))) continue;
    losses.note("meta", `${place}/meta/${escapePointer(name)}`);
  }
  const isEmpty = Object.hasOwn(message, "meta") && Object.keys(mine).length === 0;
  if (isEmpty && !Object.hasOwn(back, "meta")) losses.note("meta", `${place}/meta`);
  const isMore = Object.keys(theirs).some((name) => !Object.hasOwn(mine, name) && name !== how.own);
  if (isMore) losses.note("meta", `${place}/meta`);
}

const metaOf = (message: Json): Json => (message["meta"] ?? {}) as Json;

/** Returns the format's own member of meta without a step's number, which the place says. */
function ownOf(meta: Json, name: string): unknown {
  const value = Object.hasOwn(meta, name) ? own(meta, name) : {};
  if (!isObject(value)) return value;
  const { step: _, ...said } = value;
  return said;
}

// --- parts ----------------------------------------------------------------------------------------

/** Compares part by part; returns whether each has its own. */
function compareParts(
  mine: readonly Json[],
  theirs: readonly Json[],
  leftOut: ReadonlySet<number>,
  cut: ReadonlyMap<number, number> | undefined,
  place: string,
  losses: Losses,
): boolean {
  const kept = [...mine.entries()].filter(([at]) => !leftOut.has(at));
  const wanted = kept.flatMap(([at, part]) => Array.from({ length: cut?.get(at) ?? 1 }, () => keyOf(part)));
  const found = theirs.map(keyOf);
  if (!isAlike([...wanted].sort(), [...found].sort())) return false;
  if (!isAlike(wanted, found)) losses.note("part-order", `${place}/parts`);
  const queues = new Map<string, Json[]>();
  for (const part of [...theirs].reverse()) held(queues, keyOf(part), () => []).push(part);
  for (const [at, part] of kept) {
    const where = `${place}/parts/${at}`;
    const queue = queues.get(keyOf(part)) ?? [];
    const backs = Array.from({ length: cut?.get(at) ?? 1 }, () => queue.pop() as Json);
    if (backs.length > 1) losses.note("part-form", where);
    else comparePayloads(payloadOf(part), payloadOf(backs[0] as Json), where, losses);
  }
  return true;
}

/** Returns what tells parts of a message apart. */
function keyOf(part: Json): string {
  const payload = payloadOf(part);
  return JSON.stringify([part["kind"], ...KEYS.filter((name) => name in payload).map((name) => payload[name])]);
}

function comparePayloads(mine: Json, theirs: Json, place: string, losses: Losses): void {
  for (const name of Object.keys({ ...mine, ...theirs })) {
    const isMine = Object.hasOwn(mine, name);
    if (isMine && Object.hasOwn(theirs, name) && sameJson(own(mine, name), own(theirs, name))) continue;
    const code = name === "outcome" && !isMine ? "outcome-form" : (PAYLOAD.get(name) ?? "part-form");
    losses.note(code, `${place}/payload/${name}`);
  }
}
