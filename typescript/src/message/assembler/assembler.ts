/**
 * Deltas in, message out: the assembler of one stream, idle → started → done | error. No clock, no
 * network, no log. A refused delta throws and changes nothing.
 */

import type { Unknown } from "../../contract/unknown.js";
import { badArgument, clip, errorAt, type Finding, PartwireError, type StreamProtocolError } from "../../errors.js";
import type {
  ErrorDeltaPayload,
  Message,
  MessageDelta,
  MessagePart,
  UsageSummary,
} from "../../generated/v0_2/message.js";
import { refusal, type Status } from "./delta-checks.js";
import type { Limits } from "./limits.js";
import { readMessage } from "./slots.js";
import { OpenCall, type Progress, Snapshot, type ToolCallBuffer } from "./snapshot.js";
import { beginStream, type StreamState } from "./stream-state.js";

export type Ending = "cancelled" | "truncated";

/**
 * The stream ended with an `error` delta: there is no final message. `error` is the error delta's
 * payload, `partial` the message as far as it arrived. Source: requirements S000-55, S001-63.
 */
export class StreamFailed<Failure = ErrorDeltaPayload, Partial = Message> extends PartwireError {
  constructor(
    finding: Finding,
    readonly error: Failure,
    readonly partial: Partial,
  ) {
    super(finding);
  }
}

export interface AssemblerInit {
  /** The run whose deltas are taken; that of the start delta where absent. */
  readonly runId?: string;
  readonly limits?: Partial<Limits>;
}

/**
 * Assembles one stream of deltas into one message. What it returns is immutable or belongs to the
 * caller. `providerRaw` is never looked at or kept. Throws UsageError `usage/invalid-argument`
 * for a `runId` that no delta can have. Source: requirements S001-11 … S001-16, S001-23 … S001-33.
 */
export class MessageAssembler {
  readonly #state: StreamState;
  #cut = false;

  constructor(init: AssemblerInit = {}) {
    this.#state = beginStream(init);
  }

  /** The given run id, else the start delta's; undefined before that. */
  get runId(): string | undefined {
    return this.#state.runId;
  }

  /** The start delta's `messageId`. */
  get messageId(): string | undefined {
    return this.#state.start?.messageId;
  }

  /** The start delta's `turnId`. */
  get turnId(): string | undefined {
    return this.#state.start?.turnId;
  }

  get status(): Status {
    return this.#state.status;
  }

  /** The last consumed delta's `seq`; -1 before the first. */
  get lastSeq(): number {
    return this.#state.lastSeq;
  }

  /** The parts of a snapshot taken now; empty in `idle`. */
  get parts(): MessagePart[] {
    return this.#state.start === undefined ? [] : this.snapshot().parts;
  }

  /** All tool calls by id, in the order of their start, open and closed. */
  get toolCallsBuffer(): ReadonlyMap<string, ToolCallBuffer> {
    const rows = [...this.#state.calls.values()].map((slot): [string, ToolCallBuffer] => {
      const closed = slot.closedSeq !== undefined;
      return [slot.id, { toolCallId: slot.id, toolName: slot.name, rawArgsText: slot.text, closed }];
    });
    return new Map(rows);
  }

  /** Usage as far as it is known: per field the last value that was reported. */
  get usage(): UsageSummary | undefined {
    return this.#state.usage === undefined ? undefined : { ...this.#state.usage };
  }

  /** The error delta's payload, in `error` only. */
  get error(): ErrorDeltaPayload | undefined {
    return this.#state.error === undefined ? undefined : { ...this.#state.error };
  }

  /** Warnings: one `stream/unknown-delta-kind` for each unknown kind. */
  get findings(): Finding[] {
    return [...this.#state.findings.values()];
  }

  /** Returns the error delta's payload, or null. Source: requirements S001-59. */
  getError(): ErrorDeltaPayload | null {
    return this.error ?? null;
  }

  /**
   * Takes the next delta; an {@link Unknown} is what tolerant reading makes of a kind that this
   * version does not know. Throws StreamProtocolError with one of the rules `stream/…`, or
   * `document/lone-surrogate`; the state is then as it was, and the next delta may be consumed.
   * Source: requirements S001-55, S001-60.
   */
  consume(delta: MessageDelta | Unknown): void {
    this.#state.consume(delta);
  }

  /** Goes back to `idle` with everything cleared; a given run id stays. Source: S001-64. */
  reset(): void {
    this.#cut = false;
    this.#state.clear();
  }

  /**
   * Returns the message so far: text, thinking and closed tool calls. Costs the same whatever has
   * come, and never changes afterwards. Throws StreamProtocolError `stream/not-started` in `idle`.
   * Source: requirements S001-56, S001-61, S001-84.
   */
  snapshot(): Snapshot {
    const { start, slots } = this.#state;
    if (start === undefined) throw notStarted();
    return new Snapshot(start, slots, this.#state.mark());
  }

  /** Returns a snapshot with the open calls and usage; throws as {@link snapshot}. */
  progress(): Progress {
    const { argumentsDepth } = this.#state.limits;
    const { usage } = this;
    return {
      snapshot: this.snapshot(),
      openCalls: [...this.#state.open.values()].map((slot) => new OpenCall(slot, argumentsDepth)),
      ...(usage === undefined ? {} : { usage }),
    };
  }

  /**
   * Returns the finished message, a new one at every call; only in `done`. Throws
   * StreamProtocolError `stream/not-done` before that, and StreamFailed in `error`.
   * Source: requirements S001-57, S001-62, S001-63.
   */
  buildFinalMessage(): Message {
    if (this.status === "done") return this.#message();
    const { error } = this;
    if (error === undefined) {
      const place = { expected: "the status done", actual: this.status };
      throw refusal("stream/not-done", "The stream is not finished", undefined, place);
    }
    const code = clip(error.errorCode);
    const finding = errorAt("", "stream/failed", `The stream ended with the error ${code}`, undefined, code);
    throw new StreamFailed(finding, error, this.buildPartial());
  }

  /**
   * Returns what arrived of a message that will not be finished, marked in its `meta`. Open tool
   * calls are left out and named in `meta.incomplete.openToolCallIds`. In `error` the ending is
   * `error`; in `started` it is `truncated` after {@link close}, else `cancelled`, unless `ending`
   * says otherwise. Throws StreamProtocolError `stream/not-started`, `stream/already-done`.
   */
  buildPartial(ending?: Ending): Message {
    if (this.status === "done") {
      const place = { expected: "buildFinalMessage()", actual: "buildPartial()" };
      throw refusal("stream/already-done", "The message is finished", undefined, place);
    }
    if (ending !== undefined && ending !== "cancelled" && ending !== "truncated") {
      throw badArgument("ending is wrong", "cancelled or truncated", ending);
    }
    const how = this.status === "error" ? "error" : (ending ?? (this.#cut ? "truncated" : "cancelled"));
    const message = this.#message();
    message.meta = { ...message.meta, incomplete: { ending: how, openToolCallIds: [...this.#state.open.keys()] } };
    return message;
  }

  /**
   * Says that no more deltas come; nothing happens after `done` or `error`. Throws
   * StreamProtocolError `stream/truncated` otherwise: a cut stream is never a finished message.
   * Source: requirements S000-48, S001-68.
   */
  close(): void {
    if (this.status === "done" || this.status === "error") return;
    this.#cut = true;
    throw refusal("stream/truncated", "The stream stops without done or error", undefined, {
      expected: "done or error",
      actual: this.status === "idle" ? "nothing" : `the end after seq ${this.lastSeq}`,
    });
  }

  #message(): Message {
    const state = this.#state;
    if (state.start === undefined) throw notStarted();
    const message = readMessage(state.start, state.slots, state.mark());
    const { toolCallParseErrors, ...meta } = message.meta;
    if (state.finishReason !== undefined) meta.finishReason = state.finishReason;
    if (state.providerReason !== undefined) meta["providerFinishReason"] = state.providerReason;
    if (state.endAt !== undefined) meta.completedAt = state.endAt;
    if (state.usage !== undefined) meta.usage = { ...state.usage };
    message.meta = toolCallParseErrors === undefined ? meta : { ...meta, toolCallParseErrors };
    return message;
  }
}

function notStarted(): StreamProtocolError {
  return refusal("stream/not-started", "There is nothing to show before start");
}
