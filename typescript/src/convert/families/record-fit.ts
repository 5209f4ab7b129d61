/**
 * Whether `meta.session` and the message around it still say the same. A record that was written for
 * v0.1 stands in a message that could not say all that messages say since: such a message fits too, and
 * what it lacks is taken from the record.
 */
import type { Message, MessageMeta, MessagePart, Opaque, UsageSummary } from "../../generated/v0_2/message.js";
import type { WithParts } from "../../generated/v0_2/session.js";
import { sameJson } from "../../json/equality.js";
import { own } from "../../json/values.js";
import { Work } from "./conversion.js";
import { spokenMessages } from "./from-session.js";
import { FIRST_VERSION, keepsIgnored, recordOf } from "./session-record.js";
import type { Results } from "./session-results.js";
import { COUNTS } from "./session-tokens.js";

const SAID_META: Readonly<Record<string, readonly string[]>> = {
  user: ["completedAt", "session"],
  assistant: ["completedAt", "session", "usage"],
};

/** Tells whether a session says what a member of `meta` says. */
export function isSaid(role: string, name: string): boolean {
  return SAID_META[role]?.includes(name) ?? false;
}

/**
 * Returns the places where `made` says more than the message `one` that it was made of, undefined where
 * it says anything else. Only the run and the turn may differ.
 */
export function addedByRecord(made: WithParts, one: Message, results: Results): string[] | undefined {
  const keepIgnored = keepsIgnored(one.meta?.["session"]);
  const quiet = new Work([], "message.Message", { runId: one.runId, keepIgnored });
  const { spoken, tool } = spokenMessages(made, "", quiet);
  const parts = [...results.payloads.values()].map((payload) => ({ kind: "tool_result", payload }));
  if (parts.length === 0 ? tool !== undefined : tool?.timestamp !== results.time) return undefined;
  if (!sameJson(tool?.parts ?? [], parts)) return undefined;
  const { turnId, ...said } = one;
  const meta = Object.fromEntries(Object.entries(one.meta ?? {}).filter(([name]) => isSaid(one.role, name)));
  const given: Message & { meta: MessageMeta } = { ...said, meta };
  const added = [...addMembers(given, spoken, made), ...addToParts(given, spoken)];
  return sameJson(given, spoken) ? added : undefined;
}

type Spoken = ReturnType<typeof spokenMessages>["spoken"];

function addMembers(given: Message & { meta: MessageMeta }, again: Spoken, made: WithParts): string[] {
  const added: string[] = [];
  if (given.messageId === undefined) {
    given.messageId = again.messageId;
    added.push("/messageId");
  }
  const { meta } = given;
  const { usage } = again.meta;
  if (meta.usage !== undefined && usage !== undefined) {
    const said: UsageSummary = { ...meta.usage };
    const missing = COUNTS.filter((name) => said[name] === undefined);
    for (const name of missing) {
      const count = usage[name];
      if (count !== undefined) said[name] = count;
      added.push(`/meta/usage/${name}`);
    }
    meta.usage = said;
  }
  const record = again.meta["session"];
  const older = recordOf(made, keepsIgnored(meta["session"]), FIRST_VERSION);
  if (!sameJson(meta["session"], record) && sameJson(meta["session"], older)) {
    meta["session"] = record;
    added.push("/meta/session");
  }
  return added;
}

const isFile = ({ kind }: MessagePart): boolean => kind === "image" || kind === "file_ref";

/** Gives the parts what only the record says of them: provider's state, an assistant's files. */
function addToParts(given: Message, again: Spoken): string[] {
  const all = again.parts;
  const lacksFiles = again.role === "assistant" && !given.parts.some(isFile);
  const kept = lacksFiles ? all.filter((part) => !isFile(part)) : all;
  const added: string[] = [];
  given.parts = given.parts.map((part, number) => {
    const opaque = own(kept[number]?.payload ?? {}, "opaque") as Opaque | undefined;
    if (opaque === undefined || "opaque" in part.payload) return part;
    added.push(`/parts/${number}/payload/opaque`);
    return { ...part, payload: { ...part.payload, opaque } } as MessagePart;
  });
  if (kept.length !== all.length && sameJson(given.parts, kept)) {
    given.parts = all;
    added.push("/parts");
  }
  return added;
}
