/** What a message of a stream came to: how it ended, what it used, and how fast it came. */

import type { UsageSummary } from "partwire";
import type { StreamMessage } from "./recording.js";
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
  const parts = recording.lanes.filter((lane) => lane.stream === stream && lane.part >= 0).length;
  const finishReason = message?.meta?.finishReason;
  const usage = message?.meta?.usage ?? recording.usageAt(last);
  const base = {
    status,
    ...(finishReason === undefined ? {} : { finishReason }),
    ...(usage === undefined ? {} : { usage }),
    steps: stepsOf(tracks, stream),
    parts: status === "whole" ? (message?.parts.length ?? 0) : parts,
    characters: charactersOf(tracks, stream),
  };
  if (!tracks.isTimed) return base;
  const begin = tracks.times[first] as number;
  const durationMs = (tracks.times[last] as number) - begin;
  const text = tracks.firstTexts[stream];
  if (text === undefined) return { ...base, durationMs };
  const firstTextMs = (tracks.times[text] as number) - begin;
  const span = durationMs - firstTextMs;
  const rate = (base.characters * scaleOf(tracks).perCharacter * 1000) / span;
  return { ...base, durationMs, firstTextMs, ...(span > 0 ? { rate } : {}) };
}

/** Returns how many tokens a character of this stream is, by the usage that its messages report. */
export function scaleOf(tracks: Tracks): TokenScale {
  let tokens = 0;
  let characters = 0;
  for (const [stream, { last, message }] of tracks.recording.messages.entries()) {
    const usage = message?.meta?.usage ?? tracks.recording.usageAt(last);
    const came = charactersOf(tracks, stream);
    if (usage === undefined || came === 0) continue;
    // Reasoning that is not shown has no characters here.
    const hidden = hasReasoning(tracks, stream) ? 0 : (usage.reasoningTokens ?? 0);
    tokens += Math.max(0, usage.outputTokens - hidden);
    characters += came;
  }
  return tokens > 0 && characters > 0
    ? { perCharacter: tokens / characters, isEstimate: false }
    : { perCharacter: 1 / CHARACTERS_PER_TOKEN, isEstimate: true };
}

function hasReasoning({ recording }: Tracks, stream: number): boolean {
  return recording.lanes.some((lane) => lane.stream === stream && lane.kind === "thinking");
}

function charactersOf(tracks: Tracks, stream: number): number {
  return ofLanes(tracks, stream, (steps) => tracks.lengths[steps[steps.length - 1] as number] ?? 0);
}

function stepsOf(tracks: Tracks, stream: number): number {
  return ofLanes(tracks, stream, (steps) => steps.length);
}

function ofLanes(tracks: Tracks, stream: number, count: (steps: readonly number[]) => number): number {
  let sum = 0;
  for (const [index, lane] of tracks.recording.lanes.entries()) {
    const steps = tracks.stepsOf(index);
    if (lane.stream === stream && steps.length > 0) sum += count(steps);
  }
  return sum;
}
