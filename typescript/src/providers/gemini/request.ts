/**
 * Gemini: the contract's messages and configuration → a body of `streamGenerateContent`.
 *
 * The body is that of the REST API; `model`, which the REST API has in its path, stands beside.
 *
 * - System prompt and system messages are `systemInstruction`. A system message behind others moves
 *   there (`encode/moved-system`).
 * - Assistants' messages in a row become one. Results are one content, in the order of their calls.
 * - Thought signatures stand in the part that they came in, parts of the provider's own where they
 *   stood. Reasoning goes back with the state that it came with; that of others is left out.
 * - A call goes back with the provider's id, and without one where the provider gave none.
 * - Images, files and media of the model go back as it has them: inline, or by URI.
 * - A result is `output`, or `error` where it failed; an object stands for itself.
 * - `cacheConfig` has nothing to mark: prompts are cached without it, or as `cachedContent`.
 *
 * Source: https://ai.google.dev/api/generate-content; requirements S001-02.
 */
import { Form } from "../request_core/call-ids.js";
import { RequestEncoder } from "../request_core/encoder.js";
import type { Request } from "../request_core/inputs.js";
import type { Notes } from "../request_core/notes.js";
import type { AssistantTurn, SystemTurn, Turn } from "../request_core/turns.js";
import type { Json } from "../request_core/values.js";
import { GeminiContent } from "./request-content.js";

const MODES = { auto: "AUTO", required: "ANY", none: "NONE", tool: "ANY" } as const;
const MAX_STOPS = 5;
const MAX_TEMPERATURE = 2;

/** Names that begin with a letter. */
class ToolNameForm extends Form {
  override fitted(name: string, salt = ""): string {
    const made = super.fitted(name, salt);
    return this.fits(made) ? made : `_${made.slice(1)}`;
  }
}

const FORMS = {
  callId: new Form(/^[\x21-\x7e]+$/, 512),
  toolName: new ToolNameForm(/^[A-Za-z_][A-Za-z0-9_.:-]*$/, 128),
};

interface Content {
  readonly role: "model" | "user";
  readonly parts: Json[];
}

/** Encoder of one Gemini request. */
export class GeminiEncoder extends RequestEncoder {
  readonly #content: GeminiContent;

  constructor(request: Request, notes: Notes) {
    super(request, notes, "gemini", FORMS);
    this.#content = new GeminiContent(notes);
  }

  protected override body(): Json {
    const system = this.request.system.map(({ text }): Json => ({ text }));
    const contents: Content[] = [];
    for (const turn of this.turns) {
      if (turn.role !== "system") this.#add(contents, turn, this.#parts(turn));
      else for (const part of this.#system(turn, contents.length === 0)) system.push(part);
    }
    const tools = this.#tools();
    const generationConfig = {
      ...this.sampling("maxOutputTokens", "topP", MAX_TEMPERATURE),
      ...this.stops("stopSequences", MAX_STOPS),
    };
    return {
      model: this.request.modelId,
      contents,
      ...(system.length === 0 ? {} : { systemInstruction: { parts: system } }),
      ...tools,
      ...(Object.keys(generationConfig).length === 0 ? {} : { generationConfig }),
    };
  }

  /** Returns the continuation token, where the last answer is to go on. */
  protected override defaults(): Json {
    const last = this.turns.at(-1);
    let found: Json = {};
    for (const turn of this.turns) {
      for (const piece of turn.role === "assistant" ? turn.pieces : []) {
        if (piece.type !== "state" || piece.item.kind !== "continuationToken") continue;
        const { kind, data, pointer } = piece.item;
        if (turn !== last) this.notes.responseOnly(pointer, kind);
        else if (typeof data === "string") found = { continuationToken: data };
        else this.notes.malformed(pointer, "a token as text", data);
      }
    }
    return found;
  }

  // --- contents -----------------------------------------------------------------------------------

  #system(turn: SystemTurn, isFirst: boolean): Json[] {
    if (turn.pieces.length === 0) {
      this.noteEmpty(turn);
    } else if (!isFirst) {
      const message = "A system message behind others is sent before them all";
      this.notes.add("encode/moved-system", message, turn.pointer);
    }
    return turn.pieces.map(({ text }) => ({ text }));
  }

  #parts(turn: Exclude<Turn, SystemTurn>): Json[] {
    if (turn.role === "tool") return turn.results.map((result) => this.#content.result(result));
    if (turn.role === "user") return this.#content.user(turn.pieces);
    this.#rememberNameless(turn);
    return this.#content.assistant(turn.pieces, turn.own);
  }

  #add(contents: Content[], turn: Turn, parts: Json[]): void {
    const role = turn.role === "assistant" ? "model" : "user";
    const last = contents.at(-1);
    if (parts.length === 0) this.noteEmpty(turn);
    else if (role === "model" && last?.role === role) for (const part of parts) last.parts.push(part);
    else contents.push({ role, parts });
  }

  /** Remembers the calls of this message that the provider gave no id. */
  #rememberNameless(turn: AssistantTurn): void {
    for (const piece of turn.pieces) {
      if (piece.type === "call" && piece.nameless) this.#content.nameless.add(piece.callId);
    }
  }

  // --- tools and configuration --------------------------------------------------------------------

  #tools(): Json {
    const { choice } = this.request;
    const declarations = this.takenTools().map(({ pointer, spec, schema }) => {
      if (spec.strict === true) {
        this.notes.unsupportedConfig(`${pointer}/strict`, "a tool that need not be strict", true);
      }
      const described = spec.description === undefined ? {} : { description: spec.description };
      return { name: spec.name, parametersJsonSchema: schema, ...described };
    });
    const members = declarations.length === 0 ? {} : { tools: [{ functionDeclarations: declarations }] };
    const isChosen = this.choiceHolds(new Set(declarations.map(({ name }) => name)));
    if (choice === undefined || !isChosen) return members;
    const named = choice.mode === "tool" ? { allowedFunctionNames: [choice.toolName] } : {};
    return { ...members, toolConfig: { functionCallingConfig: { mode: MODES[choice.mode], ...named } } };
  }
}
