/**
 * Anthropic Messages: raw events → deltas.
 *
 * End marker: `message_stop`. What the format says and what relays make of it:
 *
 * - Blocks are distinguished by `index`; a new block on the index of an open one ends that one.
 * - `tool_use` is a tool call of ours. `server_tool_use`, `mcp_tool_use` and the results that come
 *   with them are the provider's own: whole blocks in `opaque`, and a finding.
 * - Signatures, redacted thinking, citations, compaction and blocks of unknown types are kept in
 *   `opaque`; none of it is text.
 * - `usage` of `message_delta` is cumulative and replaces that of `message_start` field by field.
 *   `inputTokens` is input + cache read + cache write, which the provider reports apart.
 * - A second `message_start` with another id, or after content, is a second answer in the first
 *   one's stream: an error, since what has been emitted cannot be taken back.
 *
 * Source: https://docs.anthropic.com/en/docs/build-with-claude/streaming.
 */

import { ANTHROPIC } from "../../generated/tables/finish-reasons.js";
import { ANTHROPIC_EVENTS, ANTHROPIC_SERVER_CALLS } from "../../generated/tables/provider-names.js";
import { ANTHROPIC_DETAILS as DETAILS, ANTHROPIC as FIGURES } from "../../generated/tables/usage-figures.js";
import { sameJson } from "../../json/equality.js";
import { LONGEST_MATCHED, STRING, unescaped } from "../../json/strings.js";
import { isObject, put } from "../../json/values.js";
import { type AdapterInit, ProviderAdapter } from "../core/adapter.js";
import { errorBody, errorIn } from "../core/errors.js";
import { decodeEvent, NOTHING } from "../core/event-json.js";
import { type FindingLog, shown, shownAt } from "../core/findings.js";
import { integerAt, jsonTextAt, spelledAs } from "../core/spelling.js";
import { Figures, usageSummary } from "../core/usage.js";
import { type Members, member, saidMember } from "../core/values.js";
import type { DeltaWriter, OpenCall, TextKind } from "../core/writer.js";

// --- blocks --------------------------------------------------------------------------------------
// Content blocks of the Anthropic Messages format: which of them are parts, and which are kept.

// Members of a tool_use block that the message holds; the others go back with the call.
const CALL_MEMBERS: ReadonlySet<string> = new Set(["type", "id", "name", "input"]);
const DIRECT = { caller: { type: "direct" } }; // what every call says that the model itself makes
const SERVER_CALLS: ReadonlySet<string> = new Set(ANTHROPIC_SERVER_CALLS);

/** Member of a piece → kind of block that it is text of. */
const TEXTS: ReadonlyMap<unknown, readonly [TextKind, string]> = new Map([
  ["text_delta", ["text", "text"]],
  ["thinking_delta", ["thinking", "thinking"]],
] as const);

/** One content block that has begun. */
class Block {
  call: OpenCall | undefined;
  hasArgs = false;
  readonly content: string[] = []; // of a block that is kept whole: input, summary
  readonly citations: unknown[] = [];
  readonly signature: string[] = [];

  constructor(
    readonly kind: string,
    readonly body: Members, // as content_block_start gave it; ours
    readonly start: number, // character of the part at which the block's text begins
  ) {}
}

/** The blocks of one message, by their index. */
class AnthropicBlocks {
  lastIndex = -1;
  readonly #writer: DeltaWriter;
  readonly #log: FindingLog;
  readonly #blocks = new Map<number, Block>();

  constructor(writer: DeltaWriter, log: FindingLog) {
    this.#writer = writer;
    this.#log = log;
  }

  /** How many are open. */
  get open(): number {
    return this.#blocks.size;
  }

  /** Reads one `content_block_start`, or a block of a whole message. */
  start(index: number, body: unknown): void {
    if (!isObject(body)) return this.#log.invalid("/content_block", "an object", body);
    if (this.#blocks.has(index)) {
      this.#noteOrder("A block begins on the index of one that is open", index);
      this.stop(index);
    }
    const writer = this.#writer;
    const kind = typeof body["type"] === "string" ? body["type"] : "";
    // Text that follows text of its kind joins the part: the block begins inside it.
    const block = new Block(kind, spelledAs({ ...body }, body), writer.kind === kind ? writer.chars : 0);
    this.#blocks.set(index, block);
    this.lastIndex = index;
    const text = (name: string): string => this.#log.string(body[name], `/content_block/${name}`);
    if (kind === "text") {
      writer.text(text("text"));
      const { citations } = body;
      if (Array.isArray(citations)) for (const each of citations) block.citations.push(each);
    } else if (kind === "thinking") {
      writer.thinking(text("thinking"));
      block.signature.push(text("signature"));
    } else if (kind === "tool_use") {
      this.#openCall(block);
    } else if (kind !== "redacted_thinking") {
      this.#noteForeign(kind, body);
    }
  }

  /** Notes a block that is not a part of ours; it is kept whole when it ends. */
  #noteForeign(kind: string, body: Members): void {
    if (SERVER_CALLS.has(kind) || kind.endsWith("_tool_result")) {
      const message = "The provider executes this tool itself; it is no tool call of the message";
      const actual = shown(saidMember(body, "name") ?? kind);
      this.#log.note("adapter/server-tool-call", message, "/content_block/type", { actual });
    } else if (kind !== "compaction") {
      const message = "The contract has no part for this block; it is kept beside the message";
      this.#log.note("adapter/unsupported-content", message, "/content_block/type", { actual: shown(body["type"]) });
    }
  }

  #openCall(block: Block): void {
    const { id, name } = block.body;
    if (typeof name !== "string" || name === "") {
      const message = "A tool call without a name cannot be called; it is left out of the message";
      const said = { expected: "the tool's name", actual: shown(name) };
      this.#log.note("adapter/unnamed-tool-call", message, "/content_block/name", said);
      return;
    }
    const callId = this.#log.string(id, "/content_block/id");
    block.call = this.#writer.openCall(callId || undefined, name);
    const others = Object.entries(block.body).filter(
      ([member, value]) => !CALL_MEMBERS.has(member) && value !== undefined && value !== null,
    );
    const extras = Object.fromEntries(others);
    if (others.length > 0 && !sameJson(extras, DIRECT)) this.#writer.keepWith(block.call, "call", extras);
  }

  /** Reads one `content_block_stop`. */
  stop(index: number): void {
    const block = this.#blocks.get(index);
    if (block === undefined) return this.#noteOrder("A block ends that is not open", index);
    this.#blocks.delete(index);
    if (block.call !== undefined) {
      const given = saidMember(block.body, "input");
      if (given !== undefined && !block.hasArgs) {
        if (!isObject(given)) this.#log.invalid("/content_block/input", "an object", given);
        this.#writeInput(block, block.body, "input");
      }
      this.#writer.endCall(block.call);
    } else if (block.kind === "text" || block.kind === "thinking") {
      this.#keepTextState(block);
    } else {
      this.#keepWhole(block);
    }
  }

  /** Ends what the provider left open. */
  stopAll(): void {
    for (const index of [...this.#blocks.keys()]) this.stop(index);
  }

  #keepTextState(block: Block): void {
    const writer = this.#writer;
    const hasText = writer.kind === block.kind && writer.chars > block.start;
    const start = hasText ? block.start : undefined;
    for (const citation of block.citations) writer.keep("citation", citation, start);
    const signature = block.signature.join("");
    if (signature !== "") writer.keep("signature", signature, start);
  }

  /** Keeps a block that is not a part of ours, as the non-streaming format writes it. */
  #keepWhole(block: Block): void {
    const { body, kind } = block;
    const text = block.content.join("");
    if (kind === "compaction" && text !== "") {
      body["content"] = (typeof body["content"] === "string" ? body["content"] : "") + text;
    } else if (text !== "") {
      const value = decodeEvent(text);
      body["input"] = value === NOTHING ? text : value;
    }
    this.#writer.keep(kind || "unknown", body);
  }

  // --- pieces of blocks -------------------------------------------------------------------------

  /**
   * Reads one `content_block_delta`. The text of a block that never began is text all the same;
   * that of a block of another type is kept beside the message.
   */
  piece(index: number, delta: Members): void {
    const block = this.#blocks.get(index);
    const [kind, name] = TEXTS.get(delta["type"]) ?? [];
    if (kind !== undefined && name !== undefined && (block === undefined || block.kind === kind)) {
      const text = delta[name];
      if (typeof text === "string") this.#writer.write(kind, text);
      else this.#log.invalid(`/delta/${name}`, "a string", text);
    } else if (block !== undefined) {
      this.#otherPiece(block, delta);
    } else {
      this.#writer.keep("unknown", delta);
    }
    if (block === undefined) this.#noteOrder("A piece belongs to a block that is not open", index);
  }

  #otherPiece(block: Block, delta: Members): void {
    const kind = delta["type"];
    if (kind === "input_json_delta" && block.kind !== "text" && block.kind !== "thinking") {
      this.#readInput(block, delta);
    } else if (kind === "signature_delta" && block.kind === "thinking") {
      block.signature.push(this.#log.string(delta["signature"], "/delta/signature"));
    } else if (kind === "citations_delta" && block.kind === "text") {
      block.citations.push(delta["citation"]);
    } else if (kind === "compaction_delta" && block.kind === "compaction") {
      block.content.push(this.#log.string(delta["content"], "/delta/content"));
      for (const [name, value] of Object.entries(delta)) {
        if (name !== "type" && name !== "content") put(block.body, name, value);
      }
    } else {
      const message = "This piece is of no known type, or not of its block's; it is kept beside";
      const said = { expected: "a delta of the block's type", actual: shown(kind) };
      this.#log.note("adapter/unknown-event", message, "/delta/type", said);
      this.#writer.keep("unknown", delta);
    }
  }

  #readInput(block: Block, delta: Members): void {
    const piece = member(delta, "partial_json");
    if (typeof piece === "string") {
      block.hasArgs = block.hasArgs || piece !== "";
      if (block.call === undefined) block.content.push(piece);
      else this.#writer.args(block.call, piece);
    } else if (piece !== undefined) {
      this.#log.invalid("/delta/partial_json", "a string", piece);
      block.hasArgs = true;
      this.#writeInput(block, delta, "partial_json");
    }
  }

  /** Writes arguments that came as a value in place of text. */
  #writeInput(block: Block, holder: Members, name: string): void {
    if (block.call === undefined) return;
    const value = holder[name];
    const text = typeof value === "string" ? value : jsonTextAt(holder, name);
    if (text !== undefined && text !== "") this.#writer.args(block.call, text);
  }

  #noteOrder(message: string, index: number): void {
    this.#log.note("adapter/block-order", message, "/index", { actual: shown(index) });
  }
}

// --- the stream ----------------------------------------------------------------------------------

const EVENTS: ReadonlySet<string> = new Set(ANTHROPIC_EVENTS);

// Nearly all events are such pieces, written so; a parser takes up to five times as long for one.
const INDEX = "(0|[1-9][0-9]{0,8})";
const TEXT = `"(text_delta","text|thinking_delta","thinking|input_json_delta","partial_json)":${STRING}`;
const PIECE = new RegExp(`^\\{"type":"content_block_delta","index":${INDEX},"delta":\\{"type":${TEXT}\\} *\\} *$`);

/** Returns the delta of a piece: its type and the name of its text as they are written, and the text. */
function pieceOf(form: string | undefined, text: string | undefined): Members | undefined {
  if (text === undefined) return undefined;
  if (form === 'text_delta","text') return { type: "text_delta", text };
  if (form === 'thinking_delta","thinking') return { type: "thinking_delta", thinking: text };
  return { type: "input_json_delta", partial_json: text };
}

/** Adapter of one Anthropic Messages stream. */
export class AnthropicMessagesAdapter extends ProviderAdapter {
  readonly #blocks = new AnthropicBlocks(this.writer, this.log);
  readonly #figures = new Figures();
  #messageId: string | undefined;
  #begun = false;

  constructor(runId: string, init: AdapterInit) {
    super("anthropic-messages", runId, init);
  }

  // --- events -----------------------------------------------------------------------------------

  protected override decode(text: string): unknown {
    const found = text.length <= LONGEST_MATCHED ? PIECE.exec(text) : null;
    const delta = found === null ? undefined : pieceOf(found[2], unescaped(found[3] as string));
    if (found === null || delta === undefined) return decodeEvent(text);
    return { type: "content_block_delta", index: Number(found[1]), delta };
  }

  protected read(event: Members): void {
    const kind = event["type"];
    switch (kind) {
      case "content_block_delta":
        return this.#readPiece(event);
      case "content_block_start":
        return this.#blocks.start(this.#indexOf(event, 1), event["content_block"]);
      case "content_block_stop":
        return this.#blocks.stop(this.#indexOf(event, 0));
      case "message_delta":
        return this.#readMessageDelta(event);
      case "message_start":
        return this.#startMessage(event["message"], "/message");
      case "message_stop":
        return this.#stopMessage(event);
      case "error":
        return this.failWith(Object.hasOwn(event, "error") ? errorIn(event) : event);
      case "message":
        return this.#readBody(event);
      case "ping":
        return;
      default:
        return this.#readUnknown(event, kind);
    }
  }

  #readPiece(event: Members): void {
    const index = this.#indexOf(event, 0);
    const { delta } = event;
    if (isObject(delta)) this.#blocks.piece(index, delta);
    else this.log.invalid("/delta", "an object", delta);
  }

  /** Returns the index of an event's block; where it has none, the last block's and `further`. */
  #indexOf(event: Members, further: number): number {
    const index = integerAt(event, "index");
    if (index !== undefined) return index;
    this.log.invalid("/index", "the block's number", event["index"], shownAt(event, "index"));
    return this.#blocks.lastIndex + further;
  }

  #readUnknown(event: Members, kind: unknown): void {
    const isNamed = kind !== undefined && kind !== null;
    if (!isNamed && Object.hasOwn(event, "chunk")) return this.readChunk(event);
    if (!this.#begun && this.isOtherDialect(event)) return;
    const error = isNamed ? undefined : errorBody(event);
    if (error === undefined) this.unknownType(kind);
    else this.failWith(error);
  }

  protected override withHint(event: Members, name: string): Members {
    if (Object.hasOwn(event, "type") || !EVENTS.has(name)) return event;
    return spelledAs({ type: name, ...event }, event);
  }

  protected override mayFollow(event: Members): boolean {
    return event["type"] === "ping";
  }

  // --- the message ------------------------------------------------------------------------------

  #startMessage(given: unknown, place: string): void {
    if (!isObject(given)) this.log.invalid(place, "the message as an object", given);
    const message = isObject(given) ? given : {};
    const id = message["id"] ?? undefined;
    if (this.#begun) return this.#readSecond(id);
    this.#begun = true;
    this.#messageId = typeof id === "string" ? id : undefined;
    this.writer.identify(message["model"], id);
    this.writer.start();
    this.#readUsage(member(message, "usage"), `${place}/usage`);
    const { content } = message;
    const blocks: unknown = typeof content === "string" ? [{ type: "text", text: content }] : content;
    for (const [index, block] of (Array.isArray(blocks) ? blocks : []).entries()) {
      this.#blocks.start(index, block);
      this.#blocks.stop(index);
    }
    this.#readStop(message);
  }

  /** Passes over a message_start that is only repeated; ends the stream at any other. */
  #readSecond(id: unknown): void {
    if (id === this.#messageId && this.writer.wrote.size === 0 && this.#blocks.open === 0) {
      this.log.note("adapter/block-order", "message_start came twice, before any content", "/type");
      return;
    }
    this.refuseSecond("/message/id", this.#messageId, id);
  }

  /** Reads a whole message that came in place of a stream. */
  #readBody(body: Members): void {
    if (this.#begun) return this.#readUnknown(body, "message");
    this.log.note("adapter/whole-body", "The message came whole, not as a stream", "/type");
    this.#startMessage(body, "");
    if (this.finishReason !== undefined) this.#end();
  }

  #readMessageDelta(event: Members): void {
    const delta = member(event, "delta");
    if (isObject(delta)) this.#readStop(delta);
    else if (delta !== undefined) this.log.invalid("/delta", "an object", delta);
    this.#readUsage(member(event, "usage"), "/usage");
  }

  #readStop(value: Members): void {
    const reason = member(value, "stop_reason");
    if (typeof reason === "string") this.finishReason = reason || this.finishReason;
    else if (reason !== undefined) this.log.invalid("/delta/stop_reason", "a string", reason);
    for (const name of ["stop_sequence", "stop_details", "container"]) {
      const state = member(value, name);
      if (state !== undefined) this.writer.keep(name, state);
    }
  }

  #stopMessage(event: Members): void {
    const metrics = event["amazon-bedrock-invocationMetrics"];
    if (isObject(metrics) && this.#figures.get("input_tokens") === undefined) {
      const counts = { input_tokens: metrics["inputTokenCount"], output_tokens: metrics["outputTokenCount"] };
      this.#readUsage(counts, "/amazon-bedrock-invocationMetrics");
    }
    if (this.writer.openCalls > 0) {
      this.log.note("adapter/block-order", "The message ends while a tool call is open", "/type");
    }
    this.#end();
  }

  #end(): void {
    this.#blocks.stopAll();
    this.endWithReason(ANTHROPIC, this.finishReason ?? "", "", this.#begun);
  }

  protected finish(): void {
    this.truncated("message_stop");
  }

  /** Passes over `[DONE]`: relays add it, it ends nothing here. */
  protected doneMark(): void {}

  #readUsage(usage: unknown, place: string): void {
    if (usage === undefined) return;
    if (!isObject(usage)) return this.log.invalid(place, "an object", usage);
    const figures = this.#figures;
    const bad = figures.take(usage, FIGURES);
    if (bad !== undefined) this.log.invalid(`${place}/${bad}`, "a count", usage[bad]);
    const details = member(usage, "output_tokens_details");
    const isBad = isObject(details) ? figures.take(details, DETAILS) !== undefined : details !== undefined;
    if (isBad) this.log.invalid(`${place}/output_tokens_details`, "an object of counts", details);
    const [input, written] = [figures.get("input_tokens"), figures.get("output_tokens")];
    if (input === undefined && written === undefined) return;
    const cacheRead = figures.get("cache_read_input_tokens");
    const cacheWrite = figures.get("cache_creation_input_tokens");
    const read = (input ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0);
    const reasoning = figures.get("thinking_tokens");
    if (reasoning !== undefined && reasoning > (written ?? 0)) this.log.usage("more reasoning than output");
    const parts = { reasoning, cacheRead, cacheWrite };
    this.writer.usage(usageSummary(read, written ?? 0, read + (written ?? 0), parts));
  }
}
