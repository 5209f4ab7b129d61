/** Arguments, results and files, as UI messages and model messages have them. */

import { jsonText } from "../../json/compact.js";
import { isObject } from "../../json/values.js";
import { callPart, inline, mediaPart, resultPart, textDocument, textPart, urlPart } from "../core/parts.js";
import { type Json, Members, type Reading } from "../core/reading.js";
import { callState } from "./server-tools.js";

/** What the SDK gives the model for a call that a person denied without a reason. */
export const DENIED = "Tool call execution denied.";

const BYTES = "application/octet-stream";
const DATA_URL = /^data:([^;,]*)((?:;[^;,]*)*?)(;base64)?,(.*)$/s;
const TYPE = /^[!-.0-~]+\/[!-~][^\n]*$/;
/** A scheme in the first 64 characters: what is not a URL is Base64, or a provider's name of a file. */
const SCHEME = /^.{0,61}?:\/\//su;

/** Content of results that is a file: of 7 the first alone. */
const FILES: ReadonlySet<string> = new Set([
  "file",
  "file-data",
  "file-reference",
  "file-url",
  "image-data",
  "image-file-reference",
  "image-url",
  "media",
]);

// --- calls ----------------------------------------------------------------------------------------

/** Returns a call; arguments that are not an object are text. */
export function callOf(callId: string, name: string, given: unknown, isServer: boolean, opaque?: Json): Json {
  const value = given ?? {};
  const part = callPart(callId, name, typeof value === "string" || isObject(value) ? value : jsonText(value));
  const payload = part["payload"] as Json;
  const state = isServer ? (opaque ?? callState(callId, name, payload["arguments"])) : opaque;
  if (isServer) part["kind"] = "server_tool_call";
  if (state !== undefined) payload["opaque"] = state;
  return part;
}

// --- results --------------------------------------------------------------------------------------

/** Returns the result that any value is. */
export function resultOf(callId: string, output: unknown, place: string, reading: Reading, members: Json = {}): Json {
  if (output === null) reading.note("result-null", place);
  // An array is of any values, not of parts.
  if (Array.isArray(output)) return resultPart(callId, jsonText(output), false, { structured: output, ...members });
  return resultPart(callId, output, false, members);
}

/** Returns the result of a call that failed. */
export function errorResult(callId: string, text: string): Json {
  return resultPart(callId, text, true, { outcome: "error" });
}

/** Returns the result of a call that a person denied. */
export function deniedResult(callId: string, reason: string | undefined): Json {
  return resultPart(callId, reason || DENIED, true, { outcome: "denied" });
}

/** Returns the result of a model message, whose output says its type; undefined for another type. */
export function typedResult(callId: string, output: Members, reading: Reading): Json | undefined {
  const kind = output.text("type");
  const at = output.at("value");
  let part: Json | undefined;
  if (kind === "text" || kind === "error-text") {
    const text = output.text("value");
    part = text === undefined ? undefined : resultPart(callId, text);
  } else if ((kind === "json" || kind === "error-json") && output.has("value")) {
    const value = output.value("value");
    part = resultOf(callId, value, at, reading, typeof value === "string" ? { structured: value } : {});
  } else if (kind === "execution-denied") {
    return deniedResult(callId, output.text("reason"));
  } else if (kind === "content") {
    const value = output.list("value");
    if (value === undefined) return undefined;
    const found = [...reading.items(value, at)].map((block) => content(block, reading));
    return resultPart(
      callId,
      found.filter((each) => each !== undefined),
    );
  }
  if (part !== undefined && kind?.startsWith("error-") === true) markFailed(part);
  return part;
}

/** Makes a result that of a call that failed. */
export function markFailed(part: Json): void {
  Object.assign(part["payload"] as Json, { isError: true, outcome: "error" });
}

/** Returns a part of the content of a result. */
function content(block: Members, reading: Reading): Json | undefined {
  const kind = block.text("type") ?? "";
  const isImage = kind.startsWith("image");
  const part = contentOf(kind, block, isImage, reading);
  if (part === undefined) reading.note("foreign-part", block.place);
  else block.close();
  return part;
}

function contentOf(kind: string, block: Members, isImage: boolean, reading: Reading): Json | undefined {
  if (kind === "text") {
    const text = block.text("text");
    return text === undefined ? undefined : textPart(text);
  }
  if (FILES.has(kind)) return fileOf(block, reading, isImage);
  if (kind !== "file-id" && kind !== "image-file-id") return undefined;
  const id = idOf(block.value("fileId"));
  if (!id) return undefined;
  reading.note("mime-invented", block.place);
  return mediaPart(isImage ? "image/*" : BYTES, refOf(id));
}

/** Returns the id of a file: text, or one text by the provider that it is of. */
function idOf(given: unknown): string | undefined {
  const names = isObject(given) ? Object.values(given) : [];
  const id = names.length === 1 ? names[0] : given;
  return typeof id === "string" ? id : undefined;
}

// --- files ----------------------------------------------------------------------------------------

/**
 * Returns the part of a file; undefined where it does not say what is in it. The bytes, their URL, or the
 * provider's name of them stand in `url`, `data` or `image`: as text, as `{type, …}`, or in `providerReference`.
 */
export function fileOf(block: Members, reading: Reading, isImage: boolean): Json | undefined {
  const mime = block.text("mediaType") || block.text("mimeType");
  const name = block.text("filename");
  const member = ["url", "data", "image"].find((each) => block.has(each)) ?? "url";
  const where = block.at(member);
  const given = block.value(member);
  const file: File = { mime, name, isImage, reading };
  if (isObject(given)) return tagged(new Members(given, where, reading), file);
  if (typeof given === "string" && given !== "") {
    if (member === "url" && !given.startsWith("data:") && !SCHEME.test(given)) {
      return mediaPart(typeOf(file, undefined, where), refOf(given), name);
    }
    return sourced(given, where, file);
  }
  const reference = block.object("providerReference");
  if (reference === undefined || (given !== "" && given !== null)) return undefined;
  return referred(new Members(reference, block.at("providerReference"), reading), file);
}

/** What is said of a file beside what is in it. */
interface File {
  readonly mime: string | undefined;
  readonly name: string | undefined;
  readonly isImage: boolean;
  readonly reading: Reading;
}

function tagged(source: Members, file: File): Json | undefined {
  const part = taggedPart(source.text("type"), source, file);
  if (part !== undefined) source.close();
  return part;
}

function taggedPart(kind: string | undefined, source: Members, file: File): Json | undefined {
  if (kind === "data" || kind === "url") {
    const given = source.text(kind);
    return given ? sourced(given, source.at(kind), file) : undefined;
  }
  if (kind === "text") {
    const text = source.text("text");
    return text === undefined ? undefined : textDocument(text, file.mime || "text/plain", file.name);
  }
  const reference = kind === "reference" ? source.object("reference") : undefined;
  if (reference === undefined || Object.keys(reference).length === 0) return undefined;
  return referred(new Members(reference, source.at("reference"), file.reading), file);
}

/** Returns a file by the name that a provider has for it; others' names of it are reported. */
function referred(reference: Members, file: File): Json | undefined {
  for (const provider of ["openai", "anthropic", "google", ...reference.names]) {
    const found = reference.text(provider);
    if (!found) continue;
    file.reading.note("file-provider", reference.at(provider));
    reference.close();
    return mediaPart(typeOf(file, undefined, reference.place), refOf(found), file.name);
  }
  return undefined;
}

const refOf = (ref: string): Json => ({ kind: "ref", ref });

function sourced(given: string, place: string, file: File): Json | undefined {
  const { mime, name, reading } = file;
  const found = DATA_URL.exec(given);
  if (found !== null) {
    const [, said = "", beside = "", base64, data = ""] = found;
    if (base64 === undefined) return undefined;
    if (beside !== "" || (said && mime && said !== mime)) reading.note("mime-beside", place);
    return inline(typeOf({ ...file, mime: mime || said }, undefined, place), data, name);
  }
  if (!SCHEME.test(given)) {
    const made = inline(typeOf(file, file.isImage ? "image/*" : undefined, place), given, name);
    return made ?? mediaPart(typeOf(file, undefined, place), refOf(given), name);
  }
  const kind = mime && TYPE.test(mime) ? mime : undefined;
  const isImage = (kind ?? (file.isImage ? "image/*" : "")).startsWith("image/") && !name;
  const part = urlPart(given, place, reading, isImage, kind);
  if (name) (part["payload"] as Json)["name"] = name;
  return part;
}

/** Returns the media type of a file; made up where it does not say one. */
function typeOf({ mime, reading }: File, otherwise: string | undefined, place: string): string {
  if (mime && TYPE.test(mime)) return mime;
  reading.note("mime-invented", place);
  return otherwise ?? BYTES;
}
