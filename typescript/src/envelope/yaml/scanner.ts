/**
 * The tokens of a YAML text, as PyYAML's scanner cuts it: as far ahead as it has to look to know
 * whether a token is a key, and no further.
 */
import { BLANK_OR_END, Chars, END } from "./chars.js";
import { type Directive, takeAnchor, takeDirective, takeTag } from "./properties.js";
import { blockScalar, plainScalar, quotedScalar, type Scalar } from "./scalars.js";

/** What follows others; those that open and close blocks stand for indentation. */
export type Kind =
  | "alias"
  | "anchor"
  | "block entry"
  | "block end"
  | "block mapping"
  | "block sequence"
  | "directive"
  | "document end"
  | "document start"
  | "flow entry"
  | "flow mapping"
  | "flow mapping end"
  | "flow sequence"
  | "flow sequence end"
  | "key"
  | "scalar"
  | "stream end"
  | "tag"
  | "value";

interface Token {
  readonly kind: Kind;
  readonly scalar?: Scalar;
  readonly directive?: Directive;
  /** Of a tag. */
  readonly handle?: string | undefined;
}

/** A place where a key may have begun that has no mark of its own. */
interface SimpleKey {
  readonly token: number;
  readonly required: boolean;
  readonly index: number;
  readonly line: number;
  readonly column: number;
}

const LONGEST_KEY = 1024;
const FLOW: ReadonlyMap<string, Kind> = new Map([
  ["[", "flow sequence"],
  ["{", "flow mapping"],
  ["]", "flow sequence end"],
  ["}", "flow mapping end"],
]);
const INDICATORS = "-?:,[]{}#&*!|>'\"%@`";

export class Scanner {
  readonly #chars: Chars;
  #tokens: Token[] = [];
  #taken = 0;
  #done = false;
  #flowLevel = 0;
  #indent = -1;
  readonly #indents: number[] = [];
  #allowsKey = true;
  /** Flow level → the key that may have begun in it. */
  readonly #keys = new Map<number, SimpleKey>();

  constructor(text: string) {
    this.#chars = new Chars(text);
    if (this.#chars.peek() === "\ufeff") this.#chars.take();
  }

  /** Returns the next token, which stays. */
  peek(): Token {
    while (this.#needsMore()) this.#fetch();
    return this.#tokens[0] as Token;
  }

  /** Tells whether the next token is of one of these kinds. */
  isAt(...kinds: Kind[]): boolean {
    return kinds.includes(this.peek().kind);
  }

  take(): Token {
    const token = this.peek();
    this.#tokens.shift();
    this.#taken++;
    return token;
  }

  #needsMore(): boolean {
    if (this.#done) return false;
    if (this.#tokens.length === 0) return true;
    this.#dropStaleKeys();
    let first = Number.POSITIVE_INFINITY;
    for (const { token } of this.#keys.values()) first = Math.min(first, token);
    return first === this.#taken;
  }

  #fetch(): void {
    const chars = this.#chars;
    this.#skipBlanks();
    this.#dropStaleKeys();
    this.#unwind(chars.column);
    const char = chars.peek();
    if (char === END) return this.#fetchEnd();
    if (chars.column === 0) {
      if (char === "%") return this.#fetchDirective();
      if (chars.isAtSeparator("---")) return this.#fetchSeparator("document start");
      if (chars.isAtSeparator("...")) return this.#fetchSeparator("document end");
    }
    const flow = FLOW.get(char);
    if (flow !== undefined) return flow.endsWith("end") ? this.#fetchFlowEnd(flow) : this.#fetchFlowStart(flow);
    if (char === ",") return this.#fetchFlowEntry();
    if (char === "-" && this.#isBeforeBlank()) return this.#fetchBlockEntry();
    if (char === "?" && (this.#flowLevel !== 0 || this.#isBeforeBlank())) return this.#fetchKey();
    if (char === ":" && (this.#flowLevel !== 0 || this.#isBeforeBlank())) return this.#fetchValue();
    this.#fetchNode(char);
  }

  /** Fetches what may stand in front of a node, and scalars. */
  #fetchNode(char: string): void {
    const chars = this.#chars;
    if ((char === "|" || char === ">") && this.#flowLevel === 0) {
      this.#allowsKey = true;
      this.#dropKey();
      this.#add({ kind: "scalar", scalar: blockScalar(chars, this.#indent) });
      return;
    }
    const isPlain = this.#isPlain(char);
    if (!isPlain && !`*&!'"`.includes(char)) throw chars.error("found a character that begins nothing");
    this.#saveKey();
    this.#allowsKey = false;
    if (char === "*" || char === "&") {
      takeAnchor(chars);
      this.#add({ kind: char === "*" ? "alias" : "anchor" });
    } else if (char === "!") {
      this.#add({ kind: "tag", handle: takeTag(chars) });
    } else if (!isPlain) {
      this.#add({ kind: "scalar", scalar: quotedScalar(chars) });
    } else {
      const scalar = plainScalar(chars, this.#indent + 1, this.#flowLevel !== 0);
      this.#allowsKey = scalar.atLine;
      this.#add({ kind: "scalar", scalar });
    }
  }

  #isBeforeBlank(): boolean {
    return this.#chars.isAt(BLANK_OR_END, 1);
  }

  /** Tells whether a scalar without quotes may begin with a character. */
  #isPlain(char: string): boolean {
    if (!BLANK_OR_END.includes(char) && !INDICATORS.includes(char)) return true;
    const mayFollow = char === "-" || (this.#flowLevel === 0 && (char === "?" || char === ":"));
    return mayFollow && !this.#isBeforeBlank();
  }

  #skipBlanks(): void {
    const chars = this.#chars;
    for (;;) {
      chars.takeWhile(" ");
      if (chars.peek() === "#") chars.takeUntil("\r\n\x85\u2028\u2029");
      if (chars.takeBreak() === "") return;
      if (this.#flowLevel === 0) this.#allowsKey = true;
    }
  }

  #add(token: Token): void {
    this.#tokens.push(token);
  }

  // --- keys ---------------------------------------------------------------------------------------

  /** Drops what can be no key any more: a key stands on one line, and is not long. */
  #dropStaleKeys(): void {
    const { line, index } = this.#chars;
    for (const [level, key] of this.#keys) {
      if (key.line !== line || index - key.index > LONGEST_KEY) this.#dropKey(level);
    }
  }

  #dropKey(level = this.#flowLevel): void {
    if (this.#keys.get(level)?.required === true) throw this.#chars.error("could not find an expected ':'");
    this.#keys.delete(level);
  }

  /** Notes that the next token may be a key. */
  #saveKey(): void {
    if (!this.#allowsKey) return;
    const { index, line, column } = this.#chars;
    const required = this.#flowLevel === 0 && this.#indent === column;
    this.#dropKey();
    this.#keys.set(this.#flowLevel, { token: this.#taken + this.#tokens.length, required, index, line, column });
  }

  // --- indentation --------------------------------------------------------------------------------

  #unwind(column: number): void {
    if (this.#flowLevel !== 0) return;
    while (this.#indent > column) {
      this.#indent = this.#indents.pop() ?? -1;
      this.#add({ kind: "block end" });
    }
  }

  /** Tells whether a block begins at a column. */
  #indentsTo(column: number): boolean {
    if (this.#indent >= column) return false;
    this.#indents.push(this.#indent);
    this.#indent = column;
    return true;
  }

  // --- one method per token -----------------------------------------------------------------------

  #fetchEnd(): void {
    this.#unwind(-1);
    this.#dropKey();
    this.#allowsKey = false;
    this.#keys.clear();
    this.#add({ kind: "stream end" });
    this.#done = true;
  }

  #fetchDirective(): void {
    this.#unwind(-1);
    this.#dropKey();
    this.#allowsKey = false;
    this.#add({ kind: "directive", directive: takeDirective(this.#chars) });
  }

  #fetchSeparator(kind: Kind): void {
    this.#unwind(-1);
    this.#dropKey();
    this.#allowsKey = false;
    this.#chars.take(3);
    this.#add({ kind });
  }

  #fetchFlowStart(kind: Kind): void {
    this.#saveKey();
    this.#flowLevel++;
    this.#allowsKey = true;
    this.#chars.take();
    this.#add({ kind });
  }

  #fetchFlowEnd(kind: Kind): void {
    this.#dropKey();
    this.#flowLevel--;
    this.#allowsKey = false;
    this.#chars.take();
    this.#add({ kind });
  }

  #fetchFlowEntry(): void {
    this.#allowsKey = true;
    this.#dropKey();
    this.#chars.take();
    this.#add({ kind: "flow entry" });
  }

  #fetchBlockEntry(): void {
    // In a flow it is an error, which the parser finds.
    if (this.#flowLevel === 0) this.#beginBlock("block sequence", "sequence entries are not allowed here");
    this.#allowsKey = true;
    this.#dropKey();
    this.#chars.take();
    this.#add({ kind: "block entry" });
  }

  #fetchKey(): void {
    if (this.#flowLevel === 0) this.#beginBlock("block mapping", "mapping keys are not allowed here");
    this.#allowsKey = this.#flowLevel === 0;
    this.#dropKey();
    this.#chars.take();
    this.#add({ kind: "key" });
  }

  #fetchValue(): void {
    const key = this.#keys.get(this.#flowLevel);
    if (key !== undefined) {
      this.#keys.delete(this.#flowLevel);
      const at = key.token - this.#taken;
      const begins = this.#flowLevel === 0 && this.#indentsTo(key.column);
      this.#tokens.splice(at, 0, ...(begins ? [{ kind: "block mapping" } as const] : []), { kind: "key" });
      this.#allowsKey = false;
    } else {
      if (this.#flowLevel === 0) this.#beginBlock("block mapping", "mapping values are not allowed here");
      this.#allowsKey = this.#flowLevel === 0;
      this.#dropKey();
    }
    this.#chars.take();
    this.#add({ kind: "value" });
  }

  #beginBlock(kind: Kind, refused: string): void {
    if (!this.#allowsKey) throw this.#chars.error(refused);
    if (this.#indentsTo(this.#chars.column)) this.#add({ kind });
  }
}
