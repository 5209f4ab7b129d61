/**
 * Anthropic Messages: the contract's messages and configuration → a request body.
 *
 * - System prompt and system messages are `system` blocks. A system message behind others moves there
 *   (`encode/moved-system`): models before the newest take none among the messages.
 * - Messages of one side in a row become one; tool results are first in the user's, all results of
 *   parallel calls in one. What is left empty is left out.
 * - Reasoning goes back with its signature, at its place, and not without; redacted thinking, server
 *   tools with their results and whatever else the provider had stays at its place.
 * - Images, PDF and text go inline, by URL or uploaded, from users and tools; not from assistants.
 * - The provider needs `max_tokens`: without one it is 4,096, which every model takes, beyond the
 *   thinking budget if there is one (`encode/default-max-tokens`).
 * - `cacheConfig` marks the last tool, the last system block and the last block of the last message.
 *
 * Source: https://docs.anthropic.com/en/api/messages.
 */

import { IMAGES } from "../../generated/tables/media-types.js";
import { ANTHROPIC_RESPONSE_ONLY } from "../../generated/tables/provider-names.js";
import { jsonText } from "../../json/compact.js";
import { isObject, own } from "../../json/values.js";
import { type Block, BlockContent, BlockEncoder, type Draft } from "../request_core/blocks.js";
import { Form } from "../request_core/call-ids.js";
import { objectArguments } from "../request_core/calls-and-results.js";
import type { Request } from "../request_core/inputs.js";
import type { Media } from "../request_core/media.js";
import type { Notes } from "../request_core/notes.js";
import type { Item } from "../request_core/state.js";
import {
  type Call,
  isPieces,
  type MediaPiece,
  type Result,
  type Text,
  type Turn,
  type UserPiece,
  wordsOf,
} from "../request_core/turns.js";
import { fresh, type Json, saysSomething, worded } from "../request_core/values.js";

// --- content -------------------------------------------------------------------------------------
// Content blocks of Anthropic Messages requests, from the pieces of turns.

const PDF = "application/pdf";
const EXPECTED = "JPEG, PNG, GIF, WebP, PDF or text, inline or uploaded; images and PDF by URL too";
const FILE_ID = /^file_[A-Za-z0-9_-]{8,}$/;
const RESPONSE_ONLY: ReadonlySet<string> = new Set(ANTHROPIC_RESPONSE_ONLY);

/** Writes blocks of Anthropic Messages. */
class AnthropicContent extends BlockContent {
  // --- what users and tools say -------------------------------------------------------------------

  override text(piece: Text): Block[] {
    if (saysSomething(piece.text)) return [{ body: { type: "text", text: piece.text }, pointer: piece.pointer }];
    this.noteBlank(piece.pointer);
    return [];
  }

  override user(pieces: readonly UserPiece[]): Block[] {
    return pieces.flatMap((piece): Block[] => {
      if (piece.type === "text") return this.text(piece);
      const body = mediaBlock(piece);
      if (body !== undefined) return [{ body, pointer: piece.pointer }];
      const words = wordsOf(piece, EXPECTED, this.notes);
      return words === undefined ? [] : this.text(words);
    });
  }

  override result(result: Result): Block {
    let content = this.#resultContent(result);
    if (content.length === 0 && result.isError) {
      this.noteSilentFailure(result.pointer);
      content = "Error";
    }
    const body: Json = {
      type: "tool_result",
      tool_use_id: result.callId,
      ...(content.length === 0 ? {} : { content }),
      ...(result.isError ? { is_error: true } : {}),
    };
    return { body, pointer: result.pointer };
  }

  #resultContent({ content, pointer }: Result): string | Json[] {
    if (isPieces(content)) return this.user(content).map((block) => block.body);
    if (typeof content !== "string") return jsonText(content);
    if (content === "" || saysSomething(content)) return content;
    this.noteBlank(pointer);
    return "";
  }

  // --- what the assistant said --------------------------------------------------------------------

  protected override cited(piece: Text): Block[] {
    const citations = this.citations(piece);
    // A member of a response's citations that a request's do not have.
    for (const citation of citations) delete citation["file_id"];
    const blocks = this.text(piece);
    if (citations.length === 0) return blocks;
    return blocks.map(({ body, pointer }) => ({ body: { ...body, citations }, pointer }));
  }

  protected override thinking(text: string, signature: string): Json {
    return { type: "thinking", thinking: text, signature };
  }

  protected override call(call: Call): Json {
    const input = objectArguments(call, this.notes);
    let body: Json = { type: "tool_use", id: call.callId, name: call.name, input };
    for (const { kind, data, pointer } of call.state) {
      if (kind === "call" && isObject(data)) body = { ...fresh(data), ...body };
      else this.notes.responseOnly(pointer, kind);
    }
    return body;
  }

  protected override state(item: Item): Block[] {
    const { kind, data, pointer } = item;
    if (kind === "signature") return this.bareSignature(item);
    if (RESPONSE_ONLY.has(kind)) {
      if (kind !== "container") this.notes.responseOnly(pointer, kind);
    } else if (!isObject(data) || own(data, "type") !== kind) {
      this.notes.malformed(pointer, `a block of the type ${kind}`, data);
    } else if (Object.hasOwn(data, "input") && !isObject(data["input"])) {
      this.notes.malformed(pointer, "an input as an object", data["input"]);
    } else {
      return [{ body: fresh(data), pointer }];
    }
    return [];
  }
}

function mediaBlock({ type, media }: MediaPiece): Json | undefined {
  if (type === "attachment" && media.isOddImage) return undefined;
  return type === "image" ? imageBlock(media) : fileBlock(media);
}

function imageBlock(media: Media): Json | undefined {
  const { mimeType, data, url } = media;
  let source: Json | undefined;
  if (data !== undefined && IMAGES.includes(mimeType)) source = { type: "base64", media_type: mimeType, data };
  else if (url !== undefined && media.isImage) source = { type: "url", url };
  else source = uploaded(media);
  return source === undefined ? undefined : { type: "image", source };
}

function fileBlock(media: Media): Json | undefined {
  if (media.isImage) return imageBlock(media);
  const source = fileSource(media);
  if (source === undefined) return undefined;
  return { type: "document", source, ...(media.name === "" ? {} : { title: media.name }) };
}

function fileSource(media: Media): Json | undefined {
  const { mimeType, data, url } = media;
  if (data !== undefined && mimeType === PDF) return { type: "base64", media_type: PDF, data };
  if (data !== undefined && mimeType.startsWith("text/")) {
    const text = media.text();
    return text === undefined ? undefined : { type: "text", media_type: "text/plain", data: text };
  }
  if (url !== undefined && (mimeType === PDF || mimeType === "")) return { type: "url", url };
  return uploaded(media);
}

/** Returns the source of a file that was uploaded, undefined for any other. */
function uploaded({ path }: Media): Json | undefined {
  return path !== undefined && FILE_ID.test(path) ? { type: "file", file_id: path } : undefined;
}

// --- the request ---------------------------------------------------------------------------------

const DEFAULT_MAX_TOKENS = 4096;
const NAME = /^[A-Za-z0-9_-]+$/;
const FORMS = { callId: new Form(NAME, 64), toolName: new Form(NAME, 128), apart: true, blank: false };

/** Encoder of one Anthropic Messages request. */
export class AnthropicMessagesEncoder extends BlockEncoder {
  protected override readonly content: AnthropicContent;

  constructor(request: Request, notes: Notes) {
    super(request, notes, "anthropic-messages", FORMS);
    this.content = new AnthropicContent(notes);
  }

  protected override body(): Json {
    const { request } = this;
    const { system, drafts } = this.drafted();
    const messages = drafts.map(({ role, content }) => ({ role, content: content.map((block) => block.body) }));
    const { tools, choice } = this.#tools();
    if (request.cache) {
      // Reasoning, which cannot be marked, is never the last block.
      for (const blocks of [tools, system, messages.at(-1)?.content]) {
        const last = blocks?.at(-1);
        if (last !== undefined) last["cache_control"] = { type: "ephemeral" };
      }
    }
    return {
      model: request.modelId,
      messages,
      ...(system.length === 0 ? {} : { system }),
      ...(tools.length === 0 ? {} : { tools }),
      ...choice,
      ...this.sampling("max_tokens", "top_p", 1),
      ...this.stopsThat(saysSomething, "stop_sequences", "more than white space"),
    };
  }

  /** Returns `stream`, `container` where it is due, and `max_tokens` without a limit. */
  protected override defaults(): Json {
    const defaults = { stream: true, ...this.#container() };
    const { maxTokens, extensions } = this.request;
    if (maxTokens !== undefined || extensions.has("max_tokens")) return defaults;
    const thinking = extensions.get("thinking");
    const budget = isObject(thinking) ? own(thinking, "budget_tokens") : undefined;
    const tokens = DEFAULT_MAX_TOKENS + (Number.isInteger(budget) ? (budget as number) : 0);
    const message = "The provider needs a limit for the answer, and the configuration has none";
    this.notes.add("encode/default-max-tokens", message, "/config", { expected: "maxTokens", actual: String(tokens) });
    return { ...defaults, max_tokens: tokens };
  }

  // --- messages -----------------------------------------------------------------------------------

  protected override leaveOutDangling(drafts: readonly Draft[]): void {
    const waiting = this.waiting(drafts);
    const answered = new Set<string>();
    for (const { blocks } of drafts) {
      for (const { body } of blocks) if (isServerResult(body)) answered.add(worded(own(body, "tool_use_id")));
    }
    const called = new Set<string>();
    for (const [number, draft] of drafts.entries()) {
      draft.blocks = draft.blocks.filter(({ body, pointer }) => {
        let isDue = !isServerResult(body) || called.has(worded(own(body, "tool_use_id")));
        if (body["type"] === "server_tool_use" || body["type"] === "mcp_tool_use") {
          const id = worded(own(body, "id"));
          called.add(id);
          isDue = answered.has(id) || number === waiting;
        }
        if (!isDue) this.noteDangling(pointer, String(body["type"]));
        return isDue;
      });
    }
  }

  protected override isThinking(body: Json): boolean {
    return body["type"] === "thinking" || body["type"] === "redacted_thinking";
  }

  // --- tools and configuration --------------------------------------------------------------------

  #tools(): { tools: Json[]; choice: Json } {
    const taken = this.takenTools();
    const tools = taken.map(
      ({ spec, schema }): Json => ({
        name: spec.name,
        input_schema: schema,
        ...(spec.description === undefined ? {} : { description: spec.description }),
        ...(spec.strict === undefined ? {} : { strict: spec.strict }),
      }),
    );
    const { choice } = this.request;
    const isChosen = this.choiceHolds(new Set(taken.map(({ spec }) => spec.name)));
    if (choice === undefined || !isChosen) return { tools, choice: {} };
    const type = choice.mode === "required" ? "any" : choice.mode;
    const named = choice.mode === "tool" ? { name: choice.toolName } : {};
    return { tools, choice: { tool_choice: { type, ...named } } };
  }

  /**
   * Returns the container of the last answer, where that answer goes on. One that is not asked for
   * may have expired, and then the request would be refused.
   */
  #container(): Json {
    let found: Json = {};
    const last = this.turns.reduce((found, turn, number) => (isSpoken(turn) ? number : found), -1);
    for (const [number, turn] of this.turns.entries()) {
      if (turn.role !== "assistant") continue;
      for (const piece of turn.pieces) {
        if (piece.type !== "state" || piece.item.kind !== "container") continue;
        const container = this.#containerId(piece.item);
        if (container === undefined) continue;
        if (number === last) found = { container };
        else this.notes.responseOnly(piece.item.pointer, "container");
      }
    }
    return found;
  }

  #containerId({ data, pointer }: Item): string | undefined {
    const id = isObject(data) ? own(data, "id") : undefined;
    if (typeof id === "string") return id;
    this.notes.malformed(pointer, "a container with an id", data);
    return undefined;
  }
}

const isSpoken = ({ role }: Turn): boolean => role === "user" || role === "assistant";

function isServerResult(body: Json): boolean {
  return String(body["type"]).endsWith("_tool_result");
}
