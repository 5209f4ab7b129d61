/** The step between v0.1 and v0.2: up without loss, down with what v0.1 cannot say reported. */
import { isObject, own } from "../../json/values.js";
import { downgradeMedia } from "./media.js";
import { downgradeMessage } from "./message-down.js";
import { liftState, type Part } from "./opaque-state.js";
import type { Hook, Hooks, Json } from "./walk.js";

export const OLD = "v0.1";
export const NEW = "v0.2";

const QUEUE_MESSAGES = [
  "TaskEvent",
  "GetContextRequest",
  "PromptBlocksResponse",
  "ToolCallRequest",
  "ToolCallResponse",
  "ReportResultRequest",
  "EvaluationRequest",
  "EvaluationResponse",
  "RetryEvent",
];

/** What is done with a document on the way up, beside taking over its members. */
export type Lift = (document: Json) => Json;

function declaredUp(name?: string): Lift {
  const type = name === undefined ? {} : { message_type: name };
  return (message) => ({ ...message, schema_version: NEW, ...type });
}

function declaredDown(name: string): Hook {
  return (walk, message, pointer) => {
    // Here, nothing else tells the type.
    if (name !== "Envelope" || !Object.hasOwn(message, "message_type")) {
      return { ...walk.members(message, name, pointer), schema_version: OLD };
    }
    walk.log.note("message-type-lost", `${pointer}/message_type`);
    const { message_type: _, ...others } = message;
    return { ...walk.members(others, name, pointer), schema_version: OLD };
  };
}

function partDown(name: string): Hook {
  return (walk, part, pointer) =>
    part["kind"] === "media" ? downgradeMedia(walk, part as Part, pointer) : walk.variant(part, name, pointer);
}

/** By type. */
export const UP: Readonly<Record<string, Lift>> = {
  "message.Message": liftState,
  "envelope.Envelope": declaredUp(),
  ...Object.fromEntries(QUEUE_MESSAGES.map((name) => [`envelope.${name}`, declaredUp(name)])),
};

/** By family, what is done at a definition beside taking over its members. */
export const DOWN: Readonly<Record<string, Hooks>> = {
  message: {
    Message: downgradeMessage,
    MessagePart: partDown("MessagePart"),
    ToolResultContentPart: partDown("ToolResultContentPart"),
  },
  envelope: Object.fromEntries(["Envelope", ...QUEUE_MESSAGES].map((name) => [name, declaredDown(name)])),
};

/** Tells whether going down may change a document that v0.1 takes as it is. */
export function changes(family: string, value: unknown): boolean {
  if (family === "envelope") return true;
  const meta = isObject(value) ? own(value, "meta") : undefined;
  return isObject(meta) && Object.hasOwn(meta, "opaque");
}
