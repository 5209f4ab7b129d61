/** Messages of Cohere Chat v2 requests, from turns. */
import { isObject } from "../../json/values.js";
import { resultTexts, textArguments } from "../request_core/calls-and-results.js";
import { IMAGES, type Media } from "../request_core/media.js";
import type { Notes } from "../request_core/notes.js";
import type { Item } from "../request_core/state.js";
import type { AssistantTurn, Call, Result, Thinking, ToolTurn, UserPiece } from "../request_core/turns.js";
import { fresh, type Json } from "../request_core/values.js";

const EXPECTED = "text, or a JPEG, PNG, GIF or WebP image by URL or inline";

/** Writes messages; what cannot be said goes into `notes`. */
export class CohereMessages {
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
      if (url !== undefined) parts.push({ type: "image_url", image_url: { url } });
      else this.notes.unsupportedPart(piece.pointer, EXPECTED, piece.media.said());
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
    for (const piece of turn.pieces) {
      if (piece.type === "state") {
        kept.take(piece.item);
        continue;
      }
      const before = open;
      open = undefined;
      if ("media" in piece) {
        this.notes.assistantMedia(piece.pointer, piece.media.said());
        continue;
      }
      const marks = piece.state.map((item) => kept.take(item));
      if (piece.type === "call") {
        calls.push(callOf(piece));
      } else if (piece.type === "thinking") {
        content.push(...this.#thinking(piece, marks.includes("thinking")));
      } else if (before !== undefined && !marks.includes("text")) {
        before["text"] = `${before["text"]}${piece.text}`;
        open = before;
      } else {
        content.push((open = { type: "text", text: piece.text }));
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

/** Returns the URL of an image, undefined for what is none or is not to be had by URL. */
function imageUrl(media: Media): string | undefined {
  if (!IMAGES.has(media.mimeType)) return undefined;
  return media.data === undefined ? media.url : media.dataUrl();
}
