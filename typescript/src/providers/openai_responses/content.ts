/** What the output items of a response say: text, reasoning, tool calls, and what is only kept. */
import { RESPONSES_CALLS as CALLS, RESPONSES_SEALED } from "../../generated/tables/provider-names.js";
import { codePoints } from "../../json/text.js";
import { isObject } from "../../json/values.js";
import { type FindingLog, shown } from "../core/findings.js";
import type { OpaqueItem } from "../core/kept-state.js";
import { spelledAs } from "../core/spelling.js";
import { type Members, member, saidMember, saysAnything } from "../core/values.js";
import type { DeltaWriter } from "../core/writer.js";
import { ResponsesCalls } from "./calls.js";
import { type Channel, channelOf, type Item, ItemTable, type OutputIndex, outputIndex, TEXT } from "./items.js";
import { IMAGE, ResponsesMedia } from "./media.js";
import { isBookkeeping, isServerItem, isServerOutput } from "./server-items.js";
import { ResponsesTexts } from "./texts.js";

// --- state ---------------------------------------------------------------------------------------
// What is kept of a response's items for the next request.

const TEXTS: ReadonlySet<string> = new Set(["text", "refusal", "logprobs"]);

/**
 * Returns what is kept of an item that is whole: reasoning and the items of server-side tools
 * unchanged; a message without its texts, which the parts hold, and without log probabilities.
 * What is left of each of its content parts follows, where there is more to say than that it is
 * text.
 */
function keptItems(item: Item): OpaqueItem[] {
  const { part, start, end } = item.part >= 0 ? item : { ...item.place, end: item.place.start };
  if (item.kind !== "message") return [{ kind: item.kind, data: item.body, part, start, end }];
  const kept: OpaqueItem[] = [{ kind: "message", data: without(item.body, new Set(["content"])), part, start, end }];
  const given = member(item.body, "content");
  const contents: readonly unknown[] = Array.isArray(given) ? given : [];
  let at = start;
  for (const content of contents) {
    const channel = channelOf(content, TEXT);
    const text = channel === undefined ? undefined : member(content as Members, channel.whole);
    const stop = typeof text === "string" ? Math.min(end, at + codePoints(text)) : at;
    if (isObject(content)) {
      const state = channel === undefined ? content : without(content, TEXTS);
      if (contents.length > 1 || saysMore(state)) {
        kept.push({ kind: "content_part", data: state, part, start: at, end: stop });
      }
    }
    at = stop;
  }
  return kept;
}

function without(members: Members, names: ReadonlySet<string>): Members {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.has(name)));
}

function saysMore(part: Members): boolean {
  const kind = member(part, "type");
  const isText = kind === "output_text" || kind === "text";
  return !isText || Object.entries(part).some(([name, value]) => name !== "type" && saysAnything(value));
}

// --- content -------------------------------------------------------------------------------------

const SEALED: ReadonlySet<string> = new Set(RESPONSES_SEALED);
const SEAL = "encrypted_content";

/** Writes the items of one response. */
export class ResponsesContent {
  /** Whether the provider keeps the response, so that the ids of its reasoning are enough. */
  isStored = false;
  readonly calls: ResponsesCalls;
  readonly media: ResponsesMedia;
  readonly #writer: DeltaWriter;
  readonly #log: FindingLog;
  readonly #table = new ItemTable();
  readonly #texts: ResponsesTexts;
  #whole: Item[] = []; // of which nothing has been kept yet
  readonly #held: Item[] = []; // of which more may come with the whole response

  constructor(writer: DeltaWriter, log: FindingLog) {
    this.#writer = writer;
    this.#log = log;
    const find = (kind: string, event: Members): Item | undefined => this.#find(kind, event);
    this.#texts = new ResponsesTexts(writer, log, { find, of: (kind, event) => this.#item(kind, event) });
    const collect = (): void => this.#collect();
    this.calls = new ResponsesCalls(writer, log, { leave: () => this.#texts.leave(), collect });
    this.media = new ResponsesMedia(writer, log);
    writer.collect = collect;
  }

  /** Whether the model has refused. */
  get refused(): boolean {
    return this.#texts.refused;
  }

  /** Whether an item has begun. */
  get hasItems(): boolean {
    return this.#table.items.length > 0;
  }

  /** Whether all items that have begun are done. */
  get isWhole(): boolean {
    return this.#table.items.every((item) => item.final);
  }

  /** Whether a call is in the middle of its arguments. */
  get hasOpenCall(): boolean {
    return this.#table.items.some((item) => this.calls.isOpen(item));
  }

  /** Reads an item that begins. */
  added(event: Members): void {
    const whole = this.#body(event);
    if (whole === undefined) return;
    const { kind, body } = whole;
    const index = outputIndex(event);
    const known = this.#table.find(kind, index, member(body, "id"));
    if (known === undefined || known.final || known.id === "" || !known.isAgain(body)) {
      this.#begin(kind, index, body);
      return;
    }
    this.#noteOrder("An item begins twice, or after its first piece", "/item/id", shown(known.id));
    known.body = spelledAs({ ...known.body, ...body }, known.body, body);
    if (this.calls.takes(known)) this.calls.begin(known);
  }

  /** Reads an item that is whole. */
  done(event: Members): void {
    const whole = this.#body(event);
    if (whole === undefined) return;
    const { kind, body } = whole;
    const index = outputIndex(event);
    const known = this.#table.find(kind, index, member(body, "id"));
    if (known?.final === true && known.isAgain(body)) return;
    const item = known === undefined || known.final ? this.#begin(kind, index, body) : known;
    this.#settleItem(item, body, "/item");
  }

  /** Reads the items of a whole response: all that no event has said before. */
  output(items: unknown, place: string): void {
    if (!Array.isArray(items)) {
      if (items !== undefined) this.#log.invalid(place, "an array", items);
      return;
    }
    const given = items.map(wholeItem).filter((each) => each !== undefined);
    if (given.length < items.length) this.#log.invalid(place, "items as objects", items);
    const known = this.#table.match(given);
    for (const [number, { kind, body }] of given.entries()) {
      const item = known[number] ?? this.#begin(kind, { at: number, shown: shown(number) }, body);
      this.#settleItem(item, body, `${place}/${number}`);
    }
  }

  /** Reads a delta of a call's arguments, or all of them. */
  pieceOfCall(event: Members, kind: string, isWhole: boolean): void {
    const item = this.#item(kind, event);
    if (isWhole) this.calls.whole(item, event);
    else this.calls.piece(item, member(event, "delta"));
  }

  /** Reads an image that is not whole yet. */
  pieceOfImage(event: Members): void {
    if (!this.#writer.saysNew) return;
    this.#texts.leave();
    this.media.pieceOfImage(this.#item(IMAGE, event), event);
  }

  /** Reads an annotation that comes by itself; the whole item says it again. */
  annotation(event: Members): void {
    if (this.#writer.saysNew) this.#texts.annotation(this.#find("message", event), event);
  }

  /** Reads one delta of text. */
  text(event: Members, channel: Channel): void {
    this.#texts.piece(event, channel);
  }

  /** Reads the text of a part that is whole. */
  textOf(event: Members, channel: Channel): void {
    this.#texts.textOf(event, channel, member(event, channel.whole), false);
  }

  /** Reads a part that begins or is whole; `plain` is what a part of type text is. */
  part(event: Members, plain: Channel, starts: boolean): void {
    this.#texts.part(event, plain, starts);
  }

  /** Reads the end of the stream; keeps what the provider wants back, item by item. */
  finish(): void {
    for (const item of this.#table.items) if (this.calls.takes(item)) this.calls.finish(item);
    this.media.finish();
    this.#collect();
    for (const item of this.#held.splice(0)) this.#keep(item);
  }

  /** Keeps what the provider wants back of the items that are whole, before their part ends. */
  #collect(): void {
    this.#texts.noteEnd(); // what is being written may be the part which begins
    const whole = this.#whole;
    if (whole.length === 0) return;
    this.#whole = [];
    for (const item of whole.sort((one, other) => one.number - other.number)) {
      const isSealed = this.isStored || saidMember(item.body, SEAL) !== undefined;
      if (SEALED.has(item.kind) && !isSealed)
        this.#held.push(item); // some vendors send it at the very end only
      else this.#keep(item);
    }
  }

  #keep(item: Item): void {
    for (const kept of keptItems(item)) this.#writer.state.keep(kept);
  }

  #body(event: Members): { kind: string; body: Members } | undefined {
    const given = member(event, "item");
    const found = wholeItem(given);
    if (found === undefined) this.#log.invalid("/item", "an item with its type", given);
    return found;
  }

  #begin(kind: string, index: OutputIndex, body: Members): Item {
    const item = this.#table.add(kind, index, spelledAs({ ...body }, body));
    const { kind: open, part, chars } = this.#writer;
    item.place = open === undefined ? { part: part + 1, start: 0 } : { part, start: chars };
    this.#texts.forget(); // its index may have been another item's
    if (this.calls.takes(item)) this.calls.begin(item);
    else if (kind !== "message" && kind !== "reasoning" && !this.#mayBePart(kind)) this.#noteForeign(kind, body);
    return item;
  }

  /** Tells whether an item becomes a part once it is whole, if it is as published. */
  #mayBePart(kind: string): boolean {
    return this.#writer.saysNew && (kind === IMAGE || isServerOutput(kind));
  }

  #find(kind: string, event: Members): Item | undefined {
    return this.#table.find(kind, outputIndex(event), member(event, "item_id"));
  }

  /** Returns the item that an event belongs to; one that has not begun begins. */
  #item(kind: string, event: Members): Item {
    const index = outputIndex(event);
    const item = this.#find(kind, event);
    if (item === undefined) {
      this.#noteOrder("A piece belongs to an item that has not begun", "/item_id", index.shown);
      return this.#begin(kind, index, { id: member(event, "item_id") ?? null });
    }
    if (item.final && !this.calls.takes(item)) {
      this.#noteOrder("A piece belongs to an item that is done", "/item_id", index.shown);
    }
    return item;
  }

  /** Reads a whole item: what it says beyond its deltas, and what is to be kept of it. */
  #settleItem(item: Item, body: Members, place: string): void {
    const isNew = !item.final;
    if (isNew) {
      item.body = spelledAs({ ...body }, body);
      item.final = true;
      this.#texts.forget();
    } else if (saidMember(body, SEAL) !== undefined && saidMember(item.body, SEAL) === undefined) {
      item.body = spelledAs({ ...body }, body); // some vendors send it at the very end only
    }
    if (this.calls.takes(item)) this.calls.done(item, body, place);
    else if (item.kind === "message" || item.kind === "reasoning") this.#texts.settle(item, body, place);
    else if (isNew && this.#mayBePart(item.kind)) this.#settlePart(item, place);
    const isKept = !CALLS.has(item.kind) || item.server;
    if (isNew && isKept && !item.made) this.#whole.push(item); // now that all of its text is there
  }

  #settlePart(item: Item, place: string): void {
    this.#texts.leave();
    const isMade = item.kind === IMAGE ? this.media.image(item, place) : this.calls.output(item);
    if (!isMade) this.#noteForeign(item.kind, item.body);
  }

  /** Notes an item that is not a part of ours; it is kept whole. */
  #noteForeign(kind: string, body: Members): void {
    if (isBookkeeping(kind)) return;
    if (isServerItem(kind, body)) {
      const name = member(body, "name");
      this.#log.note(
        "adapter/server-tool-call",
        "The provider executes this tool itself; it is not a tool call of the message",
        "/item/type",
        { actual: shown(saysAnything(name) ? name : kind) },
      );
    } else {
      this.#texts.noteNoPart("/item/type", kind);
    }
  }

  #noteOrder(message: string, place: string, actual: string): void {
    this.#log.note("adapter/block-order", message, place, { actual });
  }
}

/** Returns an item with its type, undefined for what is not an item. */
function wholeItem(given: unknown): { kind: string; body: Members } | undefined {
  if (!isObject(given)) return undefined;
  const kind = member(given, "type");
  return typeof kind === "string" ? { kind, body: given } : undefined;
}
