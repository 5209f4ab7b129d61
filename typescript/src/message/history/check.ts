/**
 * Checks that no single message shows: tool calls and their results over a whole history.
 *
 * Ids are scoped to the run; the messages of several runs may be in any mixture. A call is open
 * until a result answers it; a turn is what a run's assistant says without being interrupted, and
 * the results that follow.
 */
import { LATEST_VERSION } from "../../contract/current/index.js";
import type {
  ApprovalRequest,
  ApprovalResponse,
  ServerToolCallPart,
  TolerantMessagePart,
  ToolCallPart,
} from "../../contract/current/message.js";
import { Unknown } from "../../contract/unknown.js";
import { badArgument, clip, errorAt, type Finding, type Severity } from "../../errors.js";
import { HISTORY } from "../../generated/severities.js";
import { DEFAULT_REMEMBERED } from "../../generated/tables/limits.js";
import type { Version } from "../../generated/versions.js";
import { own } from "../../json/values.js";
import { severalOf } from "../../reading/index.js";
import { allowedKinds, misplacedKinds, readMessage } from "./messages.js";
import {
  byPosition,
  type CallKey,
  keyOf,
  type Place,
  pointerTo,
  RecentKeys,
  RunState,
  slotOf,
  stands,
} from "./runs.js";

const FAILURES = ["error", "denied", "interrupted", "timeout"];
const DID_NOT_RUN = ["denied", "interrupted"];
const APPROVED = "approved";
const DECISIONS = [APPROVED, "denied"];

/** How a history is checked. */
export interface HistoryOptions {
  /** The history goes on: calls of a run's last turn may wait for their results. */
  readonly ongoing?: boolean;
  /** How many answered calls are remembered at least; all of them if null. */
  readonly remember?: number | null;
  /** The contract version whose table of roles holds: that of the oldest reader. */
  readonly version?: Version;
}

type TolerantResult = Extract<TolerantMessagePart, { kind: "tool_result" | "server_tool_result" }>;

/** A tool call, a result or an approval, and where it is. */
interface Placed {
  readonly id: string;
  readonly place: Place;
  readonly member?: string;
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
 * is an orphan. So it is with requests for approval: those that nobody has answered are kept, of
 * the others the ids of the last ones.
 */
export class HistoryChecker {
  readonly #ongoing: boolean;
  readonly #kinds: ReadonlyMap<string, readonly string[]>;
  readonly #misplaced: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #answered: RecentKeys;
  readonly #decided: RecentKeys;
  readonly #runs = new Map<string, RunState>();
  #index = 0;

  constructor(options: HistoryOptions = {}) {
    const { remember = DEFAULT_REMEMBERED, ongoing = false, version = LATEST_VERSION } = options;
    if (remember !== null && !(Number.isSafeInteger(remember) && remember >= 1)) {
      throw badArgument("remember is a number of answered calls", "an integer of at least 1, or null", remember);
    }
    this.#ongoing = ongoing;
    this.#kinds = allowedKinds(version);
    this.#misplaced = misplacedKinds(version);
    this.#answered = new RecentKeys(remember);
    this.#decided = new RecentKeys(remember);
  }

  /**
   * Takes the next message, and returns what it shows to be wrong, so far. What is not a
   * message is reported and counted, and has no effect. `line` is its line in a file, for the findings.
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
      const known = part instanceof Unknown ? undefined : part; // an Unknown is not judged
      if (known !== undefined && this.#misplaced.get(role)?.has(known.kind) === true) {
        found.push(misplaced(place, role, known.kind, kinds));
      }
      switch (known?.kind) {
        case "tool_call":
        case "server_tool_call":
          this.#call(runId, known, place, found);
          break;
        case "tool_result":
        case "server_tool_result":
          this.#result(runId, known, place, found);
          break;
        case "approval_request":
          this.#request(runId, known.payload, place, found);
          break;
        case "approval_response":
          this.#response(runId, known.payload, place, found);
          break;
        default:
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
      for (const [key, place] of run.unanswered(this.#ongoing)) found.push([place, unanswered(key, place)]);
    }
    this.#runs.clear();
    this.#answered.clear();
    this.#decided.clear();
    this.#index = 0;
    found.sort(([one], [other]) => stands(one, other));
    return found.map(([, each]) => each);
  }

  #run(runId: string): RunState {
    let run = this.#runs.get(runId);
    if (run === undefined) this.#runs.set(runId, (run = new RunState()));
    return run;
  }

  #isAnswered(runId: string, id: string): boolean {
    return [false, true].some((isServer) => this.#answered.has(keyOf(runId, slotOf({ id, isServer }))));
  }

  #call(runId: string, part: ToolCallPart | ServerToolCallPart, place: Place, found: Finding[]): void {
    const call: Placed = { id: part.payload.toolCallId, place };
    const key: CallKey = { id: call.id, isServer: part.kind === "server_tool_call" };
    const run = this.#run(runId);
    run.hear("assistant"); // whatever the role of the message
    const first = run.openOf(call.id);
    if (first !== undefined) {
      found.push(duplicateCall(call, `The call at ${pointerTo(first.place)} is still open`));
    } else if (this.#isAnswered(runId, call.id)) {
      // Its results must be distinguished from those of the first one: it is open again.
      found.push(duplicateCall(call, "An earlier call of the run is answered"));
    }
    if (run.isOpen(key)) return;
    for (const each of run.openCall(key, place)) found.push(beforeCall(call, each));
  }

  #result(runId: string, part: TolerantResult, place: Place, found: Finding[]): void {
    const { toolCallId: id, outcome, isError } = part.payload;
    const result: Placed = { id, place };
    const key: CallKey = { id, isServer: part.kind === "server_tool_result" };
    const run = this.#run(runId);
    const how = run.answer(key);
    const remembered = keyOf(runId, slotOf(key));
    if (how === "late") found.push(late(result));
    if (how === "out of order") found.push(outOfOrder(result));
    if (how !== undefined) {
      this.#answered.add(remembered);
      if (run.takeUnapproved(key) && !DID_NOT_RUN.includes(outcome ?? "")) found.push(unapproved(result));
    } else if (this.#answered.has(remembered)) found.push(duplicateResult(result));
    else run.hold(key, place);
    if (outcome !== undefined && (isError ? outcome === "success" : FAILURES.includes(outcome))) {
      found.push(contradiction(place, outcome, isError));
    }
  }

  #request(runId: string, asked: ApprovalRequest, place: Place, found: Finding[]): void {
    const { approvalId, toolCallId, choices = [] } = asked;
    const run = this.#run(runId);
    const call = run.openOf(toolCallId);
    if (run.asked(approvalId) !== undefined || this.#decided.has(keyOf(runId, approvalId))) {
      found.push(duplicateApproval(approvalId, place));
    } else if (call === undefined && !this.#isAnswered(runId, toolCallId)) {
      found.push(orphanApproval({ id: toolCallId, place }, "No call before it in the run has this id"));
    } else {
      const offered = choices.map((each) => each.id);
      run.ask(approvalId, { key: call?.key ?? { id: toolCallId, isServer: false }, choices: offered });
    }
  }

  #response(runId: string, answer: ApprovalResponse, place: Place, found: Finding[]): void {
    const { approvalId, toolCallId, decision, choice } = answer;
    const run = this.#run(runId);
    const request = run.asked(approvalId);
    if (request === undefined && this.#decided.has(keyOf(runId, approvalId))) {
      found.push(duplicateApproval(approvalId, place));
    } else if (request === undefined) {
      const placed: Placed = { id: approvalId, place, member: "/payload/approvalId" };
      found.push(orphanApproval(placed, "No request before it in the run has this id"));
    } else if (request.key.id !== toolCallId) {
      // Else a yes to one call would let another one run.
      const message = `The request of this id is about the call ${clip(request.key.id)}`;
      found.push(orphanApproval({ id: toolCallId, place }, message));
    } else {
      run.decide(approvalId, decision === APPROVED);
      this.#decided.add(keyOf(runId, approvalId));
      if (!DECISIONS.includes(decision)) found.push(unknownDecision(decision, place));
      if (choice !== undefined && !request.choices.includes(choice)) {
        found.push(unknownChoice(choice, request.choices, place));
      }
    }
  }
}

// --- findings -------------------------------------------------------------------------------------

function misplaced(place: Place, role: string, kind: string, kinds: readonly string[]): Finding {
  const pointer = pointerTo(place, "/kind");
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

function unanswered(key: CallKey, place: Place): Finding {
  const rule = key.isServer ? "history/unanswered-server-call" : "history/unanswered-tool-call";
  const kind = key.isServer ? "server_tool_result" : "tool_result";
  return finding(rule, "The call has no result", { id: key.id, place }, `a ${kind} of this id`);
}

function duplicateApproval(id: string, place: Place): Finding {
  const message = "The approval has its request, or its answer, already";
  const placed: Placed = { id, place, member: "/payload/approvalId" };
  return finding("history/duplicate-approval", message, placed, "one request and one answer");
}

function orphanApproval(placed: Placed, message: string): Finding {
  const expected = "a request for a call before it, or an answer to such a request";
  return finding("history/orphan-approval", message, placed, expected);
}

function unknownDecision(decision: string, place: Place): Finding {
  const message = "Not a known decision: the call is not approved";
  const placed: Placed = { id: decision, place, member: "/payload/decision" };
  return finding("history/unknown-decision", message, placed, DECISIONS.join(" or "));
}

function unknownChoice(choice: string, choices: readonly string[], place: Place): Finding {
  const message = "The request of this id does not offer this choice";
  const expected = choices.map((each) => clip(each)).join(" or ") || "no choice: the request offers none";
  return finding("history/unknown-choice", message, { id: choice, place, member: "/payload/choice" }, expected);
}

function unapproved(result: Placed): Finding {
  const message = "The call waits for an approval, and has a result";
  const expected = "an approval before it, or an outcome denied or interrupted";
  return finding("history/unapproved-result", message, result, expected);
}

function contradiction(place: Place, outcome: string, isError: boolean): Finding {
  const message = `Contradicts isError, which is ${isError}`;
  const expected = isError ? "an outcome of a failure" : "success, or an outcome that may be one";
  const placed: Placed = { id: outcome, place, member: "/payload/outcome" };
  return finding("history/outcome-contradicts", message, placed, expected);
}

function late(result: Placed): Finding {
  const message = "The run went on before the call had its result";
  const expected = "the result directly behind the turn of its call";
  return finding("history/late-tool-result", message, result, expected);
}

function outOfOrder(result: Placed): Finding {
  const message = "The result stands behind one of a later call of its turn";
  const expected = "results in the order of their calls";
  return finding("history/result-order", message, result, expected);
}

function finding(rule: string, message: string, placed: Placed, expected: string): Finding {
  const pointer = pointerTo(placed.place, placed.member);
  const made = errorAt(pointer, rule, message, expected, clip(placed.id));
  const severity = (own(HISTORY, rule) as Severity | undefined) ?? "error";
  return withLine({ ...made, severity }, placed.place);
}

function withLine(each: Finding, place: Place): Finding {
  return place.line === undefined ? each : { ...each, line: place.line };
}
