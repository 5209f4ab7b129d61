/**
 * A session's messages as `message.Message`. A session holds a call and its result in one part; messages
 * hold the call in the assistant's message and the result in the tool's message behind it. What a
 * session says and a message does not is in `meta.session`, and is taken from there on the way back.
 */
import type { Message, MessageMeta, MessagePart } from "../../contract/current/message.js";
import type { FilePart, ReasoningPart, TextPart, ToolPart, WithParts } from "../../contract/current/session.js";
import type { Context } from "./context.js";
import { type BridgeResult, Work } from "./conversion.js";
import { approvalIn, approvalParts, decidedAt } from "./session-approvals.js";
import { callPart, callResult, messageFile, withOpaque } from "./session-parts.js";
import { isIgnored, recordOf, saidApprovals, spokenParts } from "./session-record.js";
import { usageOf } from "./session-tokens.js";

/**
 * Returns `session.WithParts` (one or an array) as `message.Message`. An assistant's message whose calls
 * have ended becomes two: the message and the tool's. A user's system prompt becomes a message before
 * it. Throws ReadError and UsageError.
 */
export function sessionToMessages(values: unknown, context: Context = {}): BridgeResult<Message[]> {
  const work = new Work<WithParts>(values, "session.WithParts", context);
  const made = work.source.flatMap((source, index) => {
    const { system, spoken, tool } = spokenMessages(source, `/${index}`, work);
    return [system, spoken, tool].filter((each) => each !== undefined);
  });
  return work.finish(made, "message.Message");
}

/** What one message of a session is as messages. */
interface Spoken {
  readonly system?: Message;
  /** The spoken one, with its record. */
  readonly spoken: Message & { messageId: string; meta: MessageMeta };
  readonly tool?: Message;
}

/** Returns what one message of a session is as messages. */
export function spokenMessages(source: WithParts, place: string, work: Work): Spoken {
  const { info } = source;
  const runId = work.given("runId", `${place}/runId`, "run-id-invented", source.parts[0]?.sessionID ?? info.id);
  const timestamp = work.text(info.time.created, `${place}/info/time/created`);
  const meta: MessageMeta = { session: recordOf(source, work.context.keepIgnored ?? false) };
  if (info.time.completed !== undefined) {
    meta.completedAt = work.text(info.time.completed, `${place}/info/time/completed`);
  }
  if (info.role === "assistant") meta.usage = usageOf(info, `${place}/info/tokens`, work);
  const { own, told, last } = partsOf(source, place, work);
  const spoken = { runId, timestamp, messageId: info.id, role: info.role, parts: own, meta };
  return {
    ...(info.role === "user" && info.system !== undefined
      ? { system: { runId, timestamp, role: "system", parts: [{ kind: "text", payload: { text: info.system } }] } }
      : {}),
    spoken,
    ...(last === undefined
      ? {}
      : { tool: { runId, role: "tool", parts: told, timestamp: work.text(last.end, last.place) } }),
  };
}

interface Parts {
  readonly own: MessagePart[];
  /** The tool's: answers and results, call by call. */
  readonly told: MessagePart[];
  /** When the last call ended, else was answered, and where that is said. */
  readonly last: Time | undefined;
}

interface Time {
  readonly end: number;
  readonly place: string;
}

/** Returns the later one; of two at once, the one whose place is behind. */
function later(one: Time | undefined, other: Time): Time {
  if (one === undefined || other.end > one.end) return other;
  return other.end === one.end && other.place > one.place ? other : one;
}

function partsOf(source: WithParts, place: string, work: Work): Parts {
  const own: MessagePart[] = [];
  const told: MessagePart[] = [];
  const spoken = spokenParts(source, work.context.keepIgnored ?? false);
  const approvals = saidApprovals(source, spoken);
  const created = { end: source.info.time.created, place: `${place}/info/time/created` };
  let answered: Time | undefined;
  let last: Time | undefined;
  for (const [index, part] of source.parts.entries()) {
    const at = `${place}/parts/${index}`;
    if (spoken[index] !== true || part.type === "step-start" || part.type === "step-finish") {
      work.note(isIgnored(part) ? "ignored-text" : "kept-in-meta", at);
      continue;
    }
    own.push(messagePart(part));
    if (part.type !== "tool") continue;
    const approval = approvals[index];
    if (approval !== undefined) {
      const [request, answer] = approvalParts(part, approval, at, work);
      own.push(request);
      if (answer !== undefined) {
        told.push(answer);
        answered = later(answered, decided(part, at) ?? created);
      }
    }
    const result = callResult(part);
    if (result === undefined) continue;
    told.push({ kind: "tool_result", payload: result });
    const { state } = part;
    const isOver = state.status === "completed" || state.status === "error";
    const end = isOver ? { end: state.time.end, place: `${at}/state/time/end` } : (decided(part, at) ?? created);
    last = later(last, end);
  }
  return { own, told, last: last ?? answered };
}

function decided(part: ToolPart, place: string): Time | undefined {
  const time = decidedAt(approvalIn(part));
  return time === undefined ? undefined : { end: time.ms, place: `${place}/state/approval/time/${time.name}` };
}

/** Returns what a message says of a session's part. */
function messagePart(part: TextPart | ReasoningPart | ToolPart | FilePart): MessagePart {
  if (part.type === "file") return messageFile(part);
  if (part.type === "tool") return callPart(part);
  const kind = part.type === "text" ? "text" : "thinking";
  return { kind, payload: { text: part.text, ...withOpaque(part) } };
}
