/** What histories of several dialects have in common. */

import { own } from "../../json/values.js";
import type { Json, Members, Reading } from "../core/reading.js";
import type { Answers } from "./answers.js";

export const REASONS = ["finishReason", "providerFinishReason"];

/**
 * The answers of a history, each held as long as it may go on.
 *
 * What an assistant says behind a message with calls is the same answer, as long as nobody says
 * something else: the results of all its calls come behind it. `body` makes the whole answer of its
 * content, `call` is the member, or the type, of a block that is a call.
 */
export class Turns {
  readonly answers: Answers;
  readonly #reading: Reading;
  readonly #body: (content: Json[]) => Json;
  readonly #call: string;
  /** Content by its place. */
  #held: (readonly [place: string, content: Json[]])[] = [];
  #goesOn = false;
  #id: string | undefined;

  constructor(answers: Answers, reading: Reading, body: (content: Json[]) => Json, call: string) {
    this.answers = answers;
    this.#reading = reading;
    this.#body = body;
    this.#call = call;
  }

  /** Takes what an assistant says at `place`. */
  add(content: Json[], place: string, messageId?: string): void {
    if (!this.#goesOn || (messageId !== undefined && messageId !== this.#id)) {
      this.end();
      this.#id = messageId;
    }
    this.#held.push([place, content]);
    this.#goesOn ||= content.some((block) => this.#calls(block));
  }

  /** Adds the message of the answer that is held: somebody else speaks, or nobody. */
  end(): void {
    const held = this.#held;
    this.#held = [];
    this.#goesOn = false;
    const [first] = held;
    if (first === undefined) return;
    const names = { messageId: this.#id };
    if (held.length === 1) {
      this.answers.add(this.#body(first[1]), first[0], names);
      return;
    }
    for (const [place, content] of held) {
      if (this.answers.isDamaged(this.#body(content))) this.#reading.note("malformed-part", place);
    }
    this.answers.add(this.#body(held.flatMap(([, content]) => content)), undefined, names);
  }

  #calls(block: Json): boolean {
    return Object.hasOwn(block, this.#call) || own(block, "type") === this.#call;
  }
}

/**
 * Adds what a user, or the system, said; results among it are messages of the role tool. A message has
 * one result of each call: another one begins a message of its own.
 */
export function addSpoken(role: string, parts: readonly Json[], reading: Reading): void {
  let run: Json[] = [];
  let isTool = false;
  const ids = new Set<unknown>();
  const add = (): void => void reading.add(isTool ? "tool" : role, run);
  for (const part of parts) {
    const isResult = part["kind"] === "tool_result";
    const callId = isResult ? (part["payload"] as Json)["toolCallId"] : "";
    if (run.length > 0 && (isResult !== isTool || ids.has(callId))) {
      add();
      run = [];
      ids.clear();
    }
    isTool = isResult;
    run.push(part);
    if (isResult) ids.add(callId);
  }
  if (run.length > 0 || parts.length === 0) add();
}

/** Returns the id of the call that a result of the provider's id `own` answers. */
export function answered(answers: Answers, own: string): string {
  return answers.calls.ofId(own)?.callId ?? own;
}

/** Takes the counts of these names; what is not a count stays, and is reported. */
export function figures(usage: Members, names: readonly string[]): Json {
  const found: Json = {};
  for (const name of names) {
    const count = usage.count(name);
    if (count !== undefined) found[name] = count;
  }
  return found;
}

/**
 * Adds the message of an answer as the provider gave it, and returns it. `said` names what it says of
 * itself: member of the message's meta → its place. What is made up for the adapter is taken away
 * again, and what it does not take is reported.
 */
export function addWhole(
  answers: Answers,
  body: Json,
  place: string,
  said: ReadonlyMap<string, string>,
  reading: Reading,
): Json {
  const message = answers.addWhole(body, place);
  const meta = (message["meta"] ?? {}) as Json;
  delete message["meta"];
  const kept = Object.entries(meta).filter(([name]) => said.has(name) || !REASONS.includes(name));
  const names = new Set(kept.map(([name]) => name));
  if (kept.length > 0) message["meta"] = Object.fromEntries(kept);
  for (const [name, at] of said) {
    if (names.has(name)) continue;
    // Why an answer failed is said by how it ended.
    const isSaid = REASONS.includes(name) && names.has("incomplete");
    reading.note(isSaid ? "content-form" : "foreign-member", at);
  }
  return message;
}
