/**
 * Messages as those of a session. Both ways take whole histories: a session holds a call and its result
 * in one part. A message that carries the record of one (`meta.session`) becomes what it was; of another
 * one a session asks for more than it says, and that is given by the caller, or made.
 */
import { ReadError } from "../../errors.js";
import type { Message } from "../../generated/v0_2/message.js";
import type { WithParts } from "../../generated/v0_2/session.js";
import { escapePointer } from "../../json/text.js";
import type { Context } from "./context.js";
import { type BridgeResult, Work } from "./conversion.js";
import { addedByRecord, isSaid } from "./record-fit.js";
import { type Bare, SessionMessage } from "./session-message.js";
import { fitted } from "./session-record.js";
import { noteNames, Results } from "./session-results.js";
import { readDocument } from "./types.js";

const TYPE = "session.WithParts";

/**
 * Returns `message.Message` (one or an array) as `session.WithParts`. Results are taken from the tool's
 * messages right behind a call's message: repair a history in which they stand elsewhere first
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

  /** Converts a user's or assistant's message; returns where the next one stands. */
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

  /** Returns the system prompt that stands before a message, and notes what it loses. */
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
