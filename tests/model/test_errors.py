"""What the official clients raise → the contract's error codes."""

from __future__ import annotations

import builtins
import importlib
import inspect
import ssl
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import anthropic
import boto3
import openai
import pytest
from botocore.exceptions import ClientError
from botocore.exceptions import ValidationError as AwsValidationError
from cohere.core.api_error import ApiError
from google.auth.exceptions import OSError as AuthOSError
from google.auth.exceptions import TimeoutError as AuthTimeoutError
from google.genai import errors as google_errors

from partwire.model.errors import CLASSES, MappedError, ProviderErrorMapper
from partwire.providers.core.errors import RETRYABLE
from tests.reading.error_table import DOCUMENT, MARK, status_code, tables

MAPPED = ProviderErrorMapper()
MODULES = (
    "anthropic",
    "openai",
    "google.genai.errors",
    "google.auth.exceptions",
    "botocore.exceptions",
    "cohere",
    "cohere.errors",
    "cohere.core.api_error",
    "httpx",
    "httpx2",
    "urllib3.exceptions",
)


def exceptions_of(module: ModuleType) -> Iterator[type[BaseException]]:
    """Yield the public exception classes of a module's own package."""
    package = module.__name__.split(".")[0]
    for name in dir(module):
        kind = getattr(module, name)
        if not inspect.isclass(kind) or not issubclass(kind, BaseException):
            continue
        is_own = kind.__module__.split(".")[0] == package and not name.startswith("_")
        if is_own and not issubclass(kind, Warning):
            yield kind


def without_row(kind: type[BaseException], mapper: ProviderErrorMapper = MAPPED) -> bool:
    """Return whether a class has neither a row nor a base whose row says something."""
    own = [row.get(kind.__name__) for row in _rows(kind)]
    return not any(own) and mapper.by_class(kind) in (None, "unknown")


def _rows(kind: type[BaseException]) -> Iterator[Any]:
    parts = kind.__module__.split(".")
    yield CLASSES.get(".".join(parts[:2]), {})
    yield CLASSES.get(parts[0], {})


@pytest.mark.parametrize("name", MODULES)
def test_every_class_of_a_client_has_a_code(name: str) -> None:
    kinds = list(exceptions_of(importlib.import_module(name)))
    assert len(kinds) >= (1 if name == "cohere.core.api_error" else 5)
    assert [kind.__name__ for kind in kinds if without_row(kind)] == []
    for kind in kinds:
        assert MAPPED.by_class(kind) in RETRYABLE


def test_every_exception_that_bedrock_has_in_its_model_has_a_code() -> None:
    keys: dict[str, Any] = {"aws_access_key_id": "x", "aws_secret_access_key": "y"}
    client: Any = boto3.client("bedrock-runtime", region_name="eu-west-1", **keys)
    shapes = client.meta.service_model.error_shapes
    assert len(shapes) >= 10
    for shape in shapes:
        kind = getattr(client.exceptions, shape.name)
        assert CLASSES["botocore"][shape.name] != "unknown"
        error = kind({"Error": {"Code": shape.name, "Message": "no"}}, "ConverseStream")
        assert MAPPED(error).error_code == CLASSES["botocore"][shape.name]
    client.close()


def test_a_class_without_a_row_is_seen() -> None:
    new = type("BrandNewError", (anthropic.AnthropicError,), {"__module__": "anthropic"})
    assert without_row(new)
    assert not without_row(anthropic.BadRequestError)
    assert not without_row(type("Sub", (anthropic.RateLimitError,), {"__module__": "anthropic"}))


def test_rows_name_codes_of_the_contract() -> None:
    codes = {code for rows in CLASSES.values() for code in rows.values()}
    assert codes <= set(RETRYABLE)


def test_the_document_has_the_tables_of_the_code() -> None:
    text = DOCUMENT.read_text("utf-8")
    assert text.split(MARK)[1].strip() == tables().strip()


# --- statuses ------------------------------------------------------------------------------------


def _answer(status: int) -> Any:
    """Return what the clients' exceptions read of a response."""
    return SimpleNamespace(status_code=status, headers={}, request=None)


def _anthropic_error(status: int, body: object) -> Exception:
    return anthropic.APIStatusError("no", response=_answer(status), body=body)


def _openai_error(status: int, body: object) -> Exception:
    return openai.APIStatusError("no", response=_answer(status), body=body)


def _google_error(status: int, body: object) -> Exception:
    return google_errors.APIError(status, body or {})


def _botocore_error(status: int, body: object) -> Exception:
    metadata = {"HTTPStatusCode": status}
    said = body or {"Code": "", "Message": ""}
    response: Any = {"Error": said, "ResponseMetadata": metadata}
    error: Exception = ClientError(response, "ConverseStream")
    return error


def _cohere_error(status: int, body: object) -> Exception:
    return ApiError(status_code=status, body=body)


RAISED = {
    "anthropic": _anthropic_error,
    "openai": _openai_error,
    "google": _google_error,
    "botocore": _botocore_error,
    "cohere": _cohere_error,
}


@pytest.mark.parametrize("client", RAISED)
def test_every_status_has_a_code_without_any_words(client: str) -> None:
    for status in range(400, 600):
        mapped = MAPPED(RAISED[client](status, None))
        assert mapped.error_code == status_code(status), status
        assert mapped.error_code != "unknown"
        assert mapped.retryable == RETRYABLE[mapped.error_code]
        assert mapped.message


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, "invalid_request"),
        (401, "authentication"),
        (402, "quota_exceeded"),
        (403, "permission_denied"),
        (404, "not_found"),
        (407, "authentication"),
        (408, "timeout"),
        (410, "not_found"),
        (422, "invalid_request"),
        (429, "rate_limited"),
        (499, "cancelled"),
        (500, "provider_internal"),
        (502, "provider_internal"),
        (503, "overloaded"),
        (504, "timeout"),
        (529, "overloaded"),
        (599, "provider_internal"),
    ],
)
def test_statuses_that_matter(status: int, code: str) -> None:
    assert status_code(status) == code


# --- words first, then the status ----------------------------------------------------------------

SAID: list[tuple[str, int, Any, str]] = [
    # The words say more than the status.
    ("openai", 429, {"code": "insufficient_quota", "type": "insufficient_quota"}, "quota_exceeded"),
    ("openai", 429, {"code": "rate_limit_exceeded", "type": "requests"}, "rate_limited"),
    ("openai", 400, {"code": "context_length_exceeded"}, "context_length_exceeded"),
    ("openai", 400, {"code": "content_filter", "message": "no"}, "content_filtered"),
    ("openai", 413, {"code": "rate_limit_exceeded", "type": "tokens"}, "rate_limited"),
    ("openai", 400, {"message": "maximum context length is 8"}, "context_length_exceeded"),
    ("openai", 401, {"code": "invalid_api_key", "type": "x"}, "authentication"),
    ("anthropic", 400, {"message": "prompt is too long: 9 > 8"}, "context_length_exceeded"),
    ("anthropic", 400, {"message": "Your credit balance is too low"}, "quota_exceeded"),
    (
        "anthropic",
        429,
        {"details": {"error_code": "enforced_spend_limit_reached"}},
        "quota_exceeded",
    ),
    ("botocore", 400, {"Code": "ServiceQuotaExceededException"}, "quota_exceeded"),
    ("botocore", 400, {"Code": "ThrottlingException"}, "rate_limited"),
    ("botocore", 400, {"Code": "ExpiredTokenException"}, "authentication"),
    ("botocore", 403, {"Code": "UnrecognizedClientException"}, "authentication"),
    ("botocore", 424, {"Code": "ModelErrorException"}, "provider_internal"),
    ("botocore", 429, {"Code": "ModelNotReadyException"}, "overloaded"),
    (
        "botocore",
        400,
        {"Code": "ValidationException", "Message": "Input is too long for requested model."},
        "context_length_exceeded",
    ),
    ("google", 400, {"error": {"code": 400, "message": "API key not valid."}}, "authentication"),
    ("google", 503, {"error": {"code": 503, "status": "UNAVAILABLE"}}, "overloaded"),
    ("google", 429, {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}}, "rate_limited"),
    ("google", 429, [{"error": {"code": 429}}], "rate_limited"),
    ("cohere", 400, {"message": "too many tokens: 9 exceed 8"}, "context_length_exceeded"),
    ("cohere", 498, {"message": "blocked output: it may be unsafe"}, "content_filtered"),
    ("cohere", 498, {"message": "blocked input: it may be unsafe"}, "content_filtered"),
    # The status says more than the words.
    ("openai", 401, {"type": "invalid_request_error", "code": None}, "authentication"),
    ("openai", 404, {"type": "invalid_request_error"}, "not_found"),
    ("openai", 503, {"type": "server_error"}, "overloaded"),
    ("anthropic", 529, {"type": "api_error"}, "overloaded"),
    ("cohere", 429, {"message": "slow down"}, "rate_limited"),
    ("cohere", 404, {"message": "model 'x' not there"}, "not_found"),
    # Nobody's words.
    ("openai", 502, "<html><title>Bad gateway</title></html>", "provider_internal"),
    ("anthropic", 403, "Forbidden by proxy", "permission_denied"),
    ("cohere", 500, ["odd", {"list": 1}], "provider_internal"),
    ("google", 500, {"message": "not JSON at all", "status": "Error"}, "provider_internal"),
]


@pytest.mark.parametrize(("client", "status", "body", "code"), SAID)
def test_words_and_status(client: str, status: int, body: Any, code: str) -> None:
    if client == "anthropic" and isinstance(body, dict):
        body = {"type": "error", "error": {"type": "invalid_request_error", **body}}
    mapped = MAPPED(RAISED[client](status, body))
    assert mapped.error_code == code
    assert mapped.retryable is RETRYABLE[code]


def test_the_message_is_the_providers_own() -> None:
    body = {"type": "error", "error": {"type": "overloaded_error", "message": "Too busy"}}
    assert MAPPED(_anthropic_error(529, body)) == MappedError("overloaded", "Too busy", True)
    assert MAPPED(_google_error(500, {"error": {"message": "Oops"}})).message == "Oops"
    assert MAPPED(_botocore_error(500, {"Code": "X", "Message": "Oops"})).message == "Oops"
    assert MAPPED(_cohere_error(500, {"message": "Oops"})).message == "Oops"


def test_no_page_of_a_proxy_becomes_the_message() -> None:
    page = "<html><body>" + "x" * 5000
    for client in ("anthropic", "openai", "cohere"):
        assert "<html" not in MAPPED(RAISED[client](502, page)).message
    assert len(MAPPED(_cohere_error(500, "x" * 9000)).message) == 2000


def test_no_key_stands_in_the_message() -> None:
    key = "sk-proj-0123456789abcdefghij"
    body = {"message": f"Incorrect API key provided: {key}.", "code": "invalid_api_key"}
    assert key not in MAPPED(_openai_error(401, body)).message
    assert key not in MAPPED(ValueError(f"no such key {key}")).message


# --- classes -------------------------------------------------------------------------------------


def _caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def _connection_error() -> Exception:
    request: Any = None
    return _caused(anthropic.APIConnectionError(request=request), OSError("no route to host"))


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (TimeoutError("late"), "timeout"),
        (ConnectionResetError("gone"), "connection"),
        (builtins.BrokenPipeError(), "connection"),
        (ssl.SSLError("bad certificate"), "connection"),
        (EOFError(), "connection"),
        (OSError("no such host"), "connection"),
        (ExceptionGroup("two", [ExceptionGroup("one", [TimeoutError("late")])]), "timeout"),
        (_connection_error(), "connection"),
        (ValueError("odd"), "unknown"),
        (Exception(), "unknown"),
    ],
    ids=repr,
)
def test_classes(error: Exception, code: str) -> None:
    mapped = MAPPED(error)
    assert mapped.error_code == code
    assert mapped.retryable is RETRYABLE[code]
    assert mapped.message


def test_the_cause_is_told_where_the_client_hides_it() -> None:
    assert MAPPED(_connection_error()).message == "Connection error. (no route to host)"


def test_classes_of_one_name_are_told_apart_by_package() -> None:
    assert MAPPED.by_class(AuthOSError) == "authentication"
    assert MAPPED.by_class(OSError) == "connection"
    assert MAPPED.by_class(AuthTimeoutError) == "timeout"
    assert MAPPED.by_class(AwsValidationError) == "invalid_request"


def test_rows_of_ones_own_win() -> None:
    class GatewayBusyError(ConnectionError):
        pass

    assert MAPPED(GatewayBusyError()).error_code == "connection"
    mapper = ProviderErrorMapper({"GatewayBusyError": "overloaded"})
    assert mapper(GatewayBusyError()).error_code == "overloaded"
    assert mapper(TimeoutError()).error_code == "timeout"


class _Hostile(Exception):
    body = property(lambda self: {"error": {"error": {"error": 1}}, "code": object()})
    status_code = "500"
    response = object()

    def __str__(self) -> str:
        raise RuntimeError("no")


def test_nothing_that_an_exception_says_makes_the_mapper_fail() -> None:
    assert MAPPED(_Hostile()) == MappedError("unknown", "_Hostile", False)
    odd: tuple[Any, ...] = (
        None,
        1,
        True,
        "",
        b"\xff",
        [],
        [1],
        {},
        {"error": []},
        {"error": {"message": 1}},
    )
    for body in odd:
        for client, raised in RAISED.items():
            # Google's and AWS's clients make objects of what came before they raise.
            if client not in ("botocore", "google"):
                assert MAPPED(raised(418, body)).error_code == "invalid_request", body
