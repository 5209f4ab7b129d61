/** Items of tools that the provider runs: what each says of its call, and of its result. */
import {
  RESPONSES_SERVER_CALLS as CALLS,
  RESPONSES_BOOKKEEPING,
  RESPONSES_CLIENT_ITEMS,
  RESPONSES_SERVER_RESULTS as RESULTS,
  RESPONSES_SERVER_ENDINGS as SERVER_ITEMS,
} from "../../generated/tables/provider-names.js";
import { isObject } from "../../json/values.js";
import { asJsonText, jsonTextAt, spelledLike } from "../core/spelling.js";
import { type ReadResult, readResult } from "../core/tool-results.js";
import { type Members, member, saidMember, saysAnything, wellFormed } from "../core/values.js";

/** The item that asks for approval: a call, which has no result itself. */
export const APPROVAL = "mcp_approval_request";

const CLIENT_TOOLS: ReadonlySet<string> = new Set(RESPONSES_CLIENT_ITEMS);
const BOOKKEEPING: ReadonlySet<string> = new Set(RESPONSES_BOOKKEEPING);

/** Tells whether an item is the provider's own: nothing that a reader misses. */
export function isBookkeeping(kind: string): boolean {
  return BOOKKEEPING.has(kind);
}

/** Tells whether an item is of a tool that the provider executes itself. */
export function isServerItem(kind: string, body: Members): boolean {
  if (CLIENT_TOOLS.has(kind)) return false;
  if (kind === "tool_search_call") return member(body, "execution") !== "client";
  if (kind === "shell_call") {
    const environment = member(body, "environment");
    return isObject(environment) && member(environment, "type") !== "local";
  }
  return SERVER_ITEMS.some((end) => kind.endsWith(end)) || kind.includes(":");
}

/** Tells whether an item is a call of the provider's that is reported as one. */
export function isServerCall(kind: string, body: Members): boolean {
  return CALLS.has(kind) && (kind === APPROVAL || isServerItem(kind, body));
}

/** Tells whether an item is the result alone of a call of the provider's. */
export function isServerOutput(kind: string): boolean {
  return RESULTS.has(kind) && !CALLS.has(kind);
}

/** Returns the name of the tool that is called, `""` where it has not come. */
export function nameOfTool(kind: string, body: Members): string {
  if (CALLS.get(kind) !== "arguments" || kind === "tool_search_call") return bareName(kind);
  const name = member(body, "name");
  return typeof name === "string" ? name : "";
}

/** Returns the type of a call's item as the name of its tool. */
export function bareName(kind: string): string {
  return kind.endsWith("_call") ? kind.slice(0, -"_call".length) : kind;
}

/** Returns the arguments of a whole call as text, but for those that come as code. */
export function argumentsText(kind: string, body: Members): string {
  const name = CALLS.get(kind) ?? "";
  const value = member(body, name);
  if (value === undefined || (name === "arguments" && typeof value === "string")) return (value as string) ?? "";
  if (name === "arguments") return jsonTextAt(body, name) ?? "";
  const holder = spelledLike({ [name]: value }, body);
  if (kind === "web_search_call" && isObject(value)) {
    const sources = RESULTS.get(kind);
    const entries = Object.entries(value).filter(([each]) => each !== sources);
    holder[name] = spelledLike(Object.fromEntries(entries), value);
  }
  return asJsonText(holder) ?? "";
}

// --- results -------------------------------------------------------------------------------------

/** What a call gave: for readers, as data, and how it came out. */
export interface ServerResult extends ReadResult {
  readonly outcome: string;
  /** Whether a model must not take it for a success. */
  readonly isError: boolean;
}

/** Returns what an item says of its result. */
export function resultOf(kind: string, body: Members): ServerResult {
  if (saidMember(body, "error") !== undefined) return { ...ofError(body), outcome: "error", isError: true };
  const action = member(body, "action");
  const holder = kind === "web_search_call" && isObject(action) ? action : body;
  const name = RESULTS.get(kind) ?? "";
  const outcome = outcomeOf(body);
  const read = kind === "tool_search_output" ? readResult(holder, name) : readList(holder, name);
  return { ...read, outcome, isError: outcome !== "success" };
}

function outcomeOf(body: Members): string {
  const status = member(body, "status");
  if (status === "failed") return "error";
  const outputs = member(body, "output");
  if (Array.isArray(outputs) && outputs.some(timedOut)) return "timeout";
  return status === "incomplete" ? "interrupted" : "success";
}

function timedOut(entry: unknown): boolean {
  const outcome = isObject(entry) ? member(entry, "outcome") : undefined;
  return isObject(outcome) && member(outcome, "type") === "timeout";
}

/** Returns what a result says; a list is the texts of its entries, one below the other. */
function readList(holder: Members, name: string): ReadResult {
  const read = readResult(holder, name);
  const value = member(holder, name);
  if (!Array.isArray(value)) return read;
  const texts = value.map(textOf);
  return texts.includes(undefined) ? read : { ...read, content: joined(texts.filter(isText)) };
}

/** Returns what one of several results says, undefined where that is not text. */
function textOf(entry: unknown): string | undefined {
  if (!isObject(entry)) return undefined;
  if (Object.hasOwn(entry, "stdout") || Object.hasOwn(entry, "stderr")) {
    return joined(textsOf(entry, "stdout", "stderr"));
  }
  const [text] = textsOf(entry, "text", "logs");
  if (text !== undefined) return text;
  const page = textsOf(entry, "title", "name", "url"); // or an image, or where a search looked
  return page.length > 0 ? page.join(" ") : undefined;
}

/** Returns the members of these names that are text, and not empty. */
function textsOf(entry: Members, ...names: string[]): string[] {
  return names.map((name) => member(entry, name)).filter(isText);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function joined(texts: readonly string[]): string {
  const lines = texts.slice(0, -1).map((text) => (text.endsWith("\n") ? text : `${text}\n`));
  return wellFormed([...lines, ...texts.slice(-1)].join(""));
}

/** Returns the error of an item: its message, what the tool said, or its code. */
function ofError(body: Members): ReadResult {
  const read = readResult(body, "error");
  const error = member(body, "error");
  if (!isObject(error)) return read;
  for (const name of ["message", "content", "code"]) {
    const value = member(error, name);
    const content = name === "content" ? readList(error, name).content : readResult(error, name).content;
    if (saysAnything(value) && content !== "") return { ...read, content };
  }
  return read;
}
