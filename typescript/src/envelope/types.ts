/** The queue messages of every version: which there are, and how each is read and written. */

import { verdicts as verdictsOf01 } from "../compiled/v0_1/envelope.js";
import { verdicts as verdictsOf02 } from "../compiled/v0_2/envelope.js";
import { type Binding, bind, type Verdict } from "../contract/binding.js";
import * as current from "../contract/current/envelope.checks.js";
import type { Types } from "../contract/current/envelope.js";
import { LATEST_VERSION } from "../contract/current/index.js";
import type { FamilyData, ObjectNode } from "../contract/nodes.js";
import { badArgument } from "../errors.js";
import { data as dataOf01 } from "../generated/v0_1/envelope.data.js";
import { data as dataOf02 } from "../generated/v0_2/envelope.data.js";
import { own } from "../json/values.js";

/** The names of queue messages, in the order of their document. */
const NAMES = [
  "TaskEvent",
  "GetContextRequest",
  "PromptBlocksResponse",
  "ToolCallRequest",
  "ToolCallResponse",
  "ReportResultRequest",
  "EvaluationRequest",
  "EvaluationResponse",
  "RetryEvent",
] as const;

/** The name of a queue message, such as `TaskEvent`. */
export type MessageName = (typeof NAMES)[number];

/** What can be read: a queue message, or the envelope of any. */
export type Readable = MessageName | "Envelope";

/** A name, with or without its family. */
export type Named<Name extends string> = Name | `envelope.${Name}`;

/** The type of a name. */
export type MessageOf<Name extends keyof Types> = Types[Name];

/** The types of queue messages, in the order of their document. */
export const MESSAGE_TYPES: readonly `envelope.${MessageName}`[] = NAMES.map((name) => `envelope.${name}` as const);

interface Room {
  readonly data: FamilyData;
  readonly verdicts: Readonly<Record<string, Verdict>>;
}

const ROOMS: Readonly<Record<string, Room>> = {
  "v0.1": { data: dataOf01, verdicts: verdictsOf01 },
  "v0.2": { data: dataOf02, verdicts: verdictsOf02 },
  [LATEST_VERSION]: current,
};

/** Every contract version, the oldest first. */
export const KNOWN: readonly string[] = Object.keys(ROOMS);

const bindings = new Map<string, Binding>();

/** Returns a type of the family; version and name have to be known. */
export function envelopeBinding(name: string, version: string = LATEST_VERSION): Binding {
  const key = `${version} ${name}`;
  let binding = bindings.get(key);
  if (binding === undefined) {
    const { data, verdicts } = ROOMS[version] as Room;
    bindings.set(key, (binding = bind(name, data, verdicts[name] as Verdict)));
  }
  return binding;
}

/** Tells whether messages of a known version may say which message they are. */
export function knowsMessageType(version: string): boolean {
  return membersOf("Envelope", version).some(([name]) => name === "message_type");
}

/** Returns the members of a message: name, node and 1 where it is required. */
export function membersOf(name: string, version: string = LATEST_VERSION): ObjectNode["m"] {
  return (own((ROOMS[version] as Room).data, name) as ObjectNode).m;
}

/** Returns the name of what can be read, without its family; throws UsageError `usage/unknown-type`. */
export function readableName(type: unknown): Readable {
  const name = typeof type === "string" ? type.replace(/^envelope\./, "") : "";
  if (name === "Envelope" || isMessageName(name)) return name;
  throw badArgument("No such queue message", NAMES.join(", "), type, "usage/unknown-type");
}

/** Tells whether a name is that of a queue message. */
export function isMessageName(name: string): name is MessageName {
  return (NAMES as readonly string[]).includes(name);
}
