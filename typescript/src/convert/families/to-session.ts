/**
 * Messages as those of a session. Both ways take whole histories: a session holds a call and its result
 * in one part. A message that carries the record of one (`meta.session`) becomes what it was; of another
 * one a session asks for more than it says, and that is given by the caller, or made.
 */

import type {
  ApprovalRequest,
  ApprovalResponse,
  Message,
  MessageMeta,
  MessagePart,
  Opaque,
  ToolCallPayload,
  ToolResult,
  UsageSummary,
} from "../../contract/current/message.js";
import type {
  AssistantInfo,
  MessageInfo,
  Part,
  TokenStats,
  ToolApproval,
  ToolState,
  WithParts,
} from "../../contract/current/session.js";
import { ReadError } from "../../errors.js";
import { KIND_CODES, type LossCode } from "../../generated/tables/losses.js";
import { sameJson } from "../../json/equality.js";
import { escapePointer } from "../../json/text.js";
import { own } from "../../json/values.js";
import type { Context, ValueName } from "./context.js";
import { type BridgeResult, Work } from "./conversion.js";
import { spokenMessages } from "./from-session.js";
import { derivedId, isUuid } from "./ids.js";
import { approvalOf, askedIn, decidedAt, inOrder } from "./session-approvals.js";
import { filePart, type Head, metadataWith, toolState } from "./session-parts.js";
import { FIRST_VERSION, fitted, keepsIgnored, recordOf } from "./session-record.js";
import { COUNTS, tokensOf } from "./session-tokens.js";
import { readDocument } from "./types.js";

// --- results -------------------------------------------------------------------------------------
// What the messages behind a message say of its calls: results, and answers to what was asked about them.

/** Notes the names that a session has no place for; those of a spoken message have. */
function noteNames(work: Work, index: number, source: Message, isSpoken = false): void {
  work.note("run-id", `/${index}/runId`);
  if (source.turnId !== undefined) work.note("turn-id", `/${index}/turnId`);
  if (isSpoken) return;
  if (source.messageId !== undefined) work.note("message-id", `/${index}/messageId`);
  if (source.author !== undefined) work.note("author", `/${index}/author`);
}

/** Notes what the name of the session's agent does not say of the author. */
function noteAuthor(work: Work, { author }: Message, agent: string, place: string): void {
  if (author === undefined) return;
  const same = sameJson(author, { agentPath: [agent] }) || sameJson(author, { name: agent });
  work.note(same ? "author-as-agent" : "author", `${place}/author`);
}

/** Tells whether a message is of a tool, or has a person's answers and nothing else. */
function isTold({ role, parts }: Message): boolean {
  return role === "tool" || (parts.length > 0 && parts.every((part) => part.kind === "approval_response"));
}

/** Results and answers by the id of their call. */
class Results {
  readonly payloads = new Map<string, ToolResult>();
  /** Where a result is. */
  readonly places = new Map<string, string>();
  /** When a call ended, in milliseconds. */
  readonly ends = new Map<string, number>();
  /** The first message that has any, and where it is. */
  readonly message: Message | undefined;
  readonly place: string;
  /** When the last message that has any was made, in milliseconds. */
  time = 0;
  /** Whether one message of the tool has them all, call by call. */
  readonly inOrder: boolean;
  readonly #work: Work<Message>;
  readonly #parts: readonly MessagePart[];
  readonly #index: number;
  readonly #asked: ReadonlyMap<string, number>;
  readonly #calls = new Set<string>();
  readonly #answers = new Map<string, { readonly payload: ApprovalResponse; readonly place: string }>();

  /** Takes what is said of the calls of the message at `index` from those behind it, up to before `end`. */
  constructor(work: Work<Message>, one: Message, index: number, end: number) {
    this.#work = work;
    this.#parts = one.parts;
    this.#index = index;
    this.#asked = askedIn(one.parts);
    for (const part of one.parts) if (part.kind === "tool_call") this.#calls.add(part.payload.toolCallId);
    const used: number[] = [];
    for (let at = index + 1; at < end; at++) if (this.#take(at)) used.push(at);
    const [first, ...others] = used;
    this.message = first === undefined ? undefined : work.source[first];
    this.place = `/${first}`;
    this.inOrder = this.message === undefined || (others.length === 0 && this.#asTold(this.message));
    if (this.inOrder) return;
    const code = this.#answers.size > 0 ? "approval-order" : "result-order";
    work.note(code, `${this.place}/parts`);
    work.note(code, `${this.place}/timestamp`);
    if (this.message?.role !== "tool") work.note(code, `${this.place}/role`);
    for (const at of others) work.note(code, `/${at}`);
  }

  /** Takes what a message has for the calls; tells whether that is anything. */
  #take(index: number): boolean {
    const work = this.#work;
    const source = work.source[index];
    if (source === undefined) return false;
    const fitting: string[] = [];
    const left = new Map<number, LossCode>();
    for (const [number, part] of source.parts.entries()) {
      const place = `/${index}/parts/${number}/payload`;
      if (part.kind === "approval_response") {
        const isTaken = this.#answers.has(part.payload.toolCallId) || !this.#isAsked(part.payload);
        if (isTaken) left.set(number, "approval");
        else this.#answers.set(part.payload.toolCallId, { payload: part.payload, place });
        continue;
      }
      const call = part.kind === "tool_result" ? part.payload.toolCallId : undefined;
      if (part.kind !== "tool_result" || call === undefined || !this.#calls.has(call) || this.payloads.has(call)) {
        left.set(number, "result-without-call");
        continue;
      }
      this.payloads.set(call, part.payload);
      this.places.set(call, place);
      fitting.push(call);
    }
    if (left.size === source.parts.length) {
      const isResult = left.size === 0 || [...left.values()].includes("result-without-call");
      work.note(isResult ? "result-without-call" : "approval", `/${index}`);
      return false;
    }
    for (const [number, code] of left) work.note(code, `/${index}/parts/${number}`);
    noteNames(work, index, source);
    if (source.meta !== undefined) work.note("meta", `/${index}/meta`);
    this.time = work.ms(source.timestamp, `/${index}/timestamp`);
    for (const call of fitting) this.ends.set(call, this.time);
    return true;
  }

  #requestOf(call: string): ApprovalRequest | undefined {
    const part = this.#parts[this.#asked.get(call) ?? -1];
    return part?.kind === "approval_request" ? part.payload : undefined;
  }

  #isAsked({ toolCallId, approvalId }: ApprovalResponse): boolean {
    return this.#requestOf(toolCallId)?.approvalId === approvalId;
  }

  /** Tells whether answers and results are where they are on the way back: call by call. */
  #asTold({ role, parts }: Message): boolean {
    const told: unknown[] = [];
    for (const call of this.#calls) {
      told.push(this.#answers.get(call)?.payload, this.payloads.get(call));
    }
    const order: unknown[] = told.filter((payload) => payload !== undefined);
    const kept = parts.map((part): unknown => part.payload).filter((payload) => order.includes(payload));
    return role === "tool" && order.every((payload, at) => payload === kept[at]);
  }

  /** Tells whether a part of the message is the request that its call's state takes in. */
  isJoined(number: number): boolean {
    const part = this.#parts[number];
    return part?.kind === "approval_request" && this.#asked.get(part.payload.toolCallId) === number;
  }

  /** Returns the approval of a call, with what its parts do not say; undefined without one. */
  /** Returns the pointer of the answer for a call. */
  answeredAt(call: string): string {
    return this.#answers.get(call)?.place ?? "";
  }

  approval(call: string, rest?: unknown): ToolApproval | undefined {
    const request = this.#requestOf(call);
    if (request === undefined) return undefined;
    const place = `/${this.#index}/parts/${this.#asked.get(call)}/payload`;
    return approvalOf({ request, place, answer: this.#answers.get(call) }, this.#work, rest);
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
 * it says anything else. Only the run, the turn and the author may differ, and outcomes that are not said.
 */
function addedByRecord(made: WithParts, one: Message, { message }: Results): string[] | undefined {
  const keepIgnored = keepsIgnored(one.meta?.["session"]);
  const quiet = new Work([], "message.Message", { runId: one.runId, keepIgnored });
  const { spoken, tool } = spokenMessages(made, "", quiet);
  if (tool?.timestamp !== message?.timestamp) return undefined;
  if (!sameJson(tool?.parts ?? [], withOutcomes(message?.parts ?? [], tool?.parts ?? []))) return undefined;
  const { turnId, author, ...said } = one;
  const meta = Object.fromEntries(Object.entries(one.meta ?? {}).filter(([name]) => isSaid(one.role, name)));
  const given: Message & { meta: MessageMeta } = { ...said, meta };
  const added = [...addMembers(given, spoken, made), ...addToParts(given, spoken)];
  return sameJson(given, spoken) ? added : undefined;
}

/** Returns the parts with the outcomes that `again` says of them, where they say none. */
function withOutcomes(parts: readonly MessagePart[], again: readonly MessagePart[]): MessagePart[] {
  return parts.map((part, index) => {
    const other = again[index];
    const outcome = other?.kind === "tool_result" ? other.payload.outcome : undefined;
    if (part.kind !== "tool_result" || outcome === undefined) return part;
    return { ...part, payload: { outcome, ...part.payload } };
  });
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
  /** When calls that have results ended, and when others were answered, in milliseconds. */
  readonly #ended: number[] = [];
  readonly #answered: number[] = [];

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
      agent: this.#agent(),
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

  #agent(): string {
    const { agentPath, name } = this.#bare.one.author ?? {};
    const known = this.#work.context.agent === undefined ? (agentPath?.at(-1) ?? name) : undefined;
    const made = known ?? this.#given("agent", "agent-invented", "unknown");
    noteAuthor(this.#work, this.#bare.one, made, this.#place);
    return made;
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
    const kept: MessagePart[] = [];
    const made: Part[] = [];
    for (const [number, part] of this.#bare.one.parts.entries()) {
      const place = `${this.#place}/parts/${number}`;
      const isJoined = this.#bare.results.isJoined(number);
      const code = isJoined ? undefined : (KIND_CODES.get(part.kind) as LossCode | undefined);
      if (code !== undefined) {
        this.#work.note(code, place);
        continue;
      }
      kept.push(part);
      if (part.kind === "approval_request") {
        if (part.payload.opaque !== undefined) this.#work.note("opaque", `${place}/payload/opaque`);
        continue;
      }
      const id = makeId === undefined ? `prt_${number}` : makeId();
      made.push(this.#part(part, place, { id, sessionID: this.#sessionId, messageID: this.#id }));
    }
    this.#noteOrder(kept);
    this.#noteTime();
    return made;
  }

  /** Notes requests that are not right behind their calls, as they are on the way back. */
  #noteOrder(kept: readonly MessagePart[]): void {
    for (const [index, part] of kept.entries()) {
      if (part.kind !== "approval_request") continue;
      const before = kept[index - 1];
      const call = before?.kind === "tool_call" ? before.payload.toolCallId : undefined;
      if (call !== part.payload.toolCallId) this.#work.note("approval-order", `${this.#place}/parts`);
    }
  }

  /** Notes the time of the tool's message, if the way back gives another one. */
  #noteTime(): void {
    const { results } = this.#bare;
    const told = this.#ended.length > 0 ? this.#ended : this.#answered;
    if (told.length > 0 && results.inOrder && Math.max(...told) !== results.time) {
      this.#work.note("timestamp", `${results.place}/timestamp`);
    }
  }

  #part(part: MessagePart, place: string, head: Head): Part {
    const { created } = this.#bare;
    switch (part.kind) {
      case "text":
        this.#work.noteText(part.payload, `${place}/payload`);
        return { ...head, type: "text", text: part.payload.text, ...metadataWith(undefined, part.payload) };
      case "thinking": {
        const metadata = metadataWith(undefined, part.payload);
        return { ...head, type: "reasoning", text: part.payload.text, time: { start: created }, ...metadata };
      }
      case "tool_call": {
        const { toolCallId: callID, toolName: tool } = part.payload;
        const state = this.#state(part.payload, `${place}/payload`, head);
        return { ...head, type: "tool", callID, tool, state, ...metadataWith(undefined, part.payload) };
      }
      case "image":
      case "file_ref":
      case "media":
        return { ...head, ...filePart(part, place, this.#work) };
      default: // is left out, or in a tool's message alone
        throw new TypeError("not a part of a session's message");
    }
  }

  #state(payload: ToolCallPayload, place: string, head: Head): ToolState {
    const { results, created } = this.#bare;
    const call = payload.toolCallId;
    const result = results.payloads.get(call);
    const joined = results.approval(call);
    const approval = joined && inOrder(joined, results.answeredAt(call), this.#work);
    const own = decidedAt(approval)?.ms ?? created;
    const start = Math.max(created, own);
    const end = results.ends.get(call) ?? start;
    const told = { result, approval, place: results.places.get(call) ?? "", start, end };
    const state = toolState(payload, place, told, head, this.#work);
    if (result !== undefined) this.#ended.push(state.status === "denied" ? own : end);
    else if (approval?.decision !== undefined) this.#answered.push(own);
    return state;
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
      for (let next = work.source[end]; next !== undefined && isTold(next); next = work.source[end]) end++;
      this.#dropSystem();
    }
    const results = new Results(work, one, index, end);
    noteNames(work, index, one, true);
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
    const made = validOrNone(fitted(record, one, results, system));
    if (made === undefined || !results.inOrder) return false;
    const added = addedByRecord(made, one, results);
    if (added === undefined) return false;
    for (const place of added) this.#work.note("from-record", `/${index}${place}`);
    for (const [number, part] of results.message?.parts.entries() ?? []) {
      if (part.kind !== "tool_result" || part.payload.outcome !== undefined) continue;
      this.#work.note("outcome-form", `${results.place}/parts/${number}/payload/outcome`);
    }
    noteAuthor(this.#work, one, made.info.agent, `/${index}`);
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
    const time = work.ms(message.timestamp, `/${index}/timestamp`);
    if (time !== created) work.note("system-time", `/${index}/timestamp`);
    if (message.meta !== undefined) work.note("meta", `/${index}/meta`);
    for (const [number, part] of message.parts.entries()) {
      const place = `/${index}/parts/${number}/payload`;
      if ("opaque" in part.payload) work.note("opaque", `${place}/opaque`);
      work.noteText(part.payload, place);
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
