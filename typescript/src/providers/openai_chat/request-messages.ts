/** Messages of chat completion requests, from turns. */
import { resultTexts, textArguments } from "../request_core/calls-and-results.js";
import type { Media } from "../request_core/media.js";
import type { Notes } from "../request_core/notes.js";
import type { AssistantTurn, Call, MediaPiece, Result, ToolTurn, UserPiece } from "../request_core/turns.js";
import type { Json } from "../request_core/values.js";
import { ChatState } from "./request-state.js";

const FILE_ID = /^file-[A-Za-z0-9_-]{8,}$/;
const AUDIO: ReadonlyMap<string, string> = new Map([
  ["audio/wav", "wav"],
  ["audio/x-wav", "wav"],
  ["audio/wave", "wav"],
  ["audio/mpeg", "mp3"],
  ["audio/mp3", "mp3"],
]);
const PDF = "application/pdf";
const EXPECTED = "an image by URL or inline; a file inline or uploaded; WAV or MP3 inline";

/** Writes messages; what cannot be said goes into `notes`. */
export class ChatMessages {
  constructor(readonly notes: Notes) {}

  // --- users --------------------------------------------------------------------------------------

  /** Returns a user's content: a string for one text, else parts; undefined for nothing. */
  user(pieces: readonly UserPiece[]): string | Json[] | undefined {
    const parts: Json[] = [];
    for (const piece of pieces) {
      const part = piece.type === "text" ? { type: "text", text: piece.text } : mediaPart(piece);
      if (part !== undefined) parts.push(part);
      else if (piece.type !== "text") this.notes.unsupportedPart(piece.pointer, EXPECTED, piece.media.said());
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
    for (const piece of turn.pieces) {
      if (piece.type === "text") {
        if (piece.state.some((item) => item.kind === "refusal")) refusals.push(piece.text);
        else parts.push({ type: "text", text: piece.text });
      } else if (piece.type === "thinking") {
        for (const part of state.thinking(piece)) parts.push(part);
      } else if (piece.type === "call") {
        calls.push(callOf(piece, state));
      } else if (piece.type === "state") {
        parts.push(...state.between(piece.item));
      } else {
        this.notes.assistantMedia(piece.pointer, piece.media.said());
      }
    }
    if (turn.own && parts.every((part) => part["type"] === "text")) parts = asOne(parts);
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
  const format = AUDIO.get(mimeType);
  if (format !== undefined) return { type: "input_audio", input_audio: { data, format } };
  if (mimeType.startsWith("audio/") || mimeType.startsWith("video/")) return undefined;
  return { type: "file", file: { filename: fileName(media), file_data: media.dataUrl() } };
}

/** Returns the name of a file, one that says its type where nobody named it. */
export const fileName = (media: Media): string => media.name || (media.mimeType === PDF ? "file.pdf" : "file");

/** Returns content as its parts, one text as a string, which every vendor takes. */
function contentOf(parts: Json[]): string | Json[] | undefined {
  const [first] = parts;
  if (first === undefined) return undefined;
  return parts.length === 1 && first["type"] === "text" ? (first["text"] as string) : parts;
}
