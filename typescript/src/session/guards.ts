/** Which part this is: type guards for both branches. Source: requirements S002-37. */

import type { Unknown } from "../contract/unknown.js";
import type {
  FilePart,
  Part,
  ReasoningPart,
  StepFinishPart,
  StepStartPart,
  TextPart,
  ToolPart,
} from "../generated/v0_2/session.js";
import { isObject, own } from "../json/values.js";

const isOf = (part: unknown, type: Part["type"]): boolean => isObject(part) && own(part, "type") === type;

export const isTextPart = (part: unknown): part is TextPart => isOf(part, "text");
export const isReasoningPart = (part: unknown): part is ReasoningPart => isOf(part, "reasoning");
export const isToolPart = (part: unknown): part is ToolPart => isOf(part, "tool");
export const isStepStartPart = (part: unknown): part is StepStartPart => isOf(part, "step-start");
export const isStepFinishPart = (part: unknown): part is StepFinishPart => isOf(part, "step-finish");
export const isFilePart = (part: unknown): part is FilePart => isOf(part, "file");

/**
 * Returns the parts in order, without text parts that are `ignored`. Parts of a type that this
 * version does not know stay. Source: requirements S002-67, S002-68.
 */
export function visibleToModel<P extends Part | Unknown>(parts: Iterable<P>): P[] {
  return [...parts].filter((part) => !(isTextPart(part) && part.ignored === true));
}
