/**
 * Questions to a person whether a call may run.
 *
 * These deltas have been checked whole: they are what the schema says.
 */
import type { ApprovalRequest } from "../../contract/current/message.js";
import type { StreamFields } from "./fields.js";
import { callRefusal, idAt, type Json, usedId } from "./rules.js";

export function onApprovalRequest(state: StreamFields, given: Json, seq: number): void {
  const payload = given as unknown as ApprovalRequest;
  const id = idAt("/payload/approvalId", payload.approvalId, seq, state.limits.idChars);
  const { toolCallId } = payload;
  if (!state.calls.has(toolCallId)) throw callRefusal(toolCallId, undefined, undefined, seq);
  state.checkEnded(toolCallId, seq);
  if (state.approvals.has(id)) throw usedId("stream/duplicate-approval", "approvalId", id, seq);
  state.addWhole({ kind: "approval_request", payload }, seq);
  state.approvals.add(id);
}
