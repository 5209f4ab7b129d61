/** A run as the body of a response that clients of AG-UI read. */

import { eventBody, type Items } from "../core/body.js";
import type { Json } from "../core/reading.js";
import { sse } from "../core/sse.js";
import type { StreamWriter } from "../core/streams.js";
import { AG_UI } from "./format.js";
import { CUT } from "./stream-read.js";
import { AgUiStreamWriter } from "./stream-write.js";

/** How the body of a response is made. */
export interface BodyOptions {
  /** What makes events of the items; a writer of version 1.0 where absent. Its `losses` are there behind the end. */
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
  const writer = options.writer ?? new AgUiStreamWriter(AG_UI.versions[0] as string, false);
  return eventBody(items, writer, { sse, end: "", cut }, options.onError);
}

/** Of a message that was open the writer has said so; between messages the run has ended well. */
function cut(finished: Json[]): Json[] {
  return finished.map((event) => {
    if (event["type"] !== "RUN_FINISHED") return event;
    const { threadId: _, runId: __, outcome: ___, ...rest } = event;
    return { ...rest, type: "RUN_ERROR", message: CUT["message"], code: CUT["errorCode"] };
  });
}
