/** What a file holds, as far as it shows. */

import { PartwireError, validate } from "partwire";
import { type Sniffed, sniff, sniffEvents } from "partwire/formats";
import { EventStreamDecoder, type EventStreamMessage } from "partwire/providers/framing";
import { parseJson } from "../../../src/json/digits.js";
import { isObject } from "../../../src/json/values.js";
import { chunkText } from "../../../src/providers/core/raw-events.js";
import { dialectOf } from "../../../src/providers/core/sniff.js";
import { Framer } from "./framing.js";
import type { As } from "./sources.js";

/** How many events of a stream are looked at. */
const MOST = 50;
const HEAD_BYTES = 1 << 20;
const decoder = new TextDecoder();

/**
 * Returns what bytes hold; several where more than one format fits, none where they are unknown or not
 * text. What is sure comes alone.
 */
export function sniffBytes(bytes: Uint8Array): As[] {
  if ((bytes[0] ?? 0x20) < 0x09) return [{ as: dialectOfFrames(bytes) }];
  const whole = documentOf(bytes);
  if (whole !== undefined) return sniffDocument(whole);
  const framer = new Framer();
  const texts = framer.feed(bytes.subarray(0, HEAD_BYTES));
  if (bytes.length <= HEAD_BYTES) texts.push(...framer.feed());
  return sniffItems(texts.slice(0, MOST).map(({ text }) => jsonOf(text)));
}

/** Returns the dialect of AWS frames: those of InvokeModel hold the events of a model's own dialect, in Base64. */
function dialectOfFrames(bytes: Uint8Array): string {
  const frame = firstFrame(bytes.subarray(0, HEAD_BYTES));
  const isChunk = frame?.headers.get(":event-type") === "chunk";
  const inner = isChunk ? chunkText(jsonOf(decoder.decode(frame.payload))) : undefined;
  const event = inner === undefined ? undefined : jsonOf(inner);
  return (isObject(event) ? dialectOf(event)?.[0] : undefined) ?? "bedrock-converse";
}

function firstFrame(bytes: Uint8Array): EventStreamMessage | undefined {
  try {
    return new EventStreamDecoder().feed(bytes)[0];
  } catch (error) {
    if (error instanceof PartwireError) return undefined;
    throw error;
  }
}

/** Returns what a JSON value holds. */
export function sniffDocument(value: unknown): As[] {
  if (Array.isArray(value)) {
    const items = sniffItems(value.slice(0, MOST));
    return items.length > 0 ? items : formatsOf(sniff(value));
  }
  const one = ofContract(value);
  if (one !== undefined) return [one];
  if (isObject(value) && dialectOf(value) !== undefined) return sniffItems([value]);
  const found = formatsOf(sniff(value));
  return found.length > 0 ? found : [{ as: "json" }];
}

/** Returns what lines, events or items hold, of which these are the first. */
function sniffItems(items: readonly unknown[]): As[] {
  const objects = items.filter(isObject);
  const first = objects[0];
  if (first === undefined) return [];
  const ours = ofContract(first);
  if (ours?.as === "message") return [{ as: "history" }];
  if (ours !== undefined) return [ours];
  const runs = sniffEvents(items).map(({ format }) => ({ as: format, run: true }));
  if (objects.some(isChunk)) return [{ as: "chunks" }];
  const dialect = objects.map((item) => dialectOf(item)?.[0]).find((each) => each !== undefined);
  if (dialect !== undefined) return [{ as: dialect }, ...runs];
  return runs.length > 0 ? runs : formatsOf(sniff(objects));
}

function ofContract(value: unknown): As | undefined {
  if (!isObject(value)) return undefined;
  const has = (...names: readonly string[]): boolean => names.every((name) => Object.hasOwn(value, name));
  if (has("role", "parts", "runId")) return { as: "message" };
  if (has("kind", "seq", "runId")) return { as: "deltas" };
  if (has("info", "parts") && isObject(value["info"]) && "role" in value["info"]) return { as: "session" };
  const { tool } = value;
  return isObject(tool) && tool["name"] === "partwire" && has("findings") ? { as: "report" } : undefined;
}

function isChunk(value: Readonly<Record<string, unknown>>): boolean {
  return "type" in value && dialectOf(value) === undefined && validate(value, "blocks.StreamChunk").length === 0;
}

function formatsOf(found: readonly Sniffed[]): As[] {
  return found.map(({ format }) => ({ as: format, history: true }));
}

/** Returns the one JSON value that bytes are; undefined where they are something else. */
export function documentOf(bytes: Uint8Array): unknown {
  const head = decoder.decode(bytes.subarray(0, 64)).trimStart();
  return /^[{["\d-]/.test(head) ? jsonOf(decoder.decode(bytes)) : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
