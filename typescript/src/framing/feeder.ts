/**
 * What the decoders share: bytes in any cut in, events out.
 *
 * - Cutting or joining the input anywhere changes neither the events nor the error.
 * - What arrived before an error is never lost: the call that meets the error returns it, and the
 *   next call throws. From then on every call throws that error; `error` holds it at once.
 * - Memory is counted before it is taken; work is proportional to the bytes fed.
 */
import { badArgument, type Finding, FramingError } from "../errors.js";

/** 64 MiB: tool calls that write whole files come as one event. */
export const DEFAULT_LIMIT_BYTES = 64 * 1024 * 1024;

const BOM = [0xef, 0xbb, 0xbf];
const NOTHING = new Uint8Array(0);

/** Cuts a stream of bytes into blocks of whole lines; for one stream. */
export abstract class LineFeeder<Event> {
  protected readonly limit: number;
  /** The 1-based number of the line that comes next. */
  protected line = 1;
  /** Of the first byte of what is unfinished, in the stream. */
  protected offset = 0;
  // The unfinished line: the first #size bytes.
  #buffer: Uint8Array = NOTHING;
  #size = 0;
  #begun = false;
  #closed = false;
  #finding: Finding | undefined;

  constructor(limit: number, name: string) {
    if (!Number.isSafeInteger(limit) || limit < 1) {
      throw badArgument(`${name} is no size`, "a positive integer of bytes", limit);
    }
    this.limit = limit;
  }

  /** How many whole lines have come, comments and blank ones included. */
  get linesRead(): number {
    return this.line - 1;
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
    return this.#guarded((events) => this.take(chunk, events), false);
  }

  /**
   * Says that the stream has ended; returns what it left unfinished, marked `terminated: false`.
   * Throws the FramingError that is still due. A second call returns nothing.
   */
  close(): Event[] {
    if (this.#finding !== undefined) throw new FramingError(this.#finding);
    if (this.#closed) return [];
    this.#closed = true;
    return this.#guarded((events) => {
      const rest = this.#buffered(NOTHING);
      // What may have become a byte order mark is not counted yet.
      if (!this.#begun) this.checkUnfinished(rest.subarray(0, 6), rest.length, rest.at(-1));
      this.finish(rest, events);
    }, true);
  }

  #guarded(work: (events: Event[]) => void, closing: boolean): Event[] {
    const events: Event[] = [];
    try {
      work(events);
    } catch (error) {
      if (!(error instanceof FramingError)) throw error;
      this.#finding = error.findings[0];
      this.#buffer = NOTHING;
      this.#size = 0;
      if (closing || events.length === 0) throw error;
    }
    return events;
  }

  /** Reads a chunk; appends each event as soon as it is complete. */
  protected take(given: Uint8Array, events: Event[]): void {
    const chunk = this.#begun ? given : this.#withoutBom(given);
    const end = this.blockEnd(chunk);
    if (end > 0) {
      const block = this.#buffered(chunk.subarray(0, end));
      this.#size = 0;
      this.readBlock(block, events);
      this.offset += block.length;
    }
    if (end < chunk.length) {
      this.#append(chunk.subarray(end));
      this.checkUnfinished(this.#buffer.subarray(0, Math.min(6, this.#size)), this.#size, chunk.at(-1));
    }
  }

  /** Copies bytes to the buffer: they belong to the caller, who may fill them anew. */
  #append(bytes: Uint8Array): void {
    const size = this.#size + bytes.length;
    if (size > this.#buffer.length) {
      // Twice as large, so that one byte at a time costs what it costs at once.
      const larger = new Uint8Array(Math.max(size, 2 * this.#buffer.length));
      larger.set(this.#buffer.subarray(0, this.#size));
      this.#buffer = larger;
    }
    this.#buffer.set(bytes, this.#size);
    this.#size = size;
  }

  /** Returns the buffered bytes and `more` as one; the buffer itself is used again. */
  #buffered(more: Uint8Array): Uint8Array {
    if (this.#size === 0) return more;
    const joined = new Uint8Array(this.#size + more.length);
    joined.set(this.#buffer.subarray(0, this.#size));
    joined.set(more, this.#size);
    return joined;
  }

  /** Drops one byte order mark at the start; holds back bytes that may yet become one. */
  #withoutBom(chunk: Uint8Array): Uint8Array {
    const start = this.#buffered(chunk);
    const isBom = BOM.slice(0, start.length).every((byte, index) => start[index] === byte);
    if (isBom && start.length < BOM.length) {
      this.#size = 0;
      this.#append(start);
      return NOTHING;
    }
    this.#size = 0;
    this.#begun = true;
    if (!isBom) return start;
    this.offset = BOM.length;
    return start.subarray(BOM.length);
  }

  /** Returns where the last line end in `chunk` ends, 0 if there is none. */
  protected abstract blockEnd(chunk: Uint8Array): number;
  /** Reads whole lines; appends each event as soon as it is complete. */
  protected abstract readBlock(block: Uint8Array, events: Event[]): void;
  /** Throws if an unfinished line of `size` bytes, of which the first and the last are given, is beyond the limit. */
  protected abstract checkUnfinished(head: Uint8Array, size: number, last: number | undefined): void;
  /** Reads the last, unfinished line. */
  protected abstract finish(rest: Uint8Array, events: Event[]): void;
}
