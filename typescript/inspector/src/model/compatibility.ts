/** Two schemas, compared by the service: what it is asked, and what it answers. */

import { isObject } from "../../../src/json/values.js";
import type { Change, Comparison, Refusal, Verdict } from "./report.js";

export const DIRECTIONS = ["backward", "forward", "full"] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** The answer of `POST /v1/compat`, as openapi.src.json has it. */
interface Answer {
  readonly bump: string;
  readonly verdicts: readonly (Omit<Verdict, "refusals"> & {
    readonly refusals?: readonly Omit<Refusal, "document">[];
  })[];
  readonly changes: readonly AnsweredChange[];
  readonly notes: readonly AnsweredChange[];
}

interface AnsweredChange extends Omit<Change, "pointer" | "old" | "new" | "accepted"> {
  readonly oldPointer?: string;
  readonly newPointer?: string;
}

/** Why there is no verdict. */
export class Refused extends Error {}

/** Returns the body that asks for a comparison. Throws Refused for a text that is not a JSON Schema. */
export function question(old: string, now: string, direction: Direction): string {
  for (const [name, text] of [
    ["old", old],
    ["new", now],
  ] as const) {
    const value = jsonOf(name, text);
    if (!isObject(value) && typeof value !== "boolean") {
      throw new Refused(`The ${name} schema is not a schema: it has to be an object, true or false.`);
    }
  }
  // The texts as they are: numbers keep all of their digits.
  return `{"old": ${old}, "new": ${now}, "direction": "${direction}"}`;
}

function jsonOf(name: string, text: string): unknown {
  if (text.trim() === "") throw new Refused(`The ${name} schema is missing.`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Refused(`The ${name} schema is not JSON: ${(error as SyntaxError).message}`);
  }
}

/** Asks the service beside the page. Throws Refused where it answers something else than a verdict. */
export async function compare(body: string, signal: AbortSignal): Promise<Comparison> {
  const headers = { "content-type": "application/json" };
  const response = await fetch("v1/compat", { method: "POST", body, headers, signal });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Refused(problemText(answer));
  return comparisonOf(answer as Answer);
}

/** Returns whether there is a service beside the page. */
export async function hasService(signal: AbortSignal): Promise<boolean> {
  if (!location.protocol.startsWith("http")) return false;
  try {
    const response = await fetch("healthz", { signal });
    return response.ok && isObject(await response.json());
  } catch {
    return false;
  }
}

/** Returns an answer in the form of a report. */
export function comparisonOf({ bump, verdicts, changes, notes }: Answer): Comparison {
  return {
    old: "old",
    new: "new",
    bump,
    verdicts: verdicts.map(({ refusals, ...verdict }) => ({
      ...verdict,
      ...(refusals && { refusals: refusals.map((each) => ({ ...each, document: readerOf(verdict.direction) })) }),
    })),
    changes: changes.map(changeOf),
    notes: notes.map(changeOf),
    replays: [],
  };
}

/** Returns the schema that refuses the documents of the other one. */
function readerOf(direction: Verdict["direction"]): string {
  return direction === "backward" ? "new" : "old";
}

function changeOf({ oldPointer, newPointer, ...change }: AnsweredChange): Change {
  return {
    ...change,
    pointer: oldPointer ?? newPointer ?? "",
    old: oldPointer === undefined ? null : { pointer: oldPointer, source: "old" },
    new: newPointer === undefined ? null : { pointer: newPointer, source: "new" },
    accepted: null,
  };
}

/** Returns what a problem document says. */
function problemText(answer: unknown): string {
  const found = isObject(answer) && Array.isArray(answer["findings"]) ? (answer["findings"] as unknown[]) : [];
  const words = found.filter(isObject).map(({ message, pointer = "", source = "", actual = "" }) => {
    const place = [source, pointer].filter((each) => each !== "").join(" schema, ");
    return [String(message), place === "" ? "" : ` (${place})`, actual === "" ? "" : `: ${String(actual)}`].join("");
  });
  return words.length > 0 ? `${words.join(". ")}.` : "The service has failed.";
}
