/** What writing a document gives, and what it is written of. */

import type { Loss } from "../../convert/losses.js";
import { badArgument } from "../../errors.js";
import { withoutText } from "../../json/documents.js";
import { readAs } from "../../reading/checks.js";
import { type Json, MESSAGE } from "./reading.js";

/** A document as JSON value, and what it does not say of the messages, by place in them. */
export interface Written {
  readonly document: unknown;
  readonly losses: readonly Loss[];
}

/**
 * Returns messages (of the contract, JSON text, or snapshots) as JSON objects of their own. Throws
 * UsageError for what is not a list of them, and ReadError for what is not a message.
 */
export function messagesOf(messages: unknown): Json[] {
  if (!Array.isArray(messages)) throw badArgument("messages is wrong", "a list of messages", messages);
  return messages.map((each: unknown) => readAs(MESSAGE, withoutText(each), "strict").value as Json);
}
