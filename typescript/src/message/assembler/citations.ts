/**
 * What a stream says of the sources of its text.
 *
 * These deltas have been checked whole: they are what the schema says.
 */
import type { TextCitationDeltaPayload } from "../../contract/current/message.js";
import type { StreamFields } from "./fields.js";
import { payloadSize } from "./payloads.js";
import { type Json, refusal } from "./rules.js";
import { TextSlot } from "./slots.js";

export function onCitation(state: StreamFields, payload: Json, seq: number): void {
  const { citation, partIndex } = payload as unknown as TextCitationDeltaPayload;
  const slot = textSlot(state, partIndex, seq);
  state.payloadLeft -= payloadSize(payload, state.payloadLeft, state.limits, seq, "partIndex");
  slot.citations.push({ seq, value: citation });
}

/** Returns the text part of this index among all that have begun; undefined is the last one. */
function textSlot(state: StreamFields, index: number | undefined, seq: number): TextSlot {
  const slot = index === undefined ? state.lastText : state.slots[index];
  if (slot instanceof TextSlot && !slot.thinking) return slot;
  throw refusal("stream/unknown-text-part", "There is no such text part", seq, {
    pointer: index === undefined ? "/payload" : "/payload/partIndex",
    expected: "a text part that has begun",
    actual: index === undefined ? "none" : String(index),
  });
}
