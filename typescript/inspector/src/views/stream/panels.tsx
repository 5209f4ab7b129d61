/** What is seen of one step: the raw events, the delta, the part that it changed, and the state after it. */

import { PartialJson, Unknown } from "partwire";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { pieceOf, visibleLine } from "../../model/lines.js";
import { bytesIn } from "../../model/media.js";
import { bytesWords, countOf, numberWords } from "../../model/numbers.js";
import type { Recording, Step } from "../../model/recording.js";
import type { OpenPart, Tracks } from "../../model/tracks.js";
import { kindWords, laneWords } from "../../model/words.js";
import { JsonTree } from "../json.js";
import { Visible } from "../shared/visible.js";

/** How many raw events of a step, and how much of a text, are shown without being asked for. */
const MOST_EVENTS = 20;
const MOST_TEXT = 2000;
/** Argument texts up to this long are read for what is certain in them. */
const MOST_ARGUMENTS = 200_000;

export interface PanelProps {
  readonly tracks: Tracks;
  readonly step: number;
}

/** The raw events and the delta. */
export function CamePanel({ tracks, step }: PanelProps) {
  const { recording } = tracks;
  const here = recording.steps[step];
  if (here === undefined) return <p class="quiet">Nothing has come yet.</p>;
  return (
    <>
      <RawEvents recording={recording} step={here} />
      <h3>{headingOf(here)}</h3>
      {here.refused !== undefined && (
        <p class="refused">
          Refused: {visibleLine(here.refused.message, 400)} <code>{here.refused.rule}</code>
        </p>
      )}
      {here.item === undefined ? (
        <p class="quiet">These events made no delta.</p>
      ) : (
        <JsonTree
          value={here.item instanceof Unknown ? here.item.document : here.item}
          type={"role" in here.item ? "message.Message" : "message.MessageDelta"}
        />
      )}
    </>
  );
}

function headingOf(step: Step): string {
  const { item } = step;
  if (item === undefined) return "No delta";
  if ("role" in item) return "Message";
  return `Delta: ${kindWords(step)}`;
}

function RawEvents({ recording, step }: { readonly recording: Recording; readonly step: Step }) {
  const [from, to] = step.events;
  const shown = recording.events
    .slice(from, Math.min(to, from + MOST_EVENTS))
    .map((event, index) => ({ event, number: from + index }));
  return (
    <>
      <h3>{to - from === 1 ? "Raw event" : countOf(to - from, "raw event")}</h3>
      {from === to && <p class="quiet">Made by the same event as the step before, or by the end of the input.</p>}
      {shown.map(({ event, number }) => (
        <div key={number} class="raw">
          <p class="quiet">
            event {numberWords(number)}
            {event.line !== undefined && `, line ${numberWords(event.line)}`}
          </p>
          <RawValue value={event.value} />
        </div>
      ))}
      {to - from > MOST_EVENTS && <p class="quiet">and {numberWords(to - from - MOST_EVENTS)} more</p>}
    </>
  );
}

/** A raw event as JSON, or, where it is not JSON, as the text that it is. */
function RawValue({ value }: { readonly value: unknown }) {
  if (typeof value !== "string") return <JsonTree value={value} label="Raw event" />;
  return (
    <pre>
      <Visible text={value} />
    </pre>
  );
}

/** The part that a step changed, with what is new in it. */
export function PartPanel({ tracks, step }: PanelProps) {
  const { steps, lanes, messages } = tracks.recording;
  const here = steps[step];
  const lane = here === undefined ? undefined : lanes[here.lane];
  if (here === undefined || lane === undefined) return <p class="quiet">This step belongs to no message.</p>;
  const { item } = here;
  const { text, added } = tracks.textAt(step);
  const isJson = lane.kind === "tool_call" || lane.kind === "server_tool_call";
  return (
    <>
      <h3>
        <bdi>{laneWords(lane, messages.length)}</bdi>
        {lane.part >= 0 && <span class="quiet"> part {lane.part}</span>}
        {lane.id !== undefined && <code class="id">{visibleLine(lane.id, 80)}</code>}
      </h3>
      {text !== "" && <Grown key={here.lane} text={text} added={added} isCode={isJson} />}
      {text === "" && (
        <p class="quiet">
          {here.refused === undefined ? wordsWithoutText(tracks, step) : "The delta was refused, and changed nothing."}
        </p>
      )}
      {item !== undefined && "kind" in item && item.kind === "text_citation" && (
        <div class="new-whole">
          <JsonTree value={item.payload.citation} type="message.Citation" />
        </div>
      )}
      {item !== undefined && "kind" in item && WHOLE.includes(item.kind) && (
        <div class="new-whole">
          <JsonTree value={item.payload} />
        </div>
      )}
    </>
  );
}

const WHOLE: readonly string[] = ["server_tool_result", "approval_request", "warning", "usage", "done", "error"];

function wordsWithoutText(tracks: Tracks, step: number): string {
  const here = tracks.recording.steps[step];
  const { kind } = tracks.recording.lanes[here?.lane ?? -1] ?? { kind: "stream" };
  if (kind === "stream") return "This step is about the message as a whole.";
  if (kind === "message") return "The message came whole.";
  return "No text yet.";
}

/** A text that grows: its end, or all of it, with what is new. */
function Grown({ text, added, isCode }: { readonly text: string; readonly added: number; readonly isCode: boolean }) {
  const [isWhole, setWhole] = useState(false);
  const border = text.length - added;
  const from = isWhole ? 0 : Math.max(0, border - MOST_TEXT);
  const end = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const mark = end.current as HTMLElement;
    const body = mark.closest(".body");
    if (body !== null) body.scrollTop = mark.offsetTop + mark.offsetHeight - body.clientHeight + 12;
  });
  return (
    <>
      {border > MOST_TEXT && (
        <button type="button" class="small" onClick={() => setWhole(!isWhole)}>
          {isWhole ? "show the end only" : `show ${countOf(from, "character")} before`}
        </button>
      )}
      <pre class={isCode ? "grown code" : "grown"}>
        {from > 0 && "…"}
        <Visible text={pieceOf(text, from, border)} most={Number.POSITIVE_INFINITY} />
        <mark ref={end}>
          <Visible text={pieceOf(text, border, text.length)} most={MOST_TEXT} />
        </mark>
      </pre>
    </>
  );
}

/** The message after a step: what is open, what it used, warnings, and the snapshot. */
export function StatePanel({ tracks, step }: PanelProps) {
  const { recording } = tracks;
  const here = recording.steps[step];
  const usage = recording.usageAt(step);
  const open = tracks.openAt(step);
  const message = recording.messageAt(step);
  const part = here === undefined ? undefined : tracks.partAt(here.lane, step);
  if (here === undefined || message === undefined) return <p class="quiet">No message has begun.</p>;
  const warnings = message.meta?.["warnings"];
  return (
    <>
      {open.length > 0 && <h3>{countOf(open.length, "open part")}</h3>}
      {open.slice(0, MOST_EVENTS).map((each) => (
        <Open key={each.lane} tracks={tracks} part={each} />
      ))}
      {open.length > MOST_EVENTS && <p class="quiet">and {numberWords(open.length - MOST_EVENTS)} more</p>}
      {usage !== undefined && (
        <>
          <h3>Usage so far</h3>
          <JsonTree value={usage} type="message.UsageSummary" />
        </>
      )}
      {Array.isArray(warnings) && (
        <>
          <h3>{countOf(warnings.length, "warning")}</h3>
          <JsonTree value={warnings} />
        </>
      )}
      <h3>{"role" in (here.item ?? {}) ? "Message" : "Snapshot"}</h3>
      <JsonTree
        value={message}
        type="message.Message"
        {...(part === undefined ? {} : { highlight: `/parts/${part}` })}
      />
    </>
  );
}

function Open({ tracks, part }: { readonly tracks: Tracks; readonly part: OpenPart }) {
  const { lanes, messages } = tracks.recording;
  const lane = lanes[part.lane];
  return (
    <div class="open-part">
      <p>
        <bdi>{laneWords(lane, messages.length)}</bdi> <code class="id">{visibleLine(lane?.id ?? "", 80)}</code>
      </p>
      {lane?.kind === "media" ? (
        <p class="quiet">
          {bytesWords(bytesIn(part.letters))} so far{part.text !== "" && `: ${visibleLine(part.text, 400)}`}
        </p>
      ) : (
        <Arguments text={part.text} />
      )}
    </div>
  );
}

/** What is certain of arguments that have not ended. */
function Arguments({ text }: { readonly text: string }) {
  if (text === "") return <p class="quiet">no arguments yet</p>;
  if (text.length > MOST_ARGUMENTS) return <p class="quiet">{countOf(text.length, "character")} of arguments so far</p>;
  const parser = new PartialJson();
  parser.feed(text);
  return <JsonTree value={parser.value()} />;
}
