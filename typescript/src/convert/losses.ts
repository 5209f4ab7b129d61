/** Losses: what a conversion between families could not carry over, said as data. */

/**
 * `lossy`: the source says something that the result does not. `invented`: the result says something
 * that the source does not. `info`: said in another way, nothing more or less.
 */
export type LossSeverity = "lossy" | "invented" | "info";

/**
 * One thing that a conversion changed. `pointer` is an RFC 6901 JSON Pointer into what was
 * converted; a stream counts as the array of its items. `code` is stable and says what was lost,
 * `detail` says it to people. Source: semantics, bridges.
 */
export interface Loss {
  readonly pointer: string;
  readonly code: string;
  readonly severity: LossSeverity;
  readonly detail: string;
}

/** Code → severity and sentence. */
export type LossTable = Readonly<Record<string, readonly [LossSeverity, string]>>;

/** Most losses of one code that a {@link LossLog} keeps. */
export const MAX_PER_CODE = 100;

/**
 * The losses of one conversion, in order, bounded whatever is converted. Of one code the first
 * {@link MAX_PER_CODE} are kept: no code is ever missing.
 */
export class LossLog<Code extends string = string> {
  readonly losses: Loss[] = [];
  /** How many more losses of a code there were than are kept. */
  readonly leftOut = new Map<Code, number>();
  readonly #counts = new Map<Code, number>();
  readonly #table: Readonly<Record<Code, readonly [LossSeverity, string]>>;

  constructor(table: Readonly<Record<Code, readonly [LossSeverity, string]>>) {
    this.#table = table;
  }

  /** Keeps a loss. */
  note(code: Code, pointer = ""): void {
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count > MAX_PER_CODE) {
      this.leftOut.set(code, count - MAX_PER_CODE);
      return;
    }
    const [severity, detail] = this.#table[code];
    this.losses.push({ pointer, code, severity, detail });
  }
}
