/** The places of a message in the making: one per part, in arrival order. */
import type { Message, MessagePart, Opaque, ToolCallPart } from "../../contract/current/message.js";
import { VALUE_BYTES } from "../../generated/tables/limits.js";
import { copyJson } from "../../json/digits.js";
import { isUnicode, utf8Length } from "../../json/text.js";
import { isObject, type JsonObject, own } from "../../json/values.js";
import { type ParseError, parseAgain } from "./arguments.js";
import { PartialJson } from "./partial-json.js";
import { invalidDelta, type Limits, limitExceeded, nameAt } from "./rules.js";

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
  let size = utf8Length(provider) + 2 * VALUE_BYTES;
  let level: unknown[] = [data];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limits.opaqueDepth) throw limitExceeded("opaqueDepth", limits.opaqueDepth, seq, POINTER);
    const below: unknown[] = [];
    for (const container of level) {
      size += sizeInside(container as object, below, seq);
      if (size > left) throw limitExceeded("opaqueBytes", limits.opaqueBytes, seq, POINTER);
    }
    level = below;
  }
  return { seq, value: { provider, data: copyJson(data as JsonObject) }, size };
}

/** Returns the bytes of what is directly in a container; adds what is nested to `below`. */
function sizeInside(container: object, below: unknown[], seq: number): number {
  const members: unknown[] = Array.isArray(container) ? container : Object.values(container);
  let size = VALUE_BYTES * members.length;
  const count = (text: string): void => {
    if (!isUnicode(text)) throw noJson(text, seq);
    size += utf8Length(text);
  };
  if (!Array.isArray(container)) Object.keys(container).forEach(count);
  for (const member of members) {
    if (typeof member === "string") count(member);
    else if (Array.isArray(member) || isObject(member)) below.push(member);
    else if (!(member === null || typeof member === "boolean" || Number.isFinite(member))) throw noJson(member, seq);
  }
  return size;
}

function noJson(value: unknown, seq: number): Error {
  return invalidDelta(`${POINTER}/data`, "a JSON value", value, seq);
}

// --- parts ---------------------------------------------------------------------------------------

/** A text or thinking part. Strings never change, so keeping one is a mark in the text. */
export class TextSlot {
  text = "";
  opaque: Packed | undefined;

  constructor(readonly thinking: boolean) {}

  /** Returns a new part of `text`, with opaque data that had come at `seq`. */
  part(text: string, seq: number): MessagePart {
    const opaque = this.opaque !== undefined && this.opaque.seq <= seq ? this.opaque : undefined;
    const payload = opaque === undefined ? { text } : { text, opaque: unpacked(opaque) };
    return { kind: this.thinking ? "thinking" : "text", payload };
  }
}

/** A tool call; open until `closedSeq` is set. */
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
  ) {}

  /**
   * Returns a new part with arguments of its own: they can be changed. The first reader gets what
   * was parsed; for later ones the text is parsed again, which is as fast as copying.
   */
  part(): ToolCallPart {
    const value = this.value ?? (this.error === undefined ? parseAgain(this.text) : {});
    this.value = undefined;
    const payload: ToolCallPart["payload"] = { toolCallId: this.id, toolName: this.name, arguments: value };
    if (this.keepText) payload.rawArgsText = this.text;
    if (this.opaque !== undefined) payload.opaque = unpacked(this.opaque);
    return { kind: "tool_call", payload };
  }
}

export type Slot = TextSlot | CallSlot;

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

/** What the start delta said. */
export interface StreamStart {
  readonly runId: string;
  readonly timestamp: string;
  readonly modelId: string;
  readonly requestId: string;
  readonly messageId: string | undefined;
  readonly turnId: string | undefined;
}

/** How far a stream had come: slots, the text that was open, and the last seq. */
export interface Mark {
  readonly count: number;
  readonly text: string | undefined;
  readonly seq: number;
}

/** Returns the message as it was at a mark: text, thinking and closed calls. */
export function readMessage(start: StreamStart, slots: readonly Slot[], mark: Mark): Message & { meta: JsonMeta } {
  const parts: MessagePart[] = [];
  const errors: { toolCallId: string; error: ParseError }[] = [];
  for (let index = 0; index < mark.count; index++) {
    const slot = slots[index] as Slot;
    if (slot instanceof TextSlot) {
      const isOpen = mark.text !== undefined && index === mark.count - 1;
      parts.push(slot.part(isOpen ? (mark.text as string) : slot.text, mark.seq));
    } else if (slot.closedSeq !== undefined && slot.closedSeq <= mark.seq) {
      parts.push(slot.part());
      if (slot.error !== undefined) errors.push({ toolCallId: slot.id, error: slot.error });
    }
  }
  const meta: JsonMeta = { modelId: start.modelId, requestId: start.requestId };
  if (errors.length > 0) meta.toolCallParseErrors = errors;
  const { runId, timestamp, messageId, turnId } = start;
  return {
    runId,
    ...(messageId === undefined ? {} : { messageId }),
    ...(turnId === undefined ? {} : { turnId }),
    role: "assistant",
    parts,
    timestamp,
    meta,
  };
}

type JsonMeta = NonNullable<Message["meta"]>;
