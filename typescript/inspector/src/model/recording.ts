/** A stream as a list of steps: each delta, what made it, what it changed, and the message at that point. */

import {
  type Finding,
  type Message,
  MessageAssembler,
  type MessageDelta,
  PartwireError,
  type Snapshot,
  Unknown,
  type UsageSummary,
} from "partwire";
import { Branch, type Loss, type RunItem } from "partwire/formats";
import { type Lane, LaneTracker } from "./lanes.js";
import type { RawEvent, Read, StreamSource } from "./readers.js";

/** One item of the stream, or what came in its place. */
export interface Step {
  /** A delta or a whole message; absent where raw events made none. */
  readonly item?: Exclude<RunItem, Branch>;
  /** The raw events that came since the last step: from, and up to but not including. */
  readonly events: readonly [from: number, to: number];
  /** The message of the run, and the lane. */
  readonly stream: number;
  readonly lane: number;
  /** Milliseconds since 1970; NaN where nothing says. */
  readonly time: number;
  /** Why the step changed nothing, if so. */
  readonly refused?: Finding;
}

/** One message of the stream: it streams, or comes whole. */
export interface StreamMessage {
  readonly first: number;
  last: number;
  status: "started" | "done" | "error" | "cut" | "whole";
  /** The message as it ended, partial or not; absent while it streams. */
  message?: Message;
  /** Why it is not a finished one. */
  ending?: Finding;
}

/** A finding, and the step at which it was made; undefined for the stream as a whole. */
export interface PlacedFinding {
  readonly finding: Finding;
  readonly step?: number;
}

export class Recording {
  readonly steps: Step[] = [];
  readonly events: RawEvent[] = [];
  readonly lanes: Lane[] = [];
  readonly messages: StreamMessage[] = [];
  /** Whether more may come. */
  open = true;
  readonly #snapshots: (Snapshot | undefined)[] = [];
  readonly #usage: (UsageSummary | undefined)[] = [];
  readonly #findings: PlacedFinding[] = [];
  readonly #assemblers: (MessageAssembler | undefined)[] = [];
  readonly #trackers: LaneTracker[] = [];
  /** The last message of a run, and of a message id in it. */
  readonly #latest = new Map<string, number>();

  constructor(readonly source: StreamSource) {}

  /** What did not fit, in the order of the steps. */
  get findings(): readonly PlacedFinding[] {
    return [...this.#findings, ...this.source.findings.map((finding) => this.#placed(finding))];
  }

  get losses(): readonly Loss[] {
    return this.source.losses;
  }

  /** Whether the steps have times that tell them apart. */
  get isTimed(): boolean {
    const first = this.steps.find(({ time }) => !Number.isNaN(time))?.time;
    return first !== undefined && this.steps.some(({ time }) => !Number.isNaN(time) && time !== first);
  }

  /** Returns a step's message after it, without what was open; undefined where it has not started, or came whole. */
  snapshotAt(step: number): Snapshot | undefined {
    return this.#snapshots[step];
  }

  /** Returns what was known of the usage of a step's message after it. */
  usageAt(step: number): UsageSummary | undefined {
    return this.#usage[step];
  }

  /** Returns a step's message after it; undefined before it has started. */
  messageAt(step: number): Message | undefined {
    const { item } = this.steps[step] ?? {};
    return item !== undefined && "role" in item ? item : this.#snapshots[step]?.toMessage();
  }

  feed(chunk: Uint8Array): void {
    for (const read of this.source.feed(chunk)) this.#take(read);
  }

  /** Says that no more comes. */
  close(): void {
    if (!this.open) return;
    for (const read of this.source.close()) this.#take(read);
    this.open = false;
    for (const [index, { status }] of this.messages.entries()) if (status === "started") this.#end(index);
  }

  #take({ item, events, finding }: Read): void {
    const from = this.events.length;
    for (const event of events) this.events.push(event);
    const range: [number, number] = [from, this.events.length];
    if (item instanceof Branch) return;
    if (item === undefined) this.#refuse(range, finding);
    else if ("role" in item) this.#whole(item, range);
    else this.#consume(item, range);
  }

  #whole(message: Message, events: [number, number]): void {
    const stream =
      this.messages.push({ first: this.steps.length, last: this.steps.length, status: "whole", message }) - 1;
    const lane = this.lanes.push({ kind: "message", label: message.role, stream, part: -1 }) - 1;
    this.#assemblers.push(undefined);
    this.#add({ item: message, events, stream, lane, time: timeOf(message.timestamp) });
  }

  #consume(delta: MessageDelta | Unknown, events: [number, number]): void {
    const head = (delta instanceof Unknown ? delta.document : delta) as Readonly<Record<string, unknown>>;
    const stream = this.#streamOf(head, delta instanceof Unknown ? "" : delta.kind);
    const assembler = this.#assemblers[stream] as MessageAssembler;
    const place = { item: delta, events, stream, time: timeOf(head["timestamp"]) };
    try {
      assembler.consume(delta);
    } catch (error) {
      if (!(error instanceof PartwireError)) throw error;
      const lane = (this.#trackers[stream] as LaneTracker).own;
      const [refused] = error.findings as [Finding];
      this.#findings.push({ finding: refused, step: this.steps.length });
      this.#add({ ...place, lane, refused });
      return;
    }
    const tracker = this.#trackers[stream] as LaneTracker;
    const lane = delta instanceof Unknown ? tracker.own : tracker.laneOf(delta);
    this.#add({ ...place, lane });
    const message = this.messages[stream] as StreamMessage;
    message.last = this.steps.length - 1;
    if (message.status === "started" && (assembler.status === "done" || assembler.status === "error"))
      this.#end(stream);
  }

  /**
   * Returns the message to which a delta belongs: the one of its ids, or a new one. In a run, each start begins a
   * message; elsewhere it does so where the one before has ended, and is refused by the assembler if not.
   */
  #streamOf(head: Readonly<Record<string, unknown>>, kind: string): number {
    const run = String(head["runId"]);
    const named = head["messageId"] === undefined ? undefined : `${run}\n${String(head["messageId"])}`;
    const isStart = kind === "start";
    let found = named === undefined ? undefined : this.#latest.get(named);
    if (found === undefined && !(isStart && named !== undefined)) found = this.#latest.get(run);
    const isOver = found !== undefined && this.messages[found]?.status !== "started";
    if (found !== undefined && !(isStart && (isOver || this.source.isRun))) return found;
    if (found !== undefined && !isOver && this.source.isRun) this.#end(found);
    const first = this.steps.length;
    const stream = this.messages.push({ first, last: first, status: "started" }) - 1;
    this.#assemblers[stream] = new MessageAssembler();
    this.#trackers[stream] = new LaneTracker(this.lanes, stream);
    this.#latest.set(run, stream);
    if (named !== undefined) this.#latest.set(named, stream);
    return stream;
  }

  #refuse(events: [number, number], finding: Finding | undefined): void {
    if (finding !== undefined) this.#findings.push({ finding, step: this.steps.length });
    const stream = Math.max(0, this.messages.length - 1);
    const refused = finding === undefined ? {} : { refused: finding };
    this.#add({ events, stream, lane: -1, time: Number.NaN, ...refused });
  }

  #add(step: Step): void {
    const assembler = this.#assemblers[step.stream];
    this.steps.push(step);
    this.#snapshots.push(assembler === undefined || assembler.status === "idle" ? undefined : assembler.snapshot());
    this.#usage.push(this.#usageAfter(step, assembler));
  }

  /** Returns the usage after a step: a new value where the step may have changed it, else the one before. */
  #usageAfter({ item, stream }: Step, assembler: MessageAssembler | undefined): UsageSummary | undefined {
    if (item !== undefined && "role" in item) return item.meta?.usage;
    const isUsage = item !== undefined && !(item instanceof Unknown) && item.kind === "usage";
    const before = this.steps[this.steps.length - 2];
    return !isUsage && before?.stream === stream ? this.#usage[this.#usage.length - 1] : assembler?.usage;
  }

  /** Keeps what a message came to. */
  #end(stream: number): void {
    const assembler = this.#assemblers[stream] as MessageAssembler;
    const message = this.messages[stream] as StreamMessage;
    for (const finding of assembler.findings) this.#findings.push({ finding, step: message.last });
    try {
      assembler.close();
      message.message = assembler.buildFinalMessage();
      message.status = "done";
    } catch (error) {
      if (!(error instanceof PartwireError)) throw error;
      const [ending] = error.findings as [Finding];
      message.ending = ending;
      message.status = assembler.status === "error" ? "error" : "cut";
      if (assembler.status !== "idle") message.message = assembler.buildPartial();
      this.#findings.push({ finding: ending, step: message.last });
    }
  }

  /** Returns a finding of an adapter at the step that its raw event made; its pointer begins with that. */
  #placed(finding: Finding): PlacedFinding {
    const event = Number(/^\/(\d+)/.exec(finding.pointer)?.[1] ?? Number.NaN);
    if (Number.isNaN(event)) return { finding };
    const step = firstWhere(this.steps.length, (index) => event < (this.steps[index] as Step).events[1]);
    return step === this.steps.length ? { finding } : { finding, step };
  }
}

/** Returns the first of `count` indexes at which something holds that then holds of all after it; else `count`. */
export function firstWhere(count: number, holds: (index: number) => boolean): number {
  let found = 0;
  for (let end = count; found < end; ) {
    const middle = (found + end) >> 1;
    if (holds(middle)) end = middle;
    else found = middle + 1;
  }
  return found;
}

function timeOf(timestamp: unknown): number {
  return typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
}
