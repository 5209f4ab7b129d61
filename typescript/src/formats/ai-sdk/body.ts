/** A run as the body of a response that the SDK's client reads. */

import { eventBody, type Items } from "../core/body.js";
import type { Json } from "../core/reading.js";
import type { StreamWriter } from "../core/streams.js";
import { sse, sseEnd } from "./chunks.js";
import { UiStreamWriter } from "./stream-write.js";

/** How the body of a response is made. */
export interface BodyOptions {
  /** What makes chunks of the items; a writer of version 6 where absent. Its `losses` are there behind the end. */
  readonly writer?: StreamWriter;
  /** Takes what the source throws; without it the body fails with it. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Returns deltas and messages as the body of a response, with {@link HEADERS} beside it:
 *
 *     new Response(body(adapt("openai-chat", answer.body)), { headers: HEADERS })
 *
 * Where the source throws, the client is told that the stream was cut, and nothing of the error.
 */
export function body(items: Items, options: BodyOptions = {}): ReadableStream<Uint8Array> {
  const writer = options.writer ?? new UiStreamWriter("6");
  return eventBody(items, writer, { sse, end: sseEnd(), cut }, options.onError);
}

/** Of a message that was open the writer has said so; before the first one nobody has. */
function cut(finished: Json[]): Json[] {
  if (finished.some(({ type }) => type === "error")) return finished;
  const error = { type: "error", errorText: "The stream ended before it was finished" };
  return [...finished.slice(0, -1), error, ...finished.slice(-1)];
}
