/** Names of dialects, and which one an event speaks, as far as one event alone shows it. */
import { badArgument } from "../../errors.js";
import { ALIASES, SIGNS, type Sign } from "../../generated/tables/event-dialects.js";
import type { Members } from "./values.js";

/**
 * Returns what `rows` have for a dialect, which its name or an alias (`anthropic`) says. Throws
 * UsageError `usage/unknown-dialect`.
 */
export function rowOfDialect<Row>(rows: ReadonlyMap<string, Row>, name: string): Row {
  const found = rows.get(ALIASES.get(name) ?? name);
  if (found !== undefined) return found;
  throw badArgument("No such dialect", [...rows.keys()].join(", "), name, "usage/unknown-dialect");
}

/** Returns the dialect of an event, and the place in it that tells; undefined if nothing does. */
export function dialectOf(event: Members): readonly [dialect: string, place: string] | undefined {
  const found = SIGNS.find((sign) => Object.hasOwn(event, sign.member) && fits(sign, event[sign.member]));
  return found && [found.dialect, `/${found.member}`];
}

function fits({ values, prefix }: Sign, value: unknown): boolean {
  if (values !== null) return typeof value === "string" && values.includes(value);
  return prefix === null || (typeof value === "string" && value.startsWith(prefix));
}
