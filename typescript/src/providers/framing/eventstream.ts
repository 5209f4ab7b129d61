/**
 * AWS event streams (`application/vnd.amazon.eventstream`): bytes in any cut → messages. A message
 * is one frame: its length, the length of its headers, a checksum of these eight bytes, headers,
 * payload, and a checksum of all before. Both checksums are CRC-32.
 *
 * A frame is given out once both of its checksums fit, and never before. After damage no later
 * frame can be distinguished from noise, so it is an error, `framing/checksum-mismatch` or
 * `framing/invalid-frame`. Source: https://smithy.io/2.0/aws/amazon-eventstream.html.
 */
import { clip, errorAt, FramingError } from "../../errors.js";
import { DEFAULT_LIMIT_BYTES, MAX_HEADER_BYTES } from "../../generated/tables/limits.js";
import { Feeder } from "./feeder.js";
import { badByte } from "./utf8.js";

// --- the checksum --------------------------------------------------------------------------------
// CRC-32 as zlib, PNG and AWS count it (ISO 3309): of bytes, as an unsigned number.

const TABLE = /* @__PURE__ */ makeTable();

/** Returns the CRC-32 of `data`. */
export function crc32(data: Uint8Array): number {
  let crc = 0xffffffff;
  for (let at = 0; at < data.length; at++) {
    crc = (crc >>> 8) ^ (TABLE[(crc ^ (data[at] as number)) & 0xff] as number);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function makeTable(): Uint32Array {
  const table = new Uint32Array(256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    table[byte] = crc;
  }
  return table;
}

// --- headers -------------------------------------------------------------------------------------
// The headers of a frame of an AWS event stream.

/**
 * By type: true and false; byte, short and integer as a number; long and timestamp (milliseconds
 * since the epoch) as a bigint; byte array and uuid (16 bytes) as bytes; string.
 */
export type HeaderValue = boolean | number | bigint | Uint8Array | string;

const BYTES = 6;
const STRING = 7;
// Type → how many bytes its value has, where the type alone says so.
const SIZES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };
const MOST_KNOWN = 64;
const LONGEST_KNOWN = 1024;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Reads the headers of the frames of one stream, which has a handful of different ones. */
class EventStreamHeaders {
  // As they were, byte by byte a character → what they say.
  readonly #known = new Map<string, ReadonlyMap<string, HeaderValue>>();

  /** Returns the headers that are in `raw`; `offset` is where their frame begins. */
  read(raw: Uint8Array, offset: number): ReadonlyMap<string, HeaderValue> {
    if (raw.length >= LONGEST_KNOWN) return new HeaderReader(raw, offset).read();
    const key = String.fromCharCode(...raw);
    let headers = this.#known.get(key);
    if (headers === undefined) {
      headers = new HeaderReader(raw, offset).read();
      if (this.#known.size < MOST_KNOWN) this.#known.set(key, headers);
    }
    return headers;
  }
}

class HeaderReader {
  #at = 0;

  constructor(
    readonly raw: Uint8Array,
    readonly offset: number,
  ) {}

  read(): Map<string, HeaderValue> {
    const headers = new Map<string, HeaderValue>();
    while (this.#at < this.raw.length) {
      const name = this.#text(this.#uint(1));
      if (headers.has(name)) throw refusedFrame(this.offset, "has a header twice", "each name once", name);
      headers.set(name, this.#value());
    }
    return headers;
  }

  #value(): HeaderValue {
    const kind = this.#uint(1);
    if (kind === STRING) return this.#text(this.#uint(2));
    if (kind === BYTES) return new Uint8Array(this.#bytes(this.#uint(2)));
    const size = SIZES[kind];
    if (size === undefined) {
      throw refusedFrame(this.offset, "has a header of no known type", "a type from 0 to 9", kind);
    }
    const data = this.#bytes(size);
    if (size === 0) return kind === 0;
    if (size === 16) return new Uint8Array(data);
    const view = new DataView(data.buffer, data.byteOffset, size);
    if (size === 8) return view.getBigInt64(0);
    return size === 4 ? view.getInt32(0) : size === 2 ? view.getInt16(0) : view.getInt8(0);
  }

  #uint(size: number): number {
    return this.#bytes(size).reduce((value, byte) => value * 256 + byte, 0);
  }

  #text(length: number): string {
    const data = this.#bytes(length);
    const bad = badByte(data);
    if (bad < 0) return decoder.decode(data);
    const message = `A header of the frame at byte ${this.offset} is not UTF-8`;
    throw new FramingError(errorAt("", "framing/invalid-utf8", message, "UTF-8", hexByte(data[bad] as number)));
  }

  #bytes(length: number): Uint8Array {
    const data = this.raw.subarray(this.#at, this.#at + length);
    if (data.length < length) {
      throw refusedFrame(this.offset, "has a header that its end cuts off", `${length} bytes`, data.length);
    }
    this.#at += length;
    return data;
  }
}

/** Returns the error for a frame that is not of the format. */
function refusedFrame(offset: number, what: string, expected: string, actual: unknown): FramingError {
  const message = `The frame at byte ${offset} ${what}`;
  return new FramingError(errorAt("", "framing/invalid-frame", message, expected, clip(actual)));
}

/** Returns a byte as findings show it. */
export function hexByte(byte: number): string {
  return `0x${byte.toString(16).padStart(2, "0")}`;
}

// --- frames --------------------------------------------------------------------------------------

/** One message: its headers in order, and its payload, not decoded. */
export interface EventStreamMessage {
  readonly headers: ReadonlyMap<string, HeaderValue>;
  readonly payload: Uint8Array;
  /** The byte of the stream, from 0, at which its frame begins. */
  readonly offset: number;
  /** False if the stream ended inside the frame: then nothing of it is known. */
  readonly terminated: boolean;
}

const PRELUDE = 12;
const CHECKSUM = 4;
const OVERHEAD = PRELUDE + CHECKSUM;

/**
 * Decodes one event stream. `maxEventBytes` bounds a whole frame, and is checked before any of it
 * is kept. Beyond it: `framing/event-too-large`.
 */
export class EventStreamDecoder extends Feeder<EventStreamMessage> {
  #need = PRELUDE; // bytes that the buffer has to hold before it can be read on
  readonly #headers = new EventStreamHeaders();

  constructor(maxEventBytes: number = DEFAULT_LIMIT_BYTES) {
    super(maxEventBytes, "maxEventBytes");
  }

  protected take(chunk: Uint8Array, events: EventStreamMessage[]): void {
    let at = this.#finishBegun(chunk, events);
    if (at < 0) return;
    while (chunk.length - at >= PRELUDE) {
      const size = this.#frameSize(chunk.subarray(at));
      if (chunk.length - at < size) {
        this.#need = size;
        break;
      }
      events.push(this.#message(chunk.subarray(at, at + size)));
      at += size;
    }
    this.buffer.append(chunk.subarray(at));
  }

  /** Finishes the frame that the buffer begins; returns where the next one begins, -1 if it is not whole. */
  #finishBegun(chunk: Uint8Array, events: EventStreamMessage[]): number {
    const { buffer } = this;
    let at = 0;
    while (buffer.size > 0) {
      const missing = this.#need - buffer.size;
      buffer.append(chunk.subarray(at, at + missing));
      at += missing;
      if (buffer.size < this.#need) return -1;
      if (this.#need === PRELUDE) {
        this.#need = this.#frameSize(buffer.view());
        continue;
      }
      events.push(this.#message(buffer.view()));
      buffer.clear();
      this.#need = PRELUDE;
    }
    return at;
  }

  protected end(events: EventStreamMessage[]): void {
    if (this.buffer.size === 0) return;
    events.push({ headers: new Map(), payload: new Uint8Array(0), offset: this.offset, terminated: false });
  }

  /** Returns the size of the frame whose prelude `data` begins with. */
  #frameSize(data: Uint8Array): number {
    this.#checkSum(data.subarray(0, 8), uint32(data, 8), "prelude");
    const [size, headers] = [uint32(data, 0), uint32(data, 4)];
    if (headers > MAX_HEADER_BYTES) {
      throw refusedFrame(this.offset, "has too many headers", `at most ${MAX_HEADER_BYTES} bytes`, headers);
    }
    const least = headers + OVERHEAD;
    if (size < least) throw refusedFrame(this.offset, "is shorter than its parts", `${least} bytes or more`, size);
    if (size > this.limit) {
      const message = `The frame at byte ${this.offset} is larger than maxEventBytes`;
      const most = `at most ${this.limit} bytes`;
      throw new FramingError(errorAt("", "framing/event-too-large", message, most, `${size} bytes`));
    }
    return size;
  }

  /** Returns the message of a frame that is whole and whose prelude is sound. */
  #message(frame: Uint8Array): EventStreamMessage {
    const end = frame.length - CHECKSUM;
    this.#checkSum(frame.subarray(0, end), uint32(frame, end), "message");
    const body = PRELUDE + uint32(frame, 4);
    const headers = this.#headers.read(frame.subarray(PRELUDE, body), this.offset);
    const message = {
      headers,
      payload: new Uint8Array(frame.subarray(body, end)),
      offset: this.offset,
      terminated: true,
    };
    this.offset += frame.length;
    return message;
  }

  #checkSum(data: Uint8Array, expected: number, of: string): void {
    const actual = crc32(data);
    if (actual === expected) return;
    const message = `The frame at byte ${this.offset} is damaged: the checksum of its ${of} differs`;
    const found = errorAt("", "framing/checksum-mismatch", message, crcText(expected), crcText(actual));
    throw new FramingError(found);
  }
}

function uint32(data: Uint8Array, at: number): number {
  return new DataView(data.buffer, data.byteOffset + at, 4).getUint32(0);
}

function crcText(value: number): string {
  return `CRC-32 ${value.toString(16).padStart(8, "0")}`;
}
