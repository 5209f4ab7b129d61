/** The timeline: a slider over the steps, drawn on a canvas. */

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { numberWords, timeWords } from "../../model/numbers.js";
import { scaleOf } from "../../model/summary.js";
import type { Tracks } from "../../model/tracks.js";
import { kindWords, laneWords, stepWords } from "../../model/words.js";
import { type Axis, moved, type Span, zoomed } from "./axis.js";
import { COLOURS, type Colours, drawCursor, drawTimeline, HEAD, placeAt, ROW, rowsIn, type Scene } from "./draw.js";

/** How many lanes are seen before the rest has to be scrolled to. */
const MOST_ROWS = 11;

export interface TimelineProps {
  readonly tracks: Tracks;
  readonly axis: Axis;
  readonly span: Span;
  readonly cursor: number;
  readonly onSpan: (span: Span) => void;
  readonly onCursor: (step: number) => void;
}

export function Timeline({ tracks, axis, span, cursor, onSpan, onCursor }: TimelineProps) {
  const frame = useRef<HTMLDivElement>(null);
  const below = useRef<HTMLCanvasElement>(null);
  const above = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0, ratio: 1 });
  const [top, setTop] = useState(0);
  const [colours, setColours] = useState<Colours>();
  const { count } = tracks;
  const isOpen = tracks.recording.open;
  const { perCharacter, isEstimate } = scaleOf(tracks);
  const rows = Math.max(1, tracks.rows.length);
  const high = HEAD + ROW * Math.min(rows, MOST_ROWS) + (rows > MOST_ROWS ? ROW / 2 : 0);

  useEffect(() => {
    const element = frame.current as HTMLDivElement;
    const measure = (): void => {
      setSize({ width: element.clientWidth, height: element.clientHeight, ratio: devicePixelRatio });
      setColours(coloursOf(element));
    };
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", measure);
    // The theme may also be chosen in the page.
    const themes = new MutationObserver(measure);
    themes.observe(document.documentElement, { attributes: true });
    measure();
    return () => {
      sizes.disconnect();
      themes.disconnect();
      dark.removeEventListener("change", measure);
    };
  }, []);

  const names = size.width < 600 ? 96 : 170;
  const scene: Scene | undefined = useMemo(() => {
    if (colours === undefined || size.width === 0) return undefined;
    return { ...size, tracks, count, isOpen, axis, span, perCharacter, isEstimate, names, top, colours };
  }, [tracks, count, isOpen, axis, span, perCharacter, isEstimate, size, names, top, colours]);
  useLayoutEffect(() => {
    if (scene !== undefined) drawTimeline(contextOf(below.current as HTMLCanvasElement, scene), scene);
  }, [scene]);
  useLayoutEffect(() => {
    if (scene !== undefined) drawCursor(contextOf(above.current as HTMLCanvasElement, scene), scene, cursor);
  }, [scene, cursor]);

  const gestures = useGestures(scene, axis, onSpan, onCursor);
  useRowInView(frame, tracks, cursor, gestures.isDown);
  return (
    <div
      ref={frame}
      class="timeline"
      role="slider"
      tabIndex={0}
      aria-label="Timeline"
      aria-valuemin={1}
      aria-valuemax={Math.max(count, 1)}
      aria-valuenow={Math.min(cursor + 1, Math.max(count, 1))}
      aria-valuetext={wordsOf(tracks, cursor)}
      style={{ height: `${high}px` }}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      {...gestures.handlers}
    >
      <div class="timeline-canvases" style={{ height: `${high}px` }}>
        <canvas ref={below} />
        <canvas ref={above} />
      </div>
      <div style={{ height: `${Math.max(0, HEAD + rows * ROW - high)}px` }} />
      {COLOURS.map((name) => (
        <i key={name} class={`colour colour-${name}`} data-colour={name} />
      ))}
    </div>
  );
}

function coloursOf(element: Element): Colours {
  const found = [...element.querySelectorAll<HTMLElement>("[data-colour]")].map((each) => [
    each.dataset["colour"],
    getComputedStyle(each).color,
  ]);
  return Object.fromEntries(found) as Colours;
}

/** Returns a canvas' context, in which a pixel is one of the page's. */
function contextOf(canvas: HTMLCanvasElement, { width, height, ratio }: Scene): CanvasRenderingContext2D {
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

function wordsOf(tracks: Tracks, cursor: number): string {
  const step = tracks.recording.steps[cursor];
  if (step === undefined) return "no steps";
  const { lanes, messages } = tracks.recording;
  const time = tracks.isTimed ? `, ${timeWords(tracks.times[cursor] ?? 0)}` : "";
  const place = `step ${numberWords(cursor + 1)} of ${numberWords(tracks.count)}${time}`;
  return `${place}: ${kindWords(step)}, ${laneWords(lanes[step.lane], messages.length)}, ${stepWords(step)}`;
}

/** Scrolls to the line of the cursor, unless a pointer holds the timeline. */
function useRowInView(
  frame: { readonly current: HTMLDivElement | null },
  tracks: Tracks,
  cursor: number,
  isDown: boolean,
): void {
  const row = tracks.rowOf(tracks.recording.steps[cursor]?.lane ?? -1);
  useEffect(() => {
    const element = frame.current;
    if (element === null || isDown) return;
    const [from, to] = [row * ROW, (row + 1) * ROW];
    const seen = element.clientHeight - HEAD;
    if (from < element.scrollTop) element.scrollTop = from;
    else if (to > element.scrollTop + seen) element.scrollTop = to - seen;
  }, [row, frame, isDown]);
}

/** Drag moves the cursor, with shift or two fingers the piece in view; the wheel zooms with control. */
function useGestures(
  scene: Scene | undefined,
  axis: Axis,
  onSpan: (span: Span) => void,
  onCursor: (step: number) => void,
) {
  const now = useRef({ scene, axis, onSpan, onCursor });
  now.current = { scene, axis, onSpan, onCursor };
  const [isDown, setDown] = useState(false);
  const pointers = useRef(new Map<number, number>());
  const asked = useRef<number | undefined>(undefined);
  const wanted = useRef(0);
  // As it was when the pointer came down: asking for it in every frame would have the page laid out once more.
  const box = useRef<DOMRect | undefined>(undefined);

  /** Moves the cursor once per frame, however often the pointer says where it is. */
  const scrub = useCallback((x: number): void => {
    wanted.current = x;
    asked.current ??= requestAnimationFrame(() => {
      asked.current = undefined;
      const { scene: current, axis: along, onCursor: say } = now.current;
      if (current !== undefined && along.tracks.count > 0) say(along.nearest(placeAt(current, wanted.current)));
    });
  }, []);

  const onPointerDown = (event: PointerEvent): void => {
    const element = event.currentTarget as HTMLElement;
    if (scene === undefined || event.button !== 0) return;
    const { x, y } = placeIn(element, event);
    if (x > element.clientWidth) return; // the scroll bar
    if (x < scene.names) {
      if (y > HEAD) select(scene, y, onCursor);
      return;
    }
    element.setPointerCapture(event.pointerId);
    box.current = element.getBoundingClientRect();
    pointers.current.set(event.pointerId, x);
    setDown(true);
    if (pointers.current.size === 1 && !event.shiftKey) scrub(x);
  };
  const onPointerMove = (event: PointerEvent): void => {
    const before = pointers.current.get(event.pointerId);
    if (before === undefined || scene === undefined) return;
    const x = event.clientX - (box.current?.left ?? 0);
    const others = [...pointers.current.entries()].filter(([id]) => id !== event.pointerId);
    pointers.current.set(event.pointerId, x);
    const other = others[0]?.[1];
    if (other !== undefined) {
      const factor = Math.max(10, Math.abs(before - other)) / Math.max(10, Math.abs(x - other));
      onSpan(zoomed(scene.span, factor, placeAt(scene, other), axis.whole));
    } else if (event.shiftKey) {
      onSpan(moved(scene.span, placeAt(scene, before) - placeAt(scene, x), axis.whole));
    } else scrub(x);
  };
  const onPointerUp = (event: PointerEvent): void => {
    pointers.current.delete(event.pointerId);
    setDown(pointers.current.size > 0);
  };
  const onWheel = (event: WheelEvent): void => {
    if (scene === undefined) return;
    const { x } = placeIn(event.currentTarget as HTMLElement, event);
    const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
    if (event.ctrlKey || event.metaKey) {
      onSpan(zoomed(scene.span, 1.002 ** event.deltaY, placeAt(scene, x), axis.whole));
    } else if (Math.abs(sideways) > 0) {
      onSpan(moved(scene.span, placeAt(scene, sideways) - placeAt(scene, 0), axis.whole));
    } else return;
    event.preventDefault();
  };
  return { isDown, handlers: { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: onPointerUp, onWheel } };
}

function placeIn(element: HTMLElement, event: MouseEvent): { readonly x: number; readonly y: number } {
  const box = element.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

/** Goes to the first step of the lane whose name was chosen. */
function select(scene: Scene, y: number, onCursor: (step: number) => void): void {
  const row = Math.floor((y - HEAD + scene.top) / ROW);
  const [, end] = rowsIn(scene);
  const lane = scene.tracks.rows[row];
  const [first] = lane === undefined || row >= end ? [] : scene.tracks.stepsOf(lane);
  if (first !== undefined) onCursor(first);
}
