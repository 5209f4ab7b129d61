/** One source: what it is read as, and the view of it; a live one grows. */

import { useEffect, useMemo, useState } from "preact/hooks";
import { CHOICES, type Choice, heldBy, type Opened, open } from "../model/opened.js";
import { isStream } from "../model/readers.js";
import type { As, Source } from "../model/sources.js";
import { View } from "../views/view.js";
import { Boundary } from "./boundary.js";
import { followLive, type LiveState } from "./live.js";

/** A choice of what a source is read as, and its view. */
export function Opening({ source }: { readonly source: Source }) {
  const [chosen, choose] = useState<As>();
  const [grown, live] = useGrown(source, chosen);
  const held = useMemo(() => heldBy(grown), [grown]);
  const as = chosen ?? held[0] ?? {};
  const others = held.slice(1).map(labelOf);
  return (
    <>
      <section class="row facts" aria-label="What it is read as">
        <label>
          Read as{" "}
          <select value={keyOf(as)} onChange={(event) => choose(choiceOf(event.currentTarget.value))}>
            {!CHOICES.some((choice) => keyOf(choice) === keyOf(as)) && <option value={keyOf(as)}>{labelOf(as)}</option>}
            {CHOICES.map((choice) => (
              <option key={keyOf(choice)} value={keyOf(choice)}>
                {choice.label}
              </option>
            ))}
          </select>
        </label>
        {others.length > 0 && <span>It may also be {others.join(", or ")}.</span>}
        {source.readAs !== undefined && <span>Converted from {source.readAs} by the command line.</span>}
      </section>
      <Boundary key={keyOf(as)}>
        {live !== undefined && <Live state={live} />}
        <AsOpened source={isStream(as) ? source : grown} as={as} />
      </Boundary>
    </>
  );
}

/**
 * Follows a live source that is not known to be a stream, and returns it as it is by now, to be looked at and
 * opened anew. A stream grows by itself: see {@link useLive}.
 */
function useGrown(source: Source, chosen: As | undefined): [grown: Source, state: LiveState | undefined] {
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

/** A source, read as one of the things that it may hold. */
function AsOpened({ source, as }: { readonly source: Source; readonly as: As }) {
  const opened: Opened = useMemo(() => open(source, as), [source, as]);
  const live = useLive(source, opened);
  return (
    <>
      {live !== undefined && <Live state={live} />}
      <View opened={opened} source={source} />
    </>
  );
}

function Live({ state }: { readonly state: LiveState }) {
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

/** Follows a live source, and draws anew at most once a frame. */
function useLive(source: Source, opened: Opened): LiveState | undefined {
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

function keyOf({ as = "", run = false, history = false }: As): string {
  return `${as}|${run}|${history}`;
}

function choiceOf(key: string): As {
  return CHOICES.find((choice: Choice) => keyOf(choice) === key) ?? {};
}

function labelOf(as: As): string {
  return CHOICES.find((choice: Choice) => keyOf(choice) === keyOf(as))?.label ?? as.as ?? "unknown";
}
