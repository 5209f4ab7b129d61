/** Content blocks of the Anthropic Messages format: which of them are parts, and which are kept. */

import { ANTHROPIC_SERVER_CALLS } from "../../generated/tables/provider-names.js";
import { sameJson } from "../../json/equality.js";
import { isObject, put } from "../../json/values.js";
import { decodeEvent, NOTHING } from "../core/event-json.js";
import { type FindingLog, shown, shownAt } from "../core/findings.js";
import { jsonTextAt, spelledAs } from "../core/spelling.js";
import { readResult } from "../core/tool-results.js";
import { type Members, member, saidMember } from "../core/values.js";
import type { DeltaWriter, OpenCall, TextKind } from "../core/writer.js";
import { citationOf } from "./citations.js";

// Members of a tool_use block that the message holds; the others go back with the call.
const CALL_MEMBERS: ReadonlySet<string> = new Set(["type", "id", "name", "input"]);
const DIRECT = { caller: { type: "direct" } }; // what every call says that the model itself makes
const SERVER_CALLS: ReadonlySet<string> = new Set(ANTHROPIC_SERVER_CALLS);
const SERVER_RESULT = "_tool_result";
const FAILED = "_tool_result_error"; // how the type of an error's content ends

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

  /** Returns the block as the non-streaming format writes it. */
  get whole(): Members {
    const body = spelledAs({ ...this.body }, this.body);
    const text = this.content.join("");
    if (this.kind === "compaction" && text !== "") {
      body["content"] = (typeof body["content"] === "string" ? body["content"] : "") + text;
    } else if (text !== "") {
      const value = decodeEvent(text);
      body["input"] = value === NOTHING ? text : value;
    }
    return body;
  }
}

/** The blocks of one message, by their index. */
export class AnthropicBlocks {
  lastIndex = -1;
  readonly #writer: DeltaWriter;
  readonly #log: FindingLog;
  readonly #blocks = new Map<number, Block>();
  readonly #calling = new Map<string, number>(); // server calls that are open: index by id of the call

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
      const citations = member(body, "citations");
      if (Array.isArray(citations)) for (const each of citations) block.citations.push(each);
      else if (citations !== undefined)
        this.#log.invalid("/content_block/citations", "an array", citations, shownAt(body, "citations"));
    } else if (kind === "thinking") {
      writer.thinking(text("thinking"));
      block.signature.push(text("signature"));
    } else if (kind === "tool_use" || (writer.saysNew && SERVER_CALLS.has(kind))) {
      this.#openCall(block);
      if (block.call?.server === true) this.#calling.set(block.call.toolCallId, index);
    } else if (kind !== "redacted_thinking" && !(writer.saysNew && isResult(kind))) {
      this.#noteForeign(kind, body);
    }
  }

  /** Notes a block that is not a part of ours; it is kept whole when it ends. */
  #noteForeign(kind: string, body: Members): void {
    if (SERVER_CALLS.has(kind) || isResult(kind)) {
      const message = "The provider executes this tool itself; it is not a tool call of the message";
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
    if (SERVER_CALLS.has(block.kind)) {
      block.call = this.#writer.openServerCall(callId || undefined, name);
      return;
    }
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
      if (block.call.server) {
        this.#calling.delete(block.call.toolCallId);
        this.#writer.keepWith(block.call, block.kind, block.whole);
      }
      this.#writer.endCall(block.call);
    } else if (block.kind === "text" || block.kind === "thinking") {
      this.#keepTextState(block);
    } else if (!(this.#writer.saysNew && isResult(block.kind) && this.#readResult(block))) {
      this.#writer.keep(block.kind || "unknown", block.whole);
    }
  }

  /** Ends what the provider left open. */
  stopAll(): void {
    for (const index of this.#blocks.keys()) this.stop(index); // one may end another meanwhile
  }

  #keepTextState(block: Block): void {
    const writer = this.#writer;
    const begin = writer.kind === block.kind ? block.start : undefined;
    const start = writer.citeBlock(block.citations, begin, citationOf);
    const signature = block.signature.join("");
    if (signature !== "") writer.keep("signature", signature, start);
  }

  /** Writes the result of a tool that the provider ran; returns whether it answers a call. */
  #readResult(block: Block): boolean {
    const { body } = block;
    const place = "/content_block/tool_use_id";
    const own = this.#log.string(body["tool_use_id"], place);
    const index = this.#calling.get(this.#writer.answers(own) ?? "");
    if (index !== undefined) {
      const message = "A result comes while the block of its call is open";
      this.#log.note("adapter/block-order", message, place, { actual: shown(own) });
      this.stop(index);
    }
    const value = member(body, "content");
    const kind = isObject(value) ? value["type"] : undefined;
    const isError = body["is_error"] === true || (typeof kind === "string" && kind.endsWith(FAILED));
    const result = {
      ...readResult(body, "content"),
      isError,
      outcome: isError ? "error" : "success",
    };
    const isWritten = this.#writer.serverResult(own || undefined, result, [[block.kind, block.whole]]);
    if (!isWritten) this.#noteForeign(block.kind, body);
    return isWritten;
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
      if (block.call === undefined || block.call.server) block.content.push(piece);
      if (block.call !== undefined) this.#writer.args(block.call, piece);
    } else if (piece !== undefined) {
      this.#log.invalid("/delta/partial_json", "a string", piece);
      block.hasArgs = true;
      if (block.call?.server === true) block.content.push(jsonTextAt(delta, "partial_json") ?? "");
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

/** Tells whether a block is the result of a tool that the provider runs. */
function isResult(kind: string): boolean {
  return kind.endsWith(SERVER_RESULT);
}
