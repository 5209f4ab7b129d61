/**
 * Searches that Anthropic ran: their blocks, which it wants back, from what the SDK keeps of them.
 *
 * The SDK writes the pages as output, in its own spelling, with the sealed content that the provider needs;
 * ids say whose call it is. Of other tools the SDK does not keep the block.
 */

import { isObject, own } from "../../json/values.js";
import { readResult } from "../../providers/core/tool-results.js";
import type { Json } from "../core/reading.js";

const DIALECT = "anthropic-messages";
const IDS = "srvtoolu_";
const NAME = "web_search";
const RESULT = "web_search_tool_result";
/** Members of a page: the SDK's names, and the provider's. */
const PAGE: readonly (readonly [theirs: string, ours: string])[] = [
  ["type", "type"],
  ["url", "url"],
  ["title", "title"],
  ["pageAge", "page_age"],
  ["encryptedContent", "encrypted_content"],
];
const TO_BLOCK: ReadonlyMap<string, string> = /* @__PURE__ */ new Map(PAGE);
const TO_PAGE: ReadonlyMap<string, string> = /* @__PURE__ */ new Map(PAGE.map(([theirs, ours]) => [ours, theirs]));

/** Returns the state of a search; undefined for any other call. */
export function callState(callId: string, name: string, input: unknown): Json | undefined {
  if (!callId.startsWith(IDS) || name !== NAME || !isObject(input)) return undefined;
  return opaque("server_tool_use", { type: "server_tool_use", id: callId, name, input });
}

/** Returns the payload of a result as the adapter has it, where it is that of a search. */
export function withBlock(payload: Json): Json {
  const pages = payload["structured"];
  const callId = payload["toolCallId"] as string;
  if (!callId.startsWith(IDS) || !Array.isArray(pages) || Object.hasOwn(payload, "opaque")) return payload;
  if (pages.length === 0 || !pages.every(isPage)) return payload;
  const content = pages.map((page) => named(page, TO_BLOCK));
  const block = { type: RESULT, tool_use_id: callId, content };
  const said = readResult({ content }, "content");
  return { ...payload, ...said, opaque: opaque(RESULT, block), outcome: "success" };
}

/** Returns the pages of a search as the SDK has them; undefined for any other state. */
export function pagesOf(state: unknown): Json[] | undefined {
  if (!isObject(state) || state["provider"] !== DIALECT || !isObject(state["data"])) return undefined;
  const items = own(state["data"], "items");
  const blocks = (Array.isArray(items) ? items : []).map((each) => (isObject(each) ? own(each, "data") : undefined));
  const block = blocks.find((each) => isObject(each) && each["type"] === RESULT) as Json | undefined;
  const content = block === undefined ? undefined : own(block, "content");
  if (!Array.isArray(content) || content.length === 0 || !content.every(isObject)) return undefined;
  const pages = content.map((page) => named(page, TO_PAGE));
  return pages.every(isPage) ? pages : undefined;
}

function isPage(page: unknown): page is Json {
  if (!isObject(page) || page["type"] !== "web_search_result") return false;
  return Object.entries(page).every(
    ([name, said]) => TO_BLOCK.has(name) && (said === null || typeof said === "string"),
  );
}

/** Returns a page with other names; what has none gets one that no page has. */
function named(page: Json, names: ReadonlyMap<string, string>): Json {
  return Object.fromEntries(Object.entries(page).map(([name, said]) => [names.get(name) ?? "", said]));
}

function opaque(kind: string, data: Json): Json {
  return { provider: DIALECT, data: { items: [{ kind, data }] } };
}
