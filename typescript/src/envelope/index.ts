/** Queue messages: made whole, read from newer and older peers, and held against each other. */
export type * from "../contract/current/envelope.js";
export { parseAllowedTools, type YamlItem, type YamlReader } from "./allowed-tools.js";
export {
  AttemptsExhausted,
  evaluationRequest,
  evaluationResponse,
  type Fields,
  getContextRequest,
  promptBlocksResponse,
  reportResultRequest,
  retryEvent,
  type Sending,
  taskEvent,
  toolCallRequest,
  toolCallResponse,
  toolResult,
} from "./constructors.js";
export { checkReply, checkToolResults, type Replies, type Typed } from "./correlation.js";
export { type ParseOptions, parse, parseWithFindings, readingVersion, sniff } from "./parse.js";
export {
  decodePromptBlock,
  decodePromptBlocks,
  encodePromptBlock,
  encodePromptBlocks,
  mayBeBase64,
} from "./prompt-blocks.js";
export { MESSAGE_TYPES, type MessageName, type MessageOf, type Named, type Readable } from "./types.js";
