/** Calls and results of tools that a provider ran: sent back as its own, or as text to another. */

import type { TolerantMessage, TolerantMessagePart } from "../../contract/current/message.js";
import { Unknown } from "../../contract/unknown.js";
import { jsonText } from "../../json/compact.js";
import { isObject, own } from "../../json/values.js";
import { firstCharacters } from "../core/values.js";
import { noteCitations } from "./citations.js";
import type { Notes } from "./notes.js";
import { type Forms, mediaPiece, wordsOf } from "./turns.js";

export type ServerPart = Extract<TolerantMessagePart, { kind: "server_tool_call" | "server_tool_result" }>;
type CallPayload = Extract<TolerantMessagePart, { kind: "server_tool_call" }>["payload"];
type ResultPayload = Extract<TolerantMessagePart, { kind: "server_tool_result" }>["payload"];
type Kept = Pick<CallPayload, "opaque">;

const NO_MEDIA = "text: what another provider ran is sent as text";

/**
 * The server tools of one request, which are known before any of it is written.
 *
 * A call and its result go back to their own provider with the state that each has; one item of the
 * provider may be both, and is the call's then. All else is text, at the place of the result.
 */
export class ServerTools {
  readonly #calls = new Map<string, CallPayload>();
  readonly #results = new Map<string, ResultPayload>();
  readonly #asked = new Set<string>(); // calls of which the provider itself asks for approval

  constructor(
    readonly dialect: string,
    readonly forms: Forms,
    readonly notes: Notes,
  ) {}

  /** Reads all messages. */
  read(messages: readonly TolerantMessage[]): void {
    for (const { runId, parts } of messages) {
      for (const part of parts) {
        if (part instanceof Unknown) continue;
        if (part.kind === "server_tool_call") putNew(this.#calls, keyOf(runId, part.payload), part.payload);
        else if (part.kind === "server_tool_result") putNew(this.#results, keyOf(runId, part.payload), part.payload);
        else if (part.kind === "approval_request" && this.#asks(part.payload)) {
          this.#asked.add(keyOf(runId, part.payload));
        }
      }
    }
  }

  /** Tells whether a call or result goes back as the provider's own state says it. */
  goesBack(runId: string, part: ServerPart): boolean {
    const key = keyOf(runId, part.payload);
    if (part.kind === "server_tool_call") {
      const result = this.#results.get(key);
      return this.#isOwn(part.payload) && (result === undefined || this.#follows(part.payload, result));
    }
    const call = this.#calls.get(key);
    if (call === undefined) return this.#isOwn(part.payload);
    // Of several that have no block one follows.
    if (this.#results.get(key) !== part.payload) return this.#isOwn(call) && this.#isOwn(part.payload);
    return this.#isOwn(call) && this.#follows(call, part.payload);
  }

  /** Returns the text of a result with its call, "" for a call, whose result says it. */
  text(runId: string, part: ServerPart, place: string): string {
    const key = keyOf(runId, part.payload);
    if (part.kind === "server_tool_call") {
      if (!this.#results.has(key) && !this.#asked.has(key)) {
        const message = "The call of another provider's tool is sent with its result, and not alone";
        this.notes.add("encode/dangling-state", message, place, { actual: firstCharacters(part.payload.toolName, 80) });
      }
      return "";
    }
    this.notes.add("encode/server-tool-as-text", "What another provider ran is sent as text", place);
    const call = this.#calls.get(key);
    const lines = call === undefined ? [] : [`${call.toolName} ${call.rawArgsText ?? jsonText(call.arguments)}`];
    return [...lines, this.#content(part.payload.content, place)].filter((line) => line !== "").join("\n");
  }

  #content(content: ResultPayload["content"], place: string): string {
    if (typeof content === "string") return content;
    if (!Array.isArray(content)) return jsonText(content);
    const texts: string[] = [];
    for (const [number, part] of (content as TolerantMessagePart[]).entries()) {
      const at = `${place}/payload/content/${number}`;
      const piece = mediaPiece(part, at);
      if (!(part instanceof Unknown) && part.kind === "text") {
        noteCitations(part, at, this.notes);
        texts.push(part.payload.text);
      } else if (piece === undefined) {
        this.notes.unsupportedPart(at, NO_MEDIA, part instanceof Unknown ? part.tag : part.kind);
      } else {
        const words = wordsOf(piece, NO_MEDIA, this.notes);
        if (words !== undefined) texts.push(words.text);
      }
    }
    return texts.join("\n");
  }

  /** Tells whether a result goes where its own call goes: it says nothing else itself. */
  #follows(call: CallPayload, result: ResultPayload): boolean {
    if (result.opaque !== undefined || this.forms.apart === true) return this.#isOwn(result);
    return !this.#items(call).some((item) => {
      const kind = own(item, "kind");
      return typeof kind === "string" && this.forms.paired?.has(kind) === true;
    });
  }

  #asks(payload: Kept): boolean {
    return this.forms.approvals !== undefined && this.#isOwn(payload);
  }

  #isOwn(payload: Kept): boolean {
    return this.#items(payload).length > 0;
  }

  /** Returns what a part is to its own provider; state that has a place is beside it. */
  #items({ opaque }: Kept): readonly Record<string, unknown>[] {
    const hasBlocks = this.forms.apart === true || this.forms.paired !== undefined;
    if (opaque === undefined || opaque.provider !== this.dialect || !hasBlocks) return [];
    const items: unknown = own(opaque.data, "items");
    if (!Array.isArray(items)) return [];
    return items.filter(isObject).filter((item) => (own(item, "start") ?? null) === null);
  }
}

function keyOf(runId: string, { toolCallId }: { readonly toolCallId: string }): string {
  return JSON.stringify([runId, toolCallId]);
}

function putNew<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (!map.has(key)) map.set(key, value);
}
