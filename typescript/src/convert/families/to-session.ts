/**
 * Messages as those of a session. Both ways take whole histories: a session holds a call and its result
 * in one part. A message that carries the record of one (`meta.session`) becomes what it was; of another
 * one a session asks for more than it says, and that is given by the caller, or made.
 */

import type {
  Message,
  MessageMeta,
  MessagePart,
  Opaque,
  ToolResult,
  UsageSummary,
} from "../../contract/current/message.js";
import type { AssistantInfo, MessageInfo, Part, TokenStats, WithParts } from "../../contract/current/session.js";
import { ReadError } from "../../errors.js";
import type { LossCode } from "../../generated/tables/losses.js";
import { sameJson } from "../../json/equality.js";
import { escapePointer } from "../../json/text.js";
import { own } from "../../json/values.js";
import type { Context, ValueName } from "./context.js";
import { type BridgeResult, Work } from "./conversion.js";
import { spokenMessages } from "./from-session.js";
import { derivedId, isUuid } from "./ids.js";
import { type Answer, filePart, type Head, metadataWith, toolState } from "./session-parts.js";
import { FIRST_VERSION, fitted, keepsIgnored, recordOf } from "./session-record.js";
import { COUNTS, tokensOf } from "./session-tokens.js";
import { readDocument } from "./types.js";

// --- results -------------------------------------------------------------------------------------
// The results that the tool's messages behind a message give to its calls.

/** Notes the names that a session has no place for. */
function noteNames(work: Work, index: number, source: Message): void {
  work.note("run-id", `/${index}/runId`);
  if (source.turnId !== undefined) work.note("turn-id", `/${index}/turnId`);
}

/** Results by the id of their call, in the order of the messages. */
class Results {
  readonly payloads = new Map<string, ToolResult>();
  /** Where a result is. */
  readonly places = new Map<string, string>();
  /** When a call ended, in milliseconds. */
  readonly ends = new Map<string, number>();
  /** The time of the first message that has results. */
  readonly time: string | undefined;
  /** Whether one message has them all, in the order of the calls. */
  readonly inOrder: boolean;

  /** Takes the results of `one` from the messages of `work` from `start` to before `end`. */
  constructor(work: Work<Message>, one: Message, start: number, end: number) {
    const calls = new Set<string>();
    for (const part of one.parts) if (part.kind === "tool_call") calls.add(part.payload.toolCallId);
    const used: number[] = [];
    for (let index = start; index < end; index++) if (this.#take(work, index, calls)) used.push(index);
    const [first, ...others] = used;
    this.time = first === undefined ? undefined : work.source[first]?.timestamp;
    const order = [...calls].filter((call) => this.payloads.has(call));
    this.inOrder = used.length < 2 && [...this.payloads.keys()].every((call, at) => call === order[at]);
    if (this.inOrder) return;
    work.note("result-order", `/${first}/parts`);
    work.note("result-order", `/${first}/timestamp`);
    for (const index of others) work.note("result-order", `/${index}`);
  }

  /** Takes what a tool's message has for `calls`; tells whether that is anything. */
  #take(work: Work<Message>, index: number, calls: ReadonlySet<string>): boolean {
    const source = work.source[index];
    if (source === undefined) return false;
    const fitting: string[] = [];
    const others: number[] = [];
    for (const [number, part] of source.parts.entries()) {
      const call = part.kind === "tool_result" ? part.payload.toolCallId : undefined;
      if (part.kind !== "tool_result" || call === undefined || !calls.has(call) || this.payloads.has(call)) {
        others.push(number);
        continue;
      }
      this.payloads.set(call, part.payload);
      this.places.set(call, `/${index}/parts/${number}/payload`);
      fitting.push(call);
    }
    if (fitting.length === 0) {
      work.note("result-without-call", `/${index}`);
      return false;
    }
    for (const number of others) work.note("result-without-call", `/${index}/parts/${number}`);
    noteNames(work, index, source);
    if (source.messageId !== undefined) work.note("message-id", `/${index}/messageId`);
    if (source.meta !== undefined) work.note("meta", `/${index}/meta`);
    const end = work.ms(source.timestamp, `/${index}/timestamp`);
    for (const call of fitting) this.ends.set(call, end);
    return true;
  }
}

// --- records that fit ----------------------------------------------------------------------------
// Whether `meta.session` and the message around it still say the same. A record that was written for
// v0.1 is in a message that could not say all that messages say since: such a message fits too, and
// what it lacks is taken from the record.

const SAID_META: Readonly<Record<string, readonly string[]>> = {
  user: ["completedAt", "session"],
  assistant: ["completedAt", "session", "usage"],
};

/** Tells whether a session says what a member of `meta` says. */
function isSaid(role: string, name: string): boolean {
  return SAID_META[role]?.includes(name) ?? false;
}

/**
 * Returns the places where `made` says more than the message `one` that it was made of, undefined where
 * it says anything else. Only the run and the turn may differ.
 */
function addedByRecord(made: WithParts, one: Message, results: Results): string[] | undefined {
  const keepIgnored = keepsIgnored(one.meta?.["session"]);
  const quiet = new Work([], "message.Message", { runId: one.runId, keepIgnored });
  const { spoken, tool } = spokenMessages(made, "", quiet);
  const parts = [...results.payloads.values()].map((payload) => ({ kind: "tool_result", payload }));
  if (parts.length === 0 ? tool !== undefined : tool?.timestamp !== results.time) return undefined;
  if (!sameJson(tool?.parts ?? [], parts)) return undefined;
  const { turnId, ...said } = one;
  const meta = Object.fromEntries(Object.entries(one.meta ?? {}).filter(([name]) => isSaid(one.role, name)));
  const given: Message & { meta: MessageMeta } = { ...said, meta };
  const added = [...addMembers(given, spoken, made), ...addToParts(given, spoken)];
  return sameJson(given, spoken) ? added : undefined;
}

type Spoken = ReturnType<typeof spokenMessages>["spoken"];

function addMembers(given: Message & { meta: MessageMeta }, again: Spoken, made: WithParts): string[] {
  const added: string[] = [];
  if (given.messageId === undefined) {
    given.messageId = again.messageId;
    added.push("/messageId");
  }
  const { meta } = given;
  const { usage } = again.meta;
  if (meta.usage !== undefined && usage !== undefined) {
    const said: UsageSummary = { ...meta.usage };
    const missing = COUNTS.filter((name) => said[name] === undefined);
    for (const name of missing) {
      const count = usage[name];
      if (count !== undefined) said[name] = count;
      added.push(`/meta/usage/${name}`);
    }
    meta.usage = said;
  }
  const record = again.meta["session"];
  const older = recordOf(made, keepsIgnored(meta["session"]), FIRST_VERSION);
  if (!sameJson(meta["session"], record) && sameJson(meta["session"], older)) {
    meta["session"] = record;
    added.push("/meta/session");
  }
  return added;
}

const isFile = ({ kind }: MessagePart): boolean => kind === "image" || kind === "file_ref";

/** Gives the parts what only the record says of them: provider's state, an assistant's files. */
function addToParts(given: Message, again: Spoken): string[] {
  const all = again.parts;
  const lacksFiles = again.role === "assistant" && !given.parts.some(isFile);
  const kept = lacksFiles ? all.filter((part) => !isFile(part)) : all;
  const added: string[] = [];
  given.parts = given.parts.map((part, number) => {
    const opaque = own(kept[number]?.payload ?? {}, "opaque") as Opaque | undefined;
    if (opaque === undefined || "opaque" in part.payload) return part;
    added.push(`/parts/${number}/payload/opaque`);
    return { ...part, payload: { ...part.payload, opaque } } as MessagePart;
  });
  if (kept.length !== all.length && sameJson(given.parts, kept)) {
    given.parts = all;
    added.push("/parts");
  }
  return added;
}

// --- a message without a record ------------------------------------------------------------------
// One message without a record: what a session asks for is given or made.

const NO_TOKENS: TokenStats = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };

/** A message on its way into a session. */
interface Bare {
  readonly index: number;
  readonly one: Message;
  /** When it was made, in milliseconds. */
  readonly created: number;
  readonly results: Results;
  /** The system prompt before it. */
  readonly system: string | undefined;
}

/** Makes the message of the session; `ids` are those of its messages so far, in lower case. */
class SessionMessage {
  readonly #work: Work;
  readonly #bare: Bare;
  readonly #place: string;
  /** Where a message carries what a session says: the record, which it does not have. */
  readonly #record: string;
  readonly #sessionId: string;
  readonly #id: string;

  constructor(work: Work, bare: Bare, ids: Set<string>) {
    this.#work = work;
    this.#bare = bare;
    this.#place = `/${bare.index}`;
    this.#record = bare.one.meta === undefined ? `${this.#place}/meta` : `${this.#place}/meta/session`;
    work.note("ids-made", this.#record);
    const { runId } = bare.one;
    this.#sessionId = this.#given("sessionId", "session-id-invented", derivedId("session", runId));
    const invented = derivedId("message", this.#sessionId, bare.index, runId);
    const { makeId } = work.context;
    this.#id = this.#ownId(ids) ?? (makeId === undefined ? invented : makeId());
    ids.add(String(this.#id).toLowerCase()); // a maker may make what is not an id; reading refuses it
  }

  /** Returns the message's own id, if a session takes it and no other message has it. */
  #ownId(taken: ReadonlySet<string>): string | undefined {
    const given = this.#bare.one.messageId;
    const place = `${this.#place}/messageId`;
    if (given !== undefined && isUuid(given) && !taken.has(given.toLowerCase())) return given;
    this.#work.note(given === undefined ? "message-id-made" : "message-id", place);
    return undefined;
  }

  #given<Name extends ValueName & ("sessionId" | "agent" | "providerId" | "modelId" | "cwd" | "root")>(
    name: Name,
    code: LossCode,
    invented: string,
  ): string {
    return this.#work.given(name, this.#record, code, invented);
  }

  /** Returns the message of the session. */
  convert(): WithParts {
    return { info: this.#info(), parts: this.#parts() };
  }

  #info(): MessageInfo {
    const { one, created, system } = this.#bare;
    const completedAt = one.meta?.completedAt;
    const place = `${this.#place}/meta/completedAt`;
    const completed = completedAt === undefined ? {} : { completed: this.#work.ms(completedAt, place) };
    const head = {
      id: this.#id,
      time: { created, ...completed },
      agent: this.#given("agent", "agent-invented", "unknown"),
    };
    if (one.role !== "user") {
      const cwd = this.#given("cwd", "path-invented", "/");
      const root = this.#given("root", "path-invented", "/");
      return { ...head, role: "assistant", path: { cwd, root }, ...this.#usage() };
    }
    const providerID = this.#given("providerId", "model-invented", "unknown");
    const modelID = this.#given("modelId", "model-invented", "unknown");
    return { ...head, role: "user", model: { providerID, modelID }, ...(system === undefined ? {} : { system }) };
  }

  #usage(): Pick<AssistantInfo, "tokens" | "cost"> {
    const { meta } = this.#bare.one;
    const at = `${this.#place}/meta`;
    const usage = meta?.usage;
    if (usage !== undefined) return this.#usageOf(usage, `${at}/usage`);
    const work = this.#work;
    const inner = meta === undefined ? at : `${at}/usage`;
    const tokens = work.given("tokens", inner, "usage-invented", NO_TOKENS);
    const isGiven = work.context.tokens !== undefined || work.context.cost !== undefined;
    return { tokens, cost: isGiven ? work.given("cost", inner, "cost-invented", 0) : 0 };
  }

  #usageOf(usage: UsageSummary, at: string): Pick<AssistantInfo, "tokens" | "cost"> {
    const work = this.#work;
    const tokens = tokensOf(usage, at, work);
    const cost = usage.cost ?? work.given("cost", `${at}/cost`, "cost-invented", 0);
    return { tokens, cost };
  }

  #parts(): Part[] {
    const { makeId } = this.#work.context;
    return this.#bare.one.parts.map((part, number) => {
      const id = makeId === undefined ? `prt_${number}` : makeId();
      const head = { id, sessionID: this.#sessionId, messageID: this.#id };
      return this.#part(part, `${this.#place}/parts/${number}`, head);
    });
  }

  #part(part: MessagePart, place: string, head: Head): Part {
    const { created } = this.#bare;
    switch (part.kind) {
      case "text":
        return { ...head, type: "text", text: part.payload.text, ...metadataWith(undefined, part.payload) };
      case "thinking": {
        const metadata = metadataWith(undefined, part.payload);
        return { ...head, type: "reasoning", text: part.payload.text, time: { start: created }, ...metadata };
      }
      case "tool_call": {
        const { toolCallId: callID, toolName: tool } = part.payload;
        const state = toolState(part.payload, `${place}/payload`, this.#answer(callID), head, this.#work);
        return { ...head, type: "tool", callID, tool, state, ...metadataWith(undefined, part.payload) };
      }
      case "tool_result": // is in a tool's message alone
        throw new TypeError("a tool's message is not a message of a session");
      default:
        return { ...head, ...filePart(part, place, this.#work) };
    }
  }

  #answer(call: string): Answer | undefined {
    const { results, created } = this.#bare;
    const result = results.payloads.get(call);
    if (result === undefined) return undefined;
    return { result, place: results.places.get(call) ?? "", start: created, end: results.ends.get(call) ?? created };
  }
}

// --- whole histories -----------------------------------------------------------------------------

const TYPE = "session.WithParts";

/**
 * Returns `message.Message` (one or an array) as `session.WithParts`. Results are taken from the tool's
 * messages right behind a call's message: repair a history in which they are elsewhere first
 * (`repairHistory`). Throws ReadError and UsageError.
 */
export function messagesToSession(values: unknown, context: Context = {}): BridgeResult<WithParts[]> {
  const work = new Work<Message>(values, "message.Message", context);
  return work.finish(new History(work).convert(), TYPE);
}

/** The way from messages to a session, message by message. */
class History {
  readonly #work: Work<Message>;
  readonly #made: WithParts[] = [];
  /** Ids of the session's messages, in lower case. */
  readonly #ids = new Set<string>();
  #system: { readonly index: number; readonly message: Message } | undefined;

  constructor(work: Work<Message>) {
    this.#work = work;
  }

  /** Returns the messages of the session. */
  convert(): WithParts[] {
    const { source } = this.#work;
    let index = 0;
    for (let message = source[index]; message !== undefined; message = source[index]) {
      if (message.role === "user" || message.role === "assistant") {
        index = this.#spoken(message, index);
        continue;
      }
      this.#dropSystem();
      if (message.role === "system") this.#system = { index, message };
      else this.#work.note("result-without-call", `/${index}`);
      index++;
    }
    this.#dropSystem();
    return this.#made;
  }

  #dropSystem(): void {
    if (this.#system !== undefined) this.#work.note("system-message", `/${this.#system.index}`);
    this.#system = undefined;
  }

  /** Converts a user's or assistant's message; returns where the next one is. */
  #spoken(one: Message, index: number): number {
    const work = this.#work;
    let end = index + 1;
    if (one.role === "assistant") {
      while (work.source[end]?.role === "tool") end++;
      this.#dropSystem();
    }
    const results = new Results(work, one, index + 1, end);
    noteNames(work, index, one);
    this.#noteMeta(one, index);
    const created = work.ms(one.timestamp, `/${index}/timestamp`);
    const system = one.role === "user" ? this.#takeSystem(created) : undefined;
    const bare = { index, one, created, results, system };
    const record = one.meta?.["session"] ?? undefined;
    if (record !== undefined && this.#takeRecord(record, bare)) return end;
    if (record !== undefined) work.note("record-misfit", `/${index}/meta/session`);
    this.#made.push(new SessionMessage(work, bare, this.#ids).convert());
    return end;
  }

  #noteMeta(one: Message, index: number): void {
    for (const name of Object.keys(one.meta ?? {})) {
      if (!isSaid(one.role, name)) this.#work.note("meta", `/${index}/meta/${escapePointer(name)}`);
    }
  }

  /** Takes the session's message that the record and the message make; tells if they fit. */
  #takeRecord(record: unknown, { index, one, results, system }: Bare): boolean {
    const made = validOrNone(fitted(record, one, results.payloads, system));
    if (made === undefined || !results.inOrder) return false;
    const added = addedByRecord(made, one, results);
    if (added === undefined) return false;
    for (const place of added) this.#work.note("from-record", `/${index}${place}`);
    this.#made.push(made);
    this.#ids.add(made.info.id.toLowerCase());
    return true;
  }

  /** Returns the system prompt that is before a message, and notes what it loses. */
  #takeSystem(created: number): string | undefined {
    if (this.#system === undefined) return undefined;
    const { index, message } = this.#system;
    const texts = message.parts.flatMap((part) => (part.kind === "text" ? [part.payload.text] : []));
    if (texts.length === 0) {
      this.#dropSystem();
      return undefined;
    }
    this.#system = undefined;
    const work = this.#work;
    noteNames(work, index, message);
    if (message.messageId !== undefined) work.note("message-id", `/${index}/messageId`);
    const time = work.ms(message.timestamp, `/${index}/timestamp`);
    if (time !== created) work.note("system-time", `/${index}/timestamp`);
    if (message.meta !== undefined) work.note("meta", `/${index}/meta`);
    for (const [number, part] of message.parts.entries()) {
      if ("opaque" in part.payload) work.note("opaque", `/${index}/parts/${number}/payload/opaque`);
    }
    if (message.parts.length !== 1) work.note("system-parts", `/${index}/parts`);
    return texts.join("\n\n");
  }
}

/** Returns what is valid as a session's message; anyone may write a record, and it need not be. */
function validOrNone(made: unknown): WithParts | undefined {
  try {
    return readDocument(made, TYPE, "strict") as WithParts;
  } catch (error) {
    if (error instanceof ReadError) return undefined;
    throw error;
  }
}
