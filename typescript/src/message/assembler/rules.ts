/** What a delta has to be in itself and in its place, and the words of each refusal. */

import { Unknown } from "../../contract/unknown.js";
import {
  badArgument,
  clip,
  errorAt,
  type Finding,
  type PartwireError,
  ReadError,
  StreamProtocolError,
} from "../../errors.js";
import { STREAM } from "../../generated/severities.js";
import type { Limits } from "../../generated/tables/limits.js";
import * as limits from "../../generated/tables/limits.js";
import { DONE, ERROR, IDLE, STARTED, type Step } from "../../generated/tables/stream.js";
import { codePoints, isUnicode } from "../../json/text.js";
import { isObject, own } from "../../json/values.js";

// --- limits --------------------------------------------------------------------------------------

export type { Limits };

/** The limits of a stream where nothing else is said. */
export const DEFAULT_LIMITS: Limits = Object.freeze(limits.DEFAULT_LIMITS);

/** Returns all limits; throws UsageError `usage/invalid-argument` for one that is not a count. */
export function wholeLimits(given: Partial<Limits>): Limits {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) {
      throw badArgument("No such limit", Object.keys(DEFAULT_LIMITS).join(", "), name);
    }
    const most = name.endsWith("Depth") ? limits.MAX_LIMIT_DEPTH : Number.MAX_SAFE_INTEGER;
    if (!Number.isSafeInteger(value) || value < 1 || value > most) {
      throw badArgument(`The limit ${name} is not a count`, `an integer from 1 to ${most}`, value);
    }
  }
  return { ...DEFAULT_LIMITS, ...given };
}

// --- deltas --------------------------------------------------------------------------------------

/** What an assembler has seen: nothing, a start, `done` or `error`. */
export type Status = "idle" | "started" | "done" | "error";
export type Json = Record<string, unknown>;

// The pattern of the schema's Timestamp; a test holds the two together. Loading the schema here
// would make the assembler three times as large.
const TIMESTAMP =
  /^(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$/u;

const COUNTS = ["inputTokens", "outputTokens", "totalTokens"] as const;
const PARTS_OF_COUNTS = ["reasoningTokens", "cacheReadTokens", "cacheWriteTokens"] as const;

/** Returns the error; the pointer leads into the delta. */
export function refusal(
  rule: string,
  message: string,
  seq?: number,
  place: { pointer?: string; expected?: string; actual?: string; limit?: string } = {},
): StreamProtocolError {
  const finding = errorAt(place.pointer ?? "", rule, message, place.expected, place.actual);
  return new StreamProtocolError(finding, seq, place.limit);
}

export function limitExceeded(limit: keyof Limits, most: number, seq: number, pointer = ""): StreamProtocolError {
  const expected = `at most ${most} (${limit})`;
  return refusal("stream/limit-exceeded", `The limit ${limit} is passed`, seq, {
    pointer,
    expected,
    actual: "more",
    limit,
  });
}

/** Returns the error for a value that no reader would have let pass. */
export function invalidDelta(pointer: string, expected: string, value: unknown, seq?: unknown): StreamProtocolError {
  const number = typeof seq === "number" && Number.isSafeInteger(seq) ? seq : undefined;
  return refusal("stream/invalid-delta", "Not a delta of the contract", number, {
    pointer,
    expected,
    actual: clip(value),
  });
}

/** Returns text, which may be empty; a lone surrogate could not be written. */
export function textAt(pointer: string, value: unknown, seq: number): string {
  if (typeof value !== "string") throw invalidDelta(pointer, "a string", value, seq);
  if (isUnicode(value)) return value;
  const place = { pointer, expected: "surrogates in pairs", actual: clip(value) };
  throw refusal("document/lone-surrogate", "The text is not well-formed Unicode", seq, place);
}

/** Returns a string that is not empty. */
export function nameAt(pointer: string, value: unknown, seq: number): string {
  if (typeof value === "string" && value !== "" && isUnicode(value)) return value;
  throw invalidDelta(pointer, "a non-empty string of well-formed Unicode", value, seq);
}

/** Returns a name of at most `most` code points. */
export function idAt(pointer: string, value: unknown, seq: number, most: number): string {
  const id = nameAt(pointer, value, seq);
  if (id.length > most && codePoints(id) > most) throw limitExceeded("idChars", most, seq, pointer);
  return id;
}

/** Tells whether a value is an RFC 3339 instant with a zone, on a day that exists. */
export function isTimestamp(value: unknown): value is string {
  return typeof value === "string" && TIMESTAMP.test(value);
}

/** Returns a timestamp that may be in a message. */
export function timestampAt(value: unknown, seq: number): string {
  if (isTimestamp(value)) return value;
  throw refusal("stream/invalid-timestamp", "The timestamp goes into the message and does not have its form", seq, {
    pointer: "/timestamp",
    expected: "RFC 3339 with a zone, such as 2026-01-02T03:04:05Z",
    actual: clip(value),
  });
}

/** Returns figures that may be in a message. */
export function usageAt(payload: Json, seq: number): Record<string, number> {
  const usage: Record<string, number> = {};
  const take = (name: string, expected: string, isRight: (value: number) => boolean, needed: boolean): void => {
    const value = own(payload, name);
    if (value === undefined && !needed) return;
    if (typeof value !== "number" || !isRight(value)) throw invalidDelta(`/payload/${name}`, expected, value, seq);
    usage[name] = value;
  };
  const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
  for (const name of COUNTS) take(name, "a count of tokens", isCount, true);
  for (const name of PARTS_OF_COUNTS) take(name, "a count of tokens", isCount, false);
  take("cost", "a finite number of at least 0", (value) => Number.isFinite(value) && value >= 0, false);
  return usage;
}

/** What says whether a delta may come; ids are undefined where it has none. */
interface Head {
  readonly kind: string;
  readonly runId: unknown;
  readonly seq: unknown;
  readonly messageId: unknown;
  readonly turnId: unknown;
}

/** Returns the head of a delta; throws for what is none. */
export function headOf(delta: unknown, isKnown: (kind: string) => boolean): Head {
  if (!(delta instanceof Unknown)) {
    if (!isObject(delta)) throw invalidDelta("", "a message delta", delta);
    const kind = own(delta, "kind");
    if (typeof kind === "string" && isKnown(kind)) return headIn(kind, delta);
    throw invalidDelta("/kind", "a kind of message delta", kind, own(delta, "seq"));
  }
  const { tag, document } = delta;
  if (!isObject(document)) throw invalidDelta("", "an object", document);
  if (typeof tag !== "string" || isKnown(tag)) {
    throw invalidDelta("/kind", "a kind that this version does not know", tag, own(document, "seq"));
  }
  const head = headIn(tag, document);
  // Nobody has read what is of an unknown kind: null may still stand for absent.
  return { ...head, messageId: head.messageId ?? undefined, turnId: head.turnId ?? undefined };
}

function headIn(kind: string, delta: Json): Head {
  return {
    kind,
    runId: own(delta, "runId"),
    seq: own(delta, "seq"),
    messageId: own(delta, "messageId"),
    turnId: own(delta, "turnId"),
  };
}

/** The stream as far as it has come; the run id is undefined where any will do. */
interface Expected {
  readonly status: Status;
  readonly runId: string | undefined;
  readonly lastSeq: number;
  readonly messageId: string | undefined;
  readonly turnId: string | undefined;
}

/** Returns the seq of a delta that may come here and the status that follows; refuses any other. */
export function checkHead(head: Head, expected: Expected): { readonly seq: number; readonly status: Status } {
  const { seq } = head;
  if (typeof seq !== "number" || !Number.isSafeInteger(seq) || seq < 0) {
    throw invalidDelta("/seq", "an integer from 0 to 2^53 - 1", seq);
  }
  const status = stepOf(expected.status, head.kind, seq);
  if (expected.runId !== undefined && head.runId !== expected.runId) {
    const place = { pointer: "/runId", expected: clip(expected.runId), actual: clip(head.runId) };
    throw refusal("stream/run-id-mismatch", "The delta belongs to another run", seq, place);
  }
  if (expected.status === "started") {
    checkSame("message", head.messageId, expected.messageId, seq);
    checkSame("turn", head.turnId, expected.turnId, seq);
  }
  if (seq <= expected.lastSeq) {
    const place = { pointer: "/seq", expected: `more than ${expected.lastSeq}`, actual: String(seq) };
    throw refusal("stream/seq-not-increasing", "seq does not increase", seq, place);
  }
  return { seq, status };
}

/** Refuses an id that is not the start delta's; a delta need not repeat it. */
function checkSame(what: string, given: unknown, expected: string | undefined, seq: number): void {
  if (given === undefined || given === expected) return;
  throw refusal(`stream/${what}-id-mismatch`, `The delta belongs to another ${what}`, seq, {
    pointer: `/${what}Id`,
    expected: expected === undefined ? "none, as in the start delta" : clip(expected),
    actual: clip(given),
  });
}

const STEPS: Readonly<Record<Status, ReadonlyMap<string, Step>>> = {
  idle: IDLE,
  started: STARTED,
  done: DONE,
  error: ERROR,
};

/** The rules of the stream's table, and what is said of a delta that breaks one. */
const MISPLACED: Readonly<Record<Exclude<Step, Status>, readonly [(status: Status) => string, string]>> = {
  "stream/start-expected": [() => "The stream has not started", "start"],
  "stream/duplicate-start": [() => "The stream has started already", "any kind but start"],
  "stream/after-terminal": [(status) => `The stream has ended with ${status}`, "no more deltas"],
};

/** Returns the status that a delta of this kind leads to; refuses one that may not come here. */
function stepOf(status: Status, kind: string, seq: number): Status {
  const row = STEPS[status];
  const step = (row.get(kind) ?? row.get("*")) as Step; // * is any kind of a newer version
  if (isStatus(step)) return step;
  const [message, expected] = MISPLACED[step];
  throw refusal(step, message(status), seq, { pointer: "/kind", expected, actual: clip(kind) });
}

function isStatus(step: Step): step is Status {
  return !(step in MISPLACED);
}

/** Returns the error for a call that is not open; `closedSeq` says when it was closed. */
export function callRefusal(
  id: unknown,
  closedSeq: number | undefined,
  open: string | undefined,
  seq: number,
): StreamProtocolError {
  const isKnown = closedSeq !== undefined;
  const rule = isKnown ? "stream/tool-call-closed" : "stream/unknown-tool-call";
  const message = isKnown ? "The tool call is closed already" : "The tool call was never started";
  return refusal(rule, message, seq, {
    pointer: "/payload/toolCallId",
    expected: open === undefined ? "an open tool call" : `an open tool call: ${clip(open)}`,
    actual: clip(id) + (isKnown ? ` (closed by seq ${closedSeq})` : ""),
  });
}

/** Returns the error for media that is not open; `closedSeq` says when it ended. */
export function mediaRefusal(id: string, closedSeq: number | undefined, seq: number): StreamProtocolError {
  const isKnown = closedSeq !== undefined;
  const rule = isKnown ? "stream/media-closed" : "stream/unknown-media";
  return refusal(rule, isKnown ? "The media has ended already" : "The media was never started", seq, {
    pointer: "/payload/mediaId",
    expected: "open media",
    actual: clip(id) + (isKnown ? ` (ended by seq ${closedSeq})` : ""),
  });
}

const USED = {
  "stream/duplicate-tool-call": "The tool call id has been used already",
  "stream/duplicate-tool-result": "The tool call has its result already",
  "stream/duplicate-approval": "The approval id has been used already",
  "stream/duplicate-media": "The media id has been used already",
};

/** Returns the error for an id that has been used. */
export function usedId(rule: keyof typeof USED, member: string, id: string, seq: number): StreamProtocolError {
  const place = { pointer: `/payload/${member}`, expected: "an id that has not been used", actual: clip(id) };
  return refusal(rule, USED[rule], seq, place);
}

/** Reports that the content of deltas of a kind is passed over. */
export function unknownKind(tag: string): Finding {
  const finding = errorAt(
    "/kind",
    "stream/unknown-delta-kind",
    "A delta of an unknown kind: its content is ignored",
    "a kind of this version",
    clip(tag),
  );
  return { ...finding, severity: STREAM["stream/unknown-delta-kind"] };
}

/** Returns the error with the line on which its delta is. */
export function atLine(error: PartwireError, line: number): PartwireError {
  const [first, ...rest] = error.findings;
  const found = { ...first, line };
  if (error instanceof StreamProtocolError) return new StreamProtocolError(found, error.seq, error.limit);
  return error instanceof ReadError ? new ReadError([found, ...rest.map((each) => ({ ...each, line }))]) : error;
}
