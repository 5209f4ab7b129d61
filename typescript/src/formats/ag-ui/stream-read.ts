/**
 * The event stream of AG-UI, read: each answer is a stream of deltas, all else whole messages.
 *
 * Reasoning and the answer behind it are one message, as in histories. Calls belong to the message that
 * they name, or are one of their own, as the client has it.
 */

import { textOf } from "../../contract/times.js";
import { inOrder, type Loss } from "../../convert/losses.js";
import { PartwireError } from "../../errors.js";
import { LAST_MS } from "../../generated/tables/limits.js";
import { decodeJson, isJsonText } from "../../json/documents.js";
import { isObject, own } from "../../json/values.js";
import { PARTWIRE } from "../core/extension.js";
import { isTimed, type RunItem, readMessage } from "../core/items.js";
import { textPart } from "../core/parts.js";
import { type Json, Members, type Reading } from "../core/reading.js";
import { isNested, sourceOf } from "../core/source.js";
import { sseData } from "../core/sse.js";
import type { StreamReader } from "../core/streams.js";
import { APPROVAL, BESIDE_CHUNKS, type EventType, isOfMessages, USAGE, VERSIONS } from "./events.js";
import { type Answer, Block, type Ending, Lanes, type Whole } from "./lanes.js";
import { resultOf } from "./messages.js";
import { Snapshots } from "./snapshots.js";
import { MOST_LEVELS, OWN, stateOf, stemOf, takeState } from "./state.js";

export const CUT: Json = { errorCode: "truncated_stream", message: "The stream ended before the run was finished" };
/** Deltas of ours, each of which says what it says alone. */
const WHOLE: readonly unknown[] = ["text_citation", "server_tool_result", "approval_request", "usage", "warning"];
/** Deltas of ours, several of which make a part; and what says which. */
const MANY: ReadonlyMap<unknown, string> = new Map([
  ["server_tool_call_start", "toolCallId"],
  ["server_tool_call_args", "toolCallId"],
  ["server_tool_call_end", "toolCallId"],
  ["media_start", "mediaId"],
  ["media_data", "mediaId"],
  ["media_end", "mediaId"],
]);
const SPOKEN: ReadonlyMap<string, string> = new Map([
  ["developer", "system"],
  ["system", "system"],
  ["user", "user"],
]);
/** Members of what a run waits for that only this format has. */
const KEPT_OF_INTERRUPTS = ["responseSchema", "expiresAt", "subagentRunId", "metadata"];

/** Returns a reader of one stream of events. */
export function agUiReader(reading: Reading): StreamReader {
  return new AgUiStreamReader(reading);
}

/** A message that is not the assistant's and comes in pieces. */
class Said {
  readonly texts: string[] = [];
  constructor(readonly whole: Whole) {}

  /** Gives the message what has come. */
  tell(): void {
    const text = this.texts.join("");
    this.whole.message["parts"] = text === "" ? [] : [textPart(text)];
  }
}

/** A part that comes, and the answer that it is of. */
interface Part {
  readonly answer: Answer;
  readonly block: Block;
}

type Form = "text" | "thinking" | "call";

/** What has come of a run, by id. */
class Run {
  /** That are open. */
  readonly texts = new Map<string, Block | Said>();
  readonly thoughts = new Map<string, Part>();
  readonly openThoughts = new Set<string>();
  /** The last text of each id. */
  readonly said = new Map<string, Part>();
  readonly calls = new Map<string, Part>();
  /** Calls that have a result. */
  readonly answered = new Set<string>();
  readonly approvals = new Set<string>();
  /** Parts of ours that are open. */
  readonly own = new Map<string, Block>();
  /** Types of the events that a message of ours says, the next one last. */
  covered: unknown[] = [];
  /** As ours has said already. */
  hasFailed = false;
}

/**
 * Events in, deltas and messages out; see `reader` of `partwire/formats`.
 *
 * An event is a JSON object, its text, or a line of the event stream that begins with `data:`. A run ends
 * well by RUN_FINISHED; a stream may hold several runs.
 */
export class AgUiStreamReader implements StreamReader {
  readonly #reading: Reading;
  readonly #lanes: Lanes;
  readonly #snapshots: Snapshots;
  #number = -1;
  /** A run has begun, or something of it has come. */
  #isOpen = false;
  #run = new Run();
  #thread: string | undefined;
  /** What comes in chunks. */
  #chunk: { readonly form: Form; readonly name: string } | undefined;
  /** Answers of ours have said themselves. */
  #isSaid = false;
  /** Approvals that ours has said already. */
  readonly #ours = new Set<unknown>();

  constructor(reading: Reading) {
    this.#reading = reading;
    this.#lanes = new Lanes(reading);
    this.#snapshots = new Snapshots(reading, this.#lanes);
  }

  get losses(): Loss[] {
    return inOrder(this.#reading.losses);
  }

  // --- events -------------------------------------------------------------------------------------

  feed(given: unknown): RunItem[] {
    this.#number++;
    const place = `/${this.#number}`;
    const value = eventOf(given);
    if (value === undefined) return [];
    const event = this.#reading.members(value, place);
    const type = event.text("type");
    if (type === undefined) throw this.#reading.refuse(event.at("type"), "the type of an event", event.peek("type"));
    if (this.#covers(type, place)) return [];
    if (!isOfMessages(type)) {
      this.#closeChunk(type);
      this.#reading.note("foreign-event", place);
      return this.#lanes.taken();
    }
    this.#lanes.time = timeOf(event);
    this.#lanes.place = place;
    if (!type.endsWith("_CHUNK")) this.#closeChunk(type);
    if (this.#on(type, event)) event.close();
    else this.#reading.note("malformed-event", place);
    return this.#lanes.taken();
  }

  finish(): RunItem[] {
    this.#closeChunk("");
    if (this.#isOpen) this.#fail(CUT);
    return this.#lanes.taken();
  }

  /** Takes an event; returns false where it does not have its form, or stands where it cannot. */
  #on(type: EventType, event: Members): boolean {
    switch (type) {
      case "RUN_STARTED":
        return this.#onRunStarted(event);
      case "RUN_FINISHED":
        return this.#onRunFinished(event);
      case "RUN_ERROR":
        return this.#onRunError(event);
      case "TEXT_MESSAGE_START":
        return this.#onTextStart(event);
      case "TEXT_MESSAGE_CONTENT":
        return this.#say(event.text("messageId"), event.text("delta"));
      case "TEXT_MESSAGE_END":
        return this.#endText(event.text("messageId"));
      case "TEXT_MESSAGE_CHUNK":
        return this.#onTextChunk(event);
      case "REASONING_START": // These two only say what is within.
      case "REASONING_END":
        return event.text("messageId") !== undefined;
      case "REASONING_MESSAGE_START":
        return this.#onThoughtStart(event);
      case "REASONING_MESSAGE_CONTENT":
        return this.#think(event.text("messageId"), event.text("delta"));
      case "REASONING_MESSAGE_END":
        return this.#endThought(event.text("messageId"));
      case "REASONING_MESSAGE_CHUNK":
        return this.#onThoughtChunk(event);
      case "REASONING_ENCRYPTED_VALUE":
        return this.#onValue(event);
      case "THINKING_START": // Nothing to take: its title is reported.
      case "THINKING_END":
        return true;
      case "THINKING_TEXT_MESSAGE_START":
        return this.#beginThought("");
      case "THINKING_TEXT_MESSAGE_CONTENT":
        return this.#onOldThought(event);
      case "THINKING_TEXT_MESSAGE_END":
        return this.#endThought("");
      case "TOOL_CALL_START":
        return this.#onCallStart(event);
      case "TOOL_CALL_ARGS":
        return this.#onCallArgs(event);
      case "TOOL_CALL_END":
        return this.#onCallEnd(event);
      case "TOOL_CALL_CHUNK":
        return this.#onCallChunk(event);
      case "TOOL_CALL_RESULT":
        return this.#onResult(event);
      case "MESSAGES_SNAPSHOT":
        return this.#onSnapshot(event);
      case "CUSTOM":
        return this.#onCustom(event);
    }
  }

  // --- runs ---------------------------------------------------------------------------------------

  #onRunStarted(event: Members): boolean {
    if (this.#isOpen) this.#fail(CUT);
    this.#isOpen = true;
    this.#lanes.runId = event.text("runId") || undefined;
    const thread = event.peek("threadId");
    this.#thread = typeof thread === "string" ? thread : undefined;
    event.skip("protocolVersion", ...VERSIONS);
    const [place, given] = [event.at("input"), event.object("input")];
    if (given === undefined) return true;
    const body = new Members(given, place, this.#reading);
    const [at, messages] = [body.at("messages"), body.list("messages")];
    if (messages !== undefined) this.#snapshots.read(messages, at, false);
    this.#skipIds(body);
    body.close("request-member");
    return true;
  }

  /** Takes the ids of the run and the thread, where they are those that it began with. */
  #skipIds(members: Members): void {
    members.skip("runId", this.#lanes.runId);
    members.skip("threadId", this.#thread);
  }

  #onRunFinished(event: Members): boolean {
    this.#skipIds(event);
    this.#usage(event);
    const [at, outcome] = [event.at("outcome"), event.object("outcome")];
    if (outcome !== undefined && this.#outcome(new Members(outcome, at, this.#reading)) === "cancelled") {
      this.#fail({ errorCode: "cancelled", message: "The run was stopped" });
    }
    this.#end({ kind: "done", payload: { finishReason: this.#reason() } });
    return true;
  }

  /** Reads how a run has come out, and returns what it is called. */
  #outcome(outcome: Members): string | undefined {
    const type = outcome.text("type");
    if (type === "interrupt") {
      this.#interrupts(outcome);
    } else if (type === "success") {
      const pending = [...this.#run.calls.keys()].filter((call) => !this.#run.answered.has(call));
      outcome.skip("pendingToolCallIds", pending, []);
    } else if (type !== "cancelled") {
      this.#reading.note("foreign-member", outcome.at("type"));
    }
    outcome.close();
    return type;
  }

  #reason(): string {
    const { last } = this.#lanes;
    if (last === undefined) return "unknown";
    if (last.hasApprovals) return "awaiting_approval";
    return last.hasCalls ? "tool_calls" : "stop";
  }

  #onRunError(event: Members): boolean {
    this.#usage(event);
    const [message, code] = [event.text("message"), event.text("code")];
    this.#skipIds(event);
    this.#fail({ errorCode: code || "unknown", ...(message === undefined ? {} : { message }) });
    return true;
  }

  /** Ends the run by an error: that of an answer that did not come, where none is open. */
  #fail(payload: Json): void {
    if (this.#lanes.last === undefined && !this.#run.hasFailed) this.#lanes.begin(undefined, "");
    this.#end({ kind: "error", payload });
  }

  #end(ending: Ending): void {
    for (const block of this.#run.texts.values()) if (block instanceof Said) block.tell();
    this.#lanes.end({ ...ending, timestamp: this.#lanes.time });
    this.#isOpen = false;
    this.#run = new Run();
  }

  /** Takes the figures of the run, added up, as those of its last answer. */
  #usage(event: Members): void {
    const [place, rows, last] = [event.at("usage"), event.peek("usage") ?? null, this.#lanes.last];
    if (last === undefined && this.#isSaid && rows !== null) {
      event.value("usage");
      this.#reading.note("duplicate-text", place);
    }
    // What is left is reported.
    if (!Array.isArray(rows) || last === undefined || rows.length === 0) return;
    event.value("usage");
    const figures: Record<string, number> = {};
    for (const [at, row] of (rows as unknown[]).entries()) {
      if (!isObject(row)) {
        this.#reading.note("foreign-member", `${place}/${at}`);
        continue;
      }
      const entry = new Members(row, `${place}/${at}`, this.#reading);
      for (const [name, count] of Object.entries(countsOf(entry))) figures[name] = (figures[name] ?? 0) + count;
      entry.close();
    }
    const hasBoth = "inputTokens" in figures && "outputTokens" in figures;
    if (hasBoth && Object.values(figures).every(Number.isSafeInteger)) this.#lanes.whole(last, "usage", figures);
    else this.#reading.note("foreign-member", place);
  }

  /** Reads what a run waits for: approvals of calls; all else is reported. */
  #interrupts(outcome: Members): void {
    const [place, given] = [outcome.at("interrupts"), outcome.list("interrupts") ?? []];
    for (const [at, each] of given.entries()) {
      const inner = `${place}/${at}`;
      if (isObject(each) && this.#ours.has(own(each, "id"))) this.#reading.note("duplicate-text", inner);
      else if (!isObject(each) || !this.#approval(new Members(each, inner, this.#reading))) {
        this.#reading.note("foreign-part", inner);
      }
    }
  }

  #approval(interrupt: Members): boolean {
    const [approvalId, callId] = [interrupt.text("id"), interrupt.text("toolCallId")];
    const [reason, message] = [interrupt.text("reason"), interrupt.text("message")];
    if (!approvalId || !callId || this.#run.approvals.has(approvalId)) return false;
    const request: Json = { approvalId, toolCallId: callId };
    if (message !== undefined) request["reason"] = message;
    const kept: Json = reason === undefined || reason === APPROVAL ? {} : { reason };
    for (const name of KEPT_OF_INTERRUPTS) {
      const said = interrupt.peek(name) ?? null;
      if (said !== null && !isNested(said, MOST_LEVELS)) kept[name] = interrupt.value(name);
    }
    if (Object.keys(kept).length > 0) request["opaque"] = { provider: OWN, data: kept };
    this.#run.approvals.add(approvalId);
    const call = this.#run.calls.get(callId);
    if (call?.block.ended && call.answer === this.#lanes.last) {
      call.answer.hasApprovals = true;
      this.#lanes.whole(call.answer, "approval_request", request);
    } else {
      this.#lanes.add({ role: "assistant", parts: [{ kind: "approval_request", payload: request }] });
    }
    interrupt.close();
    return true;
  }

  // --- text ---------------------------------------------------------------------------------------

  #onTextStart(event: Members): boolean {
    const [id, role] = [event.text("messageId"), event.text("role") || "assistant"];
    return id !== undefined && !this.#run.texts.has(id) && this.#beginText(id, role, event);
  }

  #beginText(id: string, role: string, event: Members): boolean {
    this.#isOpen = true;
    if (role !== "assistant") return this.#beginSaid(id, role, event);
    const answer = this.#answerOf(id, event);
    const block = this.#lanes.block(answer, "text", id);
    this.#run.texts.set(id, block);
    this.#run.said.set(id, { answer, block });
    this.#lanes.move();
    return true;
  }

  #beginSaid(id: string, role: string, event: Members): boolean {
    const ours = SPOKEN.get(role);
    if (ours === undefined) return false;
    const message: Json = { role: ours, parts: [] };
    if (id !== "") message["messageId"] = id;
    const name = event.text("name");
    if (name) message["author"] = { name };
    if (role === "developer") {
      this.#reading.note("role-form", event.at("role"));
      message["meta"] = { [OWN]: { role } };
    }
    this.#run.texts.set(id, new Said(this.#lanes.add(message, false)));
    return true;
  }

  /** Returns the answer that a text or a call of this id belongs to; begins one. */
  #answerOf(answerId: string, event?: Members): Answer {
    const { last } = this.#lanes;
    if (last?.isSaid) return last;
    const found = this.#lanes.answerOf(answerId);
    if (found !== undefined) return found;
    if (last !== undefined && last.answerId === undefined) {
      this.#lanes.adopt(last, answerId);
      return last;
    }
    return this.#lanes.begin(answerId || undefined, answerId, event?.text("name"));
  }

  #say(id: string | undefined, text: string | undefined): boolean {
    const block = id === undefined ? undefined : this.#run.texts.get(id);
    if (block === undefined || text === undefined) return false;
    block.texts.push(text);
    if (block instanceof Block && text !== "") this.#lanes.write(block, "text", { textDelta: text });
    return true;
  }

  #endText(id: string | undefined): boolean {
    const block = id === undefined ? undefined : this.#run.texts.get(id);
    if (id === undefined || block === undefined) return false;
    this.#run.texts.delete(id);
    if (block instanceof Said) {
      block.tell();
      block.whole.isReady = true;
      this.#lanes.move();
      return true;
    }
    const opaque = stateOf(block.kept);
    if (opaque !== undefined) this.#lanes.write(block, "text", { textDelta: "", opaque });
    this.#lanes.close(block);
    return true;
  }

  // --- reasoning ----------------------------------------------------------------------------------

  #onThoughtStart(event: Members): boolean {
    const id = event.text("messageId");
    event.skip("role", "reasoning");
    return !event.has("role") && id !== undefined && this.#beginThought(id);
  }

  #beginThought(id: string): boolean {
    if (this.#run.openThoughts.has(id)) return false;
    this.#isOpen = true;
    this.#run.openThoughts.add(id);
    const stem = stemOf(id);
    let answer = this.#lanes.last;
    const goesOn = answer?.isSaid || answer?.answerId === undefined || answer.answerId === stem;
    if (answer === undefined || !goesOn) answer = this.#lanes.begin(stem || undefined, undefined);
    const again = answer.blocks.at(-1);
    if (again?.kind === "thinking" && again.name === id && id !== "" && !again.ended) {
      again.isOver = false; // It goes on.
      return true;
    }
    this.#run.thoughts.set(id, { answer, block: this.#lanes.block(answer, "thinking", id) });
    this.#lanes.move();
    return true;
  }

  #think(id: string | undefined, text: string | undefined): boolean {
    const part = this.#openThought(id);
    if (part === undefined || text === undefined) return false;
    if (text !== "") {
      part.block.texts.push(text);
      this.#lanes.write(part.block, "thinking", { textDelta: text });
    }
    return true;
  }

  #openThought(id: string | undefined): Part | undefined {
    return id !== undefined && this.#run.openThoughts.has(id) ? this.#run.thoughts.get(id) : undefined;
  }

  #endThought(id: string | undefined): boolean {
    const part = this.#openThought(id);
    if (id === undefined || part === undefined) return false;
    this.#run.openThoughts.delete(id);
    this.#lanes.close(part.block);
    return true;
  }

  /** Takes reasoning as versions before 1.0 have it: without ids. */
  #onOldThought(event: Members): boolean {
    const text = event.text("delta");
    if (text === undefined) return false;
    if (!this.#run.openThoughts.has("")) this.#beginThought("");
    return this.#think("", text);
  }

  #onValue(event: Members): boolean {
    const [form, entity, kept] = [event.text("subtype"), event.text("entityId"), takeState(event)];
    if (kept.value === undefined || entity === undefined) return false;
    const { calls, thoughts, said } = this.#run;
    let found: Part | undefined;
    if (form === "tool-call") found = calls.get(entity);
    else if (form === "message") found = thoughts.get(entity) ?? said.get(entity);
    if (found === undefined) return false;
    const { block } = found;
    if (block.ended) return this.#onLateValue(found, kept.value, kept.type);
    block.kept = { ...kept, own: block.kept.own };
    return true;
  }

  /** Writes the state of a part that is over: with text it joins, else as a part without. */
  #onLateValue({ answer, block }: Part, value: string, type: string | undefined): boolean {
    if (answer !== this.#lanes.last) return false;
    const isText = block.kind === "text";
    const joins = isText && block === answer.blocks.at(-1);
    const named = { [block.kind === "call" ? "toolCallId" : "id"]: block.name };
    const opaque = stateOf({ value, type, own: joins ? {} : named });
    this.#lanes.whole(answer, isText ? "text" : "thinking", { textDelta: "", opaque });
    return true;
  }

  // --- calls --------------------------------------------------------------------------------------

  #onCallStart(event: Members): boolean {
    const [id, name] = [event.text("toolCallId"), event.text("toolCallName")];
    if (!id || !name || this.#run.calls.has(id)) return false;
    this.#beginCall(id, name, event);
    return true;
  }

  #beginCall(id: string, name: string, event: Members): Part {
    this.#isOpen = true;
    const answer = this.#answerOf(event.text("parentMessageId") || id);
    answer.hasCalls = true;
    const block = this.#lanes.block(answer, "call", id, name);
    block.places.push(event.place);
    const part = { answer, block };
    this.#run.calls.set(id, part);
    keepMetadata(block, event);
    this.#lanes.write(block, "tool_call_start", { toolCallId: id, toolName: name });
    return part;
  }

  #onCallArgs(event: Members): boolean {
    const [block, text] = [this.#openCall(event), event.text("delta")];
    if (block === undefined || text === undefined) return false;
    this.#argue(block, text, event);
    return true;
  }

  #argue(block: Block, text: string, event: Members): void {
    keepMetadata(block, event);
    block.places.push(event.place);
    if (text === "") return;
    block.texts.push(text);
    this.#lanes.write(block, "tool_call_args", { toolCallId: block.name, argsTextDelta: text });
  }

  #openCall(event: Members): Block | undefined {
    const block = this.#run.calls.get(event.text("toolCallId") ?? "")?.block;
    return block?.ended ? undefined : block;
  }

  #onCallEnd(event: Members): boolean {
    const block = this.#openCall(event);
    if (block === undefined) return false;
    keepMetadata(block, event);
    this.#endCall(block);
    return true;
  }

  #endCall(block: Block): void {
    const opaque = stateOf(block.kept);
    const state = opaque === undefined ? {} : { opaque };
    this.#lanes.write(block, "tool_call_end", { toolCallId: block.name, ...state });
    this.#lanes.close(block);
  }

  #onResult(event: Members): boolean {
    const [callId, messageId] = [event.text("toolCallId"), event.text("messageId")];
    if (!callId || (event.peek("content") ?? null) === null) return false;
    this.#isOpen = true;
    event.skip("role", "tool");
    const { part, error } = resultOf(callId, event, this.#reading);
    const metadata = event.object("metadata");
    const subagentRunId = event.text("subagentRunId");
    const kept: Json = {};
    if (error !== undefined) kept["error"] = error;
    if (metadata !== undefined) kept["metadata"] = metadata;
    if (subagentRunId !== undefined) kept["subagentRunId"] = subagentRunId;
    const message: Json = { role: "tool", parts: [part] };
    if (messageId) message["messageId"] = messageId;
    if (Object.keys(kept).length > 0) message["meta"] = { [OWN]: kept };
    this.#run.answered.add(callId);
    this.#lanes.add(message);
    return true;
  }

  // --- chunks -------------------------------------------------------------------------------------

  /** Ends what comes in chunks, if an event of this type ends it. */
  #closeChunk(type: string): void {
    if (this.#chunk === undefined || BESIDE_CHUNKS.includes(type)) return;
    const { form, name } = this.#chunk;
    this.#chunk = undefined;
    if (form === "text") {
      this.#endText(name);
    } else if (form === "thinking") {
      this.#endThought(name);
    } else {
      const block = this.#run.calls.get(name)?.block;
      if (block?.ended === false) this.#endCall(block);
    }
  }

  /** Returns the id that a chunk goes on with; one of another ends what came before. */
  #inChunk(form: Form, given: string | undefined): string | undefined {
    const chunk = this.#chunk;
    if (chunk !== undefined && (chunk.form !== form || (given ?? chunk.name) !== chunk.name)) this.#closeChunk("");
    return this.#chunk === undefined ? given : this.#chunk.name;
  }

  #onTextChunk(event: Members): boolean {
    const [given, text] = [event.text("messageId"), event.text("delta")];
    const id = this.#inChunk("text", given);
    if (id === undefined) return false;
    const block = this.#run.texts.get(id);
    if (block === undefined) {
      if (!this.#beginText(id, event.text("role") || "assistant", event)) return false;
      this.#chunk = { form: "text", name: id };
    } else {
      skipSaid(block, event);
    }
    return this.#say(id, text ?? "");
  }

  #onThoughtChunk(event: Members): boolean {
    const [given, text] = [event.text("messageId"), event.text("delta")];
    const id = this.#inChunk("thinking", given);
    if (id === undefined) return false;
    if (!this.#run.openThoughts.has(id)) {
      this.#beginThought(id);
      this.#chunk = { form: "thinking", name: id };
    }
    return this.#think(id, text ?? "");
  }

  #onCallChunk(event: Members): boolean {
    const [given, name, text] = [event.text("toolCallId"), event.text("toolCallName"), event.text("delta")];
    const id = this.#inChunk("call", given);
    if (!id) return false;
    let part = this.#run.calls.get(id);
    if (part === undefined) {
      if (!name) return false;
      part = this.#beginCall(id, name, event);
      this.#chunk = { form: "call", name: id };
    }
    const { answer, block } = part;
    if (block.ended || (name ?? block.tool) !== block.tool) return false;
    event.skip("parentMessageId", answer.answerId);
    this.#argue(block, text ?? "", event);
    return true;
  }

  // --- snapshots, and what is ours ----------------------------------------------------------------

  #onSnapshot(event: Members): boolean {
    const [at, messages] = [event.at("messages"), event.list("messages")];
    if (messages === undefined) return false;
    this.#isOpen = true;
    this.#snapshots.read(messages, at, true);
    return true;
  }

  #onCustom(event: Members): boolean {
    if (event.value("name") !== PARTWIRE) {
      for (const name of ["value", "metadata"]) event.value(name);
      this.#reading.note("foreign-event", event.place);
      return true;
    }
    const value = event.object("value") ?? {};
    const [delta, message] = [own(value, "delta"), own(value, "message")];
    try {
      if (isObject(delta)) return this.#take(delta, event.place);
      return isObject(message) && this.#takeMessage(message, own(value, "covers"));
    } catch (error) {
      if (!(error instanceof PartwireError)) throw error;
      this.#reading.note("extension-unread", event.place);
      return true;
    }
  }

  /** Takes a whole message of ours, and the types of the events that say it again. */
  #takeMessage(message: Json, covers: unknown): boolean {
    const { role, parts } = readMessage(message);
    this.#lanes.add(message);
    this.#isSaid ||= role === "assistant";
    for (const { payload } of parts) this.#keepApproval(payload as unknown as Json);
    this.#isOpen = true;
    this.#run.covered = Array.isArray(covers) ? [...covers].reverse() : [];
    return true;
  }

  #keepApproval(payload: Json): void {
    const id = own(payload, "approvalId");
    if (id !== undefined) this.#ours.add(id);
  }

  /** Tells whether an event says what a message of ours has said. */
  #covers(type: string, place: string): boolean {
    const next = this.#run.covered.pop();
    if (next === undefined || next === type) return next === type;
    this.#run.covered = [];
    this.#reading.note("extension-unread", place);
    return false;
  }

  /** Takes a delta of ours, which the protocol has no event for. */
  #take(delta: Json, place: string): boolean {
    if (!isTimed({ ...delta, seq: 0 })) {
      this.#reading.note("extension-unread", place);
      return true;
    }
    const [kind, payload, last] = [delta["kind"] as string, delta["payload"] as Json, this.#lanes.last];
    if (kind === "start") {
      this.#lanes.beginSaid(delta);
      this.#isOpen = true;
      this.#isSaid = true;
      this.#run.hasFailed = false;
      return true;
    }
    if (last?.isSaid !== true) return false;
    const which = MANY.get(kind);
    if (kind === "done" || kind === "error") {
      this.#lanes.endSaid(last, delta as unknown as Ending);
      this.#run.hasFailed = kind === "error";
    } else if (WHOLE.includes(kind)) {
      this.#keepApproval(payload);
      this.#lanes.whole(last, kind, payload);
    } else if (which !== undefined) {
      this.#takePart(last, kind, payload, `${which} ${payload[which]}`);
    } else {
      return false;
    }
    return true;
  }

  #takePart(answer: Answer, kind: string, payload: Json, name: string): void {
    if (kind.endsWith("_start")) this.#run.own.set(name, this.#lanes.block(answer, "own", name));
    const block = this.#run.own.get(name);
    if (block === undefined || block.ended) {
      this.#lanes.whole(answer, kind, payload);
      return;
    }
    this.#lanes.write(block, kind, payload);
    if (kind.endsWith("_end")) this.#lanes.close(block);
  }
}

/** Returns an event as a JSON value; undefined for a line without one. */
function eventOf(given: unknown): unknown {
  if (!isJsonText(given)) return sourceOf(given);
  const data = sseData(given);
  return data === undefined ? undefined : decodeJson(data);
}

/** Takes the figures of a model; its total is that of input and output where it does not say one. */
function countsOf(row: Members): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [theirs, ours] of USAGE) {
    const count = row.count(theirs);
    if (count !== undefined) counts[ours] = count;
  }
  counts["totalTokens"] ??= (counts["inputTokens"] ?? 0) + (counts["outputTokens"] ?? 0);
  return counts;
}

/** Keeps the metadata of the events of a call, which are the call's: the last one counts. */
function keepMetadata(block: Block, event: Members): void {
  if (isNested(event.peek("metadata"), MOST_LEVELS)) return; // What is left is reported.
  const metadata = event.object("metadata");
  if (metadata === undefined) return;
  const before = block.kept.own;
  block.kept = { ...block.kept, own: { ...before, metadata: { ...(before["metadata"] as Json), ...metadata } } };
}

/** Takes what a chunk says again of a message that has begun. */
function skipSaid(block: Block | Said, event: Members): void {
  if (block instanceof Block) {
    event.skip("role", "assistant");
    return;
  }
  const { role, meta, author } = block.whole.message as { role: string; meta?: Json; author?: Json };
  event.skip("role", (meta?.[OWN] as Json | undefined)?.["role"] ?? role);
  event.skip("name", author?.["name"]);
}

/** Takes the time of an event, in milliseconds since the epoch. */
function timeOf(event: Members): string | undefined {
  const ms = event.peek("timestamp");
  if (typeof ms !== "number" || !Number.isSafeInteger(ms) || ms < 0 || ms > LAST_MS) return undefined;
  event.value("timestamp");
  return textOf(ms);
}
