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
      const state = own(part, "state");
      const before = seen.get(key) ?? [];
      // Of a state that stays, the last form: a call that is shown again and again has few states.
      const states = [...(statusOf(before.at(-1)) === statusOf(state) ? before.slice(0, -1) : before), state];
      seen.set(key, states);
      found.set(`${index}/${number}`, states);
    }
  }
  return found;
}

function statusOf(state: unknown): unknown {
  return isObject(state) ? own(state, "status") : undefined;
}
