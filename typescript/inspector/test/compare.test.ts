import { describe, expect, test } from "vitest";
import { differences, kindCounts, messagesOf, partingOf } from "../src/model/compare.js";
import { examples, fixtures, recordingOf, recordingOfDeltas } from "./streams.js";

const START = ["start", { modelId: "m", requestId: "q" }] as const;
const DONE = ["done", { finishReason: "stop" }] as const;
const text = (textDelta: string) => ["text", { textDelta }] as const;
const of = (...deltas: Parameters<typeof recordingOfDeltas>[0]) => recordingOfDeltas(deltas);

describe("where two streams part", () => {
  test("text may be cut differently", () => {
    const left = of(START, text("It rains"), text(" in Oslo."), DONE);
    const right = of(START, text("It"), text(" rains in"), text(" Oslo."), DONE);
    expect(partingOf(left, right)).toBeUndefined();
  });

  test("a text that differs, by its character", () => {
    const left = of(START, text("It rains in Oslo."), DONE);
    const right = of(START, text("It rains"), text(" in Rome."), DONE);
    expect(partingOf(left, right)).toEqual({ left: 1, right: 2, same: 12 });
  });

  test("a stream that ends earlier", () => {
    const left = of(START, text("It rains."));
    expect(partingOf(left, of(START, text("It rains."), DONE))).toEqual({ left: undefined, right: 2 });
    expect(partingOf(left, of(START, text("It rains. Again.")))).toEqual({ left: undefined, right: 1, same: 9 });
  });

  test("another kind, another ending, another part", () => {
    expect(partingOf(of(START, text("a")), of(START, ["thinking", { textDelta: "a" }]))).toEqual({ left: 1, right: 1 });
    const length = ["done", { finishReason: "length" }] as const;
    expect(partingOf(of(START, text("a"), DONE), of(START, text("a"), length))).toEqual({ left: 2, right: 2 });
  });

  test("ids count where they are asked for", () => {
    const call = (toolCallId: string) =>
      [
        ["tool_call_start", { toolCallId, toolName: "t" }],
        ["tool_call_end", { toolCallId }],
      ] as const;
    const [left, right] = [of(START, ...call("a")), of(START, ...call("b"))];
    expect(partingOf(left, right)).toBeUndefined();
    expect(partingOf(left, right, true)).toEqual({ left: 1, right: 1 });
  });

  test("no stream parts from itself", () => {
    for (const sample of [...examples(), ...fixtures("v0.3/providers"), ...fixtures("v0.3/streams")]) {
      const [left, right] = [recordingOf(sample), recordingOf(sample)];
      expect(partingOf(left, right, true), sample.name).toBeUndefined();
      expect(differences(messagesOf(left), messagesOf(right)), sample.name).toEqual([]);
    }
  });
});

test("steps are counted by kind", () => {
  expect(kindCounts(of(START, text("a"), text("b")), of(START, text("ab"), DONE))).toEqual([
    { kind: "start", left: 1, right: 1 },
    { kind: "text", left: 2, right: 1 },
    { kind: "done", left: 0, right: 1 },
  ]);
});

describe("what two values differ in", () => {
  test("members that one side has, and that differ", () => {
    expect(differences({ a: 1, b: { "c/d": 2 }, e: [] }, { b: { "c/d": 3 }, e: [], f: null })).toEqual([
      { pointer: "/a", rightPointer: "/a", kind: "removed", left: 1 },
      { pointer: "/b/c~1d", rightPointer: "/b/c~1d", kind: "changed", left: 2, right: 3 },
      { pointer: "/f", rightPointer: "/f", kind: "added", right: null },
    ]);
  });

  test("an item that is put in moves the others, and changes none", () => {
    expect(differences({ parts: ["a", "b", "c"] }, { parts: ["a", "x", "b", "c"] })).toEqual([
      { pointer: "/parts/1", rightPointer: "/parts/1", kind: "added", right: "x" },
    ]);
    expect(differences(["a", "b", { c: 1 }], ["b", { c: 2 }])).toEqual([
      { pointer: "/0", rightPointer: "/0", kind: "removed", left: "a" },
      { pointer: "/2/c", rightPointer: "/1/c", kind: "changed", left: 1, right: 2 },
    ]);
  });

  test("ids and times count where they are asked for", () => {
    const [left, right] = [
      { runId: "a", timestamp: "t", text: "x" },
      { runId: "b", timestamp: "u", text: "x" },
    ];
    expect(differences(left, right)).toEqual([]);
    expect(differences(left, right, true).map(({ pointer }) => pointer)).toEqual(["/runId", "/timestamp"]);
  });
});
