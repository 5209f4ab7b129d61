// Generated from schemas/tables/stream.json. Do not edit: change that, then
// run `python -m codegen`.

/**
 * The stream of deltas: what a delta of each kind does in each status.
 *
 * One table per status. A step is the status that follows, or the rule that such a delta breaks; *
 * is every kind that this version does not know. What else a delta has to keep is in the assembler.
 */

/** The status that follows, or the rule that is broken. */
export type Step = "idle" | "started" | "done" | "error" | "stream/start-expected" | "stream/duplicate-start" | "stream/after-terminal";

/** Before the start. */
export const IDLE: ReadonlyMap<string, Step> = new Map([
  ["start", "started"],
  ["text", "stream/start-expected"],
  ["thinking", "stream/start-expected"],
  ["tool_call_start", "stream/start-expected"],
  ["tool_call_args", "stream/start-expected"],
  ["tool_call_end", "stream/start-expected"],
  ["text_citation", "stream/start-expected"],
  ["server_tool_call_start", "stream/start-expected"],
  ["server_tool_call_args", "stream/start-expected"],
  ["server_tool_call_end", "stream/start-expected"],
  ["server_tool_result", "stream/start-expected"],
  ["approval_request", "stream/start-expected"],
  ["media_start", "stream/start-expected"],
  ["media_data", "stream/start-expected"],
  ["media_end", "stream/start-expected"],
  ["warning", "stream/start-expected"],
  ["usage", "stream/start-expected"],
  ["done", "stream/start-expected"],
  ["error", "stream/start-expected"],
  ["*", "stream/start-expected"],
]);

/** From the start on. */
export const STARTED: ReadonlyMap<string, Step> = new Map([
  ["start", "stream/duplicate-start"],
  ["text", "started"],
  ["thinking", "started"],
  ["tool_call_start", "started"],
  ["tool_call_args", "started"],
  ["tool_call_end", "started"],
  ["text_citation", "started"],
  ["server_tool_call_start", "started"],
  ["server_tool_call_args", "started"],
  ["server_tool_call_end", "started"],
  ["server_tool_result", "started"],
  ["approval_request", "started"],
  ["media_start", "started"],
  ["media_data", "started"],
  ["media_end", "started"],
  ["warning", "started"],
  ["usage", "started"],
  ["done", "done"],
  ["error", "error"],
  ["*", "started"],
]);

/** After done. */
export const DONE: ReadonlyMap<string, Step> = new Map([
  ["start", "stream/after-terminal"],
  ["text", "stream/after-terminal"],
  ["thinking", "stream/after-terminal"],
  ["tool_call_start", "stream/after-terminal"],
  ["tool_call_args", "stream/after-terminal"],
  ["tool_call_end", "stream/after-terminal"],
  ["text_citation", "stream/after-terminal"],
  ["server_tool_call_start", "stream/after-terminal"],
  ["server_tool_call_args", "stream/after-terminal"],
  ["server_tool_call_end", "stream/after-terminal"],
  ["server_tool_result", "stream/after-terminal"],
  ["approval_request", "stream/after-terminal"],
  ["media_start", "stream/after-terminal"],
  ["media_data", "stream/after-terminal"],
  ["media_end", "stream/after-terminal"],
  ["warning", "stream/after-terminal"],
  ["usage", "stream/after-terminal"],
  ["done", "stream/after-terminal"],
  ["error", "stream/after-terminal"],
  ["*", "stream/after-terminal"],
]);

/** After error. */
export const ERROR: ReadonlyMap<string, Step> = new Map([
  ["start", "stream/after-terminal"],
  ["text", "stream/after-terminal"],
  ["thinking", "stream/after-terminal"],
  ["tool_call_start", "stream/after-terminal"],
  ["tool_call_args", "stream/after-terminal"],
  ["tool_call_end", "stream/after-terminal"],
  ["text_citation", "stream/after-terminal"],
  ["server_tool_call_start", "stream/after-terminal"],
  ["server_tool_call_args", "stream/after-terminal"],
  ["server_tool_call_end", "stream/after-terminal"],
  ["server_tool_result", "stream/after-terminal"],
  ["approval_request", "stream/after-terminal"],
  ["media_start", "stream/after-terminal"],
  ["media_data", "stream/after-terminal"],
  ["media_end", "stream/after-terminal"],
  ["warning", "stream/after-terminal"],
  ["usage", "stream/after-terminal"],
  ["done", "stream/after-terminal"],
  ["error", "stream/after-terminal"],
  ["*", "stream/after-terminal"],
]);
