/**
 * Anthropic Messages: a request body, its messages, or one of them; an answer is one, too.
 *
 * - Results of tools are in user messages; they become a tool message, at their place.
 * - `system` is a system message before the others; a message of the role stays where it is.
 * - Search results, and documents that are lists of blocks, are read as their texts and images.
 * - What an answer says of itself (model, usage, why it ended) is its message's `meta`.
 */

import * as usageFigures from "../../generated/tables/usage-figures.js";
import { isObject } from "../../json/values.js";
import { AnthropicMessagesAdapter } from "../../providers/anthropic/stream.js";
import { inline, mediaPart, resultPart, textDocument, textPart, urlPart } from "../core/parts.js";
import { type Json, Members, type Reading } from "../core/reading.js";
import { Answers } from "./answers.js";
import { addSpoken, addWhole, answered, figures, REASONS, Turns } from "./pieces.js";

/** Members of an assistant's block that the adapter takes; it keeps blocks of other types whole. */
const TAKEN: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["text", ["type", "text", "citations"]],
  ["thinking", ["type", "thinking", "signature"]],
]);
/** Members of an answer that the adapter keeps as they are. */
const SAID = ["stop_sequence", "stop_details", "container"];
const PDF = "application/pdf"; // the only documents that are read from a URL
const BYTES = "application/octet-stream";

/** Reads a request, a list of messages, or one message. */
export function readAnthropic(source: unknown, reading: Reading): void {
  const turns = new Turns(new Answers(AnthropicMessagesAdapter, reading), reading, answerOf, "tool_use");
  if (isObject(source) && !Object.hasOwn(source, "messages")) {
    readMessage(reading.members(source, ""), turns, reading);
  } else {
    const [messages, place] = isObject(source) ? readRequest(source, turns.answers, reading) : [source, ""];
    for (const message of reading.items(messages, place)) readMessage(message, turns, reading);
  }
  turns.end();
}

/** Reads what a request has beside its messages, and returns these with their place. */
function readRequest(source: Json, answers: Answers, reading: Reading): [unknown, string] {
  const body = reading.members(source, "");
  const messages = body.value("messages");
  const place = body.at("system");
  const system = body.value("system");
  if (system !== null && !(Array.isArray(system) && system.length === 0)) {
    reading.add("system", new Blocks(answers, reading).parts(system, place, ["text"]));
  }
  body.close("request-member");
  return [messages, "/messages"];
}

function readMessage(message: Members, turns: Turns, reading: Reading): void {
  const role = message.text("role");
  const place = message.at("content");
  const content = message.value("content");
  if (role === undefined) throw reading.refuse(message.at("role"), "user, assistant or system", message.value("role"));
  const kinds = SPOKEN.get(role);
  if (role === "assistant") {
    readAnswer(message, content, turns, reading);
  } else if (kinds !== undefined) {
    turns.end();
    addSpoken(role, new Blocks(turns.answers, reading).parts(content, place, kinds), reading);
  } else {
    reading.note("foreign-message", message.place);
    return;
  }
  message.close();
}

// --- answers --------------------------------------------------------------------------------------

function readAnswer(message: Members, given: unknown, turns: Turns, reading: Reading): void {
  const place = message.at("content");
  const words = given === "" ? [] : [{ type: "text", text: given }];
  const content = typeof given === "string" ? words : given;
  for (const block of reading.items(content, place)) noteUntaken(block);
  message.skip("type", "message");
  const body = answerOf(content as Json[]);
  const said = new Map<string, string>();
  const messageId = message.text("id") || undefined;
  const model = message.text("model");
  if (model) {
    body["model"] = model;
    said.set("modelId", message.at("model"));
  }
  const reason = message.text("stop_reason");
  if (reason) {
    for (const name of REASONS) said.set(name, message.at("stop_reason"));
    body["stop_reason"] = reason;
  }
  const usage = message.object("usage");
  if (usage !== undefined) {
    said.set("usage", message.at("usage"));
    body["usage"] = usageOf(new Members(usage, message.at("usage"), reading));
  }
  const kept: Json = {};
  for (const name of SAID) {
    const value = message.value(name);
    if (value !== null) kept[name] = value;
  }
  if (said.size === 0 && Object.keys(kept).length === 0) {
    turns.add(content as Json[], place, messageId);
    return;
  }
  turns.end();
  const made = addWhole(turns.answers, { ...body, ...kept }, place, said, reading);
  if (messageId !== undefined) made["messageId"] = messageId;

  function usageOf(members: Members): Json {
    const found = figures(members, usageFigures.ANTHROPIC);
    const details = members.object("output_tokens_details");
    if (details !== undefined) {
      const inner = new Members(details, members.at("output_tokens_details"), reading);
      found["output_tokens_details"] = figures(inner, usageFigures.ANTHROPIC_DETAILS);
      inner.close();
    }
    members.close();
    return found;
  }
}

function answerOf(content: Json[]): Json {
  return { type: "message", role: "assistant", content, stop_reason: "end_turn" };
}

/** Reports what the adapter passes over in a block of an assistant. */
function noteUntaken(block: Members): void {
  const taken = TAKEN.get(block.text("type"));
  if (taken === undefined) return;
  for (const name of taken) block.value(name);
  block.close();
}

// --- what users and tools say ---------------------------------------------------------------------

const IN_RESULTS = ["text", "image", "document", "search_result"];
/** Role → the types of blocks that are parts of its messages. */
const SPOKEN: ReadonlyMap<string, readonly string[]> = new Map([
  ["user", [...IN_RESULTS, "tool_result"]],
  ["system", ["text"]],
]);

/** Blocks of content, read as parts. */
class Blocks {
  readonly #answers: Answers;
  readonly #reading: Reading;

  constructor(answers: Answers, reading: Reading) {
    this.#answers = answers;
    this.#reading = reading;
  }

  /** Returns the parts of text, or of blocks of these types. */
  parts(content: unknown, place: string, kinds: readonly string[]): Json[] {
    if (typeof content === "string") return content === "" ? [] : [textPart(content)];
    const parts: Json[] = [];
    for (const block of this.#reading.items(content, place)) {
      const kind = block.text("type");
      const found = kind !== undefined && kinds.includes(kind) ? this.#parts(kind, block) : undefined;
      if (found === undefined) {
        this.#reading.note("foreign-part", block.place);
      } else {
        parts.push(...found);
        block.close();
      }
    }
    return parts;
  }

  #parts(kind: string, block: Members): Json[] | undefined {
    if (kind === "text") {
      const text = block.text("text");
      return text === undefined ? undefined : [textPart(text)];
    }
    if (kind === "tool_result") return this.#result(block);
    if (kind === "search_result") return this.#simpler(block.value("content"), block.at("content"));
    const given = block.object("source");
    if (given === undefined) return undefined;
    const source = new Members(given, block.at("source"), this.#reading);
    const parts = this.#sourced(kind, source, block);
    if (parts !== undefined) source.close();
    return parts;
  }

  #sourced(kind: string, source: Members, block: Members): Json[] | undefined {
    const form = source.text("type");
    if (form === "content") return this.#simpler(source.value("content"), source.at("content"));
    const part = kind === "image" ? this.#image(form, source) : this.#document(form, source, block);
    return part === undefined ? undefined : [part];
  }

  /** Returns the texts and images of what has no part of its own. */
  #simpler(content: unknown, place: string): Json[] | undefined {
    if (typeof content !== "string" && !Array.isArray(content)) return undefined;
    this.#reading.note("content-form", place);
    return this.parts(content, place, ["text", "image"]);
  }

  #result(block: Members): Json[] | undefined {
    const own = block.text("tool_use_id");
    if (!own) return undefined;
    const given = block.value("content") ?? "";
    const content = typeof given === "string" ? given : this.parts(given, block.at("content"), IN_RESULTS);
    const callId = answered(this.#answers, own);
    return [resultPart(callId, content, block.flag("is_error") ?? false)];
  }

  #image(form: string | undefined, source: Members): Json | undefined {
    if (form === "base64") {
      const mimeType = source.text("media_type");
      return mimeType ? inline(mimeType, source.text("data") ?? "") : undefined;
    }
    if (form === "url") {
      const url = source.text("url");
      return url ? urlPart(url, source.place, this.#reading, true) : undefined;
    }
    const path = form === "file" ? source.text("file_id") : undefined;
    if (!path) return undefined;
    this.#reading.note("mime-invented", source.place);
    return { kind: "file_ref", payload: { path, mimeType: "image/*" } };
  }

  #document(form: string | undefined, source: Members, block: Members): Json | undefined {
    const name = block.text("title");
    if (form === "base64") {
      const mimeType = source.text("media_type");
      return mimeType ? inline(mimeType, source.text("data") ?? "", name) : undefined;
    }
    if (form === "text") {
      const text = source.text("data");
      return text === undefined ? undefined : textDocument(text, source.text("media_type") || "text/plain", name);
    }
    if (form === "url") {
      const url = source.text("url");
      return url ? mediaPart(PDF, { kind: "url", url }, name) : undefined;
    }
    const path = form === "file" ? source.text("file_id") : undefined;
    if (!path) return undefined;
    if (!name) return { kind: "file_ref", payload: { path } };
    this.#reading.note("mime-invented", source.place);
    return mediaPart(BYTES, { kind: "ref", ref: path }, name);
  }
}
