/** Token figures of a provider: the last figure per field wins, nothing is ever added up twice. */

import type { UsageSummary } from "../../contract/current/message.js";
import {
  OPENAI_CACHE_READ as CACHE_READ,
  OPENAI_CACHE_WRITE as CACHE_WRITE,
  OPENAI_DETAILS as DETAILS,
  OPENAI as FIGURES,
  OPENAI_REASONING as REASONING,
} from "../../generated/tables/usage-figures.js";
import { isObject } from "../../json/values.js";
import type { FindingLog } from "./findings.js";
import { type Members, member, saysAnything } from "./values.js";

/** Most tokens of one figure: what adapters add up is a count that the contract has, too. */
const MAX = 2 ** 50;

/**
 * The figures of one stream as they are: a later one replaces an earlier one of its name. One
 * that is null, absent, or no figure at all never replaces one.
 */
export class Figures {
  readonly #values = new Map<string, number>();

  /** Takes the figures `names` out of `usage`; returns the name of one that is not a count. */
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
interface UsageParts {
  readonly reasoning?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
}

/**
 * Returns a usage of tokens read and written. A part that is larger than its whole is none of it,
 * and left out.
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

// --- OpenAI's figures ----------------------------------------------------------------------------
// Usage of OpenAI's dialects, whose vendors count cached and reasoning tokens in or apart.

const BESIDE = [...CACHE_READ, ...CACHE_WRITE, ...REASONING];

/**
 * The figures of one stream. Whether cached tokens are part of the prompt tokens, and reasoning
 * tokens part of the completion tokens, no vendor says in the data; the arithmetic does: a part
 * cannot be larger than the whole, and xAI's total is prompt + completion + reasoning.
 */
export class ChatUsage {
  readonly #figures = new Figures();
  readonly #beside = new Figures();
  #cost: number | undefined;

  /** Takes what is given, logs what is wrong with it, and returns the usage so far. */
  read(usage: Members, log: FindingLog, place: string, expected: string): UsageSummary | undefined {
    for (const name of this.#take(usage)) log.invalid(`${place}/${name}`, "a count", usage[name]);
    const summary = this.#summary();
    const thought = this.#figures.get(...REASONING) ?? 0;
    if (summary !== undefined && thought > summary.outputTokens) log.usage("more reasoning than output");
    if (summary === undefined && saysAnything(usage)) {
      log.note("adapter/incomplete-usage", "The usage has too few figures to be reported", place, { expected });
    }
    return summary;
  }

  /** Takes what is given; returns the names of what is not a count. */
  #take(usage: Members): string[] {
    const bad = [this.#figures.take(usage, FIGURES), this.#beside.take(usage, BESIDE)];
    for (const [name, counts] of DETAILS) {
      const details = member(usage, name);
      const isBad = isObject(details) ? this.#figures.take(details, counts) !== undefined : details !== undefined;
      if (isBad) bad.push(name);
    }
    const given = usage["cost"];
    const cost = isObject(given) ? given["total_cost"] : given; // Perplexity
    if (typeof cost === "number" && Number.isFinite(cost) && cost >= 0) this.#cost = cost;
    return bad.filter((name) => name !== undefined);
  }

  /** Returns the usage so far, undefined if the figures do not give it. */
  #summary(): UsageSummary | undefined {
    const figures = this.#figures;
    let prompt = figures.get("prompt_tokens", "input_tokens");
    let completion = figures.get("completion_tokens", "output_tokens");
    const total = figures.get("total_tokens");
    if (total !== undefined) {
      if (prompt === undefined && completion !== undefined && completion <= total) prompt = total - completion;
      else if (completion === undefined && prompt !== undefined && prompt <= total) completion = total - prompt;
    }
    if (prompt === undefined || completion === undefined) return undefined;
    const [cached, reasoning] = [figures.get("cached_tokens"), figures.get("reasoning_tokens")];
    const read = prompt + (cached !== undefined && cached > prompt ? cached : 0);
    const isApart = (figure: number): boolean => {
      const apart = prompt + completion + figure;
      return total === apart || (figure > completion && (total === undefined || total > apart));
    };
    const written = completion + (reasoning !== undefined && isApart(reasoning) ? reasoning : 0);
    const beside = this.#beside.get(...REASONING);
    const summary = usageSummary(read, written, total ?? read + written, {
      // Those beside the figures count where they are part of the completion.
      reasoning: reasoning ?? (beside !== undefined && beside > 0 && isApart(beside) ? undefined : beside),
      cacheRead: cached ?? this.#beside.get(...CACHE_READ),
      cacheWrite: figures.get(...CACHE_WRITE) ?? this.#beside.get(...CACHE_WRITE),
    });
    return this.#cost === undefined ? summary : { ...summary, cost: this.#cost };
  }
}
