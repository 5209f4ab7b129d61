/** Warnings of a provider, or of a gateway before it, as its events have them. */

import { isObject } from "../../json/values.js";
import type { FindingLog } from "./findings.js";
import { type Members, member } from "./values.js";
import type { DeltaWriter } from "./writer.js";

/** Writes the `warnings` of an event, or of what it holds at `place`. */
export function readWarnings(holder: Members, place: string, writer: DeltaWriter, log: FindingLog): void {
  const given = member(holder, "warnings");
  if (given === undefined || !writer.saysNew) return;
  if (!Array.isArray(given)) return log.invalid(`${place}/warnings`, "an array", given);
  for (const [number, each] of given.entries()) {
    if (typeof each === "string") writer.warn(undefined, each);
    else if (isObject(each)) writer.warn(each["code"], each["message"], each["place"]);
    else log.invalid(`${place}/warnings/${number}`, "an object or text", each);
  }
}
