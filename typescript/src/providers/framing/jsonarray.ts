/**
 * One JSON array, or several: bytes in any cut → its elements, as soon as each is whole.
 *
 * For responses that come as one array whose elements arrive one by one. An object or array among
 * the elements ends with its last bracket, anything else before the next comma, bracket or line
 * end. Commas and white space between elements say nothing; what is outside an array is given
 * as an element is. Whether an element is JSON is for the reader to say: brackets are counted here,
 * not paired. One byte order mark is passed over at the start. Source: RFC 8259.
 */
import { errorAt, FramingError } from "../../errors.js";
import { DEFAULT_LIMIT_BYTES } from "../../generated/tables/limits.js";
import { TextFeeder } from "./feeder.js";
import type { RawLine } from "./jsonlines.js";

const LF = 0x0a;
const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d]);
const ARRAY_OPENS = 0x5b;
const ARRAY_CLOSES = 0x5d;

const isGap = (byte: number): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === LF || byte === COMMA;

/**
 * Cuts bytes into elements: each one's bytes, the number of the line on which it begins, and
 * `terminated: false` where the end of the stream cuts it off. `maxEventBytes` bounds one element;
 * beyond it: `framing/event-too-large`.
 */
export class JsonArrayDecoder extends TextFeeder<RawLine> {
  #inArray = false;
  #inElement = false;
  #inString = false;
  #escaped = false;
  #depth = 0; // of brackets inside the element

  constructor(maxEventBytes: number = DEFAULT_LIMIT_BYTES) {
    super(maxEventBytes, "maxEventBytes");
  }

  protected take(given: Uint8Array, events: RawLine[]): void {
    const chunk = this.begun ? given : this.withoutBom(given);
    for (let at = 0; at < chunk.length; ) {
      if (!this.#inElement) {
        at = this.#toElement(chunk, at);
        continue;
      }
      const end = this.#elementEnd(chunk, at);
      const stop = end < 0 ? chunk.length : end;
      this.#checkSize(this.buffer.size + stop - at);
      this.buffer.append(chunk.subarray(at, stop));
      at = stop;
      if (end >= 0) this.#give(true, events);
    }
  }

  protected end(events: RawLine[]): void {
    if (!this.begun && this.buffer.size > 0) {
      this.#checkSize(this.buffer.size); // half a byte order mark
      this.#inElement = true;
    }
    if (this.#inElement) this.#give(false, events);
  }

  /** Returns where the next element begins, or another bracket of the array has ended. */
  #toElement(chunk: Uint8Array, from: number): number {
    let at = from;
    for (; at < chunk.length && isGap(chunk[at] as number); at++) if (chunk[at] === LF) this.line++;
    if (at === chunk.length) return at;
    if (chunk[at] === (this.#inArray ? ARRAY_CLOSES : ARRAY_OPENS)) {
      this.#inArray = !this.#inArray;
      return at + 1;
    }
    this.#inElement = true;
    return at;
  }

  /** Returns where the element ends that `chunk` goes on with at `from`, -1 if not in it. */
  #elementEnd(chunk: Uint8Array, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (this.#inString) {
        this.#readInString(byte);
      } else if (byte === QUOTE) {
        this.#inString = true;
      } else if (OPENING.has(byte)) {
        this.#depth++;
      } else if (CLOSING.has(byte) && this.#depth > 0) {
        if (--this.#depth === 0) return at + 1;
      } else if (this.#depth === 0) {
        if (byte === COMMA || byte === LF || (byte === ARRAY_CLOSES && this.#inArray)) return at;
      }
    }
    return -1;
  }

  #readInString(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === QUOTE) this.#inString = false;
    else if (byte === BACKSLASH) this.#escaped = true;
  }

  #give(terminated: boolean, events: RawLine[]): void {
    const data = this.buffer.view(this.buffer.size).slice();
    this.buffer.clear();
    this.#inElement = this.#inString = this.#escaped = false;
    this.#depth = 0;
    events.push({ data, number: this.line, terminated });
    for (const byte of data) if (byte === LF) this.line++;
  }

  #checkSize(size: number): void {
    if (size <= this.limit) return;
    const message = "The element is larger than maxEventBytes";
    const [most, more] = [`at most ${this.limit} bytes`, `more than ${this.limit} bytes`];
    throw new FramingError({ ...errorAt("", "framing/event-too-large", message, most, more), line: this.line });
  }
}
