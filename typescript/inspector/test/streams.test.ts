/** Whatever streams and documents there are: each opens as what it is, and shows all that it holds. */

import { describe, expect, test } from "vitest";
import { timeOf } from "../src/model/conversation.js";
import { heldBy, type Opened, open } from "../src/model/opened.js";
import { summaryOf } from "../src/model/summary.js";
import { Tracks } from "../src/model/tracks.js";
import { documents, example, examples, hasRecordings, providerStreams, type Sample } from "./samples.js";

const opened = ({ name, bytes, ...as }: Sample): Opened => open({ id: 0, name, bytes, ...as }, as);
const heldIn = ({ name, bytes }: Sample) => heldBy({ id: 0, name, bytes });

describe("streams of providers", () => {
  test.skipIf(!hasRecordings)("the recordings are on this machine", () => {
    expect(providerStreams().filter(({ name }) => name.startsWith("recordings")).length).toBeGreaterThan(100);
  });

  test.each(providerStreams())("$name", (sample) => {
    const shown = opened(sample);
    if (shown.view !== "stream") throw new Error(`shown as ${shown.view}`);
    const { recording } = shown;
    expect(recording.open).toBe(false);
    expect(recording.steps.length).toBeGreaterThan(0);
    // Each raw event belongs to one step, in order.
    let at = 0;
    for (const { events, lane } of recording.steps) {
      expect(events[0]).toBe(at);
      at = events[1];
      expect(lane === -1 || recording.lanes[lane] !== undefined).toBe(true);
    }
    for (const [index, { message, status }] of recording.messages.entries()) {
      const parts = recording.lanes.filter(({ stream, part }) => stream === index && part >= 0);
      if (status === "done") expect(parts.length).toBe(message?.parts.length);
    }
  });

  test("are told apart by what they hold", () => {
    const wrong = providerStreams().filter((sample) => !heldIn(sample).some(({ as }) => as === sample.as));
    // Nothing in these says whose they are.
    const unsaid = ["done-alone.sse", "error-as-a-long-number.sse"];
    expect(wrong.map(({ name }) => name).filter((name) => !unsaid.some((each) => name.endsWith(each)))).toEqual([]);
  });
});

/** The view of each kind of document; of a run and of a format, what is refused as a whole has none. */
const VIEWS: Readonly<Record<string, readonly string[]>> = {
  deltas: ["stream"],
  chunks: ["stream"],
  run: ["stream"],
  message: ["history"],
  history: ["history"],
  session: ["session"],
  "history of a format": ["history", "nothing"],
  report: ["report"],
};

test.each(Object.entries(documents()))("%s", (kind, samples) => {
  expect(samples.length).toBeGreaterThan(2);
  const views = VIEWS[kind] ?? [];
  const wrong = samples.filter((sample) => !views.includes(opened(sample).view));
  expect(wrong.map(({ name }) => name)).toEqual([]);
  // What is refused is not the most.
  expect(samples.filter((sample) => opened(sample).view === views[0]).length).toBeGreaterThan(samples.length / 2);
});

test.each(examples())("$name is known by what it holds", (sample) => {
  const [as] = heldIn(sample);
  expect(opened({ ...sample, ...as }).view).toBe("stream");
});

test("a stream that is cut says so", () => {
  const { bytes } = example("trip-calls.sse");
  const shown = opened({ name: "cut", as: "anthropic-messages", bytes: bytes.subarray(0, bytes.length / 2) });
  if (shown.view !== "stream") throw new Error(`shown as ${shown.view}`);
  expect(summaryOf(new Tracks(shown.recording), 0)).toMatchObject({ status: "error", errorCode: "truncated_stream" });
});

test("a history without times shows none, and one with times does", () => {
  expect([timeOf({ timestamp: "1970-01-01T00:00:00Z" }), timeOf({ timestamp: "2026-01-02T03:04:05Z" })]).toEqual([
    undefined,
    "2026-01-02T03:04:05Z",
  ]);
});
