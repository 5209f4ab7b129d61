/** What a choice says: reasoning, text, refusals and tool calls, by delta or as a message. */
import { sameJson } from "../../json/equality.js";
import { isObject, put } from "../../json/values.js";
import { type FindingLog, shown } from "../core/findings.js";
import { type Members, member, saidMember, saysAnything } from "../core/values.js";
import type { DeltaWriter, PartKind } from "../core/writer.js";
import { Annotations } from "./annotations.js";
import { sourcesOf } from "./citations.js";
import { ChatMedia } from "./media.js";
import { ChatServerTools } from "./server-tools.js";
import { ChatToolCalls } from "./tool-calls.js";

// --- details of reasoning ------------------------------------------------------------------------
// OpenRouter's `reasoning_details`: sent in pieces, wanted back as the whole that they make.

const TEXTS: ReadonlySet<string> = new Set(["text", "summary", "signature"]);

/** One detail: its members as the last piece has them, texts in pieces. */
class Detail {
  readonly #members: Members = {};
  readonly #texts = new Map<string, string[]>();

  add(piece: Members): void {
    for (const [name, value] of Object.entries(piece)) {
      if (TEXTS.has(name) && typeof value === "string") this.#textsOf(name).push(value);
      else if (value !== null || !Object.hasOwn(this.#members, name)) put(this.#members, name, value);
    }
  }

  #textsOf(name: string): string[] {
    let pieces = this.#texts.get(name);
    if (pieces === undefined) this.#texts.set(name, (pieces = []));
    return pieces;
  }

  /**
   * Tells whether `piece` continues this detail: of its type and number, not signed yet. Encrypted
   * details come whole.
   */
  goesOnWith(piece: Members): boolean {
    const members = this.#members;
    if (Object.hasOwn(piece, "data") || !sameJson(member(piece, "type"), member(members, "type"))) return false;
    const [ours, theirs] = [member(members, "index"), member(piece, "index")];
    if (ours !== undefined && theirs !== undefined && !sameJson(ours, theirs)) return false;
    const isSigned = this.#texts.get("signature")?.some((text) => text !== "") ?? false;
    return !isSigned || (saidMember(piece, "text") ?? saidMember(piece, "summary")) === undefined;
  }

  whole(): Members {
    const made = { ...this.#members };
    for (const [name, pieces] of this.#texts) made[name] = pieces.join("");
    return made;
  }
}

/** The details of one answer. */
class ReasoningDetails {
  readonly #details: Detail[] = [];

  /** Takes a piece; it goes on with the last detail, or begins another. */
  add(piece: Members): void {
    if (this.#details.at(-1)?.goesOnWith(piece) !== true) this.#details.push(new Detail());
    this.#details.at(-1)?.add(piece);
  }

  /** Returns the details as the provider sends them where it does not stream. */
  whole(): Members[] {
    return this.#details.map((detail) => detail.whole());
  }
}

// --- content -------------------------------------------------------------------------------------

// Kept for the way back, or for readers of v0.2; those with true hold content for which no part is there.
const EXTRAS: ReadonlyMap<string, boolean> = new Map([
  ["annotations", false],
  ["extra_content", false],
  ["thinking_blocks", false],
  ["reasoning_signature", false],
  ["audio", true],
  ["images", true],
]);
const REASONING = ["reasoning_content", "reasoning"];
// Member of a message → kind of what is written for it.
const KINDS: ReadonlyMap<string, PartKind> = new Map([
  ["content", "text"],
  ["refusal", "text"],
  ["reasoning", "thinking"],
  ["reasoning_content", "thinking"],
  ["reasoning_details", "thinking"],
  ["tool_calls", "tool_call"],
  ["function_call", "tool_call"],
  ["executed_tools", "server_tool_call"],
  ["audio", "media"],
  ["images", "media"],
]);
const OF_CALLS: ReadonlySet<string> = new Set(["role", "tool_calls", "function_call"]);
const DELTA = "/choices/0/delta";

/** Writes the content of choice 0. */
export class ChatContent {
  readonly calls: ChatToolCalls;
  /** Whether the model has refused. */
  refused = false;
  readonly #writer: DeltaWriter;
  readonly #log: FindingLog;
  readonly #details = new ReasoningDetails();
  #soFar = new Map<string, string>(); // text that came by message, by member
  #reasoningMember: string | undefined; // that the reasoning came in
  #refusal: readonly [part: number, start: number] | undefined; // where it begins

  readonly #annotations: Annotations;
  readonly #media: ChatMedia;
  readonly #serverTools: ChatServerTools;

  constructor(writer: DeltaWriter, log: FindingLog) {
    this.calls = new ChatToolCalls(writer, log);
    this.#writer = writer;
    this.#log = log;
    this.#annotations = new Annotations(writer);
    this.#media = new ChatMedia(writer, log);
    this.#serverTools = new ChatServerTools(writer);
    if (writer.saysNew) writer.collect = () => this.#annotations.write();
  }

  // --- deltas -----------------------------------------------------------------------------------

  /** Reads a delta, or a whole message, whose members have the same names. */
  readDelta(delta: Members): void {
    if (this.calls.isWaiting && Object.keys(delta).some((name) => !OF_CALLS.has(name) && saysAnything(delta[name]))) {
      this.calls.settle();
    }
    const isRead = this.#readReasoning(delta);
    const details = saidMember(delta, "reasoning_details");
    if (details !== undefined) this.#readDetails(details, isRead);
    const content = member(delta, "content");
    if (typeof content === "string") this.#writer.text(content);
    else if (content !== undefined) this.#readParts(content);
    const refusal = saidMember(delta, "refusal");
    if (refusal !== undefined) this.#readRefusal(refusal);
    const calls = saidMember(delta, "tool_calls");
    if (calls !== undefined) this.calls.read(calls);
    const legacy = saidMember(delta, "function_call");
    if (legacy !== undefined) this.calls.readLegacy(legacy);
    for (const name of Object.keys(delta)) {
      const value = delta[name];
      if (saysAnything(value)) this.#readExtra(name, value);
    }
  }

  /** Writes the reasoning, once; tells whether there was any. */
  #readReasoning(delta: Members): boolean {
    for (const name of REASONING) {
      const reasoning = saidMember(delta, name);
      if (typeof reasoning === "string") {
        this.#think(reasoning, name);
        return true;
      }
      if (reasoning !== undefined) this.#log.invalid(`${DELTA}/${name}`, "a string", reasoning);
    }
    return false;
  }

  #think(text: string, name: string): void {
    this.#writer.thinking(text);
    if (text !== "") this.#reasoningMember ??= name;
  }

  /** Reads OpenRouter's `reasoning_details`; `isRead`: their text has been written. */
  #readDetails(details: unknown, isRead: boolean): void {
    if (!Array.isArray(details)) return this.#log.invalid(`${DELTA}/reasoning_details`, "an array", details);
    for (const [number, detail] of details.entries()) {
      if (!isObject(detail)) {
        this.#log.invalid(`${DELTA}/reasoning_details/${number}`, "an object", detail);
        continue;
      }
      const text = saidMember(detail, "text") ?? member(detail, "summary");
      if (!isRead && typeof text === "string") this.#think(text, "reasoning_details");
      this.#details.add(detail);
    }
  }

  #readExtra(name: string, given: unknown): void {
    const value = this.#writer.saysNew ? this.#leftOf(name, given) : given;
    if (value === undefined) return;
    if (name === "executed_tools") return this.#noteServerTools(Array.isArray(value) ? value : [value]);
    const isMissed = EXTRAS.get(name);
    if (isMissed === undefined) return;
    this.#writer.keep(name, value);
    if (isMissed) this.#noteNoPart(`${DELTA}/${name}`, name);
  }

  /** Reads what v0.3 has a place for; returns what is left of it. */
  #leftOf(name: string, value: unknown): unknown {
    if (name === "annotations") {
      this.#annotations.add(value);
      return undefined;
    }
    if (name === "images" && Array.isArray(value)) {
      const left = (value as unknown[]).filter((image) => !this.#media.image(image));
      return left.length === 0 ? undefined : left;
    }
    if (name === "executed_tools") {
      const left = this.#serverTools.read(value);
      return left.length === 0 ? undefined : left;
    }
    return name === "audio" && this.#media.sound(value) ? undefined : value;
  }

  #noteServerTools(tools: readonly unknown[]): void {
    const message = "The provider executes this tool itself; it is not a tool call of the message";
    for (const tool of tools) {
      this.#writer.keep("executed_tool", tool);
      const actual = shown(isObject(tool) ? tool["type"] : tool);
      this.#log.note("adapter/server-tool-call", message, `${DELTA}/executed_tools`, { actual });
    }
  }

  // --- content parts ----------------------------------------------------------------------------

  /** Reads content that is not a string: a list of parts, as Mistral sends it. */
  #readParts(content: unknown): void {
    if (!Array.isArray(content)) return this.#log.invalid(`${DELTA}/content`, "a string", content);
    for (const [number, part] of content.entries()) {
      const place = `${DELTA}/content/${number}`;
      if (typeof part === "string") this.#writer.text(part);
      else if (isObject(part)) this.#readPart(part, place);
      else this.#log.invalid(place, "an object", part);
    }
  }

  #readPart(part: Members, place: string): void {
    const { text, type } = part;
    if (type === "text" && typeof text === "string") {
      this.#writer.text(text);
    } else if (type === "thinking") {
      this.#readThinking(part, place);
    } else if (type === "refusal") {
      this.#readRefusal(part["refusal"]);
    } else {
      this.#writer.keep("content_part", part);
      this.#noteNoPart(place, type);
    }
  }

  #readThinking(part: Members, place: string): void {
    const { thinking } = part;
    for (const piece of Array.isArray(thinking) ? (thinking as unknown[]) : [thinking]) {
      const text = isObject(piece) ? piece["text"] : piece;
      if (typeof text === "string") this.#think(text, "content");
      else if ((text !== undefined && text !== null) || isObject(piece)) {
        this.#log.invalid(`${place}/thinking`, "text, or parts of type text", piece);
      }
    }
    const signature = saidMember(part, "signature");
    if (signature === undefined) return;
    this.#writer.keep("signature", signature, this.#writer.kind === "thinking" ? 0 : undefined);
  }

  #readRefusal(refusal: unknown): void {
    if (typeof refusal !== "string") return this.#log.invalid(`${DELTA}/refusal`, "a string", refusal);
    const writer = this.#writer;
    if (refusal !== "" && !this.refused) {
      this.refused = true;
      this.#refusal = writer.kind === "text" ? [writer.part, writer.chars] : [writer.part + 1, 0];
    }
    writer.text(refusal);
  }

  #noteNoPart(place: string, kind: unknown): void {
    const message = "The contract has no part for this content; it is kept beside the message";
    this.#log.note("adapter/unsupported-content", message, place, { actual: shown(kind) });
  }

  /** Writes the sources of the answer as a whole; returns false where there is no text. */
  citeSources(citations: unknown, results: unknown): boolean {
    const sources = sourcesOf(citations, results);
    const cited = sources.filter((source) => this.#writer.cite({ source }));
    return sources.length > 0 && cited.length === sources.length;
  }

  /** Keeps what the vendor wants back of the answer as a whole, at its end. */
  keepState(): void {
    const writer = this.#writer;
    if (writer.saysNew) {
      this.#annotations.finish();
      this.#media.finish();
    }
    if (this.#refusal !== undefined) {
      const [part, start] = this.#refusal;
      if (writer.kind === "text" && writer.part === part && writer.chars > start) writer.keep("refusal", true, start);
    }
    if (this.#reasoningMember !== undefined) writer.keep("reasoning_member", this.#reasoningMember);
    const details = this.#details.whole();
    if (details.length > 0) writer.keep("reasoning_details", details);
  }

  // --- messages ---------------------------------------------------------------------------------

  /** Reads a whole message, or the message so far, where a delta is due. */
  readMessage(message: unknown): void {
    this.calls.settle();
    if (!isObject(message)) return this.#log.invalid("/choices/0/message", "an object", message);
    const members = Object.entries(message);
    const { wrote } = this.#writer;
    if (this.#soFar.size > 0) {
      this.#readGrowth(message);
    } else if (wrote.size > 0) {
      // Some vendors close with the whole message: what has been written is passed over.
      const isNew = (name: string): boolean => !wrote.has(KINDS.get(name) as PartKind);
      this.readDelta(Object.fromEntries(members.filter(([name]) => isNew(name))));
    } else {
      this.#log.note("adapter/whole-body", "The message came whole, not as a stream", "/choices/0/message");
      this.readDelta(message);
      const texts = members.filter((entry): entry is [string, string] => typeof entry[1] === "string");
      this.#soFar = new Map(texts.length > 0 ? texts : [["content", ""]]);
    }
  }

  /** Writes what a message has more than the one before it. */
  #readGrowth(message: Members): void {
    for (const name of [...REASONING, "content"]) {
      const text = message[name];
      const before = this.#soFar.get(name) ?? "";
      if (typeof text !== "string" || text === before) continue;
      if (text.startsWith(before)) {
        this.#soFar.set(name, text);
        this.#writer.write(name === "content" ? "text" : "thinking", text.slice(before.length));
      } else {
        this.#log.invalid(`/choices/0/message/${name}`, "the text so far, and more", text);
      }
    }
    const calls = saidMember(message, "tool_calls");
    if (calls !== undefined && !this.#writer.wrote.has("tool_call")) this.calls.read(calls);
  }
}
