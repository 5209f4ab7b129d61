/** Content blocks of the Converse format: which of them are parts, and which are kept. */

import { BEDROCK } from "../../generated/tables/media-types.js";
import { base64Of, bytesOf } from "../../json/base64.js";
import { isObject, put } from "../../json/values.js";
import { decodeEvent, NOTHING } from "../core/event-json.js";
import { type FindingLog, shown, shownAt } from "../core/findings.js";
import { jsonTextAt, memberNames, spelledLike } from "../core/spelling.js";
import { readResult } from "../core/tool-results.js";
import { type Members, member, saidMember } from "../core/values.js";
import type { DeltaWriter, OpenCall, OpenMedia, TextKind } from "../core/writer.js";
import { citationOf } from "./citations.js";

// --- bytes ---------------------------------------------------------------------------------------
// Bytes of the Converse format: Base64 in JSON, bytes as AWS's own clients give them.

/** Returns a value whose bytes, wherever they are in it, are Base64 text. */
export function asBase64(value: unknown): unknown {
  if (value instanceof Uint8Array) return base64Of(value);
  if (Array.isArray(value)) return spelledLike(value.map(asBase64), value);
  return isObject(value) ? copyAsBase64(value) : value;
}

/** Returns a copy of an object whose bytes are Base64 text. */
function copyAsBase64(value: Members): Members {
  const made: Members = {};
  for (const name of memberNames(value)) put(made, name, asBase64(value[name]));
  return spelledLike(made, value);
}

/**
 * Returns the Base64 of bytes that came in pieces, each of them Base64 on its own. A single piece
 * stays as it is; pieces that are not Base64 are put one behind the other.
 */
function joinBase64(texts: readonly string[]): string {
  const pieces = texts.length < 2 ? undefined : texts.map(bytesOf);
  const sound = pieces?.filter((piece) => piece !== undefined);
  if (sound === undefined || sound.length < texts.length) return texts.join("");
  const whole = new Uint8Array(sound.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of sound) {
    whole.set(piece, at);
    at += piece.length;
  }
  return base64Of(whole);
}

// --- blocks --------------------------------------------------------------------------------------

// Whose pieces belong to what contentBlockStart said.
const WITH_START: ReadonlySet<string> = new Set(["toolUse", "toolResult", "image"]);
const REASONING: ReadonlySet<string> = new Set(["text", "signature", "redactedContent"]);
const SERVER = "server_tool_use";
const DELTA = "/contentBlockDelta/delta";
const START = "/contentBlockStart/start";
const RESULT_ID = `${START}/toolResult/toolUseId`;
const IMAGES: ReadonlyMap<string, string> = new Map(
  [...BEDROCK].filter(([, [member]]) => member === "image").map(([type, [, name]]) => [name, type]),
);

/** A block of text or of reasoning: it begins with its first piece. */
class Run {
  readonly citations: unknown[] = [];
  signature = "";
  readonly redacted: string[] = [];

  constructor(
    readonly index: number,
    readonly kind: TextKind,
    readonly start: number, // character of the part at which the block's text begins
  ) {}
}

/** Any other block: it begins with `contentBlockStart`. */
class Block {
  call: OpenCall | undefined;
  media: OpenMedia | undefined;
  hasArgs = false;
  text = ""; // input of a block that is kept whole
  readonly results: unknown[] = [];
  readonly bytes: string[] = [];

  constructor(
    readonly kind: string,
    readonly body: unknown, // as contentBlockStart gave it; ours
  ) {}

  /** Returns the block as a message of the provider's writes it. */
  get whole(): Members {
    const { kind, text, results, bytes } = this;
    if (!isObject(this.body)) return { [kind]: this.body };
    const body = spelledLike({ ...this.body }, this.body);
    if (kind === "toolUse") {
      const given = Object.hasOwn(body, "input") ? body["input"] : {};
      const value = text === "" ? given : decodeEvent(text);
      body["input"] = value === NOTHING ? text : value;
    } else if (kind === "toolResult") {
      body["content"] = [...this.content, ...results];
    } else if (kind === "image" && bytes.length > 0) {
      body["source"] = { bytes: joinBase64(bytes) };
    }
    return { [kind]: body };
  }

  /** What came with the beginning of a result. */
  get content(): readonly unknown[] {
    const given = isObject(this.body) ? this.body["content"] : undefined;
    return Array.isArray(given) ? given : [];
  }
}

/** The blocks of one message, by their index. */
export class BedrockBlocks {
  lastIndex = -1;
  readonly #writer: DeltaWriter;
  readonly #log: FindingLog;
  #run: Run | undefined;
  readonly #blocks = new Map<number, Block>();
  readonly #calling = new Map<string, number>(); // server calls that are open: index by id of the call
  readonly #left = new Set<number>(); // text and reasoning that another block ended; a stop is due

  constructor(writer: DeltaWriter, log: FindingLog) {
    this.#writer = writer;
    this.#log = log;
  }

  /** Whether a block is open. */
  get isOpen(): boolean {
    return this.#run !== undefined || this.#blocks.size > 0;
  }

  // --- beginning and end ------------------------------------------------------------------------

  /** Reads one `contentBlockStart`. */
  start(index: number, given: unknown): void {
    if (!isObject(given)) this.#log.invalid(START, "an object", given);
    const start = isObject(given) ? given : {};
    if (this.#blocks.has(index) || this.#run?.index === index) {
      this.#noteOrder("A block begins on the index of one that is open", index);
      this.stop(index);
      if (this.#blocks.has(index)) this.stop(index); // text went on in it
    }
    this.#leaveRun();
    this.#left.delete(index);
    this.lastIndex = index;
    for (const kind of memberNames(start)) {
      const body = start[kind]; // of one kind, or none for text
      if (kind !== "text" && kind !== "reasoningContent") return this.#begin(index, kind, body);
      this.piece(index, { [kind]: body });
    }
  }

  #begin(index: number, kind: string, body: unknown): void {
    const block = new Block(kind, asBase64(body));
    this.#blocks.set(index, block);
    const { saysNew } = this.#writer;
    if (!isObject(block.body)) this.#noteForeign(kind, body);
    else if (kind === "toolUse" && (saysNew || block.body["type"] !== SERVER)) this.#openCall(block, block.body);
    else if (kind === "image" && saysNew) this.#openImage(block, block.body);
    else if (kind !== "toolResult" || !saysNew) this.#noteForeign(kind, body);
    if (block.call?.server === true) this.#calling.set(block.call.toolCallId, index);
  }

  #openCall(block: Block, { name, toolUseId, type }: Members): void {
    if (typeof name !== "string" || name === "") {
      const message = "A tool call without a name cannot be called; it is left out of the message";
      const said = { expected: "the tool's name", actual: shown(name) };
      this.#log.note("adapter/unnamed-tool-call", message, `${START}/toolUse/name`, said);
      return;
    }
    const id = this.#log.string(toolUseId, `${START}/toolUse/toolUseId`);
    const writer = this.#writer;
    const own = id || undefined;
    block.call = type === SERVER ? writer.openServerCall(own, name) : writer.openCall(own, name);
  }

  #openImage(block: Block, body: Members): void {
    block.media = this.#writer.openMedia(undefined, mimeTypeOf(body));
    const { source } = body;
    const data = isObject(source) ? member(source, "bytes") : undefined;
    if (data === undefined || this.#writer.mediaData(block.media, { dataDelta: data })) return;
    this.#log.invalid(`${START}/image/source/bytes`, "Base64", data);
  }

  /** Notes a block that is not a part of ours; it is kept whole when it ends. */
  #noteForeign(kind: string, body: unknown): void {
    if (kind === "toolUse" || kind === "toolResult") {
      const name = isObject(body) ? body[Object.hasOwn(body, "name") ? "name" : "type"] : kind;
      const message = "The provider executes this tool itself; it is not a tool call of the message";
      this.#log.note("adapter/server-tool-call", message, START, { actual: shown(name) });
    } else {
      const message = "The contract has no part for this block; it is kept beside the message";
      this.#log.note("adapter/unsupported-content", message, START, { actual: shown(kind) });
    }
  }

  /** Reads one `contentBlockStop`. */
  stop(index: number): void {
    const block = this.#blocks.get(index);
    if (this.#run?.index === index) {
      this.#leaveRun();
      this.#left.delete(index);
    } else if (block !== undefined) {
      this.#blocks.delete(index);
      this.#stopBlock(block);
    } else if (index > this.lastIndex) {
      this.lastIndex = index; // text that is empty has neither start nor pieces
    } else if (!this.#left.delete(index) && index !== this.lastIndex) {
      this.#noteOrder("A block ends that is not open", index);
    }
  }

  #stopBlock(block: Block): void {
    if (block.media !== undefined) return this.#stopImage(block, block.media);
    if (block.call === undefined) {
      if (!this.#readResult(block)) this.#writer.keep(block.kind, block.whole);
      return;
    }
    const isGiven = isObject(block.body) && saidMember(block.body, "input") !== undefined;
    if (isGiven && !block.hasArgs) this.#writeInput(block, block.body as Members);
    if (block.call.server) {
      this.#calling.delete(block.call.toolCallId);
      this.#writer.keepWith(block.call, block.kind, block.whole);
    }
    this.#writer.endCall(block.call);
  }

  #stopImage(block: Block, media: OpenMedia): void {
    const mimeType = isObject(block.body) ? mimeTypeOf(block.body) : undefined;
    if (this.#writer.endMedia(media, { mimeType })) return;
    this.#noteForeign(block.kind, block.body);
    this.#writer.keep(block.kind, block.whole);
  }

  /** Writes the result of a tool that the provider ran; returns whether it answers a call. */
  #readResult(block: Block): boolean {
    const { body, kind } = block;
    if (!this.#writer.saysNew || kind !== "toolResult" || !isObject(body)) return false;
    const own = this.#log.string(body["toolUseId"], RESULT_ID);
    const index = this.#calling.get(this.#writer.answers(own) ?? "");
    const calling = index === undefined ? undefined : this.#blocks.get(index);
    if (index !== undefined && calling !== undefined) {
      this.#noteOrder("A result comes while the block of its call is open", index);
      this.#blocks.delete(index);
      this.#stopBlock(calling);
    }
    const content = [...block.content, ...block.results];
    const [first] = content;
    const isJson = content.length === 1 && isObject(first) && Object.keys(first).join() === "json";
    const isError = body["status"] === "error";
    const result = {
      ...(isJson ? readResult(first, "json") : readResult({ content }, "content")),
      isError,
      outcome: isError ? "error" : "success",
    };
    const isWritten = this.#writer.serverResult(own || undefined, result, [[kind, block.whole]]);
    if (!isWritten) this.#noteForeign(kind, body);
    return isWritten;
  }

  /** Ends what the provider left open. */
  stopAll(): void {
    this.#leaveRun();
    for (const [index, block] of this.#blocks) {
      this.#blocks.delete(index);
      this.#stopBlock(block);
    }
  }

  // --- text and reasoning -----------------------------------------------------------------------

  /** Returns the run of this kind at `index`, a new one where another one is open. */
  #enter(index: number, kind: TextKind): Run {
    const run = this.#run;
    if (run !== undefined) {
      if (run.index === index && run.kind === kind) return run;
      this.#leaveRun();
    }
    if (this.#blocks.has(index)) this.#noteOrder("A piece is not of its block's type", index);
    const writer = this.#writer;
    // Text that follows text of its kind joins the part: the block begins inside it.
    const entered = new Run(index, kind, writer.kind === kind ? writer.chars : 0);
    this.#run = entered;
    this.lastIndex = Math.max(this.lastIndex, index);
    return entered;
  }

  /** Ends the open text or reasoning: keeps what belongs to it. */
  #leaveRun(): void {
    const run = this.#run;
    if (run === undefined) return;
    this.#run = undefined;
    this.#left.add(run.index);
    const writer = this.#writer;
    const begin = writer.kind === run.kind ? run.start : undefined;
    const start = writer.citeBlock(run.citations, begin, citationOf);
    if (run.signature !== "") writer.keep("signature", run.signature, start);
    const redactedContent = joinBase64(run.redacted);
    if (redactedContent !== "") writer.keep("redactedContent", { reasoningContent: { redactedContent } });
  }

  /** Reads one `contentBlockDelta`, whatever block it says it belongs to. */
  piece(index: number, delta: Members): void {
    const text = member(delta, "text");
    if (typeof text === "string") {
      this.#enter(index, "text");
      this.#writer.text(text);
    }
    for (const kind of memberNames(delta)) {
      const value = delta[kind];
      if (kind === "reasoningContent" && isObject(value)) this.#readReasoning(index, value);
      else if (kind === "citation") this.#enter(index, "text").citations.push(asBase64(value));
      else if (kind !== "text") this.#blockPiece(index, kind, value);
      else if (typeof value !== "string") this.#log.invalid(`${DELTA}/text`, "a string", value);
    }
  }

  #readReasoning(index: number, value: Members): void {
    const run = this.#enter(index, "thinking");
    for (const kind of memberNames(value)) {
      const piece = value[kind];
      if (kind === "text" && typeof piece === "string") this.#writer.thinking(piece);
      else if (kind === "signature" && typeof piece === "string") run.signature += piece;
      else if (kind === "redactedContent" && isBytes(piece)) run.redacted.push(asBase64(piece) as string);
      else if (REASONING.has(kind)) this.#log.invalid(`${DELTA}/reasoningContent/${kind}`, "a string", piece);
      else this.#keepUnknown({ reasoningContent: { [kind]: piece } }, kind);
    }
  }

  // --- pieces of other blocks -------------------------------------------------------------------

  #blockPiece(index: number, kind: string, value: unknown): void {
    const block = this.#blocks.get(index);
    if (!WITH_START.has(kind)) {
      this.#keepUnknown({ [kind]: value }, kind);
    } else if (block === undefined || block.kind !== kind) {
      this.#noteOrder("A piece belongs to a block that is not open", index);
      this.#writer.keep("unknown", { [kind]: asBase64(value) });
    } else if (kind === "toolUse" && isObject(value)) {
      this.#readInput(block, value);
    } else if (kind === "toolResult" && Array.isArray(value)) {
      addResults(block.results, asBase64(value) as unknown[]);
    } else if (kind === "image" && isObject(value)) {
      this.#readImage(block, value);
    } else {
      this.#log.invalid(`${DELTA}/${kind}`, "a piece of its block", value);
    }
  }

  #readInput(block: Block, holder: Members): void {
    const piece = member(holder, "input");
    if (piece === undefined) return;
    if (typeof piece !== "string") {
      this.#log.invalid(`${DELTA}/toolUse/input`, "a string", piece);
      this.#writeInput(block, holder);
    } else {
      this.#addInput(block, piece);
    }
  }

  #addInput(block: Block, text: string): void {
    block.hasArgs ||= text !== "";
    if (block.call === undefined || block.call.server) block.text += text;
    if (block.call !== undefined) this.#writer.args(block.call, text);
  }

  /** Writes arguments that came as a value in place of text. */
  #writeInput(block: Block, holder: Members): void {
    const value = holder["input"];
    const text = typeof value === "string" ? value : jsonTextAt(copyAsBase64(holder), "input");
    if (text !== undefined && text !== "") this.#addInput(block, text);
  }

  #readImage(block: Block, value: Members): void {
    const source = member(value, "source");
    const data = isObject(source) ? member(source, "bytes") : undefined;
    if (!isBytes(data)) {
      if (isObject(block.body)) for (const name of memberNames(value)) put(block.body, name, asBase64(value[name]));
      return;
    }
    const text = asBase64(data) as string;
    if (block.media !== undefined && this.#writer.mediaData(block.media, { dataDelta: text })) return;
    if (block.media !== undefined) this.#log.invalid(`${DELTA}/image/source/bytes`, "Base64", text);
    block.bytes.push(text);
  }

  #keepUnknown(piece: Members, kind: string): void {
    const message = "This piece is of no known type; it is kept beside the message";
    const said = { expected: "a piece of the block's type", actual: shown(kind) };
    this.#log.note("adapter/unknown-event", message, DELTA, said);
    this.#writer.keep("unknown", asBase64(piece));
  }

  #noteOrder(message: string, index: number): void {
    this.#log.note("adapter/block-order", message, "/contentBlockIndex", { actual: shown(index) });
  }

  // --- a message that came whole ----------------------------------------------------------------

  /** Reads the content blocks of a response that is not a stream. */
  readWhole(content: readonly unknown[]): void {
    for (const [index, block] of content.entries()) {
      if (!isObject(block)) {
        this.#log.invalid(`/output/message/content/${index}`, "an object", block);
        continue;
      }
      for (const kind of memberNames(block)) this.#readWholeBlock(index, kind, block[kind]);
      this.stop(index);
    }
  }

  #readWholeBlock(index: number, kind: string, value: unknown): void {
    if (kind === "text") {
      this.piece(index, { text: value });
    } else if (kind === "reasoningContent" && isObject(value)) {
      const { reasoningText, ...rest } = value;
      this.piece(index, { [kind]: isObject(reasoningText) ? { ...reasoningText, ...rest } : value });
    } else if (kind === "citationsContent" && isObject(value)) {
      const at = `/output/message/content/${index}/citationsContent`;
      for (const citation of this.#list(value, "citations", at)) this.piece(index, { citation });
      const content = this.#list(value, "content", at);
      for (const [number, item] of content.entries()) {
        if (isObject(item)) this.piece(index, item);
        else this.#log.invalid(`${at}/content/${number}`, "an object", item, shownAt(content, `${number}`));
      }
    } else {
      this.start(index, { [kind]: value });
    }
  }

  #list(holder: Members, name: string, place: string): readonly unknown[] {
    const value = member(holder, name);
    if (Array.isArray(value)) return value;
    if (value !== undefined) this.#log.invalid(`${place}/${name}`, "an array", value, shownAt(holder, name));
    return [];
  }
}

function isBytes(value: unknown): value is string | Uint8Array {
  return typeof value === "string" || value instanceof Uint8Array;
}

function mimeTypeOf({ format }: Members): string | undefined {
  return typeof format === "string" && format !== "" ? (IMAGES.get(format) ?? `image/${format}`) : undefined;
}

/** Adds the results of one event; text goes on where the last one's text stopped. */
function addResults(results: unknown[], pieces: readonly unknown[]): void {
  for (const [at, piece] of pieces.entries()) {
    const last = at === 0 ? results.at(-1) : undefined;
    const [before, text] = [textIn(last), textIn(piece)];
    if (before !== undefined && text !== undefined) {
      results[results.length - 1] = { ...(last as Members), text: before + text };
    } else {
      results.push(piece);
    }
  }
}

function textIn(value: unknown): string | undefined {
  const text = isObject(value) ? value["text"] : undefined;
  return typeof text === "string" ? text : undefined;
}
