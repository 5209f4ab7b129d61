/**
 * Tool results of messages, and those of envelopes: `ToolResult` and `ToolCallResponse`. What a tool
 * gave back is an object in an envelope: text becomes `{"text": …}` there, parts become
 * `{"content": […]}`. A failed result has the `result_type` `tool_error`.
 */

import type { ToolResult as Result, ToolCallResponse, ToolError } from "../../contract/current/envelope.js";
import { LATEST_VERSION } from "../../contract/current/index.js";
import type { ToolResult, ToolResultContent } from "../../contract/current/message.js";
import type { FamilyData, Node, ObjectNode } from "../../contract/nodes.js";
import { jsonText } from "../../json/compact.js";
import { sameJson } from "../../json/equality.js";
import { isObject, type JsonObject, own, put } from "../../json/values.js";
import { kindOf, resolve } from "../../reading/explain.js";
import { parentOf } from "../../reading/tolerance.js";
import { type Context, EPOCH, NIL } from "./context.js";
import { type BridgeResult, Work } from "./conversion.js";
import { derivedId, isUuid } from "./ids.js";
import { readDocument, typeOf, validate } from "./types.js";

// --- order of members ----------------------------------------------------------------------------
// Documents with their members in the order of the schema: text of them is the same everywhere.

/** Returns a valid value of `node` with the members of all that it holds in the schema's order. */
function inSchemaOrder(data: FamilyData, node: Node, value: unknown): unknown {
  const found = memberFor(data, node, value);
  if (Array.isArray(value)) {
    return found?.t === "array" ? value.map((item) => inSchemaOrder(data, found.i, item)) : value;
  }
  if (!isObject(value) || found === undefined) return value;
  if (found.t === "union") {
    const tag = own(value, found.k);
    const name = found.v.find(([known]) => known === tag)?.[1];
    return name === undefined ? value : inSchemaOrder(data, { t: "ref", n: name }, value);
  }
  return found.t === "object" ? ordered(data, found, value) : value;
}

function memberFor(data: FamilyData, node: Node, value: unknown): Exclude<Node, { t: "ref" }> | undefined {
  const found = resolve(data, node);
  if (found.t !== "choice") return found;
  const kind = kindOf(value);
  const member = found.m.find(([kinds]) => kind !== undefined && kinds.includes(kind));
  return member === undefined ? undefined : resolve(data, member[1]);
}

function ordered(data: FamilyData, node: ObjectNode, value: Record<string, unknown>): unknown {
  const made: Record<string, unknown> = {};
  for (const [name, inner] of node.m) {
    if (Object.hasOwn(value, name)) put(made, name, inSchemaOrder(data, inner, value[name]));
  }
  for (const [name, member] of Object.entries(value)) if (!Object.hasOwn(made, name)) put(made, name, member);
  return made;
}

// --- tool results --------------------------------------------------------------------------------

const FAILED = "tool_error";
const OK = "tool_result";

/**
 * Returns `message.ToolResult` (one or an array) as `envelope.ToolResult`. `toolId` and `timestamp` are
 * the caller's. An id that is not a UUID becomes one that is always the same for it. Throws ReadError and
 * UsageError.
 */
export function toolResultToResult(values: unknown, context: Context = {}): BridgeResult<Result[]> {
  const work = new Work<ToolResult>(values, "message.ToolResult", context);
  const made = work.source.map((source, index) => {
    const place = `/${index}`;
    noteMembers(source, place, work);
    return {
      invocation_id: invocationOf(source, place, work),
      tool_id: work.given("toolId", `${place}/tool_id`, "tool-id-invented", NIL),
      result_type: source.isError ? FAILED : OK,
      data: dataOf(source.content, `${place}/content`, work),
      created_at: work.given("timestamp", `${place}/created_at`, "timestamp-invented", EPOCH),
    };
  });
  return work.finish(made, "envelope.ToolResult");
}

/** Returns `envelope.ToolResult` (one or an array) as `message.ToolResult`; throws ReadError. */
export function resultToToolResult(values: unknown, context: Context = {}): BridgeResult<ToolResult[]> {
  const work = new Work<Result>(values, "envelope.ToolResult", context);
  const made = work.source.map((source, index) => {
    const place = `/${index}`;
    work.note("tool-id", `${place}/tool_id`);
    work.note("timestamp", `${place}/created_at`);
    const type: string = source.result_type;
    if (type !== OK && type !== FAILED) work.note("result-type", `${place}/result_type`);
    return { toolCallId: source.invocation_id, isError: type === FAILED, content: contentOf(source.data) };
  });
  return work.finish(made, "message.ToolResult");
}

/**
 * Returns `message.ToolResult` (one or an array) as `envelope.ToolCallResponse`. The message's id, time
 * and trace are the caller's; of an array, ids come from `makeId`. Throws ReadError and UsageError.
 */
export function toolResultToResponse(values: unknown, context: Context = {}): BridgeResult<ToolCallResponse[]> {
  const work = new Work<ToolResult>(values, "message.ToolResult", context);
  const made = work.source.map((source, index) => {
    const place = `/${index}`;
    noteMembers(source, place, work);
    const head = headOf(index, source, work);
    const invocation = invocationOf(source, place, work);
    const outcome = source.isError
      ? failureOf(source.content, `${place}/content`, work)
      : { data: dataOf(source.content, `${place}/content`, work) };
    return { ...head, invocation_id: invocation, success: !source.isError, ...outcome };
  });
  return work.finish(made, "envelope.ToolCallResponse");
}

/** Returns `envelope.ToolCallResponse` (one or an array) as `message.ToolResult`; throws ReadError. */
export function responseToToolResult(values: unknown, context: Context = {}): BridgeResult<ToolResult[]> {
  const work = new Work<ToolCallResponse>(values, "envelope.ToolCallResponse", context);
  const made = work.source.map((source, index) => {
    const place = `/${index}`;
    for (const name of ["message_id", "sent_at", "schema_version", "trace_id"] as const) {
      if (source[name] !== undefined) work.note("envelope", `${place}/${name}`);
    }
    if (source.message_type === undefined) work.note("message-type", `${place}/message_type`);
    const content = outcomeOf(source, place, work);
    return { toolCallId: source.invocation_id, isError: !source.success, content };
  });
  return work.finish(made, "message.ToolResult");
}

// --- members ----------------------------------------------------------------------------------------

function noteMembers(source: ToolResult, place: string, work: Work): void {
  if (source.outcome !== undefined) work.note("result-outcome", `${place}/outcome`);
  if (source.structured !== undefined) work.note("result-structured", `${place}/structured`);
}

function invocationOf({ toolCallId }: ToolResult, place: string, work: Work): string {
  if (isUuid(toolCallId)) return toolCallId;
  work.note("call-id", `${place}/toolCallId`);
  return derivedId("call", toolCallId);
}

function headOf(index: number, source: ToolResult, work: Work): Omit<ToolCallResponse, "invocation_id" | "success"> {
  const place = `/${index}`;
  const { makeId, messageId, traceId } = work.context;
  const own = (work.single ? messageId : undefined) ?? makeId?.();
  work.note(own === undefined ? "envelope-invented" : "given", `${place}/message_id`);
  return {
    message_id: own ?? derivedId("response", index, source.toolCallId),
    sent_at: work.given("timestamp", `${place}/sent_at`, "timestamp-invented", EPOCH),
    schema_version: LATEST_VERSION,
    message_type: "ToolCallResponse",
    ...(traceId === undefined ? {} : { trace_id: work.given("traceId", `${place}/trace_id`, "given", traceId) }),
  };
}

function dataOf(content: ToolResultContent, place: string, work: Work): JsonObject {
  if (typeof content === "string") return { text: content };
  if (!isObject(content)) return { content: inOrderOf(content) as JsonObject[] };
  if (contentOf(content) !== content) work.note("result-content", place);
  return content as JsonObject;
}

/** Returns what {@link dataOf} made `data` of. */
function contentOf(data: JsonObject): ToolResultContent {
  if (Object.keys(data).length !== 1) return data;
  const text = own(data, "text");
  if (typeof text === "string") return text;
  const content = own(data, "content");
  return areParts(content) ? (content as ToolResultContent) : data;
}

/** Tells whether `items` are parts of a result, without any member that reading drops. */
function areParts(items: unknown): boolean {
  const type = "message.ToolResult";
  const document = { toolCallId: "call", isError: false, content: items };
  if (!Array.isArray(items) || validate(document, type).length > 0) return false;
  return sameJson(readDocument(document, type, "tolerant"), document);
}

type Failure = Pick<ToolCallResponse, "data"> & { error: ToolError };

/** Returns `error`, and `data` where the error does not hold all of the content. */
function failureOf(content: ToolResultContent, place: string, work: Work): Failure {
  if (isError(content)) {
    if (content.code === FAILED) work.note("result-content", place);
    return { error: content };
  }
  work.note("error-code-invented", `${parentOf(place)}/error`);
  if (typeof content === "string") return { error: { code: FAILED, message: content } };
  const data = dataOf(content, place, work);
  return { error: { code: FAILED, message: jsonText(inOrderOf(content)) }, data };
}

/** Returns content of which the parts have their members in the order of the schema. */
function inOrderOf(content: ToolResultContent): unknown {
  const { data } = typeOf("message.ToolResult");
  return inSchemaOrder(data, { t: "ref", n: "ToolResultContent" }, content);
}

function isError(content: unknown): content is JsonObject & ToolError {
  if (!isObject(content) || Object.keys(content).length !== 2) return false;
  const code = own(content, "code");
  return typeof code === "string" && code !== "" && typeof own(content, "message") === "string";
}

function outcomeOf({ success, data, error }: ToolCallResponse, place: string, work: Work): unknown {
  if (success) {
    if (error !== undefined) work.note("error-beside-data", `${place}/error`);
    return contentOf(data ?? {});
  }
  if (data === undefined) return error?.code === FAILED ? error.message : error;
  const content = contentOf(data);
  const isBare = typeof content === "string" || isError(content);
  if (isBare || error?.code !== FAILED || error.message !== jsonText(content)) {
    work.note("error-beside-data", `${place}/error`);
  }
  if (isBare) work.note("result-content", `${place}/data`);
  return content;
}
