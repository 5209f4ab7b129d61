/** The keys of the stream view. */

import type { Tracks } from "../../model/tracks.js";
import { upTo } from "../../model/tracks.js";

/** The keys as the help shows them. */
export const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ["← →", "one step back or on"],
  ["Shift ← →", "ten steps"],
  ["Home End", "the first or the last step"],
  ["[ ]", "the step before or after in the same lane"],
  ["p n", "the finding before or after"],
  ["Space", "play, or stop"],
  ["+ − 0", "zoom in or out, or show all"],
  ["l", "follow the end of a stream that still comes"],
  ["?", "this list"],
];

/** Returns the step to which a key moves the cursor; undefined where it does not. */
export function movedBy(key: string, isShifted: boolean, tracks: Tracks, cursor: number): number | undefined {
  const last = tracks.count - 1;
  if (last < 0) return undefined;
  const by = isShifted ? 10 : 1;
  switch (key) {
    case "ArrowLeft":
    case "ArrowUp":
      return Math.max(0, cursor - by);
    case "ArrowRight":
    case "ArrowDown":
      return Math.min(last, cursor + by);
    case "PageUp":
      return Math.max(0, cursor - 10);
    case "PageDown":
      return Math.min(last, cursor + 10);
    case "Home":
      return 0;
    case "End":
      return last;
    case "[":
      return neighbour(tracks.stepsOf(tracks.recording.steps[cursor]?.lane ?? -1), cursor, -1);
    case "]":
      return neighbour(tracks.stepsOf(tracks.recording.steps[cursor]?.lane ?? -1), cursor, 1);
    case "p":
      return neighbour(placesOf(tracks), cursor, -1);
    case "n":
      return neighbour(placesOf(tracks), cursor, 1);
    default:
      return undefined;
  }
}

function placesOf({ findings }: Tracks): number[] {
  return findings.flatMap(({ step }) => step ?? []);
}

/** Returns the number before or after `at` among numbers that are in order. */
function neighbour(numbers: readonly number[], at: number, by: 1 | -1): number | undefined {
  return by === 1 ? numbers[upTo(numbers, at)] : numbers[upTo(numbers, at - 1) - 1];
}
