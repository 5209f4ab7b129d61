/** Snapshots of all messages in a stream: which of them have come, and which are new. */

import { sameJson } from "../../json/equality.js";
import { callPart } from "../core/parts.js";
import type { Json, Reading } from "../core/reading.js";
import { Answer, type Block, type Item, type Lanes, Whole } from "./lanes.js";
import { Histories, type Said } from "./messages.js";

/** How often a role has said a text. */
class Counts {
  readonly #counts = new Map<string, number>();

  add(role: string, text: string): number {
    const count = this.of(role, text) + 1;
    this.#counts.set(`${role} ${text}`, count);
    return count;
  }

  of(role: string, text: string): number {
    return this.#counts.get(`${role} ${text}`) ?? 0;
  }
}

/**
 * Reads snapshots: items only grow, so what has come stays, and what is new is added. Where a snapshot
 * takes something back or says it in another way, that is a loss.
 */
export class Snapshots {
  readonly #reading: Reading;
  readonly #lanes: Lanes;
  /** What has ended. */
  readonly #said = new Counts();
  readonly #texts = new Set<string>();
  /** Of the items, those that are in the two. */
  #counted = 0;

  constructor(reading: Reading, lanes: Lanes) {
    this.#reading = reading;
    this.#lanes = lanes;
  }

  /** Reads the messages at `place`; `isWhole`: there are no others. */
  read(messages: readonly unknown[], place: string, isWhole: boolean): void {
    const histories = new Histories(this.#reading);
    for (const message of this.#reading.items(messages, place)) histories.read(message);
    const found = histories.finish();
    this.#count();
    const fresh: Json[] = [];
    const taken = new Counts();
    for (const said of found) {
      const has = this.#has(said.message, taken);
      if (has === "other") this.#reading.note("foreign-event", said.place);
      else if (has === "same") this.#reading.note("duplicate-text", said.place);
      else fresh.push(said.message);
    }
    if (isWhole && this.#lacks(found)) this.#reading.note("foreign-event", place);
    for (const message of fresh) this.#lanes.add(message);
  }

  /** Counts what has ended since the last snapshot, up to the first item that has not. */
  #count(): void {
    const items = this.#lanes.known;
    for (let item = items[this.#counted]; item !== undefined && hasEnded(item); item = items[this.#counted]) {
      const text = textOf(item);
      this.#said.add(roleOf(item), text);
      if (text !== "") this.#texts.add(text);
      this.#counted++;
    }
  }

  /** Tells whether a snapshot lacks what has come, by id and by text. */
  #lacks(found: readonly Said[]): boolean {
    const { owners } = this.#lanes;
    const ids = new Set(found.map(({ message }) => message["messageId"] as string).filter((id) => owners.has(id)));
    const texts = new Set(found.map(({ message }) => textIn(message)).filter((text) => this.#texts.has(text)));
    return ids.size < owners.size && texts.size < this.#texts.size;
  }

  /** Tells whether a message has come, with the same content or other. */
  #has(message: Json, taken: Counts): "no" | "same" | "other" {
    const [role, text] = [message["role"] as string, textIn(message)];
    const { results, calls: known, owners } = this.#lanes;
    const answers = payloadsOf(message, "tool_result");
    if (answers.length > 0) {
      if (!answers.every((each) => results.has(each["toolCallId"] as string))) return "no";
      const isSame = answers.every((each) => sameJson(results.get(each["toolCallId"] as string), each["content"]));
      return isSame ? "same" : "other";
    }
    const calls = payloadsOf(message, "tool_call").map(
      (call) => [call, known.get(call["toolCallId"] as string)] as const,
    );
    const areSame = calls.every(([call, block]) => block !== undefined && isSameCall(call, block));
    const items = owners.get(message["messageId"] as string);
    if (items !== undefined) {
      const texts = items.map(textOf);
      return areSame && (texts.join("") === text || texts.includes(text)) ? "same" : "other";
    }
    if (calls.some(([, block]) => block !== undefined)) {
      return areSame && (text === "" || this.#take(role, text, taken)) ? "same" : "other";
    }
    return calls.length === 0 && text !== "" && this.#take(role, text, taken) ? "same" : "no";
  }

  /** Tells whether a text has come that stands for no other message of the snapshot. */
  #take(role: string, text: string, taken: Counts): boolean {
    return taken.add(role, text) <= this.#said.of(role, text);
  }
}

function isSameCall(call: Json, block: Block): boolean {
  const known = callPart(block.name, block.tool, block.texts.join("") || "{}")["payload"] as Json;
  return [...Object.keys(known), "rawArgsText"].every((name) => sameJson(call[name], known[name]));
}

function hasEnded(item: Item): boolean {
  return item instanceof Whole ? item.isReady : item.blocks.every(({ isOver, ended }) => isOver || ended);
}

function roleOf(item: Item): string {
  return item instanceof Answer ? "assistant" : String(item.message["role"]);
}

function textOf(item: Item): string {
  if (item instanceof Whole) return textIn(item.message);
  return item.blocks.flatMap(({ kind, texts }) => (kind === "text" ? texts : [])).join("");
}

function payloadsOf(message: Json, kind: string): Json[] {
  const parts = message["parts"] as { readonly kind: string; readonly payload: Json }[];
  return parts.filter((part) => part.kind === kind).map(({ payload }) => payload);
}

function textIn(message: Json): string {
  return payloadsOf(message, "text")
    .map((payload) => payload["text"] as string)
    .join("");
}
