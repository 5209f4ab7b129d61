/**
 * Items that an assistant's turn becomes in Responses requests: the provider's own, where kept.
 *
 * A message or call goes back under the id that it came with, reasoning and the items of built-in
 * tools unchanged, all in their order.
 */

import { jsonText } from "../../json/compact.js";
import { isObject, own } from "../../json/values.js";
import type { Notes } from "../request_core/notes.js";
import type { Item } from "../request_core/state.js";
import type { AssistantTurn, Call, Text, Thinking } from "../request_core/turns.js";
import { Characters, isSame, type Json, parsed, withoutNulls } from "../request_core/values.js";
import { type ItemDraft, Together } from "./request-together.js";

/** Kinds of calls, and the member that holds the arguments. */
const CALLS: ReadonlyMap<unknown, string> = new Map([
  ["function_call", "arguments"],
  ["custom_tool_call", "input"],
]);
// What a response says to readers, or what an adapter could make nothing of.
const RESPONSE_ONLY: ReadonlySet<string> = new Set(["audio", "content_part", "unnamed_tool_call"]);

/** Writes the items of assistants' turns. */
export class ResponsesOutput {
  /** The ids of calls of custom tools. */
  readonly custom = new Set<string>();
  /** Says who made a call. */
  readonly callers = new Map<string, Json>();
  readonly #together: Together;

  /** `isStored`: the provider keeps responses, and so knows reasoning by its id alone. */
  constructor(
    readonly notes: Notes,
    isStored: boolean,
  ) {
    this.#together = new Together(notes, isStored);
  }

  /** Returns the items of a turn. */
  items(turn: AssistantTurn): Json[] {
    const drafts = turn.pieces.flatMap((piece): ItemDraft[] => {
      if (piece.type === "text") return [this.#text(piece)];
      if (piece.type === "call") return [this.#call(piece)];
      if (piece.type === "thinking") return this.#thinking(piece);
      if (piece.type === "state") return this.#between(piece.item);
      this.notes.assistantMedia(piece.pointer, piece.media.said());
      return [];
    });
    return this.#together.kept(drafts).map((draft) => draft.body);
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

  // --- reasoning, and what stands between ---------------------------------------------------------

  #thinking(piece: Thinking): ItemDraft[] {
    const drafts = piece.state.flatMap((item) => this.#between(item));
    if (!drafts.some((draft) => draft.body["type"] === "reasoning")) {
      const message = "Reasoning goes back only as the item that it came in; it is left out";
      this.notes.add("encode/thinking-left-out", message, piece.pointer);
    }
    return drafts;
  }

  /** Returns what state gives that is no text and no call of ours. */
  #between(item: Item): ItemDraft[] {
    const { kind, data, pointer } = item;
    if (RESPONSE_ONLY.has(kind)) {
      this.notes.responseOnly(pointer, kind);
      return [];
    }
    if (kind === "message") return [this.#message(item, "", [])];
    if (isObject(data) && own(data, "type") === kind) return [{ body: withoutNulls(data), pointer, own: true }];
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
    const member = CALLS.get(given["type"]) as string;
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
