/** The axis of the timeline: time or steps, and which piece of it is in view. */

import { type Tracks, upTo } from "../../model/tracks.js";

export type AxisKind = "time" | "steps";

/** A piece of the axis, in milliseconds or steps. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** How close one can look: this many milliseconds or steps. */
const LEAST = 4;

export class Axis {
  #whole: Span = { from: 0, to: 1 };

  constructor(
    readonly tracks: Tracks,
    readonly kind: AxisKind,
  ) {}

  /** All there is; the same object until that changes. */
  get whole(): Span {
    const last = this.tracks.count - 1;
    const end = this.kind === "time" ? (this.tracks.times[last] ?? 0) : last;
    if (this.#whole.to !== Math.max(end, 1)) this.#whole = { from: 0, to: Math.max(end, 1) };
    return this.#whole;
  }

  placeOf(step: number): number {
    return this.kind === "time" ? (this.tracks.times[step] ?? 0) : step;
  }

  /** Returns how many steps are at or before a place. */
  stepsUpTo(place: number): number {
    return this.kind === "time" ? upTo(this.tracks.times, place) : Math.min(this.tracks.count, Math.floor(place) + 1);
  }

  /** Returns the step that is nearest to a place; the last one of those at the same time. */
  nearest(place: number): number {
    const after = this.stepsUpTo(place);
    if (after === 0) return 0;
    if (after >= this.tracks.count) return this.tracks.count - 1;
    const [left, right] = [this.placeOf(after - 1), this.placeOf(after)];
    return place - left <= right - place ? after - 1 : this.stepsUpTo(right) - 1;
  }
}

/** Returns a span that is nearer (factor under 1) or further away, with the same place at `at`. */
export function zoomed(span: Span, factor: number, at: number, whole: Span): Span {
  const size = Math.min(Math.max((span.to - span.from) * factor, LEAST), whole.to - whole.from);
  const share = (at - span.from) / (span.to - span.from);
  return within({ from: at - size * share, to: at - size * share + size }, whole);
}

/** Returns a span moved by `by`. */
export function moved({ from, to }: Span, by: number, whole: Span): Span {
  return within({ from: from + by, to: to + by }, whole);
}

/** Returns a span moved so that a place is in it. */
export function showing(span: Span, place: number, whole: Span): Span {
  if (place >= span.from && place <= span.to) return span;
  return moved(span, place - (span.from + span.to) / 2, whole);
}

function within({ from, to }: Span, whole: Span): Span {
  const size = Math.min(to - from, whole.to - whole.from);
  const begin = Math.min(Math.max(from, whole.from), whole.to - size);
  return { from: begin, to: begin + size };
}

/** Returns the distance of the axis' lines: 1, 2 or 5 times a power of ten, so that about `count` fit. */
export function tickOf(size: number, count: number): number {
  const raw = size / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = [1, 2, 5, 10].find((each) => each * power >= raw) ?? 10;
  return factor * power;
}
