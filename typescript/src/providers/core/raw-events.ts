/** Events within events: what an AWS `chunk` carries. */

import { bytesOf } from "../../json/base64.js";
import { isObject } from "../../json/values.js";
import { decodeEvent, NOTHING } from "./event-json.js";
import { type Members, member } from "./values.js";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Returns the text of the event in `{"bytes": …}`, undefined if there is none. The bytes are Base64
 * on the wire, and bytes as AWS's clients give them.
 */
export function chunkText(payload: unknown): string | undefined {
  const data = isObject(payload) ? member(payload, "bytes") : undefined;
  const bytes = typeof data === "string" ? bytesOf(data) : data;
  try {
    return bytes instanceof Uint8Array ? decoder.decode(bytes) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the JSON value that `{"chunk": {"bytes": …}}` carries, or {@link NOTHING}. */
export function chunkEvent(event: Members): unknown {
  const text = chunkText(event["chunk"]);
  return text === undefined ? NOTHING : decodeEvent(text);
}
