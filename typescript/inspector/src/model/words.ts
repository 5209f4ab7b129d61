/** Steps, lanes, times and numbers in words. */

import { type Message, type MessageDelta, Unknown } from "partwire";
import type { Lane } from "./lanes.js";
import { visibleLine } from "./lines.js";
import type { Step } from "./recording.js";

const LANES: Readonly<Record<Lane["kind"], string>> = {
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
  return label === "" ? LANES[kind] : visibleLine(`${LANES[kind]} ${label}`, 60);
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
      const size = bytesWords(bytesOf((data?.length ?? 0) + (dataDelta?.length ?? 0)));
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

/** Returns how many bytes so many letters of Base64 are, about. */
export function bytesOf(letters: number): number {
  return Math.floor((letters * 3) / 4);
}

export function bytesWords(bytes: number): string {
  if (bytes < 1024) return countOf(bytes, "byte");
  return bytes < 1 << 20 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / (1 << 20)).toFixed(1)} MiB`;
}

/** Returns a count with its noun: `1 step`, `2 steps`. */
export function countOf(count: number, noun: string): string {
  return `${numberWords(count)} ${noun}${count === 1 ? "" : "s"}`;
}

const numbers = new Intl.NumberFormat("en");

export function numberWords(value: number): string {
  return numbers.format(value);
}

/** Returns a time span: `340 ms`, `2.41 s`, `3:07`, `1:03:07`. */
export function timeWords(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(2)} s`;
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (value: number): string => String(value).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Returns a rate; below ten with one decimal, if that is not zero. */
export function rateWords(rate: number): string {
  return numberWords(rate >= 10 ? Math.round(rate) : Math.round(rate * 10) / 10);
}
