/** The annotations of one answer. */

import { asJsonText } from "../core/spelling.js";
import type { DeltaWriter } from "../core/writer.js";
import { citationOf } from "./citations.js";

/**
 * Writes annotations as citations. They come before the text, in it or behind it, and count in all
 * of it: each is written when its text is over, or at the end.
 */
export class Annotations {
  #waiting: unknown[] = [];
  readonly #late: unknown[] = []; // that were too early, or are none
  readonly #seen = new Set<string | undefined>();
  readonly #parts: { readonly part: number; readonly begin: number }[] = []; // of text, in all of it
  #length = 0;

  constructor(readonly writer: DeltaWriter) {}

  /** Takes annotations, each once: some vendors close with the whole message. */
  add(annotations: unknown): void {
    for (const each of Array.isArray(annotations) ? (annotations as unknown[]) : [annotations]) {
      const text = asJsonText(each);
      if (this.#seen.has(text)) continue;
      this.#seen.add(text);
      this.#waiting.push(each);
    }
  }

  /** Writes those whose text is there. */
  write(): void {
    const { kind, part, chars } = this.writer;
    if (kind === "text") {
      if (this.#parts.at(-1)?.part !== part) this.#parts.push({ part, begin: this.#length });
      this.#length = (this.#parts.at(-1)?.begin ?? 0) + chars;
    }
    if (this.#waiting.length === 0 || this.#parts.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const each of waiting) if (!this.#cite(each, false)) this.#late.push(each);
  }

  /** Writes the rest; without any text they are kept as they came. */
  finish(): void {
    if (this.#waiting.length + this.#late.length === 0) return;
    this.writer.flushHalf();
    this.write();
    const late = [...this.#late.splice(0), ...this.#waiting];
    this.#waiting = [];
    const left = late.filter((each) => !this.#cite(each, true));
    if (left.length > 0) this.writer.keep("annotations", left);
  }

  /** Writes a citation; returns whether it has been written. */
  #cite(annotation: unknown, isEnd: boolean): boolean {
    const found = citationOf(annotation);
    if (found === undefined) return false;
    const { citation, start, end } = found;
    const isThere = end <= this.#length;
    if (!isThere && !isEnd) return false;
    const number = end === 0 || !isThere ? -1 : this.#partAt(start);
    const [text, next] = [this.#parts[number], this.#parts[number + 1]];
    if (text === undefined || end > (next?.begin ?? this.#length)) return this.writer.cite(citation);
    return this.writer.cite({ ...citation, start: start - text.begin, end: end - text.begin }, [], text.part);
  }

  /** Returns the number of the last part that begins at `start` or before it. */
  #partAt(start: number): number {
    let [from, to] = [0, this.#parts.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#parts[middle]?.begin ?? 0) <= start) from = middle + 1;
      else to = middle;
    }
    return from - 1;
  }
}
