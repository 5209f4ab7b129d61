/** Citations, out of members as providers have them. */

import type { Citation, CitationLocator, CitationSource } from "../../contract/current/message.js";
import { isObject } from "../../json/values.js";
import { type Members, member, wellFormed } from "./values.js";

const OPENAI_FILES: ReadonlySet<unknown> = new Set(["file", "file_citation", "file_path", "container_file_citation"]);

/**
 * Returns a citation of what a JSON object says as the contract has it; undefined without a source.
 * Places count where both are there and in order.
 */
export function citationOf(value: Members): Citation | undefined {
  const from = member(value, "source");
  if (!isObject(from)) return undefined;
  const kind = text(from, "kind");
  if (kind === undefined) return undefined;
  const source: CitationSource = { kind };
  for (const name of ["url", "title", "id"] as const) {
    const said = text(from, name);
    if (said !== undefined) source[name] = said;
  }
  const locator = locatorOf(member(from, "locator"));
  if (locator !== undefined) source.locator = locator;
  const [start, end] = [count(value, "start"), count(value, "end")];
  const quotedText = text(value, "quotedText");
  return {
    ...(start !== undefined && end !== undefined && start <= end ? { start, end } : {}),
    source,
    ...(quotedText === undefined ? {} : { quotedText }),
  };
}

/** A citation as the contract has it, without the provider's own. */
export interface Cited extends Record<string, unknown> {
  readonly start: number;
  readonly end: number;
  readonly source: Record<string, unknown>;
  readonly quotedText?: string;
}

/** Returns a citation of a stretch of text; what the source says is left out where it is "". */
export function cited(start: number, end: number, source: Record<string, unknown>, quotedText: string): Cited {
  return { start, end, source, ...(quotedText === "" ? {} : { quotedText }) };
}

/** Returns a source's `locator` as a member; none where the provider does not count so. */
export function locator(unit: string, start: unknown, end: unknown): { locator?: CitationLocator } {
  const found = locatorOf({ unit, start, end });
  return found === undefined ? {} : { locator: found };
}

/** Returns members of a source that are text; an index is the text of an id. */
export function named(members: Members): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(members)) {
    if (typeof value === "string" && value !== "") found[name] = value;
    else if (isCount(value)) found[name] = String(value);
  }
  return found;
}

/** Returns a value that is the address of a page. */
export function webAddress(value: unknown): string | undefined {
  return typeof value === "string" && /^https?:\/\//.test(value) ? value : undefined;
}

/** Returns what an annotation of OpenAI's points to, undefined for what is not one, or to nothing. */
export function annotationSource(kind: unknown, said: Members): Members | undefined {
  let source: Members;
  if (kind === "url_citation") source = { kind: "url", ...named({ url: said["url"], title: said["title"] }) };
  else if (OPENAI_FILES.has(kind))
    source = { kind: "file", ...named({ id: said["file_id"], title: said["filename"] }) };
  else return undefined;
  return Object.keys(source).length > 1 ? source : undefined;
}

function locatorOf(value: unknown): CitationLocator | undefined {
  if (!isObject(value)) return undefined;
  const [unit, start, end] = [text(value, "unit"), count(value, "start"), count(value, "end")];
  if (unit === undefined || start === undefined) return undefined;
  return { unit, start, ...(end === undefined ? {} : { end }) };
}

function text(holder: Members, name: string): string | undefined {
  const value = member(holder, name);
  return typeof value === "string" && value !== "" ? wellFormed(value) : undefined;
}

function count(holder: Members, name: string): number | undefined {
  const value = member(holder, name);
  return isCount(value) ? value : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
