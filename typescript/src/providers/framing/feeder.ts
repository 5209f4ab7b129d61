/**
 * What the decoders share: bytes in any cut in, events out.
 *
 * - Cutting or joining the input anywhere changes neither the events nor the error.
 * - What arrived before an error is never lost: the call that meets the error returns it, and the
 *   next call throws. From then on every call throws that error; `error` holds it at once.
 * - Memory is counted before it is taken; work is proportional to the bytes fed.
 */
import { badArgument, type Finding, FramingError } from "../../errors.js";

// --- the buffer ----------------------------------------------------------------------------------

const NOTHING = new Uint8Array(0);

/** The bytes of what is unfinished: copies, since a caller may fill its own anew. */
class ByteBuffer {
  #data: Uint8Array = NOTHING;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds bytes; room grows by doubling, so that one byte at a time costs what it costs at once. */
  append(bytes: Uint8Array): void {
    const size = this.#size + bytes.length;
    if (size > this.#data.length) {
      const larger = new Uint8Array(Math.max(size, 2 * this.#data.length));
      larger.set(this.#data.subarray(0, this.#size));
      this.#data = larger;
    }
    this.#data.set(bytes, this.#size);
    this.#size = size;
  }

  /** Returns what it holds, up to `end`; for a look: what is added next may change it. */
  view(end = this.#size): Uint8Array {
    return this.#data.subarray(0, Math.min(end, this.#size));
  }

  /** Returns what it holds and `more` as one; for a look. */
  with(more: Uint8Array): Uint8Array {
    if (this.#size === 0) return more;
    this.append(more);
    return this.view();
  }

  /** Forgets what it holds; the room is used again. */
  clear(): void {
    this.#size = 0;
  }

  /** Forgets what it holds, and gives the room back. */
  free(): void {
    this.#data = NOTHING;
    this.#size = 0;
  }
}

// --- the feeder ----------------------------------------------------------------------------------

const BOM = [0xef, 0xbb, 0xbf];

/** Takes a stream of bytes, and keeps what is unfinished; for one stream. */
export abstract class Feeder<Event> {
  protected readonly limit: number;
  /** Of the first byte of what is unfinished, in the stream. */
  protected offset = 0;
  /** What is unfinished. */
  protected readonly buffer = new ByteBuffer();
  #closed = false;
  #finding: Finding | undefined;

  constructor(limit: number, name: string) {
    if (!Number.isSafeInteger(limit) || limit < 1) {
      throw badArgument(`${name} is not a size`, "a positive integer of bytes", limit);
    }
    this.limit = limit;
  }

  /** The error that ended the decoding, also before a call had the occasion to throw it. */
  get error(): FramingError | undefined {
    return this.#finding === undefined ? undefined : new FramingError(this.#finding);
  }

  /**
   * Returns the events that `chunk` completes, in order. Throws FramingError if the stream cannot
   * be read on (once the events before that place have been returned), UsageError
   * `usage/invalid-argument` after `close` or for anything but bytes.
   */
  feed(chunk: Uint8Array): Event[] {
    if (this.#finding !== undefined) throw new FramingError(this.#finding);
    if (!(chunk instanceof Uint8Array)) {
      throw badArgument("feed takes bytes: text is encoded before it is sent", "a Uint8Array", chunk);
    }
    if (this.#closed) throw badArgument("feed was called after close", "a new decoder for a new stream", null);
    const events: Event[] = [];
    try {
      this.take(chunk, events);
    } catch (error) {
      this.#stop(error);
      if (events.length === 0) throw error;
    }
    return events;
  }

  /**
   * Says that the stream has ended; returns what it left unfinished, marked `terminated: false`.
   * Throws the FramingError that is still due. A second call returns nothing.
   */
  close(): Event[] {
    if (this.#finding !== undefined) throw new FramingError(this.#finding);
    if (this.#closed) return [];
    this.#closed = true;
    const events: Event[] = [];
    try {
      this.end(events);
    } catch (error) {
      this.#stop(error);
      throw error;
    }
    return events;
  }

  /** Ends the decoding for an error of the stream; throws any other. */
  #stop(error: unknown): void {
    if (!(error instanceof FramingError)) throw error;
    this.#finding = error.findings[0];
    this.buffer.free();
  }

  /** Reads a chunk; appends each event as soon as it is complete. */
  protected abstract take(chunk: Uint8Array, events: Event[]): void;
  /** Reads what the buffer holds when the stream has ended. */
  protected abstract end(events: Event[]): void;
}

/** Reads text, before which a byte order mark may be. */
export abstract class TextFeeder<Event> extends Feeder<Event> {
  /** The 1-based number of the line that comes next. */
  protected line = 1;
  /** Whether it is known if there is a byte order mark. */
  protected begun = false;

  /** Drops one byte order mark at the start; holds back bytes that may yet become one. */
  protected withoutBom(chunk: Uint8Array): Uint8Array {
    // What is held may be overwritten before all of it is read.
    const start = this.buffer.size === 0 ? chunk : this.buffer.with(chunk).slice();
    const isBom = BOM.slice(0, start.length).every((byte, index) => start[index] === byte);
    this.buffer.clear();
    if (isBom && start.length < BOM.length) {
      this.buffer.append(start);
      return NOTHING;
    }
    this.begun = true;
    if (!isBom) return start;
    this.offset = BOM.length;
    return start.subarray(BOM.length);
  }
}
