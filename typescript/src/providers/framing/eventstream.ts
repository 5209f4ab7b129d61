/**
 * AWS event streams (`application/vnd.amazon.eventstream`): bytes in any cut → messages. A message
 * is one frame: its length, the length of its headers, a checksum of these eight bytes, headers,
 * payload, and a checksum of all before. Both checksums are CRC-32.
 *
 * A frame is given out once both of its checksums fit, and never before. After damage no later
 * frame can be told from noise, so it is an error, `framing/checksum-mismatch` or
 * `framing/invalid-frame`. Source: https://smithy.io/2.0/aws/amazon-eventstream.html.
 */
import { errorAt, FramingError } from "../../errors.js";
import { crc32 } from "./crc32.js";
import { EventStreamHeaders, type HeaderValue, refusedFrame } from "./eventstream-headers.js";
import { DEFAULT_LIMIT_BYTES, Feeder } from "./feeder.js";

/** What the format allows for the headers of one message. */
export const MAX_HEADER_BYTES = 128 * 1024;

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
