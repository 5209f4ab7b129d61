/** Conversions between families, through messages; what they lose is said as data. */
export { type Finding, PartwireError, ReadError, type Severity, UsageError } from "../errors.js";
export { LOSSES, type LossCode } from "../generated/tables/losses.js";
export { CONVERSIONS, type ConvertOptions, convert, sourceTypes } from "./convert.js";
export { blocksToMessages, messagesToBlocks } from "./families/blocks.js";
export type { Context } from "./families/context.js";
export { BridgeError, type BridgeResult, lossesFor } from "./families/conversion.js";
export {
  responseToToolResult,
  resultToToolResult,
  toolResultToResponse,
  toolResultToResult,
} from "./families/envelope.js";
export { sessionToMessages } from "./families/from-session.js";
export { messagesToSession } from "./families/to-session.js";
export type { Loss, LossSeverity, LossTable } from "./losses.js";
