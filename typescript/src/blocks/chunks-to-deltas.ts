/** Chunks of a streaming response → deltas of the contract. */

import type {
  ContentBlockDeltaChunk,
  ContentBlockStartChunk,
  ContentBlockStopChunk,
  ErrorChunk,
  MessageStopChunk,
  ToolUseChunk,
} from "../contract/current/blocks.js";
import type { MessageDelta } from "../contract/current/message.js";
import { Unknown } from "../contract/unknown.js";
import { inPlaceOrder, type Loss, LossLog } from "../convert/losses.js";
import { badArgument } from "../errors.js";
import { CHUNK_LOSSES } from "../generated/tables/losses.js";
import { codePoints, isUnicode } from "../json/text.js";
import { type Limits, wholeLimits } from "../message/assembler/rules.js";
import { type Chunk, ChunkState } from "./chunk-state.js";
import { Lane, Lanes } from "./lanes.js";

/** A tool_use chunk and the JSON text of its parameters. */
type Call = readonly [ToolUseChunk, string];
type Kind = MessageDelta["kind"];
type Payload<K extends Kind> = Extract<MessageDelta, { kind: K }>["payload"];

const UNKNOWN = "unknown";

/** What a converter of chunks is made with. */
export interface ChunksToDeltasInit {
  /** The run of the deltas. */
  readonly runId: string;
  /** Gives each delta's timestamp, RFC 3339. */
  readonly clock: () => string;
  /** What chunks cannot say; `unknown` where absent, and reported as invented. */
  readonly modelId?: string | undefined;
  readonly requestId?: string | undefined;
  /** Is in every delta, if it is given. */
  readonly messageId?: string | undefined;
  readonly turnId?: string | undefined;
  readonly limits?: Partial<Limits> | undefined;
}

/**
 * Turns the chunks of one response into deltas; sans-IO, for one stream.
 *
 * `seq` counts from 0. An assembler with the same `limits` takes every stream that comes out, closed
 * or not; a stream that is cut ends in an `error` delta with `truncated_stream`. `losses` says what
 * was lost, invented or moved; a pointer's first step is the 0-based number of the chunk. Throws
 * UsageError `usage/invalid-argument`.
 * Source: semantics, blocks and bridges.
 */
export class ChunksToDeltas {
  readonly #runId: string;
  readonly #clock: () => string;
  readonly #start: Payload<"start">;
  readonly #ids: { messageId?: string; turnId?: string };
  readonly #unnamed: ("no-model-id" | "no-request-id")[] = [];
  readonly #state: ChunkState;
  readonly #log = new LossLog(CHUNK_LOSSES);
  readonly #lanes = new Lanes<Call>();
  readonly #open = new Map<number, Lane<Call>>();
  #seq = 0;
  #out: MessageDelta[] = [];
  /** In the content, of the block that begins next. */
  #place = 0;
  /** The block written last, if it is text. */
  #lastText: Lane<Call> | undefined;

  constructor(init: ChunksToDeltasInit) {
    const { modelId, requestId, messageId, turnId } = init;
    const limits = wholeLimits(init.limits ?? {});
    const named = (name: string, value: unknown): string => checked(name, value, limits);
    this.#runId = named("runId", init.runId);
    this.#clock = init.clock;
    this.#state = new ChunkState(limits);
    this.#start = {
      modelId: modelId === undefined ? UNKNOWN : named("modelId", modelId),
      requestId: requestId === undefined ? UNKNOWN : named("requestId", requestId),
    };
    this.#ids = {
      ...(messageId === undefined ? {} : { messageId: named("messageId", messageId) }),
      ...(turnId === undefined ? {} : { turnId: named("turnId", turnId) }),
    };
    if (modelId === undefined) this.#unnamed.push("no-model-id");
    if (requestId === undefined) this.#unnamed.push("no-request-id");
  }

  /** What chunks say and deltas cannot, and the other way round; in order, bounded. */
  get losses(): readonly Loss[] {
    return this.#log.losses;
  }

  /** How many more losses of a code there were than `losses` holds. */
  get leftOut(): ReadonlyMap<string, number> {
    return this.#log.leftOut;
  }

  /** Whether `done` or `error` has come out. */
  get ended(): boolean {
    return this.#state.last !== undefined;
  }

  /**
   * Returns the deltas of the next chunk. Throws StreamProtocolError for one that breaks a rule of
   * its stream, `seq` being the chunk's number; nothing has changed then, and the next chunk may be
   * fed.
   */
  feed(chunk: Chunk): MessageDelta[] {
    const taken = this.#state.take(chunk);
    this.#beginStream();
    this.#write(taken, `/${this.#state.number}`);
    return this.#take();
  }

  /**
   * Reports members that reading left out of the chunk that was fed last. `pointers` lead into the
   * chunk (`unknownMembers` of `partwire`).
   */
  noteUnknownMembers(pointers: Iterable<string>): void {
    for (const pointer of inPlaceOrder(pointers)) this.#log.note("unknown-member", `/${this.#state.number}${pointer}`);
  }

  /** Says that no more chunks come; returns the last deltas of a stream that is cut. */
  close(): MessageDelta[] {
    if (this.ended) return [];
    this.#beginStream();
    this.#flush();
    const message = "The stream stopped before message_stop";
    this.#state.last = { type: "error", message };
    this.#log.note("truncated", `/${this.#state.number + 1}`);
    this.#add("error", { errorCode: "truncated_stream", message, retryable: true });
    return this.#take();
  }

  // --- one method per type ------------------------------------------------------------------------

  #write(chunk: Chunk, pointer: string): void {
    if (chunk instanceof Unknown) return this.#log.note("unknown-chunk", pointer);
    switch (chunk.type) {
      case "content_block_start":
        return this.#onStart(chunk, pointer);
      case "content_block_delta":
        return this.#onDelta(chunk, pointer);
      case "content_block_stop":
        return this.#onStop(chunk);
      case "tool_use":
        return this.#onToolUse(chunk, pointer);
      case "message_stop":
        return this.#onMessageStop(chunk, pointer);
      case "error":
        return this.#onError(chunk, pointer);
    }
  }

  #onStart(chunk: ContentBlockStartChunk, pointer: string): void {
    const lane = new Lane<Call>(pointer, true, chunk.index);
    this.#open.set(chunk.index, lane);
    this.#lanes.add(lane);
  }

  #onDelta(chunk: ContentBlockDeltaChunk, pointer: string): void {
    const lane = this.#opened(chunk.index);
    if (chunk.delta === "") this.#log.note("empty-delta", pointer);
    else if (this.#lanes.isFront(lane)) this.#text(lane, chunk.delta);
    else {
      if (lane.held === "") this.#log.note("held-back", pointer);
      lane.held += chunk.delta;
    }
  }

  #onStop(chunk: ContentBlockStopChunk): void {
    const lane = this.#opened(chunk.index);
    this.#open.delete(chunk.index);
    lane.open = false;
    if (!this.#lanes.isFront(lane)) return;
    this.#checkEmpty(lane);
    this.#advance();
  }

  #onToolUse(chunk: ToolUseChunk, pointer: string): void {
    const lane = new Lane<Call>(pointer, false);
    lane.item = [chunk, this.#state.arguments.text];
    lane.open = false;
    if (this.#lanes.add(lane)) {
      this.#writeLane(lane);
      this.#advance();
    } else {
      this.#log.note("held-back", pointer);
    }
  }

  #onMessageStop({ usage }: MessageStopChunk, pointer: string): void {
    const { input_tokens: inputTokens, output_tokens: outputTokens } = usage;
    let totalTokens = usage.total_tokens;
    if (totalTokens === undefined) {
      this.#log.note("no-total-tokens", `${pointer}/usage`);
      totalTokens = Math.min(inputTokens + outputTokens, Number.MAX_SAFE_INTEGER);
    }
    this.#add("usage", { inputTokens, outputTokens, totalTokens });
    this.#log.note("no-finish-reason", pointer);
    this.#add("done", { finishReason: UNKNOWN });
  }

  #onError({ message }: ErrorChunk, pointer: string): void {
    this.#flush();
    const last = this.#lastText;
    if (last !== undefined && !last.open) this.#log.note("block-end", last.pointer);
    this.#log.note("no-error-code", pointer);
    this.#add("error", { errorCode: UNKNOWN, message, retryable: false });
  }

  // --- blocks -------------------------------------------------------------------------------------

  /** Returns the lane of a block that is open, as the state has checked. */
  #opened(index: number): Lane<Call> {
    return this.#open.get(index) as Lane<Call>;
  }

  #advance(): void {
    for (const lane of this.#lanes.advance()) this.#writeLane(lane);
  }

  /** Writes what a block that has become the front holds. */
  #writeLane(lane: Lane<Call>): void {
    if (lane.item !== undefined) return this.#call(...lane.item);
    const text = lane.held;
    if (text !== "") {
      lane.held = "";
      this.#text(lane, text);
    }
    if (!lane.open) this.#checkEmpty(lane);
  }

  #checkEmpty(lane: Lane<Call>): void {
    if (!lane.begun) this.#log.note("empty-block", lane.pointer);
  }

  /** Writes all that waits: the stream has failed, and what arrived is not lost. */
  #flush(): void {
    for (const lane of this.#lanes.rest()) this.#writeLane(lane);
    for (const lane of this.#open.values()) this.#checkEmpty(lane);
  }

  #text(lane: Lane<Call>, textDelta: string): void {
    if (!lane.begun) {
      lane.begun = true;
      if (this.#lastText !== undefined) this.#log.note("block-boundary", lane.pointer);
      if (lane.index !== this.#place) this.#log.note("block-index", `${lane.pointer}/index`);
      this.#place++;
      this.#lastText = lane;
    }
    this.#add("text", { textDelta });
  }

  #call({ tool_use_id: toolCallId, tool_name: toolName }: ToolUseChunk, argsTextDelta: string): void {
    this.#place++;
    this.#lastText = undefined;
    this.#add("tool_call_start", { toolCallId, toolName });
    this.#add("tool_call_args", { toolCallId, argsTextDelta });
    this.#add("tool_call_end", { toolCallId });
  }

  // --- deltas -------------------------------------------------------------------------------------

  #beginStream(): void {
    if (this.#seq > 0) return;
    for (const code of this.#unnamed) this.#log.note(code);
    this.#add("start", this.#start);
  }

  #add<K extends Kind>(kind: K, payload: Payload<K>): void {
    const head = { runId: this.#runId, ...this.#ids, seq: this.#seq++ };
    this.#out.push({ ...head, kind, payload, timestamp: this.#clock() } as unknown as MessageDelta);
  }

  #take(): MessageDelta[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }
}

function checked(name: string, value: unknown, limits: Limits): string {
  const most = limits.idChars;
  if (typeof value === "string" && value !== "" && codePoints(value) <= most && isUnicode(value)) return value;
  throw badArgument(`${name} is wrong`, `a string of well-formed Unicode, 1 to ${most} characters`, value);
}
