/**
 * Argument text that comes piece by piece, or as a whole that grows with every chunk.
 *
 * A few servers repeat in each chunk all arguments so far; adding those up gives `{..}{..}{..}`.
 * What tells the two apart is never that a piece is JSON on its own ("{}" may stand inside a
 * string), only that chunks extend all that came before: twice in a row, or once where the text
 * ends there and the last chunk is a whole object. Until that is clear nothing is written that
 * could not be taken for either.
 */
import { isObject } from "../../json/values.js";
import { decodeEvent } from "./event-json.js";
import { withoutIndent } from "./values.js";

/** `held`: one piece is written, and others, each of which begins with all before it, are held back. */
type State = "open" | "one" | "held" | "plain" | "cumulative";

/** The argument text of one call. */
export class ArgumentPieces {
  #state: State = "open";
  #whole = ""; // first piece, then, if cumulative, all that has been written
  #held: string[] = [];
  #growths = 0;

  /** Whether each chunk repeats all before it, for certain. */
  get cumulative(): boolean {
    return this.#state === "cumulative";
  }

  /** Takes the text of one chunk, not empty; returns what may be written of it, in order. */
  add(text: string): string[] {
    switch (this.#state) {
      case "plain":
        return [text];
      case "open":
        // Only text that opens an object can be told apart later.
        this.#state = withoutIndent(text).startsWith("{") ? "one" : "plain";
        this.#whole = text;
        return [text];
      case "cumulative":
        return this.#grow(text);
      default:
        return this.#hold(text);
    }
  }

  #hold(text: string): string[] {
    const before = this.#held.at(-1) ?? this.#whole;
    if (!text.startsWith(before)) return this.#giveUp(text);
    this.#held.push(text);
    this.#state = "held";
    if (text.length > before.length) this.#growths++;
    if (this.#growths < 2) return [];
    this.#state = "cumulative";
    this.#held = [];
    return this.#grow(text);
  }

  /** Returns what is still held back now that the text has ended, and if it was cumulative. */
  rest(): { readonly pieces: readonly string[]; readonly cumulative: boolean } {
    const held = this.#held;
    const last = held.at(-1);
    if (last === undefined) return { pieces: [], cumulative: false };
    this.#held = [];
    this.#state = "plain";
    // As pieces an object would begin with a part of one: the two readings cannot both be JSON.
    if (!isObject(decodeEvent(last))) return { pieces: held, cumulative: false };
    return { pieces: this.#tail(last), cumulative: true };
  }

  #grow(text: string): string[] {
    if (!text.startsWith(this.#whole)) {
      return this.#whole.startsWith(text) ? [] : this.#giveUp(text); // an older whole again
    }
    const tail = this.#tail(text);
    this.#whole = text;
    return tail;
  }

  #tail(text: string): string[] {
    return text.length > this.#whole.length ? [text.slice(this.#whole.length)] : [];
  }

  #giveUp(text: string): string[] {
    const held = this.#held;
    this.#held = [];
    this.#state = "plain";
    this.#whole = "";
    return [...held, text];
  }
}
