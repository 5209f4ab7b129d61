/** Text of a part, cut where the provider's state says. */

import type { Item } from "./state.js";
import { Characters, saysSomething } from "./values.js";

/**
 * A stretch of a part's text, and the items that cover it in order of arrival. An item that has its place
 * between characters is a separate stretch, without text.
 */
interface Stretch {
  readonly text: string;
  readonly items: readonly Item[];
}

interface Span {
  readonly start: number;
  end: number;
  readonly items: Item[];
}

/**
 * Returns a part's text in order, cut where an item begins, ends or has its place. Items that overlap cover
 * one stretch together, and what is inside of it comes behind it. An item without a place covers
 * the whole. Unless a stretch may be `blank`, white space joins the stretch before it, and what covers it comes
 * along; at the beginning it joins the next one.
 */
export function stretches(text: string, items: readonly Item[], blank: boolean): Stretch[] {
  if (items.length === 0) return text === "" ? [] : [{ text, items }];
  const characters = new Characters(text);
  const all = allSpans(characters.length, items);
  return (blank ? all : withoutBlanks(characters, all)).map(({ start, end, items }) => ({
    text: characters.slice(start, end),
    items,
  }));
}

function allSpans(length: number, items: readonly Item[]): Span[] {
  const found: Span[] = [];
  let at = 0;
  for (const span of spansOf(length, items)) {
    if (span.start > at) found.push({ start: at, end: span.start, items: [] });
    found.push(span);
    at = span.end;
  }
  if (at < length) found.push({ start: at, end: length, items: [] });
  return found;
}

function withoutBlanks(characters: Characters, spans: readonly Span[]): Span[] {
  const made: Span[] = [];
  let last = -1; // number of the last one with text
  let onlyBlank = false; // whether that is white space, since nothing else came before
  for (let span of spans) {
    if (span.start < span.end) {
      const isBlank = !saysSomething(characters.slice(span.start, span.end));
      const before = made[last];
      if (before !== undefined && (isBlank || onlyBlank)) {
        for (const item of span.items) before.items.push(item);
        before.end = span.end;
        if (isBlank) continue;
        made.splice(last, 1);
        span = before;
      }
      last = made.length;
      onlyBlank = isBlank;
    }
    made.push(span);
  }
  return made;
}

/** Returns where items cover text or have their place, in order; no two spans overlap. */
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
  // What is at a place, then what begins there.
  return [...covering, ...stood].sort((one, other) => one.start - other.start || one.end - other.end);
}
