/** Media as OpenAI's dialects have it: behind a URL, in a `data:` URL, as Base64, or by its id. */

import { base64Of } from "../../json/base64.js";
import { put } from "../../json/values.js";
import { stripped, withoutBlanks } from "../../providers/core/values.js";
import { inline, urlPart } from "../core/parts.js";
import type { Json, Members, Reading } from "../core/reading.js";

const DATA = /^data:([^,;]*)((?:;[^,;]*)*),/i;
const DEFAULT = "text/plain"; // of a data: URL that says no type
const UNKNOWN = "application/octet-stream";
const SOUNDS: ReadonlyMap<string, string> = new Map([
  ["wav", "audio/wav"],
  ["mp3", "audio/mpeg"],
  ["pcm16", "audio/pcm"],
]);

/** Returns the part of what a URL leads to, or holds. Undefined for an empty or a broken one. */
export function atUrl(
  url: string,
  place: string,
  reading: Reading,
  isImage: boolean,
  name?: string | undefined,
): Json | undefined {
  if (isData(url)) return held(url, name);
  if (url === "") return undefined;
  const part = urlPart(url, place, reading, isImage && !name);
  if (name) put(part["payload"] as Json, "name", name);
  return part;
}

const isData = (url: string): boolean => url.slice(0, 5).toLowerCase() === "data:";

function held(url: string, name: string | undefined): Json | undefined {
  const head = DATA.exec(url);
  if (head === null) return undefined;
  const [{ length }, type = "", rest = ""] = head;
  const parameters = rest.split(";");
  const isBase64 = stripped(parameters.at(-1) ?? "").toLowerCase() === "base64";
  const bytes = unquoted(url.slice(length));
  const data = isBase64 ? withoutBlanks(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)) : base64Of(bytes);
  const kept = [stripped(type) || DEFAULT, ...parameters.slice(1, isBase64 ? -1 : undefined)];
  return inline(kept.join(";"), data, name);
}

/** Returns the bytes that text with percent signs stands for. */
function unquoted(text: string): Uint8Array {
  const given = new TextEncoder().encode(text);
  if (!text.includes("%")) return given;
  const made = new Uint8Array(given.length);
  let size = 0;
  for (let at = 0; at < given.length; at++) {
    const digits = given[at] === 0x25 ? String.fromCharCode(...given.subarray(at + 1, at + 3)) : "";
    const isByte = /^[0-9A-Fa-f]{2}$/.test(digits);
    made[size++] = isByte ? parseInt(digits, 16) : (given[at] as number);
    if (isByte) at += 2;
  }
  return made.subarray(0, size);
}

/** Returns the part of `{"data": …, "format": …}`. */
export function sound(source: Members): Json | undefined {
  const [data, name] = [source.text("data"), source.text("format")];
  if (!data || !name) return undefined;
  return inline(SOUNDS.get(name) ?? `audio/${name}`, withoutBlanks(data));
}

/** Returns the part of a file: `file_data`, `file_url` or `file_id`, and `filename`. */
export function storedFile(source: Members, place: string, reading: Reading): Json | undefined {
  const [data, url, fileId] = [source.text("file_data"), source.text("file_url"), source.text("file_id")];
  const name = source.text("filename") || undefined;
  let part: Json | undefined;
  if (data) {
    if (isData(data)) {
      part = held(data, name);
    } else {
      reading.note("mime-invented", place);
      part = inline(UNKNOWN, withoutBlanks(data), name);
    }
  } else if (url) {
    part = atUrl(url, place, reading, false, name);
  } else if (fileId) {
    part = byId(fileId);
    if (name) reading.note("foreign-member", source.at("filename"));
  }
  if (part === undefined || !(data || url)) return part;
  if (url && data) reading.note("foreign-member", source.at("file_url"));
  if (fileId) reading.note("foreign-member", source.at("file_id"));
  return part;
}

/** Returns the part of a file that the provider keeps under an id; nobody knows its type. */
export function byId(path: string, mimeType?: string): Json {
  return { kind: "file_ref", payload: { path, ...(mimeType === undefined ? {} : { mimeType }) } };
}
