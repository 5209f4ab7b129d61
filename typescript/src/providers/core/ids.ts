/** Tool calls that are open, and their ids: the provider's own, or minted where that cannot be used. */

import { badArgument } from "../../errors.js";
import { MADE_ID_CHARS, MAX_ID_CHARS } from "../../generated/tables/limits.js";
import { codePoints, isUnicode } from "../../json/text.js";

// --- SHA-256 -------------------------------------------------------------------------------------
// SHA-256 of a few bytes, at once: what the platform has for it comes later, as a promise.

/** Returns the first `count` primes. */
function primes(count: number): number[] {
  const found: number[] = [];
  for (let each = 2; found.length < count; each++) {
    if (found.every((prime) => each % prime !== 0)) found.push(each);
  }
  return found;
}

const fraction = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) | 0;
const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

let constants: readonly number[] | undefined;

/** Returns the digest in lower-case hexadecimal. Source: FIPS 180-4. */
export function sha256(data: Uint8Array): string {
  constants ??= primes(64).map((prime) => fraction(Math.cbrt(prime)));
  const state = primes(8).map((prime) => fraction(Math.sqrt(prime)));
  const padded = new Uint8Array((((data.length + 8) >> 6) + 1) << 6);
  padded.set(data);
  padded[data.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(data.length / 2 ** 29));
  view.setUint32(padded.length - 4, data.length << 3);
  for (let at = 0; at < padded.length; at += 64) mix(state, schedule(view, at), constants);
  return state.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** Returns the 64 words of a block. */
function schedule(view: DataView, at: number): number[] {
  const words: number[] = [];
  for (let index = 0; index < 64; index++) {
    if (index < 16) {
      words.push(view.getInt32(at + 4 * index));
      continue;
    }
    const [far, near] = [words[index - 15] as number, words[index - 2] as number];
    const small = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3);
    const large = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10);
    words.push(((words[index - 16] as number) + small + (words[index - 7] as number) + large) | 0);
  }
  return words;
}

function mix(state: number[], words: readonly number[], constants: readonly number[]): void {
  let [a, b, c, d, e, f, g, h] = state as [number, number, number, number, number, number, number, number];
  for (let index = 0; index < 64; index++) {
    const large = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const one = (h + large + ((e & f) ^ (~e & g)) + (constants[index] as number) + (words[index] as number)) | 0;
    const small = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const two = (small + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = ((state[index] as number) + word) | 0;
}

// --- tool calls ----------------------------------------------------------------------------------

/** A tool call that has started: its id and part, and half a character held back. */
export class OpenCall {
  half = "";

  constructor(
    readonly toolCallId: string,
    readonly part: number,
    /** Whether the provider runs the tool itself. */
    readonly server = false,
  ) {}
}

/**
 * The ids that a run has used: for who opens a stream for each of many answers. It is never copied, and
 * `repeats` remembers how often a minted id has come again, so that no stream counts from the beginning.
 */
export class UsedIds extends Set<string> {
  readonly repeats = new Map<string, number>();
}

/** The ids that a run has used, before this stream and in it. */
export class CallIds {
  readonly #runId: string;
  readonly #before: ReadonlySet<string>;
  readonly #repeats: Map<string, number>;
  readonly #used = new Set<string>();
  readonly #calls = new Map<string, number>();

  constructor(runId: string, used: Iterable<string>) {
    this.#runId = runId;
    this.#before = used instanceof UsedIds ? used : new Set(used);
    this.#repeats = used instanceof UsedIds ? used.repeats : new Map();
  }

  /**
   * Returns the id of the next call: its `own`, or a minted one where that cannot be used. Minted
   * ones begin with `prefix`, and calls of each are counted apart.
   */
  take(own: string | undefined, requestId: string, prefix = "call"): string {
    const ordinal = this.#calls.get(prefix) ?? 0;
    this.#calls.set(prefix, ordinal + 1);
    const id = own !== undefined && this.#mayStand(own) ? own : this.#mint(requestId, ordinal, prefix);
    this.#used.add(id);
    return id;
  }

  /** Keeps an id from calls that begin from now on: a result has answered it already. */
  retire(id: string): void {
    this.#used.add(id);
  }

  #mayStand(id: string): boolean {
    return id !== "" && !this.#isUsed(id) && codePoints(id) <= MAX_ID_CHARS && isUnicode(id);
  }

  #isUsed(id: string): boolean {
    return this.#used.has(id) || this.#before.has(id);
  }

  /**
   * Returns `<prefix>_<request>_<ordinal>`: the same stream always gives the same ids. At most 40
   * letters, digits, "_" and "-", which every provider accepts on the way back.
   */
  #mint(requestId: string, ordinal: number, prefix: string): string {
    const source = requestId || this.#runId;
    let token = source.replace(/[^A-Za-z0-9_-]+/g, "_");
    if (token !== source || token.length > MADE_ID_CHARS) {
      const digest = sha256(new TextEncoder().encode(source)).slice(0, 8);
      token = `${token.slice(0, MADE_ID_CHARS - 9)}-${digest}`;
    }
    const first = `${prefix}_${token}_${ordinal}`;
    let repeat = this.#repeats.get(first) ?? 1;
    let id = repeat === 1 ? first : `${first}-${repeat}`;
    while (this.#isUsed(id)) id = `${first}-${++repeat}`;
    if (repeat > 1) this.#repeats.set(first, repeat); // those before it stay used
    return id;
  }
}

// --- calls of server tools, and their results ----------------------------------------------------

/** The calls of server tools that have no result yet, found by any name that a result has. */
export class WaitingCalls {
  readonly #ids = new Set<string>();
  readonly #queues = new Map([["", new Queue()]]); // all, and by the provider's id

  /** Takes a call; `own` is the provider's id where it is another one, else empty. */
  add(id: string, own: string): void {
    this.#ids.add(id);
    for (const name of own === "" ? [""] : ["", own]) {
      const queue = this.#queues.get(name) ?? new Queue();
      queue.ids.push(id);
      this.#queues.set(name, queue);
    }
  }

  /** Returns the id of the first call that `said` names, or of all where it is empty. */
  find(said: string): string | undefined {
    return this.#ids.has(said) ? said : this.#queues.get(said)?.first(this.#ids);
  }

  /** Lets go of a call, which has its result now; its id never comes again. */
  remove(id: string): void {
    this.#ids.delete(id);
  }
}

/** Ids in their order; those that wait no more are passed over, once. */
class Queue {
  readonly ids: string[] = [];
  #passed = 0;

  first(waiting: ReadonlySet<string>): string | undefined {
    while (this.#passed < this.ids.length && !waiting.has(this.ids[this.#passed] as string)) this.#passed++;
    return this.ids[this.#passed];
  }
}

// --- answers -------------------------------------------------------------------------------------

/**
 * Two answers in one stream, where only the id of the pieces distinguishes them. Some servers
 * make up an id for every piece: where ids changed before the answer was finished, they tell nothing.
 */
export class AnswerIds {
  #first: string | undefined;
  #changes = false;

  /** The id of the first piece that has one. */
  get first(): string | undefined {
    return this.#first;
  }

  /** Takes the id of a piece; tells whether it is of another answer than the first one. */
  isOther(said: unknown, finished: boolean): boolean {
    if (typeof said !== "string" || said === "" || said === this.#first) return false;
    if (this.#first === undefined) {
      this.#first = said;
      return false;
    }
    this.#changes ||= !finished;
    return !this.#changes;
  }
}

// --- streams -------------------------------------------------------------------------------------
// The ids that a caller gives to a stream: of its run, its message and its turn.

/** Throws UsageError for what cannot be an id; `what` is what it would be the id of. */
export function checkId(what: string, value: unknown): void {
  if (typeof value === "string" && value !== "" && isUnicode(value)) return;
  const expected = `a ${what} id: a string of well-formed Unicode that is not empty`;
  throw badArgument(`A stream belongs to a ${what}`, expected, value ?? null);
}

/** Returns the ids of message and turn as far as they are given. Throws UsageError `usage/invalid-argument`. */
export function givenIds(
  messageId: string | undefined,
  turnId: string | undefined,
): { messageId?: string; turnId?: string } {
  if (messageId !== undefined) checkId("message", messageId);
  if (turnId !== undefined) checkId("turn", turnId);
  return { ...(messageId === undefined ? {} : { messageId }), ...(turnId === undefined ? {} : { turnId }) };
}
