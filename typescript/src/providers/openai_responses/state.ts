/** What is kept of a response's items for the next request, and who executes which tool. */

import { codePoints } from "../../json/text.js";
import { isObject } from "../../json/values.js";
import type { OpaqueItem } from "../core/opaque.js";
import { type Members, member, saysAnything } from "../core/values.js";
import { channelOf, type Item, TEXT } from "./items.js";

// Built-in tools that the caller is to execute, though they are no functions of its own.
const CLIENT_TOOLS: ReadonlySet<string> = new Set([
  "computer_call",
  "local_shell_call",
  "apply_patch_call",
  "mcp_approval_request",
]);
const SERVER_ITEMS = ["_call", "_output", "mcp_list_tools", "program"];
const BOOKKEEPING: ReadonlySet<string> = new Set(["compaction", "compaction_summary", "additional_tools"]);
const TEXTS: ReadonlySet<string> = new Set(["text", "refusal", "logprobs"]);

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

/**
 * Returns what is kept of an item that is whole: reasoning and the items of server-side tools
 * unchanged; a message without its texts, which the parts hold, and without log probabilities.
 * What is left of each of its content parts follows, where there is more to say than that it is
 * text.
 */
export function keptItems(item: Item): OpaqueItem[] {
  const { part, start, end } = item.part >= 0 ? item : { ...item.place, end: item.place.start };
  if (item.kind !== "message") return [{ kind: item.kind, data: item.body, part, start, end }];
  const kept: OpaqueItem[] = [{ kind: "message", data: without(item.body, new Set(["content"])), part, start, end }];
  const given = member(item.body, "content");
  const contents: readonly unknown[] = Array.isArray(given) ? given : [];
  let at = start;
  for (const content of contents) {
    const channel = channelOf(content, TEXT);
    const text = channel === undefined ? undefined : member(content as Members, channel.whole);
    const stop = typeof text === "string" ? Math.min(end, at + codePoints(text)) : at;
    if (isObject(content)) {
      const state = channel === undefined ? content : without(content, TEXTS);
      if (contents.length > 1 || saysMore(state)) {
        kept.push({ kind: "content_part", data: state, part, start: at, end: stop });
      }
    }
    at = stop;
  }
  return kept;
}

function without(members: Members, names: ReadonlySet<string>): Members {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.has(name)));
}

function saysMore(part: Members): boolean {
  const kind = member(part, "type");
  const isText = kind === "output_text" || kind === "text";
  return !isText || Object.entries(part).some(([name, value]) => name !== "type" && saysAnything(value));
}
