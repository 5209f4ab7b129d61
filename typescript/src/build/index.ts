/** Builders of messages and parts, and streams of providers, with ids and times by default. */

export { now } from "../contract/clock.js";
export { newId } from "../contract/ids.js";
export { type AdaptOptions, adapt } from "./adapt.js";
export {
  type AssistantContent,
  approvalRequest,
  approvalResponse,
  assistant,
  type MessageFields,
  media,
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
} from "./messages.js";
