/** The states that a tool call went through, by what documents show of it and the moves that the contract allows. */

import { TRANSITIONS } from "../../../src/contract/current/index.js";
import { STATES } from "../../../src/generated/tables/tool-states.js";
import { isObject, own } from "../../../src/json/values.js";
import { numberWords } from "./numbers.js";

const MOVES: Readonly<Record<string, readonly string[]>> = TRANSITIONS["session.ToolState"] ?? {};

/** All states, the one in which a call begins first. */
export const STATE_NAMES: readonly string[] = [...STATES.keys()];

/** Returns the states that may follow one. */
export function statesAfter(status: string): readonly string[] {
  return (own(MOVES, status) as readonly string[] | undefined) ?? [];
}

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
    const between = STATE_NAMES.includes(status)
      ? wayTo(last, status, isObject(state) && "approval" in state)
      : undefined;
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
  const [first = ""] = STATE_NAMES;
  if (from === undefined) {
    if (to === first) return [];
    const rest = wayTo(first, to, isAsked);
    return rest === undefined ? undefined : [first, ...rest];
  }
  const ways: string[][] = [];
  const follow = (at: string, way: readonly string[]): void => {
    for (const next of statesAfter(at)) {
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
    ? `${to} is ${numberWords((before - after) / 1000)} s before ${from}`
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
