/**
 * What the caller says for a source that cannot: by name, checked whether it is needed or not. So one
 * context serves conversions of every kind, and a slip of the pen never passes for an answer.
 */

import { LATEST_VERSION } from "../../contract/current/index.js";
import type { TokenStats } from "../../contract/current/session.js";
import { badArgument, type UsageError } from "../../errors.js";
import { LOSSES, type LossCode } from "../../generated/tables/losses.js";
import { validate } from "./types.js";

export const EPOCH = "1970-01-01T00:00:00Z";
export const NIL = "00000000-0000-0000-0000-000000000000";

/**
 * What the source cannot say. What is not given is made up and reported as invented. A value that the
 * conversion does not need is checked all the same, and not used.
 */
export interface Context {
  readonly runId?: string | undefined;
  /** RFC 3339. */
  readonly timestamp?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly agent?: string | undefined;
  readonly providerId?: string | undefined;
  readonly modelId?: string | undefined;
  readonly cwd?: string | undefined;
  readonly root?: string | undefined;
  readonly cost?: number | undefined;
  readonly tokens?: TokenStats | undefined;
  readonly toolId?: string | undefined;
  readonly messageId?: string | undefined;
  readonly traceId?: string | undefined;
  /** Whether text that a session holds back from the model (`ignored`) becomes parts of the message. */
  readonly keepIgnored?: boolean | undefined;
  /**
   * Returns a new UUID at every call. Without it, ids are made from what is there: the same source
   * always gives the same ids.
   */
  readonly makeId?: (() => string) | undefined;
}

/** Names of the context that have a value. */
export type ValueName = Exclude<keyof Context, "makeId">;

const MESSAGE = { runId: "run", role: "user", parts: [], timestamp: EPOCH };
const PART = { id: "prt", sessionID: NIL, messageID: NIL, type: "text", text: "" };
const PATH = { cwd: "/", root: "/" };
const INFO = {
  id: NIL,
  role: "assistant",
  time: { created: 0 },
  agent: "agent",
  path: PATH,
  cost: 0,
  tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
};
const MODEL = { providerID: "provider", modelID: "model" };
const RESULT = { invocation_id: NIL, tool_id: NIL, result_type: "tool_result", data: {}, created_at: EPOCH };
const ENVELOPE = { message_id: NIL, sent_at: EPOCH, schema_version: LATEST_VERSION };

/** Where a value goes: a document that is valid but for it, so that the schemas say what fits. */
const PLACES: Readonly<Record<ValueName, readonly [string, object, string]>> = {
  runId: ["message.Message", MESSAGE, "runId"],
  timestamp: ["message.Message", MESSAGE, "timestamp"],
  sessionId: ["session.TextPart", PART, "sessionID"],
  agent: ["session.AssistantInfo", INFO, "agent"],
  providerId: ["session.ModelRef", MODEL, "providerID"],
  modelId: ["session.ModelRef", MODEL, "modelID"],
  cwd: ["session.MessagePath", PATH, "cwd"],
  root: ["session.MessagePath", PATH, "root"],
  cost: ["session.AssistantInfo", INFO, "cost"],
  tokens: ["session.AssistantInfo", INFO, "tokens"],
  toolId: ["envelope.ToolResult", RESULT, "tool_id"],
  messageId: ["envelope.Envelope", ENVELOPE, "message_id"],
  traceId: ["envelope.Envelope", ENVELOPE, "trace_id"],
  keepIgnored: ["session.TextPart", PART, "ignored"],
};

/** Throws UsageError `usage/invalid-argument` for a name that no conversion knows. */
export function checkNames(context: object): void {
  for (const name of Object.keys(context)) {
    if (name !== "makeId" && !Object.hasOwn(PLACES, name)) {
      throw badArgument(`There is no option ${name}`, [...Object.keys(PLACES), "makeId"].join(", "), name);
    }
  }
}

/**
 * Returns what `context` gives, without what is undefined or null. Throws UsageError
 * `usage/invalid-argument` for an unknown name or a value that does not fit.
 */
export function givenBy(context: Context): Context {
  checkNames(context);
  const members = Object.entries(context).filter(([, value]) => value !== undefined && value !== null);
  for (const [name, value] of members) {
    const wrong = name === "makeId" ? wrongMaker(value) : wrongValue(name as ValueName, value);
    if (wrong !== undefined) throw wrong;
  }
  return Object.fromEntries(members) as Context;
}

function wrongMaker(value: unknown): UsageError | undefined {
  if (typeof value === "function") return undefined;
  return badArgument("makeId is wrong", "a function that returns a UUID", value);
}

function wrongValue(name: ValueName, value: unknown): UsageError | undefined {
  const [type, document, member] = PLACES[name];
  const error = validate({ ...document, [member]: value }, type).find((each) => each.severity === "error");
  if (error === undefined) return undefined;
  return badArgument(`${name} is wrong: ${error.message}`, error.expected ?? "another value", value);
}

/** Returns the loss codes of `accept`; throws UsageError `usage/invalid-argument`. */
export function acceptedCodes(accept: unknown): ReadonlySet<string> {
  const isList = typeof accept === "object" && accept !== null && Symbol.iterator in accept;
  if (!isList) throw badArgument("accept is wrong", "a list or set of loss codes", accept);
  const codes = new Set<string>();
  for (const code of accept as Iterable<unknown>) {
    if (typeof code !== "string" || !Object.hasOwn(LOSSES, code)) {
      throw badArgument("accept names a loss that does not exist", "a code such as run-id", code);
    }
    codes.add(code satisfies string as LossCode);
  }
  return codes;
}
