/**
 * Messages of an AWS event stream → raw events of an adapter.
 *
 * `:event-type` names the event, and the payload is its body: `{"<event-type>": <payload>}`, as
 * AWS's own clients give it. A `chunk` carries an event of the model's own format, in Base64. An
 * exception and an error of the stream stand in the headers: whatever the dialect, they end it.
 * Failure catalogue SSE-06, SSE-07.
 */
import { errorAt, FramingError } from "../../errors.js";
import type { MessageDelta } from "../../generated/v0_2/message.js";
import { isObject } from "../../json/values.js";
import type { EventStreamMessage } from "../framing/eventstream.js";
import { hexByte } from "../framing/eventstream-headers.js";
import { badByte } from "../framing/utf8.js";
import type { ProviderAdapter } from "./adapter.js";
import { decodeEvent, NOTHING } from "./event-json.js";
import { chunkText } from "./raw-events.js";
import { spelledLike } from "./spelling.js";
import type { Members } from "./values.js";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Feeds one message to `adapter`; returns its deltas. Throws FramingError `framing/invalid-utf8`
 * for a payload that is no UTF-8.
 */
export function feedFrame(adapter: ProviderAdapter, message: EventStreamMessage): MessageDelta[] {
  if (!message.terminated) return adapter.feedTorn();
  const { headers } = message;
  const kind = headers.get(":message-type");
  if (headers.has(":exception-type") || kind === "exception") {
    return adapter.feedError(exception(header(message, ":exception-type"), textOf(message)));
  }
  if (headers.has(":error-code") || kind === "error") {
    return adapter.feedError({ code: header(message, ":error-code"), message: header(message, ":error-message") });
  }
  const given = headers.get(":event-type");
  const text = textOf(message);
  const value = text === "" ? {} : decodeEvent(text);
  if (value === NOTHING) return adapter.feedText(text);
  const inner = given === "chunk" ? chunkText(value) : undefined;
  if (inner !== undefined) return adapter.feedText(inner);
  return adapter.feed({ [typeof given === "string" ? given : ""]: value });
}

/** Returns the error object of an exception: its name as the code, and what it says. */
function exception(name: unknown, text: string): Members {
  const value = text === "" ? {} : decodeEvent(text);
  const body = isObject(value) ? value : { message: text };
  const words = body[Object.hasOwn(body, "message") ? "message" : "Message"] ?? null;
  const status = body["originalStatusCode"];
  const error = { code: name, message: words, ...(status === undefined ? {} : { status }) };
  return spelledLike(error, body, (each) => (each === "originalStatusCode" ? "status" : each));
}

/** Returns what a header says, as JSON has it where it can; null without the header. */
function header({ headers }: EventStreamMessage, name: string): unknown {
  const value = headers.get(name) ?? null;
  if (typeof value !== "bigint") return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

function textOf({ payload, offset }: EventStreamMessage): string {
  const bad = badByte(payload);
  if (bad < 0) return decoder.decode(payload);
  const message = `The payload of the frame at byte ${offset} is not UTF-8`;
  throw new FramingError(errorAt("", "framing/invalid-utf8", message, "UTF-8", hexByte(payload[bad] as number)));
}
