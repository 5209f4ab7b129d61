/** What a finished message has to be beside what its schema says: BR-11, BR-14, placeholders. */

import { clip, errorAt, type Finding } from "../errors.js";
import { isObject, own } from "../json/values.js";
import { findingsOf } from "../reading/checks.js";
import { WITH_PARTS } from "./copies.js";
import { placeholderFindings } from "./validation.js";

/** A message in the making; `parts` hold whatever was added. */
export interface Draft {
  readonly info: Record<string, unknown>;
  readonly parts: readonly unknown[];
}

/**
 * Returns what is wrong with a message: the schema's findings first, then those of building.
 * Source: requirements S002-39 to S002-52.
 */
export function messageFindings(draft: Draft, how: { finished: boolean; compacting: boolean }): Finding[] {
  const { info, parts } = draft;
  const found = findingsOf(WITH_PARTS, draft);
  if (Object.hasOwn(info, "summary") && !how.compacting) found.push(summaryFinding());
  if (how.finished && own(info, "role") === "assistant") found.push(...completionFindings(info, parts));
  for (const [index, part] of parts.entries()) found.push(...placeholderFindings(part, `/parts/${index}`));
  return found;
}

function summaryFinding(): Finding {
  const message = "A summary is made only when the context is compacted";
  const expected = "no summary, or a builder made with compacting";
  return errorAt("/info/summary", "session/summary-without-compaction", message, expected);
}

function completionFindings(info: Record<string, unknown>, parts: readonly unknown[]): Finding[] {
  const time = own(info, "time");
  if (isObject(time) && !Object.hasOwn(time, "completed")) {
    const message = "The message is finished, and does not say since when";
    return [errorAt("/info/time", "session/not-completed", message, "a member completed")];
  }
  const message = "The message is complete, and a tool call of it is not";
  return parts.flatMap((part, index) => {
    const status = statusOf(part);
    if (status !== "pending" && status !== "running") return [];
    const pointer = `/parts/${index}/state/status`;
    return [errorAt(pointer, "session/completed-early", message, "completed or error", clip(status))];
  });
}

function statusOf(part: unknown): unknown {
  const state = isObject(part) ? own(part, "state") : undefined;
  return isObject(state) ? own(state, "status") : undefined;
}
