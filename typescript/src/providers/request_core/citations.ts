/** Citations of a text, as state that covers it: a text is cut where its citations say. */

import type { TolerantMessagePart } from "../../contract/current/message.js";
import { Unknown } from "../../contract/unknown.js";
import { codePoints } from "../../json/text.js";
import { isObject, own } from "../../json/values.js";
import type { Notes } from "./notes.js";
import type { Item } from "./state.js";

type TextPart = Extract<TolerantMessagePart, { kind: "text" }>;
type Citation = NonNullable<TextPart["payload"]["citations"]>[number];
type Span = { readonly start?: number; readonly end?: number };

/**
 * Returns the citations that go back: those that carry the provider's own. `items` are the state of
 * the text; with one of a kind in `citing` its citations go back. Several citations of one stretch
 * may be one to the provider, and the first carries it. What is left out is noted once for the text.
 */
export function readCitations(
  part: TextPart,
  place: string,
  items: readonly Item[],
  dialect: string,
  citing: ReadonlySet<string>,
  notes: Notes,
): Item[] {
  const { citations, text } = part.payload;
  if (citations === undefined || citations.length === 0) return [];
  const found: Item[] = [];
  const own = new Set<string>();
  const length = codePoints(text);
  let isLost = false;
  for (const [number, citation] of citations.entries()) {
    if (citation instanceof Unknown) continue;
    const span = spanOf(citation, length);
    const key = `${span.start} ${span.end}`;
    if (citation.opaque?.provider === dialect) {
      const at = `${place}/payload/citations/${number}/opaque/data`;
      found.push(...itemsOf(citation.opaque.data, span, at, notes));
      own.add(key);
    } else if (!own.has(key)) {
      isLost = true;
    }
  }
  if (isLost && !items.some((item) => citing.has(item.kind))) noteCitations(part, place, notes);
  return found;
}

/** Notes citations that are not sent. */
export function noteCitations(part: TextPart, place: string, notes: Notes): void {
  const { citations } = part.payload;
  if (citations === undefined || citations.length === 0) return;
  const message = "The provider's format has no place for these citations; the text goes without them";
  notes.add("encode/citation-left-out", message, `${place}/payload/citations`);
}

/** Returns where a citation begins and ends in a text, nothing without places. */
function spanOf({ start, end }: Citation, length: number): Span {
  if (start === undefined || end === undefined) return {};
  return { start: Math.min(start, length), end: Math.min(end, length) };
}

function itemsOf(data: Record<string, unknown>, span: Span, at: string, notes: Notes): Item[] {
  const given = own(data, "items");
  if (!Array.isArray(given)) {
    notes.malformed(at, "an object with items", data);
    return [];
  }
  const found: Item[] = [];
  for (const [number, each] of given.entries()) {
    const pointer = `${at}/items/${number}`;
    const kind = isObject(each) ? own(each, "kind") : undefined;
    if (isObject(each) && typeof kind === "string" && Object.hasOwn(each, "data")) {
      found.push({ kind, data: each["data"], pointer, ...span });
    } else {
      notes.malformed(pointer, "an item with kind and data", each);
    }
  }
  return found;
}
