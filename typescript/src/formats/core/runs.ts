/** A run as a stream reader gives it: deltas of several messages, with whole messages between. */

import type { Message } from "../../contract/current/message.js";
import { Unknown } from "../../contract/unknown.js";
import { StreamProtocolError } from "../../errors.js";
import { MessageAssembler, StreamFailed } from "../../message/assembler/assembler.js";
import type { Limits } from "../../message/assembler/rules.js";
import { Branch, Path } from "./branches.js";
import { isMessage, readItem } from "./items.js";

/**
 * Makes the history of a run out of its items.
 *
 * A message has the place at which its stream began. A stream that ends with `error`, and one that the next one
 * or the end of the run cuts, gives a message with `meta.incomplete`, never a finished one. Messages that a
 * branch leaves are not there, unless a later one goes back to them.
 */
export class RunAssembler {
  /** Why streams that ended with `error` did. */
  readonly failures: StreamFailed[] = [];
  /** `stream/truncated`, for each stream that was cut. */
  readonly cuts: StreamProtocolError[] = [];
  readonly #limits: Partial<Limits>;
  readonly #messages: (Message | undefined)[] = [];
  readonly #path = new Path();
  #open: MessageAssembler | undefined;
  /** Of the message whose stream is open. */
  #place = 0;

  constructor(init: { readonly limits?: Partial<Limits> } = {}) {
    this.#limits = init.limits ?? {};
  }

  /** The messages that are there so far; of an open stream there is none yet. */
  get messages(): Message[] {
    return this.#path.numbers().flatMap((number) => this.#messages[number] ?? []);
  }

  /** The assembler of the stream that is open, to show what has come of it. */
  get open(): MessageAssembler | undefined {
    return this.#open;
  }

  /**
   * Takes the next item: a delta (a JSON object, or its text), a whole message, or a {@link Branch}. Throws ReadError
   * for what is none of these, StreamProtocolError for a delta that breaks a rule; what came before stays.
   */
  feed(given: unknown): void {
    const item = given instanceof Branch ? given : readItem(given, true);
    if (item === undefined) return;
    if (item instanceof Branch) {
      this.#path.branch(item);
    } else if (isMessage(item)) {
      this.#append(item);
    } else if (this.#open === undefined || (!(item instanceof Unknown) && item.kind === "start")) {
      const stream = new MessageAssembler({ limits: this.#limits });
      stream.consume(item);
      this.#cut();
      [this.#open, this.#place] = [stream, this.#messages.length];
      this.#append(undefined);
    } else {
      this.#open.consume(item);
      this.#close(this.#open);
    }
  }

  /** Takes several items, and returns this assembler. */
  feedAll(items: Iterable<unknown>): this {
    for (const item of items) this.feed(item);
    return this;
  }

  /** Says that no more comes, and returns the messages. */
  finish(): Message[] {
    this.#cut();
    return this.messages;
  }

  #append(message: Message | undefined): void {
    this.#messages.push(message);
    this.#path.add();
  }

  /** Keeps the message of a stream that has ended. */
  #close(stream: MessageAssembler): void {
    if (stream.status === "started") return;
    try {
      this.#messages[this.#place] = stream.buildFinalMessage();
    } catch (failure) {
      if (!(failure instanceof StreamFailed)) throw failure;
      this.failures.push(failure);
      this.#messages[this.#place] = failure.partial;
    }
    this.#open = undefined;
  }

  #cut(): void {
    if (this.#open === undefined) return;
    try {
      this.#open.close();
    } catch (cut) {
      if (!(cut instanceof StreamProtocolError)) throw cut;
      this.cuts.push(cut);
    }
    this.#messages[this.#place] = this.#open.buildPartial("truncated");
    this.#open = undefined;
  }
}
