/** The characters of a YAML text, one by one. */

/** A text that is no YAML; the message says why. */
export class YamlError extends Error {}

const NON_PRINTABLE = /[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Stands behind the last character; no text holds it. */
export const END = "\0";
export const BREAKS = "\r\n\x85\u2028\u2029";
const BREAK_OR_END = END + BREAKS;
export const SPACE_OR_END = ` ${BREAK_OR_END}`;
export const BLANK_OR_END = `\t${SPACE_OR_END}`;

/** Reads on in a text, and knows how far it is: an index and a column count code points. */
export class Chars {
  index = 0;
  line = 0;
  column = 0;
  readonly #chars: readonly string[];

  constructor(text: string) {
    if (NON_PRINTABLE.test(text)) throw new YamlError("special characters are not allowed");
    this.#chars = Array.from(text);
  }

  /** Returns the character that comes `ahead` characters later. */
  peek(ahead = 0): string {
    return this.#chars[this.index + ahead] ?? END;
  }

  /** Tells whether the next character is one of `set`. */
  isAt(set: string, ahead = 0): boolean {
    return set.includes(this.peek(ahead));
  }

  /** Tells whether a document ends or begins here: three dots or dashes, and a blank. */
  isAtSeparator(mark?: "---" | "..."): boolean {
    const found = this.peek() + this.peek(1) + this.peek(2);
    const isMark = mark === undefined ? found === "---" || found === "..." : found === mark;
    return isMark && this.isAt(BLANK_OR_END, 3);
  }

  /** Takes the next `count` characters. */
  take(count = 1): string {
    const taken = this.#chars.slice(this.index, this.index + count).join("");
    for (let left = count; left > 0; left--) this.#forward();
    return taken;
  }

  /** Takes characters as long as they are of `set`. */
  takeWhile(set: string): string {
    let count = 0;
    while (this.peek(count) !== END && this.isAt(set, count)) count++;
    return this.take(count);
  }

  /** Takes characters up to one of `set`, or the end. */
  takeUntil(set: string): string {
    let count = 0;
    while (this.peek(count) !== END && !this.isAt(set, count)) count++;
    return this.take(count);
  }

  /** Takes a line break, and returns what it stands for; nothing where there is none. */
  takeBreak(): string {
    const char = this.peek();
    if (char === END || !BREAKS.includes(char)) return "";
    this.take(char === "\r" && this.peek(1) === "\n" ? 2 : 1);
    return char === "\u2028" || char === "\u2029" ? char : "\n";
  }

  /** Takes what is left of a line that may hold nothing but a comment. */
  takeIgnoredLine(): void {
    this.takeWhile(" ");
    if (this.peek() === "#") this.takeUntil(BREAKS);
    if (!this.isAt(BREAK_OR_END)) throw this.error("expected a comment or a line break");
    this.takeBreak();
  }

  /** Returns the error for what stands here. */
  error(message: string): YamlError {
    return new YamlError(`${message} at line ${this.line + 1} column ${this.column + 1}`);
  }

  #forward(): void {
    const char = this.peek();
    this.index++;
    if ("\n\x85\u2028\u2029".includes(char) || (char === "\r" && this.peek() !== "\n")) {
      this.line++;
      this.column = 0;
    } else if (char !== "\ufeff") {
      this.column++;
    }
  }
}
