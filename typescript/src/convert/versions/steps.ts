/**
 * The steps from version to version, and the way that leads from one to another. A further version adds
 * its step to `STEPS`, oldest first, and nothing else.
 */
import type { Binding } from "../../contract/binding.js";
import { bindingOf } from "../../contract/catalog.js";
import { clip, errorAt, UsageError } from "../../errors.js";
import { VERSIONS, type Version } from "../../generated/versions.js";
import { sameJson } from "../../json/equality.js";
import { check } from "../../reading/checks.js";
import { relax } from "../../reading/tolerance.js";
import { inOrder, type Loss } from "../losses.js";
import * as first from "./v0-1-to-v0-2.js";
import * as second from "./v0-2-to-v0-3.js";
import { type Hooks, type Json, Walk } from "./walk.js";

/** What leads from version `old` to `new`, and back; what is not there is taken over as it is. */
interface Step {
  readonly old: Version;
  readonly new: Version;
  /** By type. */
  readonly up: Readonly<Record<string, first.Lift>>;
  /** By family and definition. */
  readonly down: Readonly<Record<string, Hooks>>;
  /** Tells whether going down may change a document that the older version takes, too. */
  readonly changes: (family: string, value: unknown) => boolean;
}

const STEPS: readonly Step[] = [first, second].map(({ OLD, NEW, UP, DOWN, changes }) => {
  return { old: OLD, new: NEW, up: UP, down: DOWN, changes };
});

/** One step in one direction. */
interface Move {
  readonly source: Version;
  readonly target: Version;
  readonly step: Step;
}

/**
 * A document one version further: the losses have pointers into the one before, as have the values of
 * `moved`, by the pointers into `value`.
 */
interface Moved {
  readonly value: unknown;
  readonly losses: readonly Loss[];
  readonly moved: ReadonlyMap<string, string>;
}

const NOTHING: ReadonlyMap<string, string> = new Map();

/** Returns a valid document as the target has it; what it can it shares with `value`. */
export function moved({ source, target, step }: Move, type: string, value: unknown): Moved {
  const family = type.slice(0, type.indexOf("."));
  const isClosedAlready = isClosed(value, bindingOf(type, step.old));
  if (target === step.new) {
    const made = isClosedAlready
      ? { value, losses: [], moved: NOTHING }
      : walked(new Walk(type, source, target, {}), type, value);
    const take = step.up[type];
    return take === undefined ? made : { ...made, value: take(made.value as Json) };
  }
  if (isClosedAlready && !step.changes(family, value)) return { value, losses: [], moved: NOTHING };
  return walked(new Walk(type, source, target, step.down[family] ?? {}), type, value);
}

function walked(walk: Walk, type: string, value: unknown): Moved {
  const made = walk.walk(value, type.slice(type.indexOf(".") + 1));
  return { value: made, losses: inOrder(walk.log.losses), moved: walk.moved };
}

/** Returns where something was before the moves that moved by `ways`, oldest first. */
export function origin(pointer: string, ways: readonly ReadonlyMap<string, string>[]): string {
  return ways.reduceRight((place, moved) => {
    let end = moved.size > 0 ? place.length : 0;
    while (end > 0 && !moved.has(place.slice(0, end))) end = place.lastIndexOf("/", end - 1);
    return end > 0 ? moved.get(place.slice(0, end)) + place.slice(end) : place;
  }, pointer);
}

/** Tells whether a type takes `value` and names all that is in it. */
function isClosed(value: unknown, binding: Binding): boolean {
  return check(binding, value).length === 0 && sameJson(relax(binding.data, binding.name, value, []), value);
}

/** Returns the steps from one version to another, none where they are the same; throws UsageError. */
export function path(source: string, target: string): Move[] {
  const [start, end] = [position(source), position(target)];
  if (start <= end) {
    return STEPS.slice(start, end).map((step) => ({ source: step.old, target: step.new, step }));
  }
  const back = STEPS.slice(end, start).reverse();
  return back.map((step) => ({ source: step.new, target: step.old, step }));
}

/** Returns the place of `version` among the versions; throws UsageError `usage/unknown-version`. */
export function position(version: unknown): number {
  const at = VERSIONS.indexOf(version as Version);
  if (at >= 0) return at;
  const known = VERSIONS.join(", ");
  throw new UsageError(errorAt("", "usage/unknown-version", "No such contract version", known, clip(version)));
}
