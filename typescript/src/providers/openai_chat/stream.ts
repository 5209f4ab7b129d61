/**
 * Chat completion chunks of OpenAI and of the many that speak its dialect: raw events → deltas.
 *
 * End marker: a finish reason on choice 0, or `[DONE]` where none came (then `unknown`). Usage and
 * whatever else follows the finish reason is still read: `done` comes with `[DONE]` or at the end of
 * the input. Behind a `[DONE]` without a finish reason an error still counts: `done` waits for the
 * end of the input. What the format says and what vendors make of it:
 *
 * - Only choice 0 becomes the message; the others are a finding.
 * - Reasoning comes as `reasoning_content`, `reasoning` or `reasoning_details`: the same text under
 *   several names counts once per chunk, the first of them. Mistral sends it, and sometimes text,
 *   as a list of content parts. `<think>` in the text stays text.
 * - A refusal is text of the answer, and turns a `stop` into `refusal`: the contract has no part
 *   for it, and a reader must not miss it.
 * - Annotations, and what chunks say of sources, are citations of the text. Sound, of which no type is
 *   said, and images are media. Tools that Groq runs are server tool calls with their results.
 * - `warnings`, and watsonx's in `system`, are the contract's.
 * - `message` beside a delta repeats it and is passed over; without any delta it is the answer (a
 *   body in place of a stream), or the answer so far, of which what is new is taken.
 * - Usage is in a separate chunk, beside choices, in a choice, or in `x_groq`; the last figure
 *   per field counts. Cached and reasoning tokens are added where they are reported apart.
 * - A chunk behind the finish reason that has another id and says something belongs to a second
 *   answer: an error, since what has been emitted cannot be taken back.
 * - Errors come as `error` in a chunk or a choice, or as a body of the vendor's own.
 *
 * Source: https://platform.openai.com/docs/api-reference/chat-streaming.
 */

import { CHAT } from "../../generated/tables/finish-reasons.js";
import {
  CHAT_UNFINISHED,
  CHAT_CHUNK_STATE as CHUNK_STATE,
  CHAT_CHUNKS as KNOWN,
} from "../../generated/tables/provider-names.js";
import { isObject } from "../../json/values.js";
import { type AdapterInit, ProviderAdapter } from "../core/adapter.js";
import { errorBody, saidError } from "../core/errors.js";
import { shown, shownAt } from "../core/findings.js";
import { AnswerIds } from "../core/ids.js";
import { dialectOf } from "../core/sniff.js";
import { integerAt } from "../core/spelling.js";
import { ChatUsage } from "../core/usage.js";
import { type Members, member, saidMember, saysAnything } from "../core/values.js";
import { noteOddSources } from "./citations.js";
import { ChatContent } from "./content.js";

const NO_REASON: ReadonlySet<string> = new Set(CHAT_UNFINISHED);

/**
 * Adapter of one chat completion stream. Vendors that send no finish reason are known to be
 * complete by `[DONE]` only: give the events as text (`feedText`), or such a stream counts as
 * truncated.
 */
export class OpenAIChatAdapter extends ProviderAdapter {
  readonly #content = new ChatContent(this.writer, this.log);
  readonly #usage = new ChatUsage();
  readonly #state = new Map<string, unknown>();
  #named = false; // model and request id are known
  readonly #ids = new AnswerIds();
  #begun = false;
  #isAnswered = false; // choice 0 has come
  #isMarked = false; // [DONE] has come without a finish reason

  constructor(runId: string, init: AdapterInit) {
    super("openai-chat", runId, init);
  }

  // --- chunks -----------------------------------------------------------------------------------

  protected read(event: Members): void {
    if (this.#isMarked) return this.#readBehindMark(event);
    if (!this.#named) this.#named = this.writer.identify(event["model"], event["id"]);
    this.#readWarnings(event);
    const { choices, id } = event;
    if (this.#ids.isOther(id, this.isWhole()) && sayAnything(choices)) {
      return this.refuseSecond("/id", this.#ids.first, id);
    }
    if (Array.isArray(choices)) {
      this.#begun = true;
      this.#readChoices(choices);
      if (this.ended) return;
    } else if (!this.#readBare(event)) {
      return;
    }
    const usage = member(event, "usage");
    if (usage !== undefined) this.#readUsage(usage, "/usage");
    this.#readExtras(event);
    this.#failAny(saidError(event));
  }

  #readChoices(choices: readonly unknown[]): void {
    for (const [position, choice] of choices.entries()) {
      if (isObject(choice)) this.#readChoice(choice, position);
      else this.log.invalid(`/choices/${position}`, "an object", choice);
      if (this.ended) return;
    }
  }

  #failAny(error: unknown): void {
    if (error !== undefined && !this.ended) this.failWith(error);
  }

  /** Reads an event without choices; tells whether the rest of it is to be read. */
  #readBare(event: Members): boolean {
    const error = errorBody(event);
    if (error !== undefined) {
      this.failWith(error);
      return false;
    }
    const choices = member(event, "choices");
    if (choices !== undefined) this.log.invalid("/choices", "an array", choices);
    else if (![...KNOWN, "warnings"].some((name) => Object.hasOwn(event, name))) return this.#readForeign(event);
    return true;
  }

  /** Reads what has no member of a chunk; tells whether its type says that it is one. */
  #readForeign(event: Members): boolean {
    const told = dialectOf(event);
    if (told?.[0] === this.dialect) return true;
    if (told !== undefined && !this.#begun) {
      this.wrongDialect(...told);
      return false;
    }
    const message = "The event is not a chat completion chunk; it is passed over";
    const actual = shown(Object.hasOwn(event, "object") ? event["object"] : event["type"]);
    this.log.note("adapter/unknown-event", message, "/object", { expected: "chat.completion.chunk", actual });
    return false;
  }

  #readExtras(event: Members): void {
    const groq = event["x_groq"];
    if (isObject(groq)) {
      const usage = member(groq, "usage");
      if (usage !== undefined) this.#readUsage(usage, "/x_groq/usage");
      this.#failAny(saidError(groq));
    }
    for (const name of CHUNK_STATE) {
      // Repeated in every chunk: the last one is kept, at the end.
      const value = saidMember(event, name);
      if (value === undefined) continue;
      this.#state.set(name, value);
      if (this.writer.saysNew) noteOddSources(value, `/${name}`, this.log, shownAt(event, name));
    }
  }

  #readChoice(choice: Members, position: number): void {
    if (!this.#isFirst(choice, position)) return;
    this.#isAnswered = true;
    this.#readContent(choice);
    const reason = member(choice, "finish_reason");
    if (reason !== undefined) this.#readReason(reason);
    const usage = member(choice, "usage"); // Moonshot
    if (usage !== undefined) this.#readUsage(usage, "/choices/0/usage");
    this.#failAny(saidError(choice)); // OpenRouter
  }

  #readReason(reason: unknown): void {
    if (typeof reason !== "string") {
      this.log.invalid("/choices/0/finish_reason", "a string", reason);
    } else if (!NO_REASON.has(reason)) {
      this.#content.calls.settle();
      this.finishReason = reason;
    }
  }

  #readContent(choice: Members): void {
    const { text } = choice;
    const [delta, message] = [member(choice, "delta"), member(choice, "message")];
    if (isObject(delta)) {
      this.#content.readDelta(delta);
    } else if (delta !== undefined) {
      this.log.invalid("/choices/0/delta", "an object", delta);
    } else if (message !== undefined) {
      this.#content.readMessage(message);
    } else if (typeof text === "string") {
      // Older servers send a plain completion in place of a delta.
      const found = "The event is one of a plain completion";
      this.log.note("adapter/invalid-event", found, "/choices/0/text", { expected: "a delta" });
      this.#content.calls.settle();
      this.writer.text(text);
    }
  }

  /** Tells whether a choice is choice 0, by its place where it has no number. */
  #isFirst(choice: Members, position: number): boolean {
    const given = member(choice, "index");
    if (given === 0 || given === false) return true;
    const index = integerAt(choice, "index") ?? position;
    if (given !== undefined && integerAt(choice, "index") === undefined) {
      this.log.invalid(`/choices/${position}/index`, "the choice's number", given, shownAt(choice, "index"));
    }
    if (index === 0) return true;
    const message = "Only choice 0 becomes the message; this one is passed over";
    const said = { expected: "0", actual: shown(index) };
    this.log.note("adapter/other-choice", message, `/choices/${position}/index`, said);
    return false;
  }

  // --- beside the content -----------------------------------------------------------------------

  #readUsage(usage: unknown, place: string): void {
    if (!isObject(usage)) return this.log.invalid(place, "an object", usage);
    const figures = this.#usage.read(usage, this.log, place, "two of prompt, completion and total tokens");
    if (figures === undefined) return;
    this.#content.calls.settle();
    this.writer.usage(figures);
  }

  #readWarnings(event: Members): void {
    this.writer.readWarnings(event, "");
    const system = member(event, "system");
    if (isObject(system)) this.writer.readWarnings(system, "/system", "id"); // watsonx
  }

  // --- the end ----------------------------------------------------------------------------------

  protected override isWhole(): boolean {
    return this.finishReason !== undefined;
  }

  protected doneMark(): void {
    // Without a reason, an error behind it would be all that says how the stream ended.
    if (this.finishReason === undefined) this.#isMarked = this.#isAnswered;
    else this.#end();
  }

  #readBehindMark(event: Members): void {
    const error = errorBody(event);
    if (error === undefined) this.afterEnd(event);
    else this.failWith(error);
  }

  protected finish(): void {
    if (this.finishReason === undefined && !this.#isMarked) this.truncated("a finish reason or [DONE]");
    else this.#end();
  }

  protected override flush(): void {
    this.#content.keepState();
    this.#content.calls.finish();
    const state = this.#state;
    const isCited =
      this.writer.saysNew && this.#content.citeSources(state.get("citations"), state.get("search_results"));
    if (!isCited) for (const [name, value] of state) this.writer.keep(name, value);
  }

  #end(): void {
    this.flush();
    const said = this.finishReason;
    const key = (said ?? "").toLowerCase().replaceAll("-", "_");
    const known = this.knownReason(CHAT, key, said, "/choices/0/finish_reason");
    this.writer.done(known === "stop" && this.#content.refused ? "refusal" : known, said);
  }
}

/** Tells whether choices have any content: more than whose answer it is, and why it ended. */
function sayAnything(choices: unknown): boolean {
  if (!Array.isArray(choices)) return false;
  return choices.filter(isObject).some((choice) => {
    const said = saidMember(choice, "delta") ?? saidMember(choice, "message");
    return isObject(said) && Object.entries(said).some(([name, value]) => name !== "role" && saysAnything(value));
  });
}
