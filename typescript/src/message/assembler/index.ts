/** The assembler alone: what a browser needs to show a stream. */

export type * from "../../contract/current/message.js";
export { Unknown } from "../../contract/unknown.js";
export {
  type Finding,
  PartwireError,
  type Severity,
  StreamProtocolError,
  UsageError,
} from "../../errors.js";
export type { ParseError } from "./arguments.js";
export { type AssemblerInit, type Ending, MessageAssembler, StreamFailed } from "./assembler.js";
export { PartialJson } from "./partial-json.js";
export type { Status } from "./rules.js";
export { DEFAULT_LIMITS, type Limits } from "./rules.js";
export { OpenCall, OpenMedia, PartialValue, type Progress, Snapshot, type ToolCallBuffer } from "./snapshot.js";
