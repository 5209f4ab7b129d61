/** Messages of content blocks: what the formats of Anthropic and Bedrock have in common. */
import { isObject } from "../../json/values.js";
import { RequestEncoder } from "./encoder.js";
import type { Notes } from "./notes.js";
import type { Item } from "./state.js";
import {
  type AssistantPiece,
  type Call,
  plainText,
  type Result,
  type SystemTurn,
  type Text,
  type Thinking,
  type Turn,
  USER_MEDIA,
  type UserPiece,
  wordsOf,
} from "./turns.js";
import { fresh, type Json } from "./values.js";

/** A block of the body, and where in the request it comes from. */
export interface Block {
  readonly body: Json;
  readonly pointer: string;
}

/** A message that is being written: a user's results are before all else. */
export class Draft {
  results: Block[] = [];
  blocks: Block[] = [];

  constructor(
    readonly role: "user" | "assistant",
    readonly pointer = "",
  ) {}

  /** The blocks of the message, in order. */
  get content(): Block[] {
    return [...this.results, ...this.blocks];
  }

  get isEmpty(): boolean {
    return this.results.length + this.blocks.length === 0;
  }
}

/** Writes blocks; what cannot be said goes into `notes`. */
export abstract class BlockContent {
  constructor(protected readonly notes: Notes) {}

  /** Returns a text block; the provider refuses white space alone, so it is left out. */
  abstract text(piece: Text): Block[];

  /** Returns the blocks of text, images, files and media. */
  abstract user(pieces: readonly UserPiece[]): Block[];

  /** Returns the block of a tool result. */
  abstract result(result: Result): Block;

  protected abstract cited(piece: Text): Block[];
  protected abstract thinking(text: string, signature: string): Json;
  protected abstract call(call: Call): Json;
  /** Returns what is between parts: blocks of the provider's own, and bare signatures. */
  protected abstract state(item: Item): Block[];

  /** Returns the blocks of an assistant's message, the provider's own in their places. */
  assistant(pieces: readonly AssistantPiece[]): Block[] {
    return pieces.flatMap((piece): Block[] => {
      if (piece.type === "text") return this.cited(piece);
      if (piece.type === "thinking") return this.#signed(piece);
      if (piece.type === "call") return [{ body: this.call(piece), pointer: piece.pointer }];
      if (piece.type === "state") return this.state(piece.item);
      const words = wordsOf(piece, USER_MEDIA, this.notes);
      return words === undefined ? [] : this.text(words);
    });
  }

  /** Notes reasoning that the provider would refuse. */
  leaveOutThinking(pointer: string, why = "without its signature"): void {
    this.notes.add("encode/thinking-left-out", `The provider takes no reasoning ${why}; it is left out`, pointer);
  }

  protected noteBlank(pointer: string, message = "The provider takes no text of white space alone"): void {
    this.notes.add("encode/empty-text", message, pointer, { expected: "text" });
  }

  protected noteSilentFailure(pointer: string): void {
    this.noteBlank(pointer, 'A failure without text is sent as "Error"');
  }

  /** Returns the citations that were kept for a text. */
  protected citations(piece: Text): Json[] {
    const citations: Json[] = [];
    for (const { kind, data, pointer } of piece.state) {
      if (kind !== "citation") this.notes.responseOnly(pointer, kind);
      else if (isObject(data)) citations.push(fresh(data));
      else this.notes.malformed(pointer, "a citation as an object", data);
    }
    return citations;
  }

  #signed(piece: Thinking): Block[] {
    const signatures = piece.state.filter((item) => item.kind === "signature");
    for (const item of piece.state) {
      if (item.kind !== "signature") this.notes.responseOnly(item.pointer, item.kind);
    }
    const [first, ...more] = signatures;
    for (const item of more) this.notes.malformed(item.pointer, "one signature", `${signatures.length} signatures`);
    const body = first === undefined || more.length > 0 ? undefined : this.reasoning(piece.text, first);
    if (body !== undefined) return [{ body, pointer: piece.pointer }];
    this.leaveOutThinking(piece.pointer);
    return [];
  }

  /** Returns the block of signed reasoning, undefined where the signature is none. */
  protected reasoning(text: string, item: Item): Json | undefined {
    if (typeof item.data === "string" && item.data !== "") return this.thinking(text, item.data);
    this.notes.malformed(item.pointer, "a signature as text", item.data);
    return undefined;
  }

  /** Returns the block of a signature without text, nothing where it is not one. */
  protected bareSignature(item: Item): Block[] {
    const body = this.reasoning("", item);
    return body === undefined ? [] : [{ body, pointer: item.pointer }];
  }
}

/** Encoder of one request of content blocks; see {@link RequestEncoder}. */
export abstract class BlockEncoder extends RequestEncoder {
  protected abstract readonly content: BlockContent;

  /** Leaves out server tools' calls without a result, and results without a call. */
  protected abstract leaveOutDangling(drafts: readonly Draft[]): void;
  protected abstract isThinking(body: Json): boolean;

  /** Returns the blocks of the system prompt, and the messages. */
  protected drafted(): { system: Json[]; drafts: Draft[] } {
    const prompt = this.request.system.flatMap(({ text, pointer }) => this.content.text(plainText(text, pointer)));
    const system = prompt.map((block) => block.body);
    const written: Draft[] = [];
    for (const turn of this.turns) {
      if (turn.role !== "system") written.push(this.#draft(turn));
      else for (const body of this.#system(turn, written.length === 0)) system.push(body);
    }
    const drafts = this.#merged(written);
    this.leaveOutDangling(drafts);
    this.#leaveOutLastThinking(drafts);
    return { system, drafts: this.#merged(drafts) };
  }

  #system(turn: SystemTurn, isFirst: boolean): Json[] {
    const blocks = turn.pieces.flatMap((piece) => this.content.text(piece));
    if (blocks.length === 0) {
      this.notes.emptyMessage(turn.pointer);
    } else if (!isFirst) {
      this.notes.movedSystem(turn.pointer);
    }
    return blocks.map((block) => block.body);
  }

  #draft(turn: Exclude<Turn, SystemTurn>): Draft {
    if (turn.role === "tool") {
      const draft = new Draft("user");
      draft.results = turn.results.map((result) => this.content.result(result));
      return draft;
    }
    const draft = new Draft(turn.role, turn.pointer);
    draft.blocks = turn.role === "user" ? this.content.user(turn.pieces) : this.content.assistant(turn.pieces);
    return draft;
  }

  /** Returns the messages without empty ones, those of one side in a row as one. */
  #merged(drafts: readonly Draft[]): Draft[] {
    const merged: Draft[] = [];
    for (const draft of drafts) {
      const last = merged.at(-1);
      if (draft.isEmpty) {
        this.notes.emptyMessage(draft.pointer);
      } else if (last?.role === draft.role) {
        for (const block of draft.results) last.results.push(block);
        for (const block of draft.blocks) last.blocks.push(block);
      } else {
        merged.push(draft);
      }
    }
    return merged;
  }

  protected noteDangling(pointer: string, kind: string): void {
    const message = "A server tool's call goes back with its result, and not alone";
    this.notes.add("encode/dangling-state", message, pointer, { actual: kind });
  }

  /**
   * Returns the number of the message whose server calls may wait, -1 if there is none. That is the
   * last answer, which was paused, or waits for tools of ours.
   */
  protected waiting(drafts: readonly Draft[]): number {
    const last = drafts.map((draft) => draft.role).lastIndexOf("assistant");
    const next = drafts[last + 1];
    return next === undefined || next.results.length > 0 ? last : -1;
  }

  /** Leaves out reasoning at the very end of an answer: the answer was cut behind it. */
  #leaveOutLastThinking(drafts: readonly Draft[]): void {
    for (const { role, blocks } of drafts) {
      if (role !== "assistant") continue;
      for (let last = blocks.at(-1); last !== undefined && this.isThinking(last.body); last = blocks.at(-1)) {
        blocks.pop();
        this.content.leaveOutThinking(last.pointer, "at the end of an answer");
      }
    }
  }
}
