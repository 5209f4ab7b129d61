/** What a file can be read as: the list "read as". */

import { FORMATS } from "partwire/formats";
import { ADAPTERS } from "partwire/providers";
import type { As } from "./sources.js";

/** One of the list, with its words. */
export interface Choice extends As {
  readonly label: string;
}

/** All of them, in the order of the list. */
export const CHOICES: readonly Choice[] = [
  { label: "deltas", as: "deltas" },
  { label: "chunks of a response", as: "chunks" },
  ...[...ADAPTERS.keys()].map((as) => ({ label: `${as}: stream`, as })),
  ...[...FORMATS.values()].flatMap(({ name, does }) =>
    does.includes("reader") ? [{ label: `${name}: events`, as: name, run: true }] : [],
  ),
  { label: "message", as: "message" },
  { label: "history", as: "history" },
  { label: "session", as: "session" },
  ...[...FORMATS.keys()].map((as) => ({ label: `${as}: history`, as, history: true })),
  { label: "report", as: "report" },
  { label: "JSON", as: "json" },
];

/** Returns a text that is the same for what means the same. */
export function keyOf({ as = "", run = false, history = false }: As): string {
  return `${as}|${run}|${history}`;
}

/** Returns the words of the list for what a source is read as. */
export function labelOf(as: As): string {
  return CHOICES.find((choice) => keyOf(choice) === keyOf(as))?.label ?? as.as ?? "unknown";
}
