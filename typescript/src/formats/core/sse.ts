/** Events of a stream as server-sent events. */

import { stringify } from "../../json/digits.js";
import { decodeText } from "../../json/documents.js";

/** Returns a JSON value as a server-sent event. */
export function sse(event: unknown): string {
  return `data: ${stringify(event)}\n\n`;
}

const AROUND = /^[\t-\r ]+|[\t-\r ]+$/g;
const OTHER_FIELD = /^(?::|event:|id:|retry:)/;

/**
 * Returns the data of an event; text without `data:` as it is, undefined where there is none. Throws ReadError
 * `document/invalid-utf8`.
 */
export function sseData(given: Uint8Array | string): string | undefined {
  const line = (typeof given === "string" ? given : decodeText(given)).replace(AROUND, "");
  if (OTHER_FIELD.test(line)) return undefined;
  return (line.startsWith("data:") ? line.slice("data:".length).replace(AROUND, "") : line) || undefined;
}
