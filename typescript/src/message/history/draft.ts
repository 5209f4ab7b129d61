/**
 * Messages of a history while it is repaired: parts that can go, move and be renamed. A draft keeps
 * the form in which its message was given, and unknown members with it; a draft that nothing
 * changed gives back the very message.
 */

import type { TolerantMessage, TolerantMessagePart } from "../../contract/current/message.js";
import { Unknown } from "../../contract/unknown.js";
import { canonical } from "../../json/canonical.js";
import { stringify } from "../../json/digits.js";
import { isBytes, isJsonText } from "../../json/documents.js";
import { own } from "../../json/values.js";

type Json = Record<string, unknown>;

/** One part; `place` is index of message and part in the given history, absent if made. */
export class Item {
  kind: string | undefined;
  callId: string;
  gone = false;
  draft: Draft;
  readonly approvalId: string;
  /** Of a call its result, and of a result its call; of a request its call, of an answer the request. */
  partner: Item | undefined;

  constructor(
    draft: Draft,
    public value: Json,
    part: TolerantMessagePart | undefined,
    readonly place?: readonly [number, number],
  ) {
    this.draft = draft;
    const known = part === undefined || part instanceof Unknown ? undefined : part;
    this.kind = known?.kind;
    const payload = { toolCallId: "", approvalId: "", ...known?.payload };
    this.callId = payload.toolCallId;
    this.approvalId = payload.approvalId;
  }

  /** Whether it is a call that the provider runs, or the result of one. */
  get isServer(): boolean {
    return this.kind === "server_tool_call" || this.kind === "server_tool_result";
  }

  /** Gives the call, or what belongs to one, another id. */
  rename(callId: string): void {
    this.callId = callId;
    this.draft.changed = true;
    this.value = { ...this.value, payload: { ...(this.value["payload"] as Json), toolCallId: callId } };
  }

  /** Tells whether it is before another part in the given history. */
  isBefore(other: Item): boolean {
    const [[message, part], [others, its]] = [this.place ?? [-1, -1], other.place ?? [-1, -1]];
    return message < others || (message === others && part < its);
  }

  /** Where the part is in the given history. */
  get pointer(): string {
    const [message, part] = this.place ?? [-1, -1];
    return `/${message}/parts/${part}`;
  }
}

const SILENT = ["approval_request", "approval_response", "server_tool_result"];

/** One message: its items, who speaks, and what it is made from. */
export class Draft {
  readonly runId: string;
  role: string;
  count = 0;
  changed = false;
  turn = 0;
  /** Whether it leaves its place, as a whole, for another one. */
  leaves = false;
  /** The rule by which its last part went. */
  emptiedBy = "";
  #items: Item[] = [];

  constructor(
    readonly given: unknown,
    readonly base: Json,
    message: { readonly runId: string; readonly role: string },
    readonly index: number | undefined,
  ) {
    this.runId = message.runId;
    this.role = message.role;
  }

  /** Returns the draft of a message; `document` is what was given, as JSON value. */
  static open(given: unknown, document: unknown, message: TolerantMessage, index: number): Draft {
    const base = document as Json;
    const draft = new Draft(given, base, message, index);
    const values = base["parts"] as Json[];
    message.parts.forEach((part, number) => {
      draft.put(new Item(draft, values[number] as Json, part, [index, number]));
    });
    return draft;
  }

  /**
   * Returns a new message of the same run, time and form, without parts. It has the author of this
   * one, if it says in the same role what this one said.
   */
  beside(role: string, isInvented = false): Draft {
    const author = own(this.base, "author");
    const said = author !== undefined && author !== null && role === this.role && !isInvented ? { author } : {};
    const base = { runId: this.runId, role, ...said, parts: [], timestamp: this.base["timestamp"] };
    const draft = new Draft(formed("", this.given), base, { runId: this.runId, role }, undefined);
    draft.changed = true;
    return draft;
  }

  /** The parts that are in the message now, in order. */
  get items(): Item[] {
    return this.#items.filter((item) => item.draft === this && !item.gone);
  }

  /** Whether nobody speaks here: there are approvals and results of the provider alone. */
  get isSilent(): boolean {
    const isEmpty = this.count === 0 && !this.changed; // as it was given: somebody said nothing
    return !isEmpty && this.items.every((item) => SILENT.includes(item.kind ?? ""));
  }

  put(item: Item): void {
    item.draft = this;
    item.gone = false;
    this.#items.push(item);
    this.count++;
  }

  /** Takes a part out, by a rule. */
  remove(item: Item, rule: string): void {
    // Not out of the list: one by one, that would cost the square of them.
    item.gone = true;
    this.count--;
    this.changed = true;
    this.emptiedBy = rule;
  }

  /** Takes all parts out and returns them. */
  takeAll(): Item[] {
    const { items } = this;
    this.#items = [];
    this.count = 0;
    this.changed = true;
    return items;
  }

  /** Appends an error result for a call, and returns it. */
  putResult(toolCallId: string, content: string, outcome: { readonly outcome?: string }): Item {
    return this.#putMade({ kind: "tool_result", payload: { toolCallId, isError: true, content, ...outcome } });
  }

  /** Appends a tool result as what it holds: text, and parts as they are; returns the first. */
  putQuote(result: Item): Item {
    const payload = result.value["payload"] as { isError: boolean; content: unknown };
    const what = payload.isError ? "Error" : "Result";
    const text = `${what} of the tool call ${result.callId}, whose call is not in this history:`;
    const { content } = payload;
    if (Array.isArray(content)) {
      const first = this.#putMade({ kind: "text", payload: { text } });
      for (const value of content as Json[]) this.put(new Item(this, value, undefined));
      return first;
    }
    const said = typeof content === "string" ? content : canonical(content);
    return this.#putMade({ kind: "text", payload: { text: `${text}\n${said}` } });
  }

  #putMade(part: TolerantMessagePart & { kind: string }): Item {
    const item = new Item(this, part as unknown as Json, part);
    this.put(item);
    this.changed = true;
    return item;
  }

  /** Returns the message: the given one if nothing changed, else one of its form. */
  result(): unknown {
    if (!this.changed) return this.given;
    const made = { ...this.base, role: this.role, parts: this.items.map((item) => item.value) };
    return isJsonText(this.given) ? formed(stringify(made), this.given) : made;
  }
}

/** Returns JSON text in the form of `given`: a string or bytes; undefined where that is not JSON text. */
function formed(text: string, given: unknown): Uint8Array | string | undefined {
  if (typeof given === "string") return text;
  return isBytes(given) ? new TextEncoder().encode(text) : undefined;
}

/** A map that makes what it does not hold. */
export class Table<Value, Key = string> {
  readonly rows = new Map<Key, Value>();

  constructor(readonly make: () => Value) {}

  of(key: Key): Value {
    let value = this.rows.get(key);
    if (value === undefined) this.rows.set(key, (value = this.make()));
    return value;
  }
}
