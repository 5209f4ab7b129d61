/**
 * What a provider wants back, from its event to the delta that carries it.
 *
 * An item goes with the delta that ends the part which it belongs to: text and thinking are ended
 * by a delta with empty text, a call by its `tool_call_end`. What comes when its part is over, or
 * is behind the last part, goes with the last delta that can carry any, and says by
 * `partOffset` where it belongs.
 */

import type { Opaque } from "../../contract/current/message.js";
import { EVENT_MEMBERS, EVENT_PARAMETERS } from "../../generated/tables/credentials.js";
import { base64Of } from "../../json/base64.js";
import { isObject, type JsonObject, type JsonValue, put } from "../../json/values.js";
import { wellFormed } from "./values.js";

// --- items ---------------------------------------------------------------------------------------
// What a provider wants back unchanged, and what of a raw event may be shown.
//
// Signatures, encrypted reasoning, server-side tool blocks and citations have no field of their
// own, yet some providers refuse a history that lacks them. Adapters collect them, with the place
// that each belongs to, and the deltas carry them as `opaque`.

/** How deep a value of provider state may be nested. */
export const MAX_DEPTH = 64;

/** One piece of provider state. */
export interface OpaqueItem {
  /** Names it: `signature`, `redacted_thinking`, `citation` … */
  readonly kind: string;
  /** The provider's JSON value as it came. */
  readonly data: unknown;
  /** The 0-based index of the message part that it belongs to. */
  readonly part: number;
  /**
   * Counts characters (code points) of that part's text: the item covers what is between
   * `start` and `end`, or is in between where both are equal, at 0 before the part. Without
   * them it belongs to the part as a whole, as what comes with a tool call does.
   */
  readonly start?: number;
  readonly end?: number;
}

/**
 * Returns a copy of provider state as documents may hold it: halves of characters become U+FFFD,
 * figures that are none null, and so does what is nested deeper than 64 levels.
 */
export function storable(value: unknown, depth = 0): JsonValue {
  if (typeof value === "string") return wellFormed(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "boolean") return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item: unknown) => storable(item, depth + 1));
  if (!isObject(value)) return null;
  const made = {};
  for (const [name, item] of Object.entries(value)) put(made, wellFormed(name), storable(item, depth + 1));
  return made;
}

const SECRET_NAMES: ReadonlySet<string> = new Set(EVENT_MEMBERS);
const SPACES = String.raw`\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
const SECRET_QUERY = new RegExp(`([?&](?:${EVENT_PARAMETERS.join("|")})=)[^&#"'${SPACES}]+`, "giu");
const HIDDEN = "[redacted]";

/**
 * Returns a copy of a JSON value without credentials: headers and query parameters. It is storable:
 * halves of characters become U+FFFD, figures that are none null, and so does what is nested deeper
 * than 64 levels, which is of no use to a reader either. Bytes, which AWS's clients give, become
 * Base64.
 */
export function withoutSecrets(value: unknown, depth = 0): JsonValue {
  if (typeof value === "string") {
    const text = wellFormed(value);
    return text.includes("=") ? text.replace(SECRET_QUERY, `$1${HIDDEN}`) : text;
  }
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "boolean") return value;
  if (value instanceof Uint8Array) return base64Of(value);
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item: unknown) => withoutSecrets(item, depth + 1));
  if (!isObject(value)) return null;
  const made = {};
  for (const [name, item] of Object.entries(value)) {
    put(made, wellFormed(name), SECRET_NAMES.has(name.toLowerCase()) ? HIDDEN : withoutSecrets(item, depth + 1));
  }
  return made;
}

// --- state ---------------------------------------------------------------------------------------

/** The state of one stream: all of it in order of arrival, and what no delta has carried yet. */
export class KeptState {
  readonly items: OpaqueItem[] = [];
  /** Minted tool call id → the provider's own, undefined where it sent none. */
  readonly providerIds = new Map<string, string | undefined>();
  readonly #dialect: string;
  readonly #due = new Map<number, OpaqueItem[]>(); // by part

  constructor(dialect: string) {
    this.#dialect = dialect;
  }

  /** Whether there is anything that no delta has carried yet. */
  get isDue(): boolean {
    return this.#due.size > 0;
  }

  /** Keeps an item until a delta can carry it. */
  keep(item: OpaqueItem): void {
    this.items.push(item);
    const due = this.#due.get(item.part);
    if (due === undefined) this.#due.set(item.part, [item]);
    else due.push(item);
  }

  /** Keeps items that something carries itself, and returns them as it does. */
  carry(items: readonly OpaqueItem[]): Opaque {
    this.items.push(...items);
    return { provider: this.#dialect, data: { items: items.map((item) => wire(item, item.part)) } };
  }

  /** Returns what the delta carries that ends `part`; for a call, also its own id. */
  ofPart(part: number, callId?: string): Opaque | undefined {
    return this.#opaque(this.#taken(part), part, callId);
  }

  /**
   * Returns all that is due, as the last delta that can carry it does, which ends `part`. `leftOut`
   * are the parts of calls that a partial message lacks: what belongs to such a call goes with it,
   * and the parts behind it move up.
   */
  rest(part: number, callId?: string, leftOut: ReadonlySet<number> = new Set()): Opaque | undefined {
    const all = [...this.#taken(part), ...[...this.#due.values()].flat()];
    this.#due.clear();
    const gone = [...leftOut].sort((one, other) => one - other);
    const moved = (index: number): number => index - countBelow(gone, index);
    const items = all
      .filter((item) => item.start !== undefined || !leftOut.has(item.part))
      .map((item) => (leftOut.size > 0 ? { ...item, part: moved(item.part) } : item));
    return this.#opaque(items, moved(part), callId);
  }

  #taken(part: number): OpaqueItem[] {
    const items = this.#due.get(part) ?? [];
    this.#due.delete(part);
    return items;
  }

  #opaque(items: readonly OpaqueItem[], part: number, callId: string | undefined): Opaque | undefined {
    const isMinted = callId !== undefined && this.providerIds.has(callId);
    if (items.length === 0 && !isMinted) return undefined;
    const data: JsonObject = { items: items.map((item) => wire(item, part)) };
    if (isMinted) {
      const own = this.providerIds.get(callId);
      data["toolCallId"] = own === undefined ? null : wellFormed(own);
    }
    return { provider: this.#dialect, data };
  }
}

/** Returns how many of sorted numbers are below `limit`. */
function countBelow(sorted: readonly number[], limit: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] as number) < limit) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Returns an item as `part` carries it: JSON that documents may hold. */
function wire(item: OpaqueItem, part: number): JsonValue {
  return {
    kind: wellFormed(item.kind),
    data: storable(item.data),
    ...(item.start === undefined ? {} : { start: item.start, end: item.end as number }),
    ...(item.part === part ? {} : { partOffset: item.part - part }),
  };
}
