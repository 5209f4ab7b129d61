// Generated from schemas/tables/provider-names.json. Do not edit: change that, then
// run `python -m codegen`.

/**
 * Names of providers: events, members and items that adapters and encoders tell apart.
 *
 * What is done with each, the code of the provider says.
 */

/** Types of events; one may be the name that its framing gives it. */
export const ANTHROPIC_EVENTS: ReadonlyArray<string> = [
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
  "ping",
  "error",
];

/** Blocks of calls that Anthropic executes itself. */
export const ANTHROPIC_SERVER_CALLS: ReadonlyArray<string> = ["server_tool_use", "mcp_tool_use"];

/** Kinds of state that a response says about itself: neither a block, nor what a request takes. */
export const ANTHROPIC_RESPONSE_ONLY: ReadonlyArray<string> = [
  "stop_sequence",
  "stop_details",
  "container",
  "citation",
  "tool_use",
  "unknown",
];

/** Members of events, and the names that their framing gives them. */
export const BEDROCK_EVENTS: ReadonlyArray<string> = [
  "messageStart",
  "contentBlockStart",
  "contentBlockDelta",
  "contentBlockStop",
  "messageStop",
  "metadata",
];

/** Members of events that say nothing that a message holds. */
export const BEDROCK_IGNORED: ReadonlyArray<string> = [
  "amazon-bedrock-guardrailAction",
  "amazon-bedrock-trace",
  "p",
];

/** Kinds of state that a response says about itself. */
export const BEDROCK_RESPONSE_ONLY: ReadonlyArray<string> = [
  "additionalModelResponseFields",
  "citation",
  "unknown",
];

/** Finish reasons that are failures. */
export const COHERE_FAILED: ReadonlyArray<string> = [
  "ERROR",
  "ERROR_TOXIC",
  "TIMEOUT",
  "USER_CANCEL",
];

/** Members of events, of which each has one. */
export const GEMINI_EVENTS: ReadonlyArray<string> = [
  "candidates",
  "promptFeedback",
  "usageMetadata",
  "modelVersion",
  "responseId",
  "createTime",
];

/** Those whose snake case shows that all names of a stream are in it. */
export const GEMINI_SNAKE_CASE: ReadonlyArray<string> = [
  "prompt_feedback",
  "usage_metadata",
  "model_version",
  "response_id",
];

/** Reasons that say nothing; Google AI and Vertex AI spell the last one differently. */
export const GEMINI_UNSPECIFIED: ReadonlyArray<string> = [
  "",
  "FINISH_REASON_UNSPECIFIED",
  "BLOCK_REASON_UNSPECIFIED",
  "BLOCKED_REASON_UNSPECIFIED",
];

/** Members of a candidate that belong to the answer as a whole, or to the next request. */
export const GEMINI_STATE: ReadonlyArray<string> = [
  "citationMetadata",
  "groundingMetadata",
  "urlContextMetadata",
  "finishMessage",
  "continuationToken",
];

/** Parts of calls that Gemini executes itself, and what came of them. */
export const GEMINI_SERVER_PARTS: ReadonlyArray<string> = [
  "executableCode",
  "codeExecutionResult",
  "toolCall",
  "toolResponse",
];

/** Those of them that are calls. */
export const GEMINI_SERVER_CALLS: ReadonlyArray<string> = ["executableCode", "toolCall"];

/** How a call that Gemini executed came out → ours; nothing where it does not say. */
export const GEMINI_OUTCOMES: ReadonlyMap<string, string> = new Map([
  ["OUTCOME_UNSPECIFIED", ""],
  ["OUTCOME_OK", "success"],
  ["OUTCOME_FAILED", "error"],
  ["OUTCOME_DEADLINE_EXCEEDED", "timeout"],
]);

/** Parts of media. */
export const GEMINI_MEDIA: ReadonlyArray<string> = ["inlineData", "fileData"];

/** Members of a part that say something about its content, and text. */
export const GEMINI_BESIDE: ReadonlyArray<string> = [
  "text",
  "thoughtSignature",
  "partMetadata",
  "videoMetadata",
  "mediaResolution",
];

/** What a request may say beside the text or the call of a part. */
export const GEMINI_REQUEST_MEMBERS: ReadonlyArray<string> = [
  "thoughtSignature",
  "partMetadata",
  "mediaResolution",
  "mediaProcessing",
  "videoMetadata",
  "audioMetadata",
  "speechMetadata",
  "documentMetadata",
  "spreadsheetMetadata",
];

/**
 * Members of a chunk of Chat Completions: one of the dialect carries one of these, even with no
 * choices.
 */
export const CHAT_CHUNKS: ReadonlyArray<string> = [
  "choices",
  "usage",
  "x_groq",
  "prompt_filter_results",
  "citations",
];

/** Members of a chunk that are a vendor's own and belong to the answer as a whole. */
export const CHAT_CHUNK_STATE: ReadonlyArray<string> = ["citations", "search_results"];

/** Finish reasons that some servers send for "not yet". */
export const CHAT_UNFINISHED: ReadonlyArray<string> = ["", "null", "None"];

/** Item of a call of the caller's tools → the member that holds its arguments. */
export const RESPONSES_CALLS: ReadonlyMap<string, string> = new Map([
  ["function_call", "arguments"],
  ["custom_tool_call", "input"],
]);

/** Items of calls that the caller executes. */
export const RESPONSES_CLIENT_ITEMS: ReadonlyArray<string> = [
  "computer_call",
  "local_shell_call",
  "apply_patch_call",
  "mcp_approval_request",
];

/** What the type of an item ends with that OpenAI executes itself; a vendor's own has a colon. */
export const RESPONSES_SERVER_ENDINGS: ReadonlyArray<string> = [
  "_call",
  "_output",
  "mcp_list_tools",
  "program",
];

/** Items that are the provider's own: nothing that a reader misses. */
export const RESPONSES_BOOKKEEPING: ReadonlyArray<string> = [
  "compaction",
  "compaction_summary",
  "additional_tools",
];

/** Items that go back with their encrypted content, unless the provider keeps the response. */
export const RESPONSES_SEALED: ReadonlyArray<string> = [
  "reasoning",
  "compaction",
  "compaction_summary",
];

/** What xAI searches on X: it comes as custom tool calls, which the caller never declared. */
export const RESPONSES_XAI_TOOLS: ReadonlyArray<string> = [
  "x_keyword_search",
  "x_semantic_search",
  "x_thread_fetch",
  "x_user_search",
];

/** Call of a built-in tool → the item of its output, which has the call's id. */
export const RESPONSES_PAIRED: ReadonlyMap<string, string> = new Map([
  ["computer_call", "computer_call_output"],
  ["local_shell_call", "local_shell_call_output"],
  ["shell_call", "shell_call_output"],
  ["apply_patch_call", "apply_patch_call_output"],
  ["tool_search_call", "tool_search_output"],
  ["program", "program_output"],
]);

/** Item of a call that OpenAI executes itself → the member that holds its arguments. */
export const RESPONSES_SERVER_CALLS: ReadonlyMap<string, string> = new Map([
  ["web_search_call", "action"],
  ["file_search_call", "queries"],
  ["code_interpreter_call", "code"],
  ["tool_search_call", "arguments"],
  ["shell_call", "action"],
  ["program", "code"],
  ["mcp_call", "arguments"],
  ["mcp_approval_request", "arguments"],
]);

/**
 * Item that holds what such a call gave → the member that does; that of a search is in its action.
 */
export const RESPONSES_SERVER_RESULTS: ReadonlyMap<string, string> = new Map([
  ["web_search_call", "sources"],
  ["file_search_call", "results"],
  ["code_interpreter_call", "outputs"],
  ["mcp_call", "output"],
  ["tool_search_output", "tools"],
  ["shell_call_output", "output"],
  ["program_output", "result"],
]);

/** Kinds of state that a response says to readers, or that an adapter could make nothing of. */
export const RESPONSES_RESPONSE_ONLY: ReadonlyArray<string> = [
  "audio",
  "content_part",
  "unnamed_tool_call",
];
