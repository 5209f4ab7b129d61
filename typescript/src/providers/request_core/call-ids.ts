/**
 * Ids and names that the provider takes: tool call ids are unique in a request, and well-formed.
 *
 * A call and its result are renamed together, and always in the same way as long as the messages
 * before them stay the same: a conversation that grows keeps the prompt cache.
 */

import { codePoints } from "../../json/text.js";
import { sha256 } from "../core/ids.js";
import type { Notes } from "./notes.js";

const NOT_PLAIN = /[^A-Za-z0-9_-]+/g;

/** What the provider takes as a name: a pattern for the whole, and the most characters. */
export class Form {
  constructor(
    readonly pattern: RegExp,
    readonly chars: number,
  ) {}

  /** Tells whether the provider takes `name`. */
  fits(name: string): boolean {
    return codePoints(name) <= this.chars && this.pattern.test(name);
  }

  /** Returns a name that fits, always the same for the same name and salt. */
  fitted(name: string, salt = ""): string {
    const digest = sha256(new TextEncoder().encode(`${salt}\0${name}`)).slice(0, 8);
    const plain = withoutEdges(name.replace(NOT_PLAIN, "_")) || "x";
    return `${plain.slice(0, this.chars - 9)}_${digest}`;
  }
}

/** Returns a name without underscores around it. */
function withoutEdges(name: string): string {
  let [start, end] = [0, name.length];
  while (name[start] === "_") start++;
  while (end > start && name[end - 1] === "_") end--;
  return name.slice(start, end);
}

/** A call as it is sent to the provider. */
export interface Sent {
  readonly callId: string;
  readonly name: string;
  /** For {@link CallIds.find}. */
  readonly turn: number;
  /** Which of the request's calls it is. */
  readonly number: number;
}

/** A call as the message has it. `own` is the provider's own id of a call whose id was minted. */
interface Made {
  readonly runId: string;
  readonly callId: string;
  readonly own: string | undefined;
  readonly name: string;
  readonly turn: number;
}

const keyOf = (runId: string, callId: string): string => JSON.stringify([runId, callId]);

/** The tool calls of one request, met in order. */
export class CallIds {
  #calls = 0;
  readonly #used = new Set<string>();
  readonly #ofRun = new Map<string, Sent>();
  readonly #ofAny = new Map<string, Sent>();
  readonly #counts = new Map<string, number>(); // all below are taken

  constructor(
    readonly form: Form,
    readonly notes: Notes,
  ) {}

  /** Returns the id under which a call is sent: its own is sent back, unless another call has it. */
  add({ runId, callId, own, name, turn }: Made, pointer: string): string {
    const found = [own, callId].find((each) => each !== undefined && each !== "" && this.#mayStand(each));
    const sentId = found ?? this.#renamed(runId, callId, pointer);
    this.#used.add(sentId);
    const sent = { callId: sentId, name, turn, number: ++this.#calls };
    this.#ofRun.set(keyOf(runId, callId), sent);
    this.#ofAny.set(callId, sent);
    return sentId;
  }

  /** Returns the call that a result answers: the run's last one of the id, or any run's. */
  find(runId: string, callId: string): Sent | undefined {
    return this.#ofRun.get(keyOf(runId, callId)) ?? this.#ofAny.get(callId);
  }

  /** Returns the id of a result whose call is not in the request. */
  orphan(callId: string): string {
    return this.form.fits(callId) ? callId : this.form.fitted(callId);
  }

  #mayStand(callId: string): boolean {
    return !this.#used.has(callId) && this.form.fits(callId);
  }

  #renamed(runId: string, callId: string, pointer: string): string {
    const fitted = (count: number): string => this.form.fitted(callId, `${runId}\0${count || ""}`);
    let count = this.#counts.get(keyOf(runId, callId)) ?? 0;
    let made = fitted(count);
    while (this.#used.has(made)) made = fitted(++count);
    this.#counts.set(keyOf(runId, callId), count + 1);
    this.notes.add(
      "encode/renamed-tool-call",
      "The provider does not take this tool call id; call and result are sent with another",
      pointer,
      { expected: `an unused id of at most ${this.form.chars} characters that it takes`, actual: made },
    );
    return made;
  }
}
