/** Content of messages and results: text, or parts of text and media. */

import { jsonText } from "../../json/compact.js";
import { isObject, own } from "../../json/values.js";
import { guessedType, inline, mediaPart, textPart, urlPart } from "../core/parts.js";
import { type Json, Members, type Reading } from "../core/reading.js";
import { keptOf, OWN } from "./state.js";

const MEDIA = ["image", "audio", "video", "document"];
const UNKNOWN = "application/octet-stream";
const NAME = "filename";

// --- reading --------------------------------------------------------------------------------------

/** Takes `content`: the parts of text, or of a list; undefined where it is neither. */
export function contentOf(members: Members, reading: Reading): Json[] | undefined {
  const place = members.at("content");
  const text = members.text("content");
  if (text !== undefined) return text === "" ? [] : [textPart(text)];
  const given = members.list("content");
  return given === undefined ? undefined : partsOf(given, place, reading);
}

/** Returns the parts of a list; what is not known is reported. */
function partsOf(given: unknown[], place: string, reading: Reading): Json[] {
  const made: Json[] = [];
  for (const part of reading.items(given, place)) {
    const found = partOf(part, reading);
    if (found === undefined) {
      reading.note("foreign-part", part.place);
    } else {
      part.close();
      made.push(found);
    }
  }
  return made;
}

function partOf(part: Members, reading: Reading): Json | undefined {
  const kind = part.text("type");
  if (kind === "text") {
    const text = part.text("text");
    return text === undefined ? undefined : withOwn(textPart(text), ownOf(part));
  }
  if (kind === "binary") return binaryPart(part, reading);
  return kind !== undefined && MEDIA.includes(kind) ? sourcedPart(kind, part, reading) : undefined;
}

function sourcedPart(kind: string, part: Members, reading: Reading): Json | undefined {
  const at = part.at("source");
  const given = part.object("source");
  if (given === undefined) return undefined;
  const source = new Members(given, at, reading);
  const [form, value, mime] = [source.text("type"), source.text("value"), source.text("mimeType") || undefined];
  if (!value) return undefined;
  const kept = ownOf(part);
  const name = nameIn(kept["metadata"]);
  if (name !== undefined) delete kept["metadata"];
  let made: Json | undefined;
  if (form === "data") {
    made = mime === undefined ? undefined : inline(mime, value, name);
  } else if (form === "url") {
    made = behind(kind, value, mime, at, reading);
  } else if (form === "file") {
    const provider = source.text("provider");
    if (provider !== undefined) kept["provider"] = provider;
    made = mediaPart(typeAt(kind, value, mime, at, reading), { kind: "ref", ref: value });
  }
  if (made === undefined) return undefined;
  if (kindOf((made["payload"] as Json)["mimeType"] as string) !== kind) kept["type"] = kind;
  source.close();
  return withOwn(named(made, name), kept);
}

/** Returns the name of a file, where metadata says no more than that. */
function nameIn(metadata: unknown): string | undefined {
  if (!isObject(metadata) || Object.keys(metadata).length !== 1) return undefined;
  const name = own(metadata, NAME);
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** Reads content as versions before 1.0 have it: of any type, with an id, a URL or the data. */
function binaryPart(part: Members, reading: Reading): Json | undefined {
  const { place } = part;
  const [mime, name] = [part.text("mimeType") || undefined, part.text(NAME) || undefined];
  const [data, url, file] = [part.text("data"), part.text("url"), part.text("id")];
  let made: Json | undefined;
  if (data) {
    made = inline(mime ?? UNKNOWN, data, name);
  } else if (url) {
    made = behind(kindOf(mime ?? ""), url, mime, place, reading);
  } else if (file) {
    made = mediaPart(mime ?? UNKNOWN, { kind: "ref", ref: file });
  } else {
    return undefined;
  }
  if (mime === undefined && !url) reading.note("mime-invented", place);
  if (url && data) reading.note("foreign-member", part.at("url"));
  if (file && (data || url)) reading.note("foreign-member", part.at("id"));
  return made === undefined ? undefined : named(made, name);
}

/** Takes the members of a part that only this format has. */
function ownOf(part: Members): Json {
  const kept: Json = {};
  const id = part.text("id");
  if (id !== undefined) kept["id"] = id;
  const metadata = part.value("metadata");
  if (metadata !== null) kept["metadata"] = metadata;
  return kept;
}

function behind(kind: string, url: string, mime: string | undefined, place: string, reading: Reading): Json {
  if (kind === "image") return urlPart(url, place, reading, true, mime);
  return mediaPart(typeAt(kind, url, mime, place, reading), { kind: "url", url });
}

function typeAt(kind: string, where: string, mime: string | undefined, place: string, reading: Reading): string {
  if (mime !== undefined) return mime;
  reading.note("mime-invented", place);
  return guessedType(where) ?? (kind === "document" ? UNKNOWN : `${kind}/*`);
}

function named(part: Json, name: string | undefined): Json {
  if (name === undefined) return part;
  const made = asMedia(part);
  return { ...made, payload: { ...(made["payload"] as Json), name } };
}

/** Returns a part with what only this format says of it. */
function withOwn(part: Json, kept: Json): Json {
  if (Object.keys(kept).length === 0) return part;
  const made = part["kind"] === "text" ? part : asMedia(part);
  return { ...made, payload: { ...(made["payload"] as Json), opaque: { provider: OWN, data: kept } } };
}

/** Returns media, which may have state and a name, for an image. */
function asMedia(part: Json): Json {
  if (part["kind"] !== "image") return part;
  const { mimeType, data, url } = part["payload"] as { mimeType: string; data?: string; url?: string };
  return mediaPart(mimeType, data === undefined ? { kind: "url", url } : { kind: "inline", data });
}

function kindOf(mime: string): string {
  const [head = ""] = mime.toLowerCase().split("/", 1);
  return MEDIA.includes(head) ? head : "document";
}

// --- writing --------------------------------------------------------------------------------------

/** Returns content: text where it is no more than one, else parts. */
export function writtenParts(parts: readonly Json[]): unknown {
  const [first] = parts;
  if (first === undefined) return "";
  const payload = first["payload"] as Json;
  const isText = parts.length === 1 && first["kind"] === "text" && payload["opaque"] === undefined;
  return isText ? payload["text"] : parts.map(writtenPart);
}

function writtenPart(part: Json): Json {
  const payload = part["payload"] as Json;
  const kept = keptOf(payload["opaque"]).own;
  const said: Json = {};
  if (typeof kept["id"] === "string") said["id"] = kept["id"];
  if (Object.hasOwn(kept, "metadata")) said["metadata"] = kept["metadata"];
  if (part["kind"] === "text") return { type: "text", text: payload["text"], ...said };
  const mime = payload["mimeType"] as string | undefined;
  const source = sourceFor(payload, mime, kept);
  if (mime && !mime.endsWith("/*")) source["mimeType"] = mime;
  if (payload["name"] !== undefined && !Object.hasOwn(said, "metadata")) said["metadata"] = { [NAME]: payload["name"] };
  const form = kept["type"];
  const type = typeof form === "string" && MEDIA.includes(form) ? form : kindOf(mime ?? "");
  return { type, source, ...said };
}

function sourceFor(payload: Json, mime: string | undefined, kept: Json): Json {
  const source = (payload["source"] ?? payload) as Json;
  if (source["data"] !== undefined) return { type: "data", value: source["data"], mimeType: mime };
  if (source["url"] !== undefined) return { type: "url", value: source["url"] };
  const made: Json = { type: "file", value: source["ref"] || source["path"] };
  return typeof kept["provider"] === "string" ? { ...made, provider: kept["provider"] } : made;
}

/** Returns the content of a result: text, parts, or the JSON text of data. */
export function resultContent(payload: Json): unknown {
  const content = payload["content"];
  if (Array.isArray(content)) return writtenParts(content as Json[]);
  return typeof content === "string" ? content : jsonText(content);
}
