/**
 * Gemini's `streamGenerateContent`, of Google AI and of Vertex AI: raw events → deltas.
 *
 * End marker: a `finishReason` on candidate 0, or a `blockReason` of the prompt. Both may come
 * again, and more behind them: `done` comes at the end of the input. What the format says:
 *
 * - Each event is a whole response with what is new; one event alone is a response that did not
 *   stream. Protocol buffers leave out what is 0: a candidate without `index` is the first.
 * - `thought` parts are thinking. `thoughtSignature` is wanted back in the part that it came in: it
 *   is kept with its text or call, or with the part where that is nothing else (or empty text).
 * - A `functionCall` comes whole, or its arguments by path in `partialArgs` until one comes without
 *   `willContinue`. Most have no id: one is minted.
 * - `executableCode`, `toolCall` and their results are calls and results of server tools, and keep
 *   their parts whole. `inlineData` and `fileData` are media. Any other part is kept whole, in place.
 * - Grounding and citations are kept as they came, and are citations of the text too (`citations`).
 * - `usageMetadata` counts all so far. The last one that has counts is taken as a whole: what it
 *   leaves out is 0. Thoughts are counted apart from the candidates; ours count both as output.
 * - A blocked prompt is an answer that was filtered (`content_filter`), without content.
 * - Python's client and some relays write names with underscores.
 *
 * Source: https://ai.google.dev/api/generate-content.
 */

import { GEMINI } from "../../generated/tables/finish-reasons.js";
import {
  GEMINI_UNSPECIFIED,
  GEMINI_EVENTS as KNOWN,
  GEMINI_SNAKE_CASE as SNAKE,
  GEMINI_STATE as STATE,
} from "../../generated/tables/provider-names.js";
import { GEMINI as FIGURES } from "../../generated/tables/usage-figures.js";
import { sameJson } from "../../json/equality.js";
import { isObject, put } from "../../json/values.js";
import { type AdapterInit, ProviderAdapter } from "../core/adapter.js";
import { errorBody, saidError } from "../core/errors.js";
import { shown, shownAt } from "../core/findings.js";
import { AnswerIds } from "../core/ids.js";
import { integerAt, memberNames, spelledLike } from "../core/spelling.js";
import { Figures, usageSummary } from "../core/usage.js";
import { type Members, member, saidMember, saysAnything } from "../core/values.js";
import { GeminiCitations } from "./citations.js";
import { GeminiParts } from "./parts.js";

const NAMES = [...KNOWN, ...SNAKE];
const VERBATIM: ReadonlySet<string> = new Set(["args", "response", "part_metadata"]); // the user's own JSON
const NOT_SAID: ReadonlySet<string> = new Set(GEMINI_UNSPECIFIED);
const MAX_DEPTH = 64;

const hasAny = (event: Members, names: readonly string[]): boolean => names.some((name) => Object.hasOwn(event, name));

/** Adapter of one Gemini response. */
export class GeminiAdapter extends ProviderAdapter {
  readonly #citations = new GeminiCitations(this.writer);
  readonly #parts = new GeminiParts(this.writer, this.log, this.#citations.text);
  readonly #ids = new AnswerIds();
  #isNamed = false; // model and request id are known
  #begun = false;
  #inSnakeCase = false;
  #blocked: string | undefined;
  readonly #kept = new Map<string, unknown>(); // the last of each of STATE
  #hadThoughts = false; // some event has counted them
  #wasCached = false;

  constructor(runId: string, init: AdapterInit) {
    super("gemini", runId, init);
  }

  // --- events -----------------------------------------------------------------------------------

  protected read(given: Members): void {
    this.#inSnakeCase ||= hasAny(given, SNAKE);
    const event = this.#inSnakeCase ? (camel(given) as Members) : given;
    this.#isNamed ||= this.writer.identify(event["modelVersion"], event["responseId"]);
    const candidates = member(event, "candidates");
    const id = event["responseId"];
    if (this.#ids.isOther(id, this.isWhole()) && sayAnything(candidates)) {
      return this.refuseSecond("/responseId", this.#ids.first, id);
    }
    if (Array.isArray(candidates)) {
      this.#begun = true;
      this.#readCandidates(candidates);
      if (this.ended) return;
    } else if (candidates !== undefined) {
      this.log.invalid("/candidates", "an array", candidates);
    } else if (!this.#readBare(event)) {
      return;
    }
    this.#readUsage(member(event, "usageMetadata"));
    this.#readFeedback(member(event, "promptFeedback"));
    const error = saidError(event);
    if (error !== undefined) this.failWith(error);
  }

  /** Reads an event without candidates; returns whether the rest of it is to be read. */
  #readBare(event: Members): boolean {
    if (hasAny(event, KNOWN)) return true;
    const error = errorBody(event);
    const { response } = event;
    if (error !== undefined) {
      this.failWith(error);
    } else if (isObject(response) && hasAny(response, NAMES)) {
      this.read(response); // Code Assist wraps each event
    } else if (this.#begun || !this.isOtherDialect(event)) {
      this.log.note("adapter/unknown-event", "The event is not a piece of a response; it is passed over", "", {
        expected: "candidates, promptFeedback or usageMetadata",
        actual: shown(Object.keys(event).sort().slice(0, 8).join(", ")),
      });
    }
    return false;
  }

  #readCandidates(candidates: readonly unknown[]): void {
    let firstCame = false;
    for (const [position, candidate] of candidates.entries()) {
      if (this.ended) return;
      if (!isObject(candidate)) {
        this.log.invalid(`/candidates/${position}`, "an object", candidate);
        continue;
      }
      const index = this.#indexOf(candidate, position) ?? (firstCame ? position : 0);
      if (index === 0) {
        firstCame = true;
        this.#readCandidate(candidate);
      } else {
        const message = "Only candidate 0 becomes the message; this one is passed over";
        const said = { expected: "0", actual: shown(index) };
        this.log.note("adapter/other-choice", message, `/candidates/${position}/index`, said);
      }
    }
  }

  #indexOf(candidate: Members, position: number): number | undefined {
    const index = integerAt(candidate, "index");
    const given = member(candidate, "index");
    if (index === undefined && given !== undefined) {
      this.log.invalid(`/candidates/${position}/index`, "a number", given, shownAt(candidate, "index"));
    }
    return index;
  }

  #readCandidate(candidate: Members): void {
    const content = member(candidate, "content");
    if (isObject(content)) {
      const parts = member(content, "parts");
      if (Array.isArray(parts)) this.#parts.read(parts);
      else if (parts !== undefined) this.log.invalid("/candidates/0/content/parts", "an array", parts);
      if (this.#parts.clashes) {
        return this.endWith("provider_internal", "A tool call came twice, with different arguments");
      }
    } else if (content !== undefined) {
      this.log.invalid("/candidates/0/content", "an object", content);
    }
    this.#readReason(member(candidate, "finishReason"));
    for (const name of STATE) {
      const state = saidMember(candidate, name);
      if (state !== undefined) this.#keep(name, state);
    }
  }

  #keep(name: string, value: unknown): void {
    if (sameJson(this.#kept.get(name), value)) return; // some repeat it in every event
    this.#kept.set(name, value);
    this.writer.keep(name, value);
    this.#citations.take(name, value);
  }

  #readReason(reason: unknown): void {
    if (reason === undefined) return;
    if (typeof reason !== "string") this.log.invalid("/candidates/0/finishReason", "a string", reason);
    else if (!NOT_SAID.has(reason)) this.finishReason = reason;
  }

  #readFeedback(feedback: unknown): void {
    if (feedback === undefined) return;
    if (!isObject(feedback)) {
      this.log.invalid("/promptFeedback", "an object", feedback);
      return;
    }
    const reason = member(feedback, "blockReason");
    if (typeof reason === "string") {
      if (NOT_SAID.has(reason)) return;
      this.#blocked = reason;
      this.#keep("promptFeedback", feedback);
    } else if (reason !== undefined) {
      this.log.invalid("/promptFeedback/blockReason", "a string", reason);
    }
  }

  // --- usage ------------------------------------------------------------------------------------

  #readUsage(usage: unknown): void {
    if (usage === undefined) return;
    if (!isObject(usage)) {
      this.log.invalid("/usageMetadata", "an object", usage);
      return;
    }
    const figures = new Figures();
    const bad = figures.take(usage, FIGURES);
    if (bad !== undefined) this.log.invalid(`/usageMetadata/${bad}`, "a count", usage[bad]);
    if ((figures.get("promptTokenCount") ?? 0) > 0 || (figures.get("candidatesTokenCount") ?? 0) > 0) {
      this.#report(figures);
    } else if ((figures.get("totalTokenCount") ?? 0) > 0) {
      // Vertex AI names the kind of traffic in every event, the counts in the last.
      const message = "The usage has too few figures to be reported";
      const expected = "tokens of the prompt and of the candidates";
      this.log.note("adapter/incomplete-usage", message, "/usageMetadata", { expected });
    }
  }

  #report(figures: Figures): void {
    const [read, candidates, tools, total, thoughts, cached] = [
      figures.get("promptTokenCount") ?? 0,
      figures.get("candidatesTokenCount") ?? 0,
      figures.get("toolUsePromptTokenCount") ?? 0,
      figures.get("totalTokenCount"),
      figures.get("thoughtsTokenCount"),
      figures.get("cachedContentTokenCount"),
    ];
    const isApart = total !== read + candidates + tools; // else thoughts are part of the candidates'
    const written = isApart ? candidates + (thoughts ?? 0) : candidates;
    // What the last usage leaves out is 0, also where an earlier one had it.
    this.#wasCached ||= cached !== undefined;
    this.#hadThoughts ||= thoughts !== undefined;
    const parts = {
      reasoning: thoughts ?? (this.#hadThoughts ? 0 : undefined),
      cacheRead: cached ?? (this.#wasCached ? 0 : undefined),
    };
    this.writer.usage(usageSummary(read, written, total ?? read + written + tools, parts));
  }

  // --- the end ----------------------------------------------------------------------------------

  protected override isWhole(): boolean {
    return this.finishReason !== undefined || this.#blocked !== undefined;
  }

  /** Passes over `[DONE]`: relays add it, it ends nothing here. */
  protected doneMark(): void {}

  protected finish(): void {
    const reason = this.finishReason;
    if (reason !== undefined) {
      const known = this.knownReason(GEMINI, reason.toUpperCase(), reason, "/candidates/0/finishReason");
      this.#end(known, reason);
    } else if (this.#blocked !== undefined) {
      this.#end("content_filter", this.#blocked);
    } else {
      this.truncated("a finishReason or a blockReason");
    }
  }

  #end(reason: string, said: string): void {
    this.#parts.finish(reason === "stop");
    this.#citations.write();
    this.writer.done(reason, said);
  }

  protected override flush(): void {
    this.#citations.write();
  }
}

/** Returns a copy of a JSON value with names as the REST API writes them. */
function camel(value: unknown, depth = 0): unknown {
  if (depth >= MAX_DEPTH || value === null || typeof value !== "object") return value;
  if (Array.isArray(value))
    return spelledLike(
      value.map((item: unknown) => camel(item, depth + 1)),
      value,
    );
  if (!isObject(value)) return value;
  const made: Members = {};
  for (const name of memberNames(value)) {
    put(made, camelName(name), VERBATIM.has(name) ? value[name] : camel(value[name], depth + 1));
  }
  return spelledLike(made, value, camelName);
}

function camelName(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Tells whether candidates have any content. */
function sayAnything(candidates: unknown): boolean {
  if (!Array.isArray(candidates)) return false;
  return candidates.filter(isObject).some(({ content }) => {
    const parts = isObject(content) && Array.isArray(content["parts"]) ? content["parts"] : [];
    return parts.filter(isObject).some((part) => Object.values(part).some(saysAnything));
  });
}
