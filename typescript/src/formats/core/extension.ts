/**
 * Members of ours in a document of theirs: what their format has no place for.
 *
 * `metadata.partwire` (each format says where) is `{"messages": {"0": …}}`, for each of our messages that
 * became one of theirs: the members of its head, and of its parts those that are read back in another way;
 * or the messages whole, where even their number is another. Objects throughout, since others join such
 * metadata member by member.
 */

import { ReadError } from "../../errors.js";
import { sameJson } from "../../json/equality.js";
import { isObject, own, put } from "../../json/values.js";
import { readAs } from "../../reading/checks.js";
import { type Json, MESSAGE, type Reading } from "./reading.js";

export const PARTWIRE = "partwire";

const WHOLE = "message";

/** Returns the extension that makes `messages` of what is read back of them. */
export function changes(messages: readonly Json[], readBack: readonly Json[]): Json {
  const isAlike =
    messages.length === readBack.length &&
    messages.every((each, at) => {
      const other = readBack[at] as Json;
      return each["role"] === other["role"] && partsOf(each).length === partsOf(other).length;
    });
  if (!isAlike) return entries(messages, (message) => ({ [WHOLE]: message }));
  return entries(messages, (message, number) => {
    const back = partsOf(readBack[number] as Json);
    const parts: Json = {};
    for (const [at, part] of partsOf(message).entries()) {
      const other = back[at] as Json;
      if (!sameJson(part, other)) parts[String(at)] = change(part, other);
    }
    return { head: headOf(message), ...(Object.keys(parts).length > 0 ? { parts } : {}) };
  });
}

/** Returns the extension that has the heads alone: parts of a stream say of themselves more. */
export function heads(messages: readonly Json[]): Json {
  return entries(messages, (message) => ({ head: headOf(message) }));
}

function entries(messages: readonly Json[], make: (message: Json, number: number) => Json): Json {
  return { messages: Object.fromEntries(messages.map((message, number) => [String(number), make(message, number)])) };
}

const partsOf = (message: Json): Json[] => message["parts"] as Json[];

function headOf(message: Json): Json {
  const { role: _, parts: __, ...head } = message;
  return head;
}

function change(part: Json, back: Json): Json {
  if (part["kind"] !== back["kind"]) return { part };
  const [mine, theirs] = [part["payload"] as Json, back["payload"] as Json];
  const payload: Json = {};
  for (const [name, value] of Object.entries(mine)) {
    if (!Object.hasOwn(theirs, name) || !sameJson(own(theirs, name), value)) put(payload, name, value);
  }
  const without = Object.keys(theirs).filter((name) => !Object.hasOwn(mine, name));
  return { payload, ...(without.length > 0 ? { without } : {}) };
}

/** Returns messages with what the extension says of them, as far as it fits them. */
export function restored(messages: readonly Json[], kept: unknown, reading: Reading, place: string): readonly Json[] {
  const made = restoredAll(messages, kept);
  if (made?.every((message) => isMessage(message, reading)) === true) return made;
  reading.note("extension-unread", place);
  return messages;
}

function isMessage(message: Json, reading: Reading): boolean {
  try {
    readAs(MESSAGE, { runId: "r", timestamp: reading.timestamp, ...message }, "strict");
  } catch (error) {
    if (error instanceof ReadError) return false;
    throw error;
  }
  return true;
}

/** Returns the messages; undefined where the extension does not have its form, or is of others. */
function restoredAll(messages: readonly Json[], kept: unknown): Json[] | undefined {
  const said = isObject(kept) ? own(kept, "messages") : undefined;
  if (!isObject(said)) return undefined;
  const isWhole = Object.values(said).some((entry) => isObject(entry) && Object.hasOwn(entry, WHOLE));
  const count = Object.keys(said).length;
  if (!isWhole && count !== messages.length) return undefined;
  const made: Json[] = [];
  for (let number = 0; number < count; number++) {
    const entry = own(said, String(number));
    if (!isObject(entry)) return undefined;
    const message = isWhole ? own(entry, WHOLE) : changed(messages[number] as Json, entry);
    if (!isObject(message)) return undefined;
    made.push({ ...message });
  }
  return made;
}

function changed(message: Json, entry: Json): Json | undefined {
  const parts = [...partsOf(message)];
  const [head, kept] = [own(entry, "head"), own(entry, "parts") ?? {}];
  if (!isObject(head) || !isObject(kept)) return undefined;
  for (const [at, each] of Object.entries(kept)) {
    const part = /^[0-9]+$/.test(at) ? parts[Number(at)] : undefined;
    const made = part === undefined ? undefined : applied(part, each);
    if (made === undefined) return undefined;
    parts[Number(at)] = made;
  }
  return { role: message["role"], parts, ...head };
}

function applied(part: Json, change: unknown): Json | undefined {
  if (!isObject(change)) return undefined;
  if (Object.hasOwn(change, "part")) {
    const whole = change["part"];
    return isObject(whole) ? whole : undefined;
  }
  const [said, without] = [own(change, "payload"), own(change, "without") ?? []];
  if (!isObject(said) || !Array.isArray(without)) return undefined;
  const payload: Json = { ...(part["payload"] as Json) };
  for (const name of without) if (typeof name === "string") delete payload[name];
  return { kind: part["kind"], payload: { ...payload, ...said } };
}
