/**
 * Figures of sessions, which are disjoint, and those of messages, which hold their parts. A session counts
 * `input` without what the cache read and wrote, and `output` without reasoning; `inputTokens` and
 * `outputTokens` of a message are with them. Older writers of sessions counted reasoning in `output`: a
 * `total` shows which of the two it is.
 */
import type { UsageSummary } from "../../contract/current/message.js";
import type { AssistantInfo, TokenStats } from "../../contract/current/session.js";
import type { Work } from "./conversion.js";

/** The counts of a usage that a provider may leave out, and a session may not. */
export const COUNTS = ["reasoningTokens", "cacheReadTokens", "cacheWriteTokens"] as const;

const sum = (...counts: number[]): number =>
  Math.min(
    counts.reduce((one, other) => one + other, 0),
    Number.MAX_SAFE_INTEGER,
  );

/** Returns the usage that the tokens at `place` and the cost of an assistant's info are. */
export function usageOf({ tokens, cost }: AssistantInfo, place: string, work: Work): UsageSummary {
  const { cache, reasoning, output } = tokens;
  const inputTokens = sum(tokens.input, cache.read, cache.write);
  const apart = isApart(tokens, inputTokens);
  if (apart === undefined) work.note("reasoning-apart", `${place}/reasoning`);
  const outputTokens = apart === false ? output : sum(output, reasoning);
  return {
    inputTokens,
    outputTokens,
    totalTokens: tokens.total ?? sum(inputTokens, outputTokens),
    reasoningTokens: reasoning,
    cacheReadTokens: cache.read,
    cacheWriteTokens: cache.write,
    cost,
  };
}

/** Tells whether `output` is without reasoning; undefined where the tokens do not tell. */
function isApart({ output, reasoning, total }: TokenStats, input: number): boolean | undefined {
  if (reasoning === 0 || reasoning > output || total === input + output + reasoning) return true;
  return total === input + output ? false : undefined;
}

/** Returns the tokens of a session that the usage at `place` is, and notes what that loses. */
export function tokensOf(usage: UsageSummary, place: string, work: Work): TokenStats {
  for (const name of COUNTS) if (usage[name] === undefined) work.note("counts-invented", `${place}/${name}`);
  const { inputTokens, outputTokens, totalTokens, reasoningTokens: reasoning = 0 } = usage;
  const cache = { read: usage.cacheReadTokens ?? 0, write: usage.cacheWriteTokens ?? 0 };
  const input = Math.max(inputTokens - cache.read - cache.write, 0);
  const output = Math.max(outputTokens - reasoning, 0);
  if (inputTokens < cache.read + cache.write) work.note("usage-parts", `${place}/inputTokens`);
  if (outputTokens < reasoning) work.note("usage-parts", `${place}/outputTokens`);
  const total = sum(input, cache.read, cache.write, output, reasoning);
  if (totalTokens !== total) work.note("usage-total", `${place}/totalTokens`);
  return { input, output, reasoning, cache };
}
