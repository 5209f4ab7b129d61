/** Tool calls of a response: functions and custom tools of the caller's, and the provider's own. */
import {
  RESPONSES_CALLS as CALLS,
  RESPONSES_PAIRED as PAIRED,
  RESPONSES_XAI_TOOLS,
  RESPONSES_SERVER_CALLS as SERVER_CALLS,
} from "../../generated/tables/provider-names.js";
import { isObject } from "../../json/values.js";
import { decodeEvent, NOTHING } from "../core/event-json.js";
import { type FindingLog, shown } from "../core/findings.js";
import type { OpenCall } from "../core/ids.js";
import { jsonTextAt, quoted } from "../core/spelling.js";
import { type Members, member, saysAnything, stripped } from "../core/values.js";
import type { DeltaWriter } from "../core/writer.js";
import { type Item, restOf } from "./items.js";
import { APPROVAL, argumentsText, bareName, isServerCall, nameOfTool, resultOf } from "./server-items.js";

const XAI_TOOLS: ReadonlySet<string> = new Set(RESPONSES_XAI_TOOLS);
const XAI_PREFIX = "xs_call";

/** Returns the member that says a call's arguments. */
const argsMember = (item: Item): string => CALLS.get(item.kind) ?? SERVER_CALLS.get(item.kind) ?? "arguments";

const isCode = (item: Item): boolean => argsMember(item) === "code";
const CODE_BEGINS = '{"code":"';
const CODE_ENDS = '"}';

/** The text that is around the calls. */
interface AroundCalls {
  /** Notes where the text ends that is being written. */
  leave(): void;
  /** Also keeps what is before a call. */
  collect(): void;
}

/**
 * Writes the calls of one response. A call that the provider runs ends with its item, which holds its
 * result as well, unless that is an item by itself. Code comes in pieces: it is the one member of the
 * arguments.
 */
export class ResponsesCalls {
  /** Whether a call waits for approval. */
  asks = false;
  readonly #waiting = new Map<string, string[]>(); // output that is due → ids of calls
  readonly #writer: DeltaWriter;
  readonly #log: FindingLog;
  readonly #around: AroundCalls;
  readonly #declared = new Set<string>(); // names of custom tools
  #searchesX = false; // xAI's own tool is one of the tools

  constructor(writer: DeltaWriter, log: FindingLog, around: AroundCalls) {
    this.#writer = writer;
    this.#log = log;
    this.#around = around;
  }

  /** Reads the tools of a response: a custom tool of the caller's is none of the provider's. */
  declare(tools: unknown): void {
    if (!Array.isArray(tools)) return;
    for (const tool of tools as readonly unknown[]) {
      if (!isObject(tool)) continue;
      const kind = member(tool, "type");
      const name = member(tool, "name");
      if (kind === "custom" && typeof name === "string") this.#declared.add(name);
      else if (kind === "namespace") this.declare(member(tool, "tools"));
      else if (kind === "x_search") this.#searchesX = true;
    }
  }

  /** Tells whether an item is a call that is reported as one. */
  takes(item: Item): boolean {
    if (CALLS.has(item.kind)) return true;
    if (!item.server && this.#writer.saysNew) item.server = isServerCall(item.kind, item.body);
    return item.server;
  }

  /** Starts the call if its name and id are known; else it waits for the end of the item. */
  begin(item: Item): void {
    this.#open(item, false);
    const initial = member(item.body, argsMember(item));
    if (typeof initial === "string") item.initial = initial;
  }

  /** Reads one delta of arguments. */
  piece(item: Item, delta: unknown): void {
    if (typeof delta !== "string") {
      this.#log.invalid("/delta", "a string", delta);
      return;
    }
    item.settled = false;
    // Arguments that an item begins with come before its deltas; an empty object, or what the first
    // delta says again, only holds their place.
    const { initial } = item;
    item.initial = "";
    if (initial !== delta && stripped(initial) !== "{}") this.#write(item, initial);
    this.#write(item, delta);
  }

  /** Reads an event with all arguments; newer ones say the name as well. */
  whole(item: Item, event: Members): void {
    const name = member(event, "name");
    if (typeof name === "string" && !saysAnything(member(item.body, "name"))) {
      item.body["name"] = name;
      this.#open(item, false);
    }
    item.settled = true;
    this.#settle(item, event, "");
  }

  /** Reads a whole item, maybe not for the first time; its call ends with its arguments. */
  done(item: Item, body: Members, place: string): void {
    this.#open(item, true);
    if (item.call === undefined || item.ended) return;
    this.#compare(`${place}/call_id`, item.callId, member(body, "call_id"));
    this.#compare(`${place}/name`, item.name, member(body, "name"));
    item.settled = true;
    const isWritten = !SERVER_CALLS.has(item.kind) || isCode(item);
    if (isWritten) this.#settle(item, body, place);
    else this.#settleText(item, argumentsText(item.kind, body), `${place}/${argsMember(item)}`);
    if (item.server) return this.#endServerCall(item, item.call);
    // Some relays close an item after its first delta: arguments that are cut may go on.
    if (item.kind !== "function_call" || item.args === "" || decodeEvent(item.args) !== NOTHING) {
      this.#keepBody(item, item.call);
      this.#writer.endCall(item.call);
      item.ended = true;
    }
  }

  #endServerCall(item: Item, call: OpenCall): void {
    const writer = this.#writer;
    this.#around.leave();
    if (isCode(item) && (item.sent || typeof member(item.body, "code") === "string")) {
      writer.args(call, `${item.sent ? "" : CODE_BEGINS}${CODE_ENDS}`);
    }
    item.ended = item.made = true;
    if (item.kind === APPROVAL) {
      this.asks = true;
      this.#around.collect();
      writer.endCall(call);
      const approvalId = item.callId || call.toolCallId;
      writer.approvalRequest({ approvalId, callId: call.toolCallId }, [[item.kind, item.body]]);
      return;
    }
    this.#keepBody(item, call);
    writer.endCall(call);
    const output = PAIRED.get(item.kind);
    if (output === undefined) writer.serverResult(call.toolCallId, resultOf(item.kind, item.body));
    else this.#waiting.set(output, [...(this.#waiting.get(output) ?? []), call.toolCallId]);
  }

  /** Writes the result that is an item by itself; returns false where it answers no call. */
  output(item: Item): boolean {
    this.#around.leave();
    const waiting = this.#waiting.get(item.kind) ?? [];
    const given = member(item.body, "call_id");
    const own = typeof given === "string" && given !== "" ? given : (waiting[0] ?? item.id);
    const at = waiting.indexOf(own);
    if (at >= 0) waiting.splice(at, 1);
    const result = resultOf(item.kind, item.body);
    item.made = own !== "" && this.#writer.serverResult(own, result, [[item.kind, item.body]]);
    return item.made;
  }

  /** Tells whether a call is in the middle of its arguments. */
  isOpen(item: Item): boolean {
    if (item.call === undefined || item.server || item.ended || item.settled || item.args === "") return false;
    return item.kind !== "function_call" || decodeEvent(item.args) === NOTHING;
  }

  /** Reads the end of the stream; keeps what the provider wants back with the call. */
  finish(item: Item): void {
    this.#open(item, true);
    if (item.call !== undefined) {
      if (item.final && !item.ended) this.#keepBody(item, item.call);
      return;
    }
    if (item.server) return;
    this.#log.note(
      "adapter/unnamed-tool-call",
      "A tool call without a name cannot be called; it is left out of the message",
      "/item/name",
      { expected: "the tool's name", actual: shown(member(item.body, "name")) },
    );
    this.#writer.keep("unnamed_tool_call", { ...item.body, [argsMember(item)]: item.args });
  }

  #keepBody(item: Item, call: OpenCall): void {
    this.#around.collect();
    this.#writer.keepWith(call, item.kind, item.body);
  }

  #open(item: Item, final: boolean): void {
    if (item.call !== undefined || this.#isSilent(item)) return;
    let name = this.#string(item, "name");
    let callId = this.#string(item, "call_id");
    if (item.kind === "custom_tool_call" && this.#isServer(name, callId)) {
      item.server = true;
      if (this.#isSilent(item)) return this.#noteServer(name || item.kind);
    }
    if (item.server) {
      if (SERVER_CALLS.has(item.kind)) name = nameOfTool(item.kind, item.body);
      if (name === "" && final) name = bareName(item.kind);
      callId ||= item.id;
    }
    if (name !== "" && (callId !== "" || final)) this.#start(item, name, callId);
  }

  /** Tells whether nothing is written of a call: the provider's own, which v0.2 lacks. */
  #isSilent(item: Item): boolean {
    return item.server && !this.#writer.saysNew;
  }

  #noteServer(name: string): void {
    const message = "The provider executes this tool itself; it is not a tool call of the message";
    this.#log.note("adapter/server-tool-call", message, "/item/type", { actual: shown(name) });
  }

  #start(item: Item, name: string, callId: string): void {
    this.#around.leave();
    const own = callId || undefined;
    const call = item.server ? this.#writer.openServerCall(own, name) : this.#writer.openCall(own, name);
    item.call = call;
    item.name = name;
    item.callId = callId;
    if (item.kind === "custom_tool_call" && !item.server) {
      this.#log.note(
        "adapter/unsupported-content",
        "The input of a custom tool is text, not JSON; it stands as raw arguments",
        "/item/input",
      );
    }
    if (item.args !== "") this.#send(item, call, item.args);
  }

  #send(item: Item, call: OpenCall, text: string): void {
    const said = isCode(item) ? `${item.sent ? "" : CODE_BEGINS}${quoted(text).slice(1, -1)}` : text;
    item.sent = true;
    this.#writer.args(call, said);
  }

  #isServer(name: string, callId: string): boolean {
    if (this.#declared.has(name)) return false;
    // Beside searches it looks at images and videos, under names that no page lists.
    return this.#searchesX || XAI_TOOLS.has(name) || callId.startsWith(XAI_PREFIX);
  }

  #string(item: Item, name: string): string {
    return this.#log.string(member(item.body, name), `/item/${name}`);
  }

  /** Writes what all arguments have beyond the deltas. */
  #settle(item: Item, holder: Members, at: string): void {
    const of = argsMember(item);
    const place = `${at}/${of}`;
    const given = member(holder, of);
    if (given === undefined) return;
    if (typeof given !== "string") this.#log.invalid(place, "text in a string", given);
    this.#settleText(item, typeof given === "string" ? given : (jsonTextAt(holder, of) ?? ""), place);
  }

  #settleText(item: Item, whole: string, place: string): void {
    if (whole === "" || item.ended || this.#isSilent(item)) return;
    const rest = restOf(item.args, whole);
    if (rest !== undefined) {
      this.#write(item, rest);
    } else if (!item.mismatched) {
      item.mismatched = true;
      this.#log.note(
        "adapter/text-mismatch",
        "The whole arguments are not what their deltas said; the deltas stand",
        place,
        { expected: shown(item.args), actual: shown(whole) },
      );
    }
  }

  #write(item: Item, text: string): void {
    if (text === "" || this.#isSilent(item)) return;
    if (item.ended) {
      this.#log.note(
        "adapter/block-order",
        "Arguments come for a call that has ended; they are lost",
        "/output_index",
        { actual: item.index },
      );
      return;
    }
    item.args += text;
    if (item.call !== undefined) {
      this.#around.leave();
      this.#send(item, item.call, text);
    }
  }

  #compare(place: string, due: string, given: unknown): void {
    if (!saysAnything(given) || given === due) return;
    this.#log.note(
      "adapter/tool-call-mismatch",
      "The whole call does not have the id or name that it began with; the first one counts",
      place,
      { expected: shown(due), actual: shown(given) },
    );
  }
}
