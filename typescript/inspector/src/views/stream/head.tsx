/** One line about a stream: how it ended, what it used, how fast it came. */

import type { ComponentChildren } from "preact";
import { visibleLine } from "../../model/lines.js";
import { numberWords, rateWords, timeWords } from "../../model/numbers.js";
import { type MessageSummary, scaleOf, summaryOf } from "../../model/summary.js";
import type { Tracks } from "../../model/tracks.js";

interface HeadProps {
  readonly tracks: Tracks;
  readonly cursor: number;
  readonly isLive: boolean;
}

const STATUS: Readonly<Record<MessageSummary["status"], string>> = {
  started: "streaming",
  done: "done",
  error: "failed",
  cut: "cut off",
  whole: "whole message",
};

export function Head({ tracks, cursor, isLive }: HeadProps) {
  const { recording, count } = tracks;
  const stream = recording.steps[cursor]?.stream ?? 0;
  const summary = summaryOf(tracks, stream);
  const scale = scaleOf(tracks);
  const messages = recording.messages.length;
  return (
    <dl class="head" aria-label="The stream">
      <Item name="events">{numberWords(recording.events.length)}</Item>
      <Item name="steps">{numberWords(count)}</Item>
      {messages !== 1 && <Item name="messages">{numberWords(messages)}</Item>}
      <Item name={tracks.isTimed ? "all in" : "times"}>
        {tracks.isTimed ? timeWords(tracks.times[count - 1] ?? 0) : "not recorded"}
      </Item>
      {summary !== undefined && (
        <>
          <Item name={messages > 1 ? `message ${stream + 1}` : "message"} tone={summary.status}>
            {isLive && summary.status === "started" ? "live" : STATUS[summary.status]}
          </Item>
          {summary.finishReason !== undefined && (
            <Item name="finish reason">{visibleLine(summary.finishReason, 60)}</Item>
          )}
          {summary.errorCode !== undefined && <Item name="error code">{visibleLine(summary.errorCode, 60)}</Item>}
          <Item name="parts">{numberWords(summary.parts)}</Item>
          <Usage summary={summary} />
          {summary.firstTextMs !== undefined && <Item name="first text">{timeWords(summary.firstTextMs)}</Item>}
          {summary.durationMs !== undefined && <Item name="duration">{timeWords(summary.durationMs)}</Item>}
          {summary.rate !== undefined && (
            <Item name={scale.isEstimate ? "tokens/s, estimated" : "tokens/s"}>{rateWords(summary.rate)}</Item>
          )}
        </>
      )}
      {recording.losses.length > 0 && (
        <Item name="reading">
          {recording.losses.length === 1 ? "1 loss" : `${numberWords(recording.losses.length)} losses`}
        </Item>
      )}
    </dl>
  );
}

function Usage({ summary: { usage, characters } }: { readonly summary: MessageSummary }) {
  if (usage === undefined) return <Item name="characters">{numberWords(characters)}</Item>;
  const { inputTokens, outputTokens, reasoningTokens, cacheReadTokens, cost } = usage;
  return (
    <>
      <Item name="tokens in">{numberWords(inputTokens)}</Item>
      {cacheReadTokens !== undefined && <Item name="from a cache">{numberWords(cacheReadTokens)}</Item>}
      <Item name="tokens out">{numberWords(outputTokens)}</Item>
      {reasoningTokens !== undefined && <Item name="reasoning">{numberWords(reasoningTokens)}</Item>}
      {cost !== undefined && <Item name="cost, USD">{cost}</Item>}
    </>
  );
}

interface ItemProps {
  readonly name: string;
  readonly tone?: string;
  readonly children: ComponentChildren;
}

function Item({ name, tone = "", children }: ItemProps) {
  return (
    <div class={`item ${tone}`}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
