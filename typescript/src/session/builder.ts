/**
 * Builds messages of a session: info first, then the parts in their order, then the whole.
 */

import type {
  AssistantInfo,
  FilePart,
  MessageInfo,
  MessagePath,
  ModelRef,
  Part,
  ReasoningPart,
  StepFinishPart,
  StepStartPart,
  TextPart,
  TokenStats,
  ToolPart,
  ToolState,
  ToolStatus,
  UserInfo,
  UserSummary,
  WithParts,
} from "../contract/current/session.js";
import { type MakeId, uuid7 } from "../contract/ids.js";
import { badArgument, clip, errorAt, type Finding, isSome, throwAny } from "../errors.js";
import { isObject, type JsonObject, own } from "../json/values.js";
import { findingsOf, written } from "../reading/checks.js";
import { copied, PART, WITH_PARTS } from "./copies.js";
import { PartValidationError } from "./errors.js";
import {
  createFilePart,
  createReasoningPart,
  createStepFinishPart,
  createStepStartPart,
  createTextPart,
  createToolPart,
  type FileGiven,
  type PartIds,
  type ReasoningGiven,
  type StepGiven,
  type TextGiven,
  type ToolGiven,
} from "./parts.js";
import { follow, type StateFields, transition } from "./states.js";
import { placeholderFindings } from "./validation.js";

// --- rules of a message --------------------------------------------------------------------------
// What a finished message has to be beside what its schema says: BR-11, BR-14, placeholders.

/** A message in the making; `parts` hold whatever was added. */
interface Draft {
  readonly info: Record<string, unknown>;
  readonly parts: readonly unknown[];
}

/**
 * Returns what is wrong with a message: the schema's findings first, then those of building.
 */
function messageFindings(draft: Draft, how: { finished: boolean; compacting: boolean }): Finding[] {
  const { info, parts } = draft;
  const found = findingsOf(WITH_PARTS, draft);
  if (Object.hasOwn(info, "summary") && !how.compacting) found.push(summaryFinding());
  if (how.finished && own(info, "role") === "assistant") found.push(...completionFindings(info, parts));
  for (const [index, part] of parts.entries()) found.push(...placeholderFindings(part, `/parts/${index}`));
  return found;
}

function summaryFinding(): Finding {
  const message = "A summary is made only when the context is compacted";
  const expected = "no summary, or a builder made with compacting";
  return errorAt("/info/summary", "session/summary-without-compaction", message, expected);
}

function completionFindings(info: Record<string, unknown>, parts: readonly unknown[]): Finding[] {
  const time = own(info, "time");
  if (isObject(time) && !Object.hasOwn(time, "completed")) {
    const message = "The message is finished, and does not say since when";
    return [errorAt("/info/time", "session/not-completed", message, "a member completed")];
  }
  const message = "The message is complete, and a tool call of it is not";
  return parts.flatMap((part, index) => {
    const status = statusOf(part);
    if (status !== "pending" && status !== "awaiting_approval" && status !== "running") return [];
    const pointer = `/parts/${index}/state/status`;
    return [errorAt(pointer, "session/completed-early", message, "completed, error or denied", clip(status))];
  });
}

function statusOf(part: unknown): unknown {
  const state = isObject(part) ? own(part, "state") : undefined;
  return isObject(state) ? own(state, "status") : undefined;
}

// --- the builder ---------------------------------------------------------------------------------

const NO_TOKENS: TokenStats = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };

/** What a builder is made with. */
export interface BuilderOptions {
  /** Whether the context is being compacted: only then a user's message may have a summary. */
  readonly compacting?: boolean | undefined;
  /** Makes the ids of parts; UUIDs of version 7 where absent. */
  readonly makeId?: MakeId | undefined;
}

interface Head {
  /** Milliseconds since the epoch. */
  readonly created: number;
  readonly agent: string;
  /** Made by `makeId` where absent. */
  readonly messageId?: string | undefined;
}

/** A part that was added: as it is, or as the JSON value that is not a part. */
type Slot = { readonly part: Part; readonly valid: true } | { readonly part: unknown; readonly valid: false };

/**
 * Collects one message of a session.
 *
 * What it takes and what it returns are copies: nothing that is done to them changes the message.
 * `info` need not be complete yet: an assistant's cost and tokens come with {@link setUsage}, and the
 * end with {@link complete}. `sessionId` is what the parts get that are made here.
 */
export class WithPartsBuilder {
  readonly sessionId: string;
  readonly #info: Record<string, unknown>;
  readonly #compacting: boolean;
  readonly #makeId: MakeId;
  readonly #slots: Slot[] = [];
  readonly #calls = new Map<string, number>();

  constructor(
    info: MessageInfo | Partial<AssistantInfo | UserInfo> | JsonObject,
    sessionId: string,
    options: BuilderOptions = {},
  ) {
    const given = copied(info);
    if (!isObject(given)) throw badArgument("Info is a JSON object", "an object", given);
    this.#info = given;
    this.sessionId = sessionId;
    this.#compacting = options.compacting ?? false;
    this.#makeId = options.makeId ?? uuid7;
  }

  /** Returns a builder for a user's message. What else its info may hold takes a whole info. */
  static forUser(sessionId: string, given: Head & BuilderOptions & { readonly model: ModelRef }): WithPartsBuilder {
    const { created, agent, model, makeId = uuid7, messageId = makeId() } = given;
    return new WithPartsBuilder({ id: messageId, role: "user", time: { created }, agent, model }, sessionId, given);
  }

  /** Returns a builder for an assistant's message, whose cost and tokens are to come. */
  static forAssistant(
    sessionId: string,
    given: Head & { readonly path: MessagePath; readonly makeId?: MakeId | undefined },
  ): WithPartsBuilder {
    const { created, agent, path, makeId = uuid7, messageId = makeId() } = given;
    const info = { id: messageId, role: "assistant" as const, time: { created }, agent, path };
    return new WithPartsBuilder(info, sessionId, { makeId });
  }

  get messageId(): string {
    const id = own(this.#info, "id");
    return typeof id === "string" ? id : "";
  }

  /** Copies of the parts so far, in order; one that is not valid is a JSON value. */
  get parts(): unknown[] {
    return this.#slots.map(({ part }) => copied(part));
  }

  // --- parts --------------------------------------------------------------------------------------

  /**
   * Adds a part at the end; {@link build} reports what is wrong with it. Throws
   * PartValidationError `session/duplicate-tool-call`: calls are distinguished by id.
   */
  add(part: Part | JsonObject): void {
    const document = copied(part);
    const isRight = !findingsOf(PART, document).some(({ severity }) => severity === "error");
    this.#append(
      isRight ? { part: written(PART, document) as unknown as Part, valid: true } : { part: document, valid: false },
    );
  }

  /** Adds a text part; as the other `add…`, returns it and throws PartValidationError. */
  addText(text: string, given: TextGiven = {}): TextPart {
    return this.#added(createTextPart(this.sessionId, this.messageId, text, this.#with(given)));
  }

  /** Adds a reasoning part; times in milliseconds since the epoch. */
  addReasoning(text: string, given: ReasoningGiven): ReasoningPart {
    return this.#added(createReasoningPart(this.sessionId, this.messageId, text, this.#with(given)));
  }

  /** Adds the begin of a step. */
  addStepStart(given: StepGiven = {}): StepStartPart {
    return this.#added(createStepStartPart(this.sessionId, this.messageId, this.#with(given)));
  }

  /** Adds a tool call; throws as {@link add} for an id that another call has. */
  addTool(callId: string, tool: string, state: ToolState, given: ToolGiven = {}): ToolPart {
    return this.#added(createToolPart(this.sessionId, this.messageId, callId, tool, state, this.#with(given)));
  }

  /** Adds the end of a step; `cost` in US dollars. */
  addStepFinish(reason: string, cost: number, tokens: TokenStats, given: StepGiven = {}): StepFinishPart {
    const whole = this.#with(given);
    return this.#added(createStepFinishPart(this.sessionId, this.messageId, reason, cost, tokens, whole));
  }

  /** Adds a file. */
  addFile(mime: string, url: string, given: FileGiven = {}): FilePart {
    return this.#added(createFilePart(this.sessionId, this.messageId, mime, url, this.#with(given)));
  }

  #with<Given extends PartIds>(given: Given): Given {
    return { makeId: this.#makeId, ...given };
  }

  #added<P extends Part>(part: P): P {
    this.#append({ part, valid: true });
    return structuredClone(part);
  }

  #append(slot: Slot): void {
    const callId = callIdOf(slot.part);
    if (callId !== undefined) {
      if (this.#calls.has(callId)) {
        const pointer = `/parts/${this.#slots.length}/callID`;
        const message = "The message has a call of this id already";
        const place = ["a different id", clip(callId)] as const;
        throw new PartValidationError(errorAt(pointer, "session/duplicate-tool-call", message, ...place));
      }
      this.#calls.set(callId, this.#slots.length);
    }
    this.#slots.push(slot);
  }

  // --- tool states --------------------------------------------------------------------------------

  /**
   * Moves the state of a call on, as `transition` does; the title falls back to the tool. The part is
   * replaced at its place by one that differs in `state` alone. Pointers of what is thrown lead into
   * the state. Throws as `transition`, and PartValidationError `session/unknown-tool-call`.
   */
  move(callId: string, to: ToolStatus, fields: StateFields = {}): ToolPart {
    const [index, part] = this.#toolPart(callId);
    const given = to === "completed" ? { ...fields, tool: fields.tool ?? part.tool } : fields;
    return this.#replace(index, part, transition(part.state, to, given));
  }

  /**
   * Puts a state that was made elsewhere in the place of the call's; it has to be allowed, and keeps
   * input and start. Throws as {@link move}.
   */
  setState(callId: string, state: ToolState): ToolPart {
    const [index, part] = this.#toolPart(callId);
    return this.#replace(index, part, follow(part.state, state));
  }

  #toolPart(callId: string): [number, ToolPart] {
    const index = this.#calls.get(callId);
    const slot = index === undefined ? undefined : this.#slots[index];
    if (index === undefined || slot === undefined) {
      const message = "The message has no call of this id";
      const place = ["the id of a tool part", clip(callId)] as const;
      throw new PartValidationError(errorAt("", "session/unknown-tool-call", message, ...place));
    }
    if (slot.valid) return [index, slot.part as ToolPart];
    const found = findingsOf(PART, slot.part);
    throwAny(
      found.map((each) => ({ ...each, pointer: `/parts/${index}${each.pointer}` })),
      PartValidationError,
    );
    throw new TypeError("a part without findings was kept as none");
  }

  #replace(index: number, part: ToolPart, state: ToolState): ToolPart {
    const made: ToolPart = state === part.state ? part : { ...part, state };
    this.#slots[index] = { part: made, valid: true };
    return structuredClone(made);
  }

  // --- info ---------------------------------------------------------------------------------------

  /**
   * Takes cost (US dollars) and tokens of an assistant's message from the provider's answer.
   */
  setUsage(cost: number, tokens: TokenStats): void {
    this.#only("assistant", "cost and tokens");
    const counts = copied(tokens);
    this.#info["cost"] = cost;
    this.#info["tokens"] = counts;
  }

  /**
   * Gives a user's message its summary, while the context is compacted.
   */
  setSummary(summary: UserSummary): void {
    this.#only("user", "a summary");
    this.#info["summary"] = copied(summary);
  }

  /**
   * Says that the message has been complete since `at`, in milliseconds since the epoch.
   */
  complete(at: number): void {
    const time = own(this.#info, "time");
    this.#info["time"] = { ...(isObject(time) ? time : {}), completed: at };
  }

  #only(role: MessageInfo["role"], what: string): void {
    const given = own(this.#info, "role");
    if (given !== role) throw badArgument(`Only the message of a role ${role} has ${what}`, role, given);
  }

  // --- the message --------------------------------------------------------------------------------

  /** Returns what {@link build} would find, errors and warnings; empty if nothing. */
  check(): Finding[] {
    return messageFindings(this.#draft(), { finished: true, compacting: this.#compacting });
  }

  /**
   * Returns the finished message, which shares nothing with the builder. Throws PartValidationError
   * with every error found: BR-01 to BR-04 and BR-06 to BR-10 by the schema, and those of what makes
   * a message finished: a summary without compaction (BR-11), no cost or tokens (BR-12, BR-13), no
   * time of completion, or a call that still runs (BR-14).
   */
  build(): WithParts {
    return this.#built(this.#draft(), true);
  }

  /**
   * Returns the message as far as it is: for storing while it is being written. It may lack the time
   * of completion and have calls that run. Cost and tokens are 0 as long as nothing is known. Throws
   * PartValidationError.
   */
  buildPartial(): WithParts {
    const draft = this.#draft();
    const isAssistant = own(draft.info, "role") === "assistant";
    const info = isAssistant ? { cost: 0, tokens: NO_TOKENS, ...draft.info } : draft.info;
    return this.#built({ ...draft, info }, false);
  }

  #draft(): Draft {
    return copied({ info: this.#info, parts: this.#slots.map(({ part }) => part) }) as Draft;
  }

  #built(draft: Draft, finished: boolean): WithParts {
    const found = messageFindings(draft, { finished, compacting: this.#compacting });
    const errors = found.filter(({ severity }) => severity === "error");
    if (isSome(errors)) throw new PartValidationError(errors);
    return written(WITH_PARTS, draft) as unknown as WithParts;
  }
}

/** Returns the call id of a tool part; undefined for other parts, and for an id that is not a string. */
function callIdOf(part: unknown): string | undefined {
  const id = isObject(part) && own(part, "type") === "tool" ? own(part, "callID") : undefined;
  return typeof id === "string" ? id : undefined;
}
