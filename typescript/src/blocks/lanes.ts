/**
 * Blocks that are written at once, brought into the order in which they began.
 *
 * Deltas and chunks alike may go back and forth between the blocks of one message, but neither of
 * the two can say so in the other's way. So only the first block that is not closed, the front, is
 * written through; what comes for a later one waits in its lane.
 */

/** One block from its start to its end: text, some of which may wait, or an item. */
export class Lane<Item> {
  /** What a block that is not text is written as, once it is known. */
  item: Item | undefined;
  open = true;
  /** Whether its text has been written on. */
  begun = false;
  /** Text that waits. */
  held = "";
  /** The lane that began next. */
  next: Lane<Item> | undefined;

  constructor(
    /** To what began it. */
    readonly pointer: string,
    readonly isText: boolean,
    public index = -1,
  ) {}
}

/** The blocks that are not written to their end, in the order of their start. */
export class Lanes<Item> {
  #front: Lane<Item> | undefined;
  #back: Lane<Item> | undefined;

  /** Adds a block; returns whether it is the front. */
  add(lane: Lane<Item>): boolean {
    if (this.#back === undefined) this.#front = lane;
    else this.#back.next = lane;
    this.#back = lane;
    return this.#front === lane;
  }

  /** Tells whether `lane` may be written through. */
  isFront(lane: Lane<Item>): boolean {
    return this.#front === lane;
  }

  /** Leaves closed blocks behind; yields each block that becomes the front, closed or open. */
  *advance(): Generator<Lane<Item>> {
    while (this.#front?.open === false) {
      this.#leave();
      if (this.#front !== undefined) yield this.#front;
    }
  }

  /** Yields what waits behind the front, and leaves everything behind: the stream failed. */
  *rest(): Generator<Lane<Item>> {
    while (this.#front !== undefined) {
      this.#leave();
      if (this.#front !== undefined) yield this.#front;
    }
  }

  #leave(): void {
    this.#front = this.#front?.next;
    if (this.#front === undefined) this.#back = undefined;
  }
}
