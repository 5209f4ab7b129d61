/**
 * What a provider wants back, from its event to the delta that carries it.
 *
 * An item goes with the delta that ends the part which it belongs to: text and thinking are ended
 * by a delta with empty text, a call by its `tool_call_end`. What comes when its part is over, or
 * stands behind the last part, goes with the last delta that can carry any, and says by
 * `partOffset` where it belongs.
 */
import type { Opaque } from "../../generated/v0_2/message.js";
import type { JsonObject, JsonValue } from "../../json/values.js";
import { type OpaqueItem, storable } from "./opaque.js";
import { wellFormed } from "./values.js";

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
