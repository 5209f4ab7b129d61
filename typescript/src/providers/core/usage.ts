/** Token figures of a provider: the last figure per field wins, nothing is ever added up twice. */
import type { UsageSummary } from "../../generated/v0_2/message.js";
import { type Members, member } from "./values.js";

/** Most tokens of one figure: what adapters add up is a count that the contract has, too. */
const MAX = 2 ** 50;

/**
 * The figures of one stream as they stand: a later one replaces an earlier one of its name. One
 * that is null, absent, or no figure at all never replaces one. Source: requirements S000-44, S001-82.
 */
export class Figures {
  readonly #values = new Map<string, number>();

  /** Takes the figures `names` out of `usage`; returns the name of one that is no count. */
  take(usage: Members, names: readonly string[]): string | undefined {
    let bad: string | undefined;
    for (const name of names) {
      const value = member(usage, name);
      if (value === undefined) continue;
      const isCount = typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX;
      if (isCount) this.#values.set(name, value + 0);
      else bad = name;
    }
    return bad;
  }

  /** Returns the figure of the first name that has one. */
  get(...names: readonly string[]): number | undefined {
    for (const name of names) {
      const value = this.#values.get(name);
      if (value !== undefined) return value;
    }
    return undefined;
  }
}

/** Those parts of a usage that are known. */
export interface UsageParts {
  readonly reasoning?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
}

/**
 * Returns a usage of tokens read and written. A part that is larger than its whole is none of it,
 * and left out. Source: requirements S000-44.
 */
export function usageSummary(read: number, written: number, total: number, parts: UsageParts = {}): UsageSummary {
  const { reasoning, cacheRead, cacheWrite } = parts;
  return {
    inputTokens: read,
    outputTokens: written,
    totalTokens: total,
    ...(reasoning === undefined || reasoning > written ? {} : { reasoningTokens: reasoning }),
    ...(cacheRead === undefined || cacheRead > read ? {} : { cacheReadTokens: cacheRead }),
    ...(cacheWrite === undefined || cacheWrite > read ? {} : { cacheWriteTokens: cacheWrite }),
  };
}
