/** The UI message stream, read: each step is a stream of deltas, results are whole messages. */

import type { Message } from "../../contract/current/message.js";
import { inOrder, type Loss } from "../../convert/losses.js";
import { PartwireError } from "../../errors.js";
import { jsonText } from "../../json/compact.js";
import { decodeJson, isJsonText } from "../../json/documents.js";
import { sameJson } from "../../json/equality.js";
import { escapePointer } from "../../json/text.js";
import { isObject, own } from "../../json/values.js";
import { DeltaStream } from "../core/deltas.js";
import { PARTWIRE } from "../core/extension.js";
import { isTimed, type RunItem, readMessage } from "../core/items.js";
import type { Json, Members, Reading } from "../core/reading.js";
import { sourceOf } from "../core/source.js";
import type { StreamReader } from "../core/streams.js";
import { DONE, REASONS, sseData } from "./chunks.js";
import { cited, mediaOf, resultAs, saidIn } from "./extension.js";
import { messagesOfOne } from "./read.js";
import { callState, withBlock } from "./server-tools.js";
import { opaqueOf, ownState } from "./state.js";
import { Block, type BlockKind, type BlockState, type Came, Step } from "./stream-step.js";
import { deniedResult, errorResult, fileOf, resultOf } from "./values.js";

const UNKNOWN = "unknown";

/** Returns a reader of one UI message stream. */
export function openUiReader(reading: Reading): StreamReader {
  return new UiStreamReader(reading);
}

/** Reads a chunk of one type; false where it does not have its form. */
type Handler = (reader: UiStreamReader, chunk: Members) => boolean | void;

/**
 * Events in, deltas and messages out. An event is a chunk (a JSON object or its text), a line of the event stream
 * that begins with `data:`, or `[DONE]`. A stream ends well by `finish` or `[DONE]`.
 */
export class UiStreamReader implements StreamReader {
  readonly #reading: Reading;
  #number = -1;
  #steps = 0;
  #messageId: string | undefined;
  #step: Step | undefined;
  #items: RunItem[] = [];
  #reason: string | undefined;
  /** Of ours, for the next message. */
  #start: Json | undefined;
  /** Of ours, for the end of this one. */
  #ends: Json | undefined;
  #failure: Json | undefined;
  #isOver = false;
  #hasBegun = false;
  readonly #server = new Set<string>();
  readonly #known = new Set<string>();
  readonly #answered = new Set<string>();
  /** The call of each approval. */
  readonly #approvals = new Map<string, string>();
  /** What a person said of the approval that was asked for last, by call. */
  readonly #reasons = new Map<string, { readonly approvalId: string; reason: string | undefined }>();
  /** Results that no step is open for. */
  #late = new Map<string, Came>();

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  get losses(): readonly Loss[] {
    return inOrder(this.#reading.losses);
  }

  // --- events -----------------------------------------------------------------------------------

  feed(event: unknown): RunItem[] {
    this.#number++;
    const place = `/${this.#number}`;
    let value = event;
    if (isJsonText(event)) {
      const data = sseData(event);
      if (data === DONE) this.#isOver = true;
      if (data === undefined || data === DONE) return [];
      value = decodeJson(data);
    } else {
      value = sourceOf(event);
    }
    const chunk = this.#reading.members(value, place);
    const kind = chunk.text("type");
    if (kind === undefined) throw this.#reading.refuse(`${place}/type`, "the type of a chunk", chunk.peek("type"));
    const handler = HANDLERS.get(kind);
    if (handler === undefined) {
      this.#reading.note("foreign-event", place);
      return [];
    }
    if (handler(this, chunk) === false) this.#reading.note("malformed-event", place);
    else chunk.close();
    return this.#taken();
  }

  finish(): RunItem[] {
    if (!this.#isOver && this.#failure === undefined) {
      const message = "The stream ended before it was finished";
      this.#failure = { errorCode: "truncated_stream", message };
    }
    this.#end();
    return this.#taken();
  }

  #taken(): RunItem[] {
    const taken = this.#items;
    this.#items = [];
    return taken;
  }

  #end(): void {
    // What failed was to come, or the answer is empty.
    if (this.#hasBegun && (this.#failure !== undefined || this.#steps === 0)) this.#open();
    this.#endStep(true);
    this.#hasBegun = false;
  }

  // --- the run ----------------------------------------------------------------------------------

  onStart(chunk: Members): void {
    this.onMetadata(chunk);
    this.#hasBegun = true;
    this.#isOver = false;
    const messageId = chunk.text("messageId") || undefined;
    const isLate = this.#steps > 0 && messageId !== undefined && messageId !== this.#messageId;
    if (isLate)
      this.#reading.note("foreign-member", chunk.at("messageId")); // it stands on the first
    else this.#messageId = messageId;
  }

  onStartStep(): void {
    this.#endStep(false);
    this.#open();
  }

  onFinishStep(): void {
    const step = this.#step;
    if (step === undefined) return;
    step.isDone = true;
    if (step.isSettled && step.hasCalls && this.#failure === undefined) this.#endStep(false);
  }

  onFinish(chunk: Members): void {
    this.onMetadata(chunk);
    this.#hasBegun = true;
    const said = chunk.text("finishReason");
    this.#reason = said === undefined ? undefined : REASONS.get(said) || said || undefined;
    this.#end();
    this.#isOver = true;
    this.#failure = this.#reason = undefined;
  }

  onFailure(errorCode: string, message: string): void {
    this.#hasBegun = true;
    this.#failure ??= { errorCode, message };
  }

  /** Ends what came of the step as incomplete: it was shown, and is not taken back. */
  onResetStep(chunk: Members): void {
    this.#reading.note("foreign-event", chunk.place);
    const step = this.#step;
    if (step === undefined || step.isDone) return;
    step.flush();
    step.say("error", { errorCode: "cancelled", message: "The step was begun again" });
    this.#step = undefined;
    this.#open();
  }

  /** Reads what a user says while the answer goes on: a message between two steps. */
  onSteering(chunk: Members): boolean {
    const message = { id: chunk.text("id") ?? "", role: "user", parts: chunk.list("parts") };
    if (message.parts === undefined) return false;
    const [said] = messagesOfOne(message, chunk.place, this.#reading);
    this.#endStep(false);
    this.#whole({ ...said });
    return true;
  }

  /** Takes metadata of the message: what is ours; the application's is reported. */
  onMetadata(chunk: Members): void {
    const place = chunk.at("messageMetadata");
    const metadata = chunk.object("messageMetadata");
    if (metadata === undefined) return;
    if (Object.keys(metadata).some((name) => name !== PARTWIRE)) this.#reading.note("foreign-member", place);
    for (const delta of saidIn(metadata[PARTWIRE])) {
      if (!this.#take(delta)) this.#reading.note("extension-unread", place);
    }
  }

  /** Takes a delta that a writer of ours has put beside the events; returns whether it fits. */
  #take(delta: Json): boolean {
    if (!isTimed({ runId: "r", ...delta, seq: 0 })) return false;
    const { kind, payload } = delta;
    if (kind === "start") this.#start = delta;
    else if (kind === "done" || kind === "error") this.#ends = delta;
    else if ((kind === "usage" || kind === "warning") && this.#step !== undefined) this.#put(kind, payload as Json);
    else return false;
    return true;
  }

  /** Returns the step that is open; begins one. */
  #open(): Step {
    if (this.#step !== undefined) return this.#step;
    this.#isOver = false;
    const reading = this.#reading;
    const messageId = this.#steps > 0 ? undefined : this.#messageId;
    this.#steps++;
    const said = this.#start as { runId?: string; timestamp: string; messageId?: string; turnId?: string } | undefined;
    if (said === undefined) {
      reading.note("model-invented", "");
      reading.noteGiven();
    }
    const ids = said === undefined ? { messageId } : { messageId: said.messageId, turnId: said.turnId };
    const stream = new DeltaStream(said?.runId ?? reading.runId, said?.timestamp ?? reading.timestamp, ids);
    const start = { modelId: UNKNOWN, requestId: `${reading.runId}.${this.#steps}` };
    const step = new Step(stream, reading, (item) => this.#items.push(item));
    step.say("start", (this.#start?.["payload"] as Json | undefined) ?? start);
    this.#start = this.#ends = undefined;
    this.#hasBegun = true;
    return (this.#step = step);
  }

  /** Ends the message of the open step, and gives what came of its calls. */
  #endStep(isLast: boolean): void {
    const step = this.#step;
    this.#step = undefined;
    if (step !== undefined) {
      step.flush();
      this.#sayEnding(step, isLast);
      step.noteCitations();
    }
    const came = new Map([...this.#late, ...(step?.results ?? [])]);
    this.#late = new Map();
    if (came.size > 0) this.#whole({ role: "tool", parts: [...came.values()].map(({ part }) => part) });
  }

  /** Gives a whole message, of the run and the time that the caller says. */
  #whole(message: Json): void {
    const { runId, timestamp } = this.#reading;
    this.#reading.noteGiven();
    const made: Message = readMessage({ runId, timestamp, ...message });
    this.#items.push(made);
  }

  #sayEnding(step: Step, isLast: boolean): void {
    const said = this.#ends as { kind: string; payload: Json; timestamp: string } | undefined;
    this.#ends = undefined;
    if (this.#failure !== undefined && isLast) {
      const own = said?.kind === "error" ? said : undefined;
      step.say("error", own?.payload ?? this.#failure, own?.timestamp);
    } else if (step.hasOpenCall) {
      step.say("error", { errorCode: "truncated_stream", message: "The arguments of a call did not end" });
    } else if (said?.kind === "done") {
      step.say("done", said.payload, said.timestamp);
    } else {
      const reason = isLast ? this.#reason : undefined;
      step.say("done", { finishReason: reason ?? (step.hasCalls ? "tool_calls" : UNKNOWN) });
    }
  }

  // --- text -------------------------------------------------------------------------------------

  onTextStart(kind: BlockKind, chunk: Members): boolean {
    const id = chunk.text("id");
    if (id === undefined) return false;
    const block = new Block(kind);
    this.#open().addText(block, id);
    this.#stateOf(block, chunk);
    return true;
  }

  /**
   * Returns the metadata of a part: the last one counts, as in the SDK. What another one said before, and the last
   * one does not, is reported.
   */
  #stateOf(block: Block, chunk: Members): BlockState | undefined {
    const metadata = some(chunk.object("providerMetadata"));
    if (metadata === undefined) return block.state;
    const place = chunk.at("providerMetadata");
    const { state } = block;
    const gone = state === undefined ? [] : takenBack(state.metadata, metadata);
    for (const member of gone) this.#reading.note("foreign-member", `${state?.place}${member}`);
    return (block.state = { metadata, place });
  }

  onTextDelta(kind: BlockKind, chunk: Members): boolean {
    const [step, id, text] = [this.#step, chunk.text("id"), chunk.text("delta")];
    const block = id === undefined ? undefined : step?.textOf(kind, id);
    if (step === undefined || block === undefined || text === undefined) return false;
    this.#stateOf(block, chunk);
    block.text.push(text);
    step.write(block, kind, { textDelta: text });
    return true;
  }

  onTextEnd(kind: BlockKind, chunk: Members): boolean {
    const [step, id] = [this.#step, chunk.text("id")];
    const block = id === undefined ? undefined : step?.textOf(kind, id);
    if (step === undefined || id === undefined || block === undefined) return false;
    step.forgetText(kind, id);
    const state = this.#stateOf(block, chunk);
    const opaque = state && opaqueOf(kind, state.metadata, block.text.join(""), state.place, this.#reading);
    if (opaque !== undefined) step.write(block, kind, { textDelta: "", opaque });
    step.close(block);
    return true;
  }

  // --- what is whole ----------------------------------------------------------------------------

  #put(kind: string, payload: Json, place = ""): void {
    const step = this.#open();
    const block = step.add(new Block("whole", place));
    block.ended = true;
    step.write(block, kind, payload);
  }

  onSource(source: Json, chunk: Members): boolean {
    const said: Json = { ...source };
    for (const [ours, theirs] of [
      ["id", "sourceId"],
      ["title", "title"],
    ] as const) {
      const text = chunk.text(theirs);
      if (text) said[ours] = text;
    }
    const metadata = chunk.object("providerMetadata") ?? {};
    const own = cited(metadata, this.#reading, chunk.place);
    const state = some(metadata) === undefined ? {} : { opaque: ownState({ providerMetadata: metadata }) };
    this.#put("text_citation", { citation: own ?? { source: said, ...state } }, chunk.place);
    return true;
  }

  onSourceUrl(chunk: Members): boolean {
    const url = chunk.text("url");
    return url ? this.onSource({ kind: "url", url }, chunk) : false;
  }

  onFile(chunk: Members): boolean {
    const part = fileOf(chunk, this.#reading, false);
    if (part === undefined) return false;
    const payload = part["payload"] as Json;
    const step = this.#open();
    const head = { mediaId: `media_${step.blocks.length}` };
    const source = (payload["source"] ?? payload) as Json;
    const place = chunk.at("providerMetadata");
    const metadata = chunk.object("providerMetadata") ?? {};
    const opaque = opaqueOf("media", metadata, "", place, this.#reading);
    const said = mediaOf(metadata);
    const name = said["name"] ?? payload["name"];
    const block = step.add(new Block("whole"));
    step.write(block, "media_start", { ...head, mimeType: payload["mimeType"], ...(name ? { name } : {}) });
    const data = "data" in source ? { data: source["data"] } : {};
    const words = "transcript" in said ? { transcriptDelta: said["transcript"] } : {};
    const content = { ...data, ...words };
    if (some(content) !== undefined) step.write(block, "media_data", { ...head, ...content });
    const end: Json = { ...head };
    if (opaque !== undefined) end["opaque"] = opaque;
    if ("sizeBytes" in said) end["sizeBytes"] = said["sizeBytes"];
    if (!("data" in source)) {
      const where = "url" in source ? "url" : "ref";
      end["source"] = { kind: where, [where]: source[where] };
    }
    step.write(block, "media_end", end);
    step.close(block);
    return true;
  }

  // --- calls ------------------------------------------------------------------------------------

  /** Begins a call; undefined where the event does not say one, or one that is there. */
  onCallStart(chunk: Members): Block | undefined {
    const [id, name] = [chunk.text("toolCallId"), chunk.text("toolName")];
    if (!id || !name) return undefined;
    if (this.#known.has(id) && (this.#step === undefined || this.#step.calls.has(id))) return undefined;
    const isServer = chunk.flag("providerExecuted") ?? false;
    if (chunk.flag("dynamic")) this.#reading.note("tool-form", chunk.place);
    const step = this.#open();
    const block = step.add(new Block(isServer ? "server_call" : "call", id, name));
    this.#stateOf(block, chunk);
    block.places.push(chunk.place);
    step.calls.set(id, block);
    this.#known.add(id);
    this.#answered.delete(id);
    if (isServer) {
      this.#server.add(id);
    } else {
      this.#server.delete(id);
      step.hasCalls = true;
    }
    step.write(block, named(block, "start"), { toolCallId: id, toolName: name });
    return block;
  }

  onCallDelta(chunk: Members): boolean {
    const [block, text] = [this.#callOf(chunk.text("toolCallId")), chunk.text("inputTextDelta")];
    if (block === undefined || block.ended || text === undefined) return false;
    block.text.push(text);
    block.places.push(chunk.place);
    if (text !== "") this.#step?.write(block, named(block, "args"), { toolCallId: block.name, argsTextDelta: text });
    return true;
  }

  #callOf(id: unknown): Block | undefined {
    return typeof id === "string" ? this.#step?.calls.get(id) : undefined;
  }

  /** Ends a call, and returns it; undefined where the event does not end one. */
  onCallEnd(chunk: Members): Block | undefined {
    let block = this.#callOf(chunk.peek("toolCallId"));
    if (block === undefined) {
      block = this.onCallStart(chunk);
    } else {
      chunk.skip("toolCallId", block.name);
      chunk.skip("toolName", block.tool);
      chunk.skip("providerExecuted", block.kind === "server_call");
      if (chunk.flag("dynamic")) this.#reading.note("tool-form", chunk.place);
    }
    if (block === undefined || block.ended) return undefined;
    const step = this.#open();
    const [place, given, said] = [chunk.at("input"), chunk.value("input"), block.text.join("")];
    const head = { toolCallId: block.name };
    if (said === "" && given !== null) {
      const text = typeof given === "string" ? given : jsonText(given);
      step.write(block, named(block, "args"), { ...head, argsTextDelta: text });
    } else if (said !== "" && given !== said && !sameJson(valueIn(said), given)) {
      this.#reading.note("foreign-member", place);
    }
    const isServer = block.kind === "server_call";
    const state = this.#stateOf(block, chunk);
    const kind = isServer ? "server_tool_call" : "tool_call";
    const opaque =
      (state && opaqueOf(kind, state.metadata, "", state.place, this.#reading)) ??
      (isServer ? callState(block.name, block.tool, given) : undefined);
    step.write(block, named(block, "end"), opaque === undefined ? head : { ...head, opaque });
    step.close(block);
    return block;
  }

  onCallError(chunk: Members): boolean {
    const text = chunk.text("errorText") ?? "";
    const block = this.onCallEnd(chunk);
    if (block === undefined) return false;
    return this.#answer(block.name, errorResult(block.name, text));
  }

  // --- results and approvals --------------------------------------------------------------------

  onOutput(chunk: Members): boolean {
    const id = chunk.text("toolCallId");
    if (!id || !chunk.has("output")) return false;
    const [place, output] = [chunk.at("output"), chunk.value("output")];
    const members = chunk.flag("preliminary") ? { outcome: "partial" } : {};
    return this.#answer(id, resultOf(id, output, place, this.#reading, members), chunk);
  }

  onOutputError(chunk: Members): boolean {
    const id = chunk.text("toolCallId");
    return id ? this.#answer(id, errorResult(id, chunk.text("errorText") ?? ""), chunk) : false;
  }

  onOutputDenied(chunk: Members): boolean {
    const id = chunk.text("toolCallId");
    return id ? this.#answer(id, deniedResult(id, this.#reasons.get(id)?.reason), chunk) : false;
  }

  /** Takes the result of a call; a later one replaces it, as long as its step is open. */
  #answer(id: string, given: Json, chunk?: Members): boolean {
    let said = chunk?.flag("providerExecuted");
    if (chunk?.flag("dynamic")) this.#reading.note("tool-form", chunk.place);
    const place = `/${this.#number}`;
    const metadata = chunk?.object("providerMetadata");
    const own = resultAs(metadata, given, this.#reading, place);
    const result = own ?? given;
    const state = own === undefined ? some(metadata) : undefined;
    if (said !== undefined && this.#known.has(id) && said !== this.#server.has(id)) {
      this.#reading.note("foreign-member", `${place}/providerExecuted`);
      said = undefined;
    }
    if (this.#server.has(id) || said === true) return this.#answerOfServer(id, result, state, place);
    const came = this.#step?.results ?? this.#late;
    if (state !== undefined) this.#reading.note("foreign-member", `${place}/providerMetadata`);
    const key = `result ${id}`;
    const before = came.get(key);
    if (before !== undefined) this.#reading.note("preliminary", before.place);
    else if (this.#answered.has(id)) return false;
    this.#answered.add(id);
    came.set(key, { part: result, place });
    return true;
  }

  /** Takes the result of a call that the provider ran: a part of the answer. */
  #answerOfServer(id: string, result: Json, state: Json | undefined, place: string): boolean {
    const payload = result["payload"] as Json;
    if (payload["outcome"] === "partial") {
      this.#reading.note("preliminary", place); // a later one comes whole
      return true;
    }
    if (this.#answered.has(id) || this.#step?.answered.has(id) || this.#callOf(id)?.ended === false) return false;
    this.#answered.add(id);
    this.#open().answered.add(id);
    const opaque = state && opaqueOf("server_tool_result", state, "", `${place}/providerMetadata`, this.#reading);
    this.#put("server_tool_result", withBlock(opaque === undefined ? payload : { ...payload, opaque }));
    return true;
  }

  onApprovalRequest(chunk: Members): boolean {
    const [approvalId, toolCallId] = [chunk.text("approvalId"), chunk.text("toolCallId")];
    if (!approvalId || !toolCallId || this.#callOf(toolCallId)?.ended !== true) return false;
    if (this.#approvals.has(approvalId)) return false;
    this.#approvals.set(approvalId, toolCallId);
    this.#reasons.set(toolCallId, { approvalId, reason: undefined });
    const request: Json = { approvalId, toolCallId };
    const reason = chunk.text("reason");
    if (reason !== undefined) request["reason"] = reason;
    const kept = Object.fromEntries(
      ["isAutomatic", "signature"].filter((name) => chunk.has(name)).map((name) => [name, chunk.value(name)]),
    );
    if (some(kept) !== undefined) request["opaque"] = ownState(kept);
    this.#put("approval_request", request);
    return true;
  }

  onApprovalResponse(chunk: Members): boolean {
    const [approvalId, approved] = [chunk.text("approvalId"), chunk.flag("approved")];
    const toolCallId = this.#approvals.get(approvalId ?? "");
    if (!approvalId || approved === undefined || toolCallId === undefined) return false;
    const reason = chunk.text("reason");
    const asked = this.#reasons.get(toolCallId);
    if (asked?.approvalId === approvalId) asked.reason = reason;
    const came = this.#step?.results ?? this.#late;
    const key = `approval ${approvalId}`;
    if (came.has(key)) return false;
    const decision = approved ? "approved" : "denied";
    const payload = { approvalId, toolCallId, decision, ...(reason === undefined ? {} : { reason }) };
    came.set(key, { part: { kind: "approval_response", payload }, place: chunk.place });
    return true;
  }
}

const HANDLERS: ReadonlyMap<string, Handler> = /* @__PURE__ */ new Map<string, Handler>([
  ["start", (reader, chunk) => reader.onStart(chunk)],
  ["message-metadata", (reader, chunk) => reader.onMetadata(chunk)],
  ["start-step", (reader) => reader.onStartStep()],
  ["finish-step", (reader) => reader.onFinishStep()],
  ["finish", (reader, chunk) => reader.onFinish(chunk)],
  ["abort", (reader, chunk) => reader.onFailure("cancelled", chunk.text("reason") || "aborted")],
  ["error", (reader, chunk) => reader.onFailure(UNKNOWN, chunk.text("errorText") || "error")],
  ["reset-step", (reader, chunk) => reader.onResetStep(chunk)],
  ["steering-message", (reader, chunk) => reader.onSteering(chunk)],
  ["text-start", (reader, chunk) => reader.onTextStart("text", chunk)],
  ["text-delta", (reader, chunk) => reader.onTextDelta("text", chunk)],
  ["text-end", (reader, chunk) => reader.onTextEnd("text", chunk)],
  ["reasoning-start", (reader, chunk) => reader.onTextStart("thinking", chunk)],
  ["reasoning-delta", (reader, chunk) => reader.onTextDelta("thinking", chunk)],
  ["reasoning-end", (reader, chunk) => reader.onTextEnd("thinking", chunk)],
  ["source-url", (reader, chunk) => reader.onSourceUrl(chunk)],
  ["source-document", (reader, chunk) => reader.onSource({ kind: "document" }, chunk)],
  ["file", (reader, chunk) => reader.onFile(chunk)],
  ["tool-input-start", (reader, chunk) => reader.onCallStart(chunk) !== undefined],
  ["tool-input-delta", (reader, chunk) => reader.onCallDelta(chunk)],
  ["tool-input-available", (reader, chunk) => reader.onCallEnd(chunk) !== undefined],
  ["tool-input-error", (reader, chunk) => reader.onCallError(chunk)],
  ["tool-output-available", (reader, chunk) => reader.onOutput(chunk)],
  ["tool-output-error", (reader, chunk) => reader.onOutputError(chunk)],
  ["tool-output-denied", (reader, chunk) => reader.onOutputDenied(chunk)],
  ["tool-approval-request", (reader, chunk) => reader.onApprovalRequest(chunk)],
  ["tool-approval-response", (reader, chunk) => reader.onApprovalResponse(chunk)],
]);

/** Returns an object that has members; undefined for an empty one. */
function some(object: Json | undefined): Json | undefined {
  return object !== undefined && Object.keys(object).length > 0 ? object : undefined;
}

/** Yields the places of what metadata said and that which came behind it does not. */
function* takenBack(before: Json, after: Json): Generator<string, void, undefined> {
  for (const [provider, said] of Object.entries(before)) {
    const other = own(after, provider);
    const place = `/${escapePointer(provider)}`;
    if (!isObject(said) || !isObject(other)) {
      if (!sameJson(said, other)) yield place;
      continue;
    }
    for (const [name, value] of Object.entries(said)) {
      if (value !== null && !sameJson(own(other, name), value)) yield `${place}/${escapePointer(name)}`;
    }
  }
}

function named(block: Block, step: "start" | "args" | "end"): string {
  return block.kind === "call" ? `tool_call_${step}` : `server_tool_call_${step}`;
}

/** Returns the value that argument text is; null for other text. */
function valueIn(text: string): unknown {
  try {
    return decodeJson(text);
  } catch (error) {
    if (error instanceof PartwireError) return null;
    throw error;
  }
}
