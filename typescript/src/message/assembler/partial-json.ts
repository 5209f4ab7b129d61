/**
 * Arguments while they arrive: the best-effort value of a JSON object text that is cut anywhere.
 * For display only: what arguments are is decided by parsing the whole text when the call ends.
 */
import { type JsonObject, type JsonValue, put } from "../../json/values.js";

type Container = JsonValue[] | JsonObject;
type Step =
  | "start"
  | "first-key"
  | "key"
  | "colon"
  | "first-item"
  | "value"
  | "string"
  | "scalar"
  | "after"
  | "end"
  | "broken";

const SCALAR = /^(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$/;
// "-12.34e5" and "-1.3e5" go on alike: only the first digit of a run matters.
const BEGUN =
  /^(?:-?(?:(?:0|[1-9][0-9]*)(?:\.(?:[0-9]+(?:[eE][+-]?[0-9]*)?)?|[eE][+-]?[0-9]*)?)?|t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|n(?:u(?:ll?)?)?)$/;
const ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/**
 * Follows a JSON object text that arrives in pieces, and shows what is known of it.
 *
 * What {@link value} shows depends on the text so far alone, never on how it was cut, and only
 * ever grows: a string by whole characters (an escape or a surrogate pair shows when it is
 * complete), containers at their end. A number, `true`, `false` and `null` show once a delimiter
 * follows; a name shows once its value does. The one exception: a repeated name takes its new
 * value as soon as that shows (the last one wins).
 *
 * {@link broken} turns true with the first character that no continuation can make part of a
 * valid text; that character and all after it add nothing, and nothing is ever thrown. `feed`
 * costs what is fed; `value` costs the width of the containers still open.
 * Source: semantics, the assembler.
 */
export class PartialJson {
  #step: Step = "start";
  // The outermost is an array of ours, for at most one item: the object.
  #top: Container = [];
  #key = "";
  readonly #outer: [Container, string][] = [];
  #inValue = false;
  #text = "";
  #held = ""; // an escape or half a pair that has begun
  #head = ""; // a number or literal that has begun, without the digits that do not matter
  #shown: JsonObject | undefined;
  #tooDeep = false;

  constructor(
    readonly maxDepth = 128,
    /** Whether the text may be that of any JSON value: see {@link found}. */
    readonly ofAny = false,
  ) {
    if (ofAny) this.#step = "value";
  }

  /** Whether the text so far can no longer become a valid JSON object. */
  get broken(): boolean {
    return this.#step === "broken";
  }

  /** Whether it is broken by nesting deeper than `maxDepth`. */
  get tooDeep(): boolean {
    return this.#tooDeep;
  }

  /** Takes the next piece; it may end anywhere. */
  feed(piece: string): void {
    if (piece === "" || this.#step === "broken") return;
    const text = this.#held + piece;
    this.#held = "";
    this.#shown = undefined;
    for (let at = 0; at < text.length && !this.broken; ) at = this.#take(text, at);
  }

  /** Returns the object as far as it is known; frozen, with all in it: later results share parts. */
  value(): JsonObject {
    this.#shown ??= (this.#snapshot() as JsonObject | undefined) ?? Object.freeze({});
    return this.#shown;
  }

  /** Returns the value as far as it is known, frozen as well; undefined as long as nothing is, and once it is broken. */
  found(): JsonValue | undefined {
    return this.broken ? undefined : this.#snapshot();
  }

  #snapshot(): JsonValue | undefined {
    let node = copied(this.#top);
    if (this.#inValue) add(node, this.#key, this.#text);
    Object.freeze(node);
    for (let index = this.#outer.length - 1; index >= 0; index--) {
      const [container, key] = this.#outer[index] as [Container, string];
      const inner = node;
      node = copied(container);
      add(node, key, inner);
      Object.freeze(node);
    }
    return (node as JsonValue[])[0];
  }

  /** Reads at `at`, which is never the end, and returns where to go on. */
  #take(text: string, at: number): number {
    const char = text[at] as string;
    switch (this.#step) {
      case "string":
        return this.#string(text, at);
      case "scalar":
        return this.#scalar(text, at);
      case "first-item":
        if (char === "]") return this.#close(at);
        return this.#value(char, at);
      case "value":
        return this.#value(char, at);
      default:
        return this.#structure(char, at);
    }
  }

  #structure(char: string, at: number): number {
    const step = this.#step;
    if (char === " " || char === "\n" || char === "\t" || char === "\r") return at + 1;
    if (step === "start" && char === "{") return this.#open({}, at);
    if (step === "after" && char === ",") return this.#go(Array.isArray(this.#top) ? "value" : "key", at);
    if (step === "after" && char === (Array.isArray(this.#top) ? "]" : "}")) return this.#close(at);
    if (step === "first-key" && char === "}") return this.#close(at);
    if ((step === "first-key" || step === "key") && char === '"') return this.#go("string", at);
    if (step === "colon" && char === ":") return this.#go("value", at);
    return this.#break(at);
  }

  #go(step: Step, at: number): number {
    this.#step = step;
    return at + 1;
  }

  #break(at: number): number {
    this.#step = "broken";
    return at;
  }

  #value(char: string, at: number): number {
    if (char === '"') {
      this.#inValue = true;
      return this.#go("string", at);
    }
    if (char === "{") return this.#open({}, at);
    if (char === "[") return this.#open([], at);
    if (char === " " || char === "\n" || char === "\t" || char === "\r") return at + 1;
    this.#step = "scalar";
    return at;
  }

  #open(container: Container, at: number): number {
    if (this.#outer.length >= this.maxDepth) {
      this.#tooDeep = true;
      return this.#break(at);
    }
    this.#outer.push([this.#top, this.#key]);
    this.#top = container;
    return this.#go(Array.isArray(container) ? "first-item" : "first-key", at);
  }

  #close(at: number): number {
    const complete = this.#top;
    Object.freeze(complete);
    [this.#top, this.#key] = this.#outer.pop() as [Container, string];
    add(this.#top, this.#key, complete);
    return this.#go(this.#outer.length === 0 ? "end" : "after", at);
  }

  /** Reads on in a string: plain runs at once, escapes and pairs as a whole. */
  #string(text: string, from: number): number {
    let at = from;
    while (at < text.length) {
      const unit = text.charCodeAt(at);
      if (unit === 0x22 || unit === 0x5c || unit < 0x20 || (unit & 0xf800) === 0xd800) break;
      at++;
    }
    if (at > from) this.#text += text.slice(from, at);
    if (at === text.length) return at;
    if (text[at] === '"') return this.#endString(at);
    const end = text[at] === "\\" ? this.#escape(text, at) : this.#pair(text, at);
    if (end >= 0) return end;
    if (end === CUT) {
      this.#held = text.slice(at);
      return text.length;
    }
    return this.#break(at);
  }

  #endString(at: number): number {
    const complete = this.#text;
    this.#text = "";
    if (!this.#inValue) {
      this.#key = complete;
      return this.#go("colon", at);
    }
    this.#inValue = false;
    add(this.#top, this.#key, complete);
    return this.#go(this.#outer.length === 0 ? "end" : "after", at);
  }

  /** Takes a raw surrogate pair; returns where it ends, or CUT or WRONG. */
  #pair(text: string, at: number): number {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800) return WRONG;
    if (at + 1 === text.length) return CUT;
    if ((text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) return WRONG;
    this.#text += text.slice(at, at + 2);
    return at + 2;
  }

  /** Takes an escape, or two that are a pair; returns where it ends, or CUT or WRONG. */
  #escape(text: string, at: number): number {
    const char = text[at + 1];
    if (char === undefined) return CUT;
    if (char !== "u") {
      if (!'"\\/bfnrt'.includes(char)) return WRONG;
      this.#text += ESCAPES[char] ?? char;
      return at + 2;
    }
    const first = unitAt(text, at);
    if (first < 0 || (first & 0xf800) !== 0xd800) {
      if (first >= 0) this.#text += String.fromCharCode(first);
      return first < 0 ? first : at + 6;
    }
    if ((first & 0xfc00) !== 0xd800) return WRONG;
    const second = lowHalfAt(text, at + 6);
    if (second < 0) return second;
    this.#text += String.fromCharCode(first, second);
    return at + 12;
  }

  #scalar(text: string, from: number): number {
    let at = from;
    while (at < text.length && isScalarUnit(text.charCodeAt(at))) at++;
    const token = this.#text + text.slice(from, at);
    if (at === text.length) {
      const begun = this.#head + text.slice(from, at);
      if (!BEGUN.test(begun)) return this.#break(at);
      this.#head = begun.replace(/(?<=[0-9])[0-9]+/g, "");
      this.#text = token;
      return at;
    }
    this.#text = this.#head = "";
    const closer = Array.isArray(this.#top) ? "]" : "}";
    if (!` \n\t\r,${closer}`.includes(text[at] as string) || !SCALAR.test(token)) return this.#break(at);
    const value = JSON.parse(token) as number | boolean | null;
    if (typeof value === "number" && !Number.isFinite(value)) return this.#break(at);
    add(this.#top, this.#key, value);
    this.#step = this.#outer.length === 0 ? "end" : "after";
    return at;
  }
}

const CUT = -1;
const WRONG = -2;

/** Returns the unit of the escape `\uXXXX` at `at`, or CUT or WRONG. */
function unitAt(text: string, at: number): number {
  const hex = text.slice(at + 2, at + 6);
  if (!/^[0-9a-fA-F]*$/.test(hex)) return WRONG;
  return hex.length < 4 ? CUT : parseInt(hex, 16);
}

/** Returns the unit of an escaped low surrogate at `at`, or CUT or WRONG. */
function lowHalfAt(text: string, at: number): number {
  const begun = text.slice(at, at + 6);
  if (!/^(?:\\(?:u(?:[dD](?:[c-fC-F][0-9a-fA-F]{0,2})?)?)?)?$/.test(begun)) return WRONG;
  return begun.length < 6 ? CUT : parseInt(begun.slice(2), 16);
}

function isScalarUnit(unit: number): boolean {
  const isDigit = unit >= 0x30 && unit <= 0x39;
  const isLetter = (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a);
  return isDigit || isLetter || unit === 0x2b || unit === 0x2d || unit === 0x2e;
}

function copied(container: Container): Container {
  if (Array.isArray(container)) return [...container];
  const made: JsonObject = {};
  for (const [name, member] of Object.entries(container)) put(made, name, member);
  return made;
}

function add(container: Container, key: string, value: JsonValue): void {
  if (Array.isArray(container)) container.push(value);
  else put(container, key, value);
}
