/**
 * AI SDK histories: UI messages of 5 to 7, what 4 stored, and model messages.
 *
 * - A UI message of the assistant is split at its `step-start`, as the SDK does for the model.
 * - What each message is, it shows itself: `parts` makes it one of the UI, a list as `content` a model
 *   message, text as `content` one of either, with the members that 4 stored beside it.
 */

import { isObject, own } from "../../json/values.js";
import { isTimestamp } from "../../message/assembler/rules.js";
import { PARTWIRE, restored } from "../core/extension.js";
import { type Json, type Members, Reading } from "../core/reading.js";
import { ModelMessages } from "./model-messages.js";
import { UiPartsReader } from "./parts-read.js";
import { OWN } from "./state.js";

const ROLES: ReadonlySet<string> = new Set(["system", "user", "assistant", "tool"]);

/** Reads a list of messages, one message, or the body of a chat's request. */
export function readAiSdk(source: unknown, reading: Reading): void {
  const histories = new Histories(reading);
  if (!isObject(source)) {
    for (const message of reading.items(source, "")) histories.read(message);
    return;
  }
  const body = reading.members(source, "");
  if (!body.has("messages")) {
    histories.read(body);
    return;
  }
  const messages = body.value("messages");
  body.close("request-member");
  for (const message of reading.items(messages, "/messages")) histories.read(message);
}

/** Returns the messages of one UI message, as JSON objects that nobody has checked. */
export function readBack(message: Json): Json[] {
  const reading = new Reading(OWN);
  new Histories(reading).read(reading.members(message, ""));
  return reading.messages;
}

/** Returns the messages of a UI message at `place`, which are not added; losses are noted. */
export function messagesOfOne(message: Json, place: string, reading: Reading): Json[] {
  const members = reading.members(message, place);
  const role = members.text("role") || "user";
  const messageId = members.text("id");
  const steps = new UiPartsReader(role, reading).of(members);
  members.close();
  return steps.messages(role, messageId ? { messageId } : {});
}

class Histories {
  readonly #reading: Reading;
  readonly #models: ModelMessages;

  constructor(reading: Reading) {
    this.#reading = reading;
    this.#models = new ModelMessages(reading);
  }

  read(message: Members): void {
    const reading = this.#reading;
    const role = message.text("role");
    if (role === "data" && !message.has("parts")) {
      reading.note("foreign-message", message.place);
      return;
    }
    if (role === undefined || !ROLES.has(role)) {
      throw reading.refuse(message.at("role"), "system, user, assistant or tool", role ?? null);
    }
    if (role === "tool" || (!message.has("parts") && Array.isArray(message.peek("content")))) {
      this.#models.read(role, message);
      return;
    }
    const { kept, ours } = metadataOf(message);
    const head: Json = kept === undefined ? {} : { meta: { [OWN]: { metadata: kept } } };
    const messageId = message.text("id");
    if (messageId) head["messageId"] = messageId;
    if (isTimestamp(message.peek("createdAt"))) head["timestamp"] = message.value("createdAt");
    const said = new UiPartsReader(role, reading).of(message).messages(role, head);
    const made = ours === null ? said : restored(said, ours, reading, `${message.place}/metadata/${PARTWIRE}`);
    for (const { role: of, parts, ...members } of made) reading.add(of as string, parts as Json[], members);
    message.close();
  }
}

/** Takes the metadata: what the application put there, and what is ours. */
function metadataOf(message: Members): { readonly kept?: Json; readonly ours: unknown } {
  const metadata = message.object("metadata") ?? {};
  const { [PARTWIRE]: _, ...kept } = metadata;
  const ours = own(metadata, PARTWIRE) ?? null;
  return Object.keys(kept).length > 0 ? { kept, ours } : { ours };
}
