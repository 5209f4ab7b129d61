import { describe, expect, test } from "vitest";
import { pieceOf, visibleLine } from "../src/model/lines.js";
import { timeWords } from "../src/model/numbers.js";
import { Tracks } from "../src/model/tracks.js";
import { Axis, moved, showing, tickOf, zoomed } from "../src/views/stream/axis.js";
import { movedBy } from "../src/views/stream/keys.js";
import { recordingOfDeltas } from "./recordings.js";

const deltas = recordingOfDeltas([
  ["start", { modelId: "m", requestId: "q" }],
  ["text", { textDelta: "a" }, 100],
  ["tool_call_start", { toolCallId: "c", toolName: "t" }, 200],
  ["tool_call_args", { toolCallId: "nobody", argsTextDelta: "{}" }, 200],
  ["tool_call_args", { toolCallId: "c", argsTextDelta: "{}" }, 200],
  ["text", { textDelta: "b" }, 900],
]);
const tracks = new Tracks(deltas);

test.each([
  ["ArrowRight", false, 2, 3],
  ["ArrowLeft", false, 0, 0],
  ["ArrowRight", true, 2, 5],
  ["Home", false, 4, 0],
  ["End", false, 0, 5],
  ["]", false, 2, 4],
  ["[", false, 4, 2],
  ["[", false, 2, undefined],
  ["n", false, 0, 3],
  ["p", false, 5, 3],
  ["x", false, 0, undefined],
])("%s (shift: %s) moves the cursor from %i to %s", (key, isShifted, from, to) => {
  expect(movedBy(key, isShifted, tracks, from)).toBe(to);
});

describe("the axis", () => {
  const axis = new Axis(tracks, "time");

  test("finds the nearest step, the last one of those at a time", () => {
    expect([-50, 40, 60, 160, 210, 500, 560, 5000].map((place) => axis.nearest(place))).toEqual([
      0, 0, 1, 4, 4, 4, 5, 5,
    ]);
  });

  test("by steps, too", () => {
    expect(new Axis(tracks, "steps").nearest(2.4)).toBe(2);
    expect(new Axis(tracks, "steps").whole).toEqual({ from: 0, to: 5 });
  });

  test("a zoom keeps its place, and stays within the whole", () => {
    const whole = { from: 0, to: 1000 };
    expect(zoomed(whole, 0.5, 500, whole)).toEqual({ from: 250, to: 750 });
    expect(zoomed({ from: 0, to: 100 }, 0.5, 0, whole)).toEqual({ from: 0, to: 50 });
    expect(zoomed({ from: 250, to: 750 }, 9, 400, whole)).toEqual(whole);
    expect(moved({ from: 0, to: 100 }, -50, whole)).toEqual({ from: 0, to: 100 });
    expect(showing({ from: 0, to: 100 }, 500, whole)).toEqual({ from: 450, to: 550 });
  });

  test.each([
    [1000, 10, 100],
    [900, 4, 500],
    [7, 7, 1],
    [0.3, 2, 0.2],
  ])("%d in about %d pieces are pieces of %d", (size, count, tick) => {
    expect(tickOf(size, count)).toBeCloseTo(tick);
  });
});

test("a long time is cut at minutes", () => {
  expect(tickOf(1_211_000, 12, "time")).toBe(120_000);
  expect(tickOf(60_000, 12, "time")).toBe(5000);
});

test("no character is cut in two", () => {
  expect([pieceOf("x😀y", 0, 2), pieceOf("x😀y", 2, 4)]).toEqual(["x😀", "y"]);
});

test("labels are one line, in which nothing hides", () => {
  expect(visibleLine("a\nb\u202e\u0007")).toBe("a⏎b⟨U+202E⟩␇");
  expect(visibleLine("x😀😀", 3)).toBe("x…");
});

test("times in words", () => {
  expect([340, 2410, 187_000, 3_787_000].map(timeWords)).toEqual(["340 ms", "2.41 s", "3:07", "1:03:07"]);
});
