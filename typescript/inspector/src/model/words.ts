/** Steps and lanes in words. */

import { type Message, type MessageDelta, Unknown } from "partwire";
import type { Lane, LaneKind } from "./lanes.js";
import { visibleLine } from "./lines.js";
import { bytesIn } from "./media.js";
import { bytesWords, countOf, numberWords } from "./numbers.js";
import type { Step } from "./recording.js";

/** The words for the kinds of lanes. */
export const LANE_WORDS: Readonly<Record<LaneKind, string>> = {
  stream: "message",
  message: "message",
  text: "text",
  thinking: "thinking",
  tool_call: "call",
  server_tool_call: "server call",
  server_tool_result: "server result",
  approval_request: "approval",
  media: "media",
};

/** Returns the name of a lane; that of what belongs to no message where there is none. */
export function laneWords(lane: Lane | undefined, messages: number): string {
  if (lane === undefined) return "no message";
  const { kind, label, stream } = lane;
  const number = messages > 1 ? ` ${stream + 1}` : "";
  if (kind === "stream") return `message${number}`;
  if (kind === "message") return visibleLine(`message${number} ${label}`, 60);
  return label === "" ? LANE_WORDS[kind] : visibleLine(`${LANE_WORDS[kind]} ${label}`, 60);
}

/** Returns the kind of what a step brought. */
export function kindWords({ item }: Step): string {
  if (item === undefined) return "nothing";
  if (item instanceof Unknown) return visibleLine(item.tag, 40);
  return "role" in item ? "message" : item.kind;
}

/** Returns what a step brought, in one line. */
export function stepWords({ item, refused }: Step): string {
  if (refused !== undefined) return visibleLine(refused.message);
  if (item === undefined) return "no delta came of these events";
  if (item instanceof Unknown) return "a kind that this version does not know";
  return "role" in item ? messageWords(item) : deltaWords(item);
}

function messageWords({ role, parts }: Message): string {
  const text = parts.map((part) => ("kind" in part && part.kind === "text" ? part.payload.text : "")).join(" ");
  return visibleLine(`${role}: ${text.trim() === "" ? countOf(parts.length, "part") : text}`);
}

function deltaWords(delta: MessageDelta): string {
  switch (delta.kind) {
    case "start":
      return visibleLine(delta.payload.modelId);
    case "text":
    case "thinking":
      return delta.payload.textDelta === "" ? "opaque data" : visibleLine(delta.payload.textDelta);
    case "tool_call_start":
    case "server_tool_call_start":
      return visibleLine(`${delta.payload.toolName} ${delta.payload.toolCallId}`);
    case "tool_call_args":
    case "server_tool_call_args":
      return visibleLine(delta.payload.argsTextDelta);
    case "tool_call_end":
    case "server_tool_call_end":
    case "server_tool_result":
    case "approval_request":
      return visibleLine(delta.payload.toolCallId);
    case "text_citation":
      return visibleLine(delta.payload.citation.quotedText ?? JSON.stringify(delta.payload.citation.source));
    case "media_start":
      return visibleLine(`${delta.payload.mimeType} ${delta.payload.mediaId}`);
    case "media_data": {
      const { data, dataDelta, transcriptDelta = "" } = delta.payload;
      const size = bytesWords(bytesIn((data?.length ?? 0) + (dataDelta?.length ?? 0)));
      return visibleLine(transcriptDelta === "" ? size : transcriptDelta);
    }
    case "media_end":
      return visibleLine(delta.payload.mediaId);
    case "warning":
      return visibleLine(delta.payload.message ?? delta.payload.code);
    case "usage":
      return `${numberWords(delta.payload.inputTokens)} in, ${numberWords(delta.payload.outputTokens)} out`;
    case "done":
      return visibleLine(delta.payload.finishReason);
    case "error":
      return visibleLine(delta.payload.message ?? delta.payload.errorCode);
  }
}
