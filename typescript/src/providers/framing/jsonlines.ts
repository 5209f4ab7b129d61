/**
 * JSON Lines: bytes in any cut → lines with their numbers. A line ends with LF or CRLF and with
 * nothing else. Lines that hold nothing but spaces, tabs and CRs are passed over, but counted. One
 * byte order mark is dropped at the start. Source: https://jsonlines.org.
 */
import { errorAt, FramingError } from "../../errors.js";
import { DEFAULT_LIMIT_BYTES } from "../../generated/tables/limits.js";
import { TextFeeder } from "./feeder.js";

/** One line: its bytes without the line end, not decoded, and its 1-based number. */
export interface RawLine {
  readonly data: Uint8Array;
  readonly number: number;
  /** False for a last line that no line end closes: it may be cut. */
  readonly terminated: boolean;
}

const LF = 0x0a;
const CR = 0x0d;

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === CR;
}

/**
 * Cuts bytes into lines. `maxLineBytes` bounds a line without its line end; beyond it:
 * `framing/line-too-long`. UTF-8 and JSON are for the reader of the line.
 */
export class JsonLinesDecoder extends TextFeeder<RawLine> {
  constructor(maxLineBytes: number = DEFAULT_LIMIT_BYTES) {
    super(maxLineBytes, "maxLineBytes");
  }

  /** How many whole lines have come, blank ones included. */
  get linesRead(): number {
    return this.line - 1;
  }

  protected take(given: Uint8Array, events: RawLine[]): void {
    const { buffer } = this;
    const chunk = this.begun ? given : this.withoutBom(given);
    const end = chunk.lastIndexOf(LF) + 1;
    if (end > 0) {
      const block = buffer.with(chunk.subarray(0, end));
      buffer.clear();
      this.#readLines(block, events);
    }
    if (end < chunk.length) {
      buffer.append(chunk.subarray(end));
      this.#checkUnfinished(buffer.size, chunk[chunk.length - 1]);
    }
  }

  protected end(events: RawLine[]): void {
    const rest = this.buffer.view();
    // What may have become a byte order mark is not counted yet.
    if (!this.begun) this.#checkUnfinished(rest.length, rest.at(-1));
    // A last CR is half of a line end here as well, so that it never counts for the limit.
    this.#add(rest, 0, rest.length, false, events);
  }

  /** Reads whole lines, of which none is kept as it is: the buffer is used again. */
  #readLines(block: Uint8Array, events: RawLine[]): void {
    for (let from = 0; from < block.length; ) {
      const end = block.indexOf(LF, from);
      this.#add(block, from, end, true, events);
      this.line++;
      from = end + 1;
    }
  }

  #add(block: Uint8Array, from: number, to: number, terminated: boolean, events: RawLine[]): void {
    const end = to > from && block[to - 1] === CR ? to - 1 : to;
    this.#checkSize(end - from);
    let at = from;
    while (at < end && isBlank(block[at] as number)) at++;
    if (at < end) events.push({ data: new Uint8Array(block.subarray(from, end)), number: this.line, terminated });
  }

  #checkUnfinished(size: number, last: number | undefined): void {
    this.#checkSize(last === CR ? size - 1 : size);
  }

  #checkSize(size: number): void {
    if (size <= this.limit) return;
    const message = "The line is longer than maxLineBytes";
    const finding = errorAt(
      "",
      "framing/line-too-long",
      message,
      `at most ${this.limit} bytes`,
      `more than ${this.limit} bytes`,
    );
    throw new FramingError({ ...finding, line: this.line });
  }
}
