/** Events within events: what an AWS `chunk` carries. */
import { isObject } from "../json.js";
import { decodeEvent, NOTHING } from "./event-json.js";
import { type Members, member } from "./values.js";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Returns the text of the event in `{"bytes": …}`, undefined if there is none. The bytes are Base64
 * on the wire, and bytes as AWS's clients give them.
 */
export function chunkText(payload: unknown): string | undefined {
  const data = isObject(payload) ? member(payload, "bytes") : undefined;
  try {
    if (typeof data === "string") return BASE64.test(data) ? decoder.decode(bytesOf(data)) : undefined;
    return data instanceof Uint8Array ? decoder.decode(data) : undefined;
  } catch {
    return undefined;
  }
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

/** Returns the JSON value that `{"chunk": {"bytes": …}}` carries, or {@link NOTHING}. */
export function chunkEvent(event: Members): unknown {
  const text = chunkText(event["chunk"]);
  return text === undefined ? NOTHING : decodeEvent(text);
}
