/**
 * Chat completions: the contract's messages and configuration → a request body.
 *
 * For OpenAI and the vendors that speak its dialect; where they differ, as OpenAI publishes it:
 *
 * - System prompt and system messages are messages of the role `system`, which every vendor takes
 *   and OpenAI reads as `developer` where a model wants that.
 * - One message per tool result; a failed tool's text begins with `Error: `, since the format has no
 *   mark for it. Argument text is what the model wrote where that is kept, else the arguments as JSON.
 * - `maxTokens` is `max_completion_tokens`: `max_tokens` is out of date, and refused by reasoning
 *   models. For a vendor that knows only the old name, give `max_tokens` as a member of the
 *   configuration in place of `maxTokens`.
 * - `stream_options` asks for usage; a vendor that does not know it wants another value from the
 *   configuration.
 * - Reasoning, and what vendors keep with it, goes back as the message's own vendor sent it;
 *   reasoning of others is left out. A refusal goes back as `refusal`.
 * - Of media, images, WAV, MP3 and PDF go, which is all that OpenAI reads; a `file_ref`, whose type
 *   other vendors may know, goes as any file but audio and video.
 * - `cacheConfig` has nothing to mark: prompts are cached without it.
 *
 * Source: https://platform.openai.com/docs/api-reference/chat/create; requirements S001-02.
 */
import { Form } from "../request_core/call-ids.js";
import { RequestEncoder } from "../request_core/encoder.js";
import type { Request } from "../request_core/inputs.js";
import type { Notes } from "../request_core/notes.js";
import type { Turn } from "../request_core/turns.js";
import type { Json } from "../request_core/values.js";
import { ChatMessages } from "./request-messages.js";

const FORMS = { callId: new Form(/^[\s\S]+$/, 40), toolName: new Form(/^[A-Za-z0-9_-]+$/, 64) };
const MAX_STOPS = 4;
const MAX_TEMPERATURE = 2;

/** Encoder of one chat completion request. */
export class OpenAIChatEncoder extends RequestEncoder {
  readonly #content: ChatMessages;

  constructor(request: Request, notes: Notes) {
    super(request, notes, "openai-chat", FORMS);
    this.#content = new ChatMessages(notes);
  }

  protected override body(): Json {
    const system = this.request.system.map(({ text }): Json => ({ role: "system", content: text }));
    return {
      model: this.request.modelId,
      messages: [...system, ...this.turns.flatMap((turn) => this.#messages(turn))],
      ...this.#tools(),
      ...this.sampling("max_completion_tokens", "top_p", MAX_TEMPERATURE),
      ...this.stops("stop", MAX_STOPS),
    };
  }

  /** Returns `stream`, and that usage is wanted. */
  protected override defaults(): Json {
    return { stream: true, stream_options: { include_usage: true } };
  }

  #messages(turn: Turn): Json[] {
    if (turn.role === "tool") return this.#content.results(turn);
    if (turn.role === "assistant") {
      const said = this.#content.assistant(turn);
      if (said !== undefined) return [said];
    } else {
      const content = this.#content.user(turn.pieces);
      if (content !== undefined) return [{ role: turn.role, content }];
    }
    this.noteEmpty(turn);
    return [];
  }

  #tools(): Json {
    const tools = this.takenTools().map(({ spec, schema }) => ({
      type: "function",
      function: {
        name: spec.name,
        parameters: { properties: {}, ...schema },
        ...(spec.description === undefined ? {} : { description: spec.description }),
        ...(spec.strict === undefined ? {} : { strict: spec.strict }),
      },
    }));
    const { choice } = this.request;
    const isChosen = this.choiceHolds(new Set(tools.map((tool) => tool.function.name)));
    if (choice === undefined || !isChosen) return tools.length === 0 ? {} : { tools };
    const one = { type: "function", function: { name: choice.toolName } };
    return { ...(tools.length === 0 ? {} : { tools }), tool_choice: choice.mode === "tool" ? one : choice.mode };
  }
}
