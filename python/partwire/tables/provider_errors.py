# Generated from schemas/tables/provider-errors.json. Do not edit: change that, then
# run `python -m codegen`.

"""Errors of providers: what each vendor says, and the contract's error code for it.

A name is looked up by its first 100 characters, in lower case, with "-", " " and "." as "_",
without "exception" and then any "_" at its end; if that is not in the table, without "error" and
then one "_" at its end, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

__all__ = ["BARE_MEMBERS", "CODE_MEMBERS", "Code", "MESSAGE_MEMBERS", "MINIMAX", "NAMES", "PHRASES", "Phrase", "RETRYABLE", "STATUSES", "STATUS_MEMBERS", "TYPE_MEMBERS", "VAGUE"]


Code = Literal["authentication", "permission_denied", "not_found", "invalid_request", "context_length_exceeded", "rate_limited", "quota_exceeded", "overloaded", "timeout", "connection", "content_filtered", "provider_internal", "truncated_stream", "cancelled", "unknown"]
"""A known value of the contract's error codes."""

class Phrase(NamedTuple):
    """Words that say what an error is."""

    words: str
    """In lower case."""
    code: Code


RETRYABLE: Final[Mapping[str, bool]] = {
    "authentication": False,
    "permission_denied": False,
    "not_found": False,
    "invalid_request": False,
    "context_length_exceeded": False,
    "rate_limited": True,
    "quota_exceeded": False,
    "overloaded": True,
    "timeout": True,
    "connection": True,
    "content_filtered": False,
    "provider_internal": True,
    "truncated_stream": True,
    "cancelled": False,
    "unknown": False,
}
"""Whether the same request may succeed later, by error code."""

VAGUE: Final[tuple[Code, ...]] = (
    "invalid_request",
    "provider_internal",
    "rate_limited",
    "unknown",
)
"""Codes that say too little: the words of the message are asked, too."""

NAMES: Final[Mapping[str, Mapping[str, Code]]] = {
    "several": {
        "authentication": "authentication",
        "invalid_api_key": "authentication",
        "incorrect_api_key": "authentication",
        "unauthorized": "authentication",
        "billing": "quota_exceeded",
        "insufficient_quota": "quota_exceeded",
        "insufficient_balance": "quota_exceeded",
        "insufficient_credits": "quota_exceeded",
        "billing_hard_limit_reached": "quota_exceeded",
        "quota_exceeded": "quota_exceeded",
        "payment_required": "quota_exceeded",
        "permission": "permission_denied",
        "permission_denied": "permission_denied",
        "forbidden": "permission_denied",
        "access_denied": "permission_denied",
        "not_found": "not_found",
        "model_not_found": "not_found",
        "deployment_not_found": "not_found",
        "deploymentnotfound": "not_found",
        "notfound": "not_found",
        "context_length_exceeded": "context_length_exceeded",
        "context_window_exceeded": "context_length_exceeded",
        "error_limit": "context_length_exceeded",
        "string_above_max_length": "context_length_exceeded",
        "request_too_large": "invalid_request",
        "rate_limit": "rate_limited",
        "rate_limited": "rate_limited",
        "rate_limit_exceeded": "rate_limited",
        "ratelimit": "rate_limited",
        "ratelimitreached": "rate_limited",
        "too_many_requests": "rate_limited",
        "throttling": "rate_limited",
        "overloaded": "overloaded",
        "engine_overloaded": "overloaded",
        "service_unavailable": "overloaded",
        "serviceunavailable": "overloaded",
        "capacity_exceeded": "overloaded",
        "service_tier_capacity_exceeded": "overloaded",
        "timeout": "timeout",
        "request_timeout": "timeout",
        "gateway_timeout": "timeout",
        "connection": "connection",
        "api_connection": "connection",
        "network": "connection",
        "content_filter": "content_filtered",
        "content_filtered": "content_filtered",
        "content_policy_violation": "content_filtered",
        "responsibleaipolicyviolation": "content_filtered",
        "data_inspection_failed": "content_filtered",
        "moderation": "content_filtered",
        "safety": "content_filtered",
        "error_toxic": "content_filtered",
        "cancelled": "cancelled",
        "canceled": "cancelled",
        "user_cancel": "cancelled",
        "request_cancelled": "cancelled",
        "api": "provider_internal",
        "server": "provider_internal",
        "internal": "provider_internal",
        "internal_server": "provider_internal",
        "internalserver": "provider_internal",
        "provider": "provider_internal",
        "upstream": "provider_internal",
        "invalid_request": "invalid_request",
        "bad_request": "invalid_request",
        "badrequest": "invalid_request",
        "invalid_parameter": "invalid_request",
        "invalidparameter": "invalid_request",
        "unprocessable_entity": "invalid_request",
        "validation": "invalid_request",
    },
    "Anthropic": {
        "contract_spend_limit_reached": "quota_exceeded",
        "enforced_spend_limit_reached": "quota_exceeded",
        "linked_organization_spend_limit_reached": "quota_exceeded",
        "organization_on_hold": "permission_denied",
        "request_body_timeout": "timeout",
    },
    "AWS": {
        "accessdenied": "permission_denied",
        "conflict": "invalid_request",
        "expiredtoken": "authentication",
        "incompletesignature": "authentication",
        "internalfailure": "provider_internal",
        "invalidsignature": "authentication",
        "missingauthenticationtoken": "authentication",
        "modelerror": "provider_internal",
        "modelnotready": "overloaded",
        "modelstreamerror": "provider_internal",
        "modeltimeout": "timeout",
        "requestexpired": "authentication",
        "resourcenotfound": "not_found",
        "servicequotaexceeded": "quota_exceeded",
        "toomanyrequests": "rate_limited",
        "unrecognizedclient": "authentication",
    },
    "Google": {
        "aborted": "provider_internal",
        "already_exists": "invalid_request",
        "data_loss": "provider_internal",
        "deadline_exceeded": "timeout",
        "failed_precondition": "invalid_request",
        "invalid_argument": "invalid_request",
        "out_of_range": "invalid_request",
        "resource_exhausted": "rate_limited",
        "unauthenticated": "authentication",
        "unavailable": "overloaded",
        "unimplemented": "invalid_request",
    },
    "Alibaba, Cerebras, Databricks, llama.cpp, Mistral, Moonshot": {
        "arrearage": "quota_exceeded",
        "bad_gateway": "provider_internal",
        "billing_not_active": "quota_exceeded",
        "datainspectionfailed": "content_filtered",
        "exceed_context_size": "context_length_exceeded",
        "exceeded_current_quota": "quota_exceeded",
        "invalid_authentication": "authentication",
        "invalid_model": "not_found",
        "invalidapikey": "authentication",
        "limit_burst_rate": "rate_limited",
        "limit_requests": "rate_limited",
        "rate_limit_reached": "rate_limited",
        "request_limit_exceeded": "rate_limited",
        "request_quota_exceeded": "rate_limited",
        "resource_not_found": "not_found",
        "throttling_allocationquota": "rate_limited",
        "throttling_ratequota": "rate_limited",
        "token_quota_exceeded": "rate_limited",
        "too_many_tokens": "rate_limited",
        "unexpected_output": "provider_internal",
        "wrong_api_key": "authentication",
    },
    "xAI": {
        "client_specified_an_invalid_argument": "invalid_request",
        "some_requested_entity_was_not_found": "not_found",
        "some_resource_has_been_exhausted": "rate_limited",
        "the_caller_does_not_have_permission_to_execute_the_specified_operation": "permission_denied",
        "the_service_is_currently_unavailable": "overloaded",
    },
    "Zhipu": {
        "1000": "authentication",
        "1001": "authentication",
        "1002": "authentication",
        "1003": "authentication",
        "1004": "authentication",
        "1113": "quota_exceeded",
        "1210": "invalid_request",
        "1211": "not_found",
        "1213": "invalid_request",
        "1214": "invalid_request",
        "1220": "permission_denied",
        "1261": "context_length_exceeded",
        "1301": "content_filtered",
        "1302": "rate_limited",
        "1303": "rate_limited",
        "1304": "quota_exceeded",
        "1305": "rate_limited",
        "1308": "quota_exceeded",
        "1310": "quota_exceeded",
    },
    "OpenAI": {
        "previous_response_not_found": "not_found",
        "request_forbidden": "permission_denied",
        "server_is_overloaded": "overloaded",
        "slow_down": "rate_limited",
        "unsupported_country_region_territory": "permission_denied",
        "usage_limit_reached": "quota_exceeded",
    },
    "unreadable calls": {
        "tool_use_failed": "provider_internal",
        "malformed_function_call": "provider_internal",
        "invalid_tool_generation": "provider_internal",
    },
    "OpenAI Responses": {
        "bio_policy": "content_filtered",
        "cyber_policy": "content_filtered",
        "cyber_policy_violation": "content_filtered",
        "image_content_policy_violation": "content_filtered",
        "misalignment_policy_violation": "content_filtered",
        "invalid_prompt": "invalid_request",
        "data_residency_mismatch": "invalid_request",
        "empty_image_file": "invalid_request",
        "failed_to_download_image": "invalid_request",
        "image_file_not_found": "invalid_request",
        "image_file_too_large": "invalid_request",
        "image_parse": "invalid_request",
        "image_too_large": "invalid_request",
        "image_too_small": "invalid_request",
        "invalid_base64_image": "invalid_request",
        "invalid_image": "invalid_request",
        "invalid_image_format": "invalid_request",
        "invalid_image_mode": "invalid_request",
        "invalid_image_url": "invalid_request",
        "unsupported_image_media_type": "invalid_request",
        "vector_store_timeout": "timeout",
    },
}
"""Vendor, or what such errors are of → its names → the code. A name is in one group alone."""

PHRASES: Final[tuple[Phrase, ...]] = (
    Phrase("prompt is too long", "context_length_exceeded"),
    Phrase("maximum context length", "context_length_exceeded"),
    Phrase("context length exceeded", "context_length_exceeded"),
    Phrase("exceed context limit", "context_length_exceeded"),
    Phrase("context window", "context_length_exceeded"),
    Phrase("input is too long", "context_length_exceeded"),
    Phrase("please retry in", "rate_limited"),
    Phrase("api key not valid", "authentication"),
    Phrase("api key expired", "authentication"),
    Phrase("exceeds the maximum number of tokens", "context_length_exceeded"),
    Phrase("credit balance is too low", "quota_exceeded"),
    Phrase("exceeded your current quota", "quota_exceeded"),
    Phrase("violating our usage policy", "content_filtered"),
    Phrase("access to this content for safety reasons", "content_filtered"),
    Phrase("too many requests", "rate_limited"),
    Phrase("too many tokens, please wait", "rate_limited"),
    Phrase("number of input tokens exceeds", "context_length_exceeded"),
    Phrase("security token included in the request", "authentication"),
    Phrase("request signature we calculated", "authentication"),
    Phrase("authentication failed", "authentication"),
    Phrase("is not authorized to perform", "permission_denied"),
    Phrase("don't have access to the model", "permission_denied"),
    Phrase("reached the end of its life", "not_found"),
    Phrase("model identifier is invalid", "invalid_request"),
    Phrase("context length", "context_length_exceeded"),
    Phrase("context size", "context_length_exceeded"),
    Phrase("reduce the length of the messages", "context_length_exceeded"),
    Phrase("range of input length", "context_length_exceeded"),
    Phrase("api key provided", "authentication"),
    Phrase("provide an api key", "authentication"),
    Phrase("access token is missing", "authentication"),
    Phrase("invalid username or password", "authentication"),
    Phrase("insufficient balance", "quota_exceeded"),
    Phrase("spending limit", "quota_exceeded"),
    Phrase("rate limit exceeded", "rate_limited"),
    Phrase("rate limit is exceeded", "rate_limited"),
    Phrase("rate limit reached", "rate_limited"),
    Phrase("not found, try pulling", "not_found"),
    Phrase("is overloaded", "overloaded"),
    Phrase("currently overloaded", "overloaded"),
    Phrase("input validation error", "invalid_request"),
    Phrase("too many tokens:", "context_length_exceeded"),
    Phrase("invalid api token", "authentication"),
    Phrase("no api key supplied", "authentication"),
    Phrase("api calls / month", "quota_exceeded"),
    Phrase("trial key", "rate_limited"),
    Phrase("make sure the correct model id", "not_found"),
    Phrase("blocked input", "content_filtered"),
    Phrase("blocked output", "content_filtered"),
    Phrase("internal server error", "provider_internal"),
    Phrase("invalid request:", "invalid_request"),
)
"""Words of a message, of which the first 2000 characters count, in lower case; the first row whose
words are in it counts.
"""

STATUSES: Final[Mapping[int, Code]] = {
    400: "invalid_request",
    401: "authentication",
    402: "quota_exceeded",
    403: "permission_denied",
    404: "not_found",
    407: "authentication",
    408: "timeout",
    410: "not_found",
    413: "invalid_request",
    422: "invalid_request",
    429: "rate_limited",
    499: "cancelled",
    503: "overloaded",
    504: "timeout",
    522: "timeout",
    524: "timeout",
    529: "overloaded",
}
"""HTTP status → the code; of others, those from 500 on are provider_internal, and those below
invalid_request.
"""

MINIMAX: Final[Mapping[int, str]] = {
    1001: "timeout",
    1002: "rate_limit",
    1004: "authentication",
    1008: "insufficient_balance",
    1013: "internal",
    1026: "content_filter",
    1027: "content_filter",
    1039: "rate_limit",
    2013: "invalid_parameter",
    2049: "invalid_api_key",
}
"""Status code of MiniMax → the name that other vendors give the error."""

CODE_MEMBERS: Final[tuple[str, ...]] = ("code", "error_code")
"""Members that hold an error's code; the first that is not null counts, here and in the other
lists.
"""

TYPE_MEMBERS: Final[tuple[str, ...]] = ("type", "error_type")
"""Members that hold its type."""

STATUS_MEMBERS: Final[tuple[str, ...]] = ("status_code", "statusCode", "status")
"""Members that hold its HTTP status."""

MESSAGE_MEMBERS: Final[tuple[str, ...]] = (
    "message",
    "Message",
    "error",
    "detail",
    "msg",
    "error_msg",
    "error_message",
    "status_msg",
)
"""Members that hold its message; the first that is a text counts."""

BARE_MEMBERS: Final[tuple[str, ...]] = (
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
)
"""All the members that a body may have that is known as an error by its message alone."""
