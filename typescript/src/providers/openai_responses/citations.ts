/** Citations of OpenAI Responses. */
import { isObject } from "../../json/values.js";
import { annotationSource } from "../core/citations.js";
import { integerAt } from "../core/spelling.js";
import { type Members, member } from "../core/values.js";

const POINTS: ReadonlySet<unknown> = new Set(["file_citation", "file_path"]);

/**
 * Returns the contract's citation, undefined for what is none. `begin` is the character of the part
 * where the text begins in which the provider counts.
 */
export function citationOf(annotation: unknown, begin: number): Members | undefined {
  if (!isObject(annotation)) return undefined;
  const kind = member(annotation, "type");
  const source = annotationSource(kind, annotation);
  if (source === undefined) return undefined;
  const names = POINTS.has(kind) ? ["index", "index"] : ["start_index", "end_index"];
  const [start, end] = names.map((name) => integerAt(annotation, name));
  const isPlace = start !== undefined && end !== undefined && start >= 0 && end >= 0;
  return { ...(isPlace ? { start: begin + start, end: begin + end } : {}), source };
}
