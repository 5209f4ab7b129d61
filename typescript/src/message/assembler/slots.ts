/** The places of a message in the making: one per part, in arrival order. */
import type {
  Author,
  Citation,
  MediaPart,
  MediaSource,
  Message,
  MessagePart,
  Opaque,
  ServerToolCallPart,
  TextFormat,
  TextPayload,
  ToolCallPart,
  WarningDeltaPayload,
} from "../../contract/current/message.js";
import { VALUE_BYTES } from "../../generated/tables/limits.js";
import { base64Of, bytesOf } from "../../json/base64.js";
import { carryDigits, copyJson } from "../../json/digits.js";
import { utf8Length } from "../../json/text.js";
import { isObject, type JsonObject, type JsonValue, own, put } from "../../json/values.js";
import { type ParseError, parseAgain } from "./arguments.js";
import { PartialJson } from "./partial-json.js";
import { sizeOf } from "./payloads.js";
import { invalidDelta, type Limits, nameAt } from "./rules.js";

// --- what a provider wants back ------------------------------------------------------------------
// What a provider wants back with a part: checked, counted and kept as a copy.

const POINTER = "/payload/opaque";
/** An opaque member as it is kept: since when, a copy of it, and what it counts. */
export interface Packed {
  readonly seq: number;
  readonly value: JsonObject;
  readonly size: number;
}

/** Returns a new value of what is kept. */
function unpacked(packed: Packed): Opaque {
  return copyJson(packed.value) as unknown as Opaque;
}

/**
 * Returns `opaque` as it is kept; `left` is how much may still come. Its size is that of its
 * strings and names in UTF-8, and 8 bytes for each value: the same in every language, however it
 * writes numbers. Throws StreamProtocolError `stream/limit-exceeded`, and `stream/invalid-delta`
 * for what no reader lets pass.
 */
export function packOpaque(opaque: unknown, left: number, limits: Limits, seq: number): Packed {
  if (!isObject(opaque)) throw invalidDelta(POINTER, "an object", opaque, seq);
  const provider = nameAt(`${POINTER}/provider`, own(opaque, "provider"), seq);
  const data = own(opaque, "data");
  if (!isObject(data)) throw invalidDelta(`${POINTER}/data`, "a JSON object", data, seq);
  const apart = utf8Length(provider) + VALUE_BYTES;
  const bounds = { bytes: "opaqueBytes", depth: "opaqueDepth", left: left - apart, pointer: POINTER } as const;
  const size = apart + sizeOf(data, bounds, limits, seq, `${POINTER}/data`);
  return { seq, value: { provider, data: copyJson(data as JsonObject) }, size };
}

// --- what came whole -----------------------------------------------------------------------------

/** A citation, a part or a warning as it came: since when, and what it is. */
export interface Kept<T> {
  readonly seq: number;
  readonly value: T;
}

/** Returns new values of those that had come at `seq`. */
export function copiesAt<T>(kept: readonly Kept<T>[], seq: number): T[] {
  return kept.filter((each) => each.seq <= seq).map(({ value }) => copied(value));
}

/** Returns a new value; what a newer version has in it is shared. */
function copied<T>(value: T): T {
  if (Array.isArray(value)) {
    const items: unknown[] = value.map(copied);
    carryDigits(items, value);
    return items as T;
  }
  if (!isObject(value)) return value;
  const made: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) put(made, name, copied(member));
  carryDigits(made, value);
  return made as T;
}

// --- parts ---------------------------------------------------------------------------------------

/** A text or thinking part. Strings never change, so keeping one is a mark in the text. */
export class TextSlot {
  text = "";
  opaque: Packed | undefined;
  citations: Kept<Citation>[] = [];
  preview: TextPreview | undefined;

  constructor(
    readonly thinking: boolean,
    /** The stream's, of a text. */
    readonly format?: TextFormat,
  ) {}

  /** Returns a new part of `text`, with the opaque data and citations that had come at `seq`. */
  part(text: string, seq: number): MessagePart {
    const payload: TextPayload = { text };
    if (this.opaque !== undefined && this.opaque.seq <= seq) payload.opaque = unpacked(this.opaque);
    const citations = copiesAt(this.citations, seq);
    if (citations.length > 0) payload.citations = citations;
    if (this.format !== undefined) payload.format = { ...this.format };
    return { kind: this.thinking ? "thinking" : "text", payload };
  }
}

/** A tool call, of the caller's tools or of the provider's; open until `closedSeq` is set. */
export class CallSlot {
  text = "";
  /** The text as it came, while the call is open: the preview reads on from where it was. */
  pieces: string[] = [];
  opaque: Packed | undefined;
  closedSeq: number | undefined;
  keepText = false;
  error: ParseError | undefined;
  /** The arguments that no reader has taken yet. */
  value: JsonObject | undefined;
  preview: Preview | undefined;

  constructor(
    readonly id: string,
    readonly name: string,
    /** Bytes of argument text that may still come. */
    public left: number,
    /** Whether the provider runs the tool itself. */
    readonly isServer: boolean,
  ) {}

  /**
   * Returns a new part with a copy of the arguments: they can be changed. The first reader gets what
   * was parsed; for later ones the text is parsed again, which is as fast as copying.
   */
  part(): ToolCallPart | ServerToolCallPart {
    const value = this.value ?? (this.error === undefined ? parseAgain(this.text) : {});
    this.value = undefined;
    const payload: ToolCallPart["payload"] = { toolCallId: this.id, toolName: this.name, arguments: value };
    if (this.keepText) payload.rawArgsText = this.text;
    if (this.opaque !== undefined) payload.opaque = unpacked(this.opaque);
    return { kind: this.isServer ? "server_tool_call" : "tool_call", payload };
  }
}

/** A part that came whole. */
export class WholeSlot {
  constructor(readonly value: MessagePart) {}

  /** Returns a new part. */
  part(_seq: number): MessagePart {
    return copied(this.value);
  }
}

/** Bytes that came in pieces: the list only ever grows, or is replaced, so that a count is a mark in it. */
export type Pieces = Uint8Array[];

/** Returns the first `count` pieces as Base64. */
export function joinedBase64(pieces: Pieces, count = pieces.length): string {
  const taken = pieces.slice(0, count);
  const bytes = new Uint8Array(taken.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of taken) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return base64Of(bytes);
}

/** Returns how many bytes Base64 stands for. */
function decodedSize(base64: string): number {
  return (base64.length / 4) * 3 - (base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0);
}

/** Media; open until `closedSeq` is set. */
export class MediaSlot {
  transcript = "";
  pieces: Pieces = [];
  size = 0;
  /** Letters of the Base64 that is held. */
  letters = 0;
  opaque: Packed | undefined;
  closedSeq: number | undefined;
  endType: string | undefined;
  sizeBytes: number | undefined;
  source: MediaSource | undefined;

  constructor(
    readonly id: string,
    readonly mimeType: string,
    readonly name: string | undefined,
  ) {}

  /** Returns how many letters of Base64 are held once {@link take} has taken these. */
  lettersWith(data: string | undefined, piece: string | undefined): number {
    const before = data === undefined ? this.size : decodedSize(data);
    return Math.ceil((before + decodedSize(piece ?? "")) / 3) * 4;
  }

  /** Puts `data` in place of the bytes that came, and appends `piece`. */
  take(data: string | undefined, piece: string | undefined): void {
    if (data !== undefined) {
      this.pieces = [];
      this.size = 0;
    }
    for (const text of [data, piece]) {
      const bytes = bytesOf(text ?? "") as Uint8Array;
      if (bytes.length > 0) this.pieces.push(bytes);
      this.size += bytes.length;
    }
  }

  /** Lets the source be where the media is; without one it is the bytes that came. */
  end(source: MediaSource | undefined): void {
    this.source = source ?? { kind: "inline", data: joinedBase64(this.pieces) };
    this.pieces = [];
  }

  /** Returns a new part; undefined if the media had not ended at `seq`. */
  part(seq: number): MediaPart | undefined {
    if (this.source === undefined || this.closedSeq === undefined || this.closedSeq > seq) return undefined;
    const payload: MediaPart["payload"] = { mimeType: this.endType ?? this.mimeType, source: copied(this.source) };
    if (this.name !== undefined) payload.name = this.name;
    if (this.sizeBytes !== undefined) payload.sizeBytes = this.sizeBytes;
    if (this.transcript !== "") payload.transcript = this.transcript;
    if (this.opaque !== undefined) payload.opaque = unpacked(this.opaque);
    return { kind: "media", payload };
  }
}

export type Slot = TextSlot | CallSlot | WholeSlot | MediaSlot;

/** The incremental parser of one open call, and how many pieces it was fed. */
export class Preview {
  readonly #parser: PartialJson;
  #fed = 0;

  constructor(maxDepth: number) {
    this.#parser = new PartialJson(maxDepth);
  }

  /** Returns the value of the first `count` pieces; undefined if more were fed, or they are gone. */
  at(pieces: readonly string[], count: number): JsonObject | undefined {
    if (count < this.#fed || count > pieces.length) return undefined;
    for (; this.#fed < count; this.#fed++) this.#parser.feed(pieces[this.#fed] as string);
    return this.#parser.value();
  }
}

/** The incremental parser of a text that is to be JSON, and how much of it it was fed. */
export class TextPreview {
  readonly #parser: PartialJson;
  #fed = 0;

  constructor(maxDepth: number) {
    this.#parser = new PartialJson(maxDepth, true);
  }

  /** Tells whether no more was fed than `text`, which is the beginning of the whole, or all of it. */
  reaches(text: string): boolean {
    return text.length >= this.#fed;
  }

  /** Returns what is certain of the value of `text`; undefined if nothing is. */
  of(text: string): JsonValue | undefined {
    this.#parser.feed(text.slice(this.#fed));
    this.#fed = text.length;
    return this.#parser.found();
  }
}

/** What the start delta said. */
export interface StreamStart {
  readonly runId: string;
  readonly timestamp: string;
  readonly modelId: string;
  readonly requestId: string;
  readonly messageId: string | undefined;
  readonly turnId: string | undefined;
  readonly author: Author | undefined;
  readonly format: TextFormat | undefined;
}

/** How far a stream had come: slots, the text that was open, and the last seq. */
export interface Mark {
  readonly count: number;
  readonly text: string | undefined;
  readonly seq: number;
}

/** Returns the message as it was at a mark: all but what was open. */
export function readMessage(
  start: StreamStart,
  slots: readonly Slot[],
  warnings: readonly Kept<WarningDeltaPayload>[],
  mark: Mark,
): Message & { meta: JsonMeta } {
  const parts: MessagePart[] = [];
  const errors: { toolCallId: string; error: ParseError }[] = [];
  for (let index = 0; index < mark.count; index++) {
    const slot = slots[index] as Slot;
    if (slot instanceof TextSlot) {
      const isOpen = mark.text !== undefined && index === mark.count - 1;
      parts.push(slot.part(isOpen ? (mark.text as string) : slot.text, mark.seq));
    } else if (!(slot instanceof CallSlot)) {
      const part = slot.part(mark.seq);
      if (part !== undefined) parts.push(part);
    } else if (slot.closedSeq !== undefined && slot.closedSeq <= mark.seq) {
      parts.push(slot.part());
      if (slot.error !== undefined) errors.push({ toolCallId: slot.id, error: slot.error });
    }
  }
  const meta: JsonMeta = { modelId: start.modelId, requestId: start.requestId };
  const said = copiesAt(warnings, mark.seq);
  if (said.length > 0) meta["warnings"] = said;
  if (errors.length > 0) meta.toolCallParseErrors = errors;
  const { runId, timestamp, messageId, turnId, author } = start;
  return {
    runId,
    ...(messageId === undefined ? {} : { messageId }),
    ...(turnId === undefined ? {} : { turnId }),
    role: "assistant",
    ...(author === undefined ? {} : { author: copied(author) }),
    parts,
    timestamp,
    meta,
  };
}

type JsonMeta = NonNullable<Message["meta"]>;
