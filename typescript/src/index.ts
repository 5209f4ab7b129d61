/**
 * One contract for messages of language models: types, validators, the assembler of streams, tool
 * states and history checks.
 */

export {
  type AdaptOptions,
  type AssistantContent,
  adapt,
  approvalRequest,
  approvalResponse,
  assistant,
  type MessageFields,
  media,
  newId,
  now,
  type ResultContent,
  type ResultFields,
  type SystemContent,
  serverToolCall,
  serverToolResult,
  system,
  text,
  tool,
  toolCall,
  toolResult,
  type UserContent,
  user,
} from "./build/index.js";
export type { TypeName } from "./contract/catalog.js";
export * from "./contract/current/index.js";
export { FramingError, formatFinding, ReadError, WriteError } from "./errors.js";
export type { Versions } from "./generated/rooms.js";
export { REPAIRS } from "./generated/tables/history-repairs.js";
export { MAX_DEPTH } from "./generated/tables/limits.js";
export { VERSIONS, type Version } from "./generated/versions.js";
export { canonical } from "./json/canonical.js";
export { stringify } from "./json/digits.js";
export { decodeJson } from "./json/documents.js";
export type { JsonObject, JsonValue } from "./json/values.js";
export {
  type AssembleOptions,
  assemble,
  assembleAsync,
  type DeltaItem,
  readDelta,
} from "./message/assembler/assemble.js";
export * from "./message/assembler/index.js";
export type { HistoryChange, RepairResult } from "./message/history/changes.js";
export { checkHistory, HistoryChecker, type HistoryOptions } from "./message/history/check.js";
export { type RepairOptions, repairHistory } from "./message/history/repair.js";
export { type ConsumeOptions, consumeStream, type DeltaFraming } from "./message/stream.js";
export {
  type ByteSource,
  DEFAULT_LIMIT_BYTES,
  JsonLinesDecoder,
  type RawLine,
  SseDecoder,
  type SseEvent,
} from "./providers/framing/index.js";
export {
  dump,
  type Mode,
  type ReadOptions,
  type ReadResult,
  read,
  readWithFindings,
  toWire,
  unknownMembers,
  validate,
} from "./reading/index.js";
export { rawValue } from "./reading/tolerance.js";
export {
  awaitingApprovalToDenied,
  awaitingApprovalToRunning,
  createAwaitingApproval,
  createCompleted,
  createDenied,
  createError,
  createPending,
  createRunning,
  EMPTY_OUTPUT_PLACEHOLDER,
  type EmptyOutput,
  expire,
  failPending,
  InvalidStateTransition,
  PartValidationError,
  pendingToAwaitingApproval,
  pendingToRunning,
  runningToCompleted,
  runningToError,
  type StateFields,
  transition,
} from "./session/index.js";
