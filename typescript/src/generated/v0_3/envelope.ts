// Generated from schemas/v0.3 (digest 1c195cd0bc04e7b7) by codegen 1.
// Do not edit: change the schemas, then run `python -m codegen`.

import type * as json from "../../json/values.js";

/** Any JSON object; its members are kept as they are. */
export type JsonObject = json.JsonObject;

/**
 * An instant: RFC 3339 date and time with a zone, upper-case T and Z, at most nine fraction
 * digits, a day that the calendar has, no leap second.
 */
export type Timestamp = string;

/**
 * A UUID in the text form of RFC 9562: 32 hexadecimal digits of either case in five groups,
 * without prefix or braces.
 */
export type Uuid = string;

/** Asks for the prompt of a task. From the agent to the context service. */
export interface GetContextRequest {
  message_id: MessageId;
  sent_at: SentAt;
  trace_id?: TraceId;
  schema_version: SchemaVersion;
  /** Says which message this is, for readers who do not know it from the queue. */
  message_type?: "GetContextRequest";
  /** The agent that asks. */
  agent_id: Uuid;
  /** The task. */
  task_id: Uuid;
  /** Global variables of the run, by name. */
  globals: JsonObject;
}

/**
 * The prompt of a task, in blocks of multi-line text or base64. From the context service to the
 * agent.
 */
export interface PromptBlocksResponse {
  message_id: MessageId;
  sent_at: SentAt;
  trace_id?: TraceId;
  schema_version: SchemaVersion;
  /** Says which message this is, for readers who do not know it from the queue. */
  message_type?: "PromptBlocksResponse";
  /** The system prompt. */
  system: string;
  /** The task prompt. */
  task: string;
  /** The allowed tools: a YAML or JSON list, as text. */
  allowed_tools: string;
  /** Pieces of knowledge. */
  context_data: string;
  /** The final instruction. */
  instruction: string;
}

/** Reports the results of a task. From the agent to the context service. */
export interface ReportResultRequest {
  message_id: MessageId;
  sent_at: SentAt;
  trace_id?: TraceId;
  schema_version: SchemaVersion;
  /** Says which message this is, for readers who do not know it from the queue. */
  message_type?: "ReportResultRequest";
  /** The task. */
  task_id: Uuid;
  /** Results of the tools, in the order of their calls. */
  tool_results: ToolResult[];
  /** The agent's summary or final output. */
  task_results: JsonObject;
}

/** The fields that every queue message has at its root. */
export interface Envelope {
  message_id: MessageId;
  sent_at: SentAt;
  trace_id?: TraceId;
  schema_version: SchemaVersion;
  message_type?: MessageType;
}

/** Identifies the message, globally. */
export type MessageId = Uuid;

/** When the message was sent. */
export type SentAt = Timestamp;

/** The trace that the message belongs to. */
export type TraceId = string;

/** Version of the contract that the sender wrote by. */
export type SchemaVersion = string;

/** Which message this is: the name of its type, for readers who do not know it from the queue. */
export type MessageType = string;

/** Asks for an evaluation. From the context service to the review model. */
export interface EvaluationRequest {
  message_id: MessageId;
  sent_at: SentAt;
  trace_id?: TraceId;
  schema_version: SchemaVersion;
  /** Says which message this is, for readers who do not know it from the queue. */
  message_type?: "EvaluationRequest";
  /** The task. */
  task_id: Uuid;
  /** The same as was reported. */
  task_results: JsonObject;
}

/** The evaluation of a task. From the review model to the result store and the event queue. */
export interface EvaluationResponse {
  message_id: MessageId;
  sent_at: SentAt;
  trace_id?: TraceId;
  schema_version: SchemaVersion;
  /** Says which message this is, for readers who do not know it from the queue. */
  message_type?: "EvaluationResponse";
  /** The task. */
  task_id: Uuid;
  /** Whether the results are good enough. */
  status: "pass" | "fail";
  /** Score of the results, from 0 to 100. */
  score: number;
  /** What is to be done next. */
  next_action: "retry" | "next_slice" | "none";
}

/** A task for an agent. From the event queue to the agent. */
export interface TaskEvent {
  message_id: MessageId;
  sent_at: SentAt;
  trace_id?: TraceId;
  schema_version: SchemaVersion;
  /** Says which message this is, for readers who do not know it from the queue. */
  message_type?: "TaskEvent";
  /** The task. */
  task_id: Uuid;
  /** What the task is; transparent to the agent. */
  payload: JsonObject;
  /** How often the task has been retried. */
  retry_count: number;
  /** How often the task may be tried. */
  max_attempts: number;
}

/**
 * A task to be tried again; retry_count has already been raised. From the review model to the
 * event queue.
 */
export interface RetryEvent {
  message_id: MessageId;
  sent_at: SentAt;
  trace_id?: TraceId;
  schema_version: SchemaVersion;
  /** Says which message this is, for readers who do not know it from the queue. */
  message_type?: "RetryEvent";
  /** The task. */
  task_id: Uuid;
  /** What the task is; transparent to the agent. */
  payload: JsonObject;
  /** How often the task has been retried. */
  retry_count: number;
  /** How often the task may be tried. */
  max_attempts: number;
}

/** The result of one tool call, inside a report; it is not a message by itself. */
export interface ToolResult {
  /** The call that this is the result of. */
  invocation_id: Uuid;
  /** The tool, by its id in the tool registry. */
  tool_id: Uuid;
  /** What data holds. An open string. */
  result_type: "tool_result" | "unknown" | (string & {});
  /** The result. */
  data: JsonObject;
  /** When the result was made. */
  created_at: Timestamp;
}

/** Calls a tool. From the agent to a tool. Reserved: not yet used. */
export interface ToolCallRequest {
  message_id: MessageId;
  sent_at: SentAt;
  trace_id?: TraceId;
  schema_version: SchemaVersion;
  /** Says which message this is, for readers who do not know it from the queue. */
  message_type?: "ToolCallRequest";
  /** Identifies the call. */
  invocation_id: Uuid;
  /** Name of the tool. */
  tool_name: string;
  /** Version of the tool. */
  tool_version: string;
  /** The arguments. */
  args: JsonObject;
}

/**
 * Answers a tool call: data on success, error on failure. From a tool to the agent. Reserved:
 * not yet used.
 */
export interface ToolCallResponse {
  message_id: MessageId;
  sent_at: SentAt;
  trace_id?: TraceId;
  schema_version: SchemaVersion;
  /** Says which message this is, for readers who do not know it from the queue. */
  message_type?: "ToolCallResponse";
  /** The call that this answers. */
  invocation_id: Uuid;
  /** Whether the tool succeeded. */
  success: boolean;
  /** The result, on success. */
  data?: JsonObject;
  error?: ToolError;
}

/** Why a tool failed. */
export interface ToolError {
  /** Code of the error. */
  code: string;
  /** What happened, for people. */
  message: string;
}

/** Every type of the family by its name. */
export interface Types {
  JsonObject: JsonObject;
  Timestamp: Timestamp;
  Uuid: Uuid;
  GetContextRequest: GetContextRequest;
  PromptBlocksResponse: PromptBlocksResponse;
  ReportResultRequest: ReportResultRequest;
  Envelope: Envelope;
  MessageId: MessageId;
  SentAt: SentAt;
  TraceId: TraceId;
  SchemaVersion: SchemaVersion;
  MessageType: MessageType;
  EvaluationRequest: EvaluationRequest;
  EvaluationResponse: EvaluationResponse;
  TaskEvent: TaskEvent;
  RetryEvent: RetryEvent;
  ToolResult: ToolResult;
  ToolCallRequest: ToolCallRequest;
  ToolCallResponse: ToolCallResponse;
  ToolError: ToolError;
}

/** What tolerant reading gives for every type. */
export interface TolerantTypes {
  JsonObject: JsonObject;
  Timestamp: Timestamp;
  Uuid: Uuid;
  GetContextRequest: GetContextRequest;
  PromptBlocksResponse: PromptBlocksResponse;
  ReportResultRequest: ReportResultRequest;
  Envelope: Envelope;
  MessageId: MessageId;
  SentAt: SentAt;
  TraceId: TraceId;
  SchemaVersion: SchemaVersion;
  MessageType: MessageType;
  EvaluationRequest: EvaluationRequest;
  EvaluationResponse: EvaluationResponse;
  TaskEvent: TaskEvent;
  RetryEvent: RetryEvent;
  ToolResult: ToolResult;
  ToolCallRequest: ToolCallRequest;
  ToolCallResponse: ToolCallResponse;
  ToolError: ToolError;
}
