/** The start of a stream, and what is beside its parts: usage, warnings, provider state. */
import type {
  Author,
  MessageDelta,
  TextFormat,
  UsageSummary,
  WarningDeltaPayload,
} from "../../../contract/current/message.js";
import { MAX_ID_CHARS } from "../../../generated/tables/limits.js";
import { isObject } from "../../../json/values.js";
import { type FindingLog, shownAt } from "../findings.js";
import type { KeptState } from "../kept-state.js";
import { firstCharacters, type Members, member, wellFormed } from "../values.js";

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

/** What every delta of a stream says. */
export interface StreamIds {
  readonly runId: string;
  readonly messageId?: string;
  readonly turnId?: string;
}

/**
 * Writes the start of a stream, and what is beside its parts; `out` holds the deltas. `state` is what
 * the provider wants back with them. `clock` is called once per delta and gives the contract's
 * timestamp. Part positions (`part`, `chars`) follow the assembler's rule: text, or thinking, joins
 * the last part if that is of its kind and nothing has ended it.
 */
export class StreamWriter {
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
  /** Whether what is new in v0.3 may be written. */
  readonly saysNew: boolean;
  /** Timestamp of the delta for whose sake another has been written. */
  protected now: string | undefined;
  readonly #clock: () => string;
  readonly #author: Author | undefined;
  #format: TextFormat | undefined;
  #seq = 0;
  #usage: UsageSummary | undefined;
  #usageText = "";
  #usageDue = false;
  readonly #warned = new Set<string>();
  readonly #toWarn: WarningDeltaPayload[] = []; // once the stream has started

  constructor(
    protected readonly ids: StreamIds,
    clock: () => string,
    protected readonly usedToolCallIds: Iterable<string>,
    protected readonly log: FindingLog,
    readonly state: KeptState,
    words: StreamWords = { saysNew: true },
  ) {
    this.#clock = clock;
    this.saysNew = words.saysNew;
    this.#author = words.author;
    this.#format = words.format;
  }

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
    this.add("start", {
      modelId: this.modelId || UNKNOWN,
      requestId: this.requestId || UNKNOWN,
      ...(author === undefined ? {} : { author }),
      ...(format === undefined ? {} : { format }),
    });
    for (const warning of this.#toWarn) this.add("warning", warning);
  }

  /** Says that the provider repeats the form that JSON was asked for in; the caller's wins. */
  sayFormat(name?: string): void {
    if (this.saysNew) this.#format ??= name === undefined || name === "" ? {} : { name: asName(name) };
  }

  // --- usage, warnings, state -------------------------------------------------------------------

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
      this.reportUsage();
    }
  }

  #compare(usage: UsageSummary, before: UsageSummary): void {
    if (usage.totalTokens < usage.inputTokens + usage.outputTokens) this.log.usage("a total below its sum");
    const names = ["inputTokens", "outputTokens", "totalTokens"] as const;
    if (names.some((name) => usage[name] < before[name])) this.log.usage("a figure below an earlier one");
  }

  protected reportUsage(): void {
    if (!this.#usageDue || this.#usage === undefined) return;
    this.#usageDue = false;
    this.add("usage", this.#usage);
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
    if (this.#seq > 0) this.add("warning", payload);
    else this.#toWarn.push(payload);
  }

  /**
   * Writes the `warnings` of an event, or of what it holds at `place`. `code` is the member that says
   * the code where none is called so.
   */
  readWarnings(holder: Members, place: string, code = "code"): void {
    const given = member(holder, "warnings");
    if (given === undefined || !this.saysNew) return;
    if (!Array.isArray(given)) return this.log.invalid(`${place}/warnings`, "an array", given);
    for (const [number, each] of given.entries()) {
      const at = `${place}/warnings/${number}`;
      if (typeof each === "string") this.warn(undefined, each);
      else if (isObject(each)) this.#readWarning(each, at, code);
      else this.log.invalid(at, "an object or text", each, shownAt(given, `${number}`));
    }
  }

  #readWarning(warning: Members, at: string, code: string): void {
    const names = [member(warning, "code") === undefined ? code : "code", "message", "place"] as const;
    const said = names.map((name) => {
      const value = member(warning, name);
      if (value === undefined || typeof value === "string") return value;
      return this.log.invalid(`${at}/${name}`, "a string", value, shownAt(warning, name));
    });
    this.warn(said[0], said[1], said[2]);
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

  protected add<Kind extends MessageDelta["kind"]>(
    kind: Kind,
    payload: Extract<MessageDelta, { kind: Kind }>["payload"],
  ): void {
    const timestamp = this.now ?? this.#clock();
    this.now = undefined;
    const seq = this.#seq++;
    const { runId, messageId, turnId } = this.ids;
    // A literal takes a third of the time that spreading takes: engines know its shape.
    const isBare = messageId === undefined && turnId === undefined;
    const delta = isBare ? { runId, seq, kind, payload, timestamp } : { ...this.ids, seq, kind, payload, timestamp };
    this.out.push(delta as MessageDelta);
  }
}

/** Returns a value that is text, "" for any other. */
function textOf(value: unknown): string {
  return typeof value === "string" ? wellFormed(value) : "";
}

/** Returns a name as a delta has it: no longer than the assembler takes. */
export function asName(text: string): string {
  return firstCharacters(wellFormed(text), MAX_ID_CHARS);
}
