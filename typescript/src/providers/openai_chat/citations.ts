/** Citations of chat completions: annotations of a message, and what chunks say of the answer. */
import { isObject } from "../../json/values.js";
import { annotationSource, named, webAddress } from "../core/citations.js";
import { type FindingLog, shownAt } from "../core/findings.js";
import { integerAt } from "../core/spelling.js";
import { type Members, member, saysAnything } from "../core/values.js";

/** A citation without its places, and these in the text of the answer. */
export interface Annotation {
  readonly citation: Members;
  readonly start: number;
  /** 0 where the annotation has no places; some vendors say so, too. */
  readonly end: number;
}

/** Returns the contract's citation of an annotation, undefined for what is not one. */
export function citationOf(annotation: unknown): Annotation | undefined {
  if (!isObject(annotation)) return undefined;
  const kind = member(annotation, "type");
  const inner = typeof kind === "string" ? member(annotation, kind) : undefined;
  const said = isObject(inner) ? inner : annotation;
  const source = annotationSource(kind, said);
  if (source === undefined) return undefined;
  const quoted = member(said, "content");
  const quote = typeof quoted === "string" && quoted !== "" ? { quotedText: quoted } : {};
  const [start, end] = [integerAt(said, "start_index"), integerAt(said, "end_index")];
  const isPlace = start !== undefined && end !== undefined && start >= 0 && start < end;
  return { citation: { source, ...quote }, ...(isPlace ? { start, end } : { start: 0, end: 0 }) };
}

/** Returns the sources of an answer as a whole, each once: its citations, then what was found. */
export function sourcesOf(citations: unknown, results: unknown): Members[] {
  const titles = new Map<string, unknown>();
  for (const found of [citations, results]) {
    if (!Array.isArray(found)) continue;
    for (const each of found as unknown[]) {
      const url = addressOf(each);
      if (url === undefined || saysAnything(titles.get(url))) continue;
      titles.set(url, isObject(each) ? member(each, "title") : undefined);
    }
  }
  return [...titles].map(([url, title]) => ({ kind: "url", ...named({ url, title }) }));
}

/** Notes what {@link sourcesOf} passes over; `actual` is how a finding shows the sources. */
export function noteOddSources(sources: unknown, place: string, log: FindingLog, actual: string): void {
  if (!Array.isArray(sources)) return log.invalid(place, "an array", sources, actual);
  for (const [number, each] of sources.entries()) {
    if (addressOf(each) !== undefined) continue;
    const expected = "the address of a page, or an object with it";
    log.invalid(`${place}/${number}`, expected, each, shownAt(sources, `${number}`));
  }
}

function addressOf(source: unknown): string | undefined {
  return webAddress(isObject(source) ? member(source, "url") : source);
}
