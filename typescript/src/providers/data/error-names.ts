/** What providers call their errors → the contract's error codes: the tables. */

// Lower case, with "-", " " and "." as "_", and without a final "_error", "error" or "exception".
const SAME: readonly (readonly [string, string])[] = [
  [
    "authentication",
    `authentication invalid_api_key incorrect_api_key unauthorized expiredtoken incompletesignature
    invalidsignature missingauthenticationtoken requestexpired unrecognizedclient unauthenticated
    invalid_authentication invalidapikey wrong_api_key 1000 1001 1002 1003 1004`,
  ],
  [
    "permission_denied",
    `organization_on_hold permission permission_denied forbidden access_denied accessdenied
    the_caller_does_not_have_permission_to_execute_the_specified_operation 1220 request_forbidden
    unsupported_country_region_territory`,
  ],
  [
    "not_found",
    `not_found model_not_found deployment_not_found deploymentnotfound notfound resourcenotfound invalid_model
    resource_not_found some_requested_entity_was_not_found 1211 previous_response_not_found`,
  ],
  [
    "invalid_request",
    `request_too_large conflict already_exists failed_precondition invalid_argument out_of_range unimplemented
    client_specified_an_invalid_argument 1210 1213 1214 invalid_prompt data_residency_mismatch empty_image_file
    failed_to_download_image image_file_not_found image_file_too_large image_parse image_too_large
    image_too_small invalid_base64_image invalid_image invalid_image_format invalid_image_mode invalid_image_url
    unsupported_image_media_type invalid_request bad_request badrequest invalid_parameter invalidparameter
    unprocessable_entity validation`,
  ],
  [
    "context_length_exceeded",
    "context_length_exceeded context_window_exceeded error_limit string_above_max_length exceed_context_size 1261",
  ],
  [
    "rate_limited",
    `rate_limit rate_limited rate_limit_exceeded ratelimit ratelimitreached too_many_requests throttling
    toomanyrequests resource_exhausted limit_burst_rate limit_requests rate_limit_reached request_limit_exceeded
    request_quota_exceeded throttling_allocationquota throttling_ratequota token_quota_exceeded too_many_tokens
    some_resource_has_been_exhausted 1302 1303 1305 slow_down`,
  ],
  [
    "quota_exceeded",
    `billing insufficient_quota insufficient_balance insufficient_credits billing_hard_limit_reached
    quota_exceeded payment_required contract_spend_limit_reached enforced_spend_limit_reached
    linked_organization_spend_limit_reached servicequotaexceeded arrearage billing_not_active
    exceeded_current_quota 1113 1304 1308 1310 usage_limit_reached`,
  ],
  [
    "overloaded",
    `modelnotready unavailable the_service_is_currently_unavailable server_is_overloaded overloaded
    engine_overloaded service_unavailable serviceunavailable capacity_exceeded service_tier_capacity_exceeded`,
  ],
  [
    "timeout",
    `request_body_timeout modeltimeout deadline_exceeded timeout request_timeout gateway_timeout
    vector_store_timeout`,
  ],
  ["connection", "connection api_connection network"],
  [
    "content_filtered",
    `datainspectionfailed 1301 content_filter content_filtered content_policy_violation
    responsibleaipolicyviolation data_inspection_failed moderation safety error_toxic bio_policy cyber_policy
    cyber_policy_violation image_content_policy_violation misalignment_policy_violation`,
  ],
  [
    "provider_internal",
    `internalfailure modelerror modelstreamerror aborted data_loss bad_gateway unexpected_output tool_use_failed
    malformed_function_call invalid_tool_generation api server internal internal_server internalserver provider
    upstream`,
  ],
  ["cancelled", "cancelled canceled user_cancel request_cancelled"],
];

/** What a provider calls an error → the code. */
export const NAMES: ReadonlyMap<string, string> = new Map(
  SAME.flatMap(([code, names]) => names.split(/\s+/).map((name) => [name, code] as const)),
);

/** Words of a message, in lower case → the code; the first that are in it count. */
export const PHRASES: readonly (readonly [string, string])[] = [
  ["prompt is too long", "context_length_exceeded"],
  ["maximum context length", "context_length_exceeded"],
  ["context length exceeded", "context_length_exceeded"],
  ["exceed context limit", "context_length_exceeded"],
  ["context window", "context_length_exceeded"],
  ["input is too long", "context_length_exceeded"],
  ["please retry in", "rate_limited"],
  ["api key not valid", "authentication"],
  ["api key expired", "authentication"],
  ["exceeds the maximum number of tokens", "context_length_exceeded"],
  ["credit balance is too low", "quota_exceeded"],
  ["exceeded your current quota", "quota_exceeded"],
  ["violating our usage policy", "content_filtered"],
  ["access to this content for safety reasons", "content_filtered"],
  ["too many requests", "rate_limited"],
  ["too many tokens, please wait", "rate_limited"],
  ["number of input tokens exceeds", "context_length_exceeded"],
  ["security token included in the request", "authentication"],
  ["request signature we calculated", "authentication"],
  ["authentication failed", "authentication"],
  ["is not authorized to perform", "permission_denied"],
  ["don't have access to the model", "permission_denied"],
  ["reached the end of its life", "not_found"],
  ["model identifier is invalid", "invalid_request"],
  ["context length", "context_length_exceeded"],
  ["context size", "context_length_exceeded"],
  ["reduce the length of the messages", "context_length_exceeded"],
  ["range of input length", "context_length_exceeded"],
  ["api key provided", "authentication"],
  ["provide an api key", "authentication"],
  ["access token is missing", "authentication"],
  ["invalid username or password", "authentication"],
  ["insufficient balance", "quota_exceeded"],
  ["spending limit", "quota_exceeded"],
  ["rate limit exceeded", "rate_limited"],
  ["rate limit is exceeded", "rate_limited"],
  ["rate limit reached", "rate_limited"],
  ["not found, try pulling", "not_found"],
  ["is overloaded", "overloaded"],
  ["currently overloaded", "overloaded"],
  ["input validation error", "invalid_request"],
  ["too many tokens:", "context_length_exceeded"],
  ["invalid api token", "authentication"],
  ["no api key supplied", "authentication"],
  ["api calls / month", "quota_exceeded"],
  ["trial key", "rate_limited"],
  ["make sure the correct model id", "not_found"],
  ["blocked input", "content_filtered"],
  ["blocked output", "content_filtered"],
  ["internal server error", "provider_internal"],
  ["invalid request:", "invalid_request"],
];

export const STATUSES: ReadonlyMap<number, string> = new Map([
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

/** Status codes of MiniMax → what others call the error. */
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
