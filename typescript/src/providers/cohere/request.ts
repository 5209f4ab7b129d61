/**
 * Cohere Chat v2: the contract's messages and configuration → a request body.
 *
 * - System prompt and system messages are messages of the role `system`, one per text of the prompt.
 * - The tool plan goes back as `tool_plan`, citations as `citations` as they came, thinking of Cohere's
 *   own as the blocks of content that it came in. Reasoning and citations of others are left out; what
 *   others ran is a block of text.
 * - Images of users go inline or by URL; no other media goes, but for what is said in it.
 * - One message per tool result. An object is its JSON text, text a block; a failed tool's text
 *   begins with `Error: `, since the format has no mark for it.
 * - `topP` is `p`. A tool choice is `REQUIRED` or `NONE`, for all tools at once, and so is
 *   `strict_tools`: one tool of several cannot be asked for.
 * - `cacheConfig` has nothing to mark: prompts are cached without it.
 *
 * Source: https://docs.cohere.com/v2/reference/chat-stream.
 */
import { IMAGES } from "../../generated/tables/media-types.js";
import { isObject } from "../../json/values.js";
import { Form } from "../request_core/call-ids.js";
import { resultTexts, textArguments } from "../request_core/calls-and-results.js";
import { RequestEncoder } from "../request_core/encoder.js";
import type { Request } from "../request_core/inputs.js";
import type { Media } from "../request_core/media.js";
import type { Notes } from "../request_core/notes.js";
import type { Item } from "../request_core/state.js";
import {
  type AssistantTurn,
  type Call,
  type Result,
  type Thinking,
  type ToolTurn,
  type Turn,
  USER_MEDIA,
  type UserPiece,
  wordsOf,
} from "../request_core/turns.js";
import { fresh, type Json } from "../request_core/values.js";

// --- messages ------------------------------------------------------------------------------------
// Messages of Cohere Chat v2 requests, from turns.

const EXPECTED = "text, or a JPEG, PNG, GIF or WebP image by URL or inline";

/** Writes messages; what cannot be said goes into `notes`. */
class CohereMessages {
  constructor(readonly notes: Notes) {}

  // --- users, system prompts and tools ------------------------------------------------------------

  /** Returns a message of a user or the system, undefined where nothing of it can be sent. */
  spoken(role: "user" | "system", pieces: readonly UserPiece[]): Json | undefined {
    const parts: Json[] = [];
    for (const piece of pieces) {
      if (piece.type === "text") {
        parts.push({ type: "text", text: piece.text });
        continue;
      }
      const url = imageUrl(piece.media);
      const words = url === undefined ? wordsOf(piece, EXPECTED, this.notes) : undefined;
      if (url !== undefined) parts.push({ type: "image_url", image_url: { url } });
      else if (words !== undefined) parts.push({ type: "text", text: words.text });
    }
    const [first] = parts;
    if (first === undefined) return undefined;
    return { role, content: parts.length === 1 && first["type"] === "text" ? first["text"] : parts };
  }

  /** Returns one message per result. */
  results(turn: ToolTurn): Json[] {
    return turn.results.map((result) => ({
      role: "tool",
      tool_call_id: result.callId,
      content: this.#result(result),
    }));
  }

  #result(result: Result): string | Json[] {
    const [first = "", ...rest] = resultTexts(result, this.notes);
    if (isObject(result.content) && !result.isError) return first;
    const texts = [result.isError ? `Error: ${first}` : first, ...rest];
    return texts.map((text) => ({ type: "text", text }));
  }

  // --- the assistant ------------------------------------------------------------------------------

  /** Returns an assistant's message, undefined where nothing of it can be sent. */
  assistant(turn: AssistantTurn): Json | undefined {
    const content: Json[] = [];
    const calls: Json[] = [];
    const kept = new Kept(this.notes);
    let open: Json | undefined; // text that goes on with text that comes next
    for (const each of turn.pieces) {
      if (each.type === "state") {
        kept.take(each.item);
        continue;
      }
      const before = open;
      open = undefined;
      const piece = "media" in each ? wordsOf(each, USER_MEDIA, this.notes) : each;
      if (piece === undefined) continue;
      const marks = piece.state.map((item) => kept.take(item));
      if (piece.type === "call") {
        calls.push(callOf(piece));
      } else if (piece.type === "thinking") {
        content.push(...this.#thinking(piece, marks.includes("thinking")));
      } else if (before !== undefined && piece.alone !== true && !marks.includes("text")) {
        before["text"] = `${before["text"]}${piece.text}`;
        open = before;
      } else {
        const block = { type: "text", text: piece.text };
        content.push(block);
        open = piece.alone === true ? undefined : block;
      }
    }
    if (content.length + calls.length === 0) return undefined;
    return {
      role: "assistant",
      ...(content.length === 0 ? {} : { content }),
      ...kept.plan(),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(kept.citations.length === 0 ? {} : { citations: kept.citations }),
    };
  }

  #thinking(piece: Thinking, isOwn: boolean): Json[] {
    if (isOwn) return [{ type: "thinking", thinking: piece.text }];
    const message = "Reasoning goes back only to the vendor that it came from; it is left out";
    this.notes.add("encode/thinking-left-out", message, piece.pointer);
    return [];
  }
}

/** What the provider's state adds to a message beside its content and calls. */
class Kept {
  readonly citations: Json[] = [];
  #plan = "";

  constructor(readonly notes: Notes) {}

  /** Returns the tool plan as a member, nothing without one. */
  plan(): Json {
    return this.#plan === "" ? {} : { tool_plan: this.#plan };
  }

  /** Takes an item; returns its kind. */
  take({ kind, data, pointer }: Item): string {
    if (kind === "citation" && isObject(data)) this.citations.push(fresh(data));
    else if (kind === "tool_plan" && typeof data === "string") this.#plan += data;
    else if (kind === "citation" || kind === "tool_plan") {
      this.notes.malformed(pointer, `a ${kind} as Cohere sends it`, data);
    } else if (kind !== "text" && kind !== "thinking") this.notes.responseOnly(pointer, kind);
    return kind;
  }
}

function callOf(call: Call): Json {
  return { id: call.callId, type: "function", function: { name: call.name, arguments: textArguments(call) } };
}

/** Returns the URL of an image, undefined for what is not an image or has no URL. */
function imageUrl(media: Media): string | undefined {
  if (!IMAGES.includes(media.mimeType)) return undefined;
  return media.data === undefined ? media.url : media.dataUrl();
}

// --- the request ---------------------------------------------------------------------------------

// Nothing is published about names and ids but that they are text; these are what others take.
const FORMS = { callId: new Form(/^[\s\S]+$/, 512), toolName: new Form(/^[A-Za-z0-9_-]+$/, 256) };
const MAX_STOPS = 5;
const [LEAST_TOP_P, MOST_TOP_P] = [0.01, 0.99];

/** Encoder of one Cohere Chat v2 request. */
export class CohereEncoder extends RequestEncoder {
  readonly #content: CohereMessages;

  constructor(request: Request, notes: Notes) {
    super(request, notes, "cohere-v2", FORMS);
    this.#content = new CohereMessages(notes);
  }

  protected override body(): Json {
    const { request } = this;
    const system = request.system.map(({ text }): Json => ({ role: "system", content: text }));
    return {
      model: request.modelId,
      messages: [...system, ...this.turns.flatMap((turn) => this.#messages(turn))],
      ...this.#tools(),
      ...(request.maxTokens === undefined ? {} : { max_tokens: request.maxTokens }),
      ...this.temperature(1),
      ...this.#topP(),
      ...this.stops("stop_sequences", MAX_STOPS),
    };
  }

  protected override defaults(): Json {
    return { stream: true };
  }

  #messages(turn: Turn): Json[] {
    if (turn.role === "tool") return this.#content.results(turn);
    const made =
      turn.role === "assistant" ? this.#content.assistant(turn) : this.#content.spoken(turn.role, turn.pieces);
    if (made !== undefined) return [made];
    this.noteEmpty(turn);
    return [];
  }

  // --- tools and configuration --------------------------------------------------------------------

  #tools(): Json {
    const taken = this.takenTools();
    const tools = taken.map(({ spec, schema }) => ({
      type: "function",
      function: {
        name: spec.name,
        parameters: { properties: {}, ...schema },
        ...(spec.description === undefined ? {} : { description: spec.description }),
      },
    }));
    const isAnyStrict = taken.some(({ spec }) => spec.strict === true);
    const areAllStrict = isAnyStrict && taken.every(({ spec }) => spec.strict === true);
    if (isAnyStrict && !areAllStrict) this.#refuseStrict();
    const choice = this.#choice(taken.map(({ spec }) => spec.name));
    return {
      ...(tools.length === 0 ? {} : { tools }),
      ...(areAllStrict ? { strict_tools: true } : {}),
      ...(choice === undefined ? {} : { tool_choice: choice }),
    };
  }

  #refuseStrict(): void {
    for (const [number, spec] of this.request.tools.entries()) {
      if (spec.strict !== true) continue;
      this.notes.unsupportedConfig(`/toolSpecs/${number}/strict`, "the same for all tools", spec.strict);
    }
  }

  #choice(names: readonly string[]): "NONE" | "REQUIRED" | undefined {
    const { choice, extensions } = this.request;
    if (choice === undefined || choice.mode === "auto" || !this.choiceHolds(new Set(names))) return undefined;
    if (choice.mode === "none") return "NONE";
    const isSole = names.length === 1 && names[0] === choice.toolName && !extensions.has("tools");
    if (choice.mode === "required" || isSole) return "REQUIRED";
    const expected = "auto, required, none, or the only tool there is";
    this.notes.unsupportedConfig(choice.pointer, expected, choice.toolName);
    return undefined;
  }

  #topP(): Json {
    const given = this.request.topP;
    if (given === undefined) return {};
    if (given >= LEAST_TOP_P && given <= MOST_TOP_P) return { p: given };
    this.notes.unsupportedConfig("/config/topP", `from ${LEAST_TOP_P} to ${MOST_TOP_P}`, given);
    return {};
  }
}
