/**
 * Output items of a response: which event belongs to which item, and what each has said so far.
 *
 * The published rule: `output_index` distinguishes the items, `item_id` says the same. Some relays
 * make up new ids at every event, some give every item the index 0, some leave out both; an item
 * is found by index first, by id where two items share an index, and as the last of its kind where
 * an event names neither.
 */
import { isObject } from "../../json/values.js";
import { shownAt } from "../core/findings.js";
import type { OpenCall } from "../core/ids.js";
import { integerAt } from "../core/spelling.js";
import { type Members, member } from "../core/values.js";
import type { OpenMedia } from "../core/writing/media.js";

/** A kind of text: the items that have it, and how events name its place and its whole. */
export interface Channel {
  readonly name: string;
  readonly item: "message" | "reasoning";
  readonly place: string;
  readonly whole: string;
}

export const TEXT: Channel = { name: "text", item: "message", place: "content_index", whole: "text" };
export const REFUSAL: Channel = { name: "refusal", item: "message", place: "content_index", whole: "refusal" };
export const SUMMARY: Channel = { name: "summary", item: "reasoning", place: "summary_index", whole: "text" };
export const RAW: Channel = { name: "raw", item: "reasoning", place: "content_index", whole: "text" };

const CHANNELS: ReadonlyMap<unknown, Channel> = new Map([
  ["output_text", TEXT],
  ["refusal", REFUSAL],
  ["summary_text", SUMMARY],
  ["reasoning_text", RAW],
]);

/** The text of one content part, as far as it has come. */
export class Slot {
  text = "";
  /** Text that the part began with. */
  initial = "";
  /** Where its text begins, once there is any. */
  part = -1;
  start = 0;
  /** How many of its annotations have been written. */
  cited = 0;

  constructor(
    readonly item: Item,
    readonly channel: Channel,
    /** Undefined where the text is in another channel of the item. */
    readonly write: ((text: string) => void) | undefined,
  ) {}
}

/** A place between characters: `start` of them are before it in the part. */
interface Place {
  readonly part: number;
  readonly start: number;
}

/** One output item. */
export class Item {
  readonly id: string;
  callId: string;
  /** Whether it has come whole. */
  final = false;
  mismatched = false;
  /** Where it began. */
  place: Place = { part: 0, start: 0 };
  /** Whether a part holds all of it. */
  made = false;

  // Text and reasoning: which characters of which part its text is; the part is -1 without any.
  readonly slots = new Map<string, Slot>();
  channel: Channel | undefined;
  part = -1;
  start = 0;
  end = 0;

  // Tool calls.
  call: OpenCall | undefined;
  name = "";
  /** Whether the provider executes it. */
  server = false;
  /** Whether the provider has said all arguments, and no more since. */
  settled = false;
  ended = false;
  /** Arguments that it began with. */
  initial = "";
  /** Arguments that have been written. */
  args = "";
  /** Whether some of them have. */
  sent = false;

  /** An image that has begun. */
  media: OpenMedia | undefined;

  constructor(
    readonly kind: string,
    /** The number that events give it, as findings show it. */
    readonly index: string,
    /** Among the items, in order of arrival. */
    readonly number: number,
    /** As the last event gave it; ours. */
    public body: Members,
  ) {
    this.id = textMember(body, "id");
    this.callId = textMember(body, "call_id");
  }

  /** What has been written for it. */
  get text(): string {
    let written = "";
    for (const slot of this.slots.values()) if (slot.write !== undefined) written += slot.text;
    return written;
  }

  /** Tells whether `body` is this item once more, going by its ids, or by nothing else. */
  isAgain(body: Members): boolean {
    const callId = textMember(body, "call_id");
    if (callId !== "" && this.callId !== "") return callId === this.callId;
    return textMember(body, "id") === this.id;
  }
}

/** Which number an event gives its item. */
export interface OutputIndex {
  /** Undefined where that is not an integer. */
  readonly at: number | undefined;
  /** As findings show it. */
  readonly shown: string;
}

/** Returns which number `event` gives its item. */
export function outputIndex(event: Members): OutputIndex {
  return { at: integerAt(event, "output_index"), shown: shownAt(event, "output_index") };
}

/** The items of one response, in order of arrival. */
export class ItemTable {
  readonly items: Item[] = [];
  readonly #byIndex = new Map<string, Item>();
  readonly #byId = new Map<string, Item>();
  readonly #last = new Map<string, Item>();
  readonly #shared = new Set<string>(); // indexes that several items claim

  /** Returns the item of a kind that an event names, or the last one if it names none. */
  find(kind: string, { at }: OutputIndex, itemId: unknown): Item | undefined {
    const key = at === undefined ? undefined : keyOf(kind, at);
    const atIndex = key === undefined ? undefined : this.#byIndex.get(key);
    const named = typeof itemId === "string" ? this.#byId.get(keyOf(kind, itemId)) : undefined;
    if (named !== undefined && (atIndex === undefined || (key !== undefined && this.#shared.has(key)))) return named;
    if (atIndex !== undefined || key !== undefined) return atIndex;
    const last = this.#last.get(kind);
    return last?.final === true ? undefined : last;
  }

  /** Adds an item that begins; it takes the index over from another one of its kind. */
  add(kind: string, { at, shown: index }: OutputIndex, body: Members): Item {
    const item = new Item(kind, index, this.items.length, body);
    this.items.push(item);
    this.#last.set(kind, item);
    if (at !== undefined) {
      const key = keyOf(kind, at);
      if (this.#byIndex.has(key)) this.#shared.add(key);
      this.#byIndex.set(key, item);
    }
    if (item.id !== "") this.#byId.set(keyOf(kind, item.id), item);
    return item;
  }

  /**
   * Returns for each item of a whole response the one that the stream has brought. Each of `output`
   * has a type. By id, else by its number, else the next of its kind: ids change, and numbers are
   * skipped.
   */
  match(output: readonly WholeItem[]): (Item | undefined)[] {
    const left = new Set(this.items);
    const found: (Item | undefined)[] = output.map(() => undefined);
    const take = (number: number, item: Item | undefined): void => {
      if (found[number] === undefined && item !== undefined && left.delete(item)) found[number] = item;
    };
    const byCall = new Map<string, Item>();
    for (const item of this.items) if (item.callId !== "") byCall.set(keyOf(item.kind, item.callId), item);
    for (const [number, { kind, body }] of output.entries()) {
      const item = byCall.get(keyOf(kind, textMember(body, "call_id")));
      take(number, item ?? this.#byId.get(keyOf(kind, textMember(body, "id"))));
    }
    for (const [number, { kind }] of output.entries()) take(number, this.#byIndex.get(keyOf(kind, number)));
    const waiting = new Map<string, Item[]>();
    for (const item of [...left].reverse()) {
      const queue = waiting.get(item.kind);
      if (queue === undefined) waiting.set(item.kind, [item]);
      else queue.push(item);
    }
    for (const [number, { kind }] of output.entries()) {
      if (found[number] === undefined) found[number] = waiting.get(kind)?.pop();
    }
    return found;
  }
}

/** An item of a whole response. */
interface WholeItem {
  readonly kind: string;
  readonly body: Members;
}

/** Returns a member that is a string, `""` for anything else. */
function textMember(of: Members, name: string): string {
  const value = member(of, name);
  return typeof value === "string" ? value : "";
}

/** Returns a key for what is named by a kind and something beside it. */
function keyOf(kind: string, beside: string | number): string {
  return `${kind.length} ${kind}${beside}`;
}

/** Returns the channel of a content part's text; `plain` is what a part of type text is. */
export function channelOf(part: unknown, plain: Channel): Channel | undefined {
  const kind = isObject(part) ? member(part, "type") : undefined;
  return kind === "text" ? plain : CHANNELS.get(kind);
}

/** Returns what `whole` has beyond `seen`, undefined if it does not begin with it. */
export function restOf(seen: string, whole: string): string | undefined {
  return whole.startsWith(seen) ? whole.slice(seen.length) : undefined;
}
