/** Builders of messages and parts, and streams of providers, with ids and times by default. */

export { now } from "../contract/clock.js";
export { newId } from "../contract/ids.js";
export { type AdaptOptions, adapt } from "./adapt.js";
export {
  type AssistantContent,
  assistant,
  type MessageFields,
  type ResultContent,
  type SystemContent,
  system,
  text,
  tool,
  toolCall,
  toolResult,
  type UserContent,
  user,
} from "./messages.js";
