/** The steps of one answer: what the assistant said in each, and what came of its calls. */

import { copyJson } from "../../json/digits.js";
import { sameJson } from "../../json/equality.js";
import { codePoints } from "../../json/text.js";
import { isObject, type JsonValue, own } from "../../json/values.js";
import type { Json, Reading } from "../core/reading.js";
import { OWN } from "./state.js";

/** Returns text of the answer or of the reasoning. */
export function textLike(kind: string, text: string, opaque?: Json): Json {
  return { kind, payload: { text, ...(opaque === undefined ? {} : { opaque }) } };
}

/** By which member a message has one part of a kind. */
const IDS: ReadonlyMap<unknown, string> = /* @__PURE__ */ new Map([
  ["tool_call", "toolCallId"],
  ["server_tool_call", "toolCallId"],
  ["tool_result", "toolCallId"],
  ["server_tool_result", "toolCallId"],
  ["approval_request", "approvalId"],
  ["approval_response", "approvalId"],
]);

interface Step {
  readonly said: Json[];
  readonly came: Json[];
  /** Messages of the user before this step. */
  readonly before: Json[];
}

/** Something of the source with its place. */
type Placed = readonly [value: Json, place: string];

const emptyStep = (): Step => ({ said: [], came: [], before: [] });

/** Collects parts step by step. */
export class Steps {
  /** Calls are those of version 4, behind whose results a new step begins unsaid. */
  isOld = false;
  readonly #reading: Reading;
  readonly #steps: Step[] = [];
  #last = emptyStep();
  #ids = new Set<string>();
  /** The last text of the step. */
  #text: Json | undefined;
  /** The message was stored while it was coming. */
  #isCut = false;
  readonly #open: string[] = [];
  /** The reasoning with which summaries were joined last. */
  #joined: Json | undefined;
  /** Characters of the reasoning that was said last. */
  #reasoned = 0;
  readonly #coming: Placed[] = [];
  /** Citations that no text is before. */
  #waiting: Placed[] = [];

  constructor(reading: Reading) {
    this.#reading = reading;
    this.#steps.push(this.#last);
  }

  /** Begins a step, where the last one has anything. */
  next(): void {
    if (this.#last.said.length + this.#last.came.length === 0) return;
    this.#steps.push((this.#last = emptyStep()));
    this.#ids = new Set();
    this.#text = undefined;
  }

  /** Adds what the assistant says. */
  say(part: Json): void {
    const { kind } = part;
    if (this.isOld && this.#last.came.length > 0 && (kind === "text" || kind === "thinking")) this.next();
    const before = this.#last.said.at(-1);
    if (kind === "thinking") {
      if (before !== undefined && this.#goesOn(before, part)) return;
      this.#reasoned = codePoints(textOf(part));
    }
    this.#begin(part);
    this.#last.said.push(part);
    if (kind !== "text") return;
    this.#text = part;
    for (const [citation, place] of this.#waiting) {
      addCitation(part, citation);
      this.#reading.note("part-order", place);
    }
    this.#waiting = [];
  }

  /** Adds what came of a call: a result, or a decision. */
  answer(part: Json): void {
    this.#begin(part);
    this.#last.came.push(part);
  }

  /** Adds a citation to the text before it in the step, else to the next one. */
  cite(citation: Json, place: string): void {
    const text = this.#text;
    if (text === undefined) {
      this.#waiting.push([citation, place]);
      return;
    }
    addCitation(text, citation);
    if (text !== this.#last.said.at(-1)) this.#reading.note("part-order", place);
  }

  /** Leaves out a call whose arguments were still coming. */
  leaveOpen(callId: string, place: string): void {
    this.#open.push(callId);
    this.#isCut = true;
    this.#reading.note("open-call", place);
  }

  /** Notes text that was still coming. */
  stillComes(part: Json, place: string): void {
    this.#isCut = true;
    this.#coming.push([part, place]);
  }

  /** Returns what was said in all steps. */
  said(): Json[] {
    return this.#steps.flatMap(({ said }) => said);
  }

  /** Puts a message of the user between this step and the next one. */
  interrupt(parts: Json[], messageId: string | undefined): void {
    this.next();
    this.#last.before.push({ role: "user", parts, ...(messageId ? { messageId } : {}) });
  }

  /** Reports the citations that no text followed, and text that came still, but not last. */
  end(): void {
    const last = this.#last.said.at(-1);
    for (const [part, place] of this.#coming) {
      if (this.#open.length > 0 || part !== last) this.#reading.note("foreign-member", place);
    }
    for (const [, place] of this.#waiting) this.#reading.note("foreign-part", place);
  }

  /** Returns the messages of the steps; the first one has the members of `head`. */
  messages(role: string, head: Json): Json[] {
    const made: Json[] = [];
    let first: Json | undefined;
    for (const [number, { said, came, before }] of this.#steps.entries()) {
      made.push(...before);
      if (number > 0 && said.length + came.length === 0) continue;
      const isFirst = first === undefined;
      if (said.length > 0 || came.length === 0) {
        made.push({ role, parts: said, ...(isFirst ? {} : { meta: { [OWN]: { step: number } } }) });
        if (isFirst) first = made.at(-1);
      }
      if (came.length > 0) made.push({ role: "tool", parts: came });
      first ??= made.at(-1);
    }
    Object.assign(first as Json, head);
    if ("timestamp" in head) for (const each of made) each["timestamp"] = head["timestamp"];
    if (this.#isCut) {
      const last = made.filter((each) => each["role"] === role).at(-1) ?? (made.at(-1) as Json);
      const incomplete = { ending: "truncated", openToolCallIds: this.#open };
      last["meta"] = { ...(last["meta"] as Json | undefined), incomplete };
    }
    return made;
  }

  /** Joins a summary with those before it of the same reasoning item, as its adapter does. */
  #goesOn(before: Json, part: Json): boolean {
    let one = reasoningItem(before);
    const other = reasoningItem(part);
    if (one === undefined || other === undefined || !sameJson(headOf(one), headOf(other))) return false;
    const payload = before["payload"] as Json;
    if (this.#joined !== before) {
      payload["opaque"] = copyJson(payload["opaque"] as JsonValue); // it may be the source's own
      one = reasoningItem(before) ?? one;
      this.#joined = before;
    }
    payload["text"] = textOf(before) + textOf(part);
    one.data.summary.push(...other.data.summary);
    this.#reasoned += codePoints(textOf(part));
    one.end = this.#reasoned;
    return true;
  }

  /** Begins a step where this one has a part of the same kind and id: a message cannot have two. */
  #begin(part: Json): void {
    const name = IDS.get(part["kind"]);
    if (name === undefined) return;
    const key = JSON.stringify([part["kind"], (part["payload"] as Json)[name]]);
    if (this.#ids.has(key)) this.next();
    this.#ids.add(key);
  }
}

function addCitation(text: Json, citation: Json): void {
  const payload = text["payload"] as { citations?: Json[] };
  (payload.citations ??= []).push(citation);
}

const textOf = (part: Json): string => (part["payload"] as { text: string }).text;

interface ReasoningItem {
  readonly data: Json & { readonly summary: unknown[] };
  end?: number;
}

function headOf({ data }: ReasoningItem): Json {
  const { summary: _, ...head } = data;
  return head;
}

function reasoningItem(part: Json): ReasoningItem | undefined {
  const opaque = part["kind"] === "thinking" ? (part["payload"] as Json)["opaque"] : undefined;
  const items = isObject(opaque) && isObject(opaque["data"]) ? own(opaque["data"], "items") : undefined;
  const item: unknown = Array.isArray(items) ? items[0] : undefined;
  if (!isObject(item) || item["kind"] !== "reasoning" || !isObject(item["data"])) return undefined;
  return Array.isArray(item["data"]["summary"]) ? (item as unknown as ReasoningItem) : undefined;
}
