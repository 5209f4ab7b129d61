/**
 * Messages as messages of AG-UI.
 *
 * Reasoning comes before the message that it is part of, each result is a message. What the format does not
 * say is not guessed: what was written is read back, and what differs is reported, or kept in
 * `metadata.partwire` of the first message that ours became.
 */

import { inOrder } from "../../convert/losses.js";
import { jsonText } from "../../json/compact.js";
import { isObject, own } from "../../json/values.js";
import { compare } from "../core/compared.js";
import { changes, PARTWIRE } from "../core/extension.js";
import { givenIds, Ids } from "../core/ids.js";
import { Losses } from "../core/lost.js";
import type { Json } from "../core/reading.js";
import type { Written } from "../core/writing.js";
import { resultContent, writtenParts } from "./content.js";
import { errorText, readBack } from "./messages.js";
import { derivedId, type Kept, keptOf, OWN } from "./state.js";

/** The version without types of encrypted values. */
const TYPELESS = "1.0";

/** Messages of the protocol that one of ours became, and the places of parts that have none there. */
interface Made {
  readonly documents: Json[];
  readonly leftOut: Set<number>;
}

/** Returns the messages of a history, and what they do not say of it. */
export function writeAgUi(messages: Json[], version: string, extensions: boolean): Written {
  const losses = new Losses();
  const document: Json[] = [];
  const ids = new Ids(givenIds(messages));
  for (const [number, message] of messages.entries()) {
    const { documents, leftOut } = madeOf(message, ids, version);
    if (documents.at(-1)?.["role"] === "reasoning" && messages[number + 1]?.["role"] === "assistant") {
      // Or else the next message would be taken for the answer of this reasoning.
      documents.push({ id: ids.of(message), role: "assistant", content: "" });
    }
    const back = readBack(documents);
    if (extensions) {
      keep(message, back, documents, ids);
    } else {
      const places = [...leftOut].map((at) => [0, at] as const);
      compare(new Map([[number, message]]), back, losses, { own: OWN, leftOut: places });
    }
    for (const each of documents) document.push(each);
  }
  return { document, losses: inOrder(losses.found) };
}

/** Keeps a message of ours in the first message that it became; in one of no role without any. */
function keep(message: Json, back: readonly Json[], documents: Json[], ids: Ids): void {
  if (documents.length === 0) {
    documents.push({ id: ids.of(message), role: "activity", activityType: PARTWIRE, content: {} });
  }
  const kept = { ...changes([message], back), ids: documents.map(({ id }) => id) };
  const first = documents[0] as Json;
  first["metadata"] = { ...(first["metadata"] as Json | undefined), [PARTWIRE]: kept };
}

// --- one message ----------------------------------------------------------------------------------

/** Returns the messages that one of ours becomes. */
function madeOf(message: Json, ids: Ids, version: string): Made {
  switch (message["role"]) {
    case "tool":
      return resultsOf(message, ids, version);
    case "assistant":
      return answerOf(message, ids, version);
    default:
      return saidOf(message, ids, version);
  }
}

/** The payloads of parts of some kinds, with the kind; and the places of all others. */
function sorted(message: Json, kinds: readonly string[]): { readonly parts: Json[]; readonly leftOut: Set<number> } {
  const leftOut = new Set<number>();
  const parts = (message["parts"] as Json[]).filter((part, at) => {
    const isKept = kinds.includes(part["kind"] as string);
    if (!isKept) leftOut.add(at);
    return isKept;
  });
  return { parts, leftOut };
}

const payloadsOf = (parts: readonly Json[], kind: string): Json[] =>
  parts.filter((part) => part["kind"] === kind).map((part) => part["payload"] as Json);

const textOf = (payloads: readonly Json[]): string => payloads.map((payload) => payload["text"]).join("");

function saidOf(message: Json, ids: Ids, version: string): Made {
  const isUser = message["role"] === "user";
  const { parts, leftOut } = sorted(message, isUser ? ["text", "image", "media", "file_ref"] : ["text"]);
  const kept = ownOf(message);
  const document: Json = {
    id: ids.of(message),
    role: roleOf(message),
    content: isUser ? writtenParts(parts) : textOf(payloadsOf(parts, "text")),
    ...beside(message, kept, version),
  };
  return { documents: [document], leftOut };
}

/** Returns the role of the protocol: a system message may have been a developer's. */
export function roleOf(message: Json): string {
  const isDeveloper = message["role"] === "system" && ownOf(message)["role"] === "developer";
  return isDeveloper ? "developer" : (message["role"] as string);
}

function answerOf(message: Json, ids: Ids, version: string): Made {
  const { parts, leftOut } = sorted(message, ["text", "thinking", "tool_call"]);
  const thoughts = payloadsOf(parts, "thinking");
  const texts = payloadsOf(parts, "text");
  const calls = payloadsOf(parts, "tool_call");
  const members = beside(message, ownOf(message), version);
  const isSpoken = texts.length > 0 || calls.length > 0 || thoughts.length === 0;
  const isAnswer = isSpoken || Object.keys(members).length > 0;
  const { answerId, stem } = answerIds(message, thoughts, isAnswer, ids);
  const documents = thoughts.map((payload, index): Json => {
    const kept = keptOf(payload["opaque"]);
    const id = thoughtId(payload["opaque"], stem, index + 1);
    return {
      id: ids.made(id, id),
      role: "reasoning",
      content: payload["text"],
      ...sealed(kept, version),
      ...membersOf(kept.own),
    };
  });
  if (isAnswer) {
    documents.push({
      id: answerId,
      role: "assistant",
      ...(texts.length > 0 || calls.length === 0 ? { content: textOf(texts) } : {}),
      ...(calls.length > 0 ? { toolCalls: calls.map((payload) => callOf(payload, version)) } : {}),
      ...sealed(keptOf(texts.at(-1)?.["opaque"]), version),
      ...members,
    });
  }
  return { documents, leftOut };
}

/** Returns the id of an answer, and the one that those of its reasoning are derived of. */
function answerIds(
  message: Json,
  thoughts: readonly Json[],
  isAnswer: boolean,
  ids: Ids,
): { readonly answerId: string; readonly stem: string } {
  const stem = (message["messageId"] as string | undefined) ?? "";
  const said = own(keptOf(thoughts.at(-1)?.["opaque"]).own, "messageId");
  if (isAnswer && typeof said === "string" && said !== "") {
    const answerId = ids.made(said, said);
    return { answerId, stem: stem || answerId };
  }
  if (!isAnswer && stem !== "") return { answerId: "", stem };
  const answerId = ids.of(message);
  return { answerId, stem: answerId };
}

/** Returns the id of reasoning: the one that it came with, else that of its place. */
export function thoughtId(opaque: unknown, messageId: string, number: number): string {
  const said = own(keptOf(opaque).own, "id");
  return typeof said === "string" && said !== "" ? said : derivedId(messageId, number);
}

function callOf(payload: Json, version: string): Json {
  const kept = keptOf(payload["opaque"]);
  const { metadata } = membersOf(kept.own);
  return {
    id: payload["toolCallId"],
    type: "function",
    function: { name: payload["toolName"], arguments: argumentsOf(payload) },
    ...sealed(kept, version),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** Returns the arguments of a call as text. */
export function argumentsOf(payload: Json): string {
  const raw = payload["rawArgsText"];
  return typeof raw === "string" ? raw : jsonText(payload["arguments"]);
}

function resultsOf(message: Json, ids: Ids, version: string): Made {
  const kept = ownOf(message);
  const stem = (message["messageId"] as string | undefined) ?? "message";
  const { parts, leftOut } = sorted(message, ["tool_result"]);
  const documents = parts.map((part, index): Json => {
    const payload = part["payload"] as Json;
    return {
      id: index === 0 ? ids.of(message) : ids.made("", stem),
      role: "tool",
      toolCallId: payload["toolCallId"],
      content: resultContent(payload),
      ...(payload["isError"] === true ? { error: errorOf(payload, kept) } : {}),
      ...beside(message, kept, version),
    };
  });
  return { documents, leftOut };
}

/** Returns what a failed call says. */
function errorOf(payload: Json, kept: Json): string {
  const said = own(kept, "error");
  return typeof said === "string" ? said : errorText(resultContent(payload));
}

// --- members of every message ---------------------------------------------------------------------

function ownOf(message: Json): Json {
  const kept = own((message["meta"] ?? {}) as Json, OWN);
  return isObject(kept) ? kept : {};
}

/** Returns the members of the protocol that were kept, as far as they have their form. */
function membersOf(kept: Json): { subagentRunId?: string; metadata?: Json } {
  const [subagentRunId, metadata] = [own(kept, "subagentRunId"), own(kept, "metadata")];
  return {
    ...(typeof subagentRunId === "string" ? { subagentRunId } : {}),
    ...(isObject(metadata) ? { metadata } : {}),
  };
}

function beside(message: Json, kept: Json, version: string): Json {
  const { name } = (message["author"] ?? {}) as { name?: string };
  const [value, type] = [own(kept, "encryptedValue"), own(kept, "encryptedValueType")];
  const typed = typeof type === "string" ? { type } : {};
  return {
    ...membersOf(kept),
    ...(name && message["role"] !== "tool" ? { name } : {}),
    ...(typeof value === "string" ? sealed({ value, ...typed, own: {} }, version) : {}),
  };
}

/** Returns the members that say a value of state. */
export function sealed({ value, type }: Kept, version: string): Json {
  if (value === undefined) return {};
  const isTyped = type !== undefined && version !== TYPELESS;
  return { encryptedValue: value, ...(isTyped ? { encryptedValueType: type } : {}) };
}
