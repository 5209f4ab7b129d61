/** Parts of Gemini requests, from the pieces of turns. */
import { isObject } from "../../json/values.js";
import { objectArguments } from "../request_core/calls-and-results.js";
import type { Media } from "../request_core/media.js";
import type { Notes } from "../request_core/notes.js";
import type { Item } from "../request_core/state.js";
import {
  type AssistantPiece,
  type Call,
  isPieces,
  type MediaPiece,
  type Result,
  type UserPiece,
} from "../request_core/turns.js";
import { fresh, isSame, type Json } from "../request_core/values.js";

const IMAGES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"]);
const FILES: ReadonlySet<string> = new Set(["application/pdf", "application/x-javascript", "application/x-python"]);
const KINDS: ReadonlySet<string> = new Set(["text", "audio", "video"]);
const UPLOADED = /^files\/[a-z0-9-]{1,40}$/;
const UPLOADS = "https://generativelanguage.googleapis.com/v1beta/";
const EXPECTED = "PNG, JPEG, WebP, HEIC, PDF, text, audio or video, inline; files/…, gs:// or a URL";
const SIGNATURE = "thoughtSignature";
// What a request may say beside the text or the call of a part.
const MEMBERS: ReadonlySet<string> = new Set([
  SIGNATURE,
  "partMetadata",
  "mediaResolution",
  "mediaProcessing",
  "videoMetadata",
  "audioMetadata",
  "speechMetadata",
  "documentMetadata",
  "spreadsheetMetadata",
]);

/** A part of the body, and where in the request it comes from. */
interface Part {
  readonly body: Json;
  readonly pointer: string;
}

/** Writes parts; what cannot be said goes into `notes`. */
export class GeminiContent {
  /**
   * The ids, as sent to others, of calls to which the provider gave none: they and their results go
   * back without one, told apart by name and order.
   */
  readonly nameless = new Set<string>();

  constructor(readonly notes: Notes) {}

  // --- what users and tools say -------------------------------------------------------------------

  /** Returns the parts of text, images, files and media. */
  user(pieces: readonly UserPiece[]): Json[] {
    return pieces.flatMap((piece) => (piece.type === "text" ? [{ text: piece.text }] : this.#media(piece)));
  }

  /** Returns the part of a tool result: its output, or the error, as an object. */
  result({ callId, name, isError, content }: Result): Json {
    let output: unknown;
    let media: Json[] = [];
    if (isPieces(content)) {
      const texts = content.flatMap((piece) => (piece.type === "text" ? [piece.text] : []));
      media = content.flatMap((piece) => (piece.type === "text" ? [] : this.#media(piece)));
      output = texts.length > 1 ? texts : (texts[0] ?? "");
    } else {
      output = fresh(content);
    }
    // An object stands for itself, unless a member of it would be read as something else.
    const isPlain = isObject(output) && !Object.hasOwn(output, "output") && !Object.hasOwn(output, "error");
    const response = isPlain && !isError ? output : { [isError ? "error" : "output"]: output };
    const functionResponse = {
      name: name || "unknown",
      response,
      ...(this.nameless.has(callId) ? {} : { id: callId }),
      ...(media.length === 0 ? {} : { parts: media }),
    };
    return { functionResponse };
  }

  #media({ media, pointer }: MediaPiece): Json[] {
    const body = media.data === undefined ? linked(media) : inline(media);
    if (body !== undefined) return [body];
    this.notes.unsupportedPart(pointer, EXPECTED, media.said());
    return [];
  }

  // --- what the assistant said --------------------------------------------------------------------

  /**
   * Returns the parts of an assistant's message; `isOwn`: it came from this dialect. Text that only a
   * reader's state has cut is one part again.
   */
  assistant(pieces: readonly AssistantPiece[], isOwn: boolean): Json[] {
    const parts: Part[] = [];
    for (const part of pieces.flatMap((piece) => this.#said(piece, isOwn))) {
      const last = parts.at(-1);
      if (last === undefined || !isOne(last, part)) parts.push(part);
      else last.body["text"] = `${last.body["text"]}${part.body["text"]}`;
    }
    return parts.map((part) => part.body);
  }

  #said(piece: AssistantPiece, isOwn: boolean): Part[] {
    switch (piece.type) {
      case "text":
        return [{ body: { text: piece.text, ...this.#members(piece.state) }, pointer: piece.pointer }];
      case "call": {
        const members = this.#members(piece.state);
        return [{ body: { functionCall: this.#call(piece), ...members }, pointer: piece.pointer }];
      }
      case "state":
        return this.#state(piece.item).map((body) => ({ body, pointer: piece.item.pointer }));
      case "thinking":
        if (isOwn) {
          return [{ body: { text: piece.text, thought: true, ...this.#members(piece.state) }, pointer: piece.pointer }];
        }
        this.notes.add(
          "encode/thinking-left-out",
          "The provider takes no reasoning of others; it is left out",
          piece.pointer,
        );
        return [];
      default:
        return this.#media(piece).map((body) => ({ body, pointer: piece.pointer }));
    }
  }

  /** Returns what stood beside the text or the call in its part. */
  #members(items: readonly Item[]): Json {
    const members: Json = {};
    for (const { kind, data, pointer } of items) {
      if (!MEMBERS.has(kind)) {
        this.notes.responseOnly(pointer, kind);
      } else if (kind === SIGNATURE && !isSignature(data)) {
        this.notes.malformed(pointer, "a signature as text", data);
      } else if (Object.hasOwn(members, kind) && !isSame(members[kind], data)) {
        // Pieces of a call may each have one; the first is the call's.
        this.notes.malformed(pointer, `one ${kind}`, "several");
      } else {
        members[kind] = fresh(data);
      }
    }
    return members;
  }

  #call(call: Call): Json {
    const id = this.nameless.has(call.callId) ? {} : { id: call.callId };
    return { name: call.name, args: objectArguments(call, this.notes), ...id };
  }

  /** Returns what stands between texts and calls: parts of the provider's own. */
  #state({ kind, data, pointer }: Item): Json[] {
    if (kind === SIGNATURE && isSignature(data)) return [{ text: "", [SIGNATURE]: data }];
    if (kind !== "part") {
      if (kind !== "continuationToken") this.notes.responseOnly(pointer, kind);
    } else if (!isObject(data)) {
      this.notes.malformed(pointer, "a part as an object", data);
    } else if (Object.hasOwn(data, SIGNATURE) && !isSignature(data[SIGNATURE])) {
      this.notes.malformed(pointer, "a signature as text", data[SIGNATURE]);
    } else {
      const body = fresh(data);
      const isBare = Object.keys(body).every((name) => MEMBERS.has(name) || name === "thought");
      if (isBare) body["text"] = ""; // a part without content is refused
      return [body];
    }
    return [];
  }
}

/** Tells whether two parts are plain text of one part of the message. */
function isOne(part: Part, other: Part): boolean {
  const names = Object.keys(part.body);
  if (part.pointer !== other.pointer || names.length !== Object.keys(other.body).length) return false;
  return names.every((name) => Object.hasOwn(other.body, name) && (name === "text" || name === "thought"));
}

const isSignature = (data: unknown): boolean => typeof data === "string" && data !== "";

function inline({ mimeType, data }: Media): Json | undefined {
  const [kind = ""] = mimeType.split("/", 1);
  const isTaken = IMAGES.has(mimeType) || FILES.has(mimeType) || KINDS.has(kind);
  return isTaken ? { inlineData: { mimeType, data } } : undefined;
}

/** Returns the part of a file that the provider fetches, or has. */
function linked({ mimeType, url, path }: Media): Json | undefined {
  let fileUri = url;
  if (path?.startsWith("gs://")) fileUri = path;
  else if (path !== undefined && UPLOADED.test(path)) fileUri = UPLOADS + path;
  if (fileUri === undefined) return undefined;
  return { fileData: { ...(mimeType === "" ? {} : { mimeType }), fileUri } };
}
