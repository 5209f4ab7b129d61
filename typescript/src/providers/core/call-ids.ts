/** Tool calls that are open, and their ids: the provider's own, or minted where it cannot stand. */
import { codePoints, isUnicode } from "../../json/text.js";
import { sha256 } from "./sha256.js";

/** The assembler's limit: a longer call id is replaced, longer other names are cut. */
export const MAX_ID_CHARS = 512;

const ID_CHARS = 24;

/** A tool call that has started: its id and part, and half a character held back. */
export class OpenCall {
  half = "";

  constructor(
    readonly toolCallId: string,
    readonly part: number,
  ) {}
}

/** The ids that a run has used, those of this stream among them. */
export class CallIds {
  readonly #runId: string;
  readonly #used: Set<string>;
  #calls = 0;

  constructor(runId: string, used: Iterable<string>) {
    this.#runId = runId;
    this.#used = new Set(used);
  }

  /** Returns the id of the next call: its `own`, or a minted one where that cannot stand. */
  take(own: string | undefined, requestId: string): string {
    const ordinal = this.#calls++;
    const id = own !== undefined && this.#mayStand(own) ? own : this.#mint(requestId, ordinal);
    this.#used.add(id);
    return id;
  }

  #mayStand(id: string): boolean {
    return id !== "" && !this.#used.has(id) && codePoints(id) <= MAX_ID_CHARS && isUnicode(id);
  }

  /**
   * Returns `call_<request>_<ordinal>`: the same stream always gives the same ids. At most 40
   * letters, digits, "_" and "-", which every provider accepts on the way back.
   */
  #mint(requestId: string, ordinal: number): string {
    const source = requestId || this.#runId;
    let token = source.replace(/[^A-Za-z0-9_-]+/g, "_");
    if (token !== source || token.length > ID_CHARS) {
      const digest = sha256(new TextEncoder().encode(source)).slice(0, 8);
      token = `${token.slice(0, ID_CHARS - 9)}-${digest}`;
    }
    let id = `call_${token}_${ordinal}`;
    for (let repeat = 2; this.#used.has(id); repeat++) id = `call_${token}_${ordinal}-${repeat}`;
    return id;
  }
}
