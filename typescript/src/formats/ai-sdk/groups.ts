/** Which messages are one UI message: an answer with its steps, and what came of its calls. */

import { sameJson } from "../../json/equality.js";
import { isObject } from "../../json/values.js";
import type { Json } from "../core/reading.js";
import { OWN } from "./state.js";

const ANSWERS: ReadonlySet<unknown> = new Set(["tool_result", "approval_response"]);

/** Messages with their numbers. */
export interface Group {
  readonly role: string;
  readonly messages: Json[];
  readonly numbers: number[];
  /** Whether it is results of calls that are nowhere before. */
  readonly isOrphan: boolean;
}

/** Tells whether the assistant spoke more than once. */
export function hasSteps({ messages }: Group): boolean {
  return messages.filter((each) => each["role"] === "assistant").length > 1;
}

/** Returns the groups of a history, in order. */
export function grouped(messages: readonly Json[]): Group[] {
  const groups: Group[] = [];
  const begin = (role: string, message: Json, number: number, isOrphan: boolean): void => {
    groups.push({ role, messages: [message], numbers: [number], isOrphan });
  };
  let calls = new Set<unknown>();
  for (const [number, message] of messages.entries()) {
    const last = groups.at(-1);
    const answer = last?.role === "assistant" && !last.isOrphan ? last : undefined;
    const role = message["role"] as string;
    const ids = idsOf(message);
    if (answer !== undefined && isAnswer(message) && ids.some((id) => calls.has(id))) {
      answer.messages.push(message);
      answer.numbers.push(number);
    } else if (answer !== undefined && role === "assistant" && goesOn(answer, message)) {
      answer.messages.push(message);
      answer.numbers.push(number);
      for (const id of ids) calls.add(id);
    } else if (role === "tool") {
      begin("assistant", message, number, true);
    } else {
      begin(role, message, number, false);
      calls = new Set(ids);
    }
  }
  return groups;
}

const partsOf = (message: Json): readonly Json[] => message["parts"] as Json[];

function isAnswer(message: Json): boolean {
  const parts = partsOf(message);
  if (message["role"] === "tool") return true;
  return message["role"] === "user" && parts.length > 0 && parts.every((part) => ANSWERS.has(part["kind"]));
}

function idsOf(message: Json): unknown[] {
  const ids = partsOf(message).map((part) => (part["payload"] as Json)["toolCallId"]);
  return ids.filter((id) => id !== undefined);
}

/** Tells whether an assistant's message is a further step of the answer before it. */
function goesOn(group: Group, message: Json): boolean {
  const before = group.messages[0] as Json;
  if (!["runId", "author"].every((name) => sameJson(before[name], message[name]))) return false;
  const meta = message["meta"] as Json | undefined;
  const own = meta?.[OWN];
  return (isObject(own) && Object.hasOwn(own, "step")) || group.messages.at(-1)?.["role"] !== "assistant";
}
