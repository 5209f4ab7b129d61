// Generated from schemas/v0.3 (digest bf27134f877246ad) by codegen 1.
// Do not edit: change the schemas, then run `python -m codegen`.

import type * as json from "../../json/values.js";
import type { Unknown } from "../../contract/unknown.js";

/** One message of a conversation. */
export interface Message {
  role: Role;
  content: MessageContent;
}

/** Who speaks. A closed set. */
export type Role = "user" | "assistant" | "system";

/** Plain text, or content blocks in order. */
export type MessageContent = string | ContentBlock[];

/** A block of content. */
export type ContentBlock =
  | TextBlock
  | ToolUseBlock
  | ToolResultBlock
  | ImageBlock;

/** Plain text of any language. */
export interface TextBlock {
  /** Says which type of block this is. */
  type: "text";
  /** The text. */
  text: string;
}

/** A call of a tool that the assistant asks for. */
export interface ToolUseBlock {
  /** Says which type of block this is. */
  type: "tool_use";
  /** Identifies the call. */
  tool_use_id: string;
  /** Name of the tool. */
  tool_name: string;
  /** The arguments. */
  parameters: JsonObject;
}

/** The result of a tool call. */
export interface ToolResultBlock {
  /** Says which type of block this is. */
  type: "tool_result";
  /** The call that this is the result of. */
  tool_use_id: string;
  content: ToolResultBlockContent;
  /** Whether the tool failed. */
  is_error: boolean;
}

/** What the tool gave back: text, or text and image blocks in order. */
export type ToolResultBlockContent = string | ToolResultContentBlock[];

/** A block that may stand inside a tool result. */
export type ToolResultContentBlock =
  | TextBlock
  | ImageBlock;

/** An image. */
export interface ImageBlock {
  /** Says which type of block this is. */
  type: "image";
  /** How data holds the image. An open string. */
  image_type: "base64" | "url" | "unknown" | (string & {});
  /** Media type of the image, such as image/png. */
  media_type: string;
  /** The image, in the form that image_type names. */
  data: string;
}

/** Tokens of one call. */
export interface TokenUsage {
  /** Tokens read. */
  input_tokens: number;
  /** Tokens written. */
  output_tokens: number;
  /** All tokens, where the provider gives a total. */
  total_tokens?: number;
}

/** The whole answer of a model. */
export interface ModelResponse {
  /** Content blocks, in order. */
  content: ContentBlock[];
  usage: TokenUsage;
  /** The model that answered. */
  model?: string;
  /** Why the model stopped. An open string. */
  stop_reason?: "stop" | "length" | "tool_calls" | "content_filter" | "refusal" | "pause" | "awaiting_approval" | "error" | "unknown" | (string & {});
}

/** One chunk of a streaming response. */
export type StreamChunk =
  | ContentBlockStartChunk
  | ContentBlockDeltaChunk
  | ContentBlockStopChunk
  | ToolUseChunk
  | MessageStopChunk
  | ErrorChunk;

/** A content block begins. */
export interface ContentBlockStartChunk {
  /** Says which type of chunk this is. */
  type: "content_block_start";
  /** Number of the content block, counted from 0. */
  index: number;
}

/** A content block grows. */
export interface ContentBlockDeltaChunk {
  /** Says which type of chunk this is. */
  type: "content_block_delta";
  /** Number of the content block, counted from 0. */
  index: number;
  /** Text to append, verbatim. */
  delta: string;
}

/** A content block ends. */
export interface ContentBlockStopChunk {
  /** Says which type of chunk this is. */
  type: "content_block_stop";
  /** Number of the content block, counted from 0. */
  index: number;
}

/** The model asks for a tool call; the arguments come whole. */
export interface ToolUseChunk {
  /** Says which type of chunk this is. */
  type: "tool_use";
  /** Name of the tool. */
  tool_name: string;
  /** Identifies the call. */
  tool_use_id: string;
  /** The arguments. */
  parameters: JsonObject;
}

/** The response is complete. */
export interface MessageStopChunk {
  /** Says which type of chunk this is. */
  type: "message_stop";
  usage: TokenUsage;
}

/** The response failed. */
export interface ErrorChunk {
  /** Says which type of chunk this is. */
  type: "error";
  /** What happened, for people. */
  message: string;
}

/** Any JSON object; its members are kept as they are. */
export type JsonObject = json.JsonObject;

/** One message of a conversation. */
export interface TolerantMessage {
  role: Role;
  content: TolerantMessageContent;
}

/** Plain text, or content blocks in order. */
export type TolerantMessageContent = string | TolerantContentBlock[];

/** A block of content. */
export type TolerantContentBlock =
  | TextBlock
  | ToolUseBlock
  | TolerantToolResultBlock
  | ImageBlock
  | Unknown;

/** The result of a tool call. */
export interface TolerantToolResultBlock {
  /** Says which type of block this is. */
  type: "tool_result";
  /** The call that this is the result of. */
  tool_use_id: string;
  content: TolerantToolResultBlockContent;
  /** Whether the tool failed. */
  is_error: boolean;
}

/** What the tool gave back: text, or text and image blocks in order. */
export type TolerantToolResultBlockContent = string | TolerantToolResultContentBlock[];

/** A block that may stand inside a tool result. */
export type TolerantToolResultContentBlock =
  | TextBlock
  | ImageBlock
  | Unknown;

/** The whole answer of a model. */
export interface TolerantModelResponse {
  /** Content blocks, in order. */
  content: TolerantContentBlock[];
  usage: TokenUsage;
  /** The model that answered. */
  model?: string;
  /** Why the model stopped. An open string. */
  stop_reason?: "stop" | "length" | "tool_calls" | "content_filter" | "refusal" | "pause" | "awaiting_approval" | "error" | "unknown" | (string & {});
}

/** One chunk of a streaming response. */
export type TolerantStreamChunk =
  | ContentBlockStartChunk
  | ContentBlockDeltaChunk
  | ContentBlockStopChunk
  | ToolUseChunk
  | MessageStopChunk
  | ErrorChunk
  | Unknown;

/** Every type of the family by its name. */
export interface Types {
  Message: Message;
  Role: Role;
  MessageContent: MessageContent;
  ContentBlock: ContentBlock;
  TextBlock: TextBlock;
  ToolUseBlock: ToolUseBlock;
  ToolResultBlock: ToolResultBlock;
  ToolResultBlockContent: ToolResultBlockContent;
  ToolResultContentBlock: ToolResultContentBlock;
  ImageBlock: ImageBlock;
  TokenUsage: TokenUsage;
  ModelResponse: ModelResponse;
  StreamChunk: StreamChunk;
  ContentBlockStartChunk: ContentBlockStartChunk;
  ContentBlockDeltaChunk: ContentBlockDeltaChunk;
  ContentBlockStopChunk: ContentBlockStopChunk;
  ToolUseChunk: ToolUseChunk;
  MessageStopChunk: MessageStopChunk;
  ErrorChunk: ErrorChunk;
  JsonObject: JsonObject;
}

/** What tolerant reading gives for every type. */
export interface TolerantTypes {
  Message: TolerantMessage;
  Role: Role;
  MessageContent: TolerantMessageContent;
  ContentBlock: TolerantContentBlock;
  TextBlock: TextBlock;
  ToolUseBlock: ToolUseBlock;
  ToolResultBlock: TolerantToolResultBlock;
  ToolResultBlockContent: TolerantToolResultBlockContent;
  ToolResultContentBlock: TolerantToolResultContentBlock;
  ImageBlock: ImageBlock;
  TokenUsage: TokenUsage;
  ModelResponse: TolerantModelResponse;
  StreamChunk: TolerantStreamChunk;
  ContentBlockStartChunk: ContentBlockStartChunk;
  ContentBlockDeltaChunk: ContentBlockDeltaChunk;
  ContentBlockStopChunk: ContentBlockStopChunk;
  ToolUseChunk: ToolUseChunk;
  MessageStopChunk: MessageStopChunk;
  ErrorChunk: ErrorChunk;
  JsonObject: JsonObject;
}
