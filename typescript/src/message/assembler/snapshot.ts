/**
 * What can be read from an assembler while its stream runs; nothing in here ever changes. Taking a
 * snapshot copies nothing: slots only ever grow, so a count, a text and a seq say for good how far
 * they were.
 */
import type {
  Author,
  Message,
  MessagePart,
  UsageSummary,
  WarningDeltaPayload,
} from "../../contract/current/message.js";
import type { JsonObject, JsonValue } from "../../json/values.js";
import { PartialJson } from "./partial-json.js";
import {
  type CallSlot,
  joinedBase64,
  type Kept,
  type Mark,
  type MediaSlot,
  type Pieces,
  Preview,
  readMessage,
  type Slot,
  type StreamStart,
  TextPreview,
  type TextSlot,
} from "./slots.js";

/**
 * A message in the making, as it was when the snapshot was taken: all parts that had come or ended; no
 * usage, no open calls and media. It has the members of a `Message`, made when first read; they
 * belong to the caller from then on.
 */
export class Snapshot {
  readonly #start: StreamStart;
  readonly #slots: readonly Slot[];
  readonly #warnings: readonly Kept<WarningDeltaPayload>[];
  readonly #mark: Mark;
  #message: Message | undefined;

  /** @internal */
  constructor(start: StreamStart, slots: readonly Slot[], warnings: readonly Kept<WarningDeltaPayload>[], mark: Mark) {
    this.#start = start;
    this.#slots = slots;
    this.#warnings = warnings;
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

  /** The start delta's `author`. */
  get author(): Author | undefined {
    return this.toMessage().author;
  }

  /** The parts in arrival order. */
  get parts(): MessagePart[] {
    return this.toMessage().parts;
  }

  /** The start delta's timestamp. */
  get timestamp(): string {
    return this.#start.timestamp;
  }

  /** `modelId`, `requestId` and, where there are any, `warnings` and `toolCallParseErrors`. */
  get meta(): NonNullable<Message["meta"]> {
    return this.toMessage().meta ?? {};
  }

  /** Returns the snapshot as a plain message; the same object at every call. */
  toMessage(): Message {
    this.#message ??= readMessage(this.#start, this.#slots, this.#warnings, this.#mark);
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

/** A tool call that is not closed yet, also one of a tool that the provider runs: for display, never for execution. */
export class OpenCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The argument text so far. */
  readonly rawArgsText: string;
  /** Whether the provider runs the tool itself. */
  readonly isServer: boolean;
  readonly #slot: CallSlot;
  readonly #count: number;
  readonly #maxDepth: number;
  #arguments: JsonObject | undefined;

  /** @internal */
  constructor(slot: CallSlot, maxDepth: number) {
    this.toolCallId = slot.id;
    this.toolName = slot.name;
    this.rawArgsText = slot.text;
    this.isServer = slot.isServer;
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
    const shown = { toolCallId, toolName, rawArgsText, partialArguments };
    return this.isServer ? { ...shown, isServer: true } : shown;
  }
}

/** Media that has not ended yet, as far as it has come. */
export class OpenMedia {
  readonly mediaId: string;
  /** The media type that its start said. */
  readonly mimeType: string;
  /** What is said in it so far. */
  readonly transcript: string;
  readonly #pieces: Pieces;
  readonly #count: number;

  /** @internal */
  constructor(slot: MediaSlot) {
    this.mediaId = slot.id;
    this.mimeType = slot.mimeType;
    this.transcript = slot.transcript;
    this.#pieces = slot.pieces;
    this.#count = slot.pieces.length;
  }

  /** The bytes so far, as Base64; joined at every call. */
  get data(): string {
    return joinedBase64(this.#pieces, this.#count);
  }

  /** What `JSON.stringify` writes. */
  toJSON(): JsonObject {
    const { mediaId, mimeType, transcript, data } = this;
    return { mediaId, mimeType, transcript, data };
  }
}

/** What is known of the JSON value that a text part is to be: for display alone. */
export class PartialValue {
  readonly #slot: TextSlot;
  readonly #text: string;
  readonly #maxDepth: number;
  #value: [JsonValue | undefined] | undefined;

  /** @internal */
  constructor(
    /** The part's index among the parts that have begun, open calls and media counted. */
    readonly partIndex: number,
    slot: TextSlot,
    maxDepth: number,
  ) {
    this.#slot = slot;
    this.#text = slot.text;
    this.#maxDepth = maxDepth;
  }

  /**
   * What is certain of the value so far, by the rules of {@link PartialJson}, and frozen; undefined
   * while nothing is, and for good once the text is not the beginning of a JSON value.
   */
  get partialValue(): JsonValue | undefined {
    this.#value ??= [this.#read()];
    return this.#value[0];
  }

  #read(): JsonValue | undefined {
    const { preview } = this.#slot;
    if (preview?.reaches(this.#text) === false) return new TextPreview(this.#maxDepth).of(this.#text);
    this.#slot.preview = preview ?? new TextPreview(this.#maxDepth);
    return this.#slot.preview.of(this.#text);
  }

  /** What `JSON.stringify` writes. */
  toJSON(): JsonObject {
    const { partIndex, partialValue } = this;
    return partialValue === undefined ? { partIndex } : { partIndex, partialValue };
  }
}

/** A snapshot with what it leaves out, for user interfaces. */
export interface Progress {
  readonly snapshot: Snapshot;
  /** Open calls in the order of their start. */
  readonly openCalls: readonly OpenCall[];
  /** Usage as far as it is known. */
  readonly usage?: UsageSummary;
  /** Open media in the order of its start; absent if there is none. */
  readonly openMedia?: readonly OpenMedia[];
  /** For each text part of a stream whose `start` has a `format`, in their order; absent if there is none. */
  readonly partialValues?: readonly PartialValue[];
}
