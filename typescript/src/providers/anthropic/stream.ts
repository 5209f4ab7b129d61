/**
 * Anthropic Messages: raw events → deltas.
 *
 * End marker: `message_stop`. What the format says and what relays make of it:
 *
 * - Blocks are distinguished by `index`; a new block on the index of an open one ends that one.
 * - `tool_use` is a tool call of ours. `server_tool_use` and `mcp_tool_use` are calls that the
 *   provider runs, `*_tool_result` their results: separate parts, with the block in `opaque`. A
 *   result that answers no call, or one that has its result, is state of the provider.
 * - Citations are written when their block ends, for all of its text: they may come before it. In a
 *   block without text they are state.
 * - Signatures, redacted thinking, compaction and blocks of unknown types are kept in `opaque`;
 *   none of it is text.
 * - `warnings`, which gateways add to events and messages, are the contract's.
 * - For `version: "v0.2"` server tools and citations are state too, where they stood.
 * - `usage` of `message_delta` is cumulative and replaces that of `message_start` field by field.
 *   `inputTokens` is input + cache read + cache write, which the provider reports apart.
 * - A second `message_start` with another id, or after content, is a second answer in the first
 *   one's stream: an error, since what has been emitted cannot be taken back.
 *
 * Source: https://docs.anthropic.com/en/docs/build-with-claude/streaming.
 */

import { ANTHROPIC } from "../../generated/tables/finish-reasons.js";
import { ANTHROPIC_EVENTS } from "../../generated/tables/provider-names.js";
import { ANTHROPIC_DETAILS as DETAILS, ANTHROPIC as FIGURES } from "../../generated/tables/usage-figures.js";
import { LONGEST_MATCHED, STRING, unescaped } from "../../json/strings.js";
import { isObject } from "../../json/values.js";
import { type AdapterInit, ProviderAdapter } from "../core/adapter.js";
import { errorBody, errorIn } from "../core/errors.js";
import { decodeEvent } from "../core/event-json.js";
import { shownAt } from "../core/findings.js";
import { integerAt, spelledAs } from "../core/spelling.js";
import { Figures, usageSummary } from "../core/usage.js";
import { type Members, member } from "../core/values.js";
import { AnthropicBlocks } from "./blocks.js";

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
    if (event["warnings"] !== undefined) this.writer.readWarnings(event, "");
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
    if (place !== "") this.writer.readWarnings(message, place);
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
