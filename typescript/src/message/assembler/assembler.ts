/**
 * Deltas in, message out: the assembler of one stream, idle → started → done | error. No clock, no
 * network, no log. A refused delta throws and changes nothing.
 */

import type {
  Author,
  ErrorDeltaPayload,
  Message,
  MessageDelta,
  MessagePart,
  TextFormat,
  UsageSummary,
  WarningDeltaPayload,
} from "../../contract/current/message.js";
import type { Unknown } from "../../contract/unknown.js";
import { badArgument, clip, errorAt, type Finding, PartwireError, type StreamProtocolError } from "../../errors.js";
import { MAX_UNKNOWN } from "../../generated/tables/limits.js";
import { codePoints, isUnicode, utf8Length } from "../../json/text.js";
import { isObject, own } from "../../json/values.js";
import { parseArguments } from "./arguments.js";
import { onCitation } from "./citations.js";
import type { StreamFields } from "./fields.js";
import { onMediaData, onMediaEnd, onMediaStart } from "./media.js";
import { checked, isChecked, payloadSize } from "./payloads.js";
import {
  callRefusal,
  checkHead,
  headOf,
  idAt,
  invalidDelta,
  type Json,
  type Limits,
  limitExceeded,
  nameAt,
  refusal,
  type Status,
  textAt,
  timestampAt,
  unknownKind,
  usageAt,
  usedId,
  wholeLimits,
} from "./rules.js";
import {
  CallSlot,
  type Kept,
  type Mark,
  type MediaSlot,
  type Packed,
  packOpaque,
  readMessage,
  type Slot,
  type StreamStart,
  TextSlot,
  WholeSlot,
} from "./slots.js";
import { OpenCall, OpenMedia, PartialValue, type Progress, Snapshot, type ToolCallBuffer } from "./snapshot.js";
import { onApprovalRequest, onServerResult } from "./whole-parts.js";

// --- the state -----------------------------------------------------------------------------------
// The state of one stream, and every rule that its deltas have to keep.

type TextKind = "text" | "thinking";
type Handler = (state: StreamState, payload: Json, seq: number, delta: Json) => void;

const STICKY = ["cost", "reasoningTokens", "cacheReadTokens", "cacheWriteTokens"] as const;

const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ["start", (state, payload, seq, delta) => state.onStart(payload, seq, delta)],
  ["text", (state, payload, seq) => state.onText("text", payload, seq)],
  ["thinking", (state, payload, seq) => state.onText("thinking", payload, seq)],
  ["tool_call_start", (state, payload, seq) => state.onCallStart(false, payload, seq)],
  ["tool_call_args", (state, payload, seq) => state.onArgs(false, payload, seq)],
  ["tool_call_end", (state, payload, seq) => state.onCallEnd(false, payload, seq)],
  ["server_tool_call_start", (state, payload, seq) => state.onCallStart(true, payload, seq)],
  ["server_tool_call_args", (state, payload, seq) => state.onArgs(true, payload, seq)],
  ["server_tool_call_end", (state, payload, seq) => state.onCallEnd(true, payload, seq)],
  ["text_citation", (state, payload, seq) => state.onCitation(payload, seq)],
  ["server_tool_result", (state, payload, seq) => state.onServerResult(payload, seq)],
  ["approval_request", (state, payload, seq) => state.onApprovalRequest(payload, seq)],
  ["media_start", (state, payload, seq) => state.onMediaStart(payload, seq)],
  ["media_data", (state, payload, seq) => state.onMediaData(payload, seq)],
  ["media_end", (state, payload, seq) => state.onMediaEnd(payload, seq)],
  ["warning", (state, payload, seq) => state.onWarning(payload, seq)],
  ["usage", (state, payload, seq) => state.onUsage(payload, seq)],
  ["done", (state, payload, seq, delta) => state.onDone(payload, seq, delta)],
  ["error", (state, payload, seq, delta) => state.onError(payload, seq, delta)],
]);

/** Tells whether deltas of a kind are known to this version. */
export function isKnownKind(kind: string): boolean {
  return HANDLERS.has(kind);
}

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
export class StreamState implements StreamFields {
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
  /** Calls that have their result. */
  answered = new Set<string>();
  approvals = new Set<string>();
  media = new Map<string, MediaSlot>();
  openMedia = new Map<string, MediaSlot>();
  warnings: Kept<WarningDeltaPayload>[] = [];
  /** Warnings that came, by what they say. */
  warned = new Set<string>();
  /** The last text. */
  lastText: TextSlot | undefined;
  textLeft: number;
  opaqueLeft: number;
  payloadLeft: number;
  mediaLeft: number;

  constructor(
    readonly limits: Limits,
    readonly givenRunId: string | undefined,
  ) {
    this.runId = givenRunId;
    this.textLeft = limits.textBytes;
    this.opaqueLeft = limits.opaqueBytes;
    this.payloadLeft = limits.payloadBytes;
    this.mediaLeft = limits.mediaBytes;
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

  consume(given: unknown): void {
    if (this.#consumeFast(given as Json)) return;
    const delta = isChecked(given) ? checked(given as Json) : given;
    const head = headOf(delta, isKnownKind);
    const { runId, lastSeq, start } = this;
    const ids = { messageId: start?.messageId, turnId: start?.turnId };
    const { seq, status } = checkHead(head, { status: this.status, runId, lastSeq, ...ids });
    const handler = HANDLERS.get(head.kind);
    if (handler === undefined) {
      this.#onUnknown(delta as Unknown);
    } else {
      const payload = own(delta as Json, "payload");
      if (!isObject(payload)) throw invalidDelta("/payload", "an object", payload, seq);
      handler(this, payload, seq, delta as Json);
    }
    this.status = status;
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
      if (call === undefined || call.isServer || typeof text !== "string") return false;
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
    const author = own(payload, "author") as Author | undefined;
    const format = own(payload, "format") as TextFormat | undefined;
    this.#checkNames(author, format, seq);
    const timestamp = timestampAt(own(delta, "timestamp"), seq);
    this.start = { runId, timestamp, modelId, requestId, messageId, turnId, author, format };
    this.runId = runId;
  }

  /** Holds the names that a start brings against the limits; they have been checked whole. */
  #checkNames(author: Author | undefined, format: TextFormat | undefined, seq: number): void {
    const { idChars, agents } = this.limits;
    const path = author?.agentPath ?? [];
    const names: [string, string | undefined][] = [
      ["author/name", author?.name],
      ...path.map((name, index): [string, string] => [`author/agentPath/${index}`, name]),
      ["format/name", format?.name],
      ["format/schemaRef", format?.schemaRef],
    ];
    for (const [place, name] of names) if (name !== undefined) idAt(`/payload/${place}`, name, seq, idChars);
    if (path.length > agents) throw limitExceeded("agents", agents, seq, "/payload/author/agentPath");
  }

  onText(kind: TextKind, payload: Json, seq: number): void {
    const text = textAt("/payload/textDelta", own(payload, "textDelta"), seq);
    const opaque = own(payload, "opaque");
    if (text === "" && opaque === undefined) return;
    const thinking = kind === "thinking";
    const last = this.text;
    let slot = last?.thinking === thinking ? last : undefined;
    if (slot === undefined) this.checkParts(seq);
    const packed = opaque === undefined ? undefined : this.packed(opaque, undefined, seq);
    const size = utf8Length(text);
    if (size > this.textLeft) throw limitExceeded("textBytes", this.limits.textBytes, seq);
    this.textLeft -= size;
    if (slot === undefined) {
      slot = new TextSlot(thinking, thinking ? undefined : this.start?.format);
      this.slots.push(slot);
      if (!thinking) this.lastText = slot;
    }
    slot.text += text;
    if (packed !== undefined) {
      slot.opaque = packed;
      this.opaqueLeft -= packed.size;
    }
  }

  /** Returns opaque data that takes the place of `before`, as it is kept. */
  packed(opaque: unknown, before: Packed | undefined, seq: number): Packed {
    return packOpaque(opaque, this.opaqueLeft + (before?.size ?? 0), this.limits, seq);
  }

  checkParts(seq: number): void {
    if (this.slots.length >= this.limits.parts) throw limitExceeded("parts", this.limits.parts, seq);
  }

  onCallStart(isServer: boolean, payload: Json, seq: number): void {
    const { limits } = this;
    const id = idAt("/payload/toolCallId", own(payload, "toolCallId"), seq, limits.idChars);
    const name = nameAt("/payload/toolName", own(payload, "toolName"), seq);
    if (this.calls.has(id)) throw usedId("stream/duplicate-tool-call", "toolCallId", id, seq);
    if (this.calls.size >= limits.toolCalls) throw limitExceeded("toolCalls", limits.toolCalls, seq);
    this.checkParts(seq);
    const opaque = own(payload, "opaque");
    const packed = opaque === undefined ? undefined : this.packed(opaque, undefined, seq);
    const call = new CallSlot(id, name, limits.argumentsBytes, isServer);
    this.slots.push(call);
    this.calls.set(id, call);
    this.open.set(id, call);
    if (packed !== undefined) this.keepOpaque(call, packed);
  }

  onArgs(isServer: boolean, payload: Json, seq: number): void {
    const call = this.#openCall(own(payload, "toolCallId"), isServer, seq);
    const text = textAt("/payload/argsTextDelta", own(payload, "argsTextDelta"), seq);
    const opaque = own(payload, "opaque");
    const packed = opaque === undefined ? undefined : this.packed(opaque, call.opaque, seq);
    const size = utf8Length(text);
    if (size > call.left) throw limitExceeded("argumentsBytes", this.limits.argumentsBytes, seq);
    call.left -= size;
    call.text += text;
    call.pieces.push(text);
    if (packed !== undefined) this.keepOpaque(call, packed);
  }

  onCallEnd(isServer: boolean, payload: Json, seq: number): void {
    const call = this.#openCall(own(payload, "toolCallId"), isServer, seq);
    const opaque = own(payload, "opaque");
    const packed = opaque === undefined ? undefined : this.packed(opaque, call.opaque, seq);
    const parsed = parseArguments(call.text, this.limits.argumentsDepth);
    if (parsed === undefined) throw limitExceeded("argumentsDepth", this.limits.argumentsDepth, seq);
    this.open.delete(call.id);
    call.value = parsed.value;
    call.keepText = parsed.keepText;
    call.error = parsed.error;
    call.closedSeq = seq;
    call.pieces = [];
    call.preview = undefined;
    if (packed !== undefined) this.keepOpaque(call, packed);
  }

  checkEnded(id: string, seq: number): void {
    if (!this.open.has(id)) return;
    const place = { pointer: "/payload/toolCallId", expected: "a tool call that has ended", actual: clip(id) };
    throw refusal("stream/tool-call-open", "The tool call has not ended", seq, place);
  }

  addWhole(part: MessagePart, seq: number): void {
    this.checkParts(seq);
    this.payloadLeft -= payloadSize(part.payload as unknown as Json, this.payloadLeft, this.limits, seq);
    this.slots.push(new WholeSlot(part));
  }

  // The table of kinds names methods alone: whoever asks for the kinds has not to load what they do.

  onCitation(payload: Json, seq: number): void {
    onCitation(this, payload, seq);
  }

  onServerResult(payload: Json, seq: number): void {
    onServerResult(this, payload, seq);
  }

  onApprovalRequest(payload: Json, seq: number): void {
    onApprovalRequest(this, payload, seq);
  }

  onMediaStart(payload: Json, seq: number): void {
    onMediaStart(this, payload, seq);
  }

  onMediaData(payload: Json, seq: number): void {
    onMediaData(this, payload, seq);
  }

  onMediaEnd(payload: Json, seq: number): void {
    onMediaEnd(this, payload, seq);
  }

  onWarning(payload: Json, seq: number): void {
    const value = payload as unknown as WarningDeltaPayload;
    const said = JSON.stringify([value.code, value.message ?? null, value.place ?? null]);
    if (this.warned.has(said)) return;
    this.payloadLeft -= payloadSize(payload, this.payloadLeft, this.limits, seq);
    this.warned.add(said);
    this.warnings.push({ seq, value });
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
    const [media] = this.openMedia.keys();
    if (media !== undefined) {
      const place = { expected: "media_end for each", actual: `open: ${clip(media)}` };
      throw refusal("stream/media-open", `Media is still open: ${this.openMedia.size}`, seq, place);
    }
    const reason = nameAt("/payload/finishReason", own(payload, "finishReason"), seq);
    const verbatim = own(payload, "providerFinishReason");
    const providerReason = verbatim === undefined ? undefined : nameAt("/payload/providerFinishReason", verbatim, seq);
    this.#end(delta, seq);
    this.finishReason = reason;
    this.providerReason = providerReason;
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
  }

  #onUnknown(delta: Unknown): void {
    if (!this.findings.has(delta.tag) && this.findings.size < MAX_UNKNOWN) {
      this.findings.set(delta.tag, unknownKind(delta.tag));
    }
  }

  #end(delta: Json, seq: number): void {
    this.endAt = timestampAt(own(delta, "timestamp"), seq);
  }

  keepOpaque(slot: CallSlot | MediaSlot, packed: Packed): void {
    this.opaqueLeft += (slot.opaque?.size ?? 0) - packed.size;
    slot.opaque = packed;
  }

  /** Returns the open call of this kind: of a server's call the other kind knows nothing. */
  #openCall(id: unknown, isServer: boolean, seq: number): CallSlot {
    const named = typeof id === "string" ? this.calls.get(id) : undefined;
    const call = named?.isServer === isServer ? named : undefined;
    if (call !== undefined && call.closedSeq === undefined) return call;
    const [first] = [...this.open.values()].filter((each) => each.isServer === isServer);
    throw callRefusal(id, call?.closedSeq, first?.id, seq);
  }
}

// --- the assembler -------------------------------------------------------------------------------

/** Why a message is not whole: it was cancelled, or its stream was cut. */
export type Ending = "cancelled" | "truncated";

/**
 * The stream ended with an `error` delta: there is no final message. `error` is the error delta's
 * payload, `partial` the message as far as it arrived.
 */
export class StreamFailed<Failure = ErrorDeltaPayload, Partial = Message> extends PartwireError {
  constructor(
    finding: Finding,
    readonly error: Failure,
    readonly partial: Partial,
  ) {
    super(finding);
  }
}

/** What an assembler is made with. */
export interface AssemblerInit {
  /** The run whose deltas are taken; that of the start delta where absent. */
  readonly runId?: string;
  readonly limits?: Partial<Limits>;
}

/**
 * Assembles one stream of deltas into one message. What it returns is immutable or belongs to the
 * caller. `providerRaw` is never looked at or kept. Throws UsageError `usage/invalid-argument`
 * for a `runId` that no delta can have.
 */
export class MessageAssembler {
  readonly #state: StreamState;
  #cut = false;

  constructor(init: AssemblerInit = {}) {
    this.#state = beginStream(init);
  }

  /** The given run id, else the start delta's; undefined before that. */
  get runId(): string | undefined {
    return this.#state.runId;
  }

  /** The start delta's `messageId`. */
  get messageId(): string | undefined {
    return this.#state.start?.messageId;
  }

  /** The start delta's `turnId`. */
  get turnId(): string | undefined {
    return this.#state.start?.turnId;
  }

  get status(): Status {
    return this.#state.status;
  }

  /** The last consumed delta's `seq`; -1 before the first. */
  get lastSeq(): number {
    return this.#state.lastSeq;
  }

  /** The parts of a snapshot taken now; empty in `idle`. */
  get parts(): MessagePart[] {
    return this.#state.start === undefined ? [] : this.snapshot().parts;
  }

  /**
   * All calls of the caller's tools by id, in the order of their start, open and closed. Those of tools
   * that the provider runs are nobody else's to run: see {@link progress}.
   */
  get toolCallsBuffer(): ReadonlyMap<string, ToolCallBuffer> {
    const calls = [...this.#state.calls.values()].filter((slot) => !slot.isServer);
    const rows = calls.map((slot): [string, ToolCallBuffer] => {
      const closed = slot.closedSeq !== undefined;
      return [slot.id, { toolCallId: slot.id, toolName: slot.name, rawArgsText: slot.text, closed }];
    });
    return new Map(rows);
  }

  /** Usage as far as it is known: per field the last value that was reported. */
  get usage(): UsageSummary | undefined {
    return this.#state.usage === undefined ? undefined : { ...this.#state.usage };
  }

  /** The error delta's payload, in `error` only. */
  get error(): ErrorDeltaPayload | undefined {
    return this.#state.error === undefined ? undefined : { ...this.#state.error };
  }

  /** Warnings: one `stream/unknown-delta-kind` for each unknown kind. */
  get findings(): Finding[] {
    return [...this.#state.findings.values()];
  }

  /** Returns the error delta's payload, or null. */
  getError(): ErrorDeltaPayload | null {
    return this.error ?? null;
  }

  /**
   * Takes the next delta; an {@link Unknown} is what tolerant reading makes of a kind that this
   * version does not know. Throws StreamProtocolError with one of the rules `stream/…`, or
   * `document/lone-surrogate`; the state is then as it was, and the next delta may be consumed.
   */
  consume(delta: MessageDelta | Unknown): void {
    this.#state.consume(delta);
  }

  /** Goes back to `idle` with everything cleared; a given run id stays. */
  reset(): void {
    this.#cut = false;
    this.#state.clear();
  }

  /**
   * Returns the message so far: all but open calls and media, and usage. Costs the same whatever has
   * come, and never changes afterwards. Throws StreamProtocolError `stream/not-started` in `idle`.
   */
  snapshot(): Snapshot {
    const { start, slots, warnings } = this.#state;
    if (start === undefined) throw notStarted();
    return new Snapshot(start, slots, warnings, this.#state.mark());
  }

  /**
   * Returns a snapshot with what is open, and usage; throws as {@link snapshot}. Costs the number of open
   * calls and media, and, where JSON was asked for, that of all parts.
   */
  progress(): Progress {
    const { argumentsDepth } = this.#state.limits;
    const { usage } = this;
    const openMedia = [...this.#state.openMedia.values()].map((slot) => new OpenMedia(slot));
    const partialValues = this.#partialValues(argumentsDepth);
    return {
      snapshot: this.snapshot(),
      openCalls: [...this.#state.open.values()].map((slot) => new OpenCall(slot, argumentsDepth)),
      ...(usage === undefined ? {} : { usage }),
      ...(openMedia.length === 0 ? {} : { openMedia }),
      ...(partialValues.length === 0 ? {} : { partialValues }),
    };
  }

  #partialValues(depth: number): PartialValue[] {
    const { start, slots } = this.#state;
    if (start?.format === undefined) return [];
    return slots.flatMap((slot, index) =>
      slot instanceof TextSlot && !slot.thinking ? [new PartialValue(index, slot, depth)] : [],
    );
  }

  /**
   * Returns the finished message, a new one at every call; only in `done`. Throws
   * StreamProtocolError `stream/not-done` before that, and StreamFailed in `error`.
   */
  buildFinalMessage(): Message {
    if (this.status === "done") return this.#message();
    const { error } = this;
    if (error === undefined) {
      const place = { expected: "the status done", actual: this.status };
      throw refusal("stream/not-done", "The stream is not finished", undefined, place);
    }
    const code = clip(error.errorCode);
    const finding = errorAt("", "stream/failed", `The stream ended with the error ${code}`, undefined, code);
    throw new StreamFailed(finding, error, this.buildPartial());
  }

  /**
   * Returns what arrived of a message that will not be finished, marked in its `meta`. Open tool
   * calls are left out and named in `meta.incomplete.openToolCallIds`, open media in `openMediaIds`. In `error` the ending is
   * `error`; in `started` it is `truncated` after {@link close}, else `cancelled`, unless `ending`
   * says otherwise. Throws StreamProtocolError `stream/not-started`, `stream/already-done`.
   */
  buildPartial(ending?: Ending): Message {
    if (this.status === "done") {
      const place = { expected: "buildFinalMessage()", actual: "buildPartial()" };
      throw refusal("stream/already-done", "The message is finished", undefined, place);
    }
    if (ending !== undefined && ending !== "cancelled" && ending !== "truncated") {
      throw badArgument("ending is wrong", "cancelled or truncated", ending);
    }
    const how = this.status === "error" ? "error" : (ending ?? (this.#cut ? "truncated" : "cancelled"));
    const message = this.#message();
    const openToolCallIds = [...this.#state.open.keys()];
    const openMediaIds = [...this.#state.openMedia.keys()];
    const media = openMediaIds.length === 0 ? {} : { openMediaIds };
    message.meta = { ...message.meta, incomplete: { ending: how, openToolCallIds, ...media } };
    return message;
  }

  /**
   * Says that no more deltas come; nothing happens after `done` or `error`. Throws
   * StreamProtocolError `stream/truncated` otherwise: a cut stream is never a finished message.
   */
  close(): void {
    if (this.status === "done" || this.status === "error") return;
    this.#cut = true;
    throw refusal("stream/truncated", "The stream stops without done or error", undefined, {
      expected: "done or error",
      actual: this.status === "idle" ? "nothing" : `the end after seq ${this.lastSeq}`,
    });
  }

  #message(): Message {
    const state = this.#state;
    if (state.start === undefined) throw notStarted();
    const message = readMessage(state.start, state.slots, state.warnings, state.mark());
    const { toolCallParseErrors, ...meta } = message.meta;
    if (state.finishReason !== undefined) meta.finishReason = state.finishReason;
    if (state.providerReason !== undefined) meta["providerFinishReason"] = state.providerReason;
    if (state.endAt !== undefined) meta.completedAt = state.endAt;
    if (state.usage !== undefined) meta.usage = { ...state.usage };
    message.meta = toolCallParseErrors === undefined ? meta : { ...meta, toolCallParseErrors };
    return message;
  }
}

function notStarted(): StreamProtocolError {
  return refusal("stream/not-started", "There is nothing to show before start");
}
