/**
 * The tool state machine: pending, perhaps awaiting approval, running, then completed or error.
 *
 * The table of transitions is data of the schema; here are the functions that make states and move
 * them on. They are pure: they return new states, which share nothing with the old ones and with
 * the arguments. Nothing here reads a clock: every time is passed in, in milliseconds since the
 * epoch. A state that is reached again with the same content comes back as the same object; a
 * running state may get another title and more metadata; every other difference throws
 * InvalidStateTransition. A call that waits for approval runs once its `decision` is `approved`, and
 * is denied otherwise. The approval stays with the call from then on.
 */

import type {
  FilePart,
  ToolApproval,
  ToolState,
  ToolStateAwaitingApproval,
  ToolStateCompleted,
  ToolStateDenied,
  ToolStateError,
  ToolStatePending,
  ToolStateRunning,
  ToolStatus,
} from "../contract/current/session.js";
import { badArgument, clip, errorAt, throwAny } from "../errors.js";
import { EMPTY_OUTPUT_PLACEHOLDER, STATES, type StateRow } from "../generated/tables/tool-states.js";
import { sameJson } from "../json/equality.js";
import { isObject, type JsonObject, own, put } from "../json/values.js";
import { findingsOf } from "../reading/checks.js";
import { owned as ownedAs, present, STATE } from "./copies.js";
import { begunAlready, followers, notAllowed, PartValidationError, stateChanged, undecided } from "./errors.js";

/** What becomes of an output without text: it is refused, or a placeholder is put in its place. */
export type EmptyOutput = "reject" | "placeholder";

/**
 * What a move may be given. pending takes `input`, `raw`; awaiting_approval `approval`, `metadata`;
 * running `start`, `title`, `metadata`, `approval`; completed `output`, `end`, `title`, `tool`,
 * `metadata`, `attachments`, `emptyOutput`; error `error`, `end`, `metadata`; denied `approval`,
 * `error`, `metadata`. Times are milliseconds since the epoch.
 */
export interface StateFields {
  readonly input?: JsonObject;
  readonly raw?: string;
  readonly start?: number;
  readonly end?: number;
  readonly output?: string;
  readonly error?: string;
  readonly title?: string;
  /** The tool's name, which a title falls back to. */
  readonly tool?: string;
  /** Members are put over those of the state before. */
  readonly metadata?: JsonObject;
  readonly attachments?: readonly FilePart[];
  /** What becomes of an empty output; `reject` where absent. */
  readonly emptyOutput?: EmptyOutput;
  /** Members are put over those of the state before, in its `time` too; its `id` never changes. */
  readonly approval?: ToolApproval;
}

type Given = Readonly<Record<string, unknown>>;
type Json = Record<string, unknown>;

/**
 * Returns `state` moved on to the status `to`. The same status again gives the same object where
 * the fields given say what the state says. Throws InvalidStateTransition
 * (`session/invalid-transition`, `session/state-changed`), PartValidationError, and UsageError for
 * fields that are missing or not taken.
 */
export function transition<To extends ToolStatus>(
  state: ToolState,
  to: To,
  fields?: StateFields,
): Extract<ToolState, { status: To }>;
export function transition(state: ToolState, to: string, fields?: StateFields): ToolState;
export function transition(state: ToolState, to: string, fields: StateFields = {}): ToolState {
  const current = statusOf(state);
  if (typeof to !== "string") throw badArgument("A status is a string", "a status", to);
  if (to !== current && !followers(current).includes(to)) throw notAllowed(current, to);
  const status = to as ToolStatus;
  const given: Given = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
  const { takes, needs } = STATES.get(status) as StateRow;
  for (const name of Object.keys(given)) {
    if (!takes.includes(name)) throw badArgument(`${to} takes no such field`, takes.join(", "), name);
  }
  const checked = owned(state);
  if (status === current) return again(checked, given) ?? state;
  for (const name of needs) if (given[name] === undefined) throw badArgument(`${to} needs ${name}`, name, given);
  const base = checked as unknown as Json;
  const made = owned(MAKERS[status]?.(base, given));
  checkApproval(checked, made);
  return made;
}

/** Returns a call that waits: `raw` is the argument text as the model wrote it. */
export function createPending(input: JsonObject, raw: string): ToolStatePending {
  return owned({ status: "pending", input, raw }) as ToolStatePending;
}

/** Returns a call that waits until a person has decided; `approval` says what is asked. */
export function createAwaitingApproval(
  input: JsonObject,
  raw: string,
  approval: ToolApproval,
  given: Pick<StateFields, "metadata"> = {},
): ToolStateAwaitingApproval {
  const state = { status: "awaiting_approval", input, raw, approval, ...present({ metadata: given.metadata }) };
  return owned(state) as ToolStateAwaitingApproval;
}

/** Returns a call that was not approved; `error` is what the model got instead of a result. */
export function createDenied(
  input: JsonObject,
  approval: ToolApproval,
  given: Pick<StateFields, "error" | "metadata"> = {},
): ToolStateDenied {
  const { error, metadata } = given;
  return owned({ status: "denied", input, approval, ...present({ error, metadata }) }) as ToolStateDenied;
}

/** Returns a call that has been running since `start`. */
export function createRunning(
  input: JsonObject,
  given: Pick<StateFields, "title" | "metadata" | "approval"> & { readonly start: number },
): ToolStateRunning {
  const { start, ...optional } = given;
  return owned({ status: "running", input, time: { start }, ...present(optional) }) as ToolStateRunning;
}

/**
 * Returns a call that has run from `start` to `end`. An empty `output` is refused, unless
 * `emptyOutput` says otherwise; so is an empty `title`.
 */
export function createCompleted(
  input: JsonObject,
  given: {
    readonly output: string;
    readonly title: string;
    readonly metadata: JsonObject;
    readonly start: number;
    readonly end: number;
    readonly attachments?: readonly FilePart[];
    readonly emptyOutput?: EmptyOutput;
    readonly approval?: ToolApproval;
  },
): ToolStateCompleted {
  const { start, end, output, title, metadata, attachments, emptyOutput, approval } = given;
  const state = {
    status: "completed",
    input,
    output: filled(output, emptyOutput ?? "reject"),
    title: chosenTitle(title),
    metadata,
    time: { start, end },
    ...present({ attachments, approval }),
  };
  return owned(state) as ToolStateCompleted;
}

/** Returns a call that failed at `end`; `error` says why and is not empty. */
export function createError(
  input: JsonObject,
  given: Pick<StateFields, "metadata" | "approval"> & {
    readonly error: string;
    readonly start: number;
    readonly end: number;
  },
): ToolStateError {
  const { error, start, end, ...optional } = given;
  return owned({ status: "error", input, error, time: { start, end }, ...present(optional) }) as ToolStateError;
}

/**
 * Returns the call as it waits until a person has decided; `approval` says what is asked. A waiting
 * state may be given again, with the same approval. Throws InvalidStateTransition,
 * PartValidationError.
 */
export function pendingToAwaitingApproval(
  state: ToolStatePending | ToolStateAwaitingApproval,
  approval: ToolApproval,
  given: Pick<StateFields, "metadata"> = {},
): ToolStateAwaitingApproval {
  return transition(state, "awaiting_approval", { ...given, approval });
}

/**
 * Returns the call as it begins to run, since it is approved: its `decision` is `approved`. `approval`
 * is the answer: its `id`, and what is put over the members of the request. Throws
 * InvalidStateTransition (for another id or decision, too), PartValidationError.
 */
export function awaitingApprovalToRunning(
  state: ToolStateAwaitingApproval | ToolStateRunning,
  approval: ToolApproval,
  given: Pick<StateFields, "title" | "metadata"> & { readonly start: number },
): ToolStateRunning {
  return transition(state, "running", { ...given, approval });
}

/**
 * Returns the call as it was not approved: any `decision` but `approved`, or none. `approval` as for
 * {@link awaitingApprovalToRunning}; `error` is what the model got instead of a result. Throws
 * InvalidStateTransition, PartValidationError.
 */
export function awaitingApprovalToDenied(
  state: ToolStateAwaitingApproval | ToolStateDenied,
  approval: ToolApproval,
  given: Pick<StateFields, "error" | "metadata"> = {},
): ToolStateDenied {
  return transition(state, "denied", { ...given, approval });
}

/**
 * Returns the call as it begins to run at `start`. A running state may be given again, with the same
 * start. Throws InvalidStateTransition, PartValidationError.
 */
export function pendingToRunning(
  state: ToolStatePending | ToolStateRunning,
  given: Pick<StateFields, "title" | "metadata"> & { readonly start: number },
): ToolStateRunning {
  return transition(state, "running", given);
}

/**
 * Returns the call as it ended well at `endTime`; what else is `given` as for {@link transition}. A
 * completed state may be given again, with the same content. Throws InvalidStateTransition,
 * PartValidationError.
 */
export function runningToCompleted(
  state: ToolStateRunning | ToolStateCompleted,
  output: string,
  endTime: number,
  given: Pick<StateFields, "title" | "tool" | "metadata" | "attachments" | "emptyOutput"> = {},
): ToolStateCompleted {
  return transition(state, "completed", { ...given, output, end: endTime });
}

/**
 * Returns the call as it failed at `endTime`; metadata is passed on as when it completes. An error
 * state may be given again, with the same content. Throws InvalidStateTransition,
 * PartValidationError.
 */
export function runningToError(
  state: ToolStateRunning | ToolStateError,
  error: string,
  endTime: number,
  given: Pick<StateFields, "metadata"> = {},
): ToolStateError {
  return transition(state, "error", { ...given, error, end: endTime });
}

/**
 * Returns a running state that has run for `timeoutMs` or longer as an error at `now`; every other
 * state comes back as it is. A timeout of 0 ends whatever runs: at its start if the clock has gone
 * back behind it. Throws UsageError, PartValidationError.
 */
export function expire(state: ToolState, now: number, timeoutMs: number, error?: string): ToolState {
  for (const [name, value] of [
    ["now", now],
    ["timeoutMs", timeoutMs],
  ] as const) {
    if (!Number.isInteger(value) || value < 0) {
      throw badArgument(`${name} is a time in milliseconds`, "an integer from 0 on", value);
    }
  }
  if (statusOf(state) !== "running") return state;
  const { start } = (owned(state) as ToolStateRunning).time;
  if (timeoutMs > 0 && now - start < timeoutMs) return state;
  return transition(state, "error", { error: error || `Timed out after ${timeoutMs} ms`, end: Math.max(now, start) });
}

/**
 * Returns a call that fails before it ran: it walks through running, and ends at `now`. The error
 * state that this gave may be given again. Throws InvalidStateTransition (also for any call that
 * runs, and for one that waits for approval: it is denied), PartValidationError.
 */
export function failPending(state: ToolStatePending | ToolStateError, error: string, now: number): ToolStateError {
  const status = statusOf(state);
  if (status === "running") throw begunAlready();
  const from = status === "error" ? state : transition(state, "running", { start: now });
  return transition(from, "error", { error, end: now });
}

/**
 * Returns `after`, made elsewhere, if it may follow `before`; `before` if they are equal. Input,
 * start and approval stay what they were; only a call that waits gets its decision. Throws
 * InvalidStateTransition, PartValidationError.
 */
export function follow(before: ToolState, after: ToolState): ToolState {
  const current = statusOf(before);
  const to = statusOf(after);
  if (to !== current && !followers(current).includes(to)) throw notAllowed(current, to);
  const made = owned(after);
  const changed = changedMembers(before as unknown as Json, made as unknown as Json);
  if (to === current) {
    refuseFixed(current, changed);
    return changed.length > 0 ? made : before;
  }
  const runs = before.status === "running";
  if (runs && changed.includes("approval")) throw stateChanged(current, "approval");
  if (changed.includes("input")) throw stateChanged(current, "input");
  if (runs && startOf(made as unknown as Json) !== before.time.start) throw stateChanged(current, "time");
  checkApproval(before, made);
  return made;
}

// --- moves ----------------------------------------------------------------------------------------

const MAKERS: { readonly [Status in ToolStatus]?: (state: Json, given: Given) => Json } = {
  awaiting_approval: toAwaiting,
  running: toRunning,
  completed: toCompleted,
  error: toError,
  denied: toDenied,
};

/** Returns what is passed on, with what is given put over it. */
function kept(state: Json, given: Given): Json {
  return present({
    metadata: merged(state["metadata"], given["metadata"]),
    approval: decided(state["approval"], given["approval"]),
  });
}

function toAwaiting(state: Json, given: Given): Json {
  return { status: "awaiting_approval", input: state["input"], raw: state["raw"], ...kept(state, given) };
}

function toRunning(state: Json, given: Given): Json {
  const time = { start: given["start"] };
  return {
    status: "running",
    input: state["input"],
    time,
    ...present({ title: given["title"] }),
    ...kept(state, given),
  };
}

function toDenied(state: Json, given: Given): Json {
  return { status: "denied", input: state["input"], ...present({ error: given["error"] }), ...kept(state, given) };
}

function toCompleted(state: Json, given: Given): Json {
  const title = chosenTitle(given["title"], state["title"], given["tool"]);
  return {
    metadata: {},
    ...kept(state, given),
    status: "completed",
    input: state["input"],
    output: filled(given["output"], given["emptyOutput"] ?? "reject"),
    title,
    time: { start: startOf(state), end: given["end"] },
    ...present({ attachments: given["attachments"] }),
  };
}

function toError(state: Json, given: Given): Json {
  const { error, end } = given;
  return { status: "error", input: state["input"], error, time: { start: startOf(state), end }, ...kept(state, given) };
}

/** Refuses an answer to another question than the one that waits, and a run without a yes. */
function checkApproval(before: ToolState, made: ToolState): void {
  const approval = made.status === "pending" ? undefined : made.approval;
  if (before.status === "awaiting_approval" && approval?.id !== before.approval.id) {
    throw stateChanged(before.status, "approval");
  }
  const runs = made.status === "running";
  if (approval === undefined || !(runs || made.status === "denied")) return;
  if (runs !== (approval.decision === "approved")) throw undecided(before.status, made.status, approval.decision);
}

/** Returns the same status with what is given; undefined where nothing changes. */
function again(state: ToolState, given: Given): ToolState | undefined {
  if (Object.keys(given).length === 0) return undefined;
  const before = state as unknown as Json;
  const after = owned(rewritten(before, given));
  const changed = changedMembers(before, after as unknown as Json);
  refuseFixed(state.status, changed);
  return changed.length > 0 ? after : undefined;
}

/** Refuses changes that a status which stays does not allow. */
function refuseFixed(status: ToolStatus, changed: readonly string[]): void {
  for (const name of changed) {
    if (!STATES.get(status)?.mayChange.includes(name)) throw stateChanged(status, name);
  }
}

function rewritten(state: Json, given: Given): Json {
  const made: Json = { ...state };
  for (const name of ["raw", "error", "title", "input", "attachments"]) {
    if (given[name] !== undefined) made[name] = given[name];
  }
  if (given["output"] !== undefined || given["emptyOutput"] !== undefined) {
    made["output"] = filled(given["output"] ?? state["output"], given["emptyOutput"] ?? "reject");
  }
  Object.assign(made, kept(state, given));
  const { start, end } = given;
  if (start !== undefined || end !== undefined) {
    made["time"] = { ...(state["time"] as Json | undefined), ...present({ start, end }) };
  }
  return made;
}

/** Returns the members that are not the same, by name. */
function changedMembers(before: Json, after: Json): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !sameJson(own(before, name), own(after, name))).sort();
}

// --- what is chosen -------------------------------------------------------------------------------

function startOf(state: Json): unknown {
  return (state["time"] as Json | undefined)?.["start"];
}

function filled(output: unknown, policy: unknown): unknown {
  if (policy !== "reject" && policy !== "placeholder") {
    throw badArgument("No such way to take an empty output", "reject or placeholder", policy);
  }
  return output === "" && policy === "placeholder" ? EMPTY_OUTPUT_PLACEHOLDER : output;
}

/** Returns the title that is given, else the first of `others` that says something. */
function chosenTitle(given: unknown, ...others: unknown[]): unknown {
  const title = given ?? others.find((each) => each !== undefined && each !== null && each !== "");
  if (title !== undefined && title !== "") return title;
  const message = "A completed call has a title, and there is none to fall back to";
  throw new PartValidationError(errorAt("/title", "session/title-missing", message, "a title, or the tool's name"));
}

/** Returns metadata with members put over those of the same name. */
function merged(before: unknown, given: unknown): unknown {
  if (given === undefined || !isObject(given)) return given ?? before;
  const made: Json = {};
  for (const part of [isObject(before) ? before : {}, given]) {
    for (const [name, member] of Object.entries(part)) put(made, name, member);
  }
  return made;
}

/** Returns an approval with members put over those of the same name, in its time too. */
function decided(before: unknown, given: unknown): unknown {
  const made = merged(before, given);
  if (!isObject(before) || !isObject(given) || !isObject(made)) return made;
  const [asked, got] = [own(before, "time"), own(given, "time")];
  return isObject(asked) && isObject(got) ? { ...made, time: merged(asked, got) } : made;
}

// --- checks ---------------------------------------------------------------------------------------

/** Returns a copy of `state` that is valid and shares nothing; throws PartValidationError. */
const owned = (state: unknown): ToolState => ownedAs(STATE, state);

function statusOf(state: unknown): ToolStatus {
  const status = isObject(state) ? own(state, "status") : undefined;
  if (typeof status === "string" && STATES.has(status)) return status as ToolStatus;
  const found = findingsOf(STATE, state).filter((each) => each.severity === "error");
  throwAny(found, PartValidationError);
  throw new PartValidationError(errorAt("", "shape/type", "Not one of the tool states", "a state", clip(state)));
}
