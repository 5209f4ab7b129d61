/** Messages of AG-UI, read one by one as messages of the contract. */

import { sameJson } from "../../json/equality.js";
import { isObject, own } from "../../json/values.js";
import { PARTWIRE, restored } from "../core/extension.js";
import { callPart, resultPart } from "../core/parts.js";
import { type Json, Members, Reading } from "../core/reading.js";
import { contentOf } from "./content.js";
import { isDerived, type Kept, OWN, present, stateOf, stemOf, takeState } from "./state.js";

const OURS: ReadonlyMap<string, string> = new Map([
  ["developer", "system"],
  ["system", "system"],
  ["user", "user"],
]);
const LEFT_OUT = "foreign-message";

/** A message that has been read, without run and time, and its place. */
export interface Said {
  readonly message: Json;
  readonly place: string;
}

interface Thought {
  readonly text: string;
  readonly id: string;
  readonly kept: Kept;
  readonly place: string;
}

/** Returns the messages of some documents, as JSON objects that nobody has checked. */
export function readBack(documents: readonly Json[]): Json[] {
  const reading = new Reading(OWN);
  const histories = new Histories(reading);
  for (const message of reading.items(documents, "")) histories.read(message);
  for (const { message } of histories.finish()) addTo(reading, message);
  return reading.messages;
}

/** Adds a message without run and time. */
export function addTo(reading: Reading, { role, parts, ...head }: Json): void {
  reading.add(role as string, parts as Json[], head);
}

/** Documents of one message of ours, which the first of them keeps whole. */
class Covered {
  readonly #ids: readonly unknown[];
  #next = 0;
  readonly kept: Json;
  readonly place: string;
  readonly inner: Histories;

  constructor(ids: readonly unknown[], kept: Json, place: string, reading: Reading) {
    this.#ids = ids;
    this.kept = kept;
    this.place = place;
    this.inner = new Histories(reading);
  }

  /** Tells whether a document is the next one of them. */
  isNext(message: Members): boolean {
    return isId(message, this.#ids[this.#next]);
  }

  /** Takes the next document; returns whether it is the last one. */
  take(message: Members): boolean {
    this.inner.readOne(message);
    this.#next++;
    return this.#next === this.#ids.length;
  }
}

/** Reads messages one by one. Reasoning waits for the answer that it belongs to. */
export class Histories {
  readonly #reading: Reading;
  readonly #made: Said[] = [];
  #thoughts: Thought[] = [];
  #covered: Covered | undefined;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** Returns the messages, with reasoning that no answer follows. */
  finish(): Said[] {
    if (this.#covered !== undefined) this.#uncover(this.#covered, false);
    this.#flush();
    return this.#made;
  }

  // --- documents that keep a message of ours ------------------------------------------------------

  /** Reads the next message; throws ReadError for what is not one. */
  read(message: Members): void {
    if (this.#covered?.isNext(message) === false) this.#uncover(this.#covered, false);
    const covered = this.#covered ?? this.#cover(message);
    if (covered === undefined) this.readOne(message);
    else if (covered.take(message)) this.#uncover(covered, true);
  }

  /** Opens documents that one of our messages became, where this is the first of them. */
  #cover(message: Members): Covered | undefined {
    const metadata = message.peek("metadata");
    if (!isObject(metadata) || !Object.hasOwn(metadata, PARTWIRE)) return undefined;
    const kept = metadata[PARTWIRE];
    const place = `${message.at("metadata")}/${PARTWIRE}`;
    const ids = isObject(kept) ? own(kept, "ids") : undefined;
    if (!isObject(kept) || !Array.isArray(ids) || ids.length === 0 || !isId(message, ids[0])) {
      this.#reading.note("extension-unread", place);
      return undefined;
    }
    this.#flush();
    this.#covered = new Covered(ids, kept, place, this.#reading);
    return this.#covered;
  }

  #uncover(covered: Covered, isWhole: boolean): void {
    this.#covered = undefined;
    const found = covered.inner.finish();
    const { kept, place } = covered;
    if (!isWhole) {
      this.#reading.note("extension-unread", place);
      for (const said of found) this.#made.push(said);
      return;
    }
    const mine = found.map(({ message }) => message);
    for (const message of restored(mine, kept, this.#reading, place)) this.#made.push({ message, place });
  }

  // --- messages -----------------------------------------------------------------------------------

  /** Reads a message for what it says itself, whatever it keeps of ours. */
  readOne(message: Members): void {
    const role = message.text("role");
    if (role === undefined) {
      const expected = "developer, system, user, assistant, tool, reasoning or activity";
      throw this.#reading.refuse(message.at("role"), expected, message.peek("role"));
    }
    const ours = OURS.get(role);
    if (role === "reasoning") this.#think(message);
    else if (role === "assistant") this.#answer(message);
    else if (role === "tool") this.#result(message);
    else if (ours !== undefined) this.#say(role, ours, message);
    else if (!isPlaceholder(message)) this.#reading.note(LEFT_OUT, message.place);
  }

  #think(message: Members): void {
    const text = message.text("content") ?? "";
    const id = message.text("id") ?? "";
    const kept = takeState(message, {
      metadata: metadataOf(message),
      subagentRunId: message.text("subagentRunId"),
    });
    this.#thoughts.push({ text, id, kept, place: message.place });
    message.close();
  }

  /** Makes a message of reasoning that no answer follows. */
  #flush(): void {
    const [first] = this.#thoughts;
    if (first === undefined) return;
    const messageId = first.id === "" ? undefined : stemOf(first.id);
    this.#add("assistant", this.#thinking(messageId), { messageId }, first.place);
  }

  #thinking(messageId: string | undefined): Json[] {
    const parts = this.#thoughts.map(({ text, id, kept }, index) => {
      const isNamed = id !== "" && !isDerived(id, messageId, index + 1);
      const opaque = stateOf({ ...kept, own: isNamed ? { id, ...kept.own } : kept.own });
      return { kind: "thinking", payload: opaque === undefined ? { text } : { text, opaque } };
    });
    this.#thoughts = [];
    return parts;
  }

  #add(role: string, parts: readonly Json[], head: Json, place: string): void {
    this.#made.push({ message: { role, parts, ...present(head) }, place });
  }

  /** Takes what every message has beside its content. */
  #head(message: Members, beside: Json): Json {
    const name = message.text("name");
    const kept = present({
      ...beside,
      subagentRunId: message.text("subagentRunId"),
      metadata: metadataOf(message),
    });
    return {
      messageId: message.text("id") || undefined,
      author: name ? { name } : undefined,
      meta: Object.keys(kept).length > 0 ? { [OWN]: kept } : undefined,
    };
  }

  #say(role: string, ours: string, message: Members): void {
    this.#flush();
    let parts = contentOf(message, this.#reading) ?? [];
    if (role !== "user") {
      if (role === "developer") this.#reading.note("role-form", message.at("role"));
      for (const [at, part] of parts.entries()) {
        if (part["kind"] !== "text") this.#reading.note("foreign-part", `${message.at("content")}/${at}`);
      }
      parts = parts.filter((part) => part["kind"] === "text");
    }
    const kept = takeState(message);
    const beside = { role: role === "developer" ? role : undefined, ...valueMembers(kept) };
    this.#add(ours, parts, this.#head(message, beside), message.place);
    message.close();
  }

  #answer(message: Members): void {
    const id = message.peek("id");
    const thoughts = this.#thinking(typeof id === "string" && id !== "" ? id : undefined);
    const content = contentOf(message, this.#reading) ?? [];
    let kept = takeState(message);
    const last = content.at(-1);
    if (kept.value !== undefined && last?.["kind"] === "text") {
      last["payload"] = { ...(last["payload"] as Json), opaque: stateOf(kept) };
      kept = { own: {} };
    }
    const calls: Json[] = [];
    const known = new Set<string>();
    const at = message.at("toolCalls");
    for (const call of this.#reading.items(message.list("toolCalls") ?? [], at)) {
      const made = this.#call(call, known);
      if (made === undefined) this.#reading.note("malformed-part", call.place);
      else calls.push(made);
    }
    const head = this.#head(message, valueMembers(kept));
    this.#add("assistant", [...thoughts, ...content, ...calls], head, message.place);
    message.close();
  }

  #call(call: Members, known: Set<string>): Json | undefined {
    const [id, at, given] = [call.text("id"), call.at("function"), call.object("function")];
    call.skip("type", "function");
    if (!id || given === undefined || known.has(id)) return undefined;
    const called = new Members(given, at, this.#reading);
    const name = called.text("name");
    if (!name) return undefined;
    known.add(id);
    const made = callPart(id, name, called.text("arguments") ?? called.object("arguments") ?? {});
    const opaque = stateOf(takeState(call, { metadata: metadataOf(call) }));
    if (opaque !== undefined) made["payload"] = { ...(made["payload"] as Json), opaque };
    called.close();
    call.close();
    return made;
  }

  #result(message: Members): void {
    this.#flush();
    const callId = message.text("toolCallId");
    if (!callId) {
      this.#reading.note(LEFT_OUT, message.place);
      return;
    }
    const { part, error } = resultOf(callId, message, this.#reading);
    const kept = takeState(message);
    this.#add("tool", [part], this.#head(message, { ...valueMembers(kept), error }), message.place);
    message.close();
  }
}

const isId = (message: Members, id: unknown): boolean => sameJson(message.peek("id") ?? null, id);

/** Tells whether a message only carries one of ours that the protocol cannot say. */
function isPlaceholder(message: Members): boolean {
  const metadata = message.peek("metadata");
  const isKept = isObject(metadata) && Object.hasOwn(metadata, PARTWIRE);
  return isKept && message.peek("activityType") === PARTWIRE;
}

const valueMembers = ({ value, type }: Kept): Json => ({ encryptedValue: value, encryptedValueType: type });

/** Takes a result: its part, and what its error says beside the content. */
export function resultOf(
  callId: string,
  message: Members,
  reading: Reading,
): { readonly part: Json; readonly error: string | undefined } {
  let content: unknown = message.text("content") ?? contentOf(message, reading) ?? [];
  const error = message.text("error");
  const isEmpty = content === "" || (Array.isArray(content) && content.length === 0);
  if (error !== undefined && isEmpty) content = error;
  const part = resultPart(callId, content, error !== undefined);
  return { part, error: error === errorText(content) ? undefined : error };
}

/** Returns what the error of a result says that has no words of its own. */
export function errorText(content: unknown): string {
  return typeof content === "string" ? content : "error";
}

/** Takes metadata, without what is ours. */
function metadataOf(members: Members): Json | undefined {
  const metadata = members.object("metadata");
  if (metadata === undefined) return undefined;
  const kept = Object.entries(metadata).filter(([name]) => name !== PARTWIRE);
  return kept.length > 0 || Object.keys(metadata).length === 0 ? Object.fromEntries(kept) : undefined;
}
