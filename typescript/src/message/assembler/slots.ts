/** The places of a message in the making: one per part, in arrival order. */
import type { Message, MessagePart, ToolCallPart } from "../../generated/v0_2/message.js";
import type { JsonObject } from "../../json/values.js";
import { type ParseError, parseAgain } from "./arguments.js";
import { type Packed, unpacked } from "./opaque.js";
import { PartialJson } from "./partial-json.js";

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
