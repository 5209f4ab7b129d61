/**
 * Messages as UI messages.
 *
 * An answer with its steps is one UI message: assistants' messages and what came of their calls. What the format
 * does not say is not guessed: each UI message is read back, and what differs is reported, or kept in
 * `metadata.partwire`.
 */

import { inOrder } from "../../convert/losses.js";
import { isObject } from "../../json/values.js";
import { compare } from "../core/compared.js";
import { changes, PARTWIRE } from "../core/extension.js";
import { givenIds, Ids } from "../core/ids.js";
import { Losses } from "../core/lost.js";
import type { Json } from "../core/reading.js";
import type { Written } from "../core/writing.js";
import { type Group, grouped, hasSteps } from "./groups.js";
import { UiParts } from "./parts.js";
import { readBack } from "./read.js";
import { OWN } from "./state.js";

/** Returns the UI messages of a history, and what they do not say of it. */
export function writeAiSdk(messages: Json[], version: string, extensions: boolean): Written {
  const losses = new Losses();
  const ids = new Ids(givenIds(messages));
  const made = grouped(messages).map((group) => uiMessage(group, version, ids, losses, extensions));
  return { document: made.filter((each) => each !== undefined), losses: inOrder(losses.found) };
}

/** Returns the UI message of a group; undefined where it would say nothing. */
function uiMessage(group: Group, version: string, ids: Ids, losses: Losses, extensions: boolean): Json | undefined {
  const writer = new UiParts(version);
  const isStep = hasSteps(group);
  for (const [number, message] of group.messages.entries()) writer.add(number, message, isStep);
  const first = group.messages[0] as Json;
  const metadata = metadataOf(first);
  const made: Json = {
    id: ids.of(first),
    role: group.role,
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    parts: writer.parts.length > 0 ? writer.parts : [{ type: "step-start" }], // one at least is wanted
  };
  const back = readBack(made);
  if (extensions) {
    made["metadata"] = { ...metadata, [PARTWIRE]: changes(group.messages, back) };
    return made;
  }
  if (group.isOrphan) {
    losses.note("message-form", `/${group.numbers[0]}`);
    return undefined;
  }
  const ofNumbers = new Map(group.messages.map((message, at) => [group.numbers[at] as number, message]));
  compare(ofNumbers, back, losses, { own: OWN, leftOut: writer.leftOut, cut: writer.cut });
  return made;
}

function metadataOf(message: Json): Json {
  const own = (message["meta"] as Json | undefined)?.[OWN];
  const metadata = isObject(own) ? own["metadata"] : undefined;
  return isObject(metadata) ? metadata : {};
}
