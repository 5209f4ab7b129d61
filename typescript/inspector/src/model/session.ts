/** The states of the tool calls of a session. */

import { isObject, own } from "../../../src/json/values.js";

/**
 * Returns, for each tool part by the numbers of its document and its own, the states of its call up to it: one, or
 * several where the documents show the same part of the same message again and again.
 */
export function statesOfCalls(documents: readonly unknown[]): ReadonlyMap<string, readonly unknown[]> {
  const found = new Map<string, readonly unknown[]>();
  const seen = new Map<string, readonly unknown[]>();
  for (const [index, document] of documents.entries()) {
    const parts = isObject(document) ? own(document, "parts") : undefined;
    const info = isObject(document) ? own(document, "info") : undefined;
    const message = isObject(info) ? own(info, "id") : undefined;
    if (!Array.isArray(parts)) continue;
    for (const [number, part] of parts.entries()) {
      if (!isObject(part) || own(part, "type") !== "tool") continue;
      const key = JSON.stringify([message, own(part, "id"), own(part, "callID")]);
      const states = [...(seen.get(key) ?? []), own(part, "state")];
      seen.set(key, states);
      found.set(`${index}/${number}`, states);
    }
  }
  return found;
}
