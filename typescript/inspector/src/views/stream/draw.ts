/** Draws the timeline. What is drawn depends on the width of the canvas, not on the length of the stream. */

import { LANE_KINDS } from "../../model/lanes.js";
import { numberWords, rateWords, timeWords } from "../../model/numbers.js";
import { firstWhere } from "../../model/recording.js";
import { MARK_KINDS, type MarkKind, type Tracks, upTo } from "../../model/tracks.js";
import { laneWords } from "../../model/words.js";
import { type Axis, type Span, tickOf } from "./axis.js";

export const ROW = 22;
export const GRAPH = 46;
/** The axis with its numbers, under the graph. */
export const AXIS = 20;
export const HEAD = GRAPH + AXIS;
const EDGE = 10;
/** Pixels of a bin of the graph, and the shortest time of one. */
const BIN = 5;
const BIN_MS = 100;

/** The colours of the timeline, by the names that the style has for them. */
export const COLOURS = [...LANE_KINDS, ...MARK_KINDS, "ink", "quiet", "line", "panel", "accent", "outside"] as const;
type ColourName = (typeof COLOURS)[number];
export type Colours = Readonly<Record<ColourName, string>>;

export interface Scene {
  readonly tracks: Tracks;
  /** How many steps there are, and whether more may come: what a scene of tracks that grow differs in. */
  readonly count: number;
  readonly isOpen: boolean;
  readonly axis: Axis;
  readonly span: Span;
  readonly perCharacter: number;
  readonly isEstimate: boolean;
  readonly width: number;
  readonly height: number;
  /** Pixels of the screen in one of the page. */
  readonly ratio: number;
  /** How wide the names of the lanes are. */
  readonly names: number;
  /** How far the lanes are scrolled. */
  readonly top: number;
  readonly colours: Colours;
}

type Context = CanvasRenderingContext2D;

/** Returns where a place of the axis is, in pixels. */
export function xOf({ span, names, width }: Scene, place: number): number {
  return names + ((place - span.from) / (span.to - span.from)) * (width - names - EDGE);
}

/** Returns the place of the axis at a pixel. */
export function placeAt({ span, names, width }: Scene, x: number): number {
  return span.from + ((x - names) / (width - names - EDGE)) * (span.to - span.from);
}

/** Returns the first visible line, and the one behind the last. */
export function rowsIn({ top, height, tracks }: Scene): [number, number] {
  return [Math.floor(top / ROW), Math.min(tracks.rows.length, Math.ceil((top + height - HEAD) / ROW))];
}

/** Draws all but the cursor. */
export function drawTimeline(context: Context, scene: Scene): void {
  const { width, height, names } = scene;
  context.clearRect(0, 0, width, height);
  context.textBaseline = "middle";
  context.font = "12px system-ui, sans-serif";
  context.save();
  context.beginPath();
  context.rect(0, HEAD, width, height - HEAD);
  context.clip();
  drawNames(context, scene);
  context.beginPath();
  context.rect(names, HEAD, width - names, height - HEAD);
  context.clip();
  drawStalls(context, scene);
  drawLanes(context, scene);
  drawMarks(context, scene);
  drawCuts(context, scene);
  context.restore();
  drawGraph(context, scene);
  drawAxis(context, scene);
}

/** Draws the cursor alone, on a canvas above the other. */
export function drawCursor(context: Context, scene: Scene, step: number): void {
  const { tracks, axis, width, height, names, top, colours } = scene;
  context.clearRect(0, 0, width, height);
  if (tracks.count === 0) return;
  const x = xOf(scene, axis.placeOf(step));
  const y = HEAD + tracks.rowOf(tracks.recording.steps[step]?.lane ?? -1) * ROW - top;
  context.fillStyle = colours.accent;
  if (y > HEAD - ROW && y < height) {
    context.globalAlpha = 0.14;
    context.fillRect(0, Math.max(y, HEAD), width, Math.min(ROW, y + ROW - HEAD));
    context.globalAlpha = 1;
  }
  if (x < names - 1 || x > width) return;
  context.fillRect(x - 0.75, 0, 1.5, height);
  context.beginPath();
  context.moveTo(x - 6, GRAPH);
  context.lineTo(x + 6, GRAPH);
  context.lineTo(x, GRAPH + 8);
  context.fill();
}

function drawNames(context: Context, scene: Scene): void {
  const { tracks, colours, names, top, width } = scene;
  const { lanes, messages } = tracks.recording;
  const [from, to] = rowsIn(scene);
  for (let row = from; row < to; row++) {
    const lane = lanes[tracks.rows[row] as number];
    const y = HEAD + row * ROW - top;
    const isHead = lane === undefined || lane.part < 0;
    if (isHead) {
      context.fillStyle = colours.panel;
      context.fillRect(0, y, width, ROW);
    }
    context.fillStyle = colours.line;
    context.fillRect(0, y + ROW - 1, width, 1);
    context.fillStyle = colours[lane?.kind ?? "outside"];
    context.fillRect(isHead ? 4 : 14, y + 6, 4, ROW - 12);
    context.fillStyle = isHead ? colours.ink : colours.quiet;
    context.font = `${isHead ? "600 " : ""}12px system-ui, sans-serif`;
    context.save();
    context.beginPath();
    context.rect(0, y, names - 6, ROW);
    context.clip();
    context.fillText(laneWords(lane, messages.length), isHead ? 14 : 24, y + ROW / 2);
    context.restore();
  }
  context.fillStyle = colours.line;
  context.fillRect(names - 1, HEAD, 1, scene.height);
}

function drawStalls(context: Context, scene: Scene): void {
  const { tracks, axis, span, height, colours } = scene;
  for (const { step } of tracks.stalls) {
    const [left, right] = [axis.placeOf(step - 1), axis.placeOf(step)];
    if (right < span.from || left > span.to) continue;
    const [x, end] = [xOf(scene, left), xOf(scene, right)];
    context.fillStyle = colours.warning;
    context.globalAlpha = 0.13;
    context.fillRect(x, HEAD, end - x, height - HEAD);
    context.globalAlpha = 1;
  }
}

function drawLanes(context: Context, scene: Scene): void {
  const { tracks, axis, span, top, colours } = scene;
  const [from, to] = rowsIn(scene);
  const [first, end] = [Math.max(0, axis.stepsUpTo(span.from) - 1), axis.stepsUpTo(span.to)];
  for (let row = from; row < to; row++) {
    const index = tracks.rows[row] as number;
    const lane = tracks.recording.lanes[index];
    const steps = tracks.stepsOf(index);
    if (steps.length === 0) continue;
    const middle = HEAD + row * ROW - top + ROW / 2;
    const colour = colours[lane?.kind ?? "outside"];
    context.fillStyle = colour;
    drawExtent(context, scene, index, middle);
    drawSteps(context, scene, steps, [upTo(steps, first - 1), upTo(steps, end)], middle);
  }
}

/** Draws how long a lane is: to its last step, or, while it is open, to the end of the stream. */
function drawExtent(context: Context, scene: Scene, index: number, middle: number): void {
  const { tracks, axis, width, names } = scene;
  const lane = tracks.recording.lanes[index];
  const steps = tracks.stepsOf(index);
  const opens = lane?.kind === "tool_call" || lane?.kind === "server_tool_call" || lane?.kind === "media";
  const isOpen = opens && tracks.ends[index] === undefined;
  const last = isOpen ? tracks.count - 1 : (steps[steps.length - 1] as number);
  const x = Math.max(names, xOf(scene, axis.placeOf(steps[0] as number)));
  const end = Math.min(width, xOf(scene, axis.placeOf(last)));
  if (end <= x) return;
  context.globalAlpha = 0.35;
  if (isOpen) for (let at = x; at < end; at += 6) context.fillRect(at, middle - 1, 3, 2);
  else context.fillRect(x, middle - 1, end - x, 2);
  context.globalAlpha = 1;
  if (!opens) return;
  context.fillRect(x, middle - 6, 2, 12);
  if (!isOpen) context.fillRect(end - 1, middle - 6, 2, 12);
}

function drawSteps(
  context: Context,
  scene: Scene,
  steps: readonly number[],
  [from, to]: readonly [number, number],
  middle: number,
): void {
  const { axis, width, names } = scene;
  if (to - from <= width - names) {
    context.globalAlpha = 0.85;
    for (let index = from; index < to; index++) {
      context.fillRect(xOf(scene, axis.placeOf(steps[index] as number)) - 1, middle - 4, 2, 8);
    }
  } else {
    // One bar per pixel, the darker the more there is: how many are in it is found, not counted.
    let before = from;
    for (let x = names; x < width && before < to; x++) {
      const end = Math.min(to, upTo(steps, axis.stepsUpTo(placeAt(scene, x + 1)) - 1));
      if (end > before) {
        context.globalAlpha = Math.min(1, 0.45 + Math.log2(end - before + 1) / 12);
        context.fillRect(x, middle - 4, 1, 8);
      }
      before = end;
    }
  }
  context.globalAlpha = 1;
}

function drawMarks(context: Context, scene: Scene): void {
  const { tracks, axis, span, top, height, colours } = scene;
  const { marks, recording } = tracks;
  const [from, to] = [axis.stepsUpTo(span.from) - 1, axis.stepsUpTo(span.to)];
  const drawn = new Map<string, number>();
  for (let index = firstWhere(marks.length, (at) => (marks[at]?.step ?? 0) >= from); index < marks.length; index++) {
    const { step, kind } = marks[index] as (typeof marks)[number];
    if (step >= to) break;
    const row = tracks.rowOf(recording.steps[step]?.lane ?? -1);
    const y = HEAD + row * ROW - top + ROW / 2;
    if (y < HEAD - ROW || y > height + ROW) continue;
    const x = xOf(scene, axis.placeOf(step));
    const key = `${row} ${kind}`;
    if (x - (drawn.get(key) ?? Number.NEGATIVE_INFINITY) < 2) continue;
    drawn.set(key, x);
    context.fillStyle = colours[kind];
    context.strokeStyle = colours[kind];
    drawMark(context, kind, x, y);
  }
}

/** Draws where messages were cut off. */
function drawCuts(context: Context, scene: Scene): void {
  const { tracks, axis, top, height, colours } = scene;
  const { messages, steps, lanes } = tracks.recording;
  const [from, to] = rowsIn(scene);
  for (let row = from; row < to; row++) {
    const lane = lanes[tracks.rows[row] as number];
    const message = lane?.kind === "stream" ? messages[lane.stream] : undefined;
    if (message?.status !== "cut" || steps[message.last] === undefined) continue;
    const y = HEAD + row * ROW - top + ROW / 2;
    if (y > height) break;
    context.strokeStyle = colours.error;
    context.lineWidth = 2;
    context.strokeRect(xOf(scene, axis.placeOf(message.last)) - 4, y - 5, 8, 10);
  }
}

function drawMark(context: Context, kind: MarkKind, x: number, y: number): void {
  context.beginPath();
  switch (kind) {
    case "done":
      context.rect(x - 4, y - 5, 8, 10);
      break;
    case "error":
    case "refused":
      context.lineWidth = 2.5;
      context.moveTo(x - 5, y - 5);
      context.lineTo(x + 5, y + 5);
      context.moveTo(x + 5, y - 5);
      context.lineTo(x - 5, y + 5);
      context.stroke();
      return;
    case "warning":
    case "unknown":
      context.moveTo(x, y - 6);
      context.lineTo(x + 6, y + 5);
      context.lineTo(x - 6, y + 5);
      break;
    case "citation":
      context.moveTo(x, y - 6);
      context.lineTo(x + 5, y);
      context.lineTo(x, y + 6);
      context.lineTo(x - 5, y);
      break;
    case "usage":
    case "approval":
      context.arc(x, y, 4, 0, 2 * Math.PI);
  }
  context.fill();
}

function drawGraph(context: Context, scene: Scene): void {
  const { tracks, axis, span, perCharacter, isEstimate, width, names, colours } = scene;
  const isTimed = axis.kind === "time";
  const per = (span.to - span.from) / (width - names - EDGE);
  const size = isTimed ? Math.max(BIN * per, BIN_MS) : Math.max(BIN * per, 1);
  // Bins lie on a grid, so that they do not tremble when the piece in view moves.
  const bins: number[] = [];
  const first = Math.floor(span.from / size);
  let before = charactersUpTo(scene, first * size);
  for (let bin = first; bin * size < span.to; bin++) {
    const after = charactersUpTo(scene, (bin + 1) * size);
    bins.push((after - before) / size);
    before = after;
  }
  const most = Math.max(...bins, 0);
  const floor = GRAPH - 1;
  context.save();
  context.beginPath();
  context.rect(names, 0, width - names, GRAPH);
  context.clip();
  context.fillStyle = colours.text;
  context.globalAlpha = isEstimate && isTimed ? 0.5 : 0.75;
  for (const [index, value] of bins.entries()) {
    if (value === 0) continue;
    const x = xOf(scene, (first + index) * size);
    const high = Math.max(1, (value / most) * (GRAPH - 6));
    context.fillRect(x, floor - high, Math.max(1, xOf(scene, (first + index + 1) * size) - x - 0.5), high);
  }
  context.restore();
  context.fillStyle = colours.line;
  context.fillRect(0, floor, width, 1);
  const rate = isTimed ? most * 1000 * perCharacter : most;
  context.fillStyle = colours.quiet;
  context.font = "11px system-ui, sans-serif";
  const unit = isTimed ? (isEstimate ? "≈ tokens/s" : "tokens/s") : "characters/step";
  context.fillText(unit, 6, 13, names - 10);
  if (tracks.count > 0) context.fillText(`at most ${rateWords(rate)}`, 6, 30, names - 10);
}

function charactersUpTo({ tracks, axis }: Scene, place: number): number {
  const count = place <= 0 ? 0 : axis.stepsUpTo(place - Number.EPSILON * Math.abs(place));
  return count === 0 ? 0 : (tracks.totals[count - 1] as number);
}

function drawAxis(context: Context, scene: Scene): void {
  const { tracks, axis, span, width, names, colours } = scene;
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = colours.quiet;
  // Steps are counted from 1.
  const [words, offset] = axis.kind === "time" ? [timeWords, 0] : [numberWords, 1];
  context.fillText(axis.kind === "time" ? "time" : "step", 6, GRAPH + AXIS / 2, names - 10);
  const tick = Math.max(tickOf(span.to - span.from, (width - names) / 90, axis.kind), axis.kind === "time" ? 0 : 1);
  context.save();
  context.beginPath();
  context.rect(names, 0, width - names, scene.height);
  context.clip();
  for (
    let label = Math.ceil((span.from + offset) / tick) * tick;
    tracks.count > 0 && label - offset <= span.to;
    label += tick
  ) {
    drawTick(context, scene, xOf(scene, label - offset), words(label));
  }

  drawFindings(context, scene);
  context.restore();
  context.fillStyle = colours.line;
  context.fillRect(0, HEAD - 1, width, 1);
  if (axis.kind === "time") for (const { step, ms } of tracks.stalls) drawPause(context, scene, step, ms);
}

function drawTick(context: Context, { width, colours }: Scene, x: number, label: string): void {
  context.fillStyle = colours.line;
  context.fillRect(x, GRAPH, 1, 5);
  context.fillStyle = colours.quiet;
  const wide = context.measureText(label).width;
  context.fillText(label, Math.min(x + 3, width - wide - 2), GRAPH + AXIS / 2 + 1);
}

/** Writes how long a pause is, where there is room for it. */
function drawPause(context: Context, scene: Scene, step: number, ms: number): void {
  const { axis, names, width, colours } = scene;
  const x = Math.max(names, xOf(scene, axis.placeOf(step - 1)));
  const end = Math.min(width, xOf(scene, axis.placeOf(step)));
  const label = `pause ${timeWords(ms)}`;
  if (context.measureText(label).width + 8 > end - x) return;
  context.fillStyle = colours.warning;
  context.fillText(label, x + 4, 12);
}

function drawFindings(context: Context, scene: Scene): void {
  const { tracks, axis, colours } = scene;
  let last = Number.NEGATIVE_INFINITY;
  for (const { finding, step } of tracks.findings) {
    if (step === undefined) continue;
    const x = xOf(scene, axis.placeOf(step));
    if (x - last < 2) continue;
    last = x;
    context.fillStyle = finding.severity === "error" ? colours.error : colours.warning;
    context.fillRect(x - 2, HEAD - 6, 4, 5);
  }
}
