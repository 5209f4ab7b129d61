// Generated from schemas/tables/losses.json. Do not edit: change that, then
// run `python -m codegen`.

/**
 * Losses: what a conversion cannot carry over, by code.
 *
 * The fixtures of the suites bridges, migrations and blocks show each of them.
 */

/**
 * How much a loss is.
 *
 * `lossy`: The source says something that the result does not.
 *
 * `invented`: The result says something that the source does not.
 *
 * `info`: Said in another way, nothing more or less.
 */
export type LossSeverity = "lossy" | "invented" | "info";

/** Bridges between documents: code, then severity and sentence. */
export const LOSSES = {
  "unknown-variant": ["lossy", "A variant that this version does not know is left out"],
  "unknown-member": ["lossy", "A member that its version does not name is left out"],
  "run-id": ["lossy", "The result has no place for the run"],
  "message-id": ["lossy", "The result has no place for the message's id"],
  "turn-id": ["lossy", "The result has no place for the turn"],
  "opaque": ["lossy", "What a provider wants back with the part is left out"],
  "timestamp": ["lossy", "The result has no place for the time"],
  "timestamp-precision": ["lossy", "Times finer than a millisecond are cut"],
  "timestamp-range": ["lossy", "The time is outside of what the result can say"],
  "timestamp-form": ["info", "The same instant is written in UTC"],
  "meta": ["lossy", "The result has no place for this member of meta"],
  "raw-args-text": ["lossy", "The argument text is left out"],
  "run-id-invented": ["invented", "The run is not known, and made up"],
  "timestamp-invented": ["invented", "The time is not known, and taken as the epoch"],
  "given": ["info", "What the source does not say was given by the caller"],
  "ids-made": ["invented", "Ids of the message and its parts are made"],
  "message-id-made": ["invented", "The message has no id; that of the session's is made"],
  "session-id-invented": ["invented", "The session is not known, and made up"],
  "agent-invented": ["invented", "The agent is not known"],
  "model-invented": ["invented", "The model is not known"],
  "path-invented": ["invented", "The folders are not known"],
  "usage-invented": ["invented", "Tokens and cost are not known, and taken as 0"],
  "counts-invented": ["invented", "The tokens of this kind are not known, and taken as 0"],
  "cost-invented": ["invented", "The cost is not known, and taken as 0"],
  "mime-invented": ["invented", "The media type is not known"],
  "usage-total": ["lossy", "The total is not kept apart from input and output"],
  "file-size": ["lossy", "The size of the file is left out"],
  "file-hash": ["lossy", "The hash of the file is left out"],
  "file-kind": ["lossy", "A session tells images from files by media type and URL alone"],
  "system-message": ["lossy", "No user's message follows that could carry the system prompt"],
  "system-parts": ["lossy", "The system prompt becomes one text"],
  "system-time": ["lossy", "The system prompt takes the time of the user's message"],
  "result-without-call": ["lossy", "The result answers no call of the message before it"],
  "result-order": ["lossy", "Results are joined in the order of their calls"],
  "result-layout": ["lossy", "The result becomes one text with files"],
  "result-files": ["lossy", "A failed call has no place for files"],
  "result-empty": ["lossy", "An empty result becomes (no output), as one that says so"],
  "record-misfit": ["lossy", "meta.session does not fit the message, and is left out"],
  "usage-parts": ["lossy", "The count is smaller than the counts that are part of it"],
  "from-record": ["info", "The message does not say this; it is taken from meta.session"],
  "kept-in-meta": ["info", "No part of a message says this; it is kept in meta.session"],
  "ignored-text": ["info", "Text that is not for the model is kept in meta.session alone"],
  "reasoning-apart": ["invented", "Tokens of reasoning are taken as apart from the output"],
  "thinking": ["lossy", "Blocks have no place for reasoning"],
  "file-ref": ["lossy", "Blocks have no place for references to files"],
  "media": ["lossy", "Blocks have no place for media but images"],
  "media-kind": ["lossy", "Media that is an image becomes an image"],
  "result-object": ["lossy", "A result that is an object becomes JSON text"],
  "tool-role": ["lossy", "A message without results looks like a user's"],
  "content-form": ["info", "The same content is written in another form"],
  "image-type": ["lossy", "A message holds images as base64 or as URL alone"],
  "block-role": ["lossy", "A message of this role cannot hold this block"],
  "duplicate-id": ["lossy", "A message cannot hold two calls or results of one id"],
  "call-id": ["lossy", "The call's id is not a UUID; one is made from it"],
  "result-content": ["lossy", "The content looks like another form of it"],
  "result-type": ["lossy", "The type of the result is left out"],
  "tool-id": ["lossy", "The tool's id is left out"],
  "tool-id-invented": ["invented", "The tool's id is not known, and nil"],
  "envelope": ["lossy", "The fields of the envelope are left out"],
  "message-type": ["info", "The response does not say which message it is; one made again does"],
  "envelope-invented": ["invented", "The fields of the envelope are not known, and made up"],
  "error-code-invented": ["invented", "The error's code is not known"],
  "author": ["lossy", "The author of the message is left out"],
  "citation": ["lossy", "Citations of the text are left out"],
  "text-format": ["lossy", "That the text was asked for as JSON is left out"],
  "result-outcome": ["lossy", "Only isError says how the call came out"],
  "result-structured": ["lossy", "The result as data is left out"],
  "server-tool": ["lossy", "What the provider ran itself is left out"],
  "approval": ["lossy", "The approval is left out"],
  "transcript": ["lossy", "The words of the media are left out"],
  "author-as-agent": ["info", "The author is the agent of the session"],
  "approval-order": [
    "lossy",
    "Approvals become part of their calls, and come back right behind them",
  ],
  "outcome-form": ["info", "What isError says is written as an outcome"],
  "error-beside-data": ["lossy", "The data is taken, and the error beside it is left out"],
} as const satisfies Readonly<Record<string, readonly [LossSeverity, string]>>;

/** The keys of {@link LOSSES}. */
export type LossCode = keyof typeof LOSSES;

/** The version that brought a code of a bridge, where that is not the first one. */
export const SINCE: ReadonlyMap<string, string> = new Map([
  ["message-id", "v0.2"],
  ["turn-id", "v0.2"],
  ["opaque", "v0.2"],
  ["message-id-made", "v0.2"],
  ["counts-invented", "v0.2"],
  ["file-hash", "v0.2"],
  ["from-record", "v0.2"],
  ["media", "v0.2"],
  ["media-kind", "v0.2"],
  ["message-type", "v0.2"],
  ["author", "v0.3"],
  ["citation", "v0.3"],
  ["text-format", "v0.3"],
  ["result-outcome", "v0.3"],
  ["result-structured", "v0.3"],
  ["server-tool", "v0.3"],
  ["approval", "v0.3"],
  ["transcript", "v0.3"],
  ["author-as-agent", "v0.3"],
  ["approval-order", "v0.3"],
  ["outcome-form", "v0.3"],
]);

/** Migrations between versions: code, then severity and sentence. */
export const MIGRATION_LOSSES = {
  "unknown-member": ["lossy", "A member that its version does not name is left out"],
  "message-id": ["lossy", "The id of the message is left out"],
  "turn-id": ["lossy", "The id of the turn is left out"],
  "opaque": ["lossy", "Provider state has no place here, and is left out"],
  "opaque-provider": ["lossy", "meta.opaque holds the state of one provider: the first one's"],
  "opaque-form": ["lossy", "Provider state that no adapter wrote has no place in meta.opaque"],
  "opaque-in-meta": ["lossy", "meta.opaque gives way to the state of the parts"],
  "opaque-lifted": ["info", "Read again, the state in meta.opaque is in the parts"],
  "opaque-moved": ["info", "Provider state is in another part than before"],
  "parts-joined": ["info", "Parts that only provider state kept apart are one"],
  "empty-meta": ["info", "An empty meta holds the provider state, and looks like none"],
  "usage-detail": ["lossy", "This count of tokens is left out"],
  "provider-finish-reason": ["lossy", "The provider's own finish reason is left out"],
  "media-as-image": ["info", "The media is an image part"],
  "media-as-file": ["info", "The media is a file_ref part; what it holds is a data: URL"],
  "media-detail": ["lossy", "The part has no place for this member of the media"],
  "assistant-part": [
    "lossy",
    "An assistant's message holds no images and files: it is left out",
  ],
  "message-type": ["info", "The type of the message is not said; its queue tells it"],
  "author": ["lossy", "The author of the message is left out"],
  "citation": ["lossy", "Citations of the text are left out"],
  "text-format": ["lossy", "That the text was asked for as JSON is left out"],
  "result-outcome": ["lossy", "Only isError says how the call came out"],
  "result-structured": ["lossy", "The result as data is left out"],
  "server-tool": ["lossy", "What the provider ran itself is left out"],
  "approval": ["lossy", "The approval is left out"],
  "transcript": ["lossy", "The words of the media are left out"],
  "media": ["lossy", "Media that comes in pieces has no delta here"],
  "warning": ["lossy", "The provider's warning has no delta here"],
  "open-media": ["lossy", "Which media was left open is not said"],
  "message-type-lost": ["lossy", "The type of the message is left out"],
} as const satisfies Readonly<Record<string, readonly [LossSeverity, string]>>;

/** The keys of {@link MIGRATION_LOSSES}. */
export type MigrationCode = keyof typeof MIGRATION_LOSSES;

/** The code for a member that the older version does not name. */
export const MEMBER_CODES: ReadonlyMap<string, string> = new Map([
  ["messageId", "message-id"],
  ["turnId", "turn-id"],
  ["opaque", "opaque"],
  ["providerFinishReason", "provider-finish-reason"],
  ["reasoningTokens", "usage-detail"],
  ["cacheReadTokens", "usage-detail"],
  ["cacheWriteTokens", "usage-detail"],
  ["total", "usage-detail"],
  ["message_type", "message-type"],
  ["author", "author"],
  ["citations", "citation"],
  ["format", "text-format"],
  ["outcome", "result-outcome"],
  ["structured", "result-structured"],
  ["transcript", "transcript"],
  ["approval", "approval"],
  ["openMediaIds", "open-media"],
]);

/** The code for a part or delta of a kind that v0.3 brought, where there is no place for it. */
export const KIND_CODES: ReadonlyMap<string, string> = new Map([
  ["server_tool_call", "server-tool"],
  ["server_tool_result", "server-tool"],
  ["approval_request", "approval"],
  ["approval_response", "approval"],
  ["text_citation", "citation"],
  ["server_tool_call_start", "server-tool"],
  ["server_tool_call_args", "server-tool"],
  ["server_tool_call_end", "server-tool"],
  ["media_start", "media"],
  ["media_data", "media"],
  ["media_end", "media"],
  ["warning", "warning"],
]);

/** Chunks to deltas: code, then severity and sentence. */
export const CHUNK_LOSSES = {
  "block-boundary": ["lossy", "Text of adjacent blocks becomes one part"],
  "unknown-chunk": ["lossy", "A chunk of an unknown type is left out"],
  "unknown-member": ["lossy", "A member that its version does not name is left out"],
  "no-error-code": ["invented", "An error chunk names no code: unknown, not retryable"],
  "no-finish-reason": ["invented", "message_stop names no finish reason: unknown"],
  "no-model-id": ["invented", "Chunks name no model: unknown"],
  "no-request-id": ["invented", "Chunks name no request: unknown"],
  "no-total-tokens": ["invented", "Usage has no total: the sum of input and output"],
  "truncated": ["invented", "The stream stops without its end: an error of our own ends it"],
  "block-end": ["info", "That the last block was closed before the error has no delta"],
  "block-index": ["info", "The block's index is not its place in the content"],
  "empty-block": ["info", "A block without text becomes no part"],
  "empty-delta": ["info", "An empty piece of text becomes no delta"],
  "held-back": ["info", "What came while a block before it was open comes after that block"],
} as const satisfies Readonly<Record<string, readonly [LossSeverity, string]>>;

/** The keys of {@link CHUNK_LOSSES}. */
export type ChunkLossCode = keyof typeof CHUNK_LOSSES;

/** Deltas to chunks: code, then severity and sentence. */
export const DELTA_LOSSES = {
  "arguments-text": [
    "lossy",
    "Argument text that is not a JSON object becomes empty parameters",
  ],
  "cost": ["lossy", "Usage of chunks has no cost"],
  "error-code": ["lossy", "An error chunk has neither code nor retryable"],
  "finish-reason": ["lossy", "message_stop has no finish reason"],
  "message-id": ["lossy", "Chunks have no id of the message"],
  "model-id": ["lossy", "Chunks name no model"],
  "opaque": ["lossy", "Chunks have no place for what a provider wants back"],
  "open-tool-call": ["lossy", "A tool call without its end becomes no chunk"],
  "provider-finish-reason": ["lossy", "message_stop has no finish reason of the provider"],
  "request-id": ["lossy", "Chunks name no request"],
  "run-id": ["lossy", "Chunks name no run"],
  "thinking": ["lossy", "Reasoning has no chunk"],
  "timestamp": ["lossy", "Chunks have no time"],
  "token-counts": ["lossy", "Usage of chunks does not tell tokens of this kind apart"],
  "turn-id": ["lossy", "Chunks name no turn"],
  "unknown-delta": ["lossy", "A delta of an unknown kind is left out"],
  "unknown-member": ["lossy", "A member that its version does not name is left out"],
  "usage": ["lossy", "An error chunk has no usage"],
  "author": ["lossy", "The author of the message is left out"],
  "text-format": ["lossy", "That the text was asked for as JSON is left out"],
  "citation": ["lossy", "Chunks have no place for citations"],
  "server-tool": ["lossy", "What the provider ran itself has no chunk"],
  "approval": ["lossy", "An approval has no chunk"],
  "media": ["lossy", "Media has no chunk"],
  "warning": ["lossy", "A warning has no chunk"],
  "no-error-message": ["invented", "The error has no message: its code takes its place"],
  "no-usage": ["invented", "The stream reports no usage: zero tokens"],
  "truncated": ["invented", "The stream stops without its end: an error of our own ends it"],
  "held-back": ["info", "What came while a call before it was open comes after that call"],
  "provider-raw": ["info", "Raw events, for debugging only, have no chunk"],
} as const satisfies Readonly<Record<string, readonly [LossSeverity, string]>>;

/** The keys of {@link DELTA_LOSSES}. */
export type DeltaLossCode = keyof typeof DELTA_LOSSES;

/** Documents of other formats to messages: code, then severity and sentence. */
export const FORMAT_LOSSES = {
  "run-id-invented": ["invented", "The run is not known, and made up"],
  "timestamp-invented": ["invented", "The times are not known, and taken as the epoch"],
  "given": ["info", "What the source does not say was given by the caller"],
  "request-member": ["lossy", "What the request says beside its messages is left out"],
  "foreign-member": ["lossy", "A message has no place for this member"],
  "foreign-part": ["lossy", "A message has no part for this content"],
  "foreign-message": ["lossy", "A message of this role is left out"],
  "malformed-part": ["lossy", "Content of the answer does not have the form of its type"],
  "content-form": ["lossy", "The content has a simpler form in a message"],
  "mime-invented": ["invented", "The media type is not known"],
  "call-id-invented": [
    "invented",
    "The call has no id here: one is made up, or found by name and order",
  ],
  "role-form": ["info", "The role has another name in a message"],
  "state-form": ["info", "Provider state is written as its adapter writes it"],
  "result-null": ["lossy", "A result that is null becomes the text of it"],
  "tool-name": ["lossy", "The name of the tool is in the call alone"],
  "open-call": ["lossy", "A call that never ended is left out"],
  "file-provider": ["lossy", "Whose name of the file it is, is left out"],
  "mime-beside": ["lossy", "Of two media types the one beside the data is taken"],
  "part-order": ["lossy", "The content stands elsewhere than before"],
  "duplicate-text": ["info", "The source says the same twice"],
  "extension-unread": ["lossy", "The member of partwire does not fit the message beside it"],
  "outcome-form": ["info", "What isError says is written as an outcome"],
  "model-invented": ["invented", "The model and the request are not known, and made up"],
  "preliminary": ["lossy", "A result that a later one replaces is left out"],
  "tool-form": ["info", "That the tool was not known beforehand is left out"],
  "foreign-event": ["lossy", "A message has no place for what this event says"],
  "malformed-event": [
    "lossy",
    "The event does not have the form of its type, or stands where it cannot",
  ],
  "broken-line": ["lossy", "The line is not JSON, or cut off"],
  "branch-left-out": ["lossy", "The line is of a branch that the session has left"],
  "sidechain": [
    "lossy",
    "The line is of a subagent or of a team, not of the session's own talk",
  ],
  "hidden": ["lossy", "What the program adds for itself, or hides from the model, is left out"],
  "part-left-out": ["lossy", "The format has no place for this part"],
  "part-form": ["lossy", "The part is read back in another form"],
  "message-form": ["lossy", "The message is read back as others, or not at all"],
  "model-id": ["lossy", "The format has no place for the model and the request"],
  "usage": ["lossy", "The format has no place for usage"],
  "run-id": ["lossy", "The result has no place for the run"],
  "message-id": ["lossy", "The message's id is left out, or one is made up"],
  "turn-id": ["lossy", "The result has no place for the turn"],
  "author": ["lossy", "The author of the message is left out"],
  "timestamp": ["lossy", "The result has no place for the time"],
  "meta": ["lossy", "The result has no place for this member of meta"],
  "opaque": ["lossy", "What a provider wants back with the part is left out"],
  "citation": ["lossy", "Citations of the text are left out"],
  "text-format": ["lossy", "That the text was asked for as JSON is left out"],
  "result-outcome": ["lossy", "Only isError says how the call came out"],
  "result-structured": ["lossy", "The result as data is left out"],
  "raw-args-text": ["lossy", "The argument text is left out"],
  "transcript": ["lossy", "The words of the media are left out"],
  "losses-left-out": ["info", "More losses of this code are counted only"],
} as const satisfies Readonly<Record<string, readonly [LossSeverity, string]>>;

/** The keys of {@link FORMAT_LOSSES}. */
export type FormatLossCode = keyof typeof FORMAT_LOSSES;
