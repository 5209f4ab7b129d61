/** A stream, step by step: the timeline, and beside each other what came and what it made. */

import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { LANE_KINDS } from "../../model/lanes.js";
import type { Recording } from "../../model/recording.js";
import type { Source } from "../../model/sources.js";
import { Tracks } from "../../model/tracks.js";
import { LANE_WORDS } from "../../model/words.js";
import { FindingList } from "../findings.js";
import { Losses } from "../losses.js";
import { Axis, type AxisKind, type Span, showing, zoomed } from "./axis.js";
import { Head } from "./head.js";
import { KEYS, movedBy } from "./keys.js";
import { CamePanel, PartPanel, StatePanel } from "./panels.js";
import { SPEEDS, type Speed, usePlayer } from "./player.js";
import { Steps } from "./steps.js";
import "./stream.css";
import { numberWords } from "../../model/numbers.js";
import { Timeline } from "./timeline.js";

const PANELS = ["steps", "came", "part", "state", "findings"] as const;
type PanelName = (typeof PANELS)[number];
const TITLES: Readonly<Record<PanelName, string>> = {
  steps: "Steps",
  came: "What came",
  part: "Part",
  state: "State",
  findings: "Findings",
};
/** How many findings are listed. */
const MOST_FINDINGS = 500;
/** How often the panels that show JSON follow a cursor that moves. */
const EVERY_MS = 100;

export interface StreamViewProps {
  readonly recording: Recording;
  readonly source: Source;
}

export function StreamView({ recording, source }: StreamViewProps) {
  const tracks = useMemo(() => new Tracks(recording), [recording]);
  tracks.update();
  const isLive = source.live !== undefined && recording.open;
  const [follows, setFollows] = useState(source.live !== undefined);
  const [chosen, setChosen] = useState(0);
  const last = Math.max(0, tracks.count - 1);
  const cursor = follows ? last : Math.min(chosen, last);
  const [kind, setKind] = useState<AxisKind>();
  const axisKind = kind ?? (tracks.isTimed ? "time" : "steps");
  const axis = useMemo(() => new Axis(tracks, axisKind), [tracks, axisKind]);
  const [piece, setPiece] = useState<Span>();
  const span = piece ?? axis.whole;
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<Speed>();
  const [panel, setPanel] = useState<PanelName>("steps");
  const help = useRef<HTMLDialogElement>(null);
  const settled = useSettled(cursor);

  const select = useCallback((step: number): void => {
    setFollows(false);
    setChosen(step);
  }, []);
  const go = useCallback(
    (step: number): void => {
      select(step);
      setPiece((now) => now && showing(now, axis.placeOf(step), axis.whole));
    },
    [select, axis],
  );
  const zoom = useCallback(
    (factor: number): void =>
      setPiece((now) => {
        const next = zoomed(now ?? axis.whole, factor, axis.placeOf(cursor), axis.whole);
        return next.to - next.from >= axis.whole.to - axis.whole.from ? undefined : next;
      }),
    [axis, cursor],
  );
  const play = useCallback((): void => {
    if (!isPlaying && cursor === last) select(0);
    setPlaying(!isPlaying);
  }, [isPlaying, cursor, last, select]);
  const rate = speed ?? (SPEEDS.find(({ times }) => (times !== undefined) === tracks.isTimed) as Speed);
  usePlayer(tracks, cursor, isPlaying, rate, go, () => setPlaying(false));

  useKeys((event) => {
    const to = movedBy(event.key, event.shiftKey, tracks, cursor);
    if (to !== undefined) go(to);
    else if (event.key === " ") play();
    else if (event.key === "+" || event.key === "=") zoom(0.5);
    else if (event.key === "-") zoom(2);
    else if (event.key === "0") setPiece(undefined);
    else if (event.key === "l" && isLive) setFollows(true);
    else if (event.key === "?") help.current?.showModal();
    else return MOVES.includes(event.key);
    return true;
  });

  const places = useMemo(() => new Map(tracks.findings.map(({ finding, step }) => [finding, step])), [tracks.findings]);
  const findings = useMemo(() => [...places.keys()].slice(0, MOST_FINDINGS), [places]);
  return (
    <main class="stream">
      <Head tracks={tracks} cursor={cursor} isLive={isLive} />
      <div class="tools" role="toolbar" aria-label="Timeline">
        <button type="button" aria-pressed={isPlaying} onClick={play}>
          {isPlaying ? "Stop" : "Play"}
        </button>
        <label>
          <span class="hidden">Speed</span>
          <select value={rate.label} onChange={({ currentTarget }) => setSpeed(SPEEDS[currentTarget.selectedIndex])}>
            {SPEEDS.map(({ label, times }) => (
              <option key={label} disabled={times !== undefined && !tracks.isTimed}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label>
          Step{" "}
          <input
            type="number"
            min={1}
            max={Math.max(1, tracks.count)}
            value={cursor + 1}
            onChange={({ currentTarget }) => go(Math.min(last, Math.max(0, currentTarget.valueAsNumber - 1 || 0)))}
          />{" "}
          of {numberWords(tracks.count)}
        </label>
        {tracks.isTimed && (
          <button
            type="button"
            aria-pressed={axisKind === "steps"}
            onClick={() => {
              setKind(axisKind === "time" ? "steps" : "time");
              setPiece(undefined);
            }}
          >
            By step
          </button>
        )}
        <span class="group">
          <button type="button" aria-label="Zoom out" disabled={piece === undefined} onClick={() => zoom(2)}>
            −
          </button>
          <button type="button" aria-label="Zoom in" onClick={() => zoom(0.5)}>
            +
          </button>
          <button type="button" disabled={piece === undefined} onClick={() => setPiece(undefined)}>
            All
          </button>
        </span>
        {isLive && (
          <button type="button" aria-pressed={follows} onClick={() => setFollows(true)}>
            Live
          </button>
        )}
        <button type="button" aria-label="Keys" onClick={() => help.current?.showModal()}>
          ?
        </button>
      </div>
      <Timeline tracks={tracks} axis={axis} span={span} cursor={cursor} onSpan={setPiece} onCursor={select} />
      <Legend />
      <nav class="panel-tabs" aria-label="Panels">
        {PANELS.map((name) => (
          <button key={name} type="button" aria-pressed={panel === name} onClick={() => setPanel(name)}>
            {TITLES[name]}
            {name === "findings" && findings.length > 0 && ` ${numberWords(places.size)}`}
          </button>
        ))}
      </nav>
      <div
        class="panels"
        data-panel={panel}
        data-findings={findings.length + recording.losses.length > 0 ? "some" : "none"}
      >
        <Panel name="steps">
          <Steps tracks={tracks} cursor={cursor} onCursor={go} />
        </Panel>
        <Panel name="findings" count={places.size}>
          <Scroll name="findings">
            {recording.losses.length > 0 && <Losses losses={recording.losses} />}
            <FindingList findings={findings} onSelect={(finding) => go(places.get(finding) ?? last)} />
            {places.size > findings.length && <p class="quiet">The first {numberWords(findings.length)} are listed.</p>}
          </Scroll>
        </Panel>
        <Panel name="came">
          <Scroll name="came">
            <CamePanel tracks={tracks} step={settled} />
          </Scroll>
        </Panel>
        <Panel name="part">
          <Scroll name="part">
            <PartPanel tracks={tracks} step={cursor} />
          </Scroll>
        </Panel>
        <Panel name="state">
          <Scroll name="state">
            <StatePanel tracks={tracks} step={settled} />
          </Scroll>
        </Panel>
      </div>
      <dialog ref={help} class="help" aria-label="Keys">
        <h2>Keys</h2>
        <dl>
          {KEYS.map(([keys, what]) => (
            <div key={keys}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <p>
          On the timeline: drag to move the cursor, drag with Shift to move what is seen, turn the wheel with Ctrl to
          zoom.
        </p>
        <button type="button" onClick={() => help.current?.close()}>
          Close
        </button>
      </dialog>
    </main>
  );
}

interface PanelProps {
  readonly name: PanelName;
  readonly count?: number;
  readonly children: ComponentChildren;
}

function Panel({ name, count, children }: PanelProps) {
  return (
    <section class={`panel panel-${name}`} aria-label={TITLES[name]}>
      <h2>
        {TITLES[name]}
        {count !== undefined && ` ${numberWords(count)}`}
      </h2>
      {children}
    </section>
  );
}

function Scroll({ name, children }: PanelProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
    // biome-ignore lint/a11y/useSemanticElements: it is not a group of inputs
    <div class="body" tabIndex={0} role="group" aria-label={TITLES[name]}>
      {children}
    </div>
  );
}

/** Keys that would scroll the page where they move nothing. */
const MOVES = ["[", "]", "n", "p"];

const PARTS = LANE_KINDS.filter((kind) => kind !== "stream" && kind !== "message");

function Legend() {
  return (
    <ul class="legend" aria-label="Colours of the timeline">
      {PARTS.map((kind) => (
        <li key={kind} class={`colour-${kind}`}>
          <span>{LANE_WORDS[kind]}</span>
        </li>
      ))}
      <li class="sign">◆ citation</li>
      <li class="sign">● usage, approval</li>
      <li class="sign">▲ warning</li>
      <li class="sign">✕ error, refused</li>
      <li class="sign">■ done</li>
      <li class="sign">□ cut off</li>
    </ul>
  );
}

/** Returns a number that follows `value` at most every tenth of a second, and is it in the end. */
function useSettled(value: number): number {
  const [settled, setSettled] = useState(value);
  const latest = useRef(value);
  latest.current = value;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    if (settled === value) return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setSettled(latest.current);
    }, EVERY_MS);
  }, [value, settled]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return settled;
}

/** Hears keys wherever the focus is, unless it is in something that needs them itself. */
function useKeys(take: (event: KeyboardEvent) => boolean): void {
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const hear = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector("dialog[open]") !== null) return;
      const target = event.target instanceof Element ? event.target : document.body;
      if (target.closest("input, select, textarea, [role=tree]") !== null) return;
      if (event.key === " " && target.closest("button, summary, label, a") !== null) return;
      if (SCROLLS.includes(event.key) && target.closest(".panels .body") !== null) return;
      if (latest.current(event)) event.preventDefault();
    };
    document.addEventListener("keydown", hear);
    return () => document.removeEventListener("keydown", hear);
  }, []);
}

/** Keys that scroll a panel which has the focus. */
const SCROLLS = ["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End"];
