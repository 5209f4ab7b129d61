/**
 * One contract for messages of language models: types, validators, the assembler of streams, tool
 * states and history checks.
 */
export * from "./assembler.js";
export { canonical } from "./canonical.js";
export { LATEST_VERSION, type Latest, type TypeName, VERSIONS, type Version, type Versions } from "./catalog.js";
export { stringify } from "./digits.js";
export { decodeJson, MAX_DEPTH } from "./documents.js";
export { FramingError, ReadError, WriteError } from "./errors.js";
export {
  DEFAULT_LIMIT_BYTES,
  JsonLinesDecoder,
  type RawLine,
  SseDecoder,
  type SseEvent,
} from "./framing/index.js";
export type { blocks, envelope, message, session } from "./generated/v0_2/index.js";
export * from "./generated/v0_2/vocabulary.js";
export type { JsonObject, JsonValue } from "./json.js";
export { type AssembleOptions, assemble, assembleAsync, type DeltaItem, readDelta } from "./message/assemble.js";
export { checkHistory, HistoryChecker, type HistoryOptions } from "./message/history.js";
export {
  type HistoryChange,
  REPAIRS,
  type RepairOptions,
  type RepairResult,
  repairHistory,
} from "./message/history-repair.js";
export { rawValue } from "./raw.js";
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
} from "./reading.js";
export {
  createCompleted,
  createError,
  createPending,
  createRunning,
  EMPTY_OUTPUT_PLACEHOLDER,
  type EmptyOutput,
  expire,
  failPending,
  InvalidStateTransition,
  PartValidationError,
  pendingToRunning,
  runningToCompleted,
  runningToError,
  type StateFields,
  transition,
} from "./session/index.js";
