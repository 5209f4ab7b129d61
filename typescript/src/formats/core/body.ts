/** The items of a run as the body of a response, as far as its reader takes them. */

import type { Json } from "./reading.js";
import type { StreamWriter } from "./streams.js";

/** Deltas and whole messages, as they come. */
export type Items = AsyncIterable<unknown> | Iterable<unknown>;

/** How events of a format are framed, and what they end with. */
export interface Framing {
  readonly sse: (event: unknown) => string;
  /** What follows the last event; "" where nothing does. */
  readonly end: string;
  /** The events of a stream that is cut and that `finish` gave these for. */
  readonly cut: (finished: Json[]) => Json[];
}

/**
 * Returns what a writer makes of items, as server-sent events in UTF-8. Where the source throws, the events say that
 * the stream was cut; `onError` is then given the error, and without it the body fails with the error, behind those
 * events. A reader that goes away ends the source.
 */
export function eventBody(
  items: Items,
  writer: StreamWriter,
  framing: Framing,
  onError?: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const pieces = piecesOf(items, writer, framing, onError);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      async cancel() {
        await pieces.return();
      },
    },
    { highWaterMark: 0 }, // an error behind events would take those away that nobody has read
  );
}

async function* piecesOf(
  items: Items,
  writer: StreamWriter,
  { sse, end, cut }: Framing,
  onError: ((error: unknown) => void) | undefined,
): AsyncGenerator<string, void, undefined> {
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const item of items) {
      const events = writer.feed(item);
      if (events.length > 0) yield events.map(sse).join("");
    }
  } catch (error) {
    failure = { error };
  }
  const finished = writer.finish();
  yield (failure === undefined ? finished : cut(finished)).map(sse).join("") + end;
  if (failure === undefined) return;
  if (onError === undefined) throw failure.error;
  onError(failure.error);
}
