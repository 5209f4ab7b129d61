/** The states of one call, with the way that it took. */

import { useEffect, useId, useState } from "preact/hooks";
import type { Way } from "../../model/call-way.js";
import { type DiagramNode, layOut, NODE_HEIGHT, NODE_WIDTH } from "../../model/state-diagram.js";

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
  const { width, height, nodes, edges } = layOut({ way, notes, direction });
  const passed = nodes.filter(({ mark }) => mark !== "");
  const label = passed.map(({ status, note }) => (note === undefined ? status : `${status} ${note}`)).join(", ");
  return (
    <div class="scroll">
      <svg
        class="states"
        viewBox={`0 0 ${width} ${height}`}
        width={width}
        height={height}
        role="img"
        aria-label={label === "" ? "States of a tool call" : `The call went through ${label}`}
      >
        <defs>
          {["plain", "taken", "illegal"].map((mark) => (
            <Arrow key={mark} id={`${id}-${mark}`} mark={mark} />
          ))}
        </defs>
        {edges.map(({ from, to, d, mark, problem }) => (
          <path
            key={`${from} ${to}`}
            class={`move ${mark}`}
            d={d}
            marker-end={`url(#${id}-${mark === "" ? "plain" : mark})`}
          >
            <title>{problem ?? `${from} → ${to}`}</title>
          </path>
        ))}
        {nodes.map((node) => (
          <State key={node.status} node={node} />
        ))}
      </svg>
    </div>
  );
}

function Arrow({ id, mark }: { readonly id: string; readonly mark: string }) {
  return (
    <marker
      id={id}
      class={`arrow ${mark}`}
      viewBox="0 0 8 8"
      refX={7}
      refY={4}
      markerWidth={7}
      markerHeight={7}
      orient="auto"
    >
      <path d="M0 0 L8 4 L0 8 Z" />
    </marker>
  );
}

function State({ node: { status, x, y, note, mark, isFinal } }: { readonly node: DiagramNode }) {
  const middle = x + NODE_WIDTH / 2;
  return (
    <g class={`state ${mark}`}>
      <rect x={x} y={y} width={NODE_WIDTH} height={NODE_HEIGHT} rx={isFinal ? NODE_HEIGHT / 2 : 6} />
      <text x={middle} y={y + (note === undefined ? 28 : 20)} text-anchor="middle">
        {status}
      </text>
      {note !== undefined && (
        <text class="note" x={middle} y={y + 36} text-anchor="middle">
          {note}
        </text>
      )}
    </g>
  );
}
