/** Which dialect an event speaks, as far as one event alone tells. */
import { SIGNS, type Sign } from "../../generated/tables/event-dialects.js";
import type { Members } from "./values.js";

/** Returns the dialect of an event, and the place in it that tells; undefined if nothing does. */
export function dialectOf(event: Members): readonly [dialect: string, place: string] | undefined {
  const found = SIGNS.find((sign) => Object.hasOwn(event, sign.member) && fits(sign, event[sign.member]));
  return found && [found.dialect, `/${found.member}`];
}

function fits({ values, prefix }: Sign, value: unknown): boolean {
  if (values !== null) return typeof value === "string" && values.includes(value);
  return prefix === null || (typeof value === "string" && value.startsWith(prefix));
}
