/** What `encodeRequest` is given, read with the contract's reader. */

import { type Binding, bind, type Verdict } from "../../contract/binding.js";
import { data, verdicts } from "../../contract/current/message.checks.js";
import type {
  Message,
  ModelConfig,
  TextPart,
  TolerantMessage,
  TolerantTypes,
  ToolChoice,
  ToolSpec,
} from "../../contract/current/message.js";
import {
  badArgument,
  clip,
  errorAt,
  type Finding,
  PartwireError,
  ReadError,
  throwAny,
  UsageError,
} from "../../errors.js";
import { readAs } from "../../reading/checks.js";
import type { Notes } from "./notes.js";
import { noteStray } from "./state.js";
import { type Json, withoutSpace } from "./values.js";

/** What a request says beside its messages, as types of the contract or JSON values. */
export interface RequestOptions {
  /** Members that the contract does not name go into the body as they are. */
  readonly config: ModelConfig;
  readonly toolSpecs?: readonly ToolSpec[];
  readonly systemPrompt?: string | null;
  /** Text parts; they win over `systemPrompt`. */
  readonly systemPromptContent?: readonly TextPart[] | null;
  /** Wins over the configuration's. */
  readonly toolChoice?: ToolChoice | null;
}

/** The messages of a request. */
export type Messages = readonly (Message | TolerantMessage)[];

/** The tool choice; `toolName` is set for the mode `tool` alone. */
export interface Choice {
  readonly mode: "auto" | "required" | "none" | "tool";
  readonly toolName: string;
  readonly pointer: string;
}

/** A text of the system prompt, and where it is. */
interface SystemText {
  readonly text: string;
  readonly pointer: string;
}

/** The arguments, valid and typed. Nothing in it may be changed: it is the caller's. */
export interface Request {
  readonly messages: readonly TolerantMessage[];
  readonly tools: readonly ToolSpec[];
  /** The prompt that was given apart from the messages. */
  readonly system: readonly SystemText[];
  readonly modelId: string;
  readonly choice: Choice | undefined;
  readonly temperature: number | undefined;
  readonly maxTokens: number | undefined;
  readonly topP: number | undefined;
  readonly stopSequences: readonly string[];
  readonly cache: boolean;
  /** The members of the configuration that the contract does not name. */
  readonly extensions: ReadonlyMap<string, unknown>;
}

const NAMED: ReadonlySet<string> = new Set([
  "modelId",
  "temperature",
  "maxTokens",
  "topP",
  "stopSequences",
  "toolChoice",
  "cacheConfig",
]);

/**
 * Reads the arguments tolerantly; what is not an error is noted. Throws ReadError, with pointers into
 * the request, for what the contract refuses, UsageError for what is not an array or no text.
 */
export function readRequest(messages: unknown, options: RequestOptions, notes: Notes): Request {
  // JavaScript may leave the options out, whatever the types say.
  if (typeof options !== "object" || options === null) {
    throw badArgument("A request takes options", "an object with the config", options ?? null);
  }
  const config = readPart(options.config, "ModelConfig", "/config", notes) as ModelConfig & Json;
  const ofConfig = options.toolChoice === undefined || options.toolChoice === null;
  const choice = ofConfig ? config.toolChoice : options.toolChoice;
  return {
    messages: arrayOf(messages, "messages", "/messages").map((each, number) =>
      readPart(each, "Message", `/messages/${number}`, notes),
    ),
    tools: arrayOf(options.toolSpecs === undefined ? [] : options.toolSpecs, "tool specs", "/toolSpecs").map(
      (each, number) => readPart(each, "ToolSpec", `/toolSpecs/${number}`, notes),
    ),
    system: systemOf(options.systemPrompt, options.systemPromptContent, notes),
    modelId: config.modelId,
    choice:
      choice === undefined || choice === null
        ? undefined
        : choiceOf(choice, ofConfig ? "/config/toolChoice" : "/toolChoice", notes),
    temperature: config.temperature,
    maxTokens: config.maxTokens,
    topP: config.topP,
    stopSequences: config.stopSequences ?? [],
    cache: config.cacheConfig !== undefined,
    extensions: new Map(Object.entries(config).filter(([name]) => !NAMED.has(name))),
  };
}

function arrayOf(value: unknown, what: string, place: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new UsageError(
    errorAt(place, "usage/invalid-argument", `A request takes a list of ${what}`, "an array", clip(value)),
  );
}

const bindings = new Map<string, Binding>();

function bindingOf(name: keyof TolerantTypes): Binding {
  let binding = bindings.get(name);
  if (binding === undefined) bindings.set(name, (binding = bind(name, data, verdicts[name] as Verdict)));
  return binding;
}

/** Reads one argument; pointers lead into the request. */
function readPart<Name extends keyof TolerantTypes>(
  value: unknown,
  name: Name,
  place: string,
  notes: Notes,
): TolerantTypes[Name] {
  const at = (found: Finding): Finding => ({ ...found, pointer: `${place}${found.pointer}` });
  try {
    const read = readAs(bindingOf(name), value, "tolerant");
    for (const found of read.findings) notes.findings.push(at(found));
    return read.value as TolerantTypes[Name];
  } catch (error) {
    if (error instanceof PartwireError) throwAny(error.findings.map(at), ReadError);
    throw error;
  }
}

function choiceOf(value: unknown, pointer: string, notes: Notes): Choice {
  const read = readPart(value, "ToolChoice", pointer, notes);
  if (typeof read === "string") return { mode: read, toolName: "", pointer };
  return { mode: "tool", toolName: read.toolName, pointer };
}

/** Throws ReadError for text that no message may hold. */
function checkText(text: string): void {
  try {
    readAs(bindingOf("TextPayload"), { text }, "strict");
  } catch (error) {
    const moved = (found: Finding): Finding => ({ ...found, pointer: "/systemPrompt" });
    if (error instanceof PartwireError) throwAny(error.findings.map(moved), ReadError);
    throw error;
  }
}

/** Returns the system prompt: the structured one, where both are given. */
function systemOf(text: unknown, content: unknown, notes: Notes): SystemText[] {
  const given = text ?? undefined;
  if (given !== undefined && typeof given !== "string") {
    const message = "A system prompt is text";
    throw new UsageError(errorAt("/systemPrompt", "usage/invalid-argument", message, "a string", clip(given)));
  }
  if (given !== undefined) checkText(given);
  if (content === undefined || content === null) {
    return given === undefined || given === "" ? [] : [{ text: given, pointer: "/systemPrompt" }];
  }
  const place = "/systemPromptContent";
  const parts = arrayOf(content, "parts of the system prompt", place).map((each, number) =>
    readPart(each, "TextPart", `${place}/${number}`, notes),
  );
  for (const [number, part] of parts.entries()) noteStray(part, `${place}/${number}`, notes);
  const texts = parts.map((part) => part.payload.text);
  if (given !== undefined && withoutSpace(given) !== withoutSpace(texts.join(""))) {
    notes.add(
      "encode/system-prompt-twice",
      "The system prompt is given as text and as parts, which differ; the parts count",
      "/systemPrompt",
      { expected: "the text of the parts", actual: clip(given) },
    );
  }
  const system = texts.map((each, number) => ({ text: each, pointer: `${place}/${number}` }));
  return system.filter((each) => each.text !== "");
}
