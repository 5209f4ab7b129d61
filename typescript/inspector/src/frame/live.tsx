/** A live source: followed while it grows, and shown as it is by now. */

import { useEffect, useState } from "preact/hooks";
import { heldBy, type Opened } from "../model/opened.js";
import { isStream } from "../model/readers.js";
import type { As, Source } from "../model/sources.js";

type LiveState = "live" | "ended" | "broken";

/** Says whether more comes. */
export function Live({ state }: { readonly state: LiveState }) {
  return (
    <section class="row facts" aria-label="Live">
      <span role="status">{LIVE[state]}</span>
    </section>
  );
}

const LIVE: Readonly<Record<LiveState, string>> = {
  live: "Live: it grows.",
  ended: "The stream has ended.",
  broken: "The connection broke.",
};

/** Follows a live source that is a stream, and draws anew at most once a frame. */
export function useLive(source: Source, opened: Opened): LiveState | undefined {
  const [state, setState] = useState<{ readonly live: LiveState | undefined }>({ live: undefined });
  useEffect(() => {
    if (source.live === undefined || opened.view !== "stream") return;
    const stop = new AbortController();
    let frame = 0;
    const changed = (live: LiveState): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => setState({ live }));
    };
    const { recording } = opened;
    void followLive(
      source.live,
      (chunk) => recording.feed(chunk),
      stop.signal,
      (live) => {
        if (live !== "live") recording.close();
        changed(live);
      },
    );
    return () => {
      stop.abort();
      cancelAnimationFrame(frame);
    };
  }, [source, opened]);
  return source.live === undefined || opened.view !== "stream" ? undefined : (state.live ?? "live");
}

/**
 * Follows a live source that is not known to be a stream, and returns it as it is by now, to be looked at and
 * opened anew. A stream grows by itself: see {@link useLive}.
 */
export function useGrown(source: Source, chosen: As | undefined): [grown: Source, state: LiveState | undefined] {
  const [grown, setGrown] = useState<{ readonly source: Source; readonly state?: LiveState }>({ source });
  const isFollowed = source.live !== undefined && !isStream(chosen ?? heldBy(grown.source)[0] ?? {});
  useEffect(() => {
    if (source.live === undefined || !isFollowed) return;
    const stop = new AbortController();
    let bytes = new Uint8Array(0);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (state: LiveState): void => {
      timer = undefined;
      const { live: _, ...rest } = source;
      setGrown({ source: { ...rest, bytes }, state });
    };
    const feed = (chunk: Uint8Array): void => {
      const longer = new Uint8Array(bytes.length + chunk.length);
      longer.set(bytes);
      longer.set(chunk, bytes.length);
      bytes = longer;
    };
    void followLive(source.live, feed, stop.signal, (state) => {
      if (state !== "live") clearTimeout(timer);
      if (state !== "live") show(state);
      else timer ??= setTimeout(() => show(state), GROWN_EVERY_MS);
    });
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [source, isFollowed]);
  return [grown.source, isFollowed ? (grown.state ?? "live") : undefined];
}

/** How often a document that grows is opened anew. */
const GROWN_EVERY_MS = 250;

/** Gives the pieces that come from a URL to `feed`; `changed` is called after each one, and at the end. */
async function followLive(
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
