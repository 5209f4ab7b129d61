/**
 * Repairs of a history: every defect that `checkHistory` finds has a policy. Nothing goes without
 * being named; what nothing is wrong with stays as it was given.
 */

import { LATEST_VERSION } from "../../contract/current/index.js";
import { badArgument, clip, type Finding, ReadError, throwAny } from "../../errors.js";
import { type Defect, HOME_ROLES, INTERRUPTED, REPAIRS } from "../../generated/tables/history-repairs.js";
import type { Version } from "../../generated/versions.js";
import { isBytes } from "../../json/documents.js";
import { isObject, own } from "../../json/values.js";
import { severalOf } from "../../reading/index.js";
import { Draft, type Item } from "./draft.js";
import { hasOutcome, misplacedKinds, readMessage } from "./messages.js";
import { byPosition, slotOf, Turns } from "./runs.js";

// --- policies ------------------------------------------------------------------------------------
// What a repair may do about a defect, and how it says what it did.

type Policy = { readonly [D in Defect]?: (typeof REPAIRS)[D][number] };

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
function wholePolicy(policy: Policy): Readonly<Record<Defect, string>> {
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

// --- the repair ----------------------------------------------------------------------------------

export interface RepairOptions {
  /** What to do about which defect; see {@link REPAIRS}. */
  readonly policy?: Policy;
  /** The history goes on: calls of a run's last turn are left alone. */
  readonly ongoing?: boolean;
  /** The contract version whose table of roles holds; results that are made say what it knows. */
  readonly version?: Version;
}

/** The repaired history, each message in the form in which it was given, and the changes. */
export interface RepairResult {
  readonly messages: unknown[];
  readonly changes: HistoryChange[];
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

/** A change whose result has no place yet: it is where `item` will be. */
interface Note {
  readonly change: HistoryChange;
  readonly item?: Item;
}

/** One repair: drafts of all messages, settled defect by defect. */
class Repair {
  #drafts: Draft[] = [];
  readonly #notes: Note[] = [];
  // Calls and results, by run and by the id that they were given with.
  readonly #used = new Table<Set<string>>(() => new Set());
  readonly #latest = new Map<string, Item>();
  readonly #waiting = new Map<string, Item[]>();
  readonly #early = new Table<Item[]>(() => []);
  readonly #calls: Item[] = [];
  readonly #lastNumber = new Map<string, number>();
  readonly #outOfOrder = new Set<Item>();
  readonly #quoted: Item[] = [];
  // Requests by run and approval, each with the id of its call as given; those with an answer.
  readonly #requests = new Map<string, { readonly request: Item; readonly callId: string }>();
  readonly #decided = new Set<string>();
  readonly #approvals: Item[] = [];
  // Turns, by run and number, and what is put beside a message.
  readonly #starts = new Map<string, Draft>();
  readonly #ends = new Map<string, Draft>();
  readonly #before = new Table<Draft[], Draft>(() => []);
  readonly #next = new Table<Draft[], Draft>(() => []);
  readonly #behind = new Table<Draft[], Draft>(() => []);

  constructor(
    readonly policy: Readonly<Record<Defect, string>>,
    readonly misplaced: ReadonlyMap<string, ReadonlySet<string>>,
    readonly outcome: { readonly outcome?: string },
  ) {}

  run(messages: Iterable<unknown>, ongoing: boolean): RepairResult {
    this.#open(messages);
    this.#settleRoles();
    this.#match();
    this.#settleEarly();
    this.#settleTurns(ongoing);
    this.#settleApprovals();
    return this.#result();
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
        const text = `No message: ${first.message}`;
        const removed = isBytes(given) ? new TextDecoder().decode(given) : given;
        this.#notes.push({
          change: { rule: first.rule, action: "drop", pointer: `/${index}`, message: text, removed },
        });
      }
    }
    throwAny(refused, ReadError);
  }

  #settleRoles(): void {
    const drafts: Draft[] = [];
    for (const draft of this.#drafts) {
      const kinds = this.misplaced.get(draft.role);
      const misplaced = draft.items.filter((item) => item.kind !== undefined && kinds?.has(item.kind) === true);
      if (misplaced.length > 0 && this.policy["role-part-kind"] === "split") {
        for (const piece of this.#split(draft, misplaced)) drafts.push(piece);
      } else {
        for (const item of misplaced) this.#drop("role-part-kind", item);
        drafts.push(draft);
      }
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
      this.#note("role-part-kind", "split", item, `In a message of role ${item.draft.role}`);
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
        else if (item.kind === "approval_request") this.#matchRequest(item);
        else if (item.kind === "approval_response") this.#matchResponse(item);
      }
    }
  }

  #matchCall(call: Item): void {
    const key = keyOf(call.draft.runId, call.callId);
    const slot = slotIn(call);
    const isUsed = this.#latest.has(key);
    this.#latest.set(key, call);
    if (isUsed) {
      if (this.policy["duplicate-tool-call"] === "drop") return this.#drop("duplicate-tool-call", call);
      this.#rename(call, this.#newId(key, call));
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
    else this.#drop("duplicate-tool-result", result);
  }

  #answer(call: Item, result: Item): void {
    call.partner = result;
    result.partner = call;
    if (call.callId !== result.callId) this.#rename(result, call.callId);
  }

  #matchRequest(request: Item): void {
    const { runId } = request.draft;
    const call = this.#latest.get(keyOf(runId, request.callId));
    const asked = keyOf(runId, request.approvalId);
    if (this.#requests.has(asked)) this.#drop("duplicate-approval", request, "approvalId");
    else if (call === undefined || call.gone) this.#drop("orphan-approval", request);
    else {
      this.#requests.set(asked, { request, callId: request.callId });
      this.#approve(request, call);
    }
  }

  #matchResponse(response: Item): void {
    const asked = keyOf(response.draft.runId, response.approvalId);
    const found = this.#requests.get(asked);
    if (this.#decided.has(asked)) this.#drop("duplicate-approval", response, "approvalId");
    else if (found === undefined) this.#drop("orphan-approval", response, "approvalId");
    else if (response.callId !== found.callId) this.#drop("orphan-approval", response);
    else {
      this.#decided.add(asked);
      this.#approve(response, found.request);
    }
  }

  #approve(item: Item, partner: Item): void {
    item.partner = partner;
    this.#approvals.push(item);
    if (item.callId !== partner.callId) this.#rename(item, partner.callId);
  }

  /** Drops the requests of calls that are dropped, and their answers. */
  #settleApprovals(): void {
    for (const item of this.#approvals) {
      if (item.partner?.gone !== true) continue;
      this.#drop("orphan-approval", item, item.kind === "approval_response" ? "approvalId" : "toolCallId");
    }
  }

  #rename(item: Item, newId: string): void {
    this.#note("duplicate-tool-call", "rename", item, `Renamed from ${clip(item.callId)} to ${clip(newId)}`);
    item.rename(newId);
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
          this.#note("result-before-call", "move", result, `Behind the ${where} of its call`);
          this.#answer(waiting.shift() as Item, result);
          this.#outOfOrder.add(result);
        } else {
          this.#drop("result-before-call", result); // or the call has another result behind it
        }
      }
    }
  }

  #settleOrphan(orphan: Item): void {
    if (this.policy["orphan-tool-result"] === "text") this.#quoted.push(orphan);
    else this.#drop("orphan-tool-result", orphan);
  }

  // --- turns --------------------------------------------------------------------------------------

  /** Answers the open calls, and brings results behind the turn of their call. */
  #settleTurns(ongoing: boolean): void {
    const last = this.#countTurns();
    const answers = new Map<Draft, Draft>();
    for (const call of this.#calls) {
      const { draft, partner: result } = call;
      const end = this.#ends.get(keyOf(draft.runId, String(draft.turn))) ?? draft;
      if (call.isServer) {
        // Only the provider knows whether it goes on.
        if (result !== undefined && this.#outOfOrder.has(result)) this.#next.of(draft).push(this.#moved(result));
      } else if (result === undefined) {
        if (!ongoing || draft.turn !== last.of(draft.runId).now) this.#settleUnanswered(call, end, answers);
      } else if (this.#outOfOrder.has(result) || this.#isLate(result, draft.turn)) {
        this.#behind.of(end).push(this.#moved(result));
      }
    }
    for (const orphan of this.#quoted) this.#quote(orphan);
    this.#drafts = this.#drafts.flatMap((draft) => [
      ...(this.#before.rows.get(draft) ?? []),
      ...(draft.leaves ? [] : [draft]),
      ...(this.#next.rows.get(draft) ?? []),
      ...(this.#behind.rows.get(draft) ?? []),
    ]);
  }

  #countTurns(): Table<Turns> {
    const turns = new Table<Turns>(() => new Turns());
    for (const draft of this.#drafts) {
      const turn = turns.of(draft.runId);
      if (!draft.isSilent) turn.hear(draft.role);
      draft.turn = turn.now;
      // The turn of a call that has not come is still 0; an approval answers no call.
      const answers = draft.items.some(
        (item) => item.kind === "tool_result" && item.partner?.draft.turn === draft.turn && draft.role === "tool",
      );
      if (answers) turn.hearResult();
      const key = keyOf(draft.runId, String(turn.now));
      const counts = answers || draft.isSilent || draft.role === "user" || draft.role === "assistant";
      if (counts) this.#ends.set(key, draft);
      if (draft.role !== "system" && !this.#starts.has(key)) this.#starts.set(key, draft);
    }
    return turns;
  }

  #isLate(result: Item, turn: number): boolean {
    if (result.draft.turn === turn || this.policy["late-tool-result"] === "keep") return false;
    this.#note("late-tool-result", "move", result, "Behind the turn of its call");
    return true;
  }

  /** Returns the message that holds `result` alone: its own, or a new one. */
  #moved(result: Item): Draft {
    const { draft } = result;
    if (draft.count === 1) {
      draft.leaves = true;
      return draft;
    }
    const alone = draft.beside(draft.role);
    draft.remove(result, "history/late-tool-result");
    alone.put(result);
    return alone;
  }

  #settleUnanswered(call: Item, end: Draft, answers: Map<Draft, Draft>): void {
    if (this.policy["unanswered-tool-call"] === "drop") return this.#drop("unanswered-tool-call", call);
    let answer = answers.get(end);
    if (answer === undefined) {
      answer = end.beside("tool", true);
      answers.set(end, answer);
      this.#behind.of(end).push(answer);
    }
    const result = answer.putResult(call.callId, INTERRUPTED, this.outcome);
    this.#note("unanswered-tool-call", "answer", call, `Answered by an error result: ${INTERRUPTED}`, result);
  }

  /**
   * Lets the user say what an orphan holds, before the turn that it is in: behind it, the quote
   * would part a call that waits from its result.
   */
  #quote(orphan: Item): void {
    const { draft } = orphan;
    const quote = draft.beside("user");
    this.#note("orphan-tool-result", "text", orphan, "Quoted in a message of the user", quote.putQuote(orphan));
    draft.remove(orphan, "history/orphan-tool-result");
    this.#before.of(this.#starts.get(keyOf(draft.runId, String(draft.turn))) ?? draft).push(quote);
  }

  // --- changes ------------------------------------------------------------------------------------

  #drop(defect: Defect, item: Item, member = "toolCallId"): void {
    const change = { ...changeOf(defect, "drop", item, "Taken out", member), removed: item.value };
    this.#notes.push({ change });
    item.draft.remove(item, change.rule);
  }

  #note(defect: Defect, action: string, item: Item, message: string, made = item): void {
    this.#notes.push({ change: changeOf(defect, action, item, message), item: made });
  }

  #result(): RepairResult {
    const kept = this.#drafts.filter((draft) => draft.count > 0 || !draft.changed);
    const emptied = this.#drafts.filter((draft) => draft.changed && draft.count === 0 && draft.index !== undefined);
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

/** A map that makes what it does not hold. */
class Table<Value, Key = string> {
  readonly rows = new Map<Key, Value>();

  constructor(readonly make: () => Value) {}

  of(key: Key): Value {
    let value = this.rows.get(key);
    if (value === undefined) this.rows.set(key, (value = this.make()));
    return value;
  }
}

function keyOf(runId: string, id: string): string {
  return `${runId.length}:${runId}${id}`;
}

/** Returns a key for a run and the id of a call in it, with its kind: for calls and their results. */
function slotIn(item: Item): string {
  return keyOf(item.draft.runId, slotOf({ id: item.callId, isServer: item.isServer }));
}

function changeOf(defect: Defect, action: string, item: Item, message: string, member = "toolCallId"): HistoryChange {
  const pointer = item.pointer + (defect === "role-part-kind" ? "/kind" : `/payload/${member}`);
  return { rule: `history/${defect}`, action, pointer, message };
}

function emptiedChange(draft: Draft): HistoryChange {
  const message = "Taken out: nothing is left of the message";
  return { rule: draft.emptiedBy, action: "drop", pointer: `/${draft.index ?? 0}`, message, removed: draft.base };
}
