/** The list of steps: of any length, as only what is seen is in the page. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { timeWords } from "../../model/numbers.js";
import type { Tracks } from "../../model/tracks.js";
import { kindWords, laneWords, stepWords } from "../../model/words.js";

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
  const [height, setHeight] = useState(400);
  const [, setTop] = useState(0);
  // Where the list is scrolled to, without asking the page: that would have it laid out twice in a frame.
  const place = useRef({ top: 0, cursor: -1, height });
  const { count } = tracks;
  const high = Math.min(count * ROW, MOST_PIXELS);
  const stride = high > height ? (count * ROW - height) / (high - height) : 1;
  if (place.current.cursor !== cursor || place.current.height !== height) {
    const top = placeOf(cursor, place.current.top, height, stride);
    place.current = { top: Math.round(Math.min(Math.max(0, top), Math.max(0, high - height))), cursor, height };
  }
  const { top } = place.current;
  const first = Math.max(0, Math.floor((top * stride) / ROW));
  const last = Math.min(count, first + Math.ceil(height / ROW) + 1);

  useEffect(() => {
    const element = list.current as HTMLDivElement;
    const sizes = new ResizeObserver(() => setHeight(element.clientHeight));
    sizes.observe(element);
    return () => sizes.disconnect();
  }, []);
  useLayoutEffect(() => {
    (list.current as HTMLDivElement).scrollTop = top;
  }, [top]);

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
        onScroll={({ currentTarget: { scrollTop } }) => {
          if (Math.round(scrollTop) === top) return;
          place.current.top = scrollTop;
          setTop(scrollTop);
        }}
      >
        <div class="steps-all" style={{ height: `${high}px` }} role="presentation">
          <div style={{ transform: `translateY(${first * ROW - top * (stride - 1)}px)` }} role="presentation">
            {shown.map((step, index) => (
              <StepRow key={index} tracks={tracks} step={step} isCurrent={step === cursor} onCursor={onCursor} />
            ))}
          </div>
        </div>
      </div>
    </>
  );
}

/** Returns where the list is to be scrolled to, so that the cursor is seen: nowhere else, if it is. */
function placeOf(cursor: number, top: number, height: number, stride: number): number {
  const isSeen = cursor * ROW >= top * stride && (cursor + 1) * ROW <= top * stride + height;
  return isSeen ? top : (cursor * ROW - height / 2) / stride;
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
