/** What an assistant said, stored: read by the adapter of its dialect, as the answer that it was. */

import type { Message, MessageDelta } from "../../contract/current/message.js";
import { type Finding, ReadError, StreamProtocolError } from "../../errors.js";
import { DEFAULT_LIMITS, type Limits, MAX_LIMIT_DEPTH } from "../../generated/tables/limits.js";
import { MessageAssembler, StreamFailed } from "../../message/assembler/assembler.js";
import type { AdapterInit, ProviderAdapter } from "../../providers/core/adapter.js";
import { UsedIds } from "../../providers/core/ids.js";
import { Calls } from "../core/calls.js";
import type { Json, Reading } from "../core/reading.js";
import { isNested } from "../core/source.js";

/** Makes the adapter of one answer. */
export type Adapter = new (runId: string, init: AdapterInit) => ProviderAdapter;

/** Findings of an adapter behind which something of the answer is not in the message. */
const PARTS_LOST: ReadonlySet<string> = new Set([
  "adapter/invalid-event",
  "adapter/unnamed-tool-call",
  "adapter/tool-call-mismatch",
]);

/** Adapters keep state that is nested no deeper. */
export const MOST_LEVELS = 64;

/** What an assembler says of a stream, and a document does not. */
const MADE = ["completedAt", "toolCallParseErrors"];

// The document is in memory already: only its depth has a limit.
const LIMITS = Object.fromEntries(
  Object.keys(DEFAULT_LIMITS).map((name) => [name, name.endsWith("Depth") ? MAX_LIMIT_DEPTH : Number.MAX_SAFE_INTEGER]),
) as unknown as Limits;

interface Fed {
  readonly adapter: ProviderAdapter;
  readonly deltas: readonly MessageDelta[];
}

/** The answers of one history: ids of calls are unique among all of them. */
export class Answers {
  readonly calls = new Calls();
  /** Whether something of the last answer is not in its message. */
  wasDamaged = false;
  readonly #adapter: Adapter;
  readonly #reading: Reading;
  readonly #used = new UsedIds();
  #number = 0;

  constructor(adapter: Adapter, reading: Reading) {
    this.#adapter = adapter;
    this.#reading = reading;
  }

  /**
   * Adds the message of an answer that stands at `place`, and returns it. Without a place the caller
   * says itself where something of it is lost, if `wasDamaged`.
   */
  add(body: Json, place: string | undefined, members: Json = {}): Json {
    return this.#add(body, place, false, members);
  }

  /**
   * Adds the message of an answer as the provider gave it, so that what it says of itself, such as its
   * usage, is the message's.
   */
  addWhole(body: Json, place: string | undefined, members: Json = {}): Json {
    return this.#add(body, place, true, members);
  }

  /** Tells whether something of an answer would not be in its message. */
  isDamaged(body: Json): boolean {
    return isNested(body, MOST_LEVELS) || isDamaged(this.#feed(body, [], false).adapter);
  }

  #add(body: Json, place: string | undefined, isWhole: boolean, members: Json): Json {
    this.#number++;
    const { adapter, message } = this.#read(body, place, isWhole);
    for (const part of message.parts) {
      if (part.kind !== "tool_call" && part.kind !== "server_tool_call") continue;
      const { toolCallId: callId, toolName: name } = part.payload;
      this.#used.add(callId);
      if (part.kind === "server_tool_call") continue;
      const { providerIds } = adapter;
      this.calls.add({ callId, name, own: providerIds.has(callId) ? providerIds.get(callId) : callId });
    }
    this.wasDamaged = isDamaged(adapter);
    if (place !== undefined && (this.wasDamaged || isNested(body, MOST_LEVELS))) {
      this.#reading.note("malformed-part", place);
    }
    const meta = isWhole ? { meta: metaOf(message, adapter) } : {};
    return this.#reading.add("assistant", message.parts as unknown as Json[], { ...members, ...meta });
  }

  #read(body: Json, place: string | undefined, isWhole: boolean): { adapter: ProviderAdapter; message: Message } {
    try {
      const { adapter, deltas } = this.#feed(body, this.#used, isWhole);
      return { adapter, message: assembled(deltas) };
    } catch (error) {
      // Arguments that are text are nested too deep.
      if (error instanceof StreamProtocolError) throw new ReadError(placed(error.findings, place ?? ""));
      throw error;
    }
  }

  #feed(body: Json, used: Iterable<string>, isWhole: boolean): Fed {
    const { runId, timestamp } = this.#reading;
    const adapter = new this.#adapter(runId, { clock: () => timestamp, usedToolCallIds: used });
    const deltas = adapter.identify({ requestId: isWhole ? "" : `${runId}.${this.#number}` });
    deltas.push(...adapter.feed(body), ...adapter.close());
    return { adapter, deltas };
  }
}

function isDamaged(adapter: ProviderAdapter): boolean {
  return adapter.findings.some(({ rule }) => PARTS_LOST.has(rule));
}

/** Returns the message of deltas; of an answer that failed, what there is of it. */
function assembled(deltas: readonly MessageDelta[]): Message {
  const assembler = new MessageAssembler({ limits: LIMITS });
  try {
    for (const delta of deltas) assembler.consume(delta);
    assembler.close();
    return assembler.buildFinalMessage();
  } catch (error) {
    if (error instanceof StreamFailed) return error.partial as Message;
    throw error;
  }
}

function placed(findings: readonly [Finding, ...Finding[]], pointer: string): [Finding, ...Finding[]] {
  const at = ({ line: _, ...finding }: Finding): Finding => ({ ...finding, pointer });
  const [first, ...rest] = findings;
  return [at(first), ...rest.map(at)];
}

/** Returns what an answer says of itself, without what stands in for what it does not say. */
function metaOf(message: Message, adapter: ProviderAdapter): Json | undefined {
  const made = new Set(MADE);
  if (adapter.modelId === "") made.add("modelId");
  if (adapter.requestId === "") made.add("requestId");
  const said = Object.entries(message.meta ?? {}).filter(([name]) => !made.has(name));
  return said.length > 0 ? Object.fromEntries(said) : undefined;
}
