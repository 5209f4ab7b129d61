/**
 * Deltas and messages as the event stream of AG-UI: one run, whose messages come in their order.
 *
 * What the events do not say is known when the run has ended: it is read back as any other. With extensions,
 * events of the type CUSTOM with the name `partwire` say what the protocol cannot.
 */

import { instantOf } from "../../contract/times.js";
import { Unknown } from "../../contract/unknown.js";
import { inOrder, type Loss } from "../../convert/losses.js";
import { isObject, own } from "../../json/values.js";
import { isTimestamp } from "../../message/assembler/rules.js";
import { compareStreams } from "../core/compared.js";
import { PARTWIRE } from "../core/extension.js";
import { Ids } from "../core/ids.js";
import { isMessage, readItem } from "../core/items.js";
import { Losses } from "../core/lost.js";
import { type Json, Reading } from "../core/reading.js";
import { RunAssembler } from "../core/runs.js";
import { alreadyDone, type StreamWriter } from "../core/streams.js";
import { resultContent } from "./content.js";
import { APPROVAL, type EventType, USAGE } from "./events.js";
import { keptOf, OURS, OWN, textOf } from "./state.js";
import { AgUiStreamReader, CUT } from "./stream-read.js";
import { argumentsOf, roleOf, sealed, thoughtId } from "./write.js";

const RUN = "run";
/** Deltas of ours that do not end the text that is open. */
const NO_PART = ["text_citation", "usage", "warning"];

/** Returns a writer of one stream of events. */
export function agUiWriter(version: string, extensions: boolean): AgUiWriter {
  return new AgUiStreamWriter(version, extensions);
}

/** The answer that is being written. */
interface Spoken {
  readonly id: string;
  readonly name: string | undefined;
  /** At which it began. */
  readonly time: number | undefined;
  thoughts: number;
  /** Something of it has been written. */
  isShown: boolean;
}

/** A writer of one stream of events. */
export interface AgUiWriter extends StreamWriter {
  /**
   * The client's thread, which the events of a run say; it may be set before the first item. Without it the
   * run's id stands there.
   */
  threadId: string | undefined;
}

/**
 * Items in, events out; see `writer` of `partwire/formats`. The ids of messages that have none begin with the
 * run's: in a thread each run has its own.
 */
export class AgUiStreamWriter implements AgUiWriter {
  threadId: string | undefined;
  readonly #version: string;
  readonly #extensions: boolean;
  readonly #run = new RunAssembler();
  readonly #back = new RunAssembler();
  readonly #reader = new AgUiStreamReader(new Reading(OWN));
  readonly #losses = new Losses();
  readonly #ids = new Ids();
  #events: Json[] = [];
  /** Whole messages that came while another one was open. */
  #waiting: Json[] = [];
  /** Events before which something of ours is to come. */
  #held: Json[] | undefined;
  /** Of the run that is open. */
  #runId: string | undefined;
  #hasBegun = false;
  #isOver = false;
  #time: number | undefined;
  #answer: Spoken | undefined;
  /** The id of the text that is open. */
  #text: string | undefined;
  #thought: string | undefined;
  /** Calls that have not ended. */
  readonly #open = new Set<string>();
  /** Calls that nobody has answered. */
  readonly #calls = new Set<string>();
  /** The state of calls that are open. */
  readonly #seals = new Map<string, unknown>();
  #approvals: Json[] = [];
  /** By model. */
  readonly #usage = new Map<string, Record<string, number>>();
  #model = "";
  #figures: Json = {};

  constructor(version: string, extensions: boolean) {
    this.#version = version;
    this.#extensions = extensions;
  }

  /** What the events do not say of the items; all of it once the stream has ended. */
  get losses(): Loss[] {
    return inOrder(this.#losses.found);
  }

  // --- items --------------------------------------------------------------------------------------

  feed(given: unknown): Json[] {
    if (this.#isOver) throw alreadyDone();
    const item = readItem(given);
    if (item === undefined) return [];
    this.#run.feed(item);
    if (item instanceof Unknown) return [];
    if (isMessage(item)) {
      this.#waiting.push(item as unknown as Json); // its place is behind the message that is open
    } else {
      if (item.kind === "start") {
        this.#time = msOf(item.timestamp);
        this.#cut();
        this.#writeWaiting();
      }
      this.#goOn(item as unknown as Json);
      this.#delta(item as unknown as Json);
    }
    if (this.#answer === undefined) this.#writeWaiting();
    return this.#taken();
  }

  finish(): Json[] {
    if (this.#isOver) return [];
    this.#isOver = true;
    this.#cut();
    this.#writeWaiting();
    const messages = this.#run.finish() as unknown as Json[];
    if (!this.#hasBegun) this.#begin(RUN);
    if (this.#runId !== undefined) this.#finish(this.#outcome());
    this.#back.feedAll(this.#reader.finish());
    const back = this.#back.finish() as unknown as Json[];
    compareStreams(messages, back, this.#losses, { own: OWN, heads: true });
    return this.#taken();
  }

  /** Writes the whole messages that came while another one was open. */
  #writeWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const message of waiting) {
      this.#goOn(message);
      this.#message(message);
    }
  }

  /** Takes the time of an item, and its run. */
  #goOn(item: Json): void {
    this.#time = msOf(item["timestamp"]);
    this.#begin(item["runId"] as string);
  }

  #taken(): Json[] {
    const taken = this.#events;
    this.#events = [];
    return taken;
  }

  /** Writes an event; the first one of an answer has the time at which that began. */
  #put(type: EventType, members: Json): void {
    const answer = this.#answer;
    const timestamp = answer === undefined || answer.isShown ? this.#time : answer.time;
    const event: Json = { type, ...members, ...(timestamp === undefined ? {} : { timestamp }) };
    if (answer !== undefined) answer.isShown = true;
    if (this.#held === undefined) this.#emit(event);
    else this.#held.push(event);
  }

  #emit(event: Json): void {
    this.#events.push(event);
    this.#back.feedAll(this.#reader.feed(event));
  }

  /** Writes what is ours alone, with extensions. */
  #own(value: Json): void {
    if (this.#extensions) this.#emit({ type: "CUSTOM", name: PARTWIRE, value });
  }

  // --- runs ---------------------------------------------------------------------------------------

  #begin(runId: string): void {
    if (this.#runId === runId) return;
    if (this.#runId !== undefined) this.#finish(this.#outcome());
    this.#hasBegun = true;
    this.#runId = runId;
    this.#ids.stem = runId; // a client has messages of other runs, too
    this.#calls.clear();
    this.#put("RUN_STARTED", { threadId: this.threadId || runId, runId, protocolVersion: this.#version });
  }

  #outcome(): Json {
    if (this.#approvals.length > 0) {
      const interrupts = this.#approvals;
      this.#approvals = [];
      return { type: "interrupt", interrupts };
    }
    return { type: "success", ...(this.#calls.size > 0 ? { pendingToolCallIds: [...this.#calls] } : {}) };
  }

  #finish(outcome: Json): void {
    const ids = { threadId: this.threadId || this.#runId, runId: this.#runId };
    this.#put("RUN_FINISHED", { ...ids, outcome, ...this.#figuresOfRun() });
    this.#runId = undefined;
  }

  #figuresOfRun(): Json {
    const usage = [...this.#usage]
      .filter(([, row]) => Object.values(row).every(Number.isSafeInteger))
      .map(([model, row]) => ({ model, ...row }));
    this.#usage.clear();
    return usage.length > 0 ? { usage } : {};
  }

  /** Ends the run by an error; one that was stopped in good order ends as that. */
  #fail(error: Json): void {
    this.#endTexts();
    this.#approvals = [];
    const code = error["errorCode"];
    if (code === "cancelled" && this.#open.size === 0) {
      this.#finish({ type: "cancelled" });
      return;
    }
    this.#put("RUN_ERROR", { message: error["message"] || code, code, ...this.#figuresOfRun() });
    this.#runId = undefined;
    this.#open.clear();
    this.#seals.clear();
  }

  /** Ends the run by an error where a message is open that nothing more comes of. */
  #cut(): void {
    if (this.#answer === undefined) return;
    this.#closeAnswer();
    this.#fail(CUT);
  }

  // --- deltas -------------------------------------------------------------------------------------

  #delta(delta: Json): void {
    const [kind, payload] = [delta["kind"] as string, delta["payload"] as Json];
    if (kind === "text") {
      this.#endThought(undefined);
      this.#onText(payload);
    } else if (kind === "thinking") {
      this.#endText(undefined);
      this.#onThinking(payload);
    } else if (kind.startsWith("tool_call_")) {
      this.#endTexts();
      this.#onCall(kind, payload);
    } else {
      if (!NO_PART.includes(kind)) this.#endTexts();
      if (kind === "done" || kind === "error") this.#show();
      const { providerRaw: _, ...said } = delta;
      this.#own({ delta: said });
      this.#onOther(kind, payload, delta);
    }
  }

  #onOther(kind: string, payload: Json, delta: Json): void {
    if (kind === "start") {
      this.#start(delta, payload["author"], payload["modelId"]);
      this.#figures = {};
    } else if (kind === "usage") {
      this.#figures = { ...this.#figures, ...payload };
    } else if (kind === "approval_request") {
      this.#approvals.push(interruptOf(payload));
    } else if (kind === "done" || kind === "error") {
      this.#closeAnswer();
      if (kind === "error") this.#fail(payload);
    }
  }

  #endTexts(): void {
    this.#endText(undefined);
    this.#endThought(undefined);
  }

  /** Begins an answer: that of a first delta, or a whole message. */
  #start(head: Json, author: unknown, model: unknown): void {
    const { name } = (author ?? {}) as { name?: string };
    this.#answer = { id: this.#ids.of(head), name, time: this.#time, thoughts: 0, isShown: false };
    this.#model = model as string;
  }

  /** Takes the figures of the answer that ends. */
  #closeAnswer(): void {
    this.#answer = undefined;
    const figures = this.#figures as Record<string, number | undefined>;
    this.#figures = {};
    if (Object.keys(figures).length === 0) return;
    const row = this.#usage.get(this.#model) ?? {};
    this.#usage.set(this.#model, row);
    for (const [theirs, ours] of USAGE) {
      const count = figures[ours];
      if (count !== undefined) row[theirs] = (row[theirs] ?? 0) + count;
    }
    // As the protocol defines it, whatever the provider counts.
    row["totalTokens"] = (row["inputTokens"] ?? 0) + (row["outputTokens"] ?? 0);
  }

  get #spoken(): Spoken {
    if (this.#answer === undefined) throw new Error("The assembler has refused what comes without a start");
    return this.#answer;
  }

  /** Writes an answer that says nothing as one without text. */
  #show(): void {
    if (this.#answer === undefined || this.#answer.isShown) return;
    this.#startText();
    this.#endText(undefined);
  }

  #startText(): void {
    const { id, name, isShown } = this.#spoken;
    this.#text = id;
    this.#put("TEXT_MESSAGE_START", { messageId: id, role: "assistant", ...(name && !isShown ? { name } : {}) });
  }

  #onText(payload: Json): void {
    const [text, opaque] = [payload["textDelta"], payload["opaque"]];
    if (text !== "" || opaque !== undefined) {
      if (this.#text === undefined) this.#startText();
      if (text !== "") this.#put("TEXT_MESSAGE_CONTENT", { messageId: this.#text, delta: text });
    }
    if (opaque !== undefined) this.#endText(opaque);
  }

  #endText(opaque: unknown): void {
    const id = this.#text;
    this.#text = undefined;
    if (id === undefined) return;
    this.#seal("message", id, opaque);
    this.#put("TEXT_MESSAGE_END", { messageId: id });
  }

  #onThinking(payload: Json): void {
    const [text, opaque] = [payload["textDelta"], payload["opaque"]];
    const answer = this.#spoken;
    if (text !== "" || opaque !== undefined) {
      if (this.#thought === undefined) {
        answer.thoughts++;
        const wanted = thoughtId(this.#extensions ? undefined : opaque, answer.id, answer.thoughts);
        this.#thought = this.#ids.made(wanted, wanted);
        this.#put("REASONING_START", { messageId: this.#thought });
        this.#put("REASONING_MESSAGE_START", { messageId: this.#thought, role: "reasoning" });
      }
      if (text !== "") this.#put("REASONING_MESSAGE_CONTENT", { messageId: this.#thought, delta: text });
    }
    if (opaque !== undefined) this.#endThought(opaque);
  }

  #endThought(opaque: unknown): void {
    const id = this.#thought;
    this.#thought = undefined;
    if (id === undefined) return;
    this.#put("REASONING_MESSAGE_END", { messageId: id });
    this.#seal("message", id, opaque);
    this.#put("REASONING_END", { messageId: id });
  }

  /** Writes the state of a message or a call. */
  #seal(subtype: "message" | "tool-call", entityId: string, opaque: unknown): void {
    const isOurs = this.#extensions && isObject(opaque);
    const kept = isOurs ? { value: textOf(opaque), type: OURS, own: {} } : keptOf(opaque);
    if (kept.value === undefined) return;
    this.#put("REASONING_ENCRYPTED_VALUE", { subtype, entityId, ...sealed(kept, this.#version) });
  }

  #onCall(kind: string, payload: Json): void {
    const toolCallId = payload["toolCallId"] as string;
    // The last one counts.
    if (payload["opaque"] !== undefined) this.#seals.set(toolCallId, payload["opaque"]);
    if (kind === "tool_call_start") {
      this.#open.add(toolCallId);
      this.#calls.add(toolCallId);
      const called = { toolCallId, toolCallName: payload["toolName"] };
      this.#put("TOOL_CALL_START", { ...called, parentMessageId: this.#spoken.id });
    } else if (kind === "tool_call_args") {
      const delta = payload["argsTextDelta"];
      if (delta !== "") this.#put("TOOL_CALL_ARGS", { toolCallId, delta });
    } else {
      this.#endCall(toolCallId);
    }
  }

  #endCall(toolCallId: string): void {
    this.#open.delete(toolCallId);
    const opaque = this.#seals.get(toolCallId);
    this.#seals.delete(toolCallId);
    this.#seal("tool-call", toolCallId, opaque);
    const metadata = own(keptOf(opaque).own, "metadata");
    const isKept = isObject(metadata) && !this.#extensions;
    this.#put("TOOL_CALL_END", { toolCallId, ...(isKept ? { metadata } : {}) });
  }

  // --- whole messages -----------------------------------------------------------------------------

  #message(message: Json): void {
    if (this.#extensions) this.#held = [];
    if (message["role"] === "assistant") this.#wholeAnswer(message);
    else if (message["role"] === "tool") this.#results(message);
    else this.#said(message);
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined) return;
    this.#own({ message, covers: held.map(({ type }) => type) });
    for (const event of held) this.#emit(event);
  }

  #said(message: Json): void {
    const messageId = this.#ids.of(message);
    const { name } = (message["author"] ?? {}) as { name?: string };
    const texts = partsOf(message).map(({ kind, payload }) => (kind === "text" ? payload["text"] : ""));
    const delta = texts.join("");
    this.#put("TEXT_MESSAGE_START", { messageId, role: roleOf(message), ...(name ? { name } : {}) });
    if (delta !== "") this.#put("TEXT_MESSAGE_CONTENT", { messageId, delta });
    this.#put("TEXT_MESSAGE_END", { messageId });
  }

  #results(message: Json): void {
    const stem = (message["messageId"] as string | undefined) || this.#ids.stem;
    let isFirst = true;
    for (const { kind, payload } of partsOf(message)) {
      if (kind !== "tool_result") continue;
      const messageId = isFirst ? this.#ids.of(message) : this.#ids.made("", stem);
      isFirst = false;
      const toolCallId = payload["toolCallId"] as string;
      this.#calls.delete(toolCallId);
      this.#put("TOOL_CALL_RESULT", { messageId, toolCallId, role: "tool", content: resultContent(payload) });
    }
  }

  /** Writes a whole message of the assistant, part by part. */
  #wholeAnswer(message: Json): void {
    const meta = (message["meta"] ?? {}) as Json;
    this.#start(message, message["author"], own(meta, "modelId") ?? "unknown");
    this.#figures = { ...(own(meta, "usage") as Json | undefined) };
    for (const { kind, payload } of partsOf(message)) {
      const state = payload["opaque"] === undefined ? {} : { opaque: payload["opaque"] };
      this.#endTexts();
      if (kind === "text") {
        this.#onText({ textDelta: payload["text"], ...state });
      } else if (kind === "thinking") {
        this.#onThinking({ textDelta: payload["text"], ...state });
      } else if (kind === "tool_call") {
        const call = { toolCallId: payload["toolCallId"] };
        this.#onCall("tool_call_start", { ...call, toolName: payload["toolName"] });
        this.#onCall("tool_call_args", { ...call, argsTextDelta: argumentsOf(payload) });
        this.#onCall("tool_call_end", { ...call, ...state });
      } else if (kind === "approval_request") {
        this.#approvals.push(interruptOf(payload));
      }
    }
    this.#endTexts();
    this.#show();
    this.#closeAnswer();
  }
}

const partsOf = (message: Json): { kind: string; payload: Json }[] =>
  message["parts"] as { kind: string; payload: Json }[];

function interruptOf(payload: Json): Json {
  const kept = keptOf(payload["opaque"]).own;
  const [reason, message] = [own(kept, "reason"), payload["reason"]];
  const made: Json = {
    id: payload["approvalId"],
    reason: typeof reason === "string" ? reason : APPROVAL,
    toolCallId: payload["toolCallId"],
    ...(message === undefined ? {} : { message }),
  };
  for (const [name, fits] of KEPT_OF_INTERRUPTS) {
    const value = own(kept, name);
    if (fits(value)) made[name] = value;
  }
  return made;
}

const isText = (value: unknown): boolean => typeof value === "string";
const KEPT_OF_INTERRUPTS: readonly (readonly [name: string, fits: (value: unknown) => boolean])[] = [
  ["responseSchema", isObject],
  ["expiresAt", isText],
  ["metadata", isObject],
  ["subagentRunId", isText],
];

/** Returns a time in milliseconds since the epoch; undefined where that is not what it says. */
function msOf(timestamp: unknown): number | undefined {
  return isTimestamp(timestamp) ? instantOf(timestamp).ms : undefined;
}
