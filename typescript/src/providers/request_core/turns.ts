/**
 * Messages as every provider sees them: turns, made of pieces in order. Empty text is no piece.
 * Pointers lead into the request, see {@link Notes}.
 */
import type { Form } from "./call-ids.js";
import type { Media } from "./media.js";
import type { Item } from "./state.js";
import type { Json } from "./values.js";

/** What a provider takes as tool call id and as name of a tool. */
export interface Forms {
  readonly callId: Form;
  readonly toolName: Form;
}

/** Text, never empty; `state` is what covers it. */
export interface Text {
  readonly type: "text";
  readonly text: string;
  readonly pointer: string;
  readonly state: readonly Item[];
}

/** Reasoning, never empty; `state` is what covers it. */
export interface Thinking {
  readonly type: "thinking";
  readonly text: string;
  readonly pointer: string;
  readonly state: readonly Item[];
}

/** A tool call. */
export interface Call {
  readonly type: "call";
  readonly callId: string;
  readonly name: string;
  readonly arguments: Json;
  /** The argument text where `arguments` does not say it all. */
  readonly rawArgs: string | undefined;
  readonly pointer: string;
  readonly state: readonly Item[];
  /** The provider that made it gave it no id. */
  readonly nameless: boolean;
}

/** Provider state that stands here, between other pieces. */
export interface State {
  readonly type: "state";
  readonly item: Item;
}

/** An image, a file that is referred to, or media of any type, in a message or a tool result. */
export interface MediaPiece {
  readonly type: "image" | "file" | "attachment";
  readonly media: Media;
  readonly pointer: string;
}

export type UserPiece = Text | MediaPiece;
export type AssistantPiece = UserPiece | Thinking | Call | State;

/** A tool result. */
export interface Result {
  readonly callId: string;
  /** Of the called tool, "" where the call is unknown. */
  readonly name: string;
  readonly isError: boolean;
  /** Text (which may be empty), pieces, or an object. */
  readonly content: string | readonly UserPiece[] | Json;
  readonly pointer: string;
}

/** A system message. */
export interface SystemTurn {
  readonly role: "system";
  readonly pieces: readonly Text[];
  readonly pointer: string;
}

/** A user's message. */
export interface UserTurn {
  readonly role: "user";
  readonly pieces: readonly UserPiece[];
  readonly pointer: string;
}

/** An assistant's message. */
export interface AssistantTurn {
  readonly role: "assistant";
  readonly pieces: readonly AssistantPiece[];
  readonly pointer: string;
  /** Whether an adapter of the target's dialect left state in it. */
  readonly own: boolean;
}

/** Results: all that answer the calls of the turn before, or that answer nothing. */
export interface ToolTurn {
  readonly role: "tool";
  readonly results: Result[];
}

export type Turn = SystemTurn | UserTurn | AssistantTurn | ToolTurn;

/** Returns a text that no state covers. */
export const plainText = (text: string, pointer: string): Text => ({ type: "text", text, pointer, state: [] });

/** Tells whether a result's content is pieces. */
export const isPieces = (content: Result["content"]): content is readonly UserPiece[] => Array.isArray(content);
