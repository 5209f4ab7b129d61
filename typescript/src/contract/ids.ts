/** Identifiers that partwire makes itself: the one place that reads randomness. */

/** Returns a new id at every call. */
export type MakeId = () => string;

const COUNTER_END = 2 ** 42;
const MS_END = 2 ** 48;

/**
 * Makes UUIDs of version 7 (RFC 9562, section 5.7) that sort in the order of their making. `nowMs`
 * gives milliseconds since the epoch, `randomBits(n)` an integer of n random bits, n being at most
 * 41. Within a millisecond, and while the clock goes back, a counter of 42 bits goes on; it starts at
 * random, with its highest bit clear.
 */
export class Uuid7Maker {
  readonly #nowMs: () => number;
  readonly #randomBits: (count: number) => number;
  #ms = -1;
  #counter = 0;

  constructor(nowMs: () => number, randomBits: (count: number) => number) {
    this.#nowMs = nowMs;
    this.#randomBits = randomBits;
  }

  /** Returns the next UUID in text form: lower case, five groups. */
  next(): string {
    const now = this.#nowMs() % MS_END;
    if (now <= this.#ms && this.#counter + 1 < COUNTER_END) {
      this.#counter++;
    } else {
      this.#ms = Math.max(now, this.#ms + 1);
      this.#counter = this.#randomBits(41);
    }
    const low = this.#counter % 2 ** 30;
    const high = (this.#counter - low) / 2 ** 30;
    const time = hex(this.#ms, 12);
    const tail = hex(2 ** 31 + low, 8); // the variant, 10, and what is left of the counter
    return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(high, 3)}-${tail.slice(0, 4)}-${tail.slice(4)}${hex(this.#randomBits(32), 8)}`;
  }
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0");

function randomBits(count: number): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high * 2 ** 21 + (low >>> 11)) % 2 ** count;
}

const maker = new Uuid7Maker(() => Date.now(), randomBits);

/** Returns a new UUID of version 7; later ones of this process sort behind earlier ones. */
export function uuid7(): string {
  return maker.next();
}

/**
 * Returns a new id: a UUID of version 7, behind `prefix` and `_` where that is given. Without a
 * prefix it is what the contract asks of ids that have to be UUIDs, those of sessions and queue
 * messages.
 */
export function newId(prefix = ""): string {
  return prefix === "" ? uuid7() : `${prefix}_${uuid7()}`;
}
