/**
 * The writing half of every adapter: deltas that keep the contract, whatever the provider sent.
 *
 * What holds for every stream that comes out of here:
 *
 * - The first delta is `start`, exactly one `done` or `error` is the last, `seq` counts from 0
 *   without a gap.
 * - No text, thinking or argument delta is empty, but for one that ends its part and carries what
 *   the provider wants back with it; none holds half a character: the two halves of a surrogate
 *   pair are joined, also across deltas; a half whose other half never comes becomes U+FFFD, with
 *   a finding.
 * - A tool call has a name, an id that the run has not used, one start and one end; `done` comes
 *   with no call open.
 *
 * Source: semantics, model and adapters.
 */
import type {
  DoneDeltaPayload,
  ErrorDeltaPayload,
  MessageDelta,
  Opaque,
  UsageSummary,
} from "../../contract/current/message.js";
import { MAX_ID_CHARS } from "../../generated/tables/limits.js";
import { codePoints, isUnicode } from "../../json/text.js";
import { RETRYABLE } from "./errors.js";
import { type FindingLog, shown } from "./findings.js";
import { CallIds, OpenCall } from "./ids.js";
import type { KeptState } from "./kept-state.js";
import { firstCharacters, wellFormed } from "./values.js";

export { OpenCall };

/** Model id and request id of a stream whose provider names none. */
const UNKNOWN = "unknown";

/** The kinds of parts that have text. */
export type TextKind = "text" | "thinking";

/** The kinds of parts. */
export type PartKind = TextKind | "tool_call";

/** What every delta of a stream says. */
interface StreamIds {
  readonly runId: string;
  readonly messageId?: string;
  readonly turnId?: string;
}

/**
 * Appends deltas to `out`; `state` is what the provider wants back with them. `clock` is called
 * once per delta and gives the contract's timestamp. Part positions (`part`, `chars`) follow the
 * assembler's rule: text, or thinking, joins the last part if that is of its kind and nothing has
 * ended it.
 */
export class DeltaWriter {
  out: MessageDelta[] = [];
  /** Is called before a part is ended, for what is to be kept with it. */
  collect: (() => void) | undefined;
  modelId = "";
  requestId = "";
  ended = false;
  /** Of the part that is being written; undefined after a call and before all. */
  kind: TextKind | undefined;
  /** Index of the part that is being written. */
  part = -1;
  /** Characters of text in it. */
  chars = 0;
  /** Kinds of parts that have been written. */
  readonly wrote = new Set<PartKind>();
  readonly #ids: StreamIds;
  readonly #clock: () => string;
  readonly #log: FindingLog;
  readonly #callIds: CallIds;
  readonly #open = new Map<string, OpenCall>();
  #seq = 0;
  #now: string | undefined; // of the delta for whose sake another has been written
  #half = ""; // of a character of text or thinking; deltas of calls may come between
  #halfKind: TextKind = "text";
  #usage: UsageSummary | undefined;
  #usageText = "";
  #usageDue = false;

  constructor(
    ids: StreamIds,
    clock: () => string,
    usedToolCallIds: Iterable<string>,
    log: FindingLog,
    readonly state: KeptState,
  ) {
    this.#ids = ids;
    this.#clock = clock;
    this.#log = log;
    this.#callIds = new CallIds(ids.runId, usedToolCallIds);
  }

  /** How many calls are open. */
  get openCalls(): number {
    return this.#open.size;
  }

  // --- the beginning and the end ----------------------------------------------------------------

  /** Takes the stream's names as far as they are given; starts once both are known. */
  identify(modelId: unknown, requestId: unknown): boolean {
    if (typeof modelId === "string" && this.modelId === "") this.modelId = asName(modelId);
    if (typeof requestId === "string" && this.requestId === "") this.requestId = asName(requestId);
    if (this.modelId === "" || this.requestId === "") return false;
    this.start();
    return true;
  }

  /** Emits `start`, once; what the provider has not named by now is `unknown`. */
  start(): void {
    if (this.#seq > 0) return;
    this.#add("start", { modelId: this.modelId || UNKNOWN, requestId: this.requestId || UNKNOWN });
  }

  /** Closes what is open and ends the stream as complete; `said` is the provider's reason. */
  done(finishReason: string, said?: string): void {
    this.start();
    const calls = [...this.#open.values()];
    // Text that is still open is ended behind the calls, and carries the rest.
    for (const call of calls) this.endCall(call, call === calls.at(-1) && this.kind === undefined);
    this.#endParts();
    const payload: DoneDeltaPayload = { finishReason };
    if (said !== undefined && said !== "") payload.providerFinishReason = asName(said);
    this.#add("done", payload);
    this.ended = true;
  }

  /** Ends the stream as failed. Open calls stay open: nothing may take them for complete. */
  fail(errorCode: string, message?: string, retryable?: boolean): void {
    this.start();
    this.#endParts();
    const payload: ErrorDeltaPayload = { errorCode };
    if (message !== undefined) payload.message = wellFormed(message);
    payload.retryable = retryable ?? RETRYABLE.get(errorCode) ?? false;
    this.#add("error", payload);
    this.ended = true;
  }

  /** Ends the last part; whatever the provider wants back has its place in a delta now. */
  #endParts(): void {
    if (this.#half !== "") this.#dropHalf();
    this.collect?.();
    if (this.kind === undefined && this.state.isDue) {
      // The last part is a tool call, or there is none: an empty part carries the rest.
      this.kind = "thinking";
      this.part++;
      this.chars = 0;
    }
    if (this.kind !== undefined) {
      const leftOut = new Set([...this.#open.values()].map((call) => call.part));
      this.#seal(this.kind, this.state.isDue ? this.state.rest(this.part, undefined, leftOut) : undefined);
    }
    this.#reportUsage();
  }

  // --- text and thinking ------------------------------------------------------------------------

  /** Appends text of the answer. */
  text(text: string): void {
    this.write("text", text);
  }

  /** Appends text of the reasoning. */
  thinking(text: string): void {
    this.write("thinking", text);
  }

  /** Appends text to a part of a kind. */
  write(kind: TextKind, given: string): void {
    if (this.kind !== kind && given !== "") this.#begin(kind);
    let text = given;
    if (this.#half !== "" || !isUnicode(given)) [text, this.#half] = this.#whole(this.#half + given);
    if (text === "") return;
    this.chars += codePoints(text);
    this.#add(kind, { textDelta: text });
  }

  #begin(kind: TextKind): void {
    this.start();
    if (this.#half !== "" && this.#halfKind !== kind) this.#dropHalf();
    if (this.kind !== undefined) this.#leave(this.kind);
    this.#reportUsage();
    this.kind = this.#halfKind = kind;
    this.part++;
    this.chars = 0;
    this.wrote.add(kind);
  }

  /** Ends the text, or thinking, that is being written. */
  #leave(kind: TextKind): void {
    this.collect?.();
    this.#seal(kind, this.state.isDue ? this.state.ofPart(this.part) : undefined);
  }

  /** Ends the part with what the provider wants back with it. */
  #seal(kind: TextKind, opaque: Opaque | undefined): void {
    this.kind = undefined;
    if (opaque === undefined) return;
    // Made for the sake of the delta that follows, and at the same instant.
    this.#add(kind, { textDelta: "", opaque });
    this.#now = this.out.at(-1)?.timestamp;
  }

  /** Gives up waiting for the other half of a character of text, or of thinking. */
  #dropHalf(): void {
    this.#half = "";
    this.#noteLone();
    this.write(this.#halfKind, "\ufffd");
  }

  /** Returns `text` without surrogates, and the half at its end that may yet be joined. */
  #whole(text: string): [string, string] {
    if (isUnicode(text)) return [text, ""];
    const isCut = /[\ud800-\udbff]$/.test(text);
    const before = isCut ? text.slice(0, -1) : text;
    if (!isUnicode(before)) this.#noteLone();
    return [wellFormed(before), isCut ? text.slice(-1) : ""];
  }

  #noteLone(): void {
    const message = "Half a character came without its other half and became U+FFFD";
    this.#log.note("adapter/lone-surrogate", message, "", { expected: "well-formed Unicode" });
  }

  // --- tool calls -------------------------------------------------------------------------------

  /**
   * Starts a tool call; its id is the provider's, or a minted one where that cannot be used.
   * `providerIds` of the state maps a minted id to the provider's own.
   */
  openCall(providerId: string | undefined, name: string): OpenCall {
    this.start();
    if (this.#half !== "") this.#dropHalf();
    if (this.kind !== undefined) this.#leave(this.kind);
    this.#reportUsage();
    const id = this.#callIds.take(providerId, this.requestId);
    if (id !== providerId) {
      this.state.providerIds.set(id, providerId);
      const message = "The tool call has no id of its own that the run has not used; it got a new one";
      const actual = providerId === undefined ? "no id" : shown(providerId);
      this.#log.note("adapter/minted-id", message, "", { expected: "an id that is unique in the run", actual });
    }
    this.part++;
    this.chars = 0;
    this.wrote.add("tool_call");
    const call = new OpenCall(id, this.part);
    this.#open.set(id, call);
    this.#add("tool_call_start", { toolCallId: id, toolName: wellFormed(name) });
    return call;
  }

  /** Appends argument text to an open call; a part of text around it stays open. */
  args(call: OpenCall, given: string): void {
    let text = given;
    if (call.half !== "" || !isUnicode(given)) [text, call.half] = this.#whole(call.half + given);
    if (text === "") return;
    this.#add("tool_call_args", { toolCallId: call.toolCallId, argsTextDelta: text });
  }

  /** Ends an open call; the `last` one of all carries what no other delta can. */
  endCall(call: OpenCall, last = false): void {
    if (call.half !== "") {
      call.half = "";
      this.#noteLone();
      this.args(call, "\ufffd");
    }
    this.collect?.();
    const { toolCallId, part } = call;
    this.#open.delete(toolCallId);
    const opaque = last ? this.state.rest(part, toolCallId) : this.state.ofPart(part, toolCallId);
    this.#add("tool_call_end", { toolCallId, ...(opaque === undefined ? {} : { opaque }) });
  }

  // --- beside the content -----------------------------------------------------------------------

  /**
   * Reports usage so far; nothing is emitted if it has not changed. Inside a part of
   * text it waits for the part's end: some vendors report at every piece of text, and every other
   * delta would be one of usage.
   */
  usage(usage: UsageSummary): void {
    const text = JSON.stringify(usage);
    if (text === this.#usageText) return;
    this.#compare(usage, this.#usage ?? usage);
    this.#usage = usage;
    this.#usageText = text;
    this.#usageDue = true;
    if (this.kind === undefined) {
      this.start();
      this.#reportUsage();
    }
  }

  #compare(usage: UsageSummary, before: UsageSummary): void {
    if (usage.totalTokens < usage.inputTokens + usage.outputTokens) this.#log.usage("a total below its sum");
    const names = ["inputTokens", "outputTokens", "totalTokens"] as const;
    if (names.some((name) => usage[name] < before[name])) this.#log.usage("a figure below an earlier one");
  }

  #reportUsage(): void {
    if (!this.#usageDue || this.#usage === undefined) return;
    this.#usageDue = false;
    this.#add("usage", this.#usage);
  }

  /**
   * Keeps provider state that belongs to this place. `start` is the character of the current part
   * from which on it belongs; without it, the item is between what has been written and what
   * comes next.
   */
  keep(kind: string, data: unknown, start?: number): void {
    const isInside = start !== undefined || this.kind !== undefined;
    const end = isInside ? this.chars : 0;
    this.state.keep({ kind, data, part: isInside ? this.part : this.part + 1, start: start ?? end, end });
  }

  /** Keeps provider state that belongs to a tool call, open or ended. */
  keepWith(call: OpenCall, kind: string, data: unknown): void {
    this.state.keep({ kind, data, part: call.part });
  }

  #add<Kind extends MessageDelta["kind"]>(kind: Kind, payload: Extract<MessageDelta, { kind: Kind }>["payload"]): void {
    const timestamp = this.#now ?? this.#clock();
    this.#now = undefined;
    const seq = this.#seq++;
    const { runId, messageId, turnId } = this.#ids;
    // A literal takes a third of the time that spreading takes: engines know its shape.
    const isBare = messageId === undefined && turnId === undefined;
    const delta = isBare ? { runId, seq, kind, payload, timestamp } : { ...this.#ids, seq, kind, payload, timestamp };
    this.out.push(delta as MessageDelta);
  }
}

/** Returns a name as a delta has it: no longer than the assembler takes. */
function asName(text: string): string {
  return firstCharacters(wellFormed(text), MAX_ID_CHARS);
}
