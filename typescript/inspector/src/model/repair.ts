/** What a repair of a history would do, change by change. */

import {
  checkHistory,
  type Finding,
  type HistoryChange,
  PartwireError,
  type RepairOptions,
  repairHistory,
  stringify,
} from "partwire";
import { isObject, own } from "../../../src/json/values.js";
import { placeOfPointer } from "./conversation.js";

type Policy = NonNullable<RepairOptions["policy"]>;

/** A part, or a whole message, where it is in one of the two histories. */
export interface Snapshot {
  /** The pointer to the part or to the message. */
  readonly pointer: string;
  readonly role?: string;
  readonly value: unknown;
}

export interface RepairStep {
  readonly change: HistoryChange;
  readonly before?: Snapshot;
  /** What was made of it; absent where it is taken out. */
  readonly after?: Snapshot;
}

export interface Repair {
  readonly steps: readonly RepairStep[];
  /** The repaired history. */
  readonly messages: readonly unknown[];
  /** What is still found in it. */
  readonly left: readonly Finding[];
}

/** Returns what a repair does to a history; the findings of what refuses it where it is refused. */
export function previewRepair(documents: readonly unknown[], policy: Policy, ongoing = false): Repair | Finding[] {
  try {
    const { messages, changes } = repairHistory(documents, { policy, ongoing });
    const steps = changes.map((change): RepairStep => {
      const before = snapshot(documents, change.pointer);
      const after = change.result === undefined ? undefined : snapshot(messages, change.result);
      return { change, ...(before && { before }), ...(after && { after }) };
    });
    return { steps, messages, left: checkHistory(messages, { ongoing }) };
  } catch (error) {
    if (error instanceof PartwireError) return [...error.findings];
    throw error;
  }
}

function snapshot(documents: readonly unknown[], pointer: string): Snapshot | undefined {
  const { document: index, part } = placeOfPointer(pointer);
  if (index === undefined) return undefined;
  const document = documents[index];
  const role = isObject(document) ? own(document, "role") : undefined;
  const said = typeof role === "string" ? { role } : {};
  const parts = isObject(document) ? own(document, "parts") : undefined;
  if (part === undefined || !Array.isArray(parts)) return { pointer: `/${index}`, ...said, value: document };
  return { pointer: `/${index}/parts/${part}`, ...said, value: parts[part] };
}

/** Returns a history as JSON Lines. */
export function jsonLines(messages: readonly unknown[]): string {
  return messages.map((message) => `${stringify(message)}\n`).join("");
}
