/** What comes whole: results of server tools, requests for approval, citations. */
import type { ApprovalRequest, Opaque, ServerToolResult, StructuredValue } from "../../../contract/current/message.js";
import { isObject } from "../../../json/values.js";
import { citationOf } from "../citations.js";
import { storable } from "../kept-state.js";
import { type Members, wellFormed } from "../values.js";
import { CallWriter } from "./calls.js";
import { asName, type Items } from "./stream.js";

/** Writes what comes whole. */
export class WholePartWriter extends CallWriter {
  readonly #answered = new Set<string>(); // ids of server calls
  readonly #approvals = new Set<string>();

  /**
   * Writes the result of a server tool, whole; its call ends if it is open. `callId` is the call's,
   * or the provider's own for it; it may be of an earlier message. Without one it is the first call
   * of the stream that has no result. Returns false, with nothing written, where there is none,
   * where the call has a result already, and where it is a call of the other kind. `structured` is
   * any JSON value; null and undefined are none.
   */
  serverResult(
    callId: string | undefined,
    result: { isError: boolean; content: string; outcome?: string | undefined; structured?: unknown },
    opaque: Items = [],
  ): boolean {
    const id = this.answers(callId);
    if (id === undefined) return false;
    const call = this.open.get(id);
    if (call !== undefined) this.endCall(call);
    this.waiting.remove(id);
    this.#answered.add(id);
    this.callIds.retire(id);
    this.breakPart();
    this.newPart("server_tool_result");
    const { isError, content, outcome } = result;
    const payload: ServerToolResult = { toolCallId: id, isError, content: wellFormed(content) };
    if (outcome !== undefined && outcome !== "") payload.outcome = wellFormed(outcome);
    const structured = storable(result.structured);
    if (structured !== null) payload.structured = structured as StructuredValue;
    const kept = this.#carried(opaque);
    if (kept !== undefined) payload.opaque = kept;
    this.add("server_tool_result", payload);
    return true;
  }

  /** Returns the id of the call that a result answers, undefined where it answers none. */
  answers(callId: string | undefined): string | undefined {
    const id = asName(callId ?? "");
    const waiting = this.waiting.find(id);
    if (waiting !== undefined || id === "") return waiting;
    const isTaken = this.#answered.has(id) || this.open.has(id) || this.endedCalls.has(id);
    return isTaken ? undefined : id;
  }

  /**
   * Asks for approval of a call of this stream, which ends if it is open. Returns false, with
   * nothing written, where there is no such call, and for an id that has been used.
   */
  approvalRequest(
    approval: { approvalId: string; callId: string; reason?: string | undefined },
    opaque: Items = [],
  ): boolean {
    const { callId, reason } = approval;
    const approvalId = asName(approval.approvalId);
    const call = this.open.get(callId);
    if (call !== undefined) this.endCall(call);
    if (approvalId === "" || this.#approvals.has(approvalId) || !this.endedCalls.has(callId)) return false;
    this.#approvals.add(approvalId);
    this.breakPart();
    this.newPart("approval_request");
    const payload: ApprovalRequest = { approvalId, toolCallId: callId };
    if (reason !== undefined && reason !== "") payload.reason = wellFormed(reason);
    const kept = this.#carried(opaque);
    if (kept !== undefined) payload.opaque = kept;
    this.add("approval_request", payload);
    return true;
  }

  /** Returns items and what else is due, as the part that has just begun carries them. */
  #carried(items: Items): Opaque | undefined {
    for (const [kind, data] of items) this.state.keep({ kind, data, part: this.part });
    return this.state.isDue ? this.state.ofPart(this.part) : undefined;
  }

  /**
   * Writes a block's citations over its text, which is open from `begin` on. `made` is the contract's
   * citation of the provider's, and of start and end. What is not a citation of text is kept. Returns
   * where the text begins, undefined where there is none.
   */
  citeBlock(
    given: readonly unknown[],
    begin: number | undefined,
    made: (given: Members, start: number, end: number) => Members,
  ): number | undefined {
    if (given.length > 0 && this.saysNew) this.flushHalf();
    const start = begin !== undefined && this.chars > begin ? begin : undefined;
    for (const each of given) {
      const citation = this.saysNew && start !== undefined && isObject(each) && made(each, start, this.chars);
      if (!(citation && this.cite(citation, [["citation", each]]))) this.keep("citation", each, start);
    }
    return start;
  }

  /**
   * Writes a citation, a JSON object of the contract, for the last text part or `part`. Members that
   * are not as the contract has them are left out. `opaque` is the provider's own, where its requests
   * take it back: `[["citation", event]]`. Returns false, with nothing written, without such a text
   * part, and for what is not a citation.
   */
  cite(citation: Members, opaque: Items = [], part?: number): boolean {
    const at = part ?? this.lastText;
    if (!this.textParts.has(at)) return false;
    const made = citationOf(citation);
    if (made === undefined) return false;
    this.flushHalf();
    const items = [...opaque].map(([kind, data]) => ({ kind, data, part: at }));
    if (items.length > 0) made.opaque = this.state.carry(items);
    this.add("text_citation", { citation: made, ...(at === this.lastText ? {} : { partIndex: at }) });
    return true;
  }
}
