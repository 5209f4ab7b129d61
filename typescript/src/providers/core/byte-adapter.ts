/**
 * Bytes of a response → deltas: the framing, the JSON of each event, and the adapter.
 *
 * A response may come as server-sent events, as an AWS event stream, as one array of events, as
 * JSON Lines (a recording), or, where something went wrong or streaming is not to be had, as one
 * JSON body, on one line or on many. Google's servers, and some proxies, write such a body in the
 * midst of server-sent events: an error that the standard takes for a field without a meaning.
 */

import type { MessageDelta } from "../../contract/current/message.js";
import { badArgument, errorAt, type Finding, FramingError } from "../../errors.js";
import { DEFAULT_LIMIT_BYTES, MAX_HEAD_BYTES } from "../../generated/tables/limits.js";
import { codePoints } from "../../json/text.js";
import { isObject } from "../../json/values.js";
import { EventStreamDecoder, type EventStreamMessage, hexByte } from "../framing/eventstream.js";
import { JsonArrayDecoder } from "../framing/jsonarray.js";
import { JsonLinesDecoder, type RawLine } from "../framing/jsonlines.js";
import { SseDecoder } from "../framing/sse.js";
import { badByte, wholeCharacters } from "../framing/utf8.js";
import type { ProviderAdapter } from "./adapter.js";
import { decodeEvent, NOTHING } from "./event-json.js";
import { chunkText } from "./raw-events.js";
import { spelledLike } from "./spelling.js";
import { type Members, withoutIndent } from "./values.js";

// --- frames of AWS -------------------------------------------------------------------------------
// Messages of an AWS event stream → raw events of an adapter.
//
// `:event-type` names the event, and the payload is its body: `{"<event-type>": <payload>}`, as
// AWS's own clients give it. A `chunk` carries an event of the model's own format, in Base64. An
// exception and an error of the stream are in the headers: whatever the dialect, they end it.
// Failure catalogue SSE-06, SSE-07.

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Feeds one message to `adapter`; returns its deltas. Throws FramingError `framing/invalid-utf8`
 * for a payload that is not UTF-8.
 */
function feedFrame(adapter: ProviderAdapter, message: EventStreamMessage): MessageDelta[] {
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

// --- bytes ---------------------------------------------------------------------------------------

/**
 * `auto` looks at the first byte: `{` begins JSON, `[` an array, a byte below 9 (which begins no
 * text) the length of an AWS frame, all else server-sent events.
 */
export type Framing = "auto" | FramingName;
type FramingName = "sse" | "jsonl" | "jsonarray" | "eventstream";

/** One chunk, or with undefined the end of the input, → the deltas of it. */
type Read = (chunk: Uint8Array | undefined) => MessageDelta[];

const FRAMINGS: readonly Framing[] = ["auto", "sse", "jsonl", "jsonarray", "eventstream"];
const BOM = [0xef, 0xbb, 0xbf];
const SPACE: readonly number[] = [0x20, 0x09, 0x0d, 0x0a];
/**
 * Feeds an adapter from bytes, in any cut; the deltas do not depend on it. Bytes that cannot be
 * read on (no UTF-8, a damaged frame, an event beyond `maxEventBytes`) end the stream as an `error`
 * delta, the framing's finding in `adapter.findings`.
 */
export class ByteAdapter {
  #read: Read | undefined;
  #head: Uint8Array = new Uint8Array(0); // white space, or a part of a byte order mark
  #body: string[] | undefined; // lines of what may be one body on many lines
  #bodySize = 0;
  #lines = 0;
  #failed = false;

  constructor(
    readonly adapter: ProviderAdapter,
    framing: Framing = "auto",
    readonly maxEventBytes: number = DEFAULT_LIMIT_BYTES,
  ) {
    if (!FRAMINGS.includes(framing)) throw badArgument("No such framing", FRAMINGS.join(", "), framing);
    if (framing !== "auto") this.#read = this.#reader(framing);
  }

  /** Returns the deltas that `chunk` completes. */
  feed(chunk: Uint8Array): MessageDelta[] {
    if (this.#read !== undefined) return this.#read(chunk);
    const head = new Uint8Array(this.#head.length + chunk.length);
    head.set(this.#head);
    head.set(chunk, this.#head.length);
    this.#head = head;
    const framing = sniff(head);
    if (framing === undefined) return [];
    this.#read = this.#reader(framing);
    return this.#read(head);
  }

  /** Says that the input has ended; returns the last deltas. */
  close(): MessageDelta[] {
    const { adapter } = this;
    const deltas = this.#read?.(undefined) ?? [];
    const lines = this.#body ?? [];
    this.#body = undefined;
    return deltas.concat(this.#readBody(lines), adapter.close());
  }

  // --- framings ---------------------------------------------------------------------------------

  #reader(framing: FramingName): Read {
    const limit = this.maxEventBytes;
    if (framing === "sse") {
      return this.#reading(new SseDecoder(limit, { bare: true }), ({ event, data }) =>
        event === "" ? this.adapter.feedBare(data) : this.adapter.feedText(data, event === "message" ? "" : event),
      );
    }
    if (framing === "jsonl") return this.#reading(new JsonLinesDecoder(limit), (line) => this.#readLine(line, true));
    if (framing === "eventstream") {
      return this.#reading(new EventStreamDecoder(limit), (message) => feedFrame(this.adapter, message));
    }
    return this.#reading(new JsonArrayDecoder(limit), (line) => this.#readLine(line, false));
  }

  /** Returns what reads chunks by a decoder, and each of its events by `readEvent`. */
  #reading<Event>(
    source: { feed(chunk: Uint8Array): Event[]; close(): Event[]; readonly error: FramingError | undefined },
    readEvent: (event: Event) => MessageDelta[],
  ): Read {
    return (chunk) => {
      if (this.#failed) return [];
      let deltas: MessageDelta[] = [];
      try {
        for (const event of chunk === undefined ? source.close() : source.feed(chunk)) {
          const made = readEvent(event);
          if (deltas.length === 0) deltas = made;
          else for (const delta of made) deltas.push(delta);
        }
        if (source.error !== undefined) throw source.error;
      } catch (error) {
        if (!(error instanceof FramingError)) throw error;
        return deltas.concat(this.#fail(error.findings[0]));
      }
      return deltas;
    };
  }

  #fail(finding: Finding): MessageDelta[] {
    if (this.#failed) return [];
    this.#failed = true;
    this.#body = undefined;
    return this.adapter.fail(finding);
  }

  // --- JSON without event framing ---------------------------------------------------------------

  #readLine(line: RawLine, mayBeBody: boolean): MessageDelta[] {
    if (this.#failed) return [];
    // A character that the end of the input cuts off is a cut, not a wrong encoding.
    const data = line.terminated ? line.data : wholeCharacters(line.data);
    const bad = badByte(data);
    if (bad >= 0) return this.#fail(notUtf8(line, bad));
    const text = decoder.decode(data);
    this.#lines++;
    if (this.#lines === 1 && mayBeBody && beginsBody(text)) this.#body = [];
    if (this.#body === undefined) return this.adapter.feedText(text);
    this.#body.push(text);
    this.#bodySize += codePoints(text) + 1;
    if (this.#bodySize <= this.maxEventBytes) return [];
    const [most, more] = [`at most ${this.maxEventBytes} bytes`, `more than ${this.maxEventBytes} bytes`];
    const message = "The JSON body is larger than maxEventBytes";
    return this.#fail(errorAt("", "framing/event-too-large", message, most, more));
  }

  /** Reads one JSON value on many lines; if it is none, lines of which the first is broken. */
  #readBody(lines: readonly string[]): MessageDelta[] {
    const whole = lines.join("\n");
    if (lines.length === 0) return [];
    if (decodeEvent(whole) !== NOTHING) return this.adapter.feedText(whole);
    return lines.flatMap((line) => this.adapter.feedText(line));
  }
}

/** Tells whether a first line may be the first of one JSON value on many lines. */
function beginsBody(text: string): boolean {
  return /^[{[]/.test(withoutIndent(text)) && decodeEvent(text) === NOTHING;
}

function notUtf8({ data, number }: RawLine, at: number): Finding {
  const byte = (data[at] as number).toString(16).padStart(2, "0");
  const message = `Byte ${at} of the line is not UTF-8`;
  return { ...errorAt("", "framing/invalid-utf8", message, "UTF-8", `0x${byte}`), line: number };
}

/** Returns the framing of a response that begins with `head`, undefined if that is too short. */
function sniff(head: Uint8Array): FramingName | undefined {
  const isBom = BOM.slice(0, head.length).every((byte, index) => head[index] === byte);
  if (isBom && head.length < BOM.length) return undefined;
  if ((head[0] as number) < 0x09) return "eventstream";
  const first = head.subarray(isBom ? BOM.length : 0, MAX_HEAD_BYTES).find((byte) => !SPACE.includes(byte));
  if (first === undefined) return head.length >= MAX_HEAD_BYTES ? "sse" : undefined;
  return first === 0x7b ? "jsonl" : first === 0x5b ? "jsonarray" : "sse";
}
