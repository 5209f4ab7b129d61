/**
 * Cohere Chat v2: raw events → deltas.
 *
 * End marker: `message-end`; `[DONE]`, which some servers add, ends nothing. What the format says
 * and what servers of it make of it:
 *
 * - `tool-plan-delta` is what the model says before it calls tools: neither its answer nor its
 *   thinking, yet the next request has to repeat it. It is kept in `opaque`, and so are citations of
 *   it and of thinking.
 * - A citation of the answer's text is one for each of its sources. Its places count from the block's
 *   beginning, and hold where `text` is what they say; the first one keeps it as it came.
 * - Content, tool calls and citations count their indexes apart. A call that takes no arguments has
 *   no `tool-call-delta`.
 * - `ERROR`, `ERROR_TOXIC`, `TIMEOUT` and `USER_CANCEL` are finish reasons by name only: the stream
 *   ends as an error, as it does with an `error` beside any reason. `ERROR_LIMIT` is a cut answer,
 *   as `MAX_TOKENS` is.
 * - `usage.tokens` is what the model read and wrote, cached tokens included. `billed_units` leaves
 *   out the provider's own prompt: they are not usage.
 * - The stream names no model. `debug` events and log probabilities are passed over.
 *
 * Source: https://docs.cohere.com/v2/reference/chat-stream.
 */

import { COHERE } from "../../generated/tables/finish-reasons.js";
import { COHERE_FAILED } from "../../generated/tables/provider-names.js";
import { COHERE_CACHED as CACHED, COHERE as FIGURES } from "../../generated/tables/usage-figures.js";
import { sameJson } from "../../json/equality.js";
import { isObject } from "../../json/values.js";
import { type AdapterInit, ProviderAdapter } from "../core/adapter.js";
import { named, webAddress } from "../core/citations.js";
import { CitedText } from "../core/cited-text.js";
import { errorBody, errorCode, readError, saidError } from "../core/errors.js";
import { type FindingLog, shown, shownAt } from "../core/findings.js";
import { integerAt, spelledAs } from "../core/spelling.js";
import { Figures, usageSummary } from "../core/usage.js";
import { type Members, member, saidMember, saysAnything } from "../core/values.js";
import type { DeltaWriter, TextKind } from "../core/writer.js";
import { CohereToolCalls } from "./tool-calls.js";

// --- content -------------------------------------------------------------------------------------
// What a Cohere message is made of: content blocks, the tool plan and citations.

const PLACE = "/delta/message/content";

/** Kinds of blocks; each is also the name of the member that holds the block's text. */
const KINDS: readonly TextKind[] = ["thinking", "text"];

/** One content block, and where in the message its text is. */
class Block {
  end: number | undefined;
  /** Of the answer, as it has been written. */
  readonly text = new CitedText();

  constructor(
    readonly kind: TextKind,
    readonly part: number,
    readonly start: number, // character of the part
  ) {}
}

/** The content of one message, its blocks by their index. */
class CohereContent {
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
    this.#write(this.#begin(index, kind), content, place);
  }

  /** Reads one `content-delta`: text, or thinking. */
  piece(event: Members, content: unknown): void {
    const index = this.#indexOf(event, Math.max(this.#lastIndex, 0));
    if (!isObject(content)) return this.#log.invalid(PLACE, "an object", content);
    let block = this.#open.get(index);
    if (block === undefined) {
      this.#noteOrder("A piece belongs to a block that is not open", index);
      block = this.#begin(index, saidMember(content, "thinking") === undefined ? "text" : "thinking");
    }
    const names = Object.keys(content);
    if (names.length > 0 && !KINDS.some((name) => names.includes(name))) {
      this.#keepForeign(content, content["type"], PLACE);
    }
    this.#write(block, content, PLACE);
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

  #begin(index: number, kind: TextKind): Block {
    this.#keepPlan();
    const writer = this.#writer;
    // Text that follows text of its kind joins the part: the block begins inside it.
    const joins = writer.kind === kind;
    const block = new Block(kind, joins ? writer.part : writer.part + 1, joins ? writer.chars : 0);
    this.#open.set(index, block);
    this.#blocks.set(index, block);
    this.#last.set(kind, block);
    this.#lastIndex = index;
    return block;
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

  /** Ends the blocks: what comes behind them is a separate part. */
  #closeAll(): void {
    this.#keepPlan();
    for (const block of this.#open.values()) this.#close(block);
    this.#open.clear();
  }

  #write(block: Block, content: Members, place: string): void {
    const writer = this.#writer;
    for (const kind of KINDS) {
      const text = member(content, kind);
      if (typeof text === "string") {
        const start = writer.kind === kind ? writer.chars : 0;
        writer.write(kind, text);
        if (kind === "text" && text !== "") block.text.add(writer.part, start, text);
      } else if (text !== undefined) this.#log.invalid(`${place}/${kind}`, "a string", text);
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

  /** Keeps the plan so far, at its place. */
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

  /** Writes a citation of the answer's text; keeps any other with what it is about. */
  cite(citation: unknown, place: string): void {
    if (!isObject(citation)) return this.#log.invalid(place, "an object", citation);
    if (citation["type"] === "PLAN") {
      this.#planCitations.push(citation);
      return;
    }
    const block = this.#citedBlock(citation);
    if (block !== undefined && this.#writeCitation(citation, block)) return;
    const covered = block === undefined ? undefined : this.#covered(citation, block);
    if (covered === undefined) this.#writer.keep("citation", citation);
    else this.#writer.state.keep({ kind: "citation", data: citation, ...covered });
  }

  /** Writes a citation for each source; tells whether there is one, and text of the answer. */
  #writeCitation(citation: Members, { text }: Block): boolean {
    const sources = member(citation, "sources");
    if (!this.#writer.saysNew || text.part === undefined || citation["type"] === "THINKING_CONTENT") return false;
    const found = text.find(citation["start"], citation["end"], citation["text"]);
    const { part, ...places } = found ?? { part: text.part };
    let own: [string, unknown][] = [["citation", citation]]; // once: it names all of them
    for (const source of Array.isArray(sources) ? sources.filter(isObject) : []) {
      this.#writer.cite({ source: sourceOf(source), ...places }, own, part);
      own = [];
    }
    return own.length === 0;
  }

  /** Returns what a citation is about, undefined where nothing shows it. */
  #covered(
    citation: Members,
    block: Block,
  ): { readonly part: number; readonly start: number; readonly end: number } | undefined {
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

const SOURCES = new Map<unknown, string>([
  ["tool", "tool_result"],
  ["document", "document"],
]);

/** Returns what a citation is from; a document says its title and address in its own members. */
function sourceOf(given: Members): Members {
  const document = member(given, "document");
  const about = isObject(document) ? document : {};
  const url = webAddress(member(about, "url"));
  return {
    kind: SOURCES.get(given["type"]) ?? "unknown",
    ...named({ id: member(given, "id"), title: member(about, "title") }),
    ...(url === undefined ? {} : { url }),
  };
}

// --- the stream ----------------------------------------------------------------------------------

const FAILED: ReadonlySet<string> = new Set(COHERE_FAILED);
const EVENTS: ReadonlySet<string> = new Set([
  "message-start",
  "content-start",
  "content-delta",
  "content-end",
  "tool-plan-delta",
  "tool-call-start",
  "tool-call-delta",
  "tool-call-end",
  "citation-start",
  "citation-end",
  "message-end",
  "debug",
]);

/** Adapter of one Cohere Chat v2 stream. */
export class CohereAdapter extends ProviderAdapter {
  readonly #content = new CohereContent(this.writer, this.log);
  readonly #figures = new Figures();
  #messageId: unknown;
  #begun = false;

  constructor(runId: string, init: AdapterInit) {
    super("cohere-v2", runId, init);
  }

  // --- events -----------------------------------------------------------------------------------

  protected read(event: Members): void {
    const content = this.#content;
    switch (event["type"]) {
      case "content-delta":
        return content.piece(event, this.#member(event, "content"));
      case "content-start":
        return content.start(event, this.#member(event, "content"));
      case "content-end":
        return content.end(event);
      case "tool-plan-delta":
        return content.plan(this.#member(event, "tool_plan"), "/delta/message/tool_plan");
      case "tool-call-start":
        return content.calls.start(event, this.#member(event, "tool_calls"));
      case "tool-call-delta":
        return content.calls.piece(event, this.#member(event, "tool_calls"));
      case "tool-call-end":
        return content.calls.end(event);
      case "citation-start":
        return content.cite(this.#member(event, "citations"), "/delta/message/citations");
      case "message-start":
        return this.#startMessage(event);
      case "message-end":
        return this.#endMessage(event);
      case "citation-end":
      case "debug":
        return; // nothing that a message, or the next request, needs
      default:
        return this.#readOther(event);
    }
  }

  /** Returns a member of the event's `delta.message`, undefined where there is none. */
  #member(event: Members, name: string): unknown {
    const { delta } = event;
    if (!isObject(delta)) {
      this.log.invalid("/delta", "an object", delta);
      return undefined;
    }
    const { message } = delta;
    if (isObject(message)) return member(message, name);
    this.log.invalid("/delta/message", "an object", message);
    return undefined;
  }

  /** Reads what is not an event of a stream: a whole answer, an error, another dialect. */
  #readOther(event: Members): void {
    const [kind, message] = [member(event, "type"), event["message"]];
    if (kind === undefined && isObject(message) && !this.#begun) return this.#readBody(event, message);
    let error = saidError(event);
    if (kind === undefined || kind === "error") {
      // A body of a refused request says nothing but a message.
      error = errorBody(event) ?? (typeof message === "string" ? event : undefined);
    }
    if (error !== undefined) return this.failWith(error);
    if (!this.#begun && this.isOtherDialect(event)) return;
    this.unknownType(kind);
  }

  protected override withHint(event: Members, name: string): Members {
    if (Object.hasOwn(event, "type") || !EVENTS.has(name)) return event;
    return spelledAs({ type: name, ...event }, event);
  }

  protected override mayFollow(event: Members): boolean {
    return event["type"] === "debug";
  }

  // --- the message ------------------------------------------------------------------------------

  #startMessage(event: Members): void {
    if (this.#begun) return this.#readSecond(event);
    this.#begin(event);
    const delta = member(event, "delta");
    const message = isObject(delta) ? delta["message"] : undefined;
    if (isObject(message)) this.#content.readMessage(message, "/delta/message");
    else if (delta !== undefined) this.log.invalid("/delta/message", "an object", message);
  }

  #begin(event: Members): void {
    this.#begun = true;
    this.#messageId = member(event, "id");
    this.writer.identify(event["model"], this.#messageId);
    this.writer.start();
  }

  /** Passes over a message-start that is only repeated; ends the stream at any other. */
  #readSecond(event: Members): void {
    const id = member(event, "id");
    if (sameJson(id, this.#messageId) && !this.#content.hasAny && this.writer.wrote.size === 0) {
      this.log.note("adapter/block-order", "message-start came twice, before any content", "/type");
      return;
    }
    this.refuseSecond("/id", this.#messageId, id);
  }

  /** Reads a whole answer that came in place of a stream. */
  #readBody(body: Members, message: Members): void {
    this.log.note("adapter/whole-body", "The message came whole, not as a stream", "/message");
    this.#begin(body);
    this.#content.readMessage(message, "/message");
    this.#readUsage(member(body, "usage"), "/usage");
    this.#readReason(member(body, "finish_reason"), "/finish_reason");
    if (this.finishReason !== undefined) this.#end(body, "");
  }

  // --- the end ----------------------------------------------------------------------------------

  #endMessage(event: Members): void {
    this.writer.identify(event["model"], event["id"]);
    const { delta } = event;
    if (!isObject(delta)) this.log.invalid("/delta", "an object", delta);
    const said = isObject(delta) ? delta : {};
    this.#readUsage(member(said, "usage"), "/delta/usage");
    this.#readReason(member(said, "finish_reason"), "/delta/finish_reason");
    this.#end(said, "/delta");
  }

  #readReason(reason: unknown, place: string): void {
    if (typeof reason === "string") this.finishReason = reason || this.finishReason;
    else if (reason !== undefined) this.log.invalid(place, "a string", reason);
  }

  /** Ends as done or failed; `said` is what is beside the finish reason. */
  #end(said: Members, place: string): void {
    const own = this.finishReason;
    const reason = (own ?? "").toUpperCase();
    const given = member(said, "error");
    const isError = typeof given === "string" || isObject(given);
    if (given !== undefined && !isError) this.log.invalid(`${place}/error`, "the error's message", given);
    const error = isError ? given : undefined;
    if (saysAnything(error) || FAILED.has(reason)) return this.#failGeneration(reason, error, said["error_type"]);
    if (this.#content.calls.open > 0) {
      this.log.note("adapter/block-order", "The message ends while a tool call is open", "/type");
    }
    this.flush();
    this.endWithReason(COHERE, reason, `${place}/finish_reason`, this.#begun);
  }

  #failGeneration(reason: string, said: unknown, kind: unknown): void {
    const { code: given, type: named, ...rest } = readError(said);
    const code = typeof kind === "string" && kind !== "" ? kind : given;
    const type = named ?? (reason || undefined);
    const error = { ...rest, ...(code === undefined ? {} : { code }), ...(type === undefined ? {} : { type }) };
    this.error = error;
    const found = errorCode(error);
    // What the reference says of this reason.
    const isInternal = found === "unknown" && reason === "ERROR";
    this.endWith(isInternal ? "provider_internal" : found, error.message ?? code ?? type);
  }

  protected override flush(): void {
    this.#content.finish();
  }

  protected finish(): void {
    this.truncated("message-end");
  }

  /** Passes over `[DONE]`: it follows the end, it is none. */
  protected doneMark(): void {}

  // --- beside the content -----------------------------------------------------------------------

  #readUsage(usage: unknown, place: string): void {
    if (usage === undefined) return;
    if (!isObject(usage)) return this.log.invalid(place, "an object", usage);
    const figures = this.#figures;
    const tokens = member(usage, "tokens");
    if (isObject(tokens)) {
      const bad = figures.take(tokens, FIGURES);
      if (bad !== undefined) this.log.invalid(`${place}/tokens/${bad}`, "a count", tokens[bad]);
    } else if (tokens !== undefined) {
      this.log.invalid(`${place}/tokens`, "an object", tokens);
    }
    if (figures.take(usage, CACHED) !== undefined) {
      this.log.invalid(`${place}/cached_tokens`, "a count", usage["cached_tokens"]);
    }
    const [read, written] = [figures.get("input_tokens"), figures.get("output_tokens")];
    if (read !== undefined && written !== undefined) {
      this.writer.usage(usageSummary(read, written, read + written, { cacheRead: figures.get("cached_tokens") }));
    } else if (saysAnything(usage)) {
      const said = { expected: "tokens with input_tokens and output_tokens" };
      this.log.note("adapter/incomplete-usage", "The usage has too few figures to be reported", place, said);
    }
  }
}
