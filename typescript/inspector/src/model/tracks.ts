/**
 * What the timeline and the panels ask of a recording, at any step and at a cost that does not grow with the stream:
 * when, how much text, in which lane, and what is open. It reads on where it was when the recording grows.
 */

import { type MessageDelta, Unknown } from "partwire";
import type { Lane } from "./lanes.js";
import { firstWhere, type PlacedFinding, type Recording, type Step } from "./recording.js";

/** What a step is marked with. */
export const MARK_KINDS = ["done", "error", "refused", "unknown", "citation", "warning", "usage", "approval"] as const;
export type MarkKind = (typeof MARK_KINDS)[number];

export interface Mark {
  readonly step: number;
  readonly kind: MarkKind;
}

/** A time in which nothing came: much longer than is usual in this stream. */
export interface Stall {
  /** The step after it. */
  readonly step: number;
  readonly ms: number;
}

/** What came of a message so far. */
export interface MessageTrack {
  steps: number;
  /** Of text, reasoning and arguments. */
  characters: number;
  parts: number;
  hasThinking: boolean;
  /** The first step that brought text. */
  firstText: number | undefined;
}

/** What a call or media is like at a step, while it is open. */
export interface OpenPart {
  readonly lane: number;
  /** The argument text, or what is said in the media, so far. */
  readonly text: string;
  /** Media: letters of Base64 so far. */
  readonly letters: number;
}

/** How long nothing may come before that is a stall: at least this, and this many times the usual. */
const STALL_MS = 750;
const STALL_FACTOR = 8;
/** How many pauses say what is usual. */
const SAMPLE = 1024;

const MARKS: Readonly<Record<string, MarkKind>> = {
  done: "done",
  error: "error",
  text_citation: "citation",
  warning: "warning",
  usage: "usage",
  approval_request: "approval",
};
const ENDS = ["tool_call_end", "server_tool_call_end", "media_end"];
const NONE: readonly number[] = [];

export class Tracks {
  /** The steps of each lane, in order. */
  readonly steps: number[][] = [];
  /** The steps that belong to no lane. */
  readonly outside: number[] = [];
  /** Per step: milliseconds since the first one; never less than at the step before. */
  readonly times: number[] = [];
  /** Per step: characters of text, reasoning and arguments up to and with it, of all lanes. */
  readonly totals: number[] = [];
  /** Per step: how long the text of its lane is after it. */
  readonly lengths: number[] = [];
  readonly marks: Mark[] = [];
  /** The step that ended a call or media, by lane. */
  readonly ends: (number | undefined)[] = [];
  /** Tells the steps apart by time. */
  isTimed = false;
  #begin = Number.NaN;
  readonly #pieces: string[][] = [];
  readonly #texts: { text: string; count: number }[] = [];
  readonly #pauses: number[] = [];
  readonly #stalls: Stall[] = [];
  readonly #parts: number[][] = [];
  #rows: number[] = [];
  #rowOf: number[] = [];
  readonly #messages: MessageTrack[] = [];
  #findings: readonly PlacedFinding[] = [];
  #found = -1;

  constructor(readonly recording: Recording) {
    this.update();
  }

  get count(): number {
    return this.times.length;
  }

  /** Reads what has come since; tells whether there was anything. */
  update(): boolean {
    const { steps, lanes } = this.recording;
    const before = this.count;
    for (let index = this.steps.length; index < lanes.length; index++) this.#open(lanes[index] as Lane);
    for (let index = before; index < steps.length; index++) this.#add(steps[index] as Step, index);
    if (this.#rows.length !== lanes.length + (this.outside.length > 0 ? 1 : 0)) this.#arrange(lanes);
    return this.count !== before;
  }

  /** The lines of the timeline: lanes by message and part; before them -1, if there are steps of no lane. */
  get rows(): readonly number[] {
    return this.#rows;
  }

  /** Returns the line of a lane. */
  rowOf(lane: number): number {
    return lane < 0 ? 0 : (this.#rowOf[lane] ?? 0);
  }

  /** What did not fit, in the order of the steps. */
  get findings(): readonly PlacedFinding[] {
    const state = this.count * 2 + (this.recording.open ? 0 : 1);
    if (this.#found !== state) {
      this.#found = state;
      const last = this.count;
      this.#findings = [...this.recording.findings].sort((a, b) => (a.step ?? last) - (b.step ?? last));
    }
    return this.#findings;
  }

  /** Times in which nothing came, in order. */
  get stalls(): readonly Stall[] {
    const usual = [...this.#pauses].sort((a, b) => a - b)[this.#pauses.length >> 1] ?? 0;
    return this.#stalls.filter(({ ms }) => ms >= usual * STALL_FACTOR);
  }

  /** Returns what came of a message so far. */
  messageOf(stream: number): MessageTrack {
    this.#messages[stream] ??= { steps: 0, characters: 0, parts: 0, hasThinking: false, firstText: undefined };
    return this.#messages[stream];
  }

  /** Returns the steps of a lane; of -1, those of none. */
  stepsOf(lane: number): readonly number[] {
    return lane < 0 ? this.outside : (this.steps[lane] ?? NONE);
  }

  /** Returns the text of a step's lane after it, and how much of its end is new. */
  textAt(step: number): { readonly text: string; readonly added: number } {
    const lane = this.recording.steps[step]?.lane ?? -1;
    const length = this.lengths[step] ?? 0;
    return { text: this.#textOf(lane, length), added: this.#pieceAt(step).length };
  }

  /** Returns the calls and media of a step's message that are open after it, in the order of their start. */
  openAt(step: number): OpenPart[] {
    const { stream } = this.recording.steps[step] ?? { stream: -1 };
    return (this.#parts[stream] ?? NONE).flatMap((lane) => {
      const own = this.steps[lane] as readonly number[];
      const end = this.ends[lane];
      if ((own[0] ?? Number.POSITIVE_INFINITY) > step || (end !== undefined && end <= step)) return [];
      const count = upTo(own, step);
      const text = this.#textOf(lane, this.lengths[own[count - 1] as number] as number);
      return [{ lane, text, letters: this.#lettersOf(own, count) }];
    });
  }

  /** Returns the place of a lane's part in the message after a step; undefined while it is not in it. */
  partAt(lane: number, step: number): number | undefined {
    const { lanes } = this.recording;
    const own = lanes[lane];
    if (own === undefined || own.part < 0) return undefined;
    const open = new Set(this.openAt(step).map((each) => each.lane));
    if (open.has(lane)) return undefined;
    let before = 0;
    for (const each of open) if ((lanes[each] as Lane).part < own.part) before++;
    return own.part - before;
  }

  /** Returns the last step at or before a time in milliseconds since the first; the first step if there is none. */
  stepAtTime(ms: number): number {
    return Math.max(0, upTo(this.times, ms) - 1);
  }

  #open(lane: Lane): void {
    const index = this.steps.push([]) - 1;
    this.#pieces.push([]);
    this.#texts.push({ text: "", count: 0 });
    this.ends.push(undefined);
    const message = this.messageOf(lane.stream);
    if (lane.part >= 0) message.parts += 1;
    if (lane.kind === "thinking") message.hasThinking = true;
    if (lane.kind === "tool_call" || lane.kind === "server_tool_call" || lane.kind === "media") {
      const known = this.#parts[lane.stream];
      if (known === undefined) this.#parts[lane.stream] = [index];
      else known.push(index);
    }
  }

  #add(step: Step, index: number): void {
    const { lane, item, time } = step;
    this.#time(time, index);
    if (lane < 0) this.outside.push(index);
    const own = this.steps[lane];
    const before = own === undefined || own.length === 0 ? 0 : (this.lengths[own[own.length - 1] as number] as number);
    own?.push(index);
    const piece = this.#pieceAt(index);
    if (own !== undefined) this.#count(step.stream, index, piece);
    if (piece !== "") this.#pieces[lane]?.push(piece);
    this.lengths.push(before + piece.length);
    this.totals.push((this.totals[index - 1] ?? 0) + piece.length);
    if (step.refused !== undefined) this.marks.push({ step: index, kind: "refused" });
    else if (item instanceof Unknown) this.marks.push({ step: index, kind: "unknown" });
    else if (item !== undefined && "kind" in item) {
      const kind = MARKS[item.kind];
      if (kind !== undefined) this.marks.push({ step: index, kind });
      if (ENDS.includes(item.kind)) this.ends[lane] = index;
    }
  }

  #count(stream: number, index: number, piece: string): void {
    const message = this.messageOf(stream);
    message.steps += 1;
    message.characters += piece.length;
    if (piece !== "") message.firstText ??= index;
  }

  #time(time: number, index: number): void {
    const before = this.times[index - 1] ?? 0;
    if (Number.isNaN(this.#begin)) this.#begin = time;
    const at = Number.isNaN(time) ? before : Math.max(before, time - this.#begin);
    this.times.push(at);
    if (index === 0 || Number.isNaN(time)) return;
    const pause = at - before;
    if (pause === 0) return;
    this.isTimed = true;
    if (this.#pauses.length < SAMPLE) this.#pauses.push(pause);
    if (pause >= STALL_MS) this.#stalls.push({ step: index, ms: pause });
  }

  /** Returns the text that a step adds to its lane. */
  #pieceAt(step: number): string {
    const { item, refused } = this.recording.steps[step] as Step;
    return refused !== undefined || item === undefined || item instanceof Unknown || "role" in item
      ? ""
      : addedBy(item);
  }

  /** Returns the first characters of a lane's text: a view of the one whole text, not a copy. */
  #textOf(lane: number, length: number): string {
    const kept = this.#texts[lane];
    const pieces = this.#pieces[lane];
    if (kept === undefined || pieces === undefined) return "";
    if (kept.count < pieces.length) {
      kept.text += pieces.slice(kept.count).join("");
      kept.count = pieces.length;
    }
    return kept.text.slice(0, length);
  }

  /** Returns how many letters of Base64 the first steps of a lane have brought. */
  #lettersOf(own: readonly number[], count: number): number {
    let letters = 0;
    for (let index = 0; index < count; index++) {
      const { item } = this.recording.steps[own[index] as number] as Step;
      if (item === undefined || !("kind" in item) || item.kind !== "media_data") continue;
      const { data, dataDelta } = item.payload;
      letters = (data === undefined ? letters : data.length) + (dataDelta?.length ?? 0);
    }
    return letters;
  }

  #arrange(lanes: readonly Lane[]): void {
    const order = lanes.map((_, lane) => lane);
    order.sort((a, b) => {
      const [left, right] = [lanes[a] as Lane, lanes[b] as Lane];
      return left.stream - right.stream || left.part - right.part;
    });
    this.#rows = [...(this.outside.length > 0 ? [-1] : []), ...order];
    this.#rowOf = [];
    for (const [row, lane] of this.#rows.entries()) if (lane >= 0) this.#rowOf[lane] = row;
  }
}

/** Returns the text that a delta adds. */
export function addedBy({ kind, payload }: MessageDelta): string {
  switch (kind) {
    case "text":
    case "thinking":
      return payload.textDelta;
    case "tool_call_args":
    case "server_tool_call_args":
      return payload.argsTextDelta;
    case "media_data":
      return payload.transcriptDelta ?? "";
    default:
      return "";
  }
}

/** Returns how many of the numbers, which are in order, are at most `most`. */
export function upTo(numbers: readonly number[], most: number): number {
  return firstWhere(numbers.length, (index) => (numbers[index] as number) > most);
}
