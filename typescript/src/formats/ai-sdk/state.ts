/**
 * Provider state: `providerMetadata` of a part, and `opaque` as our adapters write it.
 *
 * One table per provider. What no adapter would write stays whole, as state of `ai-sdk`.
 */

import { codePoints } from "../../json/text.js";
import { isObject, own, put } from "../../json/values.js";
import { PARTWIRE } from "../core/extension.js";
import { type Json, Members, type Reading } from "../core/reading.js";

/** Whose state it is that only this format reads; the member of `meta` that is its own, too. */
export const OWN = "ai-sdk";

type Dialect = "anthropic-messages" | "openai-responses" | "gemini" | "bedrock-converse";

const DIALECTS: ReadonlyMap<string, Dialect> = /* @__PURE__ */ new Map<string, Dialect>([
  ["anthropic", "anthropic-messages"],
  ["openai", "openai-responses"],
  ["azure", "openai-responses"],
  ["google", "gemini"],
  ["vertex", "gemini"],
  ["googleVertex", "gemini"],
  ["bedrock", "bedrock-converse"],
  ["amazonBedrock", "bedrock-converse"],
]);
const NAMES: ReadonlyMap<string, string> = /* @__PURE__ */ new Map<Dialect, string>([
  ["anthropic-messages", "anthropic"],
  ["openai-responses", "openai"],
  ["gemini", "google"],
  ["bedrock-converse", "bedrock"],
]);

/** A stretch of a text with the state that belongs to it, as one part of a UI message. */
export interface Piece {
  readonly text: string;
  readonly metadata: Json;
  /** It is read back as one part with the piece before it. */
  readonly goesOn?: boolean;
}

/** Returns state of ours, which only this format reads. */
export function ownState(members: Json): Json {
  return { provider: OWN, data: members };
}

// --- to opaque ------------------------------------------------------------------------------------

/**
 * Returns the state that `metadata` at `place` says of a part; `kind` is our part's. Of several providers the
 * first counts that an adapter of ours knows; the others are reported.
 */
export function opaqueOf(
  kind: string,
  metadata: Json,
  text: string,
  place: string,
  reading: Reading,
): Json | undefined {
  const whole = new Members(metadata, place, reading);
  const names = Object.keys(metadata);
  const ours = own(metadata, PARTWIRE);
  const said = isObject(ours) ? own(ours, "opaque") : undefined;
  if (isOpaque(said)) {
    for (const other of names) if (other !== PARTWIRE) reading.note("duplicate-text", whole.at(other));
    return said;
  }
  if (whole.has(PARTWIRE) && (!isObject(ours) || Object.hasOwn(ours, "opaque"))) {
    reading.note("extension-unread", whole.at(PARTWIRE));
  }
  for (const [name, value] of Object.entries(metadata)) {
    const dialect = DIALECTS.get(name);
    if (dialect === undefined || !isObject(value)) continue;
    const mine = new Members(value, whole.at(name), reading);
    const items = ITEMS[dialect](kind, mine, text);
    if (items.length === 0) continue;
    if (NAMES.get(dialect) !== name) reading.note("state-form", place);
    mine.close();
    for (const other of names) if (other !== name) reading.note("foreign-member", whole.at(other));
    return { provider: dialect, data: { items } };
  }
  const { [PARTWIRE]: _, ...left } = metadata;
  return Object.keys(left).length > 0 ? ownState({ providerMetadata: left }) : undefined;
}

function isOpaque(value: unknown): value is Json {
  if (!isObject(value) || !isObject(value["data"])) return false;
  return typeof value["provider"] === "string" && value["provider"] !== "";
}

/** Returns an item as an adapter keeps it; `text` is what it is beside, undefined where that is not text. */
function item(kind: string, data: unknown, text?: string, isPoint = false): Json {
  if (text === undefined) return { kind, data };
  return { kind, data, start: 0, end: isPoint ? 0 : codePoints(text) };
}

type ItemsOf = (kind: string, mine: Members, text: string) => Json[];

const anthropic: ItemsOf = (kind, mine, text) => {
  if (kind === "thinking") {
    const found = sealed(mine, text, "redacted_thinking", (data) => ({ type: "redacted_thinking", data }));
    if (found.length > 0) return found;
  }
  const caller = kind === "tool_call" ? mine.object("caller") : undefined;
  if (caller === undefined || Object.keys(caller).length === 0) return [];
  return [item("call", { caller: renamed(caller, "toolId", "tool_id") })];
};

const bedrock: ItemsOf = (kind, mine, text) => {
  if (kind !== "thinking") return [];
  return sealed(mine, text, "redactedContent", (data) => ({ reasoningContent: { redactedContent: data } }));
};

/** Takes the signature of reasoning, or reasoning that only the provider can read. */
function sealed(mine: Members, text: string, kind: string, make: (data: string) => Json): Json[] {
  const signature = mine.text("signature");
  if (signature) return [item("signature", signature, text)];
  const redacted = text === "" ? mine.text("redactedData") : undefined;
  return redacted ? [item(kind, make(redacted), text, true)] : [];
}

const google: ItemsOf = (kind, mine, text) => {
  if (!["thinking", "text", "tool_call", "media"].includes(kind)) return [];
  const isText = kind === "thinking" || kind === "text";
  const signature = mine.text("thoughtSignature");
  return signature ? [item("thoughtSignature", signature, isText ? text : undefined)] : [];
};

const openai: ItemsOf = (kind, mine, text) => {
  const id = mine.text("itemId");
  if (!id) return [];
  if (kind === "thinking") {
    const summary = text === "" ? [] : [{ type: "summary_text", text }];
    const data: Json = { type: "reasoning", id, summary };
    const encrypted = mine.text("reasoningEncryptedContent");
    if (encrypted !== undefined) data["encrypted_content"] = encrypted;
    return [item("reasoning", data, text)];
  }
  if (kind === "text") {
    const head: Json = { type: "message", id, role: "assistant", status: "completed" };
    const phase = mine.text("phase");
    if (phase !== undefined) head["phase"] = phase;
    const annotations = mine.list("annotations") ?? [];
    const part = { type: "output_text", annotations };
    return [item("message", head, text), ...(annotations.length > 0 ? [item("content_part", part, text)] : [])];
  }
  if (kind !== "tool_call") return [];
  return [item("function_call", { type: "function_call", id, status: "completed" })];
};

const ITEMS: Readonly<Record<Dialect, ItemsOf>> = {
  "anthropic-messages": anthropic,
  "bedrock-converse": bedrock,
  gemini: google,
  "openai-responses": openai,
};

function renamed(value: Json, old: string, now: string): Json {
  const made: Json = {};
  for (const [name, each] of Object.entries(value)) put(made, name === old ? now : name, each);
  return made;
}

// --- from opaque ----------------------------------------------------------------------------------

/** Returns the metadata of a part that is not text; {} where the state has no place there. */
export function metadataOf(kind: string, opaque: unknown): Json {
  const { provider, items } = itemsOf(opaque);
  if (provider === OWN) return ownMetadata(opaque);
  for (const each of items) {
    const said = saidOf(kind, each);
    if (!isEmpty(said)) return { [NAMES.get(provider) ?? ""]: said };
  }
  return {};
}

/** Returns a part of text as parts of a UI message: cut where pieces of state begin and end. */
export function piecesOf(kind: string, text: string, opaque: unknown): Piece[] {
  const { provider, items } = itemsOf(opaque);
  if (provider === OWN) return [{ text, metadata: ownMetadata(opaque) }];
  const characters = new Characters(text);
  const pieces: Piece[] = [];
  let at = 0;
  for (const { start, end, said } of spans(kind, characters.length, items)) {
    if (start > at) pieces.push({ text: characters.slice(at, start), metadata: {} });
    pieces.push(...summaries(characters.slice(start, end), NAMES.get(provider) ?? "", said));
    at = end;
  }
  if (at < characters.length || pieces.length === 0) {
    pieces.push({ text: characters.slice(at, characters.length), metadata: {} });
  }
  return pieces;
}

/** A text by its characters: places of state count code points. */
class Characters {
  readonly length: number;
  readonly #text: string | readonly string[];

  constructor(text: string) {
    this.length = codePoints(text);
    this.#text = this.length === text.length ? text : [...text];
  }

  slice(start: number, end: number): string {
    const found = this.#text.slice(start, end);
    return typeof found === "string" ? found : found.join("");
  }
}

function itemsOf(opaque: unknown): { readonly provider: string; readonly items: readonly Json[] } {
  const { provider, data } = isObject(opaque) ? opaque : {};
  if (provider === OWN) return { provider, items: [] };
  const items = isObject(data) ? own(data, "items") : undefined;
  if (typeof provider !== "string" || !NAMES.has(provider) || !Array.isArray(items)) return { provider: "", items: [] };
  return { provider, items: items.filter(isObject) };
}

function ownMetadata(opaque: unknown): Json {
  const data = isObject(opaque) ? opaque["data"] : undefined;
  const found = isObject(data) ? own(data, "providerMetadata") : undefined;
  return isObject(found) ? found : {};
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly said: Json;
}

/** Returns the stretches of a text with state, in order; the first of those that overlap. */
function spans(kind: string, length: number, items: readonly Json[]): Span[] {
  const found = items.flatMap((each): Span[] => {
    const said = saidOf(kind, each);
    const { start = 0, end = length, partOffset } = each;
    if (isEmpty(said) || !isInteger(start) || !isInteger(end) || partOffset) return [];
    return 0 <= start && start <= end && end <= length ? [{ start, end, said }] : [];
  });
  found.sort((one, other) => one.start - other.start || one.end - other.end);
  const kept: Span[] = [];
  for (const span of found) {
    const last = kept.at(-1);
    if (last !== undefined && last.start === span.start && last.end === span.end) {
      kept[kept.length - 1] = { ...last, said: { ...span.said, ...last.said } };
    } else if (last === undefined || span.start >= last.end) {
      kept.push(span);
    }
  }
  return kept;
}

const isInteger = (value: unknown): value is number => Number.isInteger(value);
const isEmpty = (value: Json): boolean => Object.keys(value).length === 0;

/** Returns what the SDK's provider says for an item of an adapter; {} where it has no word. */
function saidOf(kind: string, each: Json): Json {
  const { kind: form, data } = each;
  if (form === "signature" || form === "thoughtSignature") {
    const isRight = typeof data === "string" && (form !== "signature" || kind === "thinking");
    return isRight ? { [form]: data } : {};
  }
  const say = isObject(data) && typeof form === "string" ? SAID.get(`${kind} ${form}`) : undefined;
  return say === undefined ? {} : say(data as Json);
}

/** Our kind of a part, and the kind of an item → what is said of its data. */
const SAID: ReadonlyMap<string, (data: Json) => Json> = /* @__PURE__ */ new Map<string, (data: Json) => Json>([
  ["thinking redacted_thinking", (data) => texts({ redactedData: own(data, "data") })],
  ["thinking redactedContent", redactedContent],
  ["thinking reasoning", reasoning],
  ["text message", (data) => texts({ itemId: own(data, "id"), ...optional("phase", own(data, "phase")) })],
  ["text content_part", (data) => (Array.isArray(data["annotations"]) ? { annotations: data["annotations"] } : {})],
  ["tool_call function_call", (data) => texts({ itemId: own(data, "id") })],
  ["tool_call call", call],
]);

function call(data: Json): Json {
  const caller = own(data, "caller");
  return isObject(caller) ? { caller: renamed(caller, "tool_id", "toolId") } : {};
}

function redactedContent(data: Json): Json {
  const inner = own(data, "reasoningContent");
  return texts({ redactedData: isObject(inner) ? own(inner, "redactedContent") : undefined });
}

function reasoning(data: Json): Json {
  const encrypted = own(data, "encrypted_content");
  const said = texts({ itemId: own(data, "id"), ...optional("reasoningEncryptedContent", encrypted) });
  const summary = own(data, "summary");
  if (isEmpty(said) || !Array.isArray(summary) || summary.length < 2) return said;
  return { ...said, [SUMMARY]: summary.filter(isObject).map((each) => own(each, "text")) };
}

/** Returns members that are all text; {} for others. */
function texts(said: Json): Json {
  return Object.values(said).every((value) => typeof value === "string") ? said : {};
}

const optional = (name: string, value: unknown): Json => (typeof value === "string" ? { [name]: value } : {});

/** The texts of a reasoning item with several: each is a part of the UI message. */
const SUMMARY = "\0summary";

function summaries(text: string, name: string, metadata: Json): Piece[] {
  const { [SUMMARY]: found, ...said } = metadata;
  const each = Array.isArray(found) ? found : [];
  const isCut = each.length > 0 && each.every((one) => typeof one === "string" && one !== "");
  const cut: string[] = isCut && each.join("") === text ? each : [text];
  return cut.map((one, at) => ({ text: one, metadata: { [name]: { ...said } }, goesOn: at > 0 }));
}
