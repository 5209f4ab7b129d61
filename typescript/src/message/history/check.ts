/**
 * Checks that no single message shows: tool calls and their results over a whole history.
 *
 * Ids are scoped to the run; the messages of several runs may be in any mixture. A call is open
 * until a result answers it; a turn is what a run's assistant says without being interrupted, and
 * the results that follow.
 */
import { LATEST_VERSION } from "../../contract/current/index.js";
import { Unknown } from "../../contract/unknown.js";
import { badArgument, clip, errorAt, type Finding } from "../../errors.js";
import { HISTORY } from "../../generated/severities.js";
import { DEFAULT_REMEMBERED } from "../../generated/tables/limits.js";
import type { Version } from "../../generated/versions.js";
import { severalOf } from "../../reading/index.js";
import { allowedKinds, readMessage } from "./messages.js";
import { byPosition, type Place, pointerTo, RecentKeys, RunState, stands } from "./runs.js";

export interface HistoryOptions {
  /** The history goes on: calls of a run's last turn may wait for their results. */
  readonly ongoing?: boolean;
  /** How many answered calls are remembered at least; all of them if null. */
  readonly remember?: number | null;
  /** The contract version whose table of roles holds: that of the oldest reader. */
  readonly version?: Version;
}

/** A tool call or result, and where it is. */
interface Placed {
  readonly id: string;
  readonly place: Place;
}

/**
 * Returns what is wrong with a history, in document order; none means nothing. `messages` are JSON
 * values or JSON text, in the order of the history; they are read tolerantly and once.
 * Pointers lead into the history as an array. Throws UsageError `usage/invalid-argument`, for a
 * single message in place of several too, and `usage/unknown-version`; never for a message.
 */
export function checkHistory(messages: Iterable<unknown>, options: HistoryOptions = {}): Finding[] {
  const checker = new HistoryChecker(options);
  const found: Finding[] = [];
  for (const message of severalOf(messages, "history")) {
    // One by one: a message may have more findings than a call takes arguments.
    for (const each of checker.add(message)) found.push(each);
  }
  return byPosition([...found, ...checker.close()]);
}

/**
 * Checks a history message by message, in memory that does not grow with the history. What is kept:
 * the open calls, the results whose call has not come, and the ids of the last `remember` to
 * `2 * remember` answered calls. A second result is always an error; once its call is forgotten, it
 * is an orphan.
 */
export class HistoryChecker {
  readonly #ongoing: boolean;
  readonly #kinds: ReadonlyMap<string, readonly string[]>;
  readonly #answered: RecentKeys;
  readonly #runs = new Map<string, RunState>();
  #index = 0;

  constructor(options: HistoryOptions = {}) {
    const { remember = DEFAULT_REMEMBERED, ongoing = false, version = LATEST_VERSION } = options;
    if (remember !== null && !(Number.isSafeInteger(remember) && remember >= 1)) {
      throw badArgument("remember is a number of answered calls", "an integer of at least 1, or null", remember);
    }
    this.#ongoing = ongoing;
    this.#kinds = allowedKinds(version);
    this.#answered = new RecentKeys(remember);
  }

  /**
   * Takes the next message, and returns what it shows to be wrong, so far. A message that is none
   * is reported, counted, and takes no part. `line` is its line in a file, for the findings.
   */
  add(message: unknown, line?: number): Finding[] {
    const index = this.#index++;
    const opened = readMessage(message);
    const at = line === undefined ? {} : { line };
    const found = opened.findings.map((each) => ({ ...each, pointer: `/${index}${each.pointer}`, ...at }));
    if (opened.message === undefined) return found;
    const { runId, role, parts } = opened.message;
    const kinds = this.#kinds.get(role) ?? [];
    if (parts.length === 0) this.#runs.get(runId)?.hear(role);
    for (const [number, part] of parts.entries()) {
      const place: Place = { message: index, part: number, ...at };
      const kind = part instanceof Unknown ? undefined : part.kind; // an Unknown is not judged
      if (kind !== undefined && !kinds.includes(kind)) found.push(misplaced(place, role, kind, kinds));
      if (!(part instanceof Unknown) && part.kind === "tool_call") {
        this.#call(runId, { id: part.payload.toolCallId, place }, found);
      } else if (!(part instanceof Unknown) && part.kind === "tool_result") {
        this.#result(runId, { id: part.payload.toolCallId, place }, found);
      } else {
        this.#runs.get(runId)?.hear(role);
      }
    }
    if (this.#runs.get(runId)?.isSettled === true) this.#runs.delete(runId);
    return found;
  }

  /**
   * Returns what only the end shows: unanswered calls and results without call, in document order.
   * The checker is as new afterwards.
   */
  close(): Finding[] {
    const found: [Place, Finding][] = [];
    for (const run of this.#runs.values()) {
      for (const [id, place] of run.earlyResults()) found.push([place, orphan({ id, place })]);
      for (const [id, place] of run.unanswered(this.#ongoing)) found.push([place, unanswered({ id, place })]);
    }
    this.#runs.clear();
    this.#answered.clear();
    this.#index = 0;
    found.sort(([one], [other]) => stands(one, other));
    return found.map(([, each]) => each);
  }

  #run(runId: string): RunState {
    let run = this.#runs.get(runId);
    if (run === undefined) this.#runs.set(runId, (run = new RunState()));
    return run;
  }

  #call(runId: string, call: Placed, found: Finding[]): void {
    const run = this.#run(runId);
    run.hear("assistant"); // whatever the role of the message
    const first = run.placeOf(call.id);
    if (first !== undefined) {
      found.push(duplicateCall(call, `The call at ${pointerTo(first)} is still open`));
      return;
    }
    // Its results must be distinguished from those of the first one: it is open again.
    if (this.#answered.has(keyOf(runId, call.id))) {
      found.push(duplicateCall(call, "An earlier call of the run is answered"));
    }
    for (const place of run.openCall(call.id, call.place)) found.push(beforeCall(call, place));
  }

  #result(runId: string, result: Placed, found: Finding[]): void {
    const run = this.#run(runId);
    const how = run.answer(result.id);
    const key = keyOf(runId, result.id);
    if (how === "late") found.push(late(result));
    if (how === "out of order") found.push(outOfOrder(result));
    if (how !== undefined) this.#answered.add(key);
    else if (this.#answered.has(key)) found.push(duplicateResult(result));
    else run.hold(result.id, result.place);
  }
}

function keyOf(runId: string, id: string): string {
  return `${runId.length}:${runId}${id}`;
}

// --- findings -------------------------------------------------------------------------------------

function misplaced(place: Place, role: string, kind: string, kinds: readonly string[]): Finding {
  const pointer = `/${place.message}/parts/${place.part}/kind`;
  const message = `Not allowed in a message of role ${role}`;
  const expected = [...kinds].sort().join(", ");
  return withLine(errorAt(pointer, "history/role-part-kind", message, expected, clip(kind)), place);
}

function duplicateCall(call: Placed, message: string): Finding {
  return finding("history/duplicate-tool-call", message, call, "an id that no other call of the run has");
}

function duplicateResult(result: Placed): Finding {
  return finding("history/duplicate-tool-result", "The call has a result already", result, "one result");
}

function beforeCall(call: Placed, place: Place): Finding {
  const message = `The call comes later, at ${pointerTo(call.place)}`;
  return finding("history/result-before-call", message, { id: call.id, place }, "a result after its call");
}

function orphan(result: Placed): Finding {
  const message = "No call of the run has this id";
  return finding("history/orphan-tool-result", message, result, "the id of an earlier call");
}

function unanswered(call: Placed): Finding {
  return finding("history/unanswered-tool-call", "The call has no result", call, "a tool_result of this id");
}

function late(result: Placed): Finding {
  const message = "The run went on before the call had its result";
  const expected = "the result directly behind the turn of its call";
  const severity = HISTORY["history/late-tool-result"];
  return { ...finding("history/late-tool-result", message, result, expected), severity };
}

function outOfOrder(result: Placed): Finding {
  const message = "The result stands behind one of a later call of its turn";
  const expected = "results in the order of their calls";
  const severity = HISTORY["history/result-order"];
  return { ...finding("history/result-order", message, result, expected), severity };
}

function finding(rule: string, message: string, placed: Placed, expected: string): Finding {
  return withLine(errorAt(pointerTo(placed.place), rule, message, expected, clip(placed.id)), placed.place);
}

function withLine(each: Finding, place: Place): Finding {
  return place.line === undefined ? each : { ...each, line: place.line };
}
