// Generated from schemas/v0.3 (digest bf5b753bb8d4b184) by codegen 1.
// Do not edit: change the schemas, then run `python -m codegen`.

import type * as json from "../../json/values.js";
import type { Unknown } from "../../contract/unknown.js";

/** Any JSON object; its members are kept as they are. */
export type JsonObject = json.JsonObject;

/**
 * An instant: RFC 3339 date and time with a zone, upper-case T and Z, at most nine fraction
 * digits, a day that the calendar has, no leap second.
 */
export type Timestamp = string;

/**
 * Binary data as base64: the standard alphabet of RFC 4648 section 4, padded, without line
 * breaks.
 */
export type Base64 = string;

/** Identifies one run of the agent loop; the same on every message and delta of the run. */
export type RunId = string;

/** Identifies one message; opaque, made by its producer, the same on every delta of a stream. */
export type MessageId = string;

/**
 * Identifies the turn that the message belongs to, such as a request of a user with all that
 * answers it; opaque, made by the producer.
 */
export type TurnId = string;

/** Identifies one tool call; unique within a run. */
export type ToolCallId = string;

/** Name of the tool, as its specification gives it. */
export type ToolName = string;

/** Why the model stopped. An open string: a value that is not known means unknown, never stop. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "refusal" | "pause" | "awaiting_approval" | "error" | "unknown" | (string & {});

/** The framework's code of an error. An open string: a value that is not known means unknown. */
export type ErrorCode = "authentication" | "permission_denied" | "not_found" | "invalid_request" | "context_length_exceeded" | "rate_limited" | "quota_exceeded" | "overloaded" | "timeout" | "connection" | "content_filtered" | "provider_internal" | "truncated_stream" | "cancelled" | "unknown" | (string & {});

/** Tokens and cost of one stream. Figures are cumulative: a later one replaces an earlier one. */
export interface UsageSummary {
  /** Tokens read, cached ones included. */
  inputTokens: number;
  /** Tokens written, reasoning included. */
  outputTokens: number;
  /** The provider's total, else the sum. */
  totalTokens: number;
  /** Tokens of reasoning; part of outputTokens. */
  reasoningTokens?: number;
  /** Tokens read from a cache; part of inputTokens. */
  cacheReadTokens?: number;
  /** Tokens written to a cache; part of inputTokens. */
  cacheWriteTokens?: number;
  /** Price of the request in US dollars. */
  cost?: number;
}

/** The provider's own word for why the stream ended, as it came. */
export type ProviderFinishReason = string;

/**
 * What a provider wants back unchanged: signatures, encrypted reasoning, its own ids. Only that
 * provider's adapter reads it.
 */
export interface Opaque {
  /** Whose it is: the provider API, such as anthropic-messages. */
  provider: string;
  /** The provider's state; nobody else looks into it. */
  data: JsonObject;
}

/** Name of an agent. */
export type AgentName = string;

/** Who of those that share a role wrote the message: a user by name, or an agent. */
export interface Author {
  /** The user or agent, as it is shown. */
  name?: string;
  /** The agent, as the names of all agents that lead to it: the outermost first, its own last. */
  agentPath?: AgentName[];
}

/** Says that the request asked for JSON here. It does not say that valid JSON came. */
export interface TextFormat {
  /** The name of the form, as the request had it. */
  name?: string;
  /**
   * Where its JSON Schema can be found, as producer and consumer agreed; partwire does not open
   * it.
   */
  schemaRef?: string;
}

/**
 * How a call came out; partial: the tool stopped before it was done. An open string: a value
 * that is not known says no more than isError.
 */
export type Outcome = "success" | "error" | "denied" | "interrupted" | "timeout" | "partial" | "unknown" | (string & {});

/** Identifies one request for a person's approval; unique within a run. */
export type ApprovalId = string;

/** What was decided. An open string: the call runs if it is approved, and on no other value. */
export type ApprovalDecision = "approved" | "denied" | "unknown" | (string & {});

/** Identifies media while it streams; unique within the stream. */
export type MediaId = string;

/**
 * One change of a message that is being written. A stream opens with start and ends with
 * exactly one done or error.
 */
export type MessageDelta =
  | StartDelta
  | TextDelta
  | ThinkingDelta
  | ToolCallStartDelta
  | ToolCallArgsDelta
  | ToolCallEndDelta
  | TextCitationDelta
  | ServerToolCallStartDelta
  | ServerToolCallArgsDelta
  | ServerToolCallEndDelta
  | ServerToolResultDelta
  | ApprovalRequestDelta
  | MediaStartDelta
  | MediaDataDelta
  | MediaEndDelta
  | WarningDelta
  | UsageDelta
  | DoneDelta
  | ErrorDelta;

/** Number of the delta within its stream; strictly increasing. */
export type Seq = number;

/** Opens the stream; always the first delta. */
export interface StartDelta {
  runId: RunId;
  messageId?: MessageId;
  turnId?: TurnId;
  seq: Seq;
  /** Says which kind of delta this is. */
  kind: "start";
  payload: StartDeltaPayload;
  /** When the delta was made. */
  timestamp: Timestamp;
  /** The provider's raw event, for debugging only: nothing may depend on it. */
  providerRaw?: JsonObject;
}

/** Adds text. */
export interface TextDelta {
  runId: RunId;
  messageId?: MessageId;
  turnId?: TurnId;
  seq: Seq;
  /** Says which kind of delta this is. */
  kind: "text";
  payload: TextDeltaPayload;
  /** When the delta was made. */
  timestamp: Timestamp;
  /** The provider's raw event, for debugging only: nothing may depend on it. */
  providerRaw?: JsonObject;
}

/** Adds reasoning. */
export interface ThinkingDelta {
  runId: RunId;
  messageId?: MessageId;
  turnId?: TurnId;
  seq: Seq;
  /** Says which kind of delta this is. */
  kind: "thinking";
  payload: ThinkingDeltaPayload;
  /** When the delta was made. */
  timestamp: Timestamp;
  /** The provider's raw event, for debugging only: nothing may depend on it. */
  providerRaw?: JsonObject;
}

/** Opens a tool call. */
export interface ToolCallStartDelta {
  runId: RunId;
  messageId?: MessageId;
  turnId?: TurnId;
  seq: Seq;
  /** Says which kind of delta this is. */
  kind: "tool_call_start";
  payload: ToolCallStartDeltaPayload;
  /** When the delta was made. */
  timestamp: Timestamp;
  /** The provider's raw event, for debugging only: nothing may depend on it. */
  providerRaw?: JsonObject;
}

/** Adds argument text to an open tool call. */
export interface ToolCallArgsDelta {
  runId: RunId;
  messageId?: MessageId;
  turnId?: TurnId;
  seq: Seq;
  /** Says which kind of delta this is. */
  kind: "tool_call_args";
  payload: ToolCallArgsDeltaPayload;
  /** When the delta was made. */
  timestamp: Timestamp;
  /** The provider's raw event, for debugging only: nothing may depend on it. */
  providerRaw?: JsonObject;
}

/** Closes a tool call; its argument text is parsed now. */
export interface ToolCallEndDelta {
  runId: RunId;
  messageId?: MessageId;
  turnId?: TurnId;
  seq: Seq;
  /** Says which kind of delta this is. */
  kind: "tool_call_end";
  payload: ToolCallEndDeltaPayload;
  /** When the delta was made. */
  timestamp: Timestamp;
  /** The provider's raw event, for debugging only: nothing may depend on it. */
  providerRaw?: JsonObject;
}

/** Adds a citation to a text part; it makes no part and ends none. */
export interface TextCitationDelta {
  runId: RunId;
  messageId?: MessageId;
  turnId?: TurnId;
  seq: Seq;
  /** Says which kind of delta this is. */
  kind: "text_citation";
  payload: TextCitationDeltaPayload;
  /** When the delta was made. */
  timestamp: Timestamp;
  /** The provider's raw event, for debugging only: nothing may depend on it. */
  providerRaw?: JsonObject;
}

/** Opens a call of a tool that the provider runs itself. */
export interface ServerToolCallStartDelta {
  runId: RunId;
  messageId?: MessageId;
  turnId?: TurnId;
  seq: Seq;
  /** Says which kind of delta this is. */
  kind: "server_tool_call_start";
  payload: ToolCallStartDeltaPayload;
  /** When the delta was made. */
  timestamp: Timestamp;
  /** The provider's raw event, for debugging only: nothing may depend on it. */
  providerRaw?: JsonObject;
}

/** Adds argument text to an open call of a tool that the provider runs. */
export interface ServerToolCallArgsDelta {
  runId: RunId;
  messageId?: MessageId;
  turnId?: TurnId;
  seq: Seq;
  /** Says which kind of delta this is. */
  kind: "server_tool_call_args";
  payload: ToolCallArgsDeltaPayload;
  /** When the delta was made. */
  timestamp: Timestamp;
  /** The provider's raw event, for debugging only: nothing may depend on it. */
  providerRaw?: JsonObject;
}

/** Closes a call of a tool that the provider runs; its argument text is parsed now. */
export interface ServerToolCallEndDelta {
  runId: RunId;
  messageId?: MessageId;
  turnId?: TurnId;
  seq: Seq;
  /** Says which kind of delta this is. */
  kind: "server_tool_call_end";
  payload: ToolCallEndDeltaPayload;
  /** When the delta was made. */
  timestamp: Timestamp;
  /** The provider's raw event, for debugging only: nothing may depend on it. */
  providerRaw?: JsonObject;
}

/** The whole result of a call that the provider ran. */
export interface ServerToolResultDelta {
  runId: RunId;
  messageId?: MessageId;
  turnId?: TurnId;
  seq: Seq;
  /** Says which kind of delta this is. */
  kind: "server_tool_result";
  payload: ServerToolResult;
  /** When the delta was made. */
  timestamp: Timestamp;
  /** The provider's raw event, for debugging only: nothing may depend on it. */
  providerRaw?: JsonObject;
}

/** Asks a person whether a call of this stream may run. */
export interface ApprovalRequestDelta {
  runId: RunId;
  messageId?: MessageId;
  turnId?: TurnId;
  seq: Seq;
  /** Says which kind of delta this is. */
  kind: "approval_request";
  payload: ApprovalRequest;
  /** When the delta was made. */
  timestamp: Timestamp;
  /** The provider's raw event, for debugging only: nothing may depend on it. */
  providerRaw?: JsonObject;
}

/** Opens media that comes in pieces. */
export interface MediaStartDelta {
  runId: RunId;
  messageId?: MessageId;
  turnId?: TurnId;
  seq: Seq;
  /** Says which kind of delta this is. */
  kind: "media_start";
  payload: MediaStartDeltaPayload;
  /** When the delta was made. */
  timestamp: Timestamp;
  /** The provider's raw event, for debugging only: nothing may depend on it. */
  providerRaw?: JsonObject;
}

/** Adds bytes or words to open media. */
export interface MediaDataDelta {
  runId: RunId;
  messageId?: MessageId;
  turnId?: TurnId;
  seq: Seq;
  /** Says which kind of delta this is. */
  kind: "media_data";
  payload: MediaDataDeltaPayload;
  /** When the delta was made. */
  timestamp: Timestamp;
  /** The provider's raw event, for debugging only: nothing may depend on it. */
  providerRaw?: JsonObject;
}

/** Closes media. */
export interface MediaEndDelta {
  runId: RunId;
  messageId?: MessageId;
  turnId?: TurnId;
  seq: Seq;
  /** Says which kind of delta this is. */
  kind: "media_end";
  payload: MediaEndDeltaPayload;
  /** When the delta was made. */
  timestamp: Timestamp;
  /** The provider's raw event, for debugging only: nothing may depend on it. */
  providerRaw?: JsonObject;
}

/** Reports a warning of the provider; the stream goes on. */
export interface WarningDelta {
  runId: RunId;
  messageId?: MessageId;
  turnId?: TurnId;
  seq: Seq;
  /** Says which kind of delta this is. */
  kind: "warning";
  payload: WarningDeltaPayload;
  /** When the delta was made. */
  timestamp: Timestamp;
  /** The provider's raw event, for debugging only: nothing may depend on it. */
  providerRaw?: JsonObject;
}

/** Reports usage so far. */
export interface UsageDelta {
  runId: RunId;
  messageId?: MessageId;
  turnId?: TurnId;
  seq: Seq;
  /** Says which kind of delta this is. */
  kind: "usage";
  payload: UsageSummary;
  /** When the delta was made. */
  timestamp: Timestamp;
  /** The provider's raw event, for debugging only: nothing may depend on it. */
  providerRaw?: JsonObject;
}

/** Ends the stream: the message is complete. */
export interface DoneDelta {
  runId: RunId;
  messageId?: MessageId;
  turnId?: TurnId;
  seq: Seq;
  /** Says which kind of delta this is. */
  kind: "done";
  payload: DoneDeltaPayload;
  /** When the delta was made. */
  timestamp: Timestamp;
  /** The provider's raw event, for debugging only: nothing may depend on it. */
  providerRaw?: JsonObject;
}

/** Ends the stream: there is no final message. */
export interface ErrorDelta {
  runId: RunId;
  messageId?: MessageId;
  turnId?: TurnId;
  seq: Seq;
  /** Says which kind of delta this is. */
  kind: "error";
  payload: ErrorDeltaPayload;
  /** When the delta was made. */
  timestamp: Timestamp;
  /** The provider's raw event, for debugging only: nothing may depend on it. */
  providerRaw?: JsonObject;
}

/** Content of a start delta. */
export interface StartDeltaPayload {
  /** The model that answers. */
  modelId: string;
  /** The provider's or the caller's id of the request. */
  requestId: string;
  author?: Author;
  /** The request asked for JSON: the format of each text part of the stream. */
  format?: TextFormat;
}

/** Content of a text delta. */
export interface TextDeltaPayload {
  /** Text to append, verbatim. */
  textDelta: string;
  /** State of the part that this delta belongs to; it ends that part. */
  opaque?: Opaque;
}

/** Content of a thinking delta. */
export interface ThinkingDeltaPayload {
  /** Reasoning to append, verbatim. */
  textDelta: string;
  /** State of the part that this delta belongs to; it ends that part. */
  opaque?: Opaque;
}

/** Content of a tool_call_start delta. */
export interface ToolCallStartDeltaPayload {
  toolCallId: ToolCallId;
  toolName: ToolName;
  /** State of the call; a later one replaces an earlier one. */
  opaque?: Opaque;
}

/** Content of a tool_call_args delta. */
export interface ToolCallArgsDeltaPayload {
  toolCallId: ToolCallId;
  /** Argument text to append, verbatim; the whole is JSON only once the call ends. */
  argsTextDelta: string;
  /** State of the call; a later one replaces an earlier one. */
  opaque?: Opaque;
}

/** Content of a tool_call_end delta. */
export interface ToolCallEndDeltaPayload {
  toolCallId: ToolCallId;
  /** State of the call; a later one replaces an earlier one. */
  opaque?: Opaque;
}

/** Content of a text_citation delta. */
export interface TextCitationDeltaPayload {
  citation: Citation;
  /**
   * Which text part: its index among the parts that have begun, open calls and media counted;
   * without it the last text part.
   */
  partIndex?: number;
}

/** Content of a media_start delta. */
export interface MediaStartDeltaPayload {
  mediaId: MediaId;
  /** Media type, such as audio/wav; application/octet-stream where nobody says it. */
  mimeType: string;
  /** Name to show, such as that of a file. */
  name?: string;
  /** State of the media; a later one replaces an earlier one. */
  opaque?: Opaque;
}

/** Content of a media_data delta. Each piece is Base64 by itself: bytes are joined, not letters. */
export interface MediaDataDeltaPayload {
  mediaId: MediaId;
  /** Bytes in place of all before. */
  data?: Base64;
  /** Bytes to append; behind data, where both are there. */
  dataDelta?: Base64;
  /** What is said, to append, verbatim. */
  transcriptDelta?: string;
}

/** Content of a media_end delta. */
export interface MediaEndDeltaPayload {
  mediaId: MediaId;
  /** Media type, in place of that of the start. */
  mimeType?: string;
  /** Where the media is, in place of the bytes that came. */
  source?: MediaSource;
  /** Size of the media, decoded, in bytes, as the producer says it. */
  sizeBytes?: number;
  /** State of the media; a later one replaces an earlier one. */
  opaque?: Opaque;
}

/** Content of a warning delta. */
export interface WarningDeltaPayload {
  /** What happened, to branch on. An open string. */
  code: "unsupported_setting" | "deprecated" | "tool_unavailable" | "input_truncated" | "other" | (string & {});
  /** The same for people, in the provider's words. */
  message?: string;
  /** What it is about: a setting, a tool, a part of the request, in the provider's words. */
  place?: string;
}

/** Content of a done delta. */
export interface DoneDeltaPayload {
  finishReason: FinishReason;
  providerFinishReason?: ProviderFinishReason;
}

/** Content of an error delta. */
export interface ErrorDeltaPayload {
  errorCode: ErrorCode;
  /** What happened, for people. */
  message?: string;
  /** Whether the same request may succeed later. */
  retryable?: boolean;
}

/** One message of a conversation: what is stored and what is sent to a model. */
export interface Message {
  runId: RunId;
  messageId?: MessageId;
  turnId?: TurnId;
  role: Role;
  author?: Author;
  /** The content, in the order in which it came; the order never changes. */
  parts: MessagePart[];
  /** When the message began. */
  timestamp: Timestamp;
  meta?: MessageMeta;
}

/** Who speaks. A closed set. */
export type Role = "system" | "user" | "assistant" | "tool";

/**
 * What is not the message's core: usage, trace. Members that are not named here are kept as
 * they are. Two of these are providerFinishReason, the provider's own word for why the stream
 * ended, and warnings, an array of the provider's warnings.
 */
export interface MessageMeta {
  /** The model that wrote the message. */
  modelId?: string;
  /** The provider's or the caller's id of the request. */
  requestId?: string;
  finishReason?: FinishReason;
  /** When the stream ended. */
  completedAt?: Timestamp;
  usage?: UsageSummary;
  /** Tool calls whose argument text was not a JSON object, in the order of their parts. */
  toolCallParseErrors?: ToolCallParseError[];
  incomplete?: Incomplete;
  [name: string]: unknown;
}

/** Says that the argument text of a tool call could not be used. */
export interface ToolCallParseError {
  toolCallId: ToolCallId;
  /** What is wrong: the text is not JSON, or it is JSON but not an object. */
  error: "invalid_json" | "not_an_object";
}

/** Marks a message that was put together from a stream without a done delta. */
export interface Incomplete {
  /** How the stream ended: an error delta, the caller's cancellation, or the bytes just stopped. */
  ending: "error" | "cancelled" | "truncated";
  /** Tool calls that had begun and were left out, in the order of their start. */
  openToolCallIds: ToolCallId[];
  /** Media that had begun and was left out, in the order of its start. */
  openMediaIds?: MediaId[];
}

/** A piece of content. The set of kinds is frozen within a version. */
export type MessagePart =
  | TextPart
  | ThinkingPart
  | ToolCallPart
  | ToolResultPart
  | ImagePart
  | FileRefPart
  | MediaPart
  | ServerToolCallPart
  | ServerToolResultPart
  | ApprovalRequestPart
  | ApprovalResponsePart;

/** A piece of text. */
export interface TextPart {
  /** Says which kind of part this is. */
  kind: "text";
  payload: TextPayload;
}

/** A piece of the model's reasoning. */
export interface ThinkingPart {
  /** Says which kind of part this is. */
  kind: "thinking";
  payload: ThinkingPayload;
}

/** A call of a tool that the model asks for. */
export interface ToolCallPart {
  /** Says which kind of part this is. */
  kind: "tool_call";
  payload: ToolCallPayload;
}

/** The result of one tool call. */
export interface ToolResultPart {
  /** Says which kind of part this is. */
  kind: "tool_result";
  payload: ToolResult;
}

/** An image. */
export interface ImagePart {
  /** Says which kind of part this is. */
  kind: "image";
  payload: ImagePayload;
}

/** A reference to a file. */
export interface FileRefPart {
  /** Says which kind of part this is. */
  kind: "file_ref";
  payload: FileRefPayload;
}

/**
 * Media of any type: audio, video, a document; also the whole of a large tool result, by
 * reference.
 */
export interface MediaPart {
  /** Says which kind of part this is. */
  kind: "media";
  payload: MediaPayload;
}

/** A call of a tool that the provider runs itself. The caller does not run it. */
export interface ServerToolCallPart {
  /** Says which kind of part this is. */
  kind: "server_tool_call";
  payload: ToolCallPayload;
}

/** The result of a call that the provider ran. */
export interface ServerToolResultPart {
  /** Says which kind of part this is. */
  kind: "server_tool_result";
  payload: ServerToolResult;
}

/** Asks a person whether a call may run. */
export interface ApprovalRequestPart {
  /** Says which kind of part this is. */
  kind: "approval_request";
  payload: ApprovalRequest;
}

/** A person's answer to an approval request. */
export interface ApprovalResponsePart {
  /** Says which kind of part this is. */
  kind: "approval_response";
  payload: ApprovalResponse;
}

/** Content of a text part. */
export interface TextPayload {
  /** The text, verbatim. */
  text: string;
  /** What the provider wants back with this part. */
  opaque?: Opaque;
  /** What the text is based on, in the order in which the citations came. */
  citations?: Citation[];
  format?: TextFormat;
}

/** Says what a stretch of text is based on. */
export interface Citation {
  /**
   * Where the stretch begins: code points of the part's text. Without start or end the citation
   * has no place.
   */
  start?: number;
  /** Where it ends: code points, behind the last one; equal to start for a point. */
  end?: number;
  source: CitationSource;
  /** What the source says, verbatim. */
  quotedText?: string;
  /** The provider's own citation, where its requests take it back. */
  opaque?: Opaque;
}

/** What is cited. */
export interface CitationSource {
  kind: CitationSourceKind;
  /** Where the source can be found. */
  url?: string;
  /** Its title, to show. */
  title?: string;
  /**
   * Its id, as the provider gives it: the index of a document in the request, the id of a file,
   * the name or index of a search result, the id of a tool result or of its call.
   */
  id?: string;
  locator?: CitationLocator;
}

/** What kind of source it is. An open string. */
export type CitationSourceKind = "url" | "document" | "file" | "search_result" | "tool_result" | "media" | "unknown" | (string & {});

/** The place in the source, as the provider counts there. */
export interface CitationLocator {
  unit: LocatorUnit;
  /** The first one, in this unit. */
  start: number;
  /** The end, in this unit; whether it is included depends on the provider. */
  end?: number;
}

/** What is counted. An open string. */
export type LocatorUnit = "character" | "page" | "block" | "chunk" | "unknown" | (string & {});

/** Content of a thinking part. */
export interface ThinkingPayload {
  /** The reasoning, verbatim. */
  text: string;
  /** What the provider wants back with this part. */
  opaque?: Opaque;
}

/** Content of a tool_call part. */
export interface ToolCallPayload {
  toolCallId: ToolCallId;
  toolName: ToolName;
  /** The parsed arguments; an empty object where the text is not a JSON object. */
  arguments: JsonObject;
  /**
   * The argument text as it came; present only where arguments does not say it all: the text
   * was not a JSON object, or holds an integer beyond ±(2^53 - 1).
   */
  rawArgsText?: string;
  /** What the provider wants back with this part. */
  opaque?: Opaque;
}

/** A tool call apart from a message, as a tool runner gets it. */
export interface ToolCall {
  toolCallId: ToolCallId;
  toolName: ToolName;
  /** The parsed arguments; an empty object where the text is not a JSON object. */
  arguments: JsonObject;
}

/** The result of one tool call; content of a tool_result part. */
export interface ToolResult {
  /** The call that this is the result of. */
  toolCallId: ToolCallId;
  /** Whether the tool failed. */
  isError: boolean;
  content: ToolResultContent;
  outcome?: Outcome;
  structured?: StructuredValue;
}

/** What the tool gave back: text, parts, or any JSON object. */
export type ToolResultContent = string | ToolResultContentPart[] | JsonObject;

/** A part that may stand inside a tool result. */
export type ToolResultContentPart =
  | TextPart
  | ImagePart
  | FileRefPart
  | MediaPart;

/** Content of an image part: exactly one of data and url. */
export interface ImagePayload {
  /** Media type of the image, such as image/png. */
  mimeType: string;
  /** The image's bytes. */
  data?: Base64;
  /** Where the image is to be had. */
  url?: string;
}

/** Content of a file_ref part. */
export interface FileRefPayload {
  /** Path or name of the file, as producer and consumer agreed. */
  path: string;
  /** Media type of the file. */
  mimeType?: string;
  /** Size in bytes. */
  size?: number;
}

/** Content of a media part. */
export interface MediaPayload {
  /** Media type, such as audio/wav. */
  mimeType: string;
  source: MediaSource;
  /** Name to show, such as that of a file. */
  name?: string;
  /** Size of the media, decoded, in bytes. */
  sizeBytes?: number;
  /** SHA-256 of the media, decoded, as 64 lower-case hexadecimal digits. */
  sha256?: string;
  /** What is said in it, verbatim. */
  transcript?: string;
  /** What the provider wants back with this part. */
  opaque?: Opaque;
}

/** Where the media is. */
export type MediaSource =
  | InlineSource
  | UrlSource
  | RefSource;

/** The media is in the document. */
export interface InlineSource {
  /** Says which kind of source this is. */
  kind: "inline";
  /** The media's bytes. */
  data: Base64;
}

/** The media is to be had at a URL. */
export interface UrlSource {
  /** Says which kind of source this is. */
  kind: "url";
  /** Where the media is to be had. */
  url: string;
}

/** The media is kept apart, under a name that producer and consumer agreed on. */
export interface RefSource {
  /** Says which kind of source this is. */
  kind: "ref";
  /** The name of the media in that store. */
  ref: string;
}

/** A result as data, for programs: any JSON value but null. No provider gets it. */
export type StructuredValue = json.JsonValue[] | boolean | number | JsonObject | string;

/** The result of a call that the provider ran; content of a server_tool_result part. */
export interface ServerToolResult {
  /** The call that this is the result of; it may be in an earlier message. */
  toolCallId: ToolCallId;
  /** Whether the tool failed. */
  isError: boolean;
  content: ToolResultContent;
  outcome?: Outcome;
  structured?: StructuredValue;
  /** What the provider wants back with this part. */
  opaque?: Opaque;
}

/** Content of an approval_request part. What is asked about is in the call. */
export interface ApprovalRequest {
  approvalId: ApprovalId;
  /** The tool_call or server_tool_call that waits. */
  toolCallId: ToolCallId;
  /** Why it is asked, for the person who decides. */
  reason?: string;
  /** What the person can choose from, if it is more than yes or no. */
  choices?: ApprovalChoice[];
  /** When it was asked. */
  requestedAt?: Timestamp;
  /** What the provider wants back with this part. */
  opaque?: Opaque;
}

/** One of several answers that an approval request offers. */
export interface ApprovalChoice {
  /** Identifies the choice within its request; the answer names it. */
  id: string;
  /** What to show to the person; without it, the id. */
  label?: string;
  /** What taking this choice decides; the answer says it as its decision. */
  decision?: ApprovalDecision;
}

/** Content of an approval_response part. */
export interface ApprovalResponse {
  /** The request that this answers. */
  approvalId: ApprovalId;
  /** The call that it is about. */
  toolCallId: ToolCallId;
  decision: ApprovalDecision;
  /** The id of the choice that was taken. It does not say whether the call runs: decision does. */
  choice?: string;
  /** Why it was decided so. */
  reason?: string;
  /** Who decided. */
  decidedBy?: string;
  /** When it was decided. */
  decidedAt?: Timestamp;
  /** Run the call with these instead; the call itself stays as the model wrote it. */
  arguments?: JsonObject;
}

/** A tool as the model sees it. */
export interface ToolSpec {
  name: ToolName;
  /** What the tool does and when to use it. */
  description?: string;
  /** JSON Schema of the arguments. */
  parameterSchema: JsonObject;
  /** Whether the provider shall hold the arguments to the schema. */
  strict?: boolean;
}

/** Which tools the model may or must call. */
export type ToolChoice = ToolChoiceMode | SpecificTool;

/** auto: the model decides; required: at least one call; none: no call. */
export type ToolChoiceMode = "auto" | "required" | "none";

/** Exactly this tool must be called. */
export interface SpecificTool {
  toolName: ToolName;
}

/** How prompt caching is used. */
export interface CacheConfig {
  /** auto: the adapter places the cache marks. */
  strategy: "auto";
}

/**
 * Configuration of a model. Members that are not named here are the provider's own and are kept
 * as they are.
 */
export interface ModelConfig {
  /** The model to call. */
  modelId: string;
  /** Sampling temperature. */
  temperature?: number;
  /** Most tokens that the answer may have. */
  maxTokens?: number;
  /** Nucleus sampling: the probability mass that is considered. */
  topP?: number;
  /** Texts at which the model stops. */
  stopSequences?: StopSequence[];
  toolChoice?: ToolChoice;
  cacheConfig?: CacheConfig;
  [name: string]: unknown;
}

/** A text at which the model stops. */
export type StopSequence = string;

/** What is known of a model. */
export interface ModelInfo {
  /** The model's name at its provider. */
  modelId: string;
  /** The provider's name. */
  provider: string;
  /** Most tokens of input and output together. */
  contextWindowTokens?: number;
  /** Most tokens of one answer. */
  maxOutputTokens?: number;
}

/** Ties a request to its session, run and trace. */
export interface RequestMetadata {
  /** The session that the request belongs to. */
  sessionId: string;
  runId: RunId;
  /** The trace that the request belongs to. */
  traceId: string;
}

/**
 * One change of a message that is being written. A stream opens with start and ends with
 * exactly one done or error.
 */
export type TolerantMessageDelta =
  | StartDelta
  | TextDelta
  | ThinkingDelta
  | ToolCallStartDelta
  | ToolCallArgsDelta
  | ToolCallEndDelta
  | TextCitationDelta
  | ServerToolCallStartDelta
  | ServerToolCallArgsDelta
  | ServerToolCallEndDelta
  | TolerantServerToolResultDelta
  | ApprovalRequestDelta
  | MediaStartDelta
  | MediaDataDelta
  | TolerantMediaEndDelta
  | WarningDelta
  | UsageDelta
  | DoneDelta
  | ErrorDelta
  | Unknown;

/** The whole result of a call that the provider ran. */
export interface TolerantServerToolResultDelta {
  runId: RunId;
  messageId?: MessageId;
  turnId?: TurnId;
  seq: Seq;
  /** Says which kind of delta this is. */
  kind: "server_tool_result";
  payload: TolerantServerToolResult;
  /** When the delta was made. */
  timestamp: Timestamp;
  /** The provider's raw event, for debugging only: nothing may depend on it. */
  providerRaw?: JsonObject;
}

/** Closes media. */
export interface TolerantMediaEndDelta {
  runId: RunId;
  messageId?: MessageId;
  turnId?: TurnId;
  seq: Seq;
  /** Says which kind of delta this is. */
  kind: "media_end";
  payload: TolerantMediaEndDeltaPayload;
  /** When the delta was made. */
  timestamp: Timestamp;
  /** The provider's raw event, for debugging only: nothing may depend on it. */
  providerRaw?: JsonObject;
}

/** Content of a media_end delta. */
export interface TolerantMediaEndDeltaPayload {
  mediaId: MediaId;
  /** Media type, in place of that of the start. */
  mimeType?: string;
  /** Where the media is, in place of the bytes that came. */
  source?: TolerantMediaSource;
  /** Size of the media, decoded, in bytes, as the producer says it. */
  sizeBytes?: number;
  /** State of the media; a later one replaces an earlier one. */
  opaque?: Opaque;
}

/** One message of a conversation: what is stored and what is sent to a model. */
export interface TolerantMessage {
  runId: RunId;
  messageId?: MessageId;
  turnId?: TurnId;
  role: Role;
  author?: Author;
  /** The content, in the order in which it came; the order never changes. */
  parts: TolerantMessagePart[];
  /** When the message began. */
  timestamp: Timestamp;
  meta?: MessageMeta;
}

/** A piece of content. The set of kinds is frozen within a version. */
export type TolerantMessagePart =
  | TextPart
  | ThinkingPart
  | ToolCallPart
  | TolerantToolResultPart
  | ImagePart
  | FileRefPart
  | TolerantMediaPart
  | ServerToolCallPart
  | TolerantServerToolResultPart
  | ApprovalRequestPart
  | ApprovalResponsePart
  | Unknown;

/** The result of one tool call. */
export interface TolerantToolResultPart {
  /** Says which kind of part this is. */
  kind: "tool_result";
  payload: TolerantToolResult;
}

/**
 * Media of any type: audio, video, a document; also the whole of a large tool result, by
 * reference.
 */
export interface TolerantMediaPart {
  /** Says which kind of part this is. */
  kind: "media";
  payload: TolerantMediaPayload;
}

/** The result of a call that the provider ran. */
export interface TolerantServerToolResultPart {
  /** Says which kind of part this is. */
  kind: "server_tool_result";
  payload: TolerantServerToolResult;
}

/** The result of one tool call; content of a tool_result part. */
export interface TolerantToolResult {
  /** The call that this is the result of. */
  toolCallId: ToolCallId;
  /** Whether the tool failed. */
  isError: boolean;
  content: TolerantToolResultContent;
  outcome?: Outcome;
  structured?: StructuredValue;
}

/** What the tool gave back: text, parts, or any JSON object. */
export type TolerantToolResultContent = string | TolerantToolResultContentPart[] | JsonObject;

/** A part that may stand inside a tool result. */
export type TolerantToolResultContentPart =
  | TextPart
  | ImagePart
  | FileRefPart
  | TolerantMediaPart
  | Unknown;

/** Content of a media part. */
export interface TolerantMediaPayload {
  /** Media type, such as audio/wav. */
  mimeType: string;
  source: TolerantMediaSource;
  /** Name to show, such as that of a file. */
  name?: string;
  /** Size of the media, decoded, in bytes. */
  sizeBytes?: number;
  /** SHA-256 of the media, decoded, as 64 lower-case hexadecimal digits. */
  sha256?: string;
  /** What is said in it, verbatim. */
  transcript?: string;
  /** What the provider wants back with this part. */
  opaque?: Opaque;
}

/** Where the media is. */
export type TolerantMediaSource =
  | InlineSource
  | UrlSource
  | RefSource
  | Unknown;

/** The result of a call that the provider ran; content of a server_tool_result part. */
export interface TolerantServerToolResult {
  /** The call that this is the result of; it may be in an earlier message. */
  toolCallId: ToolCallId;
  /** Whether the tool failed. */
  isError: boolean;
  content: TolerantToolResultContent;
  outcome?: Outcome;
  structured?: StructuredValue;
  /** What the provider wants back with this part. */
  opaque?: Opaque;
}

/** Every type of the family by its name. */
export interface Types {
  JsonObject: JsonObject;
  Timestamp: Timestamp;
  Base64: Base64;
  RunId: RunId;
  MessageId: MessageId;
  TurnId: TurnId;
  ToolCallId: ToolCallId;
  ToolName: ToolName;
  FinishReason: FinishReason;
  ErrorCode: ErrorCode;
  UsageSummary: UsageSummary;
  ProviderFinishReason: ProviderFinishReason;
  Opaque: Opaque;
  AgentName: AgentName;
  Author: Author;
  TextFormat: TextFormat;
  Outcome: Outcome;
  ApprovalId: ApprovalId;
  ApprovalDecision: ApprovalDecision;
  MediaId: MediaId;
  MessageDelta: MessageDelta;
  Seq: Seq;
  StartDelta: StartDelta;
  TextDelta: TextDelta;
  ThinkingDelta: ThinkingDelta;
  ToolCallStartDelta: ToolCallStartDelta;
  ToolCallArgsDelta: ToolCallArgsDelta;
  ToolCallEndDelta: ToolCallEndDelta;
  TextCitationDelta: TextCitationDelta;
  ServerToolCallStartDelta: ServerToolCallStartDelta;
  ServerToolCallArgsDelta: ServerToolCallArgsDelta;
  ServerToolCallEndDelta: ServerToolCallEndDelta;
  ServerToolResultDelta: ServerToolResultDelta;
  ApprovalRequestDelta: ApprovalRequestDelta;
  MediaStartDelta: MediaStartDelta;
  MediaDataDelta: MediaDataDelta;
  MediaEndDelta: MediaEndDelta;
  WarningDelta: WarningDelta;
  UsageDelta: UsageDelta;
  DoneDelta: DoneDelta;
  ErrorDelta: ErrorDelta;
  StartDeltaPayload: StartDeltaPayload;
  TextDeltaPayload: TextDeltaPayload;
  ThinkingDeltaPayload: ThinkingDeltaPayload;
  ToolCallStartDeltaPayload: ToolCallStartDeltaPayload;
  ToolCallArgsDeltaPayload: ToolCallArgsDeltaPayload;
  ToolCallEndDeltaPayload: ToolCallEndDeltaPayload;
  TextCitationDeltaPayload: TextCitationDeltaPayload;
  MediaStartDeltaPayload: MediaStartDeltaPayload;
  MediaDataDeltaPayload: MediaDataDeltaPayload;
  MediaEndDeltaPayload: MediaEndDeltaPayload;
  WarningDeltaPayload: WarningDeltaPayload;
  DoneDeltaPayload: DoneDeltaPayload;
  ErrorDeltaPayload: ErrorDeltaPayload;
  Message: Message;
  Role: Role;
  MessageMeta: MessageMeta;
  ToolCallParseError: ToolCallParseError;
  Incomplete: Incomplete;
  MessagePart: MessagePart;
  TextPart: TextPart;
  ThinkingPart: ThinkingPart;
  ToolCallPart: ToolCallPart;
  ToolResultPart: ToolResultPart;
  ImagePart: ImagePart;
  FileRefPart: FileRefPart;
  MediaPart: MediaPart;
  ServerToolCallPart: ServerToolCallPart;
  ServerToolResultPart: ServerToolResultPart;
  ApprovalRequestPart: ApprovalRequestPart;
  ApprovalResponsePart: ApprovalResponsePart;
  TextPayload: TextPayload;
  Citation: Citation;
  CitationSource: CitationSource;
  CitationSourceKind: CitationSourceKind;
  CitationLocator: CitationLocator;
  LocatorUnit: LocatorUnit;
  ThinkingPayload: ThinkingPayload;
  ToolCallPayload: ToolCallPayload;
  ToolCall: ToolCall;
  ToolResult: ToolResult;
  ToolResultContent: ToolResultContent;
  ToolResultContentPart: ToolResultContentPart;
  ImagePayload: ImagePayload;
  FileRefPayload: FileRefPayload;
  MediaPayload: MediaPayload;
  MediaSource: MediaSource;
  InlineSource: InlineSource;
  UrlSource: UrlSource;
  RefSource: RefSource;
  StructuredValue: StructuredValue;
  ServerToolResult: ServerToolResult;
  ApprovalRequest: ApprovalRequest;
  ApprovalChoice: ApprovalChoice;
  ApprovalResponse: ApprovalResponse;
  ToolSpec: ToolSpec;
  ToolChoice: ToolChoice;
  ToolChoiceMode: ToolChoiceMode;
  SpecificTool: SpecificTool;
  CacheConfig: CacheConfig;
  ModelConfig: ModelConfig;
  StopSequence: StopSequence;
  ModelInfo: ModelInfo;
  RequestMetadata: RequestMetadata;
}

/** What tolerant reading gives for every type. */
export interface TolerantTypes {
  JsonObject: JsonObject;
  Timestamp: Timestamp;
  Base64: Base64;
  RunId: RunId;
  MessageId: MessageId;
  TurnId: TurnId;
  ToolCallId: ToolCallId;
  ToolName: ToolName;
  FinishReason: FinishReason;
  ErrorCode: ErrorCode;
  UsageSummary: UsageSummary;
  ProviderFinishReason: ProviderFinishReason;
  Opaque: Opaque;
  AgentName: AgentName;
  Author: Author;
  TextFormat: TextFormat;
  Outcome: Outcome;
  ApprovalId: ApprovalId;
  ApprovalDecision: ApprovalDecision;
  MediaId: MediaId;
  MessageDelta: TolerantMessageDelta;
  Seq: Seq;
  StartDelta: StartDelta;
  TextDelta: TextDelta;
  ThinkingDelta: ThinkingDelta;
  ToolCallStartDelta: ToolCallStartDelta;
  ToolCallArgsDelta: ToolCallArgsDelta;
  ToolCallEndDelta: ToolCallEndDelta;
  TextCitationDelta: TextCitationDelta;
  ServerToolCallStartDelta: ServerToolCallStartDelta;
  ServerToolCallArgsDelta: ServerToolCallArgsDelta;
  ServerToolCallEndDelta: ServerToolCallEndDelta;
  ServerToolResultDelta: TolerantServerToolResultDelta;
  ApprovalRequestDelta: ApprovalRequestDelta;
  MediaStartDelta: MediaStartDelta;
  MediaDataDelta: MediaDataDelta;
  MediaEndDelta: TolerantMediaEndDelta;
  WarningDelta: WarningDelta;
  UsageDelta: UsageDelta;
  DoneDelta: DoneDelta;
  ErrorDelta: ErrorDelta;
  StartDeltaPayload: StartDeltaPayload;
  TextDeltaPayload: TextDeltaPayload;
  ThinkingDeltaPayload: ThinkingDeltaPayload;
  ToolCallStartDeltaPayload: ToolCallStartDeltaPayload;
  ToolCallArgsDeltaPayload: ToolCallArgsDeltaPayload;
  ToolCallEndDeltaPayload: ToolCallEndDeltaPayload;
  TextCitationDeltaPayload: TextCitationDeltaPayload;
  MediaStartDeltaPayload: MediaStartDeltaPayload;
  MediaDataDeltaPayload: MediaDataDeltaPayload;
  MediaEndDeltaPayload: TolerantMediaEndDeltaPayload;
  WarningDeltaPayload: WarningDeltaPayload;
  DoneDeltaPayload: DoneDeltaPayload;
  ErrorDeltaPayload: ErrorDeltaPayload;
  Message: TolerantMessage;
  Role: Role;
  MessageMeta: MessageMeta;
  ToolCallParseError: ToolCallParseError;
  Incomplete: Incomplete;
  MessagePart: TolerantMessagePart;
  TextPart: TextPart;
  ThinkingPart: ThinkingPart;
  ToolCallPart: ToolCallPart;
  ToolResultPart: TolerantToolResultPart;
  ImagePart: ImagePart;
  FileRefPart: FileRefPart;
  MediaPart: TolerantMediaPart;
  ServerToolCallPart: ServerToolCallPart;
  ServerToolResultPart: TolerantServerToolResultPart;
  ApprovalRequestPart: ApprovalRequestPart;
  ApprovalResponsePart: ApprovalResponsePart;
  TextPayload: TextPayload;
  Citation: Citation;
  CitationSource: CitationSource;
  CitationSourceKind: CitationSourceKind;
  CitationLocator: CitationLocator;
  LocatorUnit: LocatorUnit;
  ThinkingPayload: ThinkingPayload;
  ToolCallPayload: ToolCallPayload;
  ToolCall: ToolCall;
  ToolResult: TolerantToolResult;
  ToolResultContent: TolerantToolResultContent;
  ToolResultContentPart: TolerantToolResultContentPart;
  ImagePayload: ImagePayload;
  FileRefPayload: FileRefPayload;
  MediaPayload: TolerantMediaPayload;
  MediaSource: TolerantMediaSource;
  InlineSource: InlineSource;
  UrlSource: UrlSource;
  RefSource: RefSource;
  StructuredValue: StructuredValue;
  ServerToolResult: TolerantServerToolResult;
  ApprovalRequest: ApprovalRequest;
  ApprovalChoice: ApprovalChoice;
  ApprovalResponse: ApprovalResponse;
  ToolSpec: ToolSpec;
  ToolChoice: ToolChoice;
  ToolChoiceMode: ToolChoiceMode;
  SpecificTool: SpecificTool;
  CacheConfig: CacheConfig;
  ModelConfig: ModelConfig;
  StopSequence: StopSequence;
  ModelInfo: ModelInfo;
  RequestMetadata: RequestMetadata;
}
