/**
 * Parts that come whole: questions to a person, and results of tools that the provider ran.
 *
 * These deltas have been checked whole: they are what the schema says.
 */
import type { ApprovalRequest, ServerToolResult } from "../../contract/current/message.js";
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

export function onServerResult(state: StreamFields, given: Json, seq: number): void {
  const payload = given as unknown as ServerToolResult;
  const id = idAt("/payload/toolCallId", payload.toolCallId, seq, state.limits.idChars);
  state.checkEnded(id, seq);
  // The result of a call of the caller's is in another message.
  if (state.calls.get(id)?.isServer === false) throw callRefusal(id, undefined, undefined, seq);
  if (state.answered.has(id)) throw usedId("stream/duplicate-tool-result", "toolCallId", id, seq);
  state.addWhole({ kind: "server_tool_result", payload }, seq);
  state.answered.add(id);
}
