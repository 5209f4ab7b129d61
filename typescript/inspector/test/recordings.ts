/** Samples and lists of deltas as recordings. */

import { heldBy, open } from "../src/model/opened.js";
import type { Recording } from "../src/model/recording.js";
import type { Sample } from "./samples.js";

/** Returns a sample as the recording that the page shows. */
export function recordingOf({ name, bytes, ...as }: Sample): Recording {
  const source = { id: 0, name, bytes };
  const opened = open(source, as.as === undefined ? (heldBy(source)[0] ?? {}) : as);
  if (opened.view !== "stream") throw new Error(`${name} is shown as ${opened.view}`);
  return opened.recording;
}

type Delta = readonly [kind: string, payload: object, ms?: number];

/** Returns a recording of deltas: their kinds and payloads, and the milliseconds at which they come. */
export function recordingOfDeltas(deltas: readonly Delta[]): Recording {
  const lines = deltas.map(([kind, payload, ms = 0], seq) =>
    JSON.stringify({ kind, runId: "run", seq, payload, timestamp: new Date(Date.UTC(2026, 0, 2) + ms).toISOString() }),
  );
  return recordingOf({ name: "deltas", as: "deltas", bytes: new TextEncoder().encode(lines.join("\n")) });
}
