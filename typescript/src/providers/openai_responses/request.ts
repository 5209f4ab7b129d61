/**
 * OpenAI Responses: the contract's messages and configuration → a request body.
 *
 * For OpenAI and the vendors that speak its dialect; where they differ, as OpenAI publishes it:
 *
 * - The whole conversation is `input`: nothing depends on what the provider stores, unless the
 *   configuration says `previous_response_id` and the caller gives what is new alone.
 * - System prompt and system messages are messages of the role `system`; `instructions`, which some
 *   vendors refuse, is the configuration's to give.
 * - Items that the provider made go back as they came, under their ids: reasoning, encrypted or not,
 *   tools that it ran, images with their bytes, messages with their annotations, and calls. Reasoning is
 *   known to the provider by its id where responses are stored; with `"store": false` ask for
 *   `"include": ["reasoning.encrypted_content"]`, which models without reasoning refuse.
 * - What the provider ran goes with its result; a call that waits is sent in the last answer alone.
 * - The first answer to `mcp_approval_request` goes; it says yes only to the arguments as they were.
 * - A tool's failure begins with `Error: `, since the format has no mark for it.
 * - Of media, images and documents go whose type OpenAI publishes; a `file_ref` goes as any file but
 *   audio and video.
 * - Functions are strict only where the tool says so: the provider's default is otherwise.
 * - There are no stop sequences; `cacheConfig` has nothing to mark: prompts are cached without it.
 *
 * Source: https://platform.openai.com/docs/api-reference/responses/create.
 */

import { clip } from "../../errors.js";
import * as mediaTypes from "../../generated/tables/media-types.js";
import {
  RESPONSES_CALLS as CALLS,
  RESPONSES_PAIRED as PAIRED,
  RESPONSES_RESPONSE_ONLY,
} from "../../generated/tables/provider-names.js";
import { jsonText } from "../../json/compact.js";
import { sameJson } from "../../json/equality.js";
import { isObject, own } from "../../json/values.js";
import { saysAnything } from "../core/values.js";
import { Form } from "../request_core/call-ids.js";
import { RequestEncoder } from "../request_core/encoder.js";
import type { Request } from "../request_core/inputs.js";
import type { Media } from "../request_core/media.js";
import type { Notes } from "../request_core/notes.js";
import type { Item } from "../request_core/state.js";
import {
  type Approval,
  type AssistantTurn,
  type Call,
  type Forms,
  isPieces,
  type MediaPiece,
  plainText,
  type Result,
  type Text,
  type Thinking,
  type Turn,
  USER_MEDIA,
  type UserPiece,
  wordsOf,
} from "../request_core/turns.js";
import { Characters, isSame, type Json, parsed, withoutNulls, worded } from "../request_core/values.js";
import { IMAGE } from "./media.js";
import { APPROVAL } from "./server-items.js";

// --- items that belong together ------------------------------------------------------------------
// What Responses take only together goes back together or not at all: reasoning and the item that it
// led to, the call of a built-in tool and its output.

const NAMED: ReadonlySet<unknown> = new Set(["message", "function_call", "custom_tool_call"]);

/** An item of the input. `own`: it is the provider's, under its own id. */
interface ItemDraft {
  readonly body: Json;
  readonly pointer: string;
  readonly own: boolean;
  /** It is a call that the provider ran, or what came of it, and the part of one. */
  readonly ran?: boolean;
}

/** Output of a built-in tool → its call. */
const CALL_OF: ReadonlyMap<string, string> = new Map([...PAIRED].map(([call, output]) => [output, call]));

/** Keeps of each turn's items what can go back, and of ids those that the input has not yet. */
class Together {
  /** Where a request for approval is from that was sent and waits, by its id. */
  readonly asked = new Map<unknown, string>();
  readonly #sent = new Set<string>();
  readonly #found = new Set<string>(); // types and call ids of all items
  readonly #last: AssistantTurn | undefined;

  /** `goesOn`: the provider knows what came before `turns`, too. */
  constructor(
    readonly notes: Notes,
    turns: readonly Turn[],
    readonly isStored: boolean,
    readonly goesOn: boolean,
  ) {
    const answers = turns.filter((turn) => turn.role === "assistant");
    this.#last = answers.at(-1);
    for (const piece of answers.flatMap((turn) => turn.pieces)) {
      if (piece.type !== "state" || !isObject(piece.item.data)) continue;
      this.#found.add(pairKey(own(piece.item.data, "type"), piece.item.data));
    }
  }

  kept(turn: AssistantTurn, drafts: readonly ItemDraft[]): ItemDraft[] {
    return this.#withoutRepeats(this.#withoutDangling(this.#withoutUnpaired(turn, drafts)));
  }

  /**
   * Leaves out what goes back in pairs alone: calls and outputs that are items by themselves. A call
   * that the provider runs may be answered by what comes next.
   */
  #withoutUnpaired(turn: AssistantTurn, drafts: readonly ItemDraft[]): ItemDraft[] {
    const found = new Set(drafts.map(({ body }) => pairKey(own(body, "type"), body)));
    return drafts.filter((draft) => {
      const isDue = draft.ran === true ? this.#isDue(draft, turn === this.#last) : isDueAlone(draft, found);
      if (isDue) this.#noteDangling(draft, "What a built-in tool was asked goes back with what it gave");
      return !isDue;
    });
  }

  /** Tells whether a call that the provider ran waits for its output, or an output lacks its call. */
  #isDue({ body }: ItemDraft, isLast: boolean): boolean {
    const kind = String(own(body, "type"));
    const output = PAIRED.get(kind);
    if (output !== undefined) return !isLast && !this.#found.has(pairKey(output, body));
    const call = CALL_OF.get(kind);
    return call !== undefined && !this.goesOn && !this.#found.has(pairKey(call, body));
  }

  /**
   * Leaves out reasoning without its next item, and what a provider does not keep. An item whose
   * reasoning is missing goes without its id: by it the provider would ask.
   */
  #withoutDangling(drafts: readonly ItemDraft[]): ItemDraft[] {
    const leading = leadingIn(drafts);
    let isLost = false;
    return drafts.flatMap((draft): ItemDraft[] => {
      if (!isReasoning(draft)) return [isLost ? withoutId(draft) : draft];
      isLost = !this.isStored && !isReadable(draft.body);
      if (isLost) this.#noteDangling(draft, "Reasoning that is neither stored nor encrypted cannot go back");
      else if (leading.has(draft)) return [draft];
      else this.#noteDangling(draft, "Reasoning goes back with the item that it led to");
      return [];
    });
  }

  /**
   * Leaves out ids that the input has already, as where an answer is in it twice. What cannot go
   * without its id is left out; what reasoning led to follows it.
   */
  #withoutRepeats(drafts: readonly ItemDraft[]): ItemDraft[] {
    let isLost = false;
    return drafts.flatMap((draft): ItemDraft[] => {
      const id = own(draft.body, "id");
      const repeats = typeof id === "string" && this.#sent.has(id);
      if (typeof id === "string") this.#sent.add(id);
      if (isReasoning(draft)) isLost = repeats;
      if (repeats) {
        const message = "The provider takes an item once; it is sent without its id or left out";
        this.notes.add("encode/repeated-state", message, draft.pointer, { actual: id });
      }
      if (NAMED.has(own(draft.body, "type"))) return [repeats || isLost ? withoutId(draft) : draft];
      if (repeats) return [];
      if (own(draft.body, "type") === APPROVAL && typeof id === "string") this.asked.set(id, draft.pointer);
      return [draft];
    });
  }

  #noteDangling({ body, pointer }: ItemDraft, message: string): void {
    this.notes.add("encode/dangling-state", message, pointer, { actual: String(body["type"]) });
  }
}

/** Tells whether a call of the caller's waits for its output, or one in state of v0.2, of which no call is known. */
function isDueAlone({ body }: ItemDraft, found: ReadonlySet<string>): boolean {
  const kind = String(own(body, "type"));
  const output = PAIRED.get(kind);
  const isCall = (kind !== "program" && kind !== "tool_search_call") || own(body, "execution") === "client";
  return isCall && output !== undefined && !found.has(pairKey(output, body));
}

const pairKey = (type: unknown, body: Json): string => JSON.stringify([type, worded(own(body, "call_id"))]);

const isReasoning = ({ body }: ItemDraft): boolean => own(body, "type") === "reasoning";

/** Returns the reasoning that an item of the provider's own follows. */
function leadingIn(drafts: readonly ItemDraft[]): Set<ItemDraft> {
  const leading = new Set<ItemDraft>();
  let leads = false;
  for (const draft of [...drafts].reverse()) {
    if (!isReasoning(draft)) leads = draft.own;
    else if (leads) leading.add(draft);
  }
  return leading;
}

/** Tells whether reasoning says all by itself: encrypted, or as it was thought. */
function isReadable(reasoning: Json): boolean {
  return saysAnything(own(reasoning, "encrypted_content")) || saysAnything(own(reasoning, "content"));
}

function withoutId(draft: ItemDraft): ItemDraft {
  const { id: _, ...body } = draft.body;
  if (own(body, "type") !== "message") return { ...draft, body };
  const parts = body["content"] as Json[];
  const content = parts.map((part) => (own(part, "text") ?? own(part, "refusal") ?? "") as string).join("");
  const phase = Object.hasOwn(body, "phase") ? { phase: body["phase"] } : {};
  return { ...draft, body: { role: "assistant", content, ...phase } };
}

// --- output --------------------------------------------------------------------------------------
// Items that an assistant's turn becomes in Responses requests: the provider's own, where kept.
//
// A message or call goes back under the id that it came with, reasoning and the items of built-in
// tools unchanged, all in their order.

/** Kinds of calls, and the member that holds the arguments. */
const RESPONSE_ONLY: ReadonlySet<string> = new Set(RESPONSES_RESPONSE_ONLY);

/** Writes the items of assistants' turns. */
class ResponsesOutput {
  /** The ids of calls of custom tools. */
  readonly custom = new Set<string>();
  /** Says who made a call. */
  readonly callers = new Map<string, Json>();

  constructor(
    readonly notes: Notes,
    readonly together: Together,
  ) {}

  /** Returns the items of a turn. */
  items(turn: AssistantTurn): Json[] {
    const drafts = turn.pieces.flatMap((piece): ItemDraft[] => {
      if (piece.type === "text") return [this.#text(piece)];
      if (piece.type === "call") return [this.#call(piece)];
      if (piece.type === "thinking") return this.#thinking(piece);
      if (piece.type === "state") return this.#between(piece.item);
      const image = this.#image(piece);
      if (image !== undefined) return [image];
      const words = wordsOf(piece, USER_MEDIA, this.notes);
      return words === undefined ? [] : [this.#text(words)];
    });
    return this.together.kept(turn, drafts).map((draft) => draft.body);
  }

  /** Returns an image of the provider's own: with its bytes, or by its id. */
  #image({ state = [], media, pointer }: MediaPiece): ItemDraft | undefined {
    const data = state.find((item) => item.kind === IMAGE)?.data;
    if (!isObject(data)) return undefined;
    const body: Json = { ...withoutNulls(data), type: IMAGE, result: media.data ?? null };
    const isKnown = this.together.isStored && typeof own(body, "id") === "string";
    if (media.data === undefined && !isKnown) return undefined;
    return { body, pointer, own: true };
  }

  // --- text ---------------------------------------------------------------------------------------

  #text(piece: Text): ItemDraft {
    const head = piece.state.find((item) => item.kind === "message");
    if (head !== undefined) {
      const rest = piece.state.filter((item) => item !== head);
      return this.#message(head, piece.text, rest);
    }
    for (const { kind, pointer } of piece.state) this.notes.responseOnly(pointer, kind);
    return { body: { role: "assistant", content: piece.text }, pointer: piece.pointer, own: false };
  }

  /** Returns a message under its own id; one that has lost it is a plain one. */
  #message(head: Item, text: string, parts: readonly Item[]): ItemDraft {
    const { data, pointer } = head;
    if (!isObject(data) || typeof own(data, "id") !== "string") {
      this.notes.malformed(pointer, "a message with its id", data);
      return { body: { role: "assistant", content: text }, pointer, own: false };
    }
    const content = this.#contents(head.start ?? 0, text, parts);
    const body = { type: "message", role: "assistant", status: "completed", ...withoutNulls(data), content };
    return { body, pointer, own: true };
  }

  /** Returns the content parts of a message that begins at `start`, its text cut where they say. */
  #contents(start: number, text: string, parts: readonly Item[]): Json[] {
    const characters = new Characters(text);
    const contents: Json[] = [];
    let at = 0;
    for (const item of parts) {
      if (item.kind !== "content_part" || !isObject(item.data)) {
        this.notes.responseOnly(item.pointer, item.kind);
        continue;
      }
      const begins = Math.max((item.start ?? 0) - start, at);
      const ends = Math.max((item.end ?? 0) - start, begins);
      const said = characters.slice(begins, ends);
      const type = own(item.data, "type");
      if (type !== "refusal" && type !== "output_text") {
        this.notes.responseOnly(item.pointer, "content_part");
        continue;
      }
      if (begins > at) contents.push(outputText(characters.slice(at, begins)));
      at = ends;
      if (type === "refusal") contents.push({ type, refusal: said });
      else contents.push({ annotations: [], ...withoutNulls(item.data), text: said });
    }
    if (at < characters.length || contents.length === 0) contents.push(outputText(characters.slice(at)));
    return contents;
  }

  // --- reasoning, and what is between -----------------------------------------------------------

  #thinking(piece: Thinking): ItemDraft[] {
    const drafts = piece.state.flatMap((item) => this.#between(item));
    if (!drafts.some((draft) => draft.body["type"] === "reasoning")) {
      const message = "Reasoning goes back only as the item that it came in; it is left out";
      this.notes.add("encode/thinking-left-out", message, piece.pointer);
    }
    return drafts;
  }

  /** Returns what state gives that is not text and no call of ours. */
  #between(item: Item): ItemDraft[] {
    const { kind, data, pointer } = item;
    if (RESPONSE_ONLY.has(kind)) {
      this.notes.responseOnly(pointer, kind);
      return [];
    }
    if (kind === "message") return [this.#message(item, "", [])];
    if (isObject(data) && own(data, "type") === kind) {
      return [{ body: withoutNulls(data), pointer, own: true, ran: item.start === undefined }];
    }
    this.notes.malformed(pointer, "an item with its type", data);
    return [];
  }

  // --- calls --------------------------------------------------------------------------------------

  #call(call: Call): ItemDraft {
    let given: Json = { type: "function_call" };
    for (const { kind, data, pointer } of call.state) {
      if (!CALLS.has(kind)) this.notes.responseOnly(pointer, kind);
      else if (isObject(data)) given = { ...withoutNulls(data), type: kind };
      else this.notes.malformed(pointer, "the item of a call", data);
    }
    const member = CALLS.get(given["type"] as string) as string;
    const text = argumentsText(call, own(given, member));
    const body: Json = { ...given, call_id: call.callId, name: call.name, [member]: text };
    if (body["type"] === "custom_tool_call") {
      this.custom.add(call.callId);
      delete body["status"];
    }
    const caller = own(body, "caller");
    if (isObject(caller)) this.callers.set(call.callId, caller);
    return { body, pointer: call.pointer, own: typeof own(body, "id") === "string" };
  }
}

function outputText(text: string): Json {
  return { type: "output_text", text, annotations: [] };
}

/** Returns the argument text that the model wrote, if that is what the call still says. */
function argumentsText(call: Call, given: unknown): string {
  if (call.rawArgs !== undefined) return call.rawArgs;
  if (typeof given === "string" && isSame(parsed(given || "{}"), call.arguments)) return given;
  return jsonText(call.arguments);
}

// --- input ---------------------------------------------------------------------------------------
// What users and tools say in Responses requests: content and outputs of calls.

const FILE_ID = /^file-[A-Za-z0-9_-]{8,}$/;
const DECISIONS: readonly string[] = ["approved", "denied"];
const EXPECTED = "an image or a document: by URL, inline or uploaded";

/** Writes content; what cannot be said goes into `notes`. */
class ResponsesInput {
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

  /**
   * Returns the first answer to a call that waits; yes is for the arguments as they were. `asked` are the requests
   * that were sent and wait.
   */
  answer({ payload, request, pointer }: Approval, asked: Map<unknown, string>): Json[] {
    const given = isObject(request.data) ? request.data : {};
    const id = own(given, "id");
    if (asked.get(id) !== request.pointer) {
      this.notes.approvalLeftOut(pointer, "The request was not sent, or has its answer already");
      return [];
    }
    asked.delete(id);
    const { decision, reason, choice, decidedBy, decidedAt, arguments: changed } = payload;
    const approves = decision === "approved";
    const beside = { choice, decidedBy, decidedAt, arguments: approves ? undefined : changed };
    this.notes.approvalMembers(pointer, beside);
    if (!DECISIONS.includes(decision)) {
      const words = { expected: DECISIONS.join(" or "), actual: clip(decision) };
      const message = "The provider takes yes or no alone; any other decision is no";
      this.notes.add("encode/approval-left-out", message, `${pointer}/payload/decision`, words);
    }
    const isChanged = changed !== undefined && !areAsAsked(changed, own(given, "arguments"));
    if (approves && isChanged) {
      const message = "The provider would run the call with its own arguments; the answer is no";
      this.notes.add("encode/approval-arguments", message, `${pointer}/payload/arguments`);
    }
    const said = { approval_request_id: id, approve: approves && !isChanged };
    return [{ type: "mcp_approval_response", ...said, ...(reason === undefined ? {} : { reason }) }];
  }

  #part(piece: UserPiece): Json | undefined {
    if (piece.type === "text") return { type: "input_text", text: piece.text };
    const part = mediaPart(piece);
    if (part !== undefined) return part;
    const words = wordsOf(piece, EXPECTED, this.notes);
    return words === undefined ? undefined : this.#part(words);
  }
}

function areAsAsked(given: Json, asked: unknown): boolean {
  return sameJson(typeof asked === "string" ? parsed(asked || "{}") : asked, given);
}

function mediaPart({ type, media }: MediaPiece): Json | undefined {
  // Of a file nobody may know the type; of media it is known.
  if (type === "attachment" && !isRead(media)) return undefined;
  return type === "image" ? imagePart(media) : filePart(media);
}

/** Tells whether the provider publishes that it reads a type. */
function isRead({ mimeType }: Media): boolean {
  if (mediaTypes.IMAGES.includes(mimeType) || mediaTypes.OPENAI_RESPONSES.includes(mimeType)) return true;
  const at = mimeType.indexOf("/");
  const [family, name] = [mimeType.slice(0, Math.max(at, 0)), mimeType.slice(at + 1)];
  if (name.includes("\n")) return false;
  if (family !== "application") return family === "text" && name !== "";
  const isOffice = mediaTypes.OPENAI_RESPONSES_PREFIXES.some((prefix) => name.startsWith(prefix));
  return isOffice || mediaTypes.OPENAI_RESPONSES_SUFFIXES.some((suffix) => name.slice(1).endsWith(suffix));
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
  return { type: "input_file", filename: media.fileName, file_data: media.dataUrl() };
}

// --- the request ---------------------------------------------------------------------------------

const FORMS: Forms = {
  callId: new Form(/^[\s\S]+$/, 64),
  toolName: new Form(/^[A-Za-z0-9_-]+$/, 64),
  approvals: APPROVAL,
  paired: PAIRED,
  citing: new Set(["content_part"]),
};
const MAX_TEMPERATURE = 2;

/** Encoder of one Responses request. */
export class OpenAIResponsesEncoder extends RequestEncoder {
  readonly #content: ResponsesInput;
  readonly #output: ResponsesOutput;
  readonly #together: Together;

  constructor(request: Request, notes: Notes) {
    super(request, notes, "openai-responses", FORMS);
    this.#content = new ResponsesInput(notes);
    const { extensions } = request;
    const goesOn = saysAnything(extensions.get("previous_response_id"));
    this.#together = new Together(notes, this.turns, extensions.get("store") !== false, goesOn);
    this.#output = new ResponsesOutput(notes, this.#together);
  }

  protected override body(): Json {
    const system = this.request.system.map(({ text }): Json => ({ role: "system", content: text }));
    return {
      model: this.request.modelId,
      input: [...system, ...this.turns.flatMap((turn) => this.#items(turn))],
      ...this.#tools(),
      ...this.sampling("max_output_tokens", "top_p", MAX_TEMPERATURE),
      ...this.stopsThat(() => false, "", "no stop sequences"),
    };
  }

  protected override defaults(): Json {
    return { stream: true };
  }

  // --- the conversation ---------------------------------------------------------------------------

  #items(turn: Turn): Json[] {
    if (turn.role === "tool") return turn.results.map((result) => this.#result(result));
    if (turn.role === "assistant") {
      const items = this.#output.items(turn);
      if (items.length > 0) return items;
    } else {
      const approvals = turn.role === "user" ? turn.approvals : [];
      const { asked } = this.#together;
      const answers = approvals.flatMap((approval) => this.#content.answer(approval, asked));
      const content = this.#content.content(turn.pieces);
      if (content !== undefined) return [...answers, { role: turn.role, content }];
      if (approvals.length > 0) return answers;
    }
    this.noteEmpty(turn);
    return [];
  }

  #result(result: Result): Json {
    const { callId } = result;
    const kind = this.#output.custom.has(callId) ? "custom_tool_call" : "function_call";
    const caller = this.#output.callers.get(callId);
    return {
      type: `${kind}_output`,
      call_id: callId,
      output: this.#content.output(result),
      ...(caller === undefined ? {} : { caller: { ...caller } }),
    };
  }

  // --- the rest -----------------------------------------------------------------------------------

  #tools(): Json {
    const tools = this.takenTools().map(({ spec, schema }) => ({
      type: "function",
      name: spec.name,
      parameters: { properties: {}, ...schema },
      strict: spec.strict === true,
      ...(spec.description === undefined ? {} : { description: spec.description }),
    }));
    const { choice } = this.request;
    const members = tools.length === 0 ? {} : { tools };
    const isChosen = this.choiceHolds(new Set(tools.map(({ name }) => name)));
    if (choice === undefined || !isChosen) return members;
    const one = { type: "function", name: choice.toolName };
    return { ...members, tool_choice: choice.mode === "tool" ? one : choice.mode };
  }
}
