/**
 * Bedrock Converse: raw events → deltas.
 *
 * An event is an object whose member names it: `{"contentBlockDelta": {…}}`; Nova's own format,
 * which InvokeModel streams carry, has the vendor's members beside it. End marker: `messageStop`.
 * Metadata with the usage comes behind it, or, from relays, before; `done` comes once both are
 * there, or at the end of the input. What else is to be known:
 *
 * - Text and reasoning begin without `contentBlockStart`; Nova gives every piece of text a block of
 *   its own. A mock or relay may leave out `messageStart` and `contentBlockStop`.
 * - `toolUse` of type `server_tool_use` is a call that the provider runs, `toolResult` its result,
 *   whole when its block ends: separate parts, with the block in `opaque`. A result that answers
 *   no call is state of the provider.
 * - `image` blocks are media; one without bytes is state. Signatures and redacted reasoning are kept
 *   in `opaque`.
 * - Citations are written when their block ends, for all of its text: they may come before it.
 * - For `version: "v0.2"` server tools, images and citations are state, where they stood.
 * - `p` is padding. The guardrail's trace is not kept: it may hold what was masked.
 * - `inputTokens` is without cached tokens, which are reported apart; a total that leaves no room
 *   for them says otherwise.
 * - The stream names neither model nor request: see {@link ProviderAdapter.identify}.
 *
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html.
 */

import { BEDROCK } from "../../generated/tables/finish-reasons.js";
import { BEDROCK_EVENTS, BEDROCK_IGNORED } from "../../generated/tables/provider-names.js";
import { BEDROCK as FIGURES } from "../../generated/tables/usage-figures.js";
import { isObject } from "../../json/values.js";
import { type AdapterInit, ProviderAdapter } from "../core/adapter.js";
import { errorBody, exceptionBody } from "../core/errors.js";
import { shown, shownAt } from "../core/findings.js";
import { integerAt, memberNames, spelledLike } from "../core/spelling.js";
import { Figures, usageSummary } from "../core/usage.js";
import { type Members, member } from "../core/values.js";
import { asBase64, BedrockBlocks } from "./blocks.js";

const EVENTS: ReadonlySet<string> = new Set(BEDROCK_EVENTS);
const METRICS = "amazon-bedrock-invocationMetrics";
const PASSED_OVER: ReadonlySet<string> = new Set(BEDROCK_IGNORED);

/**
 * Adapter of one Converse stream. Takes events as JSON and as AWS's own clients give them, with
 * bytes in place of Base64; what it keeps is JSON.
 */
export class BedrockConverseAdapter extends ProviderAdapter {
  readonly #blocks = new BedrockBlocks(this.writer, this.log);
  readonly #figures = new Figures();
  #begun = false; // messageStart has come
  #seen = false; // an event of this dialect has come
  #stopped = false;

  constructor(runId: string, init: AdapterInit) {
    super("bedrock-converse", runId, init);
  }

  // --- events -----------------------------------------------------------------------------------

  protected read(event: Members): void {
    const names = memberNames(event);
    if (names.length === 1 && isObject(event["contentBlockDelta"]) && !this.#stopped) {
      this.#seen = true;
      this.#readDelta(event["contentBlockDelta"]);
      return;
    }
    const unknown = names.filter((name) => !this.#readMember(event, name));
    if (this.ended) return;
    const [first] = unknown;
    if (unknown.length === names.length) this.#readOther(event);
    else if (first !== undefined) this.#noteUnknown(first);
    this.#endIfWhole();
  }

  /** Reads one member of an event; returns whether it is known. */
  #readMember(event: Members, name: string): boolean {
    const body = event[name];
    if (this.ended || PASSED_OVER.has(name)) return true;
    if (name === METRICS) this.#readMetrics(body);
    else if (EVENTS.has(name)) this.#readNamed(name, body);
    else if (name.endsWith("Exception")) this.failWith(exceptionBody(event, name));
    else return false;
    return true;
  }

  #readNamed(name: string, body: unknown): void {
    this.#seen = true;
    if (!isObject(body)) {
      this.log.invalid(`/${name}`, "an object", body);
    } else if (name === "metadata") {
      this.#readUsage(member(body, "usage"), "/metadata/usage");
    } else if (this.#stopped) {
      const message = "The message goes on after messageStop; what follows is passed over";
      this.log.note("adapter/after-end", message, `/${name}`, { expected: "metadata, or the end of the input" });
    } else {
      this.#readMessageEvent(name, body);
    }
  }

  #readMessageEvent(name: string, body: Members): void {
    if (name === "contentBlockDelta") this.#readDelta(body);
    else if (name === "messageStart") this.#startMessage();
    else if (name === "messageStop") this.#stopMessage(body);
    else if (name === "contentBlockStart") this.#blocks.start(this.#indexOf(body, name, 1), body["start"]);
    else this.#blocks.stop(this.#indexOf(body, name, 0));
  }

  #readDelta(body: Members): void {
    const index = this.#indexOf(body, "contentBlockDelta", 0);
    const { delta } = body;
    if (isObject(delta)) this.#blocks.piece(index, delta);
    else this.log.invalid("/contentBlockDelta/delta", "an object", delta);
  }

  /** Returns the index of an event's block; where it has none, the last block's and `further`. */
  #indexOf(body: Members, name: string, further: number): number {
    const index = integerAt(body, "contentBlockIndex");
    if (index !== undefined) return index;
    this.log.invalid(
      `/${name}/contentBlockIndex`,
      "the block's number",
      body["contentBlockIndex"],
      shownAt(body, "contentBlockIndex"),
    );
    return this.#blocks.lastIndex + further;
  }

  /** Reads an event of which no member is one of the stream's. */
  #readOther(event: Members): void {
    if (Object.hasOwn(event, "chunk")) return this.readChunk(event);
    const output = member(event, "output");
    const message = isObject(output) ? member(output, "message") : undefined;
    if (isObject(message)) return this.#readBody(event, message);
    const error = errorOf(event);
    if (error !== undefined) return this.failWith(error);
    const [first] = memberNames(event);
    if (first !== undefined && (this.#seen || !this.isOtherDialect(event))) this.#noteUnknown(first);
  }

  #noteUnknown(name: string): void {
    const said = { expected: "an event of the dialect", actual: shown(name) };
    this.log.note("adapter/unknown-event", "The event's name is not known; it is passed over", "", said);
  }

  protected override withHint(event: Members, name: string): Members {
    const isBody = EVENTS.has(name) && !Object.keys(event).some((each) => EVENTS.has(each));
    return isBody ? { [name]: event } : event;
  }

  protected override mayFollow(event: Members): boolean {
    return Object.hasOwn(event, "metadata") || Object.hasOwn(event, METRICS);
  }

  // --- the message ------------------------------------------------------------------------------

  /** Reads `messageStart`; passes over one that is only repeated, ends the stream at others. */
  #startMessage(): void {
    const hasContent = this.writer.wrote.size > 0;
    if (this.#begun && (hasContent || this.#blocks.isOpen)) {
      const message = "A second message begins inside the first one's stream";
      this.log.note("adapter/spliced-message", message, "/messageStart");
      this.endWith("provider_internal", "A second message began inside the first one");
    } else if (this.#begun || hasContent) {
      const message = "messageStart came late or twice; it is passed over";
      this.log.note("adapter/block-order", message, "/messageStart");
    }
    this.#begun = true;
    this.writer.start();
  }

  #stopMessage(body: Members): void {
    this.#stopped = true;
    this.#readReason(member(body, "stopReason"), "/messageStop/stopReason");
    if (this.writer.openCalls > 0) {
      this.log.note("adapter/block-order", "The message ends while a tool call is open", "/messageStop");
    }
    this.#blocks.stopAll();
    this.#keepFields(body);
  }

  #readReason(reason: unknown, place: string): void {
    if (reason === undefined || reason === "") return;
    if (typeof reason === "string") this.finishReason = reason;
    else this.log.invalid(place, "a string", reason);
  }

  #keepFields(body: Members): void {
    const fields = member(body, "additionalModelResponseFields");
    if (fields !== undefined) this.writer.keep("additionalModelResponseFields", asBase64(fields));
  }

  /** Reads the response of Converse, or Nova's, that came in place of a stream. */
  #readBody(body: Members, message: Members): void {
    if (this.#seen) return this.#noteUnknown("output");
    this.#seen = true;
    this.log.note("adapter/whole-body", "The message came whole, not as a stream", "/output");
    this.writer.start();
    const content = member(message, "content");
    if (Array.isArray(content)) this.#blocks.readWhole(content);
    else if (content !== undefined) this.log.invalid("/output/message/content", "an array", content);
    this.#readReason(member(body, "stopReason"), "/stopReason");
    this.#stopped = this.finishReason !== undefined;
    this.#keepFields(body);
    this.#readUsage(member(body, "usage"), "/usage");
    if (this.#stopped) this.#end();
  }

  // --- usage ------------------------------------------------------------------------------------

  /** Takes the figures of InvokeModel where the model's own event has none. */
  #readMetrics(metrics: unknown): void {
    if (!isObject(metrics) || this.#hasUsage) return;
    const counts = {
      inputTokens: metrics["inputTokenCount"],
      outputTokens: metrics["outputTokenCount"],
      cacheReadInputTokens: metrics["cacheReadInputTokenCount"],
      cacheWriteInputTokens: metrics["cacheWriteInputTokenCount"],
    };
    this.#readUsage(counts, `/${METRICS}`);
  }

  get #hasUsage(): boolean {
    return this.#figures.get("inputTokens", "outputTokens") !== undefined;
  }

  #readUsage(usage: unknown, place: string): void {
    if (usage === undefined) return;
    if (!isObject(usage)) return this.log.invalid(place, "an object", usage);
    const bad = this.#figures.take(usage, FIGURES);
    if (bad !== undefined) this.log.invalid(`${place}/${bad}`, "a count", usage[bad]);
    if (this.#hasUsage) {
      this.#report();
    } else if (Object.keys(usage).length > 0) {
      const message = "The usage has too few figures to be reported";
      this.log.note("adapter/incomplete-usage", message, place, { expected: "input or output tokens" });
    }
  }

  #report(): void {
    const figures = this.#figures;
    const input = figures.get("inputTokens") ?? 0;
    const written = figures.get("outputTokens") ?? 0;
    const cacheRead = figures.get("cacheReadInputTokens", "cacheReadInputTokenCount");
    const cacheWrite = figures.get("cacheWriteInputTokens", "cacheWriteInputTokenCount");
    const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
    const total = figures.get("totalTokens");
    const isApart = total === undefined || cached > input || total >= input + written + cached;
    const read = isApart ? input + cached : input;
    this.writer.usage(usageSummary(read, written, total ?? read + written, { cacheRead, cacheWrite }));
  }

  // --- the end ----------------------------------------------------------------------------------

  protected override isWhole(): boolean {
    return this.#stopped;
  }

  #endIfWhole(): void {
    if (this.#stopped && this.#hasUsage && !this.ended) this.#end();
  }

  #end(): void {
    this.endWithReason(BEDROCK, this.finishReason ?? "", "/messageStop/stopReason", this.#begun);
  }

  protected finish(): void {
    if (this.#stopped) this.#end();
    else this.truncated("messageStop");
  }

  /** Passes over `[DONE]`: relays add it, it ends nothing here. */
  protected doneMark(): void {}
}

/**
 * Returns the error that a body without a message is, undefined if it is not an error. AWS's own are
 * `{"message": …}`, with `__type` in some services; `{"Error": {"Code": …, "Message": …}}` is what
 * its Python client keeps of one.
 */
function errorOf(event: Members): unknown {
  const given = errorBody(event);
  if (given !== undefined) return given;
  const words = event[Object.hasOwn(event, "message") ? "message" : "Message"];
  const error = member(event, "Error");
  if (isObject(error)) {
    const made = { code: error["Code"], message: error["Message"] };
    return spelledLike(made, error, (name) => name.toLowerCase());
  }
  const name = member(event, "__type");
  if (typeof name === "string" && name !== "") return { code: name.slice(name.lastIndexOf("#") + 1), message: words };
  return typeof words === "string" && Object.keys(event).length === 1 ? { message: words } : undefined;
}
