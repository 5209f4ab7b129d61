/**
 * Messages as every provider sees them: turns, made of pieces in order. Empty text is not a piece.
 * Pointers lead into the request, see {@link Notes}.
 */

import type {
  ThinkingPart,
  TolerantMessage,
  TolerantMessagePart,
  TolerantToolResult,
  ToolCallPayload,
} from "../../contract/current/message.js";
import { Unknown } from "../../contract/unknown.js";
import { clip } from "../../errors.js";
import { CallIds, type Form, type Sent } from "./call-ids.js";
import { noteCitations, readCitations } from "./citations.js";
import { fileMedia, imageMedia, type Media, partMedia } from "./media.js";
import type { Notes } from "./notes.js";
import { ServerTools } from "./server-tools.js";
import { type Item, type MessageState, noteStray, readState } from "./state.js";
import { Characters, type Json } from "./values.js";

// --- stretches -----------------------------------------------------------------------------------
// Text of a part, cut where the provider's state says.

/**
 * A stretch of a part's text, and the items that cover it in order of arrival. An item that has its place
 * between characters is a separate stretch, without text.
 */
interface Stretch {
  readonly text: string;
  readonly items: readonly Item[];
}

/**
 * Returns a part's text in order, cut where an item begins, ends or has its place. Items that overlap cover
 * one stretch together, and what is inside of it comes behind it. An item without a place covers
 * the whole.
 */
function stretches(text: string, items: readonly Item[]): Stretch[] {
  if (items.length === 0) return text === "" ? [] : [{ text, items }];
  const characters = new Characters(text);
  const found: Stretch[] = [];
  let at = 0;
  for (const span of spansOf(characters.length, items)) {
    if (span.start > at) found.push({ text: characters.slice(at, span.start), items: [] });
    found.push({ text: characters.slice(span.start, span.end), items: span.items });
    at = span.end;
  }
  if (at < characters.length) found.push({ text: characters.slice(at), items: [] });
  return found;
}

interface Span {
  readonly start: number;
  end: number;
  readonly items: Item[];
}

/** Returns where items cover text or have their place, in order; no two spans overlap. */
function spansOf(length: number, items: readonly Item[]): Span[] {
  const covering: Span[] = [];
  const points: Span[] = [];
  const placed = items.map((item) => ({ start: item.start ?? 0, end: item.end ?? length, items: [item] }));
  for (const span of placed.sort((one, other) => one.start - other.start)) {
    const last = covering.at(-1);
    if (span.start === span.end) {
      points.push(span);
    } else if (last !== undefined && span.start < last.end) {
      last.end = Math.max(last.end, span.end);
      last.items.push(...span.items);
    } else {
      covering.push(span);
    }
  }
  let before = -1;
  const stood = points.map(({ start, items }) => {
    while ((covering[before + 1]?.start ?? Infinity) < start) before++;
    const at = Math.max(start, covering[before]?.end ?? 0);
    return { start: at, end: at, items };
  });
  // What is at a place, then what begins there.
  return [...covering, ...stood].sort((one, other) => one.start - other.start || one.end - other.end);
}

// --- turns ---------------------------------------------------------------------------------------

/** What a provider takes. */
export interface Forms {
  readonly callId: Form;
  readonly toolName: Form;
  /** As the name of a message's author; undefined where messages have none. */
  readonly author?: Form;
  /** Which media of an assistant: none, those that its own state came with, or all; of others their words are sent. */
  readonly media?: "none" | "own" | "all";
  /** Whether requests have a place for approvals. */
  readonly approvals?: boolean;
  /** Whether a server tool's result is a block of its own, without which neither it nor its call goes back. */
  readonly apart?: boolean;
  /** The kinds of state of a text with which its citations go back; those that carry the provider's own go back anyway. */
  readonly citing?: ReadonlySet<string>;
}

/** Text, never empty; `state` is what covers it. */
export interface Text {
  readonly type: "text";
  readonly text: string;
  readonly pointer: string;
  readonly state: readonly Item[];
  /** It is in a block by itself, and joins no other text. */
  readonly alone?: boolean;
}

/** Reasoning, never empty; `state` is what covers it. */
export interface Thinking {
  readonly type: "thinking";
  readonly text: string;
  readonly pointer: string;
  readonly state: readonly Item[];
}

/** A tool call. */
export interface Call {
  readonly type: "call";
  readonly callId: string;
  readonly name: string;
  readonly arguments: Json;
  /** The argument text where `arguments` does not say it all. */
  readonly rawArgs: string | undefined;
  readonly pointer: string;
  readonly state: readonly Item[];
  /** The provider that made it gave it no id. */
  readonly nameless: boolean;
}

/** Provider state that is here, between other pieces. */
interface State {
  readonly type: "state";
  readonly item: Item;
}

/** An image, a file that is referred to, or media of any type, in a message or a tool result. */
export interface MediaPiece {
  readonly type: "image" | "file" | "attachment";
  readonly media: Media;
  readonly pointer: string;
  /** What an assistant's has of the target's dialect. */
  readonly state?: readonly Item[];
  /** What is said in it. */
  readonly transcript?: string;
}

/** A person's answer to a request of the target's dialect, whose state is `request`. */
export interface Approval {
  readonly approvalId: string;
  readonly decision: string;
  readonly reason: string | undefined;
  readonly arguments: Json | undefined;
  readonly request: Item;
  readonly pointer: string;
}

export type UserPiece = Text | MediaPiece;
export type AssistantPiece = UserPiece | Thinking | Call | State;

/** A tool result. */
export interface Result {
  readonly callId: string;
  /** Of the called tool, "" where the call is unknown. */
  readonly name: string;
  readonly isError: boolean;
  /** Text (which may be empty), pieces, or an object. */
  readonly content: string | readonly UserPiece[] | Json;
  readonly pointer: string;
}

/** A system message. */
export interface SystemTurn {
  readonly role: "system";
  readonly pieces: readonly Text[];
  readonly pointer: string;
  /** That of its author as the provider takes it, "" without. */
  readonly name: string;
}

/** A user's message, or a tool's as far as it has `approvals`, which come first. */
interface UserTurn {
  readonly role: "user";
  readonly pieces: readonly UserPiece[];
  readonly pointer: string;
  readonly name: string;
  readonly approvals: readonly Approval[];
}

/** An assistant's message. */
export interface AssistantTurn {
  readonly role: "assistant";
  readonly pieces: readonly AssistantPiece[];
  readonly pointer: string;
  /** Whether an adapter of the target's dialect left state in it. */
  readonly own: boolean;
  readonly name: string;
}

/** Results: all that answer the calls of the turn before, or that answer nothing. */
export interface ToolTurn {
  readonly role: "tool";
  readonly results: Result[];
}

export type Turn = SystemTurn | UserTurn | AssistantTurn | ToolTurn;

/** Returns a text that no state covers. */
export const plainText = (text: string, pointer: string): Text => ({ type: "text", text, pointer, state: [] });

/** Tells whether a result's content is pieces. */
export const isPieces = (content: Result["content"]): content is readonly UserPiece[] => Array.isArray(content);

// --- reading -------------------------------------------------------------------------------------
// Messages, read as turns.
//
// - An assistant's parts are cut where the provider's state begins, ends or has its place, so that it can
//   be put back; state of another dialect is left out.
// - Results of parallel calls are together, right behind the turn of their calls and in the order of
//   these, whatever came in between: no provider takes them elsewhere, and Gemini knows them by their
//   order.
// - Tool call ids are the provider's own where ours was minted, and otherwise such that it takes
//   them.

/** Returns the turns of valid messages for a provider of `dialect`. */
export function readTurns(messages: readonly TolerantMessage[], dialect: string, forms: Forms, notes: Notes): Turn[] {
  return new Reader(dialect, forms, notes).read(messages);
}

/** A result, and the number of the call that it answers. */
interface Answer {
  readonly call: number;
  readonly result: Result;
}

class Reader {
  readonly #ids: CallIds;
  readonly #turns: Turn[] = [];
  readonly #answers = new Map<number, Answer[]>(); // by number of the turn that called
  readonly #server: ServerTools;
  readonly #asked = new Map<string, Item>(); // own requests, by run and approval id
  #lastSpoken = -1; // number of the last turn of system or user
  #cites = false; // whether the message that is read has citations of the target's dialect
  #lastAnswered = 0; // number of the last call that has a result, in the order of calls

  constructor(
    readonly dialect: string,
    readonly forms: Forms,
    readonly notes: Notes,
  ) {
    this.#ids = new CallIds(forms.callId, notes);
    this.#server = new ServerTools(dialect, notes, forms.apart ?? false);
  }

  read(messages: readonly TolerantMessage[]): Turn[] {
    this.#server.read(messages);
    for (const [number, message] of messages.entries()) {
      const pointer = `/messages/${number}`;
      if (message.role === "assistant") {
        this.#turns.push(this.#assistant(message, pointer));
      } else if (message.role === "tool") {
        this.#tool(message, pointer);
      } else {
        this.#spoken(message, pointer);
      }
    }
    return this.#turns.flatMap((turn, number) => {
      const answers = this.#answers.get(number);
      if (answers === undefined) return [turn];
      answers.sort((one, other) => one.call - other.call);
      return [turn, { role: "tool", results: answers.map(({ result }) => result) }];
    });
  }

  #spoken(message: TolerantMessage, pointer: string): void {
    const name = this.#name(message, pointer);
    const approvals = this.#approvals(message, pointer);
    const pieces = this.#pieces(message.parts, `${pointer}/parts`);
    if (approvals.length === 0 && isAnswer(message.parts)) return;
    this.#lastSpoken = this.#turns.length;
    if (message.role === "user") {
      this.#turns.push({ role: "user", pieces, pointer, name, approvals });
    } else {
      const texts = pieces.filter((piece) => piece.type === "text");
      this.#turns.push({ role: "system", pieces: texts, pointer, name });
    }
  }

  /** Returns the name of the author as the provider takes it, "" without one. */
  #name(message: TolerantMessage, pointer: string): string {
    const { author, role, runId } = message;
    if (author === undefined) return "";
    const form = this.forms.author;
    const place = `${pointer}/author`;
    if (form === undefined || role === "tool") {
      const message = "The provider's format has no place for the author; it is left out";
      this.notes.add("encode/author-left-out", message, place);
      return "";
    }
    const name = author.name ?? author.agent?.at(-1) ?? "";
    if (name === "" || form.fits(name)) return name;
    const words = { expected: `at most ${form.chars} characters that it takes`, actual: clip(name) };
    const said = "The provider does not take the name of the author; it is sent as another";
    this.notes.add("encode/renamed-author", said, place, words);
    return form.fitted(name, runId);
  }

  /** Returns the answers to requests of the provider's own; others are noted. */
  #approvals(message: TolerantMessage, pointer: string): Approval[] {
    const approvals: Approval[] = [];
    for (const [number, part] of message.parts.entries()) {
      if (part instanceof Unknown || part.kind !== "approval_response") continue;
      const place = `${pointer}/parts/${number}`;
      const { approvalId, decision, reason, arguments: changed } = part.payload;
      const request = this.#asked.get(JSON.stringify([message.runId, approvalId]));
      if (request === undefined) this.#leaveOutApproval(place);
      else approvals.push({ approvalId, decision, reason, arguments: changed, request, pointer: place });
    }
    return approvals;
  }

  #leaveOutApproval(place: string): void {
    const message = "The provider's format has no place for this approval; it is left out";
    this.notes.add("encode/approval-left-out", message, place);
  }

  /** Returns the pieces of what a user, a system message or a tool says. */
  #pieces(parts: readonly TolerantMessagePart[], pointer: string): UserPiece[] {
    const pieces: UserPiece[] = [];
    for (const [number, part] of parts.entries()) {
      const place = `${pointer}/${number}`;
      noteStray(part, place, this.notes);
      const media = mediaPiece(part, place);
      if (media !== undefined) {
        pieces.push(media);
      } else if (isApproval(part)) {
        // See #approvals.
      } else if (part instanceof Unknown || (part.kind !== "text" && part.kind !== "thinking")) {
        this.#unknown(part, place);
      } else if (part.kind === "text") {
        noteCitations(part, place, this.notes);
        if (part.payload.text !== "") pieces.push(plainText(part.payload.text, place));
      } else {
        const message = "Reasoning of a system message goes to no provider; it is left out";
        this.notes.add("encode/thinking-left-out", message, place);
      }
    }
    return pieces;
  }

  /** Notes a part that is not known: every other is where its role may have it. */
  #unknown(part: TolerantMessagePart, place: string): void {
    const tag = part instanceof Unknown ? part.tag : part.kind;
    this.notes.unsupportedPart(place, "a part that this version knows", tag);
  }

  // --- the assistant ------------------------------------------------------------------------------

  #assistant(message: TolerantMessage, pointer: string): AssistantTurn {
    const name = this.#name(message, pointer);
    const state = readState(message, pointer, this.dialect, this.notes);
    const pieces: AssistantPiece[] = [];
    this.#cites = false;
    for (const [number, part] of message.parts.entries()) {
      const place = `${pointer}/parts/${number}`;
      for (const piece of this.#said(message.runId, part, number, place, state)) pieces.push(piece);
    }
    for (const item of state.parts.get(message.parts.length) ?? []) pieces.push({ type: "state", item });
    return { role: "assistant", pieces, pointer, own: state.known || this.#cites, name };
  }

  /** Returns the pieces of an assistant's part. */
  #said(
    runId: string,
    part: TolerantMessagePart,
    number: number,
    place: string,
    state: MessageState,
  ): AssistantPiece[] {
    const items = state.parts.get(number) ?? [];
    const isKnown = !(part instanceof Unknown);
    if (isKnown && part.kind === "text") {
      const citing = this.forms.citing ?? new Set();
      const cited = readCitations(part, place, items, this.dialect, citing, this.notes);
      this.#cites ||= cited.length > 0;
      return cut(part, place, [...items, ...cited]);
    }
    if (isKnown && part.kind === "thinking") {
      if (!state.foreign.has(number) || items.length > 0) return cut(part, place, items);
      this.#leaveOut(part, place);
      return [];
    }
    const pieces: AssistantPiece[] = [];
    for (const item of items) if (item.start !== undefined) pieces.push({ type: "state", item });
    const media = mediaPiece(part, place);
    const mine = items.filter((item) => item.start === undefined);
    if (isKnown && (part.kind === "server_tool_call" || part.kind === "server_tool_result")) {
      const isBack = this.#server.goesBack(runId, part);
      const text = isBack ? "" : this.#server.text(runId, part, place);
      if (isBack) for (const item of mine) pieces.push({ type: "state", item });
      if (text !== "") pieces.push({ ...plainText(text, place), alone: true });
    } else if (isKnown && part.kind === "approval_request") {
      pieces.push(...this.#ask(runId, part.payload.approvalId, place, mine));
    } else if (isKnown && part.kind === "media" && media !== undefined) {
      pieces.push(this.#attachment(media, part.payload.transcript ?? "", mine));
    } else if (isKnown && part.kind === "tool_call") {
      pieces.push(this.#call(runId, part.payload, place, mine, state.callIds, number));
    } else if (media !== undefined) {
      pieces.push(media);
    } else {
      this.#unknown(part, place);
    }
    return pieces;
  }

  /** Returns the provider's own request for approval; any other is noted. */
  #ask(runId: string, approvalId: string, place: string, mine: readonly Item[]): AssistantPiece[] {
    const [first] = mine;
    if (first === undefined || this.forms.approvals !== true) {
      this.#leaveOutApproval(place);
      return [];
    }
    this.#asked.set(JSON.stringify([runId, approvalId]), first);
    return mine.map((item) => ({ type: "state", item }));
  }

  /** Returns media, or its words where the provider does not take it from an assistant. */
  #attachment(piece: MediaPiece, words: string, mine: readonly Item[]): AssistantPiece {
    const takes = this.forms.media ?? "none";
    if (words === "" || takes === "all" || (takes === "own" && mine.length > 0)) {
      return { ...piece, state: mine, transcript: words };
    }
    const message = "The provider takes no sound of an assistant; what is said in it is sent as text";
    this.notes.add("encode/transcript-as-text", message, piece.pointer);
    return { ...plainText(words, piece.pointer), alone: true };
  }

  #leaveOut(part: ThinkingPart, place: string): void {
    if (part.payload.text === "") return;
    const message = "Reasoning goes back only to the vendor that it came from; it is left out";
    this.notes.add("encode/thinking-left-out", message, place);
  }

  #call(
    runId: string,
    payload: ToolCallPayload,
    place: string,
    state: readonly Item[],
    ids: MessageState["callIds"],
    number: number,
  ): Call {
    const name = this.#toolName(payload.toolName, `${place}/payload/toolName`);
    const own = ids.get(number);
    const made = { runId, callId: payload.toolCallId, own, name, turn: this.#turns.length };
    const callId = this.#ids.add(made, `${place}/payload/toolCallId`);
    const nameless = ids.has(number) && own === undefined;
    const { arguments: given, rawArgsText: rawArgs } = payload;
    return { type: "call", callId, name, arguments: given, rawArgs, pointer: place, state, nameless };
  }

  /** Returns the name under which a called tool is sent. */
  #toolName(name: string, pointer: string): string {
    const form = this.forms.toolName;
    if (form.fits(name)) return name;
    this.notes.add(
      "encode/renamed-tool",
      "The provider does not take the name of the called tool; it is sent as another",
      pointer,
      { expected: `at most ${form.chars} characters that it takes`, actual: clip(name) },
    );
    return form.fitted(name);
  }

  // --- tools --------------------------------------------------------------------------------------

  #tool(message: TolerantMessage, pointer: string): void {
    this.#name(message, pointer);
    for (const [number, part] of message.parts.entries()) {
      const place = `${pointer}/parts/${number}`;
      if (isApproval(part)) continue;
      if (part instanceof Unknown || part.kind !== "tool_result") this.#unknown(part, place);
      else this.#result(message.runId, part.payload, place);
    }
    const approvals = this.#approvals(message, pointer);
    if (approvals.length > 0) this.#turns.push({ role: "user", pieces: [], pointer, name: "", approvals });
  }

  #result(runId: string, payload: TolerantToolResult, place: string): void {
    const given = payload.content;
    const content = Array.isArray(given)
      ? this.#pieces(given as TolerantMessagePart[], `${place}/payload/content`)
      : (given as Result["content"]);
    const call = this.#ids.find(runId, payload.toolCallId);
    const { isError } = payload;
    if (call === undefined) {
      const callId = this.#ids.orphan(payload.toolCallId);
      this.#orphan(payload, { callId, name: "", isError, content, pointer: place });
      return;
    }
    this.#noteMove(call, place);
    const result = { callId: call.callId, name: call.name, isError, content, pointer: place };
    const answers = this.#answers.get(call.turn);
    if (answers === undefined) this.#answers.set(call.turn, [{ call: call.number, result }]);
    else answers.push({ call: call.number, result });
  }

  #noteMove({ turn, number }: Sent, place: string): void {
    let message: string | undefined;
    if (this.#lastSpoken > turn) {
      message = "The result is sent right behind its call: no provider takes it elsewhere";
    } else if (this.#lastAnswered > number) {
      message = "The result is sent before those of later calls: results go as their calls do";
    }
    this.#lastAnswered = Math.max(this.#lastAnswered, number);
    if (message !== undefined) this.notes.add("encode/moved-tool-result", message, place);
  }

  #orphan(payload: TolerantToolResult, result: Result): void {
    this.notes.add(
      "encode/orphan-tool-result",
      "The result answers no call before it; it is sent as it is",
      `${result.pointer}/payload/toolCallId`,
      { expected: "a call in an earlier message", actual: clip(payload.toolCallId) },
    );
    const last = this.#turns.at(-1);
    if (last?.role === "tool") last.results.push(result);
    else this.#turns.push({ role: "tool", results: [result] });
  }
}

/** Tells whether a part answers a request for approval. */
function isApproval(part: TolerantMessagePart): boolean {
  return !(part instanceof Unknown) && part.kind === "approval_response";
}

/** Tells whether a message answers requests for approval, and says nothing else. */
function isAnswer(parts: readonly TolerantMessagePart[]): boolean {
  return parts.length > 0 && parts.every(isApproval);
}

type CutPart = ThinkingPart | Extract<TolerantMessagePart, { kind: "text" }>;

/** Returns text or reasoning, cut where its state says. */
function cut(part: CutPart, pointer: string, items: readonly Item[]): AssistantPiece[] {
  return stretches(part.payload.text, items).flatMap((stretch): AssistantPiece[] => {
    if (stretch.text === "") return stretch.items.map((item) => ({ type: "state", item }));
    return [{ type: part.kind, text: stretch.text, pointer, state: stretch.items }];
  });
}

/** Returns the piece of an image, a file or media; undefined for any other part. */
function mediaPiece(part: TolerantMessagePart, pointer: string): MediaPiece | undefined {
  if (part instanceof Unknown) return undefined;
  if (part.kind === "image") return { type: "image", media: imageMedia(part.payload), pointer };
  if (part.kind === "file_ref") return { type: "file", media: fileMedia(part.payload), pointer };
  if (part.kind === "media") return { type: "attachment", media: partMedia(part.payload), pointer };
  return undefined;
}
