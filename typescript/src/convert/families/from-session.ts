/**
 * A session's messages as `message.Message`. A session holds a call and its result in one part; messages
 * hold the call in the assistant's message and the result in the tool's message behind it. What a
 * session says and a message does not is in `meta.session`, and is taken from there on the way back.
 */
import type { Message, MessageMeta, MessagePart } from "../../contract/current/message.js";
import type { FilePart, ReasoningPart, TextPart, ToolPart, WithParts } from "../../contract/current/session.js";
import type { Context } from "./context.js";
import { type BridgeResult, Work } from "./conversion.js";
import { callPart, callResult, messageFile, withOpaque } from "./session-parts.js";
import { isIgnored, recordOf, spokenParts } from "./session-record.js";
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
  const { own, results, last } = partsOf(source, place, work);
  const spoken = { runId, timestamp, messageId: info.id, role: info.role, parts: own, meta };
  return {
    ...(info.role === "user" && info.system !== undefined
      ? { system: { runId, timestamp, role: "system", parts: [{ kind: "text", payload: { text: info.system } }] } }
      : {}),
    spoken,
    ...(last === undefined
      ? {}
      : { tool: { runId, role: "tool", parts: results, timestamp: work.text(last.end, last.place) } }),
  };
}

interface Parts {
  readonly own: MessagePart[];
  readonly results: MessagePart[];
  /** When the last call ended, and where that is said. */
  readonly last: { readonly end: number; readonly place: string } | undefined;
}

function partsOf(source: WithParts, place: string, work: Work): Parts {
  const own: MessagePart[] = [];
  const results: MessagePart[] = [];
  const spoken = spokenParts(source, work.context.keepIgnored ?? false);
  let last: Parts["last"];
  for (const [index, part] of source.parts.entries()) {
    const at = `${place}/parts/${index}`;
    if (spoken[index] !== true || part.type === "step-start" || part.type === "step-finish") {
      work.note(isIgnored(part) ? "ignored-text" : "kept-in-meta", at);
      continue;
    }
    own.push(messagePart(part));
    const result = part.type === "tool" ? callResult(part) : undefined;
    if (result === undefined || part.type !== "tool") continue;
    results.push({ kind: "tool_result", payload: result });
    const end = "time" in part.state && "end" in part.state.time ? part.state.time.end : 0;
    const ended = { end, place: `${at}/state/time/end` };
    if (last === undefined || end > last.end || (end === last.end && ended.place > last.place)) last = ended;
  }
  return { own, results, last };
}

/** Returns what a message says of a session's part. */
function messagePart(part: TextPart | ReasoningPart | ToolPart | FilePart): MessagePart {
  if (part.type === "file") return messageFile(part);
  if (part.type === "tool") return callPart(part);
  const kind = part.type === "text" ? "text" : "thinking";
  return { kind, payload: { text: part.text, ...withOpaque(part) } };
}
