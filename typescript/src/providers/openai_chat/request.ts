/**
 * Chat completions: the contract's messages and configuration → a request body.
 *
 * For OpenAI and the vendors that speak its dialect; where they differ, as OpenAI publishes it:
 *
 * - System prompt and system messages are messages of the role `system`, which every vendor takes
 *   and OpenAI reads as `developer` where a model wants that.
 * - One message per tool result; a failed tool's text begins with `Error: `, since the format has no
 *   mark for it. Argument text is what the model wrote where that is kept, else the arguments as JSON.
 * - `maxTokens` is `max_completion_tokens`: `max_tokens` is out of date, and refused by reasoning
 *   models. For a vendor that knows only the old name, give `max_tokens` as a member of the
 *   configuration in place of `maxTokens`.
 * - `stream_options` asks for usage; a vendor that does not know it wants another value from the
 *   configuration.
 * - Reasoning, and what vendors keep with it, goes back as the message's own vendor sent it;
 *   reasoning of others is left out. A refusal goes back as `refusal`.
 * - An author's name is `name`; sound of an assistant's goes back by its id, as long as the vendor keeps
 *   it. What other providers ran is text, in a part by itself.
 * - Of media, images, WAV, MP3 and PDF go, which is all that OpenAI reads; a `file_ref`, whose type
 *   other vendors may know, goes as any file but audio and video.
 * - `cacheConfig` has nothing to mark: prompts are cached without it.
 *
 * Source: https://platform.openai.com/docs/api-reference/chat/create.
 */
import { OPENAI_CHAT_AUDIO } from "../../generated/tables/media-types.js";
import { isObject, own } from "../../json/values.js";
import { saysAnything } from "../core/values.js";
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
  type MediaPiece,
  type Result,
  type Thinking,
  type ToolTurn,
  type Turn,
  USER_MEDIA,
  type UserPiece,
  wordsOf,
} from "../request_core/turns.js";
import { fresh, type Json, textIfAny } from "../request_core/values.js";

// --- reasoning -----------------------------------------------------------------------------------
// State that vendors of the chat dialect want back: reasoning, refusals, audio, extra content.
//
// No vendor takes the members of another: what goes back is what the message itself came with, under
// the names that it came with.

/** Members of a message that hold reasoning as one text. */
const TEXT_MEMBERS: readonly unknown[] = ["reasoning_content", "reasoning"];
const MEMBERS: readonly unknown[] = [...TEXT_MEMBERS, "content", "reasoning_details"];
const FORMED: ReadonlySet<string> = new Set(["reasoning_details", "thinking_blocks", "content_part", "audio"]);

/** The state of one assistant's message; noted is what goes back to nobody. */
class ChatState {
  readonly #member: unknown;
  readonly #members: Json = {};
  readonly #reasoning: string[] = [];
  readonly #blocks: Json[] = [];

  constructor(
    turn: AssistantTurn,
    readonly notes: Notes,
  ) {
    const items = turn.pieces.flatMap((piece) => (piece.type === "state" ? [piece.item] : []));
    this.#member = items.find((item) => item.kind === "reasoning_member")?.data;
  }

  /** Returns the members of the message, once all of its pieces have been read. */
  members(): Json {
    if (this.#reasoning.length > 0) this.#members[String(this.#member)] = this.#reasoning.join("");
    if (this.#blocks.length > 0) this.#members["thinking_blocks"] = this.#blocks;
    return this.#members;
  }

  /** Takes reasoning; returns it where the vendor has it among the parts of the content. */
  thinking(piece: Thinking): Json[] {
    const parts: Json[] = [];
    let signature: unknown;
    for (const item of piece.state) {
      if (item.kind === "signature" && this.#member === "content") signature = fresh(item.data);
      else parts.push(...this.between(item));
    }
    if (TEXT_MEMBERS.includes(this.#member)) {
      this.#reasoning.push(piece.text);
    } else if (this.#member === "content") {
      const signed = signature === undefined || signature === null ? {} : { signature };
      parts.push({ type: "thinking", thinking: [{ type: "text", text: piece.text }], ...signed });
    } else if (this.#member !== "reasoning_details") {
      const message = "Reasoning goes back only to the vendor that it came from; it is left out";
      this.notes.add("encode/thinking-left-out", message, piece.pointer);
    }
    return parts;
  }

  /** Takes state that belongs to the message; returns what is a part of its content. */
  between({ kind, data, pointer }: Item): Json[] {
    if (kind === "reasoning_member") {
      if (!MEMBERS.includes(data)) this.notes.malformed(pointer, "the name of a member", data);
    } else if (kind === "reasoning_details" && Array.isArray(data)) {
      const details = (this.#members[kind] ??= []) as unknown[];
      for (const detail of data as unknown[]) details.push(fresh(detail));
    } else if (kind === "thinking_blocks" && Array.isArray(data)) {
      this.#takeBlocks(data, pointer);
    } else if (kind === "content_part" && isObject(data) && typeof own(data, "type") === "string") {
      return [fresh(data)];
    } else if (kind === "audio" && isObject(data)) {
      const id = own(data, "id");
      if (typeof id === "string") this.#members["audio"] = { id };
    } else if (kind === "extra_content" || kind === "reasoning_signature") {
      this.#members[kind] = fresh(data);
    } else if (FORMED.has(kind)) {
      this.notes.malformed(pointer, `${kind} as the vendor sends it`, data);
    } else {
      this.notes.responseOnly(pointer, kind);
    }
    return [];
  }

  /** Takes sound, which goes back by its id, one in a message; returns whether it does. */
  sound(piece: MediaPiece): boolean {
    if (Object.hasOwn(this.#members, "audio")) return false;
    for (const item of piece.state ?? []) this.between(item);
    return Object.hasOwn(this.#members, "audio");
  }

  /** Joins the pieces in which LiteLLM streams thinking blocks: a signature ends one. */
  #takeBlocks(blocks: readonly unknown[], pointer: string): void {
    for (const block of blocks) {
      if (!isObject(block)) {
        this.notes.malformed(pointer, "blocks as objects", block);
        continue;
      }
      const last = this.#blocks.at(-1);
      const isPiece = own(block, "type") === "thinking" && last !== undefined && own(last, "type") === "thinking";
      if (!isPiece || saysAnything(own(last, "signature"))) {
        this.#blocks.push(fresh(block));
        continue;
      }
      for (const name of ["thinking", "signature"]) {
        const more = own(block, name);
        if (typeof more === "string") last[name] = `${textIfAny(own(last, name))}${more}`;
      }
    }
  }

  /** Returns the members of a call beside those that the contract has. */
  ofCall(call: Call): Json {
    const members: Json = {};
    for (const item of call.state) {
      if (item.kind === "extra_content") members[item.kind] = fresh(item.data);
      else this.notes.responseOnly(item.pointer, item.kind);
    }
    return members;
  }
}

// --- messages ------------------------------------------------------------------------------------
// Messages of chat completion requests, from turns.

const FILE_ID = /^file-[A-Za-z0-9_-]{8,}$/;
const PDF = "application/pdf";
const EXPECTED = "an image by URL or inline; a file inline or uploaded; WAV or MP3 inline";

/** Writes messages; what cannot be said goes into `notes`. */
class ChatMessages {
  constructor(readonly notes: Notes) {}

  // --- users --------------------------------------------------------------------------------------

  /** Returns a user's content: a string for one text, else parts; undefined for nothing. */
  user(pieces: readonly UserPiece[]): string | Json[] | undefined {
    const parts: Json[] = [];
    for (const piece of pieces) {
      const part = piece.type === "text" ? undefined : mediaPart(piece);
      const said = piece.type === "text" || part !== undefined ? piece : wordsOf(piece, EXPECTED, this.notes);
      if (part !== undefined) parts.push(part);
      else if (said?.type === "text") parts.push({ type: "text", text: said.text });
    }
    return contentOf(parts);
  }

  // --- tools --------------------------------------------------------------------------------------

  /** Returns one message per result. */
  results(turn: ToolTurn): Json[] {
    return turn.results.map((result) => ({
      role: "tool",
      tool_call_id: result.callId,
      content: this.#result(result),
    }));
  }

  /** Returns a result's content; the format has no mark for a failure, so its text says it. */
  #result(result: Result): string | Json[] {
    let texts = resultTexts(result, this.notes);
    if (result.isError) {
      const [first = "", ...rest] = texts;
      texts = [first === "" ? "Error" : `Error: ${first}`, ...rest];
    }
    return contentOf(texts.map((text) => ({ type: "text", text }))) ?? "";
  }

  // --- the assistant ------------------------------------------------------------------------------

  /** Returns an assistant's message, undefined where nothing of it can be sent. */
  assistant(turn: AssistantTurn): Json | undefined {
    const state = new ChatState(turn, this.notes);
    const refusals: string[] = [];
    const calls: Json[] = [];
    let parts: Json[] = [];
    let isAlone = false;
    for (const each of turn.pieces) {
      if ("media" in each && state.sound(each)) continue;
      const piece = "media" in each ? wordsOf(each, USER_MEDIA, this.notes) : each;
      if (piece === undefined) continue;
      if (piece.type === "text") {
        isAlone ||= piece.alone === true;
        if (piece.state.some((item) => item.kind === "refusal")) refusals.push(piece.text);
        else parts.push({ type: "text", text: piece.text });
      } else if (piece.type === "thinking") {
        for (const part of state.thinking(piece)) parts.push(part);
      } else if (piece.type === "call") {
        calls.push(callOf(piece, state));
      } else {
        parts.push(...state.between(piece.item));
      }
    }
    if (turn.own && !isAlone && parts.every((part) => part["type"] === "text")) parts = asOne(parts);
    const members = state.members();
    if (parts.length + refusals.length + calls.length === 0 && !Object.hasOwn(members, "audio")) return undefined;
    return {
      role: "assistant",
      content: contentOf(parts) ?? null,
      ...members,
      ...(refusals.length === 0 ? {} : { refusal: refusals.join("") }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
  }
}

/** Returns texts as the one string that they were when they came; a kept part may have lost its own. */
function asOne(parts: readonly Json[]): Json[] {
  const text = parts.map((part) => (typeof part["text"] === "string" ? part["text"] : "")).join("");
  return text === "" ? [] : [{ type: "text", text }];
}

function callOf(call: Call, state: ChatState): Json {
  const named = { name: call.name, arguments: textArguments(call) };
  return { id: call.callId, type: "function", function: named, ...state.ofCall(call) };
}

function mediaPart(piece: MediaPiece): Json | undefined {
  const { media } = piece;
  if (piece.type === "image") return imagePart(media);
  const part = filePart(media);
  if (piece.type === "file" || part === undefined) return part;
  // Of a file nobody may know the type; of media it is known, and with it what OpenAI reads.
  if (part["type"] === "file" && media.mimeType !== PDF) return undefined;
  return media.isOddImage ? undefined : part;
}

function imagePart(media: Media): Json | undefined {
  if (media.url !== undefined) return { type: "image_url", image_url: { url: media.url } };
  const isInline = media.data !== undefined && media.isImage;
  return isInline ? { type: "image_url", image_url: { url: media.dataUrl() } } : undefined;
}

function filePart(media: Media): Json | undefined {
  const { mimeType, data, path } = media;
  if (media.isImage) return imagePart(media);
  if (path !== undefined && FILE_ID.test(path)) return { type: "file", file: { file_id: path } };
  if (data === undefined) return undefined;
  const format = OPENAI_CHAT_AUDIO.get(mimeType);
  if (format !== undefined) return { type: "input_audio", input_audio: { data, format } };
  if (mimeType.startsWith("audio/") || mimeType.startsWith("video/")) return undefined;
  return { type: "file", file: { filename: media.fileName, file_data: media.dataUrl() } };
}

/** Returns content as its parts, one text as a string, which every vendor takes. */
function contentOf(parts: Json[]): string | Json[] | undefined {
  const [first] = parts;
  if (first === undefined) return undefined;
  return parts.length === 1 && first["type"] === "text" ? (first["text"] as string) : parts;
}

// --- the request ---------------------------------------------------------------------------------

const NAME = new Form(/^[A-Za-z0-9_-]+$/, 64);
const FORMS = { callId: new Form(/^[\s\S]+$/, 40), toolName: NAME, author: NAME } as const;
const MAX_STOPS = 4;
const MAX_TEMPERATURE = 2;

/** Encoder of one chat completion request. */
export class OpenAIChatEncoder extends RequestEncoder {
  readonly #content: ChatMessages;

  constructor(request: Request, notes: Notes) {
    super(request, notes, "openai-chat", FORMS);
    this.#content = new ChatMessages(notes);
  }

  protected override body(): Json {
    const system = this.request.system.map(({ text }): Json => ({ role: "system", content: text }));
    return {
      model: this.request.modelId,
      messages: [...system, ...this.turns.flatMap((turn) => this.#messages(turn))],
      ...this.#tools(),
      ...this.sampling("max_completion_tokens", "top_p", MAX_TEMPERATURE),
      ...this.stops("stop", MAX_STOPS),
    };
  }

  /** Returns `stream`, and that usage is wanted. */
  protected override defaults(): Json {
    return { stream: true, stream_options: { include_usage: true } };
  }

  #messages(turn: Turn): Json[] {
    if (turn.role === "tool") return this.#content.results(turn);
    const name = turn.name === "" ? {} : { name: turn.name };
    if (turn.role === "assistant") {
      const said = this.#content.assistant(turn);
      if (said !== undefined) return [{ ...said, ...name }];
    } else {
      const content = this.#content.user(turn.pieces);
      if (content !== undefined) return [{ role: turn.role, content, ...name }];
    }
    this.noteEmpty(turn);
    return [];
  }

  #tools(): Json {
    const tools = this.takenTools().map(({ spec, schema }) => ({
      type: "function",
      function: {
        name: spec.name,
        parameters: { properties: {}, ...schema },
        ...(spec.description === undefined ? {} : { description: spec.description }),
        ...(spec.strict === undefined ? {} : { strict: spec.strict }),
      },
    }));
    const { choice } = this.request;
    const isChosen = this.choiceHolds(new Set(tools.map((tool) => tool.function.name)));
    if (choice === undefined || !isChosen) return tools.length === 0 ? {} : { tools };
    const one = { type: "function", function: { name: choice.toolName } };
    return { ...(tools.length === 0 ? {} : { tools }), tool_choice: choice.mode === "tool" ? one : choice.mode };
  }
}
