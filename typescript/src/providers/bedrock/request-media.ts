/** Images, documents, video and audio as Converse takes them; bytes for AWS's JavaScript client. */
import { isObject } from "../../json/values.js";
import { isWhole } from "../request_core/media.js";
import { fresh, type Json } from "../request_core/values.js";

const XML = "application/vnd.openxmlformats-officedocument.";
/** Media type → the member of a content block, and the provider's name of the format. */
const FORMS: ReadonlyMap<string, readonly [member: string, name: string]> = new Map([
  ["image/png", ["image", "png"]],
  ["image/jpeg", ["image", "jpeg"]],
  ["image/gif", ["image", "gif"]],
  ["image/webp", ["image", "webp"]],
  ["application/pdf", ["document", "pdf"]],
  ["application/msword", ["document", "doc"]],
  ["application/vnd.ms-excel", ["document", "xls"]],
  [`${XML}wordprocessingml.document`, ["document", "docx"]],
  [`${XML}spreadsheetml.sheet`, ["document", "xlsx"]],
  ["text/csv", ["document", "csv"]],
  ["text/html", ["document", "html"]],
  ["text/markdown", ["document", "md"]],
  ["text/x-markdown", ["document", "md"]],
  ["video/x-matroska", ["video", "mkv"]],
  ["video/quicktime", ["video", "mov"]],
  ["video/mp4", ["video", "mp4"]],
  ["video/webm", ["video", "webm"]],
  ["video/x-flv", ["video", "flv"]],
  ["video/mpeg", ["video", "mpeg"]],
  ["video/x-ms-wmv", ["video", "wmv"]],
  ["video/3gpp", ["video", "three_gp"]],
  ["audio/mpeg", ["audio", "mp3"]],
  ["audio/mp3", ["audio", "mp3"]],
  ["audio/opus", ["audio", "opus"]],
  ["audio/wav", ["audio", "wav"]],
  ["audio/x-wav", ["audio", "wav"]],
  ["audio/aac", ["audio", "aac"]],
  ["audio/flac", ["audio", "flac"]],
  ["audio/mp4", ["audio", "mp4"]],
  ["audio/x-m4a", ["audio", "m4a"]],
  ["audio/ogg", ["audio", "ogg"]],
  ["audio/webm", ["audio", "webm"]],
  ["audio/x-matroska", ["audio", "mka"]],
]);
const NOT_IN_NAMES = /[^A-Za-z0-9\-()[\]]+/g;
const MAX_NAME_CHARS = 200;
const MEDIA: ReadonlySet<string> = new Set(["image", "document", "video", "audio"]);

/** How the provider calls a media type. */
export interface MediaForm {
  /** The member of a content block. */
  readonly member: string;
  readonly name: string;
}

/** Returns how the provider calls a media type, undefined if it does not take it. Text of any other type is plain text. */
export function mediaForm(mimeType: string): MediaForm | undefined {
  const [member, name] = FORMS.get(mimeType) ?? (mimeType.startsWith("text/") ? ["document", "txt"] : []);
  return member === undefined || name === undefined ? undefined : { member, name };
}

/**
 * Returns a name that the provider takes and that no other document has.
 *
 * Letters, digits, hyphens, brackets and single blanks. The ending goes: the format says it. `used`
 * takes it: name → the last number that its repetitions have.
 */
export function documentName(name: string, used: Map<string, number>): string {
  const stem = name.slice(0, Math.max(0, name.lastIndexOf("."))) || name;
  const plain = stem
    .replace(NOT_IN_NAMES, " ")
    .trim()
    .slice(0, MAX_NAME_CHARS - 8)
    .trim();
  const base = plain || "document";
  let made = base;
  let number = used.get(base) ?? 1;
  while (used.has(made)) made = `${base} ${++number}`;
  used.set(base, number);
  if (made !== base) used.set(made, 1);
  return made;
}

/**
 * Returns a Converse body as the input of a command of AWS's JavaScript client:
 *
 *     client.send(new ConverseStreamCommand(bedrockArguments(encoded.body)))
 *
 * JSON has Base64 where the client wants bytes: in images, documents, video, audio and redacted
 * reasoning, also inside tool results. Everything else stays as it is; the body is not changed. Text
 * in those places that is no Base64 stays text, which the client refuses.
 */
export function bedrockArguments(body: Json): Json {
  const made = fresh(body);
  const messages = Object.hasOwn(made, "messages") ? made["messages"] : [];
  for (const message of Array.isArray(messages) ? messages : []) {
    if (isObject(message)) decodeBlocks(message["content"]);
  }
  decodeBlocks(made["system"]);
  return made;
}

function decodeBlocks(content: unknown): void {
  for (const block of Array.isArray(content) ? content : []) {
    if (!isObject(block)) continue;
    for (const [member, body] of Object.entries(block)) {
      if (!isObject(body)) continue;
      if (MEDIA.has(member)) decode(body["source"], "bytes");
      else if (member === "reasoningContent") decode(body, "redactedContent");
      else if (member === "toolResult") decodeBlocks(body["content"]);
      else if (member === "guardContent") decodeBlocks([body]);
    }
  }
}

function decode(holder: unknown, name: string): void {
  if (!isObject(holder)) return;
  const text = holder[name];
  if (typeof text !== "string" || !isWhole(text)) return;
  holder[name] = Uint8Array.from(atob(text.replace(/=+$/, "")), (char) => char.charCodeAt(0));
}
