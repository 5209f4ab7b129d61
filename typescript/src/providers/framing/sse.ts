/**
 * Server-sent events: bytes in any cut → events, by the rules of the HTML standard. Where the
 * standard repairs or drops silently, this decoder reports: bytes that are not UTF-8 are
 * `framing/invalid-utf8`, not U+FFFD; an event that no blank line ends is given by `close` with
 * `terminated: false`; text that begins like JSON where a field is due, which the standard drops
 * line by line, is given to those who ask for it. Source: https://html.spec.whatwg.org/multipage/server-sent-events.html.
 */
import { errorAt, type Finding, FramingError } from "../../errors.js";
import { DEFAULT_LIMIT_BYTES } from "../../generated/tables/limits.js";
import { utf8Length } from "../../json/text.js";
import { TextFeeder } from "./feeder.js";
import { badByte, wholeCharacters } from "./utf8.js";

/** One event of a stream. */
export interface SseEvent {
  /** Its type, `message` where the stream names none; `""` for text that is bare (see {@link SseDecoder}). */
  readonly event: string;
  /** The text of the data lines, joined by LF. */
  readonly data: string;
  /** The last event id at this place, `""` before the first. */
  readonly id: string;
  /** The reconnection time in milliseconds, if this event set one. */
  readonly retry?: number;
  /** The 1-based line on which its first field is. */
  readonly line: number;
  /** False if the stream ended inside the event: `data` may be cut anywhere. */
  readonly terminated: boolean;
}

const LF = 0x0a;
const CR = 0x0d;
const WINDOW = 4096;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Tells whether a line of this name is a field; "" is a comment's. */
function isField(name: string): boolean {
  return name === "data" || name === "" || name === "event" || name === "id" || name === "retry";
}

/**
 * Decodes one event stream. `maxEventBytes` bounds an event's data: its UTF-8 bytes, lines joined
 * by one LF. Any other line may be as long. Beyond it: `framing/event-too-large`. With `bare`, the
 * lines from one that begins with `{` or `[` up to the next field or comment are given in their
 * place, as an event whose name is `""`; blank ones are left out. Servers write their errors so.
 */
export class SseDecoder extends TextFeeder<SseEvent> {
  #afterCr = false;
  #lastId = "";
  #id = "";
  #reconnectionMs: number | undefined;
  #event = "";
  #data: string | undefined; // the data lines, joined
  #size = 0; // its bytes; at least as many, unless it is exact
  #isExact = true;
  #retry: number | undefined;
  #rest = ""; // the line that is unfinished, but for a character in the buffer
  #restSize = 0; // its bytes
  #bad: FramingError | undefined; // due when the line ends
  #isAscii = false; // the text that was read last
  #first = 0; // line of the first field, 0 between events
  readonly #takesBare: boolean;
  #bare: string[] = [];
  #bareSize = 0; // bytes of these lines, joined
  #bareLine = 0; // on which they begin

  constructor(maxEventBytes: number = DEFAULT_LIMIT_BYTES, options: { readonly bare?: boolean } = {}) {
    super(maxEventBytes, "maxEventBytes");
    this.#takesBare = options.bare === true;
  }

  /** How many whole lines have come, comments and blank ones included. */
  get linesRead(): number {
    return this.line - 1;
  }

  /** The id to resume from: that of the last event or blank line, `""` if none came. */
  get lastEventId(): string {
    return this.#lastId;
  }

  /** The last `retry` of the stream in milliseconds, also of a block without data. */
  get reconnectionMs(): number | undefined {
    return this.#reconnectionMs;
  }

  protected take(given: Uint8Array, events: SseEvent[]): void {
    // A little at a time: all of a large chunk as text, and its lines, would not fit the processor's cache.
    for (let at = 0; at < given.length; at += WINDOW) {
      this.#takeLittle(given.length <= WINDOW ? given : given.subarray(at, at + WINDOW), events);
    }
  }

  #takeLittle(given: Uint8Array, events: SseEvent[]): void {
    let chunk = given;
    if (this.#afterCr && chunk[0] === LF) {
      this.offset++; // the second half of a CRLF
      chunk = chunk.subarray(1);
    }
    this.#afterCr = given[given.length - 1] === CR;
    if (!this.begun) chunk = this.withoutBom(chunk);
    if (this.#bad !== undefined) this.#endBad(chunk, this.#bad);
    else this.#takeText(this.buffer.size === 0 ? chunk : this.#joined(chunk), events);
  }

  /** Returns a chunk behind the beginning of its first character, which the buffer held. */
  #joined(chunk: Uint8Array): Uint8Array {
    const bytes = this.buffer.with(chunk).slice();
    this.buffer.clear();
    return bytes;
  }

  /** Reads bytes that begin with a character; one that they end inside is held back. */
  #takeText(bytes: Uint8Array, events: SseEvent[]): void {
    const isWhole = (bytes[bytes.length - 1] ?? 0) < 0x80;
    const whole = isWhole ? bytes : wholeCharacters(bytes);
    let text: string;
    try {
      text = decoder.decode(whole);
    } catch {
      return this.#beginBad(bytes, events);
    }
    this.#readText(text, whole.length, events);
    if (whole.length < bytes.length) this.buffer.append(bytes.subarray(whole.length));
    this.#checkUnfinished(this.#restSize + this.buffer.size);
  }

  /** Reads what is before the first byte that is not UTF-8. That one is refused when its line ends. */
  #beginBad(bytes: Uint8Array, events: SseEvent[]): void {
    const at = badByte(bytes);
    this.#readText(decoder.decode(bytes.subarray(0, at)), at, events);
    this.#bad = this.#notUtf8(bytes[at] as number, this.offset);
    this.#endBad(bytes.subarray(at), this.#bad);
  }

  /** A line beyond the limit is refused before its end, and so its bytes, is seen. */
  #endBad(bytes: Uint8Array, error: FramingError): void {
    const end = bytes.findIndex((byte) => byte === LF || byte === CR);
    this.#restSize += end < 0 ? bytes.length : end;
    this.#checkUnfinished(this.#restSize);
    if (end >= 0) throw error;
  }

  /** Returns how many bytes a part of the text has that was read last. */
  #sizeOf(text: string): number {
    return this.#isAscii ? text.length : utf8Length(text);
  }

  /** Reads text of `size` bytes; what no line end follows is kept. */
  #readText(given: string, size: number, events: SseEvent[]): void {
    this.offset += size;
    const added = given.includes("\r") ? given.replace(/\r\n?/g, "\n") : given;
    this.#isAscii = given.length === size && this.#rest.length === this.#restSize;
    let end = added.indexOf("\n");
    if (end >= 0) end += this.#rest.length;
    // Not looked through before it has a line end, so that any cut costs the same.
    const text = this.#rest + added;
    let from = 0;
    for (; end >= 0; end = text.indexOf("\n", from)) {
      this.#readLine(text.slice(from, end), events);
      from = end + 1;
    }
    this.#rest = from === 0 ? text : text.slice(from);
    this.#restSize = from === 0 ? this.#restSize + size : this.#sizeOf(this.#rest);
  }

  #readLine(line: string, events: SseEvent[]): void {
    if (line === "") {
      this.#dispatch(events);
    } else {
      const colon = line.indexOf(":");
      const name = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
      if (isField(name)) this.#endBare(events, true);
      else if (this.#isBare(line)) this.#addBare(line);
      if (name === "data") this.#addData(value);
      else if (line.length * 4 > this.limit) this.#checkTotal(this.#sizeOf(line));
      if (name !== "") {
        this.#first ||= this.line; // else a comment
        this.#setField(name, value);
      }
    }
    this.line++;
  }

  #setField(name: string, value: string): void {
    if (name === "event") this.#event = value;
    else if (name === "id" && !value.includes("\0")) this.#id = value;
    else if (name === "retry" && /^[0-9]+$/.test(value) && Number.isSafeInteger(Number(value))) {
      this.#retry = this.#reconnectionMs = Number(value);
    }
  }

  #addData(value: string): void {
    const before = this.#data;
    const joined = before === undefined ? 0 : 1;
    // Three bytes are the most that a unit of text takes; it is counted where the limit may be near.
    let size = this.#size + joined + (this.#isAscii ? value.length : 3 * value.length);
    if (size > this.limit) {
      size = this.#exactSize() + joined + this.#sizeOf(value);
      this.#checkTotal(size);
    } else if (!this.#isAscii) {
      this.#isExact = false;
    }
    this.#data = before === undefined ? value : `${before}\n${value}`;
    this.#size = size;
  }

  /** Returns how many bytes the data has so far. */
  #exactSize(): number {
    if (!this.#isExact) this.#size = utf8Length(this.#data ?? "");
    this.#isExact = true;
    return this.#size;
  }

  #isBare(line: string): boolean {
    return this.#takesBare && (this.#bare.length > 0 || /^[ \t]*[{[]/.test(line));
  }

  #addBare(line: string): void {
    const size = this.#sizeOf(line) + (this.#bare.length > 0 ? this.#bareSize + 1 : 0);
    this.#checkTotal(size);
    if (this.#bare.length === 0) this.#bareLine = this.line;
    this.#bare.push(line);
    this.#bareSize = size;
  }

  #endBare(events: SseEvent[], terminated: boolean): void {
    if (this.#bare.length === 0) return;
    events.push({ event: "", data: this.#bare.join("\n"), id: this.#id, line: this.#bareLine, terminated });
    this.#bare = [];
  }

  #dispatch(events: SseEvent[]): void {
    this.#lastId = this.#id;
    if (this.#data !== undefined) events.push(this.#pending(this.#data, true));
    this.#reset();
  }

  #pending(data: string, terminated: boolean): SseEvent {
    const event = { event: this.#event || "message", data, id: this.#id, line: this.#first, terminated };
    return this.#retry === undefined ? event : { ...event, retry: this.#retry };
  }

  #reset(): void {
    this.#event = "";
    this.#data = undefined;
    this.#size = 0;
    this.#isExact = true;
    this.#retry = undefined;
    this.#first = 0;
  }

  protected end(events: SseEvent[]): void {
    // What may have become a byte order mark is not counted yet.
    if (!this.begun) this.#checkUnfinished(this.buffer.size);
    if (this.#bad !== undefined) throw this.#bad;
    const line = this.#rest;
    this.#isAscii = line.length === this.#restSize;
    // Without a colon: a field name that the end cut off, and nobody knows which one.
    if (line.includes(":") || (line !== "" && this.#isBare(line))) this.#readLine(line, events);
    if (this.#data !== undefined) events.push(this.#pending(this.#data, false));
    this.#endBare(events, false);
    this.#reset();
  }

  /** Refuses an unfinished line of `size` bytes, if it is beyond the limit. */
  #checkUnfinished(size: number): void {
    if (size + this.#size < this.limit) return;
    const isText = this.#bad === undefined && this.buffer.size === 0;
    const begin = isText ? this.#rest.slice(0, 6) : `${this.#rest}\ufffd`.slice(0, 6);
    if (begin.startsWith("data:")) {
      const joined = this.#data === undefined ? 0 : this.#exactSize() + 1;
      this.#checkTotal(joined + size - (begin[5] === " " ? 6 : 5));
    } else if (!(size <= 4 && "data".startsWith(begin))) {
      this.#checkTotal(size); // what is shorter may become a data line
    }
  }

  #checkTotal(size: number): void {
    if (size <= this.limit) return;
    const message = "The event, or a line of it, is larger than maxEventBytes";
    throw this.#refused(
      errorAt("", "framing/event-too-large", message, `at most ${this.limit} bytes`, `more than ${this.limit} bytes`),
    );
  }

  #notUtf8(byte: number, offset: number): FramingError {
    const message = `Byte ${offset} of the stream is not UTF-8`;
    return this.#refused(
      errorAt("", "framing/invalid-utf8", message, "UTF-8", `0x${byte.toString(16).padStart(2, "0")}`),
    );
  }

  #refused(finding: Finding): FramingError {
    return new FramingError({ ...finding, line: this.line });
  }
}
