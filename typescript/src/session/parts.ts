/**
 * Factories for the six parts. Each makes the part's id, checks the part, and returns one that shares
 * nothing with the arguments. Times are passed in, in milliseconds since the epoch. All throw
 * PartValidationError.
 */

import type {
  FilePart,
  FilePartSource,
  Part,
  ReasoningPart,
  StepFinishPart,
  StepStartPart,
  TextPart,
  TextTime,
  TokenStats,
  ToolPart,
  ToolState,
} from "../contract/current/session.js";
import { type MakeId, uuid7 } from "../contract/ids.js";
import type { Unknown } from "../contract/unknown.js";
import { isObject, type JsonObject, own } from "../json/values.js";
import { owned, PART, present } from "./copies.js";

/** What every part has: its id, and the session and message that it belongs to. */
export interface PartBase {
  readonly id: string;
  readonly sessionID: string;
  readonly messageID: string;
}

/** What makes the id of a part: a UUID of version 7 where nothing is given. */
export interface PartIds {
  readonly makeId?: MakeId | undefined;
}

/** What a text part may say beside its text. */
export interface TextGiven extends PartIds {
  readonly synthetic?: boolean;
  readonly ignored?: boolean;
  readonly time?: TextTime;
  readonly metadata?: JsonObject;
}

/** Returns a text part; `ignored` keeps it from the model. */
export function createTextPart(sessionId: string, messageId: string, text: string, given: TextGiven = {}): TextPart {
  const { synthetic, ignored, time, metadata } = given;
  return made(sessionId, messageId, given, { type: "text", text, synthetic, ignored, time, metadata });
}

/** When reasoning began and ended, and what else is known of it. */
export interface ReasoningGiven extends PartIds {
  readonly start: number;
  readonly end?: number;
  readonly metadata?: JsonObject;
}

/** Returns a reasoning part that began at `start`. */
export function createReasoningPart(
  sessionId: string,
  messageId: string,
  text: string,
  given: ReasoningGiven,
): ReasoningPart {
  const { start, end, metadata } = given;
  return made(sessionId, messageId, given, { type: "reasoning", text, metadata, time: present({ start, end }) });
}

/** What a tool part may say beside its call. */
export interface ToolGiven extends PartIds {
  readonly metadata?: JsonObject;
}

/** Returns a tool part for the call `callId` of `tool`. */
export function createToolPart(
  sessionId: string,
  messageId: string,
  callId: string,
  tool: string,
  state: ToolState,
  given: ToolGiven = {},
): ToolPart {
  const { metadata } = given;
  return made(sessionId, messageId, given, { type: "tool", callID: callId, tool, state, metadata });
}

/** What the begin or the end of a step may say. */
export interface StepGiven extends PartIds {
  readonly snapshot?: string;
}

/** Returns the part that begins a step. */
export function createStepStartPart(sessionId: string, messageId: string, given: StepGiven = {}): StepStartPart {
  return made(sessionId, messageId, given, { type: "step-start", snapshot: given.snapshot });
}

/** Returns the part that ends a step; `cost` is in US dollars. */
export function createStepFinishPart(
  sessionId: string,
  messageId: string,
  reason: string,
  cost: number,
  tokens: TokenStats,
  given: StepGiven = {},
): StepFinishPart {
  return made(sessionId, messageId, given, { type: "step-finish", reason, snapshot: given.snapshot, cost, tokens });
}

/** What a file part may say beside its URL. */
export interface FileGiven extends PartIds {
  readonly filename?: string;
  readonly source?: FilePartSource;
}

/** Returns a file part. */
export function createFilePart(
  sessionId: string,
  messageId: string,
  mime: string,
  url: string,
  given: FileGiven = {},
): FilePart {
  const { filename, source } = given;
  return made(sessionId, messageId, given, { type: "file", mime, filename, url, source });
}

function made<T>(sessionID: string, messageID: string, ids: PartIds, members: Record<string, unknown>): T {
  const { makeId = uuid7 } = ids;
  return owned<T>(PART, present({ id: makeId(), sessionID, messageID, ...members }));
}

// --- kinds of parts ------------------------------------------------------------------------------
// Which part this is: type guards for both branches.

const isOf = (part: unknown, type: Part["type"]): boolean => isObject(part) && own(part, "type") === type;

/** Whether a part is text. */
export const isTextPart = (part: unknown): part is TextPart => isOf(part, "text");
/** Whether a part is reasoning. */
export const isReasoningPart = (part: unknown): part is ReasoningPart => isOf(part, "reasoning");
/** Whether a part is a call of a tool. */
export const isToolPart = (part: unknown): part is ToolPart => isOf(part, "tool");
/** Whether a part is the beginning of a step. */
export const isStepStartPart = (part: unknown): part is StepStartPart => isOf(part, "step-start");
/** Whether a part is the end of a step. */
export const isStepFinishPart = (part: unknown): part is StepFinishPart => isOf(part, "step-finish");
/** Whether a part is a file. */
export const isFilePart = (part: unknown): part is FilePart => isOf(part, "file");

/**
 * Returns the parts in order, without text parts that are `ignored`. Parts of a type that this
 * version does not know stay.
 */
export function visibleToModel<P extends Part | Unknown>(parts: Iterable<P>): P[] {
  return [...parts].filter((part) => !(isTextPart(part) && part.ignored === true));
}
