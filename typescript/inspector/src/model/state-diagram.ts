/** The states of a tool call as a diagram: laid out from the contract's own table, with the way that one call took. */

import { own } from "../../../src/json/values.js";
import { STATE_NAMES, statesAfter, type Way } from "./call-way.js";

export interface DiagramNode {
  readonly status: string;
  readonly x: number;
  readonly y: number;
  /** What is written under the name, such as a time. */
  readonly note?: string;
  readonly mark: "" | "passed" | "inferred" | "current";
  /** Whether nothing follows it. */
  readonly isFinal: boolean;
}

export interface DiagramEdge {
  readonly from: string;
  readonly to: string;
  /** The path of the line, as SVG has it. */
  readonly d: string;
  readonly mark: "" | "taken" | "illegal";
  readonly problem?: string;
}

export interface Diagram {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly DiagramNode[];
  readonly edges: readonly DiagramEdge[];
}

export interface DiagramOptions {
  readonly way?: Way;
  /** Notes by status. */
  readonly notes?: Readonly<Record<string, string>>;
  /** Where the diagram leads to; `right` where absent. */
  readonly direction?: "right" | "down";
}

export const NODE_WIDTH = 150;
export const NODE_HEIGHT = 46;
const MARGIN = 12;
/** Room between layers, and between the nodes of one. */
const GAPS = { right: { layer: 48, row: 26 }, down: { layer: 34, row: 18 } } as const;

/** Returns the layer of each state: the longest way to it. */
function layersOf(): string[][] {
  const depth = new Map<string, number>(STATE_NAMES.map((name) => [name, 0]));
  // One round per state suffices, since no way leads back.
  for (const _ of STATE_NAMES) {
    for (const from of STATE_NAMES) {
      for (const to of statesAfter(from)) {
        depth.set(to, Math.max(depth.get(to) ?? 0, (depth.get(from) ?? 0) + 1));
      }
    }
  }
  const layers: string[][] = [];
  for (const name of STATE_NAMES) (layers[depth.get(name) ?? 0] ??= []).push(name);
  return layers;
}

/** Returns the diagram of all states and moves, with the way of a call where one is given. */
export function layOut({ way, notes = {}, direction = "right" }: DiagramOptions = {}): Diagram {
  const isRight = direction === "right";
  const gap = GAPS[direction];
  const [along, across] = isRight ? [NODE_WIDTH, NODE_HEIGHT] : [NODE_HEIGHT, NODE_WIDTH];
  const illegal = (way?.moves ?? []).filter(({ from, to }) => !statesAfter(from).includes(to));
  const strange = (way?.stops ?? []).map(({ status }) => status).filter((status) => !STATE_NAMES.includes(status));
  const layers = [...layersOf(), ...(strange.length > 0 ? [[...new Set(strange)]] : [])];
  const layerOf = new Map(layers.flatMap((names, layer) => names.map((name) => [name, layer] as const)));
  const skips = STATE_NAMES.flatMap((from) =>
    statesAfter(from).filter((to) => (layerOf.get(to) ?? 0) - (layerOf.get(from) ?? 0) > 1),
  );
  // A move that passes a layer has the first row there for itself.
  const passed = layers.map((_, layer) => (skips.some((to) => layer > 0 && layer < (layerOf.get(to) ?? 0)) ? 1 : 0));
  const rows = Math.max(...layers.map((names, layer) => names.length + (passed[layer] ?? 0)));
  const centre = new Map<string, { readonly a: number; readonly b: number }>();
  for (const [layer, names] of layers.entries()) {
    for (const [row, name] of names.entries()) {
      const a = MARGIN + layer * (along + gap.layer) + along / 2;
      const b = MARGIN + (row + (passed[layer] ?? 0)) * (across + gap.row) + across / 2;
      centre.set(name, { a, b });
    }
  }
  const length = 2 * MARGIN + layers.length * along + (layers.length - 1) * gap.layer;
  const arc = illegal.length > 0 ? gap.row + 10 : 0;
  const breadth = 2 * MARGIN + rows * across + (rows - 1) * gap.row + arc;
  const point = (a: number, b: number): string => (isRight ? `${round(a)} ${round(b)}` : `${round(b)} ${round(a)}`);
  const line = (from: string, to: string): string => {
    const [one, other] = [centre.get(from), centre.get(to)];
    if (one === undefined || other === undefined) return "";
    const [start, end] = [one.a + along / 2, other.a - along / 2];
    const bend = (layerOf.get(to) ?? 0) - (layerOf.get(from) ?? 0) > 1 ? along / 2 : gap.layer / 2;
    return `M${point(start, one.b)} C${point(start + bend, one.b)} ${point(end - bend, other.b)} ${point(end, other.b)}`;
  };
  // Around all others: along the far side.
  const around = (from: string, to: string): string => {
    const [one, other] = [centre.get(from), centre.get(to)];
    if (one === undefined || other === undefined) return "";
    const far = breadth - MARGIN / 2;
    const [start, end] = [one.b + across / 2, other.b + across / 2];
    return `M${point(one.a + 10, start)} C${point(one.a + 10, far + 8)} ${point(other.a - 10, far + 8)} ${point(other.a - 10, end)}`;
  };
  const taken = new Map((way?.moves ?? []).map((each) => [`${each.from}\n${each.to}`, each]));
  const edges = STATE_NAMES.flatMap((from) =>
    statesAfter(from).map((to): DiagramEdge => {
      const move = taken.get(`${from}\n${to}`);
      const problem = move?.problem;
      const mark = move === undefined ? "" : problem === undefined ? "taken" : "illegal";
      return { from, to, d: line(from, to), mark, ...(problem === undefined ? {} : { problem }) };
    }),
  );
  const jumps = illegal.map(
    ({ from, to, problem = "" }): DiagramEdge => ({ from, to, d: around(from, to), mark: "illegal", problem }),
  );
  const stops = new Map((way?.stops ?? []).map((each) => [each.status, each]));
  const last = way?.stops.at(-1)?.status;
  const nodes = layers.flat().map((status): DiagramNode => {
    const { a, b } = centre.get(status) ?? { a: 0, b: 0 };
    const passing = stops.get(status);
    const note = own(notes, status) as string | undefined;
    const mark = status === last ? "current" : passing?.inferred === true ? "inferred" : passing ? "passed" : "";
    return {
      status,
      x: round((isRight ? a : b) - NODE_WIDTH / 2),
      y: round((isRight ? b : a) - NODE_HEIGHT / 2),
      mark,
      isFinal: statesAfter(status).length === 0,
      ...(note === undefined ? {} : { note }),
    };
  });
  const [width, height] = isRight ? [length, breadth] : [breadth, length];
  return { width: round(width), height: round(height), nodes, edges: [...edges, ...jumps] };
}

function round(figure: number): number {
  return Math.round(figure * 10) / 10;
}
