/** Deltas of the contract → chunks of a streaming response. */

import type { StreamChunk, TokenUsage, ToolUseChunk } from "../contract/current/blocks.js";
import type { ErrorDeltaPayload, MessageDelta, UsageSummary } from "../contract/current/message.js";
import { Unknown } from "../contract/unknown.js";
import { inPlaceOrder, type Loss, LossLog } from "../convert/losses.js";
import { DELTA_LOSSES, type DeltaLossCode, KIND_CODES } from "../generated/tables/losses.js";
import { own } from "../json/values.js";
import { type AssemblerInit, beginStream, type StreamState } from "../message/assembler/assembler.js";
import { refusal } from "../message/assembler/rules.js";
import type { CallSlot } from "../message/assembler/slots.js";
import { Lane, Lanes } from "./lanes.js";

type Delta<K extends MessageDelta["kind"]> = Extract<MessageDelta, { kind: K }>;

const BESIDE = [
  ["message-id", "messageId"],
  ["turn-id", "turnId"],
  ["provider-raw", "providerRaw"],
] as const;
/** The kinds without a chunk that make a part, which parts the text around it. */
const PARTS = new Set<string>(["server_tool_call_start", "server_tool_result", "approval_request", "media_start"]);
const COUNTS = ["reasoningTokens", "cacheReadTokens", "cacheWriteTokens"] as const;

/** Tells whether a name says something that could be lost. */
const isNamed = (name: string): boolean => name !== "" && name !== "unknown";

/**
 * Turns the deltas of one stream into chunks; sans-IO, for one stream.
 *
 * The text parts and tool calls of the message, in their order, become blocks and `tool_use` chunks;
 * `index` is a block's place among both. A stream that is cut ends in an `error` chunk. `losses` says
 * what was lost, invented or moved; a pointer's first step is the 0-based number of the delta. What
 * it is made with is what an assembler is made with.
 * Source: semantics, blocks and bridges.
 */
export class DeltasToChunks {
  /** An assembler's: it holds the rules of a delta stream. */
  readonly #state: StreamState;
  readonly #log = new LossLog(DELTA_LOSSES);
  readonly #lanes = new Lanes<ToolUseChunk>();
  readonly #calls = new Map<string, Lane<ToolUseChunk>>();
  #number = -1;
  #closed = false;
  #out: StreamChunk[] = [];
  /** What the text that is being written is; its block too, unless it is thinking. */
  #kind: "text" | "thinking" | undefined;
  #run: Lane<ToolUseChunk> | undefined;
  /** In the content, of the block that begins next. */
  #place = 0;
  /** Pointer of the last usage. */
  #usageAt = "";
  /** Name → pointer of its last figure, in order. */
  readonly #countsAt = new Map<string, string>();
  /** Codes of what every delta says again. */
  readonly #once = new Set<DeltaLossCode>();

  constructor(init: AssemblerInit = {}) {
    this.#state = beginStream(init);
  }

  /** What deltas say and chunks cannot, and the other way round; in order, bounded. */
  get losses(): readonly Loss[] {
    return this.#log.losses;
  }

  /** How many more losses of a code there were than `losses` holds. */
  get leftOut(): ReadonlyMap<string, number> {
    return this.#log.leftOut;
  }

  /** Whether `message_stop` or `error` has come out. */
  get ended(): boolean {
    return this.#closed || this.#state.status === "done" || this.#state.status === "error";
  }

  /**
   * Returns the chunks of the next delta. Throws StreamProtocolError as an assembler does; nothing
   * has changed then, and the next delta may be fed.
   */
  feed(delta: MessageDelta | Unknown): StreamChunk[] {
    this.#number++;
    if (this.#closed) throw refusal("stream/after-terminal", "The stream is closed", undefined, { pointer: "/kind" });
    this.#state.consume(delta);
    const pointer = `/${this.#number}`;
    if (delta instanceof Unknown) {
      this.#log.note("unknown-delta", pointer);
    } else {
      this.#noteMembers(delta, pointer);
      this.#write(delta, pointer);
    }
    return this.#take();
  }

  /**
   * Reports members that reading left out of the delta that was fed last. `pointers` lead into the
   * delta (`unknownMembers` of `partwire`).
   */
  noteUnknownMembers(pointers: Iterable<string>): void {
    for (const pointer of inPlaceOrder(pointers)) this.#log.note("unknown-member", `/${this.#number}${pointer}`);
  }

  /** Says that no more deltas come; returns the last chunks of a stream that is cut. */
  close(): StreamChunk[] {
    if (this.ended) return [];
    this.#closed = true;
    this.#flush();
    this.#noteUsage();
    this.#log.note("truncated", `/${this.#number + 1}`);
    this.#out.push({ type: "error", message: "The stream stopped before done or error" });
    return this.#take();
  }

  // --- one method per kind ------------------------------------------------------------------------

  #write(delta: MessageDelta, pointer: string): void {
    switch (delta.kind) {
      case "start":
        return this.#onStart(delta, pointer);
      case "text":
        return this.#onText(delta, pointer);
      case "thinking":
        return this.#onThinking(delta, pointer);
      case "tool_call_start":
        return this.#onCallStart(delta.payload.toolCallId, pointer);
      case "tool_call_args":
        return; // the state keeps them
      case "tool_call_end":
        return this.#onCallEnd(delta.payload.toolCallId, pointer);
      case "usage":
        return this.#onUsage(delta.payload, pointer);
      case "done":
        return this.#onDone(delta, pointer);
      case "error":
        return this.#onError(delta.payload, pointer);
      default: // of a kind that chunks have no place for
        if (PARTS.has(delta.kind)) this.#endRun();
        this.#log.note(KIND_CODES.get(delta.kind) as DeltaLossCode, pointer);
    }
  }

  #onStart({ payload }: Delta<"start">, pointer: string): void {
    this.#log.note("run-id", `${pointer}/runId`);
    this.#log.note("timestamp", `${pointer}/timestamp`);
    if (payload.author !== undefined) this.#log.note("author", `${pointer}/payload/author`);
    if (payload.format !== undefined) this.#log.note("text-format", `${pointer}/payload/format`);
    if (isNamed(payload.modelId)) this.#log.note("model-id", `${pointer}/payload/modelId`);
    if (isNamed(payload.requestId)) this.#log.note("request-id", `${pointer}/payload/requestId`);
  }

  #onText({ payload }: Delta<"text">, pointer: string): void {
    this.#text(payload.textDelta, pointer);
    if (payload.opaque !== undefined) this.#endRun(); // the state ends its part
  }

  #text(text: string, pointer: string): void {
    if (text === "") return;
    const lane = this.#run ?? this.#beginRun(pointer);
    if (this.#lanes.isFront(lane)) {
      this.#out.push({ type: "content_block_delta", index: lane.index, delta: text });
    } else {
      if (lane.held === "") this.#log.note("held-back", pointer);
      lane.held += text;
    }
  }

  #beginRun(pointer: string): Lane<ToolUseChunk> {
    this.#endRun();
    const lane = new Lane<ToolUseChunk>(pointer, true);
    this.#run = lane;
    this.#kind = "text";
    if (this.#lanes.add(lane)) this.#writeLane(lane);
    return lane;
  }

  #onThinking({ payload }: Delta<"thinking">, pointer: string): void {
    if (payload.textDelta !== "" && this.#kind !== "thinking") {
      this.#endRun();
      this.#kind = "thinking";
      this.#log.note("thinking", pointer);
    }
    if (payload.opaque !== undefined) this.#endRun();
  }

  #onCallStart(id: string, pointer: string): void {
    this.#endRun();
    const lane = new Lane<ToolUseChunk>(pointer, false);
    this.#calls.set(id, lane);
    this.#lanes.add(lane);
  }

  #onCallEnd(id: string, pointer: string): void {
    const lane = this.#calls.get(id) as Lane<ToolUseChunk>; // it is open: the state has taken its end
    this.#calls.delete(id);
    lane.open = false;
    lane.item = this.#toolUse(id, lane.pointer);
    if (this.#lanes.isFront(lane)) {
      this.#writeLane(lane);
      this.#advance();
    } else {
      this.#log.note("held-back", pointer);
    }
  }

  #onUsage(payload: UsageSummary, pointer: string): void {
    this.#usageAt = `${pointer}/payload`;
    for (const name of COUNTS) {
      if (payload[name] === undefined) continue;
      this.#countsAt.delete(name); // to come behind those that came before
      this.#countsAt.set(name, `${this.#usageAt}/${name}`);
    }
  }

  #onDone({ payload }: Delta<"done">, pointer: string): void {
    this.#endRun();
    const usage = this.#tokens(pointer);
    if (isNamed(payload.finishReason)) this.#log.note("finish-reason", `${pointer}/payload/finishReason`);
    if (payload.providerFinishReason !== undefined) {
      this.#log.note("provider-finish-reason", `${pointer}/payload/providerFinishReason`);
    }
    this.#out.push({ type: "message_stop", usage });
  }

  /** Returns the usage of the whole stream; what of it has no place is noted. */
  #tokens(pointer: string): TokenUsage {
    const { usage } = this.#state;
    if (usage === undefined) {
      this.#log.note("no-usage", pointer);
      return { input_tokens: 0, output_tokens: 0 };
    }
    if (usage.cost !== undefined) this.#log.note("cost", `${this.#usageAt}/cost`);
    for (const place of this.#countsAt.values()) this.#log.note("token-counts", place);
    const { inputTokens, outputTokens, totalTokens } = usage;
    return { input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: totalTokens };
  }

  #onError({ errorCode, message, retryable }: ErrorDeltaPayload, pointer: string): void {
    this.#flush();
    this.#noteUsage();
    if (isNamed(errorCode) || retryable === true) this.#log.note("error-code", `${pointer}/payload/errorCode`);
    if (message === undefined) this.#log.note("no-error-message", `${pointer}/payload`);
    this.#out.push({ type: "error", message: message ?? errorCode });
  }

  // --- blocks -------------------------------------------------------------------------------------

  /** Lets the next text begin a new block, as the assembler lets it begin a new part. */
  #endRun(): void {
    this.#kind = undefined;
    const lane = this.#run;
    this.#run = undefined;
    if (lane === undefined) return;
    lane.open = false;
    if (!this.#lanes.isFront(lane)) return;
    this.#out.push({ type: "content_block_stop", index: lane.index });
    this.#advance();
  }

  #advance(): void {
    for (const lane of this.#lanes.advance()) this.#writeLane(lane);
  }

  /** Writes what a block that has become the front holds. */
  #writeLane(lane: Lane<ToolUseChunk>): void {
    if (!lane.isText) {
      if (lane.item === undefined) return;
      this.#place++;
      this.#out.push(lane.item);
      return;
    }
    const index = this.#place++;
    lane.index = index;
    this.#out.push({ type: "content_block_start", index });
    if (lane.held !== "") this.#out.push({ type: "content_block_delta", index, delta: lane.held });
    lane.held = "";
    if (!lane.open) this.#out.push({ type: "content_block_stop", index });
  }

  /** Writes all that waits: the stream has failed, and what arrived is not lost. */
  #flush(): void {
    for (const lane of this.#calls.values()) this.#log.note("open-tool-call", lane.pointer);
    for (const lane of this.#lanes.rest()) this.#writeLane(lane);
  }

  #toolUse(id: string, pointer: string): ToolUseChunk {
    const call = this.#state.calls.get(id) as CallSlot;
    if (call.error !== undefined) this.#log.note("arguments-text", pointer);
    const { toolName, arguments: parameters } = call.part().payload;
    return { type: "tool_use", tool_name: toolName, tool_use_id: id, parameters };
  }

  // --- steps --------------------------------------------------------------------------------------

  #noteUsage(): void {
    if (this.#state.usage !== undefined) this.#log.note("usage", this.#usageAt);
  }

  /** Notes what any delta may say beside its kind; what all of them say again, once. */
  #noteMembers(delta: MessageDelta, pointer: string): void {
    for (const [code, name] of BESIDE) {
      if (own(delta, name) === undefined || this.#once.has(code)) continue;
      this.#once.add(code);
      this.#log.note(code, `${pointer}/${name}`);
    }
    if (KIND_CODES.has(delta.kind)) return;
    if (own(delta.payload, "opaque") !== undefined) this.#log.note("opaque", `${pointer}/payload/opaque`);
  }

  #take(): StreamChunk[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }
}
