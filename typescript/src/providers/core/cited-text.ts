/** Where a provider's citations point to: its places in text → places in one part of ours. */

import { codePoints } from "../../json/text.js";
import { firstCharacters, wellFormed } from "./values.js";

const STEP = 1024; // units of UTF-16: what is looked through for one place
const UTF8 = new TextEncoder();

/** A stretch of a part's text: its code points from `start` to `end`. */
export interface CitedPlace {
  readonly part: number;
  readonly start: number;
  readonly end: number;
}

interface Piece {
  readonly part: number;
  /** Code points of the part before it. */
  readonly start: number;
  readonly text: string;
  /** Where it begins, as the provider counts. */
  readonly begin: number;
  readonly width: number;
}

/**
 * The text in which a provider counts, over all parts that it is in. Places are code points, or UTF-8
 * bytes. Text is that which is written: halves of characters are joined, and a lone one counts as
 * U+FFFD.
 */
export class CitedText {
  readonly #inBytes: boolean;
  readonly #pieces: Piece[] = [];
  #length = 0;
  #half: { readonly part: number; readonly start: number; readonly text: string } | undefined;

  constructor(unit: "byte" | "character" = "character") {
    this.#inBytes = unit === "byte";
  }

  /** The part that the last of it is in, undefined where there is none. */
  get part(): number | undefined {
    return (this.#half ?? this.#pieces.at(-1))?.part;
  }

  /** Takes text that the provider sent; `start` is the part's length before it. */
  add(part: number, start: number, given: string): void {
    let [text, from] = [given, start];
    if (this.#half?.part === part) {
      text = this.#half.text + text;
      from = this.#half.start;
      this.#half = undefined;
    }
    this.#endHalf();
    const isCut = /[\ud800-\udbff]$/.test(text);
    const whole = wellFormed(isCut ? text.slice(0, -1) : text);
    for (let at = 0; at < whole.length; ) {
      let end = Math.min(at + STEP, whole.length);
      if (end < whole.length && (whole.charCodeAt(end) & 0xfc00) === 0xdc00) end++; // not inside a pair
      const piece = whole.slice(at, end);
      this.#append(part, from, piece);
      from += codePoints(piece);
      at = end;
    }
    if (isCut) this.#half = { part, start: from, text: text.slice(-1) };
  }

  /** Returns where a stretch is; undefined where it is in no one part, or `said` is not there. */
  find(start: unknown, end: unknown, said?: unknown): CitedPlace | undefined {
    this.#endHalf();
    if (!isCount(start) || !isCount(end) || start >= end || end > this.#length) return undefined;
    const words = typeof said === "string" ? wellFormed(said) : undefined;
    if (words !== undefined && this.#width(words) !== end - start) return undefined;
    let number = this.#numberAt(start);
    const first = this.#pieces[number] as Piece;
    let skipped = this.#chars(first.text, start - first.begin);
    if (skipped === undefined) return undefined;
    const at = first.start + skipped;
    let reached = at;
    const texts: string[] = [];
    for (;;) {
      const piece = this.#pieces[number] as Piece;
      if (piece.part !== first.part || piece.start + skipped !== reached) return undefined;
      const last = this.#chars(piece.text, end - piece.begin);
      if (last === undefined) return undefined;
      const before = firstCharacters(piece.text, skipped).length;
      texts.push(firstCharacters(piece.text, last).slice(before));
      reached += last - skipped;
      if (piece.begin + piece.width >= end) break;
      number++;
      skipped = 0;
    }
    if (words !== undefined && texts.join("") !== words) return undefined;
    return { part: first.part, start: at, end: reached };
  }

  /** Returns the number of the piece that has a place. */
  #numberAt(place: number): number {
    let [low, high] = [0, this.#pieces.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#pieces[middle] as Piece).begin <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #append(part: number, start: number, text: string): void {
    const width = this.#width(text);
    this.#pieces.push({ part, start, text, begin: this.#length, width });
    this.#length += width;
  }

  #endHalf(): void {
    const half = this.#half;
    this.#half = undefined;
    if (half !== undefined) this.#append(half.part, half.start, "\ufffd");
  }

  #width(text: string): number {
    return this.#inBytes ? UTF8.encode(text).length : codePoints(text);
  }

  /** Returns how many code points `units` of a piece are, undefined where they end inside of one. */
  #chars(text: string, units: number): number | undefined {
    if (!this.#inBytes) return Math.min(units, codePoints(text));
    let [count, width] = [0, 0];
    for (const character of text) {
      if (width >= units) break;
      width += widthOf(character.codePointAt(0) as number);
      count++;
    }
    return width > units ? undefined : count;
  }
}

/** Returns the bytes of a character in UTF-8. */
function widthOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
