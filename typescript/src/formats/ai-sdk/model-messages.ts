/** Model messages: what the SDK gives to models, and what agents store of it. */

import type { Json, Reading } from "../core/reading.js";
import { Members } from "../core/reading.js";
import { withBlock } from "./server-tools.js";
import { opaqueOf, ownState } from "./state.js";
import { Steps, textLike } from "./steps.js";
import { callOf, fileOf, markFailed, resultOf, typedResult } from "./values.js";

/** Reads the model messages of one history: calls and approvals are known by their ids. */
export class ModelMessages {
  readonly #reading: Reading;
  readonly #names = new Map<string, string>();
  readonly #server = new Set<string>();
  /** Approval → call. */
  readonly #calls = new Map<string, string>();

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** Reads one message, and adds what it is. */
  read(role: string, message: Members): void {
    const reading = this.#reading;
    const steps = new Steps(reading);
    const place = message.at("content");
    let content = message.value("content");
    if (role === "tool" && typeof content === "string" && content !== "") {
      reading.note("foreign-part", place); // it does not say of which call
      content = "";
    }
    if (typeof content === "string") content = content === "" ? [] : [{ type: "text", text: content }];
    for (const block of reading.items(content, place)) {
      if (this.#block(role, block, steps)) block.close();
      else reading.note("foreign-part", block.place);
    }
    steps.end();
    const messageId = message.text("id");
    for (const { role: of, parts, ...members } of steps.messages(role, messageId ? { messageId } : {})) {
      reading.add(of as string, parts as Json[], members);
    }
    message.close();
  }

  /** Reads a block; returns whether a message has a part for it. */
  #block(role: string, block: Members, steps: Steps): boolean {
    const kind = block.text("type");
    if (role === "tool" && kind !== "tool-result" && kind !== "tool-approval-response") return false;
    switch (kind) {
      case "text": {
        const text = block.text("text");
        if (text !== undefined) steps.say(textLike("text", text, this.#opaque(role, "text", block, text)));
        return text !== undefined;
      }
      case "file":
      case "image": {
        const part = fileOf(block, this.#reading, kind === "image");
        if (part !== undefined) steps.say(part);
        return part !== undefined;
      }
      case "reasoning":
      case "redacted-reasoning":
        return role === "assistant" && this.#thinking(kind, block, steps);
      case "tool-call":
        return role === "assistant" && this.#call(block, steps);
      case "tool-result":
        return (role === "assistant" || role === "tool") && this.#result(role, block, steps);
      case "tool-approval-request":
        return this.#request(role, block, steps);
      case "tool-approval-response":
        return this.#response(block, steps);
      default:
        return false;
    }
  }

  /** Takes the options of a block of an assistant, which is where its state goes back. */
  #opaque(role: string, kind: string, block: Members, text = ""): Json | undefined {
    if (role !== "assistant") return undefined;
    const name = block.has("providerOptions") ? "providerOptions" : "providerMetadata";
    const metadata = block.object(name);
    if (metadata === undefined || Object.keys(metadata).length === 0) return undefined;
    return opaqueOf(kind, metadata, text, block.at(name), this.#reading);
  }

  #thinking(kind: string, block: Members, steps: Steps): boolean {
    if (kind === "redacted-reasoning") {
      const redactedData = block.text("data");
      if (!redactedData) return false;
      steps.say(textLike("thinking", "", this.#stored({ redactedData }, "", block)));
      return true;
    }
    const text = block.text("text") ?? "";
    const signature = block.text("signature");
    const opaque =
      signature === undefined
        ? this.#opaque("assistant", "thinking", block, text)
        : this.#stored({ signature }, text, block);
    steps.say(textLike("thinking", text, opaque));
    return true;
  }

  /** Returns the state of reasoning that version 4 stored beside it. */
  #stored(said: Json, text: string, block: Members): Json | undefined {
    return opaqueOf("thinking", { anthropic: said }, text, block.place, this.#reading);
  }

  #call(block: Members, steps: Steps): boolean {
    const [callId, name] = [block.text("toolCallId"), block.text("toolName")];
    if (!callId || !name) return false;
    const given = block.value(block.has("input") ? "input" : "args");
    const isServer = block.flag("providerExecuted") ?? false;
    this.#names.set(callId, name);
    if (isServer) this.#server.add(callId);
    const opaque = this.#opaque("assistant", isServer ? "server_tool_call" : "tool_call", block);
    steps.say(callOf(callId, name, given, isServer, opaque));
    return true;
  }

  #result(role: string, block: Members, steps: Steps): boolean {
    const callId = block.text("toolCallId");
    if (!callId) return false;
    const part = this.#resultOf(callId, block);
    if (part === undefined) return false;
    if (block.flag("isError") === true) markFailed(part);
    const name = block.text("toolName");
    if (name && this.#names.get(callId) !== name) this.#reading.note("tool-name", block.at("toolName"));
    if (role !== "assistant" || !this.#server.has(callId)) {
      steps.answer(part);
      return true;
    }
    const opaque = this.#opaque(role, "server_tool_result", block);
    const payload = { ...(part["payload"] as Json), ...(opaque === undefined ? {} : { opaque }) };
    steps.say({ kind: "server_tool_result", payload: withBlock(payload) });
    return true;
  }

  #resultOf(callId: string, block: Members): Json | undefined {
    const given = block.object("output");
    if (given === undefined) {
      const member = block.has("output") ? "output" : "result";
      return resultOf(callId, block.value(member), block.at(member), this.#reading);
    }
    const output = new Members(given, block.at("output"), this.#reading);
    const part = typedResult(callId, output, this.#reading);
    if (part !== undefined) output.close();
    return part;
  }

  #request(role: string, block: Members, steps: Steps): boolean {
    const payload = this.#approval(block);
    if (payload === undefined || role !== "assistant") return false;
    this.#calls.set(payload["approvalId"] as string, payload["toolCallId"] as string);
    const kept: Json = {};
    for (const name of ["isAutomatic", "signature"]) if (block.has(name)) kept[name] = block.value(name);
    if (Object.keys(kept).length > 0) payload["opaque"] = ownState(kept);
    steps.say({ kind: "approval_request", payload });
    return true;
  }

  #response(block: Members, steps: Steps): boolean {
    const payload = this.#approval(block);
    const approved = payload === undefined ? undefined : block.flag("approved");
    if (payload === undefined || approved === undefined) return false;
    if (this.#server.has(payload["toolCallId"] as string)) block.skip("providerExecuted", true);
    payload["decision"] = approved ? "approved" : "denied";
    steps.answer({ kind: "approval_response", payload });
    return true;
  }

  /** Takes what requests and responses have alike: the ids of approval and call, and the reason. */
  #approval(block: Members): Json | undefined {
    const approvalId = block.text("approvalId");
    const toolCallId = block.text("toolCallId") || this.#calls.get(approvalId ?? "");
    if (!approvalId || !toolCallId) return undefined;
    const reason = block.text("reason");
    return { approvalId, toolCallId, ...(reason === undefined ? {} : { reason }) };
  }
}
