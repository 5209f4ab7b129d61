import { MessageAssembler, PartwireError } from "partwire";
import { describe, expect, test } from "vitest";
import type { Recording } from "../src/model/recording.js";
import { scaleOf, summaryOf } from "../src/model/summary.js";
import { Tracks } from "../src/model/tracks.js";
import { kindWords, laneWords, stepWords } from "../src/model/words.js";
import { examples, fixtures, recordingOf, recordingOfDeltas, recordings, type Sample } from "./streams.js";

const START = ["start", { modelId: "m", requestId: "q" }] as const;

/** Holds every step against an assembler that takes the same deltas. */
function check(sample: Sample): void {
  const recording = recordingOf(sample);
  const tracks = new Tracks(recording);
  const name = sample.name;
  expect(tracks.count, name).toBe(recording.steps.length);
  for (const [index, { message, status }] of recording.messages.entries()) {
    const parts = recording.lanes.filter((lane) => lane.stream === index && lane.part >= 0);
    if (status === "done") expect(parts.length, name).toBe(message?.parts.length);
    expect(summaryOf(tracks, index)?.status, name).toBe(status);
  }
  expect(scaleOf(tracks).perCharacter, name).toBeGreaterThan(0);
  const lanesSteps = recording.lanes.flatMap((_, lane) => tracks.stepsOf(lane)).length;
  expect(lanesSteps + tracks.outside.length, name).toBe(tracks.count);
  const assemblers: MessageAssembler[] = [];
  for (const [index, step] of recording.steps.entries()) {
    expect(kindWords(step) + stepWords(step) + laneWords(recording.lanes[step.lane], 2), name).not.toBe("");
    if (step.item === undefined || "role" in step.item) continue;
    const assembler = (assemblers[step.stream] ??= new MessageAssembler());
    consume(assembler, step.item);
    // Every few steps: comparing costs more than all else.
    if (assembler.status === "idle" || (index > 50 && index % 7 > 0)) continue;
    const { snapshot, openCalls, openMedia = [], usage } = assembler.progress();
    const open = tracks.openAt(index).map(({ lane, text }) => [recording.lanes[lane]?.id, text]);
    const calls = openCalls.map(({ toolCallId, rawArgsText }) => [toolCallId, rawArgsText]);
    expect(open, name).toHaveLength(calls.length + openMedia.length);
    expect(open, name).toEqual(expect.arrayContaining(calls));
    expect(open, name).toEqual(expect.arrayContaining(openMedia.map((each) => [each.mediaId, each.transcript])));
    expect(recording.usageAt(index), name).toEqual(usage);
    const { item } = step;
    const part = snapshot.parts[tracks.partAt(step.lane, index) ?? -1];
    if (part?.kind === "text" || part?.kind === "thinking") {
      expect(tracks.textAt(index).text, name).toBe(part.payload.text);
    }
    if ("kind" in item && item.kind === "text_citation" && step.refused === undefined) {
      expect(part?.kind === "text" && part.payload.citations, name).toContainEqual(item.payload.citation);
    }
  }
}

function consume(assembler: MessageAssembler, item: Parameters<MessageAssembler["consume"]>[0]): void {
  try {
    assembler.consume(item);
  } catch (error) {
    if (!(error instanceof PartwireError)) throw error;
  }
}

describe("each step of a stream is as an assembler has it", () => {
  const folders = ["v0.2/streams", "v0.3/streams", "v0.2/chunks", "v0.3/chunks", "v0.2/providers", "v0.3/providers"];
  test.each([...folders, "formats"])("fixtures of %s", (folder) => {
    const samples = fixtures(folder);
    expect(samples.length).toBeGreaterThan(10);
    samples.forEach(check);
  });

  test("examples", () => examples().forEach(check));

  const recorded = recordings();
  test.skipIf(recorded.length === 0)("recordings", () => recorded.forEach(check));
});

describe("times", () => {
  const slow: [string, object, number][] = Array.from({ length: 40 }, (_, i) => [
    "text",
    { textDelta: "word" },
    i * 10 + (i > 20 ? 4000 : 0),
  ]);
  const recording = recordingOfDeltas([
    START,
    ...slow,
    ["usage", { inputTokens: 1, outputTokens: 80, totalTokens: 81 }, 4500],
    ["done", { finishReason: "stop" }, 4500],
  ]);
  const tracks = new Tracks(recording);

  test("a long pause is a stall", () => {
    expect(tracks.isTimed).toBe(true);
    expect(tracks.stalls).toEqual([{ step: 22, ms: 4010 }]);
  });

  test("a step is found by its time", () => {
    expect(tracks.stepAtTime(105)).toBe(11);
    expect(tracks.stepAtTime(-5)).toBe(0);
  });

  test("tokens are counted by the usage", () => {
    expect(scaleOf(tracks)).toEqual({ perCharacter: 0.5, isEstimate: false });
    expect(summaryOf(tracks, 0)).toMatchObject({
      firstTextMs: 0,
      durationMs: 4500,
      characters: 160,
      finishReason: "stop",
    });
  });

  test("without usage they are a guess", () => {
    const bare = new Tracks(recordingOfDeltas([START, ["text", { textDelta: "word" }]]));
    expect(scaleOf(bare)).toEqual({ perCharacter: 0.25, isEstimate: true });
    expect(bare.isTimed).toBe(false);
  });

  test("times that go back stay where they were", () => {
    const back = new Tracks(
      recordingOfDeltas([START, ["text", { textDelta: "a" }, 500], ["text", { textDelta: "b" }, 200]]),
    );
    expect(back.times).toEqual([0, 500, 500]);
  });
});

test("a recording that grows is read on", () => {
  const [sample] = examples().filter(({ name }) => name.endsWith("mixed.jsonl"));
  const whole = recordingOf(sample as Sample);
  const grown = recordingOf({
    name: "live",
    as: { as: "deltas" },
    source: { id: 0, name: "live", bytes: new Uint8Array(0), live: "live/0" },
  });
  const tracks = new Tracks(grown);
  const { bytes } = (sample as Sample).source;
  for (let at = 0; at < bytes.length; at += 37) {
    grown.feed(bytes.subarray(at, at + 37));
    tracks.update();
  }
  grown.close();
  tracks.update();
  const all = new Tracks(whole);
  expect([tracks.steps, tracks.lengths, tracks.marks, tracks.rows]).toEqual([
    all.steps,
    all.lengths,
    all.marks,
    all.rows,
  ]);
  expect(lastText(tracks, grown)).toBe(lastText(all, whole));
});

function lastText(tracks: Tracks, { steps }: Recording): string {
  const texts = steps.flatMap(({ item }, index) =>
    item !== undefined && "kind" in item && item.kind === "text" ? [index] : [],
  );
  return tracks.textAt(texts[texts.length - 1] as number).text;
}
