/** Text of a stream in labels: one line, in which what would hide, or turn other text around, shows as a sign. */

import { clipped, stretchesOf } from "./visible.js";

const BREAKS: Readonly<Record<string, string>> = { "\n": "⏎", "\t": "⇥" };

/** Returns text as one line of at most `most` characters, not counting the signs. */
export function visibleLine(text: string, most = 120): string {
  const head = text.length > most ? `${clipped(text, most - 1)}…` : text;
  const line = head.replaceAll(/[\n\t]/g, (sign) => BREAKS[sign] as string);
  return stretchesOf(line)
    .map(({ text: shown, code }) => (code === undefined ? shown : signOf(shown, code)))
    .join("");
}

/** Returns a piece of a text; no pair of surrogates is cut. */
export function pieceOf(text: string, from: number, to: number): string {
  return text.slice(borderOf(text, from), borderOf(text, to));
}

function borderOf(text: string, at: number): number {
  const isCut = (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  return isCut ? at + 1 : at;
}

function signOf(character: string, code: string): string {
  const point = character.charCodeAt(0);
  return point < 0x20 ? String.fromCharCode(0x2400 + point) : `⟨${code}⟩`;
}
