/**
 * A response as a stream: chunks go in at a sender and come out of an async iterator.
 *
 *     const [sender, stream] = StreamingResponse.channel(16);
 *     void sender.pipe(chunksOf(provider)); // waits while the reader is 16 chunks behind
 *     for await (const chunk of stream) … // leaving the loop stops the sender
 */
import { badArgument, StreamProtocolError } from "../errors.js";
import { Channel, type Read, ReaderGone } from "./channel.js";
import { type Chunk, chunkFinding } from "./chunk-state.js";

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
   * while waiting; StreamProtocolError `blocks/invalid-chunk` for what is no valid chunk,
   * `blocks/after-terminal` after `message_stop` or `error`, `blocks/sender-closed` after
   * {@link close}. The rules of a chunk stream, such as which blocks are open, are for whoever collects
   * it.
   */
  async send(chunk: Chunk): Promise<void> {
    const wrong = chunkFinding(chunk);
    if (wrong !== undefined) throw new StreamProtocolError(wrong);
    return this.#channel.send(chunk);
  }

  /**
   * Sends all of `source` and closes the sender. What `source` throws goes to the reader; it is thrown
   * here where the reader cannot hear of it any more. A reader that goes ends `source`, and is no error.
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
   * not if the reader is gone. Throws UsageError for what is no Error.
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
 * the sender's next send throws. Source: requirements S003-11, S003-22.
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
      throw badArgument("capacity is no count of chunks", "an integer of at least 1", capacity);
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
