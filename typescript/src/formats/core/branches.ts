/** Which messages of a session count: a session may go back, and go on from an earlier message. */

const ROOT = -1;

/**
 * An item between messages: the next message follows message `after`, by number from 0. What came between is
 * no longer of the conversation, unless a later branch goes back to it. Undefined: the next message is the
 * first one.
 */
export class Branch {
  constructor(readonly after: number | undefined) {}
}

/**
 * The order of messages, of which each follows the one before, but for branches. It holds a number for each
 * message, never what it says.
 */
export class Path {
  readonly #before: number[] = [];
  /** What the next message follows. */
  #next = ROOT;
  #isPlain = true;

  /** Takes the next message. */
  add(): void {
    this.#before.push(this.#next);
    this.#next = this.#before.length - 1;
  }

  /** Takes a branch; a number that no message has means the last one. */
  branch({ after }: Branch): void {
    const from = after === undefined ? ROOT : Math.min(after, this.#before.length - 1);
    this.#isPlain = this.#isPlain && from === this.#next;
    this.#next = from;
  }

  /** Returns the numbers of the messages that count, in their order. */
  numbers(): number[] {
    if (this.#isPlain) return [...this.#before.keys()];
    const found: number[] = [];
    for (let at = this.#next; at !== ROOT; at = this.#before[at] ?? ROOT) found.push(at);
    return found.reverse();
  }
}
