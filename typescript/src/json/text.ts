/** What can be said of text: its size in UTF-8, whether it is Unicode, and what JSON hides. */

const LONE = /[\ud800-\udfff]/u;
const ALL_LONE = /[\ud800-\udfff]/gu;

/** Tells whether every surrogate of a string is in a pair. */
export function isUnicode(text: string): boolean {
  const native = (text as { isWellFormed?: () => boolean }).isWellFormed;
  return native === undefined ? !LONE.test(text) : native.call(text);
}

/** Returns `text` with lone surrogates spelled out, so that it can be encoded. */
export function printable(text: string): string {
  return isUnicode(text) ? text : text.replace(ALL_LONE, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
}

/** Returns a member name as one reference token of a JSON Pointer (RFC 6901). */
export function escapePointer(name: string): string {
  return printable(name).replaceAll("~", "~0").replaceAll("/", "~1");
}

// An expression goes over a text many times faster than a loop does, and is slower to begin.
const SHORT = 24;
const NOT_ASCII = /[^\u0000-\u007f]/;
const SURROGATE = /[\ud800-\udfff]/;

/** Returns how many bytes `text` takes in UTF-8; a lone surrogate counts as three. */
export function utf8Length(text: string): number {
  const units = text.length;
  if (units > SHORT && !NOT_ASCII.test(text)) return units;
  let bytes = units;
  for (let at = 0; at < units; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    if ((unit & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) at++;
  }
  return bytes;
}

/** Returns how many code points `text` has. */
export function codePoints(text: string): number {
  if (text.length > SHORT && !SURROGATE.test(text)) return text.length;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    count++;
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) at++;
  }
  return count;
}

/** What is in JSON text that a parsed value no longer has. */
export interface TextScan {
  /** A lone surrogate as an escape, or a number with fraction or exponent beyond a double. */
  refused: boolean;
  /** Integers beyond ±(2^53 - 1): where each begins and ends. */
  readonly unsafe: [number, number][];
  /** Digits of the longest integer. */
  digits: number;
  /** How deep brackets outside strings are nested. */
  depth: number;
}

/** Written out, it takes a tenth of the time of a repetition: engines skip ahead by what has a fixed length. */
export const SIXTEEN_DIGITS: RegExp = /* @__PURE__ */ new RegExp("[0-9]".repeat(16));

/** Tells whether {@link scan} could find anything but depth in `text`. */
export function mayHide(text: string): boolean {
  // One by one: together they take twice as long.
  return SIXTEEN_DIGITS.test(text) || /[eE]\+?[0-9]{3}/.test(text) || /\\u[dD][89a-fA-F]/.test(text);
}

/** Tells whether there are more opening brackets in `text` than `most`. */
export function mayPassDepth(text: string, most: number): boolean {
  if (text.length <= most) return false;
  let openings = 0;
  for (const opening of ["{", "["]) {
    for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, at + 1)) {
      if (++openings > most) return true;
    }
  }
  return false;
}

/** Looks through text that need not be JSON, once, without a stack. */
export function scan(text: string): TextScan {
  const found: TextScan = { refused: false, unsafe: [], digits: 0, depth: 0 };
  let depth = 0;
  let at = 0;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) {
      at = afterString(text, at + 1, found);
    } else if ((unit >= 0x30 && unit <= 0x39) || unit === 0x2d) {
      at = afterNumber(text, at, found);
    } else {
      if (unit === 0x7b || unit === 0x5b) found.depth = Math.max(found.depth, ++depth);
      else if (unit === 0x7d || unit === 0x5d) depth--;
      at++;
    }
  }
  return found;
}

function afterString(text: string, from: number, found: TextScan): number {
  let at = from;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) return at + 1;
    if (unit !== 0x5c) {
      at++;
    } else if (text.charCodeAt(at + 1) !== 0x75) {
      at += 2;
    } else {
      const half = escaped(text, at);
      const isPair = (half & 0xfc00) === 0xd800 && (escaped(text, at + 6) & 0xfc00) === 0xdc00;
      if (!isPair && (half & 0xf800) === 0xd800) found.refused = true;
      at += isPair ? 12 : 2; // what follows, four digits or not, goes on as text
    }
  }
  return at;
}

/** Returns the unit that the escape at `at` spells, 0 if there is none. */
function escaped(text: string, at: number): number {
  const hex = text.slice(at + 2, at + 6);
  return text.startsWith("\\u", at) && /^[0-9a-fA-F]{4}$/.test(hex) ? parseInt(hex, 16) : 0;
}

function afterNumber(text: string, from: number, found: TextScan): number {
  let at = from + 1;
  let whole = true;
  for (; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x30 && unit <= 0x39) continue;
    const inside = unit === 0x2e || unit === 0x65 || unit === 0x45 || unit === 0x2b || unit === 0x2d;
    if (!inside) break;
    whole = false;
  }
  if (whole) {
    const digits = at - from - (text.charCodeAt(from) === 0x2d ? 1 : 0);
    found.digits = Math.max(found.digits, digits);
    if (digits > 15 && !Number.isSafeInteger(Number(text.slice(from, at)))) found.unsafe.push([from, at]);
  } else if (Math.abs(Number(text.slice(from, at))) === Infinity) {
    found.refused = true;
  }
  return at;
}
