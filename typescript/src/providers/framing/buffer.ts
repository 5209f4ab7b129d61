const NOTHING = new Uint8Array(0);

/** The bytes of what is unfinished: copies, since a caller may fill its own anew. */
export class ByteBuffer {
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

  /** Returns what it holds and `more` as one, for keeps. */
  with(more: Uint8Array): Uint8Array {
    if (this.#size === 0) return more;
    const joined = new Uint8Array(this.#size + more.length);
    joined.set(this.view());
    joined.set(more, this.#size);
    return joined;
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
