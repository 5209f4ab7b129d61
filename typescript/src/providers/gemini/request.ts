/**
 * Gemini: the contract's messages and configuration → a body of `streamGenerateContent`.
 *
 * The body is that of the REST API; `model`, which the REST API has in its path, is beside them.
 *
 * - System prompt and system messages are `systemInstruction`. A system message behind others moves
 *   there (`encode/moved-system`).
 * - Assistants' messages in a row become one. Results are one content, in the order of their calls.
 * - Thought signatures are in the part that they came in, parts of the provider's own where they
 *   were. Reasoning goes back with the state that it came with; that of others is left out.
 * - A call goes back with the provider's id, and without one where the provider gave none.
 * - What it ran itself goes back as it came, call and result together.
 * - Images, files and media of the model go back as it has them: inline, or by URI. What it does not
 *   take goes by its words.
 * - Citations and grounding go back nowhere.
 * - A result is `output`, or `error` where it failed; an object is sent as it is.
 * - `cacheConfig` has nothing to mark: prompts are cached without it, or as `cachedContent`.
 *
 * Source: https://ai.google.dev/api/generate-content.
 */

import { GEMINI, GEMINI_KINDS } from "../../generated/tables/media-types.js";
import { GEMINI_REQUEST_MEMBERS } from "../../generated/tables/provider-names.js";
import { isObject } from "../../json/values.js";
import { Form } from "../request_core/call-ids.js";
import { objectArguments } from "../request_core/calls-and-results.js";
import { RequestEncoder } from "../request_core/encoder.js";
import type { Request } from "../request_core/inputs.js";
import type { Media } from "../request_core/media.js";
import type { Notes } from "../request_core/notes.js";
import type { Item } from "../request_core/state.js";
import {
  type AssistantPiece,
  type AssistantTurn,
  type Call,
  isPieces,
  type MediaPiece,
  type Result,
  type SystemTurn,
  type Turn,
  type UserPiece,
  wordsOf,
} from "../request_core/turns.js";
import { fresh, isSame, type Json } from "../request_core/values.js";

// --- content -------------------------------------------------------------------------------------
// Parts of Gemini requests, from the pieces of turns.

const UPLOADED = /^files\/[a-z0-9-]{1,40}$/;
const UPLOADS = "https://generativelanguage.googleapis.com/v1beta/";
const EXPECTED = "PNG, JPEG, WebP, HEIC, PDF, text, audio or video, inline; files/…, gs:// or a URL";
const SIGNATURE = "thoughtSignature";
const MEMBERS: ReadonlySet<string> = new Set(GEMINI_REQUEST_MEMBERS);
const BYTES = "application/octet-stream"; // of media whose type nobody said

/** A part of the body, and where in the request it comes from. */
interface Part {
  readonly body: Json;
  readonly pointer: string;
}

/** Writes parts; what cannot be said goes into `notes`. */
class GeminiContent {
  /**
   * The ids, as sent to others, of calls to which the provider gave none: they and their results go
   * back without one, distinguished by name and order.
   */
  readonly nameless = new Set<string>();

  constructor(readonly notes: Notes) {}

  // --- what users and tools say -------------------------------------------------------------------

  /** Returns the parts of text, images, files and media. */
  user(pieces: readonly UserPiece[]): Part[] {
    return pieces.flatMap((piece) => this.#part(piece));
  }

  /** Returns the part of a tool result: its output, or the error, as an object. */
  result({ callId, name, isError, content, pointer }: Result): Part {
    let output: unknown;
    let media: Json[] = [];
    if (isPieces(content)) {
      const bodies = this.user(content).map(({ body }) => body);
      const texts = bodies.flatMap((body) => ("text" in body ? [body["text"]] : []));
      media = bodies.filter((body) => !("text" in body));
      output = texts.length > 1 ? texts : (texts[0] ?? "");
    } else {
      output = fresh(content);
    }
    // An object is sent as it is, unless a member of it would be read as something else.
    const isPlain = isObject(output) && !Object.hasOwn(output, "output") && !Object.hasOwn(output, "error");
    const response = isPlain && !isError ? output : { [isError ? "error" : "output"]: output };
    const functionResponse = {
      name: name || "unknown",
      response,
      ...(this.nameless.has(callId) ? {} : { id: callId }),
      ...(media.length === 0 ? {} : { parts: media }),
    };
    return { body: { functionResponse }, pointer };
  }

  /** Returns the part of text or media; of media that is not taken its words, if there are. */
  #part(piece: UserPiece): Part[] {
    const { pointer } = piece;
    if (piece.type === "text") return [{ body: { text: piece.text }, pointer }];
    const { media } = piece;
    const body = media.data === undefined ? linked(media) : inline(media);
    if (body !== undefined) return [{ body, pointer }];
    const words = wordsOf(piece, EXPECTED, this.notes);
    return words === undefined ? [] : this.#part(words);
  }

  // --- what the assistant said --------------------------------------------------------------------

  /**
   * Returns the parts of an assistant's message; `isOwn`: it came from this dialect. Text that only a
   * reader's state has cut is one part again.
   */
  assistant(pieces: readonly AssistantPiece[], isOwn: boolean): Part[] {
    const parts: Part[] = [];
    for (const part of pieces.flatMap((piece) => this.#said(piece, isOwn))) {
      const last = parts.at(-1);
      if (last === undefined || !isOne(last, part)) parts.push(part);
      else last.body["text"] = `${last.body["text"]}${part.body["text"]}`;
    }
    return parts;
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
        return this.#part(piece).map((part) => this.#typed(part, piece));
    }
  }

  /** Returns media of the model with its type as it said it, and with its state. */
  #typed(part: Part, { type, media, state = [] }: MediaPiece): Part {
    if (type !== "attachment" || "text" in part.body) return part;
    const [[name, given]] = Object.entries(part.body) as [[string, Json]];
    const { mimeType: _, ...content } = given;
    const isSaid = media.mimeType !== "" && media.mimeType !== BYTES;
    const typed = { ...(isSaid ? { mimeType: media.fullType } : {}), ...content };
    return { ...part, body: { [name]: typed, ...this.#members(state) } };
  }

  /** Returns what was beside the text or the call in its part. */
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

  /** Returns what is between texts and calls: parts of the provider's own. */
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
  const isTaken = GEMINI.includes(mimeType) || GEMINI_KINDS.includes(kind);
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

// --- the request ---------------------------------------------------------------------------------

const MODES = { auto: "AUTO", required: "ANY", none: "NONE", tool: "ANY" } as const;
const MAX_STOPS = 5;
const MAX_TEMPERATURE = 2;

/** Names that begin with a letter. */
class ToolNameForm extends Form {
  override fitted(name: string, salt = ""): string {
    const made = super.fitted(name, salt);
    return this.fits(made) ? made : `_${made.slice(1)}`;
  }
}

const FORMS = {
  callId: new Form(/^[\x21-\x7e]+$/, 512),
  toolName: new ToolNameForm(/^[A-Za-z_][A-Za-z0-9_.:-]*$/, 128),
  apart: true,
  citing: new Set(["groundingMetadata", "citationMetadata"]),
} as const;

/** One content of the body; `turn` is the message that it is of. */
interface Content {
  readonly role: "model" | "user";
  readonly turn: Exclude<Turn, SystemTurn>;
  parts: Part[];
}

const ANSWERS = new Map([
  ["executableCode", "codeExecutionResult"],
  ["toolCall", "toolResponse"],
]);

/**
 * Returns the numbers of calls without a result, and results without a call, with their names. A
 * result without an id answers the first call that waits.
 */
function danglingOf(bodies: readonly Json[]): Map<number, string> {
  const waiting = new Map([...ANSWERS.values()].map((name) => [name, [] as { id: string; number: number }[]]));
  const dangling = new Map<number, string>();
  for (const [number, body] of bodies.entries()) {
    for (const [name, value] of Object.entries(body)) {
      const id = isObject(value) && typeof value["id"] === "string" ? value["id"] : "";
      const answer = ANSWERS.get(name);
      const calls = waiting.get(answer ?? name);
      if (calls === undefined) continue;
      const found = answer === undefined ? calls.findIndex((call) => id === "" || call.id === id) : -1;
      const [call] = found < 0 ? [] : calls.splice(found, 1);
      if (call !== undefined) dangling.delete(call.number);
      else dangling.set(number, name);
      if (answer !== undefined) calls.push({ id, number });
    }
  }
  return dangling;
}

/** Encoder of one Gemini request. */
export class GeminiEncoder extends RequestEncoder {
  readonly #content: GeminiContent;

  constructor(request: Request, notes: Notes) {
    super(request, notes, "gemini", FORMS);
    this.#content = new GeminiContent(notes);
  }

  protected override body(): Json {
    const system = this.request.system.map(({ text }): Json => ({ text }));
    const drafts: Content[] = [];
    for (const turn of this.turns) {
      const isFirst = drafts.every(({ parts }) => parts.length === 0);
      if (turn.role !== "system") drafts.push(this.#draft(turn));
      else for (const part of this.#system(turn, isFirst)) system.push(part);
    }
    const merged = this.#merged(drafts);
    this.#leaveOutDangling(merged);
    const contents = this.#merged(merged).map(({ role, parts }) => ({ role, parts: parts.map(({ body }) => body) }));
    const tools = this.#tools();
    const generationConfig = {
      ...this.sampling("maxOutputTokens", "topP", MAX_TEMPERATURE),
      ...this.stops("stopSequences", MAX_STOPS),
    };
    return {
      model: this.request.modelId,
      contents,
      ...(system.length === 0 ? {} : { systemInstruction: { parts: system } }),
      ...tools,
      ...(Object.keys(generationConfig).length === 0 ? {} : { generationConfig }),
    };
  }

  /** Returns the continuation token, where the last answer is to go on. */
  protected override defaults(): Json {
    const last = this.turns.at(-1);
    let found: Json = {};
    for (const turn of this.turns) {
      for (const piece of turn.role === "assistant" ? turn.pieces : []) {
        if (piece.type !== "state" || piece.item.kind !== "continuationToken") continue;
        const { kind, data, pointer } = piece.item;
        if (turn !== last) this.notes.responseOnly(pointer, kind);
        else if (typeof data === "string") found = { continuationToken: data };
        else this.notes.malformed(pointer, "a token as text", data);
      }
    }
    return found;
  }

  // --- contents -----------------------------------------------------------------------------------

  #system(turn: SystemTurn, isFirst: boolean): Json[] {
    if (turn.pieces.length === 0) {
      this.noteEmpty(turn);
    } else if (!isFirst) {
      this.notes.movedSystem(turn.pointer);
    }
    return turn.pieces.map(({ text }) => ({ text }));
  }

  #draft(turn: Exclude<Turn, SystemTurn>): Content {
    if (turn.role === "tool") {
      return { role: "user", turn, parts: turn.results.map((result) => this.#content.result(result)) };
    }
    if (turn.role === "user") return { role: "user", turn, parts: this.#content.user(turn.pieces) };
    this.#rememberNameless(turn);
    return { role: "model", turn, parts: this.#content.assistant(turn.pieces, turn.own) };
  }

  /** Returns the contents without empty ones, those of the model in a row as one. */
  #merged(drafts: readonly Content[]): Content[] {
    const merged: Content[] = [];
    for (const draft of drafts) {
      const last = merged.at(-1);
      if (draft.parts.length === 0) this.noteEmpty(draft.turn);
      else if (draft.role === "model" && last?.role === "model") last.parts = [...last.parts, ...draft.parts];
      else merged.push(draft);
    }
    return merged;
  }

  /**
   * Leaves out calls of the provider's own tools without a result, and results without a call. Calls of
   * the last answer may wait, if nobody but tools has spoken since.
   */
  #leaveOutDangling(drafts: readonly Content[]): void {
    const answers = drafts.filter(({ role }) => role === "model");
    const last = drafts.filter(({ turn }) => turn.role !== "tool").at(-1);
    const dangling = danglingOf(answers.flatMap(({ parts }) => parts.map(({ body }) => body)));
    let number = 0;
    for (const draft of answers) {
      draft.parts = draft.parts.filter(({ pointer }) => {
        const name = dangling.get(number++);
        if (name === undefined || (draft === last && ANSWERS.has(name))) return true;
        const message = "What the provider ran goes back with its result, and not alone";
        const said = { expected: "a call and its result", actual: name };
        this.notes.add("encode/dangling-state", message, pointer, said);
        return false;
      });
    }
  }

  /** Remembers the calls of this message that the provider gave no id. */
  #rememberNameless(turn: AssistantTurn): void {
    for (const piece of turn.pieces) {
      if (piece.type === "call" && piece.nameless) this.#content.nameless.add(piece.callId);
    }
  }

  // --- tools and configuration --------------------------------------------------------------------

  #tools(): Json {
    const { choice } = this.request;
    const declarations = this.takenTools().map(({ pointer, spec, schema }) => {
      if (spec.strict === true) {
        this.notes.unsupportedConfig(`${pointer}/strict`, "a tool that need not be strict", true);
      }
      const described = spec.description === undefined ? {} : { description: spec.description };
      return { name: spec.name, parametersJsonSchema: schema, ...described };
    });
    const members = declarations.length === 0 ? {} : { tools: [{ functionDeclarations: declarations }] };
    const isChosen = this.choiceHolds(new Set(declarations.map(({ name }) => name)));
    if (choice === undefined || !isChosen) return members;
    const named = choice.mode === "tool" ? { allowedFunctionNames: [choice.toolName] } : {};
    return { ...members, toolConfig: { functionCallingConfig: { mode: MODES[choice.mode], ...named } } };
  }
}
