/** What a message of a stream came to: how it ended, what it used, and how fast it came. */

import type { UsageSummary } from "partwire";
import type { Step, StreamMessage } from "./recording.js";
import type { Tracks } from "./tracks.js";

/** How many tokens a character is, and whether that is a guess. */
export interface TokenScale {
  readonly perCharacter: number;
  readonly isEstimate: boolean;
}

/** What is usual in English; the guess where nothing says it. */
const CHARACTERS_PER_TOKEN = 4;

export interface MessageSummary {
  readonly status: StreamMessage["status"];
  readonly finishReason?: string;
  /** Of a message that failed. */
  readonly errorCode?: string;
  readonly usage?: UsageSummary;
  readonly steps: number;
  readonly parts: number;
  /** Of text, reasoning and arguments. */
  readonly characters: number;
  /** Milliseconds from its first step to the first text, and to its last step; absent where nothing has times. */
  readonly firstTextMs?: number;
  readonly durationMs?: number;
  /** Tokens per second from the first text on. */
  readonly rate?: number;
}

/** Returns how a message looks from afar. */
export function summaryOf(tracks: Tracks, stream: number): MessageSummary | undefined {
  const { recording } = tracks;
  const known = recording.messages[stream];
  if (known === undefined) return undefined;
  const { first, last, status, message } = known;
  const { steps, characters, parts, firstText } = tracks.messageOf(stream);
  const finishReason = message?.meta?.finishReason;
  const errorCode = errorCodeOf(recording.steps[last]);
  const usage = message?.meta?.usage ?? recording.usageAt(last);
  const base = {
    status,
    ...(finishReason === undefined ? {} : { finishReason }),
    ...(errorCode === undefined ? {} : { errorCode }),
    ...(usage === undefined ? {} : { usage }),
    steps,
    parts: status === "whole" ? (message?.parts.length ?? 0) : parts,
    characters,
  };
  if (!tracks.isTimed) return base;
  const begin = tracks.times[first] as number;
  const durationMs = (tracks.times[last] as number) - begin;
  if (firstText === undefined) return { ...base, durationMs };
  const firstTextMs = (tracks.times[firstText] as number) - begin;
  const span = durationMs - firstTextMs;
  const rate = (characters * scaleOf(tracks).perCharacter * 1000) / span;
  return { ...base, durationMs, firstTextMs, ...(span > 0 ? { rate } : {}) };
}

function errorCodeOf(step: Step | undefined): string | undefined {
  const { item, refused } = step ?? {};
  const isError = item !== undefined && "kind" in item && item.kind === "error" && refused === undefined;
  return isError ? item.payload.errorCode : undefined;
}

/** Returns how many tokens a character of this stream is, by the usage that its messages report. */
export function scaleOf(tracks: Tracks): TokenScale {
  let tokens = 0;
  let characters = 0;
  for (const [stream, { last, message }] of tracks.recording.messages.entries()) {
    const usage = message?.meta?.usage ?? tracks.recording.usageAt(last);
    const { characters: came, hasThinking } = tracks.messageOf(stream);
    if (usage === undefined || came === 0) continue;
    // Reasoning that is not shown has no characters here.
    const hidden = hasThinking ? 0 : (usage.reasoningTokens ?? 0);
    tokens += Math.max(0, usage.outputTokens - hidden);
    characters += came;
  }
  return tokens > 0 && characters > 0
    ? { perCharacter: tokens / characters, isEstimate: false }
    : { perCharacter: 1 / CHARACTERS_PER_TOKEN, isEstimate: true };
}
