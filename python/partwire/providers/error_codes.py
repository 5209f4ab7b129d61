"""Provider errors: what a provider calls them → the contract's error codes.

Tables, in the order in which they are asked: a code or type that says it plainly, words of the
message for errors whose type says too little, the HTTP status that many vendors use as a code.
Source: requirements S001-04, S001-52; semantics, model and adapters.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from partwire.errors import clip

__all__ = ["RETRYABLE", "ProviderError", "error_body", "error_code", "read_error"]

RETRYABLE: Final = {
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

# Lower case, with "-", " " and "." as "_", and without a final "_error" or "error".
_NAMES: Final = {
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
    # Anthropic, in the details.
    "contract_spend_limit_reached": "quota_exceeded",
    "enforced_spend_limit_reached": "quota_exceeded",
    "linked_organization_spend_limit_reached": "quota_exceeded",
    "organization_on_hold": "permission_denied",
    "request_body_timeout": "timeout",
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
    # AWS, without the "Exception" at the end.
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
    # Google's canonical codes, where no other provider's name says the same.
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
    # The model wrote a call that the provider could not read: another try may write a better one.
    "tool_use_failed": "provider_internal",
    "malformed_function_call": "provider_internal",
    "invalid_tool_generation": "provider_internal",
    "api": "provider_internal",
    "server": "provider_internal",
    "internal": "provider_internal",
    "internal_server": "provider_internal",
    "internalserver": "provider_internal",
    "provider": "provider_internal",
    "upstream": "provider_internal",
    # OpenAI Responses.
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
    "invalid_request": "invalid_request",
    "bad_request": "invalid_request",
    "badrequest": "invalid_request",
    "invalid_parameter": "invalid_request",
    "invalidparameter": "invalid_request",
    "unprocessable_entity": "invalid_request",
    "validation": "invalid_request",
}

# Anthropic sends "prompt is too long" as invalid_request_error, vLLM and others as plain 400.
_PHRASES: Final = (
    ("prompt is too long", "context_length_exceeded"),
    ("maximum context length", "context_length_exceeded"),
    ("context length exceeded", "context_length_exceeded"),
    ("exceed context limit", "context_length_exceeded"),
    ("context window", "context_length_exceeded"),
    ("input is too long", "context_length_exceeded"),  # Bedrock
    # Google says "exceeded your current quota" of a minute's quota, too.
    ("please retry in", "rate_limited"),
    ("api key not valid", "authentication"),
    ("api key expired", "authentication"),
    ("exceeds the maximum number of tokens", "context_length_exceeded"),
    ("credit balance is too low", "quota_exceeded"),
    ("exceeded your current quota", "quota_exceeded"),
    ("violating our usage policy", "content_filtered"),  # OpenAI, as invalid_prompt
    ("access to this content for safety reasons", "content_filtered"),
    # Cohere's error bodies hold words alone.
    ("too many tokens:", "context_length_exceeded"),
    ("invalid api token", "authentication"),
    ("no api key supplied", "authentication"),
    ("api calls / month", "quota_exceeded"),
    ("trial key", "rate_limited"),
    ("invalid request:", "invalid_request"),
)
_VAGUE: Final = frozenset({"invalid_request", "provider_internal", "rate_limited", "unknown"})

_STATUSES: Final = {
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


class ProviderError(NamedTuple):
    """An error in the provider's own words; what it does not say is None.

    ``code`` and ``type`` are its names for it (a numeric code as decimal text), ``status`` the
    HTTP status if it gives one. For logs and for the way back: nothing may depend on the text.
    """

    code: str | None
    type: str | None
    message: str | None
    status: int | None


def read_error(value: object) -> ProviderError:
    """Return what an error object of any vendor says: an object, or only a text.

    Unwraps ``{"error": …}``, ``{"detail": …}`` and ``{"message": {…}}``, one level each.
    """
    for key in ("error", "detail", "message"):
        if isinstance(value, dict) and isinstance(inner := value.get(key), dict):
            value = {**{k: v for k, v in value.items() if k != key}, **inner}
    if not isinstance(value, dict):
        return ProviderError(None, None, _text(value), None)
    code = value.get("code", value.get("error_code"))
    status = _status(value.get("status_code", value.get("status")))
    message = next(
        (
            text
            for key in ("message", "error", "detail", "msg", "error_msg", "status_msg")
            if (text := _text(value.get(key)))
        ),
        None,
    )
    kind = _text(value.get("type"))
    if kind is None and status is None and isinstance(value.get("status"), str):
        kind = _text(value.get("status"))  # Google's name for it stands here, not a number
    return ProviderError(_text(code), kind, message, status or _status(code))


def error_code(error: ProviderError) -> str:
    """Return the contract's code for a provider's error; ``unknown`` where nothing tells."""
    found = _by_name(error.code) or _by_name(error.type) or _by_status(error.status)
    if found is None or found in _VAGUE:
        words = (error.message or "")[:2000].lower()
        found = next((code for phrase, code in _PHRASES if phrase in words), found)
    return found or "unknown"


def error_body(event: dict[str, Any]) -> object:
    """Return the error that an event without choices carries, None if it carries none.

    ``{"error": …}`` is the published form; servers also send their own HTTP error bodies:
    ``{"object": "error", "message": …}`` (vLLM), ``{"detail": …}`` (FastAPI), ``{"code": …,
    "message": …}`` (DashScope), ``{"base_resp": {"status_code": …}}`` (MiniMax).
    """
    if error := event.get("error"):
        return error
    if event.get("object") == "error" or event.get("type") == "error":
        return event
    if event.get("choices") is None:
        if event.get("detail") and "object" not in event:
            return {"message": _plain(event["detail"])}
        if event.get("code") and isinstance(event.get("message"), str):
            return event
    base = event.get("base_resp")
    if type(base) is dict and base.get("status_code"):
        return {"code": base.get("status_code"), "message": base.get("status_msg")}
    return None


def _by_name(name: str | None) -> str | None:
    if not name:
        return None
    plain = name[:100].lower().replace("-", "_").replace(" ", "_").replace(".", "_")
    plain = plain.removesuffix("exception").removesuffix("_")
    return _NAMES.get(plain) or _NAMES.get(plain.removesuffix("error").removesuffix("_"))


def _by_status(status: int | None) -> str | None:
    if status is None:
        return None
    if status in _STATUSES:
        return _STATUSES[status]
    return "provider_internal" if status >= 500 else "invalid_request"


def _status(value: object) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) == 3:
        value = int(value)
    return value if type(value) is int and 400 <= value <= 599 else None


def _text(value: Any) -> str | None:
    if isinstance(value, str):
        return value or None
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() <= 64:
        return str(value)
    return None


def _plain(value: object) -> object:
    return value if isinstance(value, (str, dict)) else clip(value)
