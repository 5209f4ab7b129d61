/** Content blocks of Anthropic Messages requests, from the pieces of turns. */

import { jsonText } from "../../json/compact.js";
import { isObject, own } from "../../json/values.js";
import { type Block, BlockContent } from "../request_core/blocks.js";
import { objectArguments } from "../request_core/calls-and-results.js";
import { IMAGES, type Media } from "../request_core/media.js";
import type { Item } from "../request_core/state.js";
import { type Call, isPieces, type MediaPiece, type Result, type Text, type UserPiece } from "../request_core/turns.js";
import { fresh, type Json, saysSomething } from "../request_core/values.js";

const PDF = "application/pdf";
const EXPECTED = "JPEG, PNG, GIF, WebP, PDF or text, inline or uploaded; images and PDF by URL too";
const FILE_ID = /^file_[A-Za-z0-9_-]{8,}$/;
// What a response says about itself: no block, and nothing that a request takes.
const RESPONSE_ONLY: ReadonlySet<string> = new Set([
  "stop_sequence",
  "stop_details",
  "container",
  "citation",
  "tool_use",
  "unknown",
]);

/** Writes blocks of Anthropic Messages. */
export class AnthropicContent extends BlockContent {
  // --- what users and tools say -------------------------------------------------------------------

  override text(piece: Text): Block[] {
    if (saysSomething(piece.text)) return [{ body: { type: "text", text: piece.text }, pointer: piece.pointer }];
    this.noteBlank(piece.pointer);
    return [];
  }

  override user(pieces: readonly UserPiece[]): Block[] {
    return pieces.flatMap((piece): Block[] => {
      if (piece.type === "text") return this.text(piece);
      const body = mediaBlock(piece);
      if (body !== undefined) return [{ body, pointer: piece.pointer }];
      this.notes.unsupportedPart(piece.pointer, EXPECTED, piece.media.said());
      return [];
    });
  }

  override result(result: Result): Block {
    let content = this.#resultContent(result);
    if (content.length === 0 && result.isError) {
      this.noteSilentFailure(result.pointer);
      content = "Error";
    }
    const body: Json = {
      type: "tool_result",
      tool_use_id: result.callId,
      ...(content.length === 0 ? {} : { content }),
      ...(result.isError ? { is_error: true } : {}),
    };
    return { body, pointer: result.pointer };
  }

  #resultContent({ content, pointer }: Result): string | Json[] {
    if (isPieces(content)) return this.user(content).map((block) => block.body);
    if (typeof content !== "string") return jsonText(content);
    if (content === "" || saysSomething(content)) return content;
    this.noteBlank(pointer);
    return "";
  }

  // --- what the assistant said --------------------------------------------------------------------

  protected override cited(piece: Text): Block[] {
    const citations = this.citations(piece);
    // A member of a response's citations that a request's do not have.
    for (const citation of citations) delete citation["file_id"];
    const blocks = this.text(piece);
    if (citations.length === 0) return blocks;
    return blocks.map(({ body, pointer }) => ({ body: { ...body, citations }, pointer }));
  }

  protected override thinking(text: string, signature: string): Json {
    return { type: "thinking", thinking: text, signature };
  }

  protected override call(call: Call): Json {
    const input = objectArguments(call, this.notes);
    let body: Json = { type: "tool_use", id: call.callId, name: call.name, input };
    for (const { kind, data, pointer } of call.state) {
      if (kind === "call" && isObject(data)) body = { ...fresh(data), ...body };
      else this.notes.responseOnly(pointer, kind);
    }
    return body;
  }

  protected override state(item: Item): Block[] {
    const { kind, data, pointer } = item;
    if (kind === "signature") return this.bareSignature(item);
    if (RESPONSE_ONLY.has(kind)) {
      if (kind !== "container") this.notes.responseOnly(pointer, kind);
    } else if (!isObject(data) || own(data, "type") !== kind) {
      this.notes.malformed(pointer, `a block of the type ${kind}`, data);
    } else if (Object.hasOwn(data, "input") && !isObject(data["input"])) {
      this.notes.malformed(pointer, "an input as an object", data["input"]);
    } else {
      return [{ body: fresh(data), pointer }];
    }
    return [];
  }
}

function mediaBlock({ type, media }: MediaPiece): Json | undefined {
  if (type === "attachment" && media.isOddImage) return undefined;
  return type === "image" ? imageBlock(media) : fileBlock(media);
}

function imageBlock(media: Media): Json | undefined {
  const { mimeType, data, url } = media;
  let source: Json | undefined;
  if (data !== undefined && IMAGES.has(mimeType)) source = { type: "base64", media_type: mimeType, data };
  else if (url !== undefined && media.isImage) source = { type: "url", url };
  else source = uploaded(media);
  return source === undefined ? undefined : { type: "image", source };
}

function fileBlock(media: Media): Json | undefined {
  if (media.isImage) return imageBlock(media);
  const source = fileSource(media);
  if (source === undefined) return undefined;
  return { type: "document", source, ...(media.name === "" ? {} : { title: media.name }) };
}

function fileSource(media: Media): Json | undefined {
  const { mimeType, data, url } = media;
  if (data !== undefined && mimeType === PDF) return { type: "base64", media_type: PDF, data };
  if (data !== undefined && mimeType.startsWith("text/")) {
    const text = media.text();
    return text === undefined ? undefined : { type: "text", media_type: "text/plain", data: text };
  }
  if (url !== undefined && (mimeType === PDF || mimeType === "")) return { type: "url", url };
  return uploaded(media);
}

/** Returns the source of a file that was uploaded, undefined for any other. */
function uploaded({ path }: Media): Json | undefined {
  return path !== undefined && FILE_ID.test(path) ? { type: "file", file_id: path } : undefined;
}
