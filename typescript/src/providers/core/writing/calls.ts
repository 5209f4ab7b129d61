/** Calls of tools: their ids, arguments and ends. */
import { isUnicode } from "../../../json/text.js";
import { shown } from "../findings.js";
import { CallIds, OpenCall, WaitingCalls } from "../ids.js";
import { wellFormed } from "../values.js";
import { asName } from "./stream.js";
import { TextWriter } from "./text.js";

/** Writes calls of tools, of ours and of the provider's. */
export class CallWriter extends TextWriter {
  protected readonly callIds = new CallIds(this.ids.runId, this.usedToolCallIds);
  protected readonly open = new Map<string, OpenCall>();
  protected readonly endedCalls = new Set<string>();
  /** Server calls without a result. */
  protected readonly waiting = new WaitingCalls();

  /** How many calls are open. */
  get openCalls(): number {
    return this.open.size;
  }

  /**
   * Starts a tool call; its id is the provider's, or a minted one where that cannot be used.
   * `providerIds` of the state maps a minted id to the provider's own.
   */
  openCall(providerId: string | undefined, name: string): OpenCall {
    this.breakPart();
    const id = this.callIds.take(providerId, this.requestId);
    if (id !== providerId) {
      this.state.providerIds.set(id, providerId);
      this.#noteMinted(providerId);
    }
    this.newPart("tool_call");
    const call = new OpenCall(id, this.part);
    this.open.set(id, call);
    this.add("tool_call_start", { toolCallId: id, toolName: wellFormed(name) });
    return call;
  }

  /**
   * Starts a call of a tool that the provider runs; its id is the provider's, or minted. Its
   * arguments and its end are written as any call's. The provider's own id is in what is kept with
   * the call.
   */
  openServerCall(providerId: string | undefined, name: string): OpenCall {
    this.breakPart();
    const id = this.callIds.take(providerId, this.requestId, "srv");
    if (id !== providerId) this.#noteMinted(providerId);
    this.newPart("server_tool_call");
    const call = new OpenCall(id, this.part, true);
    this.open.set(id, call);
    this.waiting.add(id, id === providerId ? "" : asName(providerId ?? ""));
    this.add("server_tool_call_start", { toolCallId: id, toolName: wellFormed(name) });
    return call;
  }

  #noteMinted(providerId: string | undefined): void {
    const message = "The tool call has no id, or one that the run has used; it got a new one";
    const actual = providerId === undefined ? "no id" : shown(providerId);
    this.log.note("adapter/minted-id", message, "", { expected: "an id that is unique in the run", actual });
  }

  /** Appends argument text to an open call; a part of text around it stays open. */
  args(call: OpenCall, given: string): void {
    let text = given;
    if (call.half !== "" || !isUnicode(given)) [text, call.half] = this.whole(call.half + given);
    if (text === "") return;
    const kind = call.server ? "server_tool_call_args" : "tool_call_args";
    this.add(kind, { toolCallId: call.toolCallId, argsTextDelta: text });
  }

  /** Ends an open call; the `last` one of all carries what no other delta can. */
  endCall(call: OpenCall, last = false): void {
    if (call.half !== "") {
      call.half = "";
      this.noteLone();
      this.args(call, "\ufffd");
    }
    this.collect?.();
    const { toolCallId, part } = call;
    this.open.delete(toolCallId);
    this.endedCalls.add(toolCallId);
    const opaque = last ? this.state.rest(part, toolCallId) : this.state.ofPart(part, toolCallId);
    const kind = call.server ? "server_tool_call_end" : "tool_call_end";
    this.add(kind, { toolCallId, ...(opaque === undefined ? {} : { opaque }) });
  }
}
