/**
 * Results of tools that the provider runs itself.
 *
 * These deltas have been checked whole: they are what the schema says.
 */
import type { ServerToolResult } from "../../contract/current/message.js";
import type { StreamFields } from "./fields.js";
import { callRefusal, idAt, type Json, usedId } from "./rules.js";

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
