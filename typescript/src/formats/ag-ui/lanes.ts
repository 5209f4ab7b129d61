/**
 * What comes of a run: answers, each of which is a stream of deltas, and whole messages, in order.
 *
 * Texts, reasoning and calls may come at the same time, each under its id. Items have the order in which
 * they began, and so have the parts of an answer: what began later waits until all before it has ended.
 */

import type { MessageDelta } from "../../contract/current/message.js";
import { StreamProtocolError } from "../../errors.js";
import type { FormatLossCode } from "../../generated/tables/losses.js";
import { jsonText } from "../../json/compact.js";
import { MessageAssembler } from "../../message/assembler/assembler.js";
import { DeltaStream } from "../core/deltas.js";
import { type RunItem, readMessage } from "../core/items.js";
import type { Json, Reading } from "../core/reading.js";
import { isDerived, type Kept, stateOf, stemOf } from "./state.js";

const UNKNOWN = "unknown";
const OPEN_CALL = { errorCode: "truncated_stream", message: "The arguments of a call did not end" };

/** A delta that waits, and the place of its event. */
interface Waiting {
  readonly kind: string;
  readonly payload: Json;
  readonly timestamp: string | undefined;
  readonly place: string;
}

/** A part that comes: deltas that wait, until all parts before it have ended. */
export class Block {
  waiting: Waiting[] = [];
  readonly texts: string[] = [];
  /** Its last event has come; of reasoning, state may still come. */
  isOver = false;
  ended = false;
  kept: Kept = { own: {} };
  /** Of the events that it has come of. */
  readonly places: string[] = [];

  /** `name` is the id of the text, the reasoning or the call, `tool` that of the tool. */
  constructor(
    readonly kind: "text" | "thinking" | "call" | "own" | "whole",
    readonly name = "",
    readonly tool = "",
  ) {}
}

/** The delta that ends an answer: as ours says it, or without its head. */
export interface Ending {
  readonly kind: string;
  readonly payload: Json;
  readonly timestamp?: string | undefined;
}

interface Head {
  readonly runId: string;
  readonly messageId: string | undefined;
  readonly turnId?: string | undefined;
}

/** A message of the assistant that comes. */
export class Answer {
  /** The id that its text and its calls have; reasoning comes before anybody knows it. */
  answerId: string | undefined;
  readonly blocks: Block[] = [];
  /** The first block that has not ended. */
  headBlock = 0;
  stream: DeltaStream | undefined;
  /** It is one of ours, which says itself where it ends. */
  isSaid = false;
  /** Of one of ours, what its deltas are held against: what an extension says may break a rule of streams. */
  rules: MessageAssembler | undefined;
  /** No more comes of it. */
  isGone = false;
  hasCalls = false;
  hasApprovals = false;
  /** As ours says it. */
  end: Ending | undefined;
  #thoughts = 0;
  #isTold = false;

  constructor(
    readonly head: Head,
    readonly start: Json,
    readonly time: string | undefined,
  ) {}

  get messageId(): string | undefined {
    return this.head.messageId;
  }

  /** Returns the state of a thinking part that is over. */
  state({ name, kept }: Block): Json | undefined {
    this.#thoughts++;
    const own: Json = {};
    if (this.isSaid || this.end !== undefined) {
      if (name !== "" && stemOf(name) === name) own["id"] = name;
    } else {
      if (name !== "" && !isDerived(name, this.messageId, this.#thoughts)) own["id"] = name;
      if (!this.#isTold && this.answerId && this.answerId !== this.messageId) {
        this.#isTold = true;
        own["messageId"] = this.answerId;
      }
    }
    return stateOf({ ...kept, own: { ...own, ...kept.own } });
  }

  /** Tells whether a call of it has not ended. */
  get isOpen(): boolean {
    return this.blocks.some(({ kind, ended }) => kind === "call" && !ended);
  }

  /** Tells whether something of it has not ended, now that no more comes. */
  get isCut(): boolean {
    return this.blocks.some(({ isOver, ended }) => !isOver && !ended);
  }
}

/** A message that comes whole, once it is ready. */
export class Whole {
  constructor(
    readonly message: Json,
    public isReady: boolean,
  ) {}
}

export type Item = Answer | Whole;

/** The items of a stream of events, as they become ready. */
export class Lanes {
  runId: string | undefined;
  /** Of the event that is read. */
  time: string | undefined;
  /** Of the event that is read. */
  place = "";
  /** All that has begun. */
  readonly known: Item[] = [];
  /** By all ids that they have. */
  readonly owners = new Map<string, Item[]>();
  readonly calls = new Map<string, Block>();
  /** The content of results, by the id of their call. */
  readonly results = new Map<string, unknown>();
  readonly #reading: Reading;
  /** The first of `known` that is not over. */
  #first = 0;
  #items: RunItem[] = [];
  #requests = 0;
  readonly #noted = new Set<FormatLossCode>();
  /** The last answer of each id. */
  readonly #answers = new Map<string, Answer>();

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** Returns what is ready, once. */
  taken(): RunItem[] {
    const taken = this.#items;
    this.#items = [];
    return taken;
  }

  // --- items --------------------------------------------------------------------------------------

  /** The answer that may go on as the last one; undefined where something else is last. */
  get last(): Answer | undefined {
    const found = this.#first < this.known.length ? this.known.at(-1) : undefined;
    return found instanceof Answer && found.end === undefined ? found : undefined;
  }

  /** Returns the answer that is still there and has this id. */
  answerOf(answerId: string): Answer | undefined {
    const found = this.#answers.get(answerId);
    return found === undefined || found.isGone || found.end !== undefined ? undefined : found;
  }

  /** Says which id the text and the calls of an answer have. */
  adopt(answer: Answer, answerId: string): void {
    answer.answerId = answerId;
    this.#answers.set(answerId, answer);
    if (answerId !== answer.messageId) this.#own(answerId, answer);
  }

  #own(name: unknown, item: Item): void {
    if (typeof name !== "string" || name === "") return;
    const items = this.owners.get(name);
    if (items === undefined) this.owners.set(name, [item]);
    else items.push(item);
  }

  /** Begins an answer, behind all that is there. */
  begin(messageId: string | undefined, answerId: string | undefined, author?: string): Answer {
    this.#requests++;
    const runId = this.#run();
    const start: Json = { modelId: UNKNOWN, requestId: `${runId}.${this.#requests}` };
    if (author) start["author"] = { name: author };
    const answer = new Answer({ runId, messageId }, start, this.time);
    if (answerId !== undefined) this.adopt(answer, answerId);
    this.#note("model-invented");
    this.#now();
    return this.#append(answer);
  }

  /** Begins an answer of ours, whose first delta says what it is; throws StreamProtocolError where no answer does. */
  beginSaid(delta: Json): Answer {
    const rules = new MessageAssembler();
    rules.consume({ ...delta, seq: 0 } as unknown as MessageDelta);
    const { runId, messageId, turnId, timestamp } = delta as unknown as Head & { timestamp: string };
    const answer = new Answer({ runId, messageId, turnId }, delta["payload"] as Json, timestamp);
    answer.isSaid = true;
    answer.rules = rules;
    return this.#append(answer);
  }

  /** Ends an answer of ours by its last delta. */
  endSaid(answer: Answer, delta: Ending): void {
    answer.end = delta;
    answer.isSaid = false;
    if (delta.kind === "error") {
      // No more comes of what is open.
      for (const block of answer.blocks) {
        block.isOver = true;
        block.ended ||= block.kind !== "thinking";
      }
    }
    this.move();
  }

  #append(answer: Answer): Answer {
    this.known.push(answer);
    this.#own(answer.messageId, answer);
    this.move();
    return answer;
  }

  /** Adds a whole message, behind all that is there. */
  add(message: Json, isReady = true): Whole {
    const runId = message["runId"] || this.#run();
    const timestamp = message["timestamp"] || this.#now();
    const whole = new Whole({ ...message, runId, timestamp }, isReady);
    this.known.push(whole);
    this.#own(message["messageId"], whole);
    for (const { kind, payload } of message["parts"] as { kind: string; payload: Json }[]) {
      const callId = payload["toolCallId"] as string;
      if (kind === "tool_result") {
        this.results.set(callId, payload["content"]);
      } else if (kind === "tool_call") {
        const block = new Block("call", callId, payload["toolName"] as string);
        block.texts.push((payload["rawArgsText"] as string | undefined) ?? jsonText(payload["arguments"]));
        this.calls.set(callId, block);
      }
    }
    this.move();
    return whole;
  }

  #run(): string {
    if (this.runId !== undefined) return this.runId;
    this.#note(this.#reading.isGiven.run ? "given" : "run-id-invented");
    return this.#reading.runId;
  }

  #now(): string {
    if (this.time !== undefined) return this.time;
    this.#note(this.#reading.isGiven.time ? "given" : "timestamp-invented");
    return this.#reading.timestamp;
  }

  #note(code: FormatLossCode): void {
    if (this.#noted.has(code)) return;
    this.#noted.add(code);
    this.#reading.note(code, "");
  }

  // --- parts --------------------------------------------------------------------------------------

  /** Begins a part of an answer. */
  block(answer: Answer, kind: Block["kind"], name = "", tool = ""): Block {
    const block = new Block(kind, name, tool);
    answer.blocks.push(block);
    if (kind === "call") this.calls.set(name, block);
    return block;
  }

  /** Writes a delta of a part, when its turn comes. */
  write(block: Block, kind: string, payload: Json): void {
    block.waiting.push({ kind, payload, timestamp: this.time, place: this.place });
    this.move();
  }

  /** Says that the last event of a part has come. */
  close(block: Block): void {
    block.isOver = true;
    block.ended = block.kind !== "thinking";
    this.move();
  }

  /** Adds a part, or what is not one, that one delta says. */
  whole(answer: Answer, kind: string, payload: Json): void {
    const block = this.block(answer, "whole");
    block.ended = true;
    this.write(block, kind, payload);
  }

  // --- order --------------------------------------------------------------------------------------

  /** Writes what may be written: of the first item that is not over, and of those before. */
  move(): void {
    for (let item = this.known[this.#first]; item !== undefined; item = this.known[this.#first]) {
      if (item instanceof Whole) {
        if (!item.isReady) return;
        this.#emit(item);
      } else {
        if (!this.#drain(item, false) || (item.end === undefined && this.#isLast)) return;
        this.#finish(item, undefined);
      }
      this.#first++;
    }
  }

  /** Whether the first item that is not over is the last one. */
  get #isLast(): boolean {
    return this.#first === this.known.length - 1;
  }

  #emit(item: Whole): void {
    this.#items.push(readMessage(item.message));
  }

  /** Writes what waits, as far as the order lets it; returns whether all parts have ended. */
  #drain(answer: Answer, isOver: boolean): boolean {
    const stream = answer.stream ?? this.#begun(answer);
    const isKnown = isOver || answer.answerId !== undefined || answer.end !== undefined || !this.#isLast;
    for (let block = answer.blocks[answer.headBlock]; block !== undefined; block = answer.blocks[answer.headBlock]) {
      for (const { kind, payload, timestamp, place } of block.waiting) {
        const isTaken = this.#put(answer, stream.delta(kind, payload, timestamp));
        if (!isTaken) this.#reading.note("extension-unread", place);
      }
      block.waiting = [];
      const mayEnd = block.isOver && (isKnown || answer.headBlock < answer.blocks.length - 1);
      if (block.kind === "thinking" && !block.ended && (mayEnd || isOver)) this.#endThought(answer, stream, block);
      if (!block.ended && !isOver) return false;
      answer.headBlock++;
    }
    return true;
  }

  #begun(answer: Answer): DeltaStream {
    const { runId, ...ids } = answer.head;
    answer.stream = new DeltaStream(runId, answer.time || this.#reading.timestamp, ids);
    this.#items.push(answer.stream.delta("start", answer.start));
    return answer.stream;
  }

  #endThought(answer: Answer, stream: DeltaStream, block: Block): void {
    block.ended = true;
    const opaque = answer.state(block);
    if (opaque !== undefined) this.#put(answer, stream.delta("thinking", { textDelta: "", opaque }));
  }

  /** Writes a delta; returns false, and leaves it out, where an answer of ours cannot have it. */
  #put(answer: Answer, delta: MessageDelta): boolean {
    try {
      answer.rules?.consume(delta);
    } catch (error) {
      if (error instanceof StreamProtocolError) return false;
      throw error;
    }
    this.#items.push(delta);
    return true;
  }

  /** Ends an answer: as ours says it, as the run ends, or as what follows shows. */
  #finish(answer: Answer, ending: Ending | undefined): void {
    const { stream } = answer;
    if (stream === undefined) return;
    answer.isGone = true;
    const end = answer.end ?? ending;
    if (end?.kind === "error") {
      this.#put(answer, stream.delta("error", end.payload, end.timestamp));
      return;
    }
    const payload = end?.payload ?? { finishReason: answer.hasCalls ? "tool_calls" : UNKNOWN };
    const isOpen = answer.isOpen || !this.#put(answer, stream.delta("done", payload, end?.timestamp || this.time));
    if (isOpen) this.#put(answer, stream.delta("error", OPEN_CALL, this.time));
  }

  /**
   * Ends the run: the last answer by `ending`. Where that is an error, so do those before it of which
   * something has not ended.
   */
  end(ending: Ending): void {
    for (let item = this.known[this.#first]; item !== undefined; item = this.known[this.#first]) {
      if (item instanceof Whole) {
        if (!item.isReady) {
          const incomplete = { ending: "truncated", openToolCallIds: [] };
          item.message["meta"] = { ...(item.message["meta"] as Json | undefined), incomplete };
        }
        this.#emit(item);
      } else {
        const endsSo = this.#isLast || (ending.kind === "error" && item.isCut);
        this.#drain(item, true);
        for (const { kind, ended, places } of item.blocks) {
          if (kind !== "call" || ended) continue;
          for (const place of places) this.#reading.note("open-call", place);
        }
        this.#finish(item, endsSo ? ending : undefined);
      }
      this.#first++;
    }
  }
}
