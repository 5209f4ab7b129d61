/**
 * One step of a UI message stream: its parts in the order in which they began. Texts, reasoning and calls may
 * come at the same time, each under its id; what began later waits until all before it has ended.
 */

import type { DeltaParts, DeltaStream } from "../core/deltas.js";
import type { RunItem } from "../core/items.js";
import type { Json, Reading } from "../core/reading.js";

export type BlockKind = "text" | "thinking" | "call" | "server_call" | "whole";

/** Provider metadata of a part, and its place. */
export interface BlockState {
  readonly metadata: Json;
  readonly place: string;
}

/** A part that comes: deltas that wait, until all parts before it have ended. */
export class Block {
  /** Of its events. */
  readonly places: string[] = [];
  waiting: DeltaParts[] = [];
  ended = false;
  readonly text: string[] = [];
  state: BlockState | undefined;

  /** `name` is the id of a call, or the place of a citation; `tool` the name of a call's tool. */
  constructor(
    readonly kind: BlockKind,
    readonly name = "",
    readonly tool = "",
  ) {}

  get isCall(): boolean {
    return this.kind === "call" || this.kind === "server_call";
  }
}

/** A result, or the answer of a person, and the place of its event. */
export interface Came {
  readonly part: Json;
  readonly place: string;
}

/** The parts of one step, and what came of its calls. */
export class Step {
  readonly blocks: Block[] = [];
  readonly calls = new Map<string, Block>();
  readonly results = new Map<string, Came>();
  /** Calls whose results are in it. */
  readonly answered = new Set<string>();
  hasCalls = false;
  /** Whether finish-step has come. */
  isDone = false;
  readonly #texts = new Map<string, Block>();
  readonly #stream: DeltaStream;
  readonly #reading: Reading;
  readonly #give: (item: RunItem) => void;
  /** The first block that has not ended. */
  #head = 0;
  #hasText = false;
  #citations: { readonly payload: Json; readonly place: string }[] = [];

  constructor(stream: DeltaStream, reading: Reading, give: (item: RunItem) => void) {
    this.#stream = stream;
    this.#reading = reading;
    this.#give = give;
  }

  /** Whether all parts have ended. */
  get isSettled(): boolean {
    return this.#head === this.blocks.length;
  }

  /** Whether the arguments of a call have not ended. */
  get hasOpenCall(): boolean {
    return this.blocks.some((block) => block.isCall && !block.ended);
  }

  /** Begins a part. */
  add(block: Block): Block {
    this.blocks.push(block);
    return block;
  }

  /** Begins a text under its id. */
  addText(block: Block, id: string): void {
    this.#texts.set(`${block.kind} ${id}`, this.add(block));
  }

  /** Returns the text of an id, as long as it is open. */
  textOf(kind: BlockKind, id: string): Block | undefined {
    return this.#texts.get(`${kind} ${id}`);
  }

  /** Forgets the id of a text, which ends. */
  forgetText(kind: BlockKind, id: string): void {
    this.#texts.delete(`${kind} ${id}`);
  }

  /** Adds a delta to a part. */
  write(block: Block, kind: string, payload: Json): void {
    block.waiting.push([kind, payload]);
    this.#move();
  }

  /** Ends a part. */
  close(block: Block): void {
    block.ended = true;
    this.#move();
  }

  /** Gives a delta that is of no part, such as the end. */
  say(kind: string, payload: Json, timestamp?: string): void {
    this.#give(this.#stream.delta(kind, payload, timestamp));
  }

  /** Gives all that waits: no more comes of this step. */
  flush(): void {
    for (const block of this.blocks.slice(this.#head)) {
      this.#drain(block);
      if (block.ended || !block.isCall) continue;
      for (const place of block.places) this.#reading.note("open-call", place);
    }
  }

  /** Reports the citations that no text came for. */
  noteCitations(): void {
    for (const { place } of this.#citations) this.#reading.note("foreign-event", place);
  }

  /** Gives what may be given: of the first part that has not ended, and of those before. */
  #move(): void {
    for (; this.#head < this.blocks.length; this.#head++) {
      const block = this.blocks[this.#head] as Block;
      this.#drain(block);
      if (!block.ended) return;
    }
  }

  #drain(block: Block): void {
    const { waiting } = block;
    block.waiting = [];
    for (const [kind, payload] of waiting) {
      if (kind === "text_citation" && !this.#hasText) {
        this.#citations.push({ payload, place: block.name });
        continue;
      }
      this.say(kind, payload);
      if (kind === "text" && payload["textDelta"] !== "") this.#cite();
    }
  }

  /** Gives the citations that came before the first text. */
  #cite(): void {
    this.#hasText = true;
    for (const { payload, place } of this.#citations) {
      this.#reading.note("part-order", place);
      this.say("text_citation", payload);
    }
    this.#citations = [];
  }
}
