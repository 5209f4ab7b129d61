/** What users and tools say in Responses requests: content and outputs of calls. */
import { jsonText } from "../../json/compact.js";
import { fileName } from "../openai_chat/request-messages.js";
import { IMAGES, type Media } from "../request_core/media.js";
import type { Notes } from "../request_core/notes.js";
import { isPieces, type MediaPiece, plainText, type Result, type UserPiece } from "../request_core/turns.js";
import type { Json } from "../request_core/values.js";

const FILE_ID = /^file-[A-Za-z0-9_-]{8,}$/;
const EXPECTED = "an image or a document: by URL, inline or uploaded";
const DOCUMENTS =
  /^(?:text\/[^\n]+|application\/(?:pdf|rtf|msword|json|xml|csv|sql|toml|(?:x-)?(?:yaml|sh|python|javascript|typescript|httpd-php)|vnd\.(?:ms-(?:word|excel|powerpoint)|openxmlformats-officedocument|oasis\.opendocument|apple\.(?:pages|keynote|numbers))[^\n]*|[^\n]+\+(?:json|xml)))$/;

/** Writes content; what cannot be said goes into `notes`. */
export class ResponsesInput {
  constructor(readonly notes: Notes) {}

  /** Returns content: a string for one text, else its parts; undefined for nothing. */
  content(pieces: readonly UserPiece[]): string | Json[] | undefined {
    const parts = pieces.map((piece) => this.#part(piece)).filter((part) => part !== undefined);
    const [first] = parts;
    if (first === undefined) return undefined;
    return parts.length === 1 && first["type"] === "input_text" ? (first["text"] as string) : parts;
  }

  /** Returns what a tool gave; the format has no mark for a failure, so its text says it. */
  output({ content, isError, pointer }: Result): string | Json[] {
    let pieces: readonly UserPiece[];
    if (isPieces(content)) pieces = content;
    else pieces = [plainText(typeof content === "string" ? content : jsonText(content), pointer)];
    if (isError) {
      const [first] = pieces;
      const said = first?.type === "text" ? first.text : "";
      const rest = first?.type === "text" ? pieces.slice(1) : pieces;
      pieces = [plainText(said === "" ? "Error" : `Error: ${said}`, pointer), ...rest];
    }
    return this.content(pieces) ?? "";
  }

  #part(piece: UserPiece): Json | undefined {
    if (piece.type === "text") return { type: "input_text", text: piece.text };
    const part = mediaPart(piece);
    if (part === undefined) this.notes.unsupportedPart(piece.pointer, EXPECTED, piece.media.said());
    return part;
  }
}

function mediaPart({ type, media }: MediaPiece): Json | undefined {
  // Of a file nobody may know the type; of media it is known.
  if (type === "attachment" && !IMAGES.has(media.mimeType) && !DOCUMENTS.test(media.mimeType)) return undefined;
  return type === "image" ? imagePart(media) : filePart(media);
}

function imagePart(media: Media): Json | undefined {
  const part = { type: "input_image", detail: "auto" };
  if (media.url !== undefined) return { ...part, image_url: media.url };
  if (media.data !== undefined && media.isImage) return { ...part, image_url: media.dataUrl() };
  return media.path !== undefined && FILE_ID.test(media.path) ? { ...part, file_id: media.path } : undefined;
}

function filePart(media: Media): Json | undefined {
  const { mimeType, url, path } = media;
  if (media.isImage) return imagePart(media);
  if (mimeType.startsWith("audio/") || mimeType.startsWith("video/")) return undefined;
  if (url !== undefined) return { type: "input_file", file_url: url };
  if (path !== undefined) return FILE_ID.test(path) ? { type: "input_file", file_id: path } : undefined;
  return { type: "input_file", filename: fileName(media), file_data: media.dataUrl() };
}
