/**
 * The states of a tool call as a diagram: laid out from the contract's own tables, with the way that one call took.
 * Pure data, and text of SVG: nothing here needs a page.
 */

import { TRANSITIONS } from "../../../src/contract/current/index.js";
import { STATES } from "../../../src/generated/tables/tool-states.js";
import { isObject, own } from "../../../src/json/values.js";

const MOVES: Readonly<Record<string, readonly string[]>> = TRANSITIONS["session.ToolState"] ?? {};
const NAMES = [...STATES.keys()];

// --- the way of a call ----------------------------------------------------------------------------

/** A state that a call was in. */
export interface Stop {
  readonly status: string;
  /** Milliseconds since the epoch, where the state says when it began. */
  readonly at?: number;
  /** Whether no document shows it: it follows from a later one. */
  readonly inferred?: boolean;
}

/** A move between two states of the way; `problem` says why it may not be. */
export interface Move {
  readonly from: string;
  readonly to: string;
  readonly problem?: string;
}

export interface Way {
  readonly stops: readonly Stop[];
  readonly moves: readonly Move[];
}

/**
 * Returns the way that a call took, from its states in the order in which they were seen. States that have to be
 * between two of them, or before the first, are put in as inferred; a move that no way leads along is illegal.
 */
export function wayOf(states: readonly unknown[]): Way {
  const stops: Stop[] = [];
  const moves: Move[] = [];
  for (const state of states) {
    const status = textOf(state, "status") ?? "";
    const last = stops.at(-1)?.status;
    if (status === last) {
      stops[stops.length - 1] = stop(status, state);
      continue;
    }
    const between = NAMES.includes(status) ? wayTo(last, status, isObject(state) && "approval" in state) : undefined;
    for (const name of between ?? []) stops.push({ ...stop(name, state), inferred: true });
    stops.push(stop(status, state));
    if (between === undefined && last !== undefined) {
      moves.push({ from: last, to: status, problem: `A call that is ${last} cannot become ${status}` });
      continue;
    }
    const names = [...(last === undefined ? [] : [last]), ...(between ?? []), status];
    for (const [index, to] of names.entries()) {
      const from = names[index - 1];
      if (from !== undefined) moves.push(move(from, to, state));
    }
  }
  return { stops, moves };
}

/** Returns the states between two, without these; from the first of all where `from` is undefined. */
function wayTo(from: string | undefined, to: string, isAsked: boolean): string[] | undefined {
  const [first = ""] = NAMES;
  if (from === undefined) {
    if (to === first) return [];
    const rest = wayTo(first, to, isAsked);
    return rest === undefined ? undefined : [first, ...rest];
  }
  const ways: string[][] = [];
  const follow = (at: string, way: readonly string[]): void => {
    for (const next of (own(MOVES, at) as readonly string[] | undefined) ?? []) {
      if (next === to) ways.push([...way]);
      else if (!way.includes(next)) follow(next, [...way, next]);
    }
  };
  follow(from, []);
  const asked = ways.filter((way) => way.includes("awaiting_approval") === (isAsked && from === first));
  return (asked.length > 0 ? asked : ways).sort((one, other) => one.length - other.length)[0];
}

/** Returns a state with its time, as far as `state`, it or a later one, says it. */
function stop(status: string, state: unknown): Stop {
  const approval = isObject(state) ? own(state, "approval") : undefined;
  const times: Readonly<Record<string, number | undefined>> = {
    awaiting_approval: timeOf(approval, "requested"),
    running: timeOf(state, "start"),
    completed: timeOf(state, "end"),
    error: timeOf(state, "end"),
    denied: timeOf(approval, "decided"),
  };
  const at = own(times, status) as number | undefined;
  return { status, ...(at === undefined ? {} : { at }) };
}

function move(from: string, to: string, state: unknown): Move {
  const problem = from === "awaiting_approval" ? undecided(to, state) : backwards(from, to, state);
  return { from, to, ...(problem === undefined ? {} : { problem }) };
}

function undecided(to: string, state: unknown): string | undefined {
  const approval = isObject(state) ? own(state, "approval") : undefined;
  const decision = textOf(approval, "decision");
  const said = decision === undefined ? "nothing was decided" : `the decision is ${decision}`;
  if (to === "running" && decision !== "approved") return `The call runs, but ${said}`;
  if (to === "denied" && decision === "approved") return `The call is denied, but ${said}`;
  return undefined;
}

function backwards(from: string, to: string, state: unknown): string | undefined {
  const [before, after] = [stop(from, state).at, stop(to, state).at];
  return before !== undefined && after !== undefined && after < before
    ? `${to} is ${((before - after) / 1000).toLocaleString("en")} s before ${from}`
    : undefined;
}

function textOf(value: unknown, name: string): string | undefined {
  const found = isObject(value) ? own(value, name) : undefined;
  return typeof found === "string" ? found : undefined;
}

function timeOf(value: unknown, name: string): number | undefined {
  const time = isObject(value) ? own(value, "time") : undefined;
  const found = isObject(time) ? own(time, name) : undefined;
  return typeof found === "number" ? found : undefined;
}

// --- layout ---------------------------------------------------------------------------------------

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

const NODE_WIDTH = 150;
const NODE_HEIGHT = 46;
const MARGIN = 12;
/** Room between layers, and between the nodes of one. */
const GAPS = { right: { layer: 48, row: 26 }, down: { layer: 34, row: 18 } } as const;

/** Returns the layer of each state: the longest way to it. */
function layersOf(): string[][] {
  const depth = new Map<string, number>(NAMES.map((name) => [name, 0]));
  // One round per state suffices, since no way leads back.
  for (const _ of NAMES) {
    for (const from of NAMES) {
      for (const to of (own(MOVES, from) as readonly string[] | undefined) ?? []) {
        depth.set(to, Math.max(depth.get(to) ?? 0, (depth.get(from) ?? 0) + 1));
      }
    }
  }
  const layers: string[][] = [];
  for (const name of NAMES) (layers[depth.get(name) ?? 0] ??= []).push(name);
  return layers;
}

/** Returns the diagram of all states and moves, with the way of a call where one is given. */
export function layOut({ way, notes = {}, direction = "right" }: DiagramOptions = {}): Diagram {
  const isRight = direction === "right";
  const gap = GAPS[direction];
  const [along, across] = isRight ? [NODE_WIDTH, NODE_HEIGHT] : [NODE_HEIGHT, NODE_WIDTH];
  const illegal = (way?.moves ?? []).filter(
    ({ from, to }) => !(own(MOVES, from) as readonly string[] | undefined)?.includes(to),
  );
  const strange = (way?.stops ?? []).map(({ status }) => status).filter((status) => !NAMES.includes(status));
  const layers = [...layersOf(), ...(strange.length > 0 ? [[...new Set(strange)]] : [])];
  const layerOf = new Map(layers.flatMap((names, layer) => names.map((name) => [name, layer] as const)));
  const skips = NAMES.flatMap((from) =>
    ((own(MOVES, from) as readonly string[] | undefined) ?? []).filter(
      (to) => (layerOf.get(to) ?? 0) - (layerOf.get(from) ?? 0) > 1,
    ),
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
  const edges = NAMES.flatMap((from) =>
    ((own(MOVES, from) as readonly string[] | undefined) ?? []).map((to): DiagramEdge => {
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
      isFinal: ((own(MOVES, status) as readonly string[] | undefined) ?? []).length === 0,
      ...(note === undefined ? {} : { note }),
    };
  });
  const [width, height] = isRight ? [length, breadth] : [breadth, length];
  return { width: round(width), height: round(height), nodes, edges: [...edges, ...jumps] };
}

function round(figure: number): number {
  return Math.round(figure * 10) / 10;
}

// --- SVG ------------------------------------------------------------------------------------------

/** An element of SVG, for whatever draws it. */
export interface SvgElement {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly (SvgElement | string)[];
}

function element(
  tag: string,
  attributes: SvgElement["attributes"],
  ...children: readonly (SvgElement | string)[]
): SvgElement {
  return { tag, attributes, children };
}

/** Returns a diagram as elements of SVG; what they look like is up to their classes. `id` is unique in the page. */
export function svgOf(diagram: Diagram, id = "states"): SvgElement {
  const { width, height, nodes, edges } = diagram;
  const marker = (mark: string): SvgElement =>
    element(
      "marker",
      {
        id: `${id}-${mark}`,
        class: `arrow ${mark}`,
        viewBox: "0 0 8 8",
        refX: 7,
        refY: 4,
        markerWidth: 7,
        markerHeight: 7,
        orient: "auto",
      },
      element("path", { d: "M0 0 L8 4 L0 8 Z" }),
    );
  const lines = edges.map(({ from, to, d, mark, problem }) =>
    element(
      "path",
      { class: `move ${mark}`.trim(), d, "marker-end": `url(#${id}-${mark || "plain"})` },
      element("title", {}, problem ?? `${from} → ${to}`),
    ),
  );
  const boxes = nodes.map(({ status, x, y, note, mark, isFinal }) => {
    const middle = x + NODE_WIDTH / 2;
    return element(
      "g",
      { class: `state ${mark}`.trim() },
      element("rect", { x, y, width: NODE_WIDTH, height: NODE_HEIGHT, rx: isFinal ? NODE_HEIGHT / 2 : 6 }),
      element("text", { x: middle, y: y + (note === undefined ? 28 : 20), "text-anchor": "middle" }, status),
      ...(note === undefined
        ? []
        : [element("text", { class: "note", x: middle, y: y + 36, "text-anchor": "middle" }, note)]),
    );
  });
  const said = nodes.filter(({ mark }) => mark !== "").map(({ status, note }) => (note ? `${status} ${note}` : status));
  const label = said.length > 0 ? `The call went through ${said.join(", ")}` : "States of a tool call";
  return element(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      class: "states",
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "img",
      "aria-label": label,
    },
    element("defs", {}, ...["plain", "taken", "illegal"].map(marker)),
    ...lines,
    ...boxes,
  );
}

/** Looks alike in light and in dark; for a page that brings no style for the classes. */
const STYLE = `
svg.states { --line: #6b7280; --text: #1c1d22; --box: #f5f6f8; --accent: #2457d6; --error: #b3261e; max-width: 100%; height: auto }
@media (prefers-color-scheme: dark) {
  svg.states { --line: #8d93a1; --text: #e7e8ec; --box: #1f2127; --accent: #8fb0ff; --error: #ff9d94 }
}
svg.states text { font: 600 13px system-ui, sans-serif; fill: var(--text) }
svg.states text.note { font-weight: 400; font-size: 11px }
svg.states rect { fill: var(--box); stroke: var(--line) }
svg.states .passed rect, svg.states .inferred rect, svg.states .current rect { stroke: var(--accent); stroke-width: 2 }
svg.states .current rect { stroke-width: 3 }
svg.states .inferred rect { stroke-dasharray: 5 3 }
svg.states .move { fill: none; stroke: var(--line); stroke-width: 1.2 }
svg.states .move.taken { stroke: var(--accent); stroke-width: 2.4 }
svg.states .move.illegal { stroke: var(--error); stroke-width: 2.4; stroke-dasharray: 6 3 }
svg.states .arrow { fill: var(--line) }
svg.states .arrow.taken { fill: var(--accent) }
svg.states .arrow.illegal { fill: var(--error) }
`;

/** Returns the diagram of tool states as the text of an SVG that needs no style of a page. */
export function stateDiagramSvg(options: DiagramOptions = {}, id = "states"): string {
  const svg = svgOf(layOut(options), id);
  return spelled({ ...svg, children: [element("style", {}, STYLE), ...svg.children] });
}

function spelled({ tag, attributes, children }: SvgElement): string {
  const said = Object.entries(attributes).map(([name, value]) => ` ${name}="${escaped(String(value))}"`);
  const inner = children.map((child) => (typeof child === "string" ? escaped(child) : spelled(child)));
  return `<${tag}${said.join("")}>${inner.join("")}</${tag}>`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
