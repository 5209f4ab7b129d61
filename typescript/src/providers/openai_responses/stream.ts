/**
 * OpenAI Responses and its vendors: raw events → deltas.
 *
 * End markers: `response.completed`, `response.incomplete`, `response.failed`; nothing comes after
 * them. What the format says and what vendors make of it:
 *
 * - Items are distinguished by `output_index`, then by id: some relays make up ids at every event.
 *   Streams that are resumed begin anywhere; sequence numbers are not read.
 * - The same text comes up to five times: by deltas, with the part, with the item and with the
 *   whole response. What a later event says beyond the deltas is written; where it says something
 *   else, the deltas stay, with a finding.
 * - `function_call` and `custom_tool_call` are tool calls of ours; a custom tool's input is text
 *   and becomes raw arguments. Tools that the provider runs are server tool calls with their results,
 *   `mcp_approval_request` is one that waits for approval, an image is media: each with its whole item
 *   in `opaque`. What else there is, such as built-in tools of the caller's, is kept whole beside the
 *   message, with a finding.
 * - Reasoning summaries are thinking; raw reasoning is, where an item has no summary.
 * - A refusal is text of the answer, and turns `completed` into `refusal`.
 * - Reasoning items are kept whole, encrypted or not; of messages, ids, phases and annotations, which
 *   are citations as well.
 * - Sound has no item and no type: one media for the response.
 *
 * Source: https://platform.openai.com/docs/api-reference/responses-streaming.
 */

import { RESPONSES } from "../../generated/tables/finish-reasons.js";
import { sameJson } from "../../json/equality.js";
import { isObject } from "../../json/values.js";
import { type AdapterInit, ProviderAdapter } from "../core/adapter.js";
import { errorBody, saidError } from "../core/errors.js";
import { shown } from "../core/findings.js";
import { spelledAs } from "../core/spelling.js";
import { ChatUsage } from "../core/usage.js";
import { type Members, member, saysAnything } from "../core/values.js";
import { ResponsesContent } from "./content.js";
import { type Channel, RAW, REFUSAL, SUMMARY, TEXT } from "./items.js";

const TEXT_DELTA = "response.output_text.delta";
const DELTAS: ReadonlyMap<string, Channel> = new Map([
  [TEXT_DELTA, TEXT],
  ["response.content_part.delta", TEXT], // OpenRouter
  ["response.refusal.delta", REFUSAL],
  ["response.reasoning_summary_text.delta", SUMMARY],
  ["response.reasoning_summary.delta", SUMMARY],
  ["response.reasoning_text.delta", RAW],
  ["response.reasoning.delta", RAW],
]);
const DONES: ReadonlyMap<string, Channel> = new Map([
  ["response.output_text.done", TEXT],
  ["response.refusal.done", REFUSAL],
  ["response.reasoning_summary_text.done", SUMMARY],
  ["response.reasoning_summary.done", SUMMARY],
  ["response.reasoning_text.done", RAW],
  ["response.reasoning.done", RAW],
]);
// Event → what a part of plain text in it is, and whether the part begins.
const PARTS: ReadonlyMap<string, readonly [Channel, boolean]> = new Map([
  ["response.content_part.added", [TEXT, true]],
  ["response.content_part.done", [TEXT, false]],
  ["response.reasoning_summary_part.added", [SUMMARY, true]],
  ["response.reasoning_summary_part.done", [SUMMARY, false]],
  ["response.reasoning_part.added", [RAW, true]],
  ["response.reasoning_part.done", [RAW, false]],
]);
// Event → the kind of call, and whether all arguments come.
const ARGS: ReadonlyMap<string, readonly [string, boolean]> = new Map([
  ["response.function_call_arguments.delta", ["function_call", false]],
  ["response.function_call_arguments.done", ["function_call", true]],
  ["response.custom_tool_call_input.delta", ["custom_tool_call", false]],
  ["response.custom_tool_call_input.done", ["custom_tool_call", true]],
]);
// The same of calls that the provider runs.
const SERVER_ARGS: ReadonlyMap<string, readonly [string, boolean]> = new Map([
  ["response.mcp_call_arguments.delta", ["mcp_call", false]],
  ["response.mcp_call_arguments.done", ["mcp_call", true]],
  ["response.code_interpreter_call_code.delta", ["code_interpreter_call", false]],
  ["response.code_interpreter_call_code.done", ["code_interpreter_call", true]],
]);
const BEGINS: ReadonlySet<string> = new Set(["response.queued", "response.in_progress", "response.created"]);
// Event → the status that it says; the response's own counts where it is one.
const ENDS: ReadonlyMap<string, string> = new Map([
  ["response.completed", "completed"],
  ["response.incomplete", "incomplete"],
  ["response.failed", "failed"],
  ["response.cancelled", "cancelled"],
  ["response.done", "completed"], // OpenRouter, and responses over web sockets
]);
const STATUSES: ReadonlySet<unknown> = new Set(ENDS.values());
const RUNNING: ReadonlySet<unknown> = new Set(["queued", "in_progress"]); // of a response that has not ended
const IDLE: ReadonlySet<unknown> = new Set(["ping", "keepalive", "response.keepalive", "response.heartbeat"]);
// What the items say as well, when they are whole: the progress of tools.
const PROGRESS = /^response\.(output_text\.annotation|[\p{L}\p{N}_]+)\.[\p{L}\p{N}_]+$/u;
const NAMED: ReadonlySet<string> = new Set(["mcp_list_tools", "output_text.annotation", "compaction", "steer"]);
const OF_CALL = /._call(?:_.|$)/u;

/** Adapter of one Responses stream; `finishReason` is the status of the response. */
export class OpenAIResponsesAdapter extends ProviderAdapter {
  readonly #content = new ResponsesContent(this.writer, this.log);
  readonly #usage = new ChatUsage();
  #begun = false;
  #opened = false; // an event has said that the response begins
  #named: unknown; // id of the response that such an event gave

  constructor(runId: string, init: AdapterInit) {
    super("openai-responses", runId, init);
  }

  protected read(event: Members): void {
    const kind = member(event, "type");
    this.writer.readWarnings(event, "");
    if (typeof kind !== "string") {
      this.#readBare(event);
      this.#begun = true;
    } else if (this.#readContent(event, kind) || this.#readResponseEvent(event, kind)) {
      this.#begun = true;
    } else {
      this.#readOther(event, kind);
    }
  }

  /** Reads an event about the content of the response; returns whether it is one. */
  #readContent(event: Members, kind: string): boolean {
    const content = this.#content;
    const delta = DELTAS.get(kind);
    if (delta !== undefined) {
      content.text(event, delta);
      return true;
    }
    if (kind === "response.output_item.added") content.added(event);
    else if (kind === "response.output_item.done") content.done(event);
    else return this.#readPiece(event, kind);
    return true;
  }

  #readPiece(event: Members, kind: string): boolean {
    const args = ARGS.get(kind);
    const part = PARTS.get(kind);
    const done = DONES.get(kind);
    if (args !== undefined) this.#content.pieceOfCall(event, ...args);
    else if (part !== undefined) this.#content.part(event, ...part);
    else if (done !== undefined) this.#content.textOf(event, done);
    else return false;
    return true;
  }

  /** Reads an event about the response as a whole; returns whether it is one. */
  #readResponseEvent(event: Members, kind: string): boolean {
    const end = ENDS.get(kind);
    if (end !== undefined) this.#readEnd(member(event, "response"), end, "/response");
    else if (BEGINS.has(kind)) this.#readBegin(event, kind);
    else return false;
    return true;
  }

  /** Reads an event that carries no content of ours. */
  #readOther(event: Members, kind: string): void {
    if (kind === "error") {
      const { type: _, ...rest } = event;
      this.failWith(saidError(event) ?? spelledAs(rest, event));
    } else if (this.#readNew(event, kind)) {
      return;
    } else if (kind.startsWith("response.audio.")) {
      this.writer.keep("audio", event);
      const message = "The contract has no part for sound; it is kept beside the message";
      this.log.note("adapter/unsupported-content", message, "/type", { actual: shown(kind) });
    } else if (!IDLE.has(kind) && !isProgress(kind)) {
      this.#readUnknown(event, kind);
    }
  }

  /** Reads what v0.3 has a place for, and the items say as well but for sound; returns whether it is that. */
  #readNew(event: Members, kind: string): boolean {
    if (!this.writer.saysNew) return false;
    const args = SERVER_ARGS.get(kind);
    if (args !== undefined) this.#content.pieceOfCall(event, ...args);
    else if (kind === "response.output_text.annotation.added") this.#content.annotation(event);
    else if (kind === "response.image_generation_call.partial_image") this.#content.pieceOfImage(event);
    else if (kind.startsWith("response.audio.")) this.#content.media.sound(event, kind);
    else return false;
    return true;
  }

  /** Reads an event without a type: a whole response, or an error. */
  #readBare(event: Members): void {
    if (event["object"] === "response" && !this.#begun) {
      this.log.note("adapter/whole-body", "The response came whole, not as a stream");
      const status = member(event, "status");
      if (RUNNING.has(status)) this.#readResponse(event, "");
      else this.#readEnd(event, typeof status === "string" ? status : "completed", "");
      return;
    }
    const error = errorBody(event);
    if (error !== undefined) this.failWith(error);
    else this.#readUnknown(event, member(event, "type"));
  }

  #readUnknown(event: Members, kind: unknown): void {
    if (this.#begun || !this.isOtherDialect(event)) this.unknownType(kind);
  }

  protected override withHint(event: Members, name: string): Members {
    if (Object.hasOwn(event, "type") || !name.startsWith("response.")) return event;
    return spelledAs({ type: name, ...event }, event);
  }

  protected override mayFollow(event: Members): boolean {
    const kind = member(event, "type");
    if (kind === "response.failed" && this.error !== undefined) {
      this.finishReason = "failed"; // the error has said why
      return true;
    }
    return IDLE.has(kind);
  }

  // --- the response -----------------------------------------------------------------------------

  /** Reads the beginning of the response; behind content it may only be said once more. */
  #readBegin(event: Members, kind: string): void {
    const response = member(event, "response");
    const named = isObject(response) ? member(response, "id") : undefined;
    const known = this.#named;
    this.#opened = true;
    if (!this.#content.hasItems) {
      this.#named = named ?? known;
    } else {
      const isOther = named !== undefined && known !== undefined && !sameJson(named, known);
      if (isOther || kind === "response.created") {
        this.log.note(
          "adapter/spliced-message",
          "A second response begins inside the first one's stream",
          "/response/id",
          { expected: shown(known), actual: shown(named) },
        );
        this.endWith("provider_internal", "A second response began inside the first one");
        return;
      }
    }
    this.#readResponse(response, "/response");
  }

  /** Reads what any event says about the response as a whole, but for its usage. */
  #readResponse(response: unknown, place: string): Members {
    if (!isObject(response)) {
      this.log.invalid(place, "the response as an object", response);
      return {};
    }
    this.#readFormat(member(response, "text"));
    if (place !== "") this.writer.readWarnings(response, place);
    this.writer.identify(response["model"], response["id"]);
    this.#content.calls.declare(member(response, "tools"));
    if (response["store"] === true) this.#content.isStored = true;
    return response;
  }

  /** Reads what form the request asked for; the beginning repeats it. */
  #readFormat(text: unknown): void {
    const asked = isObject(text) ? member(text, "format") : undefined;
    if (!isObject(asked)) return;
    const [kind, name] = [member(asked, "type"), member(asked, "name")];
    if (kind === "json_schema") this.writer.sayFormat(typeof name === "string" ? name : undefined);
    else if (kind === "json_object") this.writer.sayFormat();
  }

  #readUsage(usage: unknown, place: string): void {
    if (!isObject(usage)) {
      if (usage !== undefined) this.log.invalid(place, "an object", usage);
      return;
    }
    const figures = this.#usage.read(usage, this.log, place, "two of input, output and total tokens");
    if (figures !== undefined) this.writer.usage(figures);
  }

  /** Reads the last event, or a whole response; `implied` is the status that it implies. */
  #readEnd(value: unknown, implied: string, place: string): void {
    const response = this.#readResponse(value, place);
    const status = member(response, "status");
    const said = typeof status === "string" && STATUSES.has(status) ? status : implied;
    if (status !== undefined && !STATUSES.has(status)) {
      this.log.invalid(`${place}/status`, "the status of a response that has ended", status);
    }
    this.finishReason = said;
    this.#content.output(member(response, "output"), `${place}/output`);
    this.#readUsage(member(response, "usage"), `${place}/usage`);
    const error = saidError(response);
    if (error !== undefined || said === "failed") {
      this.failWith(error ?? { type: "server_error", message: "The response failed" });
    } else if (said === "cancelled") {
      this.endWith("cancelled", "The response was cancelled");
    } else {
      this.#end(response, said, place);
    }
  }

  /** Ends the stream of a response that did not fail; `said` is its status. */
  #end(response: Members, said: string, place: string): void {
    const status = member(response, "status");
    const details = member(response, "incomplete_details");
    const given = isObject(details) ? member(details, "reason") : details;
    const isRunning = said === "completed" && RUNNING.has(status);
    if (isRunning && !(this.writer.wrote.size > 0 && this.#content.isWhole)) {
      return this.truncated("the response was completed");
    }
    const hasBegun = this.#opened || this.#content.hasItems || !this.isEmpty;
    const saysAny = [member(response, "id"), status, given].some(saysAnything);
    if (!hasBegun && !saysAny) return this.endOfNothing();
    if (this.#content.hasOpenCall) {
      this.log.note("adapter/block-order", "The response ends while a tool call is open", "/type");
    }
    this.flush();
    if (isRunning) {
      this.finishReason = status as string; // there is a finding about it already
      this.writer.done("unknown", this.finishReason);
      return;
    }
    const reason = said === "completed" || given === undefined ? said : given;
    const own = typeof reason === "string" && (reason === status || reason === given) ? reason : undefined;
    this.writer.done(this.#reason(reason, `${place}/incomplete_details/reason`), own);
  }

  /** Returns the contract's finish reason of a response that did not fail. */
  #reason(reason: unknown, place: string): string {
    const known = this.knownReason(RESPONSES, typeof reason === "string" ? reason : "", reason, place);
    if (known === "stop" && this.writer.wrote.has("tool_call")) return "tool_calls";
    if (known === "stop" && this.#content.calls.asks) return "awaiting_approval";
    return known === "stop" && this.#content.refused ? "refusal" : known;
  }

  // --- the end ----------------------------------------------------------------------------------

  protected override flush(): void {
    this.#content.finish();
  }

  protected finish(): void {
    this.truncated("response.completed");
  }

  /** Passes over `[DONE]`: some vendors add it, it ends nothing here. */
  protected doneMark(): void {}
}

function isProgress(kind: string): boolean {
  const of = PROGRESS.exec(kind)?.[1];
  return of !== undefined && (NAMED.has(of) || OF_CALL.test(of));
}
