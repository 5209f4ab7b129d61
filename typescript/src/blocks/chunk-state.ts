/**
 * The rules of a chunk stream, and as much of its state as they need.
 *
 * - A block starts, grows and stops. Several may be open at once; each start has a higher index
 *   than the one before it, so the order of the starts is the order of the content.
 * - A `tool_use` is a separate block: it is put where it comes, and its id is used once.
 * - `message_stop` comes with no block open. Nothing follows `message_stop` or `error`; a stream
 *   without either is cut.
 *
 * Source: semantics, blocks.
 */

import { bind, type Verdict } from "../contract/binding.js";
import { data, verdicts } from "../contract/current/blocks.checks.js";
import type { ErrorChunk, MessageStopChunk, StreamChunk, ToolUseChunk } from "../contract/current/blocks.js";
import { Unknown } from "../contract/unknown.js";
import { clip, errorAt, type Finding, StreamProtocolError, WriteError } from "../errors.js";
import { codePoints, isUnicode, utf8Length } from "../json/text.js";
import { isObject, type JsonObject, own } from "../json/values.js";
import { parseArguments } from "../message/assembler/arguments.js";
import { type Limits, limitExceeded } from "../message/assembler/rules.js";
import { written } from "../reading/checks.js";

/** What a stream of chunks is made of; tolerant reading leaves an {@link Unknown} for a new type. */
export type Chunk = StreamChunk | Unknown;

type Type = StreamChunk["type"];

const CHUNK = bind("StreamChunk", data, verdicts["StreamChunk"] as Verdict);
const TYPES: ReadonlySet<unknown> = new Set<Type>([
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "tool_use",
  "message_stop",
  "error",
]);

/** The text of a tool call's arguments, and a value that nobody else holds. */
interface Arguments {
  readonly text: string;
  readonly value: JsonObject;
}

/** Checks the chunks of one stream; a refused chunk changes nothing. */
export class ChunkState {
  /** Counts the chunks from 0, refused ones included; it is the `seq` of refusals. */
  number = -1;
  /** The chunk that ended the stream. */
  last: MessageStopChunk | ErrorChunk | undefined;
  /** Those of the last `tool_use`. */
  arguments: Arguments = { text: "{}", value: {} };
  readonly #limits: Limits;
  readonly #open = new Set<unknown>();
  readonly #ids = new Set<string>();
  /** Of the last start. */
  #index = -1;
  #blocks = 0;
  #textLeft: number;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#textLeft = limits.textBytes;
  }

  /**
   * Takes the next chunk, and returns it without members that no chunk has. Throws
   * StreamProtocolError `blocks/invalid-chunk`, `blocks/after-terminal`, `blocks/block-not-open`,
   * `blocks/index-not-increasing`, `blocks/block-open`, `blocks/duplicate-tool-use` or
   * `stream/limit-exceeded`.
   */
  take(chunk: Chunk): Chunk {
    this.number++;
    const type = typeOf(chunk);
    if (type === undefined) throw this.#refused(invalidChunk("", "a chunk of the contract", chunk));
    if (this.last !== undefined) {
      throw this.#refused(
        errorAt(
          "/type",
          "blocks/after-terminal",
          `The stream has ended with ${this.last.type}`,
          "no more chunks",
          clip(type),
        ),
      );
    }
    if (chunk instanceof Unknown) return this.#takeUnknown(chunk);
    switch (chunk.type) {
      case "content_block_start":
        this.#takeStart(own(chunk, "index"));
        return chunk;
      case "content_block_delta":
        this.#takeDelta(own(chunk, "index"), own(chunk, "delta"));
        return chunk;
      case "content_block_stop":
        this.#takeStop(own(chunk, "index"));
        return chunk;
      case "tool_use":
        return this.#takeToolUse(chunk);
      case "message_stop":
        return this.#takeMessageStop(chunk);
      case "error":
        return (this.last = this.#document(chunk));
    }
  }

  /** Returns the error for a stream that stops here. */
  truncated(): StreamProtocolError {
    const message = "The stream stops without message_stop or error";
    const actual = `the end after ${this.number + 1} chunk(s)`;
    return new StreamProtocolError(errorAt("", "blocks/truncated", message, "message_stop or error", actual));
  }

  // --- one method per type: check all, then change ------------------------------------------------

  #takeStart(index: unknown): void {
    const wrong = indexFinding(index);
    if (wrong !== undefined) throw this.#refused(wrong);
    if ((index as number) <= this.#index) {
      const message = "The index does not increase";
      const place = [`more than ${this.#index}`, String(index)] as const;
      throw this.#refused(errorAt("/index", "blocks/index-not-increasing", message, ...place));
    }
    this.#checkParts();
    this.#open.add(index);
    this.#index = index as number;
    this.#blocks++;
  }

  #takeDelta(index: unknown, text: unknown): void {
    this.#checkOpen(index);
    if (typeof text !== "string") throw this.#refused(invalidChunk("/delta", "a string", text));
    if (!isUnicode(text)) throw this.#refused(invalidChunk("/delta", "well-formed Unicode", text));
    const size = utf8Length(text);
    if (size > this.#textLeft) throw this.#pastLimit("textBytes", "/delta");
    this.#textLeft -= size;
  }

  #takeStop(index: unknown): void {
    this.#checkOpen(index);
    this.#open.delete(index);
  }

  #takeToolUse(chunk: ToolUseChunk): ToolUseChunk {
    const document = this.#document(chunk);
    const { idChars, toolCalls, argumentsBytes, argumentsDepth } = this.#limits;
    const id = document.tool_use_id;
    if (this.#ids.has(id)) {
      const message = "The tool use id has been used already";
      throw this.#refused(errorAt("/tool_use_id", "blocks/duplicate-tool-use", message, "a different id", clip(id)));
    }
    if (id.length > idChars && codePoints(id) > idChars) throw this.#pastLimit("idChars", "/tool_use_id");
    if (this.#ids.size >= toolCalls) throw this.#pastLimit("toolCalls");
    this.#checkParts();
    const text = argumentText(document.parameters);
    if (utf8Length(text) > argumentsBytes) throw this.#pastLimit("argumentsBytes", "/parameters");
    const parsed = parseArguments(text, argumentsDepth);
    if (parsed === undefined) throw this.#pastLimit("argumentsDepth", "/parameters");
    this.arguments = { text, value: parsed.value };
    this.#ids.add(id);
    this.#blocks++;
    return document;
  }

  #takeMessageStop(chunk: MessageStopChunk): MessageStopChunk {
    const document = this.#document(chunk);
    if (this.#open.size > 0) {
      const message = `${this.#open.size} block(s) are still open`;
      const actual = `open: ${this.#firstOpen()}`;
      throw this.#refused(errorAt("", "blocks/block-open", message, "content_block_stop for each", actual));
    }
    return (this.last = document);
  }

  /** Lets pass what only tolerant reading lets in. */
  #takeUnknown(chunk: Unknown): Unknown {
    const wrong = unknownFinding(chunk);
    if (wrong !== undefined) throw this.#refused(wrong);
    return chunk;
  }

  // --- steps --------------------------------------------------------------------------------------

  #checkOpen(index: unknown): void {
    if (this.#open.has(index)) return;
    const expected = this.#open.size > 0 ? `an open block: ${this.#firstOpen()}` : "an open block";
    throw this.#refused(errorAt("/index", "blocks/block-not-open", "The block is not open", expected, clip(index)));
  }

  /** Blocks begin in the order of their index, so the first that is left has the lowest. */
  #firstOpen(): string {
    const [first] = this.#open;
    return String(first);
  }

  #checkParts(): void {
    if (this.#blocks >= this.#limits.parts) throw this.#pastLimit("parts");
  }

  /** Returns a chunk as JSON value; refuses what no reader would have let pass. */
  #document<T extends StreamChunk>(chunk: T): T {
    const { document, wrong } = documentOf(chunk);
    if (wrong !== undefined) throw this.#refused(wrong);
    return document as T;
  }

  #pastLimit(name: keyof Limits, pointer = ""): StreamProtocolError {
    return limitExceeded(name, this.#limits[name], this.number, pointer);
  }

  #refused(finding: Finding): StreamProtocolError {
    return new StreamProtocolError(finding, this.number);
  }
}

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?0\.00000[1-9]\d*|e\+/g;

/**
 * Returns arguments as the text of a delta. It is the same text in every language, as far as numbers
 * allow: JavaScript's own `1e+21` and `0.000001` are `1e21` and `1e-6`.
 */
function argumentText(parameters: JsonObject): string {
  const text = JSON.stringify(parameters);
  if (!text.includes("e+") && !text.includes("0.00000")) return text;
  return text.replace(STRING_OR_NUMBER, (token) => {
    if (token.startsWith('"')) return token;
    return token === "e+" ? "e" : Number(token).toExponential();
  });
}

/** Returns what is wrong with a chunk in itself, wherever it comes; undefined for a valid chunk. */
export function chunkFinding(value: unknown): Finding | undefined {
  const type = typeOf(value);
  if (type === undefined) return invalidChunk("", "a chunk of the contract", value);
  if (value instanceof Unknown) return unknownFinding(value);
  return documentOf(value as StreamChunk).wrong;
}

/** Returns the type of a chunk, and the tag of an Unknown; undefined for what is not a chunk. */
function typeOf(chunk: unknown): unknown {
  if (chunk instanceof Unknown) return chunk.tag ?? null;
  const type = isObject(chunk) ? own(chunk, "type") : undefined;
  return TYPES.has(type) ? type : undefined;
}

function unknownFinding(chunk: Unknown): Finding | undefined {
  if (!isObject(chunk.document)) return invalidChunk("", "an object", chunk.document);
  if (typeof chunk.tag === "string" && !TYPES.has(chunk.tag)) return undefined;
  return invalidChunk("/type", "a type that this version does not know", chunk.tag);
}

/** Returns a chunk as JSON value, or what no reader would have let pass of it. */
function documentOf(chunk: StreamChunk): { readonly document?: unknown; readonly wrong?: Finding } {
  try {
    return { document: written(CHUNK, chunk) };
  } catch (error) {
    if (!(error instanceof WriteError)) throw error;
    const [first] = error.findings;
    const message = `Not a chunk of the contract: ${first.message}`;
    return { wrong: { ...first, rule: "blocks/invalid-chunk", message } };
  }
}

function indexFinding(index: unknown): Finding | undefined {
  if (Number.isSafeInteger(index) && (index as number) >= 0) return undefined;
  return invalidChunk("/index", "an integer from 0 to 2^53 - 1", index);
}

function invalidChunk(pointer: string, expected: string, value: unknown): Finding {
  return errorAt(pointer, "blocks/invalid-chunk", "Not a chunk of the contract", expected, clip(value));
}
