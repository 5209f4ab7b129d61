/** What a Cohere message is made of: content blocks, the tool plan and citations. */
import { isObject } from "../../json/values.js";
import { type FindingLog, shown, shownAt } from "../core/findings.js";
import { integerAt } from "../core/spelling.js";
import { type Members, member, saidMember } from "../core/values.js";
import type { DeltaWriter, TextKind } from "../core/writer.js";
import { CohereToolCalls } from "./tool-calls.js";

const PLACE = "/delta/message/content";

/** Kinds of blocks; each is also the name of the member that holds the block's text. */
const KINDS: readonly TextKind[] = ["thinking", "text"];

/** One content block, and where in the message its text stands. */
class Block {
  end: number | undefined;

  constructor(
    readonly kind: TextKind,
    readonly part: number,
    readonly start: number, // character of the part
  ) {}
}

/** The content of one message, its blocks told apart by their index. */
export class CohereContent {
  readonly calls: CohereToolCalls;
  readonly #writer: DeltaWriter;
  readonly #log: FindingLog;
  readonly #open = new Map<number, Block>();
  readonly #blocks = new Map<number, Block>(); // also those that have ended: citations come late
  readonly #last = new Map<TextKind, Block>();
  #lastIndex = -1;
  #plan: string[] = [];
  #planCitations: unknown[] = [];

  constructor(writer: DeltaWriter, log: FindingLog) {
    this.calls = new CohereToolCalls(writer, log, () => this.#closeAll());
    this.#writer = writer;
    this.#log = log;
  }

  /** Whether there is any, apart from what has been written. */
  get hasAny(): boolean {
    return this.#blocks.size > 0 || this.#plan.length > 0 || this.calls.open > 0;
  }

  // --- blocks -----------------------------------------------------------------------------------

  /** Reads one `content-start`. */
  start(event: Members, content: unknown): void {
    this.#startAt(this.#indexOf(event, this.#lastIndex + 1), content, PLACE);
  }

  /** Reads a block that begins, or one of a whole message. */
  #startAt(index: number, content: unknown, place: string): void {
    if (!isObject(content)) return this.#log.invalid(place, "an object", content);
    if (this.#open.has(index)) {
      this.#noteOrder("A block begins on the index of one that is open", index);
      this.#endAt(index);
    }
    this.#lastIndex = index;
    const kind = KINDS.find((each) => each === content["type"]);
    if (kind === undefined) return this.#keepForeign(content, content["type"], place);
    this.#begin(index, kind);
    this.#write(content, place);
  }

  /** Reads one `content-delta`: text, or thinking. */
  piece(event: Members, content: unknown): void {
    const index = this.#indexOf(event, Math.max(this.#lastIndex, 0));
    if (!isObject(content)) return this.#log.invalid(PLACE, "an object", content);
    if (!this.#open.has(index)) {
      this.#noteOrder("A piece belongs to a block that is not open", index);
      this.#begin(index, saidMember(content, "thinking") === undefined ? "text" : "thinking");
    }
    const names = Object.keys(content);
    if (names.length > 0 && !KINDS.some((name) => names.includes(name))) {
      this.#keepForeign(content, content["type"], PLACE);
    }
    this.#write(content, PLACE);
  }

  /** Reads one `content-end`. */
  end(event: Members): void {
    this.#endAt(this.#indexOf(event, this.#lastIndex));
  }

  #endAt(index: number): void {
    const block = this.#open.get(index);
    this.#open.delete(index);
    if (block !== undefined) this.#close(block);
    else if (!this.#blocks.has(index) && index !== this.#lastIndex) {
      this.#noteOrder("A block ends that never began", index);
    }
  }

  /** Returns the index of an event's block; where it has none, `otherwise`. */
  #indexOf(event: Members, otherwise: number): number {
    const index = integerAt(event, "index");
    if (index === undefined) this.#log.invalid("/index", "the block's number", event["index"], shownAt(event, "index"));
    return index ?? otherwise;
  }

  #begin(index: number, kind: TextKind): void {
    this.#keepPlan();
    const writer = this.#writer;
    // Text that follows text of its kind joins the part: the block begins inside it.
    const joins = writer.kind === kind;
    const block = new Block(kind, joins ? writer.part : writer.part + 1, joins ? writer.chars : 0);
    this.#open.set(index, block);
    this.#blocks.set(index, block);
    this.#last.set(kind, block);
    this.#lastIndex = index;
  }

  /**
   * Notes where a block ends, and keeps what the parts alone do not say: that thinking is Cohere's,
   * and where in a part a block begins behind another.
   */
  #close(block: Block): void {
    const { chars: end, part, state } = this.#writer;
    const { kind, start } = block;
    if (block.part !== part) return;
    block.end = end;
    if (end > start && (kind === "thinking" || start > 0)) state.keep({ kind, data: { type: kind }, part, start, end });
  }

  /** Ends the blocks: what comes behind them is a part of its own. */
  #closeAll(): void {
    this.#keepPlan();
    for (const block of this.#open.values()) this.#close(block);
    this.#open.clear();
  }

  #write(content: Members, place: string): void {
    for (const kind of KINDS) {
      const text = member(content, kind);
      if (typeof text === "string") this.#writer.write(kind, text);
      else if (text !== undefined) this.#log.invalid(`${place}/${kind}`, "a string", text);
    }
  }

  #keepForeign(content: Members, kind: unknown, place: string): void {
    const message = "The contract has no part for this content; it is kept beside the message";
    this.#log.note("adapter/unsupported-content", message, `${place}/type`, { actual: shown(kind) });
    this.#writer.keep("content", content);
  }

  // --- the plan ---------------------------------------------------------------------------------

  /** Reads one `tool-plan-delta`. */
  plan(text: unknown, place: string): void {
    if (typeof text === "string") this.#plan.push(text);
    else if (text !== undefined) this.#log.invalid(place, "a string", text);
  }

  /** Keeps the plan so far, where it stands. */
  #keepPlan(): void {
    const plan = this.#plan.join("");
    if (plan !== "") {
      this.#writer.keep("tool_plan", plan);
      this.#plan = [];
    }
    for (const citation of this.#planCitations) this.#writer.keep("citation", citation);
    this.#planCitations = [];
  }

  /** Writes what is held back. */
  finish(): void {
    this.#closeAll();
    this.calls.finish();
  }

  // --- citations --------------------------------------------------------------------------------

  /** Keeps a citation with the characters that it is about. */
  cite(citation: unknown, place: string): void {
    if (!isObject(citation)) return this.#log.invalid(place, "an object", citation);
    if (citation["type"] === "PLAN") {
      this.#planCitations.push(citation);
      return;
    }
    const covered = this.#covered(citation);
    if (covered === undefined) this.#writer.keep("citation", citation);
    else this.#writer.state.keep({ kind: "citation", data: citation, ...covered });
  }

  /** Returns what a citation is about, undefined where nothing tells. */
  #covered(citation: Members): { readonly part: number; readonly start: number; readonly end: number } | undefined {
    const block = this.#citedBlock(citation);
    if (block === undefined) return undefined;
    const { part, start } = block;
    const writer = this.#writer;
    const isLast = part === writer.part && block.kind === writer.kind;
    const limit = isLast && block.end === undefined ? writer.chars : block.end;
    if (limit === undefined || limit <= start) return undefined;
    const [from, to] = [integerAt(citation, "start"), integerAt(citation, "end")];
    if (from === undefined || to === undefined) return { part, start, end: limit };
    const end = Math.min(start + to, limit);
    return from >= 0 && start + from < end ? { part, start: start + from, end } : { part, start, end: limit };
  }

  #citedBlock(citation: Members): Block | undefined {
    const index = integerAt(citation, "content_index");
    if (index !== undefined) return this.#blocks.get(index);
    return this.#last.get(citation["type"] === "THINKING_CONTENT" ? "thinking" : "text");
  }

  // --- messages ---------------------------------------------------------------------------------

  /** Reads a whole message, or the message as `message-start` has it. */
  readMessage(message: Members, place: string): void {
    this.plan(member(message, "tool_plan"), `${place}/tool_plan`);
    const content = member(message, "content");
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    for (const [number, block] of this.#list(blocks, `${place}/content`).entries()) {
      this.#startAt(number, block, `${place}/content/${number}`);
      if (this.#open.has(number)) this.#endAt(number);
    }
    const calls = this.#list(member(message, "tool_calls"), `${place}/tool_calls`);
    for (const [number, call] of calls.entries()) {
      this.calls.readWhole(number, call, `${place}/tool_calls/${number}`);
    }
    const citations = this.#list(member(message, "citations"), `${place}/citations`);
    for (const [number, citation] of citations.entries()) this.cite(citation, `${place}/citations/${number}`);
  }

  #list(value: unknown, place: string): readonly unknown[] {
    if (Array.isArray(value)) return value;
    if (value !== undefined) this.#log.invalid(place, "an array", value);
    return [];
  }

  #noteOrder(message: string, index: number): void {
    this.#log.note("adapter/block-order", message, "/index", { actual: shown(index) });
  }
}
