/** Warnings of a provider, or of a gateway before it, as its events have them. */

import { isObject } from "../../json/values.js";
import { type FindingLog, shownAt } from "./findings.js";
import { type Members, member } from "./values.js";
import type { DeltaWriter } from "./writer.js";

/**
 * Writes the `warnings` of an event, or of what it holds at `place`. `code` is the member that says
 * the code where none is called so.
 */
export function readWarnings(
  holder: Members,
  place: string,
  writer: DeltaWriter,
  log: FindingLog,
  code: string = "code",
): void {
  const given = member(holder, "warnings");
  if (given === undefined || !writer.saysNew) return;
  if (!Array.isArray(given)) return log.invalid(`${place}/warnings`, "an array", given);
  for (const [number, each] of given.entries()) {
    if (typeof each === "string") writer.warn(undefined, each);
    else if (isObject(each)) warn(each, `${place}/warnings/${number}`);
    else log.invalid(`${place}/warnings/${number}`, "an object or text", each, shownAt(given, `${number}`));
  }

  function warn(warning: Members, at: string): void {
    const names = [member(warning, "code") === undefined ? code : "code", "message", "place"] as const;
    const said = names.map((name) => {
      const value = member(warning, name);
      if (value === undefined || typeof value === "string") return value;
      return log.invalid(`${at}/${name}`, "a string", value, shownAt(warning, name));
    });
    writer.warn(said[0], said[1], said[2]);
  }
}
