/**
 * Messages, read as turns.
 *
 * - An assistant's parts are cut where the provider's state begins, ends or has its place, so that it can
 *   be put back; state of another dialect is left out.
 * - Results of parallel calls are together, right behind the turn of their calls and in the order of
 *   these, whatever came in between: no provider takes them elsewhere, and Gemini knows them by their
 *   order.
 * - Tool call ids are the provider's own where ours was minted, and otherwise such that it takes
 *   them.
 * - An approval has one request, and its answer names the call that it approves.
 */

import type {
  ApprovalRequest,
  ThinkingPart,
  TolerantMessage,
  TolerantMessagePart,
  TolerantToolResult,
  ToolCallPayload,
} from "../../contract/current/message.js";
import { Unknown } from "../../contract/unknown.js";
import { clip } from "../../errors.js";
import { CallIds, type Sent } from "./call-ids.js";
import { noteCitations, readCitations } from "./citations.js";
import type { Notes } from "./notes.js";
import { ServerTools } from "./server-tools.js";
import { type Item, type MessageState, noteStray, readState } from "./state.js";
import { stretches } from "./stretches.js";
import {
  type Approval,
  type AssistantPiece,
  type AssistantTurn,
  type Call,
  type Forms,
  mediaPiece,
  plainText,
  type Result,
  type Turn,
  type UserPiece,
} from "./turns.js";

/** Returns the turns of valid messages for a provider of `dialect`. */
export function readTurns(messages: readonly TolerantMessage[], dialect: string, forms: Forms, notes: Notes): Turn[] {
  return new Reader(dialect, forms, notes).read(messages);
}

/** A result, and the number of the call that it answers. */
interface Answer {
  readonly call: number;
  readonly result: Result;
}

/** The call that waits for an approval, and the item that asks for it. */
interface Asked {
  readonly callId: string;
  readonly request: Item;
}

class Reader {
  readonly #ids: CallIds;
  readonly #turns: Turn[] = [];
  readonly #answers = new Map<number, Answer[]>(); // by number of the turn that called
  readonly #server: ServerTools;
  readonly #asked = new Map<string, Asked>(); // own requests, by run and approval id
  #lastSpoken = -1; // number of the last turn of system or user
  #cites = false; // whether the message that is read has citations of the target's dialect
  #lastAnswered = 0; // number of the last call that has a result, in the order of calls

  constructor(
    readonly dialect: string,
    readonly forms: Forms,
    readonly notes: Notes,
  ) {
    this.#ids = new CallIds(forms.callId, notes);
    this.#server = new ServerTools(dialect, forms, notes);
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
    const name = author.name ?? author.agentPath?.at(-1) ?? "";
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
      const { payload } = part;
      const asked = this.#asked.get(JSON.stringify([message.runId, payload.approvalId]));
      if (asked === undefined) this.notes.approvalLeftOut(place);
      else if (asked.callId === payload.toolCallId) approvals.push({ payload, request: asked.request, pointer: place });
      else this.notes.approvalLeftOut(place, "The answer names another call than its request");
    }
    return approvals;
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
      return cut(part, place, [...items, ...cited], this.forms.blank ?? true);
    }
    if (isKnown && part.kind === "thinking") {
      if (!state.foreign.has(number) || items.length > 0) return cut(part, place, items, true);
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
      pieces.push(...this.#ask(runId, part.payload, place, mine));
    } else if (isKnown && part.kind === "tool_call") {
      pieces.push(this.#call(runId, part.payload, place, mine, state.callIds, number));
    } else if (media !== undefined) {
      pieces.push(media.type === "attachment" ? { ...media, state: mine } : media);
    } else {
      this.#unknown(part, place);
    }
    return pieces;
  }

  /** Returns the provider's own request for approval; any other is noted, and so is a second. */
  #ask(runId: string, payload: ApprovalRequest, place: string, mine: readonly Item[]): AssistantPiece[] {
    const request = mine.find((item) => item.kind === this.forms.approvals);
    const key = JSON.stringify([runId, payload.approvalId]);
    if (request === undefined) {
      this.notes.approvalLeftOut(place);
    } else if (this.#asked.has(key)) {
      this.notes.approvalLeftOut(place, "The approval has its request already");
    } else {
      this.#asked.set(key, { callId: payload.toolCallId, request });
      const { reason, choices, requestedAt } = payload;
      this.notes.approvalMembers(place, { reason, choices, requestedAt });
      return mine.map((item) => ({ type: "state", item }));
    }
    return [];
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
function cut(part: CutPart, pointer: string, items: readonly Item[], blank: boolean): AssistantPiece[] {
  return stretches(part.payload.text, items, blank).flatMap((stretch): AssistantPiece[] => {
    if (stretch.text === "") return stretch.items.map((item) => ({ type: "state", item }));
    return [{ type: part.kind, text: stretch.text, pointer, state: stretch.items }];
  });
}
