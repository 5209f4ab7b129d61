/** Citations of Anthropic Messages. */

import { locator, named, webAddress } from "../core/citations.js";
import type { Members } from "../core/values.js";

/** Places in a document: the unit, and the members that count it. */
const PLACES: ReadonlyMap<unknown, readonly [string, string, string]> = new Map([
  ["char_location", ["character", "start_char_index", "end_char_index"]],
  ["page_location", ["page", "start_page_number", "end_page_number"]],
  ["content_block_location", ["block", "start_block_index", "end_block_index"]],
] as const);

/** Returns the contract's citation for the stretch of text that it is about. */
export function citationOf(given: Members, start: number, end: number): Members {
  const quoted = given["cited_text"];
  return { start, end, source: sourceOf(given), quotedText: quoted };
}

function sourceOf(given: Members): Record<string, unknown> {
  const { type, title } = given;
  if (type === "search_result_location") {
    const id = given["source"];
    const place = locator("block", given["start_block_index"], given["end_block_index"]);
    return { kind: "search_result", ...named({ url: webAddress(id), title, id }), ...place };
  }
  const [unit, first, last] = PLACES.get(type) ?? [];
  if (unit !== undefined && first !== undefined && last !== undefined) {
    const file = named({ id: given["file_id"] });
    const names = { ...named({ id: given["document_index"], title: given["document_title"] }), ...file };
    const kind = file["id"] === undefined ? "document" : "file";
    return { kind, ...names, ...locator(unit, given[first], given[last]) };
  }
  const names = named({ url: given["url"], title });
  return { kind: names["url"] === undefined ? "unknown" : "url", ...names };
}
