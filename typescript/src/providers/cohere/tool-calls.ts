/** Tool calls of a Cohere message: begun, continued and ended by their index. */
import { isObject } from "../../json/values.js";
import { type FindingLog, shown, shownAt } from "../core/findings.js";
import { integerAt, jsonTextAt } from "../core/spelling.js";
import { type Members, member, saidMember } from "../core/values.js";
import type { DeltaWriter, OpenCall } from "../core/writer.js";

const PLACE = "/delta/message/tool_calls";

/** One call that has begun; it starts for the reader once its name is known. */
class Call {
  call: OpenCall | undefined;
  held: string[] = []; // arguments that came before the name

  constructor(readonly providerId: string) {}
}

/** The tool calls of one message. `beforeCall` is called before one starts. */
export class CohereToolCalls {
  readonly #writer: DeltaWriter;
  readonly #log: FindingLog;
  readonly #beforeCall: () => void;
  readonly #open = new Map<number, Call>();
  #lastIndex = -1;

  constructor(writer: DeltaWriter, log: FindingLog, beforeCall: () => void) {
    this.#writer = writer;
    this.#log = log;
    this.#beforeCall = beforeCall;
  }

  /** How many are open. */
  get open(): number {
    return this.#open.size;
  }

  /** Reads one `tool-call-start`, whose arguments are empty. */
  start(event: Members, entry: unknown): void {
    this.#startAt(this.#indexOf(event, this.#lastIndex + 1), entry, PLACE);
  }

  /** Reads a call of a whole message, at `place`. */
  readWhole(index: number, entry: unknown, place: string): void {
    this.#startAt(index, entry, place);
    if (this.#open.has(index)) this.#endAt(index);
  }

  #startAt(index: number, given: unknown, place: string): void {
    const entry = this.#object(given, place);
    if (entry === undefined) return;
    if (this.#open.has(index)) {
      // Some servers give every call the index 0: what begins is always another call.
      this.#noteOrder("A tool call begins on the index of one that is open", index);
      this.#endAt(index);
    }
    this.#lastIndex = index;
    const call = new Call(this.#log.string(entry["id"], `${place}/id`));
    this.#open.set(index, call);
    this.#readFunction(call, entry, place);
  }

  /** Reads one `tool-call-delta`. */
  piece(event: Members, given: unknown): void {
    const index = this.#indexOf(event, this.#lastIndex);
    const call = this.#open.get(index);
    const entry = this.#object(given, PLACE);
    if (entry === undefined) return;
    if (call !== undefined) return this.#readFunction(call, entry, PLACE);
    this.#noteOrder("A piece belongs to a tool call that is not open", index);
    this.#writer.keep("unknown", entry);
  }

  /** Reads one `tool-call-end`. */
  end(event: Members): void {
    this.#endAt(this.#indexOf(event, this.#lastIndex));
  }

  #endAt(index: number): void {
    const call = this.#open.get(index);
    if (call === undefined) return this.#noteOrder("A tool call ends that is not open", index);
    this.#open.delete(index);
    if (call.call === undefined) this.#leaveOut(call);
    else this.#writer.endCall(call.call);
  }

  /** Says which open calls never got a name; the others are the writer's to end. */
  finish(): void {
    for (const call of this.#open.values()) if (call.call === undefined) this.#leaveOut(call);
    this.#open.clear();
  }

  /** Returns the index of an event's call; where it has none, `otherwise`. */
  #indexOf(event: Members, otherwise: number): number {
    const index = integerAt(event, "index");
    if (index === undefined) this.#log.invalid("/index", "the call's number", event["index"], shownAt(event, "index"));
    return index ?? otherwise;
  }

  /** Returns the call that an event is about; whole messages have them in an array. */
  #object(entry: unknown, place: string): Members | undefined {
    if (isObject(entry)) return entry;
    this.#log.invalid(place, "an object", entry);
    const only: unknown = Array.isArray(entry) && entry.length === 1 ? entry[0] : undefined;
    return isObject(only) ? only : undefined;
  }

  #readFunction(call: Call, entry: Members, place: string): void {
    const { function: given } = entry;
    if (!isObject(given)) return this.#log.invalid(`${place}/function`, "an object", given);
    if (call.call === undefined) this.#name(call, saidMember(given, "name"), `${place}/function/name`);
    const text = this.#argumentText(given, `${place}/function/arguments`);
    if (text === undefined) return;
    if (call.call === undefined) call.held.push(text);
    else this.#writer.args(call.call, text);
  }

  /** Starts a call whose name is known now. */
  #name(call: Call, given: unknown, place: string): void {
    const name = this.#log.string(given, place);
    if (name === "") return;
    this.#beforeCall();
    call.call = this.#writer.openCall(call.providerId || undefined, name);
    for (const held of call.held) this.#writer.args(call.call, held);
    call.held = [];
  }

  #argumentText(holder: Members, place: string): string | undefined {
    const value = member(holder, "arguments");
    if (typeof value === "string" || value === undefined) return value;
    this.#log.invalid(place, "a string", value);
    return jsonTextAt(holder, "arguments") ?? "";
  }

  #leaveOut({ providerId, held }: Call): void {
    const message = "A tool call without a name cannot be called; it is left out of the message";
    const said = { expected: "the tool's name", actual: shown(providerId) };
    this.#log.note("adapter/unnamed-tool-call", message, `${PLACE}/function/name`, said);
    this.#writer.keep("unnamed_tool_call", { id: providerId, arguments: held.join("") });
  }

  #noteOrder(message: string, index: number): void {
    this.#log.note("adapter/block-order", message, "/index", { actual: shown(index) });
  }
}
