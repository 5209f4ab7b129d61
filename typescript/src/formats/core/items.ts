/** Items of a run, read with all the care of a document: deltas and whole messages. */

import { bind } from "../../contract/binding.js";
import { data } from "../../contract/current/message.checks.js";
import type { Message, MessageDelta } from "../../contract/current/message.js";
import { Unknown } from "../../contract/unknown.js";
import { ReadError, throwAny } from "../../errors.js";
import { isJsonText } from "../../json/documents.js";
import { isUnicode } from "../../json/text.js";
import { isObject, own } from "../../json/values.js";
import { decodeDelta } from "../../message/assembler/delta-json.js";
import { check, type Mode, plainValue, readAs } from "../../reading/checks.js";
import { relax } from "../../reading/tolerance.js";
import type { Branch } from "./branches.js";
import { type Json, MESSAGE } from "./reading.js";

/** A delta, a whole message, or a place to which the run goes back. */
export type RunItem = MessageDelta | Unknown | Message | Branch;

const DELTA = /* @__PURE__ */ bind("MessageDelta", data); // by the walk, as messages are
const BLANK = /^[ \t\r\n]*$/;
const SPACE = [0x20, 0x09, 0x0d, 0x0a];

/** Tells whether an item is a whole message. */
export function isMessage(item: RunItem): item is Message {
  return Object.hasOwn(item, "role");
}

/** Returns a message in values of its own; throws ReadError. */
export function readMessage(value: unknown, mode: Mode = "strict"): Message {
  return readAs(MESSAGE, value, mode).value as Message;
}

/** Tells whether tolerant reading has kept parts of a message aside. */
function keepsUnknown(value: unknown): boolean {
  const parts = isObject(value) ? own(value, "parts") : undefined;
  return Array.isArray(parts) && parts.some((part) => part instanceof Unknown || hasUnknown(part));
}

/** Tells whether the content of a result has a part that is kept aside. */
function hasUnknown(part: unknown): boolean {
  const payload = isObject(part) ? own(part, "payload") : undefined;
  const content = isObject(payload) ? own(payload, "content") : undefined;
  return Array.isArray(content) && content.some((each) => each instanceof Unknown);
}

/** Tells whether a value is a delta whose time may be in a message. */
export function isTimed(value: unknown): boolean {
  return check(DELTA, value).every(({ severity }) => severity !== "error");
}

/**
 * Returns a delta in values of its own; throws ReadError. The form of the timestamp is not looked at: of most
 * deltas it goes nowhere, and the assembler checks the one that it keeps.
 */
export function readDelta(value: unknown): MessageDelta {
  const frequent = frequentDelta(value);
  if (frequent !== undefined) return frequent;
  try {
    return readAs(DELTA, value, "strict").value as MessageDelta;
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    throwAny(
      error.findings.filter((each) => each.rule !== "shape/pattern" || each.pointer !== "/timestamp"),
      ReadError,
    );
  }
  return relax(DELTA.data, DELTA.name, plainValue(value), []) as MessageDelta;
}

const FREQUENT: ReadonlyMap<unknown, readonly string[]> = /* @__PURE__ */ new Map([
  ["text", ["textDelta"]],
  ["thinking", ["textDelta"]],
  ["tool_call_args", ["toolCallId", "argsTextDelta"]],
]);
const HEAD = ["runId", "kind", "timestamp"];
const IDS = ["messageId", "turnId"];

/**
 * Returns a delta of those that most streams consist of: texts without more, which take a fraction of the time to
 * read so. Undefined for any other, and for what has to be looked at with care.
 */
function frequentDelta(value: unknown): MessageDelta | undefined {
  const payload = isObject(value) ? own(value, "payload") : undefined;
  if (!isObject(value) || !isObject(payload)) return undefined;
  const [names, seq] = [FREQUENT.get(own(value, "kind")), own(value, "seq")];
  if (names === undefined || !Number.isSafeInteger(seq) || (seq as number) < 0) return undefined;
  if (Object.hasOwn(payload, "opaque") || Object.hasOwn(value, "providerRaw")) return undefined;
  const ids = IDS.filter((name) => Object.hasOwn(value, name));
  const [head, said] = [textsOf(value, [...HEAD, ...ids]), textsOf(payload, names)];
  return head && said && ({ ...head, seq, payload: said } as unknown as MessageDelta);
}

/** Returns members that are text, and have to be there; undefined where one is not, and where an id is empty. */
function textsOf(holder: Json, names: readonly string[]): Json | undefined {
  const found: Json = {};
  for (const name of names) {
    const text = own(holder, name);
    if (typeof text !== "string" || !isUnicode(text)) return undefined;
    if (text === "" && !name.endsWith("Delta")) return undefined;
    found[name] = text;
  }
  return found;
}

/**
 * Returns a line of JSON Lines (text or bytes), a delta, or a message as an item in values of its own; undefined
 * for a blank line. Where `passes` is set, parts of messages that the caller has read tolerantly stay kept aside.
 * Throws ReadError for what is none of these.
 */
export function readItem(given: unknown, passes = false): Exclude<RunItem, Branch> | undefined {
  if (given instanceof Unknown) return given;
  if (isJsonText(given) && isBlank(given)) return undefined;
  const item = isJsonText(given) ? decodeDelta(given) : given;
  const isWhole = typeof item === "object" && item !== null && own(item, "role") !== undefined;
  if (!isWhole) return readDelta(item);
  return readMessage(item, passes && keepsUnknown(item) ? "tolerant" : "strict");
}

function isBlank(line: Uint8Array | string): boolean {
  return typeof line === "string" ? BLANK.test(line) : line.every((byte) => SPACE.includes(byte));
}
