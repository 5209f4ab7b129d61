/**
 * Provider state of a message: `meta.opaque` of v0.1, and `opaque` on the parts of v0.2.
 *
 * v0.1 says `meta.opaque = {dialect, parts: {"<index>": [items]}, toolCallIds?: {id: own | null}}`, by
 * the index of the part; what is at the number of parts is behind the last one. v0.2 says
 * `opaque = {provider, data: {items, toolCallId?}}` on the part itself. Whatever does not have these
 * forms stays where it is on the way up, so that down again gives the same document.
 */

import { MAX_DEPTH } from "../../generated/tables/limits.js";
import { carryDigits } from "../../json/digits.js";
import { isObject, own } from "../../json/values.js";
import type { Json } from "./walk.js";

/** A part of a message; of the kinds that carry state, the payload is an object. */
export interface Part extends Json {
  readonly kind: string;
  readonly payload: Json;
}

const TEXTS = new Set(["text", "thinking"]);

/** Tells whether parts of a kind are text. */
export const isText = (kind: string): boolean => TEXTS.has(kind);
/** Tells whether parts of a kind can carry state. */
export const isCarrier = (kind: string): boolean => TEXTS.has(kind) || kind === "tool_call";

/** The member of an item that says how many parts further on it belongs, in v0.2 alone. */
export const OFFSET = "partOffset";

// How deep an item of a part is in a message of v0.2.
const DEPTH = 8;

/** `meta.opaque` of v0.1, taken apart; `ids` is undefined where it has no toolCallIds. */
export interface State {
  readonly dialect: string;
  readonly parts: Map<string, unknown>;
  readonly ids: Map<string, unknown> | undefined;
}

/** Returns state as `meta.opaque` says it. */
export function stateToWire({ dialect, parts, ids }: State): Json {
  const made = { dialect, parts: Object.fromEntries(parts) };
  return ids === undefined ? made : { ...made, toolCallIds: Object.fromEntries(ids) };
}

/** Returns `meta.opaque` taken apart; undefined where it is of another form. */
export function readState(value: unknown): State | undefined {
  if (!isObject(value) || !holdsOnly(value, ["dialect", "parts", "toolCallIds"])) return undefined;
  const [dialect, parts, ids] = [own(value, "dialect"), own(value, "parts"), own(value, "toolCallIds")];
  if (typeof dialect !== "string" || dialect === "" || !isObject(parts)) return undefined;
  if (!Object.hasOwn(value, "toolCallIds")) return { dialect, parts: new Map(Object.entries(parts)), ids: undefined };
  if (!isObject(ids)) return undefined;
  return { dialect, parts: new Map(Object.entries(parts)), ids: new Map(Object.entries(ids)) };
}

function holdsOnly(value: Json, names: readonly string[]): boolean {
  return Object.keys(value).every((name) => names.includes(name));
}

/** What an adapter writes as `data` of an opaque. */
export interface Data extends Json {
  readonly items?: readonly Json[];
  readonly toolCallId?: string | null;
}

/** Tells whether `data` of an opaque on a part of `kind` is what an adapter writes. */
export function hasForm(data: Json, kind: string): data is Data {
  if (!holdsOnly(data, ["items", "toolCallId"])) return false;
  const items = Object.hasOwn(data, "items") ? data["items"] : [];
  if (!Array.isArray(items) || !items.every(isObject)) return false;
  if (!Object.hasOwn(data, "toolCallId")) return items.length > 0;
  return kind === "tool_call" && (data["toolCallId"] === null || typeof data["toolCallId"] === "string");
}

export function at(item: Json, start: number, end: number): Json {
  return { ...item, start, end };
}

/** Returns an item of a part of `size` characters that now begins at `by` in another. */
export function shifted(item: Json, by: number, size: number): Json {
  const [start, end] = [own(item, "start"), own(item, "end")];
  const isRange = Number.isSafeInteger(start) && Number.isSafeInteger(end);
  return isRange ? at(item, (start as number) + by, (end as number) + by) : at(item, by, by + size);
}

/**
 * Returns a message of v0.1 with its provider state on the parts, as v0.2 has it. What no part can
 * hold stays in `meta.opaque`. What is behind the last part gets a separate empty part.
 */
export function liftState(message: Json): Json {
  const { meta, parts: given } = message as { meta?: Json; parts: Part[] };
  const opaque = meta === undefined ? undefined : own(meta, "opaque");
  const state = readState(opaque);
  if (meta === undefined || state === undefined) return message;
  const parts = given.map((part, index) => lifted(part, String(index), given[index + 1], state));
  const behind = partBehind(message["role"], given, state);
  if (behind !== undefined) parts.push(behind);
  if (behind === undefined && parts.every((part, index) => part === given[index])) return message;
  const others = Object.fromEntries(Object.entries(meta).filter(([name]) => name !== "opaque"));
  carryDigits(others, meta);
  if (isLeft(state, opaque as Json)) others["opaque"] = stateToWire(state);
  const { meta: _, ...made }: Json = { ...message, parts };
  return Object.keys(others).length === 0 ? made : { ...made, meta: others };
}

/** Tells whether anything is left of `meta.opaque`; toolCallIds that were empty are. */
function isLeft({ parts, ids }: State, given: Json): boolean {
  if (parts.size > 0 || ids === undefined) return parts.size > 0;
  return ids.size > 0 || Object.keys(given["toolCallIds"] as object).length === 0;
}

/** Returns `part` with its state, which is taken out of `state`; itself if it has none. */
function lifted(part: Part, index: string, following: Part | undefined, state: State): Part {
  let items = state.parts.get(index);
  if (areItems(items) && mayCarry(part, following)) state.parts.delete(index);
  else items = [];
  const data: Json = { items };
  if (part.kind === "tool_call" && state.ids !== undefined) {
    const call = part.payload["toolCallId"] as string;
    const id = state.ids.get(call);
    if (id === null || typeof id === "string") {
      data["toolCallId"] = id;
      state.ids.delete(call);
    }
  }
  if ((items as unknown[]).length === 0 && !("toolCallId" in data)) return part;
  return { ...part, payload: { ...part.payload, opaque: { provider: state.dialect, data } } };
}

/** Tells whether down again gives this part, alone and by itself, the same items. */
function mayCarry(part: Part, following: Part | undefined): boolean {
  if (isText(part.kind)) return part.payload["text"] !== "" && following?.kind !== part.kind;
  return isCarrier(part.kind);
}

/** Returns the empty part for what is behind the last part, taken out of `state`. */
function partBehind(role: unknown, parts: readonly Part[], state: State): Part | undefined {
  const index = String(parts.length);
  const items = state.parts.get(index);
  if (role !== "assistant" || !areItems(items) || !items.every(standsBefore)) return undefined;
  state.parts.delete(index);
  // Of the other kind than the last one: of the same kind, it would be a part of it.
  const kind = otherText(parts.at(-1));
  return { kind, payload: { text: "", opaque: { provider: state.dialect, data: { items } } } };
}

/** Returns the kind of text that a part behind `last` has, so that they are two. */
export function otherText(last: Part | undefined): string {
  return last?.kind === "thinking" ? "text" : "thinking";
}

function standsBefore(item: Json): boolean {
  return own(item, "start") === 0 && own(item, "end") === 0;
}

function areItems(value: unknown): value is Json[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  // Down, an item with an offset would go elsewhere.
  const fit = value.every((item) => isObject(item) && !Object.hasOwn(item, OFFSET));
  return fit && !isTooDeep(value);
}

/** Tells whether the items would be nested beyond the limit where they are put. */
function isTooDeep(items: readonly unknown[]): boolean {
  let level: readonly unknown[] = items;
  for (let depth = DEPTH; depth < MAX_DEPTH; depth++) {
    level = level.flatMap((node) => (Array.isArray(node) ? node : isObject(node) ? Object.values(node) : []));
    if (level.length === 0) return false;
  }
  return true;
}

/** Returns the index that a member of `parts` names; undefined where it is not an index. */
export function indexOf(key: string): number | undefined {
  return /^(?:0|[1-9][0-9]{0,8})$/.test(key) ? Number(key) : undefined;
}
