/**
 * Checks that two queue messages belong together: what one of them alone does not show.
 *
 * Ids are compared as UUIDs, of either case. What a document states is an error. That a reply carries
 * the trace on is stated nowhere: a reply that does not is a warning.
 */

import type { ReportResultRequest, ToolResult } from "../contract/current/envelope.js";
import { badArgument, clip, errorAt, type Finding } from "../errors.js";
import { ENVELOPE } from "../generated/severities.js";
import { valueFindings } from "../json/documents.js";
import { sameJson } from "../json/equality.js";
import { isObject } from "../json/values.js";
import { requireMembers, requireText } from "./arguments.js";
import type { MessageOf, Named } from "./types.js";

/** Which messages may follow from which. */
export interface Replies {
  GetContextRequest: "PromptBlocksResponse";
  ToolCallRequest: "ToolCallResponse";
  ReportResultRequest: "EvaluationRequest";
  EvaluationRequest: "EvaluationResponse";
  TaskEvent: "RetryEvent";
  RetryEvent: "RetryEvent";
}

/** A message with the name of its type, which no message has to say. */
export interface Typed<Name extends string, Value> {
  readonly type: Named<Name>;
  readonly value: Value;
}

type Compared = Readonly<Record<string, unknown>>;
type Check = (message: Compared, reply: Compared) => Finding[];

const ownTask = sameId("task_id", "envelope/task-mismatch", "The reply is about another task");
const ownCall = sameId("invocation_id", "envelope/invocation-mismatch", "The response answers another call");
const EACH: readonly Check[] = [ownMessageId, sameTrace];
const CHECKS: ReadonlyMap<string, readonly Check[]> = new Map([
  ["GetContextRequest PromptBlocksResponse", EACH],
  ["ToolCallRequest ToolCallResponse", [ownCall, ...EACH]],
  ["ReportResultRequest EvaluationRequest", [ownTask, sameResults, ...EACH]],
  ["EvaluationRequest EvaluationResponse", [ownTask, ...EACH]],
  ["TaskEvent RetryEvent", [ownTask, raisedCount, ...EACH]],
  ["RetryEvent RetryEvent", [ownTask, raisedCount, ...EACH]],
]);

/**
 * Returns what keeps `reply` from following from `message`; empty if nothing does. Which messages have
 * which reply is at {@link Replies}. Pointers lead into the reply; errors come first. Findings:
 * `envelope/invocation-mismatch`, `envelope/task-mismatch`, `envelope/results-changed`,
 * `envelope/retry-not-raised`, `envelope/message-id-reused`, and the warning
 * `envelope/trace-mismatch`. Throws UsageError `usage/invalid-argument` for any other pair, and for
 * values whose ids, counts or results are none.
 */
export function checkReply<Name extends keyof Replies>(
  message: Typed<Name, MessageOf<Name>>,
  reply: Typed<Replies[Name], MessageOf<Replies[Name]>>,
): Finding[] {
  const [before, after] = [nameOf(message), nameOf(reply)];
  const checks = CHECKS.get(`${before} ${after}`);
  if (checks === undefined) {
    const known = [...CHECKS.keys()].map((pair) => pair.split(" "));
    const replies = known.filter(([name]) => name === before).map(([, name]) => name);
    const expected = replies.join(" or ") || "a message that has a reply";
    throw badArgument(`${after} is not a reply to ${before}`, expected, after);
  }
  requireMembers("message", message.value, before);
  requireMembers("reply", reply.value, after);
  const pair = [message.value, reply.value] as unknown as [Compared, Compared];
  return checks.flatMap((check) => check(...pair));
}

/**
 * Returns what does not fit between a report and the tool calls that were made. `invocationIds` are
 * the calls' (`invocation_id` of each ToolCallRequest). A result of another call is an error
 * (`envelope/unknown-invocation`), a call without result a warning (`envelope/unanswered-invocation`).
 * Two results of one call show in the report itself (`envelope/duplicate-invocation`, by reading).
 * Throws UsageError `usage/invalid-argument` for what is not a report, and unless `invocationIds` are
 * several: a string is one of them.
 */
export function checkToolResults(report: ReportResultRequest, invocationIds: Iterable<string>): Finding[] {
  const results = resultsOf(report);
  const open = byLowerCase(invocationIds);
  const calls = new Set(open.keys());
  const found: Finding[] = [];
  for (const [index, { invocation_id: id }] of results.entries()) {
    open.delete(id.toLowerCase());
    if (calls.has(id.toLowerCase())) continue;
    const place = `/tool_results/${index}/invocation_id`;
    const message = "The report has a result of a call that was not made";
    const words = ["the invocation_id of a call that was made", clip(id)] as const;
    found.push(errorAt(place, "envelope/unknown-invocation", message, ...words));
  }
  for (const each of open.values()) {
    const message = "The report has no result of a call that was made";
    const expected = `a result of ${clip(each)}`;
    const finding = errorAt("/tool_results", "envelope/unanswered-invocation", message, expected);
    found.push({ ...finding, severity: ENVELOPE["envelope/unanswered-invocation"] });
  }
  return found;
}

/** Returns the name of a message's type, without its family; empty for what says none. */
function nameOf(message: unknown): string {
  const type = isObject(message) ? message["type"] : undefined;
  return typeof type === "string" ? type.replace(/^envelope\./, "") : "";
}

function resultsOf(report: unknown): readonly ToolResult[] {
  if (!isObject(report)) throw badArgument("report is wrong", "a ReportResultRequest", report);
  const results = report["tool_results"];
  if (!Array.isArray(results)) throw badArgument("report.tool_results is wrong", "an array of ToolResults", results);
  for (const [index, each] of results.entries()) requireMembers(`report.tool_results[${index}]`, each, "ToolResult");
  return results as ToolResult[];
}

function byLowerCase(ids: unknown): Map<string, string> {
  if (typeof ids !== "object" || ids === null || !(Symbol.iterator in ids)) {
    throw badArgument("invocationIds is wrong", "the ids of several calls, as of an array", ids);
  }
  const known = new Map<string, string>();
  for (const each of ids as Iterable<string>) {
    requireText("invocationIds", each, "ids as text");
    known.set(each.toLowerCase(), each);
  }
  return known;
}

// --- checks ---------------------------------------------------------------------------------------

function sameId(name: string, rule: string, message: string): Check {
  return (before, after) => {
    const [expected, actual] = [before[name] as string, after[name] as string];
    if (expected.toLowerCase() === actual.toLowerCase()) return [];
    return [errorAt(`/${name}`, rule, message, clip(expected), clip(actual))];
  };
}

function ownMessageId(before: Compared, after: Compared): Finding[] {
  const [taken, id] = [before["message_id"] as string, after["message_id"] as string];
  if (taken.toLowerCase() !== id.toLowerCase()) return [];
  const message = "The reply has the message id of what it replies to";
  return [errorAt("/message_id", "envelope/message-id-reused", message, "a different id", clip(id))];
}

function sameTrace(before: Compared, after: Compared): Finding[] {
  const [trace, given] = [before["trace_id"], after["trace_id"]];
  if (trace === undefined || trace === given) return [];
  const message = "The reply does not carry the trace on";
  const place = given === undefined ? "" : "/trace_id";
  const actual = given === undefined ? "no trace_id" : clip(given);
  const finding = errorAt(place, "envelope/trace-mismatch", message, clip(trace), actual);
  return [{ ...finding, severity: ENVELOPE["envelope/trace-mismatch"] }];
}

function sameResults(before: Compared, after: Compared): Finding[] {
  const [reported, given] = [before["task_results"], after["task_results"]];
  for (const [name, results] of [
    ["message", reported],
    ["reply", given],
  ] as const) {
    // A value may hold itself.
    if (valueFindings(results).length > 0) throw badArgument(`${name}.task_results is wrong`, "a JSON value", results);
  }
  if (sameJson(reported, given)) return [];
  const message = "The results to be evaluated are not those that were reported";
  return [errorAt("/task_results", "envelope/results-changed", message, clip(reported), clip(given))];
}

function raisedCount(before: Compared, after: Compared): Finding[] {
  const [count, raised] = [before["retry_count"] as number, after["retry_count"] as number];
  if (raised > count) return [];
  const message = "The retry does not raise the count of the task that it retries";
  return [errorAt("/retry_count", "envelope/retry-not-raised", message, `more than ${count}`, String(raised))];
}
