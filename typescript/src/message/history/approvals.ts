/** Approvals of a history while it is repaired: requests of calls, and answers to requests. */

import type { Changes } from "./changes.js";
import { type Item, Table } from "./draft.js";
import { keyOf } from "./runs.js";

/** The approvals of a history that are kept; of several with one id, the first. */
export class Approvals {
  // By run and approval: the requests, each with the id of its call as given; those answered.
  readonly #requests = new Map<string, { readonly request: Item; readonly callId: string }>();
  readonly #decided = new Set<string>();
  readonly #ofCall = new Table<Item[], Item>(() => []);

  constructor(readonly changes: Changes) {}

  /** Takes a request that is about `call`, if there is one. */
  ask(request: Item, call: Item | undefined): void {
    const asked = keyOf(request.draft.runId, request.approvalId);
    if (this.#requests.has(asked)) {
      this.changes.drop("duplicate-approval", request, "approvalId");
    } else if (call === undefined || call.gone) {
      this.changes.drop("orphan-approval", request);
    } else {
      this.#requests.set(asked, { request, callId: request.callId });
      this.#keep(request, call, call);
    }
  }

  /** Takes an answer: the first that names the request and its call. */
  answer(response: Item): void {
    const asked = keyOf(response.draft.runId, response.approvalId);
    const found = this.#requests.get(asked);
    const call = found?.request.partner;
    if (this.#decided.has(asked)) {
      this.changes.drop("duplicate-approval", response, "approvalId");
    } else if (found === undefined || call === undefined) {
      this.changes.drop("orphan-approval", response, "approvalId");
    } else if (response.callId !== found.callId) {
      this.changes.drop("orphan-approval", response);
    } else {
      this.#decided.add(asked);
      this.#keep(response, found.request, call);
    }
  }

  #keep(item: Item, partner: Item, call: Item): void {
    item.partner = partner;
    this.#ofCall.of(call).push(item);
    if (item.callId !== call.callId) this.changes.rename(item, call.callId);
  }

  /** Returns requests and answers that are before the result of their call, in order. */
  before(result: Item): Item[] {
    const own = result.partner === undefined ? [] : (this.#ofCall.rows.get(result.partner) ?? []);
    return own.filter((item) => item.isBefore(result));
  }

  /** Drops the requests of calls that are dropped, and their answers. */
  settle(): void {
    for (const [call, items] of this.#ofCall.rows) {
      for (const item of call.gone ? items : []) {
        const member = item.kind === "approval_response" ? "approvalId" : "toolCallId";
        this.changes.drop("orphan-approval", item, member);
      }
    }
  }
}
