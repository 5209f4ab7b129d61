/**
 * `meta.session`: what a session says of a message and the message has no field for. `info` has the
 * members of the session's info that the message lacks, `parts` one row per part of the session. A row
 * lacks what the message's part says; a part that the message cannot say is there whole.
 */

import { LATEST_VERSION } from "../../contract/current/index.js";
import type { Message, MessagePart, ToolResult } from "../../contract/current/message.js";
import type { Part, ToolApproval, WithParts } from "../../contract/current/session.js";
import { isObject, own } from "../../json/values.js";
import { approvalIn, unsaid } from "./session-approvals.js";
import { metadataWith, saidOpaque } from "./session-parts.js";

/** The version in which an assistant's message held no files, and no part provider's state. */
export const FIRST_VERSION = "v0.1";

type Row = Record<string, unknown>;

/** What messages say of the calls of one: results and approvals, by call. */
interface Told {
  readonly payloads: ReadonlyMap<string, ToolResult>;
  /** Returns the approval of a call, with what its parts do not say; undefined without one. */
  approval(call: string, rest?: unknown): ToolApproval | undefined;
}

/** Members of a session's part that the message's part says. */
const SAID: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  reasoning: ["text"],
  tool: ["callID", "tool"],
  file: ["mime", "url"],
};
const SAID_STATE = ["input", "output", "error"];
const SPOKEN: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "file"],
  assistant: ["text", "reasoning", "tool", "file"],
};

function without(value: object, names: readonly string[]): Row {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

/** Returns the record of a session's message, as it is written or as v0.1 had it. */
export function recordOf(source: WithParts, keepIgnored: boolean, version: string = LATEST_VERSION): Row {
  const messageID = source.info.id;
  const sessionID = source.parts[0]?.sessionID;
  const spoken = spokenParts(source, keepIgnored, version);
  const approvals = saidApprovals(source, spoken);
  const parts = source.parts.map((part, index) => {
    const row = spoken[index] === true ? rowOf(part, version, approvals[index]) : { ...part };
    if (row["messageID"] === messageID) delete row["messageID"];
    if (row["sessionID"] === sessionID) delete row["sessionID"];
    return row;
  });
  const info = without(source.info, ["role", "system"]);
  return { info, parts, ...(sessionID === undefined ? {} : { sessionID }) };
}

/** Tells whether a part is text that is not for the model. */
export function isIgnored(part: Part): boolean {
  return part.type === "text" && part.ignored === true;
}

/** Tells whether a record is of a message that has parts for text that is not for the model. */
export function keepsIgnored(record: unknown): boolean {
  const rows = isObject(record) ? own(record, "parts") : undefined;
  if (!Array.isArray(rows)) return false;
  return rows.some((row: unknown) => isObject(row) && isIgnored(row as unknown as Part) && !Object.hasOwn(row, "text"));
}

/**
 * Returns for each part whether a message of this role has a part for it. A second call of one id has
 * none: calls are unique within a message. Text that is not for the model has one on request.
 */
export function spokenParts(
  { info, parts }: WithParts,
  keepIgnored: boolean,
  version: string = LATEST_VERSION,
): boolean[] {
  const held = SPOKEN[info.role] ?? [];
  const kinds = version === FIRST_VERSION && info.role === "assistant" ? held.slice(0, -1) : held;
  const seen = new Set<string>();
  return parts.map((part) => {
    const call = part.type === "tool" ? part.callID : "";
    const isNew = call === "" || !seen.has(call);
    seen.add(call);
    return kinds.includes(part.type) && isNew && (keepIgnored || !isIgnored(part));
  });
}

/** Returns for each part the approval that the message has parts for: ids are unique there. */
export function saidApprovals({ parts }: WithParts, spoken: readonly boolean[]): (ToolApproval | undefined)[] {
  const seen = new Set<string>();
  return parts.map((part, index) => {
    const approval = part.type === "tool" && spoken[index] === true ? approvalIn(part) : undefined;
    if (approval === undefined || seen.has(approval.id)) return undefined;
    seen.add(approval.id);
    return approval;
  });
}

function rowOf(part: Part, version: string, approval: ToolApproval | undefined): Row {
  const row = without(part, SAID[part.type] ?? []);
  if (version !== FIRST_VERSION && saidOpaque(part) !== undefined) {
    row["metadata"] = without(row["metadata"] as object, ["opaque"]);
    if (Object.keys(row["metadata"] as object).length === 0) delete row["metadata"];
  }
  if (part.type === "tool") {
    const state = without(part.state, SAID_STATE);
    row["state"] = state;
    if (approval !== undefined) {
      delete state["approval"];
      const rest = unsaid(approval);
      if (Object.keys(rest).length > 0) state["approval"] = rest;
    }
    if (part.state.status === "completed" && part.state.attachments !== undefined) {
      state["attachments"] = part.state.attachments.map((file) => without(file, ["mime", "url"]));
    }
  }
  return row;
}

/**
 * Returns the session's message that `record` and the message `one` make together, undefined where they
 * do not belong together. Anyone may write a record: what comes out need not be valid, and the record of
 * it need not be this one.
 */
export function fitted(record: unknown, one: Message, told: Told, system: string | undefined): unknown {
  if (!isObject(record)) return undefined;
  const [info, rows] = [own(record, "info"), own(record, "parts")];
  if (!isObject(info) || !Object.hasOwn(info, "id") || !Array.isArray(rows)) return undefined;
  const ids = { sessionID: own(record, "sessionID"), messageID: info["id"] };
  const said = one.parts.filter((part) => part.kind !== "approval_request").values();
  const parts: Row[] = [];
  for (const row of rows as unknown[]) {
    const part = isObject(row) ? partOf(row, said, told) : undefined;
    if (part === undefined) return undefined;
    parts.push({ ...ids, ...part });
  }
  return { info: { ...info, role: one.role, ...(system === undefined ? {} : { system }) }, parts };
}

/** Returns a session's part of its row, and of the message's next part where the row is not whole. */
function partOf(row: Row, said: Iterator<MessagePart>, told: Told): Row | undefined {
  const type = own(row, "type");
  const names = typeof type === "string" ? ((own(SAID, type) as readonly string[] | undefined) ?? []) : [];
  if (names.length === 0 || names.some((name) => Object.hasOwn(row, name))) return row;
  const part = said.next();
  return part.done === true ? undefined : joined(row, part.value, told);
}

function joined(row: Row, said: MessagePart, told: Told): Row | undefined {
  const type = row["type"];
  switch (said.kind) {
    case "text":
    case "thinking":
      if (type !== (said.kind === "text" ? "text" : "reasoning")) return undefined;
      return { ...row, text: said.payload.text, ...metadataWith(row["metadata"], said.payload) };
    case "image":
    case "file_ref":
      return type === "file" ? joinedFile(row, said) : undefined;
    case "tool_call": {
      const state = type === "tool" ? own(row, "state") : undefined;
      if (!isObject(state)) return undefined;
      const { toolCallId, toolName, arguments: input } = said.payload;
      const approval = told.approval(toolCallId, own(state, "approval"));
      const asked = approval === undefined ? {} : { approval };
      const ended = withResult({ ...state, input, ...asked }, told.payloads.get(toolCallId));
      if (ended === undefined) return undefined;
      const metadata = metadataWith(row["metadata"], said.payload);
      return { ...row, callID: toolCallId, tool: toolName, state: ended, ...metadata };
    }
    default:
      return undefined;
  }
}

function joinedFile(row: unknown, said: MessagePart | undefined): Row | undefined {
  if (!isObject(row) || said === undefined || (said.kind !== "image" && said.kind !== "file_ref")) return undefined;
  const {
    mimeType: mime,
    url,
    path,
    data,
  }: { mimeType?: string; url?: string; path?: string; data?: string } = said.payload;
  return mime === undefined ? undefined : { ...row, mime, url: url ?? path ?? `data:${mime};base64,${data}` };
}

function withResult(state: Row, result: ToolResult | undefined): Row | undefined {
  if (result === undefined) return state;
  const { content, isError } = result;
  const [first, ...files] = Array.isArray(content) ? content : [];
  if (Array.isArray(content) && first?.kind !== "text") return undefined;
  const text = first?.kind === "text" ? first.payload.text : content;
  const made: Row = { ...state, [isError ? "error" : "output"]: text };
  if (!Object.hasOwn(state, "attachments")) return made;
  const rows = state["attachments"];
  if (!Array.isArray(rows) || rows.length !== files.length) return undefined;
  const attachments = rows.map((row, index) => joinedFile(row, files[index]));
  return attachments.includes(undefined) ? undefined : { ...made, attachments };
}
