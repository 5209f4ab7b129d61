/**
 * OpenAI Responses: the contract's messages and configuration → a request body.
 *
 * For OpenAI and the vendors that speak its dialect; where they differ, as OpenAI publishes it:
 *
 * - The whole conversation is `input`: nothing depends on what the provider stores, unless the
 *   configuration says `previous_response_id` and the caller gives what is new alone.
 * - System prompt and system messages are messages of the role `system`; `instructions`, which some
 *   vendors refuse, is the configuration's to give.
 * - Items that the provider made go back as they came: reasoning, encrypted or not, built-in tools,
 *   messages and calls under their ids. Reasoning is known to the provider by its id where responses
 *   are stored; with `"store": false` ask for `"include": ["reasoning.encrypted_content"]`, which
 *   models without reasoning refuse.
 * - A tool's failure begins with `Error: `, since the format has no mark for it.
 * - Of media, images and documents go whose type OpenAI publishes; a `file_ref` goes as any file but
 *   audio and video.
 * - Functions are strict only where the tool says so: the provider's default is otherwise.
 * - There are no stop sequences; `cacheConfig` has nothing to mark: prompts are cached without it.
 *
 * Source: https://platform.openai.com/docs/api-reference/responses/create; requirements S001-02.
 */
import { Form } from "../request_core/call-ids.js";
import { RequestEncoder } from "../request_core/encoder.js";
import type { Request } from "../request_core/inputs.js";
import type { Notes } from "../request_core/notes.js";
import type { Result, Turn } from "../request_core/turns.js";
import type { Json } from "../request_core/values.js";
import { ResponsesInput } from "./request-input.js";
import { ResponsesOutput } from "./request-output.js";

const FORMS = { callId: new Form(/^[\s\S]+$/, 64), toolName: new Form(/^[A-Za-z0-9_-]+$/, 64) };
const MAX_TEMPERATURE = 2;

/** Encoder of one Responses request. */
export class OpenAIResponsesEncoder extends RequestEncoder {
  readonly #content: ResponsesInput;
  readonly #output: ResponsesOutput;

  constructor(request: Request, notes: Notes) {
    super(request, notes, "openai-responses", FORMS);
    this.#content = new ResponsesInput(notes);
    this.#output = new ResponsesOutput(notes, request.extensions.get("store") !== false);
  }

  protected override body(): Json {
    const system = this.request.system.map(({ text }): Json => ({ role: "system", content: text }));
    return {
      model: this.request.modelId,
      input: [...system, ...this.turns.flatMap((turn) => this.#items(turn))],
      ...this.#tools(),
      ...this.sampling("max_output_tokens", "top_p", MAX_TEMPERATURE),
      ...this.stopsThat(() => false, "", "no stop sequences"),
    };
  }

  protected override defaults(): Json {
    return { stream: true };
  }

  // --- the conversation ---------------------------------------------------------------------------

  #items(turn: Turn): Json[] {
    if (turn.role === "tool") return turn.results.map((result) => this.#result(result));
    if (turn.role === "assistant") {
      const items = this.#output.items(turn);
      if (items.length > 0) return items;
    } else {
      const content = this.#content.content(turn.pieces);
      if (content !== undefined) return [{ role: turn.role, content }];
    }
    this.noteEmpty(turn);
    return [];
  }

  #result(result: Result): Json {
    const { callId } = result;
    const kind = this.#output.custom.has(callId) ? "custom_tool_call" : "function_call";
    const caller = this.#output.callers.get(callId);
    return {
      type: `${kind}_output`,
      call_id: callId,
      output: this.#content.output(result),
      ...(caller === undefined ? {} : { caller: { ...caller } }),
    };
  }

  // --- the rest -----------------------------------------------------------------------------------

  #tools(): Json {
    const tools = this.takenTools().map(({ spec, schema }) => ({
      type: "function",
      name: spec.name,
      parameters: { properties: {}, ...schema },
      strict: spec.strict === true,
      ...(spec.description === undefined ? {} : { description: spec.description }),
    }));
    const { choice } = this.request;
    const members = tools.length === 0 ? {} : { tools };
    const isChosen = this.choiceHolds(new Set(tools.map(({ name }) => name)));
    if (choice === undefined || !isChosen) return members;
    const one = { type: "function", name: choice.toolName };
    return { ...members, tool_choice: choice.mode === "tool" ? one : choice.mode };
  }
}
