/**
 * State that vendors of the chat dialect want back: reasoning, refusals, audio, extra content.
 *
 * No vendor takes the members of another: what goes back is what the message itself came with, under
 * the names that it came with.
 */
import { isObject, own } from "../../json/values.js";
import { saysAnything } from "../core/values.js";
import type { Notes } from "../request_core/notes.js";
import type { Item } from "../request_core/state.js";
import type { AssistantTurn, Call, Thinking } from "../request_core/turns.js";
import { fresh, type Json, textIfAny } from "../request_core/values.js";

/** Members of a message that hold reasoning as one text. */
const TEXT_MEMBERS: readonly unknown[] = ["reasoning_content", "reasoning"];
const MEMBERS: readonly unknown[] = [...TEXT_MEMBERS, "content", "reasoning_details"];
const FORMED: ReadonlySet<string> = new Set(["reasoning_details", "thinking_blocks", "content_part", "audio"]);

/** The state of one assistant's message; noted is what goes back to nobody. */
export class ChatState {
  readonly #member: unknown;
  readonly #members: Json = {};
  readonly #reasoning: string[] = [];
  readonly #blocks: Json[] = [];

  constructor(
    turn: AssistantTurn,
    readonly notes: Notes,
  ) {
    const items = turn.pieces.flatMap((piece) => (piece.type === "state" ? [piece.item] : []));
    this.#member = items.find((item) => item.kind === "reasoning_member")?.data;
  }

  /** Returns the members of the message, once all of its pieces have been read. */
  members(): Json {
    if (this.#reasoning.length > 0) this.#members[String(this.#member)] = this.#reasoning.join("");
    if (this.#blocks.length > 0) this.#members["thinking_blocks"] = this.#blocks;
    return this.#members;
  }

  /** Takes reasoning; returns it where the vendor has it among the parts of the content. */
  thinking(piece: Thinking): Json[] {
    const parts: Json[] = [];
    let signature: unknown;
    for (const item of piece.state) {
      if (item.kind === "signature" && this.#member === "content") signature = fresh(item.data);
      else parts.push(...this.between(item));
    }
    if (TEXT_MEMBERS.includes(this.#member)) {
      this.#reasoning.push(piece.text);
    } else if (this.#member === "content") {
      const signed = signature === undefined || signature === null ? {} : { signature };
      parts.push({ type: "thinking", thinking: [{ type: "text", text: piece.text }], ...signed });
    } else if (this.#member !== "reasoning_details") {
      const message = "Reasoning goes back only to the vendor that it came from; it is left out";
      this.notes.add("encode/thinking-left-out", message, piece.pointer);
    }
    return parts;
  }

  /** Takes state that belongs to the message; returns what is a part of its content. */
  between({ kind, data, pointer }: Item): Json[] {
    if (kind === "reasoning_member") {
      if (!MEMBERS.includes(data)) this.notes.malformed(pointer, "the name of a member", data);
    } else if (kind === "reasoning_details" && Array.isArray(data)) {
      const details = (this.#members[kind] ??= []) as unknown[];
      for (const detail of data as unknown[]) details.push(fresh(detail));
    } else if (kind === "thinking_blocks" && Array.isArray(data)) {
      this.#takeBlocks(data, pointer);
    } else if (kind === "content_part" && isObject(data) && typeof own(data, "type") === "string") {
      return [fresh(data)];
    } else if (kind === "audio" && isObject(data)) {
      const id = own(data, "id");
      if (typeof id === "string") this.#members["audio"] = { id };
    } else if (kind === "extra_content" || kind === "reasoning_signature") {
      this.#members[kind] = fresh(data);
    } else if (FORMED.has(kind)) {
      this.notes.malformed(pointer, `${kind} as the vendor sends it`, data);
    } else {
      this.notes.responseOnly(pointer, kind);
    }
    return [];
  }

  /** Joins the pieces in which LiteLLM streams thinking blocks: a signature ends one. */
  #takeBlocks(blocks: readonly unknown[], pointer: string): void {
    for (const block of blocks) {
      if (!isObject(block)) {
        this.notes.malformed(pointer, "blocks as objects", block);
        continue;
      }
      const last = this.#blocks.at(-1);
      const isPiece = own(block, "type") === "thinking" && last !== undefined && own(last, "type") === "thinking";
      if (!isPiece || saysAnything(own(last, "signature"))) {
        this.#blocks.push(fresh(block));
        continue;
      }
      for (const name of ["thinking", "signature"]) {
        const more = own(block, name);
        if (typeof more === "string") last[name] = `${textIfAny(own(last, name))}${more}`;
      }
    }
  }

  /** Returns the members of a call beside those that the contract has. */
  ofCall(call: Call): Json {
    const members: Json = {};
    for (const item of call.state) {
      if (item.kind === "extra_content") members[item.kind] = fresh(item.data);
      else this.notes.responseOnly(item.pointer, item.kind);
    }
    return members;
  }
}
