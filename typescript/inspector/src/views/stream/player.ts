/** Playing a stream: at its own speed, or so many steps a second. */

import { useEffect, useRef } from "preact/hooks";
import type { Tracks } from "../../model/tracks.js";

/** Times the recorded speed, or steps per second. */
export interface Speed {
  readonly label: string;
  readonly times?: number;
  readonly steps?: number;
}

export const SPEEDS: readonly Speed[] = [
  { label: "as recorded", times: 1 },
  { label: "4 × recorded", times: 4 },
  { label: "20 × recorded", times: 20 },
  { label: "10 steps/s", steps: 10 },
  { label: "60 steps/s", steps: 60 },
  { label: "1,000 steps/s", steps: 1000 },
];

/** Moves the cursor, once per frame, while `isPlaying`; calls `onEnd` at the end. */
export function usePlayer(
  tracks: Tracks,
  cursor: number,
  isPlaying: boolean,
  speed: Speed,
  onCursor: (step: number) => void,
  onEnd: () => void,
): void {
  const now = useRef({ cursor, onCursor, onEnd });
  now.current = { cursor, onCursor, onEnd };
  useEffect(() => {
    if (!isPlaying) return;
    let place = Number.NaN;
    let before = performance.now();
    let asked = requestAnimationFrame(function frame(time) {
      const { cursor: current } = now.current;
      const { times: factor, steps = 10 } = speed;
      const isTimed = factor !== undefined && tracks.isTimed;
      const passed = Math.max(0, time - before);
      before = time;
      const here = isTimed ? (tracks.times[current] ?? 0) : current;
      // Somebody else may have moved the cursor: then it goes on from there.
      if (Number.isNaN(place) || stepAt(place, isTimed) !== current) place = here;
      place += isTimed ? passed * factor : (passed * steps) / 1000;
      const next = Math.min(tracks.count - 1, stepAt(place, isTimed));
      if (next !== current) now.current.onCursor(next);
      if (next >= tracks.count - 1) now.current.onEnd();
      else asked = requestAnimationFrame(frame);
    });
    const stepAt = (at: number, isTimed: boolean): number => (isTimed ? tracks.stepAtTime(at) : Math.floor(at));
    return () => cancelAnimationFrame(asked);
  }, [tracks, isPlaying, speed]);
}
