/** What a repair does about which defect, and how it says what it did. */

import { badArgument, clip, type Finding } from "../../errors.js";
import { type Defect, REPAIRS } from "../../generated/tables/history-repairs.js";
import { isObject, own } from "../../json/values.js";
import type { Draft, Item } from "./draft.js";
import { byPosition } from "./runs.js";

export type Policy = { readonly [D in Defect]?: (typeof REPAIRS)[D][number] };
export type WholePolicy = Readonly<Record<Defect, string>>;

/**
 * One thing that a repair did. `pointer` is the place in the given history, `result` the place in
 * the repaired one where what was made of it is; `removed` is what was taken out.
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
export function wholePolicy(policy: Policy): WholePolicy {
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

/** The repaired history, each message in the form in which it was given, and the changes. */
export interface RepairResult {
  readonly messages: unknown[];
  readonly changes: HistoryChange[];
}

/** A change whose result has no place yet: it is where `item` will be. */
interface Note {
  readonly change: HistoryChange;
  readonly item?: Item;
}

/** What was done so far: each method does a thing and takes it down. */
export class Changes {
  readonly #notes: Note[] = [];

  /** Notes that something that is not a message is left out. */
  unreadable(first: Finding, index: number, removed: unknown): void {
    const message = `Not a message: ${first.message}`;
    this.#notes.push({ change: { rule: first.rule, action: "drop", pointer: `/${index}`, message, removed } });
  }

  /** Takes a part out. */
  drop(defect: Defect, item: Item, member = "toolCallId"): void {
    const change = { ...changeOf(defect, "drop", item, "Taken out", member), removed: item.value };
    this.#notes.push({ change });
    item.draft.remove(item, change.rule);
  }

  /** Gives a call, or what belongs to one, another id. */
  rename(item: Item, newId: string): void {
    const message = `Renamed from ${clip(item.callId)} to ${clip(newId)}`;
    this.note("duplicate-tool-call", "rename", item, message);
    item.rename(newId);
  }

  /** Notes what is done elsewhere; `made` is what came of `item`, if that is another. */
  note(defect: Defect, action: string, item: Item, message: string, made = item): void {
    this.#notes.push({ change: changeOf(defect, action, item, message), item: made });
  }

  /** Returns the messages that are left, and the changes in the order of the given history. */
  result(drafts: readonly Draft[]): RepairResult {
    const kept = drafts.filter((draft) => draft.count > 0 || !draft.changed);
    const emptied = drafts.filter((draft) => draft.changed && draft.count === 0 && draft.index !== undefined);
    const places = new Map<Item, string>();
    for (const [index, draft] of kept.entries()) {
      for (const [number, item] of draft.items.entries()) places.set(item, `/${index}/parts/${number}`);
    }
    // A part that was named and taken out later has no place.
    const changes = this.#notes.map(({ change, item }) => {
      const result = item === undefined ? undefined : places.get(item);
      return result === undefined ? change : { ...change, result };
    });
    const all = byPosition([...changes, ...emptied.map(emptiedChange)]);
    return { messages: kept.map((draft) => draft.result()), changes: all };
  }
}

function changeOf(defect: Defect, action: string, item: Item, message: string, member = "toolCallId"): HistoryChange {
  const pointer = item.pointer + (defect === "role-part-kind" ? "/kind" : `/payload/${member}`);
  return { rule: `history/${defect}`, action, pointer, message };
}

function emptiedChange(draft: Draft): HistoryChange {
  const message = "Taken out: nothing is left of the message";
  return { rule: draft.emptiedBy, action: "drop", pointer: `/${draft.index ?? 0}`, message, removed: draft.base };
}
