/** Parts of messages, as JSON values: text, calls, results, media. */

import { PartwireError } from "../../errors.js";
import { EXTENSIONS } from "../../generated/tables/media-types.js";
import { base64Of, isBase64 } from "../../json/base64.js";
import { jsonText } from "../../json/compact.js";
import { decodeJson } from "../../json/documents.js";
import { isObject } from "../../json/values.js";
import type { Json, Reading } from "./reading.js";

const ANY_IMAGE = "image/*";
const BYTES = "application/octet-stream";

/** Returns a part of text. */
export function textPart(text: string): Json {
  return { kind: "text", payload: { text } };
}

/** Returns the texts among parts: a system message has no others. What it has beside is reported. */
export function textsOf(parts: readonly Json[], place: string, reading: Reading): Json[] {
  const texts = parts.filter((part) => part["kind"] === "text");
  if (texts.length < parts.length) reading.note("foreign-part", place);
  return texts;
}

/** Returns a call; arguments that are text are JSON, or stand as they are in `rawArgsText`. */
export function callPart(callId: string, name: string, given: unknown): Json {
  const payload: Json = { toolCallId: callId, toolName: name, arguments: given };
  if (typeof given === "string") {
    const value = objectIn(given);
    payload["arguments"] = value ?? {};
    if (value === undefined) payload["rawArgsText"] = given;
  }
  return { kind: "tool_call", payload };
}

/** Returns a result; content that a message has no form for stands as JSON text and data. */
export function resultPart(callId: string, content: unknown, isError = false, members: Json = {}): Json {
  const hasForm = typeof content === "string" || Array.isArray(content) || isObject(content);
  const payload: Json = { toolCallId: callId, isError, content: hasForm ? content : jsonText(content) };
  if (!hasForm && content !== null) payload["structured"] = content;
  return { kind: "tool_result", payload: { ...payload, ...members } };
}

/** Returns the part of bytes in Base64: an image, else media. Undefined where it is not Base64. */
export function inline(mimeType: string, data: string, name?: string): Json | undefined {
  if (data === "" || !isBase64(data)) return undefined;
  if (mimeType.startsWith("image/") && !name) return { kind: "image", payload: { mimeType, data } };
  return mediaPart(mimeType, { kind: "inline", data }, name);
}

/** Returns the part of what is behind a URL; its type is guessed where nobody says it. */
export function urlPart(url: string, place: string, reading: Reading, isImage: boolean, said?: string): Json {
  const mimeType = said ?? guessedType(url) ?? (isImage ? ANY_IMAGE : BYTES);
  if (said === undefined) reading.note("mime-invented", place);
  if (isImage) return { kind: "image", payload: { mimeType, url } };
  return mediaPart(mimeType, { kind: "url", url });
}

/** Returns media of any type. */
export function mediaPart(mimeType: string, source: Json, name?: string): Json {
  return { kind: "media", payload: { mimeType, source, ...(name ? { name } : {}) } };
}

/** Returns a document that is text: media, inline. */
export function textDocument(text: string, mimeType: string, name?: string): Json {
  const data = base64Of(new TextEncoder().encode(text));
  return mediaPart(mimeType, { kind: "inline", data }, name);
}

/** Returns the media type that the ending of a URL's path says. */
export function guessedType(url: string): string | undefined {
  const [path = ""] = url.split(/[?#]/, 1);
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name.includes(".") ? EXTENSIONS.get(name.slice(name.lastIndexOf(".") + 1).toLowerCase()) : undefined;
}

/** Returns the object that JSON text is; undefined for other text. */
function objectIn(text: string): Json | undefined {
  try {
    const value = decodeJson(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof PartwireError) return undefined;
    throw error;
  }
}
