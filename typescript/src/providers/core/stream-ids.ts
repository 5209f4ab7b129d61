/** The ids that a caller gives to a stream: of its run, its message and its turn. */
import { badArgument } from "../../errors.js";
import { isUnicode } from "../../json/text.js";

/** Throws UsageError for what cannot be an id; `what` is what it would be the id of. */
export function checkId(what: string, value: unknown): void {
  if (typeof value === "string" && value !== "" && isUnicode(value)) return;
  const expected = `a ${what} id: a string of well-formed Unicode that is not empty`;
  throw badArgument(`A stream belongs to a ${what}`, expected, value ?? null);
}

/** Returns the ids of message and turn as far as they are given. Throws UsageError `usage/invalid-argument`. */
export function givenIds(
  messageId: string | undefined,
  turnId: string | undefined,
): { messageId?: string; turnId?: string } {
  if (messageId !== undefined) checkId("message", messageId);
  if (turnId !== undefined) checkId("turn", turnId);
  return { ...(messageId === undefined ? {} : { messageId }), ...(turnId === undefined ? {} : { turnId }) };
}
