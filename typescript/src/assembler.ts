/** The assembler alone: what a browser needs to show a stream. */
export {
  type Finding,
  PartwireError,
  type Severity,
  StreamProtocolError,
  UsageError,
} from "./errors.js";
export type * from "./generated/v0_2/message.js";
export type { ParseError } from "./message/arguments.js";
export { type AssemblerInit, type Ending, MessageAssembler, StreamFailed } from "./message/assembler.js";
export type { Status } from "./message/delta-checks.js";
export { DEFAULT_LIMITS, type Limits } from "./message/limits.js";
export { PartialJson } from "./message/partial-json.js";
export { OpenCall, type Progress, Snapshot, type ToolCallBuffer } from "./message/snapshot.js";
export { Unknown } from "./unknown.js";
