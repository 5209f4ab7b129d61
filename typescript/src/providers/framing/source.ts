/** Where bytes come from: what a caller has at hand, as one stream of chunks. */
import { badArgument } from "../../errors.js";
import { isBytes } from "../../json/documents.js";

/**
 * Bytes in any cut: all at once, piece by piece, or the body of a response. `null`, the body of a
 * response without one, is not bytes.
 */
export type ByteSource =
  | Uint8Array
  | Iterable<Uint8Array>
  | AsyncIterable<Uint8Array>
  | ReadableStream<Uint8Array>
  | null;

/**
 * Yields the chunks of a source. Who stops early cancels a stream. Throws UsageError
 * `usage/invalid-argument` for what has no bytes, before the first chunk or at the one that is not bytes.
 */
export async function* chunksOf(source: ByteSource): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of iterable(source)) {
    if (!isBytes(chunk)) throw notBytes(chunk);
    yield chunk;
  }
}

function iterable(source: ByteSource): Iterable<Uint8Array> | AsyncIterable<Uint8Array> {
  if (source === null) return [];
  if (isBytes(source)) return [source];
  if (typeof source === "object" && (Symbol.asyncIterator in source || Symbol.iterator in source)) return source;
  // Not every browser iterates over a stream.
  if (typeof source === "object" && typeof (source as ReadableStream).getReader === "function")
    return chunksRead(source);
  throw notBytes(source);
}

async function* chunksRead(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader();
  let ended = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      ended = done;
      if (done) return;
      yield value;
    }
  } finally {
    if (!ended) await reader.cancel();
  }
}

function notBytes(given: unknown): Error {
  return badArgument("Not bytes", "Uint8Array, an iterable of them, or a ReadableStream such as response.body", given);
}
