/** Text and reasoning of a response, which may come by deltas, by part, by item, or with all. */
import { isObject } from "../../json/values.js";
import { type FindingLog, shown } from "../core/findings.js";
import { integerAt } from "../core/spelling.js";
import { type Members, member } from "../core/values.js";
import type { DeltaWriter } from "../core/writer.js";
import { citationOf } from "./citations.js";
import { type Channel, channelOf, type Item, RAW, REFUSAL, restOf, Slot, SUMMARY, TEXT } from "./items.js";

/** How texts find the items that they belong to. */
interface ItemsOfTexts {
  /** Returns the item of a kind that an event names. */
  find(kind: string, event: Members): Item | undefined;
  /** Returns it as well; one that has not begun begins. */
  of(kind: string, event: Members): Item;
}

/** The text of one part of an item that has come whole. */
interface PartText {
  readonly channel: Channel;
  readonly number: number;
  readonly text: string;
}

/** Writes the texts of one response. */
export class ResponsesTexts {
  /** Whether the model has refused. */
  refused = false;
  readonly #writer: DeltaWriter;
  readonly #log: FindingLog;
  readonly #items: ItemsOfTexts;
  readonly #slots = new Map<string, Slot>(); // of items that are not done
  #current: Slot | undefined;

  constructor(writer: DeltaWriter, log: FindingLog, items: ItemsOfTexts) {
    this.#writer = writer;
    this.#log = log;
    this.#items = items;
  }

  /** Reads one delta of text. */
  piece(event: Members, channel: Channel): void {
    const given = member(event, "delta");
    const delta = isObject(given) ? member(given, "text") : given;
    if (typeof delta !== "string") {
      this.#log.invalid("/delta", "a string", delta);
      return;
    }
    if (delta === "") return;
    const key = slotKey(event, channel);
    const slot = (key === undefined ? undefined : this.#slots.get(key)) ?? this.#slot(event, channel);
    const { initial } = slot;
    slot.initial = "";
    if (initial !== "" && initial !== delta) this.#write(slot, initial);
    this.#write(slot, delta);
  }

  /** Reads a part that begins or is whole; `plain` is what a part of type text is. */
  part(event: Members, plain: Channel, starts: boolean): void {
    const part = member(event, "part");
    if (!isObject(part)) {
      this.#log.invalid("/part", "an object", part);
      return;
    }
    const channel = channelOf(part, plain);
    if (channel === undefined) this.noteNoPart("/part/type", member(part, "type"));
    else this.textOf(event, channel, member(part, channel.whole), starts);
  }

  /** Reads the text of a part that is whole, or that a part begins with. */
  textOf(event: Members, channel: Channel, text: unknown, starts: boolean): void {
    if (typeof text !== "string") {
      if (text !== undefined) this.#log.invalid(`/${channel.whole}`, "a string", text);
      return;
    }
    if (text === "" || this.#items.find(channel.item, event)?.final === true) return;
    const slot = this.#slot(event, channel);
    if (!starts) {
      slot.initial = "";
      const rest = this.#rest(slot.item, slot.text, text, `/${channel.whole}`);
      if (rest !== "") this.#write(slot, rest);
    } else if (slot.text === "") {
      slot.initial = text;
    }
  }

  /** Reads the texts of an item that has come whole: what they say beyond their deltas. */
  settle(item: Item, body: Members, place: string): void {
    const parts = this.#parts(item, body, place);
    const whole = parts.map(({ text }) => text).join("");
    let rest = this.#rest(item, item.text, whole, place);
    const pieces: PartText[] = [];
    for (let part = parts.pop(); part !== undefined && rest !== ""; part = parts.pop()) {
      const cut = Math.max(0, rest.length - part.text.length);
      pieces.push({ ...part, text: rest.slice(cut) });
      rest = rest.slice(0, cut);
    }
    for (const { channel, number, text } of pieces.reverse()) {
      if (text !== "") this.#write(this.#slotOf(item, channel, number), text);
    }
    if (item.kind === "message" && this.#writer.saysNew) this.#settleCitations(item, member(body, "content"));
  }

  /** Reads an annotation of a part of `item`. */
  annotation(item: Item | undefined, event: Members): void {
    const slot = item === undefined ? undefined : textSlot(item, integerAt(event, "content_index"));
    if (slot !== undefined) this.#cite(slot, member(event, "annotation"));
  }

  #settleCitations(item: Item, contents: unknown): void {
    if (!Array.isArray(contents)) return;
    for (const [number, part] of (contents as unknown[]).entries()) {
      const annotations = isObject(part) ? member(part, "annotations") : undefined;
      const slot = textSlot(item, number);
      if (slot === undefined || !Array.isArray(annotations)) continue;
      for (const annotation of annotations.slice(slot.cited)) this.#cite(slot, annotation);
    }
  }

  #cite(slot: Slot, annotation: unknown): void {
    slot.cited++;
    const citation = citationOf(annotation, slot.start);
    if (citation !== undefined) this.#writer.cite(citation, [], slot.part);
  }

  /** Forgets which slots events name: an item begins, or is done. */
  forget(): void {
    this.#slots.clear();
  }

  /** Ends the text that was written last. */
  leave(): void {
    this.noteEnd();
    this.#current = undefined;
  }

  /** Notes where the text that was written last ends. */
  noteEnd(): void {
    const item = this.#current?.item;
    if (item?.part === this.#writer.part) item.end = this.#writer.chars;
  }

  /** Notes content that is not a part of ours. */
  noteNoPart(place: string, kind: unknown): void {
    const message = "The contract has no part for this content; it is kept beside the message";
    this.#log.note("adapter/unsupported-content", message, place, { actual: shown(kind) });
  }

  #parts(item: Item, body: Members, place: string): PartText[] {
    const content = (plain: Channel): PartText[] => this.#texts(member(body, "content"), plain, `${place}/content`);
    if (item.kind === "message") return content(TEXT);
    const summary = this.#texts(member(body, "summary"), SUMMARY, `${place}/summary`);
    const raw = content(RAW);
    const hasSummary = summary.some(({ text }) => text !== "");
    return item.channel === SUMMARY || (item.channel === undefined && hasSummary) ? summary : raw;
  }

  #texts(parts: unknown, plain: Channel, place: string): PartText[] {
    if (typeof parts === "string") return [{ channel: plain, number: 0, text: parts }];
    if (!Array.isArray(parts)) {
      if (parts !== undefined) this.#log.invalid(place, "an array", parts);
      return [];
    }
    const texts: PartText[] = [];
    for (const [number, part] of (parts as unknown[]).entries()) {
      if (!isObject(part)) {
        this.#log.invalid(`${place}/${number}`, "an object", part);
        continue;
      }
      const channel = channelOf(part, plain);
      const text = channel === undefined ? undefined : member(part, channel.whole);
      if (typeof text === "string" && channel?.item === plain.item) texts.push({ channel, number, text });
      else if (text !== undefined || channel === undefined) this.noteNoPart(`${place}/${number}`, member(part, "type"));
    }
    return texts;
  }

  #slot(event: Members, channel: Channel): Slot {
    const item = this.#items.of(channel.item, event);
    const slot = this.#slotOf(item, channel, integerAt(event, channel.place));
    const key = slotKey(event, channel);
    if (key !== undefined && !item.final) this.#slots.set(key, slot);
    return slot;
  }

  #slotOf(item: Item, channel: Channel, part: number | undefined): Slot {
    const key = slotName(channel, part);
    let slot = item.slots.get(key);
    if (slot === undefined) {
      slot = new Slot(item, channel, this.#writing(item, channel));
      item.slots.set(key, slot);
    }
    return slot;
  }

  #writing(item: Item, channel: Channel): Slot["write"] {
    const writer = this.#writer;
    if (channel.item === "message") return (text) => writer.text(text);
    // A summary and raw reasoning say the same: what came first is shown.
    item.channel ??= channel;
    return item.channel === channel ? (text) => writer.thinking(text) : undefined;
  }

  /** Returns what a whole text has beyond its deltas; what has been written stays. */
  #rest(item: Item, seen: string, whole: string, place: string): string {
    const rest = whole === "" ? "" : restOf(seen, whole);
    if (rest === undefined && !item.mismatched) {
      item.mismatched = true;
      const message = "The whole text is not what its deltas said; the deltas stand";
      this.#log.note("adapter/text-mismatch", message, place, { expected: shown(seen), actual: shown(whole) });
    }
    return rest ?? "";
  }

  #write(slot: Slot, text: string): void {
    slot.text += text;
    if (slot.write === undefined) return;
    if (slot !== this.#current) this.#enter(slot);
    slot.write(text);
  }

  /** Turns to another slot; notes where the text of its item begins. */
  #enter(slot: Slot): void {
    this.leave();
    this.#current = slot;
    if (slot.channel === REFUSAL) this.refused = true;
    const { item } = slot;
    if (slot.part < 0) {
      const { kind, part, chars } = this.#writer;
      const joins = kind === (item.kind === "message" ? "text" : "thinking");
      slot.part = joins ? part : part + 1;
      slot.start = joins ? chars : 0;
    }
    if (item.part >= 0) return;
    item.part = slot.part;
    item.start = item.end = slot.start;
  }
}

/** Returns the slot of a content part that has text. */
function textSlot(item: Item, part: number | undefined): Slot | undefined {
  const slot = item.slots.get(slotName(TEXT, part));
  return slot !== undefined && slot.part >= 0 ? slot : undefined;
}

function slotName(channel: Channel, part: number | undefined): string {
  return `${channel.name} ${part}`;
}

/** Returns a key for the place that an event names, undefined where it names none. */
function slotKey(event: Members, channel: Channel): string | undefined {
  const output = integerAt(event, "output_index");
  const part = integerAt(event, channel.place);
  return output === undefined || part === undefined ? undefined : `${channel.name} ${output} ${part}`;
}
