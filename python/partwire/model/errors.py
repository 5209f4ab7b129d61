"""Exceptions of the official clients → the contract's error codes.

What the provider says in the body is asked first, then the HTTP status, then the exception's
class and its bases by name: no client is imported for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Protocol

from ..providers.core.errors import RETRYABLE, ProviderError, error_code, read_error
from .credentials import without_keys

__all__ = ["CLASSES", "ErrorMapper", "MappedError", "ProviderErrorMapper"]


# --- exception classes ----------------------------------------------------------------------------

_HTTPX: Final = {
    "timeout": "TimeoutException ConnectTimeout ReadTimeout WriteTimeout PoolTimeout",
    "connection": (
        "TransportError NetworkError ReadError WriteError ConnectError CloseError ProxyError "
        "ProtocolError RemoteProtocolError StreamError StreamConsumed StreamClosed "
        "ResponseNotRead RequestNotRead HTTPError RequestError"
    ),
    # What the client was told to send, or where to, cannot be sent at all.
    "invalid_request": "UnsupportedProtocol LocalProtocolError InvalidURL CookieConflict",
    "provider_internal": "DecodingError TooManyRedirects",
    "unknown": "HTTPStatusError",
}

# Package → error code → names of its classes.
_BY_CODE: Final[dict[str, dict[str, str]]] = {
    "anthropic": {
        "authentication": (
            "AuthenticationError CredentialsError IdentityTokenFileError WorkloadIdentityError"
        ),
        "permission_denied": "PermissionDeniedError",
        "not_found": "NotFoundError",
        "invalid_request": (
            "BadRequestError ConflictError PreconditionFailedError ContentTooLargeError "
            "UnprocessableEntityError RequestHeaderFieldsTooLargeError RequestTooLargeError"
        ),
        "quota_exceeded": "PaymentRequiredError",
        "rate_limited": "RateLimitError",
        "overloaded": "OverloadedError ServiceUnavailableError",
        "timeout": (
            "APITimeoutError RequestTimeoutError GatewayTimeoutError DeadlineExceededError"
        ),
        "connection": "APIConnectionError",
        "cancelled": "ClientClosedRequestError",
        "provider_internal": (
            "InternalServerError HTTPNotImplementedError APIResponseValidationError RetryableError"
        ),
        "unknown": "AnthropicError APIError APIStatusError APIWebhookValidationError",
    },
    "openai": {
        "authentication": "AuthenticationError OAuthError SubjectTokenProviderError",
        "permission_denied": "PermissionDeniedError",
        "not_found": "NotFoundError",
        "invalid_request": "BadRequestError ConflictError UnprocessableEntityError",
        "rate_limited": "RateLimitError",
        "timeout": "APITimeoutError",
        "connection": "APIConnectionError WebSocketConnectionClosedError WebSocketQueueFullError",
        "provider_internal": "InternalServerError APIResponseValidationError",
        "content_filtered": "ContentFilterFinishReasonError",
        "unknown": (
            "OpenAIError APIError APIStatusError LengthFinishReasonError "
            "InvalidWebhookSignatureError"
        ),
    },
    "google.genai": {
        # Its answer is cut or no JSON: the rest of it cannot be read.
        "truncated_stream": "UnknownApiResponseError",
        "invalid_request": (
            "ClientError UnknownFunctionCallArgumentError UnsupportedFunctionError "
            "FunctionInvocationError"
        ),
        "provider_internal": "ServerError",
        "unknown": "APIError ContinuationInterruptedError",
    },
    "google.auth": {
        "authentication": (
            "GoogleAuthError RefreshError UserAccessTokenError DefaultCredentialsError "
            "MutualTLSChannelError ClientCertError OAuthError ReauthFailError "
            "ReauthSamlChallengeFailError MalformedError InvalidResource InvalidOperation "
            "InvalidValue InvalidType OSError"
        ),
        "connection": "TransportError ResponseError",
        "timeout": "TimeoutError",
    },
    "cohere": {
        "authentication": "UnauthorizedError InvalidTokenError",
        "permission_denied": "ForbiddenError",
        "not_found": "NotFoundError",
        "invalid_request": "BadRequestError UnprocessableEntityError",
        "rate_limited": "TooManyRequestsError",
        "overloaded": "ServiceUnavailableError",
        "timeout": "GatewayTimeoutError",
        "cancelled": "ClientClosedRequestError",
        "provider_internal": "InternalServerError NotImplementedError ParsingError SSEError",
        "unknown": "ApiError",
    },
    "botocore": {
        "authentication": (
            "NoCredentialsError NoAuthTokenError TokenRetrievalError UnknownTokenProviderError "
            "PartialCredentialsError CredentialRetrievalError UnknownCredentialError "
            "ProfileNotFound RefreshWithMFAUnsupportedError MetadataRetrievalError SSOError "
            "SSOTokenLoadError UnauthorizedSSOTokenError PendingAuthorizationExpiredError "
            "LoginError LoginRefreshRequired LoginInsufficientPermissions LoginTokenLoadError "
            "LoginAuthorizationCodeError"
        ),
        "permission_denied": "AccessDeniedException",
        "not_found": "ResourceNotFoundException",
        # What the client was told to send, or how it is set up, cannot be sent at all.
        "invalid_request": (
            "ParamValidationError ValidationError ValidationException ConflictException "
            "MissingParametersError UnknownKeyError RangeError UnknownParameterError "
            "InvalidRegionError AliasConflictParameterError NoRegionError UnknownRegionError "
            "ServiceNotInRegionError BaseEndpointResolverError EndpointVariantError "
            "UnknownEndpointError UnknownFIPSEndpointError InvalidHostLabelError "
            "InvalidDNSNameError EndpointProviderError EndpointResolutionError "
            "UnknownEndpointResolutionBuiltInName InvalidEndpointConfigurationError "
            "UnknownServiceError DataNotFoundError ApiVersionNotFoundError UnknownServiceStyle "
            "UnknownSignatureVersionError UnsupportedSignatureVersionError "
            "UnsupportedServiceProtocolsError UnknownClientMethodError UnseekableStreamError "
            "ConfigParseError ConfigNotFound InvalidConfigError InfiniteLoopConfigError "
            "InvalidProxiesConfigError InvalidDefaultsMode InvalidRetryConfigurationError "
            "InvalidMaxRetryAttemptsError InvalidRetryModeError InvalidChecksumConfigError "
            "InvalidIMDSEndpointError InvalidIMDSEndpointModeError MissingDependencyException"
        ),
        "quota_exceeded": "ServiceQuotaExceededException",
        "rate_limited": "ThrottlingException CapacityNotAvailableError",
        "overloaded": "ServiceUnavailableException ModelNotReadyException",
        "timeout": "ReadTimeoutError ConnectTimeoutError ModelTimeoutException",
        "connection": (
            "HTTPClientError ConnectionError EndpointConnectionError SSLError "
            "ConnectionClosedError ProxyConnectionError ResponseStreamingError "
            "IncompleteReadError ChecksumError FlexibleChecksumError AwsChunkedWrapperError"
        ),
        "provider_internal": (
            "InternalServerException ModelErrorException ModelStreamErrorException "
            "ResponseParserError EventStreamError"
        ),
        "unknown": (
            "BotoCoreError ClientError PaginationError OperationNotPageableError WaiterError "
            "WaiterConfigError InvalidExpressionError InvalidS3AddressingStyleError "
            "UnsupportedS3ArnError UnsupportedS3ControlArnError UnsupportedOutpostResourceError "
            "UnsupportedS3ConfigurationError UnsupportedS3AccesspointConfigurationError "
            "UnsupportedS3ControlConfigurationError InvalidEndpointDiscoveryConfigurationError "
            "InvalidS3UsEast1RegionalEndpointConfigError InvalidSTSRegionalEndpointsConfigError "
            "StubResponseError StubAssertionError UnStubbedResponseError MD5UnavailableError "
            "UndefinedModelAttributeError MissingServiceIdError"
        ),
    },
    "urllib3": {
        "timeout": "TimeoutError ReadTimeoutError ConnectTimeoutError",
        "connection": (
            "HTTPError PoolError RequestError SSLError ProxyError ProtocolError MaxRetryError "
            "HostChangedError NewConnectionError NameResolutionError EmptyPoolError "
            "FullPoolError ClosedPoolError ResponseError ResponseNotChunked IncompleteRead "
            "InvalidChunkLength"
        ),
        "invalid_request": (
            "LocationValueError LocationParseError URLSchemeUnknown ProxySchemeUnknown "
            "ProxySchemeUnsupported TimeoutStateError UnrewindableBodyError"
        ),
        "provider_internal": (
            "DecodeError BodyNotHttplibCompatible InvalidHeader HeaderParsingError"
        ),
    },
    "httpx": _HTTPX,
    "httpx2": _HTTPX,
    "builtins": {"timeout": "TimeoutError", "connection": "ConnectionError EOFError OSError"},
    "http": {"connection": "IncompleteRead HTTPException"},
    "socket": {"connection": "gaierror"},
    "ssl": {"connection": "SSLError"},
    "anyio": {"connection": "BrokenResourceError ClosedResourceError EndOfStream"},
    # The client cannot make its own objects of what the provider sent.
    "pydantic_core": {"provider_internal": "ValidationError"},
}

CLASSES: Final[Mapping[str, Mapping[str, str]]] = {
    package: {name: code for code, names in rows.items() for name in names.split()}
    for package, rows in _BY_CODE.items()
}
"""Package → name of a class → error code."""


# --- the mapping ----------------------------------------------------------------------------------

_MAX_MESSAGE_CHARS: Final = 2000
# Names under which a provider files much that its HTTP status says more plainly.
_VAGUE: Final = frozenset({"invalid_request", "provider_internal", "unknown"})


class MappedError(NamedTuple):
    """One error in the contract's words: what the ``error`` delta says."""

    error_code: str
    message: str
    retryable: bool


class ErrorMapper(Protocol):
    """Turns an exception into an error of the contract. Never raises."""

    def __call__(self, error: Exception) -> MappedError:
        """Return the error code, a message without credentials, and whether to try again."""
        ...


class ProviderErrorMapper:
    """Maps what the official clients raise; the table is in ``docs/errors.md``.

    ``classes`` are rows of one's own, name of an exception class → error code; they win over the
    table. What nobody knows is ``unknown``: not retryable.
    """

    def __init__(self, classes: Mapping[str, str] | None = None) -> None:
        self._classes = dict(classes or {})

    def __call__(self, error: BaseException) -> MappedError:
        """Return the error in the contract's words."""
        error = _innermost(error)
        said = _said(error)
        code = _by_words(said)
        if code == "unknown":
            code = self.by_class(type(error)) or code
        text = without_keys(said.message or _text(error))
        return MappedError(code, text[:_MAX_MESSAGE_CHARS], RETRYABLE[code])

    def by_class(self, kind: type[BaseException]) -> str | None:
        """Return the code of an exception class, None where neither it nor a base has a row."""
        for base in kind.__mro__:
            own = self._classes.get(base.__name__) or _row(base)
            if own is not None:
                return own
        return None


def _row(kind: type[BaseException]) -> str | None:
    package = ".".join(kind.__module__.split(".")[:2])
    rows = CLASSES.get(package) or CLASSES.get(package.split(".")[0]) or {}
    return rows.get(kind.__name__)


def _by_words(said: ProviderError) -> str:
    """Return the code that the body gives; where that is vague, what the status adds."""
    code = error_code(said)
    if code in _VAGUE and said.status is not None:
        by_status = error_code(ProviderError(None, None, None, said.status))
        return by_status if code == "unknown" or by_status not in _VAGUE else code
    return code


def _innermost(error: BaseException) -> BaseException:
    """Return the one error of a group of one, however deep."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _said(error: BaseException) -> ProviderError:
    """Return what the provider's answer says, as far as the client has read it."""
    status, body = _status(error), _body(error)
    if isinstance(body, list) and len(body) == 1:
        body = body[0]  # Google wraps the error of a stream
    if isinstance(body, bytes):
        body = body.decode("utf-8", "replace")
    said = read_error(body) if isinstance(body, (dict, str)) else read_error(None)
    message = said.message
    if message is not None and message.lstrip()[:1] == "<":
        message = None  # a page of some proxy in between
    code = _detail(body) or said.code
    return said._replace(code=code, message=message, status=status or said.status)


def _detail(body: Any) -> str | None:
    """Return the name that says more than the error's type does (Anthropic)."""
    error = body.get("error") if isinstance(body, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    code = details.get("error_code") if isinstance(details, dict) else None
    return code if isinstance(code, str) else None


def _body(error: BaseException) -> Any:
    for name in ("body", "details"):  # anthropic, openai, cohere; google-genai
        body = getattr(error, name, None)
        if isinstance(body, (dict, list, str, bytes)) and body:
            return body
    response = getattr(error, "response", None)
    inner = response.get("Error") if isinstance(response, dict) else None
    if isinstance(inner, dict):  # botocore
        return {"code": inner.get("Code"), "message": inner.get("Message")}
    return None


def _status(error: BaseException) -> int | None:
    for name in ("status_code", "code", "http_status"):
        value = getattr(error, name, None)
        if type(value) is int and 400 <= value <= 599:
            return value
    response = getattr(error, "response", None)
    if isinstance(response, dict):
        metadata = response.get("ResponseMetadata")
        value = metadata.get("HTTPStatusCode") if isinstance(metadata, dict) else None
    else:
        value = getattr(response, "status_code", None)
    return value if type(value) is int and 400 <= value <= 599 else None


def _text(error: BaseException) -> str:
    """Return what the exception says, and what lies behind it where it hides that."""
    text = _str(error)
    status = _status(error)
    if status is not None:
        return f"HTTP {status}" if "<" in text or not text else text
    behind = error.__cause__ or error.__context__
    reason = _str(behind) if behind is not None else ""
    return f"{text} ({reason})" if reason and reason not in text else text


def _str(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - a foreign __str__ may raise anything
        text = ""
    return text or type(error).__name__
