// Generated from schemas/tables/provider-names.json. Do not edit: change that, then
// run `python -m codegen`.

//! Names of providers: events, members and items that adapters and encoders tell apart.
//!
//! What is done with each, the code of the provider says.

/// Types of events; one may be the name that its framing gives it.
pub const ANTHROPIC_EVENTS: &[&str] = &[
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "ping",
    "error",
];

/// Blocks of calls that Anthropic executes itself.
pub const ANTHROPIC_SERVER_CALLS: &[&str] = &["server_tool_use", "mcp_tool_use"];

/// Kinds of state that a response says about itself: neither a block, nor what a request takes.
pub const ANTHROPIC_RESPONSE_ONLY: &[&str] = &[
    "stop_sequence",
    "stop_details",
    "container",
    "citation",
    "tool_use",
    "unknown",
];

/// Members of events, and the names that their framing gives them.
pub const BEDROCK_EVENTS: &[&str] = &[
    "messageStart",
    "contentBlockStart",
    "contentBlockDelta",
    "contentBlockStop",
    "messageStop",
    "metadata",
];

/// Members of events that say nothing that a message holds.
pub const BEDROCK_IGNORED: &[&str] = &[
    "amazon-bedrock-guardrailAction",
    "amazon-bedrock-trace",
    "p",
];

/// Kinds of state that a response says about itself.
pub const BEDROCK_RESPONSE_ONLY: &[&str] = &[
    "additionalModelResponseFields",
    "citation",
    "unknown",
];

/// Finish reasons that are failures.
pub const COHERE_FAILED: &[&str] = &["ERROR", "ERROR_TOXIC", "TIMEOUT", "USER_CANCEL"];

/// Members of events, of which each has one.
pub const GEMINI_EVENTS: &[&str] = &[
    "candidates",
    "promptFeedback",
    "usageMetadata",
    "modelVersion",
    "responseId",
    "createTime",
];

/// Those whose snake case shows that all names of a stream are in it.
pub const GEMINI_SNAKE_CASE: &[&str] = &[
    "prompt_feedback",
    "usage_metadata",
    "model_version",
    "response_id",
];

/// Reasons that say nothing; Google AI and Vertex AI spell the last one differently.
pub const GEMINI_UNSPECIFIED: &[&str] = &[
    "",
    "FINISH_REASON_UNSPECIFIED",
    "BLOCK_REASON_UNSPECIFIED",
    "BLOCKED_REASON_UNSPECIFIED",
];

/// Members of a candidate that belong to the answer as a whole, or to the next request.
pub const GEMINI_STATE: &[&str] = &[
    "citationMetadata",
    "groundingMetadata",
    "urlContextMetadata",
    "finishMessage",
    "continuationToken",
];

/// Parts of calls that Gemini executes itself, and what came of them.
pub const GEMINI_SERVER_PARTS: &[&str] = &[
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
];

/// Those of them that are calls.
pub const GEMINI_SERVER_CALLS: &[&str] = &["executableCode", "toolCall"];

/// How a call that Gemini executed came out → ours; nothing where it does not say.
pub const GEMINI_OUTCOMES: &[(&str, &str)] = &[
    ("OUTCOME_UNSPECIFIED", ""),
    ("OUTCOME_OK", "success"),
    ("OUTCOME_FAILED", "error"),
    ("OUTCOME_DEADLINE_EXCEEDED", "timeout"),
];

/// Parts of media.
pub const GEMINI_MEDIA: &[&str] = &["inlineData", "fileData"];

/// Members of a part that say something about its content, and text.
pub const GEMINI_BESIDE: &[&str] = &[
    "text",
    "thoughtSignature",
    "partMetadata",
    "videoMetadata",
    "mediaResolution",
];

/// What a request may say beside the text or the call of a part.
pub const GEMINI_REQUEST_MEMBERS: &[&str] = &[
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

/// Members of a chunk of Chat Completions: one of the dialect carries one of these, even with no
/// choices.
pub const CHAT_CHUNKS: &[&str] = &[
    "choices",
    "usage",
    "x_groq",
    "prompt_filter_results",
    "citations",
];

/// Members of a chunk that are a vendor's own and belong to the answer as a whole.
pub const CHAT_CHUNK_STATE: &[&str] = &["citations", "search_results"];

/// Finish reasons that some servers send for "not yet".
pub const CHAT_UNFINISHED: &[&str] = &["", "null", "None"];

/// Item of a call of the caller's tools → the member that holds its arguments.
pub const RESPONSES_CALLS: &[(&str, &str)] = &[
    ("function_call", "arguments"),
    ("custom_tool_call", "input"),
];

/// Items of calls that the caller executes.
pub const RESPONSES_CLIENT_ITEMS: &[&str] = &[
    "computer_call",
    "local_shell_call",
    "apply_patch_call",
    "mcp_approval_request",
];

/// What the type of an item ends with that OpenAI executes itself; a vendor's own has a colon.
pub const RESPONSES_SERVER_ENDINGS: &[&str] = &["_call", "_output", "mcp_list_tools", "program"];

/// Items that are the provider's own: nothing that a reader misses.
pub const RESPONSES_BOOKKEEPING: &[&str] = &[
    "compaction",
    "compaction_summary",
    "additional_tools",
];

/// Items that go back with their encrypted content, unless the provider keeps the response.
pub const RESPONSES_SEALED: &[&str] = &["reasoning", "compaction", "compaction_summary"];

/// What xAI searches on X: it comes as custom tool calls, which the caller never declared.
pub const RESPONSES_XAI_TOOLS: &[&str] = &[
    "x_keyword_search",
    "x_semantic_search",
    "x_thread_fetch",
    "x_user_search",
];

/// Call of a built-in tool → the item of its output, which has the call's id.
pub const RESPONSES_PAIRED: &[(&str, &str)] = &[
    ("computer_call", "computer_call_output"),
    ("local_shell_call", "local_shell_call_output"),
    ("shell_call", "shell_call_output"),
    ("apply_patch_call", "apply_patch_call_output"),
    ("tool_search_call", "tool_search_output"),
    ("program", "program_output"),
];

/// Item of a call that OpenAI executes itself → the member that holds its arguments.
pub const RESPONSES_SERVER_CALLS: &[(&str, &str)] = &[
    ("web_search_call", "action"),
    ("file_search_call", "queries"),
    ("code_interpreter_call", "code"),
    ("tool_search_call", "arguments"),
    ("shell_call", "action"),
    ("program", "code"),
    ("mcp_call", "arguments"),
    ("mcp_approval_request", "arguments"),
];

/// Item that holds what such a call gave → the member that does; that of a search is in its action.
pub const RESPONSES_SERVER_RESULTS: &[(&str, &str)] = &[
    ("web_search_call", "sources"),
    ("file_search_call", "results"),
    ("code_interpreter_call", "outputs"),
    ("mcp_call", "output"),
    ("tool_search_output", "tools"),
    ("shell_call_output", "output"),
    ("program_output", "result"),
];

/// Kinds of state that a response says to readers, or that an adapter could make nothing of.
pub const RESPONSES_RESPONSE_ONLY: &[&str] = &["audio", "content_part", "unnamed_tool_call"];
