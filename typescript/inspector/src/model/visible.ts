/** Text as it is to be seen: characters that hide, or that turn the direction, are told apart from the others. */

import { isUnicode } from "../../../src/json/text.js";

/** A stretch of text; `code` is there where it is one character that would not show. */
export interface Stretch {
  readonly text: string;
  readonly code?: string;
}

/**
 * Control characters but tab and line feed, what is invisible, what turns the direction, letters that are blank,
 * tags, selectors that can carry text, and halves of surrogate pairs.
 */
const HIDDEN =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: these are single characters, joined by nothing
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\ud800-\udfff]/gu;
// It joins pictures, such as those of a family.
const JOINER = "\u200d";
const PICTURE = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u;

/** Cuts text into what shows and what does not. */
export function stretchesOf(text: string): Stretch[] {
  const found: Stretch[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(HIDDEN)) {
    if (character === JOINER && joins(text, index)) continue;
    if (index > from) found.push({ text: text.slice(from, index) });
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    found.push({ text: character, code: `U+${code}` });
    from = index + character.length;
  }
  if (from < text.length) found.push({ text: text.slice(from) });
  return found;
}

function joins(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at);
  return PICTURE.test(isUnicode(before) ? before : before.slice(1)) && PICTURE.test(text.slice(at + 1, at + 3));
}

/** Returns the first characters of a text; no pair of surrogates is cut. */
export function clipped(text: string, most: number): string {
  if (text.length <= most) return text;
  const isHigh = (text.charCodeAt(most - 1) & 0xfc00) === 0xd800;
  return text.slice(0, isHigh ? most - 1 : most);
}
