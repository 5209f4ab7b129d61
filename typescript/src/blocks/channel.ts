/**
 * The bounded channel between a sender and a reader. Nothing in it runs by itself: whoever has to wait
 * is let go by what the other side does, in the order in which they came.
 */

import { Unknown } from "../contract/unknown.js";
import { errorAt, PartwireError, StreamProtocolError } from "../errors.js";
import { printable } from "../json/text.js";
import type { Chunk } from "./chunk-state.js";
import { ModelAdapterError } from "./model-adapter.js";

/** Nobody reads the stream any more: whoever sends may stop. Source: requirements S003-22. */
export class ReaderGone extends PartwireError {}

/** What a read gives. */
export type Read = IteratorResult<Chunk, undefined>;

interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

/** What sender and reader share. */
export class Channel {
  /** Whether the reader has closed the stream, or read the chunk that ends it. */
  readerGone = false;
  readonly #capacity: number;
  readonly #senders: (Waiting<void> & { readonly chunk: Chunk })[] = [];
  readonly #readers: Waiting<Read>[] = [];
  #chunks: Chunk[] = [];
  #senderGone = false;
  /** Whether the chunk that ends the stream was sent. */
  #ended = false;
  /** Of the sender, not delivered yet. */
  #failure: Error | undefined;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Sends a chunk as soon as there is room. */
  send(chunk: Chunk): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#senders.push({ chunk, resolve, reject });
      this.#settle();
    });
  }

  /** Reads the next chunk, or the end, as soon as it is there. */
  read(): Promise<Read> {
    return new Promise((resolve, reject) => {
      this.#readers.push({ resolve, reject });
      this.#settle();
    });
  }

  /** Lets the sender go; returns whether the reader will get `failure`. */
  closeSender(failure?: Error): boolean {
    if (this.#senderGone) return false;
    this.#senderGone = true;
    const isHeard = failure !== undefined && !this.#ended && !this.readerGone;
    if (isHeard) this.#failure = failure;
    this.#settle();
    return isHeard;
  }

  /** Lets the reader go, with all that it has not read. */
  closeReader(): void {
    this.#leave();
    this.#settle();
  }

  /** Lets everybody go who need not wait any more. */
  #settle(): void {
    while (this.#letSend() || this.#letRead());
  }

  #letSend(): boolean {
    const [first] = this.#senders;
    if (first === undefined) return false;
    const refused = this.#refusal();
    if (refused !== undefined) {
      first.reject(refused);
    } else if (this.#chunks.length < this.#capacity) {
      this.#chunks.push(first.chunk);
      this.#ended = isTerminal(first.chunk);
      first.resolve();
    } else {
      return false;
    }
    this.#senders.shift();
    return true;
  }

  #letRead(): boolean {
    const [first] = this.#readers;
    if (first === undefined) return false;
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      first.resolve({ done: false, value: chunk });
      if (isTerminal(chunk)) this.#leave();
    } else if (this.readerGone) {
      first.resolve({ done: true, value: undefined });
    } else if (this.#senderGone) {
      first.reject(ending(this.#failure));
      this.#leave();
    } else {
      return false;
    }
    this.#readers.shift();
    return true;
  }

  #leave(): void {
    this.readerGone = true;
    this.#failure = undefined;
    this.#chunks = [];
  }

  /** Returns why nothing may be sent any more. */
  #refusal(): Error | undefined {
    if (this.#ended) {
      return refusal("blocks/after-terminal", "The stream has ended", "no more chunks", "another chunk");
    }
    if (this.#senderGone) return refusal("blocks/sender-closed", "The sender is closed", "an open sender", "send()");
    if (!this.readerGone) return undefined;
    const message = "Nobody reads the stream any more";
    return new ReaderGone(errorAt("", "blocks/reader-gone", message, "a reader", "a closed stream"));
  }
}

/** Tells whether a chunk ends its stream. */
function isTerminal(chunk: Chunk): boolean {
  return !(chunk instanceof Unknown) && (chunk.type === "message_stop" || chunk.type === "error");
}

/** Returns what a stream ends with that has no end of its own. */
function ending(failure: Error | undefined): Error {
  if (failure === undefined) {
    const message = "The stream stops without message_stop or error";
    return refusal("blocks/truncated", message, "message_stop or error", "the end of the sender");
  }
  if (failure instanceof ModelAdapterError) {
    const { errorCode, reason, retryable } = failure;
    return new ModelAdapterError(errorCode, reason, { retryable, cause: failure });
  }
  const words = failure.message === "" ? failure.name : `${failure.name}: ${printable(failure.message)}`;
  return new ModelAdapterError("unknown", `The sender failed: ${words}`, { cause: failure });
}

function refusal(rule: string, message: string, expected: string, actual: string): StreamProtocolError {
  return new StreamProtocolError(errorAt("", rule, message, expected, actual));
}
