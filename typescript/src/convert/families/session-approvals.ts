/** Approvals between messages and sessions: two parts there, a member of the call's state here. */
import type {
  ApprovalRequest,
  ApprovalRequestPart,
  ApprovalResponse,
  ApprovalResponsePart,
  MessagePart,
} from "../../contract/current/message.js";
import type { ToolApproval, ToolPart } from "../../contract/current/session.js";
import { isObject } from "../../json/values.js";
import type { Work } from "./conversion.js";

type Row = Record<string, unknown>;
type Names = readonly (readonly [session: string, message: string])[];

const ASKED: Names = [
  ["reason", "reason"],
  ["choices", "choices"],
];
const DECIDED: Names = [
  ["decision", "decision"],
  ["choice", "choice"],
  ["note", "reason"],
  ["decidedBy", "decidedBy"],
  ["arguments", "arguments"],
];

/** Returns the approval of a tool part; undefined where it has none. */
export function approvalIn({ state }: ToolPart): ToolApproval | undefined {
  return state.status === "pending" ? undefined : state.approval;
}

/** Returns request and answer of a tool part's approval; there is no answer where nothing was decided. */
export function approvalParts(
  { callID }: ToolPart,
  approval: ToolApproval,
  place: string,
  work: Work,
): [ApprovalRequestPart, ApprovalResponsePart?] {
  const { requested, decided } = approval.time ?? {};
  const head = { approvalId: approval.id, toolCallId: callID };
  const at = `${place}/state/approval/time`;
  const asked = requested === undefined ? {} : { requestedAt: work.text(requested, `${at}/requested`) };
  const request: ApprovalRequestPart = {
    kind: "approval_request",
    payload: { ...head, ...renamed(approval, ASKED), ...asked },
  };
  if (approval.decision === undefined) return [request];
  const answered = decided === undefined ? {} : { decidedAt: work.text(decided, `${at}/decided`) };
  const payload = { ...head, decision: approval.decision, ...renamed(approval, DECIDED), ...answered };
  return [request, { kind: "approval_response", payload }];
}

/** Returns when it was decided, else asked, in milliseconds, and which of the two it is. */
export function decidedAt(
  approval: ToolApproval | undefined,
): { readonly ms: number; readonly name: "decided" | "requested" } | undefined {
  const { requested, decided } = approval?.time ?? {};
  if (decided !== undefined) return { ms: decided, name: "decided" };
  return requested === undefined ? undefined : { ms: requested, name: "requested" };
}

/** Returns what the two parts do not say of an approval. */
export function unsaid(approval: ToolApproval): Row {
  const isDecided = approval.decision !== undefined;
  const names = isDecided ? [...ASKED, ...DECIDED] : ASKED;
  const said = new Set(["id", "time", ...names.map(([name]) => name)]);
  const rest: Row = Object.fromEntries(Object.entries(approval).filter(([name]) => !said.has(name)));
  if (approval.time === undefined) return rest;
  const { requested, decided, ...others } = approval.time;
  const left = isDecided || decided === undefined ? others : { ...others, decided };
  const isEmpty = Object.keys(approval.time).length === 0;
  return isEmpty || Object.keys(left).length > 0 ? { ...rest, time: left } : rest;
}

/** The payloads of an approval's parts, and their pointers. */
export interface Asked {
  readonly request: ApprovalRequest;
  readonly place: string;
  readonly answer: { readonly payload: ApprovalResponse; readonly place: string } | undefined;
}

/** Returns an approval of its parts, and of what they do not say: of a record, which may be anything. */
export function approvalOf({ request, place, answer }: Asked, work: Work, rest: unknown = undefined): ToolApproval {
  const given = isObject(rest) ? rest : {};
  const time: Row = { ...(isObject(given["time"]) ? given["time"] : {}) };
  if (request.requestedAt !== undefined) time["requested"] = work.ms(request.requestedAt, `${place}/requestedAt`);
  const decided = answer?.payload.decidedAt;
  if (decided !== undefined) time["decided"] = work.ms(decided, `${answer?.place}/decidedAt`);
  const said = { ...named(request, ASKED), ...(answer === undefined ? {} : named(answer.payload, DECIDED)) };
  const made = { ...given, id: request.approvalId, ...said };
  const hasTime = Object.keys(time).length > 0 || Object.hasOwn(given, "time");
  return (hasTime ? { ...made, time } : made) as ToolApproval;
}

/** Returns an approval whose decision is not before its question; `place` is the answer's. */
export function inOrder(approval: ToolApproval, place: string, work: Work): ToolApproval {
  const { requested, decided } = approval.time ?? {};
  if (requested === undefined || decided === undefined || decided >= requested) return approval;
  work.note("timestamp-range", `${place}/decidedAt`);
  return { ...approval, time: { ...approval.time, decided: requested } };
}

/**
 * Returns by call of a message which of its parts is the request, the first if there are more. Requests
 * for calls that are elsewhere, or behind them, are not there.
 */
export function askedIn(parts: readonly MessagePart[]): Map<string, number> {
  const calls = new Set<string>();
  const found = new Map<string, number>();
  for (const [number, { kind, payload }] of parts.entries()) {
    if (kind === "tool_call") calls.add(payload.toolCallId);
    if (kind !== "approval_request" || !calls.has(payload.toolCallId)) continue;
    if (!found.has(payload.toolCallId)) found.set(payload.toolCallId, number);
  }
  return found;
}

function renamed(source: object, names: Names): Row {
  return picked(
    source,
    names.map(([old, made]) => [old, made]),
  );
}

function named(source: object, names: Names): Row {
  return picked(
    source,
    names.map(([made, old]) => [old, made]),
  );
}

function picked(source: object, names: Names): Row {
  const given = source as Row;
  return Object.fromEntries(names.flatMap(([old, made]) => (given[old] === undefined ? [] : [[made, given[old]]])));
}
