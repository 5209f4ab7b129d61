/** The headers of a frame of an AWS event stream. */
import { clip, errorAt, FramingError } from "../../errors.js";
import { badByte } from "./utf8.js";

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
export class EventStreamHeaders {
  // As they stood, byte by byte a character → what they say.
  readonly #known = new Map<string, ReadonlyMap<string, HeaderValue>>();

  /** Returns the headers that stand in `raw`; `offset` is where their frame begins. */
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
export function refusedFrame(offset: number, what: string, expected: string, actual: unknown): FramingError {
  const message = `The frame at byte ${offset} ${what}`;
  return new FramingError(errorAt("", "framing/invalid-frame", message, expected, clip(actual)));
}

/** Returns a byte as findings show it. */
export function hexByte(byte: number): string {
  return `0x${byte.toString(16).padStart(2, "0")}`;
}
