/** Content blocks of Converse requests, from the pieces of turns. */
import { isObject, own } from "../../json/values.js";
import { type Block, BlockContent } from "../request_core/blocks.js";
import { objectArguments } from "../request_core/calls-and-results.js";
import { isWhole, type Media } from "../request_core/media.js";
import type { Item } from "../request_core/state.js";
import { type Call, isPieces, plainText, type Result, type Text, type UserPiece } from "../request_core/turns.js";
import { fresh, type Json, saysSomething } from "../request_core/values.js";
import { documentName, mediaForm } from "./request-media.js";

const EXPECTED = "an image, document, video or audio of a known format, inline or in S3";
const S3 = /^s3:\/\/[a-z0-9][.\-a-z0-9]{1,61}[a-z0-9](?:\/[^\n]*)?$/;
// What a response says about itself: no block, and nothing that a request takes.
const RESPONSE_ONLY: ReadonlySet<string> = new Set(["additionalModelResponseFields", "citation", "unknown"]);

/** Writes blocks of Converse. */
export class BedrockContent extends BlockContent {
  readonly #names = new Map<string, number>(); // of documents: the provider takes each name once

  // --- what users and tools say -------------------------------------------------------------------

  override text(piece: Text): Block[] {
    if (saysSomething(piece.text)) return [{ body: { text: piece.text }, pointer: piece.pointer }];
    this.noteBlank(piece.pointer);
    return [];
  }

  override user(pieces: readonly UserPiece[], isResult = false): Block[] {
    return pieces.flatMap((piece): Block[] => {
      if (piece.type === "text") return this.text(piece);
      const body = this.#media(piece.media, isResult);
      if (body !== undefined) return [{ body, pointer: piece.pointer }];
      this.notes.unsupportedPart(piece.pointer, EXPECTED, piece.media.said());
      return [];
    });
  }

  override result(result: Result): Block {
    let content = this.#resultContent(result);
    if (result.isError && content.length === 0) {
      this.noteSilentFailure(result.pointer);
      content = [{ text: "Error" }];
    }
    const failed = result.isError ? { status: "error" } : {};
    const body = { toolResult: { toolUseId: result.callId, content, ...failed } };
    return { body, pointer: result.pointer };
  }

  #resultContent({ content, pointer }: Result): Json[] {
    if (isPieces(content)) return this.user(content, true).map((block) => block.body);
    if (typeof content !== "string") return [{ json: fresh(content) }];
    return content === "" ? [] : this.text(plainText(content, pointer)).map((block) => block.body);
  }

  #media(media: Media, isResult: boolean): Json | undefined {
    const form = mediaForm(media.mimeType);
    if (form === undefined || (isResult && form.member === "audio")) return undefined;
    const source = sourceOf(media);
    if (source === undefined) return undefined;
    const named = form.member === "document" ? { name: documentName(media.name, this.#names) } : {};
    return { [form.member]: { format: form.name, source, ...named } };
  }

  // --- what the assistant said --------------------------------------------------------------------

  protected override cited(piece: Text): Block[] {
    const citations = this.citations(piece);
    const blocks = this.text(piece);
    if (citations.length === 0) return blocks;
    return blocks.map(({ body, pointer }) => ({ body: { citationsContent: { content: [body], citations } }, pointer }));
  }

  protected override thinking(text: string, signature: string): Json {
    return { reasoningContent: { reasoningText: { text, signature } } };
  }

  protected override call(call: Call): Json {
    for (const { kind, pointer } of call.state) this.notes.responseOnly(pointer, kind);
    return { toolUse: { toolUseId: call.callId, name: call.name, input: objectArguments(call, this.notes) } };
  }

  // --- what the provider had ----------------------------------------------------------------------

  protected override state(item: Item): Block[] {
    const { kind, data, pointer } = item;
    if (kind === "signature") return this.bareSignature(item);
    if (RESPONSE_ONLY.has(kind)) {
      this.notes.responseOnly(pointer, kind);
      return [];
    }
    // Redacted reasoning has a member of another name, and text is no object.
    const member = kind === "redactedContent" ? "reasoningContent" : kind === "text" ? "" : kind;
    const body = isObject(data) && Object.keys(data).length === 1 ? own(data, member) : undefined;
    const wrong = isObject(body) ? wrongIn(kind, body) : "an object";
    if (wrong === undefined) return [{ body: fresh(data as Json), pointer }];
    this.notes.malformed(pointer, `a block ${kind}: ${wrong}`, data);
    return [];
  }
}

function sourceOf({ data, path }: Media): Json | undefined {
  if (data !== undefined && data !== "") return { bytes: data };
  return path !== undefined && S3.test(path) ? { s3Location: { uri: path } } : undefined;
}

/** Returns what a kept block would have to be, undefined if it can go back. */
function wrongIn(kind: string, body: Json): string | undefined {
  const given = (name: string): unknown => own(body, name);
  if (kind === "redactedContent") return isBase64(given(kind)) ? undefined : "Base64";
  if (kind === "image") return isObject(given("source")) ? undefined : "its source";
  if (kind !== "toolUse" && kind !== "toolResult") return undefined;
  if (typeof given("toolUseId") !== "string") return "its toolUseId";
  if (kind === "toolResult") return Array.isArray(given("content")) ? undefined : "its content";
  const name = given("name");
  if (typeof name !== "string" || name === "") return "its name";
  if (given("type") !== "server_tool_use") return "a server tool's";
  return isObject(given("input")) ? undefined : "an input as an object";
}

const isBase64 = (value: unknown): boolean => typeof value === "string" && value !== "" && isWhole(value);
