/** The list of steps: of any length, as only what is seen is in the page. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Tracks } from "../../model/tracks.js";
import { kindWords, laneWords, stepWords, timeWords } from "../../model/words.js";

const ROW = 24;
/** How high an element may be in every browser; a longer list is scrolled in larger strides. */
const MOST_PIXELS = 8_000_000;

export interface StepsProps {
  readonly tracks: Tracks;
  readonly cursor: number;
  readonly onCursor: (step: number) => void;
}

export function Steps({ tracks, cursor, onCursor }: StepsProps) {
  const list = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 400 });
  const { count } = tracks;
  const high = Math.min(count * ROW, MOST_PIXELS);
  const stride = high > seen.height ? (count * ROW - seen.height) / (high - seen.height) : 1;
  const first = Math.max(0, Math.floor((seen.top * stride) / ROW));
  const last = Math.min(count, first + Math.ceil(seen.height / ROW) + 1);

  useEffect(() => {
    const element = list.current as HTMLDivElement;
    const sizes = new ResizeObserver(() => setSeen({ top: element.scrollTop, height: element.clientHeight }));
    sizes.observe(element);
    return () => sizes.disconnect();
  }, []);
  // Before the page is painted, so that the cursor is never out of sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a moved cursor scrolls the list
  useLayoutEffect(() => {
    const element = list.current as HTMLDivElement;
    const at = element.scrollTop * stride;
    const outside = cursor * ROW < at || (cursor + 1) * ROW > at + seen.height;
    if (!outside) return;
    element.scrollTop = (cursor * ROW - seen.height / 2) / stride;
    setSeen({ top: element.scrollTop, height: seen.height });
  }, [cursor, count, seen.height]);

  const shown: number[] = [];
  for (let step = first; step < last; step++) shown.push(step);
  return (
    <>
      <div class="step steps-head" aria-hidden="true">
        <span class="step-number">seq</span>
        <span class="step-kind">kind</span>
        <span class="step-words">text</span>
        <span class="step-lane">part</span>
        {tracks.isTimed && <span class="step-time">time</span>}
      </div>
      <div
        ref={list}
        class="steps"
        role="listbox"
        tabIndex={0}
        aria-label="Steps"
        aria-activedescendant={cursor >= first && cursor < last ? `step-${cursor}` : undefined}
        onScroll={({ currentTarget }) => setSeen({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })}
      >
        <div class="steps-all" style={{ height: `${high}px` }} role="presentation">
          <div style={{ transform: `translateY(${first * ROW - seen.top * (stride - 1)}px)` }} role="presentation">
            {shown.map((step) => (
              <StepRow key={step} tracks={tracks} step={step} isCurrent={step === cursor} onCursor={onCursor} />
            ))}
          </div>
        </div>
      </div>
    </>
  );
}

interface StepRowProps {
  readonly tracks: Tracks;
  readonly step: number;
  readonly isCurrent: boolean;
  readonly onCursor: (step: number) => void;
}

function StepRow({ tracks, step, isCurrent, onCursor }: StepRowProps) {
  const { steps, lanes, messages } = tracks.recording;
  const each = steps[step];
  if (each === undefined) return null;
  const lane = lanes[each.lane];
  const seq = each.item !== undefined && "seq" in each.item ? each.item.seq : undefined;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the view move the cursor
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and names the current option
    <div
      id={`step-${step}`}
      class={`step colour-${lane?.kind ?? "outside"} ${each.refused === undefined ? "" : "is-refused"}`}
      role="option"
      aria-selected={isCurrent}
      aria-setsize={tracks.count}
      aria-posinset={step + 1}
      onClick={() => onCursor(step)}
    >
      <span class="step-number">{seq ?? "·"}</span>
      <span class="step-kind">{kindWords(each)}</span>
      <span class="step-words">
        <bdi>{stepWords(each)}</bdi>
      </span>
      <span class="step-lane">
        <bdi>{laneWords(lane, messages.length)}</bdi>
      </span>
      {tracks.isTimed && <span class="step-time">{timeWords(tracks.times[step] ?? 0)}</span>}
    </div>
  );
}
