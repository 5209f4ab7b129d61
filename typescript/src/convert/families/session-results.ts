/** The results that the tool's messages behind a message give to its calls. */
import type { Message, ToolResult } from "../../generated/v0_2/message.js";
import type { Work } from "./conversion.js";

/** Notes the names that a session has no place for. */
export function noteNames(work: Work, index: number, source: Message): void {
  work.note("run-id", `/${index}/runId`);
  if (source.turnId !== undefined) work.note("turn-id", `/${index}/turnId`);
}

/** Results by the id of their call, in the order in which they stand. */
export class Results {
  readonly payloads = new Map<string, ToolResult>();
  /** Where a result stands. */
  readonly places = new Map<string, string>();
  /** When a call ended, in milliseconds. */
  readonly ends = new Map<string, number>();
  /** The time of the first message that has results. */
  readonly time: string | undefined;
  /** Whether one message has them all, in the order of the calls. */
  readonly inOrder: boolean;

  /** Takes the results of `one` from the messages of `work` from `start` to before `end`. */
  constructor(work: Work<Message>, one: Message, start: number, end: number) {
    const calls = new Set<string>();
    for (const part of one.parts) if (part.kind === "tool_call") calls.add(part.payload.toolCallId);
    const used: number[] = [];
    for (let index = start; index < end; index++) if (this.#take(work, index, calls)) used.push(index);
    const [first, ...others] = used;
    this.time = first === undefined ? undefined : work.source[first]?.timestamp;
    const order = [...calls].filter((call) => this.payloads.has(call));
    this.inOrder = used.length < 2 && [...this.payloads.keys()].every((call, at) => call === order[at]);
    if (this.inOrder) return;
    work.note("result-order", `/${first}/parts`);
    work.note("result-order", `/${first}/timestamp`);
    for (const index of others) work.note("result-order", `/${index}`);
  }

  /** Takes what a tool's message has for `calls`; tells whether that is anything. */
  #take(work: Work<Message>, index: number, calls: ReadonlySet<string>): boolean {
    const source = work.source[index];
    if (source === undefined) return false;
    const fitting: string[] = [];
    const others: number[] = [];
    for (const [number, part] of source.parts.entries()) {
      const call = part.kind === "tool_result" ? part.payload.toolCallId : undefined;
      if (part.kind !== "tool_result" || call === undefined || !calls.has(call) || this.payloads.has(call)) {
        others.push(number);
        continue;
      }
      this.payloads.set(call, part.payload);
      this.places.set(call, `/${index}/parts/${number}/payload`);
      fitting.push(call);
    }
    if (fitting.length === 0) {
      work.note("result-without-call", `/${index}`);
      return false;
    }
    for (const number of others) work.note("result-without-call", `/${index}/parts/${number}`);
    noteNames(work, index, source);
    if (source.messageId !== undefined) work.note("message-id", `/${index}/messageId`);
    if (source.meta !== undefined) work.note("meta", `/${index}/meta`);
    const end = work.ms(source.timestamp, `/${index}/timestamp`);
    for (const call of fitting) this.ends.set(call, end);
    return true;
  }
}
