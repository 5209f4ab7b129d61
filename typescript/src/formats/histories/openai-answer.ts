/** What a whole answer of OpenAI's dialects says of itself: its time, and its usage. */

import { LAST_MS } from "../../generated/tables/limits.js";
import * as usageFigures from "../../generated/tables/usage-figures.js";
import { saysAnything } from "../../providers/core/values.js";
import { type Json, Members, type Reading } from "../core/reading.js";

/** Takes a time in seconds since the epoch, as the contract writes one. */
export function timeOf(body: Members, name: string): string | undefined {
  const given = body.number(name, Math.floor(LAST_MS / 1000));
  return given === undefined ? undefined : new Date(Math.trunc(given * 1000)).toISOString().replace(".000Z", "Z");
}

const COUNTED = [
  ...usageFigures.OPENAI,
  ...usageFigures.OPENAI_CACHE_READ,
  ...usageFigures.OPENAI_CACHE_WRITE,
  ...usageFigures.OPENAI_REASONING,
  "cost",
];

/** Takes the usage, and reports what in it an adapter does not count; 0 says nothing. */
export function usageOf(body: Members, reading: Reading): Json | undefined {
  const usage = body.object("usage");
  if (usage === undefined) return undefined;
  const counted = new Members(usage, body.at("usage"), reading);
  for (const [name, counts] of usageFigures.OPENAI_DETAILS) {
    const given = counted.object(name);
    if (given === undefined) continue;
    const details = new Members(given, counted.at(name), reading);
    for (const count of counts) details.value(count);
    for (const other of Object.keys(given)) details.skip(other, 0);
    details.close();
  }
  const price = counted.object("cost"); // Perplexity; others say a number
  if (price !== undefined) {
    const cost = new Members(price, counted.at("cost"), reading);
    cost.value("total_cost");
    cost.close();
  }
  for (const name of COUNTED) counted.value(name);
  counted.close();
  return usage;
}

/** Reports the usage of a whole answer whose figures are too few to be one. */
export function noteLostUsage(usage: unknown, message: Json, reading: Reading): void {
  const meta = (message["meta"] ?? {}) as Json;
  if (saysAnything(usage) && !Object.hasOwn(meta, "usage")) reading.note("foreign-member", "/usage");
}
