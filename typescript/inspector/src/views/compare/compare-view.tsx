/** Two sources, or two readings of one, side by side. */

import type { Message } from "partwire";
import { useEffect, useMemo, useState } from "preact/hooks";
import { type Difference, differences, kindCounts, messagesOf, type Parting, partingOf } from "../../model/compare.js";
import { visibleLine } from "../../model/lines.js";
import { heldBy, type Opened, open } from "../../model/opened.js";
import type { As, Source } from "../../model/sources.js";
import { type MessageSummary, scaleOf, summaryOf } from "../../model/summary.js";
import { Tracks } from "../../model/tracks.js";
import { kindWords, stepWords } from "../../model/words.js";
import { JsonTree } from "../json.js";
import { ReadAs } from "../shared/read-as.js";
import { Axis, type Span } from "../stream/axis.js";
import { PartPanel } from "../stream/panels.js";
import { Timeline } from "../stream/timeline.js";
import "../stream/stream.css";
import "./compare.css";
import { countOf, numberWords, rateWords, timeWords } from "../../model/numbers.js";

export interface CompareViewProps {
  readonly sources: readonly Source[];
  /** Which source is on the left at first. */
  readonly current: number;
}

/** A side: which source, and as what it is read. */
interface Side {
  readonly source: number;
  readonly as: As;
}

/** How many differences are listed before a button asks for more. */
const MOST = 100;

export function CompareView({ sources, current }: CompareViewProps) {
  const [left, setLeft] = useState(() => sideOf(sources, current));
  const [right, setRight] = useState(() => secondSide(sources, current));
  const [withIds, setWithIds] = useState(false);
  const [ours, theirs] = [useOpened(sources, left), useOpened(sources, right)];
  return (
    <main class="compare">
      <div class="pair">
        <Chooser label="Left" sources={sources} side={left} onSide={setLeft} />
        <Chooser label="Right" sources={sources} side={right} onSide={setRight} />
      </div>
      <label>
        <input type="checkbox" checked={withIds} onChange={({ currentTarget }) => setWithIds(currentTarget.checked)} />{" "}
        compare ids and times too
      </label>
      {ours.view === "stream" && theirs.view === "stream" && (
        <Streams left={ours.recording} right={theirs.recording} withIds={withIds} />
      )}
      <Messages left={messagesIn(ours)} right={messagesIn(theirs)} withIds={withIds} />
    </main>
  );
}

function sideOf(sources: readonly Source[], index: number): Side {
  const source = sources[index];
  return { source: index, as: (source && heldBy(source)[0]) ?? {} };
}

/** Returns the other source; where there is none, the next thing that the one may hold. */
function secondSide(sources: readonly Source[], current: number): Side {
  const other = sources.findIndex((_, index) => index !== current);
  if (other >= 0) return sideOf(sources, other);
  const source = sources[current];
  return { source: current, as: (source && (heldBy(source)[1] ?? heldBy(source)[0])) ?? {} };
}

function useOpened(sources: readonly Source[], { source: index, as }: Side): Opened {
  const source = sources[index];
  return useMemo(() => {
    if (source === undefined) return { view: "nothing", reason: "There is no source." };
    const { live: _live, ...still } = source;
    return open(still, as);
  }, [source, as]);
}

function messagesIn(opened: Opened): readonly Message[] | undefined {
  if (opened.view === "stream") return messagesOf(opened.recording);
  return opened.view === "history" ? opened.messages : undefined;
}

interface ChooserProps {
  readonly label: string;
  readonly sources: readonly Source[];
  readonly side: Side;
  readonly onSide: (side: Side) => void;
}

function Chooser({ label, sources, side, onSide }: ChooserProps) {
  return (
    <fieldset>
      <legend>{label}</legend>
      <label>
        <span class="hidden">{label}: file</span>
        <select
          value={side.source}
          onChange={({ currentTarget }) => onSide(sideOf(sources, currentTarget.selectedIndex))}
        >
          {sources.map(({ id, name }, index) => (
            <option key={id} value={index}>
              {visibleLine(name, 60)}
            </option>
          ))}
        </select>
      </label>{" "}
      <ReadAs label="read as" as={side.as} onChoose={(as) => onSide({ ...side, as })} />
    </fieldset>
  );
}

// --- streams -------------------------------------------------------------------------------------

type Recording = Tracks["recording"];

interface StreamsProps {
  readonly left: Recording;
  readonly right: Recording;
  readonly withIds: boolean;
}

function Streams({ left, right, withIds }: StreamsProps) {
  const [ours, theirs] = useMemo(() => [new Tracks(left), new Tracks(right)], [left, right]);
  const parting = useMemo(() => partingOf(left, right, withIds), [left, right, withIds]);
  const counts = useMemo(() => kindCounts(left, right), [left, right]);
  return (
    <>
      <section aria-labelledby="parting">
        <h2 id="parting">First difference</h2>
        <p>{partingWords(parting)}</p>
        <div class="pair">
          <StreamSide label="Left" tracks={ours} at={parting?.left} hasParting={parting !== undefined} />
          <StreamSide label="Right" tracks={theirs} at={parting?.right} hasParting={parting !== undefined} />
        </div>
      </section>
      <section aria-labelledby="figures" class="pair">
        <div>
          <h2 id="figures">Usage and times</h2>
          <Figures left={ours} right={theirs} />
        </div>
        <div>
          <h2 id="counts">Steps of each kind</h2>
          <table aria-labelledby="counts">
            <Columns first="kind" />
            <tbody>
              {counts.map(({ kind, left: a, right: b }) => (
                <Row key={kind} name={kind} left={numberWords(a)} right={numberWords(b)} />
              ))}
            </tbody>
          </table>
        </div>
      </section>
    </>
  );
}

function partingWords(parting: Parting | undefined): string {
  if (parting === undefined) return "The content is the same: every part, every character, and the end.";
  const { left, right, same } = parting;
  if (left === undefined || right === undefined) {
    return `The ${left === undefined ? "left" : "right"} stream ends here, the other one goes on.`;
  }
  const place = `Step ${numberWords(left + 1)} on the left, step ${numberWords(right + 1)} on the right`;
  return same === undefined ? `${place}.` : `${place}: there the texts are the same for ${countOf(same, "character")}.`;
}

interface StreamSideProps {
  readonly label: string;
  readonly tracks: Tracks;
  readonly at: number | undefined;
  readonly hasParting: boolean;
}

function StreamSide({ label, tracks, at, hasParting }: StreamSideProps) {
  const place = at ?? (hasParting ? tracks.count - 1 : 0);
  const [cursor, setCursor] = useState(place);
  useEffect(() => setCursor(place), [place]);
  const axis = useMemo(() => new Axis(tracks, tracks.isTimed ? "time" : "steps"), [tracks]);
  const [span, setSpan] = useState<Span>();
  const step = tracks.recording.steps[cursor];
  return (
    <section class="side" aria-label={label}>
      <Timeline
        tracks={tracks}
        axis={axis}
        span={span ?? axis.whole}
        cursor={cursor}
        onSpan={setSpan}
        onCursor={setCursor}
      />
      <p class="row">
        <button type="button" disabled={cursor === 0} onClick={() => setCursor(cursor - 1)}>
          Back
        </button>
        <button type="button" disabled={cursor >= tracks.count - 1} onClick={() => setCursor(cursor + 1)}>
          On
        </button>
        <button
          type="button"
          disabled={at === undefined || cursor === at}
          onClick={() => at !== undefined && setCursor(at)}
        >
          The difference
        </button>
        {step !== undefined && (
          <span>
            {numberWords(cursor + 1)}: <b>{kindWords(step)}</b> <bdi>{stepWords(step)}</bdi>
          </span>
        )}
      </p>
      <div class="panel">
        <div class="body">
          <PartPanel tracks={tracks} step={cursor} />
        </div>
      </div>
    </section>
  );
}

type Figure = readonly [name: string, of: (summary: MessageSummary) => string | undefined];

const FIGURES: readonly Figure[] = [
  ["ended", ({ status }) => status],
  ["finish reason", ({ finishReason }) => finishReason && visibleLine(finishReason, 60)],
  ["steps", ({ steps }) => numberWords(steps)],
  ["parts", ({ parts }) => numberWords(parts)],
  ["characters", ({ characters }) => numberWords(characters)],
  ["tokens in", ({ usage }) => usage && numberWords(usage.inputTokens)],
  ["tokens out", ({ usage }) => usage && numberWords(usage.outputTokens)],
  ["tokens in all", ({ usage }) => usage && numberWords(usage.totalTokens)],
  ["tokens of reasoning", ({ usage }) => numberOr(usage?.reasoningTokens)],
  ["tokens from a cache", ({ usage }) => numberOr(usage?.cacheReadTokens)],
  ["cost, USD", ({ usage }) => (usage?.cost === undefined ? undefined : String(usage.cost))],
  ["first text", ({ firstTextMs }) => (firstTextMs === undefined ? undefined : timeWords(firstTextMs))],
  ["duration", ({ durationMs }) => (durationMs === undefined ? undefined : timeWords(durationMs))],
];

function numberOr(value: number | undefined): string | undefined {
  return value === undefined ? undefined : numberWords(value);
}

function Figures({ left, right }: { readonly left: Tracks; readonly right: Tracks }) {
  const count = Math.max(left.recording.messages.length, right.recording.messages.length);
  const shown = Array.from({ length: Math.min(count, 10) }, (_, index) => index);
  return (
    <>
      {shown.map((index) => (
        <table key={index} aria-label={`Figures of message ${index + 1}`}>
          <Columns first={count > 1 ? `message ${index + 1}` : ""} />
          <tbody>
            {figuresOf(left, right, index).map(([name, a, b]) => (
              <Row key={name} name={name} left={a} right={b} />
            ))}
          </tbody>
        </table>
      ))}
    </>
  );
}

function figuresOf(left: Tracks, right: Tracks, index: number): [string, string, string][] {
  const [ours, theirs] = [summaryOf(left, index), summaryOf(right, index)];
  const rows: [string, string | undefined, string | undefined][] = FIGURES.map(([name, of]) => [
    name,
    ours && of(ours),
    theirs && of(theirs),
  ]);
  rows.push(["tokens per second", rateOf(left, ours), rateOf(right, theirs)]);
  return rows.flatMap(([name, a, b]) => (a === undefined && b === undefined ? [] : [[name, a ?? "–", b ?? "–"]]));
}

function rateOf(tracks: Tracks, summary: MessageSummary | undefined): string | undefined {
  if (summary?.rate === undefined) return undefined;
  return `${scaleOf(tracks).isEstimate ? "about " : ""}${rateWords(summary.rate)}`;
}

function Columns({ first }: { readonly first: string }) {
  return (
    <thead>
      <tr>
        <th scope="col">{first}</th>
        <th scope="col">left</th>
        <th scope="col">right</th>
      </tr>
    </thead>
  );
}

function Row({ name, left, right }: { readonly name: string; readonly left: string; readonly right: string }) {
  return (
    <tr class={left === right ? "" : "differs"}>
      <th scope="row">{name}</th>
      <td>{left}</td>
      <td>{right}</td>
    </tr>
  );
}

// --- messages ------------------------------------------------------------------------------------

interface MessagesProps {
  readonly left: readonly Message[] | undefined;
  readonly right: readonly Message[] | undefined;
  readonly withIds: boolean;
}

function Messages({ left, right, withIds }: MessagesProps) {
  const found = useMemo(
    () => (left === undefined || right === undefined ? undefined : messageDifferences(left, right, withIds)),
    [left, right, withIds],
  );
  const [most, setMost] = useState(MOST);
  if (found === undefined) return <p>Only streams and histories are compared: one side holds no messages.</p>;
  return (
    <section aria-labelledby="differences">
      <h2 id="differences">The messages</h2>
      <p>{found.length === 0 ? "The messages are the same." : `${countOf(found.length, "difference")}.`}</p>
      <ul class="differences">
        {found.slice(0, most).map((each) => (
          <DifferenceItem key={`${each.pointer} ${each.rightPointer}`} difference={each} />
        ))}
      </ul>
      {found.length > most && (
        <button type="button" onClick={() => setMost(most + MOST)}>
          {numberWords(found.length - most)} more
        </button>
      )}
    </section>
  );
}

/** Returns what messages differ in; a single one on either side is compared by itself. */
function messageDifferences(left: readonly Message[], right: readonly Message[], withIds: boolean): Difference[] {
  return left.length === 1 && right.length === 1
    ? differences(left[0], right[0], withIds)
    : differences(left, right, withIds);
}

const SIGNS = { added: "only right", removed: "only left", changed: "changed" } as const;

function DifferenceItem({ difference }: { readonly difference: Difference }) {
  const { pointer, rightPointer, kind, left, right } = difference;
  return (
    <li>
      <p>
        <span class={`mark ${kind === "changed" ? "warning" : ""}`}>{SIGNS[kind]}</span>{" "}
        <code>{visibleLine(kind === "added" ? rightPointer : pointer, 200) || "(the whole)"}</code>
        {kind === "changed" && pointer !== rightPointer && <code> → {visibleLine(rightPointer, 200)}</code>}
      </p>
      <div class="pair">
        <div>{kind !== "added" && <JsonTree value={left} label="Left" />}</div>
        <div>{kind !== "removed" && <JsonTree value={right} label="Right" />}</div>
      </div>
    </li>
  );
}
