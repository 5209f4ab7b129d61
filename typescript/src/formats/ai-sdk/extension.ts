/** Members of ours in parts and chunks: what the SDK has no place for. */

import { ReadError } from "../../errors.js";
import { isObject, own } from "../../json/values.js";
import { readAs } from "../../reading/checks.js";
import { PARTWIRE } from "../core/extension.js";
import { type Json, MESSAGE, type Reading } from "../core/reading.js";

/** Deltas that the events have no form for, as a stream brings them with each message. */
export const SAID = "said";

/** Returns the deltas that metadata of a stream brings, in order; none where it has others. */
export function saidIn(metadata: unknown): Json[] {
  const entries = membersOf(metadata, "messages");
  const said = entries.flatMap((entry) => membersOf(entry, SAID));
  return said.filter((delta): delta is Json => isObject(delta) && isObject(own(delta, "payload")));
}

/** Returns the members of a member, in order; none where it is not an object. */
function membersOf(holder: unknown, name: string): unknown[] {
  const value = isObject(holder) ? own(holder, name) : undefined;
  return isObject(value) ? Object.values(value) : [];
}

// --- of parts: `providerMetadata.partwire` --------------------------------------------------------

const EPOCH = "1970-01-01T00:00:00Z";

/** Returns a member of `providerMetadata.partwire` that is an object. */
function ours(metadata: unknown, name: string): Json | undefined {
  const said = isObject(metadata) ? own(metadata, PARTWIRE) : undefined;
  const value = isObject(said) ? own(said, name) : undefined;
  return isObject(value) ? value : undefined;
}

function isPart(part: Json): boolean {
  try {
    readAs(MESSAGE, { runId: "r", role: "assistant", parts: [part], timestamp: EPOCH }, "strict");
  } catch (error) {
    if (error instanceof ReadError) return false;
    throw error;
  }
  return true;
}

/** Returns a result as a writer of ours has it; undefined where the metadata does not say. */
export function resultAs(metadata: unknown, result: Json, reading: Reading, place: string): Json | undefined {
  const said = ours(metadata, "result");
  if (said === undefined) return undefined;
  const payload: Json = { ...said, toolCallId: (result["payload"] as Json)["toolCallId"] };
  if (isPart({ kind: "server_tool_result", payload })) return { kind: result["kind"], payload };
  reading.note("extension-unread", place);
  return undefined;
}

/** Returns a citation as a writer of ours has it; undefined where the metadata does not say. */
export function cited(metadata: unknown, reading: Reading, place: string): Json | undefined {
  const citation = ours(metadata, "citation");
  if (citation === undefined) return undefined;
  if (isPart({ kind: "text", payload: { text: "", citations: [citation] } })) return { ...citation };
  reading.note("extension-unread", place);
  return undefined;
}

/** Returns what a writer of ours says of media: its name, its words, its size. */
export function mediaOf(metadata: unknown): Json {
  const said = ours(metadata, "media") ?? {};
  const found: Json = {};
  for (const name of ["name", "transcript"]) {
    const value = own(said, name);
    if (typeof value === "string" && value !== "") found[name] = value;
  }
  const size = own(said, "sizeBytes");
  if (Number.isSafeInteger(size) && (size as number) >= 0) found["sizeBytes"] = size;
  return found;
}
