/** A JSON body that stands bare among server-sent events. */
import { decodeFirst } from "./event-json.js";

const MAX_BYTES = 64 * 1024;
const LF = 0x0a;
const CR = 0x0d;
const OPEN = 0x7b;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Keeps the first line of an event stream that begins with `{`, and what follows, as far as an error may reach. */
export class BareBody {
  readonly #chunks: Uint8Array[] = [];
  #size = 0;
  #atLineStart = true;

  /** Whether there is such a line. */
  get isBegun(): boolean {
    return this.#size > 0;
  }

  /** Looks at the bytes of the stream. */
  watch(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    const start = this.isBegun ? 0 : this.#startIn(chunk);
    const kept = chunk.slice(start, start + MAX_BYTES - this.#size);
    if (kept.length > 0) this.#chunks.push(kept);
    this.#size += kept.length;
    const last = chunk.at(-1);
    this.#atLineStart = last === LF || last === CR;
  }

  #startIn(chunk: Uint8Array): number {
    let isStart = this.#atLineStart;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (isStart && byte === OPEN) return at;
      isStart = byte === LF || byte === CR;
    }
    return chunk.length;
  }

  /** Returns the JSON value that it begins with. */
  value(): unknown {
    const all = new Uint8Array(this.#size);
    let at = 0;
    for (const chunk of this.#chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return decodeFirst(decoder.decode(all));
  }
}
