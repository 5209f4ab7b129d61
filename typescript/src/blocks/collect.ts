/** A whole chunk stream in, its response out. */

import type { ContentBlock, ErrorChunk, Message, ModelResponse, ToolUseBlock } from "../contract/current/blocks.js";
import { Unknown } from "../contract/unknown.js";
import { clip, errorAt, type Finding } from "../errors.js";
import { BLOCKS } from "../generated/severities.js";
import { MAX_UNKNOWN } from "../generated/tables/limits.js";
import { StreamFailed } from "../message/assembler/assembler.js";
import { type Limits, wholeLimits } from "../message/assembler/rules.js";
import { type Chunk, ChunkState } from "./chunk-state.js";

/** How chunks are collected. */
export interface CollectOptions {
  readonly limits?: Partial<Limits> | undefined;
}

/** The response failed: `error` is the chunk that said so, `partial` what arrived before it. */
export type ResponseFailed = StreamFailed<ErrorChunk, Message>;

/**
 * Collects one stream of chunks into a response; sans-IO, and a refused chunk changes nothing.
 *
 * Blocks are in the order of their start, `tool_use` where it came; a block without text is left
 * out.
 */
export class ChunkCollector {
  readonly #state: ChunkState;
  readonly #content: ({ text: string } | ToolUseBlock)[] = [];
  readonly #blocks = new Map<number, { text: string }>();
  readonly #findings = new Map<string, Finding>();

  constructor(options: CollectOptions = {}) {
    this.#state = new ChunkState(wholeLimits(options.limits ?? {}));
  }

  /** Warnings: one `blocks/unknown-chunk` for each unknown type. */
  get findings(): Finding[] {
    return [...this.#findings.values()];
  }

  /** Whether the chunk that ends the stream has come. */
  get ended(): boolean {
    return this.#state.last !== undefined;
  }

  /** Takes the next chunk. Throws StreamProtocolError for one that breaks a rule of its stream. */
  feed(chunk: Chunk): void {
    const taken = this.#state.take(chunk);
    if (taken instanceof Unknown) return this.#passOver(taken.tag);
    if (taken.type === "content_block_delta") {
      (this.#blocks.get(taken.index) as { text: string }).text += taken.delta;
    } else if (taken.type === "content_block_start") {
      const block = { text: "" };
      this.#blocks.set(taken.index, block);
      this.#content.push(block);
    } else if (taken.type === "content_block_stop") {
      this.#blocks.delete(taken.index);
    } else if (taken.type === "tool_use") {
      const { type, tool_use_id, tool_name } = taken;
      this.#content.push({ type, tool_use_id, tool_name, parameters: this.#state.arguments.value });
    }
  }

  /** Returns the content so far: of a stream that is cut or has failed, what arrived. */
  content(): ContentBlock[] {
    return this.#content.flatMap((each): ContentBlock[] => {
      if ("type" in each) return [each];
      return each.text === "" ? [] : [{ type: "text", text: each.text }];
    });
  }

  /**
   * Says that no more chunks come; returns the response. Throws {@link ResponseFailed}
   * `blocks/failed` after an `error` chunk, StreamProtocolError `blocks/truncated` where neither
   * `message_stop` nor `error` came.
   */
  close(): ModelResponse {
    const { last } = this.#state;
    if (last === undefined) throw this.#state.truncated();
    if (last.type === "message_stop") return { content: this.content(), usage: last.usage };
    const message = `The response failed: ${clip(last.message)}`;
    const finding = errorAt("/message", "blocks/failed", message, "message_stop", "error");
    throw new StreamFailed(finding, last, { role: "assistant", content: this.content() } satisfies Message);
  }

  #passOver(tag: string): void {
    if (this.#findings.size >= MAX_UNKNOWN) return;
    const message = "A chunk of an unknown type: its content is ignored";
    const finding = errorAt("/type", "blocks/unknown-chunk", message, "a type of this version", clip(tag));
    this.#findings.set(tag, { ...finding, severity: BLOCKS["blocks/unknown-chunk"] });
  }
}

/** Returns the response that `chunks` are; throws as {@link ChunkCollector}. */
export function collectChunks(chunks: Iterable<Chunk>, options: CollectOptions = {}): ModelResponse {
  const collector = new ChunkCollector(options);
  for (const chunk of chunks) collector.feed(chunk);
  return collector.close();
}

/**
 * Returns the response of a stream; throws as {@link ChunkCollector}. Reads no further than the chunk
 * that ends the stream, and closes the stream whatever happens. What the stream throws comes through.
 */
export async function collect(stream: AsyncIterable<Chunk>, options: CollectOptions = {}): Promise<ModelResponse> {
  const collector = new ChunkCollector(options);
  for await (const chunk of stream) {
    collector.feed(chunk);
    if (collector.ended) break;
  }
  return collector.close();
}
