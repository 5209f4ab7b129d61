// Generated from schemas/tables/provider-errors.json. Do not edit: change that, then
// run `python -m codegen`.

/**
 * Errors of providers: what each vendor says, and the contract's error code for it.
 *
 * A name is looked up by its first 100 characters, in lower case, with "-", " " and "." as "_",
 * without "exception" and then any "_" at its end; if that is not in the table, without "error" and
 * then one "_" at its end, too.
 */

/** A known value of the contract's error codes. */
export type Code = "authentication" | "permission_denied" | "not_found" | "invalid_request" | "context_length_exceeded" | "rate_limited" | "quota_exceeded" | "overloaded" | "timeout" | "connection" | "content_filtered" | "provider_internal" | "truncated_stream" | "cancelled" | "unknown";

/** Words that say what an error is. */
export interface Phrase {
  /** In lower case. */
  readonly words: string;
  readonly code: Code;
}

/** Whether the same request may succeed later, by error code. */
export const RETRYABLE: ReadonlyMap<string, boolean> = new Map([
  ["authentication", false],
  ["permission_denied", false],
  ["not_found", false],
  ["invalid_request", false],
  ["context_length_exceeded", false],
  ["rate_limited", true],
  ["quota_exceeded", false],
  ["overloaded", true],
  ["timeout", true],
  ["connection", true],
  ["content_filtered", false],
  ["provider_internal", true],
  ["truncated_stream", true],
  ["cancelled", false],
  ["unknown", false],
]);

/** Codes that say too little: the words of the message are asked, too. */
export const VAGUE: ReadonlyArray<Code> = [
  "invalid_request",
  "provider_internal",
  "rate_limited",
  "unknown",
];

/** Vendor, or what such errors are of → its names → the code. A name is in one group alone. */
export const NAMES: ReadonlyMap<string, ReadonlyMap<string, Code>> = new Map([
  ["several", new Map([
    ["authentication", "authentication"],
    ["invalid_api_key", "authentication"],
    ["incorrect_api_key", "authentication"],
    ["unauthorized", "authentication"],
    ["billing", "quota_exceeded"],
    ["insufficient_quota", "quota_exceeded"],
    ["insufficient_balance", "quota_exceeded"],
    ["insufficient_credits", "quota_exceeded"],
    ["billing_hard_limit_reached", "quota_exceeded"],
    ["quota_exceeded", "quota_exceeded"],
    ["payment_required", "quota_exceeded"],
    ["permission", "permission_denied"],
    ["permission_denied", "permission_denied"],
    ["forbidden", "permission_denied"],
    ["access_denied", "permission_denied"],
    ["not_found", "not_found"],
    ["model_not_found", "not_found"],
    ["deployment_not_found", "not_found"],
    ["deploymentnotfound", "not_found"],
    ["notfound", "not_found"],
    ["context_length_exceeded", "context_length_exceeded"],
    ["context_window_exceeded", "context_length_exceeded"],
    ["error_limit", "context_length_exceeded"],
    ["string_above_max_length", "context_length_exceeded"],
    ["request_too_large", "invalid_request"],
    ["rate_limit", "rate_limited"],
    ["rate_limited", "rate_limited"],
    ["rate_limit_exceeded", "rate_limited"],
    ["ratelimit", "rate_limited"],
    ["ratelimitreached", "rate_limited"],
    ["too_many_requests", "rate_limited"],
    ["throttling", "rate_limited"],
    ["overloaded", "overloaded"],
    ["engine_overloaded", "overloaded"],
    ["service_unavailable", "overloaded"],
    ["serviceunavailable", "overloaded"],
    ["capacity_exceeded", "overloaded"],
    ["service_tier_capacity_exceeded", "overloaded"],
    ["timeout", "timeout"],
    ["request_timeout", "timeout"],
    ["gateway_timeout", "timeout"],
    ["connection", "connection"],
    ["api_connection", "connection"],
    ["network", "connection"],
    ["content_filter", "content_filtered"],
    ["content_filtered", "content_filtered"],
    ["content_policy_violation", "content_filtered"],
    ["responsibleaipolicyviolation", "content_filtered"],
    ["data_inspection_failed", "content_filtered"],
    ["moderation", "content_filtered"],
    ["safety", "content_filtered"],
    ["error_toxic", "content_filtered"],
    ["cancelled", "cancelled"],
    ["canceled", "cancelled"],
    ["user_cancel", "cancelled"],
    ["request_cancelled", "cancelled"],
    ["api", "provider_internal"],
    ["server", "provider_internal"],
    ["internal", "provider_internal"],
    ["internal_server", "provider_internal"],
    ["internalserver", "provider_internal"],
    ["provider", "provider_internal"],
    ["upstream", "provider_internal"],
    ["invalid_request", "invalid_request"],
    ["bad_request", "invalid_request"],
    ["badrequest", "invalid_request"],
    ["invalid_parameter", "invalid_request"],
    ["invalidparameter", "invalid_request"],
    ["unprocessable_entity", "invalid_request"],
    ["validation", "invalid_request"],
  ])],
  ["Anthropic", new Map([
    ["contract_spend_limit_reached", "quota_exceeded"],
    ["enforced_spend_limit_reached", "quota_exceeded"],
    ["linked_organization_spend_limit_reached", "quota_exceeded"],
    ["organization_on_hold", "permission_denied"],
    ["request_body_timeout", "timeout"],
  ])],
  ["AWS", new Map([
    ["accessdenied", "permission_denied"],
    ["conflict", "invalid_request"],
    ["expiredtoken", "authentication"],
    ["incompletesignature", "authentication"],
    ["internalfailure", "provider_internal"],
    ["invalidsignature", "authentication"],
    ["missingauthenticationtoken", "authentication"],
    ["modelerror", "provider_internal"],
    ["modelnotready", "overloaded"],
    ["modelstreamerror", "provider_internal"],
    ["modeltimeout", "timeout"],
    ["requestexpired", "authentication"],
    ["resourcenotfound", "not_found"],
    ["servicequotaexceeded", "quota_exceeded"],
    ["toomanyrequests", "rate_limited"],
    ["unrecognizedclient", "authentication"],
  ])],
  ["Google", new Map([
    ["aborted", "provider_internal"],
    ["already_exists", "invalid_request"],
    ["data_loss", "provider_internal"],
    ["deadline_exceeded", "timeout"],
    ["failed_precondition", "invalid_request"],
    ["invalid_argument", "invalid_request"],
    ["out_of_range", "invalid_request"],
    ["resource_exhausted", "rate_limited"],
    ["unauthenticated", "authentication"],
    ["unavailable", "overloaded"],
    ["unimplemented", "invalid_request"],
  ])],
  ["Alibaba, Cerebras, Databricks, llama.cpp, Mistral, Moonshot", new Map([
    ["arrearage", "quota_exceeded"],
    ["bad_gateway", "provider_internal"],
    ["billing_not_active", "quota_exceeded"],
    ["datainspectionfailed", "content_filtered"],
    ["exceed_context_size", "context_length_exceeded"],
    ["exceeded_current_quota", "quota_exceeded"],
    ["invalid_authentication", "authentication"],
    ["invalid_model", "not_found"],
    ["invalidapikey", "authentication"],
    ["limit_burst_rate", "rate_limited"],
    ["limit_requests", "rate_limited"],
    ["rate_limit_reached", "rate_limited"],
    ["request_limit_exceeded", "rate_limited"],
    ["request_quota_exceeded", "rate_limited"],
    ["resource_not_found", "not_found"],
    ["throttling_allocationquota", "rate_limited"],
    ["throttling_ratequota", "rate_limited"],
    ["token_quota_exceeded", "rate_limited"],
    ["too_many_tokens", "rate_limited"],
    ["unexpected_output", "provider_internal"],
    ["wrong_api_key", "authentication"],
  ])],
  ["xAI", new Map([
    ["client_specified_an_invalid_argument", "invalid_request"],
    ["some_requested_entity_was_not_found", "not_found"],
    ["some_resource_has_been_exhausted", "rate_limited"],
    ["the_caller_does_not_have_permission_to_execute_the_specified_operation", "permission_denied"],
    ["the_service_is_currently_unavailable", "overloaded"],
  ])],
  ["Zhipu", new Map([
    ["1000", "authentication"],
    ["1001", "authentication"],
    ["1002", "authentication"],
    ["1003", "authentication"],
    ["1004", "authentication"],
    ["1113", "quota_exceeded"],
    ["1210", "invalid_request"],
    ["1211", "not_found"],
    ["1213", "invalid_request"],
    ["1214", "invalid_request"],
    ["1220", "permission_denied"],
    ["1261", "context_length_exceeded"],
    ["1301", "content_filtered"],
    ["1302", "rate_limited"],
    ["1303", "rate_limited"],
    ["1304", "quota_exceeded"],
    ["1305", "rate_limited"],
    ["1308", "quota_exceeded"],
    ["1310", "quota_exceeded"],
  ])],
  ["OpenAI", new Map([
    ["previous_response_not_found", "not_found"],
    ["request_forbidden", "permission_denied"],
    ["server_is_overloaded", "overloaded"],
    ["slow_down", "rate_limited"],
    ["unsupported_country_region_territory", "permission_denied"],
    ["usage_limit_reached", "quota_exceeded"],
  ])],
  ["unreadable calls", new Map([
    ["tool_use_failed", "provider_internal"],
    ["malformed_function_call", "provider_internal"],
    ["invalid_tool_generation", "provider_internal"],
  ])],
  ["OpenAI Responses", new Map([
    ["bio_policy", "content_filtered"],
    ["cyber_policy", "content_filtered"],
    ["cyber_policy_violation", "content_filtered"],
    ["image_content_policy_violation", "content_filtered"],
    ["misalignment_policy_violation", "content_filtered"],
    ["invalid_prompt", "invalid_request"],
    ["data_residency_mismatch", "invalid_request"],
    ["empty_image_file", "invalid_request"],
    ["failed_to_download_image", "invalid_request"],
    ["image_file_not_found", "invalid_request"],
    ["image_file_too_large", "invalid_request"],
    ["image_parse", "invalid_request"],
    ["image_too_large", "invalid_request"],
    ["image_too_small", "invalid_request"],
    ["invalid_base64_image", "invalid_request"],
    ["invalid_image", "invalid_request"],
    ["invalid_image_format", "invalid_request"],
    ["invalid_image_mode", "invalid_request"],
    ["invalid_image_url", "invalid_request"],
    ["unsupported_image_media_type", "invalid_request"],
    ["vector_store_timeout", "timeout"],
  ])],
]);

/**
 * Words of a message, of which the first 2000 characters count, in lower case; the first row whose
 * words are in it counts.
 */
export const PHRASES: ReadonlyArray<Phrase> = [
  { words: "prompt is too long", code: "context_length_exceeded" },
  { words: "maximum context length", code: "context_length_exceeded" },
  { words: "context length exceeded", code: "context_length_exceeded" },
  { words: "exceed context limit", code: "context_length_exceeded" },
  { words: "context window", code: "context_length_exceeded" },
  { words: "input is too long", code: "context_length_exceeded" },
  { words: "please retry in", code: "rate_limited" },
  { words: "api key not valid", code: "authentication" },
  { words: "api key expired", code: "authentication" },
  { words: "exceeds the maximum number of tokens", code: "context_length_exceeded" },
  { words: "credit balance is too low", code: "quota_exceeded" },
  { words: "exceeded your current quota", code: "quota_exceeded" },
  { words: "violating our usage policy", code: "content_filtered" },
  { words: "access to this content for safety reasons", code: "content_filtered" },
  { words: "too many requests", code: "rate_limited" },
  { words: "too many tokens, please wait", code: "rate_limited" },
  { words: "number of input tokens exceeds", code: "context_length_exceeded" },
  { words: "security token included in the request", code: "authentication" },
  { words: "request signature we calculated", code: "authentication" },
  { words: "authentication failed", code: "authentication" },
  { words: "is not authorized to perform", code: "permission_denied" },
  { words: "don't have access to the model", code: "permission_denied" },
  { words: "reached the end of its life", code: "not_found" },
  { words: "model identifier is invalid", code: "invalid_request" },
  { words: "context length", code: "context_length_exceeded" },
  { words: "context size", code: "context_length_exceeded" },
  { words: "reduce the length of the messages", code: "context_length_exceeded" },
  { words: "range of input length", code: "context_length_exceeded" },
  { words: "api key provided", code: "authentication" },
  { words: "provide an api key", code: "authentication" },
  { words: "access token is missing", code: "authentication" },
  { words: "invalid username or password", code: "authentication" },
  { words: "insufficient balance", code: "quota_exceeded" },
  { words: "spending limit", code: "quota_exceeded" },
  { words: "rate limit exceeded", code: "rate_limited" },
  { words: "rate limit is exceeded", code: "rate_limited" },
  { words: "rate limit reached", code: "rate_limited" },
  { words: "not found, try pulling", code: "not_found" },
  { words: "is overloaded", code: "overloaded" },
  { words: "currently overloaded", code: "overloaded" },
  { words: "input validation error", code: "invalid_request" },
  { words: "too many tokens:", code: "context_length_exceeded" },
  { words: "invalid api token", code: "authentication" },
  { words: "no api key supplied", code: "authentication" },
  { words: "api calls / month", code: "quota_exceeded" },
  { words: "trial key", code: "rate_limited" },
  { words: "make sure the correct model id", code: "not_found" },
  { words: "blocked input", code: "content_filtered" },
  { words: "blocked output", code: "content_filtered" },
  { words: "internal server error", code: "provider_internal" },
  { words: "invalid request:", code: "invalid_request" },
];

/**
 * HTTP status → the code; of others, those from 500 on are provider_internal, and those below
 * invalid_request.
 */
export const STATUSES: ReadonlyMap<number, Code> = new Map([
  [400, "invalid_request"],
  [401, "authentication"],
  [402, "quota_exceeded"],
  [403, "permission_denied"],
  [404, "not_found"],
  [407, "authentication"],
  [408, "timeout"],
  [410, "not_found"],
  [413, "invalid_request"],
  [422, "invalid_request"],
  [429, "rate_limited"],
  [499, "cancelled"],
  [503, "overloaded"],
  [504, "timeout"],
  [522, "timeout"],
  [524, "timeout"],
  [529, "overloaded"],
]);

/** Status code of MiniMax → the name that other vendors give the error. */
export const MINIMAX: ReadonlyMap<number, string> = new Map([
  [1001, "timeout"],
  [1002, "rate_limit"],
  [1004, "authentication"],
  [1008, "insufficient_balance"],
  [1013, "internal"],
  [1026, "content_filter"],
  [1027, "content_filter"],
  [1039, "rate_limit"],
  [2013, "invalid_parameter"],
  [2049, "invalid_api_key"],
]);

/**
 * Members that hold an error's code; the first that is not null counts, here and in the other
 * lists.
 */
export const CODE_MEMBERS: ReadonlyArray<string> = ["code", "error_code"];

/** Members that hold its type. */
export const TYPE_MEMBERS: ReadonlyArray<string> = ["type", "error_type"];

/** Members that hold its HTTP status. */
export const STATUS_MEMBERS: ReadonlyArray<string> = ["status_code", "statusCode", "status"];

/** Members that hold its message; the first that is a text counts. */
export const MESSAGE_MEMBERS: ReadonlyArray<string> = [
  "message",
  "Message",
  "error",
  "detail",
  "msg",
  "error_msg",
  "error_message",
  "status_msg",
];

/** All the members that a body may have that is known as an error by its message alone. */
export const BARE_MEMBERS: ReadonlyArray<string> = [
  "message",
  "Message",
  "code",
  "documentation_url",
  "error_code",
  "id",
  "param",
  "request_id",
  "status",
  "statusCode",
  "status_code",
];
