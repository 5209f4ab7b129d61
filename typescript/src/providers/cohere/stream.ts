/**
 * Cohere Chat v2: raw events → deltas.
 *
 * End marker: `message-end`; `[DONE]`, which some servers add, ends nothing. What the format says
 * and what servers of it make of it:
 *
 * - `tool-plan-delta` is what the model says before it calls tools: neither its answer nor its
 *   thinking, yet the next request has to repeat it. It is kept in `opaque`, and so are citations.
 * - Content, tool calls and citations count their indexes apart. A call that takes no arguments has
 *   no `tool-call-delta`.
 * - `ERROR`, `ERROR_TOXIC`, `TIMEOUT` and `USER_CANCEL` are finish reasons by name only: the stream
 *   ends as an error, as it does with an `error` beside any reason. `ERROR_LIMIT` is a cut answer,
 *   as `MAX_TOKENS` is.
 * - `usage.tokens` is what the model read and wrote, cached tokens included. `billed_units` leaves
 *   out the provider's own prompt: they are no usage.
 * - The stream names no model. `debug` events and log probabilities are passed over.
 *
 * Source: https://docs.cohere.com/v2/reference/chat-stream; requirements S001-03.
 */

import { sameJson } from "../../json/equality.js";
import { isObject } from "../../json/values.js";
import { type AdapterInit, ProviderAdapter } from "../core/adapter.js";
import { errorBody, errorCode, readError, saidError } from "../core/errors.js";
import { spelledAs } from "../core/spelling.js";
import { Figures, usageSummary } from "../core/usage.js";
import { type Members, member, saysAnything } from "../core/values.js";
import { COHERE } from "../data/finish-reasons.js";
import { CohereContent } from "./content.js";

const FIGURES = ["input_tokens", "output_tokens"];
const CACHED = ["cached_tokens"];
const FAILED: ReadonlySet<string> = new Set(["ERROR", "ERROR_TOXIC", "TIMEOUT", "USER_CANCEL"]);
const EVENTS: ReadonlySet<string> = new Set([
  "message-start",
  "content-start",
  "content-delta",
  "content-end",
  "tool-plan-delta",
  "tool-call-start",
  "tool-call-delta",
  "tool-call-end",
  "citation-start",
  "citation-end",
  "message-end",
  "debug",
]);

/** Adapter of one Cohere Chat v2 stream. */
export class CohereAdapter extends ProviderAdapter {
  readonly #content = new CohereContent(this.writer, this.log);
  readonly #figures = new Figures();
  #messageId: unknown;
  #begun = false;

  constructor(runId: string, init: AdapterInit) {
    super("cohere-v2", runId, init);
  }

  // --- events -----------------------------------------------------------------------------------

  protected read(event: Members): void {
    const content = this.#content;
    switch (event["type"]) {
      case "content-delta":
        return content.piece(event, this.#member(event, "content"));
      case "content-start":
        return content.start(event, this.#member(event, "content"));
      case "content-end":
        return content.end(event);
      case "tool-plan-delta":
        return content.plan(this.#member(event, "tool_plan"), "/delta/message/tool_plan");
      case "tool-call-start":
        return content.calls.start(event, this.#member(event, "tool_calls"));
      case "tool-call-delta":
        return content.calls.piece(event, this.#member(event, "tool_calls"));
      case "tool-call-end":
        return content.calls.end(event);
      case "citation-start":
        return content.cite(this.#member(event, "citations"), "/delta/message/citations");
      case "message-start":
        return this.#startMessage(event);
      case "message-end":
        return this.#endMessage(event);
      case "citation-end":
      case "debug":
        return; // nothing that a message, or the next request, needs
      default:
        return this.#readOther(event);
    }
  }

  /** Returns a member of the event's `delta.message`, undefined where there is none. */
  #member(event: Members, name: string): unknown {
    const { delta } = event;
    if (!isObject(delta)) {
      this.log.invalid("/delta", "an object", delta);
      return undefined;
    }
    const { message } = delta;
    if (isObject(message)) return member(message, name);
    this.log.invalid("/delta/message", "an object", message);
    return undefined;
  }

  /** Reads what is no event of a stream: a whole answer, an error, another dialect. */
  #readOther(event: Members): void {
    const [kind, message] = [member(event, "type"), event["message"]];
    if (kind === undefined && isObject(message) && !this.#begun) return this.#readBody(event, message);
    let error = saidError(event);
    if (kind === undefined || kind === "error") {
      // A body of a refused request says nothing but a message.
      error = errorBody(event) ?? (typeof message === "string" ? event : undefined);
    }
    if (error !== undefined) return this.failWith(error);
    if (!this.#begun && this.isOtherDialect(event)) return;
    this.unknownType(kind);
  }

  protected override withHint(event: Members, name: string): Members {
    if (Object.hasOwn(event, "type") || !EVENTS.has(name)) return event;
    return spelledAs({ type: name, ...event }, event);
  }

  protected override mayFollow(event: Members): boolean {
    return event["type"] === "debug";
  }

  // --- the message ------------------------------------------------------------------------------

  #startMessage(event: Members): void {
    if (this.#begun) return this.#readSecond(event);
    this.#begin(event);
    const delta = member(event, "delta");
    const message = isObject(delta) ? delta["message"] : undefined;
    if (isObject(message)) this.#content.readMessage(message, "/delta/message");
    else if (delta !== undefined) this.log.invalid("/delta/message", "an object", message);
  }

  #begin(event: Members): void {
    this.#begun = true;
    this.#messageId = member(event, "id");
    this.writer.identify(event["model"], this.#messageId);
    this.writer.start();
  }

  /** Passes over a message-start that is only repeated; ends the stream at any other. */
  #readSecond(event: Members): void {
    const id = member(event, "id");
    if (sameJson(id, this.#messageId) && !this.#content.hasAny && this.writer.wrote.size === 0) {
      this.log.note("adapter/block-order", "message-start came twice, before any content", "/type");
      return;
    }
    this.refuseSecond("/id", this.#messageId, id);
  }

  /** Reads a whole answer that came in place of a stream. */
  #readBody(body: Members, message: Members): void {
    this.log.note("adapter/whole-body", "The message came whole, not as a stream", "/message");
    this.#begin(body);
    this.#content.readMessage(message, "/message");
    this.#readUsage(member(body, "usage"), "/usage");
    this.#readReason(member(body, "finish_reason"), "/finish_reason");
    if (this.finishReason !== undefined) this.#end(body, "");
  }

  // --- the end ----------------------------------------------------------------------------------

  #endMessage(event: Members): void {
    this.writer.identify(event["model"], event["id"]);
    const { delta } = event;
    if (!isObject(delta)) this.log.invalid("/delta", "an object", delta);
    const said = isObject(delta) ? delta : {};
    this.#readUsage(member(said, "usage"), "/delta/usage");
    this.#readReason(member(said, "finish_reason"), "/delta/finish_reason");
    this.#end(said, "/delta");
  }

  #readReason(reason: unknown, place: string): void {
    if (typeof reason === "string") this.finishReason = reason || this.finishReason;
    else if (reason !== undefined) this.log.invalid(place, "a string", reason);
  }

  /** Ends as done or failed; `said` is what stands beside the finish reason. */
  #end(said: Members, place: string): void {
    const own = this.finishReason;
    const reason = (own ?? "").toUpperCase();
    const given = member(said, "error");
    const isError = typeof given === "string" || isObject(given);
    if (given !== undefined && !isError) this.log.invalid(`${place}/error`, "the error's message", given);
    const error = isError ? given : undefined;
    if (saysAnything(error) || FAILED.has(reason)) return this.#failGeneration(reason, error, said["error_type"]);
    if (this.#content.calls.open > 0) {
      this.log.note("adapter/block-order", "The message ends while a tool call is open", "/type");
    }
    this.flush();
    this.writer.done(this.knownReason(COHERE, reason, own, `${place}/finish_reason`), own);
  }

  #failGeneration(reason: string, said: unknown, kind: unknown): void {
    const { code: given, type: named, ...rest } = readError(said);
    const code = typeof kind === "string" && kind !== "" ? kind : given;
    const type = named ?? (reason || undefined);
    const error = { ...rest, ...(code === undefined ? {} : { code }), ...(type === undefined ? {} : { type }) };
    this.error = error;
    const found = errorCode(error);
    // What the reference says of this reason.
    const isInternal = found === "unknown" && reason === "ERROR";
    this.endWith(isInternal ? "provider_internal" : found, error.message ?? code ?? type);
  }

  protected override flush(): void {
    this.#content.finish();
  }

  protected finish(): void {
    this.truncated("message-end");
  }

  /** Passes over `[DONE]`: it follows the end, it is none. */
  protected doneMark(): void {}

  // --- beside the content -----------------------------------------------------------------------

  #readUsage(usage: unknown, place: string): void {
    if (usage === undefined) return;
    if (!isObject(usage)) return this.log.invalid(place, "an object", usage);
    const figures = this.#figures;
    const tokens = member(usage, "tokens");
    if (isObject(tokens)) {
      const bad = figures.take(tokens, FIGURES);
      if (bad !== undefined) this.log.invalid(`${place}/tokens/${bad}`, "a count", tokens[bad]);
    } else if (tokens !== undefined) {
      this.log.invalid(`${place}/tokens`, "an object", tokens);
    }
    if (figures.take(usage, CACHED) !== undefined) {
      this.log.invalid(`${place}/cached_tokens`, "a count", usage["cached_tokens"]);
    }
    const [read, written] = [figures.get("input_tokens"), figures.get("output_tokens")];
    if (read !== undefined && written !== undefined) {
      this.writer.usage(usageSummary(read, written, read + written, { cacheRead: figures.get("cached_tokens") }));
    } else if (saysAnything(usage)) {
      const said = { expected: "tokens with input_tokens and output_tokens" };
      this.log.note("adapter/incomplete-usage", "The usage has too few figures to be reported", place, said);
    }
  }
}
