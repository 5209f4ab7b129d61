/**
 * Bedrock Converse: the contract's messages and configuration → a request body.
 *
 * The body is the JSON of the HTTP request, Base64 where it has bytes, and `modelId`, which stands in
 * the URL. For AWS's JavaScript client: {@link bedrockArguments}.
 *
 * - System prompt and system messages are `system` blocks. A system message behind others moves there
 *   (`encode/moved-system`).
 * - Messages of one side in a row become one; tool results stand first in the user's, all results of
 *   parallel calls in one. What is left empty is left out.
 * - Reasoning goes back with its signature, at its place, and not without; redacted reasoning, server
 *   tools with their results and whatever else the provider had stands where it stood. Text goes back
 *   with its citations.
 * - The format has no tool choice `none`: without calls in the messages the tools are left out, else
 *   the choice is (`encode/unsupported-config`). It takes calls and results only beside tools: where
 *   no tool is given, the called ones are declared by name (`encode/stand-in-tool`).
 * - Images, files and media go inline or from S3 (`s3://`): the provider fetches nothing else.
 * - `cacheConfig` sets cache points behind the tools, the system prompt and the last message.
 *
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html;
 * requirements S001-02.
 */

import { jsonText } from "../../json/compact.js";
import { isObject, own } from "../../json/values.js";
import { firstCharacters } from "../core/values.js";
import { BlockEncoder, type Draft } from "../request_core/blocks.js";
import { Form } from "../request_core/call-ids.js";
import type { Choice, Request } from "../request_core/inputs.js";
import type { Notes } from "../request_core/notes.js";
import { fresh, isSame, type Json } from "../request_core/values.js";
import { BedrockContent } from "./request-content.js";

const FORMS = { callId: new Form(/^[A-Za-z0-9_.:-]+$/, 64), toolName: new Form(/^[A-Za-z0-9_-]+$/, 64) };

/** Encoder of one Converse request. */
export class BedrockConverseEncoder extends BlockEncoder {
  protected override readonly content: BedrockContent;

  constructor(request: Request, notes: Notes) {
    super(request, notes, "bedrock-converse", FORMS);
    this.content = new BedrockContent(notes);
  }

  protected override body(): Json {
    const { request } = this;
    const { system, drafts } = this.drafted();
    const messages = drafts.map(({ role, content }) => ({ role, content: content.map((block) => block.body) }));
    const inferenceConfig = {
      ...this.sampling("maxTokens", "topP", 1),
      ...this.stopsThat((stop) => stop !== "", "stopSequences", "text"),
    };
    const { tools, choice } = this.#tools(drafts);
    const toolConfig = tools.length === 0 && isEmpty(choice) ? {} : { tools, ...choice };
    if (request.cache) {
      for (const place of [system, tools, messages.at(-1)?.content ?? []]) {
        if (place.length > 0) place.push({ cachePoint: { type: "default" } });
      }
    }
    return {
      modelId: request.modelId,
      messages,
      ...(system.length === 0 ? {} : { system }),
      ...(isEmpty(inferenceConfig) ? {} : { inferenceConfig }),
      ...(isEmpty(toolConfig) ? {} : { toolConfig }),
    };
  }

  // --- messages -----------------------------------------------------------------------------------

  protected override leaveOutDangling(drafts: readonly Draft[]): void {
    const answered = new Set<unknown>();
    for (const { role, blocks } of drafts) {
      if (role !== "assistant") continue;
      for (const { body } of blocks) {
        const result = body["toolResult"];
        if (isObject(result)) answered.add(result["toolUseId"]);
      }
    }
    const called = new Set<unknown>();
    for (const draft of drafts) {
      draft.blocks = draft.blocks.filter(({ body, pointer }) => {
        const { toolUse: call, toolResult: result } = body;
        let isDue = true;
        if (isObject(call) && Object.hasOwn(call, "type")) {
          isDue = answered.has(call["toolUseId"]);
          called.add(call["toolUseId"]);
        } else if (isObject(result)) {
          isDue = called.has(result["toolUseId"]);
        }
        if (!isDue) this.noteDangling(pointer, isObject(call) ? "toolUse" : "toolResult");
        return isDue;
      });
    }
  }

  protected override isThinking(body: Json): boolean {
    return Object.hasOwn(body, "reasoningContent");
  }

  // --- tools and configuration --------------------------------------------------------------------

  #tools(drafts: readonly Draft[]): { tools: Json[]; choice: Json } {
    const taken = this.takenTools();
    const tools = taken.map(
      ({ spec, schema }): Json => ({
        toolSpec: {
          name: spec.name,
          inputSchema: { json: schema },
          ...(spec.description ? { description: spec.description } : {}),
          ...(spec.strict === undefined ? {} : { strict: spec.strict }),
        },
      }),
    );
    const called = calledIn(drafts);
    const hasGiven = this.#givenTools().length > 0;
    const { choice } = this.request;
    const isChosen = this.choiceHolds(new Set(taken.map(({ spec }) => spec.name)));
    if (isChosen && choice?.mode === "none" && called.size === 0 && !hasGiven) return { tools: [], choice: {} };
    const chosen = choice !== undefined && isChosen ? this.#choice(choice) : {};
    return { tools: tools.length > 0 || hasGiven ? tools : this.#standIns(called), choice: chosen };
  }

  #choice({ mode, toolName, pointer }: Choice): Json {
    if (mode === "tool") return { toolChoice: { tool: { name: toolName } } };
    if (mode !== "none") return { toolChoice: { [mode === "required" ? "any" : "auto"]: {} } };
    this.notes.unsupportedConfig(pointer, "auto or required", "none");
    return {};
  }

  /** Returns a tool for every one that a call names. */
  #standIns(called: ReadonlyMap<string, string>): Json[] {
    return [...called].map(([name, pointer]) => {
      this.notes.add(
        "encode/stand-in-tool",
        "The provider takes calls only beside tools; one without a description is sent",
        pointer,
        { expected: "a spec of the called tool", actual: firstCharacters(name, 80) },
      );
      return { toolSpec: { name, inputSchema: { json: { type: "object" } } } };
    });
  }

  /** Returns the tools that an extension of the configuration brings. */
  #givenTools(): readonly unknown[] {
    const config = this.request.extensions.get("toolConfig");
    const tools = isObject(config) ? own(config, "tools") : undefined;
    return Array.isArray(tools) ? tools : [];
  }

  /** Tells whether a tool choice can be sent; tools of an extension are the provider's. */
  protected override choiceHolds(names: ReadonlySet<string>): boolean {
    if (this.#givenTools().length > 0) return this.request.choice !== undefined;
    return super.choiceHolds(names);
  }

  protected override joined(ours: unknown, theirs: unknown, place: string): unknown {
    if (place === "/config/toolConfig/tools" && Array.isArray(ours) && Array.isArray(theirs)) {
      return [...ours, ...fresh(theirs)];
    }
    if (place === "/config/toolConfig/toolChoice" && !isSame(ours, theirs)) {
      // One of three members: as objects both would be joined.
      super.joined(jsonText(ours), jsonText(theirs), place);
      return ours;
    }
    return super.joined(ours, theirs, place);
  }
}

const isEmpty = (members: Json): boolean => Object.keys(members).length === 0;

/** Returns the names of called tools, the provider's own left out, and where each is called. */
function calledIn(drafts: readonly Draft[]): Map<string, string> {
  const called = new Map<string, string>();
  for (const { body, pointer } of drafts.flatMap((draft) => draft.blocks)) {
    const call = body["toolUse"];
    if (!isObject(call) || Object.hasOwn(call, "type")) continue;
    const name = call["name"] as string;
    if (!called.has(name)) called.set(name, `${pointer}/payload/toolName`);
  }
  return called;
}
