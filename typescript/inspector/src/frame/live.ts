/** A live source: what comes of it, until it ends. */

export type LiveState = "live" | "ended" | "broken";

/** Gives the pieces that come from a URL to `feed`; `changed` is called after each one, and at the end. */
export async function followLive(
  url: string,
  feed: (chunk: Uint8Array) => void,
  signal: AbortSignal,
  changed: (state: LiveState) => void,
): Promise<void> {
  let state: LiveState = "ended";
  try {
    const { body, ok } = await fetch(url, { signal });
    if (!ok || body === null) throw new TypeError("no stream");
    const bytes = body.getReader();
    for (let read = await bytes.read(); !read.done; read = await bytes.read()) {
      feed(read.value);
      changed("live");
    }
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof TypeError)) throw error;
    state = "broken";
  }
  changed(state);
}
