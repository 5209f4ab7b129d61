/**
 * Messages as every provider sees them: turns, made of pieces in order. Empty text is not a piece.
 * Pointers lead into the request, see {@link Notes}.
 */

import type { ApprovalResponse, TolerantMessagePart } from "../../contract/current/message.js";
import { Unknown } from "../../contract/unknown.js";
import type { Form } from "./call-ids.js";
import { fileMedia, imageMedia, type Media, partMedia } from "./media.js";
import type { Notes } from "./notes.js";
import type { Item } from "./state.js";
import type { Json } from "./values.js";

/** What a provider takes. */
export interface Forms {
  readonly callId: Form;
  readonly toolName: Form;
  /** As the name of a message's author; undefined where messages have none. */
  readonly author?: Form;
  /** The kind of state that asks for an approval; undefined where requests have no place for them. */
  readonly approvals?: string;
  /** Whether a server tool's result is a separate block, without which neither it nor its call goes back. */
  readonly apart?: boolean;
  /** The kinds of calls of which that is so elsewhere. */
  readonly paired?: { has(kind: string): boolean };
  /** Whether text may be white space alone; true by default. */
  readonly blank?: boolean;
  /** The kinds of state of a text with which its citations go back; those that carry the provider's own go back anyway. */
  readonly citing?: ReadonlySet<string>;
}

/** Text, never empty; `state` is what covers it. */
export interface Text {
  readonly type: "text";
  readonly text: string;
  readonly pointer: string;
  readonly state: readonly Item[];
  /** It is in a block by itself, and joins no other text. */
  readonly alone?: boolean;
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

/** Provider state that is here, between other pieces. */
interface State {
  readonly type: "state";
  readonly item: Item;
}

/** An image, a file that is referred to, or media of any type, in a message or a tool result. */
export interface MediaPiece {
  readonly type: "image" | "file" | "attachment";
  readonly media: Media;
  readonly pointer: string;
  /** What an assistant's has of the target's dialect. */
  readonly state?: readonly Item[];
  /** What is said in it. */
  readonly transcript?: string;
}

/** A person's answer to a request of the target's dialect, whose state is `request`. */
export interface Approval {
  readonly payload: ApprovalResponse;
  readonly request: Item;
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
  /** That of its author as the provider takes it, "" without. */
  readonly name: string;
}

/** A user's message, or a tool's as far as it has `approvals`, which come first. */
interface UserTurn {
  readonly role: "user";
  readonly pieces: readonly UserPiece[];
  readonly pointer: string;
  readonly name: string;
  readonly approvals: readonly Approval[];
}

/** An assistant's message. */
export interface AssistantTurn {
  readonly role: "assistant";
  readonly pieces: readonly AssistantPiece[];
  readonly pointer: string;
  /** Whether an adapter of the target's dialect left state in it. */
  readonly own: boolean;
  readonly name: string;
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

/** Returns the piece of an image, a file or media; undefined for any other part. */
export function mediaPiece(part: TolerantMessagePart, pointer: string): MediaPiece | undefined {
  if (part instanceof Unknown) return undefined;
  if (part.kind === "image") return { type: "image", media: imageMedia(part.payload), pointer };
  if (part.kind === "file_ref") return { type: "file", media: fileMedia(part.payload), pointer };
  if (part.kind !== "media") return undefined;
  return { type: "attachment", media: partMedia(part.payload), pointer, transcript: part.payload.transcript ?? "" };
}

/** Where providers take media, of which an assistant's is none. */
export const USER_MEDIA = "media in messages of users or tools alone";

/** Returns what is said in media that the provider does not take; both are noted. */
export function wordsOf(
  { transcript = "", pointer, media }: MediaPiece,
  expected: string,
  notes: Notes,
): Text | undefined {
  if (transcript === "") {
    notes.unsupportedPart(pointer, expected, media.said());
    return undefined;
  }
  const message = "The provider does not take this here; what is said in it is sent as text";
  notes.add("encode/transcript-as-text", message, pointer);
  return { ...plainText(transcript, pointer), alone: true };
}
