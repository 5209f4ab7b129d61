/**
 * Chat completions of OpenAI and of many others: a request, its messages, one of them, an answer.
 *
 * - `developer` is the system; the older `function` messages are results, and `function_call` is a call
 *   without an id.
 * - A result without an id is that of the first call which waits, of its name where it says one.
 * - Of a whole answer, choice 0 is the message, as in a stream.
 */

import { CHAT_CHUNK_STATE } from "../../generated/tables/provider-names.js";
import { jsonText } from "../../json/compact.js";
import { sameJson } from "../../json/equality.js";
import { codePoints } from "../../json/text.js";
import { isObject, own } from "../../json/values.js";
import { webAddress } from "../../providers/core/citations.js";
import { saysAnything } from "../../providers/core/values.js";
import { citationOf } from "../../providers/openai_chat/citations.js";
import { OpenAIChatAdapter } from "../../providers/openai_chat/stream.js";
import { resultPart, textPart, textsOf } from "../core/parts.js";
import { type Json, Members, type Reading } from "../core/reading.js";
import { Answers } from "./answers.js";
import { noteLostUsage, timeOf, usageOf } from "./openai-answer.js";
import { atUrl, sound, storedFile } from "./openai-media.js";

/** Reads a request, a list of messages, one message, or a chat completion. */
export function readChat(source: unknown, reading: Reading): void {
  const history = new ChatHistory(reading);
  if (!isObject(source)) {
    for (const message of reading.items(source, "")) history.message(message);
    return;
  }
  const body = reading.members(source, "");
  if (Object.hasOwn(source, "messages")) {
    const messages = body.value("messages");
    body.close("request-member");
    for (const message of reading.items(messages, "/messages")) history.message(message);
  } else if (Object.hasOwn(source, "choices")) {
    readCompletion(body, history, reading);
  } else {
    history.message(body);
  }
}

// --- a whole answer -------------------------------------------------------------------------------

function readCompletion(body: Members, history: ChatHistory, reading: Reading): void {
  const kept: Json = { object: "chat.completion" };
  for (const name of ["id", "model"]) {
    const given = body.text(name);
    if (given) kept[name] = given;
  }
  body.skip("object", "chat.completion");
  const [choice, ...others] = [...reading.items(body.value("choices"), "/choices")];
  if (choice === undefined) throw reading.refuse("/choices", "a choice", []);
  for (const { place } of others) reading.note("foreign-message", place);
  const usage = usageOf(body, reading);
  if (usage !== undefined) kept["usage"] = usage;
  choice.skip("index", 0);
  const reason = choice.text("finish_reason");
  const message = reading.members(choice.value("message"), choice.at("message"));
  choice.close();
  Object.assign(kept, sourcesOf(body, reading, message.hasText("content")));
  history.answer(message, { body: kept, reason, timestamp: timeOf(body, "created") });
  body.close();
}

/** Takes the sources of an answer; those of a text are its citations, of address and title. */
function sourcesOf(body: Members, reading: Reading, isCited: boolean): Json {
  const kept: Json = {};
  for (const name of CHAT_CHUNK_STATE) {
    const given = body.value(name);
    if (!saysAnything(given)) continue;
    kept[name] = given;
    if (!Array.isArray(given) || !isCited) continue;
    const pages: unknown[] = [];
    kept[name] = pages;
    for (const [number, each] of (given as unknown[]).entries()) {
      const at = `${body.at(name)}/${number}`;
      const page = new Members(isObject(each) ? each : { url: each }, at, reading);
      if (webAddress(page.value("url")) === undefined) {
        reading.note("foreign-part", at);
      } else {
        pages.push(each);
        page.value("title");
        page.close();
      }
    }
  }
  return kept;
}

// --- messages -------------------------------------------------------------------------------------

/** Members of an assistant's message that the adapter reads, or keeps as they are. */
const TAKEN = [
  "content",
  "refusal",
  "reasoning_content",
  "reasoning",
  "reasoning_details",
  "annotations",
  "audio",
  "images",
  "executed_tools",
  "extra_content",
  "thinking_blocks",
  "reasoning_signature",
];
/** Of these the adapter makes parts: member → the members of each that it takes. */
const TAKEN_OF: ReadonlyMap<string, readonly string[]> = new Map([
  ["audio", ["id", "data", "transcript", "expires_at"]],
  ["images", ["image_url"]],
  [
    "executed_tools",
    ["type", "name", "id", "arguments", "output", "search_results", "code_results", "browser_results"],
  ],
]);
const TAKEN_OF_CITATION = ["url", "title", "file_id", "filename", "content", "start_index", "end_index"];
const TAKEN_OF_PART: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["text", ["text"]],
  ["thinking", ["thinking", "signature"]],
  ["refusal", ["refusal"]],
]);

/** What a whole answer says beside its message. */
interface Completion {
  readonly body: Json;
  readonly reason: string | undefined;
  readonly timestamp: string | undefined;
}

/** The messages read so far. */
class ChatHistory {
  readonly #reading: Reading;
  readonly #answers: Answers;

  constructor(reading: Reading) {
    this.#reading = reading;
    this.#answers = new Answers(OpenAIChatAdapter, reading);
  }

  /** Reads a message. */
  message(message: Members): void {
    const role = message.text("role");
    if (!role) throw this.#reading.refuse(message.at("role"), "a role", message.value("role"));
    if (role === "developer" || role === "function") this.#reading.note("role-form", message.at("role"));
    switch (role) {
      case "assistant":
        return this.answer(message);
      case "user":
        return this.#spoken(message, "user");
      case "system":
      case "developer":
        return this.#spoken(message, "system");
      case "tool":
      case "function":
        return this.#result(message);
      default:
        this.#reading.note("foreign-message", message.place);
    }
  }

  #spoken(message: Members, role: string): void {
    let parts = partsOf(message.value("content"), message.at("content"), this.#reading);
    if (role === "system") parts = textsOf(parts, message.at("content"), this.#reading);
    this.#reading.add(role, parts, namesOf(message));
    message.close();
  }

  #result(message: Members): void {
    const reading = this.#reading;
    const { calls } = this.#answers;
    const [name, own] = [message.text("name"), message.text("tool_call_id")];
    const call = own ? calls.ofId(own) : calls.ofName(name || undefined);
    const callId = call?.callId ?? own;
    if (!callId) return reading.note("foreign-message", message.place);
    if (!own) reading.note("call-id-invented", message.place);
    if (name !== undefined && call?.name !== name) reading.note("foreign-member", message.at("name"));
    const given = message.value("content") ?? "";
    const content = Array.isArray(given) ? partsOf(given, message.at("content"), reading) : given;
    reading.add("tool", [resultPart(callId, content)], { messageId: message.text("id") || undefined });
    message.close();
  }

  // --- the assistant ----------------------------------------------------------------------------

  /** Reads a message of an assistant, or of a whole answer. */
  answer(message: Members, whole?: Completion): void {
    const reading = this.#reading;
    message.skip("role", "assistant");
    message.skip("prefix", false);
    const names = namesOf(message);
    const said: Json = { role: "assistant" };
    const thinking = message.text("thinking");
    const length = lengthOf(message.peek("content"));
    for (const name of TAKEN) {
      if (!message.has(name)) continue;
      said[name] = message.value(name);
      noteUntaken(name, said[name], message.at(name), length, reading);
    }
    if (thinking && !saysAnything(said["reasoning_content"])) {
      said["reasoning_content"] = thinking; // as templates for open models call it
    } else if (thinking) {
      reading.note("foreign-member", message.at("thinking"));
    }
    this.#dropRepeated(said, message);
    const calls = message.value("tool_calls");
    if (calls !== null) said["tool_calls"] = this.#calls(calls, message.at("tool_calls"));
    const call = message.value("function_call");
    if (call !== null) {
      const at = message.at("function_call");
      reading.note("call-id-invented", at);
      said["function_call"] = isObject(call) ? functionOf(new Members(call, at, reading)) : call;
    }
    this.#add(said, message.place, names, whole);
    message.close();
  }

  #add(said: Json, place: string, names: Json, whole: Completion | undefined): void {
    const object = "chat.completion";
    const choice = { index: 0, message: said, finish_reason: whole?.reason || "stop" };
    if (whole === undefined) {
      this.#answers.add({ object, choices: [choice] }, place, names);
      return;
    }
    const { body, reason, timestamp } = whole;
    const added = this.#answers.addWhole({ object, ...body, choices: [choice] }, place, { ...names, timestamp });
    noteLostUsage(body["usage"], added, this.#reading);
    if (!reason) {
      // It is whole, and nobody says why it ended.
      const { providerFinishReason: _, ...meta } = added["meta"] as Json;
      added["meta"] = { ...meta, finishReason: "unknown" };
    }
  }

  /** Leaves out reasoning that another member says already: some vendors send both. */
  #dropRepeated(said: Json, message: Members): void {
    const [first, second] = [said["reasoning_content"] ?? null, said["reasoning"] ?? null];
    if (!saysAnything(first) || !saysAnything(second)) return;
    if (!sameJson(first, second)) this.#reading.note("foreign-member", message.at("reasoning"));
    delete said["reasoning"];
  }

  /** Returns calls as the adapter reads them; what does not look like one it reports. */
  #calls(calls: unknown, place: string): unknown {
    if (!Array.isArray(calls) || !calls.every(isObject)) return calls;
    return calls.map((call, number) => this.#call(new Members(call, `${place}/${number}`, this.#reading), number));
  }

  #call(call: Members, number: number): Json {
    const reading = this.#reading;
    call.skip("index", number, 0); // of a whole message it says nothing
    const [kind, own] = [call.text("type"), call.value("id")];
    if (!saysAnything(own)) reading.note("call-id-invented", call.place);
    const made: Json = { id: own, extra_content: call.value("extra_content") };
    const custom = call.object("custom");
    if (custom !== undefined) {
      const inner = new Members(custom, call.at("custom"), reading);
      made["function"] = { name: inner.value("name"), arguments: inner.value("input") };
      inner.close();
      reading.note("foreign-member", call.at("type")); // it goes back as a function
    } else {
      const given = call.object("function");
      if (given !== undefined) made["function"] = functionOf(new Members(given, call.at("function"), reading));
      // Some leave the layer out.
      else made["function"] = call.has("function") ? call.value("function") : namedIn(call);
      if (kind !== undefined && kind !== "function") reading.note("foreign-member", call.at("type"));
    }
    call.close();
    return made;
  }
}

/** Returns a function's call with its arguments as text, and reports what else it has. */
function functionOf(members: Members): Json {
  const made = namedIn(members);
  members.close();
  return made;
}

/** Takes name and arguments of a call; some store an object where text is meant. */
function namedIn(members: Members): Json {
  const [name, given] = [members.value("name"), members.value("arguments")];
  return { name, arguments: isObject(given) ? jsonText(given) : given };
}

/** Takes the id and the author of a message. */
function namesOf(message: Members): Json {
  message.skip("name", "");
  const name = message.text("name");
  return { messageId: message.text("id") || undefined, author: name ? { name } : undefined };
}

/** Returns how many characters the text of an answer has. */
function lengthOf(content: unknown): number {
  const parts: unknown[] = Array.isArray(content) ? content : [content];
  const texts = parts.map((part) => (isObject(part) ? own(part, "text") : part));
  return texts.reduce<number>((sum, text) => sum + (typeof text === "string" ? codePoints(text) : 0), 0);
}

/** Reports the place of a citation that is not one in the text; 0 and 0 is none. */
function notePlace(cited: Json, members: Members, length: number, reading: Reading): void {
  const [start, end] = [own(cited, "start_index") ?? null, own(cited, "end_index") ?? null];
  const isPlace = isInteger(start) && isInteger(end) && start >= 0 && start < end && end <= length;
  if (length === 0 || isPlace || !(saysAnything(start) || saysAnything(end))) return;
  if (start !== null) reading.note("foreign-member", members.at("start_index"));
  if (end !== null) reading.note("foreign-member", members.at("end_index"));
}

const isInteger = (value: unknown): value is number => Number.isInteger(value);

/** Reports what the adapter passes over in a member of an assistant's message. */
function noteUntaken(name: string, value: unknown, place: string, length: number, reading: Reading): void {
  if (name === "audio" && isObject(value) && !saysAnything(own(value, "data"))) return; // kept whole
  const each: unknown[] = Array.isArray(value) ? value : [value];
  for (const [number, one] of each.entries()) {
    if (!isObject(one)) continue;
    const members = new Members(one, Array.isArray(value) ? `${place}/${number}` : place, reading);
    const taken = TAKEN_OF.get(name);
    if (name === "content") {
      noteUntakenPart(members, reading);
    } else if (name === "annotations") {
      if (citationOf(one) !== undefined) noteUntakenCitation(one, members, length, reading);
    } else if (taken !== undefined) {
      if (Array.isArray(value)) members.skip("index", number);
      else members.skip("index");
      if (name === "images") members.skip("type", "image_url");
      for (const each of taken) members.value(each);
      members.close();
    }
  }
}

function noteUntakenCitation(annotation: Json, members: Members, length: number, reading: Reading): void {
  const kind = members.text("type") ?? "";
  const inner = members.object(kind);
  const cited = inner === undefined ? members : new Members(inner, members.at(kind), reading);
  for (const name of TAKEN_OF_CITATION) cited.value(name);
  notePlace(inner ?? annotation, cited, length, reading);
  cited.close();
  if (inner !== undefined) members.close();
}

function noteUntakenPart(part: Members, reading: Reading): void {
  const taken = TAKEN_OF_PART.get(part.text("type"));
  if (taken === undefined) return; // kept whole
  for (const name of taken) {
    const given = part.value(name);
    const blocks: unknown[] = name === "thinking" && Array.isArray(given) ? given : [];
    for (const [number, each] of blocks.entries()) {
      if (!isObject(each)) continue;
      const inner = new Members(each, `${part.at(name)}/${number}`, reading);
      inner.value("text");
      inner.skip("type", "text");
      inner.close();
    }
  }
  part.close();
}

// --- what users and tools say ---------------------------------------------------------------------

/** Part of a vendor's → whether it is an image; its URL is in the member of its name. */
const AT_URL: ReadonlyMap<string, boolean> = new Map([
  ["image_url", true],
  ["document_url", false],
  ["video_url", false],
  ["audio_url", false],
  ["file_url", false],
]);

/** Returns the parts of content; what is not content is reported, and left out. */
function partsOf(content: unknown, place: string, reading: Reading): Json[] {
  if (content === null || content === "") return [];
  if (typeof content === "string") return [textPart(content)];
  if (!Array.isArray(content)) return partAt(content, place, reading);
  return content.flatMap((each: unknown, number) => partAt(each, `${place}/${number}`, reading));
}

function partAt(each: unknown, at: string, reading: Reading): Json[] {
  let part: Json | undefined;
  if (typeof each === "string") part = textPart(each);
  else if (isObject(each)) part = partOf(new Members(each, at, reading), reading);
  if (part !== undefined) return [part];
  reading.note("foreign-part", at);
  return [];
}

function partOf(part: Members, reading: Reading): Json | undefined {
  const kind = part.text("type") ?? "";
  let made: Json | undefined;
  const isImage = AT_URL.get(kind);
  if (kind === "text" || kind === "input_text" || kind === "output_text") {
    const text = part.text("text");
    made = text === undefined ? undefined : textPart(text);
  } else if (isImage !== undefined) {
    made = linked(kind, isImage, part, reading);
  } else if (kind === "input_audio" || kind === "file") {
    const inner = part.object(kind);
    if (inner !== undefined) {
      const source = new Members(inner, part.at(kind), reading);
      made = kind === "input_audio" ? sound(source) : storedFile(source, part.at(kind), reading);
      if (made !== undefined) source.close();
    }
  }
  if (made !== undefined) part.close();
  return made;
}

function linked(kind: string, isImage: boolean, part: Members, reading: Reading): Json | undefined {
  const [place, given] = [part.at(kind), part.value(kind)];
  const name = part.text("document_name") || undefined;
  if (typeof given === "string") return atUrl(given, place, reading, isImage, name);
  if (!isObject(given)) return undefined;
  const inner = new Members(given, place, reading);
  const made = atUrl(inner.text("url") ?? "", place, reading, isImage, name);
  if (made !== undefined) {
    inner.skip("detail", "auto");
    inner.close();
  }
  return made;
}
