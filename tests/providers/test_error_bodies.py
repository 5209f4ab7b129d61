"""Bodies of refused requests, and errors amid a stream, as the vendors' servers write them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.providers.provider_streams import run_bytes, run_events

CHAT = "openai-chat"
CLAUDE = "anthropic-messages"
CONVERSE = "bedrock-converse"
COHERE = "cohere-v2"
GEMINI = "gemini"
RESPONSES = "openai-responses"

BODIES: list[tuple[str, Any, str]] = [
    # Words alone: AWS, whatever the dialect of the model behind it.
    (CONVERSE, {"message": "Too many requests, please wait."}, "rate_limited"),
    (CLAUDE, {"message": "Too many tokens, please wait before trying again."}, "rate_limited"),
    (CONVERSE, {"message": "Number of input tokens exceeds maximum."}, "context_length_exceeded"),
    (CLAUDE, {"message": "The security token included in the request is bad"}, "authentication"),
    (CONVERSE, {"message": "The request signature we calculated differs"}, "authentication"),
    (CONVERSE, {"Message": "Authentication failed: bad key."}, "authentication"),
    (CHAT, {"Message": "User x is not authorized to perform: y"}, "permission_denied"),
    (CONVERSE, {"message": "You don't have access to the model x"}, "permission_denied"),
    (CONVERSE, {"message": "This model has reached the end of its life."}, "not_found"),
    (CONVERSE, {"message": "The provided model identifier is invalid."}, "invalid_request"),
    (CLAUDE, {"modelStreamErrorException": {"message": "boom"}}, "provider_internal"),
    (CHAT, {"throttlingException": {"message": "slower"}}, "rate_limited"),
    # Cohere.
    (COHERE, {"message": "model 'x' not found, make sure the correct model ID"}, "not_found"),
    (COHERE, {"message": "blocked output: it may be unsafe"}, "content_filtered"),
    (COHERE, {"id": "x", "message": "internal server error, sorry"}, "provider_internal"),
    # A number, or a name for it, beside words.
    (CHAT, {"statusCode": 401, "message": "Access token is missing"}, "authentication"),
    (CHAT, {"statusCode": 404, "message": "Gone somewhere"}, "not_found"),
    (CHAT, {"error_code": "PERMISSION_DENIED", "message": "no"}, "permission_denied"),
    (CHAT, {"error_code": "REQUEST_LIMIT_EXCEEDED", "message": "no"}, "rate_limited"),
    (CHAT, {"error": "busy", "error_type": "overloaded"}, "overloaded"),
    (CHAT, {"error": "Input validation error: too long"}, "invalid_request"),
    (CHAT, {"errors": [{"code": 1, "message": "Unauthorized"}], "result": None}, "authentication"),
    (CHAT, {"code": "InvalidApiKey", "message": "no"}, "authentication"),
    (CHAT, {"code": "Throttling.RateQuota", "message": "no"}, "rate_limited"),
    (CHAT, {"code": "Arrearage", "message": "no"}, "quota_exceeded"),
    (CHAT, {"code": "DataInspectionFailed", "message": "no"}, "content_filtered"),
    # The plain words of HTTP.
    (CLAUDE, {"detail": "Unauthorized"}, "authentication"),
    (RESPONSES, {"detail": "Not Found"}, "not_found"),
    (CHAT, {"message": "Forbidden"}, "permission_denied"),
    (CHAT, {"error": "Bad Gateway"}, "provider_internal"),
    (CHAT, {"detail": [{"loc": ["body"], "msg": "Field required"}]}, "invalid_request"),
    (CHAT, {"detail": [1]}, "unknown"),
    # xAI's sentences beside its words.
    (CHAT, {"code": "Some requested entity was not found", "error": "no"}, "not_found"),
    (CHAT, {"code": "The service is currently unavailable", "error": "no"}, "overloaded"),
    (CHAT, {"code": "Some resource has been exhausted", "error": "no"}, "rate_limited"),
    (
        CHAT,
        {"code": "Some resource has been exhausted", "error": "monthly spending limit"},
        "quota_exceeded",
    ),
    (
        CHAT,
        {"code": "Client specified an invalid argument", "error": "Incorrect API key provided"},
        "authentication",
    ),
    (
        CHAT,
        {
            "code": "The caller does not have permission to execute the specified operation",
            "error": "no",
        },
        "permission_denied",
    ),
    # Numbers that one vendor alone gives as names.
    (CHAT, {"base_resp": {"status_code": 1002, "status_msg": "no"}}, "rate_limited"),
    (CHAT, {"base_resp": {"status_code": 1008, "status_msg": "no"}}, "quota_exceeded"),
    (CHAT, {"base_resp": {"status_code": 1000, "status_msg": "no"}}, "unknown"),
    (CHAT, {"error": {"code": "1002", "message": "no"}}, "authentication"),
    (CHAT, {"error": {"code": "1113", "message": "no"}}, "quota_exceeded"),
    (CHAT, {"error": {"code": "1261", "message": "no"}}, "context_length_exceeded"),
    (CHAT, {"error": {"code": "1301", "message": "no"}}, "content_filtered"),
    (CHAT, {"object": "error", "code": "1300", "type": "rate_limited"}, "rate_limited"),
    (CHAT, {"object": "error", "code": "1002", "type": "invalid_model"}, "not_found"),
    # The type says more than the code.
    (
        CHAT,
        {"error": {"code": "invalid_request_error", "type": "authentication_error"}},
        "authentication",
    ),
    (
        CHAT,
        {"error": {"code": "invalid_request_error", "message": "Insufficient Balance"}},
        "quota_exceeded",
    ),
    (
        CHAT,
        {"error": {"code": 400, "type": "exceed_context_size_error"}},
        "context_length_exceeded",
    ),
    (CHAT, {"error": "greater than the context length"}, "context_length_exceeded"),
    (CHAT, {"error": 'model "x" not found, try pulling it first'}, "not_found"),
    *(
        (CHAT, {"error": {"type": kind, "message": "no"}}, code)
        for kind, code in (
            ("invalid_authentication_error", "authentication"),
            ("exceeded_current_quota_error", "quota_exceeded"),
            ("rate_limit_reached_error", "rate_limited"),
            ("resource_not_found_error", "not_found"),
            ("unexpected_output", "provider_internal"),
            ("too_many_tokens_error", "rate_limited"),
            ("usage_limit_reached", "quota_exceeded"),
        )
    ),
    *(
        (RESPONSES, {"error": {"code": kind, "type": "server_error", "message": "no"}}, code)
        for kind, code in (
            ("slow_down", "rate_limited"),
            ("server_is_overloaded", "overloaded"),
            ("unsupported_country_region_territory", "permission_denied"),
        )
    ),
    (GEMINI, {"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}, "overloaded"),
]


@pytest.mark.parametrize(
    ("dialect", "body", "code"), BODIES, ids=[json.dumps(body)[:60] for _, body, _ in BODIES]
)
@pytest.mark.parametrize("indent", [None, 2])
def test_the_body_of_a_refused_request(
    dialect: str, body: dict[str, Any], code: str, indent: int | None
) -> None:
    ran = run_bytes(dialect, [json.dumps(body, indent=indent).encode()])
    assert ran.kinds == ["start", "error"]
    assert ran.end["errorCode"] == code
    assert ran.rules == []


def test_what_is_refused_about_a_request_is_said() -> None:
    detail = [{"loc": ["body", "messages"], "msg": "Field required"}, {"msg": "Too short"}]
    ran = run_events(CHAT, [{"detail": detail}])
    assert ran.end["message"] == 'Input validation error: "Field required"; "Too short"'


@pytest.mark.parametrize("event", [{"message": "hi", "role": "assistant"}, {"message": ""}, {}])
def test_a_message_beside_other_members_is_no_error(event: dict[str, Any]) -> None:
    ran = run_events(CHAT, [event, {"choices": [{"delta": {}, "finish_reason": "stop"}]}])
    assert ran.kinds == ["start", "done"]
    assert ran.rules == ["adapter/unknown-event"]
