/** What a repair may do about a defect, and how it says what it did. */
import { badArgument } from "../../errors.js";
import { isObject, own } from "../../json/values.js";

/**
 * Defect → what can be done about it; the first is done where the policy says nothing. The names
 * are those of the rules `history/…`; `unreadable-message` is a message that is none.
 */
export const REPAIRS = {
  "duplicate-tool-call": ["rename", "drop"],
  "duplicate-tool-result": ["drop"],
  "late-tool-result": ["move", "keep"],
  "orphan-tool-result": ["drop", "text"],
  "result-before-call": ["move", "drop"],
  "role-part-kind": ["split", "drop"],
  "unanswered-tool-call": ["answer", "drop"],
  "unreadable-message": ["refuse", "drop"],
} as const;

export type Defect = keyof typeof REPAIRS;
export type Policy = { readonly [D in Defect]?: (typeof REPAIRS)[D][number] };

/**
 * One thing that a repair did. `pointer` is the place in the given history, `result` the place in
 * the repaired one where what was made of it stands; `removed` is what was taken out.
 */
export interface HistoryChange {
  readonly rule: string;
  readonly action: string;
  readonly pointer: string;
  readonly message: string;
  readonly result?: string;
  readonly removed?: unknown;
}

/** Returns defect → action for all defects; throws UsageError `usage/invalid-argument`. */
export function wholePolicy(policy: Policy): Readonly<Record<Defect, string>> {
  if (!isObject(policy)) {
    throw badArgument("A policy maps defects to actions", 'an object, such as {"orphan-tool-result": "text"}', policy);
  }
  for (const [name, action] of Object.entries(policy)) {
    const actions = own(REPAIRS, name) as readonly string[] | undefined;
    if (actions === undefined) throw badArgument("No such defect", Object.keys(REPAIRS).join(" or "), name);
    if (!actions.includes(action as string))
      throw badArgument(`No such repair of ${name}`, actions.join(" or "), action);
  }
  const rows = Object.entries(REPAIRS).map(([name, actions]) => [name, own(policy, name) ?? actions[0]]);
  return Object.fromEntries(rows) as Record<Defect, string>;
}
