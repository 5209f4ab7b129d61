/**
 * Bedrock Converse: the contract's messages and configuration → a request body.
 *
 * The body is the JSON of the HTTP request, Base64 where it has bytes, and `modelId`, which is in
 * the URL. For AWS's JavaScript client: {@link bedrockArguments}.
 *
 * - System prompt and system messages are `system` blocks. A system message behind others moves there
 *   (`encode/moved-system`).
 * - Messages of one side in a row become one; tool results are first in the user's, all results of
 *   parallel calls in one. What is left empty is left out.
 * - Reasoning goes back with its signature, at its place, and not without; redacted reasoning, server
 *   tools with their results and whatever else the provider had stays at its place. Text goes back
 *   with its citations.
 * - The format has no tool choice `none`: without calls in the messages the tools are left out, else
 *   the choice is (`encode/unsupported-config`). It takes calls and results only beside tools: where
 *   no tool is given, the called ones are declared by name (`encode/stand-in-tool`).
 * - Images, files and media go inline or from S3 (`s3://`): the provider fetches nothing else.
 * - `cacheConfig` sets cache points behind the tools, the system prompt and the last message.
 *
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html.
 */

import { BEDROCK } from "../../generated/tables/media-types.js";
import { BEDROCK_RESPONSE_ONLY } from "../../generated/tables/provider-names.js";
import { jsonText } from "../../json/compact.js";
import { isObject, own } from "../../json/values.js";
import { firstCharacters } from "../core/values.js";
import { type Block, BlockContent, BlockEncoder, type Draft } from "../request_core/blocks.js";
import { Form } from "../request_core/call-ids.js";
import { objectArguments } from "../request_core/calls-and-results.js";
import type { Choice, Request } from "../request_core/inputs.js";
import { isWhole, type Media } from "../request_core/media.js";
import type { Notes } from "../request_core/notes.js";
import type { Item } from "../request_core/state.js";
import {
  type Call,
  isPieces,
  plainText,
  type Result,
  type Text,
  type UserPiece,
  wordsOf,
} from "../request_core/turns.js";
import { fresh, isSame, type Json, saysSomething } from "../request_core/values.js";

// --- media ---------------------------------------------------------------------------------------
// Images, documents, video and audio as Converse takes them; bytes for AWS's JavaScript client.

const NOT_IN_NAMES = /[^A-Za-z0-9\-()[\]]+/g;
const MAX_NAME_CHARS = 200;
const MEDIA_MEMBERS: ReadonlySet<string> = new Set(["image", "document", "video", "audio"]);

/** How the provider calls a media type. */
interface MediaForm {
  /** The member of a content block. */
  readonly member: string;
  readonly name: string;
}

/** Returns how the provider calls a media type, undefined if it does not take it. Text of any other type is plain text. */
function mediaForm(mimeType: string): MediaForm | undefined {
  const [member, name] = BEDROCK.get(mimeType) ?? (mimeType.startsWith("text/") ? ["document", "txt"] : []);
  return member === undefined || name === undefined ? undefined : { member, name };
}

/**
 * Returns a name that the provider takes and that no other document has.
 *
 * Letters, digits, hyphens, brackets and single blanks. The ending goes: the format says it. `used`
 * takes it: name → the last number that its repetitions have.
 */
function documentName(name: string, used: Map<string, number>): string {
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
 * in those places that is not Base64 stays text, which the client refuses.
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
      if (MEDIA_MEMBERS.has(member)) decode(body["source"], "bytes");
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

// --- content -------------------------------------------------------------------------------------
// Content blocks of Converse requests, from the pieces of turns.

const EXPECTED = "an image, document, video or audio of a known format, inline or in S3";
const S3 = /^s3:\/\/[a-z0-9][.\-a-z0-9]{1,61}[a-z0-9](?:\/[^\n]*)?$/;
const RESPONSE_ONLY: ReadonlySet<string> = new Set(BEDROCK_RESPONSE_ONLY);

/** Writes blocks of Converse. */
class BedrockContent extends BlockContent {
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
      const words = wordsOf(piece, EXPECTED, this.notes);
      return words === undefined ? [] : this.text(words);
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
    // Redacted reasoning has a member of another name, and text is not an object.
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

// --- the request ---------------------------------------------------------------------------------

const FORMS = {
  callId: new Form(/^[A-Za-z0-9_.:-]+$/, 64),
  toolName: new Form(/^[A-Za-z0-9_-]+$/, 64),
  apart: true,
  blank: false,
};

/** Encoder of one Converse request. */
export class BedrockConverseEncoder extends BlockEncoder {
  protected override readonly content: BedrockContent;

  constructor(request: Request, notes: Notes) {
    super(request, notes, "bedrock-converse", FORMS);
    this.content = new BedrockContent(notes);
  }

  protected override body(): Json {
    const { request } = this;
    const { system, drafts } = this.drafted();
    const messages = drafts.map(({ role, content }) => ({ role, content: content.map((block) => block.body) }));
    const inferenceConfig = {
      ...this.sampling("maxTokens", "topP", 1),
      ...this.stopsThat((stop) => stop !== "", "stopSequences", "text"),
    };
    const { tools, choice } = this.#tools(drafts);
    const toolConfig = tools.length === 0 && isEmpty(choice) ? {} : { tools, ...choice };
    if (request.cache) {
      for (const place of [system, tools, messages.at(-1)?.content ?? []]) {
        if (place.length > 0) place.push({ cachePoint: { type: "default" } });
      }
    }
    return {
      modelId: request.modelId,
      messages,
      ...(system.length === 0 ? {} : { system }),
      ...(isEmpty(inferenceConfig) ? {} : { inferenceConfig }),
      ...(isEmpty(toolConfig) ? {} : { toolConfig }),
    };
  }

  // --- messages -----------------------------------------------------------------------------------

  protected override leaveOutDangling(drafts: readonly Draft[]): void {
    const waiting = this.waiting(drafts);
    const answered = new Set<unknown>();
    for (const { role, blocks } of drafts) {
      if (role !== "assistant") continue;
      for (const { body } of blocks) {
        const result = body["toolResult"];
        if (isObject(result)) answered.add(result["toolUseId"]);
      }
    }
    const called = new Set<unknown>();
    for (const [number, draft] of drafts.entries()) {
      draft.blocks = draft.blocks.filter(({ body, pointer }) => {
        const { toolUse: call, toolResult: result } = body;
        let isDue = true;
        if (isObject(call) && Object.hasOwn(call, "type")) {
          isDue = answered.has(call["toolUseId"]) || number === waiting;
          called.add(call["toolUseId"]);
        } else if (isObject(result)) {
          isDue = called.has(result["toolUseId"]);
        }
        if (!isDue) this.noteDangling(pointer, isObject(call) ? "toolUse" : "toolResult");
        return isDue;
      });
    }
  }

  protected override isThinking(body: Json): boolean {
    return Object.hasOwn(body, "reasoningContent");
  }

  // --- tools and configuration --------------------------------------------------------------------

  #tools(drafts: readonly Draft[]): { tools: Json[]; choice: Json } {
    const taken = this.takenTools();
    const tools = taken.map(
      ({ spec, schema }): Json => ({
        toolSpec: {
          name: spec.name,
          inputSchema: { json: schema },
          ...(spec.description ? { description: spec.description } : {}),
          ...(spec.strict === undefined ? {} : { strict: spec.strict }),
        },
      }),
    );
    const called = calledIn(drafts);
    const hasGiven = this.#givenTools().length > 0;
    const { choice } = this.request;
    const isChosen = this.choiceHolds(new Set(taken.map(({ spec }) => spec.name)));
    if (isChosen && choice?.mode === "none" && called.size === 0 && !hasGiven) return { tools: [], choice: {} };
    const chosen = choice !== undefined && isChosen ? this.#choice(choice) : {};
    return { tools: tools.length > 0 || hasGiven ? tools : this.#standIns(called), choice: chosen };
  }

  #choice({ mode, toolName, pointer }: Choice): Json {
    if (mode === "tool") return { toolChoice: { tool: { name: toolName } } };
    if (mode !== "none") return { toolChoice: { [mode === "required" ? "any" : "auto"]: {} } };
    this.notes.unsupportedConfig(pointer, "auto or required", "none");
    return {};
  }

  /** Returns a tool for every one that a call names. */
  #standIns(called: ReadonlyMap<string, string>): Json[] {
    return [...called].map(([name, pointer]) => {
      this.notes.add(
        "encode/stand-in-tool",
        "The provider takes calls only beside tools; one without a description is sent",
        pointer,
        { expected: "a spec of the called tool", actual: firstCharacters(name, 80) },
      );
      return { toolSpec: { name, inputSchema: { json: { type: "object" } } } };
    });
  }

  /** Returns the tools that an extension of the configuration brings. */
  #givenTools(): readonly unknown[] {
    const config = this.request.extensions.get("toolConfig");
    const tools = isObject(config) ? own(config, "tools") : undefined;
    return Array.isArray(tools) ? tools : [];
  }

  /** Tells whether a tool choice can be sent; tools of an extension are the provider's. */
  protected override choiceHolds(names: ReadonlySet<string>): boolean {
    if (this.#givenTools().length > 0) return this.request.choice !== undefined;
    return super.choiceHolds(names);
  }

  protected override joined(ours: unknown, theirs: unknown, place: string): unknown {
    if (place === "/config/toolConfig/tools" && Array.isArray(ours) && Array.isArray(theirs)) {
      return [...ours, ...fresh(theirs)];
    }
    if (place === "/config/toolConfig/toolChoice" && !isSame(ours, theirs)) {
      // One of three members: as objects both would be joined.
      super.joined(jsonText(ours), jsonText(theirs), place);
      return ours;
    }
    return super.joined(ours, theirs, place);
  }
}

const isEmpty = (members: Json): boolean => Object.keys(members).length === 0;

/** Returns the names of called tools, the provider's own left out, and where each is called. */
function calledIn(drafts: readonly Draft[]): Map<string, string> {
  const called = new Map<string, string>();
  for (const { body, pointer } of drafts.flatMap((draft) => draft.blocks)) {
    const call = body["toolUse"];
    if (!isObject(call) || Object.hasOwn(call, "type")) continue;
    const name = call["name"] as string;
    if (!called.has(name)) called.set(name, `${pointer}/payload/toolName`);
  }
  return called;
}
