import { MessageAssembler, PartwireError } from "partwire";
import { describe, expect, test } from "vitest";
import { type OpenedStream, open } from "../src/model/opened.js";
import type { Recording } from "../src/model/recording.js";
import { scaleOf, summaryOf } from "../src/model/summary.js";
import { Tracks } from "../src/model/tracks.js";
import { kindWords, laneWords, stepWords } from "../src/model/words.js";
import { recordingOf, recordingOfDeltas } from "./recordings.js";
import { documents, examples, hasRecordings, providerStreams, type Sample } from "./samples.js";

const START = ["start", { modelId: "m", requestId: "q" }] as const;

/** Returns where a recording differs from what an assembler makes of the same deltas. */
function faultsOf(sample: Sample): string[] {
  const recording = recordingOf(sample);
  const tracks = new Tracks(recording);
  const faults: string[] = [];
  const same = (what: string, actual: unknown, expected: unknown): void => {
    const [ours, theirs] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (ours !== theirs) faults.push(`${sample.name}: ${what}: ${ours}, not ${theirs}`);
  };
  for (const [index, { message, status }] of recording.messages.entries()) {
    const parts = recording.lanes.filter((lane) => lane.stream === index && lane.part >= 0);
    if (status === "done") same(`parts of message ${index}`, parts.length, message?.parts.length);
    same(`status of message ${index}`, summaryOf(tracks, index)?.status, status);
  }
  const inLanes = recording.lanes.flatMap((_, lane) => tracks.stepsOf(lane)).length;
  same("steps", inLanes + tracks.outside.length, recording.steps.length);
  const assemblers: MessageAssembler[] = [];
  for (const [index, step] of recording.steps.entries()) {
    const { item } = step;
    if (kindWords(step) === "" || laneWords(recording.lanes[step.lane], 2) === "") faults.push(`${index} has no words`);
    if (stepWords(step).includes("\n")) faults.push(`${index} is not one line`);
    if (item === undefined || "role" in item) continue;
    const assembler = (assemblers[step.stream] ??= new MessageAssembler());
    consume(assembler, item);
    // Every few steps: comparing costs more than all else.
    if (assembler.status === "idle" || (index > 50 && index % 7 > 0)) continue;
    const { snapshot, openCalls, openMedia = [], usage } = assembler.progress();
    const open = tracks.openAt(index).map(({ lane, text }) => [recording.lanes[lane]?.id, text]);
    const calls = openCalls.map(({ toolCallId, rawArgsText }) => [toolCallId, rawArgsText]);
    const media = openMedia.map(({ mediaId, transcript }) => [mediaId, transcript]);
    same(`open at ${index}`, open.sort(), [...calls, ...media].sort());
    same(`usage at ${index}`, recording.usageAt(index), usage);
    const part = snapshot.parts[tracks.partAt(step.lane, index) ?? -1];
    const { kind } = recording.lanes[step.lane] ?? {};
    if (kind === "text" || kind === "thinking") {
      const text = part?.kind === kind ? part.payload.text : undefined;
      same(`text at ${index}`, tracks.textAt(index).text, text);
    }
    if ("kind" in item && item.kind === "text_citation" && step.refused === undefined) {
      const citations = part?.kind === "text" ? part.payload.citations : undefined;
      same(`citation at ${index}`, citations?.at(-1), item.payload.citation);
    }
  }
  return faults;
}

function consume(assembler: MessageAssembler, item: Parameters<MessageAssembler["consume"]>[0]): void {
  try {
    assembler.consume(item);
  } catch (error) {
    if (!(error instanceof PartwireError)) throw error;
  }
}

describe("each step of a stream is as an assembler has it", () => {
  const { deltas = [], chunks = [], run = [] } = documents();
  test.each(Object.entries({ deltas, chunks, run, examples: examples() }))("%s", (_, samples) => {
    expect(samples.length).toBeGreaterThan(5);
    expect(samples.flatMap(faultsOf)).toEqual([]);
  });

  const from = (place: string) => providerStreams().filter(({ name }) => name.startsWith(place));
  test.each(["fixtures v0.2", "fixtures v0.3"])("%s of providers", (place) => {
    expect(from(place).flatMap(faultsOf)).toEqual([]);
  });
  test.skipIf(!hasRecordings)("recordings", () => {
    expect(from("recordings").flatMap(faultsOf)).toEqual([]);
  });
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
  const source = { id: 0, name: "live", bytes: new Uint8Array(0), live: "live/0" };
  const grown = (open(source, { as: "deltas" }) as OpenedStream).recording;
  const tracks = new Tracks(grown);
  const { bytes } = sample as Sample;
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
