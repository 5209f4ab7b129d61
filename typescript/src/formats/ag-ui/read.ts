/** AG-UI histories: messages, the input of a run, a snapshot of messages, or a list of events. */

import { StreamProtocolError } from "../../errors.js";
import { isObject, own } from "../../json/values.js";
import type { Json, Members, Reading } from "../core/reading.js";
import { RunAssembler } from "../core/runs.js";
import { isKnown } from "./events.js";
import { addTo, Histories } from "./messages.js";
import { OWN, present } from "./state.js";
import { AgUiStreamReader } from "./stream-read.js";

/** Reads a list of messages, one message, the input of a run, a snapshot, or events. */
export function readAgUi(source: unknown, reading: Reading): void {
  if (areEvents(source)) {
    readEvents(source, reading);
    return;
  }
  const histories = new Histories(reading);
  let head: Head = {};
  if (isObject(source) && !Object.hasOwn(source, "messages")) {
    histories.read(reading.members(source, ""));
  } else {
    let [messages, place] = [source, ""];
    if (isObject(source)) {
      const body = reading.members(source, "");
      [messages, place] = [body.value("messages"), "/messages"];
      head = headOf(body);
    }
    for (const message of reading.items(messages, place)) histories.read(message);
  }
  for (const { message, place } of histories.finish()) {
    addTo(reading, { ...head.run, ...withMeta(message, head.meta, place, reading) });
  }
}

/** What the input of a run says of all its messages. */
interface Head {
  readonly run?: Json;
  readonly meta?: Json;
}

/** Takes what the input of a run, or a snapshot, says of all its messages. */
function headOf(body: Members): Head {
  const runId = body.text("runId");
  const meta = present({ threadId: body.text("threadId"), parentRunId: body.text("parentRunId") });
  body.skip("type", "MESSAGES_SNAPSHOT");
  body.close("request-member");
  return { ...(runId ? { run: { runId } } : {}), ...(Object.keys(meta).length > 0 ? { meta } : {}) };
}

/** Returns a message with members of the format in its meta, behind those of its own. */
function withMeta(message: Json, members: Json | undefined, place: string, reading: Reading): Json {
  if (members === undefined) return message;
  const meta = (message["meta"] ?? {}) as Json;
  const mine = Object.hasOwn(meta, OWN) ? meta[OWN] : {};
  if (!isObject(mine)) {
    reading.note("extension-unread", place);
    return message;
  }
  return { ...message, meta: { ...meta, [OWN]: { ...members, ...mine } } };
}

function areEvents(source: unknown): source is unknown[] {
  const first: unknown = Array.isArray(source) ? source[0] : undefined;
  if (!isObject(first) || Object.hasOwn(first, "role")) return false;
  return isKnown(own(first, "type"));
}

function readEvents(events: readonly unknown[], reading: Reading): void {
  const stream = new AgUiStreamReader(reading);
  const run = new RunAssembler();
  let number = 0;
  try {
    for (; number < events.length; number++) run.feedAll(stream.feed(events[number]));
    run.feedAll(stream.finish());
  } catch (error) {
    if (!(error instanceof StreamProtocolError)) throw error;
    // For ids that are too long, and for what an extension says.
    const last = Math.min(number, events.length - 1);
    throw reading.refuse(`/${last}`, "an event that a message takes", events[last]);
  }
  for (const message of run.finish()) reading.messages.push(message as unknown as Json);
}
