/** A JSON value as the rows of a tree: what is open is listed, long arrays and objects in ranges. */

import type { Finding, Severity } from "partwire";
import { digitsOf } from "../../../src/json/digits.js";
import { escapePointer } from "../../../src/json/text.js";
import { type Place, placeWithin } from "./places.js";

/** How many members one row opens. */
export const RANGE = 100;

/** One row of the tree. */
export interface Row {
  /** What opens and closes by: the pointer, and for a range its place behind that. */
  readonly id: string;
  readonly pointer: string;
  /** The name or the index; undefined for the root. */
  readonly key?: string | number;
  readonly value: unknown;
  /** How an integer is written that a number of JavaScript cannot hold. */
  readonly digits?: string;
  readonly depth: number;
  /** How many members or items it has; undefined where it has no such. */
  readonly size?: number;
  /** Of a range of members: the first, and the one behind the last. */
  readonly range?: readonly [from: number, to: number];
  readonly open: boolean;
  readonly place?: Place;
  /** Which of its siblings it is, and how many there are. */
  readonly number: number;
  readonly count: number;
}

/** Returns how many members or items a value has; undefined where it can have none. */
export function sizeOf(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length;
  return typeof value === "object" && value !== null ? Object.keys(value).length : undefined;
}

/** Returns the id of a range's row. */
function rangeId(pointer: string, from: number, to: number): string {
  return `${pointer}\n${from}:${to}`;
}

/** Returns how many members each range of a stretch holds: a power of RANGE, so that there are at most RANGE. */
function stepOf(size: number): number {
  let step = 1;
  while (step * RANGE < size) step *= RANGE;
  return step;
}

/** Returns the rows that are open, the root first. `base` is the pointer of the root. */
export function rowsOf(value: unknown, isOpen: (id: string) => boolean, place?: Place, base = ""): Row[] {
  const rows: Row[] = [];
  const add = (row: Omit<Row, "open" | "size">): void => {
    const size = row.range === undefined ? sizeOf(row.value) : row.range[1] - row.range[0];
    const open = size !== undefined && size > 0 && isOpen(row.id);
    rows.push({ ...row, open, ...(size === undefined ? {} : { size }) });
    if (open) within(row, row.range ?? [0, size]);
  };
  const within = (parent: Omit<Row, "open">, [from, to]: readonly [number, number]): void => {
    const { pointer, value: container, depth } = parent;
    const step = stepOf(to - from);
    const count = Math.ceil((to - from) / step);
    const keys = Array.isArray(container) ? undefined : Object.keys(container as object).slice(from, to);
    for (let number = 0; number < count; number++) {
      const start = from + number * step;
      const end = Math.min(start + step, to);
      const place = parent.place === undefined ? {} : { place: parent.place };
      if (step > 1) {
        const range = [start, end] as const;
        const id = rangeId(pointer, start, end);
        add({ id, pointer, value: container, depth: depth + 1, range, number, count, ...place });
      } else {
        add(child(parent, keys?.[number] ?? start, number, count));
      }
    }
  };
  add({ id: base, pointer: base, value, depth: 0, number: 0, count: 1, ...(place && { place }) });
  return rows;
}

function child(parent: Omit<Row, "open">, key: string | number, number: number, count: number): Omit<Row, "open"> {
  const pointer = `${parent.pointer}/${typeof key === "number" ? key : escapePointer(key)}`;
  const value = (parent.value as Readonly<Record<string, unknown>>)[key];
  const place = parent.place && placeWithin(parent.place, parent.value, key);
  const depth = parent.depth + 1;
  const digits = typeof value === "number" ? digitsOf(parent.value as object, String(key)) : undefined;
  const said = { ...(place && { place }), ...(digits !== undefined && { digits }) };
  return { id: pointer, pointer, key, value, depth, number, count, ...said };
}

/** Returns the ids that are open at first: level by level, as long as there are few rows. */
export function firstOpen(value: unknown, base = "", most = 60): Set<string> {
  const open = new Set<string>();
  let rows = 1;
  let level: [pointer: string, value: unknown][] = [[base, value]];
  while (level.length > 0) {
    const next: typeof level = [];
    for (const [pointer, each] of level) {
      const size = sizeOf(each) ?? 0;
      if (size === 0) continue;
      if (rows + size > most && open.size > 0) return open;
      open.add(pointer);
      rows += Math.min(size, RANGE);
      if (size > RANGE) continue;
      for (const [key, inner] of Object.entries(each as object)) next.push([`${pointer}/${escapePointer(key)}`, inner]);
    }
    level = next;
  }
  return open;
}

/**
 * Returns the ids that lead to a place, the root first, its own last; of a place that is not there, those of what
 * is nearest around it.
 */
export function pathTo(value: unknown, pointer: string, base = ""): string[] {
  const path = [base];
  if (!pointer.startsWith(base)) return path;
  let at = base;
  let here = value;
  for (const token of pointer.slice(base.length).split("/").slice(1)) {
    const size = sizeOf(here);
    if (size === undefined) return path;
    const key = keyOf(here, token);
    if (key === undefined) return path;
    for (let [from, to] = [0, size]; to - from > RANGE; ) {
      const step = stepOf(to - from);
      from += Math.floor((indexOf(here, key) - from) / step) * step;
      to = Math.min(from + step, to);
      path.push(rangeId(at, from, to));
    }
    here = (here as Readonly<Record<string, unknown>>)[key];
    at = `${at}/${token}`;
    path.push(at);
  }
  return path;
}

/** Returns the name or index that a token of a pointer means; undefined where the container has no such. */
function keyOf(container: unknown, token: string): string | number | undefined {
  if (Array.isArray(container)) {
    return /^(0|[1-9]\d*)$/.test(token) && Number(token) < container.length ? Number(token) : undefined;
  }
  const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
  return Object.hasOwn(container as object, name) ? name : undefined;
}

const indexes = new WeakMap<object, ReadonlyMap<string, number>>();

/** Returns which member of a container it is, counted from 0. */
function indexOf(container: unknown, key: string | number): number {
  if (typeof key === "number") return key;
  let known = indexes.get(container as object);
  if (known === undefined) {
    known = new Map(Object.keys(container as object).map((name, index) => [name, index]));
    indexes.set(container as object, known);
  }
  return known.get(key) ?? 0;
}

/** Findings by the row that they are marked at: the row itself, and how many there are below. */
export interface Marks {
  readonly at: ReadonlyMap<string, readonly Finding[]>;
  readonly below: ReadonlyMap<string, { readonly count: number; readonly severity: Severity }>;
}

const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

/** Returns where findings are marked: at their place, or at what is nearest around it. */
export function marksOf(value: unknown, findings: readonly Finding[], base = ""): Marks {
  const at = new Map<string, Finding[]>();
  const below = new Map<string, { count: number; severity: Severity }>();
  for (const finding of findings) {
    const path = pathTo(value, finding.pointer, base);
    const own = path.pop() ?? base;
    const there = at.get(own);
    if (there === undefined) at.set(own, [finding]);
    else there.push(finding);
    for (const id of path) {
      const known = below.get(id);
      const isWorse = known === undefined || RANK[finding.severity] < RANK[known.severity];
      below.set(id, {
        count: (known?.count ?? 0) + 1,
        severity: isWorse ? finding.severity : known.severity,
      });
    }
  }
  return { at, below };
}
