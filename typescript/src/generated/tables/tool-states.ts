// Generated from schemas/tables/tool-states.json. Do not edit: change that, then
// run `python -m codegen`.

/**
 * Tool states: what a move to each of them takes.
 *
 * Which moves there are says the session schema; fields are named as in documents.
 */

/** What a move to one status takes. */
export interface StateRow {
  /** The fields that may be given. */
  readonly takes: ReadonlyArray<string>;
  /** The fields that are to be given, in the order in which their absence is reported. */
  readonly needs: ReadonlyArray<string>;
  /** The members that may change while the status stays. */
  readonly mayChange: ReadonlyArray<string>;
}

/** Status, then what a move to it takes. */
export const STATES: ReadonlyMap<string, StateRow> = new Map([
  ["pending", { takes: ["input", "raw"], needs: [], mayChange: [] }],
  ["awaiting_approval", {
    takes: ["approval", "metadata"],
    needs: ["approval"],
    mayChange: ["metadata"],
  }],
  ["running", {
    takes: ["start", "title", "metadata", "approval"],
    needs: ["start"],
    mayChange: ["title", "metadata"],
  }],
  ["completed", {
    takes: ["output", "end", "title", "tool", "metadata", "attachments", "emptyOutput"],
    needs: ["output", "end"],
    mayChange: [],
  }],
  ["error", { takes: ["error", "end", "metadata"], needs: ["error", "end"], mayChange: [] }],
  ["denied", { takes: ["approval", "error", "metadata"], needs: ["approval"], mayChange: [] }],
]);

/** What replaces an empty output where that is asked for. */
export const EMPTY_OUTPUT_PLACEHOLDER: string = "(no output)";

/** The error of a denied call that says none, where an error has to be said. */
export const DENIED_PLACEHOLDER: string = "The call was not approved.";
