/** Text of a stream as it may be shown: what would be invisible, or would turn other text around, shows as a sign. */

// Control characters but tab and line feed, what sets the direction, what has no width (but the joiners of emoji
// and of scripts), tags, and halves of surrogate pairs.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\p{Cs}]|[\u{e0000}-\u{e007f}]/gu;
const ANY = new RegExp(HIDDEN.source, "u");
const BREAKS: Readonly<Record<string, string>> = { "\n": "⏎", "\t": "⇥" };

/** Returns text of one or more lines with signs in place of what does not show. */
export function visibleText(text: string): string {
  return ANY.test(text) ? text.replaceAll(HIDDEN, signOf) : text;
}

/** Returns text as one line of at most `most` characters. */
export function visibleLine(text: string, most = 120): string {
  const head = text.length > most ? `${cut(text, 0, most - 1)}…` : text;
  return visibleText(head.replaceAll(/[\n\t]/g, (sign) => BREAKS[sign] as string));
}

/** Returns a piece of a text; a character outside of the basic plane is not cut in two. */
export function cut(text: string, from: number, to: number): string {
  const begin = isTrail(text, from) ? from + 1 : from;
  return text.slice(begin, isTrail(text, to) ? to - 1 : to);
}

function isTrail(text: string, at: number): boolean {
  return at > 0 && at < text.length && /[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(at - 1, at + 1));
}

function signOf(character: string): string {
  const code = character.codePointAt(0) as number;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
