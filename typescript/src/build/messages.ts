/**
 * Messages and parts in one call each.
 *
 * A builder of messages has the name of a role, a builder of parts the name of a kind. What the
 * contract asks for and nobody gives (run, time, the id of a call) is made here; what it leaves open
 * (ids of message and turn, `meta`) is absent unless it is given. Whatever comes out is valid:
 * anything else throws UsageError, with the contract's own findings. Source: semantics, building
 * messages.
 */
import { type Binding, bind, type Verdict } from "../contract/binding.js";
import { now } from "../contract/clock.js";
import { data, verdicts } from "../contract/current/message.checks.js";
import type {
  ApprovalChoice,
  ApprovalRequest,
  ApprovalRequestPart,
  ApprovalResponse,
  ApprovalResponsePart,
  Author,
  Citation,
  FileRefPart,
  ImagePart,
  MediaPart,
  MediaPayload,
  Message,
  MessageMeta,
  Role,
  ServerToolCallPart,
  ServerToolResultPart,
  StructuredValue,
  TextFormat,
  TextPart,
  ThinkingPart,
  ToolCall,
  ToolCallPart,
  ToolCallPayload,
  ToolResultContentPart,
  ToolResultPart,
} from "../contract/current/message.js";
import { newId } from "../contract/ids.js";
import { badArgument, errorAt, ReadError, UsageError } from "../errors.js";
import { base64Of } from "../json/base64.js";
import { isObject, type JsonObject, own } from "../json/values.js";
import { givenAuthor, givenFormat } from "../providers/core/stream-words.js";
import { readAs } from "../reading/checks.js";
import { unknownMembersOf } from "../reading/tolerance.js";

// Of the validators, those of messages alone come with this entry.
const bound = (name: string): Binding => bind(name, data, verdicts[name] as Verdict);
const MESSAGE = bound("Message");
const PART = bound("MessagePart");

type Media = ImagePart | FileRefPart | MediaPart;
type OneOrMore<T> = T | readonly T[];

/** What a user's message is made of: texts and parts, in their order. */
export type UserContent = OneOrMore<string | TextPart | Media | ApprovalResponsePart>;
/** What a system message is made of. */
export type SystemContent = OneOrMore<string | TextPart | ThinkingPart>;
/** What a message of the assistant is made of. */
export type AssistantContent = OneOrMore<
  | string
  | TextPart
  | ThinkingPart
  | ToolCallPart
  | ServerToolCallPart
  | ServerToolResultPart
  | ApprovalRequestPart
  | Media
>;
/** What a tool gave back: a text, a JSON object, or a list of texts and parts. */
export type ResultContent = string | JsonObject | readonly (string | ToolResultContentPart)[];

/** The other members of a message. */
export interface MessageFields {
  /** A new id where absent. */
  readonly runId?: string | undefined;
  /** The present instant where absent; RFC 3339. */
  readonly timestamp?: string | undefined;
  readonly messageId?: string | undefined;
  readonly turnId?: string | undefined;
  /** Who of those that share the role speaks: a name, or name and agent. */
  readonly author?: string | Author | undefined;
  readonly meta?: MessageMeta | undefined;
}

// --- messages: the names of roles -----------------------------------------------------------------

/**
 * Returns a user's message: a text, a part, or several of them in their order. Throws UsageError
 * with the findings of what would not be valid, such as `message/role-part-kind` for a part that
 * a user's message may not hold.
 */
export function user(content: UserContent, fields: MessageFields = {}): Message {
  return messageOf("user", content, fields);
}

/** Returns a system message; arguments and errors as {@link user}. */
export function system(content: SystemContent, fields: MessageFields = {}): Message {
  return messageOf("system", content, fields);
}

/** Returns a message of the assistant, for an example or a test; arguments and errors as {@link user}. */
export function assistant(content: AssistantContent, fields: MessageFields = {}): Message {
  return messageOf("assistant", content, fields);
}

/**
 * Returns the message that holds the results of tool calls; see {@link toolResult}. `runId` is that of
 * the message with the calls: a call and its result find each other within one run. All else as
 * {@link user}.
 */
export function tool(
  results: OneOrMore<ToolResultPart | ApprovalResponsePart>,
  fields: MessageFields & { readonly runId: string },
): Message {
  if (typeof fields?.runId !== "string") {
    throw badArgument("Results belong to the run of their calls", "{ runId } of the message with the calls", fields);
  }
  return messageOf("tool", results, fields);
}

const FIELDS = ["runId", "timestamp", "messageId", "turnId", "author", "meta"] as const;

function messageOf(role: Role, content: unknown, fields: MessageFields): Message {
  const given = membersOf(fields, FIELDS);
  const { runId = newId("run"), timestamp = now(), author, ...others } = given;
  const said = author === undefined ? {} : { author: givenAuthor(author) };
  return valid<Message>(MESSAGE, { runId, role, ...said, parts: partsOf(content), timestamp, ...others });
}

// --- parts: the names of kinds --------------------------------------------------------------------

/**
 * Returns a text part, with citations, and with the form of JSON that was asked for. Places of a
 * citation are code points of the text, not indexes of the string. Throws UsageError for what is not
 * well-formed text, and for what are not citations or a form.
 */
export function text(
  content: string,
  options: { readonly citations?: readonly Citation[] | undefined; readonly format?: TextFormat | undefined } = {},
): TextPart {
  const { format, ...given } = membersOf(options, ["citations", "format"]);
  const asked = format === undefined ? {} : { format: givenFormat(format) };
  return valid<TextPart>(PART, { kind: "text", payload: { text: content, ...given, ...asked } });
}

interface CallOptions {
  readonly toolCallId?: string | undefined;
}

/**
 * Returns a call as a model makes it, for an example or a test; it has a new id where none is given.
 * Throws UsageError for an empty name, and for arguments that are not a JSON object.
 */
export function toolCall(toolName: string, args: JsonObject = {}, options: CallOptions = {}): ToolCallPart {
  const { toolCallId = newId("call") } = membersOf(options, ["toolCallId"]);
  return valid<ToolCallPart>(PART, { kind: "tool_call", payload: { toolCallId, toolName, arguments: args } });
}

/** Returns a call of a tool that the provider runs itself; as {@link toolCall}. */
export function serverToolCall(toolName: string, args: JsonObject = {}, options: CallOptions = {}): ServerToolCallPart {
  const { toolCallId = newId("srv") } = membersOf(options, ["toolCallId"]);
  const payload = { toolCallId, toolName, arguments: args };
  return valid<ServerToolCallPart>(PART, { kind: "server_tool_call", payload });
}

/** What else a result says. */
export interface ResultFields {
  /** That the tool failed; where absent, an outcome of a failure says so. */
  readonly isError?: boolean | undefined;
  /** How the call came out: `success`, `error`, `denied`, `interrupted`, `timeout`, `partial`. */
  readonly outcome?: string | undefined;
  /** The result as data, for programs. */
  readonly structured?: StructuredValue | undefined;
}

/**
 * Returns the result of a tool call, a part of the message that {@link tool} builds. `call` is the
 * part of the call, its payload, or the id alone. Throws UsageError for any other content, such as a
 * number, which `JSON.stringify` makes a text of.
 */
export function toolResult(
  call: string | ToolCallPart | ToolCallPayload | ToolCall,
  content: ResultContent,
  options: ResultFields = {},
): ToolResultPart {
  const payload = resultOf(callIdOf(call, ["tool_call"]), content, options);
  return valid<ToolResultPart>(PART, { kind: "tool_result", payload });
}

/** Returns the result of a call that the provider ran, a part of the assistant's; as {@link toolResult}. */
export function serverToolResult(
  call: string | ServerToolCallPart | ToolCallPayload,
  content: ResultContent,
  options: ResultFields = {},
): ServerToolResultPart {
  const payload = resultOf(callIdOf(call, ["server_tool_call"]), content, options);
  return valid<ServerToolResultPart>(PART, { kind: "server_tool_result", payload });
}

const FAILURES = ["error", "denied", "interrupted", "timeout"];

function resultOf(toolCallId: unknown, content: unknown, options: ResultFields): object {
  const given = membersOf(options, ["isError", "outcome", "structured"]);
  const { isError = FAILURES.includes(given.outcome ?? ""), ...others } = given;
  if (typeof content !== "string" && !Array.isArray(content) && !isObject(content)) {
    throw badArgument("content is wrong", "text, a JSON object, or an array of texts and parts", content);
  }
  return { toolCallId, isError, content: Array.isArray(content) ? partsOf(content) : content, ...others };
}

/**
 * Returns the question to a person whether a call may run, a part of the assistant's message. `call`
 * is one of either kind (its part, its payload), or the id; the request has a new id where none is
 * given. A choice that is a string is its id. Throws UsageError for what is not valid.
 */
export function approvalRequest(
  call: string | ToolCallPart | ServerToolCallPart | ToolCallPayload | ToolCall,
  options: Partial<Pick<ApprovalRequest, "approvalId" | "reason" | "requestedAt">> & {
    choices?: readonly (string | ApprovalChoice)[];
  } = {},
): ApprovalRequestPart {
  const {
    approvalId = newId("apr"),
    choices,
    ...others
  } = membersOf(options, ["approvalId", "reason", "choices", "requestedAt"]);
  const toolCallId = callIdOf(call, ["tool_call", "server_tool_call"]);
  const given = Array.isArray(choices) ? choices.map(choiceOf) : choices;
  const payload = { approvalId, toolCallId, ...others, ...(given === undefined ? {} : { choices: given }) };
  return valid<ApprovalRequestPart>(PART, { kind: "approval_request", payload });
}

const choiceOf = (choice: unknown): unknown => (typeof choice === "string" ? { id: choice } : choice);

/**
 * Returns a person's answer to a request, a part of a user's or a tool's message. `request` is the
 * part, or its payload. The call runs where `decision` is `approved`, and on no other word; with
 * `arguments` it runs with these. Throws UsageError for what is not valid.
 */
export function approvalResponse(
  request: ApprovalRequestPart | ApprovalRequest,
  decision: string,
  options: Partial<Omit<ApprovalResponse, "approvalId" | "toolCallId" | "decision">> = {},
): ApprovalResponsePart {
  const given = membersOf(options, ["choice", "reason", "decidedBy", "decidedAt", "arguments"]);
  const payload = payloadOf(request, ["approval_request"]);
  const [approvalId, toolCallId] = [own(payload, "approvalId"), own(payload, "toolCallId")];
  if (approvalId === undefined || toolCallId === undefined) {
    throw badArgument("request is wrong", "an approval request (part or payload)", request);
  }
  const made = { approvalId, toolCallId, decision, ...given };
  return valid<ApprovalResponsePart>(PART, { kind: "approval_response", payload: made });
}

/**
 * Returns media of any type: the bytes, or where they are, by URL or in a store of the caller's.
 * `transcript` is what is said in it. Throws UsageError unless exactly one of `data`, `url` and `ref`
 * is given.
 */
export function media(
  mimeType: string,
  given: Pick<MediaPayload, "name" | "transcript"> & {
    readonly data?: Uint8Array;
    readonly url?: string;
    readonly ref?: string;
  },
): MediaPart {
  const { data, url, ref, ...others } = membersOf(given, ["data", "url", "ref", "name", "transcript"]);
  const sources: object[] = [];
  if (data !== undefined) {
    if (!(data instanceof Uint8Array)) throw badArgument("data is wrong", "bytes", data);
    if (data.length === 0) throw badArgument("Media is empty", "one byte at least", "none");
    sources.push({ kind: "inline", data: base64Of(data) });
  }
  if (url !== undefined) sources.push({ kind: "url", url });
  if (ref !== undefined) sources.push({ kind: "ref", ref });
  if (sources.length !== 1) throw badArgument("Media is in one place", "one of data, url and ref", sources.length);
  return valid<MediaPart>(PART, { kind: "media", payload: { mimeType, source: sources[0], ...others } });
}

/** Returns the payload of a part of one of these kinds, or what may be such a payload; else {}. */
function payloadOf(value: unknown, kinds: readonly string[]): JsonObject {
  const kind = isObject(value) ? own(value, "kind") : undefined;
  const payload = isObject(value) && typeof kind === "string" && kinds.includes(kind) ? own(value, "payload") : value;
  return isObject(payload) ? (payload as JsonObject) : {};
}

function callIdOf(call: unknown, kinds: readonly string[]): unknown {
  if (typeof call === "string") return call;
  const id = own(payloadOf(call, kinds), "toolCallId");
  if (id !== undefined) return id;
  throw badArgument("call is wrong", "a tool call (part or payload), or its id", call);
}

// --- what all of them do --------------------------------------------------------------------------

function partsOf(content: unknown): unknown[] {
  const items: readonly unknown[] = Array.isArray(content) ? content : [content];
  return items.map((each) => {
    if (typeof each === "string") return { kind: "text", payload: { text: each } };
    if (isObject(each)) return each;
    throw badArgument("Not what a message is made of", "text, a part, or an array of texts and parts", each);
  });
}

/** Returns the members that are given; throws UsageError for one that is not known. */
function membersOf<T extends object>(given: T, names: readonly (keyof T & string)[]): T {
  if (!isObject(given)) throw badArgument("Not what a builder takes", `an object with ${names.join(", ")}`, given);
  for (const name of Object.keys(given)) {
    if (!(names as readonly string[]).includes(name)) {
      throw badArgument("A builder takes no such member", names.join(", "), name);
    }
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T;
}

/** Returns what is valid; throws UsageError, also for a member that would be left out. */
function valid<T>(binding: Binding, value: unknown): T {
  try {
    const made = readAs(binding, value, "strict").value as T;
    const [place] = unknownMembersOf(binding.data, binding.name, value);
    if (place === undefined) return made;
    const finding = errorAt(place, "shape/unknown-member", "The type names no such member");
    throw new UsageError([finding]);
  } catch (error) {
    throw error instanceof ReadError ? new UsageError(error.findings) : error;
  }
}
