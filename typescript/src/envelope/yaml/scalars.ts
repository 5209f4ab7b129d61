/** Scalars of YAML: plain, quoted, and as blocks. */
import { BLANK_OR_END, BREAKS, type Chars, END, SPACE_OR_END } from "./chars.js";

export interface Scalar {
  readonly text: string;
  /** Whether it has no quotes: then it may be something else than text. */
  readonly plain: boolean;
  /** Whether an escape in it spells half of a surrogate pair. */
  readonly half: boolean;
}

const DIGITS = "0123456789";
const HEX = "0123456789ABCDEFabcdef";
const MOST_CODE = 0x10ffff;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["0", "\0"],
  ["a", "\x07"],
  ["b", "\b"],
  ["t", "\t"],
  ["\t", "\t"],
  ["n", "\n"],
  ["v", "\v"],
  ["f", "\f"],
  ["r", "\r"],
  ["e", "\x1b"],
  [" ", " "],
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["N", "\x85"],
  ["_", "\xa0"],
  ["L", "\u2028"],
  ["P", "\u2029"],
]);
const CODES: ReadonlyMap<string, number> = new Map([
  ["x", 2],
  ["u", 4],
  ["U", 8],
]);

// --- plain ----------------------------------------------------------------------------------------

/** Takes a scalar without quotes; tells too whether it ends at the beginning of a line. */
export function plainScalar(chars: Chars, indent: number, inFlow: boolean): Scalar & { readonly atLine: boolean } {
  const afterColon = BLANK_OR_END + (inFlow ? ",[]{}" : "");
  const isEnd = (ahead: number): boolean =>
    chars.isAt(BLANK_OR_END, ahead) ||
    (chars.peek(ahead) === ":" && chars.isAt(afterColon, ahead + 1)) ||
    (inFlow && chars.isAt(",?[]{}", ahead));
  let text = "";
  let spaces = "";
  let atLine = false;
  while (chars.peek() !== "#") {
    let count = 0;
    while (!isEnd(count)) count++;
    if (count === 0) break;
    text += spaces + chars.take(count);
    const found = plainSpaces(chars);
    atLine = found.hasBreak;
    spaces = found.text;
    if (spaces === "" || chars.peek() === "#" || (!inFlow && chars.column < indent)) break;
  }
  return { text, plain: true, half: false, atLine };
}

/** Takes the spaces and breaks inside a plain scalar; no text where the scalar ends with them. */
function plainSpaces(chars: Chars): { readonly text: string; readonly hasBreak: boolean } {
  const spaces = chars.takeWhile(" ");
  const first = chars.takeBreak();
  if (first === "") return { text: spaces, hasBreak: false };
  let breaks = "";
  if (chars.isAtSeparator()) return { text: "", hasBreak: true };
  for (;;) {
    chars.takeWhile(" ");
    const next = chars.takeBreak();
    if (next === "") return { text: folded(first, breaks), hasBreak: true };
    breaks += next;
    if (chars.isAtSeparator()) return { text: "", hasBreak: true };
  }
}

/** Returns what a line break and those behind it stand for. */
function folded(first: string, breaks: string): string {
  if (first !== "\n") return first + breaks;
  return breaks === "" ? " " : breaks;
}

// --- quoted ---------------------------------------------------------------------------------------

/** Takes a scalar in quotes. */
export function quotedScalar(chars: Chars): Scalar {
  const quote = chars.take();
  const pieces: string[] = [];
  let half = false;
  for (;;) {
    const isDouble = quote === '"';
    pieces.push(chars.takeUntil(`'"\\${BLANK_OR_END}`));
    const char = chars.peek();
    if (!isDouble && char === "'" && chars.peek(1) === "'") {
      chars.take(2);
      pieces.push("'");
    } else if (char === quote) {
      chars.take();
      return { text: pieces.join(""), plain: false, half };
    } else if (isDouble && char === "\\") {
      const escaped = escapedText(chars);
      half ||= /^[\ud800-\udfff]$/.test(escaped);
      pieces.push(escaped);
    } else if (BLANK_OR_END.includes(char)) {
      pieces.push(quotedSpaces(chars));
    } else {
      pieces.push(chars.take());
    }
  }
}

function escapedText(chars: Chars): string {
  chars.take();
  const char = chars.peek();
  const plain = ESCAPES.get(char);
  const digits = CODES.get(char);
  if (plain !== undefined) {
    chars.take();
    return plain;
  }
  if (digits !== undefined) {
    chars.take();
    for (let ahead = 0; ahead < digits; ahead++) {
      if (!chars.isAt(HEX, ahead)) throw chars.error(`expected an escape of ${digits} hexadecimal digits`);
    }
    const code = Number.parseInt(chars.take(digits), 16);
    if (code > MOST_CODE) throw chars.error("found an escape beyond Unicode");
    return String.fromCodePoint(code);
  }
  if (chars.takeBreak() === "") throw chars.error("found an unknown escape");
  return quotedBreaks(chars);
}

function quotedSpaces(chars: Chars): string {
  const spaces = chars.takeWhile(" \t");
  if (chars.peek() === END) throw chars.error("found the end of the text in quotes");
  const first = chars.takeBreak();
  return first === "" ? spaces : folded(first, quotedBreaks(chars));
}

function quotedBreaks(chars: Chars): string {
  let breaks = "";
  for (;;) {
    // Indentation does not matter here, but documents do not end in quotes.
    if (chars.isAtSeparator()) throw chars.error("found a document separator in quotes");
    chars.takeWhile(" \t");
    const next = chars.takeBreak();
    if (next === "") return breaks;
    breaks += next;
  }
}

// --- blocks ---------------------------------------------------------------------------------------

/** Takes a literal or folded block; `outer` is the indentation of what holds it. */
export function blockScalar(chars: Chars, outer: number): Scalar {
  const isFolded = chars.take() === ">";
  const { chomping, increment } = blockHeader(chars);
  chars.takeIgnoredLine();
  const least = Math.max(outer + 1, 1);
  const found = increment === undefined ? blockIndentation(chars) : undefined;
  const indent = increment === undefined ? Math.max(least, found?.most ?? 0) : least + increment - 1;
  let breaks = found?.breaks ?? blockBreaks(chars, indent);
  let last = "";
  const pieces: string[] = [];
  const isInside = (): boolean => chars.column === indent && chars.peek() !== END;
  while (isInside()) {
    const leads = !chars.isAt(" \t");
    pieces.push(breaks, chars.takeUntil(BREAKS));
    last = chars.takeBreak();
    breaks = blockBreaks(chars, indent);
    if (!isInside()) break;
    const folds = isFolded && last === "\n" && leads && !chars.isAt(" \t");
    if (!folds) pieces.push(last);
    else if (breaks === "") pieces.push(" ");
  }
  if (chomping !== "-") pieces.push(last);
  if (chomping === "+") pieces.push(breaks);
  return { text: pieces.join(""), plain: false, half: false };
}

/** Takes the indicators of a block, in either order. */
function blockHeader(chars: Chars): { readonly chomping: string; readonly increment: number | undefined } {
  const chompingAt = (): string => (chars.peek() === "+" || chars.peek() === "-" ? chars.take() : "");
  const before = chompingAt();
  const digit = chars.isAt(DIGITS) ? chars.take() : "";
  if (digit === "0") throw chars.error("expected an indentation from 1 to 9");
  const chomping = before === "" && digit !== "" ? chompingAt() : before;
  if (!chars.isAt(SPACE_OR_END)) throw chars.error("expected indicators of a block");
  return { chomping, increment: digit === "" ? undefined : Number(digit) };
}

/** Takes empty lines, and finds the deepest indentation among them and the line behind them. */
function blockIndentation(chars: Chars): { readonly breaks: string; readonly most: number } {
  let breaks = "";
  let most = 0;
  for (;;) {
    if (chars.peek() === " ") {
      chars.take();
      most = Math.max(most, chars.column);
    } else {
      const next = chars.takeBreak();
      if (next === "") return { breaks, most };
      breaks += next;
    }
  }
}

function blockBreaks(chars: Chars, indent: number): string {
  let breaks = "";
  for (;;) {
    while (chars.column < indent && chars.peek() === " ") chars.take();
    const next = chars.takeBreak();
    if (next === "") return breaks;
    breaks += next;
  }
}
