/** A live source: its recording grows with what comes, until the stream ends. */

import type { Recording } from "../model/recording.js";

export type LiveState = "live" | "ended" | "broken";

/** Feeds a recording from a URL; `changed` is called after each piece, and at the end. */
export async function followLive(
  url: string,
  recording: Recording,
  signal: AbortSignal,
  changed: (state: LiveState) => void,
): Promise<void> {
  let state: LiveState = "ended";
  try {
    const { body, ok } = await fetch(url, { signal });
    if (!ok || body === null) throw new TypeError("no stream");
    const bytes = body.getReader();
    for (let read = await bytes.read(); !read.done; read = await bytes.read()) {
      recording.feed(read.value);
      changed("live");
    }
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof TypeError)) throw error;
    state = "broken";
  }
  recording.close();
  changed(state);
}
