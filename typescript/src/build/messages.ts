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
  FileRefPart,
  ImagePart,
  MediaPart,
  Message,
  MessageMeta,
  Role,
  TextPart,
  ThinkingPart,
  ToolCall,
  ToolCallPart,
  ToolCallPayload,
  ToolResultContentPart,
  ToolResultPart,
} from "../contract/current/message.js";
import { newId } from "../contract/ids.js";
import { badArgument, ReadError, UsageError } from "../errors.js";
import { isObject, type JsonObject, own } from "../json/values.js";
import { readAs } from "../reading/checks.js";

// Of the validators, those of messages alone come with this entry.
const bound = (name: string): Binding => bind(name, data, verdicts[name] as Verdict);
const MESSAGE = bound("Message");
const PART = bound("MessagePart");

type Media = ImagePart | FileRefPart | MediaPart;
type OneOrMore<T> = T | readonly T[];

/** What a user's message is made of: texts and parts, in their order. */
export type UserContent = OneOrMore<string | TextPart | Media>;
/** What a system message is made of. */
export type SystemContent = OneOrMore<string | TextPart | ThinkingPart>;
/** What a message of the assistant is made of. */
export type AssistantContent = OneOrMore<string | TextPart | ThinkingPart | ToolCallPart | Media>;
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
export function tool(results: OneOrMore<ToolResultPart>, fields: MessageFields & { readonly runId: string }): Message {
  if (typeof fields?.runId !== "string") {
    throw badArgument("Results belong to the run of their calls", "{ runId } of the message with the calls", fields);
  }
  return messageOf("tool", results, fields);
}

const FIELDS = ["runId", "timestamp", "messageId", "turnId", "meta"] as const;

function messageOf(role: Role, content: unknown, fields: MessageFields): Message {
  const given = membersOf(fields, FIELDS);
  const { runId = newId("run"), timestamp = now(), ...others } = given;
  return valid<Message>(MESSAGE, { runId, role, parts: partsOf(content), timestamp, ...others });
}

// --- parts: the names of kinds --------------------------------------------------------------------

/** Returns a text part. Throws UsageError for what is not well-formed text. */
export function text(content: string): TextPart {
  return valid<TextPart>(PART, { kind: "text", payload: { text: content } });
}

/**
 * Returns a call as a model makes it, for an example or a test; it has a new id where none is given.
 * Throws UsageError for an empty name, and for arguments that are not a JSON object.
 */
export function toolCall(
  toolName: string,
  args: JsonObject = {},
  options: { readonly toolCallId?: string | undefined } = {},
): ToolCallPart {
  const { toolCallId = newId("call") } = membersOf(options, ["toolCallId"]);
  return valid<ToolCallPart>(PART, { kind: "tool_call", payload: { toolCallId, toolName, arguments: args } });
}

/**
 * Returns the result of a tool call, a part of the message that {@link tool} builds. `call` is the
 * part of the call, its payload, or the id alone; `isError` says that the tool failed. Throws
 * UsageError for any other content, such as a number, which `JSON.stringify` makes a text of.
 */
export function toolResult(
  call: string | ToolCallPart | ToolCallPayload | ToolCall,
  content: ResultContent,
  options: { readonly isError?: boolean | undefined } = {},
): ToolResultPart {
  const { isError = false } = membersOf(options, ["isError"]);
  if (typeof content !== "string" && !Array.isArray(content) && !isObject(content)) {
    throw badArgument("content is wrong", "text, a JSON object, or an array of texts and parts", content);
  }
  const found = Array.isArray(content) ? partsOf(content) : content;
  return valid<ToolResultPart>(PART, {
    kind: "tool_result",
    payload: { toolCallId: callIdOf(call), isError, content: found },
  });
}

function callIdOf(call: unknown): unknown {
  if (typeof call === "string") return call;
  const payload = isObject(call) && own(call, "kind") === "tool_call" ? own(call, "payload") : call;
  const id = isObject(payload) ? own(payload, "toolCallId") : undefined;
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

function valid<T>(binding: Binding, value: unknown): T {
  try {
    return readAs(binding, value, "strict").value as T;
  } catch (error) {
    throw error instanceof ReadError ? new UsageError(error.findings) : error;
  }
}
