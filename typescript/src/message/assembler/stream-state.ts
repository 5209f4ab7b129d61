/** The state of one stream, and every rule that its deltas have to keep. */

import type { Unknown } from "../../contract/unknown.js";
import { badArgument, clip, type Finding } from "../../errors.js";
import type { ErrorDeltaPayload, UsageSummary } from "../../generated/v0_2/message.js";
import { codePoints, isUnicode, utf8Length } from "../../json/text.js";
import { isObject, own } from "../../json/values.js";
import { parseArguments } from "./arguments.js";
import {
  callRefusal,
  checkHead,
  headOf,
  idAt,
  invalidDelta,
  type Json,
  limitExceeded,
  nameAt,
  refusal,
  type Status,
  textAt,
  timestampAt,
  unknownKind,
  usageAt,
} from "./delta-checks.js";
import { type Limits, wholeLimits } from "./limits.js";
import { type Packed, packOpaque } from "./opaque.js";
import { CallSlot, type Mark, type Slot, type StreamStart, TextSlot } from "./slots.js";

type TextKind = "text" | "thinking";
type Handler = (state: StreamState, payload: Json, seq: number, delta: Json) => void;

const MANY = 1024; // unknown kinds that are reported
const STICKY = ["cost", "reasoningTokens", "cacheReadTokens", "cacheWriteTokens"] as const;

const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ["start", (state, payload, seq, delta) => state.onStart(payload, seq, delta)],
  ["text", (state, payload, seq) => state.onText("text", payload, seq)],
  ["thinking", (state, payload, seq) => state.onText("thinking", payload, seq)],
  ["tool_call_start", (state, payload, seq) => state.onCallStart(payload, seq)],
  ["tool_call_args", (state, payload, seq) => state.onArgs(payload, seq)],
  ["tool_call_end", (state, payload, seq) => state.onCallEnd(payload, seq)],
  ["usage", (state, payload, seq) => state.onUsage(payload, seq)],
  ["done", (state, payload, seq, delta) => state.onDone(payload, seq, delta)],
  ["error", (state, payload, seq, delta) => state.onError(payload, seq, delta)],
]);

/** Returns a stream that has not begun; throws UsageError for limits or a run id that cannot be. */
export function beginStream(init: { readonly runId?: string; readonly limits?: Partial<Limits> }): StreamState {
  const limits = wholeLimits(init.limits ?? {});
  const { runId } = init;
  if (runId !== undefined && !(typeof runId === "string" && runId !== "" && codePoints(runId) <= limits.idChars)) {
    throw badArgument("runId is wrong", `a string of 1 to ${limits.idChars} characters`, runId);
  }
  return new StreamState(limits, runId);
}

/** The fields of a stream, changed by deltas only, and by none that breaks a rule. */
export class StreamState {
  status: Status = "idle";
  lastSeq = -1;
  runId: string | undefined;
  start: StreamStart | undefined;
  finishReason: string | undefined;
  providerReason: string | undefined;
  endAt: string | undefined;
  usage: UsageSummary | undefined;
  error: ErrorDeltaPayload | undefined;
  findings = new Map<string, Finding>();
  slots: Slot[] = [];
  calls = new Map<string, CallSlot>();
  open = new Map<string, CallSlot>();
  textLeft: number;
  opaqueLeft: number;

  constructor(
    readonly limits: Limits,
    readonly givenRunId: string | undefined,
  ) {
    this.runId = givenRunId;
    this.textLeft = limits.textBytes;
    this.opaqueLeft = limits.opaqueBytes;
  }

  /** Goes back to the beginning; slots that snapshots hold are left alone. */
  clear(): void {
    Object.assign(this, new StreamState(this.limits, this.givenRunId));
  }

  /** The last part, if text can join it: it is a text, or thinking, that no opaque data has ended. */
  get text(): TextSlot | undefined {
    const last = this.slots[this.slots.length - 1];
    return last instanceof TextSlot && last.opaque === undefined ? last : undefined;
  }

  mark(): Mark {
    return { count: this.slots.length, text: this.text?.text, seq: this.lastSeq };
  }

  consume(delta: unknown): void {
    if (this.#consumeFast(delta as Json)) return;
    const head = headOf(delta, (kind) => HANDLERS.has(kind));
    const { status, runId, lastSeq, start } = this;
    const ids = { messageId: start?.messageId, turnId: start?.turnId };
    const seq = checkHead(head, { status, runId, lastSeq, ...ids });
    const handler = HANDLERS.get(head.kind);
    if (handler === undefined) {
      this.#onUnknown(delta as Unknown);
    } else {
      const payload = own(delta as Json, "payload");
      if (!isObject(payload)) throw invalidDelta("/payload", "an object", payload, seq);
      handler(this, payload, seq, delta as Json);
    }
    this.lastSeq = seq;
  }

  /** Takes the frequent deltas with a few reads; all others, and whatever is wrong, it leaves. */
  #consumeFast(delta: Json): boolean {
    if (this.status !== "started" || typeof delta !== "object" || delta === null) return false;
    const { seq, payload } = delta as { seq: number; payload: Json };
    const isNext = typeof seq === "number" && seq > this.lastSeq && Number.isSafeInteger(seq);
    if (!isNext || delta["runId"] !== this.runId || typeof payload !== "object" || payload === null) return false;
    if (delta["messageId"] !== undefined || delta["turnId"] !== undefined || payload["opaque"] !== undefined) {
      return false;
    }
    const kind = delta["kind"];
    if (kind === "text" || kind === "thinking") {
      const slot = this.text;
      const text = payload["textDelta"];
      if (slot === undefined || slot.thinking !== (kind === "thinking") || typeof text !== "string") return false;
      const size = utf8Length(text);
      if (size > this.textLeft || !isUnicode(text)) return false;
      this.textLeft -= size;
      slot.text += text;
    } else if (kind === "tool_call_args") {
      const call = this.open.get(payload["toolCallId"] as string);
      const text = payload["argsTextDelta"];
      if (call === undefined || typeof text !== "string") return false;
      const size = utf8Length(text);
      if (size > call.left || !isUnicode(text)) return false;
      call.left -= size;
      call.text += text;
      call.pieces.push(text);
    } else {
      return false;
    }
    this.lastSeq = seq;
    return true;
  }

  // --- one method per kind: check all, then change ------------------------------------------------

  onStart(payload: Json, seq: number, delta: Json): void {
    const most = this.limits.idChars;
    const runId = idAt("/runId", own(delta, "runId"), seq, most);
    const named = (name: string): string => {
      const value = own(payload, name);
      return value === "" ? "" : idAt(`/payload/${name}`, value, seq, most);
    };
    const optional = (name: string): string | undefined => {
      const value = own(delta, name);
      return value === undefined ? undefined : idAt(`/${name}`, value, seq, most);
    };
    const modelId = named("modelId");
    const requestId = named("requestId");
    const messageId = optional("messageId");
    const turnId = optional("turnId");
    const timestamp = timestampAt(own(delta, "timestamp"), seq);
    this.start = { runId, timestamp, modelId, requestId, messageId, turnId };
    this.runId = runId;
    this.status = "started";
  }

  onText(kind: TextKind, payload: Json, seq: number): void {
    const text = textAt("/payload/textDelta", own(payload, "textDelta"), seq);
    const opaque = own(payload, "opaque");
    if (text === "" && opaque === undefined) return;
    const thinking = kind === "thinking";
    const last = this.text;
    let slot = last?.thinking === thinking ? last : undefined;
    if (slot === undefined && this.slots.length >= this.limits.parts) {
      throw limitExceeded("parts", this.limits.parts, seq);
    }
    const packed = opaque === undefined ? undefined : this.#packed(opaque, undefined, seq);
    const size = utf8Length(text);
    if (size > this.textLeft) throw limitExceeded("textBytes", this.limits.textBytes, seq);
    this.textLeft -= size;
    if (slot === undefined) {
      slot = new TextSlot(thinking);
      this.slots.push(slot);
    }
    slot.text += text;
    if (packed !== undefined) {
      slot.opaque = packed;
      this.opaqueLeft -= packed.size;
    }
  }

  /** Returns opaque data that takes the place of `before`, as it is kept. */
  #packed(opaque: unknown, before: Packed | undefined, seq: number): Packed {
    return packOpaque(opaque, this.opaqueLeft + (before?.size ?? 0), this.limits, seq);
  }

  onCallStart(payload: Json, seq: number): void {
    const { limits } = this;
    const id = idAt("/payload/toolCallId", own(payload, "toolCallId"), seq, limits.idChars);
    const name = nameAt("/payload/toolName", own(payload, "toolName"), seq);
    if (this.calls.has(id)) {
      const place = { pointer: "/payload/toolCallId", expected: "an id of its own", actual: clip(id) };
      throw refusal("stream/duplicate-tool-call", "The tool call id has been used already", seq, place);
    }
    if (this.calls.size >= limits.toolCalls) throw limitExceeded("toolCalls", limits.toolCalls, seq);
    if (this.slots.length >= limits.parts) throw limitExceeded("parts", limits.parts, seq);
    const opaque = own(payload, "opaque");
    const packed = opaque === undefined ? undefined : this.#packed(opaque, undefined, seq);
    const call = new CallSlot(id, name, limits.argumentsBytes);
    this.slots.push(call);
    this.calls.set(id, call);
    this.open.set(id, call);
    if (packed !== undefined) this.#keepOpaque(call, packed);
  }

  onArgs(payload: Json, seq: number): void {
    const call = this.#openCall(own(payload, "toolCallId"), seq);
    const text = textAt("/payload/argsTextDelta", own(payload, "argsTextDelta"), seq);
    const opaque = own(payload, "opaque");
    const packed = opaque === undefined ? undefined : this.#packed(opaque, call.opaque, seq);
    const size = utf8Length(text);
    if (size > call.left) throw limitExceeded("argumentsBytes", this.limits.argumentsBytes, seq);
    call.left -= size;
    call.text += text;
    call.pieces.push(text);
    if (packed !== undefined) this.#keepOpaque(call, packed);
  }

  onCallEnd(payload: Json, seq: number): void {
    const call = this.#openCall(own(payload, "toolCallId"), seq);
    const opaque = own(payload, "opaque");
    const packed = opaque === undefined ? undefined : this.#packed(opaque, call.opaque, seq);
    const parsed = parseArguments(call.text, this.limits.argumentsDepth);
    if (parsed === undefined) throw limitExceeded("argumentsDepth", this.limits.argumentsDepth, seq);
    this.open.delete(call.id);
    call.value = parsed.value;
    call.keepText = parsed.keepText;
    call.error = parsed.error;
    call.closedSeq = seq;
    call.pieces = [];
    call.preview = undefined;
    if (packed !== undefined) this.#keepOpaque(call, packed);
  }

  onUsage(payload: Json, seq: number): void {
    const latest = usageAt(payload, seq);
    for (const name of STICKY) {
      const before = this.usage?.[name];
      if (latest[name] === undefined && before !== undefined) latest[name] = before;
    }
    this.usage = latest as unknown as UsageSummary;
  }

  onDone(payload: Json, seq: number, delta: Json): void {
    const [first] = this.open.keys();
    if (first !== undefined) {
      const place = { expected: "tool_call_end for each", actual: `open: ${clip(first)}` };
      throw refusal("stream/tool-call-open", `${this.open.size} tool call(s) are still open`, seq, place);
    }
    const reason = nameAt("/payload/finishReason", own(payload, "finishReason"), seq);
    const verbatim = own(payload, "providerFinishReason");
    const providerReason = verbatim === undefined ? undefined : nameAt("/payload/providerFinishReason", verbatim, seq);
    this.#end(delta, seq);
    this.finishReason = reason;
    this.providerReason = providerReason;
    this.status = "done";
  }

  onError(payload: Json, seq: number, delta: Json): void {
    const error: ErrorDeltaPayload = { errorCode: nameAt("/payload/errorCode", own(payload, "errorCode"), seq) };
    const message = own(payload, "message");
    const retryable = own(payload, "retryable");
    if (message !== undefined) error.message = textAt("/payload/message", message, seq);
    if (retryable !== undefined) {
      if (typeof retryable !== "boolean") throw invalidDelta("/payload/retryable", "a boolean", retryable, seq);
      error.retryable = retryable;
    }
    this.#end(delta, seq);
    this.error = error;
    this.status = "error";
  }

  #onUnknown(delta: Unknown): void {
    if (!this.findings.has(delta.tag) && this.findings.size < MANY) {
      this.findings.set(delta.tag, unknownKind(delta.tag));
    }
  }

  #end(delta: Json, seq: number): void {
    this.endAt = timestampAt(own(delta, "timestamp"), seq);
  }

  #keepOpaque(call: CallSlot, packed: Packed): void {
    this.opaqueLeft += (call.opaque?.size ?? 0) - packed.size;
    call.opaque = packed;
  }

  #openCall(id: unknown, seq: number): CallSlot {
    const call = typeof id === "string" ? this.open.get(id) : undefined;
    if (call !== undefined) return call;
    const closed = typeof id === "string" ? this.calls.get(id) : undefined;
    const [first] = this.open.keys();
    throw callRefusal(id, closed?.closedSeq, first, seq);
  }
}
