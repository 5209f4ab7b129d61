/** Calls and results of tools that a provider ran: sent back as its own, or as text to another. */

import type { TolerantMessage, TolerantMessagePart } from "../../contract/current/message.js";
import { Unknown } from "../../contract/unknown.js";
import { jsonText } from "../../json/compact.js";
import { own } from "../../json/values.js";
import { firstCharacters } from "../core/values.js";
import type { Notes } from "./notes.js";

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
    readonly notes: Notes,
    readonly apart: boolean,
  ) {}

  /** Reads all messages. */
  read(messages: readonly TolerantMessage[]): void {
    for (const { runId, parts } of messages) {
      for (const part of parts) {
        if (part instanceof Unknown) continue;
        if (part.kind === "server_tool_call") putNew(this.#calls, keyOf(runId, part.payload), part.payload);
        else if (part.kind === "server_tool_result") putNew(this.#results, keyOf(runId, part.payload), part.payload);
        else if (part.kind === "approval_request" && this.#isOwn(part.payload)) {
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
      return this.#isOwn(part.payload) && (result === undefined || this.#follows(result));
    }
    const call = this.#calls.get(key);
    if (call === undefined) return this.#isOwn(part.payload);
    return this.#isOwn(call) && this.#follows(part.payload);
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
      if (!(part instanceof Unknown) && part.kind === "text") {
        texts.push(part.payload.text);
      } else {
        const said = part instanceof Unknown ? "" : part.kind;
        this.notes.unsupportedPart(`${place}/payload/content/${number}`, NO_MEDIA, said);
      }
    }
    return texts.join("\n");
  }

  /** Tells whether a result goes where its call goes: it says nothing else of its own. */
  #follows(result: ResultPayload): boolean {
    return (result.opaque === undefined && !this.apart) || this.#isOwn(result);
  }

  #isOwn({ opaque }: Kept): boolean {
    if (opaque === undefined || opaque.provider !== this.dialect) return false;
    const items = own(opaque.data, "items");
    return Array.isArray(items) && items.length > 0;
  }
}

function keyOf(runId: string, { toolCallId }: { readonly toolCallId: string }): string {
  return JSON.stringify([runId, toolCallId]);
}

function putNew<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (!map.has(key)) map.set(key, value);
}
