/** Citations of Converse. */

import { isObject } from "../../json/values.js";
import { locator, named, webAddress } from "../core/citations.js";
import { memberNames } from "../core/spelling.js";
import type { Members } from "../core/values.js";

/** Locations: the kind of source, the unit of its places, and the member that is its index. */
const PLACES: ReadonlyMap<string, readonly [string, string, string]> = new Map([
  ["documentChar", ["document", "character", "documentIndex"]],
  ["documentPage", ["document", "page", "documentIndex"]],
  ["documentChunk", ["document", "chunk", "documentIndex"]],
  ["searchResultLocation", ["search_result", "block", "searchResultIndex"]],
] as const);

/** Returns the contract's citation for the stretch of text that it is about. */
export function citationOf(given: Members, start: number, end: number): Members {
  const content = Array.isArray(given["sourceContent"]) ? given["sourceContent"] : [];
  const texts = content.map((item: unknown) => (isObject(item) ? item["text"] : undefined));
  const quotedText = texts.filter((text) => typeof text === "string").join("");
  return { start, end, source: sourceOf(given), quotedText };
}

function sourceOf(given: Members): Record<string, unknown> {
  const { location, source } = given;
  const title = named({ title: given["title"] });
  for (const name of isObject(location) ? memberNames(location) : []) {
    const place = (location as Members)[name];
    if (!isObject(place)) continue;
    const [kind, unit, index] = PLACES.get(name) ?? [];
    if (kind !== undefined && unit !== undefined && index !== undefined) {
      const own = kind === "search_result" ? named({ id: source, url: webAddress(source) }) : {};
      return { kind, ...title, ...named({ id: place[index] }), ...own, ...locator(unit, place["start"], place["end"]) };
    }
    if (name === "web") return { kind: "url", ...title, ...named({ url: place["url"] }) };
  }
  return { kind: "unknown", ...title };
}
