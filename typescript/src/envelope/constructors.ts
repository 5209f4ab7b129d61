/**
 * One constructor per queue message: it fills the envelope, and what it returns can be written.
 *
 * All throw WriteError with the findings where a message would not be valid; what is a warning in a
 * message is none here. UsageError `usage/invalid-argument` is for arguments that no message could be
 * made of, `usage/unknown-version` for a version that is not known.
 */

import type {
  Envelope,
  EvaluationRequest,
  EvaluationResponse,
  GetContextRequest,
  PromptBlocksResponse,
  ReportResultRequest,
  RetryEvent,
  TaskEvent,
  ToolCallRequest,
  ToolCallResponse,
  ToolError,
  ToolResult,
} from "../contract/current/envelope.js";
import { LATEST_VERSION } from "../contract/current/index.js";
import { badArgument, clip, errorAt, PartwireError, WriteError } from "../errors.js";
import type { JsonObject } from "../json/values.js";
import { written } from "../reading/checks.js";
import { requireMembers } from "./arguments.js";
import { envelopeBinding, KNOWN, type MessageName, type MessageOf } from "./types.js";

/** What a message is sent with: the time, and what makes ids. */
export interface Sending {
  /** Gives the time of sending: RFC 3339, with a zone. Called once per message. */
  readonly clock: () => string;
  /** Gives a UUID. Called once per message. */
  readonly makeId: () => string;
  /** That of another message, absent or not. */
  readonly traceId?: string | undefined;
  /** The contract version that the message is written by: an older one for peers that read no other. */
  readonly version?: string | undefined;
}

/** The members of a message beside those of every envelope. */
export type Fields<Message> = Omit<Message, keyof Envelope>;

/** A retry of a task that its sender does not allow to be tried again. */
export class AttemptsExhausted extends PartwireError {}

/**
 * Returns a task for an agent, from the event queue. No document says that `retry_count` stays within
 * `max_attempts`: a task beyond it can be made and sent. Validating warns of it
 * (`envelope/retry-count`), and it is not retried.
 */
export function taskEvent(
  fields: Omit<Fields<TaskEvent>, "retry_count"> & { readonly retry_count?: number },
  sending: Sending,
): TaskEvent {
  return sent("TaskEvent", { ...fields, retry_count: fields.retry_count ?? 0 }, sending);
}

/**
 * Returns the event that has a task tried again: `retry_count` is one more. Task, payload and trace
 * stay; the message id is a new one. A retry may be retried. Where no `version` is given, a retry is
 * written by the version of `task`: a reader of the task can read the retry. Of a version that
 * is not known, it is written by ours. Throws AttemptsExhausted `envelope/attempts-exhausted` where
 * the count would pass `max_attempts`, WriteError `envelope/message-id-reused` where `makeId` gives
 * the id of `task` again.
 */
export function retryEvent(task: TaskEvent | RetryEvent, sending: Omit<Sending, "traceId">): RetryEvent {
  requireMembers("task", task, "RetryEvent");
  const { task_id, payload, retry_count, max_attempts, schema_version: declared } = task;
  const count = retry_count + 1;
  if (count > max_attempts) {
    const message = "One retry more is asked for than the task's sender allows";
    const expected = `at most ${max_attempts} (max_attempts)`;
    throw new AttemptsExhausted(
      errorAt("/retry_count", "envelope/attempts-exhausted", message, expected, String(count)),
    );
  }
  const version = sending.version ?? (KNOWN.includes(declared) ? declared : LATEST_VERSION);
  const fields = { task_id, payload, retry_count: count, max_attempts };
  const event = sent("RetryEvent", fields, { ...sending, traceId: task.trace_id, version });
  if (event.message_id.toLowerCase() === task.message_id.toLowerCase()) {
    // A queue that knows messages by their id would drop it as a duplicate of the task.
    const message = "makeId gives the message id of the event that is retried";
    const place = ["a different id", clip(event.message_id)] as const;
    throw new WriteError(errorAt("/message_id", "envelope/message-id-reused", message, ...place));
  }
  return event;
}

/** Returns an agent's question for the prompt of a task. */
export function getContextRequest(fields: Fields<GetContextRequest>, sending: Sending): GetContextRequest {
  return sent("GetContextRequest", fields, sending);
}

/**
 * Returns the prompt of a task, as blocks of text; `allowed_tools` is the text of a JSON or YAML list.
 * For Base64, see `encodePromptBlocks`.
 */
export function promptBlocksResponse(fields: Fields<PromptBlocksResponse>, sending: Sending): PromptBlocksResponse {
  return sent("PromptBlocksResponse", fields, sending);
}

/** Returns a call of a tool; the type is reserved. */
export function toolCallRequest(fields: Fields<ToolCallRequest>, sending: Sending): ToolCallRequest {
  return sent("ToolCallRequest", fields, sending);
}

/**
 * Returns the answer to a tool call: a success with `data`, or a failure with `error`; exactly one of
 * them. The type is reserved.
 */
export function toolCallResponse(
  fields: { readonly invocation_id: string; readonly data?: JsonObject; readonly error?: ToolError },
  sending: Sending,
): ToolCallResponse {
  const { invocation_id, data, error } = fields;
  if ((data === undefined) === (error === undefined)) {
    const given = data === undefined ? "neither" : "both";
    throw badArgument("data, error is wrong", "exactly one of data and error", given);
  }
  const outcome = error === undefined ? { data } : { error };
  return sent("ToolCallResponse", { invocation_id, success: error === undefined, ...outcome }, sending);
}

/**
 * Returns the result of a tool call, for a report; `clock` gives `created_at`. It is not a message
 * itself and has no envelope.
 */
export function toolResult(
  fields: Omit<ToolResult, "created_at" | "result_type"> & { readonly result_type?: string },
  sending: Pick<Sending, "clock">,
): ToolResult {
  requireFunction("clock", sending.clock);
  const made = { ...fields, result_type: fields.result_type ?? "tool_result", created_at: sending.clock() };
  return written(envelopeBinding("ToolResult"), made) as unknown as ToolResult;
}

/** Returns an agent's report on a task, results in the order of the calls. */
export function reportResultRequest(fields: Fields<ReportResultRequest>, sending: Sending): ReportResultRequest {
  if (!Array.isArray(fields.tool_results)) {
    throw badArgument("tool_results is wrong", "an array of ToolResults", fields.tool_results);
  }
  return sent("ReportResultRequest", fields, sending);
}

/** Returns the question whether results, as reported, are good enough. */
export function evaluationRequest(fields: Fields<EvaluationRequest>, sending: Sending): EvaluationRequest {
  return sent("EvaluationRequest", fields, sending);
}

/** Returns the evaluation of a task; `score` is from 0 to 100. */
export function evaluationResponse(fields: Fields<EvaluationResponse>, sending: Sending): EvaluationResponse {
  return sent("EvaluationResponse", fields, sending);
}

function sent<Name extends MessageName>(name: Name, fields: object, sending: Sending): MessageOf<Name> {
  const { clock, makeId, traceId, version = LATEST_VERSION } = sending;
  requireFunction("clock", clock);
  requireFunction("makeId", makeId);
  const head = { message_id: makeId(), sent_at: clock(), ...(traceId === undefined ? {} : { trace_id: traceId }) };
  const made = written(envelopeBinding(name), {
    ...head,
    schema_version: LATEST_VERSION,
    message_type: name,
    ...fields,
  });
  if (version === LATEST_VERSION) return made as unknown as MessageOf<Name>;
  if (!KNOWN.includes(version)) {
    throw badArgument("No such contract version", KNOWN.join(", "), version, "usage/unknown-version");
  }
  // An older version has the same members, but for what it does not know.
  return written(envelopeBinding(name, version), {
    ...(made as object),
    schema_version: version,
  }) as unknown as MessageOf<Name>;
}

function requireFunction(name: string, value: unknown): void {
  if (typeof value === "function") return;
  throw badArgument(`${name} is wrong`, "a function without parameters that returns text", value);
}
