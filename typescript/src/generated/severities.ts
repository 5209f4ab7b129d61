// Generated from schemas/rules/. Do not edit: change those, then run `python -m codegen`.

/** The severities of the rules `adapter/…`. */
export const ADAPTER = {
  "adapter/after-end": "warning",
  "adapter/block-order": "warning",
  "adapter/contradictory-usage": "warning",
  "adapter/cumulative-arguments": "warning",
  "adapter/incomplete-usage": "warning",
  "adapter/invalid-event": "warning",
  "adapter/lone-surrogate": "warning",
  "adapter/minted-id": "info",
  "adapter/other-choice": "info",
  "adapter/server-tool-call": "info",
  "adapter/spliced-message": "error",
  "adapter/text-mismatch": "warning",
  "adapter/tool-call-mismatch": "warning",
  "adapter/unknown-event": "warning",
  "adapter/unknown-finish-reason": "warning",
  "adapter/unknown-media-type": "info",
  "adapter/unnamed-tool-call": "error",
  "adapter/unsupported-content": "warning",
  "adapter/whole-body": "info",
  "adapter/wrong-dialect": "error",
} as const;

/** The severities of the rules `blocks/…` that are not errors. */
export const BLOCKS = {
  "blocks/unknown-chunk": "warning",
} as const;

/** The severities of the rules `encode/…`. */
export const ENCODE = {
  "encode/approval-arguments": "warning",
  "encode/approval-left-out": "info",
  "encode/arguments-lost": "warning",
  "encode/author-left-out": "info",
  "encode/citation-left-out": "info",
  "encode/config-conflict": "warning",
  "encode/dangling-state": "warning",
  "encode/default-max-tokens": "info",
  "encode/empty-message": "info",
  "encode/empty-text": "info",
  "encode/foreign-state": "info",
  "encode/malformed-state": "warning",
  "encode/moved-system": "info",
  "encode/moved-tool-result": "info",
  "encode/orphan-tool-result": "warning",
  "encode/renamed-author": "info",
  "encode/renamed-tool": "info",
  "encode/renamed-tool-call": "info",
  "encode/repeated-state": "warning",
  "encode/response-only-state": "info",
  "encode/server-tool-as-text": "warning",
  "encode/stand-in-tool": "warning",
  "encode/system-prompt-twice": "warning",
  "encode/thinking-left-out": "info",
  "encode/transcript-as-text": "info",
  "encode/unsupported-config": "warning",
  "encode/unsupported-part": "warning",
  "encode/unsupported-tool": "warning",
  "encode/wide-integer": "warning",
} as const;

/** The severities of the rules `envelope/…` that are not errors. */
export const ENVELOPE = {
  "envelope/duplicate-invocation": "warning",
  "envelope/newer-version": "info",
  "envelope/retry-count": "warning",
  "envelope/trace-mismatch": "warning",
  "envelope/unanswered-invocation": "warning",
} as const;

/** The severities of the rules `history/…` that are not errors. */
export const HISTORY = {
  "history/late-tool-result": "warning",
  "history/outcome-contradicts": "warning",
  "history/result-order": "info",
  "history/unanswered-server-call": "info",
  "history/unapproved-result": "warning",
  "history/unknown-choice": "warning",
  "history/unknown-decision": "warning",
} as const;

/** The severities of the rules `read/…` that are not errors. */
export const READ = {
  "read/null-as-absent": "warning",
  "read/unknown-enum-value": "warning",
  "read/unknown-variant": "warning",
} as const;

/** The severities of the rules `session/…` that are not errors. */
export const SESSION = {
  "session/part-message-id": "warning",
  "session/part-session-id": "warning",
  "session/placeholder-output": "warning",
  "session/range-order": "warning",
  "session/time-order": "warning",
} as const;

/** The severities of the rules `stream/…` that are not errors. */
export const STREAM = {
  "stream/unknown-delta-kind": "warning",
} as const;
