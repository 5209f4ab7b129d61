/**
 * OpenAI Responses: a request, its items, one of them, or a response.
 *
 * - Items that follow each other and are not what users or tools said are one answer: reasoning,
 *   messages, calls, tools that the provider ran, and what it keeps for itself.
 * - Messages of an assistant that are mere text under no id are one message each: nothing ties them
 *   together, and nothing is to be kept of them.
 * - Outputs of tools that the caller runs on the provider's terms (a computer, a shell) stay in the
 *   answer, beside their calls: both are the provider's own items, and go back as they are.
 * - An answer to a request for approval is a user's message.
 */

import { RESPONSES_CALLS } from "../../generated/tables/provider-names.js";
import { jsonText } from "../../json/compact.js";
import { isObject, own } from "../../json/values.js";
import { saysAnything } from "../../providers/core/values.js";
import { OpenAIResponsesAdapter } from "../../providers/openai_responses/stream.js";
import { resultPart, textPart, textsOf } from "../core/parts.js";
import { type Json, Members, type Reading } from "../core/reading.js";
import { isNested } from "../core/source.js";
import { Answers, MOST_LEVELS } from "./answers.js";
import { noteLostUsage, timeOf, usageOf } from "./openai-answer.js";
import { atUrl, byId, sound, storedFile } from "./openai-media.js";

/** Reads a request, a list of items, one item, or a response. */
export function readResponses(source: unknown, reading: Reading): void {
  const history = new ResponsesHistory(reading);
  const has = (name: string): boolean =>
    isObject(source) && Object.hasOwn(source, name) && !Object.hasOwn(source, "type");
  if (has("output")) return history.response(reading.members(source, ""));
  if (has("input")) {
    const body = reading.members(source, "");
    readInstructions(body, reading);
    const given = body.value("input");
    history.items(isObject(given) ? [given] : given, "/input");
    body.close("request-member");
  } else if (isObject(source)) {
    history.item(source, "");
  } else {
    history.items(source, "");
  }
  history.finish();
}

/** Reads what stands apart and is a system message; a prompt that is stored is a list. */
function readInstructions(body: Members, reading: Reading): void {
  const given = body.value("instructions");
  if (typeof given !== "string") {
    if (given !== null) reading.note("request-member", body.at("instructions"));
  } else if (given !== "") {
    reading.add("system", [textPart(given)]);
  }
}

// --- items ----------------------------------------------------------------------------------------

const ROLES: ReadonlyMap<string, string> = new Map([
  ["system", "system"],
  ["developer", "system"],
  ["user", "user"],
]);
const OUTPUT_OF: ReadonlyMap<string, string> = new Map(
  [...RESPONSES_CALLS.keys()].map((call) => [`${call}_output`, call]),
);
const APPROVAL = "mcp_approval_response";
const ENDED = ["completed", "incomplete", "failed", "cancelled"];
const PLAIN: readonly unknown[] = ["output_text", "text", "input_text"];

/** An item of an answer, with its type. */
interface Item extends Json {
  readonly type: string;
}

/** An item, and where it stands. */
interface Placed {
  readonly place: string;
  readonly item: Item;
}

/** The items read so far. */
export class ResponsesHistory {
  readonly #reading: Reading;
  readonly #answers: Answers;
  /** Items of the answer that may go on. */
  #run: Placed[] = [];
  /** Whose answer it is. */
  #agent: string | undefined;
  /** Request for approval → the call that waits. */
  readonly #asked = new Map<string, string>();
  /** Of calls, by id in the messages. */
  readonly #bodies = new Map<string, Json>();

  constructor(reading: Reading) {
    this.#reading = reading;
    this.#answers = new Answers(OpenAIResponsesAdapter, reading);
  }

  /** Reads items; text is what a user says. */
  items(items: unknown, place: string): void {
    if (typeof items === "string") {
      this.#reading.add("user", items === "" ? [] : [textPart(items)]);
      return;
    }
    for (const item of this.#reading.items(items, place)) this.item(item.whole(), item.place);
  }

  /**
   * Reads an item, of an agent that is named or not; returns whether it is an assistant's. What an
   * assistant said waits for the rest of the answer, which is all one agent's.
   */
  item(item: Json, place: string, agent?: string): boolean {
    const type = typeOf(item);
    if (type === undefined) throw this.#reading.refuse(place, "an item with its type, or a message", item);
    const call = OUTPUT_OF.get(type);
    const isSpoken = type === "message" && own(item, "role") !== "assistant";
    if (!isSpoken && call === undefined && type !== APPROVAL) {
      if (agent !== this.#agent) {
        this.finish();
        this.#agent = agent;
      }
      this.#run.push({ place, item: { ...item, type } });
      return true;
    }
    this.finish();
    const members = new Members(item, place, this.#reading);
    if (isSpoken) this.#spoken(members);
    else if (call !== undefined) this.#result(members, call);
    else this.#approval(members);
    return false;
  }

  // --- answers ----------------------------------------------------------------------------------

  /** Reads the answer whose items have come, if any. */
  finish(): void {
    const run = this.#run;
    this.#run = [];
    const author = this.#agent ? { agentPath: [this.#agent] } : undefined;
    if (run.every(({ item }) => isEasy(item))) {
      for (const { place, item } of run) this.#easy(new Members(item, place, this.#reading), author);
      return;
    }
    const items = run.map((each) => this.#prepared(each));
    const said = this.#answers.add(responseOf(items), undefined, { author });
    this.#remember(said, items);
    this.#noteDamage(run, items);
  }

  /** Reads a whole response. */
  response(body: Members): void {
    const reading = this.#reading;
    const run: Placed[] = [];
    for (const each of reading.items(body.value("output"), body.at("output"))) {
      const item = each.whole();
      const type = typeOf(item);
      if (type === undefined) throw reading.refuse(each.place, "an item with its type", item);
      run.push({ place: each.place, item: { ...item, type } });
    }
    const items = run.map((each) => this.#prepared(each));
    const kept: Json = { object: "response", store: true, output: items };
    body.skip("object", "response");
    for (const name of ["id", "model"]) {
      const given = body.text(name);
      if (given) kept[name] = given;
    }
    const running = readStatus(body, kept, reading);
    kept["usage"] = usageOf(body, reading) ?? null;
    kept["tools"] = body.list("tools") ?? null;
    if (saysAnything(kept["tools"])) reading.note("request-member", body.at("tools"));
    const said = this.#answers.addWhole(kept, undefined, { timestamp: timeOf(body, "created_at") });
    noteLostUsage(kept["usage"], said, reading);
    if (running !== undefined) said["meta"] = { ...(said["meta"] as Json), providerFinishReason: running };
    this.#remember(said, items);
    this.#noteDamage(run, items);
    body.close("request-member");
  }

  /** Returns an item as the adapter reads it; reports what it passes over. */
  #prepared({ place, item }: Placed): Item {
    const member = RESPONSES_CALLS.get(item.type);
    if (item.type === "message") {
      noteUntaken(own(item, "content"), `${place}/content`, this.#reading);
    } else if (member !== undefined) {
      if (!saysAnything(own(item, "call_id"))) this.#reading.note("call-id-invented", place);
      const given = own(item, member);
      if (isObject(given)) return { ...item, [member]: jsonText(given) };
    }
    return item;
  }

  #remember(message: Json, items: readonly Item[]): void {
    const bodies = items.filter(({ type }) => RESPONSES_CALLS.has(type));
    let from = 0; // calls come in the order of their items
    for (const { kind, payload } of message["parts"] as { kind: string; payload: Json }[]) {
      const callId = payload["toolCallId"] as string;
      if (kind === "approval_request") {
        this.#asked.set(payload["approvalId"] as string, callId);
      } else if (kind === "tool_call") {
        while (from < bodies.length && own(bodies[from] as Item, "name") !== payload["toolName"]) from++;
        this.#bodies.set(callId, bodies[from++] ?? {});
      }
    }
  }

  /** Reports each item of which something is lost. */
  #noteDamage(run: readonly Placed[], items: readonly Item[]): void {
    const answers = this.#answers;
    for (const [index, { place }] of run.entries()) {
      const item = items[index] as Item;
      const isLost = answers.wasDamaged && answers.isDamaged(responseOf([item]));
      if (isLost || isNested(item, MOST_LEVELS)) this.#reading.note("malformed-part", place);
    }
  }

  /** Reads a message of an assistant that is mere text. */
  #easy(item: Members, author: Json | undefined): void {
    const content = item.value("content") as string | { text: string }[];
    const text = typeof content === "string" ? content : content.map((part) => part.text).join("");
    item.value("role");
    this.#reading.add("assistant", text === "" ? [] : [textPart(text)], { author });
    close(item);
  }

  // --- what others say --------------------------------------------------------------------------

  #spoken(item: Members): void {
    const reading = this.#reading;
    const given = item.text("role");
    if (!given) throw reading.refuse(item.at("role"), "a role", item.value("role"));
    const role = ROLES.get(given);
    if (role === undefined) return reading.note("foreign-message", item.place);
    if (given === "developer") reading.note("role-form", item.at("role"));
    let parts = partsOf(item.value("content"), item.at("content"), reading);
    if (role === "system") parts = textsOf(parts, item.at("content"), reading);
    reading.add(role, parts, { messageId: item.text("id") || undefined });
    close(item);
  }

  #result(item: Members, kind: string): void {
    const reading = this.#reading;
    const { calls } = this.#answers;
    const given = item.text("call_id");
    const callId = (given ? calls.ofId(given) : calls.ofName(undefined))?.callId ?? given;
    if (!callId) return reading.note("foreign-message", item.place);
    if (!given) reading.note("call-id-invented", item.place);
    const body = this.#bodies.get(callId) ?? {};
    if (kind !== (own(body, "type") ?? "function_call")) reading.note("foreign-member", item.at("type"));
    for (const name of ["name", "caller", "namespace"]) {
      if (Object.hasOwn(body, name)) item.skip(name, body[name]); // the call says it
    }
    const output = item.value("output") ?? "";
    const content = Array.isArray(output) ? partsOf(output, item.at("output"), reading) : output;
    reading.add("tool", [resultPart(callId, content)], { messageId: item.text("id") || undefined });
    close(item);
  }

  /** Reads a person's answer; a request that is not here has the id of its call. */
  #approval(item: Members): void {
    const reading = this.#reading;
    const [approvalId, approves] = [item.text("approval_request_id"), item.flag("approve")];
    if (!approvalId || approves === undefined) return reading.note("foreign-message", item.place);
    const reason = item.text("reason");
    const payload: Json = {
      approvalId,
      toolCallId: this.#asked.get(approvalId) ?? approvalId,
      decision: approves ? "approved" : "denied",
      ...(reason === undefined ? {} : { reason }),
    };
    const part = { kind: "approval_response", payload };
    reading.add("user", [part], { messageId: item.text("id") || undefined });
    close(item);
  }
}

/** Takes how a response ended; returns the status of one that was stored before its end. */
function readStatus(body: Members, kept: Json, reading: Reading): string | undefined {
  const status = body.text("status") || undefined;
  const running = status === undefined || ENDED.includes(status) ? undefined : status;
  kept["status"] = running === undefined ? (status ?? null) : "incomplete";
  if (status === "incomplete") kept["incomplete_details"] = body.value("incomplete_details");
  kept["error"] = body.value("error");
  if (saysAnything(kept["error"])) reading.note("foreign-member", body.at("error"));
  return running;
}

/** Returns a whole response, as stored: all that comes of its reasoning has come. */
function responseOf(output: readonly Item[]): Json {
  return { object: "response", status: "completed", store: true, output };
}

/** Returns the type of an item; messages and references may have none. */
function typeOf(item: Json): string | undefined {
  const type = own(item, "type") ?? null;
  if (typeof type === "string" && type !== "") return type;
  if (type !== null) return undefined;
  if (typeof own(item, "role") === "string") return "message";
  return typeof own(item, "id") === "string" ? "item_reference" : undefined;
}

/** Tells whether an item is a message that is mere text, under no id of the provider. */
function isEasy(item: Item): boolean {
  if (item.type !== "message" || saysAnything(own(item, "id"))) return false;
  const content = own(item, "content");
  return Array.isArray(content) ? content.every(isPlain) : typeof content === "string";
}

/** Tells whether a part of content is text, and nothing more. */
function isPlain(part: unknown): boolean {
  if (!isObject(part) || !PLAIN.includes(own(part, "type")) || typeof own(part, "text") !== "string") return false;
  return Object.entries(part).every(([name, value]) => name === "type" || name === "text" || !saysAnything(value));
}

/** Reports what the adapter passes over in a message of an assistant; it keeps the rest. */
function noteUntaken(content: unknown, place: string, reading: Reading): void {
  const parts: unknown[] = Array.isArray(content) ? content : [];
  for (const [number, part] of parts.entries()) {
    if (!isObject(part) || !PLAIN.includes(own(part, "type"))) continue;
    const text = own(part, "text") ?? "";
    if (typeof text !== "string") reading.note("malformed-part", `${place}/${number}/text`);
    if (saysAnything(own(part, "logprobs"))) reading.note("foreign-member", `${place}/${number}/logprobs`);
  }
}

/** Reports what is left of an item, but for what says nothing. */
function close(item: Members): void {
  item.value("type");
  item.skip("status", "completed");
  item.close();
}

// --- content --------------------------------------------------------------------------------------

/** Returns the parts of content; what is not content is reported, and left out. */
function partsOf(content: unknown, place: string, reading: Reading): Json[] {
  if (content === null || content === "") return [];
  if (typeof content === "string") return [textPart(content)];
  if (!Array.isArray(content)) {
    reading.note("foreign-part", place);
    return [];
  }
  const found: Json[] = [];
  for (const [number, each] of (content as unknown[]).entries()) {
    const part = isObject(each) ? new Members(each, `${place}/${number}`, reading) : undefined;
    const made = part === undefined ? undefined : partOf(part, reading);
    if (made === undefined) {
      reading.note("foreign-part", `${place}/${number}`);
    } else {
      part?.close();
      found.push(made);
    }
  }
  return found;
}

function partOf(part: Members, reading: Reading): Json | undefined {
  const kind = part.text("type");
  if (PLAIN.includes(kind)) {
    const text = part.text("text");
    part.skip("annotations", []);
    part.skip("logprobs", []);
    return text === undefined ? undefined : textPart(text);
  }
  switch (kind) {
    case "input_image":
      part.skip("detail", "auto");
      return image(part, reading);
    case "input_file":
      return storedFile(part, part.place, reading);
    case "input_audio": {
      const inner = part.object(kind);
      const source = inner === undefined ? part : new Members(inner, part.at(kind), reading);
      const made = sound(source);
      if (inner !== undefined && made !== undefined) source.close();
      return made;
    }
    default:
      return undefined;
  }
}

function image(part: Members, reading: Reading): Json | undefined {
  const [url, fileId] = [part.text("image_url"), part.text("file_id")];
  if (url) {
    if (fileId) reading.note("foreign-member", part.at("file_id"));
    return atUrl(url, part.at("image_url"), reading, true);
  }
  if (!fileId) return undefined;
  reading.note("mime-invented", part.at("file_id"));
  return byId(fileId, "image/*");
}
