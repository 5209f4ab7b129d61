/** Tool calls of a session, from pending to their end. */
export type * from "../generated/v0_2/session.js";
export { InvalidStateTransition, PartValidationError } from "./errors.js";
export {
  createCompleted,
  createError,
  createPending,
  createRunning,
  EMPTY_OUTPUT_PLACEHOLDER,
  type EmptyOutput,
  expire,
  failPending,
  type StateFields,
  transition,
} from "./tool-state.js";
