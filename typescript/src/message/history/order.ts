/** The order of a history while it is repaired: what is behind which turn, or before it. */

import { INTERRUPTED } from "../../generated/tables/history-repairs.js";
import type { Approvals } from "./approvals.js";
import type { Changes, WholePolicy } from "./changes.js";
import { type Draft, type Item, Table } from "./draft.js";
import { keyOf, Turns } from "./runs.js";

/** The turns of the messages, and what is put beside a message. */
export class Order {
  // Turns, by run and number: the first and the last message of each.
  readonly #starts = new Map<string, Draft>();
  readonly #ends = new Map<string, Draft>();
  readonly #before = new Table<Draft[], Draft>(() => []);
  readonly #next = new Table<Draft[], Draft>(() => []);
  readonly #behind = new Table<Draft[], Draft>(() => []);

  constructor(
    readonly drafts: readonly Draft[],
    readonly approvals: Approvals,
    readonly changes: Changes,
    readonly policy: WholePolicy,
    readonly outcome: { readonly outcome?: string },
    readonly ongoing: boolean,
  ) {}

  /**
   * Returns the messages in their new order. Answers the open calls, brings results behind the turn
   * of their call, those of `moved` in any case, and quotes orphans.
   */
  settle(calls: readonly Item[], moved: ReadonlySet<Item>, quoted: readonly Item[]): Draft[] {
    const last = this.#countTurns();
    const answers = new Map<Draft, Draft>();
    for (const call of calls) {
      const { draft, partner: result } = call;
      const end = this.#ends.get(keyOf(draft.runId, String(draft.turn))) ?? draft;
      if (call.isServer) {
        // Only the provider knows whether it goes on.
        if (result !== undefined && moved.has(result)) this.#next.of(draft).push(this.#alone(result));
      } else if (result === undefined) {
        if (!this.ongoing || draft.turn !== last.of(draft.runId).now) this.#settleUnanswered(call, end, answers);
      } else if (moved.has(result)) {
        this.#behind.of(end).push(this.#alone(result));
      } else if (result.draft.turn !== draft.turn && this.policy["late-tool-result"] === "move") {
        this.#settleLate(result, end, draft.turn);
      }
    }
    for (const orphan of quoted) this.#quote(orphan);
    return this.drafts.flatMap((draft) => [
      ...(this.#before.rows.get(draft) ?? []),
      ...(draft.leaves ? [] : [draft]),
      ...(this.#next.rows.get(draft) ?? []),
      ...(this.#behind.rows.get(draft) ?? []),
    ]);
  }

  #countTurns(): Table<Turns> {
    const turns = new Table<Turns>(() => new Turns());
    for (const draft of this.drafts) {
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

  /** Moves a late result, and what was asked and answered before it: it stays approved so. */
  #settleLate(result: Item, end: Draft, turn: number): void {
    const asked = this.approvals.before(result).filter((item) => item.draft.turn !== turn);
    for (const item of [...asked, result]) {
      this.changes.note("late-tool-result", "move", item, "Behind the turn of its call");
      this.#behind.of(end).push(this.#alone(item));
    }
  }

  /** Returns the message that holds `item` alone: its own, or a new one. */
  #alone(item: Item): Draft {
    const { draft } = item;
    if (draft.count === 1) {
      draft.leaves = true;
      return draft;
    }
    const alone = draft.beside(draft.role);
    draft.remove(item, "history/late-tool-result");
    alone.put(item);
    return alone;
  }

  #settleUnanswered(call: Item, end: Draft, answers: Map<Draft, Draft>): void {
    if (this.policy["unanswered-tool-call"] === "drop") return this.changes.drop("unanswered-tool-call", call);
    let answer = answers.get(end);
    if (answer === undefined) {
      answer = end.beside("tool", true);
      answers.set(end, answer);
      this.#behind.of(end).push(answer);
    }
    const result = answer.putResult(call.callId, INTERRUPTED, this.outcome);
    this.changes.note("unanswered-tool-call", "answer", call, `Answered by an error result: ${INTERRUPTED}`, result);
  }

  /**
   * Lets the user say what an orphan holds, before the turn that it is in: behind it, the quote
   * would part a call that waits from its result.
   */
  #quote(orphan: Item): void {
    const { draft } = orphan;
    const quote = draft.beside("user");
    this.changes.note("orphan-tool-result", "text", orphan, "Quoted in a message of the user", quote.putQuote(orphan));
    draft.remove(orphan, "history/orphan-tool-result");
    this.#before.of(this.#starts.get(keyOf(draft.runId, String(draft.turn))) ?? draft).push(quote);
  }
}
