/**
 * A response as a stream: chunks go in at a sender and come out of an async iterator.
 *
 *     const [sender, stream] = StreamingResponse.channel(16);
 *     void sender.pipe(chunksOf(provider)); // waits while the reader is 16 chunks behind
 *     for await (const chunk of stream) … // leaving the loop stops the sender
 */

import type { Message, ModelResponse } from "../contract/current/blocks.js";
import { Unknown } from "../contract/unknown.js";
import { badArgument, errorAt, PartwireError, StreamProtocolError } from "../errors.js";
import { printable } from "../json/text.js";
import { type Chunk, chunkFinding } from "./chunk-state.js";

// --- the model's adapter -------------------------------------------------------------------------
// What a model's adapter has to have, and the one error that it throws.

/**
 * What an adapter throws where there is no response: the error half of a result. `errorCode` is one of
 * the contract's error codes (`rate_limited`, `timeout`, …; an open string), `reason` says to people
 * what happened, `retryable` whether the same request may succeed later; `cause` is what the adapter
 * caught.
 */
export class ModelAdapterError extends PartwireError {
  readonly retryable: boolean;

  constructor(
    readonly errorCode: string,
    readonly reason: string,
    more: { readonly retryable?: boolean; readonly cause?: unknown } = {},
  ) {
    super(errorAt("", "blocks/adapter-failed", reason, "a response", errorCode));
    this.retryable = more.retryable ?? false;
    if (more.cause !== undefined) this.cause = more.cause;
  }
}

/**
 * A model behind one interface. `messages` are the conversation in order, `systemPrompt` is undefined
 * where there is none, `maxTokens` bounds the answer. Both ways of sending throw ModelAdapterError
 * where the model gives no response.
 */
export interface ModelAdapter {
  /** Returns the whole response. */
  sendMessage(
    messages: readonly Message[],
    systemPrompt: string | undefined,
    maxTokens: number,
  ): Promise<ModelResponse>;
  /** Returns the response as a stream; errors after its beginning come through the stream. */
  streamMessage(
    messages: readonly Message[],
    systemPrompt: string | undefined,
    maxTokens: number,
  ): Promise<StreamingResponse>;
  /** Returns the model's name. */
  modelName(): string;
  /** Tells whether `streamMessage` may be called. */
  supportsStreaming(): boolean;
}

// --- the channel ---------------------------------------------------------------------------------
// The bounded channel between a sender and a reader. Nothing in it runs by itself: those that wait
// are let go by what the other side does, in the order in which they came.

/** Nobody reads the stream any more: the sender may stop. */
export class ReaderGone extends PartwireError {}

/** What a read gives. */
type Read = IteratorResult<Chunk, undefined>;

interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

/** What sender and reader share. */
class Channel {
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

/** Returns what ends a stream that has no end chunk. */
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

// --- the stream and its sender -------------------------------------------------------------------

/** The end of a channel where chunks go in; {@link StreamingResponse.channel} makes it. */
export class ChunkSender {
  readonly #channel: Channel;

  /** @internal */
  constructor(channel: Channel) {
    this.#channel = channel;
  }

  /** Whether the reader has closed the stream, or read the chunk that ends it. */
  get readerGone(): boolean {
    return this.#channel.readerGone;
  }

  /**
   * Appends a chunk; waits while the channel is full. Chunks arrive in the order in which they are sent,
   * awaited or not. Throws ReaderGone `blocks/reader-gone` once the reader has closed the stream, also
   * while waiting; StreamProtocolError `blocks/invalid-chunk` for what is not a valid chunk,
   * `blocks/after-terminal` after `message_stop` or `error`, `blocks/sender-closed` after
   * {@link close}. The rules of a chunk stream, such as which blocks are open, are checked where it is
   * collected.
   */
  async send(chunk: Chunk): Promise<void> {
    const wrong = chunkFinding(chunk);
    if (wrong !== undefined) throw new StreamProtocolError(wrong);
    return this.#channel.send(chunk);
  }

  /**
   * Sends all of `source` and closes the sender. What `source` throws goes to the reader; it is thrown
   * here where the reader cannot hear of it any more. A reader that goes ends `source`, and is not an error.
   */
  async pipe(source: AsyncIterable<Chunk> | Iterable<Chunk>): Promise<void> {
    try {
      for await (const chunk of source) await this.send(chunk);
      this.close();
    } catch (error) {
      if (error instanceof ReaderGone && this.readerGone) this.close();
      else if (!this.fail(error instanceof Error ? error : new Error(String(error), { cause: error }))) throw error;
    }
  }

  /** Ends the stream; without `message_stop` or `error` the reader finds it truncated. */
  close(): void {
    this.#channel.closeSender();
  }

  /**
   * Ends the stream with an error, once all that was sent has been read. The reader gets a
   * ModelAdapterError whose `cause` is `error`. Returns whether it will: not after the stream's end, and
   * not if the reader is gone. Throws UsageError for what is not an Error.
   */
  fail(error: Error): boolean {
    if (!(error instanceof Error)) throw badArgument("A sender fails with an error", "an Error", error);
    return this.#channel.closeSender(error);
  }
}

/**
 * The chunks of one response, as they come; {@link channel} makes it together with its sender.
 *
 * Iteration ends after `message_stop` or `error`. A stream that ends without either was cut and throws
 * StreamProtocolError `blocks/truncated`; what the sender failed with arrives as ModelAdapterError, with
 * the original as `cause` and, if that was a ModelAdapterError, its code. Both come after the chunks
 * that were sent before, and once: then the stream is closed, and a closed stream has no more chunks.
 * Leaving a `for await` loop closes the stream, and so does {@link close}: what waits is dropped, and
 * the sender's next send throws.
 */
export class StreamingResponse implements AsyncIterableIterator<Chunk> {
  readonly #channel: Channel;

  /** @internal */
  constructor(channel: Channel) {
    this.#channel = channel;
  }

  /**
   * Returns a sender and the stream of what it sends; at most `capacity` chunks wait. Throws UsageError
   * `usage/invalid-argument` for a capacity below 1.
   */
  static channel(capacity = 16): [ChunkSender, StreamingResponse] {
    if (!Number.isSafeInteger(capacity) || capacity < 1) {
      throw badArgument("capacity is not a count of chunks", "an integer of at least 1", capacity);
    }
    const channel = new Channel(capacity);
    return [new ChunkSender(channel), new StreamingResponse(channel)];
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Read> {
    return this.#channel.read();
  }

  async return(): Promise<Read> {
    this.close();
    return { done: true, value: undefined };
  }

  close(): void {
    this.#channel.closeReader();
  }
}
