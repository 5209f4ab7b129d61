/** The errors of tool states. */

import { TRANSITIONS } from "../contract/current/index.js";
import type { InvalidStateTransitionError, ToolStatus } from "../contract/current/session.js";
import { clip, errorAt, type Finding, PartwireError } from "../errors.js";
import { printable } from "../json/text.js";
import { own } from "../json/values.js";

const TABLE = TRANSITIONS["session.ToolState"] ?? {};

/** Returns the states that may follow a state. */
export function followers(status: string): readonly string[] {
  return (own(TABLE, status) as readonly string[] | undefined) ?? [];
}

/** A part, a state or a message that is not valid; `findings` are its errors. */
export class PartValidationError extends PartwireError {}

/**
 * A state that may not follow; the state that there is stays as it is. Both statuses are the same
 * where a state was to get other content.
 */
export class InvalidStateTransition extends PartwireError {
  constructor(
    finding: Finding,
    /** The status that there is. */
    readonly current: ToolStatus,
    /** The status that was asked for. */
    readonly attempted: string,
  ) {
    super(finding);
  }

  /** Returns the error as the document that is sent. */
  toDocument(): InvalidStateTransitionError {
    return {
      name: "InvalidStateTransition",
      message: this.findings[0].message,
      details: {
        currentStatus: this.current,
        attemptedStatus: printable(this.attempted),
        validTransitions: [...followers(this.current)] as ToolStatus[],
      },
    };
  }
}

export function notAllowed(current: ToolStatus, to: string): InvalidStateTransition {
  const expected = followers(current).join(", ") || "no other state";
  const message = `A call that is ${current} cannot become ${clip(to)}`;
  const finding = errorAt("/status", "session/invalid-transition", message, expected, clip(to));
  return new InvalidStateTransition(finding, current, to);
}

export function stateChanged(current: ToolStatus, member: string): InvalidStateTransition {
  const message = `A call that is ${current} already has another ${member}`;
  const finding = errorAt(`/${member}`, "session/state-changed", message, "the same content");
  return new InvalidStateTransition(finding, current, current);
}

/** Returns the error for a call that is to run without a yes, or to be denied with one. */
export function undecided(current: ToolStatus, to: string, decision: string | undefined): InvalidStateTransition {
  const message = "A call that needs approval runs once it is approved, and is denied otherwise";
  const expected = to === "running" ? "approved" : "another decision than approved";
  const actual = decision === undefined ? undefined : clip(decision);
  const finding = errorAt("/approval/decision", "session/invalid-transition", message, expected, actual);
  return new InvalidStateTransition(finding, current, to);
}

/** Returns the error for a call that runs, where one is wanted that has not begun. */
export function begunAlready(): InvalidStateTransition {
  const message = "A call that is running has begun already: it is no longer pending";
  const finding = errorAt("/time", "session/state-changed", message, "a call that is pending");
  return new InvalidStateTransition(finding, "running", "running");
}

/** A part lacks `field`; passed to the `report` of getRequired. */
export class MissingRequiredField extends PartwireError {
  constructor(
    finding: Finding,
    readonly field: string,
  ) {
    super(finding);
  }
}
