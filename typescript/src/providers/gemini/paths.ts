/** Paths of arguments that Gemini streams: `$.stops[0]["name"]` → its steps. */
import { codePoints } from "../../json/text.js";
import { decodeEvent } from "../core/event-json.js";

/** A member's name, or an item's index. */
export type Step = string | number;

/** Steps below the root, which is an object. */
export type Path = readonly [string, ...Step[]];

const MAX_DEPTH = 100;
const MAX_PATH = 4096;
const STEP = /\.(?!\*(?:[.[]|$))([^.[\]'"]+)|\[(\d{1,6})\]|\[("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\]/sy;

/** Returns the steps of a path, undefined if it is none, or too long or deep. */
export function parsePath(path: unknown): Path | undefined {
  if (typeof path !== "string" || !path.startsWith("$") || codePoints(path) > MAX_PATH) return undefined;
  const steps: Step[] = [];
  for (let at = 1; at < path.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const found = STEP.exec(path);
    if (found === null || steps.length === MAX_DEPTH) return undefined;
    const [, name, index, inQuotes] = found;
    const step = index !== undefined ? Number(index) : inQuotes === undefined ? name : unquoted(inQuotes);
    if (step === undefined) return undefined;
    steps.push(step);
  }
  return isPath(steps) ? steps : undefined;
}

function isPath(steps: readonly Step[]): steps is Path {
  return typeof steps[0] === "string";
}

/** Returns the name that a quoted step says. */
function unquoted(text: string): string | undefined {
  const inner = text.slice(1, -1);
  const asJson = text.startsWith('"') ? inner : inner.replace(/\\.|"/gs, requoted);
  const name = decodeEvent(`"${asJson}"`);
  return typeof name === "string" ? name : undefined;
}

function requoted(piece: string): string {
  if (piece === '"') return '\\"';
  return piece === "\\'" ? "'" : piece;
}
