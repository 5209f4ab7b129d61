/** One source: what it is read as, and the view of it; a live one grows. */

import { useMemo } from "preact/hooks";
import { keyOf, labelOf } from "../model/choices.js";
import { heldBy, type Opened, open } from "../model/opened.js";
import { isStream } from "../model/readers.js";
import type { As, Source } from "../model/sources.js";
import { Boundary } from "../views/shared/boundary.js";
import { ReadAs } from "../views/shared/read-as.js";
import { View } from "../views/view.js";
import { Live, useGrown, useLive } from "./live.js";

export interface OpeningProps {
  readonly source: Source;
  /** What the user reads it as; undefined while that is up to the source. */
  readonly chosen: As | undefined;
  readonly onChoose: (as: As) => void;
}

/** A choice of what a source is read as, and its view. */
export function Opening({ source, chosen, onChoose }: OpeningProps) {
  const [grown, live] = useGrown(source, chosen);
  const held = useMemo(() => heldBy(grown), [grown]);
  const as = chosen ?? held[0] ?? {};
  const others = held.slice(1).map(labelOf);
  return (
    <>
      <section class="row facts" aria-label="What it is read as">
        <ReadAs label="Read as" as={as} onChoose={onChoose} />
        {others.length > 0 && <span>It may also be {others.join(", or ")}.</span>}
        {source.readAs !== undefined && <span>Converted from {source.readAs} by the command line.</span>}
      </section>
      <Boundary key={keyOf(as)}>
        {live !== undefined && <Live state={live} />}
        <AsOpened source={isStream(as) ? source : grown} as={as} />
      </Boundary>
    </>
  );
}

/** A source, read as one of the things that it may hold. */
function AsOpened({ source, as }: { readonly source: Source; readonly as: As }) {
  const opened: Opened = useMemo(() => open(source, as), [source, as]);
  const live = useLive(source, opened);
  return (
    <>
      {live !== undefined && <Live state={live} />}
      <View opened={opened} source={source} />
    </>
  );
}
