/**
 * Provider state of a stored message: read, checked, and put in its place.
 *
 * It is in the parts that it belongs to, `payload.opaque`; messages of v0.1 have it in
 * `meta.opaque`, which is read as well. It came from an adapter, through stores that know nothing
 * of it: nothing here trusts it, and nothing of it throws.
 */

import type { Opaque, TolerantMessage, TolerantMessagePart } from "../../contract/current/message.js";
import { Unknown } from "../../contract/unknown.js";
import { codePoints, escapePointer } from "../../json/text.js";
import { isObject, own } from "../../json/values.js";
import { firstCharacters } from "../core/values.js";
import type { Notes } from "./notes.js";
import type { Json } from "./values.js";

const INDEX = /^(?:0|[1-9][0-9]{0,8})$/;

/** One piece of provider state; see the adapters' `OpaqueItem` for its members. */
export interface Item {
  readonly kind: string;
  readonly data: unknown;
  readonly pointer: string;
  readonly start?: number;
  readonly end?: number;
}

/** The state of one message, for the dialect that it came from. */
export interface MessageState {
  /** By part index; what is at the number of parts is behind the last one. */
  readonly parts: ReadonlyMap<number, readonly Item[]>;
  /** The provider's own ids of calls whose id was minted, by part index; undefined where it had none. */
  readonly callIds: ReadonlyMap<number, string | undefined>;
  /** The parts with state of another dialect. */
  readonly foreign: ReadonlySet<number>;
  /** Whether there is any of this dialect: its adapter wrote this message. */
  readonly known: boolean;
}

/**
 * Returns the state of a message, as far as it is `dialect`'s and in order.
 *
 * State of another dialect is left out (`encode/foreign-state`), and so is what does not have the
 * form that adapters write (`encode/malformed-state`). `meta.opaque` counts for what the parts say
 * nothing of (`encode/repeated-state`): whatever could not be moved is there.
 */
export function readState(message: TolerantMessage, pointer: string, dialect: string, notes: Notes): MessageState {
  const reader = new StateReader(message.parts, dialect, notes);
  const state = reader.ofParts(`${pointer}/parts`);
  const { meta } = message;
  if (!isObject(meta) || !Object.hasOwn(meta, "opaque")) return state;
  const opaque = meta["opaque"];
  const place = `${pointer}/meta/opaque`;
  const provider = isObject(opaque) ? own(opaque, "dialect") : undefined;
  if (!isObject(opaque) || typeof provider !== "string") {
    notes.malformed(place, "an object with a dialect", opaque);
    return state;
  }
  if (provider !== dialect) {
    noteForeign(place, provider, dialect, notes);
    return state;
  }
  const rest = reader.ofMeta(opaque, place);
  for (const number of [...rest.parts.keys()].sort((one, other) => one - other)) {
    if (!state.parts.has(number)) continue;
    const said = "The part has its state with it; this one is left out";
    notes.add("encode/repeated-state", said, `${place}/parts/${number}`);
  }
  return {
    parts: new Map([...rest.parts, ...state.parts]),
    callIds: new Map([...rest.callIds, ...state.callIds]),
    foreign: state.foreign,
    known: true,
  };
}

/** Returns the state that a part has with it. */
function opaqueOf(part: unknown): Opaque | undefined {
  if (!isObject(part) || part instanceof Unknown) return undefined;
  const payload = own(part, "payload");
  return isObject(payload) ? (own(payload, "opaque") as Opaque | undefined) : undefined;
}

/** Notes state in a part of anybody but the assistant: no provider gave it. */
export function noteStray(part: unknown, place: string, notes: Notes): void {
  const opaque = opaqueOf(part);
  if (opaque !== undefined) notes.malformed(`${place}/payload/opaque`, "a part of an assistant", opaque.provider);
}

function noteForeign(pointer: string, found: string, dialect: string, notes: Notes): void {
  const message = "The provider's state is of another dialect; it is left out";
  notes.add("encode/foreign-state", message, pointer, { expected: dialect, actual: firstCharacters(found, 80) });
}

type Ids = Map<number, string | undefined>;

/** Reads the state of one message's parts. */
class StateReader {
  /** Characters of each part, undefined where it is not text; what follows the last part has no text. */
  readonly #lengths: readonly (number | undefined)[];

  constructor(
    readonly parts: readonly TolerantMessagePart[],
    readonly dialect: string,
    readonly notes: Notes,
  ) {
    this.#lengths = [...parts.map(lengthOf), 0];
  }

  ofParts(pointer: string): MessageState {
    const items = new Map<number, Item[]>();
    const callIds: Ids = new Map();
    const foreign = new Set<number>();
    let known = false;
    for (const [number, part] of this.parts.entries()) {
      const opaque = opaqueOf(part);
      if (opaque === undefined) continue;
      const place = `${pointer}/${number}/payload/opaque`;
      if (opaque.provider === this.dialect) {
        known = true;
        this.#ofPart(opaque.data, `${place}/data`, number, items, callIds);
      } else {
        foreign.add(number);
        noteForeign(place, opaque.provider, this.dialect, this.notes);
      }
    }
    return { parts: items, callIds, foreign, known };
  }

  #ofPart(data: Json, place: string, number: number, items: Map<number, Item[]>, callIds: Ids): void {
    const left = new Map(Object.entries(data));
    if (!left.has("items") && !left.has("toolCallId")) {
      this.notes.malformed(place, "an object with items", data);
      return;
    }
    const given = left.has("items") ? left.get("items") : [];
    left.delete("items");
    this.#place(given, `${place}/items`, number, items);
    const part = this.parts[number];
    if (left.has("toolCallId") && part !== undefined && !(part instanceof Unknown) && part.kind === "tool_call") {
      const own = this.#callId(left.get("toolCallId"), `${place}/toolCallId`);
      if (own !== null) callIds.set(number, own);
      left.delete("toolCallId");
    }
    for (const [name, value] of left) {
      this.notes.malformed(`${place}/${escapePointer(name)}`, "items, and a call's id", value);
    }
  }

  /** Returns what a message of v0.1 has. */
  ofMeta(opaque: Json, pointer: string): MessageState {
    const given = (name: string): unknown => (Object.hasOwn(opaque, name) ? opaque[name] : {});
    const parts = this.#byPart(given("parts"), `${pointer}/parts`);
    const ids = this.#callIds(given("toolCallIds"), `${pointer}/toolCallIds`);
    const callIds: Ids = new Map();
    for (const [number, part] of this.parts.entries()) {
      if (part instanceof Unknown || part.kind !== "tool_call" || !ids.has(part.payload.toolCallId)) continue;
      callIds.set(number, ids.get(part.payload.toolCallId));
    }
    return { parts, callIds, foreign: new Set(), known: true };
  }

  #byPart(value: unknown, pointer: string): Map<number, Item[]> {
    const parts = new Map<number, Item[]>();
    if (!isObject(value)) {
      this.notes.malformed(pointer, "an object", value);
      return parts;
    }
    for (const [key, items] of Object.entries(value)) {
      const place = `${pointer}/${escapePointer(key)}`;
      const index = INDEX.test(key) ? Number(key) : this.#lengths.length;
      if (index >= this.#lengths.length) this.notes.malformed(place, "the index of a part", key);
      else this.#place(items, place, index, parts);
    }
    return parts;
  }

  // --- items --------------------------------------------------------------------------------------

  /**
   * Puts the items that are in part `number` to the parts that they belong to. One that came when
   * its part was over says by `partOffset` how many parts further on that is.
   */
  #place(value: unknown, pointer: string, number: number, parts: Map<number, Item[]>): void {
    if (!Array.isArray(value)) {
      this.notes.malformed(pointer, "an array", value);
      return;
    }
    for (const [at, each] of value.entries()) {
      const place = `${pointer}/${at}`;
      const offset: unknown = isObject(each) && Object.hasOwn(each, "partOffset") ? each["partOffset"] : 0;
      const target = Number.isSafeInteger(offset) ? number + (offset as number) : -1;
      const isPlace = target >= 0 && target < this.#lengths.length;
      const item = isPlace ? itemOf(each, place, this.#lengths[target] ?? 0) : undefined;
      const there = parts.get(target);
      if (item === undefined) this.notes.malformed(place, "an item with kind, data, start and end", each);
      else if (there === undefined) parts.set(target, [item]);
      else there.push(item);
    }
  }

  /** Returns the provider's own ids by minted id. */
  #callIds(value: unknown, pointer: string): Map<string, string | undefined> {
    const ids = new Map<string, string | undefined>();
    if (!isObject(value)) {
      this.notes.malformed(pointer, "an object", value);
      return ids;
    }
    for (const [minted, given] of Object.entries(value)) {
      const own = this.#callId(given, `${pointer}/${escapePointer(minted)}`);
      if (own !== null) ids.set(minted, own);
    }
    return ids;
  }

  /** Returns the provider's own id of a call, undefined where it gave none, null for what is not an id. */
  #callId(value: unknown, pointer: string): string | undefined | null {
    if (value === null || value === "") return undefined;
    if (typeof value === "string") return value;
    this.notes.malformed(pointer, "a string or null", value);
    return null;
  }
}

/** Returns the characters of a part, undefined where it is not text. */
function lengthOf(part: TolerantMessagePart): number | undefined {
  if (part instanceof Unknown || (part.kind !== "text" && part.kind !== "thinking")) return undefined;
  return codePoints(part.payload.text);
}

/** Returns one item, undefined where it is not an item; `length` is that of the part's text. */
function itemOf(value: unknown, pointer: string, length: number): Item | undefined {
  if (!isObject(value) || !Object.hasOwn(value, "data")) return undefined;
  const kind = own(value, "kind");
  if (typeof kind !== "string" || kind === "") return undefined;
  const { data } = value;
  const start = own(value, "start") ?? undefined;
  const end = own(value, "end") ?? undefined;
  if (start === undefined && end === undefined) return { kind, data, pointer };
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) return undefined;
  const [from, to] = [start as number, end as number];
  return from >= 0 && from <= to && to <= length ? { kind, data, pointer, start: from, end: to } : undefined;
}
