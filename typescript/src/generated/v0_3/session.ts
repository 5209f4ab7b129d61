// Generated from schemas/v0.3 (digest 040c9f1755e81252) by codegen 1.
// Do not edit: change the schemas, then run `python -m codegen`.

import type * as json from "../../json/values.js";
import type { Unknown } from "../../contract/unknown.js";

/** Any JSON object; its members are kept as they are. */
export type JsonObject = json.JsonObject;

/**
 * A UUID in the text form of RFC 9562: 32 hexadecimal digits of either case in five groups,
 * without prefix or braces.
 */
export type Uuid = string;

/** A part of a message. */
export type Part =
  | TextPart
  | ReasoningPart
  | ToolPart
  | StepStartPart
  | StepFinishPart
  | FilePart;

/** Text of the user or the model. */
export interface TextPart {
  /** Identifies the part; unique within its message. */
  id: string;
  /** The session that the part belongs to. */
  sessionID: Uuid;
  /** The message that the part belongs to. */
  messageID: Uuid;
  /** Says which type of part this is. */
  type: "text";
  /** The text. */
  text: string;
  /** Whether the text was made by the program, not by user or model. */
  synthetic?: boolean;
  /** Whether the text is kept from the model. */
  ignored?: boolean;
  time?: TextTime;
  /** Free data of the producer. */
  metadata?: JsonObject;
}

/** Reasoning of the model. */
export interface ReasoningPart {
  /** Identifies the part; unique within its message. */
  id: string;
  /** The session that the part belongs to. */
  sessionID: Uuid;
  /** The message that the part belongs to. */
  messageID: Uuid;
  /** Says which type of part this is. */
  type: "reasoning";
  /** The reasoning. */
  text: string;
  /** Free data of the producer. */
  metadata?: JsonObject;
  time: ReasoningTime;
}

/** A tool call and its state. */
export interface ToolPart {
  /** Identifies the part; unique within its message. */
  id: string;
  /** The session that the part belongs to. */
  sessionID: Uuid;
  /** The message that the part belongs to. */
  messageID: Uuid;
  /** Says which type of part this is. */
  type: "tool";
  /** Identifies the tool call. */
  callID: string;
  /** Name of the tool. */
  tool: string;
  state: ToolState;
  /** Free data of the producer. */
  metadata?: JsonObject;
}

/** A step of the agent loop begins. */
export interface StepStartPart {
  /** Identifies the part; unique within its message. */
  id: string;
  /** The session that the part belongs to. */
  sessionID: Uuid;
  /** The message that the part belongs to. */
  messageID: Uuid;
  /** Says which type of part this is. */
  type: "step-start";
  /** Identifies the snapshot of the workspace. */
  snapshot?: string;
}

/** A step of the agent loop ends. */
export interface StepFinishPart {
  /** Identifies the part; unique within its message. */
  id: string;
  /** The session that the part belongs to. */
  sessionID: Uuid;
  /** The message that the part belongs to. */
  messageID: Uuid;
  /** Says which type of part this is. */
  type: "step-finish";
  /** Why the step ended. An open string. */
  reason: "stop" | "length" | "tool-calls" | "content-filter" | "error" | "other" | "unknown" | (string & {});
  /** Identifies the snapshot of the workspace. */
  snapshot?: string;
  /** Price of the step in US dollars. */
  cost: number;
  tokens: TokenStats;
}

/** A file. */
export interface FilePart {
  /** Identifies the part; unique within its message. */
  id: string;
  /** The session that the part belongs to. */
  sessionID: Uuid;
  /** The message that the part belongs to. */
  messageID: Uuid;
  /** Says which type of part this is. */
  type: "file";
  /** Media type of the file. */
  mime: string;
  /** Name of the file. */
  filename?: string;
  /** Where the file is to be had. */
  url: string;
  source?: FilePartSource;
}

/** When the text was written. */
export interface TextTime {
  /** When the text began. Milliseconds since the epoch. */
  start?: number;
  /** When the text ended. Milliseconds since the epoch. */
  end?: number;
}

/** When the reasoning was written. */
export interface ReasoningTime {
  /** When the reasoning began. Milliseconds since the epoch. */
  start: number;
  /** When the reasoning ended. Milliseconds since the epoch. */
  end?: number;
}

/** Tokens of a step or a message. */
export interface TokenStats {
  /** Tokens read, without those of the cache. */
  input: number;
  /** Tokens written, without those of reasoning; older writers count them in. */
  output: number;
  /** Tokens of reasoning. */
  reasoning: number;
  cache: CacheTokenStats;
  /** All tokens, as the provider counts them; tells whether output holds those of reasoning. */
  total?: number;
}

/** Tokens of the prompt cache. */
export interface CacheTokenStats {
  /** Tokens read from the cache. */
  read: number;
  /** Tokens written to the cache. */
  write: number;
}

/** Where a file part comes from. */
export type FilePartSource =
  | FileSource
  | SymbolSource
  | ResourceSource;

/** The file was named by its path. */
export interface FileSource {
  /** Says which type of source this is. */
  type: "file";
  /** Path of the file. */
  path: string;
  text: SourceText;
}

/** The file was named by a symbol in it. */
export interface SymbolSource {
  /** Says which type of source this is. */
  type: "symbol";
  /** Path of the file. */
  path: string;
  range: SourceRange;
  /** Name of the symbol. */
  name: string;
  /** Kind of the symbol, as the Language Server Protocol numbers them. */
  kind: number;
  text: SourceText;
}

/** The file is a resource of a client. */
export interface ResourceSource {
  /** Says which type of source this is. */
  type: "resource";
  /** Name of the client that has the resource. */
  clientName: string;
  /** URI of the resource. */
  uri: string;
  text: SourceText;
}

/** The place in the prompt that named the file. */
export interface SourceText {
  /** The text that named the file. */
  value: string;
  /** Where the text begins, in UTF-16 code units of the prompt, counted from 0. */
  start: number;
  /** Where the text ends, exclusive, in UTF-16 code units of the prompt. */
  end: number;
}

/** A range of a text file. */
export interface SourceRange {
  /** Where the range begins. */
  start: SourcePosition;
  /** Where the range ends, exclusive. */
  end: SourcePosition;
}

/** A position in a text file. */
export interface SourcePosition {
  /** Line, counted from 0. */
  line: number;
  /** UTF-16 code unit within the line, counted from 0. */
  character: number;
}

/** State of a tool call. */
export type ToolState =
  | ToolStatePending
  | ToolStateAwaitingApproval
  | ToolStateRunning
  | ToolStateCompleted
  | ToolStateError
  | ToolStateDenied;

/** The call is waiting to be executed. */
export interface ToolStatePending {
  /** Says which state this is. */
  status: "pending";
  /** The parsed arguments. */
  input: JsonObject;
  /** The argument text as the model wrote it. */
  raw: string;
}

/** The call waits until a person has decided. */
export interface ToolStateAwaitingApproval {
  /** Says which state this is. */
  status: "awaiting_approval";
  /** The parsed arguments. */
  input: JsonObject;
  /** The argument text as the model wrote it. */
  raw: string;
  approval: ToolApproval;
  /** Free data of the producer. */
  metadata?: JsonObject;
}

/** The tool is being executed. */
export interface ToolStateRunning {
  /** Says which state this is. */
  status: "running";
  /** The parsed arguments. */
  input: JsonObject;
  /** What the tool is doing, for people. */
  title?: string;
  /** Free data of the producer. */
  metadata?: JsonObject;
  time: ToolStartTime;
  approval?: ToolApproval;
}

/** The tool has finished. */
export interface ToolStateCompleted {
  /** Says which state this is. */
  status: "completed";
  /** The parsed arguments. */
  input: JsonObject;
  /** The result; never empty. */
  output: string;
  /** What the tool did, for people. */
  title: string;
  /** Free data of the producer. */
  metadata: JsonObject;
  time: ToolCompletedTime;
  /** Files that belong to the result. */
  attachments?: FilePart[];
  approval?: ToolApproval;
}

/** The tool has failed. */
export interface ToolStateError {
  /** Says which state this is. */
  status: "error";
  /** The parsed arguments. */
  input: JsonObject;
  /** What went wrong; never empty. */
  error: string;
  /** Free data of the producer. */
  metadata?: JsonObject;
  time: ToolEndTime;
  approval?: ToolApproval;
}

/** The call was not approved, and never runs. */
export interface ToolStateDenied {
  /** Says which state this is. */
  status: "denied";
  /** The parsed arguments. */
  input: JsonObject;
  approval: ToolApproval;
  /** What the model got instead of a result; never empty. */
  error?: string;
  /** Free data of the producer. */
  metadata?: JsonObject;
}

/** What a person was asked about the call, and what was decided. */
export interface ToolApproval {
  /** Identifies the request. */
  id: string;
  /** Why it was asked. */
  reason?: string;
  /** What the person could choose from, if it was more than yes or no. */
  choices?: ToolApprovalChoice[];
  /** What was decided. An open string: the call runs if it is approved, and on no other value. */
  decision?: "approved" | "denied" | "unknown" | (string & {});
  /** The id of the choice that was taken. It does not say whether the call runs: decision does. */
  choice?: string;
  /** Why it was decided so; reason of an approval_response. */
  note?: string;
  /** Who decided. */
  decidedBy?: string;
  /** What ran instead of input. */
  arguments?: JsonObject;
  time?: ToolApprovalTime;
}

/** One of several answers that an approval request offers. */
export interface ToolApprovalChoice {
  /** Identifies the choice within its request; the answer names it. */
  id: string;
  /** What to show to the person; without it, the id. */
  label?: string;
  /** What taking this choice decides. An open string. */
  decision?: "approved" | "denied" | "unknown" | (string & {});
}

/** When it was asked and decided. */
export interface ToolApprovalTime {
  /** When it was asked. Milliseconds since the epoch. */
  requested?: number;
  /** When it was decided. Milliseconds since the epoch. */
  decided?: number;
}

/** When the execution began. */
export interface ToolStartTime {
  /** When the execution began. Milliseconds since the epoch. */
  start: number;
}

/** When the execution began and ended. */
export interface ToolEndTime {
  /** When the execution began. Milliseconds since the epoch. */
  start: number;
  /** When the execution ended. Milliseconds since the epoch. */
  end: number;
}

/** When the execution began and ended, and when its output was compacted. */
export interface ToolCompletedTime {
  /** When the execution began. Milliseconds since the epoch. */
  start: number;
  /** When the execution ended. Milliseconds since the epoch. */
  end: number;
  /** When the output was dropped to save context. Milliseconds since the epoch. */
  compacted?: number;
}

/** The document that says that a transition is not allowed. */
export interface InvalidStateTransitionError {
  /** Names the error. */
  name: "InvalidStateTransition";
  /** What was attempted, for people. */
  message: string;
  details: InvalidStateTransitionDetails;
}

/** What was attempted, and what is allowed. */
export interface InvalidStateTransitionDetails {
  currentStatus: ToolStatus;
  /** The status that was asked for. */
  attemptedStatus: string;
  /** The statuses that may follow the current one. */
  validTransitions: string[];
}

/** Name of a tool state. */
export type ToolStatus = "pending" | "awaiting_approval" | "running" | "completed" | "error" | "denied";

/** A message of a session with its parts. */
export interface WithParts {
  info: MessageInfo;
  /** The parts, in order. */
  parts: Part[];
}

/** What is known of a message beside its parts. */
export type MessageInfo =
  | UserInfo
  | AssistantInfo;

/** Info of a user's message. */
export interface UserInfo {
  /** Identifies the message. */
  id: Uuid;
  /** Says who speaks. */
  role: "user";
  time: MessageTime;
  summary?: UserSummary;
  /** Name of the agent that the message is for. */
  agent: string;
  model: ModelRef;
  /** A system prompt for this message. */
  system?: string;
  tools?: ToolSwitches;
  /** Variant of the model. */
  variant?: string;
}

/** Info of an assistant's message. */
export interface AssistantInfo {
  /** Identifies the message. */
  id: Uuid;
  /** Says who speaks. */
  role: "assistant";
  time: MessageTime;
  /** Price of the message in US dollars, from the provider's answer. */
  cost: number;
  tokens: TokenStats;
  /** Name of the agent that wrote the message. */
  agent: string;
  path: MessagePath;
}

/** When a message was made and completed. */
export interface MessageTime {
  /** When the message was made. Milliseconds since the epoch. */
  created: number;
  /**
   * When the message was complete; absent while it is being written. Milliseconds since the
   * epoch.
   */
  completed?: number;
}

/** Summary of what a message led to; made only when the context is compacted. */
export interface UserSummary {
  /** One line. */
  title?: string;
  /** The summary. */
  body?: string;
  /** Files that were changed. */
  diffs?: FileDiff[];
}

/** How one file was changed. */
export interface FileDiff {
  /** Path of the file. */
  file: string;
  /** Content before the change. */
  before: string;
  /** Content after the change. */
  after: string;
  /** Lines added. */
  additions: number;
  /** Lines deleted. */
  deletions: number;
}

/** Names a model of a provider. */
export interface ModelRef {
  /** The provider. */
  providerID: string;
  /** The model. */
  modelID: string;
}

/** Where the agent worked. */
export interface MessagePath {
  /** The working folder. */
  cwd: string;
  /** The project's root folder. */
  root: string;
}

/** Tools by name, and whether they are switched on. */
export type ToolSwitches = { [name: string]: boolean };

/** What the validation of a part found. */
export interface ValidationResult {
  /** Whether nothing of severity error was found. */
  valid: boolean;
  /** What was found, in document order. */
  findings: ValidationFinding[];
}

/** One finding. */
export interface ValidationFinding {
  /** Id of the rule. */
  rule: string;
  /** What is wrong, for people. */
  message: string;
  /** JSON Pointer to the place. */
  pointer: string;
  /** How grave it is. */
  severity: "error" | "warning" | "info";
  /** What the rule allows. */
  expected?: string;
  /** What is there, at most 80 characters. */
  actual?: string;
}

/** A part of a message. */
export type TolerantPart =
  | TextPart
  | ReasoningPart
  | TolerantToolPart
  | StepStartPart
  | StepFinishPart
  | TolerantFilePart
  | Unknown;

/** A tool call and its state. */
export interface TolerantToolPart {
  /** Identifies the part; unique within its message. */
  id: string;
  /** The session that the part belongs to. */
  sessionID: Uuid;
  /** The message that the part belongs to. */
  messageID: Uuid;
  /** Says which type of part this is. */
  type: "tool";
  /** Identifies the tool call. */
  callID: string;
  /** Name of the tool. */
  tool: string;
  state: TolerantToolState;
  /** Free data of the producer. */
  metadata?: JsonObject;
}

/** A file. */
export interface TolerantFilePart {
  /** Identifies the part; unique within its message. */
  id: string;
  /** The session that the part belongs to. */
  sessionID: Uuid;
  /** The message that the part belongs to. */
  messageID: Uuid;
  /** Says which type of part this is. */
  type: "file";
  /** Media type of the file. */
  mime: string;
  /** Name of the file. */
  filename?: string;
  /** Where the file is to be had. */
  url: string;
  source?: TolerantFilePartSource;
}

/** Where a file part comes from. */
export type TolerantFilePartSource =
  | FileSource
  | SymbolSource
  | ResourceSource
  | Unknown;

/** State of a tool call. */
export type TolerantToolState =
  | ToolStatePending
  | ToolStateAwaitingApproval
  | ToolStateRunning
  | TolerantToolStateCompleted
  | ToolStateError
  | ToolStateDenied
  | Unknown;

/** The tool has finished. */
export interface TolerantToolStateCompleted {
  /** Says which state this is. */
  status: "completed";
  /** The parsed arguments. */
  input: JsonObject;
  /** The result; never empty. */
  output: string;
  /** What the tool did, for people. */
  title: string;
  /** Free data of the producer. */
  metadata: JsonObject;
  time: ToolCompletedTime;
  /** Files that belong to the result. */
  attachments?: TolerantFilePart[];
  approval?: ToolApproval;
}

/** A message of a session with its parts. */
export interface TolerantWithParts {
  info: TolerantMessageInfo;
  /** The parts, in order. */
  parts: TolerantPart[];
}

/** What is known of a message beside its parts. */
export type TolerantMessageInfo =
  | UserInfo
  | AssistantInfo
  | Unknown;

/** Every type of the family by its name. */
export interface Types {
  JsonObject: JsonObject;
  Uuid: Uuid;
  Part: Part;
  TextPart: TextPart;
  ReasoningPart: ReasoningPart;
  ToolPart: ToolPart;
  StepStartPart: StepStartPart;
  StepFinishPart: StepFinishPart;
  FilePart: FilePart;
  TextTime: TextTime;
  ReasoningTime: ReasoningTime;
  TokenStats: TokenStats;
  CacheTokenStats: CacheTokenStats;
  FilePartSource: FilePartSource;
  FileSource: FileSource;
  SymbolSource: SymbolSource;
  ResourceSource: ResourceSource;
  SourceText: SourceText;
  SourceRange: SourceRange;
  SourcePosition: SourcePosition;
  ToolState: ToolState;
  ToolStatePending: ToolStatePending;
  ToolStateAwaitingApproval: ToolStateAwaitingApproval;
  ToolStateRunning: ToolStateRunning;
  ToolStateCompleted: ToolStateCompleted;
  ToolStateError: ToolStateError;
  ToolStateDenied: ToolStateDenied;
  ToolApproval: ToolApproval;
  ToolApprovalChoice: ToolApprovalChoice;
  ToolApprovalTime: ToolApprovalTime;
  ToolStartTime: ToolStartTime;
  ToolEndTime: ToolEndTime;
  ToolCompletedTime: ToolCompletedTime;
  InvalidStateTransitionError: InvalidStateTransitionError;
  InvalidStateTransitionDetails: InvalidStateTransitionDetails;
  ToolStatus: ToolStatus;
  WithParts: WithParts;
  MessageInfo: MessageInfo;
  UserInfo: UserInfo;
  AssistantInfo: AssistantInfo;
  MessageTime: MessageTime;
  UserSummary: UserSummary;
  FileDiff: FileDiff;
  ModelRef: ModelRef;
  MessagePath: MessagePath;
  ToolSwitches: ToolSwitches;
  ValidationResult: ValidationResult;
  ValidationFinding: ValidationFinding;
}

/** What tolerant reading gives for every type. */
export interface TolerantTypes {
  JsonObject: JsonObject;
  Uuid: Uuid;
  Part: TolerantPart;
  TextPart: TextPart;
  ReasoningPart: ReasoningPart;
  ToolPart: TolerantToolPart;
  StepStartPart: StepStartPart;
  StepFinishPart: StepFinishPart;
  FilePart: TolerantFilePart;
  TextTime: TextTime;
  ReasoningTime: ReasoningTime;
  TokenStats: TokenStats;
  CacheTokenStats: CacheTokenStats;
  FilePartSource: TolerantFilePartSource;
  FileSource: FileSource;
  SymbolSource: SymbolSource;
  ResourceSource: ResourceSource;
  SourceText: SourceText;
  SourceRange: SourceRange;
  SourcePosition: SourcePosition;
  ToolState: TolerantToolState;
  ToolStatePending: ToolStatePending;
  ToolStateAwaitingApproval: ToolStateAwaitingApproval;
  ToolStateRunning: ToolStateRunning;
  ToolStateCompleted: TolerantToolStateCompleted;
  ToolStateError: ToolStateError;
  ToolStateDenied: ToolStateDenied;
  ToolApproval: ToolApproval;
  ToolApprovalChoice: ToolApprovalChoice;
  ToolApprovalTime: ToolApprovalTime;
  ToolStartTime: ToolStartTime;
  ToolEndTime: ToolEndTime;
  ToolCompletedTime: ToolCompletedTime;
  InvalidStateTransitionError: InvalidStateTransitionError;
  InvalidStateTransitionDetails: InvalidStateTransitionDetails;
  ToolStatus: ToolStatus;
  WithParts: TolerantWithParts;
  MessageInfo: TolerantMessageInfo;
  UserInfo: UserInfo;
  AssistantInfo: AssistantInfo;
  MessageTime: MessageTime;
  UserSummary: UserSummary;
  FileDiff: FileDiff;
  ModelRef: ModelRef;
  MessagePath: MessagePath;
  ToolSwitches: ToolSwitches;
  ValidationResult: ValidationResult;
  ValidationFinding: ValidationFinding;
}
