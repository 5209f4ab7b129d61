/**
 * Results of tools that the provider ran: what anybody can read of them, and their data.
 *
 * Source: decision 0040.
 */

import { isObject, put } from "../../json/values.js";
import { MAX_DEPTH, storable } from "./kept-state.js";
import { jsonTextAt, memberNames, spelledLike } from "./spelling.js";
import { type Members, member, wellFormed } from "./values.js";

const SEALED = "encrypted_"; // members that only the provider can read begin so
const STREAMS = [
  ["stdout", "stderr"],
  ["stdOut", "stdErr"],
] as const;

/** The text of a result, and the value that it comes from where that says more. */
export interface ReadResult {
  readonly content: string;
  readonly structured?: unknown;
}

/** Returns what a member of a provider's result says: as text, and as data without what is sealed. */
export function readResult(holder: Members, name: string): ReadResult {
  const data = unsealed(member(holder, name));
  const read = textOf(data);
  // As it was written: a number alone is spelled in what holds it.
  const content = read ?? jsonTextAt(spelledLike({ [name]: data }, holder), name) ?? "";
  return data === null || data === content ? { content } : { content, structured: data };
}

/** Returns a copy of a value without its sealed members, as documents may hold it. */
function unsealed(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null || depth >= MAX_DEPTH) return storable(value, depth);
  if (Array.isArray(value))
    return spelledLike(
      value.map((item: unknown) => unsealed(item, depth + 1)),
      value,
    );
  const made: Members = {};
  for (const name of memberNames(value)) {
    if (!name.startsWith(SEALED)) put(made, wellFormed(name), unsealed((value as Members)[name], depth + 1));
  }
  return spelledLike(made, value, wellFormed);
}

/** Returns what can be read without JSON. */
function textOf(data: unknown): string | undefined {
  if (data === null) return "";
  if (typeof data === "string") return data;
  if (Array.isArray(data)) return ofBlocks(data);
  return isObject(data) ? ofObject(data) : undefined;
}

/** Returns the code of an error, or what a program wrote. */
function ofObject(data: Members): string | undefined {
  const code = data["error_code"];
  if (typeof code === "string") return code;
  for (const names of STREAMS) {
    const written = names.map((name) => data[name]).filter((text) => typeof text === "string");
    if (written.length > 0) return written.join("");
  }
  return undefined;
}

/** Returns the texts of blocks, joined, or a line for each page. */
function ofBlocks(items: readonly unknown[]): string | undefined {
  const blocks = items.filter(isObject);
  if (blocks.length < items.length) return undefined;
  const texts = blocks.map((block) => block["text"]).filter((text) => typeof text === "string");
  if (texts.length > 0 || items.length === 0) return texts.join("");
  const pages = blocks.map((page) => [page["title"], page["url"]].filter(isSaid).join(" "));
  return pages.every((page) => page !== "") ? pages.join("\n") : undefined;
}

function isSaid(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}
