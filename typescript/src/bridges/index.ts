/** Conversions between families, through messages; what they lose is said as data. */
export { type Finding, PartwireError, ReadError, type Severity, UsageError } from "../errors.js";
export type { Loss, LossSeverity, LossTable } from "../losses.js";
export { blocksToMessages, messagesToBlocks } from "./blocks.js";
export type { Context } from "./context.js";
export { CONVERSIONS, type ConvertOptions, convert, sourceTypes } from "./convert.js";
export { responseToToolResult, resultToToolResult, toolResultToResponse, toolResultToResult } from "./envelope.js";
export { LOSSES, type LossCode, lossesFor } from "./losses.js";
export { sessionToMessages } from "./session.js";
export { messagesToSession } from "./to-session.js";
export { BridgeError, type BridgeResult } from "./work.js";
