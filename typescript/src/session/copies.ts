/** Values that belong to their maker: checked, and copied down to the last member. */

import { type Binding, bind, type Verdict } from "../contract/binding.js";
import { data, verdicts } from "../contract/current/session.checks.js";
import { ReadError, WriteError } from "../errors.js";
import { plainValue, written } from "../reading/checks.js";
import { PartValidationError } from "./errors.js";

// Of the validators, the session's alone come with this entry.
const bound = (name: string): Binding => bind(name, data, verdicts[name] as Verdict);

export const STATE = bound("ToolState");
export const PART = bound("Part");
export const WITH_PARTS = bound("WithParts");

/** Returns a copy of a value that is valid and shares nothing; throws PartValidationError. */
export function owned<T>(binding: Binding, value: unknown): T {
  try {
    return structuredClone(written(binding, value)) as T;
  } catch (error) {
    if (error instanceof WriteError) throw new PartValidationError(error.findings);
    throw error;
  }
}

/**
 * Returns a copy of what need not be valid, as a JSON value; throws PartValidationError for what has
 * no end.
 */
export function copied(value: unknown): unknown {
  try {
    return plainValue(value);
  } catch (error) {
    if (error instanceof ReadError) throw new PartValidationError(error.findings);
    throw error;
  }
}

/** Returns the members that are not absent. */
export function present(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
