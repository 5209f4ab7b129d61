/** The states of one call, with the way that it took. */

import { h, type VNode } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { layOut, type SvgElement, svgOf, type Way } from "../../model/state-diagram.js";

const NARROW = "(max-width: 700px)";

function useIsNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const changed = (): void => setNarrow(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);
  return isNarrow;
}

export interface StateDiagramProps {
  readonly way: Way;
  /** What is written at a state, by its name. */
  readonly notes: Readonly<Record<string, string>>;
}

export function StateDiagram({ way, notes }: StateDiagramProps) {
  const id = useId();
  const direction = useIsNarrow() ? "down" : "right";
  return <div class="scroll">{drawn(svgOf(layOut({ way, notes, direction }), id))}</div>;
}

function drawn({ tag, attributes, children }: SvgElement): VNode {
  return h(tag, attributes, ...children.map((child) => (typeof child === "string" ? child : drawn(child))));
}
