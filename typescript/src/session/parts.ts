/**
 * Factories for the six parts. Each makes the part's id, checks the part, and returns one that shares
 * nothing with the arguments. Times are passed in, in milliseconds since the epoch. All throw
 * PartValidationError. Source: requirements S002-26 to S002-31.
 */
import type {
  FilePart,
  FilePartSource,
  ReasoningPart,
  StepFinishPart,
  StepStartPart,
  TextPart,
  TextTime,
  TokenStats,
  ToolPart,
  ToolState,
} from "../generated/v0_2/session.js";
import { type MakeId, uuid7 } from "../ids.js";
import type { JsonObject } from "../json.js";
import { owned, PART, present } from "./owned.js";

/** Where a part belongs, and what makes its id: a UUID of version 7 where nothing is given. */
export interface PartOwner {
  readonly sessionId: string;
  readonly messageId: string;
  readonly makeId?: MakeId | undefined;
}

/** Returns a text part; `ignored` keeps it from the model. Source: requirements S002-07, S002-26. */
export function createTextPart(
  owner: PartOwner,
  text: string,
  given: {
    readonly synthetic?: boolean;
    readonly ignored?: boolean;
    readonly time?: TextTime;
    readonly metadata?: JsonObject;
  } = {},
): TextPart {
  const { synthetic, ignored, time, metadata } = given;
  return made(owner, { type: "text", text, synthetic, ignored, time, metadata });
}

/** Returns a reasoning part that began at `start`. Source: requirements S002-27. */
export function createReasoningPart(
  owner: PartOwner,
  text: string,
  given: { readonly start: number; readonly end?: number; readonly metadata?: JsonObject },
): ReasoningPart {
  const { start, end, metadata } = given;
  return made(owner, { type: "reasoning", text, metadata, time: present({ start, end }) });
}

/** Returns a tool part for the call `callId` of `tool`. Source: requirements S002-28. */
export function createToolPart(
  owner: PartOwner,
  callId: string,
  tool: string,
  state: ToolState,
  given: { readonly metadata?: JsonObject } = {},
): ToolPart {
  return made(owner, { type: "tool", callID: callId, tool, state, metadata: given.metadata });
}

/** Returns the part that begins a step. Source: requirements S002-29. */
export function createStepStartPart(owner: PartOwner, given: { readonly snapshot?: string } = {}): StepStartPart {
  return made(owner, { type: "step-start", snapshot: given.snapshot });
}

/** Returns the part that ends a step; `cost` is in US dollars. Source: requirements S002-30. */
export function createStepFinishPart(
  owner: PartOwner,
  reason: string,
  given: { readonly cost: number; readonly tokens: TokenStats; readonly snapshot?: string },
): StepFinishPart {
  const { cost, tokens, snapshot } = given;
  return made(owner, { type: "step-finish", reason, snapshot, cost, tokens });
}

/** Returns a file part. Source: requirements S002-17. */
export function createFilePart(
  owner: PartOwner,
  mime: string,
  url: string,
  given: { readonly filename?: string; readonly source?: FilePartSource } = {},
): FilePart {
  const { filename, source } = given;
  return made(owner, { type: "file", mime, filename, url, source });
}

function made<T>(owner: PartOwner, members: Record<string, unknown>): T {
  const { sessionId, messageId, makeId = uuid7 } = owner;
  return owned<T>(PART, present({ id: makeId(), sessionID: sessionId, messageID: messageId, ...members }));
}
