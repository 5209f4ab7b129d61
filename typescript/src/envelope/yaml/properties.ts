/** What may stand before a node or a document: anchors, tags and directives. */
import { BLANK_OR_END, BREAKS, type Chars, SPACE_OR_END } from "./chars.js";

const WORD = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
const URI = `${WORD};/?:@&=+$,.!~*'()[]`;
const HEX = "0123456789ABCDEFabcdef";
const MOST_DIGITS = 4300;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** What a directive says: a version, the handle of a tag, or nothing that matters. */
export interface Directive {
  readonly name: string;
  readonly major?: string;
  readonly handle?: string;
}

/** Takes an anchor or an alias. */
export function takeAnchor(chars: Chars): void {
  chars.take();
  if (chars.takeWhile(WORD) === "" || !chars.isAt(`${BLANK_OR_END}?:,]}%@\``)) {
    throw chars.error("expected the name of an anchor");
  }
}

/** Takes a tag; returns its handle, if it has one. */
export function takeTag(chars: Chars): string | undefined {
  let handle: string | undefined;
  if (chars.peek(1) === "<") {
    chars.take(2);
    takeUri(chars);
    if (chars.take() !== ">") throw chars.error("expected '>'");
  } else if (chars.isAt(BLANK_OR_END, 1)) {
    chars.take();
  } else {
    handle = hasHandle(chars) ? takeHandle(chars) : chars.take();
    takeUri(chars);
  }
  if (!chars.isAt(SPACE_OR_END)) throw chars.error("expected a space behind a tag");
  return handle;
}

function hasHandle(chars: Chars): boolean {
  let ahead = 1;
  while (!chars.isAt(SPACE_OR_END, ahead)) {
    if (chars.peek(ahead) === "!") return true;
    ahead++;
  }
  return false;
}

function takeHandle(chars: Chars): string {
  if (chars.peek() !== "!") throw chars.error("expected '!'");
  const first = chars.take();
  if (chars.peek() === " ") return first;
  const word = chars.takeWhile(WORD);
  if (chars.peek() !== "!") throw chars.error("expected '!'");
  return first + word + chars.take();
}

function takeUri(chars: Chars): void {
  let isEmpty = true;
  for (;;) {
    if (chars.takeWhile(URI) !== "") isEmpty = false;
    if (chars.peek() !== "%") break;
    takeEscapes(chars);
    isEmpty = false;
  }
  if (isEmpty) throw chars.error("expected a URI");
}

function takeEscapes(chars: Chars): void {
  const codes: number[] = [];
  while (chars.peek() === "%") {
    chars.take();
    if (!chars.isAt(HEX) || !chars.isAt(HEX, 1)) throw chars.error("expected an escape of two digits");
    codes.push(Number.parseInt(chars.take(2), 16));
  }
  try {
    decoder.decode(Uint8Array.from(codes));
  } catch {
    throw chars.error("expected escapes of UTF-8");
  }
}

/** Takes a directive with its line. */
export function takeDirective(chars: Chars): Directive {
  chars.take();
  const name = chars.takeWhile(WORD);
  if (name === "" || !chars.isAt(SPACE_OR_END)) throw chars.error("expected the name of a directive");
  let said: Directive = { name };
  if (name === "YAML") said = { name, major: takeVersion(chars) };
  else if (name === "TAG") said = { name, handle: takeTagDirective(chars) };
  else chars.takeUntil(BREAKS);
  chars.takeIgnoredLine();
  return said;
}

function takeVersion(chars: Chars): string {
  chars.takeWhile(" ");
  const major = takeNumber(chars);
  if (chars.peek() !== ".") throw chars.error("expected a digit or '.'");
  chars.take();
  takeNumber(chars);
  if (!chars.isAt(SPACE_OR_END)) throw chars.error("expected a digit or ' '");
  return major;
}

function takeNumber(chars: Chars): string {
  const digits = chars.takeWhile("0123456789");
  // Of more digits no reader of the contract makes an integer.
  if (digits === "" || digits.length > MOST_DIGITS) throw chars.error("expected a number");
  return digits;
}

function takeTagDirective(chars: Chars): string {
  chars.takeWhile(" ");
  const handle = takeHandle(chars);
  if (chars.peek() !== " ") throw chars.error("expected ' '");
  chars.takeWhile(" ");
  takeUri(chars);
  if (!chars.isAt(SPACE_OR_END)) throw chars.error("expected ' '");
  return handle;
}
