/** The losses of one document that is read. */

import type { Loss } from "../../convert/losses.js";
import { FORMAT_LOSSES, type FormatLossCode } from "../../generated/tables/losses.js";

/**
 * Losses of one code that are kept: histories are long, and each place counts; but what a hostile document
 * costs has an end.
 */
export const MOST_LOSSES = 10_000;

/**
 * Losses by code and place, each once, and bounded whatever the document. Of one code the first
 * {@link MOST_LOSSES} are kept; a loss `losses-left-out` for the code says how many more there were.
 */
export class Losses {
  readonly #kept = new Map<string, Loss>();
  readonly #counts = new Map<FormatLossCode, number>();

  /** Notes a loss at a place of the source. */
  note(code: FormatLossCode, pointer: string): void {
    const key = `${code} ${pointer}`;
    if (this.#kept.has(key)) return;
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count > MOST_LOSSES) return;
    const [severity, detail] = FORMAT_LOSSES[code];
    this.#kept.set(key, { pointer, code, severity, detail });
  }

  /** Returns the losses since the last time, and forgets them: for who reads without end. */
  take(): Loss[] {
    const { found } = this;
    this.#kept.clear();
    this.#counts.clear();
    return found;
  }

  /** The losses so far, as they came, and behind them the counts of those left out. */
  get found(): Loss[] {
    const code = "losses-left-out";
    const [severity, words] = FORMAT_LOSSES[code];
    const more = [...this.#counts].flatMap(([each, count]): Loss[] => {
      const left = String(count - MOST_LOSSES).replace(/\B(?=(?:\d{3})+$)/g, ",");
      return count > MOST_LOSSES ? [{ pointer: "", code, severity, detail: `${words}: ${each}, ${left}` }] : [];
    });
    return [...this.#kept.values(), ...more];
  }
}
