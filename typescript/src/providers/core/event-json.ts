/**
 * The JSON of one raw event, read as it is meant: vendors' own writers are not strict.
 *
 * Wider than JSON where nothing is lost by it: halves of surrogate pairs (the adapter joins them),
 * raw control characters in strings, NaN and Infinity (read as null: a figure that is none).
 */

import { STRING, unescaped } from "../../json/strings.js";
import { mayPassDepth, SIXTEEN_DIGITS, scan } from "../../json/text.js";
import { put } from "../../json/values.js";
import { spell } from "./spelling.js";

/** What {@link decodeEvent} returns for text that is not JSON. */
export const NOTHING: unique symbol = Symbol("nothing");

/** How deep events may be nested. */
const MAX_DEPTH = 990;
const MOST_DIGITS = 4300;

// Names of members, and numbers, that JSON.parse does not give back as they were written.
const INDEX = /"[0-9]+"\s*:/;
// What texts with either of them have, and few others; it is found out in a quarter of the time.
const MAY_BE_ODD = /[0-9](?:[eE]|\.0|"[ \t\n\r:])/;
const NUMBER_BY_WRITING = /(?:^|[:,[\s])-?(?:[0-9]{16}|[0-9]+(?:\.0+[,}\]\s]|(?:\.[0-9]+)?[eE]))/;

/** Returns the JSON value of an event's text, or {@link NOTHING}. */
export function decodeEvent(text: string): unknown {
  if (mayPassDepth(text, MAX_DEPTH) && scan(text).depth > MAX_DEPTH) return NOTHING;
  const value = isOdd(text) ? NOTHING : parsed(() => JSON.parse(text));
  // Perhaps it is meant more widely.
  return value === NOTHING ? parsed(() => new Reader(text).whole()) : value;
}

/** Tells whether JSON.parse may not give back all of a JSON text. */
function isOdd(text: string): boolean {
  const mayBe = SIXTEEN_DIGITS.test(text) || MAY_BE_ODD.test(text);
  return mayBe && (INDEX.test(text) || hidesNumber(text));
}

/** Tells whether there is such a number in a JSON text, and not in one of its strings alone. */
function hidesNumber(text: string): boolean {
  if (!NUMBER_BY_WRITING.test(text)) return false;
  return NUMBER_BY_WRITING.test(text.replace(/\\./g, "").replace(/"[^"]*"/g, '""'));
}

/**
 * Returns the objects and arrays that begin on their own line, whatever follows them;
 * {@link NOTHING} for each line that begins like one, inside of none, and is not JSON.
 */
export function valuesOnLines(text: string): unknown[] {
  const values: unknown[] = [];
  const begins = /(?:^|(?<=\n))[ \t]*(?=[{[])/g;
  while (begins.exec(text) !== null) {
    const reader = new Reader(text, begins.lastIndex);
    const value = parsed(() => reader.value(0));
    values.push(value);
    begins.lastIndex = value === NOTHING ? begins.lastIndex + 1 : reader.at;
  }
  return values;
}

function parsed(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof SyntaxError) return NOTHING;
    throw error;
  }
}

// --- events that are alike -----------------------------------------------------------------------
// Nearly every event of a stream is the one before it but for a piece of text. What is between such
// pieces is compared, which takes a fifth of the time of parsing it.

const LONGEST_ALIKE = 1024;
const MOST_HOLES = 6;
const MOST_TRIES = 8;
const TOKEN = /"(?:[^"\\]|\\.)*"|[0-9]+|[^"0-9]+/g;
const IS_DIGITS = /^[0-9]/;
const COUNT = /0|[1-9][0-9]{0,14}/y;
const REST_OF_STRING = new RegExp(STRING.slice(1), "y");
const NOT_PLAIN = /[\\\u0000-\u001f]/;
const TEXT_MARK = "a hole, number ";
const COUNT_MARK = 987_654_321_000;
const MARKED = /\\|a hole, number |987654321/; // what may look like a mark

type Mark = string | number;
/** The number of a hole, or where in an array or an object there are any. */
type Places = number | readonly Place[];

interface Place {
  readonly name: string | number;
  readonly below: Places;
}

/** Decodes the events of one stream, each as {@link decodeEvent} does. */
export class EventDecoder {
  #frame: Frame | undefined;
  #last = "";
  #tries = MOST_TRIES; // to find a frame; each event that one fits gives another

  decode(text: string): unknown {
    const found = this.#frame?.read(text);
    if (found !== undefined) {
      if (this.#tries < MOST_TRIES) this.#tries++;
      return found;
    }
    const value = decodeEvent(text);
    if (text.length > LONGEST_ALIKE) return value;
    if (this.#tries > 0 && this.#last !== "") {
      this.#tries--;
      this.#frame = frameOf(this.#last, text) ?? this.#frame;
    }
    this.#last = text;
    return value;
  }
}

/** What is the same in texts that are alike; between its parts there are holes, each a string or a count. */
class Frame {
  constructor(
    readonly parts: readonly string[],
    readonly marks: readonly Mark[],
    readonly value: unknown,
    readonly places: Places,
  ) {}

  /** Returns the value of a text that has this frame, undefined for any other. */
  read(text: string): unknown {
    const { parts, marks } = this;
    const found: Mark[] = [];
    let at = 0;
    for (let hole = 0; hole < marks.length; hole++) {
      const part = parts[hole] as string;
      // Takes half the time of startsWith.
      if (text.slice(at, at + part.length) !== part) return undefined;
      at += part.length;
      const end = typeof marks[hole] === "number" ? readCount(text, at, found) : readText(text, at, found);
      if (end < 0) return undefined;
      at = end;
    }
    const last = parts[marks.length] as string;
    return text.length === at + last.length && text.endsWith(last) ? filled(this.value, this.places, found) : undefined;
  }
}

/** Adds the number that begins at `at`; returns where it ends, -1 where there is none. */
function readCount(text: string, at: number, found: Mark[]): number {
  COUNT.lastIndex = at;
  if (!COUNT.test(text)) return -1;
  found.push(Number(text.slice(at, COUNT.lastIndex)));
  return COUNT.lastIndex;
}

/** Adds the text of a string from behind its quote on; returns where its last quote is, -1 where there is none. */
function readText(text: string, at: number, found: Mark[]): number {
  const end = text.indexOf('"', at);
  const plain = text.slice(at, end);
  if (end < 0 || !NOT_PLAIN.test(plain)) {
    found.push(plain);
    return end;
  }
  REST_OF_STRING.lastIndex = at;
  const written = REST_OF_STRING.exec(text)?.[1];
  const piece = written === undefined ? undefined : unescaped(written);
  if (piece === undefined) return -1;
  found.push(piece);
  return REST_OF_STRING.lastIndex - 1;
}

/** Returns the frame of two texts, undefined if they are not alike. */
function frameOf(one: string, other: string): Frame | undefined {
  const [before, tokens] = [one.match(TOKEN) ?? [], other.match(TOKEN) ?? []];
  const marks: Mark[] = [];
  const parts: string[] = [];
  let part = "";
  for (const [index, token] of tokens.entries()) {
    const old = before[index];
    if (token === old) {
      part += token;
    } else if (old !== undefined && token.startsWith('"') && old.startsWith('"')) {
      parts.push(`${part}"`);
      part = '"';
      marks.push(`${TEXT_MARK}${marks.length}`);
    } else if (old !== undefined && IS_DIGITS.test(token) && IS_DIGITS.test(old)) {
      parts.push(part);
      part = "";
      marks.push(COUNT_MARK + marks.length);
    } else {
      return undefined;
    }
  }
  parts.push(part);
  const isAlike = tokens.length === before.length && marks.length > 0 && marks.length <= MOST_HOLES;
  return isAlike ? markedFrame(parts, marks) : undefined;
}

/** Returns the frame if each mark, in the place of its hole, turns out to be a value. */
function markedFrame(parts: readonly string[], marks: readonly Mark[]): Frame | undefined {
  if (parts.some((part) => MARKED.test(part))) return undefined;
  const text = parts.map((part, index) => `${part}${marks[index] ?? ""}`).join("");
  if (isOdd(text) || text.includes("__proto__")) return undefined;
  const value = parsed(() => JSON.parse(text));
  const places = value === NOTHING ? undefined : placesIn(value, marks);
  return places !== undefined && countOf(places) === marks.length
    ? new Frame(parts.map(flat), marks, value, places)
    : undefined;
}

/** Returns a text in one piece of memory: one that was put together is slow to compare. */
function flat(text: string): string {
  return text.split("").join("");
}

function placesIn(value: unknown, marks: readonly Mark[]): Places | undefined {
  const hole = marks.indexOf(value as Mark);
  if (hole >= 0) return hole;
  if (typeof value !== "object" || value === null) return undefined;
  const found: Place[] = [];
  for (const [name, item] of Object.entries(value)) {
    const below = placesIn(item, marks);
    if (below !== undefined) found.push({ name: Array.isArray(value) ? Number(name) : name, below });
  }
  return found.length > 0 ? found : undefined;
}

function countOf(places: Places): number {
  return typeof places === "number" ? 1 : places.reduce((sum, { below }) => sum + countOf(below), 0);
}

/** Returns a value with `found` in its holes: copies of what holds any. */
function filled(value: unknown, places: Places, found: readonly Mark[]): unknown {
  if (typeof places === "number") return found[places];
  const made = (Array.isArray(value) ? value.slice() : { ...(value as object) }) as Record<string | number, unknown>;
  for (const { name, below } of places) made[name] = filled(made[name], below, found);
  return made;
}

// --- what is meant more widely -------------------------------------------------------------------

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
const WORDS: readonly (readonly [string, boolean | null])[] = [
  ["null", null],
  ["true", true],
  ["false", false],
  ["NaN", null],
  ["Infinity", null],
  ["-Infinity", null],
];
// Names that an object lists before all others.
const IS_INDEX = /^(?:0|[1-9][0-9]{0,9})$/;

/** What has been seen of the members of one object or array that their values do not tell. */
class Seen {
  readonly numbers = new Map<string, string>();

  number(name: string, value: unknown, text: string): void {
    // The last one of a name counts.
    this.numbers.delete(name);
    if (typeof value !== "number" || !Number.isInteger(value)) return;
    if (!Number.isSafeInteger(value) || /[.eE]/.test(text)) this.numbers.set(name, text);
  }

  spell(holder: object, names?: readonly string[]): void {
    const { numbers } = this;
    if (numbers.size > 0 || names !== undefined) {
      spell(holder, { ...(names === undefined ? {} : { names }), ...(numbers.size > 0 ? { numbers } : {}) });
    }
  }
}

/** Reads one text; throws SyntaxError. */
class Reader {
  #at: number;

  constructor(
    readonly text: string,
    from = 0,
  ) {
    this.#at = from;
  }

  /** Where it reads on. */
  get at(): number {
    return this.#at;
  }

  /** Returns the value that is the whole text, but for space around it. */
  whole(): unknown {
    this.#space();
    const value = this.value(0);
    this.#space();
    if (this.#at < this.text.length) throw this.#wrong();
    return value;
  }

  /** Returns the value that begins here. */
  value(depth: number): unknown {
    if (depth > MAX_DEPTH) throw new SyntaxError("nested too deep");
    const char = this.text[this.#at];
    if (char === '"') return this.#string();
    if (char === "{") return this.#object(depth + 1);
    if (char === "[") return this.#array(depth + 1);
    const word = WORDS.find(([name]) => this.text.startsWith(name, this.#at));
    if (word === undefined) return this.#number();
    this.#at += word[0].length;
    return word[1];
  }

  #wrong(): SyntaxError {
    return new SyntaxError(`no JSON at ${this.#at}`);
  }

  #space(): void {
    SPACE.lastIndex = this.#at;
    SPACE.test(this.text);
    this.#at = SPACE.lastIndex;
  }

  #takes(char: string): boolean {
    if (this.text[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #number(): number {
    NUMBER.lastIndex = this.#at;
    const found = NUMBER.exec(this.text);
    if (found === null) throw this.#wrong();
    const [text, fraction, exponent] = found;
    const isInteger = fraction === undefined && exponent === undefined;
    if (isInteger && text.length - (text.startsWith("-") ? 1 : 0) > MOST_DIGITS) throw this.#wrong();
    this.#at = NUMBER.lastIndex;
    return text === "-0" ? 0 : Number(text);
  }

  #string(): string {
    const { text } = this;
    const from = this.#at;
    let at = from + 1;
    let isRaw = false;
    for (let unit = text.charCodeAt(at); unit !== 0x22; unit = text.charCodeAt(at)) {
      if (Number.isNaN(unit)) throw this.#wrong();
      if (unit === 0x5c && !(text.charCodeAt(at + 1) >= 0x20)) throw this.#wrong();
      if (unit < 0x20) isRaw = true;
      at += unit === 0x5c ? 2 : 1;
    }
    this.#at = at + 1;
    const written = text.slice(from, at + 1);
    return JSON.parse(isRaw ? written.replace(/[\u0000-\u001f]/g, escaped) : written) as string;
  }

  #array(depth: number): unknown[] {
    const items: unknown[] = [];
    const seen = new Seen();
    this.#at++;
    this.#space();
    if (this.#takes("]")) return items;
    for (;;) {
      const from = this.#at;
      const value = this.value(depth);
      seen.number(String(items.length), value, this.text.slice(from, typeof value === "number" ? this.#at : from));
      items.push(value);
      this.#space();
      if (this.#takes("]")) break;
      if (!this.#takes(",")) throw this.#wrong();
      this.#space();
    }
    seen.spell(items);
    return items;
  }

  #object(depth: number): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    const seen = new Seen();
    const names = new Set<string>();
    this.#at++;
    this.#space();
    if (this.#takes("}")) return made;
    for (;;) {
      const name = this.#name();
      const from = this.#at;
      const value = this.value(depth);
      seen.number(name, value, this.text.slice(from, typeof value === "number" ? this.#at : from));
      put(made, name, value);
      names.add(name);
      this.#space();
      if (this.#takes("}")) break;
      if (!this.#takes(",")) throw this.#wrong();
      this.#space();
    }
    const all = [...names];
    seen.spell(made, all.some((name) => IS_INDEX.test(name)) ? all : undefined);
    return made;
  }

  /** Returns the name of a member, and goes to its value. */
  #name(): string {
    if (this.text[this.#at] !== '"') throw this.#wrong();
    const name = this.#string();
    this.#space();
    if (!this.#takes(":")) throw this.#wrong();
    this.#space();
    return name;
  }
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
