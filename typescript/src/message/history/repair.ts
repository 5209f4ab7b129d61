/**
 * Repairs of a history: every defect that `checkHistory` finds has a policy. Nothing goes without
 * being named; what nothing is wrong with stays as it was given.
 */

import { LATEST_VERSION } from "../../contract/current/index.js";
import { type Finding, ReadError, throwAny } from "../../errors.js";
import { HOME_ROLES, INTERRUPTED } from "../../generated/tables/history-repairs.js";
import type { Version } from "../../generated/versions.js";
import { isBytes } from "../../json/documents.js";
import { severalOf } from "../../reading/index.js";
import { Approvals } from "./approvals.js";
import { Changes, type Policy, type RepairResult, type WholePolicy, wholePolicy } from "./changes.js";
import { Draft, type Item, Table } from "./draft.js";
import { hasOutcome, misplacedKinds, readMessage } from "./messages.js";
import { Order } from "./order.js";
import { keyOf, slotOf } from "./runs.js";

/** How a history is repaired. */
export interface RepairOptions {
  /** What to do about which defect; see {@link REPAIRS}. */
  readonly policy?: Policy;
  /** The history goes on: calls of a run's last turn are left alone. */
  readonly ongoing?: boolean;
  /** The contract version whose table of roles holds; results that are made say what it knows. */
  readonly version?: Version;
}

/**
 * Returns the history without what `checkHistory` calls an error, and what was changed. The
 * messages that are given are not changed; those that need no repair are returned as they are.
 * Repairing what was repaired changes nothing. New results have the time of the message before
 * them: nothing here has a clock. Throws UsageError `usage/invalid-argument`,
 * `usage/unknown-version`, and ReadError for a message that cannot be read, unless the policy is to
 * drop it.
 */
export function repairHistory(messages: Iterable<unknown>, options: RepairOptions = {}): RepairResult {
  const { policy = {}, ongoing = false, version = LATEST_VERSION } = options;
  const outcome = hasOutcome(version) ? { outcome: INTERRUPTED } : {};
  const repair = new Repair(wholePolicy(policy), misplacedKinds(version), outcome);
  return repair.run(severalOf(messages, "history"), ongoing);
}

/** One repair: drafts of all messages, settled defect by defect. */
class Repair {
  #drafts: Draft[] = [];
  readonly #changes = new Changes();
  readonly #approvals = new Approvals(this.#changes);
  // Calls and results, by run and by the id that they were given with.
  readonly #used = new Table<Set<string>>(() => new Set());
  readonly #latest = new Map<string, Item>();
  readonly #waiting = new Map<string, Item[]>();
  readonly #early = new Table<Item[]>(() => []);
  readonly #calls: Item[] = [];
  readonly #lastNumber = new Map<string, number>();
  readonly #outOfOrder = new Set<Item>();
  readonly #quoted: Item[] = [];

  constructor(
    readonly policy: WholePolicy,
    readonly misplaced: ReadonlyMap<string, ReadonlySet<string>>,
    readonly outcome: { readonly outcome?: string },
  ) {}

  run(messages: Iterable<unknown>, ongoing: boolean): RepairResult {
    this.#open(messages);
    this.#settleRoles();
    this.#match();
    this.#settleEarly();
    const order = new Order(this.#drafts, this.#approvals, this.#changes, this.policy, this.outcome, ongoing);
    const drafts = order.settle(this.#calls, this.#outOfOrder, this.#quoted);
    this.#approvals.settle();
    return this.#changes.result(drafts);
  }

  // --- messages -----------------------------------------------------------------------------------

  #open(messages: Iterable<unknown>): void {
    const refused: Finding[] = [];
    let index = -1;
    for (const given of messages) {
      index++;
      const { message, document, findings } = readMessage(given);
      const [first] = findings;
      if (message !== undefined) {
        this.#drafts.push(Draft.open(given, document, message, index));
      } else if (this.policy["unreadable-message"] === "refuse") {
        for (const each of findings) refused.push({ ...each, pointer: `/${index}${each.pointer}` });
      } else if (first !== undefined) {
        this.#changes.unreadable(first, index, isBytes(given) ? new TextDecoder().decode(given) : given);
      }
    }
    throwAny(refused, ReadError);
  }

  #settleRoles(): void {
    const drafts: Draft[] = [];
    for (const draft of this.#drafts) {
      const kinds = this.misplaced.get(draft.role);
      const misplaced = draft.items.filter((item) => item.kind !== undefined && kinds?.has(item.kind) === true);
      // Approvals are never dropped: without its question, or the first answer, a call may run.
      const isDropped = (item: Item) => this.policy["role-part-kind"] === "drop" && item.approvalId === "";
      for (const item of misplaced.filter(isDropped)) this.#changes.drop("role-part-kind", item);
      const split = misplaced.filter((item) => !isDropped(item));
      for (const piece of split.length > 0 ? this.#split(draft, split) : [draft]) drafts.push(piece);
    }
    this.#drafts = drafts;
  }

  /** Cuts a message where the speaker changes; the first piece of the message's role stays itself. */
  #split(draft: Draft, misplaced: Item[]): Draft[] {
    const wrong = new Set(misplaced);
    const items = draft.takeAll();
    const speakers = items.map((item) => (wrong.has(item) ? (HOME_ROLES.get(item.kind ?? "") ?? "user") : draft.role));
    if (!speakers.includes(draft.role)) draft.role = speakers[0] ?? draft.role;
    const pieces: Draft[] = [];
    items.forEach((item, index) => {
      const speaker = speakers[index] as string;
      if (pieces.at(-1)?.role !== speaker) {
        pieces.push(speaker === draft.role && draft.count === 0 ? draft : draft.beside(speaker));
      }
      pieces.at(-1)?.put(item);
    });
    for (const item of misplaced)
      this.#changes.note("role-part-kind", "split", item, `In a message of role ${item.draft.role}`);
    return pieces;
  }

  // --- calls and results --------------------------------------------------------------------------

  /** Gives every call the first result that comes while it waits. */
  #match(): void {
    for (const draft of this.#drafts) {
      for (const item of draft.items) this.#used.of(draft.runId).add(item.callId);
    }
    for (const draft of this.#drafts) {
      for (const item of draft.items) {
        if (item.kind === "tool_call" || item.kind === "server_tool_call") this.#matchCall(item);
        else if (item.kind === "tool_result" || item.kind === "server_tool_result") this.#matchResult(item);
        else if (item.kind === "approval_request")
          this.#approvals.ask(item, this.#latest.get(keyOf(draft.runId, item.callId)));
        else if (item.kind === "approval_response") this.#approvals.answer(item);
      }
    }
  }

  #matchCall(call: Item): void {
    const key = keyOf(call.draft.runId, call.callId);
    const slot = slotIn(call);
    const isUsed = this.#latest.has(key);
    this.#latest.set(key, call);
    if (isUsed) {
      if (this.policy["duplicate-tool-call"] === "drop") return this.#changes.drop("duplicate-tool-call", call);
      this.#changes.rename(call, this.#newId(key, call));
    }
    this.#calls.push(call);
    const waiting = this.#waiting.get(slot);
    if (waiting === undefined) this.#waiting.set(slot, [call]);
    else waiting.push(call);
  }

  #matchResult(result: Item): void {
    const slot = slotIn(result);
    const waiting = this.#waiting.get(slot);
    const call = waiting?.shift();
    if (waiting === undefined) this.#early.of(slot).push(result);
    else if (call !== undefined) this.#answer(call, result);
    else this.#changes.drop("duplicate-tool-result", result);
  }

  #answer(call: Item, result: Item): void {
    call.partner = result;
    result.partner = call;
    if (call.callId !== result.callId) this.#changes.rename(result, call.callId);
  }

  #newId(key: string, call: Item): string {
    const used = this.#used.of(call.draft.runId);
    // Of n calls with one id, each looks behind the names of those before it.
    let number = (this.#lastNumber.get(key) ?? 1) + 1;
    while (used.has(`${call.callId}_${number}`)) number++;
    this.#lastNumber.set(key, number);
    return `${call.callId}_${number}`;
  }

  /** Settles results that are before their call, and those that have none. */
  #settleEarly(): void {
    for (const [slot, results] of this.#early.rows) {
      const waiting = this.#waiting.get(slot);
      for (const result of results) {
        if (waiting === undefined) this.#settleOrphan(result);
        else if (waiting.length > 0 && this.policy["result-before-call"] === "move") {
          const where = result.isServer ? "message" : "turn";
          this.#changes.note("result-before-call", "move", result, `Behind the ${where} of its call`);
          this.#answer(waiting.shift() as Item, result);
          this.#outOfOrder.add(result);
        } else {
          this.#changes.drop("result-before-call", result); // or the call has another result behind it
        }
      }
    }
  }

  #settleOrphan(orphan: Item): void {
    if (this.policy["orphan-tool-result"] === "text") this.#quoted.push(orphan);
    else this.#changes.drop("orphan-tool-result", orphan);
  }
}

/** Returns a key for a run and the id of a call in it, with its kind: for calls and their results. */
function slotIn(item: Item): string {
  return keyOf(item.draft.runId, slotOf({ id: item.callId, isServer: item.isServer }));
}
