/**
 * Cohere Chat v2: the contract's messages and configuration → a request body.
 *
 * - System prompt and system messages are messages of the role `system`, one per text of the prompt.
 * - The tool plan goes back as `tool_plan`, citations as `citations`, thinking of Cohere's own as the
 *   blocks of content that it came in. Reasoning of others is left out.
 * - Images of users go inline or by URL; no other media goes.
 * - One message per tool result. An object is its JSON text, text a block; a failed tool's text
 *   begins with `Error: `, since the format has no mark for it.
 * - `topP` is `p`. A tool choice is `REQUIRED` or `NONE`, for all tools at once, and so is
 *   `strict_tools`: one tool of several cannot be asked for.
 * - `cacheConfig` has nothing to mark: prompts are cached without it.
 *
 * Source: https://docs.cohere.com/v2/reference/chat-stream; requirements S001-02.
 */
import { Form } from "../request_core/call-ids.js";
import { RequestEncoder } from "../request_core/encoder.js";
import type { Request } from "../request_core/inputs.js";
import type { Notes } from "../request_core/notes.js";
import type { Turn } from "../request_core/turns.js";
import type { Json } from "../request_core/values.js";
import { CohereMessages } from "./request-messages.js";

// Nothing is published about names and ids but that they are text; these are what others take.
const FORMS = { callId: new Form(/^[\s\S]+$/, 512), toolName: new Form(/^[A-Za-z0-9_-]+$/, 256) };
const MAX_STOPS = 5;
const [LEAST_TOP_P, MOST_TOP_P] = [0.01, 0.99];

/** Encoder of one Cohere Chat v2 request. */
export class CohereEncoder extends RequestEncoder {
  readonly #content: CohereMessages;

  constructor(request: Request, notes: Notes) {
    super(request, notes, "cohere-v2", FORMS);
    this.#content = new CohereMessages(notes);
  }

  protected override body(): Json {
    const { request } = this;
    const system = request.system.map(({ text }): Json => ({ role: "system", content: text }));
    return {
      model: request.modelId,
      messages: [...system, ...this.turns.flatMap((turn) => this.#messages(turn))],
      ...this.#tools(),
      ...(request.maxTokens === undefined ? {} : { max_tokens: request.maxTokens }),
      ...this.temperature(1),
      ...this.#topP(),
      ...this.stops("stop_sequences", MAX_STOPS),
    };
  }

  protected override defaults(): Json {
    return { stream: true };
  }

  #messages(turn: Turn): Json[] {
    if (turn.role === "tool") return this.#content.results(turn);
    const made =
      turn.role === "assistant" ? this.#content.assistant(turn) : this.#content.spoken(turn.role, turn.pieces);
    if (made !== undefined) return [made];
    this.noteEmpty(turn);
    return [];
  }

  // --- tools and configuration --------------------------------------------------------------------

  #tools(): Json {
    const taken = this.takenTools();
    const tools = taken.map(({ spec, schema }) => ({
      type: "function",
      function: {
        name: spec.name,
        parameters: { properties: {}, ...schema },
        ...(spec.description === undefined ? {} : { description: spec.description }),
      },
    }));
    const isAnyStrict = taken.some(({ spec }) => spec.strict === true);
    const areAllStrict = isAnyStrict && taken.every(({ spec }) => spec.strict === true);
    if (isAnyStrict && !areAllStrict) this.#refuseStrict();
    const choice = this.#choice(taken.map(({ spec }) => spec.name));
    return {
      ...(tools.length === 0 ? {} : { tools }),
      ...(areAllStrict ? { strict_tools: true } : {}),
      ...(choice === undefined ? {} : { tool_choice: choice }),
    };
  }

  #refuseStrict(): void {
    for (const [number, spec] of this.request.tools.entries()) {
      if (spec.strict !== true) continue;
      this.notes.unsupportedConfig(`/toolSpecs/${number}/strict`, "the same for all tools", spec.strict);
    }
  }

  #choice(names: readonly string[]): "NONE" | "REQUIRED" | undefined {
    const { choice, extensions } = this.request;
    if (choice === undefined || choice.mode === "auto" || !this.choiceHolds(new Set(names))) return undefined;
    if (choice.mode === "none") return "NONE";
    const isSole = names.length === 1 && names[0] === choice.toolName && !extensions.has("tools");
    if (choice.mode === "required" || isSole) return "REQUIRED";
    const expected = "auto, required, none, or the only tool there is";
    this.notes.unsupportedConfig(choice.pointer, expected, choice.toolName);
    return undefined;
  }

  #topP(): Json {
    const given = this.request.topP;
    if (given === undefined) return {};
    if (given >= LEAST_TOP_P && given <= MOST_TOP_P) return { p: given };
    this.notes.unsupportedConfig("/config/topP", `from ${LEAST_TOP_P} to ${MOST_TOP_P}`, given);
    return {};
  }
}
