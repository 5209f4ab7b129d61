/**
 * What can be read from an assembler while its stream runs; nothing in here ever changes. Taking a
 * snapshot copies nothing: slots only ever grow, so a count, a text and a seq say for good how far
 * they were.
 */
import type { Message, MessagePart, UsageSummary } from "../../contract/current/message.js";
import type { JsonObject } from "../../json/values.js";
import { PartialJson } from "./partial-json.js";
import { type CallSlot, type Mark, Preview, readMessage, type Slot, type StreamStart } from "./slots.js";

/**
 * A message in the making, as it was when the snapshot was taken: text, thinking and closed tool
 * calls; no usage, no open calls. It has the members of a `Message`, made when first read; they
 * belong to the caller from then on.
 */
export class Snapshot {
  readonly #start: StreamStart;
  readonly #slots: readonly Slot[];
  readonly #mark: Mark;
  #message: Message | undefined;

  /** @internal */
  constructor(start: StreamStart, slots: readonly Slot[], mark: Mark) {
    this.#start = start;
    this.#slots = slots;
    this.#mark = mark;
  }

  get runId(): string {
    return this.#start.runId;
  }

  get messageId(): string | undefined {
    return this.#start.messageId;
  }

  get turnId(): string | undefined {
    return this.#start.turnId;
  }

  get role(): "assistant" {
    return "assistant";
  }

  /** The parts in arrival order. */
  get parts(): MessagePart[] {
    return this.toMessage().parts;
  }

  /** The start delta's timestamp. */
  get timestamp(): string {
    return this.#start.timestamp;
  }

  /** `modelId`, `requestId` and, where there are any, `toolCallParseErrors`. */
  get meta(): NonNullable<Message["meta"]> {
    return this.toMessage().meta ?? {};
  }

  /** Returns the snapshot as a plain message; the same object at every call. */
  toMessage(): Message {
    this.#message ??= readMessage(this.#start, this.#slots, this.#mark);
    return this.#message;
  }

  /** What `JSON.stringify` writes. */
  toJSON(): Message {
    return this.toMessage();
  }
}

/** One tool call of the stream, open or closed, as it was when this was read. */
export interface ToolCallBuffer {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The argument text so far. */
  readonly rawArgsText: string;
  /** Whether its `tool_call_end` had come. */
  readonly closed: boolean;
}

/** A tool call that is not closed yet: for display, never for execution. */
export class OpenCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The argument text so far. */
  readonly rawArgsText: string;
  readonly #slot: CallSlot;
  readonly #count: number;
  readonly #maxDepth: number;
  #arguments: JsonObject | undefined;

  /** @internal */
  constructor(slot: CallSlot, maxDepth: number) {
    this.toolCallId = slot.id;
    this.toolName = slot.name;
    this.rawArgsText = slot.text;
    this.#slot = slot;
    this.#count = slot.pieces.length;
    this.#maxDepth = maxDepth;
  }

  /**
   * What is certain of the arguments so far; see {@link PartialJson}. It is frozen, with all in
   * it: later values share parts. Read in order, each costs what arrived since the last one that
   * was read; an older one read later parses its text anew.
   */
  get partialArguments(): JsonObject {
    if (this.#arguments === undefined) {
      this.#slot.preview ??= new Preview(this.#maxDepth);
      this.#arguments = this.#slot.preview.at(this.#slot.pieces, this.#count) ?? this.#parsedAnew();
    }
    return this.#arguments;
  }

  #parsedAnew(): JsonObject {
    const parser = new PartialJson(this.#maxDepth);
    parser.feed(this.rawArgsText);
    return parser.value();
  }

  /** What `JSON.stringify` writes. */
  toJSON(): JsonObject {
    const { toolCallId, toolName, rawArgsText, partialArguments } = this;
    return { toolCallId, toolName, rawArgsText, partialArguments };
  }
}

/** A snapshot with what it leaves out, for user interfaces. */
export interface Progress {
  readonly snapshot: Snapshot;
  /** Open calls in the order of their start. */
  readonly openCalls: readonly OpenCall[];
  /** Usage as far as it is known. */
  readonly usage?: UsageSummary;
}
