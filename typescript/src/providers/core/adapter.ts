/** What every adapter is: raw events of one provider's stream in, deltas of the contract out. */

import { LATEST_VERSION } from "../../contract/current/index.js";
import type { Author, MessageDelta, TextFormat } from "../../contract/current/message.js";
import { badArgument, type Finding } from "../../errors.js";
import { MAX_BARE_CHARS } from "../../generated/tables/limits.js";
import { isObject, type JsonValue } from "../../json/values.js";
import { errorBody, errorCode, errorIn, type ProviderError, RETRYABLE, readError } from "./errors.js";
import { decodeEvent, EventDecoder, NOTHING, valuesOnLines } from "./event-json.js";
import { FindingLog, shown } from "./findings.js";
import { checkId, givenIds } from "./ids.js";
import { KeptState, type OpaqueItem, withoutSecrets } from "./kept-state.js";
import { chunkEvent } from "./raw-events.js";
import { dialectOf } from "./sniff.js";
import { checkWords, givenAuthor, givenFormat, saysNew, type WrittenVersion } from "./stream-words.js";
import { type Members, stripped } from "./values.js";
import { DeltaWriter } from "./writer.js";

/** What a stream is opened with. */
export interface AdapterInit {
  /** Gives the timestamp of each delta, RFC 3339. */
  readonly clock: () => string;
  /** Ids that the run has used already: a call that repeats one gets a new id. */
  readonly usedToolCallIds?: Iterable<string>;
  /** Whether `providerRaw` carries each raw event, without credentials. */
  readonly keepRaw?: boolean;
  /** Are the caller's, and every delta says them; without them none does. */
  readonly messageId?: string;
  readonly turnId?: string;
  /** Who writes the message; the start says it. */
  readonly author?: string | Author;
  /** What the request asked JSON for as; the start says it. */
  readonly format?: TextFormat;
  /**
   * The contract version of the deltas. With v0.2 what is new in v0.3 is state of the provider, as
   * it was, and author and format are refused.
   */
  readonly version?: WrittenVersion;
}

/**
 * Turns the raw events of one response into deltas; sans-IO, for one stream.
 *
 * With `keepRaw` each raw event is carried once, as `providerRaw: {"events": […]}` of the first
 * delta that comes with or after it. Nothing that a provider sends throws: what does not fit
 * becomes a finding, or the stream ends as an `error` delta.
 * Source: semantics, model and adapters.
 */
export abstract class ProviderAdapter {
  /** The provider's own reason, where it says one. */
  finishReason: string | undefined;
  /** The provider's own error, where there is one. */
  error: ProviderError | undefined;
  protected readonly log = new FindingLog();
  protected readonly writer: DeltaWriter;
  readonly #events = new EventDecoder();
  #raw: JsonValue[] | undefined;

  constructor(
    readonly dialect: string,
    runId: string,
    init: AdapterInit,
  ) {
    checkId("run", runId);
    if (typeof init?.clock !== "function") {
      throw badArgument(
        "An adapter is given a clock",
        "{ clock } that returns RFC 3339, such as now",
        init?.clock ?? null,
      );
    }
    const ids = givenIds(init.messageId, init.turnId);
    const version = init.version ?? LATEST_VERSION;
    const words = {
      saysNew: saysNew(version),
      author: givenAuthor(init.author),
      format: givenFormat(init.format),
    };
    checkWords(version, words.author, words.format);
    const state = new KeptState(dialect);
    this.writer = new DeltaWriter({ runId, ...ids }, init.clock, init.usedToolCallIds ?? [], this.log, state, words);
    if (init.keepRaw === true) this.#raw = [];
  }

  // --- what the caller reads --------------------------------------------------------------------

  /** What did not fit, in order of arrival; at most 200, repeats kept once. Pointers begin with the number of the raw event. */
  get findings(): readonly Finding[] {
    return this.log.findings;
  }

  /**
   * What the provider wants back unchanged (signatures, encrypted reasoning, server-side tool
   * blocks, citations), in order of arrival; the deltas carry all of it.
   */
  get opaque(): readonly OpaqueItem[] {
    return this.writer.state.items;
  }

  /** Minted tool call id → the provider's own id, undefined where it sent none. */
  get providerIds(): ReadonlyMap<string, string | undefined> {
    return this.writer.state.providerIds;
  }

  /** The model that the provider names, `""` until it does. */
  get modelId(): string {
    return this.writer.modelId;
  }

  /** The provider's id of the response, `""` until it comes. */
  get requestId(): string {
    return this.writer.requestId;
  }

  /** Whether `done` or `error` has been emitted. */
  get ended(): boolean {
    return this.writer.ended;
  }

  // --- what the caller calls --------------------------------------------------------------------

  /** Returns the deltas of one raw event: a JSON object as the provider sent it. */
  feed(event: unknown): MessageDelta[] {
    const { log, writer } = this;
    log.event++;
    this.#raw?.push(withoutSecrets(event));
    if (writer.ended) this.afterEnd(event);
    else if (isObject(event)) this.read(event);
    else this.#invalid("The event is not an object", "a JSON object", shown(event));
    return this.#take();
  }

  /**
   * Returns the deltas of one event as it was on the wire, not decoded. `name` is the one that
   * the framing gave it, a hint only: what the JSON says counts. Reads `[DONE]`, several events in
   * an array or on a line each, and what is not JSON.
   */
  feedText(data: string, name = ""): MessageDelta[] {
    const value = this.decode(data);
    if (!isObject(value) || name === "error") return this.#readText(data, value, name);
    return this.feed(name !== "" && value["type"] !== name ? this.withHint(value, name) : value);
  }

  /**
   * Returns the deltas of an error that the framing names, not the event itself. `value` is what it
   * says: an object with `code` or `type` and `message`, or a text.
   */
  feedError(value: unknown): MessageDelta[] {
    return this.#readError(value, value);
  }

  /**
   * Returns the deltas of JSON that is bare among server-sent events: Google's servers, and some
   * proxies, write their errors so, and one of those counts. Anything else is a finding; what is not
   * JSON is lost, as an event that is cut.
   */
  feedBare(text: string): MessageDelta[] {
    const values = valuesOnLines([...text.slice(0, 2 * MAX_BARE_CHARS)].slice(0, MAX_BARE_CHARS).join(""));
    for (const body of values.flat().filter(isObject)) {
      const error = errorBody(body);
      if (error !== undefined) return this.#readError(body, error);
    }
    this.log.event++;
    this.#raw?.push(withoutSecrets(text));
    const message = "JSON stands bare among the events, and is not an error; it is passed over";
    this.#invalid(message, "an event, or an error", shown(text));
    if (values.includes(NOTHING)) this.#lose();
    return this.#take();
  }

  /** Reads an error; `said` is how {@link readError} takes it. */
  #readError(value: unknown, said: unknown): MessageDelta[] {
    this.log.event++;
    this.#raw?.push(withoutSecrets(value));
    if (this.ended) this.afterEnd(value);
    else this.failWith(said);
    return this.#take();
  }

  /** Returns the deltas of an event that is cut, so that nothing of it can be read. */
  feedTorn(): MessageDelta[] {
    this.log.event++;
    this.#invalid("The event is cut", "a whole event");
    this.#lose();
    return this.#take();
  }

  /**
   * Says what the stream itself may not: the model, and the provider's id of the response. Names
   * that the stream has given already stay. Some providers have them in the HTTP response or in the
   * request alone (Bedrock).
   */
  identify(names: { readonly modelId?: string; readonly requestId?: string }): MessageDelta[] {
    if (!this.ended) this.writer.identify(names.modelId, names.requestId);
    return this.#take();
  }

  /** Says that the input has ended; returns the last deltas: done, or `truncated_stream`. */
  close(): MessageDelta[] {
    if (!this.ended) this.finish();
    return this.#take();
  }

  /** Ends the stream because its bytes cannot be read on; `finding` says why. */
  fail(finding: Finding): MessageDelta[] {
    this.log.add(finding);
    // Damage happens on the way; the other refusals would come again.
    const code = finding.rule === "framing/checksum-mismatch" ? "connection" : "unknown";
    if (!this.ended) this.endWith(code, `${finding.message} [${finding.rule}]`);
    return this.#take();
  }

  /**
   * Ends the stream for a reason outside of it: the connection failed, the call was refused.
   * `errorCode` is one of the contract's; `retryable` is the code's own without a value. Nothing
   * comes of it where the stream has ended. Throws UsageError for an unknown code.
   */
  abort(errorCode: string, message: string, retryable?: boolean): MessageDelta[] {
    if (!RETRYABLE.has(errorCode)) {
      throw badArgument("No such error code", [...RETRYABLE.keys()].join(", "), errorCode);
    }
    if (!this.ended) {
      this.flush();
      this.writer.fail(errorCode, message, retryable);
    }
    return this.#take();
  }

  // --- what an adapter fills in -----------------------------------------------------------------

  /** Returns the JSON value of an event's text, or {@link NOTHING}; some know a shorter way for the frequent one. */
  protected decode(text: string): unknown {
    return this.#events.decode(text);
  }

  /** Writes the deltas of one event; nothing has ended the stream yet. */
  protected abstract read(event: Members): void;
  /** Writes the last delta: the input has ended. */
  protected abstract finish(): void;
  /** Reads `[DONE]`. */
  protected abstract doneMark(): void;

  /** Writes what is held back, before the last delta; most formats hold nothing back. */
  protected flush(): void {}

  /** Tells whether the content is known to be whole, so that a torn event costs nothing. */
  protected isWhole(): boolean {
    return false;
  }

  /** Tells whether the provider itself sends this after the end. */
  protected mayFollow(_event: Members): boolean {
    return false;
  }

  /** Returns the event, completed by the framing's name for it where the dialect has one. */
  protected withHint(event: Members, _name: string): Members {
    return event;
  }

  // --- errors -----------------------------------------------------------------------------------

  /** Ends the stream with the provider's error. */
  protected failWith(value: unknown): void {
    const error = readError(value);
    this.error = error;
    this.endWith(errorCode(error), error.message ?? error.code ?? error.type);
  }

  protected endWith(code: string, message?: string): void {
    this.flush();
    this.writer.fail(code, message);
  }

  /** Ends the stream at a second message: what the first one said cannot be taken back. */
  protected refuseSecond(place: string, first: unknown, other: unknown): void {
    const message = "A second message begins inside the first one's stream";
    this.log.note("adapter/spliced-message", message, place, { expected: shown(first), actual: shown(other) });
    this.endWith("provider_internal", "A second message began inside the first one");
  }

  /** Tells whether nothing has come that a message or the next request would hold. */
  protected get isEmpty(): boolean {
    return this.writer.wrote.size === 0 && this.writer.state.items.length === 0;
  }

  /**
   * Ends the stream as complete, by its finish reason, which is `key` in the table. An end marker that
   * has no message before it, and no reason with it, is what a torn stream has left.
   */
  protected endWithReason(table: ReadonlyMap<string, string>, key: string, place: string, hasBegun: boolean): void {
    const said = this.finishReason;
    if (said === undefined && !hasBegun && this.isEmpty) return this.endOfNothing();
    this.writer.done(this.knownReason(table, key, said, place), said);
  }

  protected endOfNothing(): void {
    this.truncated("any message");
  }

  protected truncated(expected: string): void {
    this.endWith("truncated_stream", `The stream stopped before ${expected}`);
  }

  /** Tells whether a first event is another dialect's; if so, ends the stream. */
  protected isOtherDialect(event: Members): boolean {
    const found = dialectOf(event);
    if (found === undefined || found[0] === this.dialect) return false;
    this.wrongDialect(...found);
    return true;
  }

  protected wrongDialect(other: string, place: string): void {
    const message = `The stream speaks ${other}, not ${this.dialect}`;
    this.log.note("adapter/wrong-dialect", message, place, { expected: this.dialect, actual: other });
    this.endWith("unknown", message);
  }

  protected unknownType(kind: unknown): void {
    const said = { expected: "an event of the dialect", actual: shown(kind) };
    this.log.note("adapter/unknown-event", "The event's type is not known; it is passed over", "/type", said);
  }

  /** Returns the contract's finish reason; where the table has none, unknown, and says so. */
  protected knownReason(table: ReadonlyMap<string, string>, key: string, said: unknown, place = ""): string {
    const known = table.get(key);
    if (known !== undefined) return known;
    const rule = "adapter/unknown-finish-reason";
    if (said === undefined) {
      this.log.note(rule, "No finish reason came; it counts as unknown", place, { expected: "a finish reason" });
    } else {
      const expected = [...table.keys()].join(", ");
      const message = "The finish reason is not known; it counts as unknown";
      this.log.note(rule, message, place, { expected, actual: shown(said) });
    }
    return "unknown";
  }

  /** Reads the event that a Bedrock `chunk` carries, as its clients give it. */
  protected readChunk(event: Members): void {
    const value = chunkEvent(event);
    if (isObject(value)) this.read(value);
    else this.log.invalid("/chunk/bytes", "an event as JSON in Base64", event["chunk"]);
  }

  /** Passes over what comes after the end, with a finding except for what the provider itself sends there. */
  protected afterEnd(event: unknown): void {
    if (isObject(event) && this.mayFollow(event)) return;
    const message = "The stream goes on after its end; what follows is passed over";
    this.log.note("adapter/after-end", message, "", { expected: "the end of the input" });
  }

  // --- inside -----------------------------------------------------------------------------------

  #readText(data: string, value: unknown, name: string): MessageDelta[] {
    const text = stripped(data);
    const lines = value === NOTHING ? text.split("\n") : [];
    if (lines.length > 1 && lines.slice(0, -1).every(isEvent)) return this.#readLines(lines, name);
    if (name === "error" && text !== "" && !this.ended) {
      if (value === NOTHING) return this.feedError(text);
      // The digits of a number are with what holds it.
      const holder = typeof value === "number" ? decodeEvent(`{"error":${text}}`) : undefined;
      return this.#readError(value, isObject(holder) ? errorIn(holder) : value);
    }
    if (Array.isArray(value) && value.length > 0 && value.every(isObject)) {
      return value.flatMap((item) => this.feed(item));
    }
    if (value !== NOTHING) return this.feed(value);
    this.log.event++;
    if (text !== "") this.#raw?.push(withoutSecrets(data));
    if (text === "[DONE]") {
      if (!this.ended) this.doneMark();
    } else if (text !== "") {
      this.#noJson(text);
    }
    return this.#take();
  }

  /**
   * Reads events on a line each: some servers end events with one line end. To the framing they
   * are one event, and the last one's name is that of all.
   */
  #readLines(lines: readonly string[], name: string): MessageDelta[] {
    const last = lines.at(-1) ?? "";
    const deltas = lines.slice(0, -1).flatMap((line) => this.feedText(line));
    return deltas.concat(this.feedText(last, stripped(last) === "[DONE]" ? "" : name));
  }

  /** Notes an event that is not JSON; a broken object may have carried content. */
  #noJson(text: string): void {
    this.#invalid("The event is not JSON", "a JSON object", shown(text));
    if (text.startsWith("{") || text.startsWith("[")) this.#lose();
  }

  #invalid(message: string, expected: string, actual?: string): void {
    this.log.note("adapter/invalid-event", message, "", { expected, ...(actual === undefined ? {} : { actual }) });
  }

  /** Takes an event for lost, which may have carried content. */
  #lose(): void {
    if (this.ended || this.isWhole()) return;
    this.endWith("truncated_stream", "An event is cut or broken: its content is lost");
  }

  #take(): MessageDelta[] {
    const out = this.writer.out;
    const [first] = out;
    if (first === undefined) return []; // not the writer's own list: it grows
    this.writer.out = [];
    if (this.#raw !== undefined && this.#raw.length > 0) {
      out[0] = { ...first, providerRaw: { events: this.#raw } };
      this.#raw = [];
    }
    return out;
  }
}

/** Tells whether a line is a separate event, or `[DONE]`. */
function isEvent(line: string): boolean {
  return stripped(line) === "[DONE]" || isObject(decodeEvent(line));
}
