/** Tool calls of a session from pending to their end, parts, and messages built of them. */

export type * from "../contract/current/session.js";
export { type MakeId, Uuid7Maker, uuid7 } from "../contract/ids.js";
export { EMPTY_OUTPUT_PLACEHOLDER } from "../generated/tables/tool-states.js";
export { type BuilderOptions, WithPartsBuilder } from "./builder.js";
export { InvalidStateTransition, MissingRequiredField, PartValidationError } from "./errors.js";
export {
  createFilePart,
  createReasoningPart,
  createStepFinishPart,
  createStepStartPart,
  createTextPart,
  createToolPart,
  type FileGiven,
  isFilePart,
  isReasoningPart,
  isStepFinishPart,
  isStepStartPart,
  isTextPart,
  isToolPart,
  type PartBase,
  type PartIds,
  type ReasoningGiven,
  type StepGiven,
  type TextGiven,
  type ToolGiven,
  visibleToModel,
} from "./parts.js";
export {
  awaitingApprovalToDenied,
  awaitingApprovalToRunning,
  createAwaitingApproval,
  createCompleted,
  createDenied,
  createError,
  createPending,
  createRunning,
  type EmptyOutput,
  expire,
  failPending,
  pendingToAwaitingApproval,
  pendingToRunning,
  runningToCompleted,
  runningToError,
  type StateFields,
  transition,
} from "./states.js";
export { getRequired, type IdProfile, type PartOptions, requirePart, validatePart } from "./validation.js";
