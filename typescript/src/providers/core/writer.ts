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
 *   with no call and no media open.
 * - A citation has a text part, a result of a server tool is the first of its call, an approval
 *   request has a call that has ended, media has bytes. What cannot be written is not, and who
 *   asked for it is told so by false.
 *
 * Source: semantics, model and adapters.
 */
import type {
  ApprovalRequest,
  Author,
  DoneDeltaPayload,
  ErrorDeltaPayload,
  MediaDataDeltaPayload,
  MediaEndDeltaPayload,
  MessageDelta,
  Opaque,
  ServerToolResult,
  StructuredValue,
  TextFormat,
  UsageSummary,
  WarningDeltaPayload,
} from "../../contract/current/message.js";
import { MAX_ID_CHARS } from "../../generated/tables/limits.js";
import { codePoints, isUnicode } from "../../json/text.js";
import { citationOf } from "./citations.js";
import { RETRYABLE } from "./errors.js";
import { type FindingLog, shown } from "./findings.js";
import { CallIds, OpenCall, WaitingCalls } from "./ids.js";
import { type KeptState, storable } from "./kept-state.js";
import { OpenMedia, wholeBase64 } from "./media.js";
import { firstCharacters, type Members, wellFormed } from "./values.js";

export { OpenCall, OpenMedia };

/** Model id and request id of a stream whose provider names none. */
const UNKNOWN = "unknown";

/** The kinds of parts that have text. */
export type TextKind = "text" | "thinking";

/** The kinds of parts. */
export type PartKind =
  | TextKind
  | "tool_call"
  | "server_tool_call"
  | "server_tool_result"
  | "approval_request"
  | "media";

/** What the provider wants back with one thing: kind and data of each item. */
export type Items = Iterable<readonly [kind: string, data: unknown]>;

/** What the caller says of a stream beside its ids. */
export interface StreamWords {
  /** False where the deltas of v0.2 are wanted: nothing that v0.2 does not know may be written. */
  readonly saysNew: boolean;
  readonly author?: Author | undefined;
  readonly format?: TextFormat | undefined;
}

const BYTES = "application/octet-stream"; // of media whose type nobody says

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
  /** Whether what is new in v0.3 may be written. */
  readonly saysNew: boolean;
  readonly #author: Author | undefined;
  #format: TextFormat | undefined;
  readonly #textParts = new Set<number>();
  #lastText = -1;
  readonly #waiting = new WaitingCalls();
  readonly #endedCalls = new Set<string>();
  readonly #answered = new Set<string>(); // ids of server calls
  readonly #approvals = new Set<string>();
  readonly #mediaIds: CallIds;
  readonly #media = new Set<OpenMedia>(); // in the order of their announcement
  readonly #warned = new Set<string>();
  readonly #toWarn: WarningDeltaPayload[] = []; // once the stream has started

  constructor(
    ids: StreamIds,
    clock: () => string,
    usedToolCallIds: Iterable<string>,
    log: FindingLog,
    readonly state: KeptState,
    words: StreamWords = { saysNew: true },
  ) {
    this.#ids = ids;
    this.saysNew = words.saysNew;
    this.#author = words.author;
    this.#format = words.format;
    this.#mediaIds = new CallIds(ids.runId, []);
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
    const [author, format] = [this.#author, this.#format];
    this.#add("start", {
      modelId: this.modelId || UNKNOWN,
      requestId: this.requestId || UNKNOWN,
      ...(author === undefined ? {} : { author }),
      ...(format === undefined ? {} : { format }),
    });
    for (const warning of this.#toWarn) this.#add("warning", warning);
  }

  /** Says that the provider repeats the form that JSON was asked for in; the caller's wins. */
  sayFormat(name?: string): void {
    if (this.saysNew) this.#format ??= name === undefined || name === "" ? {} : { name: asName(name) };
  }

  /** Closes what is open and ends the stream as complete; `said` is the provider's reason. */
  done(finishReason: string, said?: string): void {
    this.start();
    for (const media of [...this.#media]) {
      if (this.endMedia(media)) continue;
      for (const [kind, data] of media.kept) this.keep(kind, data);
    }
    const calls = [...this.#open.values()];
    // Text that is still open is ended behind the calls, and carries the rest.
    for (const call of calls) this.endCall(call, call === calls.at(-1) && this.kind === undefined);
    this.#endParts();
    const payload: DoneDeltaPayload = { finishReason };
    if (said !== undefined && said !== "") payload.providerFinishReason = asName(said);
    this.#add("done", payload);
    this.ended = true;
  }

  /** Ends the stream as failed. Open calls and media stay open: nothing may take them for complete. */
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
      const open = [...this.#open.values(), ...this.#media];
      const leftOut = new Set(open.map(({ part }) => part).filter((part) => part >= 0));
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
    this.#newPart(kind);
    if (kind !== "text") return;
    this.#textParts.add(this.part);
    this.#lastText = this.part;
  }

  #newPart(kind: PartKind): void {
    this.part++;
    this.chars = 0;
    this.wrote.add(kind);
  }

  #breakPart(): void {
    this.start();
    if (this.#half !== "") this.#dropHalf();
    if (this.kind !== undefined) this.#leave(this.kind);
    this.#reportUsage();
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

  /** Writes a half character of text that is held back, for who counts its characters now. */
  flushHalf(): void {
    if (this.#half !== "" && this.#halfKind === "text") this.#dropHalf();
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
    this.#breakPart();
    const id = this.#callIds.take(providerId, this.requestId);
    if (id !== providerId) {
      this.state.providerIds.set(id, providerId);
      this.#noteMinted(providerId);
    }
    this.#newPart("tool_call");
    const call = new OpenCall(id, this.part);
    this.#open.set(id, call);
    this.#add("tool_call_start", { toolCallId: id, toolName: wellFormed(name) });
    return call;
  }

  #noteMinted(providerId: string | undefined): void {
    const message = "The tool call has no id of its own that the run has not used; it got a new one";
    const actual = providerId === undefined ? "no id" : shown(providerId);
    this.#log.note("adapter/minted-id", message, "", { expected: "an id that is unique in the run", actual });
  }

  /** Appends argument text to an open call; a part of text around it stays open. */
  args(call: OpenCall, given: string): void {
    let text = given;
    if (call.half !== "" || !isUnicode(given)) [text, call.half] = this.#whole(call.half + given);
    if (text === "") return;
    const kind = call.server ? "server_tool_call_args" : "tool_call_args";
    this.#add(kind, { toolCallId: call.toolCallId, argsTextDelta: text });
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
    this.#endedCalls.add(toolCallId);
    const opaque = last ? this.state.rest(part, toolCallId) : this.state.ofPart(part, toolCallId);
    const kind = call.server ? "server_tool_call_end" : "tool_call_end";
    this.#add(kind, { toolCallId, ...(opaque === undefined ? {} : { opaque }) });
  }

  // --- tools that the provider runs, approvals --------------------------------------------------

  /**
   * Starts a call of a tool that the provider runs; its id is the provider's, or minted. Its
   * arguments and its end are written as any call's. The provider's own id is in what is kept with
   * the call.
   */
  openServerCall(providerId: string | undefined, name: string): OpenCall {
    this.#breakPart();
    const id = this.#callIds.take(providerId, this.requestId, "srv");
    if (id !== providerId) this.#noteMinted(providerId);
    this.#newPart("server_tool_call");
    const call = new OpenCall(id, this.part, true);
    this.#open.set(id, call);
    this.#waiting.add(id, id === providerId ? "" : asName(providerId ?? ""));
    this.#add("server_tool_call_start", { toolCallId: id, toolName: wellFormed(name) });
    return call;
  }

  /**
   * Writes the result of a server tool, whole; its call ends if it is open. `callId` is the call's,
   * or the provider's own for it; it may be of an earlier message. Without one it is the first call
   * of the stream that has no result. Returns false, with nothing written, where there is none,
   * where the call has a result already, and where it is a call of the other kind. `structured` is
   * any JSON value; null and undefined are none.
   */
  serverResult(
    callId: string | undefined,
    result: { isError: boolean; content: string; outcome?: string | undefined; structured?: unknown },
    opaque: Items = [],
  ): boolean {
    const id = this.answers(callId);
    if (id === undefined) return false;
    const call = this.#open.get(id);
    if (call !== undefined) this.endCall(call);
    this.#waiting.remove(id);
    this.#answered.add(id);
    this.#callIds.retire(id);
    this.#breakPart();
    this.#newPart("server_tool_result");
    const { isError, content, outcome } = result;
    const payload: ServerToolResult = { toolCallId: id, isError, content: wellFormed(content) };
    if (outcome !== undefined && outcome !== "") payload.outcome = wellFormed(outcome);
    const structured = storable(result.structured);
    if (structured !== null) payload.structured = structured as StructuredValue;
    const kept = this.#carried(opaque);
    if (kept !== undefined) payload.opaque = kept;
    this.#add("server_tool_result", payload);
    return true;
  }

  /** Returns the id of the call that a result answers, undefined where it answers none. */
  answers(callId: string | undefined): string | undefined {
    const id = asName(callId ?? "");
    const waiting = this.#waiting.find(id);
    if (waiting !== undefined || id === "") return waiting;
    const isTaken = this.#answered.has(id) || this.#open.has(id) || this.#endedCalls.has(id);
    return isTaken ? undefined : id;
  }

  /**
   * Asks for approval of a call of this stream, which ends if it is open. Returns false, with
   * nothing written, where there is no such call, and for an id that has been used.
   */
  approvalRequest(
    approval: { approvalId: string; callId: string; reason?: string | undefined },
    opaque: Items = [],
  ): boolean {
    const { callId, reason } = approval;
    const approvalId = asName(approval.approvalId);
    const call = this.#open.get(callId);
    if (call !== undefined) this.endCall(call);
    if (approvalId === "" || this.#approvals.has(approvalId) || !this.#endedCalls.has(callId)) return false;
    this.#approvals.add(approvalId);
    this.#breakPart();
    this.#newPart("approval_request");
    const payload: ApprovalRequest = { approvalId, toolCallId: callId };
    if (reason !== undefined && reason !== "") payload.reason = wellFormed(reason);
    const kept = this.#carried(opaque);
    if (kept !== undefined) payload.opaque = kept;
    this.#add("approval_request", payload);
    return true;
  }

  /** Returns items and what else is due, as the part that has just begun carries them. */
  #carried(items: Items): Opaque | undefined {
    for (const [kind, data] of items) this.state.keep({ kind, data, part: this.part });
    return this.state.isDue ? this.state.ofPart(this.part) : undefined;
  }

  // --- citations --------------------------------------------------------------------------------

  /**
   * Writes a citation, a JSON object of the contract, for the last text part or `part`. Members that
   * are not as the contract has them are left out. `opaque` is the provider's own, where its requests
   * take it back: `[["citation", event]]`. Returns false, with nothing written, without such a text
   * part, and for what is not a citation.
   */
  cite(citation: Members, opaque: Items = [], part?: number): boolean {
    const at = part ?? this.#lastText;
    if (!this.#textParts.has(at)) return false;
    const made = citationOf(citation);
    if (made === undefined) return false;
    this.flushHalf();
    const items = [...opaque].map(([kind, data]) => ({ kind, data, part: at }));
    if (items.length > 0) made.opaque = this.state.carry(items);
    this.#add("text_citation", { citation: made, ...(at === this.#lastText ? {} : { partIndex: at }) });
    return true;
  }

  // --- media ------------------------------------------------------------------------------------

  /**
   * Announces media; its part begins with its first bytes. Its id is the provider's, else
   * `media_<request>_<ordinal>`.
   */
  openMedia(mediaId: string | undefined, mimeType: string | undefined, name?: string): OpenMedia {
    const type = mimeType === undefined || mimeType === "" ? BYTES : wellFormed(mimeType);
    const media = new OpenMedia(mediaId, type, name === undefined || name === "" ? undefined : wellFormed(name));
    this.#media.add(media);
    return media;
  }

  /**
   * Appends `dataDelta`, Base64 by itself, or puts `data` in place of all bytes before. Returns
   * false where one of them is not Base64: the words are taken then all the same. What comes when
   * the media has ended is not written.
   */
  mediaData(media: OpenMedia, given: { dataDelta?: unknown; data?: unknown; transcript?: string }): boolean {
    const [delta, whole] = [wholeBase64(given.dataDelta), wholeBase64(given.data)];
    const isSound =
      (given.dataDelta === undefined || given.dataDelta === null || delta !== undefined) &&
      (given.data === undefined || given.data === null || whole !== undefined);
    if (!this.#media.has(media)) return false;
    let { words } = media;
    if (given.transcript !== undefined && given.transcript !== "") {
      const [more, half] = this.#whole(media.half + given.transcript);
      media.half = half;
      words += more;
    }
    const hasBytes = (delta ?? "") !== "" || (whole ?? "") !== "";
    if (!hasBytes && (media.part < 0 || words === "")) {
      media.words = words;
      return isSound;
    }
    if (media.part < 0) this.#beginMedia(media);
    media.words = "";
    const payload: MediaDataDeltaPayload = { mediaId: media.mediaId ?? "" };
    if (whole !== undefined && whole !== "") payload.data = whole;
    if (delta !== undefined && delta !== "") payload.dataDelta = delta;
    if (words !== "") payload.transcriptDelta = words;
    this.#add("media_data", payload);
    return isSound;
  }

  #beginMedia(media: OpenMedia): void {
    this.#breakPart();
    const mediaId = this.#mediaIds.take(media.mediaId, this.requestId, "media");
    media.mediaId = mediaId;
    this.#newPart("media");
    media.part = this.part;
    const { mimeType, name } = media;
    this.#add("media_start", { mediaId, mimeType, ...(name === undefined ? {} : { name }) });
  }

  /**
   * Ends media; `url` is where it is to be had, in place of bytes. Returns false where neither has
   * come: nothing has been written of it then, and `opaque` is not kept.
   */
  endMedia(
    media: OpenMedia,
    end: { mimeType?: string | undefined; url?: string | undefined } = {},
    opaque: Items = [],
  ): boolean {
    if (!this.#media.has(media)) return media.part >= 0;
    const url = end.url ?? "";
    if (url !== "" && media.part < 0) this.#beginMedia(media);
    if (media.half !== "") {
      media.half = "";
      this.#noteLone();
      media.words += "\ufffd";
    }
    if (media.part >= 0 && media.words !== "") this.mediaData(media, {});
    this.#media.delete(media);
    if (media.part < 0) return false;
    for (const [kind, data] of [...media.kept, ...opaque]) this.state.keep({ kind, data, part: media.part });
    const payload: MediaEndDeltaPayload = { mediaId: media.mediaId ?? "" };
    const type = wellFormed(end.mimeType ?? "");
    if (type !== "" && type !== media.mimeType) payload.mimeType = type;
    if (url !== "") payload.source = { kind: "url", url: wellFormed(url) };
    const kept = this.state.isDue ? this.state.ofPart(media.part) : undefined;
    if (kept !== undefined) payload.opaque = kept;
    this.#add("media_end", payload);
    return true;
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
   * Writes a warning of the provider, each once; without a code it is `other`. One that comes before
   * the stream's names are known waits for the start.
   */
  warn(code: unknown, message?: unknown, place?: unknown): void {
    const payload: WarningDeltaPayload = { code: textOf(code) || "other" };
    if (typeof message === "string") payload.message = wellFormed(message);
    if (textOf(place) !== "") payload.place = textOf(place);
    const key = JSON.stringify(payload);
    if (this.#warned.has(key)) return;
    this.#warned.add(key);
    if (this.#seq > 0) this.#add("warning", payload);
    else this.#toWarn.push(payload);
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

  /** Keeps provider state that belongs to a tool call, open or ended, or to open media. */
  keepWith(place: OpenCall | OpenMedia, kind: string, data: unknown): void {
    if (place instanceof OpenMedia && this.#media.has(place)) place.kept.push([kind, data]);
    else this.state.keep({ kind, data, part: place.part });
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

/** Returns a value that is text, "" for any other. */
function textOf(value: unknown): string {
  return typeof value === "string" ? wellFormed(value) : "";
}

/** Returns a name as a delta has it: no longer than the assembler takes. */
function asName(text: string): string {
  return firstCharacters(wellFormed(text), MAX_ID_CHARS);
}
