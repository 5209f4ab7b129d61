/** Text of a part, cut where the provider's state says. */
import type { Item } from "./state.js";
import { Characters } from "./values.js";

/**
 * A stretch of a part's text, and the items that cover it in order of arrival. An item that stands
 * between characters is a stretch of its own, without text.
 */
export interface Stretch {
  readonly text: string;
  readonly items: readonly Item[];
}

/**
 * Returns a part's text in order, cut where an item begins, ends or stands. Items that overlap cover
 * one stretch together, and what stands inside of it comes behind it. An item without a place covers
 * the whole.
 */
export function stretches(text: string, items: readonly Item[]): Stretch[] {
  if (items.length === 0) return text === "" ? [] : [{ text, items }];
  const characters = new Characters(text);
  const found: Stretch[] = [];
  let at = 0;
  for (const span of spansOf(characters.length, items)) {
    if (span.start > at) found.push({ text: characters.slice(at, span.start), items: [] });
    found.push({ text: characters.slice(span.start, span.end), items: span.items });
    at = span.end;
  }
  if (at < characters.length) found.push({ text: characters.slice(at), items: [] });
  return found;
}

interface Span {
  readonly start: number;
  end: number;
  readonly items: Item[];
}

/** Returns where items cover or stand, in order; no two spans overlap. */
function spansOf(length: number, items: readonly Item[]): Span[] {
  const covering: Span[] = [];
  const points: Span[] = [];
  const placed = items.map((item) => ({ start: item.start ?? 0, end: item.end ?? length, items: [item] }));
  for (const span of placed.sort((one, other) => one.start - other.start)) {
    const last = covering.at(-1);
    if (span.start === span.end) {
      points.push(span);
    } else if (last !== undefined && span.start < last.end) {
      last.end = Math.max(last.end, span.end);
      last.items.push(...span.items);
    } else {
      covering.push(span);
    }
  }
  let before = -1;
  const stood = points.map(({ start, items }) => {
    while ((covering[before + 1]?.start ?? Infinity) < start) before++;
    const at = Math.max(start, covering[before]?.end ?? 0);
    return { start: at, end: at, items };
  });
  // What stands at a place, then what begins there.
  return [...covering, ...stood].sort((one, other) => one.start - other.start || one.end - other.end);
}
