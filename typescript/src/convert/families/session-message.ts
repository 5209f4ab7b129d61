/** One message without a record: what a session asks for is given or made. */
import type { Message, MessagePart, UsageSummary } from "../../generated/v0_2/message.js";
import type { AssistantInfo, MessageInfo, Part, TokenStats, WithParts } from "../../generated/v0_2/session.js";
import type { ValueName } from "./context.js";
import type { Work } from "./conversion.js";
import { derivedId, isUuid } from "./ids.js";
import type { LossCode } from "./losses.js";
import { type Answer, filePart, type Head, metadataWith, toolState } from "./session-parts.js";
import type { Results } from "./session-results.js";
import { tokensOf } from "./session-tokens.js";

const NO_TOKENS: TokenStats = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };

/** A message on its way into a session. */
export interface Bare {
  readonly index: number;
  readonly one: Message;
  /** When it was made, in milliseconds. */
  readonly created: number;
  readonly results: Results;
  /** The system prompt before it. */
  readonly system: string | undefined;
}

/** Makes the message of the session; `ids` are those of its messages so far, in lower case. */
export class SessionMessage {
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
    ids.add(String(this.#id).toLowerCase()); // a maker may make what is no id; reading refuses it
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
      case "tool_result": // stands in a tool's message alone
        throw new TypeError("a tool's message is no message of a session");
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
