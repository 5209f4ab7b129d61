/** What every encoder is: the contract's messages and configuration in, one request body out. */

import type { ToolSpec } from "../../contract/current/message.js";
import { clip, type Finding } from "../../errors.js";
import { escapePointer } from "../../json/text.js";
import { isObject, put } from "../../json/values.js";
import type { Request } from "./inputs.js";
import type { Notes } from "./notes.js";
import { readTurns } from "./turn-reader.js";
import type { Forms, Turn } from "./turns.js";
import { fresh, isSame, type Json } from "./values.js";

/** A request body as JSON value, the caller's to keep, and what could not be said as it is. */
export interface EncodedRequest {
  readonly body: Json;
  readonly findings: readonly Finding[];
}

/** A request body as JSON text, every integer as it was written, and what was found. */
export interface EncodedText {
  readonly text: string;
  readonly findings: readonly Finding[];
}

/** A tool that the provider takes, with the schema of its arguments. */
interface TakenTool {
  readonly pointer: string;
  readonly spec: ToolSpec;
  readonly schema: Json;
}

/**
 * Encodes one request; an object is for one call.
 *
 * A class per dialect says `dialect` and `forms`, and fills in {@link body} and, where there are
 * any, {@link defaults}. `request` is what was given, `turns` its messages as turns; `notes` takes
 * the findings. Whatever a body takes over from `request` is copied, so that the caller's objects
 * stay the caller's. Source: semantics, requests.
 */
export abstract class RequestEncoder {
  protected readonly turns: readonly Turn[];

  constructor(
    protected readonly request: Request,
    protected readonly notes: Notes,
    readonly dialect: string,
    protected readonly forms: Forms,
  ) {
    this.turns = readTurns(request.messages, dialect, forms, notes);
  }

  /** Returns the members of the body that the contract's own values make. */
  protected abstract body(): Json;

  /** Returns members that are sent unless the configuration's extensions name them. */
  protected defaults(): Json {
    return {};
  }

  /** Returns the body with the extensions of the configuration, and the findings. */
  encode(): EncodedRequest {
    const body = this.body();
    const defaults = this.defaults();
    for (const [name, value] of this.request.extensions) {
      const ours = body[name];
      if (!Object.hasOwn(body, name)) put(body, name, fresh(value));
      else if (name === "tools" && Array.isArray(ours) && Array.isArray(value)) body[name] = [...ours, ...fresh(value)];
      else body[name] = this.joined(ours, value, `/config/${escapePointer(name)}`);
    }
    for (const [name, value] of Object.entries(defaults)) if (!Object.hasOwn(body, name)) body[name] = value;
    return { body, findings: this.notes.findings };
  }

  /** Returns a member that both the contract and an extension say: objects are joined. */
  protected joined(ours: unknown, theirs: unknown, place: string): unknown {
    if (isObject(ours) && isObject(theirs)) {
      const joined = { ...ours };
      for (const [name, value] of Object.entries(theirs)) {
        const at = `${place}/${escapePointer(name)}`;
        put(joined, name, Object.hasOwn(ours, name) ? this.joined(ours[name], value, at) : fresh(value));
      }
      return joined;
    }
    if (!isSame(ours, theirs)) {
      const message = "The contract's own value says something else, and is sent in place of this one";
      this.notes.add("encode/config-conflict", message, place, { expected: clip(ours), actual: clip(theirs) });
    }
    return ours;
  }

  // --- what encoders share ------------------------------------------------------------------------

  /** Notes a turn of which nothing is left; results always leave something. */
  protected noteEmpty(turn: Turn): void {
    if (turn.role !== "tool") this.notes.emptyMessage(turn.pointer);
  }

  /**
   * Returns the tools that the provider takes. The schema says that arguments are an object, which
   * the contract means anyway; a tool with another schema, or with a name that the provider does not
   * take, is left out with a finding.
   */
  protected takenTools(): TakenTool[] {
    const form = this.forms.toolName;
    const taken: TakenTool[] = [];
    for (const [number, spec] of this.request.tools.entries()) {
      const place = `/toolSpecs/${number}`;
      const given = spec.parameterSchema;
      const kind = Object.hasOwn(given, "type") ? given["type"] : "object";
      if (!form.fits(spec.name)) this.#refuseTool(`${place}/name`, `at most ${form.chars} characters`, spec.name);
      else if (kind !== "object") this.#refuseTool(`${place}/parameterSchema/type`, '"object"', kind);
      else taken.push({ pointer: place, spec, schema: { type: "object", ...fresh(given) } });
    }
    return taken;
  }

  #refuseTool(pointer: string, expected: string, actual: unknown): void {
    const message = "The provider does not take this tool; it is left out";
    this.notes.add("encode/unsupported-tool", message, pointer, { expected, actual: clip(actual) });
  }

  /**
   * Tells whether a tool choice can be sent beside the tools `names`.
   *
   * Without tools, auto and none say nothing, and what asks for a call is a finding; so is a tool
   * that was left out. Tools that an extension names are the provider's business.
   */
  protected choiceHolds(names: ReadonlySet<string>): boolean {
    const { choice, extensions } = this.request;
    if (choice === undefined || extensions.has("tools")) return choice !== undefined;
    if (choice.mode === "tool" && !names.has(choice.toolName)) {
      const expected = [...names].sort().join(", ") || "a tool";
      this.notes.unsupportedConfig(choice.pointer, expected, choice.toolName);
      return false;
    }
    if (choice.mode === "required" && names.size === 0) {
      this.notes.unsupportedConfig(choice.pointer, "a tool", "required");
      return false;
    }
    return names.size > 0;
  }

  /** Returns the members `maxTokens`, `temperature` up to `most`, and `topP`, under the provider's names. */
  protected sampling(maxTokens: string, topP: string, most: number): Json {
    const { request } = this;
    return {
      ...(request.maxTokens === undefined ? {} : { [maxTokens]: request.maxTokens }),
      ...this.temperature(most),
      ...(request.topP === undefined ? {} : { [topP]: request.topP }),
    };
  }

  /** Returns `temperature` as a member, nothing without one or where it is above `most`. */
  protected temperature(most: number): Json {
    const given = this.request.temperature;
    if (given === undefined) return {};
    if (given <= most) return { temperature: given };
    this.notes.unsupportedConfig("/config/temperature", `at most ${most}`, given);
    return {};
  }

  /** Returns the first `most` stop sequences under `name`; nothing without any. */
  protected stops(name: string, most: number): Json {
    const given = this.request.stopSequences;
    for (const [number, stop] of given.entries()) {
      if (number < most) continue;
      const place = `/config/stopSequences/${number}`;
      this.notes.unsupportedConfig(place, `at most ${most} stop sequences`, stop);
    }
    return given.length === 0 ? {} : { [name]: given.slice(0, most) };
  }

  /** Returns the stop sequences that `takes` takes, under `name`; nothing without any. */
  protected stopsThat(takes: (stop: string) => boolean, name: string, expected: string): Json {
    const kept: string[] = [];
    for (const [number, stop] of this.request.stopSequences.entries()) {
      if (takes(stop)) kept.push(stop);
      else this.notes.unsupportedConfig(`/config/stopSequences/${number}`, expected, stop);
    }
    return kept.length === 0 ? {} : { [name]: kept };
  }
}
